/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whom to look at.
 *
 * After a decision nobody who waits can go on.  What happens next concerns
 * few of them, and only these are looked at again.  That is safe because a
 * team that is left out could not go on, nor be owed anything, whatever
 * happened:
 *
 *   - something in it changed (its queue, what it uses, which of its jobs
 *     could give way): it is restless, and looked at;
 *   - one of its jobs may displace others as far as rights go, though nobody
 *     suitable was found, or its head is owed something: it hopes, and is
 *     looked at when what it hopes for has happened (enum gov_hope).  Mostly
 *     that usage has fallen somewhere, or that somebody who borrows uses more
 *     or has other jobs: where all candidates together were not enough, less
 *     room does not make them so;
 *   - else a job of it could go on only because
 *       it fits, now or once those who are leaving have left: then something
 *       of a cell that it wants was given back, and at least what it asks
 *       is there: could_fit();
 *       a unit above it could now host it in what it owns: then usage below
 *       that unit has fallen: could_host();
 *       its side's share is smaller than another's (fair share): then usage
 *       below the unit that both are children of has changed, and its side is
 *       behind others: is_behind_others().
 *
 * For whom nothing has changed but that there is more room, has no more right
 * to displace others than when it was looked at last: none; only whether it
 * fits is looked at.
 *
 * These three are asked of whole units first, with the least that anybody
 * below them asks.
 */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/engine_private.h"

#define ALL_NEWS 0xff

int gov_hunger_init(struct gov_hunger *h, const struct gov_tree *tree)
{
	size_t nodes = tree->node_count, cells = tree->cell_count;

	memset(h, 0, sizeof(*h));
	h->waiting = gov_array_new(nodes, sizeof(*h->waiting));
	h->least = gov_array_new(nodes * cells, sizeof(*h->least));
	h->restless = gov_array_new(nodes, sizeof(*h->restless));
	h->hope = gov_array_new(nodes, sizeof(*h->hope));
	h->stirred = gov_array_new(nodes, sizeof(*h->stirred));
	h->lowered = gov_array_new(nodes, sizeof(*h->lowered));
	h->cell_waiting = gov_array_new(cells, sizeof(*h->cell_waiting));
	h->freed = gov_array_new(cells, sizeof(*h->freed));
	h->share = gov_array_new(nodes, sizeof(*h->share));
	h->share_known = gov_array_new(nodes, sizeof(*h->share_known));
	h->greatest = gov_array_new(nodes, sizeof(*h->greatest));
	h->greatest_known = gov_array_new(nodes, sizeof(*h->greatest_known));
	if (!h->waiting || !h->least || !h->restless || !h->hope ||
	    !h->stirred || !h->lowered || !h->cell_waiting || !h->freed ||
	    !h->share || !h->share_known || !h->greatest ||
	    !h->greatest_known) {
		gov_hunger_free(h);
		return -1;
	}
	for (size_t i = 0; i < nodes * cells; i++)
		h->least[i] = GOV_UNLIMITED;
	return 0;
}

void gov_hunger_free(struct gov_hunger *h)
{
	free(h->waiting);
	free(h->least);
	free(h->restless);
	free(h->hope);
	free(h->stirred);
	free(h->lowered);
	free(h->cell_waiting);
	free(h->freed);
	free(h->share);
	free(h->share_known);
	free(h->greatest);
	free(h->greatest_known);
	memset(h, 0, sizeof(*h));
}

static gov_amount_t *least_at(const struct gov_engine *engine, uint32_t node,
			      uint32_t cell)
{
	return &engine->hunger
			.least[(size_t) node * engine->policy->cell_count +
			       cell];
}

/* ---- what changed ---- */

void gov_hunger_wake(struct gov_engine *engine, uint32_t team)
{
	const struct gov_tree *tree = engine->books.tree;

	engine->hunger.changed = true;
	for (uint32_t n = team; n != GOV_NONE; n = tree->parent[n])
		engine->hunger.restless[n] = true;
}

void gov_hunger_wake_all(struct gov_engine *engine)
{
	engine->hunger.changed = true;
	for (uint32_t n = 0; n < engine->books.tree->node_count; n++)
		engine->hunger.restless[n] = true;
}

void gov_hunger_enqueue(struct gov_engine *engine, const struct gov_kind *kind)
{
	const struct gov_tree *tree = engine->books.tree;

	for (uint32_t n = kind->team; n != GOV_NONE; n = tree->parent[n]) {
		engine->hunger.waiting[n]++;
		for (uint32_t i = 0; i < kind->count; i++) {
			gov_amount_t *least = least_at(engine, n,
						       kind->item[i].cell);

			*least = gov_amount_min(*least, kind->item[i].amount);
		}
	}
	for (uint32_t i = 0; i < kind->count; i++)
		engine->hunger.cell_waiting[kind->item[i].cell]++;
	gov_hunger_wake(engine, kind->team);
}

void gov_hunger_dequeue(struct gov_engine *engine, const struct gov_kind *kind)
{
	const struct gov_tree *tree = engine->books.tree;
	const struct gov_record *forward =
		engine->contest.entry[kind->team].job;

	/* What the team puts forward may be gone with it. */
	if (forward && forward->kind == kind)
		gov_contest_set(&engine->contest, kind->team, NULL);
	for (uint32_t n = kind->team; n != GOV_NONE; n = tree->parent[n])
		engine->hunger.waiting[n]--;
	for (uint32_t i = 0; i < kind->count; i++)
		engine->hunger.cell_waiting[kind->item[i].cell]--;
	/* It may have been in the way, or its team's head. */
	gov_hunger_wake(engine, kind->team);
}

/* Does the team, or a unit above it, use more than it owns? */
static bool borrows(const struct gov_tree *tree, uint32_t team)
{
	uint32_t root = gov_tree_root(tree);

	for (uint32_t n = team; n != root && n != GOV_NONE; n = tree->parent[n])
		for (uint32_t c = 0; c < tree->cell_count; c++)
			if (gov_tree_borrowed(tree, n, c))
				return true;
	return false;
}

void gov_hunger_victim(struct gov_engine *engine, const struct gov_kind *kind)
{
	engine->hunger.changed = true;
	if (kind->team == GOV_NONE)
		return;
	gov_hunger_wake(engine, kind->team);
	engine->hunger.victims |= borrows(engine->books.tree, kind->team);
}

void gov_hunger_used(struct gov_engine *engine, const struct gov_kind *kind,
		     bool freed)
{
	const struct gov_tree *tree = engine->books.tree;
	struct gov_hunger *h = &engine->hunger;
	uint32_t n = kind->team == GOV_NONE ? gov_tree_root(tree) : kind->team;

	h->changed = true;
	if (kind->team != GOV_NONE)
		gov_hunger_wake(engine, kind->team);
	for (; n != GOV_NONE; n = tree->parent[n]) {
		h->stirred[n] = true;
		h->lowered[n] |= freed;
		h->share_known[n] = false;
		if (tree->parent[n] != GOV_NONE)
			h->greatest_known[tree->parent[n]] = false;
	}
	if (!freed) {
		h->borrowed |= borrows(tree, kind->team);
		return;
	}
	h->any_freed = h->fallen = true;
	for (uint32_t i = 0; i < kind->count; i++)
		h->freed[kind->item[i].cell] = true;
}

void gov_hunger_forget_shares(struct gov_engine *engine)
{
	size_t nodes = engine->books.tree->node_count;

	memset(engine->hunger.share_known, 0, nodes * sizeof(bool));
	memset(engine->hunger.greatest_known, 0, nodes * sizeof(bool));
}

bool gov_hunger_any(const struct gov_engine *engine)
{
	return engine->hunger.changed;
}

/* ---- shares ---- */

static const struct gov_share *share_at(struct gov_engine *engine,
					uint32_t node)
{
	struct gov_hunger *h = &engine->hunger;

	if (!h->share_known[node]) {
		gov_share_of(engine->books.tree, node, &h->share[node]);
		h->share_known[node] = true;
	}
	return &h->share[node];
}

const struct gov_share *gov_hunger_greatest(struct gov_engine *engine,
					    uint32_t node)
{
	static const struct gov_share none = {
		.tres = GOV_NONE,
		.lendable = 1,
		.weight = { 1, 1 },
	};
	const struct gov_tree *tree = engine->books.tree;
	struct gov_hunger *h = &engine->hunger;
	uint32_t best = GOV_NONE;

	if (!h->greatest_known[node]) {
		for (uint32_t c = tree->first[node]; c != GOV_NONE;
		     c = tree->sibling[c])
			if (share_at(engine, c)->over &&
			    (best == GOV_NONE ||
			     gov_share_compare(&h->share[c], &h->share[best]) >
				     0))
				best = c;
		h->greatest[node] = best;
		h->greatest_known[node] = true;
	}
	best = h->greatest[node];
	return best == GOV_NONE ? &none : &h->share[best];
}

/* Is the node's share smaller than some sibling's? */
static bool is_behind_others(struct gov_engine *engine, uint32_t parent,
			     uint32_t node)
{
	const struct gov_share *greatest = gov_hunger_greatest(engine, parent);

	return greatest->over &&
	       gov_share_compare(share_at(engine, node), greatest) < 0;
}

/* ---- whom it concerns ---- */

struct gathering {
	struct gov_engine *engine;
	bool fair;
	bool kept; /* by blocked heads, something else than before */
	gov_hunger_visit *visit;
};

/*
 * Could what was given back be enough for somebody there, once all that is
 * leaving has left?  Below a unit there may be more than at it, if some of it
 * is never lent.
 */
static bool could_fit(const struct gov_engine *engine, uint32_t node,
		      bool in_any_case)
{
	const struct gov_tree *tree = engine->books.tree;

	if (!engine->hunger.any_freed && !in_any_case)
		return false;
	for (uint32_t c = 0; c < tree->cell_count; c++) {
		gov_amount_t room, least = *least_at(engine, node, c);

		if ((!engine->hunger.freed[c] && !in_any_case) ||
		    least == GOV_UNLIMITED)
			continue;
		room = gov_tree_free_later(tree, c);
		if (!gov_tree_at(tree, node, c)->keeps)
			room = gov_amount_min(room,
					      gov_tree_available(tree, node,
								 c));
		if (least <= room)
			return true;
	}
	return false;
}

/*
 * Usage of the unit has fallen: could it host what somebody below it asks in
 * what it owns?
 */
static bool could_host(const struct gov_engine *engine, uint32_t unit)
{
	const struct gov_tree *tree = engine->books.tree;

	if (!engine->hunger.lowered[unit])
		return false;
	for (uint32_t c = 0; c < tree->cell_count; c++) {
		gov_amount_t least = *least_at(engine, unit, c);

		if (least != GOV_UNLIMITED &&
		    (gov_tree_at(tree, unit, c)->keeps ||
		     !gov_tree_borrows_with(tree, unit, c, least)))
			return true;
	}
	return false;
}

static bool concerns_all_below(const struct gathering *g, uint32_t parent,
			       uint32_t node)
{
	return could_host(g->engine, node) ||
	       (g->fair && g->engine->hunger.stirred[parent] &&
		is_behind_others(g->engine, parent, node));
}

/* The bounds of a unit from those of its children. */
static void settle_unit(struct gov_engine *engine, uint32_t node)
{
	const struct gov_tree *tree = engine->books.tree;
	struct gov_hunger *h = &engine->hunger;

	h->hope[node] = 0;
	for (uint32_t c = 0; c < tree->cell_count; c++)
		*least_at(engine, node, c) = GOV_UNLIMITED;
	for (uint32_t child = tree->first[node]; child != GOV_NONE;
	     child = tree->sibling[child]) {
		h->hope[node] |= h->hope[child];
		for (uint32_t c = 0; c < tree->cell_count; c++) {
			gov_amount_t *least = least_at(engine, node, c);

			*least = gov_amount_min(*least,
						*least_at(engine, child, c));
		}
	}
}

/* Is this what somebody there hopes for? */
static bool is_hoped_for(const struct gathering *g, uint32_t node, uint8_t news)
{
	return g->engine->hunger.hope[node] & news;
}

/*
 * What blocked heads keep is in nobody's way who would displace others, but it
 * may have been in the way to what is free.
 */
static bool is_unlocked(const struct gathering *g, uint32_t node)
{
	return g->kept && g->engine->hunger.hope[node] &&
	       could_fit(g->engine, node, true);
}

static void descend(const struct gathering *g, uint32_t node, uint8_t news,
		    bool all)
{
	struct gov_engine *engine = g->engine;
	const struct gov_tree *tree = engine->books.tree;
	struct gov_hunger *h = &engine->hunger;

	h->restless[node] = false;
	for (uint32_t child = tree->first[node]; child != GOV_NONE;
	     child = tree->sibling[child]) {
		uint8_t here = news;
		bool below = all;

		if (!h->waiting[child])
			continue;
		/* Shares below one unit depend on each other. */
		if (g->fair && h->stirred[child])
			here = ALL_NEWS;
		below = below || concerns_all_below(g, node, child);
		if (!below && !h->restless[child] && !h->stirred[child] &&
		    !is_hoped_for(g, child, here) && !is_unlocked(g, child) &&
		    !could_fit(engine, child, false))
			continue;
		if (!engine->policy->unit[child].is_team) {
			descend(g, child, here, below);
			continue;
		}
		/* Who searched in vain keeps its place before others of its
		 * team. */
		below |= h->restless[child] || h->stirred[child] ||
			 is_hoped_for(g, child, here) ||
			 (h->hope[child] & ~GOV_HOPE_ROOM);
		h->restless[child] = false;
		g->visit(engine, child, below);
	}
	if (node != gov_tree_root(tree))
		settle_unit(engine, node);
}

/* What has changed, as hopes see it. */
static uint8_t what_is_new(const struct gathering *g)
{
	const struct gov_hunger *h = &g->engine->hunger;
	uint8_t news = GOV_HOPE_ANYTHING;

	if (h->stirred[gov_tree_root(g->engine->books.tree)] || h->victims)
		news |= GOV_HOPE_USAGE;
	if (h->fallen || h->borrowed || h->victims)
		news |= GOV_HOPE_VICTIMS;
	if (h->fallen || (g->fair && h->borrowed))
		news |= GOV_HOPE_ROOM;
	return news;
}

bool gov_hunger_concerns(struct gov_engine *engine, uint32_t team)
{
	const struct gathering g = {
		.engine = engine,
		.fair = engine->policy->idle_sharing == GOV_FAIR_SHARE,
	};
	const struct gov_tree *tree = engine->books.tree;
	const struct gov_hunger *h = &engine->hunger;
	uint32_t root = gov_tree_root(tree);

	if (!h->changed)
		return false;
	if (h->restless[team] || h->stirred[team] ||
	    is_hoped_for(&g, team, what_is_new(&g)))
		return true;
	for (uint32_t n = team; n != root; n = tree->parent[n])
		if (concerns_all_below(&g, tree->parent[n], n) ||
		    (g.fair && h->stirred[n] && h->hope[team]))
			return true;
	return false;
}

/* Everybody whom it concerns was looked at. */
static void forget(struct gov_engine *engine)
{
	size_t nodes = engine->books.tree->node_count;
	struct gov_hunger *h = &engine->hunger;

	memset(h->stirred, 0, nodes * sizeof(*h->stirred));
	memset(h->lowered, 0, nodes * sizeof(*h->lowered));
	memset(h->freed, 0, engine->policy->cell_count * sizeof(*h->freed));
	h->any_freed = h->changed = h->fallen = h->borrowed = false;
	h->victims = h->kept = false;
}

/* Nothing of what is noted changes while it runs: it only puts forward. */
void gov_hunger_gather(struct gov_engine *engine, gov_hunger_visit *visit)
{
	struct gathering g = {
		.engine = engine,
		.fair = engine->policy->idle_sharing == GOV_FAIR_SHARE,
		.kept = engine->hunger.kept || engine->reserve_count,
		.visit = visit,
	};

	descend(&g, gov_tree_root(engine->books.tree), what_is_new(&g), false);
	forget(engine);
}

void gov_hunger_settle(struct gov_engine *engine, uint32_t team, uint8_t hope)
{
	const struct gov_tree *tree = engine->books.tree;
	const struct gov_kind *kind;

	for (uint32_t c = 0; c < tree->cell_count; c++)
		*least_at(engine, team, c) = GOV_UNLIMITED;
	for (kind = gov_store_first_kind(&engine->books.store, team); kind;
	     kind = gov_kind_next(kind))
		for (uint32_t i = 0; i < kind->count; i++) {
			gov_amount_t *least = least_at(engine, team,
						       kind->item[i].cell);

			*least = gov_amount_min(*least, kind->item[i].amount);
		}
	engine->hunger.hope[team] = hope;
	for (uint32_t n = tree->parent[team]; n != GOV_NONE;
	     n = tree->parent[n])
		engine->hunger.hope[n] |= hope;
}
