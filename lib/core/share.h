/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dominant share of a node: how much of what its parent can have at all
 * the node holds beyond its own quota, in the TRES where that is most, over
 * its weight (semantics, section 3).
 *
 *     over(n,r)     = sum over pools of max(0, usage - subtree)
 *     lendable(p,r) = sum over pools of what p could ever have
 *     share(n)      = max over r of over(n,r) / lendable(parent,r), / weight
 *
 * An exact fraction, compared exactly: one unit over in a pool of a million
 * is more than none.  Whether a node borrows is kept apart from how much.
 */
#ifndef GOVERNANCE_CORE_SHARE_H
#define GOVERNANCE_CORE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine.h"
#include "core/tree.h"

struct gov_share {
	bool borrowing;		  /* over in some TRES, lendable or not */
	uint32_t tres;		  /* the dominant one; GOV_NONE: share is 0 */
	gov_amount_t over;	  /* of that TRES; 0 if there is none */
	gov_amount_t lendable;	  /* likewise; never 0 */
	struct gov_weight weight; /* of the node */
};

/*
 * Share of a node with what is charged now; the root has none.  Fills the
 * tree's table of lendable amounts when it is not up to date.
 */
void gov_share_of(struct gov_tree *tree, uint32_t node,
		  struct gov_share *share);

/*
 * < 0, 0 or > 0 as a is smaller than, equal to or greater than b.  Weight 0
 * makes a share that is not 0 greater than all others; two of these are
 * compared without weight.
 */
int gov_share_compare(const struct gov_share *a, const struct gov_share *b);

/* In thousandths, rounded up, for people; UINT64_MAX: weight 0. */
uint64_t gov_share_permille(const struct gov_share *share);

/* Does the node borrow in a cell that the request asks of? */
bool gov_share_borrows_in(const struct gov_tree *tree, uint32_t node,
			  const struct gov_request *request);

#endif
