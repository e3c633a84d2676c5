/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Carrying a plan out: candidates, one at a time, and putting back. */
#include <stdlib.h>
#include <string.h>

#include "core/order.h"
#include "core/victims_private.h"

struct candidates {
	struct gov_record **job;
	size_t count;
	size_t space;
};

static int add(struct candidates *list, struct gov_record *job)
{
	if (list->count == list->space) {
		size_t space = list->space ? 2 * list->space : 64;
		struct gov_record **grown;

		grown = reallocarray(list->job, space, sizeof(*grown));
		if (!grown)
			return -1;
		list->job = grown;
		list->space = space;
	}
	list->job[list->count++] = job;
	return 0;
}

static bool uses_contended(const struct gov_search *search,
			   const struct gov_kind *kind)
{
	for (uint32_t i = 0; i < search->kind->count; i++)
		if ((search->contended & (1u << i)) &&
		    gov_kind_uses(kind, search->kind->item[i].cell))
			return true;
	return false;
}

/* Is it protected by this rule now?  Notes when that ends. */
static bool is_protected(struct gov_search *search,
			 const struct gov_record *job, enum gov_rule rule)
{
	gov_time_t until = gov_protected_until(search->books->policy,
					       search->kind, job, rule);

	if (until <= search->now)
		return false;
	if (until < search->retry_at)
		search->retry_at = until;
	return true;
}

/* The team's jobs that could be candidates, in their order. */
static int collect_team(struct gov_search *search, uint32_t team,
			enum gov_rule rule, struct candidates *list)
{
	struct gov_store *store = &search->books->store;
	struct gov_record *job = gov_store_first_charged(store, team);

	for (; job; job = gov_record_next(job)) {
		if (++search->looked > search->budget) {
			search->cut = true;
			return 0;
		}
		if (!uses_contended(search, job->kind) ||
		    is_protected(search, job, rule))
			continue;
		if (rule == GOV_RULE_WITHIN_TEAM &&
		    !gov_may_preempt(gov_within_team(search->books->policy,
						     search->kind),
				     gov_kind_weight(store, search->kind),
				     search->since,
				     gov_kind_weight(store, job->kind),
				     job->submitted))
			continue;
		if (add(list, job))
			return -1;
	}
	return 0;
}

/* Does the team borrow in a contended cell at all? */
static bool team_borrows(const struct gov_search *search, uint32_t team)
{
	for (uint32_t i = 0; i < search->kind->count; i++)
		if ((search->contended & (1u << i)) &&
		    gov_tree_borrowed(search->books->tree, team,
				      search->kind->item[i].cell))
			return true;
	return false;
}

/* Only one search sorts at a time per thread. */
static _Thread_local const struct gov_store *sorting;

static int by_victim(const void *a, const void *b)
{
	return gov_store_order_victims(sorting,
				       *(struct gov_record *const *) a,
				       *(struct gov_record *const *) b);
}

static int collect_others(struct gov_search *search,
			  const struct gov_plan *plan,
			  struct candidates *list)
{
	const struct gov_policy *policy = search->books->policy;
	size_t first = list->count;

	if (plan->others == GOV_RULE_NONE)
		return 0;
	for (uint32_t u = 0; u < policy->unit_count && !search->cut; u++)
		if (policy->unit[u].is_team && u != search->kind->team &&
		    team_borrows(search, u) &&
		    collect_team(search, u, plan->others, list))
			return -1;
	sorting = &search->books->store;
	if (list->count > first)
		qsort(list->job + first, list->count - first,
		      sizeof(*list->job), by_victim);
	return 0;
}

static int collect_own(struct gov_search *search, const struct gov_plan *plan,
		       struct candidates *list)
{
	return plan->own ? collect_team(search, search->kind->team,
					GOV_RULE_WITHIN_TEAM, list) : 0;
}

static int collect(struct gov_search *search, const struct gov_plan *plan,
		   struct candidates *list)
{
	if (plan->own_first)
		return collect_own(search, plan, list) ||
		       collect_others(search, plan, list) ? -1 : 0;
	return collect_others(search, plan, list) ||
	       collect_own(search, plan, list) ? -1 : 0;
}

/* ---- taking ---- */

static bool is_own(const struct gov_search *search,
		   const struct gov_record *job)
{
	return job->kind->team == search->kind->team;
}

static bool legal(struct gov_search *search, const struct gov_plan *plan,
		  const struct gov_record *job)
{
	return is_own(search, job) || gov_may_take(search, plan, job);
}

static int take(struct gov_search *search, const struct gov_plan *plan,
		struct gov_record *job)
{
	if (search->count == search->space) {
		size_t space = search->space ? 2 * search->space : 16;
		struct gov_victim *grown;

		grown = reallocarray(search->victim, space, sizeof(*grown));
		if (!grown)
			return -1;
		search->victim = grown;
		search->space = space;
	}
	search->victim[search->count++] = (struct gov_victim){
		job, is_own(search, job) ? GOV_RULE_WITHIN_TEAM : plan->others
	};
	gov_books_release(search->books, job->kind);
	return 0;
}

static bool fits(const struct gov_search *search)
{
	return gov_books_fit(search->books, search->kind, GOV_LATER);
}

/* Everything that was taken is charged again. */
static void put_all_back(struct gov_search *search)
{
	for (size_t i = 0; i < search->count; i++)
		gov_books_charge(search->books, search->victim[i].job->kind);
}

/*
 * Is the list legal as a sequence, each victim judged on what the earlier
 * ones left?  The books are as before the first; they are so again after.
 */
static bool replay(struct gov_search *search, const struct gov_plan *plan)
{
	bool good = true;
	size_t taken = 0;

	while (good && taken < search->count) {
		struct gov_record *job = search->victim[taken].job;

		good = legal(search, plan, job);
		if (good) {
			gov_books_release(search->books, job->kind);
			taken++;
		}
	}
	good = good && fits(search);
	while (taken > 0)
		gov_books_charge(search->books,
				 search->victim[--taken].job->kind);
	return good;
}

/* Remove the victim at `at` from the list. */
static struct gov_victim pull(struct gov_search *search, size_t at)
{
	struct gov_victim victim = search->victim[at];

	memmove(search->victim + at, search->victim + at + 1,
		(search->count - at - 1) * sizeof(*search->victim));
	search->count--;
	return victim;
}

static void push(struct gov_search *search, size_t at,
		 struct gov_victim victim)
{
	memmove(search->victim + at + 1, search->victim + at,
		(search->count - at) * sizeof(*search->victim));
	search->victim[at] = victim;
	search->count++;
}

/*
 * Put back, newest first, what is not needed.  A victim whose return makes
 * the rest illegal (own jobs that lowered the asker's share) stays taken.
 * The books have all victims taken out, and so they do afterwards.
 */
static void fill_back(struct gov_search *search, const struct gov_plan *plan)
{
	for (size_t i = search->count; i-- > 0 && search->count > 1;) {
		struct gov_victim victim = search->victim[i];
		bool needed;

		gov_books_charge(search->books, victim.job->kind);
		needed = !fits(search);
		if (!needed) {
			pull(search, i);
			put_all_back(search);
			needed = !replay(search, plan);
			for (size_t v = 0; v < search->count; v++)
				gov_books_release(search->books,
					search->victim[v].job->kind);
			if (needed)
				push(search, i, victim);
		}
		if (needed)
			gov_books_release(search->books, victim.job->kind);
	}
}

bool gov_plan_run(struct gov_search *search, const struct gov_plan *plan)
{
	struct candidates list = { 0 };
	bool found = false;

	search->count = 0;
	if (collect(search, plan, &list))
		search->no_memory = true;
	for (size_t i = 0; i < list.count && !found; i++) {
		if (!legal(search, plan, list.job[i]))
			continue;
		if (take(search, plan, list.job[i])) {
			search->no_memory = true;
			break;
		}
		found = fits(search);
	}
	if (found)
		fill_back(search, plan);
	put_all_back(search);
	if (!found)
		search->count = 0;
	free(list.job);
	return found;
}
