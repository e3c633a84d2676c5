/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/avl.h"

static int height(const struct gov_avl *node)
{
	return node ? node->height : 0;
}

static void measure(struct gov_avl *node)
{
	int a = height(node->child[0]), b = height(node->child[1]);

	node->height = 1 + (a > b ? a : b);
}

/* Put `to` where `from` hangs. */
static void replace(struct gov_avl_tree *tree, const struct gov_avl *from,
		    struct gov_avl *to)
{
	struct gov_avl *parent = from->parent;

	if (!parent)
		tree->root = to;
	else
		parent->child[parent->child[1] == from] = to;
	if (to)
		to->parent = parent;
}

/* Lift node's child on `side` above it; returns that child. */
static struct gov_avl *rotate(struct gov_avl_tree *tree, struct gov_avl *node,
			      int side)
{
	struct gov_avl *up = node->child[side];
	struct gov_avl *inner = up->child[!side];

	replace(tree, node, up);
	up->child[!side] = node;
	node->parent = up;
	node->child[side] = inner;
	if (inner)
		inner->parent = node;
	measure(node);
	measure(up);
	return up;
}

/* Restore balance from node up to the root. */
static void rebalance(struct gov_avl_tree *tree, struct gov_avl *node)
{
	for (; node; node = node->parent) {
		int lean = height(node->child[1]) - height(node->child[0]);
		int before = node->height;
		int side = lean > 0;
		struct gov_avl *child = node->child[side];

		measure(node);
		if (lean >= -1 && lean <= 1) {
			if (node->height == before)
				return;
			continue;
		}
		if (height(child->child[!side]) > height(child->child[side]))
			rotate(tree, child, !side);
		node = rotate(tree, node, side);
	}
}

/* The new leaf hangs on this side of its parent: who stands beside it? */
static void line_up(struct gov_avl_tree *tree, struct gov_avl *node, int side)
{
	struct gov_avl *parent = node->parent;
	struct gov_avl *far = parent ? parent->beside[side] : NULL;

	node->beside[!side] = parent;
	node->beside[side] = far;
	if (parent)
		parent->beside[side] = node;
	else
		tree->end[!side] = node;
	if (far)
		far->beside[!side] = node;
	else
		tree->end[side] = node;
}

static void step_out(struct gov_avl_tree *tree, const struct gov_avl *node)
{
	for (int side = 0; side < 2; side++) {
		struct gov_avl *neighbour = node->beside[side];

		if (neighbour)
			neighbour->beside[!side] = node->beside[!side];
		else
			tree->end[side] = node->beside[!side];
	}
}

void gov_avl_insert(struct gov_avl_tree *tree, struct gov_avl *node,
		    gov_avl_order order, const void *context)
{
	struct gov_avl **link = &tree->root, *parent = NULL;
	int side = 0;

	while (*link) {
		parent = *link;
		side = order(node, parent, context) > 0;
		link = &parent->child[side];
	}
	node->child[0] = node->child[1] = NULL;
	node->parent = parent;
	node->height = 1;
	*link = node;
	line_up(tree, node, side);
	rebalance(tree, parent);
}

void gov_avl_remove(struct gov_avl_tree *tree, struct gov_avl *node)
{
	struct gov_avl *next, *from;

	step_out(tree, node);
	if (!node->child[0] || !node->child[1]) {
		from = node->parent;
		replace(tree, node, node->child[!node->child[0]]);
		rebalance(tree, from);
		return;
	}
	next = node->child[1];
	while (next->child[0])
		next = next->child[0];
	from = next->parent == node ? next : next->parent;
	if (next->parent != node) {
		replace(tree, next, next->child[1]);
		next->child[1] = node->child[1];
		next->child[1]->parent = next;
	}
	next->child[0] = node->child[0];
	next->child[0]->parent = next;
	replace(tree, node, next);
	next->height = node->height;
	rebalance(tree, from);
}

static int check_node(const struct gov_avl *node)
{
	int a, b;

	if (!node)
		return 0;
	a = check_node(node->child[0]);
	b = check_node(node->child[1]);
	if (a < 0 || b < 0 || a - b > 1 || b - a > 1 ||
	    node->height != 1 + (a > b ? a : b))
		return -1;
	for (int side = 0; side < 2; side++)
		if (node->child[side] && node->child[side]->parent != node)
			return -1;
	return node->height;
}

int gov_avl_check(const struct gov_avl_tree *tree, gov_avl_order order,
		  const void *context)
{
	const struct gov_avl *node = gov_avl_first(tree), *next;

	if (check_node(tree->root) < 0 || !tree->root != !node ||
	    (node && node->beside[0]))
		return -1;
	for (; node && (next = gov_avl_next(node)); node = next)
		if (order(node, next, context) >= 0 || next->beside[0] != node)
			return -1;
	return node == gov_avl_last(tree) ? 0 : -1;
}
