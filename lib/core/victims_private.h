/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the search for victims share. */
#ifndef GOVERNANCE_CORE_VICTIMS_PRIVATE_H
#define GOVERNANCE_CORE_VICTIMS_PRIVATE_H

#include "core/victims.h"

/* Whose jobs may be taken. */
struct gov_plan {
	bool own;		/* lower classes of the asker's team */
	bool own_first;		/* before others', not after them */
	enum gov_rule others;	/* by which rule others' are; NONE: not */
	uint32_t outside;	/* others: not below this node */
	bool keep_guarantee;	/* others: no team may end below its quota */
};

/*
 * Carry a plan out on the books: take one candidate after the other until
 * the asker fits, put back what was not needed, newest first, and restore the
 * books.  true: search->victim holds a minimal legal set.
 */
bool gov_plan_run(struct gov_search *search, const struct gov_plan *plan);

/* Whom the asker may displace in its own team: its class's word or the
 * team's. */
enum gov_preempt gov_within_team(const struct gov_policy *policy,
				 const struct gov_kind *kind);

/*
 * May this job of another team be taken by this rule, with the books as they
 * are (earlier victims taken out)?
 */
bool gov_may_take(struct gov_search *search, const struct gov_plan *plan,
		  const struct gov_record *job);

#endif
