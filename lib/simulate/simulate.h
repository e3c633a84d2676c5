/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulator: a trace through the engine, under one policy.
 *
 * The engine is the one that slurmgovd runs; only the world around it (nodes,
 * time, the end of jobs) is a model.  Deterministic: the same trace, policy
 * and options give the same result.
 *
 * The world: a job admitted by the engine starts as soon as the node model
 * has room, first come first served with a bounded look ahead.  A job given
 * notice runs on until it ends or its grace is over; then its run is lost
 * back to its last checkpoint, and it waits again.
 */
#ifndef GOVERNANCE_SIMULATE_SIMULATE_H
#define GOVERNANCE_SIMULATE_SIMULATE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/engine.h"
#include "simulate/trace.h"

/* What is compared: the policy as written, or a simpler world. */
enum gov_variant {
	GOV_VARIANT_POLICY,	/* as governance.conf says */
	GOV_VARIANT_STATIC,	/* hard quotas: nobody lends or borrows */
	GOV_VARIANT_NO_QUOTA,	/* one queue, first come first served */
	GOV_VARIANT_NO_RECLAIM, /* lending, but nothing is taken back */
};

struct gov_simulate_options {
	uint32_t node_size; /* GPUs (or CPUs) a node; default 8 */
	int64_t checkpoint; /* seconds between checkpoints, 0: none */
	int64_t sample;	    /* seconds between points, 0: no series */
	FILE *series;	    /* CSV, or NULL */
	const char *label;  /* first column of the series */
	void (*progress)(size_t done, size_t total, void *arg);
	void *progress_arg;
};

/* Over some jobs, in seconds; percentiles by nearest rank. */
struct gov_simulate_waits {
	size_t jobs;
	size_t late; /* waited at all */
	double mean, p50, p95, max;
};

/*
 * Of a team or a class.  Hours are GPU-hours; CPU-hours where no pool of the
 * policy has GPUs.
 *
 * A job is *owed* quota if, when it came, all that its team had running and
 * waiting and itself fitted into the written quota: whatever it waits, it
 * waits for its team's own.
 */
struct gov_simulate_group {
	const char *name; /* belongs to the policy */
	size_t refused;	  /* jobs that could never run; not in `wait` */
	struct gov_simulate_waits
		wait; /* not running, from submission to end */
	struct gov_simulate_waits owed; /* to their first start */
	double hours_used;		/* of useful and of lost work */
	double hours_lost;		/* run, but thrown away by evictions */
	size_t evictions;
	/* Teams only: */
	double hours_borrowed; /* beyond the written quota */
	/*
	 * Of what the team wanted inside its written quota (the least of
	 * quota and all it had running and waiting, over time), the part
	 * that it had: 0..1; 1 if it wanted nothing.
	 */
	double delivered;
};

struct gov_simulate_result {
	size_t jobs;	    /* of the trace */
	size_t unfinished;  /* still waiting when nothing could change */
	double utilization; /* 0..1, between first and last submission */
	double place_mean;  /* the part of the wait that was for nodes */
	/*
	 * Hours of the least of what was free and what waiting jobs asked
	 * for.  Some of it is no fault: jobs that were too large for what
	 * was free, or free nodes of others' pools.
	 */
	double hours_idle;
	double jain;	 /* over the teams' `delivered`, 1 is even */
	double makespan; /* seconds, first submission to last end */
	struct gov_simulate_group all; /* name and delivered unset */
	struct gov_simulate_group *team;
	size_t team_count;
	struct gov_simulate_group *class;
	size_t class_count;
};
void gov_simulate_result_free(struct gov_simulate_result *result);

/* Defaults as documented above. */
void gov_simulate_options_init(struct gov_simulate_options *options);

/*
 * Turn a policy into the variant, in place: it must have been loaded for this
 * and have no other reference.  0, or -1 with error.
 */
int gov_simulate_variant(struct gov_policy *policy, enum gov_variant variant,
			 struct gov_error *error);

/*
 * Run the trace.  reference: the policy as written, from the same file as
 * policy; its quotas tell what a team was owed.  Teams of the trace are found
 * by team name or account; an unknown team or class is an error that names
 * it.  0, or -1 with error; *result is freed by the caller in either case, and
 * must not outlive policy.
 */
int gov_simulate_run(const struct gov_trace *trace, struct gov_policy *policy,
		     const struct gov_policy *reference,
		     const struct gov_simulate_options *options,
		     struct gov_simulate_result *result,
		     struct gov_error *error);

/*
 * Draft a governance.conf for a trace: one pool, and for every team of the
 * trace a quota in proportion to its mean use, together `capacity` GPUs (CPUs
 * if the trace has no GPUs), largest remainder.  capacity and node_size are
 * not 0.  0 or -1.
 */
int gov_simulate_draft(const struct gov_trace *trace, uint64_t capacity,
		       uint32_t node_size, FILE *file, struct gov_error *error);

#endif
