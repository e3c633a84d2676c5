/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From where the engine is and what Slurm shows to the next action of a job.
 *
 * Order matters in two places.  A running job is stamped with its deadline
 * before it is signalled, so that a crash in between neither forgets nor
 * shortens the grace; and a release and its stamp are one update, so that no
 * job is ever free without being known as admitted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"
#include "slurmgovd/when.h"

#define ADDRESS_SIZE 65536
/* After so many vain tries a job that cannot be requeued is cancelled. */
#define STOP_TRIES 4
/* ... and so many vain stamps do not put off its stop. */
#define STAMP_TRIES 3

/* What the record shows of our stamp. */
struct shown {
	struct gov_stamp stamp;
	bool any;
};

static void read_shown(const struct gov_tracked *job, struct shown *shown)
{
	shown->any = gov_stamp_parse(job->record->admin_comment,
				     &shown->stamp) == 1;
}

static bool stamp_equal(const struct gov_stamp *a, const struct gov_stamp *b)
{
	char x[GOV_STAMP_TEXT], y[GOV_STAMP_TEXT];

	return gov_stamp_format(a, x, sizeof(x)) > 0 &&
	       gov_stamp_format(b, y, sizeof(y)) > 0 && !strcmp(x, y);
}

static bool stamp_shows(const struct gov_tracked *job,
			const struct shown *shown)
{
	return shown->any && stamp_equal(&shown->stamp, &job->stamp);
}

/* ---- making actions ---- */

static struct gov_action *make(struct gov_governor *g,
			       const struct gov_tracked *job,
			       enum gov_action_kind kind, bool *memory)
{
	struct gov_action *action = calloc(1, sizeof(*action));
	char *address = malloc(ADDRESS_SIZE);

	if (!action || !address) {
		*memory = false;
		free(action);
		free(address);
		return NULL;
	}
	if (gov_job_record_address(job->record, address, ADDRESS_SIZE)) {
		gov_log(GOV_LOG_SLURM, GOV_LOG_ERROR,
			"job %" PRIu64 " cannot be addressed: Slurm cut its "
			"list of tasks",
			job->id);
		free(action);
		free(address);
		return NULL;
	}
	action->kind = kind;
	action->job = job->id;
	action->address = address;
	return action;
}

static struct gov_action *make_update(struct gov_governor *g,
				      const struct gov_tracked *job,
				      enum gov_hold hold, bool begin_now,
				      const struct gov_stamp *stamp, bool write,
				      bool *memory)
{
	struct gov_action *action;

	if (hold == GOV_HOLD_KEEP && !begin_now && !write)
		return NULL;
	action = make(g, job, GOV_ACT_UPDATE, memory);
	if (!action)
		return NULL;
	action->hold = hold;
	action->begin_now = begin_now;
	if (!write)
		return action;
	action->comment = gov_stamp_apply(job->record->admin_comment, stamp);
	if (!action->comment) {
		*memory = false;
		gov_action_free(action);
		return NULL;
	}
	return action;
}

/* ---- pending jobs ---- */

static enum gov_hold wanted_hold(const struct gov_tracked *job,
				 enum gov_job_state state, bool sure)
{
	const struct gov_job_record *record = job->record;

	if (state == GOV_JOB_ADMITTED || sure)
		return record->held || job->uneven ? GOV_HOLD_RELEASE :
						     GOV_HOLD_KEEP;
	/* The user's own hold stays the user's: he may release it. */
	if (job->stamp.user_hold)
		return record->held ? GOV_HOLD_KEEP : GOV_HOLD_USER;
	if (!record->held || record->reason == GOV_REASON_HELD_USER)
		return GOV_HOLD_ADMIN;
	return GOV_HOLD_KEEP;
}

/* One task of an array, in spite of quota. */
static struct gov_action *plan_freed_task(struct gov_governor *g,
					  struct gov_tracked *job, bool *memory)
{
	struct gov_stamp stamp = job->stamp;
	struct gov_action *action;

	if (!gov_is_array(job->record) ||
	    !gov_array_has(job->record->array_tasks, job->freed_task)) {
		job->frees_task = false;
		return NULL;
	}
	stamp.state = GOV_STAMP_ADMITTED;
	stamp.released = true;
	stamp.asker = 0;
	action = make_update(g, job, GOV_HOLD_RELEASE, false, &stamp, true,
			     memory);
	if (action)
		snprintf(action->address, ADDRESS_SIZE, "%u_%u",
			 job->record->array_id, job->freed_task);
	return action;
}

/* The tasks of an array that may go; the others stay held. */
static struct gov_action *plan_tasks(struct gov_governor *g,
				     struct gov_tracked *job, bool *memory)
{
	struct gov_stamp stamp = job->stamp;
	struct gov_action *action;
	char list[2048];

	if (!gov_array_release_list(job, list, sizeof(list)))
		return NULL;
	stamp.state = GOV_STAMP_ADMITTED;
	stamp.asker = 0;
	action = make_update(g, job, GOV_HOLD_RELEASE, false, &stamp, true,
			     memory);
	if (!action)
		return NULL;
	snprintf(action->address, ADDRESS_SIZE, "%u_[%s]",
		 job->record->array_id, list);
	return action;
}

static struct gov_action *plan_pending(struct gov_governor *g,
				       struct gov_tracked *job,
				       const struct shown *shown,
				       enum gov_job_state state,
				       struct gov_now now, bool *memory)
{
	const struct gov_job_record *record = job->record;
	bool sure = gov_claim_is_sure(g, job);
	enum gov_hold hold = wanted_hold(job, state, sure);
	struct gov_action *action;
	bool begin_now;

	if (job->frees_task) {
		action = plan_freed_task(g, job, memory);
		if (action || !*memory)
			return action;
	}
	if (state != GOV_JOB_ADMITTED && record->held) {
		action = plan_tasks(g, job, memory);
		if (action || !*memory)
			return action;
	}

	/* Released together with its stamp, or not at all. */
	if (hold == GOV_HOLD_RELEASE && now.wall < job->not_before)
		return NULL;
	job->stamp.state = state == GOV_JOB_ADMITTED ? GOV_STAMP_ADMITTED :
			   state == GOV_JOB_CLAIMING ? GOV_STAMP_CLAIMING :
						       GOV_STAMP_WAITING;
	/* One that governance took back need not sit out Slurm's delay. */
	begin_now = hold == GOV_HOLD_RELEASE && record->begin > now.wall;
	job->let_go = sure;
	return make_update(g, job, hold, begin_now, &job->stamp,
			   !stamp_shows(job, shown), memory);
}

/* ---- running jobs ---- */

static struct gov_action *plan_stop(struct gov_governor *g,
				    struct gov_tracked *job, bool *memory)
{
	const struct gov_job *known = gov_engine_job(g->engine, job->id);
	bool requeue = known && known->requeueable && job->tries < STOP_TRIES;

	return make(g, job, requeue ? GOV_ACT_REQUEUE : GOV_ACT_CANCEL, memory);
}

/* "…: it must end by 17:30:00, and is requeued"; NULL: no memory. */
static char *notice(const struct gov_governor *g, const struct gov_tracked *job)
{
	const struct gov_job *known = gov_engine_job(g->engine, job->id);
	char when[GOV_WHEN_SIZE], *text;

	if (asprintf(&text,
		     "governance: its quota is wanted by job %" PRIu64
		     ": job %" PRIu64 " is given notice, and %s by %s",
		     GOV_JOB_SHOWN(job->stamp.asker), job->id,
		     known && known->requeueable ? "requeued" : "cancelled",
		     gov_when(job->stamp.deadline, when)) < 0)
		return NULL;
	return text;
}

static struct gov_action *plan_signal(struct gov_governor *g,
				      struct gov_tracked *job, bool *memory)
{
	struct gov_action *action = make(g, job, GOV_ACT_SIGNAL, memory);
	struct gov_terms terms;

	if (!action)
		return NULL;
	gov_policy_terms(g->policy, job->team, job->class, &terms);
	/* What its user has prepared it for. */
	action->signal = job->stamp.signal ? job->stamp.signal : terms.signal;
	/* As Slurm does with it: a shell that is not prepared would die. */
	if (job->stamp.signal)
		action->to = job->stamp.signal_batch ? GOV_SIGNAL_BATCH :
						       GOV_SIGNAL_STEPS;
	/* Without a word it still gets the signal. */
	action->message = notice(g, job);
	return action;
}

static struct gov_action *plan_reclaim(struct gov_governor *g,
				       struct gov_tracked *job,
				       const struct shown *shown,
				       struct gov_now now, bool *memory)
{
	bool written = stamp_shows(job, shown);
	bool late = job->stop_due && job->tries >= STAMP_TRIES;

	job->stamp.state = GOV_STAMP_RECLAIMING;
	if (!written && !job->stamp_acked && !late)
		return make_update(g, job, GOV_HOLD_KEEP, false, &job->stamp,
				   true, memory);
	if (job->stop_due)
		return plan_stop(g, job, memory);
	if (!job->stamp.signalled)
		return now.wall < job->stamp.deadline ?
			       plan_signal(g, job, memory) :
			       NULL;
	/* That it was told is worth another update, but not a retry storm. */
	return make_update(g, job, GOV_HOLD_KEEP, false, &job->stamp, !written,
			   memory);
}

/* Does the record say how the job came to run, what operators ordered, and
 * when it saved its work? */
static bool origin_shown(const struct gov_tracked *job,
			 const struct shown *shown)
{
	return shown->stamp.checkpoint == job->stamp.checkpoint &&
	       shown->stamp.unadmitted == job->stamp.unadmitted &&
	       shown->stamp.exempt == job->stamp.exempt &&
	       shown->stamp.released == job->stamp.released &&
	       shown->stamp.ordered == job->stamp.ordered;
}

static struct gov_action *plan_running(struct gov_governor *g,
				       struct gov_tracked *job,
				       const struct shown *shown,
				       enum gov_job_state state,
				       struct gov_now now, bool *memory)
{
	enum gov_hold hold = GOV_HOLD_KEEP;

	if (job->record->completing)
		return NULL;
	if (state == GOV_JOB_RECLAIMING)
		return plan_reclaim(g, job, shown, now, memory);
	job->stamp.state = GOV_STAMP_ADMITTED;
	/*
	 * A job that never had a stamp runs without: it would cost an update
	 * and tell a restarted governor nothing that the list does not.
	 */
	if (shown->any ? shown->stamp.state == GOV_STAMP_ADMITTED &&
				 origin_shown(job, shown) :
			 !job->was_stamped && !job->stamp.ordered &&
				 !job->stamp.checkpoint)
		return NULL;
	/* Started while its hold was on the way: no hold after a requeue. */
	if (job->record->held)
		hold = GOV_HOLD_RELEASE;
	return make_update(g, job, hold, false, &job->stamp, true, memory);
}

/*
 * A job of scrontab's cannot be held and takes no stamp; in a reclaim it is
 * told and stopped at its nodes, and comes back at its next time.
 */
static struct gov_action *plan_cron(struct gov_governor *g,
				    struct gov_tracked *job,
				    const struct gov_job *known,
				    struct gov_now now, bool *memory)
{
	struct gov_action *action = NULL;

	if (job->standing != GOV_STANDING_GOVERNED || !known ||
	    known->state != GOV_JOB_RECLAIMING || job->record->completing)
		return NULL;
	job->stamp_acked = true;
	if (job->stop_due)
		return make(g, job, GOV_ACT_END_CRON, memory);
	if (!job->stamp.signalled && now.wall < job->stamp.deadline)
		action = plan_signal(g, job, memory);
	if (action)
		action->cron = true;
	return action;
}

/* ---- jobs that are not governed ---- */

static struct gov_action *plan_free(struct gov_governor *g,
				    struct gov_tracked *job,
				    const struct shown *shown, bool *memory)
{
	const struct gov_job_record *record = job->record;

	if (record->state != GOV_SLURM_PENDING || record->completing ||
	    !shown->any || !record->held || shown->stamp.user_hold ||
	    shown->stamp.state == GOV_STAMP_ADMITTED)
		return NULL;
	/* Held by a policy that no longer applies to it. */
	return make_update(g, job, GOV_HOLD_RELEASE, false, NULL, true, memory);
}

static struct gov_action *plan_stray(struct gov_governor *g,
				     struct gov_tracked *job,
				     const struct shown *shown, bool *memory)
{
	const struct gov_job_record *record = job->record;

	if (record->state != GOV_SLURM_PENDING || record->completing ||
	    record->held)
		return NULL;
	job->stamp.state = GOV_STAMP_UNDECIDED;
	return make_update(g, job, GOV_HOLD_ADMIN, false, &job->stamp,
			   !stamp_shows(job, shown), memory);
}

struct gov_action *gov_plan(struct gov_governor *g, struct gov_tracked *job,
			    struct gov_now now, bool *memory)
{
	const struct gov_job *known = gov_engine_job(g->engine, job->id);
	const struct gov_job_record *record = job->record;
	struct shown shown;

	*memory = true;
	read_shown(job, &shown);
	if (record->cron)
		return plan_cron(g, job, known, now, memory);
	if (gov_het_follows(g, job))
		return NULL;
	if (job->standing == GOV_STANDING_FREE)
		return plan_free(g, job, &shown, memory);
	if (job->standing == GOV_STANDING_STRAY)
		return plan_stray(g, job, &shown, memory);
	if (!known || !job->judged)
		return NULL;
	if (record->state == GOV_SLURM_PENDING && !record->completing)
		return plan_pending(g, job, &shown, known->state, now, memory);
	return plan_running(g, job, &shown, known->state, now, memory);
}

/* ---- observe mode ---- */

static void observe_hold(struct gov_governor *g, struct gov_tracked *job,
			 struct gov_now now)
{
	const struct gov_job *known = gov_engine_job(g->engine, job->id);
	struct gov_explanation explanation;
	char why[GOV_MESSAGE_SIZE] = "";
	bool hold = known && (known->state == GOV_JOB_WAITING ||
			      known->state == GOV_JOB_CLAIMING);

	if (hold == job->observed_hold)
		return;
	job->observed_hold = hold;
	if (!hold) {
		gov_log(GOV_LOG_ENGINE, GOV_LOG_INFO,
			"observe: would release job %" PRIu64, job->id);
		return;
	}
	if (!gov_engine_explain(g->engine, job->id, now.wall, &explanation,
				NULL)) {
		gov_explanation_sentence(g->engine, job->id, &explanation, why,
					 sizeof(why));
		gov_explanation_free(&explanation);
	}
	gov_log(GOV_LOG_ENGINE, GOV_LOG_INFO,
		"observe: would hold job %" PRIu64 ": %s", job->id, why);
}

/* A deadline that was written down in an earlier mode must not stand there
 * for the next one to find. */
static struct gov_action *plan_called_back(struct gov_governor *g,
					   struct gov_tracked *job,
					   const struct shown *shown,
					   bool *memory)
{
	struct gov_stamp stamp = job->stamp;

	if (job->record->completing || !shown->any ||
	    shown->stamp.state != GOV_STAMP_RECLAIMING)
		return NULL;
	gov_stamp_call_back(&stamp);
	return make_update(g, job, GOV_HOLD_KEEP, false, &stamp, true, memory);
}

struct gov_action *gov_plan_observe(struct gov_governor *g,
				    struct gov_tracked *job, struct gov_now now,
				    bool *memory)
{
	const struct gov_job_record *record = job->record;
	struct gov_action *action;
	struct shown shown;

	*memory = true;
	if (record->cron)
		return NULL;
	if (gov_het_follows(g, job))
		return NULL;
	/* What was held before this mode was switched on is let go. */
	read_shown(job, &shown);
	action = plan_free(g, job, &shown, memory);
	if (action || job->standing != GOV_STANDING_GOVERNED)
		return action;
	if (record->state == GOV_SLURM_PENDING && !record->completing) {
		observe_hold(g, job, now);
		return NULL;
	}
	job->observed_hold = false;
	return plan_called_back(g, job, &shown, memory);
}
