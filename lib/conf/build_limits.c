/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BorrowLimit= and LendLimit=: words to an amount for every cell.
 *
 * The nearest word that says anything of a cell decides: that of the Quota
 * record, of the team or unit, its profile, DEFAULT records, the settings.
 * Within one word everything that is said of the cell counts, and the lowest
 * wins.
 */
#include "conf/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DEFAULT_BORROW_PERCENT 50 /* of teams; units have no default */

struct decision {
	struct conf_build *build;
	uint32_t cell;
	gov_amount_t base;  /* of which a percentage is taken */
	gov_amount_t limit; /* result */
};

static const char *cell_name(const struct gov_policy *policy, uint32_t cell)
{
	return policy->tres[policy->cell[cell].tres].name;
}

/* ---- one word, one cell ---- */

/* How well an item fits the cell: 0 not, 1 all TRES or by type, 2 by name. */
static int item_fits(const struct conf_limit *limit, const char *cell)
{
	return limit->form == CONF_LIMIT_TRES ?
		       conf_tres_means(limit->tres.name, cell) :
		       1;
}

static gov_amount_t item_amount(struct decision *d,
				const struct conf_word *word,
				const struct conf_item *item,
				const struct conf_limit *limit)
{
	const char *cell = cell_name(d->build->policy, d->cell);
	gov_amount_t amount = GOV_UNLIMITED;

	if (limit->is_percent)
		return gov_amount_scale(d->base, limit->percent, 100);
	if (limit->form != CONF_LIMIT_NONE &&
	    !conf_read_amount(cell, limit->amount_text, &amount))
		conf_error(
			d->build->conf, conf_value_at(word, item->offset),
			GOV_E_VALUE,
			"%s=%.80s is no amount of %s: expected a whole number with or without K, M, G, T or P",
			conf_keys[word->id].name, item->text, cell);
	return amount;
}

/* Visitor: does the word say anything of the cell?  Then that decides. */
static bool decide(const struct conf_word *word, void *arg)
{
	struct decision *d = arg;
	const char *cell = cell_name(d->build->policy, d->cell);
	gov_amount_t by_type = GOV_UNLIMITED, by_name = GOV_UNLIMITED;
	bool typed = false, named = false, said = false;
	struct conf_limit limit;
	struct conf_item item;

	d->limit = GOV_UNLIMITED;
	conf_item_begin(&item, word->value);
	while (conf_item_next(&item)) {
		gov_amount_t amount;
		int fits;

		conf_read_limit(item.text, &limit);
		fits = item_fits(&limit, cell);
		if (!fits)
			continue;
		said = true;
		amount = item_amount(d, word, &item, &limit);
		if (limit.form != CONF_LIMIT_TRES) {
			d->limit = gov_amount_min(d->limit, amount);
		} else if (fits == 2) {
			by_name = gov_amount_min(by_name, amount);
			named = true;
		} else {
			by_type = gov_amount_min(by_type, amount);
			typed = true;
		}
	}
	/* gres/gpu:h100=4 is said of this type, gres/gpu=8 of the others. */
	if (named)
		d->limit = gov_amount_min(d->limit, by_name);
	else if (typed)
		d->limit = gov_amount_min(d->limit, by_type);
	return said;
}

/* The limit of a unit in a cell; false: nothing is said of it. */
static bool find_limit(struct conf_build *build, const struct conf_record *unit,
		       uint32_t cell, int key, gov_amount_t base,
		       gov_amount_t *limit)
{
	const struct gov_policy *policy = build->policy;
	size_t at = (size_t) unit->index * policy->cell_count + cell;
	const struct conf_record *quota = build->quota_of[at];
	struct decision d = { build, cell, base, GOV_UNLIMITED };

	if ((quota && conf_each_word(build->conf, quota, key, decide, &d)) ||
	    conf_each_word(build->conf, unit, key, decide, &d)) {
		*limit = d.limit;
		return true;
	}
	return false;
}

/* ---- teams and units ---- */

static void limit_team(struct conf_build *build,
		       const struct conf_record *record)
{
	struct gov_unit *team = &build->policy->unit[record->index];

	for (uint32_t c = 0; c < build->policy->cell_count; c++) {
		struct gov_quota *quota = &team->quota[c];

		if (!quota->set)
			continue;
		if (!find_limit(build, record, c, KEY_BORROW_LIMIT,
				quota->nominal, &quota->borrow_limit))
			quota->borrow_limit = gov_amount_scale(
				quota->nominal, DEFAULT_BORROW_PERCENT, 100);
		find_limit(build, record, c, KEY_LEND_LIMIT, quota->nominal,
			   &quota->lend_limit);
	}
}

/* What a unit and those below it have, per unit and cell. */
struct below {
	gov_amount_t *sum; /* of all their quotas */
	bool *any;	   /* has one of them a quota, be it of zero? */
};

/*
 * A unit's percentages are of all that it and those below it are guaranteed:
 * its own quota is mostly none.  Its limits count whether it has one or not,
 * wherever somebody below it has a part.
 */
static void limit_unit(struct conf_build *build,
		       const struct conf_record *record,
		       const struct below *below)
{
	size_t cells = build->policy->cell_count, at = record->index * cells;
	struct gov_unit *unit = &build->policy->unit[record->index];

	for (uint32_t c = 0; c < cells; c++, at++) {
		struct gov_quota *quota = &unit->quota[c];
		bool said;

		if (!below->any[at])
			continue;
		said = find_limit(build, record, c, KEY_BORROW_LIMIT,
				  below->sum[at], &quota->borrow_limit);
		said |= find_limit(build, record, c, KEY_LEND_LIMIT,
				   below->sum[at], &quota->lend_limit);
		quota->set |= said;
	}
}

static bool sum_below(struct conf_build *build, struct below *below)
{
	const struct gov_policy *policy = build->policy;
	size_t cells = policy->cell_count, count = policy->unit_count * cells;

	below->sum = conf_alloc(build->conf, (count + 1) * sizeof(*below->sum));
	below->any = conf_alloc(build->conf, count + 1);
	if (!below->sum || !below->any)
		return false;
	memset(below->sum, 0, count * sizeof(*below->sum));
	memset(below->any, 0, count);
	for (uint32_t u = 0; u < policy->unit_count; u++)
		for (uint32_t a = u; a != GOV_NONE; a = policy->unit[a].parent)
			for (size_t c = 0; c < cells; c++) {
				const struct gov_quota *quota =
					&policy->unit[u].quota[c];
				gov_amount_t *sum = &below->sum[a * cells + c];

				*sum = gov_amount_add(*sum, quota->nominal);
				below->any[a * cells + c] |= quota->set;
			}
	return true;
}

/* ---- what cannot be ---- */

static bool is_limit(const struct conf_word *word)
{
	return !word->bad &&
	       (word->id == KEY_BORROW_LIMIT || word->id == KEY_LEND_LIMIT);
}

static bool counts(const struct gov_policy *policy, uint32_t pool,
		   const char *name)
{
	for (uint32_t c = 0; c < policy->cell_count; c++)
		if ((pool == GOV_NONE || policy->cell[c].pool == pool) &&
		    conf_tres_means(name, cell_name(policy, c)))
			return true;
	return false;
}

/* Each TRES of a limit must be counted somewhere, a quota's in its pool. */
static void check_names(struct conf_build *build,
			const struct conf_record *record,
			const struct conf_word *word)
{
	const struct conf_word *pool_word = record->kind == CONF_QUOTA ?
						    conf_find_word(build->conf,
								   record,
								   KEY_POOL) :
						    NULL;
	uint32_t pool = pool_word ? gov_policy_find_pool(build->policy,
							 pool_word->value) :
				    GOV_NONE;
	struct conf_limit limit;
	struct conf_item item;

	conf_item_begin(&item, word->value);
	while (conf_item_next(&item)) {
		conf_read_limit(item.text, &limit);
		if (limit.form == CONF_LIMIT_TRES &&
		    !counts(build->policy, pool, limit.tres.name))
			conf_unknown_tres(build, word, item.offset,
					  limit.tres.name, pool);
	}
}

/* 4 of GPUs is 4 of MiB as well: hardly what is meant. */
static void warn_of_bare_amount(struct conf_build *build,
				const struct conf_record *record,
				const struct conf_word *word)
{
	const struct conf_word *tres = record->kind == CONF_QUOTA ?
					       conf_find_word(build->conf,
							      record,
							      KEY_QUOTA_TRES) :
					       NULL;
	bool several = tres ? strchr(tres->value, ',') != NULL :
			      build->policy->tres_count > 1;
	struct conf_limit limit;
	struct conf_item item;

	conf_item_begin(&item, word->value);
	while (several && conf_item_next(&item)) {
		conf_read_limit(item.text, &limit);
		if (limit.form == CONF_LIMIT_AMOUNT && strcmp(item.text, "0"))
			conf_warning(
				build->conf, conf_value_at(word, item.offset),
				"%s=%.80s counts for every TRES of the record, memory included; write gres/gpu=%.80s if it is meant for GPUs",
				conf_keys[word->id].name, item.text, item.text);
	}
}

void conf_build_limits(struct conf_build *build)
{
	struct conf *conf = build->conf;
	struct below below;

	if (!sum_below(build, &below))
		return;
	for (size_t i = 0; i < conf->records && !conf->no_memory; i++) {
		const struct conf_record *record = &conf->record[i];

		if (record->kind == CONF_TEAM && record->index != GOV_NONE)
			limit_team(build, record);
		if (record->kind == CONF_UNIT && record->index != GOV_NONE)
			limit_unit(build, record, &below);
		for (uint32_t w = 0; record->active && w < record->count; w++) {
			if (!is_limit(&record->word[w]))
				continue;
			check_names(build, record, &record->word[w]);
			warn_of_bare_amount(build, record, &record->word[w]);
		}
	}
}
