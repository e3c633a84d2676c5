/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/contest.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

/* ---- knockouts ---- */

static uint32_t round_up(uint32_t count)
{
	uint32_t width = 1;

	while (width < count)
		width *= 2;
	return width;
}

static int make_knockouts(struct gov_contest *contest)
{
	const struct gov_tree *tree = contest->books->tree;
	size_t total = 0;

	for (uint32_t n = 0; n < tree->node_count; n++) {
		uint32_t count = 0;

		for (uint32_t c = tree->first[n]; c != GOV_NONE;
		     c = tree->sibling[c])
			contest->place[c] = count++;
		contest->base[n] = (uint32_t) total;
		contest->width[n] = count ? round_up(count) : 0;
		total += 2 * contest->width[n];
	}
	contest->won = gov_array_new(total, sizeof(*contest->won));
	if (!contest->won)
		return -1;
	contest->won_count = total;
	gov_contest_clear(contest);
	return 0;
}

void gov_contest_clear(struct gov_contest *contest)
{
	size_t nodes = contest->books->tree->node_count;

	memset(contest->entry, 0, nodes * sizeof(*contest->entry));
	for (size_t i = 0; i < contest->won_count; i++)
		contest->won[i] = GOV_NONE;
}

int gov_contest_init(struct gov_contest *contest, struct gov_books *books)
{
	size_t nodes = books->tree->node_count;

	memset(contest, 0, sizeof(*contest));
	contest->books = books;
	contest->entry = gov_array_new(nodes, sizeof(*contest->entry));
	contest->place = gov_array_new(nodes, sizeof(*contest->place));
	contest->base = gov_array_new(nodes, sizeof(*contest->base));
	contest->width = gov_array_new(nodes, sizeof(*contest->width));
	if (contest->entry && contest->place && contest->base &&
	    contest->width && !make_knockouts(contest))
		return 0;
	gov_contest_free(contest);
	return -1;
}

void gov_contest_free(struct gov_contest *contest)
{
	free(contest->entry);
	free(contest->place);
	free(contest->base);
	free(contest->width);
	free(contest->won);
	memset(contest, 0, sizeof(*contest));
}

/* Does a go before b, both putting something forward in the same unit? */
static bool beats(const struct gov_contest *contest, uint32_t a, uint32_t b)
{
	const struct gov_policy *policy = contest->books->policy;
	const struct gov_entry *x = &contest->entry[a], *y = &contest->entry[b];
	int order;

	if (policy->idle_sharing == GOV_FAIR_SHARE) {
		if (x->borrows != y->borrows)
			return !x->borrows;
		order = gov_share_compare(&x->share, &y->share);
		if (order)
			return order < 0;
	}
	return gov_order_between_teams(&x->rank, &y->rank, policy->task_order) <
	       0;
}

/* The node's entry has changed: play its matches again. */
static void play(struct gov_contest *contest, uint32_t node)
{
	uint32_t parent = contest->books->tree->parent[node];
	uint32_t *won = &contest->won[contest->base[parent]];
	uint32_t at = contest->width[parent] + contest->place[node];

	won[at] = contest->entry[node].job ? node : GOV_NONE;
	for (at /= 2; at; at /= 2) {
		uint32_t a = won[2 * at], b = won[2 * at + 1];

		won[at] = a == GOV_NONE	       ? b :
			  b == GOV_NONE	       ? a :
			  beats(contest, b, a) ? b :
						 a;
	}
}

/* Which child of the unit won; a knockout of one place is its winner. */
static uint32_t winner(const struct gov_contest *contest, uint32_t node)
{
	return contest->width[node] ? contest->won[contest->base[node] + 1] :
				      GOV_NONE;
}

/* ---- entries ---- */

static void stand(struct gov_contest *contest, uint32_t node)
{
	struct gov_books *books = contest->books;
	struct gov_entry *entry = &contest->entry[node];
	const struct gov_kind *kind = entry->job->kind;

	gov_books_reserve(books, kind);
	entry->borrows = false;
	for (uint32_t i = 0; i < kind->count && !entry->borrows; i++)
		entry->borrows = gov_tree_borrowed(books->tree, node,
						   kind->item[i].cell);
	gov_share_of(books->tree, node, &entry->share);
	gov_books_unreserve(books, kind);
}

/* What its team borrowed lately, if it would borrow again. */
static double surplus(struct gov_books *books, const struct gov_kind *kind)
{
	const struct gov_account *account = gov_usage_find(&books->usage,
							   kind->team,
							   GOV_NONE);

	return account && gov_books_borrowed_items(books, kind) ?
		       account->score :
		       0;
}

static void rank(struct gov_contest *contest, struct gov_entry *entry)
{
	struct gov_books *books = contest->books;
	const struct gov_record *job = entry->job;

	entry->rank = (struct gov_waiting_rank){
		.level = books->policy->idle_sharing == GOV_FAIR_SHARE ?
				 0 :
				 gov_books_level(books, job->kind),
		.surplus = surplus(books, job->kind),
		.weight = gov_kind_weight(&books->store, job->kind),
		.since = job->submitted,
		.id = job->id,
	};
}

void gov_contest_set(struct gov_contest *contest, uint32_t team,
		     const struct gov_record *job)
{
	const struct gov_tree *tree = contest->books->tree;
	uint32_t root = gov_tree_root(tree), node = team;

	if (!job && !contest->entry[team].job)
		return;
	contest->entry[team].job = job;
	if (job)
		rank(contest, &contest->entry[team]);
	for (;;) {
		struct gov_entry *entry = &contest->entry[node];
		uint32_t up = tree->parent[node], first;

		if (entry->job &&
		    contest->books->policy->idle_sharing == GOV_FAIR_SHARE)
			stand(contest, node);
		play(contest, node);
		if (up == root)
			return;
		first = winner(contest, up);
		contest->entry[up].job = first == GOV_NONE ?
						 NULL :
						 contest->entry[first].job;
		if (first != GOV_NONE)
			contest->entry[up].rank = contest->entry[first].rank;
		node = up;
	}
}

uint32_t gov_contest_first(const struct gov_contest *contest)
{
	uint32_t root = gov_tree_root(contest->books->tree);
	uint32_t first = winner(contest, root);

	return first == GOV_NONE ? GOV_NONE :
				   contest->entry[first].job->kind->team;
}
