/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the world around the engine does. */
#include "cluster.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A job that was seen in Slurm gets an id of this range. */
#define SEEN_BASE (UINT64_C(1) << 32)

void broken(struct cluster *cluster, const char *name, const char *format, ...)
{
	struct violation *v = cluster->violation;
	va_list args;

	if (v->found)
		return;
	v->found = true;
	v->event = cluster->event;
	snprintf(v->name, sizeof(v->name), "%s", name);
	va_start(args, format);
	vsnprintf(v->text, sizeof(v->text), format, args);
	va_end(args);
}

static void die(const char *what, const struct gov_error *error)
{
	fprintf(stderr, "%s: %s\n", what, error ? error->text : "no memory");
	exit(2);
}

/* ---- records ---- */

struct record *cluster_find(struct cluster *cluster, uint64_t job_id)
{
	for (size_t i = 0; i < cluster->count; i++)
		if (cluster->record[i].job.id == job_id)
			return &cluster->record[i];
	return NULL;
}

static struct record *find_history_id(struct cluster *cluster, int64_t id)
{
	for (size_t i = 0; i < cluster->count; i++)
		if (cluster->record[i].id == id)
			return &cluster->record[i];
	return NULL;
}

static struct record *add_record(struct cluster *cluster)
{
	if (cluster->count == cluster->space) {
		cluster->space = cluster->space ? 2 * cluster->space : 64;
		cluster->record = reallocarray(cluster->record, cluster->space,
					       sizeof(struct record));
		if (!cluster->record)
			die("record", NULL);
	}
	return &cluster->record[cluster->count++];
}

static void drop_record(struct cluster *cluster, struct record *record)
{
	*record = cluster->record[--cluster->count];
}

struct slow_holder holder_of(const struct cluster *cluster,
			     const struct record *record)
{
	const struct gov_request *request = &record->job.request;
	struct slow_holder holder = {
		.team = record->team != NONE && cluster->spec.unit[record->team]
							.present ?
				record->team :
				NONE,
		.project = record->project,
		.user = record->job.user,
		.items = (int) request->count,
	};

	for (uint32_t i = 0; i < request->count; i++)
		holder.item[i] = (struct item){
			cell_of(cluster->policy, request->item[i].cell),
			request->item[i].amount,
		};
	return holder;
}

void cluster_use(struct cluster *cluster)
{
	slow_clear(&cluster->slow);
	for (size_t i = 0; i < cluster->count; i++) {
		struct slow_holder holder;

		if (!holds(cluster->record[i].job.state))
			continue;
		holder = holder_of(cluster, &cluster->record[i]);
		slow_add(&cluster->slow, &holder, 1);
	}
	slow_sum(&cluster->slow);
}

/* ---- life ---- */

static void set_capacities(struct cluster *cluster, struct gov_engine *engine)
{
	for (int c = 0; c < CELLS; c++)
		if (cluster->spec.has_cell[c])
			gov_engine_set_capacity(engine,
						cell_index(cluster->policy, c),
						cluster->spec.capacity[c]);
}

void cluster_create(struct cluster *cluster, const struct spec *spec)
{
	struct gov_error error;

	cluster->spec = *spec;
	cluster->now = 1000000;
	cluster->policy = policy_of(spec);
	cluster->engine = gov_engine_create(cluster->policy, &error);
	if (!cluster->engine)
		die("engine", &error);
	slow_policy(&cluster->slow, &cluster->spec);
	set_capacities(cluster, cluster->engine);
}

void cluster_destroy(struct cluster *cluster)
{
	gov_engine_destroy(cluster->engine);
	gov_policy_unref(cluster->policy);
	gov_decision_list_free(&cluster->list);
	free(cluster->record);
}

struct copies {
	struct gov_job *job;
	size_t count, space;
};

static void copy_job(const struct gov_job *job, void *arg)
{
	struct copies *copies = arg;

	if (copies->count < copies->space)
		copies->job[copies->count] = *job;
	copies->count++;
}

static int by_id(const void *a, const void *b)
{
	const struct gov_job *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static void remember(const struct gov_usage_mean *mean, void *twin)
{
	struct gov_error error;

	if (gov_engine_put_usage(twin, mean, &error))
		die("usage", &error);
}

struct gov_engine *cluster_twin(struct cluster *cluster, bool reversed)
{
	struct copies copies = { .space = cluster->count + 1 };
	struct gov_engine *twin;
	struct gov_error error;

	copies.job = calloc(copies.space, sizeof(*copies.job));
	if (!copies.job)
		die("twin", NULL);
	gov_engine_each(cluster->engine, copy_job, &copies);
	if (copies.count != cluster->count)
		broken(cluster, "usage-recomputable",
		       "the engine knows %zu jobs, there are %zu", copies.count,
		       cluster->count);
	if (copies.count > copies.space)
		copies.count = copies.space;
	qsort(copies.job, copies.count, sizeof(*copies.job), by_id);
	twin = gov_engine_create(cluster->policy, &error);
	if (!twin)
		die("twin", &error);
	set_capacities(cluster, twin);
	for (size_t i = 0; i < copies.count; i++) {
		size_t k = reversed ? copies.count - 1 - i : i;

		if (gov_engine_put(twin, &copies.job[k], &error))
			broken(cluster, "survives-restart",
			       "job %" PRIu64 " cannot be put again: %s",
			       copies.job[k].id, error.text);
	}
	free(copies.job);
	gov_engine_each_usage(cluster->engine, remember, twin);
	return twin;
}

/* ---- events about jobs ---- */

static void fill_request(const struct cluster *cluster,
			 const struct event *event, struct gov_request *request)
{
	request->count = 0;
	for (int i = 0; i < event->items; i++) {
		request->item[request->count].cell =
			cell_index(cluster->policy, event->item[i].cell);
		request->item[request->count++].amount = event->item[i].amount;
	}
}

static void put(struct cluster *cluster, struct record *record)
{
	struct gov_error error;

	if (gov_engine_put(cluster->engine, &record->job, &error))
		broken(cluster, "facts-are-taken", "put of job %" PRIu64 ": %s",
		       record->job.id, error.text);
}

static struct record new_job(const struct cluster *cluster,
			     const struct event *event)
{
	int team = (int) event->v[1], project = (int) event->v[4];
	struct record record = {
		.id = event->v[0], .team = team, .project = project,
		.job = {
			.id = (uint64_t) event->v[0],
			.team = unit_index(cluster->policy, team),
			.project = GOV_NONE,
			.class = (uint32_t) event->v[2],
			.user = (uint32_t) event->v[3],
			.submitted = cluster->now,
			.no_borrow = event->v[5] & JOB_NO_BORROW,
			.provisional = event->v[5] & JOB_PROVISIONAL,
			.requeueable = !(event->v[5] & JOB_NO_REQUEUE),
			.state = GOV_JOB_WAITING,
		},
	};

	if (project != NONE)
		record.job.project = project_index(cluster->policy, team,
						   project);
	fill_request(cluster, event, &record.job.request);
	return record;
}

static void submit(struct cluster *cluster, const struct event *event)
{
	struct record record = new_job(cluster, event);
	struct gov_verdict verdict;
	struct gov_error error;

	if (cluster->count >= LIVE_MAX || record.job.team == GOV_NONE ||
	    !event->items || find_history_id(cluster, record.id))
		return;
	if (event->kind == EVENT_PUT) {
		record.job.provisional = false;
		*add_record(cluster) = record;
		put(cluster, &record);
		return;
	}
	if (gov_engine_submit(cluster->engine, &record.job, cluster->now,
			      &verdict, &error)) {
		broken(cluster, "facts-are-taken", "submit of %" PRId64 ": %s",
		       record.id, error.text);
		return;
	}
	check_verdict(cluster, &record, &verdict);
	if (verdict.never)
		return;
	if (verdict.admitted) {
		record.job.state = GOV_JOB_ADMITTED;
		cluster->tally->admissions++;
	}
	*add_record(cluster) = record;
}

/* An admitted job starts and is given what it is given. */
static void start(struct cluster *cluster, struct record *record,
		  const struct event *event)
{
	if (record->job.state != GOV_JOB_ADMITTED)
		return;
	record->job.state = GOV_JOB_RUNNING;
	record->job.started = cluster->now;
	record->job.provisional = false;
	if (event->items)
		fill_request(cluster, event, &record->job.request);
	put(cluster, record);
}

/* Back into the queue; its age and its history stay. */
static void requeue(struct cluster *cluster, struct record *record)
{
	record->job.state = GOV_JOB_WAITING;
	record->job.started = 0;
	record->job.checkpoint = 0;
	record->job.deadline = 0;
	record->job.rule = GOV_RULE_NONE;
	record->stopped = false;
	put(cluster, record);
}

static void end(struct cluster *cluster, struct record *record)
{
	if (!gov_engine_remove(cluster->engine, record->job.id))
		broken(cluster, "usage-recomputable",
		       "job %" PRIu64 " was not known", record->job.id);
	drop_record(cluster, record);
}

static void hold(struct cluster *cluster, struct record *record, bool on)
{
	if (on && (record->job.state == GOV_JOB_WAITING ||
		   record->job.state == GOV_JOB_ADMITTED))
		record->job.state = GOV_JOB_INELIGIBLE;
	else if (!on && record->job.state == GOV_JOB_INELIGIBLE)
		record->job.state = GOV_JOB_WAITING;
	else
		return;
	put(cluster, record);
}

static void seen(struct cluster *cluster, struct record *record)
{
	uint64_t id = record->job.id + SEEN_BASE;

	if (!record->job.provisional)
		return;
	if (gov_engine_rename(cluster->engine, record->job.id, id))
		broken(cluster, "facts-are-taken", "rename of %" PRIu64,
		       record->job.id);
	for (size_t i = 0; i < cluster->count; i++)
		if (cluster->record[i].job.asker == record->job.id)
			cluster->record[i].job.asker = id;
	record->job.id = id;
	record->job.provisional = false;
	put(cluster, record);
}

static void checkpoint(struct cluster *cluster, struct record *record)
{
	if (record->job.state != GOV_JOB_RUNNING)
		return;
	record->job.checkpoint = cluster->now;
	put(cluster, record);
}

/* Jobs whose grace is over are gone when time has passed. */
static void let_time_pass(struct cluster *cluster, int64_t seconds)
{
	cluster->now += seconds;
	for (size_t i = 0; i < cluster->count;) {
		struct record *record = &cluster->record[i];

		if (!record->stopped) {
			i++;
		} else if (record->job.requeueable) {
			record->job.evictions = ++record->evictions;
			requeue(cluster, record);
			i++;
		} else {
			end(cluster, record);
		}
	}
}

/* ---- events about the policy ---- */

/* Jobs know their team and project by name; indices move. */
static void resolve(struct cluster *cluster, struct record *record)
{
	record->job.team = unit_index(cluster->policy, record->team);
	record->job.project = GOV_NONE;
	if (record->project != NONE && record->job.team != GOV_NONE)
		record->job.project = project_index(cluster->policy,
						    record->team,
						    record->project);
}

static void set_policy(struct cluster *cluster)
{
	struct gov_policy *policy = policy_of(&cluster->spec);
	struct gov_error error;

	if (gov_engine_set_policy(cluster->engine, policy, &error))
		die("set_policy", &error);
	gov_policy_unref(cluster->policy);
	cluster->policy = policy;
	slow_policy(&cluster->slow, &cluster->spec);
	for (size_t i = 0; i < cluster->count; i++) {
		struct record *record = &cluster->record[i];
		const struct gov_job *job = gov_engine_job(cluster->engine,
							   record->job.id);
		uint32_t team = job ? job->team : 0;

		resolve(cluster, record);
		if (!job)
			broken(cluster, "usage-recomputable",
			       "job %" PRIu64 " lost with the policy",
			       record->job.id);
		/* Only a job without a team has to be told again. */
		else if (team != record->job.team && team != GOV_NONE)
			broken(cluster, "usage-recomputable",
			       "job %" PRIu64 " changed its team",
			       record->job.id);
		else if (team != record->job.team)
			put(cluster, record);
	}
}

static void restart(struct cluster *cluster)
{
	struct gov_engine *twin = cluster_twin(cluster, false);

	gov_engine_destroy(cluster->engine);
	cluster->engine = twin;
	/* Who was stopped but is not gone yet is stopped once more. */
	for (size_t i = 0; i < cluster->count; i++)
		cluster->record[i].stopped = false;
}

/* Records that must be refused, and must change nothing. */
static void bad_put(struct cluster *cluster, const struct event *event)
{
	struct gov_job job = {
		.id = 77,
		.project = GOV_NONE,
		.state = GOV_JOB_WAITING,
		.request = { 1, { { 0, 1 } } },
	};
	struct gov_error error;

	while (job.team < cluster->policy->unit_count &&
	       !cluster->policy->unit[job.team].is_team)
		job.team++;
	switch (event->v[1]) {
	case 0: job.id = 0; break;
	case 1: job.team = cluster->policy->unit_count + 3; break;
	case 2: job.class = cluster->policy->class_count; break;
	case 3: job.state = 99; break;
	case 4: job.request.item[0].cell = cluster->policy->cell_count; break;
	case 5: job.request.count = GOV_REQUEST_MAX + 1; break;
	case 6: job.request.item[0].amount = GOV_UNSET; break;
	default:
		job.request.count = 2;
		job.request.item[1] = job.request.item[0];
	}
	cluster->tally->refused++;
	if (!gov_engine_put(cluster->engine, &job, &error))
		broken(cluster, "bad-record-is-refused", "kind %d",
		       (int) event->v[1]);
}

static void job_event(struct cluster *cluster, const struct event *event)
{
	struct record *record = find_history_id(cluster, event->v[0]);

	if (!record)
		return;
	switch (event->kind) {
	case EVENT_START: start(cluster, record, event); break;
	case EVENT_END: end(cluster, record); break;
	case EVENT_REQUEUE:
		if (record->job.state == GOV_JOB_RUNNING)
			requeue(cluster, record);
		break;
	case EVENT_HOLD: hold(cluster, record, event->v[1]); break;
	case EVENT_CHECKPOINT: checkpoint(cluster, record); break;
	case EVENT_SEEN: seen(cluster, record); break;
	default: break;
	}
}

void cluster_event(struct cluster *cluster, const struct event *event)
{
	switch (event->kind) {
	case EVENT_SUBMIT:
	case EVENT_PUT: submit(cluster, event); break;
	case EVENT_CAPACITY:
		cluster->spec.capacity[event->v[0]] = (uint64_t) event->v[1];
		gov_engine_set_capacity(cluster->engine,
					cell_index(cluster->policy,
						   (int) event->v[0]),
					(uint64_t) event->v[1]);
		slow_policy(&cluster->slow, &cluster->spec);
		break;
	case EVENT_TIME: let_time_pass(cluster, event->v[0]); break;
	case EVENT_RESTART: restart(cluster); break;
	case EVENT_QUOTA:
	case EVENT_UNIT:
	case EVENT_GLOBAL:
		spec_change(&cluster->spec, event);
		set_policy(cluster);
		break;
	case EVENT_BAD_PUT: bad_put(cluster, event); break;
	default: job_event(cluster, event);
	}
}
