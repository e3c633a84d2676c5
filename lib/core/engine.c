/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of an engine, and the facts that come in from outside. */
#include "core/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/array.h"
#include "core/engine_private.h"
#include "core/loans.h"

void gov_decision_list_clear(struct gov_decision_list *list)
{
	list->count = 0;
}

void gov_decision_list_free(struct gov_decision_list *list)
{
	free(list->item);
	memset(list, 0, sizeof(*list));
}

static int no_memory(struct gov_error *error)
{
	return gov_error_set(error, GOV_E_NOMEM, "out of memory");
}

/* ---- life ---- */

struct gov_engine *gov_engine_create(struct gov_policy *policy,
				     struct gov_error *error)
{
	struct gov_engine *engine = calloc(1, sizeof(*engine));
	size_t cells = (size_t) policy->unit_count * policy->cell_count;

	if (!engine) {
		no_memory(error);
		return NULL;
	}
	engine->retry_at = INT64_MAX;
	engine->leaving = gov_array_new(cells, sizeof(gov_amount_t));
	engine->waiting = gov_array_new(cells, sizeof(gov_amount_t));
	engine->arrived = gov_array_new(policy->cell_count,
					sizeof(gov_amount_t));
	engine->policy = gov_policy_ref(policy);
	engine->search.books = &engine->books;
	engine->places = gov_places_create();
	if (engine->leaving && engine->waiting && engine->arrived &&
	    engine->places && !gov_books_init(&engine->books, policy) &&
	    !gov_contest_init(&engine->contest, &engine->books) &&
	    !gov_hunger_init(&engine->hunger, engine->books.tree)) {
		engine->books.store.places = engine->places;
		return engine;
	}
	gov_engine_destroy(engine);
	no_memory(error);
	return NULL;
}

void gov_engine_destroy(struct gov_engine *engine)
{
	if (!engine)
		return;
	gov_contest_free(&engine->contest);
	gov_hunger_free(&engine->hunger);
	gov_books_free(&engine->books);
	gov_search_free(&engine->search);
	gov_placing_free(&engine->placing);
	gov_places_unref(engine->places);
	free(engine->unplaced);
	free(engine->leaving);
	free(engine->waiting);
	free(engine->arrived);
	free(engine->reserve);
	gov_policy_unref(engine->policy);
	free(engine);
}

const struct gov_policy *gov_engine_policy(const struct gov_engine *engine)
{
	return engine->policy;
}

void gov_engine_set_capacity(struct gov_engine *engine, uint32_t cell,
			     gov_amount_t amount)
{
	if (engine->books.tree->top[cell].capacity == amount)
		return;
	gov_tree_set_capacity(engine->books.tree, cell, amount);
	engine->hunger.freed[cell] = engine->hunger.any_freed = true;
	gov_hunger_forget_shares(engine);
	gov_hunger_wake_all(engine);
}

void gov_engine_set_installed(struct gov_engine *engine, uint32_t cell,
			      gov_amount_t amount)
{
	if (engine->books.tree->top[cell].installed == amount)
		return;
	gov_tree_set_installed(engine->books.tree, cell, amount);
	gov_hunger_wake_all(engine);
}

/* ---- what an operator orders ---- */

void gov_engine_hold_reclaims(struct gov_engine *engine, bool held)
{
	if (engine->reclaims_held == held)
		return;
	engine->reclaims_held = held;
	gov_hunger_wake_all(engine);
}

bool gov_engine_reclaims_held(const struct gov_engine *engine)
{
	return engine->reclaims_held;
}

void gov_engine_drain(struct gov_engine *engine, uint32_t team, bool drained)
{
	bool *now = engine->books.drained;

	if (team >= engine->policy->unit_count ||
	    !engine->policy->unit[team].is_team || now[team] == drained)
		return;
	now[team] = drained;
	gov_hunger_wake_all(engine);
}

bool gov_engine_is_drained(const struct gov_engine *engine, uint32_t team)
{
	return team < engine->policy->unit_count && engine->books.drained[team];
}

/* ---- jobs ---- */

int gov_engine_check_job(const struct gov_engine *engine,
			 const struct gov_job *job, struct gov_error *error)
{
	const struct gov_policy *policy = engine->policy;
	const char *field = NULL;

	if (!job->id)
		field = "id";
	else if (job->team != GOV_NONE && (job->team >= policy->unit_count ||
					   !policy->unit[job->team].is_team))
		field = "team";
	else if (job->project != GOV_NONE &&
		 (job->project >= policy->project_count ||
		  policy->project[job->project].team != job->team))
		field = "project";
	else if (job->class != GOV_NONE && job->class >= policy->class_count)
		field = "class";
	else if (job->state > GOV_JOB_RECLAIMING)
		field = "state";
	else if (job->request.count > GOV_REQUEST_MAX)
		field = "request";
	for (uint32_t i = 0; !field && i < job->request.count; i++) {
		if (job->request.item[i].cell >= policy->cell_count ||
		    !job->request.item[i].amount ||
		    job->request.item[i].amount > GOV_AMOUNT_MAX)
			field = "request";
		for (uint32_t k = 0; k < i && !field; k++)
			if (job->request.item[k].cell ==
			    job->request.item[i].cell)
				field = "request";
	}
	if (!field)
		return 0;
	return gov_error_set(error, GOV_E_VALUE,
			     "job %" PRIu64 ": its %s is not valid", job->id,
			     field);
}

struct gov_kind *gov_engine_kind(struct gov_engine *engine,
				 const struct gov_job *job)
{
	struct gov_kind_key key = {
		.team = job->team,
		.project = job->project,
		.class = job->class,
		.user = job->user,
		.no_borrow = job->no_borrow,
		.provisional = job->provisional,
		.displaced = job->asker && job->state == GOV_JOB_WAITING,
		.shape = gov_places_shape_at(engine->places, job->shape) ?
				 job->shape :
				 0,
		.count = job->request.count,
	};

	for (uint32_t i = 0; i < key.count; i++) {
		struct gov_item item = { job->request.item[i].cell,
					 job->request.item[i].amount };
		uint32_t at = i;

		for (; at && key.item[at - 1].cell > item.cell; at--)
			key.item[at] = key.item[at - 1];
		key.item[at] = item;
	}
	return gov_books_kind(&engine->books, &key);
}

/* Everything but kind, asker and state. */
static void copy_fields(struct gov_record *record, const struct gov_job *job)
{
	record->submitted = job->submitted;
	record->started = job->started;
	record->checkpoint = job->checkpoint;
	record->deadline = job->deadline;
	record->user = job->user;
	record->evictions = job->evictions;
	record->rule = job->rule;
	record->requeueable = job->requeueable;
	record->exempt = job->exempt;
	record->on_surplus = job->on_surplus && job->state == GOV_JOB_CLAIMING;
	record->arrived = job->state == GOV_JOB_ADMITTED ? job->arrived : 0;
	if (job->state != GOV_JOB_RECLAIMING)
		record->stopped = false;
}

static bool charges(enum gov_job_state state)
{
	return state == GOV_JOB_CLAIMING || state == GOV_JOB_ADMITTED ||
	       state == GOV_JOB_RUNNING || state == GOV_JOB_RECLAIMING;
}

static bool holds(uint8_t state)
{
	return state == GOV_JOB_ADMITTED || state == GOV_JOB_RUNNING;
}

/* It started, or its times changed: nothing that is counted does. */
static void put_same(struct gov_engine *engine, struct gov_record *record,
		     const struct gov_job *job)
{
	gov_store_unlink(&engine->books.store, record);
	copy_fields(record, job);
	record->state = job->state;
	gov_store_link(&engine->books.store, record);
	gov_engine_state_of_place(engine, record->id, job->state);
	/* But it may give way before others, or not any more. */
	gov_hunger_victim(engine, record->kind);
	gov_engine_settle_behind(engine, record->id);
}

/* Whom it left for, or may not overtake; of other states it says nothing. */
static uint64_t asker_of(const struct gov_job *job)
{
	return job->state == GOV_JOB_WAITING ||
			       job->state == GOV_JOB_RECLAIMING ?
		       job->asker :
		       0;
}

int gov_engine_put(struct gov_engine *engine, const struct gov_job *job,
		   struct gov_error *error)
{
	struct gov_store *store = &engine->books.store;
	struct gov_record *record;
	struct gov_kind *kind;

	if (gov_engine_check_job(engine, job, error))
		return -1;
	kind = gov_engine_kind(engine, job);
	if (!kind)
		return no_memory(error);
	record = gov_store_find(store, job->id);
	if (!record && !(record = gov_store_add(store, job->id))) {
		gov_store_kind_unref(store, kind);
		return no_memory(error);
	}
	if (record->kind == kind && holds(record->state) && holds(job->state)) {
		put_same(engine, record, job);
		gov_store_kind_unref(store, kind);
		return 0;
	}
	if (record->kind) {
		gov_engine_detach(engine, record);
		gov_store_kind_unref(store, record->kind);
	}
	record->kind = kind;
	copy_fields(record, job);
	engine->hunger.changed = true;
	if (gov_store_set_asker(store, record, asker_of(job)))
		no_memory(error); /* known without whom it left for */
	if (charges(job->state) && gov_books_overflow(&engine->books, kind)) {
		gov_engine_attach(engine, record, GOV_JOB_INELIGIBLE);
		return gov_error_set(error, GOV_E_OVERFLOW,
				     "job %" PRIu64
				     ": the sum of all jobs exceeds 64 bits",
				     job->id);
	}
	gov_engine_attach(engine, record, job->state);
	gov_engine_state_of_place(engine, job->id, job->state);
	gov_engine_settle_behind(engine, job->id);
	return 0;
}

int gov_engine_rename(struct gov_engine *engine, uint64_t from, uint64_t to)
{
	struct gov_store *store = &engine->books.store;
	struct gov_record *record = gov_store_find(store, from);
	enum gov_job_state state;
	bool on_surplus;

	if (!record || !to || (from != to && gov_store_find(store, to)))
		return -1;
	if (from == to)
		return 0;
	state = record->state;
	on_surplus = record->on_surplus;
	gov_engine_detach(engine, record);
	gov_store_rename(store, record, to);
	gov_places_rename(engine->places, from, to);
	record->on_surplus = on_surplus;
	gov_engine_attach(engine, record, state);
	gov_engine_settle_behind(engine, from);
	gov_engine_settle_behind(engine, to);
	engine->hunger.changed = true;
	return 0;
}

bool gov_engine_remove(struct gov_engine *engine, uint64_t id)
{
	struct gov_store *store = &engine->books.store;
	struct gov_record *record = gov_store_find(store, id);

	/* Also of what is no job of the engine's. */
	gov_places_forget(engine->places, id);
	if (!record)
		return false;
	gov_engine_detach(engine, record);
	gov_store_drop(store, record);
	gov_engine_settle_behind(engine, id);
	engine->hunger.changed = true;
	return true;
}

/* ---- looking at jobs ---- */

void gov_engine_describe(const struct gov_record *job, struct gov_job *out)
{
	*out = (struct gov_job){
		.id = job->id,
		.team = job->kind->team,
		.project = job->kind->project,
		.class = job->kind->class,
		.user = job->user,
		.submitted = job->submitted,
		.started = job->started,
		.checkpoint = job->checkpoint,
		.deadline = job->deadline,
		.asker = gov_record_asker(job),
		.evictions = job->evictions,
		.state = job->state,
		.rule = job->rule,
		.no_borrow = job->kind->no_borrow,
		.provisional = job->kind->provisional,
		.requeueable = job->requeueable,
		.exempt = job->exempt,
		.on_surplus = job->on_surplus,
		.arrived = job->arrived,
		.shape = job->kind->shape,
		.request.count = job->kind->count,
	};
	for (uint32_t i = 0; i < job->kind->count; i++) {
		out->request.item[i].cell = job->kind->item[i].cell;
		out->request.item[i].amount = job->kind->item[i].amount;
	}
}

const struct gov_job *gov_engine_job(const struct gov_engine *engine,
				     uint64_t id)
{
	static _Thread_local struct gov_job described[8];
	static _Thread_local unsigned turn;
	const struct gov_record *record = gov_store_find(&engine->books.store,
							 id);
	struct gov_job *out;

	if (!record)
		return NULL;
	out = &described[turn++ % 8];
	gov_engine_describe(record, out);
	return out;
}

void gov_engine_each(const struct gov_engine *engine,
		     void (*visit)(const struct gov_job *job, void *arg),
		     void *arg)
{
	const struct gov_store *store = &engine->books.store;
	struct gov_job job;

	for (size_t i = 0; i < store->slot_count; i++) {
		if (!store->slot[i])
			continue;
		gov_engine_describe(store->slot[i], &job);
		visit(&job, arg);
	}
}

void gov_engine_each_victim(const struct gov_engine *engine, uint64_t asker,
			    void (*visit)(uint64_t victim, void *arg),
			    void *arg)
{
	const struct gov_asker *of = gov_store_asker(&engine->books.store,
						     asker);

	for (const struct gov_record *job = of ? of->first : NULL; job;
	     job = job->next)
		if (job->state == GOV_JOB_RECLAIMING)
			visit(job->id, arg);
}

/* ---- another policy ---- */

struct move {
	const struct gov_policy *from;
	const struct gov_policy *to;
	struct gov_engine *engine;
	struct gov_error *error;
	int rc;
};

static void move_job(const struct gov_job *old, void *arg)
{
	struct move *move = arg;
	struct gov_job job = *old;

	if (move->rc)
		return;
	if (old->team != GOV_NONE) {
		job.team = gov_policy_find_unit(
			move->to, move->from->unit[old->team].name);
		if (job.team != GOV_NONE && !move->to->unit[job.team].is_team)
			job.team = GOV_NONE;
	}
	if (old->project != GOV_NONE)
		job.project =
			job.team == GOV_NONE ?
				GOV_NONE :
				gov_policy_find_project(
					move->to, job.team,
					move->from->project[old->project].name);
	if (old->class != GOV_NONE)
		job.class = gov_policy_find_class(
			move->to, move->from->class[old->class].name);
	job.request.count = 0;
	for (uint32_t i = 0; i < old->request.count; i++) {
		uint32_t cell = gov_policy_same_cell(move->to, move->from,
						     old->request.item[i].cell);

		if (cell == GOV_NONE)
			continue;
		job.request.item[job.request.count].cell = cell;
		job.request.item[job.request.count++].amount =
			old->request.item[i].amount;
	}
	move->rc = gov_engine_put(move->engine, &job, move->error);
}

/* What an operator ordered goes on, by the names of teams. */
static void move_orders(struct move *move, const struct gov_engine *from)
{
	gov_engine_hold_reclaims(move->engine, from->reclaims_held);
	for (uint32_t u = 0; u < move->from->unit_count; u++)
		if (from->books.drained[u])
			gov_engine_drain(
				move->engine,
				gov_policy_find_unit(move->to,
						     move->from->unit[u].name),
				true);
}

/* Whom the caller was told to stop is not told again. */
static void move_stopped(const struct gov_engine *from, struct gov_engine *to)
{
	const struct gov_store *old = &from->books.store;
	struct gov_store *new = &to->books.store;

	for (size_t i = 0; i < old->slot_count; i++) {
		struct gov_record *job;

		if (!old->slot[i] || !old->slot[i]->stopped)
			continue;
		job = gov_store_find(new, old->slot[i]->id);
		gov_store_unlink(new, job);
		job->stopped = true;
		gov_store_link(new, job);
	}
}

/* Where jobs are does not change with the policy. */
static void share_places(const struct gov_engine *from, struct gov_engine *to)
{
	gov_places_unref(to->places);
	to->places = gov_places_ref(from->places);
	to->books.store.places = to->places;
}

int gov_engine_set_policy(struct gov_engine *engine, struct gov_policy *policy,
			  struct gov_error *error)
{
	struct move move = {
		.from = engine->policy,
		.to = policy,
		.engine = gov_engine_create(policy, error),
		.error = error,
	};
	struct gov_engine old;

	if (!move.engine)
		return -1;
	for (uint32_t c = 0; c < move.from->cell_count; c++) {
		const struct gov_top *top = &engine->books.tree->top[c];
		uint32_t cell = gov_policy_same_cell(move.to, move.from, c);

		if (cell == GOV_NONE)
			continue;
		gov_engine_set_capacity(move.engine, cell, top->capacity);
		gov_engine_set_installed(move.engine, cell, top->installed);
	}
	share_places(engine, move.engine);
	move_orders(&move, engine);
	move.rc = gov_lately_move(engine, move.engine, error);
	gov_engine_each(engine, move_job, &move);
	if (move.rc) {
		gov_engine_destroy(move.engine);
		return -1;
	}
	move_stopped(engine, move.engine);
	move.engine->unplaced = engine->unplaced;
	move.engine->unplaced_count = engine->unplaced_count;
	engine->unplaced = NULL;
	engine->unplaced_count = 0;
	old = *engine;
	*engine = *move.engine;
	*move.engine = old;
	engine->search.books = &engine->books;
	engine->contest.books = &engine->books;
	move.engine->contest.books = &move.engine->books;
	gov_engine_destroy(move.engine);
	return 0;
}
