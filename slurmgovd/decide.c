/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Let the engine decide, and note what its decisions mean for each job. */
#include <inttypes.h>

#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"

const char *gov_rule_text(enum gov_rule rule)
{
	switch (rule) {
	case GOV_RULE_WITHIN_TEAM: return "preempted within its team";
	case GOV_RULE_RECLAIM: return "an owner takes its quota back";
	case GOV_RULE_FAIR_SHARE: return "fair share";
	case GOV_RULE_WHILE_BORROWING: return "preempted by a borrower";
	default: return "no rule";
	}
}

/* The asker's state changed too, though no decision is about it. */
static void touch_asker(struct gov_governor *g, uint64_t asker)
{
	struct gov_tracked *job = gov_track_find(g, asker);

	if (!job)
		return;
	job->has_victims = true;
	gov_mark_dirty(g, job);
}

/*
 * The engine counts whole seconds from the one that has begun; a grace is
 * never shorter than promised, so it gets the rest of that second too.
 */
static gov_time_t whole_grace(struct gov_governor *g, struct gov_tracked *job,
			      gov_time_t deadline, struct gov_now now)
{
	const struct gov_job *known = gov_engine_job(g->engine, job->id);
	struct gov_job copy;

	/* None was promised. */
	if (deadline <= now.wall)
		return deadline;
	if (!known || known->state != GOV_JOB_RECLAIMING)
		return deadline;
	copy = *known;
	copy.deadline = deadline + 1;
	return gov_engine_put(g->engine, &copy, NULL) ? deadline :
							copy.deadline;
}

static void note_notice(struct gov_governor *g, struct gov_tracked *job,
			const struct gov_decision *decision, struct gov_now now)
{
	job->stamp.state = GOV_STAMP_RECLAIMING;
	job->stamp.deadline = whole_grace(g, job, decision->deadline, now);
	job->stamp.asker = decision->asker;
	job->stamp.rule = (uint8_t) decision->rule;
	job->stamp.signalled = false;
	job->stamp_acked = false;
	job->stop_acked = false;
	job->stop_due = false;
	g->health.notices++;
	if (gov_is_observing(g)) {
		if (job->observed_asker == decision->asker)
			return;
		job->observed_asker = decision->asker;
	}
	gov_log(GOV_LOG_ENGINE, GOV_LOG_INFO,
		"%sjob %" PRIu64 " must leave by %" PRId64 " for job %" PRIu64
		": %s",
		gov_is_observing(g) ? "observe: would tell: " : "",
		decision->job, job->stamp.deadline,
		GOV_JOB_SHOWN(decision->asker), gov_rule_text(decision->rule));
}

/*
 * Nobody acts in observe mode, so the job goes on: tell the engine, else it
 * would count as gone.
 */
static void ignore_stop(struct gov_governor *g, struct gov_tracked *job)
{
	const struct gov_job *known = gov_engine_job(g->engine, job->id);

	if (known)
		gov_go_on(g, job, known);
}

/* Tasks of an array that were admitted and have not been split off yet. */
static void note_tasks(struct gov_governor *g,
		       const struct gov_decision *decision, struct gov_now now)
{
	struct gov_tracked *job = gov_track_find(g,
						 GOV_JOB_SHOWN(decision->job));

	if (job && decision->kind == GOV_WITHDRAW)
		gov_array_withdraw(g, job, now);
}

/* Of an engine job that is no job of Slurm's.  true: as note(). */
static bool note_other(struct gov_governor *g,
		       const struct gov_decision *decision, struct gov_now now)
{
	/* Provisional: held until it has an id. */
	if (decision->job & GOV_PROVISIONAL_BIT)
		return false;
	if (decision->job & GOV_TASKS_BIT)
		note_tasks(g, decision, now);
	else if (decision->job & GOV_CLAIM_BIT && decision->kind == GOV_ADMIT)
		return gov_array_claim_admitted(g, decision->job, now);
	return false;
}

/* true: the engine must be asked again. */
static bool note(struct gov_governor *g, const struct gov_decision *decision,
		 struct gov_now now)
{
	struct gov_tracked *job = gov_track_find(g, decision->job);

	touch_asker(g, decision->asker);
	if (decision->kind == GOV_ADMIT)
		g->health.admitted++;
	if (!job)
		return note_other(g, decision, now);
	gov_mark_dirty(g, job);
	switch (decision->kind) {
	case GOV_ADMIT:
		/* Whom it might not overtake no longer matters. */
		job->stamp.asker = 0;
		gov_log(GOV_LOG_ENGINE, GOV_LOG_VERBOSE,
			"job %" PRIu64 " is admitted", decision->job);
		if (gov_is_array(job->record) && job->record->held) {
			gov_tell_decision(g, decision, job, now);
			gov_array_admit(g, job, job->id, now);
			return true;
		}
		break;
	case GOV_WITHDRAW:
		job->stamp.asker = decision->asker;
		gov_log(GOV_LOG_ENGINE, GOV_LOG_VERBOSE,
			"job %" PRIu64 " has not started and waits again, for "
			"job %" PRIu64 ": %s",
			decision->job, GOV_JOB_SHOWN(decision->asker),
			gov_rule_text(decision->rule));
		if (gov_is_array(job->record))
			gov_array_withdraw(g, job, now);
		break;
	case GOV_NOTICE: note_notice(g, job, decision, now); break;
	case GOV_CLAIM:
		gov_log(GOV_LOG_ENGINE, GOV_LOG_VERBOSE,
			"job %" PRIu64 " starts on what others leave",
			decision->job);
		break;
	case GOV_STOP:
		job->stop_due = true;
		if (gov_is_observing(g))
			ignore_stop(g, job);
		break;
	}
	gov_tell_decision(g, decision, job, now);
	return false;
}

/* Once all who give way for it are noted. */
static bool note_claim(struct gov_governor *g,
		       const struct gov_decision *decision, struct gov_now now)
{
	uint64_t claimant = decision->kind == GOV_CLAIM ? decision->job :
							  decision->asker;
	struct gov_tracked *job = claimant ? gov_track_find(g, claimant) : NULL;

	return job && gov_array_claim(g, job, now);
}

/* An array admits one task a pass; a very long one goes on at the next tick. */
#define PASSES_MAX 1000

void gov_decide(struct gov_governor *g, struct gov_now now)
{
	struct gov_error error;
	bool again = true;

	for (int pass = 0; again && pass < PASSES_MAX; pass++) {
		again = false;
		gov_decision_list_clear(&g->decisions);
		if (gov_engine_decide(g->engine, now.wall, &g->decisions,
				      &error))
			gov_log(GOV_LOG_ENGINE, GOV_LOG_ERROR, "%s",
				error.text);
		for (size_t i = 0; i < g->decisions.count; i++)
			again |= note(g, &g->decisions.item[i], now);
		for (size_t i = 0; i < g->decisions.count; i++)
			again |= note_claim(g, &g->decisions.item[i], now);
	}
	g->unfinished = again;
}
