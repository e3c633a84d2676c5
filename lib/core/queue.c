/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The next job of a team: queueing, and who could go on at a glance. */
#include <string.h>

#include "core/engine_private.h"
#include "core/order.h"

#define OWN_COUNTED 100 /* of a team's jobs, before a search does it */

static bool is_strict(const struct gov_engine *engine, uint32_t team)
{
	return engine->policy->unit[team].queueing == GOV_STRICT;
}

/*
 * The pools that a kind wants, as bits.  Pools beyond the 64th share bits: a
 * strict queue may then hold back more than it had to, never less.
 */
static uint64_t pools_of(const struct gov_engine *engine,
			 const struct gov_kind *kind)
{
	uint64_t pools = 0;

	for (uint32_t i = 0; i < kind->count; i++)
		pools |= UINT64_C(1)
			 << (engine->policy->cell[kind->item[i].cell].pool %
			     64);
	return pools;
}

bool gov_queue_blocks(const struct gov_engine *engine,
		      const struct gov_record *job)
{
	const struct gov_store *store = &engine->books.store;
	uint64_t wanted = pools_of(engine, job->kind);
	const struct gov_kind *kind;

	if (!is_strict(engine, job->kind->team))
		return false;
	for (kind = gov_store_first_kind(store, job->kind->team); kind;
	     kind = gov_kind_next(kind)) {
		if (gov_store_order_waiting(store, gov_kind_head(kind), job) >=
		    0)
			return false;
		if (pools_of(engine, kind) & wanted)
			return true;
	}
	return false;
}

/* ---- could somebody give way? ---- */

/* Could a job of this kind give way for one of the other, ages aside? */
static bool may_go(const struct gov_store *store, enum gov_preempt whom,
		   const struct gov_kind *victim, const struct gov_kind *asker)
{
	return gov_may_preempt(whom, gov_kind_weight(store, asker), INT64_MIN,
			       gov_kind_weight(store, victim), INT64_MAX);
}

static bool own_could_go(const struct gov_engine *engine,
			 const struct gov_kind *kind)
{
	const struct gov_store *store = &engine->books.store;
	const struct gov_record *first = gov_store_first_charged(store,
								 kind->team);

	return first && may_go(store, gov_within_team(engine->policy, kind),
			       first->kind, kind);
}

bool gov_queue_prefers_own(const struct gov_engine *engine,
			   const struct gov_kind *kind)
{
	return engine->policy->unit[kind->team].prefer_own &&
	       gov_books_borrowed_items(&engine->books, kind) &&
	       own_could_go(engine, kind);
}

/* Does any team borrow in a cell that the kind is short of? */
static bool somebody_borrows(const struct gov_engine *engine,
			     const struct gov_kind *kind, uint32_t lacking)
{
	for (uint32_t i = 0; i < kind->count; i++)
		if ((lacking & 1u << i) &&
		    engine->books.tree->top[kind->item[i].cell].borrowers)
			return true;
	return false;
}

/* Would some side still have the greater share once it were admitted? */
static bool share_could_allow(struct gov_engine *engine,
			      const struct gov_kind *kind)
{
	struct gov_tree *tree = engine->books.tree;
	uint32_t root = gov_tree_root(tree);
	bool could = false;

	/* First, so that nothing is computed with the request reserved. */
	for (uint32_t n = kind->team; n != root; n = tree->parent[n])
		(void) gov_hunger_greatest(engine, tree->parent[n]);
	gov_books_reserve(&engine->books, kind);
	for (uint32_t n = kind->team; n != root && !could;
	     n = tree->parent[n]) {
		const struct gov_share *greatest =
			gov_hunger_greatest(engine, tree->parent[n]);
		struct gov_share share;

		if (!greatest->over)
			continue;
		gov_share_of(tree, n, &share);
		could = gov_share_compare(&share, greatest) < 0;
	}
	gov_books_unreserve(&engine->books, kind);
	return could;
}

/*
 * Does a limit of its own stand in the way: what its team, project or user may
 * have at most, or no borrowing?  Then it does not help if others leave.
 */
static bool is_at_own_limit(const struct gov_engine *engine,
			    const struct gov_kind *kind)
{
	const struct gov_books *books = &engine->books;
	bool may_borrow = gov_kind_may_borrow(engine->policy, kind);

	for (uint32_t i = 0; i < kind->count; i++) {
		uint32_t cell = kind->item[i].cell;
		const struct gov_node *node = gov_tree_at(books->tree,
							  kind->team, cell);
		gov_amount_t amount = kind->item[i].amount;
		gov_amount_t most = gov_amount_add(node->subtree,
						   may_borrow ? node->borrow :
								0);

		if ((node->counted &&
		     amount > gov_amount_sub(most, node->usage)) ||
		    amount > gov_caps_project_room(&books->caps, kind, cell) ||
		    amount > gov_caps_user_room(&books->caps, kind, cell))
			return true;
	}
	return false;
}

/* Has it the right to displace jobs of other teams, if they borrow? */
static bool has_a_right(struct gov_engine *engine, const struct gov_kind *kind,
			uint32_t lacking)
{
	const struct gov_unit *unit = &engine->policy->unit[kind->team];

	if (unit->reclaim == GOV_PREEMPT_NEVER)
		return false;
	return unit->preempt_while_borrowing != GOV_PREEMPT_NEVER ||
	       gov_books_host(&engine->books, kind, lacking) != GOV_NONE ||
	       (engine->policy->idle_sharing == GOV_FAIR_SHARE &&
		share_could_allow(engine, kind));
}

/*
 * What those of its own team that it could displace hold, by item.  false:
 * there are too many of them to count.
 */
static bool count_own(const struct gov_engine *engine,
		      const struct gov_kind *kind, gov_amount_t *held)
{
	const struct gov_store *store = &engine->books.store;
	enum gov_preempt whom = gov_within_team(engine->policy, kind);
	const struct gov_record *job = gov_store_first_charged(store,
							       kind->team);

	memset(held, 0, kind->count * sizeof(*held));
	for (int looked = 0; job; job = gov_record_next(job)) {
		if (!may_go(store, whom, job->kind, kind))
			return true;
		if (looked++ == OWN_COUNTED)
			return false;
		for (uint32_t i = 0; i < kind->count; i++)
			held[i] += gov_kind_amount(job->kind,
						   kind->item[i].cell);
	}
	return true;
}

/*
 * Its own team's lower classes may not be enough.  Could others give way, by
 * right or, once those are gone, by share?
 */
static bool own_could_do(struct gov_engine *engine, struct gov_kind *kind,
			 uint32_t lacking)
{
	struct gov_tree *tree = engine->books.tree;
	gov_amount_t held[GOV_REQUEST_MAX];
	bool enough = true, could;

	if (!count_own(engine, kind, held))
		return true;
	for (uint32_t i = 0; i < kind->count; i++) {
		gov_amount_t room = gov_books_room(&engine->books, kind,
						   kind->item[i].cell,
						   GOV_LATER);

		if (lacking & 1u << i)
			enough &= gov_amount_add(room, held[i]) >=
				  kind->item[i].amount;
	}
	if (enough || has_a_right(engine, kind, lacking))
		return true;
	for (uint32_t i = 0; i < kind->count; i++)
		gov_tree_unreserve(tree, kind->team, kind->item[i].cell,
				   held[i]);
	could = has_a_right(engine, kind, lacking);
	for (uint32_t i = 0; i < kind->count; i++)
		gov_tree_reserve(tree, kind->team, kind->item[i].cell, held[i]);
	return could;
}

/* There is nobody whom it could displace now. */
static bool waits_for(struct gov_kind *kind, enum gov_hope hope)
{
	kind->hope = (uint8_t) hope;
	return false;
}

bool gov_queue_could_displace(struct gov_engine *engine, struct gov_kind *kind)
{
	bool own = !kind->provisional && own_could_go(engine, kind);
	uint32_t lacking;

	kind->hope = 0;
	if (kind->provisional || (!own && is_at_own_limit(engine, kind)))
		return false;
	lacking = gov_books_short(&engine->books, kind, GOV_LATER);
	if (own && !own_could_do(engine, kind, lacking))
		return waits_for(kind, GOV_HOPE_ROOM);
	if (!own && !has_a_right(engine, kind, lacking))
		return false;
	/* With several items others may become short. */
	if (!own && !somebody_borrows(engine, kind, lacking))
		return waits_for(kind, kind->count > 1 ? GOV_HOPE_USAGE :
							 GOV_HOPE_VICTIMS);
	/* A search may know better. */
	kind->hope = GOV_HOPE_ANYTHING;
	return true;
}

bool gov_queue_claims_surplus(struct gov_engine *engine,
			      const struct gov_kind *kind)
{
	return !gov_books_borrowed_items(&engine->books, kind) &&
	       gov_engine_fits(engine, kind, GOV_LATER);
}

/* Could it go on by itself? */
static bool could_go_on(struct gov_engine *engine, struct gov_kind *kind,
			bool may_displace)
{
	if (kind->provisional && gov_queue_prefers_own(engine, kind)) {
		kind->hope = 0;
		return false;
	}
	/* As a rule it does not fit at all. */
	if (gov_books_fit(&engine->books, kind, GOV_LATER) &&
	    (gov_engine_fits(engine, kind, GOV_NOW) ||
	     gov_queue_claims_surplus(engine, kind)))
		return true;
	return (may_displace && gov_queue_could_displace(engine, kind)) ||
	       gov_engine_is_owed(engine, kind);
}

struct gov_kind *gov_queue_candidate(struct gov_engine *engine, uint32_t team,
				     bool may_displace)
{
	bool strict = is_strict(engine, team);
	uint64_t blocked = 0;
	struct gov_kind *kind;

	for (kind = gov_store_first_kind(&engine->books.store, team); kind;
	     kind = gov_kind_next(kind)) {
		uint64_t pools = strict ? pools_of(engine, kind) : 0;

		if (!(pools & blocked) && kind->refused != engine->pass) {
			if (could_go_on(engine, kind, may_displace))
				return kind;
			kind->refused = engine->pass;
		}
		blocked |= pools;
	}
	return NULL;
}
