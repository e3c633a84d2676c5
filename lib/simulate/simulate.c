/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event loop of the simulator: submissions, ends, decisions, placement. */
#include "simulate/simulate.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/nodes.h"
#include "simulate/world.h"

/* How many admitted jobs are tried for a place before the rest must wait. */
#define LOOK_AHEAD 256

/* ---- the heap of ends of runs ---- */

static bool sooner(const struct world_end *a, const struct world_end *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->job != b->job ? a->job < b->job : a->run < b->run;
}

static int heap_push(struct world *world, struct world_end end)
{
	size_t at;

	if (world->end_count == world->end_space) {
		size_t space = world->end_space ? world->end_space * 2 : 1024;
		struct world_end *grown;

		grown = reallocarray(world->end, space, sizeof(*grown));
		if (!grown)
			return -1;
		world->end = grown;
		world->end_space = space;
	}
	at = world->end_count++;
	while (at && sooner(&end, &world->end[(at - 1) / 2])) {
		world->end[at] = world->end[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	world->end[at] = end;
	return 0;
}

static struct world_end heap_pop(struct world *world)
{
	struct world_end top = world->end[0];
	struct world_end last = world->end[--world->end_count];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < world->end_count) {
		if (child + 1 < world->end_count &&
		    sooner(&world->end[child + 1], &world->end[child]))
			child++;
		if (!sooner(&world->end[child], &last))
			break;
		world->end[at] = world->end[child];
		at = child;
	}
	if (world->end_count)
		world->end[at] = last;
	return top;
}

/* ---- the line of admitted jobs that wait for a place ---- */

static void line_append(struct world *world, uint32_t at)
{
	struct world_job *job = &world->job[at];

	job->next = GOV_NONE;
	job->previous = world->line_last;
	if (world->line_last == GOV_NONE)
		world->line_first = at;
	else
		world->job[world->line_last].next = at;
	world->line_last = at;
	job->in_line = true;
	job->admitted = world->now;
	world->line_moved = true;
}

static void line_remove(struct world *world, uint32_t at)
{
	struct world_job *job = &world->job[at];

	if (!job->in_line)
		return;
	if (job->previous == GOV_NONE)
		world->line_first = job->next;
	else
		world->job[job->previous].next = job->next;
	if (job->next == GOV_NONE)
		world->line_last = job->previous;
	else
		world->job[job->next].previous = job->previous;
	job->in_line = false;
}

/* ---- what happens to a job ---- */

static int start(struct world *world, uint32_t at, int64_t placement)
{
	struct world_job *job = &world->job[at];
	struct gov_job known = *gov_engine_job(world->engine, at + 1);

	job->waited += world->now - job->since;
	job->placing += world->now - job->admitted;
	if (job->first_wait < 0)
		job->first_wait = job->waited;
	job->placement = placement;
	job->running = true;
	job->since = world->now;
	job->run++;
	world_runs(world, job, true);
	known.state = GOV_JOB_RUNNING;
	known.started = world->now;
	if (gov_engine_put(world->engine, &known, &world->error))
		return -1;
	return heap_push(world, (struct world_end){ world->now + job->remaining,
						    at, job->run });
}

/*
 * Place who can be placed.  What does not fit as few whole nodes and a part
 * keeps all larger jobs of its pool out, so they are not tried.
 */
static int place_line(struct world *world)
{
	uint32_t at = world->line_first, next, tried = 0;

	if (!world->line_moved)
		return 0;
	world->line_moved = false;
	for (uint32_t p = 0; p < world->policy->pool_count; p++)
		world->pool[p].too_large = UINT64_MAX;
	for (; at != GOV_NONE && tried < LOOK_AHEAD; at = next, tried++) {
		const struct world_job *job = &world->job[at];
		struct world_pool *pool = &world->pool[job->pool];
		uint32_t wanted = world->trace->job[at].nodes;
		int64_t placement = 0;

		next = job->next;
		if (job->amount >= pool->too_large)
			continue;
		if (job->amount)
			placement = gov_nodes_place(pool->nodes, job->amount,
						    wanted);
		if (placement < 0)
			return -1;
		if (job->amount && !placement) {
			if (wanted < 2)
				pool->too_large = job->amount;
			continue;
		}
		line_remove(world, at);
		if (start(world, at, placement))
			return -1;
	}
	return 0;
}

/* The run is over (done, or taken away): count it and free the nodes. */
static void stop(struct world *world, uint32_t at, bool finished)
{
	struct world_job *job = &world->job[at];
	int64_t ran = world->now - job->since, kept = 0;

	gov_nodes_release(world->pool[job->pool].nodes, job->placement);
	world_runs(world, job, false);
	job->placement = 0;
	job->running = false;
	job->since = world->now;
	world->line_moved = true;
	if (finished) {
		world_wanted(world, job, false);
		job->remaining = 0;
		job->finished = true;
		world->done++;
		return;
	}
	if (world->options->checkpoint > 0)
		kept = ran / world->options->checkpoint *
		       world->options->checkpoint;
	job->remaining -= kept;
	job->lost += ran - kept;
	job->evictions++;
}

static void end_run(struct world *world, struct world_end end)
{
	struct world_job *job = &world->job[end.job];

	if (job->run != end.run || !job->running)
		return; /* that run was taken away before */
	stop(world, end.job, true);
	gov_engine_remove(world->engine, end.job + 1);
}

static int take_away(struct world *world, const struct gov_decision *decision)
{
	uint32_t at = (uint32_t) (decision->job - 1);
	struct gov_job known = *gov_engine_job(world->engine, decision->job);

	stop(world, at, false);
	known.state = GOV_JOB_WAITING;
	known.asker = decision->asker;
	known.started = 0;
	known.deadline = 0;
	known.rule = GOV_RULE_NONE;
	known.evictions = world->job[at].evictions;
	return gov_engine_put(world->engine, &known, &world->error);
}

static int carry_out(struct world *world, const struct gov_decision *decision)
{
	uint32_t at = (uint32_t) (decision->job - 1);

	switch (decision->kind) {
	case GOV_ADMIT: line_append(world, at); return 0;
	case GOV_WITHDRAW: line_remove(world, at); return 0;
	case GOV_NOTICE:
	case GOV_CLAIM:
		return 0; /* it runs, or waits, on; the engine knows the
				   deadline */
	case GOV_STOP: return take_away(world, decision);
	}
	return -1;
}

/* One call is the engine's fixed point; what is then stopped frees more. */
static int settle(struct world *world)
{
	bool freed = true;

	while (freed) {
		freed = false;
		gov_decision_list_clear(&world->decisions);
		if (gov_engine_decide(world->engine, world->now,
				      &world->decisions, &world->error))
			return -1;
		for (size_t i = 0; i < world->decisions.count; i++) {
			const struct gov_decision *decision =
				&world->decisions.item[i];

			if (carry_out(world, decision))
				return -1;
			freed = freed || decision->kind == GOV_STOP;
		}
	}
	return 0;
}

/* How well a pool would serve the job: 2 at once, 1 some day, 0 never. */
static int rate_pool(struct world *world, uint32_t at, struct gov_job *new,
		     uint32_t pool)
{
	uint64_t amount = world_amount(world, at, pool);
	struct gov_verdict verdict;

	if (amount && !gov_nodes_can(world->pool[pool].nodes, amount,
				     world->trace->job[at].nodes))
		return 0;
	if (world->policy->pool_count == 1)
		return 1;
	if (gov_engine_test(world->engine, new, world->now, &verdict,
			    &world->error))
		return -1;
	return verdict.admitted ? 2 : !verdict.never;
}

/*
 * As the governor does: the first pool in the team's order that takes the job
 * at once, else the first that ever could; 1 if there is one.
 */
static int choose_pool(struct world *world, uint32_t at, struct gov_job *new)
{
	struct world_job *job = &world->job[at];
	struct gov_job test = *new;
	int best = -1;
	uint32_t pool;

	for (uint32_t i = 0;
	     best < 2 &&
	     (pool = world_pool_of_team(world, job->team, i)) != GOV_NONE;
	     i++) {
		int rate;

		if (!world_asks(world, at, pool, &test.request))
			continue;
		rate = rate_pool(world, at, &test, pool);
		if (rate < 0)
			return -1;
		if (rate <= best)
			continue;
		best = rate;
		new->request = test.request;
		job->pool = pool;
	}
	job->amount = world_amount(world, at, job->pool);
	return best > 0;
}

/* Who is not told is nobody else: limits of users do not bind him. */
static uint32_t user_of(const struct world *world, uint32_t at)
{
	uint32_t user = world->trace->job[at].user;

	return user == GOV_NONE ? world->trace->name_count + at : user;
}

static int submit(struct world *world, uint32_t at)
{
	struct world_job *job = &world->job[at];
	struct gov_verdict verdict = { .never = true };
	struct gov_job new = {
		.id = (uint64_t) at + 1,
		.team = job->team,
		.class = job->class,
		.project = GOV_NONE,
		.user = user_of(world, at),
		.submitted = world->now,
		.requeueable = true,
	};
	int chosen = choose_pool(world, at, &new);

	if (chosen < 0)
		return -1;
	if (chosen) {
		job->owed = world_is_owed(world, job->team, &new.request);
		if (gov_engine_submit(world->engine, &new, world->now, &verdict,
				      &world->error))
			return -1;
	}
	job->refused = verdict.never;
	if (job->refused) {
		world->done++;
		return 0;
	}
	job->since = world->now;
	world_wanted(world, job, true);
	if (verdict.admitted)
		line_append(world, at);
	return 0;
}

/* ---- time ---- */

static int64_t next_time(struct world *world, size_t submitted)
{
	int64_t time = gov_engine_next(world->engine, world->now);

	if (time <= world->now)
		time = world->now + 1;
	if (submitted < world->trace->count &&
	    world->trace->job[submitted].submit < time)
		time = world->trace->job[submitted].submit;
	if (world->end_count && world->end[0].time < time)
		time = world->end[0].time;
	return time;
}

/* What ends frees belongs to who waits, before anybody new comes. */
static int run_one_time(struct world *world, size_t *submitted)
{
	bool freed = false;

	while (world->end_count && world->end[0].time <= world->now) {
		end_run(world, heap_pop(world));
		freed = true;
	}
	if (freed && settle(world))
		return -1;
	while (*submitted < world->trace->count &&
	       world->trace->job[*submitted].submit <= world->now)
		if (submit(world, (uint32_t) (*submitted)++))
			return -1;
	if (settle(world))
		return -1;
	return place_line(world);
}

static int run_all(struct world *world)
{
	size_t submitted = 0, told = 0;

	for (;;) {
		int64_t time;

		if (run_one_time(world, &submitted))
			return -1;
		if (world->done == world->trace->count)
			return 0;
		time = next_time(world, submitted);
		if (time == INT64_MAX)
			return 0; /* the rest waits for ever */
		world_account(world, time);
		world->now = time;
		gov_engine_tell_time(world->engine, time);
		if (world->options->progress && world->done - told >= 4096) {
			told = world->done;
			world->options->progress(world->done,
						 world->trace->count,
						 world->options->progress_arg);
		}
	}
}

int gov_simulate_run(const struct gov_trace *trace, struct gov_policy *policy,
		     const struct gov_policy *reference,
		     const struct gov_simulate_options *options,
		     struct gov_simulate_result *result,
		     struct gov_error *error)
{
	struct world *world;
	int rc = -1;

	memset(result, 0, sizeof(*result));
	if (!trace->count)
		return gov_error_set(error, GOV_E_VALUE,
				     "the trace has no job");
	world = world_create(trace, policy, reference, options, error);
	if (!world)
		return -1;
	world->error = (struct gov_error){ GOV_E_NOMEM, "out of memory" };
	if (run_all(world)) {
		if (error)
			*error = world->error;
	} else {
		world_measure_all(world);
		rc = world_summary(world, result, error);
	}
	world_destroy(world);
	return rc;
}
