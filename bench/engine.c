/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine [--json] [--quick] [--curve]: how fast the engine decides, and how
 * much memory a job takes.  One core, no Slurm.  Never a test: nothing depends
 * on the figures.
 *
 * The two admission runs have the shape of Kueue's published scheduler tests:
 * units of teams with a quota of 20 and a borrow limit of 100 each, reclaim
 * from anybody, small jobs of low, middle ones of higher and large ones of
 * highest class, each holding its quota for a while.
 */
#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"
#include "core/engine.h"
#include "core/policy.h"

static bool json, quick;

/* ---- policies ---- */

struct shape {
	uint32_t units; /* inner units, each with as many teams */
	uint32_t teams;
	gov_amount_t nominal;
	gov_amount_t borrow_limit;
	uint32_t cells; /* TRES of the one pool */
	bool fair;
};

static void add_team(struct gov_policy *policy, const struct shape *shape,
		     uint32_t index)
{
	char name[32];
	uint32_t team, parent = GOV_NONE;
	struct gov_unit *unit;

	if (shape->units) {
		snprintf(name, sizeof(name), "unit%u", index % shape->units);
		parent = gov_policy_find_unit(policy, name);
		if (parent == GOV_NONE)
			parent = gov_policy_add_unit(policy, name, false,
						     GOV_NONE);
	}
	snprintf(name, sizeof(name), "team%u", index);
	team = gov_policy_add_unit(policy, name, true, parent);
	if (team == GOV_NONE)
		bench_fail("team", NULL);
	unit = &policy->unit[team];
	unit->reclaim = GOV_PREEMPT_ANY;
	unit->preempt_within_team = GOV_PREEMPT_LOWER;
	for (uint32_t c = 0; c < shape->cells; c++)
		unit->quota[c] = (struct gov_quota){
			.set = true,
			.nominal = shape->nominal,
			.borrow_limit = shape->borrow_limit,
			.lend_limit = GOV_UNLIMITED,
		};
}

static struct gov_policy *make_policy(const struct shape *shape)
{
	static const char *const class[] = { "low", "middle", "high" };
	static const char *const tres[] = { "gres/gpu", "cpu", "mem", "node" };
	struct gov_policy *policy = gov_policy_create();
	struct gov_error error;
	uint32_t pool;

	if (!policy)
		bench_fail("policy", NULL);
	for (uint32_t c = 0; c < shape->cells; c++)
		gov_policy_add_tres(policy, tres[c]);
	pool = gov_policy_add_pool(policy, "gpus");
	for (uint32_t c = 0; c < shape->cells; c++)
		gov_policy_pool_add_tres(policy, pool, c);
	if (gov_policy_make_cells(policy))
		bench_fail("cells", NULL);
	for (uint32_t i = 0; i < 3; i++) {
		gov_policy_add_class(policy, class[i]);
		policy->class[i].weight = 25 + 25 * i;
	}
	for (uint32_t i = 0; i < shape->teams; i++)
		add_team(policy, shape, i);
	policy->terms.min_runtime = 0;
	policy->terms.grace = 0;
	policy->idle_sharing = shape->fair ? GOV_FAIR_SHARE : GOV_FIRST_COME;
	if (gov_policy_finish(policy, &error))
		bench_fail("policy", &error);
	return policy;
}

static struct gov_engine *make_engine(const struct shape *shape)
{
	struct gov_policy *policy = make_policy(shape);
	struct gov_error error;
	struct gov_engine *engine = gov_engine_create(policy, &error);

	if (!engine)
		bench_fail("engine", &error);
	gov_policy_unref(policy);
	return engine;
}

static uint32_t team_index(const struct gov_engine *engine, uint32_t number)
{
	char name[32];

	snprintf(name, sizeof(name), "team%u", number);
	return gov_policy_find_unit(gov_engine_policy(engine), name);
}

static struct gov_job make_job(uint64_t id, uint32_t team, uint32_t class,
			       gov_amount_t size, uint32_t cells)
{
	struct gov_job job = {
		.id = id,
		.team = team,
		.project = GOV_NONE,
		.class = class,
		.user = 1000 + (uint32_t) (id % 7),
		.submitted = (gov_time_t) (id / 16),
		.requeueable = true,
		.request.count = cells,
	};

	for (uint32_t c = 0; c < cells; c++) {
		job.request.item[c].cell = c;
		job.request.item[c].amount = size * (c ? 8 : 1);
	}
	return job;
}

/* ---- admissions per second ---- */

/* Of 500 jobs: five sizes, three classes. */
static const struct {
	uint32_t share;
	gov_amount_t size;
	uint32_t class;
	gov_time_t runs;
} mix[] = {
	{ 200, 1, 0, 2 }, { 150, 2, 0, 2 },  { 60, 5, 1, 5 },
	{ 40, 10, 1, 5 }, { 50, 20, 2, 10 },
};

/* Jobs that are running, by the time at which they end. */
struct ending {
	gov_time_t at;
	uint64_t id;
};

struct endings {
	struct ending *heap;
	size_t count, space;
};

static void ending_push(struct endings *e, struct ending new)
{
	size_t i = e->count++;

	if (e->count > e->space) {
		e->space = e->space ? 2 * e->space : 1024;
		e->heap = reallocarray(e->heap, e->space, sizeof(*e->heap));
		if (!e->heap)
			bench_fail("memory", NULL);
	}
	for (; i && e->heap[(i - 1) / 2].at > new.at; i = (i - 1) / 2)
		e->heap[i] = e->heap[(i - 1) / 2];
	e->heap[i] = new;
}

static struct ending ending_pop(struct endings *e)
{
	struct ending first = e->heap[0], last = e->heap[--e->count];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < e->count) {
		if (child + 1 < e->count &&
		    e->heap[child + 1].at < e->heap[child].at)
			child++;
		if (e->heap[child].at >= last.at)
			break;
		e->heap[i] = e->heap[child];
		i = child;
	}
	e->heap[i] = last;
	return first;
}

struct flow {
	struct gov_engine *engine;
	struct gov_decision_list list;
	struct endings endings;
	uint8_t *kind; /* of the mix, by id; NULL: nothing ends */
	uint64_t admissions, evictions, decisions, events;
	double spent; /* seconds inside the engine */
};

static double timed_put(struct flow *flow, const struct gov_job *job)
{
	struct gov_error error;
	double before = bench_seconds();

	flow->events++;
	if (gov_engine_put(flow->engine, job, &error))
		bench_fail("put", &error);
	return bench_seconds() - before;
}

/* Put an evicted job back into the queue. */
static void requeue(struct flow *flow, uint64_t id)
{
	const struct gov_job *known = gov_engine_job(flow->engine, id);
	struct gov_job job;

	if (!known)
		return;
	flow->evictions++;
	job = *known;
	job.state = GOV_JOB_WAITING;
	job.started = 0;
	job.evictions++;
	flow->spent += timed_put(flow, &job);
}

static void start(struct flow *flow, uint64_t id, gov_time_t now)
{
	const struct gov_job *known = gov_engine_job(flow->engine, id);
	struct gov_job job;

	/* It may have been withdrawn again in the same breath. */
	if (!known || known->state != GOV_JOB_ADMITTED)
		return;
	job = *known;
	job.state = GOV_JOB_RUNNING;
	job.started = now;
	flow->spent += timed_put(flow, &job);
	flow->admissions++;
	if (flow->kind)
		ending_push(&flow->endings,
			    (struct ending){
				    now + mix[flow->kind[id]].runs,
				    id,
			    });
}

/* Decide, do what was decided, until there is nothing to do. */
static void decide(struct flow *flow, gov_time_t now)
{
	do {
		struct gov_error error;
		double before = bench_seconds();

		gov_decision_list_clear(&flow->list);
		if (gov_engine_decide(flow->engine, now, &flow->list, &error))
			bench_fail("decide", &error);
		flow->spent += bench_seconds() - before;
		flow->decisions += flow->list.count;
		for (size_t i = 0; i < flow->list.count; i++) {
			const struct gov_decision *d = &flow->list.item[i];

			if (d->kind == GOV_ADMIT)
				start(flow, d->job, now);
			else if (d->kind == GOV_STOP)
				requeue(flow, d->job);
		}
	} while (flow->list.count);
}

static void submit(struct flow *flow, const struct gov_job *job, gov_time_t now)
{
	struct gov_verdict verdict;
	struct gov_error error;
	double before = bench_seconds();

	if (gov_engine_submit(flow->engine, job, now, &verdict, &error))
		bench_fail("submit", &error);
	flow->spent += bench_seconds() - before;
	flow->decisions++;
	flow->events++;
	if (verdict.admitted)
		start(flow, job->id, now);
}

static void end(struct flow *flow, uint64_t id)
{
	double before = bench_seconds();

	if (gov_engine_remove(flow->engine, id))
		flow->events++;
	flow->spent += bench_seconds() - before;
}

static uint8_t some_kind(void)
{
	uint32_t dice = bench_random(500);
	uint8_t kind = 0;

	while (dice >= mix[kind].share)
		dice -= mix[kind++].share;
	return kind;
}

struct run {
	const char *title;
	uint32_t units, teams, jobs;
	bool fair;
	bool each; /* decide after every single submission and end */
};

static void submit_some(struct flow *flow, const struct run *run, uint64_t *id,
			uint64_t count, gov_time_t now)
{
	uint32_t total = run->teams * run->jobs;

	for (; count && *id <= total; count--, ++*id) {
		const int kind = flow->kind[*id];
		struct gov_job job = make_job(
			*id,
			team_index(flow->engine, (uint32_t) *id % run->teams),
			mix[kind].class, mix[kind].size, 1);

		job.submitted = now;
		submit(flow, &job, now);
		if (run->each)
			decide(flow, now);
	}
	decide(flow, now);
}

static void end_some(struct flow *flow, const struct run *run, gov_time_t now)
{
	while (flow->endings.count && flow->endings.heap[0].at <= now) {
		struct ending e = ending_pop(&flow->endings);
		const struct gov_job *job = gov_engine_job(flow->engine, e.id);

		/* Not one that was evicted in the meantime. */
		if (!job || job->state != GOV_JOB_RUNNING ||
		    job->started + mix[flow->kind[e.id]].runs != e.at)
			continue;
		end(flow, e.id);
		if (run->each)
			decide(flow, now);
	}
	decide(flow, now);
}

/* All jobs of all teams, submitted in a hundred steps.  Admissions a second,
 * of the time inside the engine. */
static double admissions(const struct run *run)
{
	const struct shape shape = {
		.units = run->units,
		.teams = run->teams,
		.nominal = 20,
		.borrow_limit = 100,
		.cells = 1,
		.fair = run->fair,
	};
	struct flow flow = { .engine = make_engine(&shape) };
	uint32_t total = run->teams * run->jobs;
	gov_time_t now = 0;
	uint64_t id = 1;

	flow.kind = calloc(total + 1, 1);
	if (!flow.kind)
		bench_fail("memory", NULL);
	for (uint32_t i = 1; i <= total; i++)
		flow.kind[i] = some_kind();
	while (id <= total || flow.endings.count) {
		submit_some(&flow, run, &id, total / 100 + 1, now);
		end_some(&flow, run, ++now);
	}
	if (!json)
		printf("%-38s %8.0f admissions/s  (%lu admissions, %lu evictions, %lu decisions, %lu events in %.3f s)\n",
		       run->title, (double) flow.admissions / flow.spent,
		       flow.admissions, flow.evictions, flow.decisions,
		       flow.events, flow.spent);
	gov_engine_destroy(flow.engine);
	gov_decision_list_free(&flow.list);
	free(flow.endings.heap);
	free(flow.kind);
	return (double) flow.admissions / flow.spent;
}

/* ---- a cluster full of jobs ---- */

/*
 * `count` live jobs of so many teams in a tenth as many units: most of them
 * run, and every tenth waits for quota.
 */
static struct gov_engine *full_cluster(uint32_t count, uint32_t teams)
{
	struct shape shape = {
		.units = teams / 10,
		.teams = teams,
		.borrow_limit = GOV_UNLIMITED,
		.cells = 4,
		.fair = true,
	};
	struct gov_engine *engine;
	struct gov_error error;
	uint32_t per_team = count / shape.teams;

	shape.nominal = per_team - per_team / 10;
	engine = make_engine(&shape);
	for (uint32_t i = 0; i < count; i++) {
		struct gov_job job = make_job(i + 1,
					      team_index(engine,
							 i % shape.teams),
					      bench_random(3), 1, 1);

		job.state = i / shape.teams < shape.nominal ? GOV_JOB_RUNNING :
							      GOV_JOB_WAITING;
		job.started = job.state == GOV_JOB_RUNNING ? 1 : 0;
		if (gov_engine_put(engine, &job, &error))
			bench_fail("put", &error);
	}
	return engine;
}

static void settle(struct gov_engine *engine, gov_time_t now)
{
	struct gov_decision_list list = { 0 };
	struct gov_error error;

	if (gov_engine_decide(engine, now, &list, &error))
		bench_fail("decide", &error);
	gov_decision_list_free(&list);
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

/* One verdict with 100,000 live jobs. */
static void verdicts(double *p50, double *p99)
{
	enum { COUNT = 20000 };
	static double spent[COUNT];
	const uint32_t teams = 1000;
	struct gov_engine *engine = full_cluster(quick ? 10000 : 100000, teams);

	settle(engine, 100000);
	for (int i = 0; i < COUNT; i++) {
		struct gov_job job = make_job(UINT64_C(1) << 40 | (uint64_t) i,
					      team_index(engine,
							 bench_random(teams)),
					      bench_random(3),
					      1 + bench_random(4), 1);
		struct gov_verdict verdict;
		struct gov_error error;
		double before = bench_seconds();

		if (gov_engine_submit(engine, &job, 100001, &verdict, &error))
			bench_fail("submit", &error);
		spent[i] = (bench_seconds() - before) * 1e6;
		gov_engine_remove(engine, job.id);
	}
	qsort(spent, COUNT, sizeof(*spent), compare_double);
	*p50 = spent[COUNT / 2];
	*p99 = spent[COUNT / 100 * 99];
	gov_engine_destroy(engine);
}

/* An owner takes 400 units back; 4,000 borrowed jobs to choose from. */
static double reclaim_ms(void)
{
	const struct shape shape = {
		.teams = 41,
		.nominal = 0,
		.borrow_limit = GOV_UNLIMITED,
		.cells = 1,
		.fair = true,
	};
	struct gov_policy *policy = make_policy(&shape);
	struct gov_error error;
	struct gov_engine *engine;
	struct gov_decision_list list = { 0 };
	struct gov_job owner;
	double before, spent;

	/* Only team 0 owns anything; finishing again takes it over. */
	policy->unit[gov_policy_find_unit(policy, "team0")].quota[0].nominal =
		4000;
	if (gov_policy_finish(policy, &error))
		bench_fail("policy", &error);
	engine = gov_engine_create(policy, &error);
	if (!engine)
		bench_fail("engine", &error);
	for (uint64_t i = 1; i <= 4000; i++) {
		struct gov_job job = make_job(i,
					      team_index(engine,
							 1 + (uint32_t) i % 40),
					      bench_random(3), 1, 1);

		job.state = GOV_JOB_RUNNING;
		job.started = 1 + bench_random(1000);
		if (gov_engine_put(engine, &job, &error))
			bench_fail("put", &error);
	}
	owner = make_job(5000, team_index(engine, 0), 1, 400, 1);
	owner.state = GOV_JOB_WAITING;
	if (gov_engine_put(engine, &owner, &error))
		bench_fail("put", &error);
	before = bench_seconds();
	if (gov_engine_decide(engine, 100000, &list, &error))
		bench_fail("decide", &error);
	spent = (bench_seconds() - before) * 1e3;
	if (list.count < 400)
		fprintf(stderr, "reclaim: only %zu decisions\n", list.count);
	gov_decision_list_free(&list);
	gov_engine_destroy(engine);
	gov_policy_unref(policy);
	return spent;
}

static size_t allocated(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static double bytes_per_job(void)
{
	uint32_t count = quick ? 10000 : 100000;
	size_t before = allocated();
	struct gov_engine *engine = full_cluster(count, 1000);
	size_t with_jobs = allocated() - before;
	const struct gov_policy *policy;
	struct gov_engine *empty;
	struct gov_error error;
	double bytes;

	/* What the policy and an empty engine take is not the jobs'. */
	policy = gov_engine_policy(engine);
	before = allocated();
	empty = gov_engine_create((struct gov_policy *) policy, &error);
	if (!empty)
		bench_fail("engine", &error);
	bytes = (double) (with_jobs - (allocated() - before)) / count;
	gov_engine_destroy(empty);
	gov_engine_destroy(engine);
	return bytes;
}

/* ---- growth ---- */

/*
 * Mean time of one event (end, submission, start or requeue, each of them
 * decided by itself) with this number of live jobs.
 */
static double event_us(uint32_t count, uint32_t teams)
{
	const uint32_t rounds = quick ? 1000 : 3000;
	struct flow flow = { .engine = full_cluster(count, teams) };
	uint64_t *live = reallocarray(NULL, count, sizeof(*live));
	gov_time_t now = 1000000;
	double us;

	if (!live)
		bench_fail("memory", NULL);
	for (uint32_t i = 0; i < count; i++)
		live[i] = i + 1;
	decide(&flow, now);
	flow.spent = 0;
	flow.events = flow.evictions = 0;
	for (uint32_t i = 0; i < rounds; i++) {
		uint64_t *slot = &live[bench_random(count)];
		struct gov_job job = make_job((UINT64_C(1) << 40) + i,
					      team_index(flow.engine,
							 bench_random(teams)),
					      bench_random(3), 1, 1);

		job.submitted = ++now;
		end(&flow, *slot);
		decide(&flow, now);
		*slot = job.id;
		submit(&flow, &job, now);
		decide(&flow, now);
	}
	us = flow.spent / (double) flow.events * 1e6;
	printf("  %8u jobs %9.2f us  (%lu events, %lu evictions", count, us,
	       flow.events, flow.evictions);
	gov_decision_list_free(&flow.list);
	gov_engine_destroy(flow.engine);
	free(live);
	return us;
}

static void curve(uint32_t teams)
{
	uint32_t most = quick ? 30000 : 1000000, least = 10 * teams;
	double first = 0;

	printf("time per event, by live jobs of %u teams:\n", teams);
	for (uint32_t n = least; n <= most; n = n % 3 ? 3 * n : n / 3 * 10) {
		double us = event_us(n, teams);

		if (n == least)
			first = us;
		printf("; %.1f x, log2 n grows %.1f x)\n", us / first,
		       log2(n) / log2(least));
	}
}

/* The least of four: either order, decided in batches or one by one. */
static double least_admissions(const char *size, uint32_t units, uint32_t teams,
			       uint32_t jobs)
{
	double least = INFINITY;

	for (int i = 0; i < 4; i++) {
		char title[80];
		struct run run = {
			.title = title,
			.units = units,
			.teams = teams,
			.jobs = quick ? jobs / 10 : jobs,
			.fair = i & 1,
			.each = i & 2,
		};

		snprintf(title, sizeof(title), "%s, %s, %s", size,
			 run.fair ? "FairShare" : "FirstCome",
			 run.each ? "one by one" : "batches");
		least = fmin(least, admissions(&run));
	}
	return least;
}

int main(int argc, char **argv)
{
	double small, large, p50, p99, reclaim, bytes;
	bool only_curve = false;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++) {
		json |= !strcmp(argv[i], "--json");
		quick |= !strcmp(argv[i], "--quick");
		only_curve |= !strcmp(argv[i], "--curve");
	}
	if (only_curve) {
		curve(100);
		curve(1000);
		return 0;
	}
	small = least_admissions("30 teams x 500", 5, 30, 500);
	large = least_admissions("1000 teams x 50", 100, 1000, 50);
	verdicts(&p50, &p99);
	reclaim = reclaim_ms();
	bytes = bytes_per_job();
	if (json) {
		printf("{\"admissions_per_s_30x500\": %.0f, \"admissions_per_s_1000x50\": %.0f, \"verdict_p50_us\": %.3f, \"verdict_p99_us\": %.3f, \"reclaim_4000_ms\": %.3f, \"bytes_per_job\": %.0f}\n",
		       small, large, p50, p99, reclaim, bytes);
		return 0;
	}
	printf("verdict with %s live jobs     p50 %.2f us, p99 %.2f us\n",
	       quick ? "10,000" : "100,000", p50, p99);
	printf("reclaim among 4,000           %.2f ms\n", reclaim);
	printf("memory                        %.0f bytes a job\n", bytes);
	curve(100);
	curve(1000);
	return 0;
}
