/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job arrays: admission is per task.
 *
 * Slurm keeps the tasks that wait in one record and splits a task off when it
 * starts, or when it is released alone.  For the engine the record is one
 * waiting task, the next; when that is admitted it moves to the charge of the
 * array's admitted tasks (an engine job of its own, GOV_TASKS_BIT) and the
 * task after it waits.  The admitted ones are released in one update, which
 * splits them off; as records of their own they carry their own charge.  A
 * record that is not held is admitted as a whole.
 */
#include <stdio.h>
#include <string.h>

#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"

#define RELEASE_MAX 256 /* tasks in one update */

bool gov_is_array(const struct gov_job_record *record)
{
	return record->array_id && record->array_task == GOV_NO_TASK &&
	       record->state == GOV_SLURM_PENDING;
}

uint64_t gov_array_tasks_id(const struct gov_tracked *job)
{
	return GOV_TASKS_BIT | job->record->array_id;
}

static uint64_t waiting_tasks(const struct gov_job_record *record)
{
	int64_t count = gov_array_count(record->array_tasks, NULL);

	return count < 1 ? 1 : (uint64_t) count;
}

/* Tasks of the array that are records of their own and charged. */
static uint32_t live_tasks(const struct gov_governor *g, uint32_t array_id)
{
	uint32_t count = 0;

	for (size_t i = 0; i < g->jobs.size; i++) {
		const struct gov_tracked *job = g->jobs.slot[i].value;
		const struct gov_job *known;

		if (!g->jobs.slot[i].id || job->record->array_id != array_id ||
		    job->record->array_task == GOV_NO_TASK)
			continue;
		known = gov_engine_job(g->engine, job->id);
		count += known && known->state >= GOV_JOB_CLAIMING;
	}
	return count;
}

/* How many more may be in use at once, by the %N of --array. */
static uint64_t room(const struct gov_governor *g,
		     const struct gov_tracked *job)
{
	uint32_t limit = job->record->array_limit, live;

	if (!limit)
		return UINT64_MAX;
	live = live_tasks(g, job->record->array_id);
	return live < limit ? limit - live : 0;
}

/* Charge what is admitted of an array that is held; nothing if it is 0. */
static void charge(struct gov_governor *g, const struct gov_tracked *job,
		   const struct gov_request *request,
		   const struct gov_job *head, uint64_t tasks)
{
	struct gov_job pool = *head;

	if (!tasks) {
		gov_engine_remove(g->engine, gov_array_tasks_id(job));
		return;
	}
	pool.id = gov_array_tasks_id(job);
	pool.state = GOV_JOB_ADMITTED;
	pool.asker = 0;
	pool.request = *request;
	gov_request_scale(&pool.request, tasks);
	if (gov_engine_put(g->engine, &pool, NULL))
		gov_log(GOV_LOG_ENGINE, GOV_LOG_ERROR,
			"no memory to charge the tasks of array %u",
			job->record->array_id);
}

void gov_array_judge(struct gov_governor *g, struct gov_tracked *job,
		     const struct gov_request *request,
		     enum gov_job_state state, struct gov_job *out)
{
	uint64_t count = waiting_tasks(job->record), most = room(g, job);
	bool whole = !job->record->held && state == GOV_JOB_ADMITTED;

	out->request = *request;
	out->state = state;
	if (most > count)
		most = count;
	if (!job->record->held || state == GOV_JOB_INELIGIBLE)
		job->admitted_tasks = 0;
	if (job->admitted_tasks > count)
		job->admitted_tasks = (uint32_t) count;
	/* The whole record is to be released. */
	whole |= state != GOV_JOB_INELIGIBLE &&
		 (job->admitted_tasks == count || job->stamp.released);
	if (whole || state == GOV_JOB_INELIGIBLE) {
		gov_array_drop_claims(g, job);
		charge(g, job, request, out, 0);
		if (!whole)
			return;
		gov_request_scale(&out->request, most);
		out->state = GOV_JOB_ADMITTED;
		return;
	}
	gov_array_fit_claims(g, job, request,
			     most > job->admitted_tasks ?
				     most - job->admitted_tasks :
				     0);
	if (job->admitted_tasks + job->claiming_tasks >= most)
		out->state = GOV_JOB_INELIGIBLE;
	else if (state != GOV_JOB_CLAIMING)
		out->state = GOV_JOB_WAITING;
	charge(g, job, request, out, job->admitted_tasks);
}

void gov_array_admit(struct gov_governor *g, struct gov_tracked *job,
		     uint64_t id, struct gov_now now)
{
	job->admitted_tasks++;
	gov_judge(g, job, now);
	gov_array_repoint(g, job, id);
}

void gov_array_forget(struct gov_governor *g, struct gov_tracked *job)
{
	job->admitted_tasks = 0;
	gov_engine_remove(g->engine, GOV_TASKS_BIT | job->id);
	gov_array_drop_claims(g, job);
}

void gov_array_withdraw(struct gov_governor *g, struct gov_tracked *job,
			struct gov_now now)
{
	job->admitted_tasks = 0;
	gov_judge(g, job, now);
}

void gov_array_split(struct gov_governor *g, const struct gov_tracked *task,
		     struct gov_now now)
{
	struct gov_tracked *job = gov_track_find(g, task->record->array_id);

	if (!job || job == task || !gov_is_array(job->record))
		return;
	if (job->frees_task && task->record->array_task == job->freed_task) {
		job->frees_task = false;
		job->tries = 0;
		job->retry = 0;
		return;
	}
	if (!job->admitted_tasks)
		return;
	if (task->stamp.state == GOV_STAMP_ADMITTED) {
		job->admitted_tasks--;
		/* The last release has helped: the next is no vain try. */
		job->tries = 0;
		job->retry = 0;
	}
	gov_judge(g, job, now);
}

void gov_array_task_gone(struct gov_governor *g, uint32_t array_id,
			 struct gov_now now)
{
	struct gov_tracked *job = gov_track_find(g, array_id);

	if (job && gov_is_array(job->record) && job->record->array_limit)
		gov_judge(g, job, now);
}

uint32_t gov_array_release_list(const struct gov_tracked *job, char *text,
				size_t size)
{
	uint32_t tasks = job->admitted_tasks;

	if (!tasks || !gov_is_array(job->record))
		return 0;
	return gov_array_first(job->record->array_tasks,
			       tasks < RELEASE_MAX ? tasks : RELEASE_MAX, text,
			       size);
}
