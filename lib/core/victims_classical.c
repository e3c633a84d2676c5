/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Victims by right: whose quota it is, and whose class is higher.
 *
 * Three sorts of candidates, one after the other:
 *   lent      the asker, or a unit above it, can host the request in what it
 *             owns and the candidate's team (and every unit between) uses
 *             more than it owns: taken back whatever the class;
 *   loaned    the same, but the asker owns too little itself: only to end
 *             inside its own quota, or (PreemptWhileBorrowing) lower classes;
 *   own       jobs of its own team, by class.
 */
#include <stdlib.h>

#include "core/array.h"
#include "core/victims_private.h"

enum sort { LENT, LOANED, OWN, SORTS };

/* The jobs of one team, first to give way first. */
struct stream {
	struct gov_record *job; /* next candidate */
	uint32_t team;
	uint32_t common; /* lowest node above it and the asker */
};

struct hunt {
	struct gov_search *search;
	struct stream *heap; /* the first candidate on top */
	size_t count;
	bool may_borrow; /* this attempt's asker may end above
					   its own quota */
	struct gov_shortage shortage;
};

/* ---- a heap of teams ---- */

static bool before(const struct hunt *hunt, size_t a, size_t b)
{
	return gov_store_order_victims(&hunt->search->books->store,
				       hunt->heap[a].job,
				       hunt->heap[b].job) < 0;
}

static void sink(struct hunt *hunt, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;
		struct stream moved = hunt->heap[at];

		if (child >= hunt->count)
			return;
		if (child + 1 < hunt->count && before(hunt, child + 1, child))
			child++;
		if (!before(hunt, child, at))
			return;
		hunt->heap[at] = hunt->heap[child];
		hunt->heap[child] = moved;
		at = child;
	}
}

static void drop_top(struct hunt *hunt)
{
	hunt->heap[0] = hunt->heap[--hunt->count];
	sink(hunt, 0);
}

static void advance_top(struct hunt *hunt)
{
	hunt->heap[0].job = gov_search_next(hunt->search, hunt->heap[0].job);
	if (!hunt->heap[0].job)
		drop_top(hunt);
	else
		sink(hunt, 0);
}

/* ---- candidates ---- */

static enum sort sort_of(const struct hunt *hunt, uint32_t team,
			 uint32_t common)
{
	if (team == hunt->search->kind->team)
		return OWN;
	return gov_search_hosted_apart(hunt->search, common) ? LENT : LOANED;
}

/* Collect the teams of one sort. */
static void collect(struct hunt *hunt, enum sort sort)
{
	const struct gov_search *search = hunt->search;
	const struct gov_books *books = search->books;
	uint32_t asker = search->kind->team;

	hunt->count = 0;
	for (uint32_t t = 0; t < books->policy->unit_count; t++) {
		struct stream stream = { .team = t };

		if ((t == asker) != (sort == OWN) ||
		    !(stream.job = gov_search_first(search, t)))
			continue;
		stream.common = gov_tree_common(books->tree, asker, t);
		if (sort_of(hunt, t, stream.common) != sort)
			continue;
		if (sort != OWN &&
		    !gov_search_over(search, &hunt->shortage, t, stream.common))
			continue;
		hunt->heap[hunt->count++] = stream;
	}
	for (size_t i = hunt->count / 2; i-- > 0;)
		sink(hunt, i);
}

/* The rule under which a job of another team that only loaned may go. */
static enum gov_rule rule_of_loaned(const struct hunt *hunt,
				    const struct gov_record *job)
{
	const struct gov_search *search = hunt->search;
	const struct gov_store *store = &search->books->store;
	const struct gov_unit *unit =
		&search->books->policy->unit[search->kind->team];
	uint32_t weight = gov_kind_weight(store, job->kind);

	if (search->owed_only ||
	    unit->preempt_while_borrowing == GOV_PREEMPT_NEVER ||
	    weight >= gov_kind_weight(store, search->kind) ||
	    (unit->preempt_while_borrowing_max != GOV_NONE &&
	     weight > unit->preempt_while_borrowing_max))
		return GOV_RULE_RECLAIM;
	return GOV_RULE_WHILE_BORROWING;
}

/* The rule under which the job may go in this attempt, or NONE. */
static enum gov_rule judge(struct hunt *hunt, enum sort sort,
			   const struct stream *stream)
{
	struct gov_search *search = hunt->search;
	const struct gov_record *job = stream->job;
	enum gov_rule rule = GOV_RULE_RECLAIM;
	uint32_t over;

	if (job->taken)
		return GOV_RULE_NONE;
	if (sort == OWN) {
		if (!gov_search_may_displace_own(search, job) ||
		    !gov_search_own_helps(search, &hunt->shortage, job))
			return GOV_RULE_NONE;
		return gov_search_protected(search, job, GOV_RULE_WITHIN_TEAM) ?
			       GOV_RULE_NONE :
			       GOV_RULE_WITHIN_TEAM;
	}
	if (!gov_search_may_displace_other(search, job))
		return GOV_RULE_NONE;
	over = gov_search_over(search, &hunt->shortage, stream->team,
			       stream->common);
	over &= gov_search_wanted(search, &hunt->shortage, job);
	if (!gov_search_used(search, over, job->kind))
		return GOV_RULE_NONE;
	if (sort == LOANED)
		rule = rule_of_loaned(hunt, job);
	if (sort == LOANED && hunt->may_borrow && rule == GOV_RULE_RECLAIM)
		return GOV_RULE_NONE;
	return gov_search_protected(search, job, rule) ? GOV_RULE_NONE : rule;
}

/* Is there any candidate of this sort that the policy lets the asker take? */
static bool any(struct hunt *hunt, enum sort sort)
{
	bool found = false;

	hunt->may_borrow = false;
	collect(hunt, sort);
	while (hunt->count && !found && !gov_search_spent(hunt->search)) {
		found = judge(hunt, sort, &hunt->heap[0]) != GOV_RULE_NONE;
		advance_top(hunt);
	}
	return found;
}

/* Take candidates of one sort until the asker fits. */
static bool take_sort(struct hunt *hunt, enum sort sort)
{
	struct gov_search *search = hunt->search;

	collect(hunt, sort);
	while (hunt->count && !gov_search_spent(search)) {
		struct stream *top = &hunt->heap[0];
		struct gov_record *job = top->job;
		enum gov_rule rule;

		if (sort != OWN && !gov_search_over(search, &hunt->shortage,
						    top->team, top->common)) {
			drop_top(hunt);
			continue;
		}
		rule = judge(hunt, sort, top);
		advance_top(hunt);
		if (rule == GOV_RULE_NONE)
			continue;
		if (gov_search_take(search, job, rule))
			return false;
		gov_search_shortage(search, hunt->may_borrow, &hunt->shortage);
		if (gov_shortage_none(&hunt->shortage))
			return true;
	}
	return false;
}

static bool take_sorts(struct hunt *hunt)
{
	enum sort sort = hunt->search->own_only ? OWN : LENT;
	bool found = false;

	for (; sort < SORTS && !found; sort++)
		found = take_sort(hunt, sort);
	return found;
}

/* Those proposed for the asker's place; whoever may, for what is still short
 * of quota when it has one. */
static bool take_planned(struct hunt *hunt)
{
	struct gov_search *search = hunt->search;
	bool found;

	search->among_only = true;
	found = take_sorts(hunt);
	search->among_only = false;
	if (!found && gov_placing_fits(search->placing))
		found = take_sorts(hunt);
	return found;
}

static bool attempt(struct hunt *hunt, bool may_borrow)
{
	struct gov_search *search = hunt->search;
	bool found;

	hunt->may_borrow = may_borrow;
	search->count = 0;
	gov_search_shortage(search, may_borrow, &hunt->shortage);
	found = search->planned ? take_planned(hunt) : take_sorts(hunt);
	if (found) {
		gov_search_fill_back(search, may_borrow);
		gov_search_settle(search);
	}
	gov_search_restore(search);
	return found && gov_search_affordable(search);
}

/* Does the team use less than its own quota in every contended item? */
static bool below_own(const struct gov_search *search)
{
	for (uint32_t i = 0; search->contended >> i; i++) {
		const struct gov_node *node =
			gov_tree_at(search->books->tree, search->kind->team,
				    search->kind->item[i].cell);

		if ((search->contended & 1u << i) &&
		    node->usage >= node->nominal)
			return false;
	}
	return true;
}

/*
 * Inside its own quota if others give back what they borrow.  Where only own
 * jobs would go that way, fewer do if the asker borrows instead: nobody else
 * is touched either way.
 */
static bool attempt_own_quota(struct hunt *hunt)
{
	const struct gov_search *search = hunt->search;

	if (!attempt(hunt, false))
		return attempt(hunt, true);
	for (size_t i = 0; i < search->count; i++)
		if (search->victim[i].rule != GOV_RULE_WITHIN_TEAM)
			return true;
	return attempt(hunt, true) || attempt(hunt, false);
}

static bool attempts(struct hunt *hunt)
{
	struct gov_search *search = hunt->search;
	const struct gov_unit *unit =
		&search->books->policy->unit[search->kind->team];
	bool forbidden = unit->preempt_while_borrowing == GOV_PREEMPT_NEVER;
	bool lent, loaned;

	if (search->own_only)
		return attempt(hunt, false);
	gov_search_shortage(search, false, &hunt->shortage);
	lent = any(hunt, LENT);
	loaned = any(hunt, LOANED);
	if (!(lent || loaned) || (forbidden && !below_own(search)))
		return attempt(hunt, true);
	if (forbidden && !lent)
		return attempt_own_quota(hunt);
	return attempt(hunt, true) || attempt(hunt, false);
}

bool gov_victims_classical(struct gov_search *search)
{
	const struct gov_books *books = search->books;
	struct hunt hunt = { .search = search };
	bool found;

	hunt.heap = gov_array_new(books->policy->unit_count,
				  sizeof(*hunt.heap));
	if (!hunt.heap) {
		search->no_memory = true;
		return false;
	}
	found = attempts(&hunt);
	free(hunt.heap);
	return found;
}
