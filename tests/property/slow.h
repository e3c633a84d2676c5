/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The quota arithmetic of the semantics once more, as the page has it:
 * everything from the list of jobs, nothing kept, wide signed numbers, no line
 * shared with lib/core.
 */
#ifndef PROPERTY_SLOW_H
#define PROPERTY_SLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "history.h"

typedef __int128 wide;

/* Greater than every sum of amounts. */
#define WIDE_UNLIMITED ((wide) 1 << 100)

#define ROOT UNITS /* index of the root in what follows */

struct slow_holder { /* what one job holds */
	int team;    /* index of the spec, or NONE */
	int project;
	uint32_t user;
	int items;
	struct item item[ITEMS];
};

struct slow {
	const struct spec *spec;
	wide nominal[UNITS + 1][CELLS];
	wide subtree[UNITS + 1][CELLS];
	wide local[UNITS + 1][CELLS];  /* never lent to the parent */
	wide borrow[UNITS + 1][CELLS]; /* limit in force */
	bool counted[UNITS + 1][CELLS];
	wide usage[UNITS + 1][CELLS];
	wide held[CELLS];     /* by all jobs, also of no team */
	wide orphaned[CELLS]; /* by jobs of no team */
	wide total[CELLS];    /* what the root has to give */
};

/* Everything that follows from the policy. */
void slow_policy(struct slow *slow, const struct spec *spec);
/* Usage of nobody. */
void slow_clear(struct slow *slow);
/* Add what one job holds, or take it away (sign -1). */
void slow_add(struct slow *slow, const struct slow_holder *job, int sign);
/* Bring the inner units' usage up to date after slow_add(). */
void slow_sum(struct slow *slow);

/* What `unit` could still be given; may be below zero at the root only. */
wide slow_available(const struct slow *slow, int unit, int cell);
/* Usage beyond what the unit has of its own and below. */
wide slow_over(const struct slow *slow, int unit, int cell);
int slow_parent(const struct slow *slow, int unit);

/*
 * Share of a unit as a fraction: over / (lendable * weight), the greatest over
 * the TRES.  weight 0 with over > 0: denominator 0.
 */
struct slow_share {
	bool borrowing;
	wide over, lendable; /* unweighted; 0/1 if not over */
	int weight, weight_scale;
};
struct slow_share slow_share(const struct slow *slow, int unit);
/* < 0, 0, > 0 as a is smaller than, equal to or greater than b. */
int slow_compare(const struct slow_share *a, const struct slow_share *b);

#endif
