/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers to sgov: a true policy and engine, and a governor of the test's. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine.h"
#include "slurmgovd/answer.h"
#include "slurmgovd/forecast.h"
#include "tests/unit/unit.h"

#define NOW 1000000
#define OPERATOR 900
#define JOBS_MAX 2000

/* ---- a governor ---- */

static struct {
	struct gov_policy *policy;
	struct gov_engine *engine;
	struct gov_job_record record[JOBS_MAX];
	struct gov_tracked job[JOBS_MAX];
	size_t count;
	struct gov_governor_health health;
	struct gov_orders orders;
	struct gov_order order; /* the last one that was taken */
	int ordered;
	int reloads;
	const char *reload_text;
} world;

const struct gov_policy *gov_governor_policy(const struct gov_governor *g)
{
	return world.policy;
}

const struct gov_engine *gov_governor_engine(const struct gov_governor *g)
{
	return world.engine;
}

const struct gov_tracked *gov_governor_job(const struct gov_governor *g,
					   uint64_t id)
{
	for (size_t i = 0; i < world.count; i++)
		if (world.job[i].id == id)
			return &world.job[i];
	return NULL;
}

const struct gov_tracked *gov_governor_find(const struct gov_governor *g,
					    const char *text)
{
	return gov_governor_job(g, strtoull(text, NULL, 10));
}

void gov_governor_each(const struct gov_governor *g,
		       void (*visit)(const struct gov_tracked *job, void *arg),
		       void *arg)
{
	/* In an order that is not that of the ids. */
	for (size_t i = 0; i < world.count; i++)
		visit(&world.job[(i * 7919) % world.count], arg);
}

const struct gov_orders *gov_governor_orders(const struct gov_governor *g)
{
	return &world.orders;
}

size_t gov_governor_provisional(const struct gov_governor *g)
{
	return 3;
}

void gov_governor_health(const struct gov_governor *g,
			 struct gov_governor_health *health)
{
	*health = world.health;
}

bool gov_governor_is_operator(const struct gov_governor *g, uid_t uid)
{
	return uid == 0 || uid == OPERATOR;
}

/* Users 100..199 are in team vision, 200..299 in nlp. */
bool gov_governor_is_member(const struct gov_governor *g, uid_t uid, gid_t gid,
			    uint32_t team)
{
	const char *name = world.policy->unit[team].name;

	return (uid / 100 == 1 && strcmp(name, "vision") == 0) ||
	       (uid / 100 == 2 && strcmp(name, "nlp") == 0);
}

void gov_forecast_free(struct gov_forecast *forecast)
{
}

/* ---- its world ---- */

static const char policy_text[] =
	"ClusterName=lab\nReclaimGrace=90 MinRuntime=0 ReclaimSignal=USR1\n"
	"ShareUnallocated=no\n"
	"PoolName=h100 Nodes=g[1-4] TRES=gres/gpu,cpu,mem\n"
	"PoolName=old Nodes=o1 TRES=gres/gpu\n"
	"PriorityClass=training Weight=70 Default=yes\n"
	"PriorityClass=debug Weight=50 MaxTime=1:00:00 Borrow=no "
	"OnReclaim=cancel\n"
	"UnitName=research\nUnitName=other\n"
	"TeamName=extra Parent=other Members=x Classes=debug\n"
	"TeamName=vision Parent=research Members=alice\n"
	"TeamName=nlp Parent=research Members=bob\n"
	"Quota Team=extra Pool=h100 TRES=gres/gpu=0\n"
	"Quota Team=vision Pool=h100 TRES=gres/gpu=16\n"
	"Quota Team=nlp Pool=h100 TRES=gres/gpu=8,mem=1G BorrowLimit=100%\n"
	"ProjectName=vlm Team=vision\n";

static void set_policy(const char *text)
{
	struct gov_conf_faults faults = { 0 };
	struct gov_error error;

	world.policy = gov_conf_parse(text, strlen(text), "test.conf", NULL,
				      &faults);
	ck_assert_msg(world.policy != NULL, "%s", faults.item[0].text);
	gov_conf_faults_free(&faults);
	world.engine = gov_engine_create(world.policy, &error);
	ck_assert_ptr_nonnull(world.engine);
	for (uint32_t i = 0; i < world.policy->cell_count; i++)
		gov_engine_set_capacity(world.engine, i, i ? 1000000 : 32);
}

static void setup(void)
{
	memset(&world, 0, sizeof(world));
	world.health.ready = world.health.jobs_known = true;
	world.health.machine_known = world.health.members_known = true;
	world.health.slurm_up = true;
	world.health.submissions = 7;
	set_policy(policy_text);
}

static void teardown(void)
{
	gov_engine_destroy(world.engine);
	gov_policy_unref(world.policy);
}

static uint32_t unit(const char *name)
{
	uint32_t index = gov_policy_find_unit(world.policy, name);

	ck_assert_uint_ne(index, GOV_NONE);
	return index;
}

/* A job in Slurm's list that is none of the engine's. */
static struct gov_tracked *track(uint64_t id, uint32_t uid)
{
	struct gov_tracked *job = &world.job[world.count];
	struct gov_job_record *record = &world.record[world.count++];

	record->id = (uint32_t) id;
	record->array_task = GOV_NO_TASK;
	record->state = GOV_SLURM_PENDING;
	gov_submission_init(&record->submission);
	record->submission.uid = uid;
	record->submitted = NOW - 500;
	job->id = id;
	job->record = record;
	job->standing = GOV_STANDING_STRAY;
	job->team = job->project = job->class = job->pool = GOV_NONE;
	return job;
}

/* A governed job that asks or holds GPUs of the first pool. */
static struct gov_tracked *put(uint64_t id, const char *team, uint32_t uid,
			       enum gov_job_state state, gov_amount_t gpus)
{
	struct gov_tracked *job = track(id, uid);
	struct gov_job known = {
		.id = id,
		.team = unit(team),
		.project = GOV_NONE,
		.class = 0,
		.user = uid,
		.submitted = NOW - 1000 + (int64_t) id,
		.state = (uint8_t) state,
		.requeueable = true,
		.request = { .count = 1, .item = { { 0, gpus } } },
	};
	struct gov_error error;

	if (state >= GOV_JOB_RUNNING)
		known.started = NOW - 400;
	if (state == GOV_JOB_RECLAIMING) {
		known.deadline = NOW + 60;
		known.asker = 1;
		known.rule = GOV_RULE_RECLAIM;
	}
	ck_assert_msg(gov_engine_put(world.engine, &known, &error) == 0, "%s",
		      error.text);
	job->standing = GOV_STANDING_GOVERNED;
	job->team = known.team;
	job->class = 0;
	job->pool = 0;
	return job;
}

/* ---- asking ---- */

static int reload(void *arg, struct gov_conf_faults *faults)
{
	struct gov_policy *policy;

	world.reloads++;
	policy = gov_conf_parse(world.reload_text, strlen(world.reload_text),
				"new.conf", NULL, faults);
	if (!policy)
		return -1;
	teardown();
	world.policy = policy;
	world.engine = gov_engine_create(policy, NULL);
	return 0;
}

static int take_order(void *arg, const struct gov_order *order,
		      struct gov_error *error)
{
	if (order->name && strcmp(order->name, "refused") == 0)
		return gov_error_set(error, GOV_E_STATE, "not now");
	world.order = *order;
	world.ordered++;
	return 0;
}

static struct gov_answer_context context = {
	.now = { .wall = NOW },
	.uid = 100,
	.gid = 100,
	.reload = reload,
	.order = take_order,
	.reasons_us = 60000000,
};

/* The answer after its way over the wire: strict JSON in UTF-8. */
static struct json_object *ask(const char *question)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *request = json_tokener_parse(question), *answer;
	const char *text;

	ck_assert_msg(request != NULL, "%s", question);
	answer = gov_answer(&context, request);
	json_object_put(request);
	ck_assert_ptr_nonnull(answer);
	text = json_object_to_json_string(answer);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT |
						JSON_TOKENER_VALIDATE_UTF8);
	request = json_tokener_parse_ex(tokener, text, (int) strlen(text) + 1);
	ck_assert_msg(request != NULL, "%s: %s",
		      json_tokener_error_desc(json_tokener_get_error(tokener)),
		      text);
	json_tokener_free(tokener);
	json_object_put(answer);
	return request;
}

/* Member at a path of keys and indices, "units/0/name". */
static struct json_object *at(struct json_object *object, const char *path)
{
	char copy[128], *rest = copy, *key;

	snprintf(copy, sizeof(copy), "%s", path);
	while ((key = strsep(&rest, "/")))
		object = json_object_is_type(object, json_type_array) ?
				 json_object_array_get_idx(object,
							   strtoul(key, NULL,
								   10)) :
				 json_object_object_get(object, key);
	return object;
}

static void expect(struct json_object *answer, const char *path,
		   const char *value)
{
	struct json_object *member = at(answer, path);
	const char *text = member ? json_object_get_string(member) : "null";

	ck_assert_msg(strcmp(text, value) == 0, "%s is %s, not %s in %s", path,
		      text, value, json_object_to_json_string(answer));
}

static size_t count(struct json_object *answer, const char *path)
{
	struct json_object *list = at(answer, path);

	ck_assert_msg(json_object_is_type(list, json_type_array), "%s", path);
	return json_object_array_length(list);
}

static void expect_error(const char *question, const char *code)
{
	struct json_object *answer = ask(question);

	ck_assert_uint_eq(count(answer, "errors"), 1);
	expect(answer, "errors/0/code", code);
	ck_assert_ptr_nonnull(at(answer, "errors/0/text"));
	json_object_put(answer);
}

/* ---- status and loans ---- */

/* Index in "units" of a name. */
static int unit_index(struct json_object *answer, const char *name)
{
	for (size_t i = 0; i < count(answer, "units"); i++) {
		char path[32];

		snprintf(path, sizeof(path), "units/%zu/name", i);
		if (strcmp(json_object_get_string(at(answer, path)), name) == 0)
			return (int) i;
	}
	return -1;
}

static void expect_unit(struct json_object *answer, const char *name,
			const char *path, const char *value)
{
	char full[96];

	snprintf(full, sizeof(full), "units/%d/%s", unit_index(answer, name),
		 path);
	expect(answer, full, value);
}

START_TEST(status_shows_lending)
{
	struct json_object *answer;

	put(1, "vision", 100, GOV_JOB_RUNNING, 4);
	put(2, "nlp", 200, GOV_JOB_RUNNING, 12);
	put(3, "nlp", 201, GOV_JOB_WAITING, 16);
	answer = ask("{\"version\":1,\"command\":\"status\"}");
	ck_assert_uint_eq(count(answer, "errors"), 0);
	expect(answer, "meta/cluster", "lab");
	expect(answer, "meta/policy/enforcement", "enforce");
	expect_unit(answer, "nlp", "kind", "team");
	expect_unit(answer, "nlp", "parent", "research");
	expect_unit(answer, "nlp", "cells/0/quota", "8");
	expect_unit(answer, "nlp", "cells/0/used", "12");
	expect_unit(answer, "nlp", "cells/0/own", "8");
	expect_unit(answer, "nlp", "cells/0/borrowed", "4");
	expect_unit(answer, "nlp", "cells/0/waiting", "16");
	expect_unit(answer, "nlp", "cells/0/borrow_limit", "8");
	expect_unit(answer, "vision", "cells/0/lent", "4");
	expect_unit(answer, "vision", "cells/0/free", "8");
	/* Not limited in cpu: nothing, not zero. */
	expect_unit(answer, "nlp", "cells/1/tres", "cpu");
	expect_unit(answer, "nlp", "cells/1/counted", "false");
	expect_unit(answer, "nlp", "cells/1/quota", "null");
	expect_unit(answer, "nlp", "cells/2/quota", "1024");
	expect_unit(answer, "research", "cells/0/used", "16");
	expect(answer, "pools/0/cells/0/capacity", "32");
	expect(answer, "pools/0/cells/0/quotas", "24");
	expect(answer, "pools/0/cells/0/unallocated", "8");
	expect(answer, "pools/0/cells/0/used", "16");
	expect(answer, "pools/0/cells/0/borrowed", "4");
	ck_assert_uint_eq(count(answer, "loans"), 1);
	expect(answer, "loans/0/lender", "vision");
	expect(answer, "loans/0/borrower", "nlp");
	expect(answer, "loans/0/amount", "4");
	json_object_put(answer);
}
END_TEST

START_TEST(status_is_in_the_order_of_a_tree)
{
	struct json_object *answer = ask("{\"command\":\"status\"}");
	int research = unit_index(answer, "research");
	int other = unit_index(answer, "other");

	ck_assert_uint_eq(count(answer, "units"), 5);
	ck_assert_int_eq(unit_index(answer, "extra"), other + 1);
	ck_assert_int_eq(unit_index(answer, "vision"), research + 1);
	ck_assert_int_eq(unit_index(answer, "nlp"), research + 2);
	expect_unit(answer, "nlp", "depth", "1");
	json_object_put(answer);
}
END_TEST

START_TEST(status_of_a_part)
{
	struct json_object *answer = ask(
		"{\"command\":\"status\",\"team\":\"NLP\","
		"\"pool\":\"old\"}");

	ck_assert_uint_eq(count(answer, "units"), 1);
	ck_assert_uint_eq(count(answer, "units/0/cells"), 1);
	ck_assert_uint_eq(count(answer, "pools"), 1);
	expect(answer, "pools/0/name", "old");
	json_object_put(answer);
	expect_error("{\"command\":\"status\",\"team\":\"x\"}", "GOV-204");
	expect_error("{\"command\":\"status\",\"pool\":\"x\"}", "GOV-204");
	expect_error("{\"command\":\"loans\",\"team\":\"x\"}", "GOV-204");
}
END_TEST

START_TEST(loans_of_a_team)
{
	struct json_object *answer;

	put(2, "nlp", 200, GOV_JOB_RUNNING, 12);
	answer = ask("{\"command\":\"loans\",\"team\":\"vision\"}");
	ck_assert_uint_eq(count(answer, "loans"), 1);
	json_object_put(answer);
	answer = ask("{\"command\":\"loans\",\"team\":\"extra\"}");
	ck_assert_uint_eq(count(answer, "loans"), 0);
	json_object_put(answer);
	answer = ask("{\"command\":\"loans\",\"pool\":\"old\"}");
	ck_assert_uint_eq(count(answer, "loans"), 0);
	json_object_put(answer);
}
END_TEST

START_TEST(doubts_are_told)
{
	struct json_object *answer;

	world.health.jobs_known = false;
	answer = ask("{\"command\":\"status\"}");
	ck_assert_uint_eq(count(answer, "warnings"), 1);
	json_object_put(answer);
	world.health.jobs_known = true;
	world.health.slurm_up = false;
	world.policy->enforcement = GOV_OBSERVE;
	answer = ask("{\"command\":\"loans\"}");
	ck_assert_uint_eq(count(answer, "warnings"), 2);
	json_object_put(answer);
}
END_TEST

/* ---- queue ---- */

START_TEST(queue_tells_states_and_reasons)
{
	struct gov_tracked *held, *stray;
	struct json_object *answer;

	put(1, "vision", 100, GOV_JOB_RUNNING, 4);
	put(2, "nlp", 200, GOV_JOB_RUNNING, 12);
	put(3, "nlp", 200, GOV_JOB_WAITING, 16);
	put(4, "nlp", 200, GOV_JOB_RECLAIMING, 4);
	held = put(5, "nlp", 201, GOV_JOB_INELIGIBLE, 1);
	held->stamp.user_hold = true;
	put(6, "vision", 101, GOV_JOB_ADMITTED, 1);
	stray = track(7, 300);
	stray->text = "no team";
	track(8, 0)->standing = GOV_STANDING_FREE;
	track(9, 300)->record->state = GOV_SLURM_ENDED;
	answer = ask("{\"command\":\"queue\"}");
	ck_assert_uint_eq(count(answer, "jobs"), 7);
	expect(answer, "next", "0");
	expect(answer, "jobs/0/state", "running");
	expect(answer, "jobs/0/borrowing", "false");
	expect(answer, "jobs/0/team", "vision");
	expect(answer, "jobs/0/user", "null");
	expect(answer, "jobs/0/uid", "100");
	expect(answer, "jobs/0/class", "training");
	expect(answer, "jobs/0/pool", "h100");
	expect(answer, "jobs/0/request/0/tres", "gres/gpu");
	expect(answer, "jobs/0/request/0/amount", "4");
	expect(answer, "jobs/1/borrowing", "true");
	expect(answer, "jobs/2/state", "waiting");
	ck_assert_uint_gt(strlen(json_object_get_string(
				  at(answer, "jobs/2/reason"))),
			  10);
	expect(answer, "jobs/3/state", "reclaiming");
	expect(answer, "jobs/3/asker", "1");
	expect(answer, "jobs/4/state", "ineligible");
	expect(answer, "jobs/4/reason", "its user holds it");
	expect(answer, "jobs/5/state", "admitted");
	expect(answer, "jobs/6/state", "stray");
	expect(answer, "jobs/6/reason", "no team");
	expect(answer, "jobs/6/team", "null");
	json_object_put(answer);
}
END_TEST

static size_t jobs_of(const char *question)
{
	struct json_object *answer = ask(question);
	size_t n = count(answer, "jobs");

	json_object_put(answer);
	return n;
}

START_TEST(queue_is_filtered)
{
	put(1, "vision", 100, GOV_JOB_RUNNING, 4);
	put(2, "nlp", 200, GOV_JOB_RUNNING, 4);
	put(3, "nlp", 201, GOV_JOB_WAITING, 16);
	world.record[2].user_name = "bob";
	track(4, 100);
	ck_assert_uint_eq(jobs_of("{\"command\":\"queue\"}"), 4);
	ck_assert_uint_eq(jobs_of("{\"command\":\"queue\",\"me\":true}"), 2);
	ck_assert_uint_eq(jobs_of("{\"command\":\"queue\",\"team\":\"nlp\"}"),
			  2);
	ck_assert_uint_eq(jobs_of("{\"command\":\"queue\",\"user\":\"bob\"}"),
			  1);
	ck_assert_uint_eq(
		jobs_of("{\"command\":\"queue\",\"user\":\"x\",\"uid\":200}"),
		1);
	ck_assert_uint_eq(jobs_of("{\"command\":\"queue\","
				  "\"state\":\"running\"}"),
			  2);
	ck_assert_uint_eq(jobs_of("{\"command\":\"queue\",\"pool\":\"old\"}"),
			  0);
	ck_assert_uint_eq(jobs_of("{\"command\":\"queue\",\"after\":2}"), 2);
	expect_error("{\"command\":\"queue\",\"team\":\"x\"}", "GOV-204");
}
END_TEST

/* Every job on exactly one page, in order, whatever the page's length. */
START_TEST(queue_comes_in_pages)
{
	static const char question[] =
		"{\"command\":\"queue\",\"after\":%lld,\"limit\":%d}";
	static const int limits[] = { 0, 1, 7, 500, 100000 };

	for (uint64_t i = 0; i < 1201; i++)
		track(1 + (i * 37) % 1201, 300);
	for (size_t l = 0; l < sizeof(limits) / sizeof(limits[0]); l++) {
		long long next = 0, last = 0;
		size_t seen = 0;

		do {
			struct json_object *answer;
			char text[128];

			snprintf(text, sizeof(text), question, next, limits[l]);
			answer = ask(text);
			for (size_t i = 0; i < count(answer, "jobs"); i++) {
				long long id;

				snprintf(text, sizeof(text), "jobs/%zu/id", i);
				id = json_object_get_int64(at(answer, text));
				ck_assert_int_eq(id, last + 1);
				last = id;
				seen++;
			}
			next = json_object_get_int64(at(answer, "next"));
			json_object_put(answer);
		} while (next);
		ck_assert_uint_eq(seen, 1201);
	}
}
END_TEST

START_TEST(private_jobs_are_for_their_owners)
{
	put(1, "vision", 100, GOV_JOB_RUNNING, 4);
	put(2, "nlp", 200, GOV_JOB_RUNNING, 4);
	context.private_jobs = true;
	ck_assert_uint_eq(jobs_of("{\"command\":\"queue\"}"), 1);
	expect_error("{\"command\":\"why\",\"job\":\"2\"}", "GOV-204");
	context.uid = OPERATOR;
	ck_assert_uint_eq(jobs_of("{\"command\":\"queue\"}"), 2);
	context.uid = 100;
	context.private_jobs = false;
}
END_TEST

/* ---- why ---- */

START_TEST(why_a_job_waits)
{
	struct json_object *answer;

	put(1, "vision", 100, GOV_JOB_RUNNING, 4);
	put(2, "nlp", 200, GOV_JOB_RUNNING, 12);
	put(3, "nlp", 200, GOV_JOB_WAITING, 8);
	answer = ask("{\"command\":\"why\",\"job\":\"3\"}");
	ck_assert_uint_eq(count(answer, "errors"), 0);
	expect(answer, "job/job", "3");
	expect(answer, "job/state", "waiting");
	expect(answer, "limits/0/kind", "borrow_limit");
	expect(answer, "limits/0/unit", "nlp");
	expect(answer, "limits/0/tres", "gres/gpu");
	expect(answer, "limits/0/limit", "8");
	expect(answer, "limits/0/missing", "4");
	expect(answer, "loans/0/lender", "vision");
	expect(answer, "terms/signal", "SIGUSR1");
	expect(answer, "terms/grace", "90");
	ck_assert_uint_gt(
		strlen(json_object_get_string(at(answer, "sentence"))), 10);
	json_object_put(answer);
}
END_TEST

START_TEST(why_a_running_job_could_go)
{
	struct json_object *answer;

	put(2, "nlp", 200, GOV_JOB_RUNNING, 12);
	answer = ask("{\"command\":\"why\",\"job\":\"2\"}");
	expect(answer, "job/borrowing", "true");
	expect(answer, "reclaimers/0", "vision");
	json_object_put(answer);
}
END_TEST

START_TEST(why_of_other_jobs)
{
	struct json_object *answer;

	track(1, 300)->text = "uid 300 is in no team";
	track(2, 0)->standing = GOV_STANDING_FREE;
	track(3, 300)->record->state = GOV_SLURM_ENDED;
	answer = ask("{\"command\":\"why\",\"job\":\"1\"}");
	expect(answer, "job/state", "stray");
	expect(answer, "sentence", "uid 300 is in no team");
	json_object_put(answer);
	expect_error("{\"command\":\"why\",\"job\":\"2\"}", "GOV-204");
	expect_error("{\"command\":\"why\",\"job\":\"3\"}", "GOV-204");
	expect_error("{\"command\":\"why\",\"job\":\"4\"}", "GOV-204");
	expect_error("{\"command\":\"why\",\"job\":\"\"}", "GOV-204");
	expect_error("{\"command\":\"why\"}", "GOV-204");
}
END_TEST

/* ---- terms, ping, reload ---- */

START_TEST(terms_are_for_who_asks)
{
	struct json_object *answer = ask("{\"command\":\"terms\"}");

	ck_assert_uint_eq(count(answer, "terms"), 2);
	expect(answer, "terms/0/team", "vision");
	expect(answer, "terms/0/class", "training");
	expect(answer, "terms/0/on_reclaim", "requeue");
	expect(answer, "terms/0/max_time", "unlimited");
	expect(answer, "terms/1/class", "debug");
	expect(answer, "terms/1/on_reclaim", "cancel");
	expect(answer, "terms/1/may_borrow", "false");
	expect(answer, "terms/1/max_time", "3600");
	json_object_put(answer);
	answer = ask("{\"command\":\"terms\",\"team\":\"extra\"}");
	ck_assert_uint_eq(count(answer, "terms"), 1);
	expect(answer, "terms/0/class", "debug");
	json_object_put(answer);
	context.uid = 300; /* in no team: all of them */
	answer = ask("{\"command\":\"terms\",\"class\":\"debug\"}");
	ck_assert_uint_eq(count(answer, "terms"), 3);
	json_object_put(answer);
	context.uid = 100;
	expect_error("{\"command\":\"terms\",\"class\":\"x\"}", "GOV-204");
}
END_TEST

START_TEST(ping_tells_readiness)
{
	struct json_object *answer = ask("{\"command\":\"ping\"}");

	expect(answer, "governor/ready", "true");
	expect(answer, "governor/state", "ready");
	expect(answer, "governor/submissions", "7");
	expect(answer, "governor/provisional", "3");
	expect(answer, "governor/operator", "false");
	json_object_put(answer);
	world.health.ready = world.health.members_known = false;
	answer = ask("{\"command\":\"ping\"}");
	expect(answer, "governor/ready", "false");
	expect(answer, "governor/state", "starting");
	json_object_put(answer);
}
END_TEST

START_TEST(reload_is_for_operators)
{
	struct json_object *answer;

	expect_error("{\"command\":\"reload\"}", "GOV-108");
	ck_assert_int_eq(world.reloads, 0);
	context.uid = OPERATOR;
	world.reload_text = "Listen=nonsense:\nFrob=1\n";
	answer = ask("{\"command\":\"reload\"}");
	ck_assert_int_eq(world.reloads, 1);
	ck_assert_uint_eq(count(answer, "errors"), 1);
	expect(answer, "errors/0/code", "GOV-203");
	ck_assert_uint_ge(count(answer, "faults"), 2);
	expect(answer, "faults/0/file", "new.conf");
	json_object_put(answer);
	world.reload_text = policy_text;
	answer = ask("{\"command\":\"reload\"}");
	ck_assert_uint_eq(count(answer, "errors"), 0);
	expect(answer, "digest", world.policy->digest);
	json_object_put(answer);
	context.uid = 100;
}
END_TEST

START_TEST(orders_are_for_operators)
{
	static const char *const commands[] = {
		"{\"command\":\"hold-reclaims\"}",
		"{\"command\":\"release-all\",\"undo\":true}",
		"{\"command\":\"drain\",\"team\":\"nlp\"}",
		"{\"command\":\"release\",\"job\":\"7\"}",
		"{\"command\":\"exempt\",\"job\":\"7_1\",\"undo\":true}",
	};
	static const char *const bad[] = {
		"{\"command\":\"drain\"}",
		"{\"command\":\"release\"}",
		"{\"command\":\"exempt\",\"job\":7}",
		"{\"command\":\"release\",\"job\":\"7\",\"undo\":true}",
		"{\"command\":\"drain\",\"team\":\"refused\"}",
	};
	static const char *const code[] = { "GOV-104", "GOV-104", "GOV-104",
					    "GOV-203", "GOV-109" };

	world.ordered = 0;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		expect_error(commands[i], "GOV-108");
	ck_assert_int_eq(world.ordered, 0);
	context.uid = OPERATOR;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		struct json_object *answer = ask(commands[i]);

		ck_assert_uint_eq(count(answer, "errors"), 0);
		ck_assert_int_eq(world.ordered, (int) i + 1);
		ck_assert_uint_eq(world.order.by, OPERATOR);
		ck_assert_int_eq(world.order.undo, i == 1 || i == 4);
		json_object_put(answer);
	}
	ck_assert_int_eq(world.order.kind, GOV_ORDER_EXEMPT);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		expect_error(bad[i], code[i]);
	context.uid = 100;
}
END_TEST

START_TEST(orders_are_shown_to_everybody)
{
	struct gov_drained drained = { .name = "nlp", .mark = { 3, 17 } };
	struct json_object *answer;

	world.orders = (struct gov_orders){ .reclaims_held = { 0, 12 },
					    .drained = &drained,
					    .drained_count = 1 };
	put(1, "vision", 100, GOV_JOB_RUNNING, 4);
	world.job[0].stamp.exempt = true;
	world.job[0].stamp.operator_uid = 5;
	world.job[0].stamp.ordered = 99;
	answer = ask("{\"command\":\"why\",\"job\":\"1\"}");
	expect(answer, "meta/orders/reclaims_held/uid", "0");
	expect(answer, "meta/orders/reclaims_held/since", "12");
	expect(answer, "meta/orders/drained/0/name", "nlp");
	expect(answer, "meta/orders/drained/0/uid", "3");
	expect(answer, "job/exempt", "true");
	expect(answer, "job/released", "false");
	expect(answer, "job/ordered/uid", "5");
	expect(answer, "job/ordered/since", "99");
	json_object_put(answer);
	memset(&world.orders, 0, sizeof(world.orders));
}
END_TEST

/* ---- what others make up ---- */

START_TEST(odd_questions_have_answers)
{
	static const char *const questions[] = {
		"{}",
		"{\"command\":null}",
		"{\"command\":5}",
		"{\"command\":\"\"}",
		"{\"command\":\"frob\\u001b[\"}",
		"{\"command\":{}}",
	};
	static const char *const allowed[] = {
		"{\"command\":\"queue\",\"after\":-9,\"limit\":-1}",
		"{\"command\":\"queue\",\"after\":\"x\",\"me\":7}",
		"{\"command\":\"queue\",\"team\":[],\"user\":{},\"state\":1}",
		"{\"command\":\"queue\",\"after\":9223372036854775807}",
		"{\"command\":\"status\",\"team\":null}",
	};

	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
		expect_error(questions[i], "GOV-104");
	put(1, "vision", 100, GOV_JOB_RUNNING, 4);
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++) {
		struct json_object *answer = ask(allowed[i]);

		ck_assert_uint_eq(count(answer, "errors"), 0);
		json_object_put(answer);
	}
}
END_TEST

START_TEST(names_of_others_are_harmless)
{
	struct gov_tracked *job = put(1, "vision", 100, GOV_JOB_RUNNING, 4);
	struct json_object *answer;
	static char name[20000];

	memset(name, 'x', sizeof(name) - 1);
	memcpy(name, "\"\\\x01\xff\xc3\n\033[2J", 10);
	job->record->submission.name = name;
	job->record->user_name = "\xed\xa0\x80\x9b|\"";
	answer = ask("{\"command\":\"queue\"}");
	expect(answer, "jobs/0/user", "????|\"");
	ck_assert_uint_eq(strlen(json_object_get_string(
				  at(answer, "jobs/0/name"))),
			  4095);
	ck_assert_int_eq(strncmp(json_object_get_string(
					 at(answer, "jobs/0/name")),
				 "\"\\?????[2Jxx", 12),
			 0);
	json_object_put(answer);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, status_shows_lending);
	tcase_add_test(tcase, status_is_in_the_order_of_a_tree);
	tcase_add_test(tcase, status_of_a_part);
	tcase_add_test(tcase, loans_of_a_team);
	tcase_add_test(tcase, doubts_are_told);
	tcase_add_test(tcase, queue_tells_states_and_reasons);
	tcase_add_test(tcase, queue_is_filtered);
	tcase_add_test(tcase, queue_comes_in_pages);
	tcase_add_test(tcase, private_jobs_are_for_their_owners);
	tcase_add_test(tcase, why_a_job_waits);
	tcase_add_test(tcase, why_a_running_job_could_go);
	tcase_add_test(tcase, why_of_other_jobs);
	tcase_add_test(tcase, terms_are_for_who_asks);
	tcase_add_test(tcase, ping_tells_readiness);
	tcase_add_test(tcase, reload_is_for_operators);
	tcase_add_test(tcase, orders_are_for_operators);
	tcase_add_test(tcase, orders_are_shown_to_everybody);
	tcase_add_test(tcase, odd_questions_have_answers);
	tcase_add_test(tcase, names_of_others_are_harmless);
}

int main(void)
{
	return unit_main("answer", cases);
}
