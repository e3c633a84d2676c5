/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks of a held array that are charged while room is made for them.
 *
 * The record of the waiting tasks stands for the next one alone.  When that
 * one claims what others are leaving, it moves to an engine job of its own
 * (GOV_CLAIM_BIT, its number and the array's id), so that the task after it
 * can go on: an owner's array has its own back in one grace, not in one for
 * each task.
 */
#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"

static uint64_t claim_id(const struct gov_tracked *job, uint32_t number)
{
	return GOV_CLAIM_BIT | (uint64_t) number << 32 | job->record->array_id;
}

/* Whoever gave way for one id waits behind another from now on; 0: none. */
static void repoint(struct gov_governor *g, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < g->jobs.size; i++) {
		struct gov_tracked *victim = g->jobs.slot[i].value;
		const struct gov_job *known;
		struct gov_job copy;

		if (!g->jobs.slot[i].id || victim->stamp.asker != from)
			continue;
		victim->stamp.asker = to;
		gov_mark_dirty(g, victim);
		known = gov_engine_job(g->engine, victim->id);
		if (!known || known->asker != from)
			continue;
		copy = *known;
		copy.asker = to;
		gov_engine_put(g->engine, &copy, NULL);
	}
}

void gov_array_repoint(struct gov_governor *g, struct gov_tracked *job,
		       uint64_t from)
{
	if (job->has_victims)
		repoint(g, from, gov_array_tasks_id(job));
}

/* Forget the claims from this number on. */
static void drop_from(struct gov_governor *g, struct gov_tracked *job,
		      uint32_t keep)
{
	while (job->claim_numbers > keep) {
		uint64_t id = claim_id(job, --job->claim_numbers);

		if (!gov_engine_remove(g->engine, id))
			continue;
		job->claiming_tasks--;
		if (job->has_victims)
			repoint(g, id, 0);
	}
}

void gov_array_drop_claims(struct gov_governor *g, struct gov_tracked *job)
{
	drop_from(g, job, 0);
}

void gov_array_fit_claims(struct gov_governor *g, struct gov_tracked *job,
			  const struct gov_request *request, uint64_t most)
{
	for (uint32_t n = 0; n < job->claim_numbers; n++) {
		const struct gov_job *claim = gov_engine_job(g->engine,
							     claim_id(job, n));

		/* Asks for something else now: all claim again. */
		if (claim && !gov_request_equal(&claim->request, request))
			drop_from(g, job, 0);
	}
	while (job->claiming_tasks > most)
		drop_from(g, job, job->claim_numbers - 1);
}

bool gov_array_claim(struct gov_governor *g, struct gov_tracked *job,
		     struct gov_now now)
{
	const struct gov_job *known = gov_engine_job(g->engine, job->id);
	uint32_t number = 0;
	uint64_t id;

	if (!known || known->state != GOV_JOB_CLAIMING ||
	    !gov_is_array(job->record) || !job->record->held)
		return false;
	while (number < job->claim_numbers &&
	       gov_engine_job(g->engine, claim_id(job, number)))
		number++;
	if (number == GOV_CLAIM_NUMBERS)
		return false;
	id = claim_id(job, number);
	if (gov_engine_rename(g->engine, job->id, id))
		return false;
	if (number == job->claim_numbers)
		job->claim_numbers++;
	job->claiming_tasks++;
	if (job->has_victims)
		repoint(g, job->id, id);
	gov_log(GOV_LOG_ENGINE, GOV_LOG_VERBOSE,
		"a task of array %u waits for jobs that are leaving",
		job->record->array_id);
	gov_judge(g, job, now);
	return true;
}

bool gov_array_claim_admitted(struct gov_governor *g, uint64_t id,
			      struct gov_now now)
{
	struct gov_tracked *job = gov_track_find(g, GOV_JOB_SHOWN(id));

	if (!gov_engine_remove(g->engine, id) || !job)
		return false;
	job->claiming_tasks--;
	if (!job->claiming_tasks)
		job->claim_numbers = 0;
	gov_mark_dirty(g, job);
	gov_array_admit(g, job, id, now);
	return true;
}
