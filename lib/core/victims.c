/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search: which plans are tried, in which order.
 *
 * A plan says whose jobs may be taken.  The first one that makes room wins:
 * taking back what is owed comes before fair share, and a plan that leaves
 * every victim's team its guarantee whole comes before one that cuts into a
 * job that is partly its team's own.
 */
#include "core/victims.h"

#include <stdlib.h>

#include "core/order.h"
#include "core/victims_private.h"

#define DEFAULT_BUDGET 1000000

void gov_search_free(struct gov_search *search)
{
	free(search->victim);
	search->victim = NULL;
	search->count = search->space = 0;
}

gov_time_t gov_protected_until(const struct gov_policy *policy,
			       const struct gov_kind *asker,
			       const struct gov_record *victim,
			       enum gov_rule rule)
{
	/* MinRuntime is doubled at each eviction, up to four hours. */
	const gov_time_t longest = 4 * 3600;
	const struct gov_unit *team;
	struct gov_terms terms;
	gov_time_t least;

	if (victim->kind->team == GOV_NONE || victim->state != GOV_JOB_RUNNING)
		return 0;
	team = &policy->unit[victim->kind->team];
	if (rule == GOV_RULE_RECLAIM) {
		gov_policy_terms(policy, asker->team, asker->class, &terms);
		return terms.min_loan > 0 ?
			victim->started + terms.min_loan : 0;
	}
	if (team->max_evictions != GOV_NONE &&
	    victim->evictions >= team->max_evictions)
		return INT64_MAX;
	gov_policy_terms(policy, victim->kind->team, victim->kind->class,
			 &terms);
	least = terms.min_runtime;
	for (uint32_t i = 0; i < victim->evictions && least < longest; i++)
		least = 2 * least < longest ? 2 * least : longest;
	return least > 0 ? victim->started + least : 0;
}

static gov_amount_t amount_in(const struct gov_kind *kind, uint32_t cell)
{
	for (uint32_t i = 0; i < kind->count; i++)
		if (kind->item[i].cell == cell)
			return kind->item[i].amount;
	return 0;
}

uint64_t gov_evict_ratio(const struct gov_kind *asker, uint32_t contended,
			 const struct gov_victim *victim, size_t count)
{
	uint64_t worst = 0;

	for (uint32_t i = 0; i < asker->count; i++) {
		gov_amount_t evicted = 0;
		uint64_t ratio;

		if (!(contended & (1u << i)))
			continue;
		for (size_t v = 0; v < count; v++)
			evicted = gov_amount_add(evicted,
				amount_in(victim[v].job->kind,
					  asker->item[i].cell));
		ratio = gov_amount_scale(evicted, 1000, asker->item[i].amount);
		if (ratio > worst)
			worst = ratio;
	}
	return worst;
}

/* ---- plans ---- */

/*
 * Where the asker's entitlement comes from: the lowest unit from its team
 * upwards whose own quota hosts the request in the contended cells; the root
 * if none below it does.
 */
static uint32_t entitled_node(const struct gov_search *search)
{
	const struct gov_tree *tree = search->books->tree;
	const struct gov_kind *kind = search->kind;
	uint32_t root = gov_tree_root(tree), entitled = kind->team;

	for (uint32_t i = 0; i < kind->count; i++) {
		gov_amount_t amount = kind->item[i].amount;
		uint32_t node = kind->team, cell = kind->item[i].cell;

		if (!(search->contended & (1u << i)))
			continue;
		while (node != root &&
		       gov_tree_borrows_with(tree, node, cell, amount)) {
			amount = gov_amount_sub(amount,
				gov_tree_local_free(tree, node, cell));
			node = tree->parent[node];
		}
		if (gov_tree_above(tree, node, entitled))
			entitled = node;
	}
	return entitled;
}

static bool within_team_allowed(const struct gov_search *search)
{
	return gov_within_team(search->books->policy, search->kind) !=
	       GOV_PREEMPT_NEVER;
}

static bool ratio_allowed(struct gov_search *search, enum gov_rule rule)
{
	const struct gov_policy *policy = search->books->policy;

	search->ratio_permille = gov_evict_ratio(search->kind,
		search->contended, search->victim, search->count);
	if (rule != GOV_RULE_FAIR_SHARE && !policy->max_evict_ratio_all_rules)
		return true;
	return search->ratio_permille <= policy->max_evict_ratio_permille;
}

/* One plan; what it took is put back, the victims stay in the list. */
static bool attempt(struct gov_search *search, const struct gov_plan *plan)
{
	bool found = gov_plan_run(search, plan) &&
		     ratio_allowed(search, plan->others);

	if (!found)
		search->count = 0;
	return found;
}

/* Others' borrowed jobs, for what the asker's side of the tree owns. */
static bool take_back(struct gov_search *search, uint32_t entitled)
{
	struct gov_plan plan = {
		.others = GOV_RULE_RECLAIM,
		.outside = entitled,
		.keep_guarantee = true,
	};

	if (attempt(search, &plan))
		return true;
	plan.keep_guarantee = false;
	if (attempt(search, &plan))
		return true;
	plan.own = within_team_allowed(search);
	return plan.own && attempt(search, &plan);
}

/* Lower classes of the own team; nobody else is touched. */
static bool take_own(struct gov_search *search)
{
	struct gov_plan plan = { .own = true, .others = GOV_RULE_NONE };

	return within_team_allowed(search) && attempt(search, &plan);
}

/* Own jobs first, until the rest is the team's own quota to take back. */
static bool own_then_back(struct gov_search *search)
{
	struct gov_plan plan = {
		.own = true,
		.own_first = true,
		.others = GOV_RULE_RECLAIM,
		.outside = search->kind->team,
	};

	return within_team_allowed(search) && attempt(search, &plan);
}

static bool by_fair_share(struct gov_search *search)
{
	struct gov_plan plan = {
		.others = GOV_RULE_FAIR_SHARE,
		.outside = search->kind->team,
		.keep_guarantee = true,
	};

	if (search->books->policy->idle_sharing != GOV_FAIR_SHARE ||
	    !gov_kind_may_borrow(search->books->policy, search->kind))
		return false;
	if (attempt(search, &plan))
		return true;
	plan.keep_guarantee = false;
	return attempt(search, &plan);
}

static bool while_borrowing(struct gov_search *search)
{
	struct gov_plan plan = {
		.others = GOV_RULE_WHILE_BORROWING,
		.outside = search->kind->team,
	};
	const struct gov_unit *team =
		&search->books->policy->unit[search->kind->team];

	if (team->preempt_while_borrowing == GOV_PREEMPT_NEVER ||
	    !gov_kind_may_borrow(search->books->policy, search->kind))
		return false;
	return attempt(search, &plan);
}

static bool try_plans(struct gov_search *search)
{
	const struct gov_books *books = search->books;
	bool others = books->policy->unit[search->kind->team].reclaim !=
		      GOV_PREEMPT_NEVER;
	uint32_t entitled = entitled_node(search);

	if (search->own_only)
		return take_own(search);
	if (others && entitled != gov_tree_root(books->tree) &&
	    take_back(search, entitled))
		return true;
	if (take_own(search))
		return true;
	if (!others)
		return false;
	return own_then_back(search) || by_fair_share(search) ||
	       while_borrowing(search);
}

bool gov_victims_find(struct gov_search *search)
{
	search->count = 0;
	search->cut = false;
	search->no_memory = false;
	search->retry_at = INT64_MAX;
	search->ratio_permille = 0;
	search->looked = 0;
	if (!search->budget)
		search->budget = DEFAULT_BUDGET;
	if (!search->contended)
		search->contended = gov_books_short(search->books,
						    search->kind, GOV_LATER);
	if (!search->contended || search->kind->team == GOV_NONE)
		return false;
	return try_plans(search);
}
