/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what Slurm shows of a job to what the engine must know of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"

/* How the job stood before this record, by the engine or else the stamp. */
static enum gov_job_state prior_state(const struct gov_governor *g,
				      const struct gov_tracked *job)
{
	const struct gov_job *known = gov_engine_job(g->engine, job->id);

	if (known)
		return known->state;
	switch (job->stamp.state) {
	case GOV_STAMP_CLAIMING: return GOV_JOB_CLAIMING;
	case GOV_STAMP_ADMITTED:
		return job->judge_again ? GOV_JOB_WAITING : GOV_JOB_ADMITTED;
	case GOV_STAMP_RECLAIMING: return GOV_JOB_RECLAIMING;
	default: return GOV_JOB_WAITING;
	}
}

static bool may_requeue(const struct gov_governor *g,
			const struct gov_tracked *job)
{
	struct gov_terms terms;

	gov_policy_terms(g->policy, job->team, job->class, &terms);
	return job->record->submission.batch &&
	       job->record->submission.requeue &&
	       terms.on_reclaim == GOV_RECLAIM_REQUEUE;
}

/* After a restart a task that claimed is one of its array's waiting tasks. */
static uint64_t asker_of(const struct gov_governor *g,
			 const struct gov_stamp *stamp)
{
	if ((stamp->asker & GOV_CLAIM_BIT) &&
	    !(stamp->asker & GOV_PROVISIONAL_BIT) &&
	    !gov_engine_job(g->engine, stamp->asker))
		return GOV_JOB_SHOWN(stamp->asker);
	return stamp->asker;
}

static void fill_job(const struct gov_governor *g,
		     const struct gov_tracked *job, struct gov_job *out)
{
	const struct gov_stamp *stamp = &job->stamp;

	*out = (struct gov_job){
		.id = job->id,
		.team = job->team,
		.project = job->project,
		.class = job->class,
		.user = job->record->submission.uid,
		.submitted = stamp->submitted ? stamp->submitted :
						job->record->submitted,
		.checkpoint = stamp->checkpoint,
		.asker = asker_of(g, stamp),
		.evictions = stamp->evictions,
		.no_borrow = stamp->no_borrow,
		.requeueable = may_requeue(g, job),
		/* One that an operator released is not held again. */
		.exempt = stamp->exempt ||
			  (stamp->released &&
			   job->record->state == GOV_SLURM_PENDING),
	};
}

/* ---- how much ---- */

/* The pool of the stamp if it may still serve, else the first candidate. */
static uint32_t choose_own_pool(const struct gov_governor *g,
				const struct gov_tracked *job, uint32_t team,
				struct gov_request *request)
{
	const struct gov_submission *s = &gov_het_own(job)->submission;
	uint32_t pools[64], wanted = GOV_NONE;
	struct gov_error error;
	size_t count = gov_candidate_pools(g, team, s, pools, 64);

	if (job->stamp.pool[0])
		wanted = gov_policy_find_pool(g->policy, job->stamp.pool);
	for (size_t i = 0; i < count; i++)
		if (pools[i] == wanted &&
		    !gov_estimate(g, s, wanted, request, &error))
			return wanted;
	for (size_t i = 0; i < count; i++)
		if (!gov_estimate(g, s, pools[i], request, &error))
			return pools[i];
	request->count = 0;
	return GOV_NONE;
}

/* Of a het job: the head's pool, and what all components ask for. */
static uint32_t choose_pool(const struct gov_governor *g,
			    const struct gov_tracked *job,
			    struct gov_request *request)
{
	uint32_t pool = choose_own_pool(g, job, job->team, request);
	struct gov_tracked **part;
	size_t count = gov_het_parts(g, job, &part);

	for (size_t i = 0; i < count; i++) {
		struct gov_request own;

		if (part[i] == job)
			continue;
		choose_own_pool(g, part[i], job->team, &own);
		gov_het_add_request(request, &own);
	}
	return pool;
}

/*
 * The request of a pending job.  At submission it was worked out from what
 * was typed, here from what slurmctld made of that; as long as the latter
 * does not change, the former stands.
 */
static void pending_request(const struct gov_governor *g,
			    struct gov_tracked *job,
			    const struct gov_job *known, bool left,
			    struct gov_request *request, bool *grown)
{
	struct gov_request now;
	bool stands;

	job->pool = choose_pool(g, job, &now);
	stands = known && !left && !g->policy_changed &&
		 (!job->estimated || gov_request_equal(&now, &job->estimate));
	*request = stands ? known->request : now;
	*grown = known && !left && !stands && !g->policy_changed &&
		 gov_request_exceeds(&now, &known->request);
	job->estimate = now;
	job->estimated = true;
}

/* As gov_allocation(); of a het job, of all components that are left. */
static int allocated(const struct gov_governor *g,
		     const struct gov_tracked *job, struct gov_request *request,
		     uint32_t *pool)
{
	struct gov_tracked **part;
	size_t count = gov_het_parts(g, job, &part);

	if (gov_allocation(g->policy, gov_het_own(job), request, pool))
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct gov_request own;
		uint32_t other;

		if (part[i] == job)
			continue;
		if (gov_allocation(g->policy, gov_het_own(part[i]), &own,
				   &other))
			return -1;
		gov_het_add_request(request, &own);
	}
	return 0;
}

static void running_request(const struct gov_governor *g,
			    struct gov_tracked *job,
			    const struct gov_job *known,
			    struct gov_request *request)
{
	uint32_t pool;

	if (!allocated(g, job, request, &pool)) {
		if (pool != GOV_NONE)
			job->pool = pool;
		return;
	}
	if (known && !g->policy_changed)
		*request = known->request;
	else
		job->pool = choose_pool(g, job, request);
}

/* ---- in which state ---- */

/* Was the hold that the record shows made by governance? */
static bool hold_is_ours(const struct gov_tracked *job, bool was_waiting)
{
	struct gov_stamp shown;

	/* Somebody may have wiped the stamp of a job that we held. */
	if (gov_stamp_parse(job->record->admin_comment, &shown) != 1)
		return was_waiting;
	return shown.state != GOV_STAMP_ADMITTED;
}

/* Slurm's own delay after a requeue is no wish of the user's. */
static bool begin_is_wished(const struct gov_job_record *record)
{
	return !record->restarts ||
	       record->begin > record->submitted + GOV_REQUEUE_DELAY;
}

/*
 * We took its dependency for fulfilled and released it; if Slurm still does
 * not after a while, Slurm is right.
 */
#define DOUBT_AFTER 30000

static void doubt_dependency(struct gov_tracked *job, struct gov_now now)
{
	const struct gov_job_record *record = job->record;

	if (record->held || !record->dependency_open) {
		job->released_at = 0;
		if (!record->dependency_open)
			job->dependency_doubted = false;
	} else if (!job->released_at) {
		job->released_at = now.mono;
	} else if (now.mono > job->released_at + DOUBT_AFTER) {
		job->dependency_doubted = true;
	}
}

static bool may_start(struct gov_governor *g, const struct gov_tracked *job,
		      struct gov_now now)
{
	const struct gov_job_record *record = job->record;

	if (job->stamp.user_hold)
		return false;
	if (!gov_dependency_fulfilled(g, job)) {
		g->dependents++;
		return false;
	}
	if (record->begin <= now.wall || !begin_is_wished(record))
		return true;
	if (record->begin < g->next_begin)
		g->next_begin = record->begin;
	return false;
}

/*
 * It ran and is back in the queue: what it was told is over.  slurmd compares
 * whole seconds and takes a start in the second of the last kill for a late
 * message of the killed run, so a little time must pass.
 */
static void came_back(struct gov_tracked *job, struct gov_now now)
{
	job->not_before = now.wall + GOV_RESTART_PAUSE;
	if (job->stamp.state == GOV_STAMP_RECLAIMING) {
		job->stamp.evictions++;
		gov_log(GOV_LOG_ENGINE, GOV_LOG_INFO,
			"job %llu was taken back (eviction %u) and waits",
			(unsigned long long) job->id, job->stamp.evictions);
	}
	job->stamp.state = GOV_STAMP_WAITING;
	/* The operator's word was for the run that is over. */
	job->stamp.released = false;
	job->stamp.unadmitted = false;
	job->stamp.deadline = 0;
	job->stamp.rule = 0;
	job->stamp.signalled = false;
	job->stamp_acked = false;
	job->stop_acked = false;
	job->stop_due = false;
}

static enum gov_job_state pending_state(struct gov_governor *g,
					struct gov_tracked *job,
					enum gov_job_state prior, bool grown,
					struct gov_now now)
{
	const struct gov_job_record *record = job->record;

	bool was_waiting = job->judged && (prior == GOV_JOB_WAITING ||
					   prior == GOV_JOB_CLAIMING);
	bool foreign = record->held && !hold_is_ours(job, was_waiting);

	if (!foreign)
		job->release_asked = false;
	if (foreign && !job->stamp.user_hold && !job->release_asked) {
		gov_log(GOV_LOG_ENGINE, GOV_LOG_VERBOSE,
			"job %llu is held by others",
			(unsigned long long) job->id);
		job->stamp.user_hold = true;
	}
	if (!record->held)
		job->stamp.user_hold = false;
	doubt_dependency(job, now);
	if (!may_start(g, job, now))
		return GOV_JOB_INELIGIBLE;
	if (job->stamp.released)
		return GOV_JOB_ADMITTED;
	if (grown) {
		gov_log(GOV_LOG_ENGINE, GOV_LOG_INFO,
			"job %llu asks for more than was judged; it is judged "
			"again",
			(unsigned long long) job->id);
		return GOV_JOB_WAITING;
	}
	if (prior == GOV_JOB_ADMITTED || prior == GOV_JOB_CLAIMING)
		return prior;
	return GOV_JOB_WAITING;
}

static void judge_array(struct gov_governor *g, struct gov_tracked *job,
			enum gov_job_state prior, struct gov_job *out,
			struct gov_now now)
{
	struct gov_request request;
	enum gov_job_state state;

	job->pool = choose_pool(g, job, &request);
	/* "Admitted" was then said of one task only. */
	if (job->record->held && prior == GOV_JOB_ADMITTED)
		prior = GOV_JOB_WAITING;
	state = pending_state(g, job, prior, false, now);
	gov_array_judge(g, job, &request, state, out);
}

/*
 * One of scrontab's waits for its time and is not ours to release: it asks for
 * nothing until it runs.
 */
static void judge_pending_cron(struct gov_governor *g, struct gov_tracked *job,
			       enum gov_job_state prior, struct gov_job *out,
			       struct gov_now now)
{
	if (prior == GOV_JOB_RECLAIMING)
		came_back(job, now);
	out->evictions = job->stamp.evictions;
	out->asker = 0;
	job->stamp.asker = 0;
	job->pool = choose_pool(g, job, &out->request);
	out->state = GOV_JOB_INELIGIBLE;
}

static void judge_pending(struct gov_governor *g, struct gov_tracked *job,
			  const struct gov_job *known, enum gov_job_state prior,
			  struct gov_job *out, struct gov_now now)
{
	bool left = prior == GOV_JOB_RUNNING || prior == GOV_JOB_RECLAIMING;
	bool moved = known && known->team != out->team;
	bool grown;

	if (job->record->cron) {
		judge_pending_cron(g, job, prior, out, now);
		return;
	}
	if (prior == GOV_JOB_RECLAIMING) {
		came_back(job, now);
		out->evictions = job->stamp.evictions;
		prior = GOV_JOB_WAITING;
	} else if (prior == GOV_JOB_RUNNING) {
		/* Requeued by its user or after a node failure. */
		job->not_before = now.wall + GOV_RESTART_PAUSE;
		prior = job->stamp.unadmitted ? GOV_JOB_WAITING :
						GOV_JOB_ADMITTED;
		job->stamp.unadmitted = false;
	}
	if (moved && !g->policy_changed)
		prior = GOV_JOB_WAITING;
	if (gov_is_array(job->record)) {
		judge_array(g, job, prior, out, now);
		return;
	}
	/* The last task of an array, which keeps the array's id. */
	if (job->admitted_tasks)
		prior = GOV_JOB_ADMITTED;
	if (job->admitted_tasks || job->claim_numbers)
		gov_array_forget(g, job);
	pending_request(g, job, known, left || moved, &out->request, &grown);
	out->state = pending_state(g, job, prior, grown, now);
}

/*
 * It started without our leave: an operator released it behind our back, or
 * it was submitted while nobody governed.
 */
static void note_unadmitted(const struct gov_governor *g,
			    struct gov_tracked *job, enum gov_job_state prior)
{
	struct gov_stamp shown;

	if (prior >= GOV_JOB_ADMITTED || job->admitted_tasks ||
	    job->stamp.unadmitted || job->record->cron || gov_is_observing(g))
		return;
	/* Started while its hold was on the way: it had been admitted; or
	 * those who left for it were on their way out. */
	if (gov_stamp_parse(job->record->admin_comment, &shown) == 1 &&
	    shown.state >= GOV_STAMP_CLAIMING)
		return;
	job->stamp.unadmitted = true;
	gov_log(GOV_LOG_ENGINE, GOV_LOG_INFO,
		"job %llu runs without having been admitted; it counts for "
		"team %s",
		(unsigned long long) job->id, g->policy->unit[job->team].name);
}

static void judge_running(struct gov_governor *g, struct gov_tracked *job,
			  const struct gov_job *known, enum gov_job_state prior,
			  struct gov_job *out)
{
	note_unadmitted(g, job, prior);
	out->state = GOV_JOB_RUNNING;
	out->started = job->record->started;
	if (prior == GOV_JOB_RECLAIMING) {
		out->state = GOV_JOB_RECLAIMING;
		out->deadline = job->stamp.deadline;
		out->rule = job->stamp.rule;
	} else {
		/* It has its place; what it once waited behind is over. */
		job->stamp.asker = 0;
		out->asker = 0;
		job->stamp.user_hold = false;
	}
	job->judge_again = false;
	if (job->admitted_tasks || job->claim_numbers)
		gov_array_forget(g, job);
	running_request(g, job, known, &out->request);
}

/* ---- whose ---- */

static void set_text(struct gov_tracked *job, const struct gov_error *error)
{
	free(job->text);
	job->text = error ? strdup(error->text) : NULL;
	job->code = error ? error->code : GOV_OK;
}

/* A job of nobody's: not the engine's business. */
static void set_apart(struct gov_governor *g, struct gov_tracked *job,
		      enum gov_standing standing, const struct gov_error *error)
{
	if (standing == GOV_STANDING_STRAY && job->standing != standing)
		gov_log(GOV_LOG_ENGINE, GOV_LOG_INFO,
			"job %llu of uid %u belongs to no team: %s",
			(unsigned long long) job->id,
			job->record->submission.uid, error->text);
	gov_engine_remove(g->engine, job->id);
	job->standing = standing;
	job->team = job->project = job->class = GOV_NONE;
	set_text(job, error);
}

static const char *name_of(const char *name)
{
	return name ? name : "";
}

/* Write down what a restarted governor must find. */
static void stamp_names(const struct gov_governor *g, struct gov_tracked *job)
{
	const struct gov_policy *policy = g->policy;
	const char *pool = job->pool != GOV_NONE ?
				   policy->pool[job->pool].name :
				   "";
	const char *project = job->project != GOV_NONE ?
				      policy->project[job->project].name :
				      "";

	snprintf(job->stamp.team, GOV_STAMP_NAME, "%s",
		 name_of(policy->unit[job->team].name));
	snprintf(job->stamp.class_name, GOV_STAMP_NAME, "%s",
		 name_of(policy->class[job->class].name));
	snprintf(job->stamp.project, GOV_STAMP_NAME, "%s", name_of(project));
	snprintf(job->stamp.pool, GOV_STAMP_NAME, "%s", name_of(pool));
}

/* Who it belongs to is told by members to come.  Indices of a policy that is
 * not in force any more must not stay. */
static void set_undecided(const struct gov_governor *g, struct gov_tracked *job)
{
	job->judged = false;
	if (g->policy_changed)
		job->team = job->project = job->class = job->pool = GOV_NONE;
}

bool gov_judge_identify(struct gov_governor *g, struct gov_tracked *job)
{
	struct gov_identity identity;
	struct gov_error error;
	int rc = gov_identify_job(g, job, &identity, &error);

	if (rc) {
		/* Running on a governed account, it uses that team's quota. */
		uint32_t team = GOV_NONE;

		if (job->record->submission.account)
			team = gov_policy_find_account(
				g->policy, job->record->submission.account);
		if (rc < 0 && (team == GOV_NONE ||
			       job->record->state == GOV_SLURM_PENDING)) {
			set_apart(g, job, GOV_STANDING_STRAY, &error);
			return false;
		}
		if (rc > 0) {
			set_undecided(g, job);
			return false;
		}
		identity = (struct gov_identity){ .team = team,
						  .project = GOV_NONE,
						  .class = 0 };
	}
	if (identity.standing == GOV_STANDING_FREE) {
		set_apart(g, job, GOV_STANDING_FREE, NULL);
		return false;
	}
	job->standing = GOV_STANDING_GOVERNED;
	set_text(job, NULL);
	job->team = identity.team;
	job->project = identity.project;
	job->class = identity.class;
	return true;
}

/* When the run ended that it is back in the queue from. */
static gov_time_t requeued_at(const struct gov_job_record *record,
			      const struct gov_job *known, struct gov_now now)
{
	if (record->ended >= known->started && record->ended)
		return record->ended;
	/* Slurm takes a requeue for a new submission. */
	if (record->restarts && record->submitted > known->started)
		return record->submitted;
	return now.wall;
}

static void judge_known(struct gov_governor *g, struct gov_tracked *job,
			struct gov_now now)
{
	const struct gov_job_record *record = job->record;
	const struct gov_job *known = gov_engine_job(g->engine, job->id);
	enum gov_job_state prior = prior_state(g, job);
	struct gov_error error;
	struct gov_job out;

	fill_job(g, job, &out);
	out.on_surplus = known && known->on_surplus;
	out.arrived = known ? known->arrived : 0;
	if (record->state == GOV_SLURM_PENDING && known &&
	    known->state >= GOV_JOB_RUNNING)
		gov_tell_end(g, job, requeued_at(record, known, now), now);
	if (record->state == GOV_SLURM_PENDING && !record->completing)
		judge_pending(g, job, known, prior, &out, now);
	else
		judge_running(g, job, known, prior, &out);
	out.shape = out.state < GOV_JOB_RUNNING ? gov_shape_of(g, job) :
		    known			? known->shape :
						  0;
	job->judged = true;
	stamp_names(g, job);
	if (gov_engine_put(g->engine, &out, &error))
		gov_log(GOV_LOG_ENGINE, GOV_LOG_ERROR, "job %llu: %s",
			(unsigned long long) job->id, error.text);
	else
		gov_tell_run(g, job, now);
}

/* On its way out it holds what it held until its nodes are free. */
static bool is_leaving(const struct gov_governor *g,
		       const struct gov_tracked *job)
{
	return job->record->completing && !g->policy_changed &&
	       gov_engine_job(g->engine, job->id);
}

void gov_judge(struct gov_governor *g, struct gov_tracked *job,
	       struct gov_now now)
{
	gov_mark_dirty(g, job);
	if (job->record->completing)
		gov_tell_claim(g, job);
	if (job->record->het_id) {
		job = gov_het_settle(g, job);
		if (!job)
			return;
		if (!is_leaving(g, job))
			judge_known(g, job, now);
		gov_tell_place(g, job, now);
		return;
	}
	if (!is_leaving(g, job) && gov_judge_identify(g, job))
		judge_known(g, job, now);
	gov_tell_place(g, job, now);
}

/*
 * An asker is charged before its victims are gone.  Where no job leaves for
 * it (the governor died between the two stamps) it waits like any other; but
 * one that is not held was released when its victims were certain to go, and
 * they are gone.
 */
static void settle_claims(struct gov_governor *g, struct gov_now now)
{
	for (size_t i = 0; i < g->jobs.size; i++) {
		const struct gov_tracked *job = g->jobs.slot[i].value;
		const struct gov_job *known;
		bool found = false;
		struct gov_job copy;

		if (!g->jobs.slot[i].id)
			continue;
		known = gov_engine_job(g->engine, job->id);
		if (!known || known->state != GOV_JOB_CLAIMING)
			continue;
		for (size_t j = 0; j < g->jobs.size && !found; j++) {
			const struct gov_tracked *victim =
				g->jobs.slot[j].value;

			found = g->jobs.slot[j].id &&
				victim->stamp.state == GOV_STAMP_RECLAIMING &&
				victim->stamp.asker == job->id;
		}
		if (found)
			continue;
		copy = *known;
		copy.state = GOV_JOB_WAITING;
		if (!job->record->held && !gov_is_array(job->record)) {
			copy.state = GOV_JOB_ADMITTED;
			copy.arrived = now.wall;
		}
		gov_engine_put(g->engine, &copy, NULL);
	}
}

void gov_judge_all(struct gov_governor *g, struct gov_now now)
{
	bool first = !g->policy_changed;

	g->next_begin = INT64_MAX;
	for (size_t i = 0; i < g->jobs.size; i++)
		if (g->jobs.slot[i].id)
			gov_judge(g, g->jobs.slot[i].value, now);
	if (!first)
		return;
	settle_claims(g, now);
	gov_hold_places(g);
}

void gov_judge_begun(struct gov_governor *g, struct gov_now now)
{
	if (now.wall < g->next_begin)
		return;
	g->next_begin = INT64_MAX;
	for (size_t i = 0; i < g->jobs.size; i++) {
		struct gov_tracked *job = g->jobs.slot[i].value;

		if (g->jobs.slot[i].id && job->record->begin &&
		    job->record->state == GOV_SLURM_PENDING)
			gov_judge(g, job, now);
	}
}

void gov_judge_dependents(struct gov_governor *g, struct gov_now now)
{
	if (!g->dependents)
		return;
	g->dependents = 0;
	for (size_t i = 0; i < g->jobs.size; i++) {
		struct gov_tracked *job = g->jobs.slot[i].value;

		if (g->jobs.slot[i].id && job->record->dependency_open &&
		    job->record->state == GOV_SLURM_PENDING)
			gov_judge(g, job, now);
	}
}
