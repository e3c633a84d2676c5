/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules: which job may be taken by whom, as the books stand. */
#include "core/order.h"
#include "core/share.h"
#include "core/victims_private.h"

enum gov_preempt gov_within_team(const struct gov_policy *policy,
				 const struct gov_kind *kind)
{
	if (kind->class < policy->class_count &&
	    policy->class[kind->class].preempt_set)
		return policy->class[kind->class].preempt_within_team;
	return policy->unit[kind->team].preempt_within_team;
}

/* Are the team and everything above it, below `top`, over their quota? */
static bool borrows_below(const struct gov_tree *tree, uint32_t team,
			  uint32_t top, uint32_t cell)
{
	for (uint32_t node = team; node != top; node = tree->parent[node])
		if (!gov_tree_borrowed(tree, node, cell))
			return false;
	return true;
}

/* Would the team, or a unit above it below `top`, end below its quota? */
static bool cuts_guarantee(const struct gov_tree *tree,
			   const struct gov_kind *victim, uint32_t top)
{
	for (uint32_t i = 0; i < victim->count; i++) {
		uint32_t cell = victim->item[i].cell;

		for (uint32_t node = victim->team; node != top;
		     node = tree->parent[node]) {
			gov_amount_t over = gov_tree_borrowed(tree, node,
							      cell);

			if (over && over < victim->item[i].amount)
				return true;
		}
	}
	return false;
}

/* Does it hold something that is contended, and on loan there? */
static bool borrows_contended(const struct gov_search *search,
			      const struct gov_kind *victim, uint32_t top)
{
	const struct gov_kind *asker = search->kind;

	for (uint32_t i = 0; i < asker->count; i++) {
		if (!(search->contended & (1u << i)))
			continue;
		for (uint32_t v = 0; v < victim->count; v++)
			if (victim->item[v].cell == asker->item[i].cell &&
			    borrows_below(search->books->tree, victim->team,
					  top, victim->item[v].cell))
				return true;
	}
	return false;
}

/* The child of `top` on the way down to the team. */
static uint32_t side_of(const struct gov_tree *tree, uint32_t team,
			uint32_t top)
{
	while (tree->parent[team] != top)
		team = tree->parent[team];
	return team;
}

/*
 * Semantics, section 5, rule 3: the asker's share after its admission is at
 * most the victim's side's share after the eviction; or, less strict where
 * that cannot be, smaller than the victim's side's share as it is.
 */
static bool share_allows(const struct gov_search *search,
			 const struct gov_kind *victim, uint32_t top)
{
	struct gov_tree *tree = search->books->tree;
	uint32_t mine = side_of(tree, search->kind->team, top);
	uint32_t theirs = side_of(tree, victim->team, top);
	struct gov_share asker, before, after;

	gov_share_of(tree, theirs, &before);
	for (uint32_t i = 0; i < search->kind->count; i++)
		gov_tree_reserve(tree, search->kind->team,
				 search->kind->item[i].cell,
				 search->kind->item[i].amount);
	gov_share_of(tree, mine, &asker);
	for (uint32_t i = 0; i < search->kind->count; i++)
		gov_tree_unreserve(tree, search->kind->team,
				   search->kind->item[i].cell,
				   search->kind->item[i].amount);
	gov_books_release(search->books, victim);
	gov_share_of(tree, theirs, &after);
	gov_books_charge(search->books, victim);
	return gov_share_compare(&asker, &after) <= 0 ||
	       gov_share_compare(&asker, &before) < 0;
}

/* Would the asker end inside its team's quota in the contended cells? */
static bool asker_within(const struct gov_search *search, uint32_t node)
{
	const struct gov_tree *tree = search->books->tree;

	for (uint32_t i = 0; i < search->kind->count; i++)
		if ((search->contended & (1u << i)) &&
		    gov_tree_borrows_with(tree, node,
					  search->kind->item[i].cell,
					  search->kind->item[i].amount))
			return false;
	return true;
}

static bool class_allows(const struct gov_search *search,
			 const struct gov_record *job, enum gov_rule rule)
{
	const struct gov_policy *policy = search->books->policy;
	const struct gov_unit *team = &policy->unit[search->kind->team];
	uint32_t weight = gov_kind_weight(&search->books->store, job->kind);
	enum gov_preempt whom = rule == GOV_RULE_WHILE_BORROWING ?
		team->preempt_while_borrowing : team->reclaim;

	if (rule == GOV_RULE_WHILE_BORROWING &&
	    team->preempt_while_borrowing_max != GOV_NONE &&
	    weight > team->preempt_while_borrowing_max)
		return false;
	return gov_may_preempt(whom, gov_kind_weight(&search->books->store,
						     search->kind),
			       search->since, weight, job->submitted);
}

bool gov_may_take(struct gov_search *search, const struct gov_plan *plan,
		  const struct gov_record *job)
{
	const struct gov_tree *tree = search->books->tree;
	uint32_t top = gov_tree_common(tree, search->kind->team,
				       job->kind->team);

	if (gov_tree_above(tree, plan->outside, job->kind->team) ||
	    !class_allows(search, job, plan->others) ||
	    !borrows_contended(search, job->kind, top))
		return false;
	if (plan->keep_guarantee && cuts_guarantee(tree, job->kind, top))
		return false;
	if (plan->others == GOV_RULE_RECLAIM && plan->own_first)
		return asker_within(search, search->kind->team);
	if (plan->others == GOV_RULE_FAIR_SHARE)
		return share_allows(search, job->kind, top);
	return true;
}
