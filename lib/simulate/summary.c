/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What came out of a simulation: waiting, use, loss, fairness.
 *
 * The waits are sorted once for all jobs; walking them in that order fills
 * the list of every group in order, too.
 */
#include <stdlib.h>
#include <string.h>

#include "simulate/world.h"

struct wait {
	int64_t seconds;
	uint32_t job;
};

enum by { BY_ALL, BY_TEAM, BY_CLASS };

struct summary {
	const struct world *world;
	struct wait *wait; /* of some jobs, sorted */
	size_t count;
	int64_t *sorted; /* the same, group after group */
	size_t *start;	 /* per group, into sorted */
	size_t *fill;
	size_t group_space;
};

static int by_seconds(const void *left, const void *right)
{
	const struct wait *a = left, *b = right;

	if (a->seconds != b->seconds)
		return a->seconds < b->seconds ? -1 : 1;
	return a->job < b->job ? -1 : a->job > b->job;
}

static int create(struct summary *summary, const struct world *world,
		  size_t groups)
{
	size_t count = world->trace->count;

	*summary = (struct summary){ .world = world, .group_space = groups };
	summary->wait = calloc(count, sizeof(*summary->wait));
	summary->sorted = calloc(count, sizeof(*summary->sorted));
	summary->start = calloc(groups + 1, sizeof(*summary->start));
	summary->fill = calloc(groups + 1, sizeof(*summary->fill));
	return summary->wait && summary->sorted && summary->start &&
			       summary->fill ?
		       0 :
		       -1;
}

static void destroy(struct summary *summary)
{
	free(summary->wait);
	free(summary->sorted);
	free(summary->start);
	free(summary->fill);
}

/*
 * Seconds not running.  Who still waits has waited until the simulation
 * stopped.
 */
static int64_t waited(const struct world *world, const struct world_job *job,
		      bool first_start)
{
	int64_t open = job->running || job->finished ? 0 :
						       world->now - job->since;

	if (first_start && job->first_wait >= 0)
		return job->first_wait;
	return job->waited + open;
}

/* All jobs that were not refused, or those that were owed quota. */
static void collect(struct summary *summary, bool owed)
{
	const struct world *world = summary->world;

	summary->count = 0;
	for (size_t i = 0; i < world->trace->count; i++) {
		const struct world_job *job = &world->job[i];

		if (job->refused || (owed && !job->owed))
			continue;
		summary->wait[summary->count++] = (struct wait){
			waited(world, job, owed), (uint32_t) i
		};
	}
	qsort(summary->wait, summary->count, sizeof(*summary->wait),
	      by_seconds);
}

static uint32_t group_of(const struct world *world, uint32_t job, enum by by)
{
	if (by == BY_TEAM)
		return world->job[job].team;
	return by == BY_CLASS ? world->job[job].class : 0;
}

static void split(struct summary *summary, enum by by)
{
	const struct world *world = summary->world;
	size_t *start = summary->start;

	memset(start, 0, (summary->group_space + 1) * sizeof(*start));
	for (size_t i = 0; i < summary->count; i++)
		start[group_of(world, summary->wait[i].job, by) + 1]++;
	for (size_t g = 0; g < summary->group_space; g++)
		start[g + 1] += start[g];
	memcpy(summary->fill, start, summary->group_space * sizeof(*start));
	for (size_t i = 0; i < summary->count; i++) {
		uint32_t g = group_of(world, summary->wait[i].job, by);

		summary->sorted[summary->fill[g]++] = summary->wait[i].seconds;
	}
}

static double nearest_rank(const int64_t *sorted, size_t count,
			   unsigned percent)
{
	size_t rank = (count * percent + 99) / 100;

	return count ? (double) sorted[rank ? rank - 1 : 0] : 0;
}

static void waits_of(const struct summary *summary, uint32_t group,
		     struct gov_simulate_waits *waits)
{
	const int64_t *sorted = summary->sorted + summary->start[group];
	size_t count = summary->start[group + 1] - summary->start[group];
	double sum = 0;

	*waits = (struct gov_simulate_waits){ .jobs = count };
	for (size_t i = 0; i < count; i++) {
		sum += (double) sorted[i];
		waits->late += sorted[i] > 0;
	}
	waits->mean = count ? sum / (double) count : 0;
	waits->p50 = nearest_rank(sorted, count, 50);
	waits->p95 = nearest_rank(sorted, count, 95);
	waits->max = nearest_rank(sorted, count, 100);
}

static double hours(const struct world *world, const struct world_job *job,
		    int64_t seconds)
{
	if (!world->pool[job->pool].counted)
		return 0;
	return (double) job->amount * (double) seconds / 3600.0;
}

static void add_job(const struct world *world, size_t at,
		    struct gov_simulate_group *group)
{
	const struct world_job *job = &world->job[at];
	int64_t run = world->trace->job[at].duration - job->remaining;

	if (job->refused) {
		group->refused++;
		return;
	}
	if (job->running)
		run += world->now - job->since;
	group->hours_used += hours(world, job, run + job->lost);
	group->hours_lost += hours(world, job, job->lost);
	group->evictions += job->evictions;
}

static void add_jobs(const struct world *world,
		     struct gov_simulate_result *result,
		     struct gov_simulate_group *of_unit)
{
	double placing = 0;

	for (size_t i = 0; i < world->trace->count; i++) {
		const struct world_job *job = &world->job[i];

		add_job(world, i, &result->all);
		add_job(world, i, &of_unit[job->team]);
		add_job(world, i, &result->class[job->class]);
		placing += (double) job->placing;
		if (!job->refused && !job->finished && !job->running)
			result->unfinished++;
	}
	if (result->all.wait.jobs)
		result->place_mean = placing / (double) result->all.wait.jobs;
}

static void add_claims(const struct world *world, uint32_t unit,
		       struct gov_simulate_group *group)
{
	uint32_t pools = world->policy->pool_count;
	double guarded = 0, delivered = 0;

	for (uint32_t p = 0; p < pools; p++) {
		const struct world_claim *claim =
			&world->claim[(size_t) unit * pools + p];

		if (!world->pool[p].counted)
			continue;
		group->hours_borrowed += claim->borrowed / 3600;
		guarded += claim->guarded;
		delivered += claim->delivered;
	}
	group->delivered = guarded > 0 ? delivered / guarded : 1;
}

/* Keep the teams only, and Jain's index (sum x)^2 / (n sum x^2) over them. */
static void keep_teams(const struct world *world,
		       struct gov_simulate_result *result,
		       const struct gov_simulate_group *of_unit)
{
	const struct gov_policy *policy = world->policy;
	double sum = 0, squares = 0;
	unsigned count = 0;

	for (uint32_t u = 0; u < policy->unit_count; u++) {
		struct gov_simulate_group *team =
			&result->team[result->team_count];

		if (!policy->unit[u].is_team)
			continue;
		*team = of_unit[u];
		team->name = policy->unit[u].name;
		add_claims(world, u, team);
		result->all.hours_borrowed += team->hours_borrowed;
		result->team_count++;
		if (!team->wait.jobs)
			continue;
		sum += team->delivered;
		squares += team->delivered * team->delivered;
		count++;
	}
	result->jain = squares > 0 ? sum * sum / (count * squares) : 1;
}

static void set_times(const struct world *world,
		      struct gov_simulate_result *result)
{
	int64_t first = world->trace->job[0].submit;
	double window = (double) (world->last_submit - first);

	result->jobs = world->trace->count;
	result->makespan = (double) (world->now - first);
	result->hours_idle = world->idle_seconds / 3600;
	if (window > 0 && world->capacity)
		result->utilization = world->used_seconds / window /
				      (double) world->capacity;
}

static void all_waits(struct summary *summary,
		      struct gov_simulate_result *result,
		      struct gov_simulate_group *of_unit)
{
	const struct gov_policy *policy = summary->world->policy;

	for (int owed = 0; owed < 2; owed++) {
		collect(summary, owed);
		split(summary, BY_ALL);
		waits_of(summary, 0,
			 owed ? &result->all.owed : &result->all.wait);
		split(summary, BY_TEAM);
		for (uint32_t u = 0; u < policy->unit_count; u++)
			waits_of(summary, u,
				 owed ? &of_unit[u].owed : &of_unit[u].wait);
		split(summary, BY_CLASS);
		for (uint32_t c = 0; c < policy->class_count; c++)
			waits_of(summary, c,
				 owed ? &result->class[c].owed :
					&result->class[c].wait);
	}
}

int world_summary(struct world *world, struct gov_simulate_result *result,
		  struct gov_error *error)
{
	const struct gov_policy *policy = world->policy;
	size_t units = policy->unit_count, classes = policy->class_count;
	struct gov_simulate_group *of_unit = calloc(units + 1,
						    sizeof(*of_unit));
	struct summary summary;

	result->team = calloc(units + 1, sizeof(*result->team));
	result->class = calloc(classes + 1, sizeof(*result->class));
	result->class_count = classes;
	if (create(&summary, world, (units > classes ? units : classes) + 1) ||
	    !of_unit || !result->team || !result->class) {
		destroy(&summary);
		free(of_unit);
		gov_simulate_result_free(result);
		return gov_error_set(error, GOV_E_NOMEM, "out of memory");
	}
	for (uint32_t c = 0; c < policy->class_count; c++)
		result->class[c].name = policy->class[c].name;
	all_waits(&summary, result, of_unit);
	add_jobs(world, result, of_unit);
	keep_teams(world, result, of_unit);
	set_times(world, result);
	destroy(&summary);
	free(of_unit);
	return 0;
}

void gov_simulate_result_free(struct gov_simulate_result *result)
{
	free(result->team);
	free(result->class);
	memset(result, 0, sizeof(*result));
}
