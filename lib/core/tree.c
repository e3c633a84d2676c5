/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/tree.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

/* ---- what follows from the policy ---- */

/* Set what the node shares and keeps, and pass the former to its parent. */
static void settle(struct gov_tree *tree, uint32_t node, uint32_t cell,
		   gov_amount_t lend)
{
	struct gov_node *n = gov_tree_at(tree, node, cell);

	n->shared = gov_amount_min(n->subtree, lend);
	n->local = gov_amount_sub(n->subtree, n->shared);
	if (tree->parent[node] != GOV_NONE) {
		struct gov_node *p = gov_tree_at(tree, tree->parent[node],
						 cell);

		p->subtree = gov_amount_add(p->subtree, n->shared);
		p->keeps |= n->keeps || n->local || !n->counted;
	}
}

static void settle_limit(struct gov_tree *tree, uint32_t cell)
{
	struct gov_top *top = &tree->top[cell];
	gov_amount_t limit =
		gov_tree_at(tree, gov_tree_root(tree), cell)->subtree;

	if (tree->policy->share_unallocated)
		limit = gov_amount_add(limit, gov_amount_sub(top->capacity,
							     top->quotas));
	if (tree->policy->capacity_clamp)
		limit = gov_amount_min(limit, top->capacity);
	top->limit = limit;
	tree->lendable_known = false;
}

static void settle_cell(struct gov_tree *tree, uint32_t cell)
{
	const struct gov_policy *policy = tree->policy;
	struct gov_top *top = &tree->top[cell];
	struct gov_node *root = gov_tree_at(tree, gov_tree_root(tree), cell);

	top->capacity = top->installed = GOV_UNLIMITED;
	root->nominal = policy->root_quota ? policy->root_quota[cell] : 0;
	root->subtree = root->nominal;
	root->borrow = 0;
	root->counted = true;
	top->quotas = root->nominal;
	for (uint32_t u = 0; u < policy->unit_count; u++) {
		const struct gov_quota *quota = &policy->unit[u].quota[cell];
		struct gov_node *node = gov_tree_at(tree, u, cell);

		node->nominal = node->subtree = quota->nominal;
		node->borrow = quota->borrow;
		node->counted = quota->counted;
		top->quotas = gov_amount_add(top->quotas, quota->nominal);
	}
	for (uint32_t i = policy->unit_count; i-- > 0;) {
		uint32_t u = policy->unit_order[i];

		settle(tree, u, cell, policy->unit[u].quota[cell].lend);
	}
	settle(tree, gov_tree_root(tree), cell, GOV_UNLIMITED);
	settle_limit(tree, cell);
}

static void settle_shape(struct gov_tree *tree)
{
	const struct gov_policy *policy = tree->policy;
	uint32_t root = gov_tree_root(tree);

	tree->parent[root] = tree->sibling[root] = GOV_NONE;
	tree->height[root] = 0;
	for (uint32_t n = 0; n < tree->node_count; n++)
		tree->first[n] = GOV_NONE;
	/* From the last one on, so that children are listed by index. */
	for (uint32_t u = policy->unit_count; u-- > 0;) {
		const struct gov_unit *unit = &policy->unit[u];
		uint32_t parent = unit->parent == GOV_NONE ? root :
							     unit->parent;

		tree->parent[u] = parent;
		tree->sibling[u] = tree->first[parent];
		tree->first[parent] = u;
		tree->height[u] = unit->height;
		if (tree->height[root] < unit->height + 1)
			tree->height[root] = unit->height + 1;
	}
}

struct gov_tree *gov_tree_create(const struct gov_policy *policy)
{
	struct gov_tree *tree = calloc(1, sizeof(*tree));
	size_t nodes = (size_t) policy->unit_count + 1;

	if (!tree)
		return NULL;
	tree->policy = policy;
	tree->node_count = (uint32_t) nodes;
	tree->cell_count = policy->cell_count;
	tree->parent = gov_array_new(nodes, sizeof(*tree->parent));
	tree->height = gov_array_new(nodes, sizeof(*tree->height));
	tree->first = gov_array_new(nodes, sizeof(*tree->first));
	tree->sibling = gov_array_new(nodes, sizeof(*tree->sibling));
	tree->at = gov_array_new(nodes * policy->cell_count, sizeof(*tree->at));
	tree->top = gov_array_new(policy->cell_count, sizeof(*tree->top));
	tree->lendable = gov_array_new(nodes * policy->tres_count,
				       sizeof(*tree->lendable));
	if (!tree->parent || !tree->height || !tree->first || !tree->sibling ||
	    !tree->at || !tree->top || !tree->lendable) {
		gov_tree_destroy(tree);
		return NULL;
	}
	settle_shape(tree);
	for (uint32_t c = 0; c < tree->cell_count; c++)
		settle_cell(tree, c);
	return tree;
}

void gov_tree_destroy(struct gov_tree *tree)
{
	if (!tree)
		return;
	free(tree->parent);
	free(tree->height);
	free(tree->first);
	free(tree->sibling);
	free(tree->at);
	free(tree->top);
	free(tree->lendable);
	free(tree);
}

void gov_tree_set_capacity(struct gov_tree *tree, uint32_t cell,
			   gov_amount_t amount)
{
	tree->top[cell].capacity = amount;
	settle_limit(tree, cell);
}

void gov_tree_set_installed(struct gov_tree *tree, uint32_t cell,
			    gov_amount_t amount)
{
	tree->top[cell].installed = amount;
}

/* ---- charging ---- */

void gov_tree_reserve(struct gov_tree *tree, uint32_t team, uint32_t cell,
		      gov_amount_t amount)
{
	uint32_t n = team == GOV_NONE ? gov_tree_root(tree) : team;
	struct gov_node *node = gov_tree_at(tree, n, cell);

	if (team != GOV_NONE && node->counted && node->usage <= node->subtree &&
	    node->usage + amount > node->subtree)
		tree->top[cell].borrowers++;
	for (; n != GOV_NONE && amount; n = tree->parent[n]) {
		gov_amount_t before;

		node = gov_tree_at(tree, n, cell);
		before = gov_amount_sub(node->usage, node->local);
		node->usage += amount;
		if (!node->counted)
			return;
		amount = gov_amount_sub(node->usage, node->local) - before;
	}
}

void gov_tree_unreserve(struct gov_tree *tree, uint32_t team, uint32_t cell,
			gov_amount_t amount)
{
	uint32_t n = team == GOV_NONE ? gov_tree_root(tree) : team;
	struct gov_node *node = gov_tree_at(tree, n, cell);

	if (team != GOV_NONE && node->counted && node->usage > node->subtree &&
	    node->usage - amount <= node->subtree)
		tree->top[cell].borrowers--;
	for (; n != GOV_NONE && amount; n = tree->parent[n]) {
		gov_amount_t before;

		node = gov_tree_at(tree, n, cell);
		before = gov_amount_sub(node->usage, node->local);
		node->usage -= amount;
		if (!node->counted)
			return;
		amount = before - gov_amount_sub(node->usage, node->local);
	}
}

void gov_tree_charge(struct gov_tree *tree, uint32_t team, uint32_t cell,
		     gov_amount_t amount)
{
	tree->top[cell].charged += amount;
	gov_tree_reserve(tree, team, cell, amount);
}

void gov_tree_release(struct gov_tree *tree, uint32_t team, uint32_t cell,
		      gov_amount_t amount)
{
	tree->top[cell].charged -= amount;
	gov_tree_unreserve(tree, team, cell, amount);
}

/* ---- questions ---- */

/* The nodes from `node` up to the root; returns how many. */
static uint32_t path_up(const struct gov_tree *tree, uint32_t node,
			uint32_t path[GOV_DEPTH_MAX + 1])
{
	uint32_t count = 0;

	for (; node != GOV_NONE; node = tree->parent[node])
		path[count++] = node;
	return count;
}

gov_amount_t gov_tree_local_free(const struct gov_tree *tree, uint32_t node,
				 uint32_t cell)
{
	const struct gov_node *n = gov_tree_at(tree, node, cell);

	return gov_amount_sub(n->local, n->usage);
}

gov_amount_t gov_tree_available(const struct gov_tree *tree, uint32_t node,
				uint32_t cell)
{
	uint32_t path[GOV_DEPTH_MAX + 1];
	uint32_t count = path_up(tree, node, path);
	gov_amount_t available;

	if (!gov_tree_at(tree, node, cell)->counted)
		return GOV_UNLIMITED;
	available =
		gov_amount_sub(tree->top[cell].limit,
			       gov_tree_at(tree, path[count - 1], cell)->usage);
	for (uint32_t i = count - 1; i-- > 0;) {
		const struct gov_node *n = gov_tree_at(tree, path[i], cell);
		gov_amount_t in_parent = gov_amount_sub(n->usage, n->local);
		gov_amount_t most = gov_amount_sub(gov_amount_add(n->shared,
								  n->borrow),
						   in_parent);

		available = gov_amount_add(gov_amount_sub(n->local, n->usage),
					   gov_amount_min(available, most));
	}
	return available;
}

/* What node could have at most if the root could give out `limit`. */
static gov_amount_t at_most(const struct gov_tree *tree, uint32_t node,
			    uint32_t cell, gov_amount_t limit)
{
	uint32_t path[GOV_DEPTH_MAX + 1];
	uint32_t count = path_up(tree, node, path);

	if (!gov_tree_at(tree, node, cell)->counted)
		return GOV_UNLIMITED;
	for (uint32_t i = count - 1; i-- > 0;) {
		const struct gov_node *n = gov_tree_at(tree, path[i], cell);

		limit = gov_amount_min(gov_amount_add(n->local, limit),
				       gov_amount_add(n->subtree, n->borrow));
	}
	return limit;
}

gov_amount_t gov_tree_potential(const struct gov_tree *tree, uint32_t node,
				uint32_t cell)
{
	return at_most(tree, node, cell, tree->top[cell].limit);
}

gov_amount_t gov_tree_ceiling(const struct gov_tree *tree, uint32_t node,
			      uint32_t cell)
{
	const struct gov_top *top = &tree->top[cell];
	gov_amount_t limit =
		gov_tree_at(tree, gov_tree_root(tree), cell)->subtree;

	if (tree->policy->share_unallocated)
		limit = gov_amount_add(limit, gov_amount_sub(top->installed,
							     top->quotas));
	limit = at_most(tree, node, cell, limit);
	if (tree->policy->capacity_clamp)
		limit = gov_amount_min(limit, top->installed);
	return limit;
}

static gov_amount_t physical(const struct gov_tree *tree, uint32_t cell)
{
	return tree->policy->capacity_clamp ?
		       gov_amount_min(tree->top[cell].capacity,
				      GOV_AMOUNT_MAX) :
		       GOV_AMOUNT_MAX;
}

gov_amount_t gov_tree_free_later(const struct gov_tree *tree, uint32_t cell)
{
	return gov_amount_sub(physical(tree, cell), tree->top[cell].charged);
}

gov_amount_t gov_tree_free_now(const struct gov_tree *tree, uint32_t cell)
{
	const struct gov_top *top = &tree->top[cell];

	return gov_amount_sub(gov_tree_free_later(tree, cell),
			      top->leaving - top->claimed);
}

gov_amount_t gov_tree_arrived(const struct gov_tree *tree, uint32_t cell)
{
	const struct gov_top *top = &tree->top[cell];
	gov_amount_t rest = gov_amount_sub(physical(tree, cell),
					   top->charged - top->awaited);

	return gov_amount_sub(rest, top->leaving - top->claimed);
}

gov_amount_t gov_tree_borrowed(const struct gov_tree *tree, uint32_t node,
			       uint32_t cell)
{
	const struct gov_node *n = gov_tree_at(tree, node, cell);

	return n->counted ? gov_amount_sub(n->usage, n->subtree) : 0;
}

bool gov_tree_is_oversold(const struct gov_tree *tree, uint32_t cell)
{
	const struct gov_top *top = &tree->top[cell];

	return top->quotas > top->capacity;
}

bool gov_tree_borrows_with(const struct gov_tree *tree, uint32_t node,
			   uint32_t cell, gov_amount_t amount)
{
	const struct gov_node *n = gov_tree_at(tree, node, cell);

	return n->counted && gov_amount_add(n->usage, amount) > n->subtree;
}

uint32_t gov_tree_level(const struct gov_tree *tree, uint32_t team,
			uint32_t cell, gov_amount_t amount, bool *below_root)
{
	uint32_t node = team, root = gov_tree_root(tree);
	bool below = true;

	while (gov_tree_borrows_with(tree, node, cell, amount)) {
		if (node == root) {
			below = false;
			break;
		}
		amount = gov_amount_sub(amount,
					gov_tree_local_free(tree, node, cell));
		node = tree->parent[node];
	}
	if (below_root)
		*below_root = below && node != root;
	return tree->height[node];
}

bool gov_tree_above(const struct gov_tree *tree, uint32_t node, uint32_t other)
{
	while (other != GOV_NONE && other != node)
		other = tree->parent[other];
	return other == node;
}

uint32_t gov_tree_common(const struct gov_tree *tree, uint32_t a, uint32_t b)
{
	while (!gov_tree_above(tree, a, b))
		a = tree->parent[a];
	return a;
}
