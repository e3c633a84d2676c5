/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the jobs of a trace ask of a policy: team, class, pool, amounts. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "simulate/world.h"

#define GPU "gres/gpu"

bool world_is_gpu_cell(const struct gov_policy *policy, uint32_t pool,
		       uint32_t cell)
{
	const char *tres = policy->tres[policy->cell[cell].tres].name;

	return policy->cell[cell].pool == pool &&
	       !strncasecmp(tres, GPU, strlen(GPU)) &&
	       (tres[strlen(GPU)] == '\0' || tres[strlen(GPU)] == ':');
}

static uint32_t named_cell(const struct gov_policy *policy, uint32_t pool,
			   const char *tres)
{
	uint32_t index = gov_policy_find_tres(policy, tres);

	return index == GOV_NONE ? GOV_NONE :
				   gov_policy_find_cell(policy, pool, index);
}

void world_find_cells(struct world *world)
{
	const struct gov_policy *policy = world->policy;
	bool gpus = false;

	for (uint32_t p = 0; p < policy->pool_count; p++) {
		struct world_pool *pool = &world->pool[p];

		pool->gpu = named_cell(policy, p, GPU);
		pool->cpu = named_cell(policy, p, "cpu");
		pool->memory = named_cell(policy, p, "mem");
		pool->node = named_cell(policy, p, "node");
		pool->first_type = GOV_NONE;
		for (uint32_t c = policy->cell_count; c-- > 0;)
			if (c != pool->gpu && world_is_gpu_cell(policy, p, c))
				pool->first_type = c;
		pool->has_gpus = pool->gpu != GOV_NONE ||
				 pool->first_type != GOV_NONE;
		gpus = gpus || pool->has_gpus;
	}
	for (uint32_t p = 0; p < policy->pool_count; p++)
		world->pool[p].counted = world->pool[p].has_gpus || !gpus;
}

int world_find_names(struct world *world, struct gov_error *error)
{
	const struct gov_trace *trace = world->trace;
	const struct gov_policy *policy = world->policy;

	if (!policy->class_count)
		return gov_error_set(
			error, GOV_E_REFERENCE,
			"the policy has no priority class; add one, PriorityClass=normal Weight=50 Default=yes");
	for (uint32_t c = 0; c < policy->class_count; c++)
		if (policy->class[c].is_default)
			world->class = c;
	for (uint32_t n = 0; n < trace->name_count; n++) {
		uint32_t unit = gov_policy_find_unit(policy, trace->name[n]);

		if (unit == GOV_NONE || !policy->unit[unit].is_team)
			unit = gov_policy_find_account(policy, trace->name[n]);
		world->team_of[n] = unit;
		world->class_of[n] = gov_policy_find_class(policy,
							   trace->name[n]);
	}
	return 0;
}

static void add_item(struct gov_request *request, uint32_t cell,
		     gov_amount_t amount)
{
	if (!amount || cell == GOV_NONE)
		return;
	request->item[request->count].cell = cell;
	request->item[request->count].amount = amount;
	request->count++;
}

/*
 * The cell of this type of GPU (NULL: the first type, as for a submission).
 * false: the pool counts types, but not this one.
 */
static bool find_type(const struct world *world, uint32_t pool,
		      const char *type, uint32_t *cell)
{
	char name[300];

	*cell = world->pool[pool].first_type;
	if (!type || *cell == GOV_NONE)
		return true;
	*cell = GOV_NONE;
	if ((size_t) snprintf(name, sizeof(name), GPU ":%s", type) <
	    sizeof(name))
		*cell = named_cell(world->policy, pool, name);
	return *cell != GOV_NONE;
}

static uint64_t nodes_for(const struct world *world,
			  const struct gov_trace_job *asked, uint64_t amount)
{
	uint64_t size = world->options->node_size;
	uint64_t least = amount / size + (amount % size != 0);

	if (asked->nodes > least)
		return asked->nodes;
	return least ? least : 1;
}

uint64_t world_amount(const struct world *world, size_t at, uint32_t pool)
{
	const struct gov_trace_job *asked = &world->trace->job[at];

	return world->pool[pool].has_gpus ? asked->gpus : asked->cpus;
}

bool world_asks(const struct world *world, size_t at, uint32_t pool,
		struct gov_request *request)
{
	const struct gov_trace_job *asked = &world->trace->job[at];
	const struct world_pool *p = &world->pool[pool];
	const char *type = asked->gpu_type == GOV_NONE ?
				   NULL :
				   world->trace->name[asked->gpu_type];
	uint32_t cell = GOV_NONE;

	request->count = 0;
	if (asked->gpus &&
	    (!p->has_gpus || !find_type(world, pool, type, &cell)))
		return false;
	add_item(request, p->gpu, asked->gpus);
	add_item(request, cell, asked->gpus);
	add_item(request, p->cpu, asked->cpus);
	add_item(request, p->memory, asked->memory);
	if (!request->count)
		return false;
	add_item(request, p->node,
		 nodes_for(world, asked, world_amount(world, at, pool)));
	return true;
}

uint32_t world_pool_of_team(const struct world *world, uint32_t team,
			    uint32_t place)
{
	const struct gov_unit *unit = &world->policy->unit[team];

	if (unit->pools)
		return place < unit->pool_count ? unit->pools[place] : GOV_NONE;
	return place < world->policy->pool_count ? place : GOV_NONE;
}

static int find_class(const struct world *world, struct world_job *job,
		      const struct gov_trace_job *asked,
		      struct gov_error *error)
{
	job->class = world->class;
	if (asked->class == GOV_NONE)
		return 0;
	if (world->class_of[asked->class] != GOV_NONE)
		job->class = world->class_of[asked->class];
	else if (!world->trace->class_is_hint)
		return gov_error_set(
			error, GOV_E_REFERENCE,
			"the trace has jobs of class '%.60s', which the policy does not know",
			world->trace->name[asked->class]);
	return 0;
}

int world_identify(struct world *world, size_t at, struct gov_error *error)
{
	const struct gov_trace_job *asked = &world->trace->job[at];
	struct world_job *job = &world->job[at];
	struct gov_request request;
	uint32_t pool;

	job->team = world->team_of[asked->team];
	if (job->team == GOV_NONE)
		return gov_error_set(
			error, GOV_E_REFERENCE,
			"the trace has jobs of team '%.60s', which the policy does not know; add it, or draft a policy with --draft",
			world->trace->name[asked->team]);
	if (find_class(world, job, asked, error))
		return -1;
	for (uint32_t i = 0;
	     (pool = world_pool_of_team(world, job->team, i)) != GOV_NONE; i++)
		if (world_asks(world, at, pool, &request))
			return 0;
	return gov_error_set(
		error, GOV_R_NO_POOL,
		"no pool that team %s may use has what job %zu of the trace asks (%s)",
		world->policy->unit[job->team].name, at + 1,
		asked->gpus ? "GPUs" :
		asked->cpus ? "CPUs" :
			      "memory");
}
