/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulated world: jobs, nodes, time.  Internal to lib/simulate.
 *
 * simulate.c moves it, world.c builds it, asks.c tells what a job of the trace
 * asks of the policy, measure.c watches, summary.c sums up.
 */
#ifndef GOVERNANCE_SIMULATE_WORLD_H
#define GOVERNANCE_SIMULATE_WORLD_H

#include <stdbool.h>

#include "core/engine.h"
#include "simulate/nodes.h"
#include "simulate/simulate.h"

/* Beside trace->job[i]; its id in the engine is i + 1. */
struct world_job {
	uint64_t amount; /* what it takes of its pool's nodes */
	uint32_t team, class, pool;
	uint32_t run;		 /* counts starts; tells stale ends apart */
	uint32_t next, previous; /* in the line for a place */
	uint32_t evictions;
	bool in_line, running, finished, owed, refused;
	int64_t placement;
	int64_t since;	    /* start of this run, or of this wait */
	int64_t admitted;   /* has quota since; in the line only */
	int64_t first_wait; /* seconds to the first start; -1: never */
	int64_t waited;	    /* seconds, of all waits that are over */
	int64_t placing;    /* of these, with quota but without nodes */
	int64_t remaining;  /* seconds of work left */
	int64_t lost;	    /* seconds of work thrown away */
};

struct world_end {
	int64_t time;
	uint32_t job;
	uint32_t run;
};

/* Nodes are filled by GPUs, or by CPUs in a pool that has no GPUs. */
struct world_pool {
	struct gov_nodes *nodes;
	bool has_gpus;
	bool counted;	    /* in hours and utilization */
	uint64_t too_large; /* for what is free at the moment */
	/* cells, GOV_NONE where the pool does not count the TRES */
	uint32_t gpu; /* of any type */
	uint32_t first_type;
	uint32_t cpu, memory, node;
};

/* What one team has and wants of one pool's nodes, and sums over time. */
struct world_claim {
	uint64_t quota; /* as written */
	uint64_t running;
	uint64_t wanted;  /* running and waiting */
	int64_t since;	  /* sums are up to here */
	double borrowed;  /* running beyond the quota, in TRES-seconds */
	double guarded;	  /* wanted inside the quota */
	double delivered; /* had of that */
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
	size_t done; /* jobs finished or refused */
	struct world_job *job;
	uint32_t *team_of;  /* per trace name: unit, or GOV_NONE */
	uint32_t *class_of; /* per trace name: class, or GOV_NONE */
	uint32_t class;	    /* of who names none */
	struct world_pool *pool;
	uint32_t line_first, line_last;
	bool line_moved;       /* something came, or something was freed */
	struct world_end *end; /* heap */
	size_t end_count, end_space;
	/* measured */
	struct world_claim *claim; /* [unit * pool_count + pool] */
	int64_t last_submit;
	uint64_t capacity;   /* of the counted pools */
	uint64_t waiting;    /* amount of the jobs there that wait */
	double used_seconds; /* TRES-seconds up to last_submit */
	double idle_seconds; /* not used while there were waiting jobs */
	int64_t next_sample;
};

/* Everything resolved and sized; NULL with error. */
struct world *world_create(const struct gov_trace *trace,
			   struct gov_policy *policy,
			   const struct gov_policy *reference,
			   const struct gov_simulate_options *options,
			   struct gov_error *error);
void world_destroy(struct world *world);

/* Find the cells of the pools, and whose the names of the trace are. */
void world_find_cells(struct world *world);
int world_find_names(struct world *world, struct gov_error *error);
/* Does the cell count GPUs of this pool: "gres/gpu", "gres/gpu:h100"? */
bool world_is_gpu_cell(const struct gov_policy *policy, uint32_t pool,
		       uint32_t cell);

/*
 * Whose job `at` of the trace is: fills team and class of world->job[at].  0,
 * or -1 with error; that too if none of the team's pools has what it asks.
 */
int world_identify(struct world *world, size_t at, struct gov_error *error);
/* The team's pools in its order of preference, from 0; GOV_NONE: no more. */
uint32_t world_pool_of_team(const struct world *world, uint32_t team,
			    uint32_t place);
/* What the job asks in this pool; false: the pool does not have that. */
bool world_asks(const struct world *world, size_t at, uint32_t pool,
		struct gov_request *request);
/* What it takes of the nodes of this pool; may be 0. */
uint64_t world_amount(const struct world *world, size_t at, uint32_t pool);

/* ---- measure.c ---- */

/* Quotas as written, per team and pool. */
void world_measure_init(struct world *world);
/* Is the job owed its quota (simulate.h)?  Ask before it is submitted. */
bool world_is_owed(const struct world *world, uint32_t team,
		   const struct gov_request *request);
/* The job's amount is wanted more (or less), runs more (or less) from now. */
void world_wanted(struct world *world, const struct world_job *job, bool more);
void world_runs(struct world *world, const struct world_job *job, bool more);
/* Bring every sum up to now. */
void world_measure_all(struct world *world);
/* Count what is in use from now until `until`, and write the series. */
void world_account(struct world *world, int64_t until);

/* What came out.  0, or -1 with error. */
int world_summary(struct world *world, struct gov_simulate_result *result,
		  struct gov_error *error);

#endif
