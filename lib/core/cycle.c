/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/cycle.h"

#include <stdlib.h>
#include <string.h>

#include "core/cycle_private.h"

/* ---- kinds ---- */

/* Items of a kind come by rising cell. */
static void sort_items(struct gov_kind_key *key)
{
	for (uint32_t i = 1; i < key->count; i++) {
		struct gov_item item = key->item[i];
		uint32_t k = i;

		for (; k && key->item[k - 1].cell > item.cell; k--)
			key->item[k] = key->item[k - 1];
		key->item[k] = item;
	}
}

static struct gov_kind *make_kind(struct gov_cycle *cycle,
				  const struct gov_head *head,
				  const struct gov_request *request)
{
	struct gov_kind_key key = {
		.team = head->team,
		.project = GOV_NONE,
		.class = head->class,
		.user = head->user,
		.no_borrow = head->no_borrow,
		.count = request->count,
	};
	struct gov_kind *kind;

	for (uint32_t i = 0; i < request->count; i++)
		key.item[i] = (struct gov_item){
			request->item[i].cell,
			request->item[i].amount,
		};
	sort_items(&key);
	kind = gov_books_kind(cycle->books, &key);
	if (!kind)
		cycle->no_memory = true;
	return kind;
}

static void drop_kind(struct gov_cycle *cycle, struct gov_kind *kind)
{
	if (kind)
		gov_store_kind_unref(&cycle->books->store, kind);
}

/* ---- victims ---- */

static void release_victims(struct gov_cycle *cycle,
			    const struct gov_victim *victim, size_t count)
{
	for (size_t i = 0; i < count; i++)
		gov_books_release(cycle->books, victim[i].job->kind);
}

static void charge_victims(struct gov_cycle *cycle,
			   const struct gov_victim *victim, size_t count)
{
	for (size_t i = 0; i < count; i++)
		gov_books_charge(cycle->books, victim[i].job->kind);
}

/* cycle->search finds who gives way so that the kind fits in these cells. */
static bool find_victims(struct gov_cycle *cycle, const struct gov_head *head,
			 const struct gov_kind *kind, const uint32_t *cell,
			 uint32_t cell_count)
{
	struct gov_search *search = &cycle->search;
	bool found;

	search->books = cycle->books;
	search->now = cycle->now;
	search->kind = kind;
	search->since = head->since;
	search->contended = 0;
	for (uint32_t i = 0; i < kind->count; i++)
		for (uint32_t k = 0; k < cell_count; k++)
			if (kind->item[i].cell == cell[k])
				search->contended |= 1u << i;
	found = gov_victims_find(search);
	cycle->no_memory |= search->no_memory;
	return found;
}

struct look {
	struct gov_cycle *cycle;
	struct gov_head *head;
};

/* What victims could do for one cell alone. */
static struct gov_option simulate(uint32_t cell, gov_amount_t amount, void *arg)
{
	struct look *look = arg;
	struct gov_cycle *cycle = look->cycle;
	struct gov_search *search = &cycle->search;
	const struct gov_request one = { 1, { { cell, amount } } };
	struct gov_option option = { GOV_FIT_NO_VICTIMS, 0 };
	struct gov_kind *kind = make_kind(cycle, look->head, &one);
	bool below_root;

	if (!kind)
		return option;
	if (find_victims(cycle, look->head, kind, &cell, 1)) {
		option.fit = GOV_FIT_RECLAIM;
		for (size_t i = 0; i < search->count; i++)
			if (search->victim[i].job->kind->team ==
			    look->head->team)
				option.fit = GOV_FIT_PREEMPT;
		release_victims(cycle, search->victim, search->count);
		option.level = gov_assign_level(cycle->books->tree,
						look->head->team, cell, amount,
						&below_root);
		charge_victims(cycle, search->victim, search->count);
	} else {
		option.level = gov_assign_level(cycle->books->tree,
						look->head->team, cell, amount,
						&below_root);
	}
	drop_kind(cycle, kind);
	return option;
}

static int keep_victims(struct gov_cycle *cycle, struct gov_head *head)
{
	const struct gov_search *search = &cycle->search;
	struct gov_victim *victim = reallocarray(head->victim,
						 search->count + 1,
						 sizeof(*victim));

	if (!victim) {
		cycle->no_memory = true;
		return -1;
	}
	head->victim = victim;
	head->victim_count = search->count;
	memcpy(victim, search->victim, search->count * sizeof(*victim));
	return 0;
}

/* ---- nomination ---- */

static void forget(struct gov_cycle *cycle, struct gov_head *head)
{
	drop_kind(cycle, head->kind);
	head->kind = NULL;
	head->victim_count = 0;
}

/*
 * May the team look for victims where it would borrow?  Of its own jobs
 * always: nobody else is touched by that.
 */
static bool preempts_while_borrowing(const struct gov_policy *policy,
				     const struct gov_unit *unit)
{
	return unit->preempt_while_borrowing != GOV_PREEMPT_NEVER ||
	       unit->preempt_within_team != GOV_PREEMPT_NEVER ||
	       (policy->idle_sharing == GOV_FAIR_SHARE &&
		unit->reclaim != GOV_PREEMPT_NEVER);
}

/* Try this many tasks of each part.  true: it fits, with or without victims. */
static bool try_counts(const uint32_t *count, void *arg)
{
	struct look *look = arg;
	struct gov_cycle *cycle = look->cycle;
	struct gov_head *head = look->head;
	const struct gov_policy *policy = cycle->books->policy;
	struct gov_assignment *a = &head->assignment;
	struct gov_assign_ask ask = {
		.tree = cycle->books->tree,
		.team = head->team,
		.group = head->group,
		.group_count = head->group_count,
		.part = head->part,
		.part_count = head->part_count,
		.count = count,
		.start = (const struct gov_assign_start(*)[GOV_GROUPS_MAX])
				 head->start,
		.how = head->how,
		.preempts_while_borrowing = preempts_while_borrowing(
			policy, &policy->unit[head->team]),
		.simulate = simulate,
		.arg = look,
	};

	forget(cycle, head);
	if (gov_assign(&ask, a) || a->fit == GOV_FIT_NEVER)
		return false;
	head->kind = make_kind(cycle, head, &a->request);
	if (!head->kind)
		return false;
	if (a->fit == GOV_FIT_NOW)
		return true;
	return find_victims(cycle, head, head->kind, a->contended,
			    a->contended_count) &&
	       !keep_victims(cycle, head);
}

static void nominate(struct gov_cycle *cycle, struct gov_head *head)
{
	struct look look = { cycle, head };
	uint32_t count[GOV_PARTS_MAX];

	if (try_counts(NULL, &look) || !cycle->shrink)
		return;
	if (gov_assign_shrink(head->part, head->part_count, count, try_counts,
			      &look))
		try_counts(count, &look);
	else
		try_counts(NULL, &look);
}

/* ---- one head after the other ---- */

static bool was_taken(const struct gov_cycle *cycle,
		      const struct gov_record *job)
{
	for (size_t i = 0; i < cycle->taken_count; i++)
		if (cycle->taken[i].job == job)
			return true;
	return false;
}

static bool overlaps(const struct gov_cycle *cycle, const struct gov_head *head)
{
	for (size_t i = 0; i < head->victim_count; i++)
		if (was_taken(cycle, head->victim[i].job))
			return true;
	return false;
}

static int take(struct gov_cycle *cycle, const struct gov_head *head)
{
	size_t count = cycle->taken_count + head->victim_count;

	if (count > cycle->taken_space) {
		struct gov_victim *taken = reallocarray(cycle->taken, 2 * count,
							sizeof(*taken));

		if (!taken) {
			cycle->no_memory = true;
			return -1;
		}
		cycle->taken = taken;
		cycle->taken_space = 2 * count;
	}
	for (size_t i = 0; i < head->victim_count; i++)
		if (!was_taken(cycle, head->victim[i].job))
			cycle->taken[cycle->taken_count++] = head->victim[i];
	return 0;
}

/* With everybody gone who gives way, for whomever? */
static bool fits_then(struct gov_cycle *cycle, struct gov_head *head)
{
	size_t before = cycle->taken_count;
	bool fit;

	if (!head->kind || take(cycle, head))
		return false;
	release_victims(cycle, cycle->taken, cycle->taken_count);
	fit = gov_books_fit(cycle->books, head->kind, GOV_LATER);
	charge_victims(cycle, cycle->taken, cycle->taken_count);
	cycle->taken_count = before;
	return fit;
}

static uint32_t pool_of_group(const struct gov_policy *policy,
			      const struct gov_assigned_part *part,
			      const struct gov_group *group)
{
	uint32_t pool = GOV_NONE;

	for (uint32_t i = 0; i < part->tres_count; i++)
		for (uint32_t t = 0; t < group->tres_count; t++)
			if (part->tres[i].tres == group->tres[t])
				pool = policy->cell[part->tres[i].cell].pool;
	return pool;
}

/* Stay with the pools that the head was nominated for. */
static void bind_pools(struct gov_cycle *cycle, struct gov_head *head)
{
	for (uint32_t p = 0; p < head->part_count; p++)
		for (uint32_t g = 0; g < head->group_count; g++)
			head->start[p][g] = (struct gov_assign_start){
				0,
				pool_of_group(cycle->books->policy,
					      &head->assignment.part[p],
					      &head->group[g]),
			};
}

static void free_pools(struct gov_head *head)
{
	for (uint32_t p = 0; p < head->part_count; p++)
		for (uint32_t g = 0; g < head->group_count; g++)
			head->start[p][g] = (struct gov_assign_start){
				0,
				GOV_NONE,
			};
}

/* Once more, on the state that the victims of others leave behind. */
static void nominate_again(struct gov_cycle *cycle, struct gov_head *head)
{
	struct gov_store *store = &cycle->books->store;

	bind_pools(cycle, head);
	release_victims(cycle, cycle->taken, cycle->taken_count);
	for (size_t i = 0; i < cycle->taken_count; i++)
		gov_store_unlink(store, cycle->taken[i].job);
	nominate(cycle, head);
	for (size_t i = 0; i < cycle->taken_count; i++)
		gov_store_link(store, cycle->taken[i].job);
	charge_victims(cycle, cycle->taken, cycle->taken_count);
	free_pools(head);
}

/* Keep a request from others until the end of the pass. */
static void keep(struct gov_cycle *cycle, struct gov_head *head,
		 const struct gov_request *request)
{
	head->kept = *request;
	for (uint32_t i = 0; i < request->count; i++)
		gov_tree_reserve(cycle->books->tree, head->team,
				 request->item[i].cell,
				 request->item[i].amount);
}

static void keep_what_it_is_owed(struct gov_cycle *cycle, struct gov_head *head)
{
	const struct gov_unit *unit = &cycle->books->policy->unit[head->team];
	struct gov_request reserved;

	if (unit->reclaim == GOV_PREEMPT_ANY &&
	    !(cycle->claimants_first && head->claimant))
		return;
	gov_cycle_reserve(cycle->books->tree, head->team, &head->assignment,
			  &reserved);
	keep(cycle, head, &reserved);
}

static void process(struct gov_cycle *cycle, struct gov_head *head)
{
	bool deferred = false, fit;

	if (cycle->share_by_overlap && overlaps(cycle, head)) {
		nominate_again(cycle, head);
		deferred = head->assignment.fit == GOV_FIT_NOW;
	}
	fit = fits_then(cycle, head);
	if (head->assignment.fit == GOV_FIT_NEVER) {
		head->outcome = GOV_OUT_NO_FIT;
	} else if (head->assignment.fit != GOV_FIT_NOW && !head->victim_count) {
		head->outcome = GOV_OUT_NO_VICTIMS;
		keep_what_it_is_owed(cycle, head);
	} else if (deferred) {
		head->outcome = GOV_OUT_DEFERRED;
		keep(cycle, head, &head->assignment.request);
	} else if (overlaps(cycle, head)) {
		head->outcome = GOV_OUT_OVERLAP;
	} else if (!fit) {
		head->outcome = GOV_OUT_NO_ROOM;
	} else if (!take(cycle, head)) {
		head->outcome = head->assignment.fit == GOV_FIT_NOW ?
					GOV_OUT_ADMITTED :
					GOV_OUT_CLAIMS;
		keep(cycle, head, &head->assignment.request);
	}
}

/* The next pass looks on where this one stopped, if it stopped early. */
static void remember(struct gov_head *head)
{
	bool again = head->outcome == GOV_OUT_NO_FIT ||
		     head->outcome == GOV_OUT_NO_VICTIMS;

	free_pools(head);
	for (uint32_t p = 0; again && p < head->part_count; p++)
		for (uint32_t g = 0; g < head->group_count; g++)
			head->start[p][g].first =
				head->assignment.part[p].next[g];
}

static void undo(struct gov_cycle *cycle)
{
	for (size_t h = 0; h < cycle->count; h++) {
		struct gov_head *head = &cycle->head[h];

		for (uint32_t i = 0; i < head->kept.count; i++)
			gov_tree_unreserve(cycle->books->tree, head->team,
					   head->kept.item[i].cell,
					   head->kept.item[i].amount);
		head->kept.count = 0;
		drop_kind(cycle, head->kind);
		head->kind = NULL;
		remember(head);
	}
	cycle->taken_count = 0;
}

int gov_cycle_run(struct gov_cycle *cycle)
{
	struct gov_head *head;

	cycle->no_memory = false;
	cycle->taken_count = 0;
	for (size_t i = 0; i < cycle->count; i++) {
		head = &cycle->head[i];
		head->done = false;
		head->kind = NULL;
		head->kept.count = 0;
		head->victim_count = 0;
		head->outcome = GOV_OUT_NO_FIT;
		nominate(cycle, head);
	}
	while (!cycle->no_memory && (head = gov_cycle_next(cycle))) {
		head->done = true;
		process(cycle, head);
	}
	undo(cycle);
	return cycle->no_memory ? -1 : 0;
}

void gov_cycle_free(struct gov_cycle *cycle)
{
	for (size_t i = 0; i < cycle->count; i++) {
		free(cycle->head[i].victim);
		free(cycle->head[i].standing);
		cycle->head[i].victim = NULL;
		cycle->head[i].standing = NULL;
	}
	free(cycle->taken);
	cycle->taken = NULL;
	cycle->taken_space = 0;
	gov_search_free(&cycle->search);
}

/* ---- small questions ---- */

void gov_cycle_reserve(const struct gov_tree *tree, uint32_t team,
		       const struct gov_assignment *assignment,
		       struct gov_request *reserved)
{
	*reserved = assignment->request;
	if (assignment->fit == GOV_FIT_NOW)
		return;
	for (uint32_t i = 0; i < reserved->count; i++) {
		const struct gov_node *n = gov_tree_at(tree, team,
						       reserved->item[i].cell);
		gov_amount_t most = n->nominal;

		/* Whoever borrows is owed up to the borrow limit. */
		if (assignment->level)
			most = gov_amount_add(most, n->borrow);
		reserved->item[i].amount =
			gov_amount_min(reserved->item[i].amount,
				       gov_amount_sub(most, n->usage));
	}
}

struct gov_requeue gov_cycle_requeue(enum gov_outcome outcome,
				     enum gov_queueing queueing,
				     bool pools_untried)
{
	bool again = outcome != GOV_OUT_NO_FIT && outcome != GOV_OUT_NO_VICTIMS;

	return (struct gov_requeue){
		.parked = queueing == GOV_BEST_EFFORT && !again &&
			  !pools_untried,
		.stays_head = queueing == GOV_BEST_EFFORT &&
			      (outcome == GOV_OUT_CLAIMS ||
			       outcome == GOV_OUT_DEFERRED),
	};
}
