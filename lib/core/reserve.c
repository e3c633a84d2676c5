/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a blocked owner is owed (semantics, section 4).  The head of a team's
 * queue that would end inside its quota but cannot be given it yet, or that
 * cannot be sure to take it back later, keeps what is left of that quota out
 * of others' reach, so that a stream of small jobs never starves it.
 *
 * At most what is free is kept, in the order in which the heads were served:
 * two blocked heads never block each other.
 *
 * It is kept from those who would borrow.  Whoever stays inside what it owns
 * is owed that as well, and there is enough for all who do: once the
 * borrowers are gone, the head gets its own.  Only where quotas promise more
 * than there is (nodes down, oversold pools) it is kept from everybody, and
 * the order in which the heads are served decides.
 */
#include <stdlib.h>

#include "core/engine_private.h"

/* Is what is kept there kept from a job of this kind? */
static bool binds(const struct gov_engine *engine,
		  const struct gov_reserve *reserve,
		  const struct gov_kind *kind)
{
	const struct gov_tree *tree = engine->books.tree;
	uint32_t meet;

	if (reserve->team == kind->team)
		return false;
	if (gov_tree_is_oversold(tree, reserve->cell))
		return true;
	/* Not below where they meet: nobody there owns what it asks. */
	meet = gov_tree_common(tree, reserve->team, kind->team);
	return gov_tree_level(tree, kind->team, reserve->cell,
			      gov_kind_amount(kind, reserve->cell),
			      NULL) >= tree->height[meet];
}

/* Put what is kept from this kind (NULL: from anybody) into the tree. */
static void apply(struct gov_engine *engine, const struct gov_kind *kind)
{
	/* All judged before the first one changes the tree. */
	for (size_t i = 0; i < engine->reserve_count; i++)
		engine->reserve[i].applied = !kind ||
					     binds(engine, &engine->reserve[i],
						   kind);
	for (size_t i = 0; i < engine->reserve_count; i++) {
		const struct gov_reserve *r = &engine->reserve[i];

		if (r->applied)
			gov_tree_reserve(engine->books.tree, r->team, r->cell,
					 r->amount);
	}
}

static void take_out(struct gov_engine *engine)
{
	for (size_t i = 0; i < engine->reserve_count; i++) {
		const struct gov_reserve *r = &engine->reserve[i];

		if (r->applied)
			gov_tree_unreserve(engine->books.tree, r->team, r->cell,
					   r->amount);
	}
}

bool gov_engine_fits(struct gov_engine *engine, const struct gov_kind *kind,
		     enum gov_when when)
{
	bool fits;

	if (!gov_books_fit(&engine->books, kind, when))
		return false;
	if (!engine->reserve_count)
		return true;
	apply(engine, kind);
	fits = gov_books_fit(&engine->books, kind, when);
	take_out(engine);
	return fits;
}

static int add(struct gov_engine *engine, struct gov_reserve reserve)
{
	if (engine->reserve_count == engine->reserve_space) {
		size_t space = engine->reserve_space ?
				       2 * engine->reserve_space :
				       16;
		struct gov_reserve *grown;

		grown = reallocarray(engine->reserve, space, sizeof(*grown));
		if (!grown)
			return -1;
		engine->reserve = grown;
		engine->reserve_space = space;
	}
	engine->reserve[engine->reserve_count++] = reserve;
	engine->hunger.kept = true;
	return 0;
}

/* Can the team have its own quota back whenever it asks? */
static bool always_reclaims(const struct gov_engine *engine,
			    const struct gov_kind *kind)
{
	struct gov_terms terms;

	gov_policy_terms(engine->policy, kind->team, kind->class, &terms);
	return terms.min_loan <= 0 &&
	       engine->policy->unit[kind->team].reclaim == GOV_PREEMPT_ANY;
}

/* What of item i is to be kept for it. */
static gov_amount_t owed(const struct gov_engine *engine,
			 const struct gov_kind *kind, uint32_t i)
{
	const struct gov_tree *tree = engine->books.tree;
	uint32_t cell = kind->item[i].cell;
	const struct gov_node *node = gov_tree_at(tree, kind->team, cell);

	if (!node->counted)
		return 0;
	return gov_amount_min(kind->item[i].amount,
			      gov_amount_sub(node->subtree, node->usage));
}

/* The cheap questions first: most are owed nothing. */
bool gov_engine_is_owed(const struct gov_engine *engine,
			const struct gov_kind *kind)
{
	bool any = false;

	if (kind->provisional ||
	    kind != gov_store_first_kind(&engine->books.store, kind->team))
		return false;
	/* It only has to wait until others are gone. */
	if (gov_books_fit(&engine->books, kind, GOV_LATER))
		return !gov_books_never(&engine->books, kind, NULL);
	if (gov_books_borrowed_items(&engine->books, kind) &&
	    always_reclaims(engine, kind))
		return false;
	for (uint32_t i = 0; i < kind->count && !any; i++)
		any = owed(engine, kind, i);
	return any && !gov_books_never(&engine->books, kind, NULL);
}

int gov_engine_reserve(struct gov_engine *engine, const struct gov_kind *kind)
{
	struct gov_tree *tree = engine->books.tree;
	size_t first = engine->reserve_count;
	bool fits_later;
	int rc = 0;

	if (!gov_engine_is_owed(engine, kind))
		return 0;
	fits_later = gov_books_fit(&engine->books, kind, GOV_LATER);
	apply(engine, NULL);
	for (uint32_t i = 0; i < kind->count; i++) {
		struct gov_reserve reserve = {
			.team = kind->team,
			.cell = kind->item[i].cell,
			.applied = true,
			.amount = fits_later ? kind->item[i].amount :
					       owed(engine, kind, i),
		};

		reserve.amount = gov_amount_min(
			reserve.amount,
			gov_tree_available(tree, kind->team, reserve.cell));
		if (!reserve.amount ||
		    !gov_tree_at(tree, kind->team, reserve.cell)->counted)
			continue;
		if ((rc = add(engine, reserve)))
			break;
		gov_tree_reserve(tree, kind->team, reserve.cell,
				 reserve.amount);
	}
	take_out(engine);
	return engine->reserve_count == first ? rc : 0;
}

void gov_engine_drop_reserves(struct gov_engine *engine)
{
	for (size_t i = 0; i < engine->reserve_count; i++) {
		const struct gov_reserve *r = &engine->reserve[i];

		gov_hunger_wake(engine, r->team);
		engine->hunger.freed[r->cell] = true;
		engine->hunger.any_freed = engine->hunger.kept = true;
	}
	engine->reserve_count = 0;
}

void gov_engine_unreserve(struct gov_engine *engine, uint32_t team)
{
	size_t kept = 0;

	for (size_t i = 0; i < engine->reserve_count; i++)
		if (engine->reserve[i].team != team)
			engine->reserve[kept++] = engine->reserve[i];
	engine->hunger.kept |= kept < engine->reserve_count;
	engine->reserve_count = kept;
}
