/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A case of the corpus as policies of ours.
 *
 * The corpus knows several trees of cohorts and teams without any.  Each of
 * them is a cluster of its own: its root cohort is the root of our policy
 * (with root_quota), and a team without a cohort is a cluster of one team.
 * All clusters of a case have the same cells, in the same order.
 *
 *   flavor -> pool, resource -> TRES, cohort -> unit, priority -> class whose
 *   weight is the priority's rank (ours go from 0 to 100), uid -> job id
 */
#ifndef CONFORMANCE_WORLD_H
#define CONFORMANCE_WORLD_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine.h"
#include "core/policy.h"

struct world_cluster {
	const char *root; /* root cohort; NULL: one team without cohort */
	struct gov_policy *policy; /* finished, or NULL */
	struct gov_error error;	   /* why it was refused */
};

struct world_place { /* a team or a cohort */
	struct world_cluster *cluster;
	uint32_t unit; /* GOV_NONE: the root */
};

struct world {
	struct json_object *json;
	struct world_cluster *cluster;
	size_t cluster_count;
	struct gov_policy *names; /* cells and classes, no units */
	int64_t *priority;	  /* by class, ascending */
	uint32_t priority_count;
};

/* Build from a case; also when a policy is refused (cluster->policy NULL). */
void world_create(struct world *world, struct json_object *json);
void world_destroy(struct world *world);

/* false too if the policy with that team was refused. */
bool world_has_team(const struct world *world, const char *name);
/* Fails the run if there is no such name. */
struct world_place world_team(const struct world *world, const char *name);
/* cluster NULL if there is no such cohort. */
struct world_place world_cohort(const struct world *world, const char *name);
/* The case's record of a team. */
struct json_object *world_team_record(const struct world *world,
				      const char *name);

uint32_t world_cell(const struct world *world, const char *flavor,
		    const char *resource);
const char *world_flavor(const struct world *world, uint32_t cell);
const char *world_resource(const struct world *world, uint32_t cell);

/* Priority with its boost (one that is no number counts as 0). */
int64_t world_priority(struct json_object *job);
uint32_t world_class(const struct world *world, int64_t priority);

/* [{flavor, resource, amount}] as a request; zero amounts are left out. */
void world_request(const struct world *world, struct json_object *list,
		   struct gov_request *request);

/*
 * A running job: id falls as uid rises (ours evicts the largest id first, the
 * corpus the smallest uid).
 */
void world_running(const struct world *world, struct json_object *record,
		   struct gov_job *job);
/* A pending job without its request: id rises with uid. */
void world_pending(const struct world *world, struct json_object *record,
		   struct gov_job *job);
/* The record a job was made from; NULL if the id is none of ours. */
struct json_object *world_record(const struct world *world, uint64_t id);

#endif
