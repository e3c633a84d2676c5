/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build the simulated world from trace and policy, and measure it. */
#include "simulate/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_gpu(const char *tres)
{
	return !strncmp(tres, "gres/gpu", 8) &&
	       (tres[8] == '\0' || tres[8] == ':');
}

/* Add amount of a cell; the first item is what nodes are filled by. */
static void add_item(struct gov_request *request, uint32_t cell,
		     gov_amount_t amount)
{
	if (!amount || cell == GOV_NONE)
		return;
	request->item[request->count].cell = cell;
	request->item[request->count].amount = amount;
	request->count++;
}

static uint32_t gpu_cell(const struct gov_policy *policy, uint32_t pool,
			 const char *type)
{
	for (uint32_t c = 0; c < policy->cell_count; c++) {
		const char *tres = policy->tres[policy->cell[c].tres].name;

		if (policy->cell[c].pool != pool || !is_gpu(tres))
			continue;
		if (!type || !tres[8] || !strcasecmp(tres + 9, type))
			return c;
	}
	return GOV_NONE;
}

static uint32_t named_cell(const struct gov_policy *policy, uint32_t pool,
			   const char *tres)
{
	uint32_t index = gov_policy_find_tres(policy, tres);

	return index == GOV_NONE ? GOV_NONE :
		gov_policy_find_cell(policy, pool, index);
}

static bool pool_takes(const struct gov_policy *policy, uint32_t pool,
		       const struct gov_trace_job *asked, const char *type,
		       struct gov_request *request)
{
	uint32_t gpus = gpu_cell(policy, pool, type);
	uint32_t cpus = named_cell(policy, pool, "cpu");

	request->count = 0;
	if (asked->gpus && gpus == GOV_NONE)
		return false;
	if (!asked->gpus && cpus == GOV_NONE)
		return false;
	add_item(request, gpus, asked->gpus);
	add_item(request, cpus, asked->cpus);
	add_item(request, named_cell(policy, pool, "mem"), asked->memory);
	return request->count > 0;
}

static int resolve_job(struct world *world, size_t at,
		       struct gov_error *error)
{
	const struct gov_trace_job *asked = &world->trace->job[at];
	struct world_job *job = &world->job[at];
	const char *type = asked->gpu_type == GOV_NONE ?
		NULL : world->trace->name[asked->gpu_type];
	uint32_t pool = 0;

	*job = (struct world_job){ .first_start = -1, .finished = -1,
				   .remaining = asked->duration };
	if (world->team_of[asked->team] == GOV_NONE)
		return gov_error_set(error, GOV_E_REFERENCE,
				     "the trace has jobs of team '%.60s', which the policy does not know; add it, or draft a policy with --draft",
				     world->trace->name[asked->team]);
	if (asked->class != GOV_NONE) {
		job->class = gov_policy_find_class(
			world->policy, world->trace->name[asked->class]);
		if (job->class == GOV_NONE)
			return gov_error_set(error, GOV_E_REFERENCE,
					     "the trace has jobs of class '%.60s', which the policy does not know",
					     world->trace->name[asked->class]);
	} else {
		for (uint32_t c = 0; c < world->policy->class_count; c++)
			if (world->policy->class[c].is_default)
				job->class = c;
	}
	while (pool < world->policy->pool_count &&
	       !pool_takes(world->policy, pool, asked, type, &job->request))
		pool++;
	if (pool == world->policy->pool_count)
		return gov_error_set(error, GOV_R_NO_POOL,
				     "no pool of the policy has what job %zu of the trace asks (%s)",
				     at + 1, asked->gpus ? "GPUs" : "CPUs");
	return 0;
}

static int resolve(struct world *world, struct gov_error *error)
{
	const struct gov_trace *trace = world->trace;

	if (!world->policy->class_count)
		return gov_error_set(error, GOV_E_REFERENCE,
				     "the policy has no priority class; add one, PriorityClass=normal Weight=50 Default=yes");
	for (uint32_t n = 0; n < trace->name_count; n++) {
		uint32_t unit = gov_policy_find_unit(world->policy,
						     trace->name[n]);

		if (unit == GOV_NONE || !world->policy->unit[unit].is_team)
			unit = gov_policy_find_account(world->policy,
						       trace->name[n]);
		world->team_of[n] = unit;
	}
	for (size_t i = 0; i < trace->count; i++)
		if (resolve_job(world, i, error))
			return -1;
	return 0;
}

/* Nodes of a pool are filled by its GPUs, or by CPUs if it has none. */
static int make_nodes(struct world *world, struct gov_error *error)
{
	const struct gov_policy *policy = world->policy;

	for (uint32_t p = 0; p < policy->pool_count; p++) {
		uint32_t size = world->options->node_size;
		uint32_t count = policy->pool[p].node_count;
		uint32_t cell = gpu_cell(policy, p, NULL);

		if (cell == GOV_NONE)
			cell = named_cell(policy, p, "cpu");
		if (!count)
			return gov_error_set(error, GOV_E_VALUE,
					     "pool %s has no nodes (Nodes=); the simulator needs them",
					     policy->pool[p].name);
		world->nodes[p] = gov_nodes_create(count, size);
		if (!world->nodes[p])
			return gov_error_set(error, GOV_E_NOMEM,
					     "out of memory, or nodes of more than %d",
					     GOV_NODE_SIZE_MAX);
		if (cell != GOV_NONE)
			gov_engine_set_capacity(world->engine, cell,
						(gov_amount_t) count * size);
	}
	return 0;
}

static int allocate(struct world *world)
{
	const struct gov_trace *trace = world->trace;
	const struct gov_policy *policy = world->policy;

	world->job = calloc(trace->count, sizeof(*world->job));
	world->team_of = calloc(trace->name_count + 1,
				sizeof(*world->team_of));
	world->nodes = calloc(policy->pool_count + 1, sizeof(*world->nodes));
	world->borrowed_seconds = calloc(policy->unit_count + 1,
					 sizeof(double));
	return world->job && world->team_of && world->nodes &&
	       world->borrowed_seconds ? 0 : -1;
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
	world->last_submit = trace->job[trace->count - 1].submit;
	world->next_sample = trace->job[0].submit;
	world->engine = gov_engine_create(policy, error);
	if (world->engine && !allocate(world)) {
		if (!resolve(world, error) && !make_nodes(world, error))
			return world;
	} else if (world->engine) {
		gov_error_set(error, GOV_E_NOMEM, "out of memory");
	}
	world_destroy(world);
	return NULL;
}

void world_destroy(struct world *world)
{
	if (world->nodes)
		for (uint32_t p = 0; p < world->policy->pool_count; p++)
			gov_nodes_destroy(world->nodes[p]);
	gov_engine_destroy(world->engine);
	gov_decision_list_free(&world->decisions);
	free(world->job);
	free(world->team_of);
	free(world->nodes);
	free(world->borrowed_seconds);
	free(world->end);
	free(world);
}

bool world_is_owed(struct world *world, const struct gov_job *job)
{
	for (uint32_t i = 0; i < job->request.count; i++) {
		uint32_t cell = job->request.item[i].cell;
		gov_amount_t nominal =
			world->reference->unit[job->team].quota[cell].nominal;
		struct gov_cell_view view;

		gov_engine_view(world->engine, job->team, cell, &view);
		if (gov_amount_add(view.usage, job->request.item[i].amount) >
		    nominal)
			return false;
	}
	return true;
}

static void sample(struct world *world, uint64_t used)
{
	FILE *file = world->options->series;

	for (uint32_t u = 0; u < world->policy->unit_count; u++) {
		struct gov_cell_view view;

		if (!world->policy->unit[u].is_team)
			continue;
		for (uint32_t c = 0; c < world->policy->cell_count; c++) {
			gov_engine_view(world->engine, u, c, &view);
			fprintf(file, "%s,%lld,%s,%s,%s,%llu,%llu,%llu,%llu,%llu\n",
				world->options->label,
				(long long) world->next_sample,
				world->policy->unit[u].name,
				world->policy->pool[world->policy->cell[c].pool].name,
				world->policy->tres[world->policy->cell[c].tres].name,
				(unsigned long long) view.usage,
				(unsigned long long) view.borrowed,
				(unsigned long long) view.lent,
				(unsigned long long) view.waiting,
				(unsigned long long) used);
		}
	}
}

void world_account(struct world *world, int64_t until)
{
	int64_t end = until < world->last_submit ? until : world->last_submit;
	uint64_t used = 0;

	for (uint32_t p = 0; p < world->policy->pool_count; p++)
		used += gov_nodes_used(world->nodes[p]);
	if (end > world->now)
		world->used_seconds += (double) used *
			(double) (end - world->now);
	for (uint32_t u = 0; u < world->policy->unit_count; u++) {
		struct gov_cell_view view;

		if (!world->policy->unit[u].is_team)
			continue;
		/* Cell 0 is what the first pool's nodes are filled by. */
		gov_engine_view(world->engine, u, 0, &view);
		world->borrowed_seconds[u] += (double) view.borrowed *
			(double) (until - world->now);
	}
	if (!world->options->series || world->options->sample <= 0)
		return;
	while (world->next_sample < until) {
		sample(world, used);
		world->next_sample += world->options->sample;
	}
}
