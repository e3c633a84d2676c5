/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/victims_tournament.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/order.h"

/* ---- candidates ---- */

enum gov_rule gov_tournament_rule(const struct gov_search *search,
				  uint32_t team)
{
	uint32_t common = gov_tree_common(search->books->tree,
					  search->kind->team, team);

	return gov_search_hosted_apart(search, common) ? GOV_RULE_RECLAIM :
							 GOV_RULE_FAIR_SHARE;
}

static bool acceptable(struct gov_search *search, uint32_t team,
		       const struct gov_record *job)
{
	if (job->taken ||
	    !gov_search_used(search, search->contended, job->kind))
		return false;
	if (team == search->kind->team)
		return gov_search_may_displace_own(search, job) &&
		       !gov_search_protected(search, job, GOV_RULE_WITHIN_TEAM);
	return gov_search_may_displace_other(search, job) &&
	       !gov_search_protected(search, job,
				     gov_tournament_rule(search, team));
}

/* From `job` on, the first acceptable one. */
static struct gov_record *seek(struct gov_search *search, uint32_t team,
			       struct gov_record *job)
{
	while (job && !gov_search_spent(search)) {
		if (acceptable(search, team, job))
			return job;
		job = gov_search_next(search, job);
	}
	return NULL;
}

static bool over_somewhere(const struct gov_search *search, uint32_t team)
{
	for (uint32_t i = 0; search->contended >> i; i++)
		if ((search->contended & 1u << i) &&
		    gov_tree_borrowed(search->books->tree, team,
				      search->kind->item[i].cell))
			return true;
	return false;
}

static void find_candidates(struct gov_tournament *t)
{
	struct gov_search *search = t->search;
	const struct gov_policy *policy = search->books->policy;
	bool others = policy->unit[search->kind->team].reclaim !=
		      GOV_PREEMPT_NEVER;

	for (uint32_t u = 0; u < policy->unit_count; u++) {
		bool own = u == search->kind->team;

		t->candidate[u] = NULL;
		if (!policy->unit[u].is_team ||
		    !(own || (others && over_somewhere(search, u))))
			continue;
		t->candidate[u] = seek(search, u, gov_search_first(search, u));
	}
}

/* ---- life ---- */

void gov_tournament_restart(struct gov_tournament *t)
{
	const struct gov_tree *tree = t->search->books->tree;
	size_t nodes = tree->node_count;

	memcpy(t->first, tree->first, nodes * sizeof(*t->first));
	memcpy(t->next, tree->sibling, nodes * sizeof(*t->next));
	find_candidates(t);
}

int gov_tournament_init(struct gov_tournament *t, struct gov_search *search)
{
	size_t nodes = search->books->tree->node_count;

	t->search = search;
	t->first = gov_array_new(nodes, sizeof(*t->first));
	t->next = gov_array_new(nodes, sizeof(*t->next));
	t->candidate = gov_array_new(nodes, sizeof(*t->candidate));
	t->share = gov_array_new(nodes, sizeof(*t->share));
	t->known = gov_array_new(nodes, sizeof(*t->known));
	if (!t->first || !t->next || !t->candidate || !t->share || !t->known) {
		gov_tournament_free(t);
		return -1;
	}
	gov_tournament_restart(t);
	return 0;
}

void gov_tournament_free(struct gov_tournament *t)
{
	free(t->first);
	free(t->next);
	free(t->candidate);
	free(t->share);
	free(t->known);
}

/* ---- shares ---- */

const struct gov_share *gov_tournament_share(struct gov_tournament *t,
					     uint32_t node)
{
	if (!t->known[node]) {
		gov_share_of(t->search->books->tree, node, &t->share[node]);
		t->known[node] = true;
	}
	return &t->share[node];
}

void gov_tournament_touch(struct gov_tournament *t, uint32_t team)
{
	const struct gov_tree *tree = t->search->books->tree;

	for (uint32_t n = team; n != GOV_NONE; n = tree->parent[n])
		t->known[n] = false;
}

/* ---- who is next ---- */

/* Of two teams with equal shares: whose candidate would give way first? */
static bool gives_way_first(const struct gov_tournament *t, uint32_t a,
			    uint32_t b)
{
	const struct gov_search *search = t->search;

	if ((a == search->kind->team) != (b == search->kind->team))
		return b == search->kind->team;
	return gov_store_order_victims(&search->books->store, t->candidate[a],
				       t->candidate[b]) < 0;
}

static bool on_asker_path(const struct gov_tournament *t, uint32_t node)
{
	return gov_tree_above(t->search->books->tree, node,
			      t->search->kind->team);
}

/*
 * Can nothing below this node be a victim any more?  What does not borrow is
 * left alone, but for the asker's own side: there may be an imbalance inside
 * of it.
 */
static bool is_done(struct gov_tournament *t, uint32_t node)
{
	const struct gov_policy *policy = t->search->books->policy;

	if (policy->unit[node].is_team && !t->candidate[node])
		return true;
	return !gov_tournament_share(t, node)->borrowing &&
	       !on_asker_path(t, node);
}

/* Is child a rather than b the one to descend to?  b may be GOV_NONE. */
static bool preferred(struct gov_tournament *t, uint32_t a, uint32_t b)
{
	const struct gov_policy *policy = t->search->books->policy;
	int order;

	if (b == GOV_NONE)
		return true;
	order = gov_share_compare(gov_tournament_share(t, a),
				  gov_tournament_share(t, b));
	if (order)
		return order > 0;
	/* A unit may hold somebody who is still more unfair. */
	if (policy->unit[a].is_team != policy->unit[b].is_team)
		return !policy->unit[a].is_team;
	return !policy->unit[a].is_team || gives_way_first(t, a, b);
}

/* The child to descend to; children that are done are left out for good. */
static uint32_t best_child(struct gov_tournament *t, uint32_t node)
{
	uint32_t best = GOV_NONE, *link = &t->first[node];

	while (*link != GOV_NONE) {
		uint32_t child = *link;

		if (is_done(t, child)) {
			*link = t->next[child];
			continue;
		}
		if (preferred(t, child, best))
			best = child;
		link = &t->next[child];
	}
	return best;
}

static void leave_out(struct gov_tournament *t, uint32_t node)
{
	uint32_t parent = t->search->books->tree->parent[node];
	uint32_t *link = &t->first[parent];

	while (*link != GOV_NONE && *link != node)
		link = &t->next[*link];
	if (*link == node)
		*link = t->next[node];
}

uint32_t gov_tournament_team(struct gov_tournament *t)
{
	const struct gov_policy *policy = t->search->books->policy;
	uint32_t root = gov_tree_root(t->search->books->tree), node = root;

	for (;;) {
		uint32_t child = best_child(t, node);

		if (child == GOV_NONE) {
			if (node == root)
				return GOV_NONE;
			leave_out(t, node);
			node = root;
			continue;
		}
		if (policy->unit[child].is_team)
			return child;
		node = child;
	}
}

void gov_tournament_pop(struct gov_tournament *t, uint32_t team)
{
	struct gov_record *job = t->candidate[team];

	t->candidate[team] = seek(t->search, team,
				  gov_search_next(t->search, job));
}

void gov_tournament_drop(struct gov_tournament *t, uint32_t team)
{
	leave_out(t, team);
}
