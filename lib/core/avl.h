/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A balanced search tree whose nodes live inside the caller's structures.
 *
 * Nothing is allocated.  Every element is in a tree at most once per node; the
 * fields that the order looks at must not change while it is in.  The order
 * must be total: no two elements compare equal.
 */
#ifndef GOVERNANCE_CORE_AVL_H
#define GOVERNANCE_CORE_AVL_H

#include <stddef.h>

struct gov_avl {
	struct gov_avl *child[2]; /* before, after */
	struct gov_avl *parent;
	struct gov_avl *beside[2]; /* previous, next in order */
	int height;		   /* 1 for a leaf */
};

struct gov_avl_tree {
	struct gov_avl *root;
	struct gov_avl *end[2]; /* first, last */
};

/* < 0 if a comes before b. */
typedef int (*gov_avl_order)(const struct gov_avl *a, const struct gov_avl *b,
			     const void *context);

void gov_avl_insert(struct gov_avl_tree *tree, struct gov_avl *node,
		    gov_avl_order order, const void *context);
void gov_avl_remove(struct gov_avl_tree *tree, struct gov_avl *node);

/* First, last and next in order; NULL at the end. */
static inline struct gov_avl *gov_avl_first(const struct gov_avl_tree *tree)
{
	return tree->end[0];
}

static inline struct gov_avl *gov_avl_last(const struct gov_avl_tree *tree)
{
	return tree->end[1];
}

static inline struct gov_avl *gov_avl_next(const struct gov_avl *node)
{
	return node->beside[1];
}

/*
 * Is the tree well formed: heights right, balanced, parents and neighbours
 * right, in order?
 * For tests and the self-check.
 */
int gov_avl_check(const struct gov_avl_tree *tree, gov_avl_order order,
		  const void *context);

#define GOV_CONTAINER(pointer, type, member) \
	((type *) (void *) ((char *) (pointer) -offsetof(type, member)))

#endif
