/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scenarios of the shape of loops.json: jobs come one after the other, each
 * when all has come to rest.  Any rest is good in which no job was evicted
 * more often than there are jobs and the engine's sums are right.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine.h"
#include "kinds.h"
#include "text.h"
#include "world.h"

#define STEPS 500 /* passes; a cluster of six jobs needs few */

/* ---- the scenario as a case of the corpus ---- */

static void name_flavor(struct json_object *quotas)
{
	for (size_t i = 0; i < text_length(quotas); i++)
		if (!text_get(text_at(quotas, i), "flavor"))
			json_object_object_add(text_at(quotas, i), "flavor",
					       json_object_new_string(
						       "default"));
}

static struct json_object *as_case(struct json_object *json)
{
	struct json_object *copy = NULL, *cohort, *teams, *cohorts, *config;

	json_object_deep_copy(json, &copy, NULL);
	cohort = text_need(copy, "cohort");
	name_flavor(text_get(cohort, "quotas"));
	cohorts = json_object_new_array();
	json_object_array_add(cohorts, json_object_get(cohort));
	json_object_object_add(copy, "cohorts", cohorts);
	teams = text_need(copy, "teams");
	for (size_t i = 0; i < text_length(teams); i++) {
		struct json_object *team = text_at(teams, i);

		name_flavor(text_get(team, "quotas"));
		json_object_object_add(team, "cohort",
				       json_object_new_string(
					       text_string(cohort, "name")));
	}
	config = json_object_new_object();
	json_object_object_add(config, "algorithm",
			       json_object_new_string(
				       text_string_or(json, "algorithm",
						      "classical")));
	json_object_object_add(copy, "config", config);
	return copy;
}

/* ---- a cluster that does what it is told ---- */

struct loop {
	struct world world;
	struct gov_engine *engine;
	struct gov_decision_list list;
	gov_time_t now;
	uint32_t *evicted; /* by job */
	size_t count;
	struct note *note;
};

static void put(struct loop *loop, uint64_t id, enum gov_job_state state)
{
	struct gov_job job = *gov_engine_job(loop->engine, id);
	struct gov_error error;

	job.state = state;
	job.started = state == GOV_JOB_RUNNING ? loop->now : 0;
	job.deadline = 0;
	job.rule = GOV_RULE_NONE;
	if (gov_engine_put(loop->engine, &job, &error))
		note_add(loop->note, " put: %s", error.text);
}

/* true if there was something to do. */
static bool pass(struct loop *loop)
{
	struct gov_error error;
	size_t count;

	gov_decision_list_clear(&loop->list);
	if (gov_engine_decide(loop->engine, loop->now, &loop->list, &error))
		note_add(loop->note, " decide: %s", error.text);
	count = loop->list.count;
	for (size_t i = 0; i < count; i++) {
		const struct gov_decision *d = &loop->list.item[i];

		if (d->kind == GOV_ADMIT)
			put(loop, d->job, GOV_JOB_RUNNING);
		if (d->kind == GOV_STOP)
			put(loop, d->job, GOV_JOB_WAITING);
		if (d->kind == GOV_NOTICE)
			loop->evicted[d->job - 1]++;
	}
	return count;
}

static bool rest(struct loop *loop)
{
	for (int step = 0; step < STEPS; step++) {
		bool busy = pass(loop);
		gov_time_t next = gov_engine_next(loop->engine, loop->now);

		if (!busy && next == INT64_MAX)
			return true;
		loop->now = busy || next == INT64_MAX || next <= loop->now ?
				    loop->now + 1 :
				    next;
	}
	return false;
}

static void submit(struct loop *loop, struct json_object *record, uint64_t id)
{
	struct world_place place = world_team(&loop->world,
					      text_string(record, "team"));
	struct json_object *request = text_need(record, "request");
	struct gov_job job = {
		.id = id,
		.team = place.unit,
		.project = GOV_NONE,
		.class = world_class(&loop->world, world_priority(record)),
		.submitted = loop->now,
		.state = GOV_JOB_WAITING,
		.requeueable = true,
	};
	struct gov_error error;

	json_object_object_foreach(request, resource, amount)
	{
		job.request.item[job.request.count].cell =
			world_cell(&loop->world, "default", resource);
		job.request.item[job.request.count++].amount = text_amount(
			amount);
	}
	if (gov_engine_put(loop->engine, &job, &error))
		note_add(loop->note, " put: %s", error.text);
}

static void check(struct loop *loop, struct json_object *jobs)
{
	struct gov_error error;

	for (size_t i = 0; i < loop->count; i++)
		if (loop->evicted[i] > loop->count)
			note_add(loop->note, " %s was evicted %u times",
				 text_string(text_at(jobs, i), "name"),
				 loop->evicted[i]);
	if (gov_engine_audit(loop->engine, &error))
		note_add(loop->note, " %s", error.text);
}

bool kind_loop(struct json_object *json, struct note *note)
{
	struct json_object *as = as_case(json);
	struct json_object *jobs = text_need(as, "jobs_in_submit_order");
	struct loop loop = { .note = note, .count = text_length(jobs) };
	struct gov_error error;

	world_create(&loop.world, as);
	loop.evicted = calloc(loop.count + 1, sizeof(*loop.evicted));
	loop.engine = gov_engine_create(loop.world.cluster[0].policy, &error);
	if (!loop.evicted || !loop.engine)
		text_fail("engine: %s", error.text);
	for (size_t i = 0; i < loop.count; i++) {
		loop.now += 10;
		submit(&loop, text_at(jobs, i), i + 1);
		if (!rest(&loop)) {
			note_add(note, " no rest after %s",
				 text_string(text_at(jobs, i), "name"));
			break;
		}
	}
	check(&loop, jobs);
	gov_decision_list_free(&loop.list);
	gov_engine_destroy(loop.engine);
	free(loop.evicted);
	world_destroy(&loop.world);
	json_object_put(as);
	return true;
}
