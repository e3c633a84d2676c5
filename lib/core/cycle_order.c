/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which head is next. */
#include <stdlib.h>

#include "core/cycle_private.h"
#include "core/order.h"
#include "core/share.h"

/* A head's team, and the nodes above it, as they would stand with it. */
struct gov_standing {
	uint32_t node;
	bool borrows; /* in a cell that the head asks of */
	struct gov_share share;
};

static struct gov_waiting_rank rank_of(const struct gov_cycle *cycle,
				       const struct gov_head *head)
{
	const struct gov_policy *policy = cycle->books->policy;

	return (struct gov_waiting_rank){
		.claimant = cycle->claimants_first && head->claimant,
		.level = head->assignment.level,
		.weight = policy->class[head->class].weight,
		.since = head->since,
		.id = head->id,
	};
}

/* ---- first come ---- */

static struct gov_head *first_come(struct gov_cycle *cycle)
{
	struct gov_waiting_rank best = { 0 }, rank;
	struct gov_head *first = NULL;

	for (size_t i = 0; i < cycle->count; i++) {
		struct gov_head *head = &cycle->head[i];

		if (head->done)
			continue;
		rank = rank_of(cycle, head);
		if (first &&
		    gov_order_between_teams(&rank, &best, cycle->order) > 0)
			continue;
		first = head;
		best = rank;
	}
	return first;
}

/* ---- fair share ---- */

/* The shares at each level if the head were admitted. */
static int stand(struct gov_cycle *cycle, struct gov_head *head)
{
	struct gov_tree *tree = cycle->books->tree;
	const struct gov_request *request = &head->assignment.request;
	uint32_t n = head->team, level = 0;

	if (!head->standing)
		head->standing = calloc(GOV_DEPTH_MAX + 1,
					sizeof(*head->standing));
	if (!head->standing) {
		cycle->no_memory = true;
		return -1;
	}
	for (uint32_t i = 0; i < request->count; i++)
		gov_tree_reserve(tree, head->team, request->item[i].cell,
				 request->item[i].amount);
	for (; n != GOV_NONE; n = tree->parent[n], level++) {
		struct gov_standing *s = &head->standing[level];

		s->node = n;
		s->borrows = gov_share_borrows_in(tree, n, request);
		gov_share_of(tree, n, &s->share);
	}
	for (uint32_t i = 0; i < request->count; i++)
		gov_tree_unreserve(tree, head->team, request->item[i].cell,
				   request->item[i].amount);
	return 0;
}

/* Where the head stands just below `node`. */
static const struct gov_standing *below(const struct gov_tree *tree,
					const struct gov_head *head,
					uint32_t node)
{
	const struct gov_standing *s = head->standing;

	while (tree->parent[s->node] != node)
		s++;
	return s;
}

/* Does a go before b, both below this node? */
static bool beats(const struct gov_cycle *cycle, const struct gov_head *a,
		  const struct gov_head *b, uint32_t node)
{
	const struct gov_tree *tree = cycle->books->tree;
	const struct gov_standing *x = below(tree, a, node);
	const struct gov_standing *y = below(tree, b, node);
	struct gov_waiting_rank p = rank_of(cycle, a), q = rank_of(cycle, b);
	int order;

	if (p.claimant != q.claimant)
		return p.claimant;
	if (x->borrows != y->borrows)
		return !x->borrows;
	order = gov_share_compare(&x->share, &y->share);
	if (order)
		return order < 0;
	p.level = q.level = 0;
	return gov_order_between_teams(&p, &q, cycle->order) < 0;
}

/* The head that the node puts forward; NULL if none below it is left. */
static struct gov_head *winner(struct gov_cycle *cycle, uint32_t node)
{
	const struct gov_tree *tree = cycle->books->tree;
	struct gov_head *best = NULL;

	for (size_t i = 0; i < cycle->count; i++)
		if (!cycle->head[i].done && cycle->head[i].team == node)
			return &cycle->head[i];
	for (uint32_t n = 0; n < tree->node_count; n++) {
		struct gov_head *head;

		if (tree->parent[n] != node)
			continue;
		head = winner(cycle, n);
		if (head && (!best || beats(cycle, head, best, node)))
			best = head;
	}
	return best;
}

static struct gov_head *tournament(struct gov_cycle *cycle)
{
	for (size_t i = 0; i < cycle->count; i++)
		if (!cycle->head[i].done && stand(cycle, &cycle->head[i]))
			return NULL;
	return winner(cycle, gov_tree_root(cycle->books->tree));
}

struct gov_head *gov_cycle_next(struct gov_cycle *cycle)
{
	if (cycle->books->policy->idle_sharing == GOV_FAIR_SHARE)
		return tournament(cycle);
	return first_come(cycle);
}
