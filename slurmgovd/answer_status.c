/* SPDX-License-Identifier: GPL-2.0-or-later */
/* status: units and pools by cells.  loans: who lends what to whom. */
#include "slurmgovd/answer_private.h"

#include <stdlib.h>

#include "slurmgovd/ledger.h"

/* ---- units ---- */

/* A team by its quota or for lack of one, a unit only by one of its own. */
static bool is_limited(const struct gov_policy *policy, uint32_t unit,
		       uint32_t cell)
{
	const struct gov_quota *quota = &policy->unit[unit].quota[cell];

	return policy->unit[unit].is_team ? quota->counted : quota->set;
}

static void put_unit_cell(struct gov_answering *a, struct json_object *cells,
			  uint32_t unit, uint32_t cell, gov_amount_t lent)
{
	const struct gov_quota *quota = &a->policy->unit[unit].quota[cell];
	struct json_object *object = gov_put_object(a, cells, NULL);
	struct gov_cell_view view;
	bool counted = quota->counted;

	gov_engine_view_sums(a->engine, unit, cell, &view);
	gov_put_cell(a, object, cell);
	gov_put_bool(a, object, "counted", counted);
	gov_put_amount(a, object, "quota",
		       is_limited(a->policy, unit, cell) ? view.nominal :
							   GOV_UNSET);
	gov_put_amount(a, object, "subtree",
		       counted ? view.subtree : GOV_UNSET);
	gov_put_amount(a, object, "used", view.usage);
	gov_put_amount(a, object, "own", view.own);
	gov_put_amount(a, object, "borrowed", view.borrowed);
	gov_put_amount(a, object, "lent", lent);
	gov_put_amount(a, object, "free", view.free);
	gov_put_amount(a, object, "waiting", view.waiting);
	gov_put_amount(a, object, "leaving", view.leaving);
	gov_put_amount(a, object, "borrow_limit",
		       counted ? quota->borrow : GOV_UNSET);
	gov_put_amount(a, object, "lend_limit",
		       counted ? quota->lend : GOV_UNSET);
}

static void put_weight(struct gov_answering *a, struct json_object *object,
		       const struct gov_weight *weight)
{
	struct json_object *w = gov_put_object(a, object, "weight");

	gov_put_number(a, w, "numerator", weight->numerator);
	gov_put_number(a, w, "denominator", weight->denominator);
}

/* lent: what this unit lends, per cell. */
static void put_unit(struct gov_answering *a, struct json_object *units,
		     uint32_t index, uint32_t pool, const gov_amount_t *lent)
{
	const struct gov_unit *unit = &a->policy->unit[index];
	struct json_object *object = gov_put_object(a, units, NULL);
	struct json_object *cells;

	gov_put_text(a, object, "name", unit->name);
	gov_put_text(a, object, "kind", unit->is_team ? "team" : "unit");
	gov_put_unit_name(a, object, "parent", unit->parent);
	gov_put_number(a, object, "depth", unit->depth);
	gov_put_text(a, object, "account", unit->account);
	put_weight(a, object, &unit->weight);
	cells = gov_put_array(a, object, "cells");
	for (uint32_t i = 0; i < a->policy->cell_count; i++)
		if (pool == GOV_NONE || a->policy->cell[i].pool == pool)
			put_unit_cell(a, cells, index, i, lent[i]);
}

/*
 * The order of a printed tree: each unit, then all below it.  Returns the
 * count in order[], which has room for all units.
 */
static size_t tree_order(const struct gov_policy *policy, uint32_t *order)
{
	size_t count = 0;

	for (uint32_t i = 0; i < policy->unit_count; i++) {
		uint32_t unit = policy->unit_order[i];
		uint32_t parent = policy->unit[unit].parent;
		size_t at = 0;

		/* Behind everything that is below its parent so far. */
		if (parent == GOV_NONE)
			at = count;
		while (at < count && order[at] != parent)
			at++;
		if (at < count)
			at++;
		while (at < count && policy->unit[order[at]].depth >=
					     policy->unit[unit].depth)
			at++;
		for (size_t j = count++; j > at; j--)
			order[j] = order[j - 1];
		order[at] = unit;
	}
	return count;
}

/* ---- pools ---- */

/* Is any team limited in the cell?  Otherwise only nodes limit anybody. */
static bool is_governed(const struct gov_policy *policy, uint32_t cell)
{
	for (uint32_t i = 0; i < policy->unit_count; i++)
		if (is_limited(policy, i, cell))
			return true;
	return false;
}

static gov_amount_t borrowed_in(const struct gov_answering *a, uint32_t cell)
{
	gov_amount_t sum = 0;

	for (uint32_t i = 0; i < a->policy->unit_count; i++) {
		struct gov_cell_view view;

		if (!a->policy->unit[i].is_team)
			continue;
		gov_engine_view_sums(a->engine, i, cell, &view);
		sum = gov_amount_add(sum, view.borrowed);
	}
	return sum;
}

static void put_pool_cell(struct gov_answering *a, struct json_object *cells,
			  uint32_t cell)
{
	struct json_object *object = gov_put_object(a, cells, NULL);
	bool governed = is_governed(a->policy, cell);
	struct gov_cell_view view;

	gov_engine_view_sums(a->engine, GOV_NONE, cell, &view);
	if (!governed)
		view.free = gov_amount_sub(view.capacity,
					   gov_amount_add(view.usage,
							  view.leaving));
	gov_put_text(a, object, "tres",
		     a->policy->tres[a->policy->cell[cell].tres].name);
	gov_put_amount(a, object, "capacity", view.capacity);
	gov_put_amount(a, object, "installed", view.installed);
	gov_put_bool(a, object, "governed", governed);
	gov_put_amount(a, object, "quotas",
		       governed ? view.subtree : GOV_UNSET);
	gov_put_amount(a, object, "unallocated",
		       governed ? gov_amount_sub(view.capacity, view.subtree) :
				  GOV_UNSET);
	gov_put_amount(a, object, "used", view.usage);
	gov_put_amount(a, object, "borrowed", borrowed_in(a, cell));
	gov_put_amount(a, object, "free", view.free);
	gov_put_amount(a, object, "waiting", view.waiting);
	gov_put_amount(a, object, "leaving", view.leaving);
}

static void put_pool(struct gov_answering *a, struct json_object *pools,
		     uint32_t pool)
{
	struct json_object *object = gov_put_object(a, pools, NULL), *cells;

	gov_put_text(a, object, "name", a->policy->pool[pool].name);
	gov_put_number(a, object, "nodes", a->policy->pool[pool].node_count);
	cells = gov_put_array(a, object, "cells");
	for (uint32_t i = 0; i < a->policy->cell_count; i++)
		if (a->policy->cell[i].pool == pool)
			put_pool_cell(a, cells, i);
}

static void put_units(struct gov_answering *a, uint32_t wanted, uint32_t pool)
{
	const struct gov_policy *policy = a->policy;
	struct json_object *list = gov_put_array(a, a->root, "units");
	uint32_t *order = calloc(policy->unit_count + 1, sizeof(*order));
	gov_amount_t *lent = gov_engine_lent(a->engine);
	size_t count = order ? tree_order(policy, order) : 0;

	if (!order || !lent)
		a->failed = true;
	for (size_t i = 0; lent && i < count; i++)
		if (wanted == GOV_NONE || wanted == order[i])
			put_unit(a, list, order[i], pool,
				 lent + (size_t) order[i] * policy->cell_count);
	free(lent);
	free(order);
}

static void put_ledger(struct gov_answering *a)
{
	const struct gov_ledger_state *ledger = a->context->ledger;
	struct json_object *object;

	if (!ledger)
		return;
	object = gov_put_object(a, a->root, "ledger");
	gov_put_text(a, object, "directory", ledger->directory);
	gov_put_number(a, object, "durable", (int64_t) ledger->durable);
	gov_put_number(a, object, "waiting", (int64_t) ledger->waiting);
	gov_put_number(a, object, "lost", (int64_t) ledger->lost);
	gov_put_text(a, object, "alarm", ledger->alarm);
	gov_put_number(a, object, "alarm_since", ledger->alarm_since);
}

void gov_answer_status(struct gov_answering *a)
{
	struct json_object *list;
	uint32_t unit, pool;

	if (gov_asked_unit(a, "team", &unit) < 0 ||
	    gov_asked_pool(a, "pool", &pool) < 0)
		return;
	list = gov_put_array(a, a->root, "pools");
	for (uint32_t i = 0; i < a->policy->pool_count; i++)
		if (pool == GOV_NONE || pool == i)
			put_pool(a, list, i);
	put_units(a, unit, pool);
	gov_put_loans(a, a->root, unit, pool, NULL);
	put_ledger(a);
}

/* ---- loans ---- */

static bool in_request(const struct gov_request *request, uint32_t cell)
{
	if (!request)
		return true;
	for (uint32_t i = 0; i < request->count; i++)
		if (request->item[i].cell == cell)
			return true;
	return false;
}

void gov_put_loans(struct gov_answering *a, struct json_object *parent,
		   uint32_t unit, uint32_t pool,
		   const struct gov_request *request)
{
	struct json_object *list = gov_put_array(a, parent, "loans");
	struct gov_loan *loan = NULL;
	long count = gov_engine_loans(a->engine, &loan);

	if (count < 0)
		a->failed = true;
	for (long i = 0; i < count; i++) {
		struct json_object *object;

		if ((unit != GOV_NONE && loan[i].lender != unit &&
		     loan[i].borrower != unit) ||
		    (pool != GOV_NONE &&
		     a->policy->cell[loan[i].cell].pool != pool) ||
		    !in_request(request, loan[i].cell))
			continue;
		object = gov_put_object(a, list, NULL);
		gov_put_unit_name(a, object, "lender", loan[i].lender);
		gov_put_unit_name(a, object, "borrower", loan[i].borrower);
		gov_put_cell(a, object, loan[i].cell);
		gov_put_amount(a, object, "amount", loan[i].amount);
	}
	free(loan);
}

void gov_answer_loans(struct gov_answering *a)
{
	uint32_t unit, pool;

	if (gov_asked_unit(a, "team", &unit) < 0 ||
	    gov_asked_pool(a, "pool", &pool) < 0)
		return;
	gov_put_loans(a, a->root, unit, pool, NULL);
}
