/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Victims by share, IdleSharing=FairShare.
 *
 * What the asker's team (or a unit above it) owns in the contended cells is
 * taken back from whoever borrows it, whatever the shares: rule 2.  Beyond
 * that shares decide: rule 3.  Either way the side with the greatest share
 * gives way first, and one's own lower classes take their turn like others.
 */
#include "core/victims_tournament.h"

/* The child of `common` on the way down to the node. */
static uint32_t side_of(const struct gov_tree *tree, uint32_t common,
			uint32_t node)
{
	while (tree->parent[node] != common)
		node = tree->parent[node];
	return node;
}

/* What is short; the request is reserved before and after. */
static void shortage(struct gov_search *search, struct gov_shortage *s)
{
	gov_books_unreserve(search->books, search->kind);
	gov_search_shortage(search, true, s);
	gov_books_reserve(search->books, search->kind);
}

/* Rule 3 for this job in this form, the request being reserved. */
static bool share_allows(struct gov_tournament *t, enum gov_share_rule rule,
			 const struct gov_record *job)
{
	struct gov_books *books = t->search->books;
	uint32_t asker = t->search->kind->team, team = job->kind->team;
	uint32_t common = gov_tree_common(books->tree, asker, team);
	uint32_t theirs = side_of(books->tree, common, team);
	const struct gov_share *mine =
		gov_tournament_share(t, side_of(books->tree, common, asker));
	struct gov_share after;

	if (rule == GOV_SHARE_INITIAL)
		return gov_share_compare(mine,
					 gov_tournament_share(t, theirs)) < 0;
	gov_books_release(books, job->kind);
	gov_share_of(books->tree, theirs, &after);
	gov_books_charge(books, job->kind);
	return gov_share_compare(mine, &after) <= 0;
}

/* Does its team hold something on loan that is short and that it uses? */
static bool is_on_loan(const struct gov_search *search,
		       const struct gov_shortage *s,
		       const struct gov_record *job)
{
	uint32_t common = gov_tree_common(search->books->tree,
					  search->kind->team, job->kind->team);
	uint32_t over = gov_search_over(search, s, job->kind->team, common) &
			gov_search_wanted(search, s, job);

	return gov_search_used(search, over, job->kind);
}

static enum gov_rule judge(struct gov_tournament *t,
			   const struct gov_shortage *s,
			   enum gov_share_rule share_rule,
			   const struct gov_record *job)
{
	struct gov_search *search = t->search;
	enum gov_rule rule;

	if (job->kind->team == search->kind->team)
		return gov_search_own_helps(search, s, job) ?
			       GOV_RULE_WITHIN_TEAM :
			       GOV_RULE_NONE;
	if (!is_on_loan(search, s, job))
		return GOV_RULE_NONE;
	rule = gov_tournament_rule(search, job->kind->team);
	if (rule == GOV_RULE_FAIR_SHARE &&
	    (search->owed_only || !share_allows(t, share_rule, job)))
		return GOV_RULE_NONE;
	return rule;
}

/* One way through all teams.  true: the asker fits. */
static bool run(struct gov_tournament *t, enum gov_share_rule share_rule,
		bool once_per_team)
{
	struct gov_search *search = t->search;
	struct gov_shortage s;
	uint32_t team;

	shortage(search, &s);
	while ((team = gov_tournament_team(t)) != GOV_NONE && !search->cut) {
		struct gov_record *job = t->candidate[team];
		enum gov_rule rule = judge(t, &s, share_rule, job);

		gov_tournament_pop(t, team);
		if (once_per_team && team != search->kind->team)
			gov_tournament_drop(t, team);
		if (rule == GOV_RULE_NONE)
			continue;
		if (gov_search_take(search, job, rule))
			return false;
		gov_tournament_touch(t, team);
		shortage(search, &s);
		if (gov_shortage_none(&s))
			return true;
	}
	return false;
}

static bool took_own(const struct gov_search *search)
{
	for (size_t i = 0; i < search->count; i++)
		if (search->victim[i].rule == GOV_RULE_WITHIN_TEAM)
			return true;
	return false;
}

static bool run_rules(struct gov_tournament *t)
{
	const struct gov_search *search = t->search;
	enum gov_share_rule first = search->share_rule[0];
	enum gov_share_rule second = search->share_rule[1];

	if (first == GOV_SHARE_DEFAULT) {
		first = GOV_SHARE_FINAL;
		second = GOV_SHARE_INITIAL;
	}
	if (run(t, first, false))
		return true;
	/* Own victims lowered the asker's share: others may do now. */
	if (took_own(search)) {
		gov_tournament_restart(t);
		if (run(t, first, false))
			return true;
	}
	if (second == GOV_SHARE_DEFAULT)
		return false;
	gov_tournament_restart(t);
	return run(t, second, true);
}

/*
 * What was put back may have been the reason why others could be taken: is
 * the set still legal, one victim after the other, by either form?
 */
static bool still_legal(struct gov_tournament *t)
{
	struct gov_search *search = t->search;
	size_t count = search->count;
	bool legal = true;

	gov_search_restore(search);
	gov_books_reserve(search->books, search->kind);
	gov_tournament_restart(t);
	search->count = 0;
	for (size_t i = 0; i < count && legal; i++) {
		struct gov_victim victim = search->victim[i];
		struct gov_shortage s;

		shortage(search, &s);
		gov_tournament_touch(t, victim.job->kind->team);
		gov_tournament_touch(t, search->kind->team);
		legal = judge(t, &s, GOV_SHARE_INITIAL, victim.job) ||
			judge(t, &s, GOV_SHARE_FINAL, victim.job);
		if (legal && gov_search_take(search, victim.job, victim.rule))
			legal = false;
		gov_tournament_touch(t, victim.job->kind->team);
	}
	gov_books_unreserve(search->books, search->kind);
	return legal;
}

/* Those proposed for the asker's place first; whoever may, for what is still
 * short of quota when it has one. */
static bool run_all(struct gov_tournament *t)
{
	struct gov_search *search = t->search;
	bool found = run_rules(t);

	if (!search->among_only)
		return found;
	search->among_only = false;
	if (found || !gov_placing_fits(search->placing))
		return found;
	gov_tournament_restart(t);
	return run_rules(t);
}

bool gov_victims_fair(struct gov_search *search)
{
	struct gov_tournament t = { 0 };
	size_t before;
	bool found;

	search->among_only = search->planned;
	gov_books_reserve(search->books, search->kind);
	if (gov_tournament_init(&t, search)) {
		search->among_only = false;
		gov_books_unreserve(search->books, search->kind);
		search->no_memory = true;
		return false;
	}
	found = run_all(&t);
	gov_books_unreserve(search->books, search->kind);
	if (found) {
		before = search->count;
		gov_search_fill_back(search, true);
		if (search->count < before)
			found = still_legal(&t);
		if (found)
			gov_search_settle(search);
		else
			search->rejected = true;
	}
	gov_search_restore(search);
	gov_tournament_free(&t);
	return found && gov_search_affordable(search);
}
