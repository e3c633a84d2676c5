/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Choosing among pools: how well an option would serve a job, which of two is
 * better, and when to stop looking.  An option is whatever the caller tries in
 * the team's order of preference, as a rule one pool.
 */
#ifndef GOVERNANCE_CORE_CHOICE_H
#define GOVERNANCE_CORE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/policy.h"

/* How an option would serve the job; greater is better. */
enum gov_fit {
	GOV_FIT_NEVER,	    /* limits forbid it, or nothing could free it */
	GOV_FIT_NO_VICTIMS, /* it would need victims, and there are none */
	GOV_FIT_PREEMPT,    /* jobs of the own team (too) would give way */
	GOV_FIT_RECLAIM,    /* jobs of other teams only would give way */
	GOV_FIT_NOW,	    /* free quota takes it */
};

struct gov_option {
	enum gov_fit fit;
	/* Height of the unit whose quota would host it; 0: the team's own. */
	uint32_t level;
};

/* What counts more where one option must borrow and another must preempt. */
enum gov_preference { GOV_PREFER_BORROWING, GOV_PREFER_PREEMPTION };

struct gov_fungibility {
	bool look_on_if_borrowing; /* else the first that fits is taken */
	bool look_on_if_preempting;
	enum gov_preference preference;
};

/*
 * Is a better than b?  What can be had beats what can not, whatever the
 * preference says.  Neither is better than the other if they are equal.
 */
bool gov_option_better(struct gov_option a, struct gov_option b,
		       enum gov_preference preference);

/* The less good of two: what a set of cells that must all be had is worth. */
struct gov_option gov_option_worst(struct gov_option a, struct gov_option b,
				   enum gov_preference preference);

/* May the search stop at this option? */
bool gov_option_suffices(struct gov_option option,
			 const struct gov_fungibility *how);

struct gov_choice {
	uint32_t index; /* of the chosen option; GOV_NONE: none fits */
	struct gov_option option;
	/* Where to look on next time; 0 if all options have been looked at. */
	uint32_t next;
};

/*
 * Try options first .. count - 1 in this order and choose: the first that
 * suffices, else the best, the earlier of equal ones.  try_option says what
 * an option is worth; it is called at most once for each.
 */
struct gov_choice gov_choose(
	const struct gov_fungibility *how, uint32_t first, uint32_t count,
	struct gov_option (*try_option)(uint32_t index, void *arg), void *arg);

#endif
