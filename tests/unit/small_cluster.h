/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cluster of one pool around an engine, for tests that tell a story: begin(),
 * team()…, start_engine(), running() and waiting(), decide(), let_leave(),
 * finish().
 */
#ifndef GOVERNANCE_TESTS_SMALL_CLUSTER_H
#define GOVERNANCE_TESTS_SMALL_CLUSTER_H

#include <stdlib.h>
#include <string.h>

#include "core/engine.h"
#include "tests/unit/unit.h"

enum { GPU, CPU, MEM };

static struct gov_policy *policy;
static struct gov_engine *engine;
static struct gov_decision_list list;
static gov_time_t now;
static uint32_t cells;

/* ---- making a cluster ---- */

static inline void begin(uint32_t tres_count)
{
	static const char *const tres[] = { "gres/gpu", "cpu", "mem" };
	static const uint32_t weight[] = { 0, 50, 75, 100 };
	static const char *const class[] = { "c0", "c50", "c75", "c100" };

	policy = gov_policy_create();
	gov_policy_add_pool(policy, "pool");
	for (uint32_t t = 0; t < tres_count; t++) {
		gov_policy_add_tres(policy, tres[t]);
		gov_policy_pool_add_tres(policy, 0, t);
	}
	gov_policy_make_cells(policy);
	for (uint32_t c = 0; c < 4; c++) {
		gov_policy_add_class(policy, class[c]);
		policy->class[c].weight = weight[c];
	}
	policy->terms.min_runtime = 0;
	policy->terms.grace = 60;
	cells = tres_count;
	now = 1000;
}

static inline struct gov_unit *team(const char *name, gov_amount_t nominal,
				    gov_amount_t borrow)
{
	uint32_t u = gov_policy_add_unit(policy, name, true, GOV_NONE);

	for (uint32_t c = 0; c < cells; c++)
		policy->unit[u].quota[c] = (struct gov_quota){
			.set = true,
			.nominal = c == CPU ? 12 * nominal :
				   c == MEM ? 48 * nominal :
					      nominal,
			.borrow_limit = borrow == GOV_UNLIMITED ? borrow :
					c == CPU		? 12 * borrow :
					c == MEM		? 48 * borrow :
								  borrow,
			.lend_limit = GOV_UNLIMITED,
		};
	return &policy->unit[u];
}

static inline void start_engine(gov_amount_t capacity)
{
	struct gov_error error;

	ck_assert_msg(!gov_policy_finish(policy, &error), "%s", error.text);
	engine = gov_engine_create(policy, &error);
	ck_assert_ptr_nonnull(engine);
	gov_engine_set_capacity(engine, GPU, capacity);
}

static inline void finish(void)
{
	struct gov_error error;

	ck_assert_msg(!gov_engine_audit(engine, &error), "%s", error.text);
	gov_decision_list_free(&list);
	gov_engine_destroy(engine);
	gov_policy_unref(policy);
	engine = NULL;
	policy = NULL;
}

static inline uint32_t unit(const char *name)
{
	return gov_policy_find_unit(gov_engine_policy(engine), name);
}

static inline struct gov_job job(uint64_t id, const char *name, uint32_t class,
				 gov_amount_t amount)
{
	return (struct gov_job){
		.id = id,
		.team = unit(name),
		.project = GOV_NONE,
		.class = class == 100 ? 3 : class / 25 - (class > 0),
		.submitted = now++,
		.requeueable = true,
		.state = GOV_JOB_WAITING,
		.request = { 1, { { GPU, amount } } },
	};
}

static inline void put(struct gov_job j)
{
	struct gov_error error;

	ck_assert_msg(!gov_engine_put(engine, &j, &error), "%s", error.text);
}

/* `count` running jobs of `amount` each, ids from `id` on. */
static inline void running(uint64_t id, const char *name, uint32_t class,
			   gov_amount_t amount, int count)
{
	for (int i = 0; i < count; i++) {
		struct gov_job j = job(id + (uint64_t) i, name, class, amount);

		j.state = GOV_JOB_RUNNING;
		j.started = j.submitted;
		put(j);
	}
}

static inline void waiting(uint64_t id, const char *name, uint32_t class,
			   gov_amount_t amount, int count)
{
	for (int i = 0; i < count; i++)
		put(job(id + (uint64_t) i, name, class, amount));
}

/* A unit between the root and teams; made before its teams. */
static inline uint32_t department(const char *name, gov_amount_t nominal)
{
	uint32_t u = gov_policy_add_unit(policy, name, false, GOV_NONE);

	policy->unit[u].quota[GPU] = (struct gov_quota){
		.set = true,
		.nominal = nominal,
		.borrow_limit = GOV_UNLIMITED,
		.lend_limit = GOV_UNLIMITED,
	};
	return u;
}

static inline void limit_tres(const char *name, uint32_t cell,
			      gov_amount_t nominal, gov_amount_t borrow)
{
	struct gov_quota *q =
		&policy->unit[gov_policy_find_unit(policy, name)].quota[cell];

	q->set = true;
	q->nominal = nominal;
	q->borrow_limit = borrow;
}

/* A waiting job that asks for several TRES. */
static inline void waiting_for(uint64_t id, const char *name, uint32_t class,
			       gov_amount_t gpus, gov_amount_t cpus)
{
	struct gov_job j = job(id, name, class, gpus);

	j.request.count = 0;
	if (gpus) {
		j.request.item[j.request.count].cell = GPU;
		j.request.item[j.request.count++].amount = gpus;
	}
	if (cpus) {
		j.request.item[j.request.count].cell = CPU;
		j.request.item[j.request.count++].amount = cpus;
	}
	put(j);
}

/* ---- letting it decide ---- */

static inline void decide(void)
{
	struct gov_error error;

	gov_decision_list_clear(&list);
	ck_assert_int_eq(gov_engine_decide(engine, now, &list, &error), 0);
}

static inline int state(uint64_t id)
{
	const struct gov_job *j = gov_engine_job(engine, id);

	return j ? (int) j->state : -1;
}

static inline int in_state(uint64_t id, int count, int wanted)
{
	int found = 0;

	for (int i = 0; i < count; i++)
		found += state(id + (uint64_t) i) == wanted;
	return found;
}

/* Those told to leave among these ids have left and wait. */
static inline void let_leave(void)
{
	now += 1000;
	decide();
	for (size_t i = 0; i < list.count; i++) {
		struct gov_job j;

		if (list.item[i].kind != GOV_STOP)
			continue;
		j = *gov_engine_job(engine, list.item[i].job);
		j.state = GOV_JOB_WAITING;
		j.started = 0;
		j.deadline = 0;
		put(j);
	}
	decide();
}

static inline void run(uint64_t id)
{
	struct gov_job j = *gov_engine_job(engine, id);

	ck_assert_int_eq(j.state, GOV_JOB_ADMITTED);
	j.state = GOV_JOB_RUNNING;
	j.started = now;
	put(j);
}

static inline struct gov_cell_view view(const char *name, uint32_t cell)
{
	struct gov_cell_view v;

	gov_engine_view(engine, name ? unit(name) : GOV_NONE, cell, &v);
	return v;
}

/* Jobs told to leave, or held again, by the last decide(). */
static inline int evictions(void)
{
	int count = 0;

	for (size_t i = 0; i < list.count; i++)
		count += list.item[i].kind == GOV_NOTICE ||
			 list.item[i].kind == GOV_WITHDRAW;
	return count;
}

/* Start all that was admitted, let all leave, until nothing happens. */
static inline int come_to_rest(int most_evictions)
{
	int evicted = 0;

	for (int step = 0; step < 200; step++) {
		struct gov_decision_list done = { 0 };

		decide();
		evicted += evictions();
		ck_assert_int_le(evicted, most_evictions);
		if (!list.count && gov_engine_next(engine, now) == INT64_MAX)
			return evicted;
		done = list;
		list = (struct gov_decision_list){ 0 };
		for (size_t i = 0; i < done.count; i++) {
			struct gov_job j;

			if (done.item[i].kind != GOV_ADMIT &&
			    done.item[i].kind != GOV_STOP)
				continue;
			j = *gov_engine_job(engine, done.item[i].job);
			j.state = done.item[i].kind == GOV_ADMIT ?
					  GOV_JOB_RUNNING :
					  GOV_JOB_WAITING;
			j.started = done.item[i].kind == GOV_ADMIT ? now : 0;
			j.deadline = 0;
			put(j);
		}
		gov_decision_list_free(&done);
		now += 61;
	}
	ck_abort_msg("no rest");
	return -1;
}

/* Does a waiting job's explanation name this limit? */
static inline bool explained(uint64_t id, enum gov_limit_kind kind)
{
	struct gov_explanation e;
	struct gov_error error;
	bool found = false;

	ck_assert_int_eq(gov_engine_explain(engine, id, now, &e, &error), 0);
	for (size_t i = 0; i < e.limit_count; i++)
		found |= e.limit[i].kind == kind;
	gov_explanation_free(&e);
	return found;
}

#endif
