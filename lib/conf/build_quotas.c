/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What units and teams are guaranteed. */
#include "conf/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MIG_SLICES 7 /* of a GPU */

struct quota {
	struct conf_build *build;
	const struct conf_record *record;
	const struct conf_word *tres;
	uint32_t unit;
	uint32_t pool;
};

static struct gov_quota *quota_row(struct conf_build *build, uint32_t unit)
{
	return build->policy->unit[unit].quota;
}

static const char *cell_name(const struct gov_policy *policy, uint32_t cell)
{
	return policy->tres[policy->cell[cell].tres].name;
}

/*
 * The cell of the pool that a TRES means: that of its name, else the only one
 * of its types.  GOV_NONE, reported, if there is none or more than one.
 */
static uint32_t find_cell(struct quota *q, const char *name, size_t offset)
{
	const struct gov_policy *policy = q->build->policy;
	uint32_t first = GOV_NONE, second = GOV_NONE;

	for (uint32_t c = q->build->pool_cell[q->pool];
	     c < q->build->pool_cell[q->pool + 1]; c++) {
		int means = conf_tres_means(name, cell_name(policy, c));

		if (means == 2)
			return c;
		if (means && first == GOV_NONE)
			first = c;
		else if (means)
			second = c;
	}
	if (second != GOV_NONE) {
		conf_error(
			q->build->conf, conf_value_at(q->tres, offset),
			GOV_E_REFERENCE,
			"TRES: the pool %s counts more than one type of %.100s; write %s or %s",
			policy->pool[q->pool].name, name,
			cell_name(policy, first), cell_name(policy, second));
		return GOV_NONE;
	}
	if (first == GOV_NONE)
		conf_unknown_tres(q->build, q->tres, offset, name, q->pool);
	return first;
}

static void set_nominal(struct quota *q, uint32_t cell, gov_amount_t amount,
			size_t offset)
{
	struct conf_build *build = q->build;
	struct gov_quota *row = quota_row(build, q->unit);
	size_t at = (size_t) q->unit * build->policy->cell_count + cell;
	const struct conf_record *before = build->quota_of[at];

	if (before) {
		conf_error(
			build->conf, conf_value_at(q->tres, offset),
			GOV_E_DUPLICATE,
			"TRES: %s of %s in the pool %s was given before, at line %u of %s",
			cell_name(build->policy, cell),
			build->policy->unit[q->unit].name,
			build->policy->pool[q->pool].name, before->at.line,
			build->conf->source[before->at.source].path);
		return;
	}
	build->quota_of[at] = q->record;
	row[cell].set = true;
	row[cell].nominal = amount;
}

static void set_nominals(struct quota *q)
{
	struct conf_item item;
	struct conf_tres tres;
	gov_amount_t amount;
	uint32_t cell;

	conf_item_begin(&item, q->tres->value);
	while (conf_item_next(&item)) {
		conf_read_tres(item.text, &tres);
		conf_read_amount(tres.name, tres.amount_text, &amount);
		cell = find_cell(q, tres.name, item.offset);
		if (cell != GOV_NONE)
			set_nominal(q, cell, amount, item.offset);
	}
}

/* ---- FillRatio: what is not named follows the shape of a node ---- */

/* Which TRES gives the ratio: whole nodes, else GPUs, else cpu, else mem. */
static int rank(const char *name)
{
	if (!strcasecmp(name, "node"))
		return 4;
	if (!strncasecmp(name, "gres/", 5))
		return 3;
	if (!strcasecmp(name, "cpu"))
		return 2;
	return strcasecmp(name, "mem") ? 0 : 1;
}

/*
 * What one node has of a cell's TRES, 0 if NodeTRES does not say.  *exact:
 * it names this very TRES.
 */
static gov_amount_t per_node(const struct conf_word *node_tres,
			     const char *cell, bool *exact)
{
	struct conf_item item;
	struct conf_tres tres;
	gov_amount_t amount, found = 0;
	int best = 0;

	*exact = true;
	if (!strcasecmp(cell, "node"))
		return 1;
	conf_item_begin(&item, node_tres->value);
	while (conf_item_next(&item)) {
		int means;

		conf_read_tres(item.text, &tres);
		conf_read_amount(tres.name, tres.amount_text, &amount);
		means = conf_tres_means(tres.name, cell);
		if (!means) /* gres/gpu:h100=8 also tells of gres/gpu */
			means = conf_tres_means(cell, tres.name);
		if (means > best) {
			best = means;
			found = amount;
		}
	}
	*exact = best == 2;
	return found;
}

/* Slices of a MIG profile such as gres/gpu:3g.40gb: 3; 0: it is none. */
static gov_amount_t mig_slices(const char *cell)
{
	unsigned slices, memory;
	int end = 0;

	if (sscanf(cell, "gres/gpu:%1ug.%5ugb%n", &slices, &memory, &end) !=
		    2 ||
	    !end || cell[end])
		return 0;
	return slices <= MIG_SLICES ? slices : 0;
}

/* The cell that this record names and that gives the ratio, or GOV_NONE. */
static uint32_t base_cell(struct quota *q, const struct conf_word *node_tres)
{
	const struct gov_policy *policy = q->build->policy;
	uint32_t base = GOV_NONE;
	bool exact;
	int best = 0;

	for (uint32_t c = q->build->pool_cell[q->pool];
	     c < q->build->pool_cell[q->pool + 1]; c++) {
		size_t at = (size_t) q->unit * policy->cell_count + c;
		int r = rank(cell_name(policy, c));

		if (q->build->quota_of[at] == q->record && r > best &&
		    per_node(node_tres, cell_name(policy, c), &exact)) {
			best = r;
			base = c;
		}
	}
	return base;
}

/*
 * The quota of the base in nodes is amount / whole.  Where NodeTRES counts
 * whole GPUs and the quota their MIG slices, a GPU is seven slices.
 */
static void base_ratio(struct quota *q, const struct conf_word *node_tres,
		       uint32_t base, gov_amount_t *amount, gov_amount_t *whole)
{
	const struct gov_policy *policy = q->build->policy;
	const char *name = cell_name(policy, base);
	gov_amount_t slices = mig_slices(name);
	bool exact;

	*amount = quota_row(q->build, q->unit)[base].nominal;
	*whole = per_node(node_tres, name, &exact);
	if (slices && !exact) {
		*amount = gov_amount_scale(*amount, slices, 1);
		*whole = gov_amount_scale(*whole, MIG_SLICES, 1);
	}
}

static void fill_from(struct quota *q, const struct conf_word *node_tres,
		      uint32_t base)
{
	const struct gov_policy *policy = q->build->policy;
	struct gov_quota *row = quota_row(q->build, q->unit);
	int from = rank(cell_name(policy, base));
	gov_amount_t amount, whole;
	bool exact;

	base_ratio(q, node_tres, base, &amount, &whole);
	for (uint32_t c = q->build->pool_cell[q->pool];
	     c < q->build->pool_cell[q->pool + 1]; c++) {
		size_t at = (size_t) q->unit * policy->cell_count + c;
		const char *name = cell_name(policy, c);
		gov_amount_t one = per_node(node_tres, name, &exact);

		if (q->build->quota_of[at] || !one || !rank(name))
			continue;
		row[c].set = true;
		/* From GPUs, processors or memory no other GPUs follow. */
		row[c].nominal = rank(name) == 3 && from <= 3 ?
					 0 :
					 gov_amount_scale(amount, one, whole);
		q->build->quota_of[at] = q->record;
	}
}

static void fill_ratio(struct quota *q)
{
	struct conf *conf = q->build->conf;
	const struct conf_word *word = conf_find_word(conf, q->record,
						      KEY_FILL_RATIO);
	const char *pool_name = q->build->policy->pool[q->pool].name;
	const struct conf_record *pool = conf_find_record(conf, CONF_POOL,
							  pool_name);
	const struct conf_word *node_tres =
		pool ? conf_find_word(conf, pool, KEY_NODE_TRES) : NULL;
	bool fill = false;
	uint32_t base;

	if (!conf_get_yes_no(word, &fill) || !fill)
		return;
	if (!node_tres) {
		conf_error(
			conf, conf_key_at(word), GOV_E_REFERENCE,
			"FillRatio=yes needs NodeTRES= in the pool %s, what one node has",
			pool_name);
		return;
	}
	base = base_cell(q, node_tres);
	if (base != GOV_NONE)
		fill_from(q, node_tres, base);
	else
		conf_error(
			conf, conf_value_at(q->tres, 0), GOV_E_REFERENCE,
			"FillRatio=yes: NodeTRES= of the pool %s names none of these",
			pool_name);
}

/* ---- records ---- */

/* The unit or team of a quota; GOV_NONE, reported, if that is not clear. */
static uint32_t find_unit(struct conf *conf, const struct conf_record *record)
{
	const struct conf_word *team = conf_own_word(record, KEY_TEAM);
	const struct conf_word *unit = conf_own_word(record, KEY_UNIT);
	const struct conf_record *target;

	if (team && unit) {
		conf_error(
			conf, conf_key_at(unit), GOV_E_SYNTAX,
			"a quota belongs to a team or to a unit, not to both");
		return GOV_NONE;
	}
	if (!team && !unit)
		conf_error(conf, record->at, GOV_E_SYNTAX,
			   "this quota needs Team= or Unit=, whose it is");
	if (!team)
		team = unit;
	if (!team || team->bad)
		return GOV_NONE;
	target = conf_find_record(conf, CONF_UNIT, team->value);
	return target ? target->index : GOV_NONE;
}

static uint32_t find_pool(struct conf *conf, const struct conf_record *record)
{
	const struct conf_word *word = conf_find_word(conf, record, KEY_POOL);
	const struct conf_record *target =
		word ? conf_find_record(conf, CONF_POOL, word->value) : NULL;

	if (!word && !conf_own_word(record, KEY_POOL))
		conf_error(conf, record->at, GOV_E_SYNTAX,
			   "this quota needs Pool=, where it counts");
	return target ? target->index : GOV_NONE;
}

static void build_quota(struct conf_build *build,
			const struct conf_record *record)
{
	struct conf *conf = build->conf;
	struct quota q = {
		.build = build,
		.record = record,
		.tres = conf_find_word(conf, record, KEY_QUOTA_TRES),
		.unit = find_unit(conf, record),
		.pool = find_pool(conf, record),
	};
	int enabled = 1;

	if (!q.tres && !conf_own_word(record, KEY_QUOTA_TRES))
		conf_error(
			conf, record->at, GOV_E_SYNTAX,
			"this quota needs TRES=, what is guaranteed, such as gres/gpu=16,cpu=256,mem=2T");
	conf_get_choice(conf_find_word(conf, record, KEY_ACTIVATION_STATE),
			&enabled);
	if (!q.tres || q.unit == GOV_NONE || q.pool == GOV_NONE || !enabled)
		return;
	set_nominals(&q);
	fill_ratio(&q);
}

/* ---- sums ---- */

/* All quotas of a cell must add up to an amount. */
static void check_sums(struct conf_build *build)
{
	const struct gov_policy *policy = build->policy;

	for (uint32_t c = 0; c < policy->cell_count; c++) {
		gov_amount_t sum = 0;

		for (uint32_t u = 0; u < policy->unit_count; u++) {
			gov_amount_t nominal = policy->unit[u].quota[c].nominal;
			size_t at = (size_t) u * policy->cell_count + c;

			if (nominal == GOV_UNLIMITED)
				break;
			sum = gov_amount_add(sum, nominal);
			if (sum != GOV_UNLIMITED)
				continue;
			conf_error(
				build->conf,
				build->quota_of[at] ?
					build->quota_of[at]->at :
					(struct conf_place){ 0, 1, 1 },
				GOV_E_OVERFLOW,
				"with this quota, those of %s in the pool %s add up to more than 64 bits hold",
				cell_name(policy, c),
				policy->pool[policy->cell[c].pool].name);
			break;
		}
	}
}

void conf_build_quotas(struct conf_build *build)
{
	struct conf *conf = build->conf;
	size_t count = (size_t) build->policy->unit_count *
		       build->policy->cell_count;

	build->quota_of = conf_alloc(conf,
				     (count + 1) * sizeof(*build->quota_of));
	if (!build->quota_of)
		return;
	memset(build->quota_of, 0, (count + 1) * sizeof(*build->quota_of));
	for (size_t i = 0; i < conf->records && !conf->no_memory; i++) {
		const struct conf_record *record = &conf->record[i];

		if (record->kind == CONF_QUOTA && record->active &&
		    !record->is_default)
			build_quota(build, record);
	}
	check_sums(build);
}
