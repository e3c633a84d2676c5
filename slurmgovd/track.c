/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of jobs, kept as the job list shows them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"

struct gov_tracked *gov_track_find(const struct gov_governor *g, uint64_t id)
{
	return id ? gov_idmap_get(&g->jobs, id) : NULL;
}

void gov_mark_dirty(struct gov_governor *g, struct gov_tracked *job)
{
	if (job->dirty)
		return;
	job->dirty = true;
	job->next_dirty = g->dirty;
	g->dirty = job;
}

static void unlink_dirty(struct gov_governor *g, struct gov_tracked *job)
{
	struct gov_tracked **at = &g->dirty;

	if (!job->dirty)
		return;
	while (*at != job)
		at = &(*at)->next_dirty;
	*at = job->next_dirty;
}

void gov_track_drop(struct gov_governor *g, struct gov_tracked *job,
		    struct gov_now now)
{
	uint32_t array_id = job->record->array_id;

	gov_tell_end(g, job, 0, now);
	unlink_dirty(g, job);
	gov_leave_line(g, job);
	gov_het_remove(g, job);
	gov_engine_remove(g->engine, job->id);
	gov_idmap_remove(&g->jobs, job->id);
	if (array_id == job->id)
		gov_array_forget(g, job);
	else if (array_id)
		gov_array_task_gone(g, array_id, now);
	gov_job_record_free(job->record);
	gov_job_record_free(job->own);
	free(job->text);
	free(job);
}

/* What is known of a job that was not in the list before. */
static void adopt(struct gov_governor *g, struct gov_tracked *job)
{
	const struct gov_job_record *record = job->record;
	bool late;

	if (gov_stamp_parse(record->admin_comment, &job->stamp) != 1) {
		gov_stamp_init(&job->stamp);
		job->stamp.submitted = record->submitted;
		return;
	}
	job->was_stamped = true;
	if (gov_provisional_bind(g, job->stamp.nonce, job->id)) {
		gov_log(GOV_LOG_SUBMIT, GOV_LOG_DEBUG,
			"submission %016llx is job %u",
			(unsigned long long) job->stamp.nonce, record->id);
		return;
	}
	/*
	 * A task that was split off its array has the array's stamp; any
	 * other newcomer that says it is admitted lost its charge meanwhile.
	 */
	late = g->health.ready && record->state == GOV_SLURM_PENDING &&
	       job->stamp.state == GOV_STAMP_ADMITTED && !record->array_id &&
	       !record->restarts;
	job->judge_again = late;
}

static struct gov_tracked *add(struct gov_governor *g,
			       struct gov_job_record *record)
{
	struct gov_tracked *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->id = record->id;
	job->record = record;
	job->team = job->project = job->class = job->pool = GOV_NONE;
	if (gov_idmap_put(&g->jobs, job->id, job)) {
		free(job);
		return NULL;
	}
	if (record->het_id && gov_het_add(g, job)) {
		gov_idmap_remove(&g->jobs, job->id);
		free(job);
		return NULL;
	}
	adopt(g, job);
	return job;
}

/*
 * A slurmctld that was killed has forgotten its last moments, and gives the ids
 * of jobs that it has forgotten to others.
 */
static bool is_other_job(const struct gov_tracked *job,
			 const struct gov_job_record *record)
{
	const struct gov_job_record *before = gov_het_own(job);
	struct gov_stamp was, is;

	if (before->array_id != record->array_id ||
	    before->het_id != record->het_id ||
	    before->submission.uid != record->submission.uid)
		return true;
	return gov_stamp_parse(before->admin_comment, &was) == 1 &&
	       gov_stamp_parse(record->admin_comment, &is) == 1 && was.nonce &&
	       is.nonce && was.nonce != is.nonce;
}

static void replace_record(struct gov_tracked *job,
			   struct gov_job_record *record)
{
	if (job->own) {
		gov_job_record_free(job->own);
		job->own = record;
		return;
	}
	gov_job_record_free(job->record);
	job->record = record;
}

/* The ledger wants the end as the record has it. */
static void note_end(struct gov_governor *g, struct gov_tracked *job,
		     const struct gov_job_record *record, struct gov_now now)
{
	struct gov_tracked as_ended = *job;

	as_ended.record = (struct gov_job_record *) record;
	gov_tell_end(g, &as_ended, record->ended, now);
}

/* One record of a job list; taken over. */
static void see(struct gov_governor *g, struct gov_job_record *record,
		struct gov_now now)
{
	struct gov_tracked *job = gov_track_find(g, record->id);
	bool fresh;

	if (job && is_other_job(job, record)) {
		gov_track_drop(g, job, now);
		job = NULL;
	}
	fresh = !job;

	if (record->state == GOV_SLURM_ENDED && !record->completing) {
		bool kept = gov_ended_note(g, record);

		if (job) {
			note_end(g, job, record, now);
			gov_track_drop(g, job, now);
		} else if (g->health.ready) {
			gov_tell_unseen(g, record, false, now);
		}
		if (!kept)
			gov_job_record_free(record);
		return;
	}
	if (job) {
		/* Requeued: what it holds until its nodes are free is no part
		 * of the run, as sacct has it. */
		if (record->state == GOV_SLURM_ENDED ||
		    (record->state == GOV_SLURM_PENDING && record->ended))
			note_end(g, job, record, now);
		replace_record(job, record);
	} else {
		job = add(g, record);
		if (!job) {
			gov_log(GOV_LOG_ENGINE, GOV_LOG_ERROR,
				"no memory for job %u", record->id);
			gov_job_record_free(record);
			return;
		}
	}
	job->generation = g->generation;
	if (!g->health.ready)
		return;
	/* Not before all components are seen. */
	if (record->het_id) {
		gov_het_due(g, job);
		return;
	}
	gov_judge(g, job, now);
	if (fresh && record->array_id && record->array_task != GOV_NO_TASK)
		gov_array_split(g, job, now);
}

/* Jobs that a complete list did not have. */
static void drop_unlisted(struct gov_governor *g, struct gov_now now)
{
	size_t i = 0;

	while (i < g->jobs.size) {
		struct gov_tracked *job = g->jobs.slot[i].value;

		/* Removing may move another job into this slot. */
		if (g->jobs.slot[i].id && job->generation != g->generation)
			gov_track_drop(g, job, now);
		else
			i++;
	}
}

void gov_governor_jobs(struct gov_governor *g, struct gov_job_changes *changes,
		       int64_t began, struct gov_now now)
{
	if (!g->health.slurm_up && g->health.jobs_known)
		gov_log(GOV_LOG_SLURM, GOV_LOG_INFO, "slurmctld is back");
	gov_engine_tell_time(g->engine, now.wall);
	if (changes->complete) {
		g->generation++;
		gov_ended_free(g);
	}
	for (size_t i = 0; i < changes->changed_count; i++) {
		see(g, changes->changed[i], now);
		changes->changed[i] = NULL;
	}
	for (size_t i = 0; i < changes->gone_count; i++) {
		struct gov_tracked *job = gov_track_find(g, changes->gone[i]);

		gov_ended_forget(g, changes->gone[i]);

		if (job)
			gov_track_drop(g, job, now);
	}
	if (changes->complete)
		drop_unlisted(g, now);
	gov_het_judge_due(g, now);
	g->health.jobs_known = true;
	g->health.slurm_up = true;
	g->health.jobs_seen = now.wall;
	g->list_began = began;
	gov_provisional_expire(g, began);
	if (g->health.ready && (changes->changed_count || changes->gone_count))
		gov_judge_dependents(g, now);
	gov_governor_tick(g, now);
}

void gov_governor_slurm_down(struct gov_governor *g)
{
	g->health.slurm_up = false;
}

/* ---- views ---- */

const struct gov_tracked *gov_governor_job(const struct gov_governor *g,
					   uint64_t id)
{
	return gov_track_find(g, id);
}

struct search {
	uint32_t id;
	uint32_t task;	 /* GOV_NO_TASK: any */
	uint32_t offset; /* UINT32_MAX: any */
	const struct gov_tracked *found;
};

static void look(const struct gov_tracked *job, void *arg)
{
	const struct gov_job_record *record = job->record;
	struct search *search = arg;
	bool whole = record->array_task == GOV_NO_TASK;

	if (search->offset != UINT32_MAX) {
		if (record->het_id == search->id &&
		    record->het_offset == search->offset)
			search->found = job;
		return;
	}
	if (record->array_id != search->id)
		return;
	if (search->task != GOV_NO_TASK ? record->array_task == search->task ||
						  (whole && !search->found) :
					  whole || !search->found)
		search->found = job;
}

static const struct gov_tracked *find_named(const struct gov_governor *g,
					    const char *text)
{
	struct search search = { .task = GOV_NO_TASK, .offset = UINT32_MAX };
	const struct gov_tracked *job;
	char rest = 0, tail = 0;
	unsigned long number;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return NULL;
	number = strtoul(text, &end, 10);
	if (number > UINT32_MAX)
		return NULL;
	search.id = (uint32_t) number;
	if (*end == '_') {
		if (sscanf(end + 1, "%u%c", &search.task, &rest) != 1)
			search.task = GOV_NO_TASK;
	} else if (*end == '+') {
		if (sscanf(end + 1, "%u%c", &search.offset, &tail) != 1)
			return NULL;
	} else if (*end) {
		return NULL;
	} else {
		job = gov_governor_job(g, number);
		if (job)
			return job;
	}
	gov_governor_each(g, look, &search);
	return search.found;
}

const struct gov_tracked *gov_governor_find(const struct gov_governor *g,
					    const char *text)
{
	const struct gov_tracked *found = find_named(g, text);

	/* Of a het job the head knows. */
	return found ? gov_het_head(g, gov_track_find(g, found->id)) : NULL;
}

void gov_governor_each(const struct gov_governor *g,
		       void (*visit)(const struct gov_tracked *job, void *arg),
		       void *arg)
{
	for (size_t i = 0; i < g->jobs.size; i++)
		if (g->jobs.slot[i].id)
			visit(g->jobs.slot[i].value, arg);
}
