/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loans: who lends what to whom at this moment (semantics, section 6).
 *
 * What a team uses beyond its quota is matched, level by level from the
 * bottom, with what others have unused and may lend: siblings before cousins,
 * lenders in proportion to what each could give (largest remainder, ties by
 * the order of the policy).  What nobody below the root lends comes from
 * lender GOV_NONE: quota of the root, unallocated capacity, or more in use
 * than anybody owns.  So lent and borrowed are equal by construction.
 */
#ifndef GOVERNANCE_CORE_LOANS_H
#define GOVERNANCE_CORE_LOANS_H

#include <stddef.h>

#include "core/engine.h"
#include "core/tree.h"

/* Grows; start with all zero, free .item with free(). */
struct gov_loan_list {
	struct gov_loan *item;
	size_t count;
	size_t space;
};

/*
 * Append the loans of one cell, ordered by borrower, then lender, both by
 * index.  0, or -1 out of memory (what was appended stays in the list).
 */
int gov_loans_attribute(const struct gov_tree *tree, uint32_t cell,
			struct gov_loan_list *list);

#endif
