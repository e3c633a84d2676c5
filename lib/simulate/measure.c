/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is watched while the world moves.  Sums over time are brought up to
 * date where something changes, never for all teams at every event; they come
 * from what the simulator itself starts and stops, not from the engine.
 */
#include <stdio.h>

#include "simulate/world.h"

static struct world_claim *claim_of(struct world *world,
				    const struct world_job *job)
{
	return &world->claim[(size_t) job->team * world->policy->pool_count +
			     job->pool];
}

/* The written quota of what fills the pool's nodes. */
static uint64_t written_quota(const struct world *world, uint32_t unit,
			      uint32_t p)
{
	const struct gov_policy *policy = world->reference;
	const struct gov_quota *quota = policy->unit[unit].quota;
	const struct world_pool *pool = &world->pool[p];
	gov_amount_t sum = 0;

	if (pool->gpu != GOV_NONE)
		return quota[pool->gpu].nominal;
	if (!pool->has_gpus)
		return pool->cpu == GOV_NONE ? 0 : quota[pool->cpu].nominal;
	for (uint32_t c = 0; c < policy->cell_count; c++)
		if (world_is_gpu_cell(policy, p, c))
			sum = gov_amount_add(sum, quota[c].nominal);
	return sum;
}

void world_measure_init(struct world *world)
{
	uint32_t pools = world->policy->pool_count;

	for (uint32_t p = 0; p < pools; p++)
		if (world->pool[p].counted)
			world->capacity +=
				(uint64_t) world->policy->pool[p].node_count *
				world->options->node_size;
	for (uint32_t u = 0; u < world->policy->unit_count; u++)
		for (uint32_t p = 0; p < pools; p++) {
			struct world_claim *claim =
				&world->claim[(size_t) u * pools + p];

			claim->quota = written_quota(world, u, p);
			claim->since = world->now;
		}
}

bool world_is_owed(const struct world *world, uint32_t team,
		   const struct gov_request *request)
{
	for (uint32_t i = 0; i < request->count; i++) {
		uint32_t cell = request->item[i].cell;
		const struct gov_quota *quota =
			&world->reference->unit[team].quota[cell];
		struct gov_cell_view view;
		gov_amount_t all;

		if (!quota->counted)
			continue;
		gov_engine_view_sums(world->engine, team, cell, &view);
		all = gov_amount_add(view.usage, view.waiting);
		if (gov_amount_add(all, request->item[i].amount) >
		    quota->nominal)
			return false;
	}
	return true;
}

static void bring_up(struct world_claim *claim, int64_t now)
{
	double seconds = (double) (now - claim->since);
	uint64_t own = gov_amount_min(claim->running, claim->quota);

	claim->since = now;
	claim->borrowed += seconds * (double) (claim->running - own);
	claim->delivered += seconds * (double) own;
	claim->guarded += seconds *
			  (double) gov_amount_min(claim->wanted, claim->quota);
}

void world_wanted(struct world *world, const struct world_job *job, bool more)
{
	struct world_claim *claim = claim_of(world, job);

	bring_up(claim, world->now);
	claim->wanted += more ? job->amount : -job->amount;
	if (world->pool[job->pool].counted)
		world->waiting += more ? job->amount : -job->amount;
}

void world_runs(struct world *world, const struct world_job *job, bool more)
{
	struct world_claim *claim = claim_of(world, job);

	bring_up(claim, world->now);
	claim->running += more ? job->amount : -job->amount;
	if (world->pool[job->pool].counted)
		world->waiting -= more ? job->amount : -job->amount;
}

void world_measure_all(struct world *world)
{
	size_t count = (size_t) world->policy->unit_count *
		       world->policy->pool_count;

	for (size_t i = 0; i < count; i++)
		bring_up(&world->claim[i], world->now);
}

static void sample_cell(const struct world *world, uint32_t unit, uint32_t cell)
{
	const struct gov_policy *policy = world->policy;
	uint32_t pool = policy->cell[cell].pool;
	struct gov_cell_view view;

	gov_engine_view(world->engine, unit, cell, &view);
	fprintf(world->options->series,
		"%s,%lld,%s,%s,%s,%llu,%llu,%llu,%llu,%llu\n",
		world->options->label, (long long) world->next_sample,
		policy->unit[unit].name, policy->pool[pool].name,
		policy->tres[policy->cell[cell].tres].name,
		(unsigned long long) view.usage,
		(unsigned long long) view.borrowed,
		(unsigned long long) view.lent,
		(unsigned long long) view.waiting,
		(unsigned long long) gov_nodes_used(world->pool[pool].nodes));
}

static void sample(const struct world *world)
{
	const struct gov_policy *policy = world->policy;

	for (uint32_t u = 0; u < policy->unit_count; u++)
		for (uint32_t c = 0;
		     policy->unit[u].is_team && c < policy->cell_count; c++)
			sample_cell(world, u, c);
}

void world_account(struct world *world, int64_t until)
{
	int64_t end = until < world->last_submit ? until : world->last_submit;
	uint64_t used = 0;

	for (uint32_t p = 0; p < world->policy->pool_count; p++)
		if (world->pool[p].counted)
			used += gov_nodes_used(world->pool[p].nodes);
	world->idle_seconds += (double) (until - world->now) *
			       (double) gov_amount_min(world->capacity - used,
						       world->waiting);
	if (end > world->now)
		world->used_seconds += (double) used *
				       (double) (end - world->now);
	if (!world->options->series || world->options->sample <= 0)
		return;
	while (world->next_sample < until) {
		sample(world);
		world->next_sample += world->options->sample;
	}
}
