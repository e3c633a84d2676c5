/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job's part in all sums and orders: one place to enter, one to leave. */
#include "core/engine_private.h"

static void add_to(struct gov_engine *engine, gov_amount_t *table,
		   const struct gov_kind *kind, bool add)
{
	uint32_t cells = engine->policy->cell_count;

	if (kind->team == GOV_NONE)
		return;
	for (uint32_t i = 0; i < kind->count; i++) {
		gov_amount_t *at = &table[(size_t) kind->team * cells +
					  kind->item[i].cell];

		*at = add ? *at + kind->item[i].amount :
			    *at - kind->item[i].amount;
	}
}

/* ---- what leaves for an asker that is charged already ---- */

static void uncover(struct gov_engine *engine, struct gov_asker *asker)
{
	const struct gov_record *job;

	if (!asker || !asker->claiming)
		return;
	job = gov_store_find(&engine->books.store, asker->id);
	for (uint32_t i = 0; i < job->kind->count; i++)
		engine->books.tree->top[job->kind->item[i].cell].claimed -=
			asker->covered[i];
	asker->claiming = false;
}

static void cover(struct gov_engine *engine, struct gov_asker *asker,
		  const struct gov_record *job)
{
	for (uint32_t i = 0; i < job->kind->count; i++) {
		uint32_t cell = job->kind->item[i].cell;
		gov_amount_t sum = 0;

		for (const struct gov_record *victim = asker->first; victim;
		     victim = victim->next)
			if (victim->state == GOV_JOB_RECLAIMING)
				sum = gov_amount_add(
					sum,
					gov_kind_amount(victim->kind, cell));
		asker->covered[i] = gov_amount_min(sum,
						   job->kind->item[i].amount);
		engine->books.tree->top[cell].claimed += asker->covered[i];
	}
	asker->claiming = true;
}

/* It is charged and waits for what leaves for others; or no longer does. */
static void await(struct gov_engine *engine, const struct gov_record *job,
		  bool on)
{
	for (uint32_t i = 0; i < job->kind->count; i++) {
		struct gov_top *top =
			&engine->books.tree->top[job->kind->item[i].cell];
		gov_amount_t amount = job->kind->item[i].amount;

		top->awaited = on ? top->awaited + amount :
				    top->awaited - amount;
	}
}

/* Before and after something changes among those who leave for `id`. */
static struct gov_record *open_claim(struct gov_engine *engine, uint64_t id)
{
	struct gov_record *job;

	if (!id)
		return NULL;
	uncover(engine, gov_store_asker(&engine->books.store, id));
	job = gov_store_find(&engine->books.store, id);
	if (!job || job->state != GOV_JOB_CLAIMING)
		return NULL;
	gov_store_unlink(&engine->books.store, job);
	/* Somebody leaves for it after all. */
	if (job->on_surplus)
		await(engine, job, false);
	job->on_surplus = false;
	return job;
}

static void close_claim(struct gov_engine *engine, struct gov_record *job)
{
	struct gov_asker *asker;

	if (!job)
		return;
	asker = gov_store_asker(&engine->books.store, job->id);
	if (asker)
		cover(engine, asker, job);
	gov_store_link(&engine->books.store, job);
}

static void leave(struct gov_engine *engine, struct gov_record *job, bool in)
{
	struct gov_record *claim = open_claim(engine, gov_record_asker(job));
	struct gov_tree *tree = engine->books.tree;

	for (uint32_t i = 0; i < job->kind->count; i++) {
		struct gov_top *top = &tree->top[job->kind->item[i].cell];
		gov_amount_t amount = job->kind->item[i].amount;

		top->leaving = in ? top->leaving + amount :
				    top->leaving - amount;
	}
	add_to(engine, engine->leaving, job->kind, in);
	if (job->asker)
		job->asker->reclaiming += in ? 1 : -(size_t) 1;
	job->state = in ? GOV_JOB_RECLAIMING : GOV_JOB_INELIGIBLE;
	close_claim(engine, claim);
}

/* ---- in and out ---- */

static void link(struct gov_engine *engine, struct gov_record *job)
{
	gov_store_link(&engine->books.store, job);
	if (job->linked && job->state == GOV_JOB_WAITING)
		gov_hunger_enqueue(engine, job->kind);
}

static void unlink(struct gov_engine *engine, struct gov_record *job)
{
	if (job->linked && job->state == GOV_JOB_WAITING)
		gov_hunger_dequeue(engine, job->kind);
	gov_store_unlink(&engine->books.store, job);
}

static void charge(struct gov_engine *engine, const struct gov_kind *kind)
{
	gov_books_charge(&engine->books, kind);
	gov_lately_used(engine, kind, true);
	gov_hunger_used(engine, kind, false);
}

static void release(struct gov_engine *engine, const struct gov_kind *kind)
{
	gov_books_release(&engine->books, kind);
	gov_lately_used(engine, kind, false);
	gov_hunger_used(engine, kind, true);
}

void gov_engine_detach(struct gov_engine *engine, struct gov_record *job)
{
	struct gov_store *store = &engine->books.store;

	unlink(engine, job);
	switch ((enum gov_job_state) job->state) {
	case GOV_JOB_INELIGIBLE: break;
	case GOV_JOB_WAITING:
		add_to(engine, engine->waiting, job->kind, false);
		break;
	case GOV_JOB_CLAIMING:
		uncover(engine, gov_store_asker(store, job->id));
		if (job->on_surplus)
			await(engine, job, false);
		job->on_surplus = false;
		release(engine, job->kind);
		break;
	case GOV_JOB_ADMITTED:
	case GOV_JOB_RUNNING: release(engine, job->kind); break;
	case GOV_JOB_RECLAIMING:
		leave(engine, job, false);
		gov_hunger_used(engine, job->kind, true);
		break;
	}
	job->state = GOV_JOB_INELIGIBLE;
}

/*
 * Whom the job has to let go first; NULL: nobody (any more).  What was freed
 * is its asker's until that has started.
 */
static struct gov_record *goes_first(const struct gov_engine *engine,
				     const struct gov_record *job)
{
	struct gov_record *asker;

	if (!job->asker)
		return NULL;
	asker = gov_store_find(&engine->books.store, job->asker->id);
	return asker && (asker->state == GOV_JOB_WAITING ||
			 asker->state == GOV_JOB_CLAIMING ||
			 asker->state == GOV_JOB_ADMITTED) ?
		       asker :
		       NULL;
}

/*
 * The engine never lets jobs wait for each other in a circle, but what comes
 * from outside may say so.  Then the smallest id of the circle goes.  Returns
 * it; 0 if the job is in no circle.
 */
static uint64_t circle(const struct gov_engine *engine,
		       const struct gov_record *job)
{
	const struct gov_record *at = job;
	uint64_t smallest = job->id;

	for (int steps = 0; steps < 1000; steps++) {
		at = goes_first(engine, at);
		if (!at)
			return 0;
		if (at == job)
			return smallest;
		if (at->id < smallest)
			smallest = at->id;
	}
	return 0;
}

static bool is_behind(const struct gov_engine *engine,
		      const struct gov_record *job)
{
	return goes_first(engine, job) && circle(engine, job) != job->id;
}

void gov_engine_attach(struct gov_engine *engine, struct gov_record *job,
		       enum gov_job_state state)
{
	struct gov_store *store = &engine->books.store;
	struct gov_asker *asker;

	job->state = (uint8_t) state;
	job->behind = false;
	switch (state) {
	case GOV_JOB_INELIGIBLE: return;
	case GOV_JOB_WAITING:
		add_to(engine, engine->waiting, job->kind, true);
		job->behind = is_behind(engine, job);
		break;
	case GOV_JOB_CLAIMING:
		charge(engine, job->kind);
		asker = gov_store_asker(store, job->id);
		job->on_surplus &= !asker || !asker->reclaiming;
		if (job->on_surplus)
			await(engine, job, true);
		if (asker)
			cover(engine, asker, job);
		break;
	case GOV_JOB_ADMITTED:
	case GOV_JOB_RUNNING: charge(engine, job->kind); break;
	case GOV_JOB_RECLAIMING:
		job->state = GOV_JOB_INELIGIBLE;
		leave(engine, job, true);
		break;
	}
	link(engine, job);
}

static void settle(struct gov_engine *engine, struct gov_record *job)
{
	bool behind;

	if (job->state != GOV_JOB_WAITING)
		return;
	behind = is_behind(engine, job);
	if (behind == job->behind)
		return;
	unlink(engine, job);
	job->behind = behind;
	link(engine, job);
}

void gov_engine_settle_behind(struct gov_engine *engine, uint64_t id)
{
	struct gov_store *store = &engine->books.store;
	const struct gov_asker *asker = gov_store_asker(store, id);
	struct gov_record *job;
	uint64_t first;

	if (!asker)
		return;
	for (job = asker->first; job; job = job->next)
		settle(engine, job);
	job = gov_store_find(store, id);
	first = job ? circle(engine, job) : 0;
	if (first)
		settle(engine, gov_store_find(store, first));
}
