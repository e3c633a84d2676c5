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

static struct gov_nodes *nodes_of(struct world *world, uint32_t at)
{
	uint32_t cell = world->job[at].request.item[0].cell;

	return world->nodes[world->policy->cell[cell].pool];
}

static int start(struct world *world, uint32_t at, int64_t placement)
{
	struct world_job *job = &world->job[at];
	struct gov_job known = *gov_engine_job(world->engine, at + 1);

	job->placement = placement;
	job->started = world->now;
	job->run++;
	if (job->first_start < 0)
		job->first_start = world->now;
	known.state = GOV_JOB_RUNNING;
	known.started = world->now;
	if (gov_engine_put(world->engine, &known, &world->error))
		return -1;
	return heap_push(world, (struct world_end){
			 world->now + job->remaining, at, job->run });
}

static int place_line(struct world *world)
{
	uint32_t at = world->line_first, next, tried = 0;

	for (; at != GOV_NONE && tried < LOOK_AHEAD; at = next, tried++) {
		int64_t placement;

		next = world->job[at].next;
		placement = gov_nodes_place(nodes_of(world, at),
					    world->job[at].request.item[0].amount,
					    world->trace->job[at].nodes);
		if (placement < 0)
			return -1;
		if (!placement)
			continue;
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
	int64_t ran = world->now - job->started, kept = 0;

	gov_nodes_release(nodes_of(world, at), job->placement);
	job->placement = 0;
	if (finished) {
		job->remaining = 0;
		job->finished = world->now;
		return;
	}
	if (world->options->checkpoint > 0)
		kept = ran / world->options->checkpoint *
		       world->options->checkpoint;
	job->remaining -= kept;
	job->lost += ran - kept;
	job->evictions++;
}

static int end_run(struct world *world, struct world_end end)
{
	struct world_job *job = &world->job[end.job];

	if (job->run != end.run || !job->placement)
		return 0;	/* that run was taken away before */
	stop(world, end.job, true);
	gov_engine_remove(world->engine, end.job + 1);
	world->done++;
	return 0;
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
	known.evictions = world->job[at].evictions;
	return gov_engine_put(world->engine, &known, &world->error);
}

static int carry_out(struct world *world, const struct gov_decision *decision)
{
	uint32_t at = (uint32_t) (decision->job - 1);

	switch (decision->kind) {
	case GOV_ADMIT:
		line_append(world, at);
		return 0;
	case GOV_WITHDRAW:
		line_remove(world, at);
		return 0;
	case GOV_NOTICE:
		return 0;	/* it runs on; the engine knows the deadline */
	case GOV_STOP:
		return take_away(world, decision);
	}
	return -1;
}

/* Decide until nothing changes: what STOP frees may admit at once. */
static int settle(struct world *world)
{
	for (;;) {
		gov_decision_list_clear(&world->decisions);
		if (gov_engine_decide(world->engine, world->now,
				      &world->decisions, &world->error))
			return -1;
		if (!world->decisions.count)
			return 0;
		for (size_t i = 0; i < world->decisions.count; i++)
			if (carry_out(world, &world->decisions.item[i]))
				return -1;
	}
}

static int submit(struct world *world, uint32_t at)
{
	const struct gov_trace_job *asked = &world->trace->job[at];
	struct world_job *job = &world->job[at];
	struct gov_verdict verdict;
	struct gov_job new = {
		.id = at + 1,
		.team = world->team_of[asked->team],
		.project = GOV_NONE,
		.class = job->class,
		.user = asked->user,
		.submitted = world->now,
		.requeueable = true,
		.request = job->request,
	};

	job->owed = world_is_owed(world, &new);
	if (gov_engine_submit(world->engine, &new, world->now, &verdict,
			      &world->error))
		return -1;
	if (verdict.never) {
		job->refused = true;
		world->done++;
		return 0;
	}
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

static int run_one_time(struct world *world, size_t *submitted)
{
	while (world->end_count && world->end[0].time <= world->now)
		if (end_run(world, heap_pop(world)))
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

	world->now = world->trace->job[0].submit;
	for (;;) {
		int64_t time;

		if (run_one_time(world, &submitted))
			return -1;
		if (world->done == world->trace->count)
			return 0;
		time = next_time(world, submitted);
		if (time == INT64_MAX)
			return 0;	/* the rest waits for ever */
		world_account(world, time);
		world->now = time;
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
	struct world *world = world_create(trace, policy, reference, options,
					   error);
	int rc = -1;

	memset(result, 0, sizeof(*result));
	if (!world)
		return -1;
	world->error = (struct gov_error){ GOV_E_NOMEM, "out of memory" };
	if (run_all(world)) {
		if (error)
			*error = world->error;
	} else {
		rc = world_summary(world, result, error);
	}
	world_destroy(world);
	return rc;
}
