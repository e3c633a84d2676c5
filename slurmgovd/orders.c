/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orders of operators, carried out in the governor. */
#include "slurmgovd/orders.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"

/* ---- standing orders as data ---- */

void gov_orders_free(struct gov_orders *orders)
{
	free(orders->drained);
	memset(orders, 0, sizeof(*orders));
}

static size_t find_drained(const struct gov_orders *orders, const char *name)
{
	size_t i = 0;

	while (i < orders->drained_count &&
	       strcasecmp(orders->drained[i].name, name) != 0)
		i++;
	return i;
}

const struct gov_mark *gov_orders_drained(const struct gov_orders *orders,
					  const char *name)
{
	size_t i = find_drained(orders, name);

	return i < orders->drained_count ? &orders->drained[i].mark : NULL;
}

int gov_orders_drain(struct gov_orders *orders, const char *name,
		     const struct gov_mark *mark)
{
	size_t i = find_drained(orders, name);
	struct gov_drained *grown;

	if (!mark) {
		if (i == orders->drained_count)
			return 0;
		orders->drained[i] = orders->drained[--orders->drained_count];
		return 1;
	}
	if (i < orders->drained_count)
		return 0;
	if (i == GOV_DRAINED_MAX || strlen(name) >= GOV_ORDER_NAME)
		return -1;
	grown = reallocarray(orders->drained, i + 1, sizeof(*grown));
	if (!grown)
		return -1;
	orders->drained = grown;
	snprintf(grown[i].name, sizeof(grown[i].name), "%s", name);
	grown[i].mark = *mark;
	orders->drained_count++;
	return 1;
}

/* ---- in force ---- */

const struct gov_orders *gov_governor_orders(const struct gov_governor *g)
{
	return &g->orders;
}

/* Is it, or a unit above it, drained? */
static bool is_drained(const struct gov_governor *g, uint32_t unit)
{
	for (; unit != GOV_NONE; unit = g->policy->unit[unit].parent)
		if (gov_orders_drained(&g->orders, g->policy->unit[unit].name))
			return true;
	return false;
}

void gov_orders_apply(struct gov_governor *g)
{
	gov_engine_hold_reclaims(g->engine, g->orders.reclaims_held.since);
	for (uint32_t u = 0; u < g->policy->unit_count; u++)
		gov_engine_drain(g->engine, u, is_drained(g, u));
}

void gov_governor_set_orders(struct gov_governor *g, struct gov_orders *orders)
{
	gov_orders_free(&g->orders);
	g->orders = *orders;
	memset(orders, 0, sizeof(*orders));
	gov_orders_apply(g);
}

static int not_now(struct gov_error *error, const char *what)
{
	return gov_error_set(error, GOV_E_STATE, "%s", what);
}

static struct gov_mark mark_of(const struct gov_order *order,
			       struct gov_now now)
{
	return (struct gov_mark){ .by = order->by, .since = now.wall };
}

/* Make a standing order so, or not so any more. */
static int set_mark(struct gov_mark *mark, const struct gov_order *order,
		    struct gov_now now, const char *already, const char *is_not,
		    struct gov_error *error)
{
	if (!order->undo == !!mark->since)
		return not_now(error, order->undo ? is_not : already);
	*mark = order->undo ? (struct gov_mark){ 0 } : mark_of(order, now);
	return 0;
}

static int hold_reclaims(struct gov_governor *g, const struct gov_order *order,
			 struct gov_now now, struct gov_error *error)
{
	if (set_mark(&g->orders.reclaims_held, order, now,
		     "reclaims are held already", "reclaims are not held",
		     error))
		return -1;
	gov_log(GOV_LOG_MAIN, GOV_LOG_INFO, "uid %u %s", order->by,
		order->undo ? "lets reclaims go on" : "holds all reclaims");
	gov_orders_apply(g);
	return 0;
}

static int drain(struct gov_governor *g, const struct gov_order *order,
		 struct gov_now now, struct gov_error *error)
{
	uint32_t unit = gov_policy_find_unit(g->policy, order->name);
	struct gov_mark mark = mark_of(order, now);
	int rc;

	/* What is gone from the policy can still be taken from the list. */
	if (unit == GOV_NONE && !order->undo)
		return gov_error_set(error, GOV_E_REFERENCE,
				     "there is no team or unit '%.64s'",
				     order->name);
	rc = gov_orders_drain(&g->orders,
			      unit == GOV_NONE ? order->name :
						 g->policy->unit[unit].name,
			      order->undo ? NULL : &mark);
	if (rc < 0)
		return gov_error_set(error, GOV_E_NOMEM,
				     "no more than %d units can be drained",
				     GOV_DRAINED_MAX);
	if (!rc)
		return not_now(error, order->undo ? "it is not drained" :
						    "it is drained already");
	gov_log(GOV_LOG_MAIN, GOV_LOG_INFO, "uid %u %s %s", order->by,
		order->undo ? "lets borrow again:" : "drains", order->name);
	gov_orders_apply(g);
	return 0;
}

/* ---- jobs ---- */

static void sign(struct gov_tracked *job, uid_t by, struct gov_now now)
{
	job->stamp.operator_uid = by;
	job->stamp.ordered = now.wall;
}

void gov_go_on(struct gov_governor *g, struct gov_tracked *job,
	       const struct gov_job *known)
{
	struct gov_job copy = *known;

	copy.state = GOV_JOB_RUNNING;
	copy.asker = 0;
	copy.deadline = 0;
	copy.rule = GOV_RULE_NONE;
	gov_engine_put(g->engine, &copy, NULL);
	gov_stamp_call_back(&job->stamp);
}

void gov_call_back(struct gov_governor *g, struct gov_tracked *job)
{
	const struct gov_job *known = gov_engine_job(g->engine, job->id);
	const struct gov_job *asker;
	struct gov_job copy;

	if (!known || known->state != GOV_JOB_RECLAIMING)
		return;
	copy = *known;
	asker = gov_engine_job(g->engine, copy.asker);
	if (asker && asker->state == GOV_JOB_CLAIMING) {
		struct gov_job waits = *asker;
		struct gov_tracked *tracked = gov_track_find(g, waits.id);

		waits.state = GOV_JOB_WAITING;
		gov_engine_put(g->engine, &waits, NULL);
		if (tracked)
			gov_mark_dirty(g, tracked);
	}
	gov_go_on(g, job, &copy);
	job->stamp_acked = false;
	job->stop_due = false;
	gov_mark_dirty(g, job);
}

static int check_release(const struct gov_governor *g,
			 const struct gov_tracked *job, struct gov_error *error)
{
	const struct gov_job *known = gov_engine_job(g->engine, job->id);

	if (gov_is_observing(g))
		return not_now(error, "nothing is held at present");
	if (job->stamp.released)
		return not_now(error, "it is released already");
	if (!known || known->state > GOV_JOB_CLAIMING)
		return not_now(error, "it does not wait for quota");
	if (job->stamp.user_hold)
		return gov_error_set(
			error, GOV_E_STATE,
			"its user holds it: with 'scontrol release' it asks for quota, and can then be released");
	return 0;
}

void gov_release(struct gov_governor *g, struct gov_tracked *job, uid_t by,
		 struct gov_now now)
{
	job->stamp.released = true;
	sign(job, by, now);
	gov_log(GOV_LOG_MAIN, GOV_LOG_INFO,
		"uid %u releases job %" PRIu64 " in spite of quota", by,
		job->id);
	gov_judge(g, job, now);
}

void gov_release_task(struct gov_governor *g, struct gov_tracked *job,
		      uint32_t task, uid_t by, struct gov_now now)
{
	job->frees_task = true;
	job->freed_task = task;
	sign(job, by, now);
	gov_log(GOV_LOG_MAIN, GOV_LOG_INFO,
		"uid %u releases task %u of array %" PRIu64
		" in spite of quota",
		by, task, job->id);
	gov_mark_dirty(g, job);
}

/* The task of "12_3" if it waits in the record of its array. */
static bool is_waiting_task(const struct gov_tracked *job, const char *name,
			    uint32_t *task)
{
	const char *part = strchr(name, '_');
	char rest;

	return part && gov_is_array(job->record) &&
	       sscanf(part + 1, "%u%c", task, &rest) == 1 &&
	       gov_array_has(job->record->array_tasks, *task);
}

static int check_exempt(const struct gov_tracked *job,
			const struct gov_order *order, struct gov_error *error)
{
	if (job->stamp.exempt != order->undo)
		return not_now(error, order->undo ? "it is not exempt" :
						    "it is exempt already");
	if (!order->undo && job->stop_due)
		return not_now(error,
			       "its grace is over and it is being stopped");
	return 0;
}

static void exempt(struct gov_governor *g, struct gov_tracked *job,
		   const struct gov_order *order, struct gov_now now)
{
	job->stamp.exempt = !order->undo;
	sign(job, order->by, now);
	gov_log(GOV_LOG_MAIN, GOV_LOG_INFO,
		"uid %u %s job %" PRIu64 " from being taken back", order->by,
		order->undo ? "no longer exempts" : "exempts", job->id);
	if (!order->undo)
		gov_call_back(g, job);
	gov_judge(g, job, now);
}

static int check_job(const struct gov_governor *g,
		     const struct gov_tracked *job,
		     const struct gov_order *order, struct gov_error *error)
{
	uint32_t task;

	if (job->standing != GOV_STANDING_GOVERNED || !job->judged)
		return gov_error_set(error, GOV_E_REFERENCE,
				     "job %.64s is not governed", order->name);
	/* Of "12_3" that waits in the record of its array there is no other. */
	if (strchr(order->name, '_') &&
	    job->record->array_task == GOV_NO_TASK &&
	    (order->kind == GOV_ORDER_EXEMPT ||
	     !is_waiting_task(job, order->name, &task)))
		return gov_error_set(
			error, GOV_E_STATE,
			"task %.64s waits with its array: name the array",
			order->name);
	return order->kind == GOV_ORDER_RELEASE ?
		       check_release(g, job, error) :
		       check_exempt(job, order, error);
}

static int order_job(struct gov_governor *g, const struct gov_order *order,
		     struct gov_now now, struct gov_error *error)
{
	const struct gov_tracked *named = gov_governor_find(g, order->name);
	struct gov_tracked *job;
	uint32_t task;

	if (!g->health.ready)
		return gov_error_set(error, GOV_E_DOWN,
				     "the governor does not know the jobs yet");
	if (!named)
		return gov_error_set(error, GOV_E_REFERENCE,
				     "there is no job '%.64s' in the job list",
				     order->name);
	if (check_job(g, named, order, error))
		return -1;
	job = gov_het_head(g, gov_track_find(g, named->id));
	if (order->kind == GOV_ORDER_RELEASE &&
	    is_waiting_task(job, order->name, &task))
		gov_release_task(g, job, task, order->by, now);
	else if (order->kind == GOV_ORDER_RELEASE)
		gov_release(g, job, order->by, now);
	else
		exempt(g, job, order, now);
	return 0;
}

/* ---- everything ---- */

void gov_forget_observed(struct gov_governor *g)
{
	for (size_t i = 0; i < g->jobs.size; i++) {
		struct gov_tracked *job = g->jobs.slot[i].value;
		struct gov_stamp shown;

		if (!g->jobs.slot[i].id)
			continue;
		gov_call_back(g, job);
		if (job->record->state != GOV_SLURM_PENDING ||
		    job->record->completing)
			continue;
		gov_engine_remove(g->engine, job->id);
		gov_array_forget(g, job);
		job->stamp.asker = 0;
		if (gov_stamp_parse(job->record->admin_comment, &shown) == 1)
			job->stamp.state = shown.state;
		else
			job->stamp.state = GOV_STAMP_UNDECIDED;
	}
}

static int release_all(struct gov_governor *g, const struct gov_order *order,
		       struct gov_now now, struct gov_error *error)
{
	if (set_mark(&g->orders.let_go, order, now,
		     "everything is released already",
		     "jobs are governed as the policy says", error))
		return -1;
	gov_log(GOV_LOG_MAIN, GOV_LOG_INFO, "uid %u %s", order->by,
		order->undo ?
			"has jobs governed again" :
			"releases all that governance holds, and has nothing governed");
	for (size_t i = 0; !order->undo && i < g->jobs.size; i++)
		if (g->jobs.slot[i].id)
			gov_call_back(g, g->jobs.slot[i].value);
	if (order->undo && !gov_is_observing(g))
		gov_forget_observed(g);
	if (g->health.ready)
		gov_judge_all(g, now);
	return 0;
}

int gov_governor_order(struct gov_governor *g, const struct gov_order *order,
		       struct gov_now now, struct gov_error *error)
{
	int rc = -1;

	switch (order->kind) {
	case GOV_ORDER_HOLD_RECLAIMS:
		rc = hold_reclaims(g, order, now, error);
		break;
	case GOV_ORDER_RELEASE_ALL:
		rc = release_all(g, order, now, error);
		break;
	case GOV_ORDER_DRAIN: rc = drain(g, order, now, error); break;
	case GOV_ORDER_RELEASE:
	case GOV_ORDER_EXEMPT: rc = order_job(g, order, now, error); break;
	}
	if (rc)
		return rc;
	gov_tell_order(g, order, now);
	gov_governor_tick(g, now);
	return 0;
}
