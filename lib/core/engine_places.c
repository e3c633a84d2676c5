/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine is told of nodes and places, and what it makes of it. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/engine_private.h"

int gov_engine_set_nodes(struct gov_engine *engine,
			 const struct gov_place_node *node, uint32_t count,
			 const char *const *tres, uint32_t tres_count,
			 struct gov_error *error)
{
	gov_hunger_wake_all(engine);
	if (!gov_places_set_nodes(engine->places, node, count, tres,
				  tres_count))
		return 0;
	return gov_error_set(error, GOV_E_NOMEM,
			     "no memory for %" PRIu32 " nodes, or too many",
			     count);
}

void gov_engine_set_node_usable(struct gov_engine *engine, uint32_t node,
				bool usable)
{
	gov_places_set_usable(engine->places, node, usable);
	gov_hunger_wake_all(engine);
}

uint32_t gov_engine_shape(struct gov_engine *engine,
			  const struct gov_shape *shape)
{
	return gov_places_shape(engine->places, shape);
}

int gov_engine_place(struct gov_engine *engine, uint64_t id,
		     const struct gov_spot *spot, size_t count)
{
	engine->hunger.changed = true;
	return gov_places_put(engine->places, id, spot, count, false);
}

const struct gov_places *gov_engine_places(const struct gov_engine *engine)
{
	return engine->places;
}

void gov_engine_state_of_place(struct gov_engine *engine, uint64_t id,
			       enum gov_job_state state)
{
	switch (state) {
	case GOV_JOB_INELIGIBLE:
	case GOV_JOB_WAITING: gov_places_forget(engine->places, id); break;
	case GOV_JOB_CLAIMING:
	case GOV_JOB_ADMITTED: gov_places_left(engine->places, id); break;
	case GOV_JOB_RUNNING:
	case GOV_JOB_RECLAIMING: break;
	}
}

/* ---- can it be placed? ---- */

struct gov_placing *gov_engine_placing(struct gov_engine *engine,
				       const struct gov_kind *kind,
				       bool *no_memory)
{
	const struct gov_shape *shape = gov_places_shape_at(engine->places,
							    kind->shape);

	if (!shape || !gov_places_node_count(engine->places))
		return NULL;
	if (!gov_placing_begin(&engine->placing, engine->places,
			       &engine->books.store, shape, 0))
		return &engine->placing;
	*no_memory = true;
	return NULL;
}

/* ---- places that were held, after all has been told anew ---- */

/* Where those are who leave for it, if that is enough; else wherever it fits
 * once all are gone.  -1: no memory. */
static int hold_again(struct gov_engine *engine, const struct gov_record *job)
{
	struct gov_placing *placing = &engine->placing;
	const struct gov_shape *shape = gov_places_shape_at(engine->places,
							    job->kind->shape);
	const uint64_t asker[] = { job->id, 0 };

	for (int i = 0; shape && i < 2; i++) {
		if (gov_placing_begin(placing, engine->places,
				      &engine->books.store, shape, asker[i]))
			return -1;
		if (!gov_placing_fits(placing))
			continue;
		gov_placing_settle(placing);
		return gov_places_put(engine->places, job->id, placing->spot,
				      placing->spot_count, true);
	}
	return 0;
}

static bool has_victims(const struct gov_store *store,
			const struct gov_record *job)
{
	const struct gov_asker *asker = gov_store_asker(store, job->id);

	return (asker && asker->reclaiming) || job->arrived;
}

int gov_engine_hold_places(struct gov_engine *engine)
{
	const struct gov_store *store = &engine->books.store;
	int rc = 0;

	if (!gov_places_node_count(engine->places))
		return 0;
	for (size_t i = 0; i < store->slot_count; i++) {
		const struct gov_record *job = store->slot[i];

		if (job && job->kind->shape &&
		    (job->state == GOV_JOB_CLAIMING ||
		     job->state == GOV_JOB_ADMITTED) &&
		    has_victims(store, job) &&
		    !gov_places_find(engine->places, job->id))
			rc |= hold_again(engine, job);
	}
	return rc;
}

/* ---- jobs that have quota, but Slurm finds no place for them ---- */

static size_t find_unplaced(const struct gov_engine *engine, uint64_t id)
{
	size_t i = 0;

	while (i < engine->unplaced_count && engine->unplaced[i] != id)
		i++;
	return i;
}

int gov_engine_unplaced(struct gov_engine *engine, uint64_t id, bool unplaced)
{
	size_t at = find_unplaced(engine, id);
	uint64_t *grown;

	if (unplaced == (at < engine->unplaced_count))
		return 0;
	if (!unplaced) {
		engine->unplaced[at] =
			engine->unplaced[--engine->unplaced_count];
		return 0;
	}
	grown = gov_array_room(engine->unplaced, engine->unplaced_count,
			       sizeof(*grown));
	if (!grown)
		return -1;
	engine->unplaced = grown;
	grown[engine->unplaced_count++] = id;
	engine->hunger.changed = true;
	return 0;
}

/* Who makes room for it: in engine->search.  false: nobody, or nobody need. */
static bool find_place(struct gov_pass *pass, const struct gov_record *job)
{
	struct gov_engine *engine = pass->engine;
	struct gov_search *search = &engine->search;

	search->placing = gov_engine_placing(engine, job->kind,
					     &pass->no_memory);
	if (!search->placing || engine->reclaims_held)
		return false;
	if (gov_placing_fits(search->placing)) {
		/* There is room, or there will be: it is this job's. */
		gov_placing_settle(search->placing);
		gov_places_put(engine->places, job->id, search->placing->spot,
			       search->placing->spot_count, true);
		return false;
	}
	search->now = pass->now;
	search->kind = job->kind;
	search->since = job->submitted;
	search->contended = 0;
	search->own_only = false;
	search->owed_only = true;
	search->budget = 0;
	if (gov_victims_find(search))
		return true;
	pass->no_memory |= search->no_memory;
	if (search->retry_at < engine->retry_at)
		engine->retry_at = search->retry_at;
	return false;
}

/*
 * It waits in Slurm for a place, inside its team's quota: those who borrow
 * where it could be placed make room for it, as for one that waits for quota.
 * It stays admitted; Slurm starts it when there is room.
 */
static void make_place(struct gov_pass *pass, struct gov_record *job)
{
	struct gov_engine *engine = pass->engine;
	struct gov_books *books = &engine->books;
	bool found = false;

	gov_store_unlink(&books->store, job);
	gov_books_release(books, job->kind);
	gov_places_let_go(engine->places, job->id);
	if (!gov_books_borrowed_items(books, job->kind))
		found = find_place(pass, job);
	gov_books_charge(books, job->kind);
	gov_store_link(&books->store, job);
	if (found)
		gov_pass_make_place(pass, job);
}

/*
 * So many are looked at in one decision, in turn; the others in the next, a
 * second later.  A look at one may cost a search over all nodes.
 */
#define UNPLACED_AT_ONCE 32

void gov_engine_place_admitted(struct gov_pass *pass)
{
	struct gov_engine *engine = pass->engine;
	size_t most = UNPLACED_AT_ONCE;

	if (gov_hunger_any(engine))
		engine->unplaced_due = engine->unplaced_count;
	while (most && engine->unplaced_due && engine->unplaced_count) {
		size_t at = engine->unplaced_at % engine->unplaced_count;
		struct gov_record *job = gov_store_find(&engine->books.store,
							engine->unplaced[at]);

		engine->unplaced_due--;
		if (!job || job->state != GOV_JOB_ADMITTED ||
		    job->kind->team == GOV_NONE) {
			engine->unplaced[at] =
				engine->unplaced[--engine->unplaced_count];
			continue;
		}
		engine->unplaced_at = at + 1;
		make_place(pass, job);
		most--;
	}
	if (!engine->unplaced_count)
		engine->unplaced_due = 0;
}
