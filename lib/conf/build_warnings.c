/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is allowed but hardly meant; and quotas beyond what pools have. */
#include "conf/build.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *cell_name(const struct gov_policy *policy, uint32_t cell)
{
	return policy->tres[policy->cell[cell].tres].name;
}

static bool has_quota(const struct gov_policy *policy,
		      const struct gov_unit *unit)
{
	for (uint32_t c = 0; c < policy->cell_count; c++)
		if (unit->quota[c].set)
			return true;
	return false;
}

static void warn_of_default_class(struct conf_build *build,
				  const struct conf_record *record,
				  const struct gov_unit *team)
{
	const struct gov_policy *policy = build->policy;

	for (uint32_t c = 0; team->classes && c < policy->class_count; c++)
		if (policy->class[c].is_default && !team->classes[c])
			conf_warning(
				build->conf, conf_value_at(record->name, 0),
				"the team %s may not use the default class %s: its jobs must name a class",
				team->name, policy->class[c].name);
}

/* A cap of several pools is counted in each, which may not be meant. */
static void warn_of_separate_caps(struct conf_build *build,
				  const struct conf_record *record,
				  const struct gov_unit *team, int key,
				  const gov_amount_t *max)
{
	const struct gov_policy *policy = build->policy;
	const struct conf_word *word = conf_find_word(build->conf, record, key);
	uint32_t first = GOV_NONE;

	for (uint32_t c = 0; max && word && c < policy->cell_count; c++) {
		const struct gov_quota *quota = &team->quota[c];

		if (max[c] == GOV_UNLIMITED || !quota->set)
			continue;
		if (first == GOV_NONE ||
		    policy->cell[first].pool == policy->cell[c].pool) {
			first = c;
			continue;
		}
		conf_warning(
			build->conf, conf_value_at(word, 0),
			"%s counts in each pool by itself, here in %s and in %s",
			conf_keys[key].name,
			policy->pool[policy->cell[first].pool].name,
			policy->pool[policy->cell[c].pool].name);
		return;
	}
}

/* Does a cap of this TRES count in several types of the pool, each alone? */
static bool has_types(const struct conf_build *build, uint32_t pool,
		      const struct gov_unit *team, const char *tres)
{
	const struct gov_policy *policy = build->policy;
	unsigned types = 0;

	for (uint32_t c = build->pool_cell[pool];
	     c < build->pool_cell[pool + 1]; c++) {
		int means = conf_tres_means(tres, cell_name(policy, c));

		if (means == 2) /* it counts them all together */
			return false;
		types += means && (!team || team->quota[c].set);
	}
	return types > 1;
}

/*
 * gres/gpu=8 in a pool of several types is 8 of each.  team: whose cap it is;
 * NULL: of all.
 */
static void warn_of_each_type(struct conf_build *build,
			      const struct conf_record *record, int key,
			      const struct gov_unit *team)
{
	const struct conf_word *word = conf_find_word(build->conf, record, key);
	struct conf_item item;
	struct conf_tres tres;

	if (!word || word->bad)
		return;
	conf_item_begin(&item, word->value);
	while (conf_item_next(&item)) {
		conf_read_tres(item.text, &tres);
		for (uint32_t p = 0; p < build->policy->pool_count; p++) {
			if (!has_types(build, p, team, tres.name))
				continue;
			conf_warning(
				build->conf, conf_value_at(word, item.offset),
				"%s=%.80s counts for each type of %.80s in the pool %s by itself",
				conf_keys[key].name, item.text, tres.name,
				build->policy->pool[p].name);
			break;
		}
	}
}

/* A limit beside a strategy that makes it 0. */
static void warn_of_strategy(struct conf_build *build,
			     const struct conf_record *record,
			     const struct gov_unit *unit)
{
	bool borrows = unit->strategy == GOV_LEND_AND_BORROW ||
		       unit->strategy == GOV_BORROW;
	bool lends = unit->strategy == GOV_LEND_AND_BORROW ||
		     unit->strategy == GOV_LEND;
	const struct conf_word *borrow = conf_own_word(record,
						       KEY_BORROW_LIMIT);
	const struct conf_word *lend = conf_own_word(record, KEY_LEND_LIMIT);

	if (!borrows && borrow && strcmp(borrow->value, "0"))
		conf_warning(
			build->conf, conf_key_at(borrow),
			"BorrowLimit has no effect: by its Strategy %s never borrows",
			unit->name);
	if (!lends && lend && strcmp(lend->value, "0"))
		conf_warning(
			build->conf, conf_key_at(lend),
			"LendLimit has no effect: by its Strategy %s never lends",
			unit->name);
}

static void warn_of_quota(struct conf_build *build,
			  const struct conf_record *record)
{
	const struct conf_word *word = conf_own_word(record, KEY_TEAM);
	const struct conf_record *unit;

	if (!word)
		word = conf_own_word(record, KEY_UNIT);
	unit = word && record->active && !record->is_default ?
		       conf_find_record(build->conf, CONF_UNIT, word->value) :
		       NULL;
	if (unit && unit->index != GOV_NONE)
		warn_of_strategy(build, record,
				 &build->policy->unit[unit->index]);
}

static void warn_of_isolation(struct conf_build *build,
			      const struct conf_record *record,
			      const struct gov_unit *team)
{
	const struct conf_word *word = conf_find_word(build->conf, record,
						      KEY_ISOLATION);

	if (!word || !team->isolation || !strcmp(team->isolation, "none") ||
	    !strcmp(team->isolation, "namespace"))
		return;
	conf_warning(
		build->conf, conf_value_at(word, 0),
		"Isolation=%s does nothing yet: jobs of the team %s are not kept apart; namespace does",
		team->isolation, team->name);
}

static void warn_of_team(struct conf_build *build,
			 const struct conf_record *record)
{
	struct conf *conf = build->conf;
	const struct gov_unit *team = &build->policy->unit[record->index];
	const struct conf_word *weight = conf_find_word(conf, record,
							KEY_WEIGHT);

	if (!team->members.count && !conf_own_word(record, KEY_MEMBERS))
		conf_warning(
			conf, conf_value_at(record->name, 0),
			"the team %s has no members, so nobody may submit for it",
			team->name);
	if (!has_quota(build->policy, team) && !conf->errors)
		conf_warning(conf, conf_value_at(record->name, 0),
			     "the team %s has no quota, so its jobs never run",
			     team->name);
	if (weight && !team->weight.numerator)
		conf_warning(
			conf, conf_value_at(weight, 0),
			"with Weight=0 the team %s is given idle quota after every other",
			team->name);
	warn_of_strategy(build, record, team);
	warn_of_isolation(build, record, team);
	warn_of_default_class(build, record, team);
	warn_of_separate_caps(build, record, team, KEY_MAX_USER_TRES,
			      team->user_max);
	warn_of_each_type(build, record, KEY_MAX_USER_TRES, team);
}

static void warn_of_unit(struct conf_build *build,
			 const struct conf_record *record)
{
	warn_of_strategy(build, record, &build->policy->unit[record->index]);
}

static void warn_of_class(struct conf_build *build,
			  const struct conf_record *record)
{
	const struct gov_policy *policy = build->policy;
	uint32_t teams = 0;

	warn_of_each_type(build, record, KEY_MAX_TRES, NULL);
	for (uint32_t u = 0; u < policy->unit_count; u++) {
		const struct gov_unit *unit = &policy->unit[u];

		if (!unit->is_team)
			continue;
		teams++;
		if (!unit->classes || unit->classes[record->index])
			return;
	}
	if (teams)
		conf_warning(build->conf, conf_value_at(record->name, 0),
			     "no team may use the class %s",
			     policy->class[record->index].name);
}

static bool has_groups(const struct gov_member_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->item[i].kind == GOV_MEMBER_GROUP)
			return true;
	return false;
}

static bool has_user(const struct gov_member_list *list, const char *name)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (!strcmp(list->item[i].name, name))
			return true;
	return false;
}

/* Where the team has groups, who is in it is not known here. */
static void warn_of_strangers(struct conf_build *build,
			      const struct conf_record *record,
			      const struct gov_project *project)
{
	const struct gov_unit *team = &build->policy->unit[project->team];
	const struct conf_word *word = conf_find_word(build->conf, record,
						      KEY_MEMBERS);
	struct conf_item item;

	if (!word || !team->members.count || has_groups(&team->members))
		return;
	conf_item_begin(&item, word->value);
	while (conf_item_next(&item))
		if (item.text[0] != '@' && !has_user(&team->members, item.text))
			conf_warning(
				build->conf, conf_value_at(word, item.offset),
				"%.80s is no member of the team %s, and so cannot submit for its project",
				item.text, team->name);
}

static void warn_of_project(struct conf_build *build,
			    const struct conf_record *record)
{
	const struct gov_project *project =
		&build->policy->project[record->index];

	warn_of_strangers(build, record, project);
	warn_of_separate_caps(build, record,
			      &build->policy->unit[project->team], KEY_MAX_TRES,
			      project->max);
	warn_of_each_type(build, record, KEY_MAX_TRES,
			  &build->policy->unit[project->team]);
}

/* ---- pools ---- */

static void warn_of_unused_pool(struct conf_build *build,
				const struct conf_record *record)
{
	const struct gov_policy *policy = build->policy;

	for (uint32_t c = build->pool_cell[record->index];
	     c < build->pool_cell[record->index + 1]; c++)
		for (uint32_t u = 0; u < policy->unit_count; u++)
			if (policy->unit[u].quota[c].set)
				return;
	conf_warning(build->conf, conf_value_at(record->name, 0),
		     "nobody has a quota in the pool %s, so no job runs there",
		     record->name->value);
}

/* With NodeTRES it is known what the pool has when all its nodes are up. */
static void check_oversold(struct conf_build *build,
			   const struct conf_record *record,
			   const struct conf_word *word)
{
	const struct gov_policy *policy = build->policy;
	const struct gov_pool *pool = &policy->pool[record->index];
	struct conf_item item;
	struct conf_tres tres;
	gov_amount_t amount, sum;
	int rc;

	conf_item_begin(&item, word->value);
	while (conf_item_next(&item)) {
		conf_read_tres(item.text, &tres);
		conf_read_amount(tres.name, tres.amount_text, &amount);
		amount = gov_amount_scale(amount, pool->node_count, 1);
		for (uint32_t c = build->pool_cell[record->index];
		     c < build->pool_cell[record->index + 1]; c++) {
			if (conf_tres_means(tres.name, cell_name(policy, c)) !=
			    2)
				continue;
			rc = gov_policy_oversold(policy, c, amount, &sum);
			if (rc > 0)
				conf_warning(
					build->conf,
					conf_value_at(record->name, 0),
					"the quotas of %s in the pool %s are %llu of %llu, which Oversell=%llu.%03llu allows",
					cell_name(policy, c), pool->name,
					(unsigned long long) sum,
					(unsigned long long) amount,
					(unsigned long long) pool
							->oversell_permille /
						1000,
					(unsigned long long) pool
							->oversell_permille %
						1000);
			else if (rc < 0)
				conf_error(
					build->conf,
					conf_value_at(record->name, 0),
					GOV_E_OVERSOLD,
					"the quotas of %s in the pool %s are %llu, but it has %llu; lower them or raise Oversell=",
					cell_name(policy, c), pool->name,
					(unsigned long long) sum,
					(unsigned long long) amount);
		}
	}
}

static void warn_of_pool(struct conf_build *build,
			 const struct conf_record *record)
{
	const struct conf_word *word = conf_find_word(build->conf, record,
						      KEY_NODE_TRES);

	if (build->conf->errors)
		return;
	warn_of_unused_pool(build, record);
	if (word)
		check_oversold(build, record, word);
}

void conf_build_warnings(struct conf_build *build)
{
	struct conf *conf = build->conf;

	for (size_t i = 0; i < conf->records; i++) {
		const struct conf_record *record = &conf->record[i];

		if (record->kind == CONF_QUOTA)
			warn_of_quota(build, record);
		if (record->index == GOV_NONE)
			continue;
		switch (record->kind) {
		case CONF_POOL: warn_of_pool(build, record); break;
		case CONF_CLASS: warn_of_class(build, record); break;
		case CONF_TEAM: warn_of_team(build, record); break;
		case CONF_UNIT: warn_of_unit(build, record); break;
		case CONF_PROJECT: warn_of_project(build, record); break;
		default: break;
		}
	}
}
