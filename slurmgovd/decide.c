/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Let the engine decide, and note what its decisions mean for each job. */
#include <inttypes.h>

#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"

static const char *rule_name(enum gov_rule rule)
{
	switch (rule) {
	case GOV_RULE_WITHIN_TEAM: return "preempted within its team";
	case GOV_RULE_RECLAIM: return "an owner takes its quota back";
	case GOV_RULE_FAIR_SHARE: return "fair share";
	case GOV_RULE_WHILE_BORROWING: return "preempted by a borrower";
	default: return "no rule";
	}
}

static bool observing(const struct gov_governor *g)
{
	return g->policy->enforcement == GOV_OBSERVE;
}

/* The asker's state changed too, though no decision is about it. */
static void touch_asker(struct gov_governor *g, uint64_t asker)
{
	struct gov_tracked *job = gov_track_find(g, asker);

	if (job)
		gov_mark_dirty(g, job);
}

static void note_notice(struct gov_governor *g, struct gov_tracked *job,
			const struct gov_decision *decision)
{
	job->stamp.state = GOV_STAMP_RECLAIMING;
	job->stamp.deadline = decision->deadline;
	job->stamp.asker = decision->asker;
	job->stamp.rule = (uint8_t) decision->rule;
	job->stamp.signalled = false;
	job->stamp_acked = false;
	job->stop_due = false;
	g->health.notices++;
	if (observing(g)) {
		if (job->observed_asker == decision->asker)
			return;
		job->observed_asker = decision->asker;
	}
	gov_log(GOV_LOG_ENGINE, GOV_LOG_INFO,
		"%sjob %" PRIu64 " must leave by %" PRId64 " for job %" PRIu64
		": %s", observing(g) ? "observe: would tell: " : "",
		decision->job, decision->deadline, decision->asker,
		rule_name(decision->rule));
}

/*
 * Nobody acts in observe mode, so the job goes on: tell the engine, else it
 * would count as gone.
 */
static void ignore_stop(struct gov_governor *g, struct gov_tracked *job)
{
	const struct gov_job *known = gov_engine_job(g->engine, job->id);
	struct gov_job copy;

	if (!known)
		return;
	copy = *known;
	copy.state = GOV_JOB_RUNNING;
	copy.asker = 0;
	copy.deadline = 0;
	copy.rule = GOV_RULE_NONE;
	gov_engine_put(g->engine, &copy, NULL);
	job->stamp.state = GOV_STAMP_ADMITTED;
	job->stamp.asker = 0;
	job->stamp.deadline = 0;
	job->stamp.rule = 0;
}

static void note(struct gov_governor *g, const struct gov_decision *decision)
{
	struct gov_tracked *job = gov_track_find(g, decision->job);

	touch_asker(g, decision->asker);
	if (decision->kind == GOV_ADMIT)
		g->health.admitted++;
	if (!job)
		return; /* provisional: it is held until it has an id */
	gov_mark_dirty(g, job);
	switch (decision->kind) {
	case GOV_ADMIT:
		/* Whom it might not overtake no longer matters. */
		job->stamp.asker = 0;
		gov_log(GOV_LOG_ENGINE, GOV_LOG_VERBOSE,
			"job %" PRIu64 " is admitted", decision->job);
		break;
	case GOV_WITHDRAW:
		job->stamp.asker = decision->asker;
		gov_log(GOV_LOG_ENGINE, GOV_LOG_VERBOSE,
			"job %" PRIu64 " has not started and waits again, for "
			"job %" PRIu64 ": %s", decision->job, decision->asker,
			rule_name(decision->rule));
		break;
	case GOV_NOTICE:
		note_notice(g, job, decision);
		break;
	case GOV_STOP:
		job->stop_due = true;
		if (observing(g))
			ignore_stop(g, job);
		break;
	}
}

void gov_decide(struct gov_governor *g, struct gov_now now)
{
	struct gov_error error;

	gov_decision_list_clear(&g->decisions);
	if (gov_engine_decide(g->engine, now.wall, &g->decisions, &error))
		gov_log(GOV_LOG_ENGINE, GOV_LOG_ERROR, "%s", error.text);
	for (size_t i = 0; i < g->decisions.count; i++)
		note(g, &g->decisions.item[i]);
}
