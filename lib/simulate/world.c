/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build the simulated world from trace and policy. */
#include "simulate/world.h"

#include <stdlib.h>

/* All jobs must make sense before the first one runs. */
static int check_jobs(struct world *world, struct gov_error *error)
{
	for (size_t i = 0; i < world->trace->count; i++) {
		world->job[i].first_wait = -1;
		world->job[i].remaining = world->trace->job[i].duration;
		if (world_identify(world, i, error))
			return -1;
	}
	return 0;
}

static void set_cell(struct world *world, uint32_t cell, gov_amount_t amount)
{
	if (cell == GOV_NONE)
		return;
	gov_engine_set_capacity(world->engine, cell, amount);
	gov_engine_set_installed(world->engine, cell, amount);
}

/*
 * What the model knows of a pool: its nodes, and what fills them.  In a pool
 * of several types of GPU it does not know which node has which, so each type
 * counts as if all were of it; other TRES are without limit.
 */
static void set_capacity(struct world *world, uint32_t p)
{
	const struct gov_policy *policy = world->policy;
	uint32_t count = policy->pool[p].node_count;
	gov_amount_t amount = (gov_amount_t) count * world->options->node_size;

	set_cell(world, world->pool[p].node, count);
	if (!world->pool[p].has_gpus)
		set_cell(world, world->pool[p].cpu, amount);
	for (uint32_t c = 0; c < policy->cell_count; c++)
		if (world_is_gpu_cell(policy, p, c))
			set_cell(world, c, amount);
}

static int make_nodes(struct world *world, struct gov_error *error)
{
	const struct gov_policy *policy = world->policy;

	for (uint32_t p = 0; p < policy->pool_count; p++) {
		if (!policy->pool[p].node_count)
			return gov_error_set(
				error, GOV_E_VALUE,
				"pool %s has no nodes (Nodes=); the simulator needs them",
				policy->pool[p].name);
		world->pool[p].nodes = gov_nodes_create(
			policy->pool[p].node_count, world->options->node_size);
		if (!world->pool[p].nodes)
			return gov_error_set(
				error, GOV_E_NOMEM,
				"out of memory, or nodes of more than %d",
				GOV_NODE_SIZE_MAX);
		set_capacity(world, p);
	}
	return 0;
}

static int allocate(struct world *world, struct gov_error *error)
{
	const struct gov_trace *trace = world->trace;
	const struct gov_policy *policy = world->policy;
	size_t names = (size_t) trace->name_count + 1;

	world->job = calloc(trace->count, sizeof(*world->job));
	world->team_of = calloc(names, sizeof(*world->team_of));
	world->class_of = calloc(names, sizeof(*world->class_of));
	world->pool = calloc((size_t) policy->pool_count + 1,
			     sizeof(*world->pool));
	world->claim = calloc((size_t) policy->unit_count * policy->pool_count +
				      1,
			      sizeof(*world->claim));
	if (world->job && world->team_of && world->class_of && world->pool &&
	    world->claim)
		return 0;
	return gov_error_set(error, GOV_E_NOMEM, "out of memory");
}

static int build(struct world *world, struct gov_error *error)
{
	world->engine = gov_engine_create(world->policy, error);
	if (!world->engine || allocate(world, error))
		return -1;
	world_find_cells(world);
	if (make_nodes(world, error) || world_find_names(world, error) ||
	    check_jobs(world, error))
		return -1;
	world_measure_init(world);
	return 0;
}

struct world *world_create(const struct gov_trace *trace,
			   struct gov_policy *policy,
			   const struct gov_policy *reference,
			   const struct gov_simulate_options *options,
			   struct gov_error *error)
{
	struct world *world = calloc(1, sizeof(*world));

	if (!world) {
		gov_error_set(error, GOV_E_NOMEM, "out of memory");
		return NULL;
	}
	world->trace = trace;
	world->policy = policy;
	world->reference = reference;
	world->options = options;
	world->line_first = world->line_last = GOV_NONE;
	world->now = trace->job[0].submit;
	world->last_submit = trace->job[trace->count - 1].submit;
	world->next_sample = trace->job[0].submit;
	if (!build(world, error))
		return world;
	world_destroy(world);
	return NULL;
}

void world_destroy(struct world *world)
{
	for (uint32_t p = 0; world->pool && p < world->policy->pool_count; p++)
		gov_nodes_destroy(world->pool[p].nodes);
	gov_engine_destroy(world->engine);
	gov_decision_list_free(&world->decisions);
	free(world->job);
	free(world->team_of);
	free(world->class_of);
	free(world->pool);
	free(world->claim);
	free(world->end);
	free(world);
}
