/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows the engine's decisions one by one in a world of its own. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cluster.h"

static void charge(struct cluster *cluster, const struct record *record,
		   int sign)
{
	struct slow_holder holder = holder_of(cluster, record);

	slow_add(&cluster->slow, &holder, sign);
	slow_sum(&cluster->slow);
}

/* Admitted from the queue, or because its victims are gone. */
static void admit(struct cluster *cluster, const struct gov_decision *d)
{
	struct record *record = cluster_find(cluster, d->job);

	if (!record) {
		broken(cluster, "decisions-name-jobs", "admits %" PRIu64,
		       d->job);
		return;
	}
	check_admission(cluster, record);
	record->fresh = record->job.state == GOV_JOB_WAITING;
	record->job.arrived = record->fresh || record->job.on_surplus ?
				      0 :
				      cluster->now;
	if (record->fresh)
		charge(cluster, record, 1);
	else
		cluster->tally->claims_served++;
	record->job.state = GOV_JOB_ADMITTED;
	cluster->tally->admissions++;
}

/* All that give way for one asker, and the asker's claim. */
static size_t plan(struct cluster *cluster, const struct gov_decision *d,
		   size_t count)
{
	struct record *asker = cluster_find(cluster, d->asker);
	size_t n = 0;

	while (n < count && d[n].asker == d->asker &&
	       (d[n].kind == GOV_NOTICE || d[n].kind == GOV_WITHDRAW))
		n++;
	check_plan(cluster, d, n);
	for (size_t i = 0; i < n; i++) {
		struct record *victim = cluster_find(cluster, d[i].job);

		if (!victim)
			return n;
		charge(cluster, victim, -1);
		victim->job.state = d[i].kind == GOV_NOTICE ?
					    GOV_JOB_RECLAIMING :
					    GOV_JOB_WAITING;
		victim->job.asker = d->asker;
		cluster->tally->notices += d[i].kind == GOV_NOTICE;
		cluster->tally->withdrawals += d[i].kind == GOV_WITHDRAW;
	}
	cluster->tally->reclaims[d->rule & 7]++;
	if (asker) {
		asker->job.state = GOV_JOB_CLAIMING;
		charge(cluster, asker, 1);
	}
	return n;
}

/* Charged with what is leaving for others. */
static void claim(struct cluster *cluster, const struct gov_decision *d)
{
	struct record *record = cluster_find(cluster, d->job);

	if (!record) {
		broken(cluster, "decisions-name-jobs", "claims for %" PRIu64,
		       d->job);
		return;
	}
	check_surplus(cluster, record);
	record->fresh = true;
	charge(cluster, record, 1);
	record->job.state = GOV_JOB_CLAIMING;
	record->job.on_surplus = true;
	cluster->tally->surplus_claims++;
}

static void stop(struct cluster *cluster, const struct gov_decision *d)
{
	struct record *record = cluster_find(cluster, d->job);

	cluster->tally->stops++;
	if (!record || record->job.state != GOV_JOB_RECLAIMING) {
		broken(cluster, "grace-is-granted",
		       "stops job %" PRIu64 " that was given no notice",
		       d->job);
		return;
	}
	if (record->job.deadline > cluster->now)
		broken(cluster, "grace-is-granted",
		       "stops job %" PRIu64 " %" PRId64 " s early", d->job,
		       record->job.deadline - cluster->now);
	if (record->stopped)
		broken(cluster, "fixed-point", "stops job %" PRIu64 " again",
		       d->job);
	record->stopped = true;
}

/* For a person who looks into a case. */
static void trace(const struct cluster *cluster)
{
	static const char *const kind[] = {
		"admit", "withdraw", "notice", "stop", "claim",
	};

	for (size_t i = 0; i < cluster->list.count; i++) {
		const struct gov_decision *d = &cluster->list.item[i];

		printf("  %s %" PRIu64 " for %" PRIu64 " rule %d until %" PRId64
		       "\n",
		       kind[d->kind], d->job, d->asker, d->rule, d->deadline);
	}
}

static void follow(struct cluster *cluster)
{
	const struct gov_decision *d = cluster->list.item;
	size_t count = cluster->list.count;

	for (size_t i = 0; i < count && !cluster->violation->found;) {
		switch (d[i].kind) {
		case GOV_ADMIT: admit(cluster, &d[i++]); break;
		case GOV_STOP: stop(cluster, &d[i++]); break;
		case GOV_CLAIM: claim(cluster, &d[i++]); break;
		default: i += plan(cluster, &d[i], count - i);
		}
	}
}

/* What the engine adds to its records of its own. */
static void adopt(struct cluster *cluster)
{
	for (size_t i = 0; i < cluster->count; i++) {
		struct record *record = &cluster->record[i];
		const struct gov_job *job = gov_engine_job(cluster->engine,
							   record->job.id);

		if (!job) {
			broken(cluster, "usage-recomputable",
			       "job %" PRIu64 " is not known any more",
			       record->job.id);
			return;
		}
		if (job->state != record->job.state) {
			broken(cluster, "decisions-are-all",
			       "job %" PRIu64
			       " is in state %d, by the decisions in %d",
			       record->job.id, job->state, record->job.state);
			return;
		}
		if (job->evictions != record->evictions)
			broken(cluster, "protections-survive",
			       "job %" PRIu64 " was evicted %u times, not %u",
			       record->job.id, record->evictions,
			       job->evictions);
		record->job = *job;
	}
}

void cluster_decide(struct cluster *cluster)
{
	struct gov_engine *twin = NULL;
	struct gov_error error;

	cluster_use(cluster);
	gov_decision_list_clear(&cluster->list);
	for (size_t i = 0; i < cluster->count; i++)
		cluster->record[i].fresh = false;
	if (cluster->event % 16 == 0 || cluster->tally->twin_always)
		twin = twin_before(cluster);
	if (gov_engine_decide(cluster->engine, cluster->now, &cluster->list,
			      &error)) {
		broken(cluster, "decides", "%s", error.text);
		return;
	}
	if (cluster->tally->trace)
		trace(cluster);
	if (twin)
		check_twin(cluster, twin);
	follow(cluster);
	if (!cluster->violation->found)
		adopt(cluster);
	if (!cluster->violation->found)
		check_state(cluster);
}
