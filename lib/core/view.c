/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be seen of an engine: units in cells, loans, the self-check. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine_private.h"
#include "core/loans.h"

/* Is `unit` the same as, or below, `top` (a unit, or GOV_NONE: the root)? */
static bool below(const struct gov_engine *engine, uint32_t top, uint32_t unit)
{
	if (top == GOV_NONE)
		return true;
	return unit != GOV_NONE &&
	       gov_tree_above(engine->books.tree, top, unit);
}

static gov_amount_t lent_by(const struct gov_engine *engine, uint32_t unit,
			    uint32_t cell)
{
	struct gov_loan_list list = { 0 };
	gov_amount_t lent = 0;

	if (unit == GOV_NONE)
		return 0;
	/* Out of memory it is 0, as if nothing were lent. */
	if (!gov_loans_attribute(engine->books.tree, cell, &list))
		for (size_t i = 0; i < list.count; i++)
			if (list.item[i].lender != GOV_NONE &&
			    below(engine, unit, list.item[i].lender) &&
			    !below(engine, unit, list.item[i].borrower))
				lent += list.item[i].amount;
	free(list.item);
	return lent;
}

/* Sums over the teams at and below the unit. */
static void sum_teams(const struct gov_engine *engine, uint32_t unit,
		      uint32_t cell, struct gov_cell_view *view)
{
	const struct gov_policy *policy = engine->policy;

	for (uint32_t u = 0; u < policy->unit_count; u++) {
		size_t at = (size_t) u * policy->cell_count + cell;

		if (!policy->unit[u].is_team || !below(engine, unit, u))
			continue;
		view->usage += gov_tree_at(engine->books.tree, u, cell)->usage;
		view->leaving += engine->leaving[at];
		view->waiting = gov_amount_add(view->waiting,
					       engine->waiting[at]);
	}
}

void gov_engine_view_sums(const struct gov_engine *engine, uint32_t unit,
			  uint32_t cell, struct gov_cell_view *view)
{
	const struct gov_tree *tree = engine->books.tree;
	uint32_t n = unit == GOV_NONE ? gov_tree_root(tree) : unit;
	const struct gov_node *node = gov_tree_at(tree, n, cell);
	gov_amount_t owned = unit == GOV_NONE ? tree->top[cell].quotas :
						node->subtree;

	memset(view, 0, sizeof(*view));
	view->nominal = node->nominal;
	view->subtree = owned;
	if (unit != GOV_NONE && engine->policy->unit[unit].is_team) {
		size_t at = (size_t) unit * engine->policy->cell_count + cell;

		view->usage = node->usage;
		view->leaving = engine->leaving[at];
		view->waiting = engine->waiting[at];
	} else {
		sum_teams(engine, unit, cell, view);
	}
	if (unit == GOV_NONE) {
		view->usage = tree->top[cell].charged;
		view->leaving = tree->top[cell].leaving;
	}
	if (node->counted || unit == GOV_NONE)
		view->borrowed = gov_amount_sub(view->usage, owned);
	view->own = view->usage - view->borrowed;
	view->free = gov_amount_min(gov_tree_available(tree, n, cell),
				    gov_tree_free_now(tree, cell));
	view->capacity = tree->top[cell].capacity;
	view->installed = tree->top[cell].installed;
}

void gov_engine_view(const struct gov_engine *engine, uint32_t unit,
		     uint32_t cell, struct gov_cell_view *view)
{
	gov_engine_view_sums(engine, unit, cell, view);
	view->lent = lent_by(engine, unit, cell);
}

long gov_engine_loans(const struct gov_engine *engine, struct gov_loan **loans)
{
	struct gov_loan_list list = { 0 };

	*loans = NULL;
	for (uint32_t c = 0; c < engine->policy->cell_count; c++)
		if (gov_loans_attribute(engine->books.tree, c, &list)) {
			free(list.item);
			return -1;
		}
	*loans = list.item;
	return (long) list.count;
}

gov_amount_t *gov_engine_lent(const struct gov_engine *engine)
{
	const struct gov_policy *policy = engine->policy;
	gov_amount_t *lent =
		calloc((size_t) policy->unit_count * policy->cell_count + 1,
		       sizeof(*lent));
	struct gov_loan *loan = NULL;
	long count = lent ? gov_engine_loans(engine, &loan) : 0;

	/* It leaves the lender and all above it that the borrower is not
	 * below. */
	for (long i = 0; i < count; i++) {
		uint32_t u = loan[i].lender;

		while (u != GOV_NONE && !below(engine, u, loan[i].borrower)) {
			gov_amount_t *sum =
				&lent[(size_t) u * policy->cell_count +
				      loan[i].cell];

			*sum = gov_amount_add(*sum, loan[i].amount);
			u = policy->unit[u].parent;
		}
	}
	free(loan);
	if (count >= 0)
		return lent;
	free(lent);
	return NULL;
}

/* ---- the self-check ---- */

static int differs(struct gov_error *error, const char *what, uint32_t cell,
		   gov_amount_t kept, gov_amount_t counted)
{
	return gov_error_set(error, GOV_E_INTERNAL,
			     "%s in cell %" PRIu32 " is kept as %" PRIu64
			     ", the jobs add up to %" PRIu64,
			     what, cell, kept, counted);
}

static void charge_again(const struct gov_record *job, struct gov_tree *tree,
			 gov_amount_t *leaving, gov_amount_t *waiting,
			 uint32_t cells)
{
	const struct gov_kind *kind = job->kind;

	for (uint32_t i = 0; i < kind->count; i++) {
		uint32_t cell = kind->item[i].cell;
		size_t at = (size_t) kind->team * cells + cell;

		switch ((enum gov_job_state) job->state) {
		case GOV_JOB_CLAIMING:
			if (job->on_surplus)
				tree->top[cell].awaited += kind->item[i].amount;
			/* fall through */
		case GOV_JOB_ADMITTED:
		case GOV_JOB_RUNNING:
			gov_tree_charge(tree, kind->team, cell,
					kind->item[i].amount);
			break;
		case GOV_JOB_RECLAIMING:
			tree->top[cell].leaving += kind->item[i].amount;
			if (kind->team != GOV_NONE)
				leaving[at] += kind->item[i].amount;
			break;
		case GOV_JOB_WAITING:
			if (kind->team != GOV_NONE)
				waiting[at] += kind->item[i].amount;
			break;
		case GOV_JOB_INELIGIBLE: break;
		}
	}
}

static int compare(const struct gov_engine *engine,
		   const struct gov_tree *again, const gov_amount_t *leaving,
		   const gov_amount_t *waiting, struct gov_error *error)
{
	const struct gov_tree *tree = engine->books.tree;
	uint32_t cells = engine->policy->cell_count;

	for (uint32_t c = 0; c < cells; c++) {
		if (tree->top[c].charged != again->top[c].charged)
			return differs(error, "what is charged", c,
				       tree->top[c].charged,
				       again->top[c].charged);
		if (tree->top[c].awaited != again->top[c].awaited)
			return differs(error, "what is awaited", c,
				       tree->top[c].awaited,
				       again->top[c].awaited);
		if (tree->top[c].leaving != again->top[c].leaving)
			return differs(error, "what is leaving", c,
				       tree->top[c].leaving,
				       again->top[c].leaving);
		for (uint32_t n = 0; n < tree->node_count; n++)
			if (gov_tree_at(tree, n, c)->usage !=
			    gov_tree_at(again, n, c)->usage)
				return differs(error, "usage of a unit", c,
					       gov_tree_at(tree, n, c)->usage,
					       gov_tree_at(again, n, c)->usage);
	}
	for (size_t i = 0; i < (size_t) engine->policy->unit_count * cells;
	     i++) {
		if (engine->leaving[i] != leaving[i])
			return differs(error, "what leaves a team",
				       (uint32_t) (i % cells),
				       engine->leaving[i], leaving[i]);
		if (engine->waiting[i] != waiting[i])
			return differs(error, "what waits in a team",
				       (uint32_t) (i % cells),
				       engine->waiting[i], waiting[i]);
	}
	return 0;
}

int gov_engine_audit(const struct gov_engine *engine, struct gov_error *error)
{
	const struct gov_store *store = &engine->books.store;
	uint32_t cells = engine->policy->cell_count;
	size_t count = (size_t) engine->policy->unit_count * cells + 1;
	struct gov_tree *again = gov_tree_create(engine->policy);
	gov_amount_t *leaving = calloc(count, sizeof(*leaving));
	gov_amount_t *waiting = calloc(count, sizeof(*waiting));
	int rc = -1;

	if (again && leaving && waiting) {
		for (size_t i = 0; i < store->slot_count; i++)
			if (store->slot[i])
				charge_again(store->slot[i], again, leaving,
					     waiting, cells);
		rc = compare(engine, again, leaving, waiting, error);
	} else {
		gov_error_set(error, GOV_E_NOMEM, "out of memory");
	}
	gov_tree_destroy(again);
	free(leaving);
	free(waiting);
	return rc;
}
