/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the governor tells the ledger.  It may tell the same twice: the keeper
 * of the ledger knows what is written down.  Copies only, nothing is worked
 * out here.
 */
#include <stdio.h>
#include <stdlib.h>

#include "slurmgovd/governor_private.h"

static void tell(struct gov_governor *g, struct gov_fact *fact,
		 struct gov_now now)
{
	fact->now = now.wall;
	if (g->setup.fact)
		g->setup.fact(g->setup.arg, fact);
	else
		gov_policy_unref(fact->policy);
}

void gov_tell_policy(struct gov_governor *g, struct gov_now now)
{
	struct gov_fact fact = { .kind = GOV_FACT_POLICY };

	fact.policy = gov_policy_ref(g->policy);
	tell(g, &fact, now);
}

static void tell_look(struct gov_governor *g, enum gov_fact_kind kind,
		      struct gov_now now)
{
	struct gov_fact fact = { .kind = kind };

	tell(g, &fact, now);
}

static const char *end_of(const struct gov_tracked *job)
{
	if (job->stamp.state == GOV_STAMP_RECLAIMING)
		return "reclaimed";
	if (job->record->state == GOV_SLURM_PENDING)
		return "requeued";
	if (job->record->state != GOV_SLURM_ENDED)
		return "ended unseen";
	return job->record->success ? "completed" : "failed";
}

/* Its run as Slurm shows it when it is over: it may have been too short to be
 * seen. */
static void add_run(const struct gov_governor *g, const struct gov_tracked *job,
		    struct gov_fact *fact)
{
	const struct gov_job_record *record = job->record;
	uint32_t pool;

	if (record->state != GOV_SLURM_ENDED || !record->started ||
	    record->het_id || job->team == GOV_NONE || job->class == GOV_NONE ||
	    gov_allocation(g->policy, record, &fact->use, &pool) ||
	    !fact->use.count)
		return;
	fact->run = record->restarts;
	fact->team = job->team;
	fact->project = job->project;
	fact->class = job->class;
	fact->user = record->submission.uid;
	fact->submitted = record->submitted;
	fact->started = record->started;
}

void gov_tell_end(struct gov_governor *g, const struct gov_tracked *job,
		  gov_time_t ended, struct gov_now now)
{
	struct gov_fact fact = {
		.kind = GOV_FACT_END,
		.job = job->id,
		.ended = ended,
		.checkpoint = job->stamp.checkpoint,
		.team = GOV_NONE,
		.asker_team = GOV_NONE,
		.how = end_of(job),
	};
	const struct gov_job *asker;

	if (!g->health.ready)
		return;
	if (ended)
		add_run(g, job, &fact);
	if (job->stamp.state == GOV_STAMP_RECLAIMING) {
		fact.asker = job->stamp.asker;
		fact.rule = gov_rule_text(job->stamp.rule);
		asker = gov_engine_job(g->engine, fact.asker);
		if (asker)
			fact.asker_team = asker->team;
	}
	tell(g, &fact, now);
}

void gov_tell_run(struct gov_governor *g, const struct gov_tracked *job,
		  struct gov_now now)
{
	const struct gov_job *known = gov_engine_job(g->engine, job->id);
	struct gov_fact fact = { .kind = GOV_FACT_START, .job = job->id };

	if (!known || known->team == GOV_NONE || job->record->completing ||
	    job->record->state != GOV_SLURM_RUNNING ||
	    (known->state != GOV_JOB_RUNNING &&
	     known->state != GOV_JOB_RECLAIMING))
		return;
	fact.run = job->record->restarts;
	fact.team = known->team;
	fact.project = known->project;
	fact.class = known->class;
	fact.user = known->user;
	fact.submitted = job->record->submitted;
	fact.started = job->record->started;
	fact.use = known->request;
	tell(g, &fact, now);
}

void gov_tell_unseen(struct gov_governor *g, struct gov_job_record *record,
		     bool unwatched, struct gov_now now)
{
	struct gov_tracked job = { .id = record->id,
				   .record = record,
				   .team = GOV_NONE,
				   .class = GOV_NONE };
	struct gov_fact fact = {
		.kind = GOV_FACT_END,
		.job = record->id,
		.team = GOV_NONE,
		.asker_team = GOV_NONE,
		.ended = record->ended,
		.unwatched = unwatched,
		.how = record->success ? "completed" : "failed",
	};

	if (record->started &&
	    gov_stamp_parse(record->admin_comment, &job.stamp) == 1 &&
	    gov_judge_identify(g, &job))
		add_run(g, &job, &fact);
	free(job.text);
	tell(g, &fact, now);
}

/* They may have been running when nobody watched. */
static void tell_ended(struct gov_governor *g, struct gov_now now)
{
	for (size_t i = 0; i < g->ended.size; i++) {
		const struct gov_ended *ended = g->ended.slot[i].value;
		struct gov_fact fact = {
			.kind = GOV_FACT_END,
			.job = g->ended.slot[i].id,
			.team = GOV_NONE,
			.asker_team = GOV_NONE,
		};

		if (!fact.job)
			continue;
		if (ended->record) {
			gov_tell_unseen(g, ended->record, true, now);
			continue;
		}
		fact.ended = ended->ended;
		fact.how = ended->success ? "completed" : "failed";
		tell(g, &fact, now);
	}
}

/* All that runs, for a ledger that does not know or has missed something. */
void gov_governor_tell_all(struct gov_governor *g, struct gov_now now)
{
	if (!g->health.ready)
		return;
	gov_tell_policy(g, now);
	tell_look(g, GOV_FACT_LOOK, now);
	for (size_t i = 0; i < g->jobs.size; i++)
		if (g->jobs.slot[i].id)
			gov_tell_run(g, g->jobs.slot[i].value, now);
	tell_ended(g, now);
	tell_look(g, GOV_FACT_LOOKED, now);
}

void gov_tell_decision(struct gov_governor *g,
		       const struct gov_decision *decision,
		       const struct gov_tracked *job, struct gov_now now)
{
	struct gov_fact fact = {
		.job = decision->job,
		.asker = decision->asker,
		.team = job->team,
		.deadline = job->stamp.deadline,
	};

	if (gov_is_observing(g))
		return;
	switch (decision->kind) {
	case GOV_ADMIT:
		fact.kind = GOV_FACT_ADMIT;
		fact.deadline = 0;
		break;
	case GOV_WITHDRAW: fact.kind = GOV_FACT_WITHDRAW; break;
	case GOV_NOTICE: fact.kind = GOV_FACT_NOTICE; break;
	default: return;
	}
	if (decision->rule)
		fact.rule = gov_rule_text(decision->rule);
	tell(g, &fact, now);
}

void gov_tell_order(struct gov_governor *g, const struct gov_order *order,
		    struct gov_now now)
{
	static const char *const names[] = {
		[GOV_ORDER_HOLD_RECLAIMS] = "hold-reclaims",
		[GOV_ORDER_RELEASE_ALL] = "release-all",
		[GOV_ORDER_DRAIN] = "drain",
		[GOV_ORDER_RELEASE] = "release",
		[GOV_ORDER_EXEMPT] = "exempt",
	};
	struct gov_fact fact = { .kind = GOV_FACT_ORDER,
				 .team = GOV_NONE,
				 .by = order->by,
				 .how = order->undo ? "undo" : NULL };

	snprintf(fact.text, sizeof(fact.text), "%s %.40s", names[order->kind],
		 order->name ? order->name : "");
	tell(g, &fact, now);
}
