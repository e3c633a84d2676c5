/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Order what is missing, one action a job at a time, and look at what came of
 * it: a job stays in the list of dirty ones until a job list that was asked
 * for after its last action shows what it should.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"

#define BACKOFF_FIRST 250 /* ms after a second try that did not help */
#define BACKOFF_MAX 60000

void gov_action_free(struct gov_action *action)
{
	if (!action)
		return;
	free(action->address);
	free(action->comment);
	free(action->message);
	free(action);
}

static int64_t backoff(uint32_t tries)
{
	int64_t wait = BACKOFF_FIRST;

	while (tries-- > 1 && wait < BACKOFF_MAX)
		wait *= 2;
	return wait < BACKOFF_MAX ? wait : BACKOFF_MAX;
}

static void post(struct gov_governor *g, struct gov_tracked *job,
		 struct gov_action *action)
{
	if (!++g->sequence)
		g->sequence = 1;
	action->sequence = g->sequence;
	job->action = action->sequence;
	job->tries++;
	g->health.updates_waiting++;
	*g->last_action = action;
	g->last_action = &action->next;
}

struct gov_action *gov_governor_action(struct gov_governor *g)
{
	struct gov_action *action = g->first_action;

	if (!action)
		return NULL;
	g->first_action = action->next;
	if (!g->first_action)
		g->last_action = &g->first_action;
	action->next = NULL;
	return action;
}

static void wake_at(struct gov_governor *g, int64_t mono)
{
	if (mono < g->next_retry)
		g->next_retry = mono;
}

/*
 * A record from before the end of the job's last action proves nothing.  In
 * a reclaim the signal, the stop and the release of the asker follow the
 * answer to the step before instead.
 */
static bool is_stale(const struct gov_governor *g,
		     const struct gov_tracked *job)
{
	if (!job->settled || job->settled < g->list_began)
		return false;
	if (!job->let_go && gov_claim_is_sure(g, job))
		return false;
	return !(job->stamp.state == GOV_STAMP_RECLAIMING && job->stamp_acked &&
		 !job->tries && (job->stop_due || !job->stamp.signalled));
}

/* true: the job must be looked at again. */
static bool reconcile_job(struct gov_governor *g, struct gov_tracked *job,
			  struct gov_now now)
{
	struct gov_action *action;
	bool memory;

	if (job->action || is_stale(g, job))
		return true;
	if (now.mono < job->retry) {
		wake_at(g, job->retry);
		return true;
	}
	action = gov_is_observing(g) ? gov_plan_observe(g, job, now, &memory) :
				       gov_plan(g, job, now, &memory);
	if (action) {
		post(g, job, action);
		return true;
	}
	if (!memory) {
		job->retry = now.mono + backoff(++job->tries);
		wake_at(g, job->retry);
		return true;
	}
	job->tries = 0;
	if (now.wall < job->not_before) {
		wake_at(g, now.mono + 1000 * (job->not_before - now.wall));
		return true;
	}
	return false;
}

void gov_reconcile(struct gov_governor *g, struct gov_now now)
{
	struct gov_tracked *job = g->dirty, *next;

	g->dirty = NULL;
	g->next_retry = INT64_MAX;
	for (; job; job = next) {
		next = job->next_dirty;
		job->dirty = false;
		if (reconcile_job(g, job, now))
			gov_mark_dirty(g, job);
	}
}

/* ---- results ---- */

static void succeeded(struct gov_governor *g, struct gov_tracked *job,
		      const struct gov_action *action)
{
	job->was_stamped |= action->comment != NULL;
	if (job->stamp.state != GOV_STAMP_RECLAIMING || gov_is_observing(g))
		return;
	if (action->kind == GOV_ACT_UPDATE && action->comment) {
		job->stamp_acked = true;
		job->tries = 0;
	}
	if (action->kind == GOV_ACT_SIGNAL) {
		job->stamp.signalled = true;
		job->tries = 0;
	}
	if (action->kind == GOV_ACT_REQUEUE || action->kind == GOV_ACT_CANCEL) {
		job->stop_acked = true;
		gov_tell_claim(g, job);
	}
}

static void failed(struct gov_governor *g, struct gov_tracked *job,
		   const struct gov_action *action)
{
	enum gov_log_level level = GOV_LOG_VERBOSE;

	/* Once, and again if it goes on for long. */
	if (action->outcome == GOV_OUTCOME_REFUSED &&
	    (job->tries == 1 || job->tries == 8))
		level = GOV_LOG_ERROR;
	gov_log(GOV_LOG_SLURM, level, "%s", action->error.text);
	/* A signal that finds nothing to signal has been given. */
	if (action->kind == GOV_ACT_SIGNAL &&
	    action->outcome != GOV_OUTCOME_DOWN &&
	    action->outcome != GOV_OUTCOME_BUSY)
		job->stamp.signalled = true;
}

/* Whatever became of the job, slurmctld was asked. */
static void count(struct gov_governor *g, const struct gov_action *action)
{
	struct gov_governor_health *health = &g->health;
	uint64_t took = action->took > 0 ? (uint64_t) action->took : 0;

	health->updates_waiting--;
	health->update_ms += took;
	if (took > health->update_ms_max)
		health->update_ms_max = took;
	if (action->outcome == GOV_OUTCOME_DONE)
		health->updates++;
	else
		health->update_failures++;
	health->updates_unanswered += action->outcome == GOV_OUTCOME_DOWN ||
				      action->outcome == GOV_OUTCOME_BUSY;
}

void gov_governor_result(struct gov_governor *g,
			 const struct gov_action *action, struct gov_now now)
{
	struct gov_tracked *job = gov_track_find(g, action->job);

	count(g, action);
	if (!job || job->action != action->sequence)
		return;
	job->action = 0;
	job->settled = now.mono;
	if (action->outcome == GOV_OUTCOME_DONE) {
		succeeded(g, job, action);
		/* Done twice and not shown: not so fast any more. */
		job->retry = job->tries > 1 ? now.mono + backoff(job->tries) :
					      0;
	} else {
		failed(g, job, action);
		job->retry = now.mono + backoff(job->tries);
	}
	gov_mark_dirty(g, job);
	g->setup.nudge(g->setup.arg);
}
