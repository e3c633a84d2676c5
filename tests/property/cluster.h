/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cluster in the small: the jobs as the world knows them, the policy built
 * from the spec, and the engine that is under test.
 */
#ifndef PROPERTY_CLUSTER_H
#define PROPERTY_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine.h"
#include "history.h"
#include "run.h"
#include "slow.h"

#define LIVE_MAX 160 /* more submissions than this are dropped */

struct record {
	struct gov_job job; /* as the engine should have it */
	int64_t id;	    /* of the history; job.id may be another */
	int team;	    /* index of the spec */
	int project;	    /* likewise, or NONE */
	bool stopped;	    /* told to go at once; is gone after EVENT_TIME */
	uint32_t evictions; /* that the world has counted */
	bool fresh;	    /* admitted from the queue in this pass */
};

struct cluster {
	struct spec spec; /* changes with the policy events */
	gov_time_t now;
	struct gov_engine *engine;
	struct gov_policy *policy;
	struct record *record; /* live jobs, in no order */
	size_t count, space;
	struct gov_decision_list list;
	struct slow slow; /* policy in force; usage: see cluster_use() */
	struct violation *violation;
	struct tally *tally;
	size_t event;
};

/* Report a broken promise; the first one counts. */
void broken(struct cluster *cluster, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- policy.c ---- */

/* The policy of a spec, finished.  Index of a unit / cell / class / project
 * of the spec in it is found by name. */
struct gov_policy *policy_of(const struct spec *spec);
uint32_t unit_index(const struct gov_policy *policy, int unit);
int unit_of(const struct gov_policy *policy, uint32_t index);
uint32_t cell_index(const struct gov_policy *policy, int cell);
int cell_of(const struct gov_policy *policy, uint32_t index);
uint32_t project_index(const struct gov_policy *policy, int team, int project);

/* ---- cluster.c ---- */

void cluster_create(struct cluster *cluster, const struct spec *spec);
void cluster_destroy(struct cluster *cluster);
struct record *cluster_find(struct cluster *cluster, uint64_t job_id);
/* Carry out one event (not the decisions that follow). */
void cluster_event(struct cluster *cluster, const struct event *event);
/* Let the engine decide, check and carry out what it says. */
void cluster_decide(struct cluster *cluster);
/* An engine made anew from what it says itself of its jobs. */
struct gov_engine *cluster_twin(struct cluster *cluster, bool reversed);

/* Does a job in this state hold quota? */
static inline bool holds(int state)
{
	return state == GOV_JOB_ADMITTED || state == GOV_JOB_CLAIMING ||
	       state == GOV_JOB_RUNNING;
}
struct slow_holder holder_of(const struct cluster *cluster,
			     const struct record *record);
/* Set slow's usage to that of all records that hold quota now. */
void cluster_use(struct cluster *cluster);

/* ---- check.c, state.c: promises by name ---- */

/* Does the job fit once all that leaves has left? */
bool fits(const struct cluster *cluster, const struct record *record);

/* Would its team end inside its own quota with it? */
bool is_own(const struct cluster *cluster, const struct record *record);

void check_admission(struct cluster *cluster, struct record *record);
void check_plan(struct cluster *cluster, const struct gov_decision *decision,
		size_t count);
/* A job is charged with what is leaving for others. */
void check_surplus(struct cluster *cluster, const struct record *record);
void check_state(struct cluster *cluster);
/* Does an engine made anew decide the same?  Before cluster->list is made. */
struct gov_engine *twin_before(struct cluster *cluster);
void check_twin(struct cluster *cluster, struct gov_engine *twin);
void check_verdict(struct cluster *cluster, const struct record *record,
		   const struct gov_verdict *verdict);

#endif
