/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a blocked owner is owed (semantics, section 4): the head of a team's
 * queue that would end inside its quota, but cannot be given it yet, keeps
 * what is left of it out of the reach of borrowers, so that a stream of small
 * jobs never starves it.
 */
#include <stdlib.h>

#include "core/engine_private.h"

static void apply(struct gov_engine *engine, uint32_t but, bool on)
{
	struct gov_tree *tree = engine->books.tree;

	for (size_t i = 0; i < engine->reserve_count; i++) {
		const struct gov_reserve *r = &engine->reserve[i];

		if (r->team == but)
			continue;
		if (on)
			gov_tree_reserve(tree, r->team, r->cell, r->amount);
		else
			gov_tree_unreserve(tree, r->team, r->cell, r->amount);
	}
}

bool gov_engine_fits(struct gov_engine *engine, const struct gov_kind *kind)
{
	bool fits;

	if (!gov_books_fit(&engine->books, kind, GOV_NOW))
		return false;
	/* Its own quota nobody else has a claim on. */
	if (!engine->reserve_count ||
	    !gov_books_borrowed_items(&engine->books, kind))
		return true;
	apply(engine, kind->team, true);
	fits = gov_books_fit(&engine->books, kind, GOV_NOW);
	apply(engine, kind->team, false);
	return fits;
}

static int add(struct gov_engine *engine, struct gov_reserve reserve)
{
	if (engine->reserve_count == engine->reserve_space) {
		size_t space = engine->reserve_space ?
			2 * engine->reserve_space : 16;
		struct gov_reserve *grown;

		grown = reallocarray(engine->reserve, space, sizeof(*grown));
		if (!grown)
			return -1;
		engine->reserve = grown;
		engine->reserve_space = space;
	}
	engine->reserve[engine->reserve_count++] = reserve;
	return 0;
}

int gov_engine_reserve(struct gov_engine *engine, uint32_t team)
{
	const struct gov_kind *kind =
		gov_store_first_kind(&engine->books.store, team);

	bool borrows, reclaims =
		engine->policy->unit[team].reclaim == GOV_PREEMPT_ANY;

	if (!kind || kind->provisional)
		return 0;
	/* Who can take its own back at any time may lend it meanwhile. */
	borrows = gov_books_borrowed_items(&engine->books, kind) != 0;
	if (borrows && reclaims)
		return 0;
	for (uint32_t i = 0; i < kind->count; i++) {
		struct gov_reserve reserve = { team, kind->item[i].cell,
					       kind->item[i].amount };

		const struct gov_node *node = gov_tree_at(engine->books.tree,
							  team, reserve.cell);

		/* Beyond its own quota it is owed nothing. */
		if (borrows)
			reserve.amount = gov_amount_min(
				reserve.amount,
				gov_amount_sub(node->nominal, node->usage));
		if (node->counted && reserve.amount && add(engine, reserve))
			return -1;
	}
	return 0;
}

void gov_engine_drop_reserves(struct gov_engine *engine)
{
	engine->reserve_count = 0;
}
