/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a job waits, as data: limits, holders, victims and their protection. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/explain_private.h"
#include "core/loans.h"
#include "core/order.h"

/* More candidates than this are not listed (candidates_cut). */
#define CANDIDATES 200

struct explain {
	const struct gov_engine *engine;
	struct gov_explanation *out;
	const struct gov_record *job;
	gov_time_t now;
	bool no_memory;
};

void gov_explanation_free(struct gov_explanation *explanation)
{
	free(explanation->limit);
	free(explanation->holder);
	free(explanation->candidate);
	free(explanation->reclaimers);
	memset(explanation, 0, sizeof(*explanation));
}

static void add_limit(struct explain *x, struct gov_limit limit)
{
	struct gov_limit *grown = gov_array_room(x->out->limit,
						 x->out->limit_count,
						 sizeof(*grown));

	if (!grown) {
		x->no_memory = true;
		return;
	}
	x->out->limit = grown;
	grown[x->out->limit_count++] = limit;
}

static void add_candidate(struct explain *x, struct gov_candidate candidate)
{
	struct gov_candidate *grown;

	if (x->out->candidate_count == CANDIDATES) {
		x->out->candidates_cut = true;
		return;
	}
	grown = gov_array_room(x->out->candidate, x->out->candidate_count,
			       sizeof(*grown));
	if (!grown) {
		x->no_memory = true;
		return;
	}
	x->out->candidate = grown;
	grown[x->out->candidate_count++] = candidate;
}

static void soonest(struct explain *x, gov_time_t when)
{
	if (when > x->now && when != INT64_MAX &&
	    (!x->out->next_change || when < x->out->next_change))
		x->out->next_change = when;
}

/* ---- limits ---- */

/* unit of the policy, or GOV_NONE for the tree's root */
static uint32_t unit_of(const struct gov_tree *tree, uint32_t node)
{
	return node == gov_tree_root(tree) ? GOV_NONE : node;
}

/* Caps of the project and the user. */
static void cap_limits(struct explain *x, struct gov_limit limit)
{
	const struct gov_books *books = &x->engine->books;
	const struct gov_kind *kind = x->job->kind;
	gov_amount_t room = gov_caps_project_room(&books->caps, kind,
						  limit.cell);

	limit.unit = kind->team;
	if (room < limit.asked) {
		limit.kind = GOV_LIMIT_PROJECT;
		limit.limit = gov_caps_project_max(x->engine->policy, kind,
						   limit.cell);
		limit.used = gov_amount_sub(limit.limit, room);
		limit.missing = limit.asked - room;
		add_limit(x, limit);
	}
	room = gov_caps_user_room(&books->caps, kind, limit.cell);
	if (room < limit.asked) {
		limit.kind = GOV_LIMIT_USER;
		limit.limit = gov_caps_user_max(x->engine->policy, kind,
						limit.cell);
		limit.used = gov_amount_sub(limit.limit, room);
		limit.missing = limit.asked - room;
		add_limit(x, limit);
	}
}

/* The job itself or its class may not borrow, or its team no more. */
static bool own_limit(struct explain *x, struct gov_limit limit)
{
	const struct gov_kind *kind = x->job->kind;
	const struct gov_node *node = gov_tree_at(x->engine->books.tree,
						  kind->team, limit.cell);
	gov_amount_t room = gov_amount_sub(node->subtree, node->usage);

	if (!node->counted || gov_books_may_borrow(&x->engine->books, kind) ||
	    room >= limit.asked)
		return false;
	limit.kind = kind->no_borrow ? GOV_LIMIT_NO_BORROW :
		     gov_kind_may_borrow(x->engine->policy, kind) ?
				       GOV_LIMIT_DRAINED :
				       GOV_LIMIT_CLASS;
	limit.unit = kind->team;
	limit.limit = node->subtree;
	limit.used = node->usage;
	limit.missing = limit.asked - room;
	add_limit(x, limit);
	return true;
}

/* Is it also for nodes that are down that the request is not there? */
static bool lacks_capacity(const struct explain *x, struct gov_limit limit)
{
	const struct gov_tree *tree = x->engine->books.tree;
	const struct gov_top *top = &tree->top[limit.cell];

	if (gov_tree_free_now(tree, limit.cell) >= limit.asked)
		return false;
	/* Only what is missing on healthy nodes is their fault. */
	return gov_tree_is_oversold(tree, limit.cell) ||
	       (x->engine->policy->share_unallocated &&
		top->installed != GOV_UNLIMITED &&
		top->capacity < top->installed);
}

/* Would the root have what is needed if all nodes were healthy? */
static bool capacity_explains(const struct explain *x, struct gov_limit limit,
			      gov_amount_t need)
{
	const struct gov_tree *tree = x->engine->books.tree;
	const struct gov_top *top = &tree->top[limit.cell];
	const struct gov_node *root = gov_tree_at(tree, gov_tree_root(tree),
						  limit.cell);
	gov_amount_t whole = root->subtree;

	if (!lacks_capacity(x, limit))
		return false;
	if (x->engine->policy->share_unallocated)
		whole = gov_amount_add(
			whole, gov_amount_sub(top->installed == GOV_UNLIMITED ?
						      top->capacity :
						      top->installed,
					      top->quotas));
	return gov_amount_sub(whole, root->usage) >= need;
}

/* Borrow limits on the way up, then what the root can give out. */
static void tree_limits(struct explain *x, struct gov_limit limit)
{
	const struct gov_tree *tree = x->engine->books.tree;
	gov_amount_t need = limit.asked, room;
	uint32_t node = x->job->kind->team, root = gov_tree_root(tree);

	if (gov_tree_available(tree, node, limit.cell) >= limit.asked)
		return;
	for (; node != root; node = tree->parent[node]) {
		const struct gov_node *n = gov_tree_at(tree, node, limit.cell);
		gov_amount_t most = gov_amount_add(n->shared, n->borrow);

		need = gov_amount_sub(need, gov_tree_local_free(tree, node,
								limit.cell));
		room = gov_amount_sub(most, gov_amount_sub(n->usage, n->local));
		if (room >= need)
			continue;
		limit.unit = unit_of(tree, node);
		limit.missing = need - room;
		if (n->borrow) {
			limit.kind = GOV_LIMIT_BORROW;
			limit.limit = n->borrow;
			limit.used = gov_tree_borrowed(tree, node, limit.cell);
		} else {
			limit.kind = GOV_LIMIT_NOMINAL;
			limit.limit = n->subtree;
			limit.used = n->usage;
		}
		add_limit(x, limit);
	}
	room = gov_amount_sub(tree->top[limit.cell].limit,
			      gov_tree_at(tree, root, limit.cell)->usage);
	if (room < need && !capacity_explains(x, limit, need)) {
		limit.kind = GOV_LIMIT_LENDERS;
		limit.unit = GOV_NONE;
		limit.limit = tree->top[limit.cell].limit;
		limit.used = gov_tree_at(tree, root, limit.cell)->usage;
		limit.missing = need - room;
		add_limit(x, limit);
	}
}

static void capacity_limit(struct explain *x, struct gov_limit limit)
{
	const struct gov_tree *tree = x->engine->books.tree;
	const struct gov_top *top = &tree->top[limit.cell];

	if (!lacks_capacity(x, limit))
		return;
	limit.kind = GOV_LIMIT_CAPACITY;
	limit.unit = GOV_NONE;
	limit.limit = top->capacity;
	limit.used = top->charged + top->leaving - top->claimed;
	limit.missing = limit.asked - gov_tree_free_now(tree, limit.cell);
	add_limit(x, limit);
}

static void held_limits(struct explain *x, struct gov_limit limit)
{
	const struct gov_engine *engine = x->engine;

	for (size_t i = 0; i < engine->reserve_count; i++) {
		const struct gov_reserve *r = &engine->reserve[i];
		const struct gov_kind *kind;

		if (r->cell != limit.cell || r->team == x->job->kind->team)
			continue;
		kind = gov_store_first_kind(&engine->books.store, r->team);
		limit.kind = GOV_LIMIT_HELD;
		limit.unit = r->team;
		limit.limit = r->amount;
		limit.job = kind ? gov_kind_head(kind)->id : 0;
		add_limit(x, limit);
	}
}

/* The head of a strict queue that is not the job itself; or NULL. */
static const struct gov_record *strict_head(const struct explain *x)
{
	const struct gov_engine *engine = x->engine;
	uint32_t team = x->job->kind->team;
	struct gov_kind *first;

	if (engine->policy->unit[team].queueing != GOV_STRICT)
		return NULL;
	first = gov_store_first_kind(&engine->books.store, team);
	if (!first || gov_kind_head(first) == x->job)
		return NULL;
	return gov_kind_head(first);
}

static void find_limits(struct explain *x)
{
	const struct gov_kind *kind = x->job->kind;
	const struct gov_record *head = strict_head(x);

	if (head)
		add_limit(x, (struct gov_limit){ .kind = GOV_LIMIT_ORDER,
						 .unit = kind->team,
						 .job = head->id });
	if (x->job->behind)
		add_limit(x, (struct gov_limit){
				     .kind = GOV_LIMIT_ORDER,
				     .unit = kind->team,
				     .job = gov_record_asker(x->job) });
	for (uint32_t i = 0; i < kind->count; i++) {
		struct gov_limit limit = { .cell = kind->item[i].cell,
					   .asked = kind->item[i].amount };
		size_t before = x->out->limit_count;

		cap_limits(x, limit);
		if (!own_limit(x, limit))
			tree_limits(x, limit);
		capacity_limit(x, limit);
		if (x->out->limit_count == before &&
		    gov_books_borrowed_items(&x->engine->books, kind) &
			    (1u << i))
			held_limits(x, limit);
	}
}

/* ---- who has it ---- */

static void find_holders(struct explain *x)
{
	const struct gov_policy *policy = x->engine->policy;
	const struct gov_kind *kind = x->job->kind;

	for (uint32_t i = 0; i < kind->count; i++)
		for (uint32_t u = 0; u < policy->unit_count; u++) {
			gov_amount_t amount =
				policy->unit[u].is_team ?
					gov_tree_borrowed(x->engine->books.tree,
							  u,
							  kind->item[i].cell) :
					0;
			struct gov_holder *grown;

			if (!amount || u == kind->team)
				continue;
			grown = gov_array_room(x->out->holder,
					       x->out->holder_count,
					       sizeof(*grown));
			if (!grown) {
				x->no_memory = true;
				return;
			}
			x->out->holder = grown;
			grown[x->out->holder_count++] = (struct gov_holder){
				u, kind->item[i].cell, amount
			};
		}
}

/* ---- who could give way ---- */

static bool shares_a_cell(const struct gov_kind *a, const struct gov_kind *b)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (gov_kind_uses(b, a->item[i].cell))
			return true;
	return false;
}

static bool borrows_there(const struct explain *x, const struct gov_kind *kind)
{
	for (uint32_t i = 0; i < kind->count; i++)
		if (gov_kind_uses(x->job->kind, kind->item[i].cell) &&
		    gov_tree_borrowed(x->engine->books.tree, kind->team,
				      kind->item[i].cell))
			return true;
	return false;
}

/* Whom it may displace in its own team: its class's word, or the team's. */
static enum gov_preempt within_team(const struct gov_policy *policy,
				    const struct gov_kind *kind)
{
	if (kind->class < policy->class_count &&
	    policy->class[kind->class].preempt_set)
		return policy->class[kind->class].preempt_within_team;
	return policy->unit[kind->team].preempt_within_team;
}

static void judge_candidate(struct explain *x, const struct gov_record *job)
{
	const struct gov_policy *policy = x->engine->policy;
	const struct gov_store *store = &x->engine->books.store;
	bool own = job->kind->team == x->job->kind->team;
	struct gov_candidate c = {
		.job = job->id,
		.rule = own ? GOV_RULE_WITHIN_TEAM : GOV_RULE_RECLAIM,
		.protection = GOV_PROTECT_NOT_ENOUGH,
	};
	enum gov_preempt whom = own ? within_team(policy, x->job->kind) :
				      policy->unit[x->job->kind->team].reclaim;
	gov_time_t until = gov_protected_until(policy, x->job->kind, job,
					       c.rule);

	if (job->exempt) {
		c.protection = GOV_PROTECT_EXEMPT;
	} else if (!own && !borrows_there(x, job->kind)) {
		c.protection = GOV_PROTECT_NOT_BORROWING;
	} else if (whom == GOV_PREEMPT_NEVER) {
		c.protection = GOV_PROTECT_POLICY;
	} else if (!gov_may_preempt(whom, gov_kind_weight(store, x->job->kind),
				    x->job->submitted,
				    gov_kind_weight(store, job->kind),
				    job->submitted)) {
		c.protection = GOV_PROTECT_CLASS;
	} else if (until == INT64_MAX) {
		c.protection = GOV_PROTECT_BUDGET;
	} else if (until > x->now) {
		c.protection = job->state == GOV_JOB_ADMITTED ?
				       GOV_PROTECT_STARTING :
			       own ? GOV_PROTECT_MIN_RUNTIME :
				     GOV_PROTECT_MIN_LOAN;
		c.until = until;
		soonest(x, until);
	} else if (!own &&
		   gov_books_borrowed_items(&x->engine->books, x->job->kind)) {
		c.protection = GOV_PROTECT_SHARE;
	} else if (x->engine->reclaims_held) {
		c.protection = GOV_PROTECT_HELD;
	}
	add_candidate(x, c);
}

static void find_candidates(struct explain *x)
{
	const struct gov_policy *policy = x->engine->policy;
	const struct gov_store *store = &x->engine->books.store;

	for (uint32_t u = 0; u < policy->unit_count; u++) {
		const struct gov_record *job =
			policy->unit[u].is_team ?
				gov_store_first_charged(store, u) :
				NULL;

		for (; job && !x->out->candidates_cut;
		     job = gov_record_next(job))
			if (job->id != x->job->id &&
			    shares_a_cell(x->job->kind, job->kind))
				judge_candidate(x, job);
	}
}

/* Deadlines of what is leaving in the wanted cells. */
static void find_deadlines(struct explain *x)
{
	const struct gov_avl *node = gov_avl_first(
		&x->engine->books.store.deadlines);

	for (; node; node = gov_avl_next(node)) {
		const struct gov_record *job = GOV_CONTAINER(node,
							     struct gov_record,
							     by);

		if (shares_a_cell(x->job->kind, job->kind)) {
			soonest(x, job->deadline);
			return;
		}
	}
}

/* A claimant starts when the last of those it waits for is gone. */
static void find_claim(struct explain *x)
{
	const struct gov_asker *asker = gov_store_asker(&x->engine->books.store,
							x->job->id);
	const struct gov_record *job = asker ? asker->first : NULL;

	for (; job; job = job->next) {
		if (job->state != GOV_JOB_RECLAIMING)
			continue;
		add_candidate(x, (struct gov_candidate){
					 .job = job->id,
					 .rule = job->rule,
					 .protection = GOV_VICTIM_CHOSEN,
					 .until = job->deadline,
				 });
		if (job->deadline > x->out->next_change)
			x->out->next_change = job->deadline;
	}
}

static void count_ahead(struct explain *x)
{
	const struct gov_store *store = &x->engine->books.store;
	const struct gov_kind *kind = gov_store_first_kind(store,
							   x->job->kind->team);

	for (; kind; kind = gov_kind_next(kind)) {
		const struct gov_record *job = gov_kind_head(kind);

		for (; job; job = gov_record_next(job)) {
			if (gov_store_order_waiting(store, job, x->job) >= 0)
				break;
			x->out->ahead++;
		}
	}
}

/* ---- a running job ---- */

static void find_lenders(struct explain *x)
{
	const struct gov_kind *kind = x->job->kind;
	struct gov_loan_list list = { 0 };

	for (uint32_t i = 0; i < kind->count; i++)
		if (gov_loans_attribute(x->engine->books.tree,
					kind->item[i].cell, &list))
			x->no_memory = true;
	for (size_t i = 0; i < list.count; i++) {
		uint32_t *grown;
		bool known = false;

		if (list.item[i].borrower != kind->team)
			continue;
		x->out->borrowing = true;
		for (size_t k = 0; k < x->out->reclaimer_count; k++)
			known = known ||
				x->out->reclaimers[k] == list.item[i].lender;
		if (known)
			continue;
		grown = gov_array_room(x->out->reclaimers,
				       x->out->reclaimer_count, sizeof(*grown));
		if (!grown) {
			x->no_memory = true;
			break;
		}
		x->out->reclaimers = grown;
		grown[x->out->reclaimer_count++] = list.item[i].lender;
	}
	free(list.item);
}

int gov_engine_explain(struct gov_engine *engine, uint64_t id, gov_time_t now,
		       struct gov_explanation *explanation,
		       struct gov_error *error)
{
	struct explain x = {
		.engine = engine,
		.out = explanation,
		.job = gov_store_find(&engine->books.store, id),
		.now = now,
	};

	memset(explanation, 0, sizeof(*explanation));
	if (!x.job)
		return gov_error_set(error, GOV_E_REFERENCE,
				     "job %" PRIu64
				     " is not known to governance",
				     id);
	explanation->usage = explanation->surplus = -1;
	if (x.job->kind->team == GOV_NONE)
		return 0;
	explanation->usage = gov_engine_usage_score(engine, x.job->kind->team,
						    x.job->user);
	explanation->surplus = gov_engine_usage_score(engine, x.job->kind->team,
						      GOV_NONE);
	switch ((enum gov_job_state) x.job->state) {
	case GOV_JOB_WAITING:
		gov_explain_place(engine, x.job, explanation);
		if (explanation->place > GOV_PLACE_LEAVING &&
		    gov_explain_misplaced(engine, x.job, now))
			add_limit(&x, gov_explain_lack(engine, x.job));
		find_limits(&x);
		find_holders(&x);
		find_candidates(&x);
		find_deadlines(&x);
		count_ahead(&x);
		break;
	case GOV_JOB_CLAIMING:
		find_claim(&x);
		if (x.job->on_surplus)
			find_deadlines(&x);
		break;
	case GOV_JOB_ADMITTED:
		gov_explain_place(engine, x.job, explanation);
		if (explanation->place > GOV_PLACE_LEAVING)
			add_limit(&x, gov_explain_lack(engine, x.job));
		find_lenders(&x);
		break;
	case GOV_JOB_RUNNING:
	case GOV_JOB_RECLAIMING: find_lenders(&x); break;
	case GOV_JOB_INELIGIBLE: break;
	}
	if (!x.no_memory)
		return 0;
	gov_explanation_free(explanation);
	return gov_error_set(error, GOV_E_NOMEM, "out of memory");
}
