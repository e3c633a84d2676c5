/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the governor says to a scontrol update.
 *
 * In 22.05 the plugin is asked before Slurm has checked who may change the
 * job, so nothing is taken note of unless it comes from the owner or root.
 * Changes of size, account and the like are judged when the job list shows
 * them: only Slurm knows what they come to.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"

struct change {
	struct gov_governor *g;
	const struct gov_submit_request *request;
	struct gov_answer *answer;
	struct gov_now now;
	uint32_t id;   /* "N", or what is before "_" or "+" */
	uint32_t part; /* task or component; UINT32_MAX: all */
	char kind;     /* '\0', '_' or '+' */
	bool any;      /* some job of it is in the list */
};

static bool parse_id(struct change *change)
{
	const char *text = change->request->modification.job_id;
	unsigned long number;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	number = strtoul(text, &end, 10);
	if (number > UINT32_MAX || (*end && *end != '_' && *end != '+'))
		return false;
	change->id = (uint32_t) number;
	change->kind = *end;
	change->part = UINT32_MAX;
	if (*end && end[1] >= '0' && end[1] <= '9') {
		number = strtoul(end + 1, &end, 10);
		/* Lists and ranges of tasks: all that could be meant. */
		if (!*end && number < UINT32_MAX)
			change->part = (uint32_t) number;
	}
	return true;
}

static bool is_meant(const struct change *change,
		     const struct gov_job_record *record)
{
	switch (change->kind) {
	case '_':
		return record->array_id == change->id &&
		       (change->part == UINT32_MAX ||
			record->array_task == change->part ||
			record->array_task == GOV_NO_TASK);
	case '+':
		return record->het_id == change->id &&
		       record->het_offset == change->part;
	default:
		return record->id == change->id ||
		       record->array_id == change->id ||
		       record->het_id == change->id;
	}
}

static bool is_owner(const struct change *change, const struct gov_tracked *job)
{
	uint32_t uid = change->request->modification.uid;

	return uid == 0 || uid == job->record->submission.uid;
}

static bool forbid(const struct change *change, enum gov_code code,
		   const char *text)
{
	struct gov_error error;

	gov_error_set(&error, code, "%s", text);
	gov_answer_refuse(change->g, change->answer, &error);
	return false;
}

/* ---- priority ---- */

static enum gov_job_state state_of(const struct gov_governor *g,
				   const struct gov_tracked *job)
{
	const struct gov_job *known = gov_engine_job(g->engine, job->id);

	return known ? known->state : GOV_JOB_INELIGIBLE;
}

/* Its user (or root) takes back a hold of his own. */
static bool release_user_hold(const struct change *change,
			      struct gov_tracked *job)
{
	struct gov_governor *g = change->g;

	job->stamp.user_hold = false;
	job->release_asked = true;
	gov_judge(g, job, change->now);
	gov_decide(g, change->now);
	/*
	 * In either case the rest is the governor's: its release and the
	 * stamp that goes with it are one update.
	 */
	change->answer->action = GOV_ANSWER_SWALLOW;
	if (state_of(g, job) == GOV_JOB_ADMITTED)
		return true;
	gov_message_why(g, "your hold is gone; job waits: ", job->id,
			change->now);
	change->answer->message = g->message;
	return true;
}

/* Slurm would split the task off with the array's stamp: we do it instead. */
static bool release_task(const struct change *change, struct gov_tracked *job)
{
	if (change->part == UINT32_MAX ||
	    !gov_array_has(job->record->array_tasks, change->part))
		return forbid(change, GOV_R_NOT_ALLOWED,
			      "these tasks wait with their array; release one "
			      "of them, or the array");
	gov_release_task(change->g, job, change->part,
			 change->request->modification.uid, change->now);
	change->answer->action = GOV_ANSWER_SWALLOW;
	return true;
}

static bool release(const struct change *change, struct gov_tracked *job)
{
	struct gov_governor *g = change->g;
	char before[64];

	if (job->standing == GOV_STANDING_STRAY) {
		if (change->request->modification.uid == 0)
			return true;
		return forbid(change, GOV_R_NOT_ALLOWED,
			      job->text ? job->text : "the job is in no team");
	}
	if (state_of(g, job) == GOV_JOB_ADMITTED)
		return true;
	if (job->stamp.user_hold)
		return is_owner(change, job) ? release_user_hold(change, job) :
					       true;
	if (gov_governor_is_operator(g, change->request->modification.uid)) {
		if (change->kind == '_' && gov_is_array(job->record))
			return release_task(change, job);
		gov_release(g, job, change->request->modification.uid,
			    change->now);
		return true;
	}
	snprintf(before, sizeof(before),
		 "job %" PRIu64 " is not to be released by hand, it starts by "
		 "itself: ",
		 job->id);
	gov_message_why(g, before, job->id, change->now);
	change->answer->message = g->message;
	change->answer->action = GOV_ANSWER_REFUSE;
	change->answer->code = GOV_R_NOT_ALLOWED;
	return false;
}

static void hold(const struct change *change, struct gov_tracked *job)
{
	enum gov_job_state state = state_of(change->g, job);

	/*
	 * Slurm holds an admitted job and the list shows it.  On one that is
	 * held already it changes nothing, so the wish must be noted here.
	 */
	if (job->standing != GOV_STANDING_GOVERNED || !job->record->held ||
	    job->stamp.user_hold || state == GOV_JOB_ADMITTED ||
	    !is_owner(change, job))
		return;
	gov_log(GOV_LOG_SUBMIT, GOV_LOG_VERBOSE,
		"job %" PRIu64 " is to stay held: its user says so", job->id);
	job->stamp.user_hold = true;
	job->stamp.released = false;
	gov_judge(change->g, job, change->now);
}

/* ---- account ---- */

static bool check_account(const struct change *change,
			  const struct gov_tracked *job)
{
	const struct gov_governor *g = change->g;
	const char *account = change->request->submission.account;
	uint32_t uid = change->request->modification.uid;
	uint32_t owner = job ? job->record->submission.uid : uid;
	gid_t gid = job ? job->record->submission.gid : (gid_t) -1;
	uint32_t team = gov_policy_find_account(g->policy, account);
	char text[256];

	if (uid == 0 || gov_is_exempt(g, owner, gid))
		return true;
	if (team == GOV_NONE) {
		if (g->policy->ungoverned_allowed)
			return true;
		snprintf(text, sizeof(text),
			 "account %.64s is not governed here; leave the job "
			 "in its team",
			 account);
		return forbid(change, GOV_R_NO_TEAM, text);
	}
	if (gov_governor_is_member(g, owner, gid, team))
		return true;
	snprintf(text, sizeof(text),
		 "user (uid %u) is not a member of team %.64s; leave the job "
		 "in its team",
		 owner, g->policy->unit[team].name);
	return forbid(change, GOV_R_NOT_MEMBER, text);
}

/* false: the answer is final. */
static bool one_job(struct change *change, struct gov_tracked *job)
{
	const struct gov_modification *m = &change->request->modification;

	if (change->request->submission.account && !check_account(change, job))
		return false;
	if (!m->sets_priority || job->standing == GOV_STANDING_FREE ||
	    job->record->state != GOV_SLURM_PENDING)
		return true;
	if (m->priority)
		return release(change, job);
	hold(change, job);
	return true;
}

static void each_meant(struct change *change)
{
	struct gov_governor *g = change->g;

	if (!change->kind) {
		struct gov_tracked *job = gov_track_find(g, change->id);

		if (job && !job->record->array_id && !job->record->het_id) {
			change->any = true;
			one_job(change, job);
			return;
		}
	}
	for (size_t i = 0; i < g->jobs.size; i++) {
		struct gov_tracked *job = g->jobs.slot[i].value;

		if (!g->jobs.slot[i].id || !is_meant(change, job->record))
			continue;
		change->any = true;
		/* Slurm changes each component; we answer for all. */
		if (gov_het_follows(g, job) && change->kind != '+')
			continue;
		if (!one_job(change, gov_het_head(g, job)))
			return;
	}
}

void gov_modify(struct gov_governor *g,
		const struct gov_submit_request *request,
		struct gov_answer *answer, struct gov_now now)
{
	const struct gov_modification *m = &request->modification;
	struct change change = {
		.g = g, .request = request, .answer = answer, .now = now
	};

	if (gov_is_observing(g) || !g->health.ready ||
	    m->uid == g->setup.slurm_uid || !parse_id(&change))
		return;
	each_meant(&change);
	if (change.any) {
		gov_reconcile(g, now);
		g->setup.nudge(g->setup.arg);
		return;
	}
	if (request->submission.account && !check_account(&change, NULL))
		return;
	if (m->sets_priority && m->priority && m->uid != 0)
		forbid(&change, GOV_R_NOT_ALLOWED,
		       "the governor has not seen this job yet; try again in "
		       "a second");
}
