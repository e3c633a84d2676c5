/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What came out of a simulation: waiting, use, loss, fairness. */
#include <stdlib.h>
#include <string.h>

#include "simulate/world.h"

struct samples {
	double *value;
	size_t count;
};

static int by_value(const void *left, const void *right)
{
	double a = *(const double *) left, b = *(const double *) right;

	return a < b ? -1 : a > b;
}

/* Nearest rank on sorted samples. */
static double percentile(const struct samples *samples, unsigned percent)
{
	size_t rank = (samples->count * percent + 99) / 100;

	if (!samples->count)
		return 0;
	return samples->value[rank ? rank - 1 : 0];
}

static double mean(const struct samples *samples)
{
	double sum = 0;

	for (size_t i = 0; i < samples->count; i++)
		sum += samples->value[i];
	return samples->count ? sum / (double) samples->count : 0;
}

/*
 * Seconds from submission to the first start; a job that never started has
 * waited until the simulation stopped.
 */
static double waited(const struct world *world, size_t at)
{
	const struct world_job *job = &world->job[at];
	int64_t until = job->first_start < 0 ? world->now : job->first_start;

	return (double) (until - world->trace->job[at].submit);
}

enum which { ALL, OWED, TEAM, CLASS };

static void collect(const struct world *world, enum which which,
		    uint32_t value, struct samples *samples)
{
	samples->count = 0;
	for (size_t i = 0; i < world->trace->count; i++) {
		const struct world_job *job = &world->job[i];
		uint32_t team = world->team_of[world->trace->job[i].team];

		if (job->refused || (which == OWED && !job->owed) ||
		    (which == TEAM && team != value) ||
		    (which == CLASS && job->class != value))
			continue;
		samples->value[samples->count++] = waited(world, i);
	}
	qsort(samples->value, samples->count, sizeof(double), by_value);
}

static double hours(const struct world *world, size_t at, int64_t seconds)
{
	return (double) world->job[at].request.item[0].amount *
	       (double) seconds / 3600.0;
}

static void add_hours(const struct world *world, enum which which,
		      uint32_t value, struct gov_simulate_group *group)
{
	for (size_t i = 0; i < world->trace->count; i++) {
		const struct world_job *job = &world->job[i];
		uint32_t team = world->team_of[world->trace->job[i].team];
		int64_t run = world->trace->job[i].duration - job->remaining;

		if ((which == TEAM && team != value) ||
		    (which == CLASS && job->class != value))
			continue;
		if (job->placement)
			run += world->now - job->started;
		group->hours_used += hours(world, i, run + job->lost);
		group->hours_lost += hours(world, i, job->lost);
		group->evictions += job->evictions;
	}
}

static void make_group(const struct world *world, enum which which,
		       uint32_t value, const char *name,
		       struct samples *samples,
		       struct gov_simulate_group *group)
{
	*group = (struct gov_simulate_group){ .name = name };
	collect(world, which, value, samples);
	group->jobs = samples->count;
	group->wait_mean = mean(samples);
	group->wait_p50 = percentile(samples, 50);
	group->wait_p95 = percentile(samples, 95);
	add_hours(world, which, value, group);
	if (which == TEAM)
		group->hours_borrowed = world->borrowed_seconds[value] / 3600;
}

/* Jain's index (sum x)^2 / (n sum x^2) over hours used per hour of quota. */
static double jain(const struct world *world,
		   const struct gov_simulate_result *result)
{
	double sum = 0, squares = 0;
	unsigned count = 0;

	for (size_t i = 0; i < result->team_count; i++) {
		uint32_t team = gov_policy_find_unit(world->reference,
						     result->team[i].name);
		gov_amount_t quota =
			world->reference->unit[team].quota[0].nominal;
		double x;

		if (!quota || !result->team[i].jobs)
			continue;
		x = result->team[i].hours_used / (double) quota;
		sum += x;
		squares += x * x;
		count++;
	}
	return squares > 0 ? sum * sum / (count * squares) : 1;
}

static double pool_amount(const struct world *world)
{
	double amount = 0;

	for (uint32_t p = 0; p < world->policy->pool_count; p++)
		amount += (double) world->policy->pool[p].node_count *
			  world->options->node_size;
	return amount;
}

static void sum_up(struct world *world, struct gov_simulate_result *result,
		   struct samples *samples)
{
	double window = (double) (world->last_submit -
				  world->trace->job[0].submit);

	result->jobs = world->trace->count;
	result->makespan = (double) (world->now - world->trace->job[0].submit);
	if (window > 0)
		result->utilization = world->used_seconds /
			(window * pool_amount(world));
	for (size_t i = 0; i < world->trace->count; i++) {
		if (world->job[i].refused)
			result->refused++;
		else if (world->job[i].finished < 0)
			result->unfinished++;
	}
	collect(world, ALL, 0, samples);
	result->wait_mean = mean(samples);
	result->wait_p50 = percentile(samples, 50);
	result->wait_p95 = percentile(samples, 95);
	collect(world, OWED, 0, samples);
	result->owed = samples->count;
	result->owed_mean = mean(samples);
	result->owed_p50 = percentile(samples, 50);
	result->owed_p95 = percentile(samples, 95);
	result->owed_max = percentile(samples, 100);
	for (size_t i = 0; i < result->team_count; i++) {
		result->evictions += result->team[i].evictions;
		result->hours_used += result->team[i].hours_used;
		result->hours_lost += result->team[i].hours_lost;
		result->hours_borrowed += result->team[i].hours_borrowed;
	}
	result->jain = jain(world, result);
}

int world_summary(struct world *world, struct gov_simulate_result *result,
		  struct gov_error *error)
{
	const struct gov_policy *policy = world->policy;
	struct samples samples;

	samples.value = calloc(world->trace->count, sizeof(double));
	result->team = calloc(policy->unit_count + 1, sizeof(*result->team));
	result->class = calloc(policy->class_count + 1,
			       sizeof(*result->class));
	if (!samples.value || !result->team || !result->class) {
		free(samples.value);
		gov_simulate_result_free(result);
		return gov_error_set(error, GOV_E_NOMEM, "out of memory");
	}
	for (uint32_t u = 0; u < policy->unit_count; u++)
		if (policy->unit[u].is_team)
			make_group(world, TEAM, u, policy->unit[u].name,
				   &samples,
				   &result->team[result->team_count++]);
	for (uint32_t c = 0; c < policy->class_count; c++)
		make_group(world, CLASS, c, policy->class[c].name, &samples,
			   &result->class[result->class_count++]);
	sum_up(world, result, &samples);
	free(samples.value);
	return 0;
}

void gov_simulate_result_free(struct gov_simulate_result *result)
{
	free(result->team);
	free(result->class);
	memset(result, 0, sizeof(*result));
}
