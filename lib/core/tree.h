/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The quota tree: what every node may use, and what it uses, per cell.
 *
 * Plain numbers over a finished policy (semantics, section 2).  A node is a
 * unit of the policy (same index) or the root, gov_tree_root().  What is
 * charged at a team is carried upwards past what each node keeps for itself:
 *
 *     subtree(n) = nominal(n) + sum over children of shared(child)
 *     shared(n)  = min(subtree(n), lend limit)      the parent may lend this
 *     local(n)   = subtree(n) - shared(n)           never lent
 *     usage(n)   = sum over children of max(0, usage(child) - local(child))
 *
 * Physical facts (healthy capacity, what is held in all, what is leaving) are
 * kept beside it, once per cell.  Nothing here knows of jobs.
 */
#ifndef GOVERNANCE_CORE_TREE_H
#define GOVERNANCE_CORE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/amount.h"
#include "core/policy.h"

/* One node in one cell. */
struct gov_node {
	gov_amount_t nominal; /* its own quota */
	gov_amount_t subtree;
	gov_amount_t shared;
	gov_amount_t local;
	gov_amount_t borrow; /* limit; GOV_UNLIMITED: none */
	gov_amount_t usage;
	bool counted; /* false: a team that is not limited here */
	bool keeps;   /* below it something is never lent, or a team
				   is not limited */
};

/* One cell as a whole. */
struct gov_top {
	gov_amount_t capacity;	/* healthy; GOV_UNLIMITED until set */
	gov_amount_t installed; /* healthy or not; likewise */
	gov_amount_t quotas;	/* sum of all nominal quotas */
	gov_amount_t limit;	/* what the root can give out */
	gov_amount_t charged;	/* held by jobs, whatever the policy says */
	gov_amount_t leaving;	/* held by jobs that were told to leave */
	gov_amount_t claimed;	/* of leaving: charged already to askers */
	gov_amount_t awaited;	/* of charged: by those who claim what leaves
				   for others */
	uint32_t borrowers;	/* teams that use more than they own */
};

struct gov_tree {
	const struct gov_policy *policy; /* borrowed */
	uint32_t node_count;		 /* units and the root */
	uint32_t cell_count;
	uint32_t *parent;	/* per node; GOV_NONE for the root */
	uint32_t *height;	/* per node; 0 for a leaf */
	uint32_t *first;	/* per node: its first child, or GOV_NONE */
	uint32_t *sibling;	/* per node: next child of its parent, ditto */
	struct gov_node *at;	/* [node * cell_count + cell] */
	struct gov_top *top;	/* per cell */
	gov_amount_t *lendable; /* [node * tres_count + tres], see share.h */
	bool lendable_known;
};

/* NULL: out of memory.  The policy must outlive the tree. */
struct gov_tree *gov_tree_create(const struct gov_policy *policy);
void gov_tree_destroy(struct gov_tree *tree);

static inline uint32_t gov_tree_root(const struct gov_tree *tree)
{
	return tree->node_count - 1;
}

static inline struct gov_node *gov_tree_at(const struct gov_tree *tree,
					   uint32_t node, uint32_t cell)
{
	return &tree->at[(size_t) node * tree->cell_count + cell];
}

/* Healthy / installed capacity of a cell; GOV_UNLIMITED: not known. */
void gov_tree_set_capacity(struct gov_tree *tree, uint32_t cell,
			   gov_amount_t amount);
void gov_tree_set_installed(struct gov_tree *tree, uint32_t cell,
			    gov_amount_t amount);

/*
 * Charge an amount to a team (GOV_NONE: a job without a team, charged to the
 * root), or give it back.  Released must have been charged before.  The
 * caller keeps charged + leaving within GOV_AMOUNT_MAX.
 */
void gov_tree_charge(struct gov_tree *tree, uint32_t team, uint32_t cell,
		     gov_amount_t amount);
void gov_tree_release(struct gov_tree *tree, uint32_t team, uint32_t cell,
		      gov_amount_t amount);

/*
 * The same for the tree alone, without touching what is physically held:
 * capacity that is kept out of others' reach, and simulations.
 */
void gov_tree_reserve(struct gov_tree *tree, uint32_t team, uint32_t cell,
		      gov_amount_t amount);
void gov_tree_unreserve(struct gov_tree *tree, uint32_t team, uint32_t cell,
			gov_amount_t amount);

/*
 * How much more the node could be given by policy, all levels considered;
 * never below 0.  GOV_UNLIMITED for a team that is not limited here.
 */
gov_amount_t gov_tree_available(const struct gov_tree *tree, uint32_t node,
				uint32_t cell);

/* What it could have if nobody used anything, with what is healthy now. */
gov_amount_t gov_tree_potential(const struct gov_tree *tree, uint32_t node,
				uint32_t cell);

/* The same if every installed node were healthy: beyond it is never. */
gov_amount_t gov_tree_ceiling(const struct gov_tree *tree, uint32_t node,
			      uint32_t cell);

/* Physically free at this moment, not counting what is leaving. */
gov_amount_t gov_tree_free_now(const struct gov_tree *tree, uint32_t cell);
/* Physically there for those who claim what leaves for others. */
gov_amount_t gov_tree_arrived(const struct gov_tree *tree, uint32_t cell);
/* Physically free once everything that is leaving has left. */
gov_amount_t gov_tree_free_later(const struct gov_tree *tree, uint32_t cell);

/* Do the quotas of the cell promise more than is healthy? */
bool gov_tree_is_oversold(const struct gov_tree *tree, uint32_t cell);

/* max(0, usage - what the node and those below it own). */
gov_amount_t gov_tree_borrowed(const struct gov_tree *tree, uint32_t node,
			       uint32_t cell);

/* Would the node borrow if it used `amount` more? */
bool gov_tree_borrows_with(const struct gov_tree *tree, uint32_t node,
			   uint32_t cell, gov_amount_t amount);

/* max(0, local - usage): what it has left that is never lent. */
gov_amount_t gov_tree_local_free(const struct gov_tree *tree, uint32_t node,
				 uint32_t cell);

/*
 * Height of the lowest node from the team upwards whose quota can host the
 * amount; 0: the team's own, it does not borrow; the root's height if none
 * can.  *below_root (may be NULL): a node below the root can.
 */
uint32_t gov_tree_level(const struct gov_tree *tree, uint32_t team,
			uint32_t cell, gov_amount_t amount, bool *below_root);

/* Is `node` equal to, or above, `other`? */
bool gov_tree_above(const struct gov_tree *tree, uint32_t node, uint32_t other);

/* Lowest node that is above both teams. */
uint32_t gov_tree_common(const struct gov_tree *tree, uint32_t a, uint32_t b);

#endif
