/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decisions: a verdict on one submission, and the way to the fixed point.
 *
 * A pass admits what fits, owners before borrowers; takes back what owners
 * are owed; keeps what a blocked owner is owed out of reach; admits borrowers;
 * and lets fair share and class decide the rest.  It begins again after each
 * eviction, since that changes what is free.
 */
#include <stdlib.h>
#include <string.h>

#include "core/engine_private.h"
#include "core/order.h"
#include "core/share.h"

static int no_memory(struct gov_error *error)
{
	return gov_error_set(error, GOV_E_NOMEM, "out of memory");
}

/* ---- one submission ---- */

static bool is_strict(const struct gov_engine *engine, uint32_t team)
{
	return engine->policy->unit[team].queueing == GOV_STRICT;
}

/* In a strict queue nobody passes; elsewhere whoever fits may. */
static bool must_queue(const struct gov_engine *engine,
		       const struct gov_kind *kind)
{
	return is_strict(engine, kind->team) &&
	       engine->books.store.team[kind->team].waiting_count;
}

static void judge(struct gov_engine *engine, const struct gov_kind *kind,
		  struct gov_verdict *verdict)
{
	memset(verdict, 0, sizeof(*verdict));
	if (gov_books_never(&engine->books, kind, NULL)) {
		verdict->never = true;
		return;
	}
	verdict->borrowing =
		gov_books_borrowed_items(&engine->books, kind) != 0;
	if (verdict->borrowing && engine->policy->unit[kind->team].prefer_own)
		verdict->borrowing = false;	/* its own jobs first: decide() */
	else if (!must_queue(engine, kind) && gov_engine_fits(engine, kind)) {
		verdict->admitted = true;
		verdict->borrow_level = gov_books_level(&engine->books, kind);
	}
}

static bool could_reclaim(struct gov_engine *engine,
			  const struct gov_kind *kind,
			  const struct gov_job *job, gov_time_t now)
{
	struct gov_search *search = &engine->search;

	search->now = now;
	search->kind = kind;
	search->since = job->submitted;
	search->contended = 0;
	search->own_only = false;
	search->owed_only = false;
	search->budget = 0;
	return gov_victims_find(search);
}

static int check_new(const struct gov_engine *engine,
		     const struct gov_job *job, struct gov_error *error)
{
	if (gov_engine_check_job(engine, job, error))
		return -1;
	if (job->team == GOV_NONE)
		return gov_error_set(error, GOV_E_VALUE,
				     "a new job needs a team");
	return 0;
}

int gov_engine_test(struct gov_engine *engine, const struct gov_job *job,
		    gov_time_t now, struct gov_verdict *verdict,
		    struct gov_error *error)
{
	struct gov_kind *kind;

	if (check_new(engine, job, error))
		return -1;
	kind = gov_engine_kind(engine, job);
	if (!kind)
		return no_memory(error);
	judge(engine, kind, verdict);
	if (!verdict->admitted && !verdict->never)
		verdict->reclaims = could_reclaim(engine, kind, job, now);
	gov_store_kind_unref(&engine->books.store, kind);
	return 0;
}

int gov_engine_submit(struct gov_engine *engine, const struct gov_job *job,
		      gov_time_t now, struct gov_verdict *verdict,
		      struct gov_error *error)
{
	bool dirty = engine->dirty;
	struct gov_job copy = *job;
	struct gov_kind *kind;

	copy.state = GOV_JOB_WAITING;
	(void) now;
	if (check_new(engine, &copy, error))
		return -1;
	kind = gov_engine_kind(engine, &copy);
	if (!kind)
		return no_memory(error);
	judge(engine, kind, verdict);
	gov_store_kind_unref(&engine->books.store, kind);
	if (verdict->never)
		return 0;
	if (verdict->admitted)
		copy.state = GOV_JOB_ADMITTED;
	if (gov_engine_put(engine, &copy, error))
		return -1;
	/* An admission alone makes nothing else possible. */
	engine->dirty = dirty || !verdict->admitted;
	return 0;
}

/* ---- decisions ---- */

struct pass {
	struct gov_engine *engine;
	struct gov_decision_list *list;
	gov_time_t now;
	bool no_memory;
};

static void emit(struct pass *pass, struct gov_decision decision)
{
	struct gov_decision_list *list = pass->list;

	if (list->count == list->space) {
		size_t space = list->space ? 2 * list->space : 64;
		struct gov_decision *grown;

		grown = reallocarray(list->item, space, sizeof(*grown));
		if (!grown) {
			pass->no_memory = true;
			return;
		}
		list->item = grown;
		list->space = space;
	}
	list->item[list->count++] = decision;
}

/* Change kind flags (displaced) with the state; the rest stays. */
static void enter(struct pass *pass, struct gov_record *record,
		  enum gov_job_state state, uint64_t asker)
{
	struct gov_engine *engine = pass->engine;
	struct gov_store *store = &engine->books.store;
	struct gov_kind *kind;
	struct gov_job job;

	gov_engine_detach(engine, record);
	if (gov_store_set_asker(store, record, asker))
		pass->no_memory = true;
	gov_engine_describe(record, &job);
	job.state = (uint8_t) state;
	kind = gov_engine_kind(engine, &job);
	if (kind) {
		gov_store_kind_unref(store, record->kind);
		record->kind = kind;
	} else {
		pass->no_memory = true;
	}
	gov_engine_attach(engine, record, state);
	gov_engine_settle_behind(engine, record->id);
}

static void admit(struct pass *pass, struct gov_record *record)
{
	enter(pass, record, GOV_JOB_ADMITTED, 0);
	emit(pass, (struct gov_decision){ .kind = GOV_ADMIT,
					  .job = record->id });
}

static struct gov_record *first_of(const struct gov_avl_tree *tree)
{
	struct gov_avl *node = gov_avl_first(tree);

	return node ? GOV_CONTAINER(node, struct gov_record, by) : NULL;
}

/* Graces that are over. */
static void stop_due(struct pass *pass)
{
	struct gov_store *store = &pass->engine->books.store;
	struct gov_record *job;

	while ((job = first_of(&store->deadlines)) &&
	       job->deadline <= pass->now) {
		gov_store_unlink(store, job);
		job->stopped = true;
		gov_store_link(store, job);
		emit(pass, (struct gov_decision){
			.kind = GOV_STOP,
			.job = job->id,
			.asker = gov_record_asker(job),
			.rule = job->rule,
			.deadline = job->deadline,
		});
	}
}

/* Askers whose victims are all gone. */
static void admit_ready(struct pass *pass)
{
	struct gov_record *job;

	while ((job = first_of(&pass->engine->books.store.ready)))
		admit(pass, job);
}

/* ---- who goes next ---- */

/* First kind of the team, in its order, that fits; NULL. */
static struct gov_kind *first_fitting(struct gov_engine *engine,
				      uint32_t team)
{
	struct gov_kind *kind = gov_store_first_kind(&engine->books.store,
						     team);

	for (; kind; kind = gov_kind_next(kind)) {
		if (kind->refused != engine->pass) {
			if (gov_engine_fits(engine, kind))
				return kind;
			kind->refused = engine->pass;
		}
		if (is_strict(engine, team))
			return NULL;
	}
	return NULL;
}

struct runner {
	struct gov_kind *kind;
	bool borrowing;
	struct gov_waiting_rank rank;
};

static void rate(struct gov_engine *engine, struct gov_kind *kind,
		 struct runner *runner)
{
	const struct gov_record *head = gov_kind_head(kind);

	runner->kind = kind;
	runner->borrowing =
		gov_books_borrowed_items(&engine->books, kind) != 0;
	runner->rank = (struct gov_waiting_rank){
		.level = gov_books_level(&engine->books, kind),
		.weight = gov_kind_weight(&engine->books.store, kind),
		.since = head->submitted,
		.id = head->id,
	};
}

static void simulate_charge(struct gov_tree *tree,
			    const struct gov_kind *kind, bool on)
{
	for (uint32_t i = 0; i < kind->count; i++) {
		if (on)
			gov_tree_reserve(tree, kind->team, kind->item[i].cell,
					 kind->item[i].amount);
		else
			gov_tree_unreserve(tree, kind->team,
					   kind->item[i].cell,
					   kind->item[i].amount);
	}
}

/* Share of the team's side below `top` once the job is admitted. */
static void share_after(struct gov_tree *tree, const struct gov_kind *kind,
			uint32_t top, struct gov_share *share)
{
	uint32_t side = kind->team;

	while (tree->parent[side] != top)
		side = tree->parent[side];
	simulate_charge(tree, kind, true);
	gov_share_of(tree, side, share);
	simulate_charge(tree, kind, false);
}

/* < 0: a goes first. */
static int compare_runners(struct gov_engine *engine, const struct runner *a,
			   const struct runner *b)
{
	struct gov_tree *tree = engine->books.tree;
	struct gov_share x, y;
	uint32_t top;
	int order;

	if (engine->policy->idle_sharing == GOV_FIRST_COME ||
	    a->kind->team == b->kind->team)
		return gov_order_between_teams(&a->rank, &b->rank,
					       engine->policy->task_order);
	if (a->borrowing != b->borrowing)
		return a->borrowing ? 1 : -1;
	top = gov_tree_common(tree, a->kind->team, b->kind->team);
	share_after(tree, a->kind, top, &x);
	share_after(tree, b->kind, top, &y);
	order = gov_share_compare(&x, &y);
	return order ? order :
		gov_order_between_teams(&a->rank, &b->rank,
					engine->policy->task_order);
}

/* The job that goes next over all teams. */
static bool next_runner(struct gov_engine *engine, struct runner *best)
{
	best->kind = NULL;
	for (uint32_t u = 0; u < engine->policy->unit_count; u++) {
		struct gov_kind *kind;
		struct runner runner;

		if (!engine->books.store.team[u].queue.root)
			continue;
		kind = first_fitting(engine, u);
		if (!kind)
			continue;
		rate(engine, kind, &runner);
		if (!best->kind || compare_runners(engine, &runner, best) < 0)
			*best = runner;
	}
	return best->kind != NULL;
}

/* ---- making room ---- */

static void send_away(struct pass *pass, const struct gov_victim *victim,
		      uint64_t asker)
{
	struct gov_record *job = victim->job;
	struct gov_terms terms;

	if (job->state != GOV_JOB_RUNNING) {
		enter(pass, job, GOV_JOB_WAITING, asker);
		emit(pass, (struct gov_decision){ .kind = GOV_WITHDRAW,
						  .job = job->id,
						  .asker = asker,
						  .rule = victim->rule });
		return;
	}
	gov_policy_terms(pass->engine->policy, job->kind->team,
			 job->kind->class, &terms);
	job->deadline = pass->now + terms.grace;
	job->rule = (uint8_t) victim->rule;
	job->stopped = false;
	enter(pass, job, GOV_JOB_RECLAIMING, asker);
	emit(pass, (struct gov_decision){ .kind = GOV_NOTICE,
					  .job = job->id,
					  .asker = asker,
					  .rule = victim->rule,
					  .deadline = job->deadline });
}

/* The asker is charged in the same breath as its victims are told. */
static void claim(struct pass *pass, struct gov_record *asker)
{
	struct gov_search *search = &pass->engine->search;
	size_t count = search->count;

	for (size_t i = 0; i < count; i++)
		send_away(pass, &search->victim[i], asker->id);
	enter(pass, asker, GOV_JOB_CLAIMING, 0);
	pass->engine->pass++;
}

static bool make_room(struct pass *pass, struct gov_kind *kind)
{
	struct gov_engine *engine = pass->engine;
	struct gov_search *search = &engine->search;
	struct gov_record *head = gov_kind_head(kind);

	search->now = pass->now;
	search->kind = kind;
	search->since = head->submitted;
	search->contended = 0;
	search->own_only = false;
	search->owed_only = kind->displaced;
	search->budget = 0;
	if (gov_victims_find(search)) {
		claim(pass, head);
		return true;
	}
	pass->no_memory = pass->no_memory || search->no_memory;
	if (search->retry_at < engine->retry_at)
		engine->retry_at = search->retry_at;
	return false;
}

/* PreferOwn: rather one's own lower classes than others' idle quota. */
static bool make_room_among_own(struct pass *pass, struct gov_kind *kind)
{
	struct gov_search *search = &pass->engine->search;
	struct gov_record *head = gov_kind_head(kind);

	if (!pass->engine->policy->unit[kind->team].prefer_own ||
	    kind->provisional)
		return false;
	search->now = pass->now;
	search->kind = kind;
	search->since = head->submitted;
	search->contended = 0;
	search->own_only = true;
	search->owed_only = kind->displaced;
	search->budget = 0;
	if (gov_victims_find(search)) {
		claim(pass, head);
		return true;
	}
	pass->no_memory = pass->no_memory || search->no_memory;
	return false;
}

/* Blocked kinds over all teams, the one to be served first in front. */
struct blocked {
	struct gov_kind **kind;
	size_t count;
	size_t space;
};

static int add_blocked(struct blocked *list, struct gov_kind *kind)
{
	if (list->count == list->space) {
		size_t space = list->space ? 2 * list->space : 64;
		struct gov_kind **grown;

		grown = reallocarray(list->kind, space, sizeof(*grown));
		if (!grown)
			return -1;
		list->kind = grown;
		list->space = space;
	}
	list->kind[list->count++] = kind;
	return 0;
}

static _Thread_local const struct gov_engine *ordering;

static int by_order(const void *left, const void *right)
{
	const struct gov_kind *a = *(struct gov_kind *const *) left;
	const struct gov_kind *b = *(struct gov_kind *const *) right;

	return gov_store_order_waiting(&ordering->books.store,
				       gov_kind_head(a), gov_kind_head(b));
}

static int collect_blocked(struct pass *pass, bool owed, struct blocked *list)
{
	struct gov_engine *engine = pass->engine;

	for (uint32_t u = 0; u < engine->policy->unit_count; u++) {
		struct gov_kind *kind = engine->books.store.team[u].queue.root ?
			gov_store_first_kind(&engine->books.store, u) : NULL;

		for (; kind; kind = gov_kind_next(kind)) {
			bool borrows = gov_books_borrowed_items(
				&engine->books, kind) != 0;

			if (!kind->provisional && borrows != owed &&
			    !gov_books_fit(&engine->books, kind, GOV_LATER) &&
			    add_blocked(list, kind))
				return -1;
			if (is_strict(engine, u))
				break;
		}
	}
	ordering = engine;
	if (list->count)
		qsort(list->kind, list->count, sizeof(*list->kind), by_order);
	return 0;
}

/* Try to make room for blocked kinds; true after the first success. */
static bool make_room_for_any(struct pass *pass, bool owed)
{
	struct blocked list = { 0 };
	bool made = false;

	if (collect_blocked(pass, owed, &list))
		pass->no_memory = true;
	for (size_t i = 0; i < list.count && !made; i++)
		made = make_room(pass, list.kind[i]);
	free(list.kind);
	return made;
}

static void keep_what_is_owed(struct pass *pass)
{
	struct gov_engine *engine = pass->engine;

	gov_engine_drop_reserves(engine);
	for (uint32_t u = 0; u < engine->policy->unit_count; u++)
		if (engine->books.store.team[u].queue.root &&
		    gov_engine_reserve(engine, u))
			pass->no_memory = true;
	engine->pass++;
}

/* One step towards the fixed point; false when there is none. */
static bool step(struct pass *pass, bool *kept)
{
	struct gov_engine *engine = pass->engine;
	struct runner runner;

	admit_ready(pass);
	if (next_runner(engine, &runner) && (!runner.borrowing || *kept)) {
		if (runner.borrowing && make_room_among_own(pass, runner.kind))
			return true;
		admit(pass, gov_kind_head(runner.kind));
		return true;
	}
	if (!*kept) {
		if (make_room_for_any(pass, true))
			return true;
		keep_what_is_owed(pass);
		*kept = true;
		return true;
	}
	if (!make_room_for_any(pass, false))
		return false;
	*kept = false;
	gov_engine_drop_reserves(engine);
	return true;
}

int gov_engine_decide(struct gov_engine *engine, gov_time_t now,
		      struct gov_decision_list *list, struct gov_error *error)
{
	struct pass pass = { .engine = engine, .list = list, .now = now };
	bool kept = false;

	stop_due(&pass);
	if (!engine->dirty && now < engine->retry_at)
		return pass.no_memory ? no_memory(error) : 0;
	engine->dirty = false;
	engine->retry_at = INT64_MAX;
	gov_engine_drop_reserves(engine);
	engine->pass++;
	while (!pass.no_memory && step(&pass, &kept))
		;
	if (pass.no_memory) {
		engine->dirty = true;
		return no_memory(error);
	}
	/* Without a grace the notice is over as soon as it is given. */
	stop_due(&pass);
	return pass.no_memory ? no_memory(error) : 0;
}

gov_time_t gov_engine_next(const struct gov_engine *engine, gov_time_t now)
{
	const struct gov_record *job =
		first_of(&engine->books.store.deadlines);
	gov_time_t next = engine->retry_at;

	(void) now;
	if (job && job->deadline < next)
		next = job->deadline;
	return next;
}
