/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A governor to try things on.
 *
 * It begins as one does that was restarted this moment: with the job list,
 * what should be written on each job, nodes, members, orders and usage.  What
 * it decides is the same code on the same facts; nobody carries it out.
 */
#include <stdlib.h>
#include <string.h>

#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"

/* Rounds until all is decided; a governor needs a handful. */
#define ROUNDS 1000

static uint64_t no_nonce(void *arg)
{
	return 1;
}

static const char *no_grant(void *arg, const struct gov_grant *wanted)
{
	return NULL;
}

static void no_nudge(void *arg)
{
}

/* ---- what the other one knows ---- */

/* What is known of it beyond its record; indices of the policy are found
 * anew. */
static void copy_known(struct gov_tracked *to, const struct gov_tracked *job)
{
	to->stamp = job->stamp;
	to->was_stamped = job->was_stamped;
	to->judge_again = job->judge_again;
	to->stop_due = job->stop_due;
	to->stamp_acked = job->stamp_acked;
	to->stop_acked = job->stop_acked;
	to->let_go = job->let_go;
	to->has_victims = job->has_victims;
	to->dependency_doubted = job->dependency_doubted;
	to->released_at = job->released_at;
	to->release_asked = job->release_asked;
	to->not_before = job->not_before;
	to->admitted_tasks = job->admitted_tasks;
	to->claiming_tasks = job->claiming_tasks;
	to->claim_numbers = job->claim_numbers;
}

static void copy_all_known(struct gov_governor *to,
			   const struct gov_governor *g)
{
	for (size_t i = 0; i < to->jobs.size; i++)
		if (to->jobs.slot[i].id)
			copy_known(to->jobs.slot[i].value,
				   gov_track_find(g, to->jobs.slot[i].id));
}

static int copy_jobs(struct gov_governor *to, const struct gov_governor *g,
		     struct gov_now now)
{
	struct gov_job_changes list = { .complete = true };
	int rc = 0;

	list.changed = calloc(g->jobs.count + 1, sizeof(*list.changed));
	if (!list.changed)
		return -1;
	for (size_t i = 0; i < g->jobs.size && !rc; i++) {
		struct gov_job_record *record;

		if (!g->jobs.slot[i].id)
			continue;
		record = gov_job_record_copy(
			gov_het_own(g->jobs.slot[i].value));
		if (record)
			list.changed[list.changed_count++] = record;
		else
			rc = -1;
	}
	if (!rc)
		gov_governor_jobs(to, &list, g->list_began, now);
	for (size_t i = 0; i < list.changed_count; i++)
		gov_job_record_free(list.changed[i]);
	free(list.changed);
	return rc;
}

/* Of those that have ended only dependencies want to know. */
static void copy_ended(struct gov_governor *to, const struct gov_governor *g)
{
	for (size_t i = 0; i < g->ended.size; i++) {
		const struct gov_ended *ended = g->ended.slot[i].value;
		struct gov_job_record record = { 0 };

		if (!g->ended.slot[i].id)
			continue;
		record.id = ended->id;
		record.array_id = ended->array_id;
		record.array_task = ended->array_task;
		record.ended = ended->ended;
		record.success = ended->success;
		gov_ended_note(to, &record);
	}
}

static int copy_orders(struct gov_governor *to, const struct gov_governor *g)
{
	struct gov_orders orders = g->orders;
	size_t count = orders.drained_count;

	orders.drained = calloc(count + 1, sizeof(*orders.drained));
	if (!orders.drained)
		return -1;
	if (count)
		memcpy(orders.drained, g->orders.drained,
		       count * sizeof(*orders.drained));
	gov_governor_set_orders(to, &orders);
	return 0;
}

static int copy_members(struct gov_governor *to, const struct gov_governor *g)
{
	if (!g->members)
		return 0;
	to->members = gov_members_rebase(g->members, g->policy, g->policy);
	to->health.members_known = to->members != NULL;
	return to->members ? 0 : -1;
}

static void copy_mean(const struct gov_usage_mean *mean, void *arg)
{
	struct gov_governor *to = arg;

	gov_engine_put_usage(to->engine, mean, NULL);
}

/* What only the engine knows of a job, and jobs that are no job of Slurm's.
 * The shape is one of the other engine's numbers. */
static void copy_engine_job(const struct gov_job *job, void *arg)
{
	struct gov_governor *to = arg;
	const struct gov_job *mine = gov_engine_job(to->engine, job->id);
	struct gov_job copy = *job;

	copy.shape = mine ? mine->shape : 0;
	gov_engine_put(to->engine, &copy, NULL);
}

/* ---- time ---- */

/* What is asked of time alone; a clone has nothing else to wait for. */
static void decide_all(struct gov_governor *g, struct gov_now now)
{
	struct gov_action *action;
	int round = 0;

	do {
		gov_governor_tick(g, now);
		while ((action = gov_governor_action(g)))
			gov_action_free(action);
	} while (g->unfinished && ++round < ROUNDS);
}

static int copy_all(struct gov_governor *to, const struct gov_governor *g,
		    struct gov_now now)
{
	struct gov_machine *machine = gov_machine_copy(g->machine);

	if (!machine)
		return -1;
	gov_engine_each_usage(g->engine, copy_mean, to);
	if (copy_orders(to, g) || copy_jobs(to, g, now) ||
	    copy_members(to, g)) {
		gov_machine_free(machine);
		return -1;
	}
	copy_ended(to, g);
	copy_all_known(to, g);
	gov_governor_set_machine(to, machine, now);
	/* It has judged as after a restart, which knows less. */
	copy_all_known(to, g);
	gov_engine_each(g->engine, copy_engine_job, to);
	decide_all(to, now);
	return 0;
}

struct gov_governor *gov_rehearsal_create(const struct gov_governor *g,
					  struct gov_now now,
					  struct gov_error *error)
{
	const struct gov_governor_setup setup = {
		.slurm_uid = g->setup.slurm_uid,
		.nonce = no_nonce,
		.grant = no_grant,
		.nudge = no_nudge,
	};
	struct gov_governor *to;
	bool muted;

	if (!g->health.ready) {
		gov_error_set(
			error, GOV_E_STATE,
			"the governor does not know Slurm's jobs and nodes yet: try again in some seconds");
		return NULL;
	}
	muted = gov_log_mute(true);
	to = gov_governor_create(&setup, g->policy, error);
	if (to && copy_all(to, g, now)) {
		gov_error_set(error, GOV_E_NOMEM, "no memory to try it");
		gov_governor_destroy(to);
		to = NULL;
	}
	gov_log_mute(muted);
	return to;
}

int gov_rehearsal_set_policy(struct gov_governor *rehearsal,
			     struct gov_policy *policy, struct gov_now now,
			     struct gov_error *error)
{
	bool muted = gov_log_mute(true);
	int rc = gov_governor_set_policy(rehearsal, policy, now, error);

	if (!rc)
		decide_all(rehearsal, now);
	gov_log_mute(muted);
	return rc;
}
