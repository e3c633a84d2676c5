/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The organization tree: units and teams, without their quotas. */
#include "conf/build.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define QUOTAS_MAX ((size_t) 20 * 1000 * 1000) /* units x cells */

static bool is_unit(const struct conf_record *record)
{
	return (record->kind == CONF_UNIT || record->kind == CONF_TEAM) &&
	       record->active && record->name && !record->is_default;
}

static bool is_built(const struct conf_record *record)
{
	return record->index != GOV_NONE &&
	       (record->kind == CONF_UNIT || record->kind == CONF_TEAM);
}

/* ---- classes ---- */

struct class_list {
	const struct conf_word *word[CONF_DEFAULT_MAX + 4];
	size_t words;
};

static bool is_relative(const struct conf_word *word)
{
	return word->value[0] == '+' || word->value[0] == '-';
}

/* Collect relative lists up to the first absolute one. */
static bool collect_classes(const struct conf_word *word, void *arg)
{
	struct class_list *list = arg;

	if (list->words < sizeof(list->word) / sizeof(*list->word))
		list->word[list->words++] = word;
	return !is_relative(word);
}

static void apply_classes(const struct gov_policy *policy, bool *allowed,
			  const struct conf_word *word)
{
	struct conf_item item;
	const char *name;
	uint32_t class;

	if (!is_relative(word))
		memset(allowed, 0, policy->class_count * sizeof(*allowed));
	conf_item_begin(&item, word->value);
	while (conf_item_next(&item)) {
		name = item.text + (item.text[0] == '+' || item.text[0] == '-');
		class = gov_policy_find_class(policy, name);
		if (class != GOV_NONE)
			allowed[class] = item.text[0] != '-';
	}
}

/* The class of jobs that name none, where no record defines it. */
static void allow_implicit_class(struct conf_build *build, bool *allowed)
{
	const struct gov_policy *policy = build->policy;

	for (uint32_t c = 0; c < policy->class_count; c++)
		if (policy->class[c].is_default &&
		    !conf_find_record(build->conf, CONF_CLASS,
				      policy->class[c].name))
			allowed[c] = true;
}

static void get_classes(struct conf_build *build,
			const struct conf_record *record, bool **out)
{
	uint32_t count = build->policy->class_count;
	struct class_list list;
	bool *allowed;

	list.words = 0;
	conf_each_word(build->conf, record, KEY_CLASSES, collect_classes,
		       &list);
	if (!list.words)
		return;
	allowed = malloc(count ? count : 1);
	if (!allowed) {
		build->conf->no_memory = true;
		return;
	}
	memset(allowed, 1, count);
	while (list.words)
		apply_classes(build->policy, allowed, list.word[--list.words]);
	allow_implicit_class(build, allowed);
	*out = allowed;
}

/* ---- pools ---- */

static void get_pools(struct conf_build *build, const struct conf_word *word,
		      struct gov_unit *unit)
{
	struct gov_policy *policy = build->policy;
	struct conf_item item;
	uint32_t pool;

	unit->pools = word ? malloc((policy->pool_count + 1) *
				    sizeof(*unit->pools)) :
			     NULL;
	if (!unit->pools) {
		build->conf->no_memory |= word != NULL;
		return;
	}
	conf_item_begin(&item, word->value);
	while (conf_item_next(&item)) {
		pool = gov_policy_find_pool(policy, item.text);
		if (pool != GOV_NONE && unit->pool_count < policy->pool_count)
			unit->pools[unit->pool_count++] = pool;
	}
}

/* ---- one unit or team ---- */

static void get_enum(const struct conf *conf, const struct conf_record *record,
		     int key, void *out)
{
	int value;

	if (conf_get_choice(conf_find_word(conf, record, key), &value))
		memcpy(out, &value, sizeof(value));
}
_Static_assert(sizeof(enum gov_preempt) == sizeof(int), "see get_enum()");

static void get_count(const struct conf *conf, const struct conf_record *record,
		      int key, uint32_t *out)
{
	int64_t number;

	if (conf_get_number(conf_find_word(conf, record, key), &number))
		*out = (uint32_t) number;
}

/* The word as the table writes it: it travels in grants. */
static void get_isolation(struct conf_build *build,
			  const struct conf_word *word, char **out)
{
	const struct conf_choice *choice = conf_keys[KEY_ISOLATION].words;
	int value;

	if (!conf_get_choice(word, &value))
		return;
	while (choice->word && choice->value != value)
		choice++;
	*out = strdup(choice->word);
	if (!*out)
		build->conf->no_memory = true;
}

static void get_team(struct conf_build *build, const struct conf_record *record,
		     struct gov_unit *unit)
{
	const struct conf *conf = build->conf;

	conf_get_text(build, conf_find_word(conf, record, KEY_ACCOUNT),
		      &unit->account);
	get_enum(conf, record, KEY_QUEUEING, &unit->queueing);
	get_enum(conf, record, KEY_PREEMPT_WITHIN_TEAM,
		 &unit->preempt_within_team);
	get_enum(conf, record, KEY_RECLAIM, &unit->reclaim);
	get_enum(conf, record, KEY_PREEMPT_WHILE_BORROWING,
		 &unit->preempt_while_borrowing);
	get_count(conf, record, KEY_PREEMPT_WHILE_BORROWING_MAX,
		  &unit->preempt_while_borrowing_max);
	get_count(conf, record, KEY_MAX_EVICTIONS, &unit->max_evictions);
	conf_get_yes_no(conf_find_word(conf, record, KEY_PREFER_OWN),
			&unit->prefer_own);
	conf_get_terms(build, record, &unit->terms);
	conf_get_members(build, conf_find_word(conf, record, KEY_MEMBERS),
			 &unit->members);
	get_classes(build, record, &unit->classes);
	get_pools(build, conf_find_word(conf, record, KEY_POOLS), unit);
	conf_get_cell_amounts(build,
			      conf_find_word(conf, record, KEY_MAX_USER_TRES),
			      &unit->user_max);
	get_isolation(build, conf_find_word(conf, record, KEY_ISOLATION),
		      &unit->isolation);
}

static void build_unit(struct conf_build *build, struct conf_record *record)
{
	const struct conf *conf = build->conf;
	const struct conf_word *word;
	struct gov_unit *unit;

	record->index = gov_policy_add_unit(build->policy, record->name->value,
					    record->kind == CONF_TEAM,
					    GOV_NONE);
	if (record->index == GOV_NONE) {
		build->conf->no_memory = true;
		return;
	}
	unit = &build->policy->unit[record->index];
	word = conf_find_word(conf, record, KEY_WEIGHT);
	if (word)
		conf_read_weight(word->value, &unit->weight);
	get_enum(conf, record, KEY_STRATEGY, &unit->strategy);
	conf_get_members(build, conf_find_word(conf, record, KEY_OWNERS),
			 &unit->owners);
	if (unit->is_team)
		get_team(build, record, unit);
}

/* ---- the tree ---- */

static void set_parent(struct conf_build *build,
		       const struct conf_record *record)
{
	const struct conf_word *word = conf_find_word(build->conf, record,
						      KEY_PARENT);
	const struct conf_record *parent =
		word ? conf_find_record(build->conf, CONF_UNIT, word->value) :
		       NULL;

	if (parent && parent->kind == CONF_UNIT)
		build->policy->unit[record->index].parent = parent->index;
}

/* A unit and its record, by index in the policy. */
static const struct conf_record **unit_records(struct conf_build *build)
{
	struct conf *conf = build->conf;
	const struct conf_record **of;

	of = conf_alloc(conf, (build->policy->unit_count + 1) * sizeof(*of));
	for (size_t i = 0; of && i < conf->records; i++)
		if (is_built(&conf->record[i]))
			of[conf->record[i].index] = &conf->record[i];
	return of;
}

/* Say what is wrong with the parent of a unit, and take it away. */
static void refuse_parent(struct conf_build *build, uint32_t self,
			  const struct conf_record *record, bool cycle)
{
	const struct conf_word *word = conf_find_word(build->conf, record,
						      KEY_PARENT);
	struct conf_place at = word ? conf_value_at(word, 0) : record->at;

	if (cycle)
		conf_error(build->conf, at, GOV_E_REFERENCE,
			   "Parent=%s: that makes %s stand above itself",
			   word ? word->value : "",
			   build->policy->unit[self].name);
	else
		conf_error(build->conf, at, GOV_E_VALUE,
			   "Parent=%s: units stand more than %d levels deep",
			   word ? word->value : "", GOV_DEPTH_MAX);
	build->policy->unit[self].parent = GOV_NONE;
}

/* Walk up from every unit; a walk that meets itself has found a cycle. */
static void open_cycles(struct conf_build *build,
			const struct conf_record *const *of)
{
	struct gov_policy *policy = build->policy;
	size_t size = (policy->unit_count + 1) * sizeof(uint32_t);
	uint32_t *walk = conf_alloc(build->conf, size), u;

	if (!walk)
		return;
	memset(walk, 0, size);
	for (uint32_t start = 0; start < policy->unit_count; start++) {
		for (u = start; u != GOV_NONE && !walk[u];
		     u = policy->unit[u].parent)
			walk[u] = start + 1;
		if (u != GOV_NONE && walk[u] == start + 1)
			refuse_parent(build, u, of[u], true);
	}
}

static void check_depth(struct conf_build *build,
			const struct conf_record *const *of)
{
	struct gov_policy *policy = build->policy;

	for (uint32_t start = 0; start < policy->unit_count; start++) {
		unsigned depth = 0;

		for (uint32_t u = policy->unit[start].parent;
		     u != GOV_NONE && depth < GOV_DEPTH_MAX;
		     u = policy->unit[u].parent)
			depth++;
		if (depth == GOV_DEPTH_MAX)
			refuse_parent(build, start, of[start], false);
	}
}

static void check_tree(struct conf_build *build)
{
	const struct conf_record **of = unit_records(build);

	if (!of)
		return;
	open_cycles(build, of);
	check_depth(build, of);
}

/* Two teams with one account: jobs would not know whose they are. */
static void check_accounts(struct conf_build *build)
{
	struct conf *conf = build->conf;
	struct conf_name_set seen = { 0 };

	for (size_t i = 0; i < conf->records && !conf->no_memory; i++) {
		const struct conf_record *record = &conf->record[i];
		const struct conf_word *word;
		uint32_t other;

		if (!is_built(record) || record->kind != CONF_TEAM)
			continue;
		word = conf_find_word(conf, record, KEY_ACCOUNT);
		other = conf_name_put(conf, &seen,
				      word ? word->value : record->name->value,
				      (uint32_t) i);
		if (other == CONF_NO_NAME ||
		    !strcasecmp(conf->record[other].name->value,
				record->name->value))
			continue;
		conf_error(conf, conf_value_at(word ? word : record->name, 0),
			   GOV_E_DUPLICATE,
			   "the account %s belongs to the team %s already",
			   word ? word->value : record->name->value,
			   conf->record[other].name->value);
	}
}

void conf_build_units(struct conf_build *build)
{
	struct conf *conf = build->conf;
	size_t cells = build->policy->cell_count, units = 0;

	for (size_t i = 0; i < conf->records; i++)
		units += is_unit(&conf->record[i]);
	if (units && cells > QUOTAS_MAX / units) {
		conf_error(
			conf, (struct conf_place){ 0, 1, 1 }, GOV_E_OVERFLOW,
			"%zu units and teams and %zu TRES in all pools are too many together",
			units, cells);
		return;
	}
	for (size_t i = 0; i < conf->records && !conf->no_memory; i++)
		if (is_unit(&conf->record[i]))
			build_unit(build, &conf->record[i]);
	for (size_t i = 0; i < conf->records && !conf->no_memory; i++)
		if (is_built(&conf->record[i]))
			set_parent(build, &conf->record[i]);
	if (!conf->no_memory)
		check_tree(build);
	check_accounts(build);
}
