/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulated world: jobs, nodes, time.  Internal to lib/simulate.
 *
 * simulate.c moves it, world.c builds and measures it, summary.c sums it up.
 */
#ifndef GOVERNANCE_SIMULATE_WORLD_H
#define GOVERNANCE_SIMULATE_WORLD_H

#include <stdbool.h>

#include "core/engine.h"
#include "simulate/nodes.h"
#include "simulate/simulate.h"

/* Beside trace->job[i]; its id in the engine is i + 1. */
struct world_job {
	struct gov_request request;	/* item[0] is what is placed */
	uint32_t class;
	uint32_t run;		/* counts starts; tells stale ends apart */
	uint32_t next, previous;	/* in the line for a place */
	uint32_t evictions;
	bool in_line, owed, refused;
	int64_t placement;
	int64_t started;
	int64_t first_start;	/* -1: never */
	int64_t finished;	/* -1: never */
	int64_t remaining;	/* seconds of work left */
	int64_t lost;		/* seconds of work thrown away */
};

struct world_end {
	int64_t time;
	uint32_t job;
	uint32_t run;
};

struct world {
	const struct gov_trace *trace;
	struct gov_policy *policy;
	const struct gov_policy *reference;
	const struct gov_simulate_options *options;
	struct gov_engine *engine;
	struct gov_decision_list decisions;
	struct gov_error error;
	int64_t now;
	size_t done;
	struct world_job *job;
	uint32_t *team_of;	/* per trace name: unit, or GOV_NONE */
	struct gov_nodes **nodes;	/* per pool */
	uint32_t line_first, line_last;
	struct world_end *end;	/* heap */
	size_t end_count, end_space;
	/* measured */
	int64_t last_submit;
	double used_seconds;	/* TRES-seconds up to last_submit */
	double *borrowed_seconds;	/* per unit */
	int64_t next_sample;
};

/* Everything resolved and sized; NULL with error. */
struct world *world_create(const struct gov_trace *trace,
			   struct gov_policy *policy,
			   const struct gov_policy *reference,
			   const struct gov_simulate_options *options,
			   struct gov_error *error);
void world_destroy(struct world *world);

/* Does the job fit into what its team's written quota leaves at this time? */
bool world_is_owed(struct world *world, const struct gov_job *job);

/* Count what is in use from now until `until`. */
void world_account(struct world *world, int64_t until);

/* What came out.  0, or -1 with error. */
int world_summary(struct world *world, struct gov_simulate_result *result,
		  struct gov_error *error);

#endif
