/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what a job asks for to cells: which pool serves which part of it.
 *
 * A job has one or more parts (the components of a het job).  The TRES of a
 * team come in groups; all TRES of a group are taken from the same pool, one
 * of the group's in the team's order of preference.  A team whose pools all
 * offer the same TRES has one group.  Parts that belong together share their
 * choice; the others see what those before them take.
 *
 * Nothing is charged here.
 */
#ifndef GOVERNANCE_CORE_ASSIGN_H
#define GOVERNANCE_CORE_ASSIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/choice.h"
#include "core/engine.h"
#include "core/tree.h"

#define GOV_PARTS_MAX 16
#define GOV_GROUPS_MAX 16

/* Tasks that all ask for the same. */
struct gov_part {
	uint32_t count;	   /* tasks */
	uint32_t least;	   /* runs with as few; count if it does not */
	uint32_t together; /* parts with the same number go together */
	uint32_t tres_count;
	struct {
		uint32_t tres;
		gov_amount_t per_task;
	} ask[GOV_REQUEST_MAX];
	const bool *refused; /* by pool: it cannot run there; or NULL */
};

struct gov_group {
	const uint32_t *tres;
	uint32_t tres_count;
	const uint32_t *pool; /* best first */
	uint32_t pool_count;
};

/* Where the search for a part and group starts, and what it is bound to. */
struct gov_assign_start {
	uint32_t first; /* position among the group's pools */
	uint32_t only;	/* the only pool that may be taken; GOV_NONE */
};

struct gov_assign_ask {
	const struct gov_tree *tree;
	uint32_t team;
	const struct gov_group *group;
	uint32_t group_count; /* at most GOV_GROUPS_MAX */
	const struct gov_part *part;
	uint32_t part_count;   /* at most GOV_PARTS_MAX */
	const uint32_t *count; /* tasks of each part; NULL: all of them */
	/* [part][group]; NULL: from the first pool on. */
	const struct gov_assign_start (*start)[GOV_GROUPS_MAX];
	struct gov_fungibility how;
	/* May look for victims even where the team would then borrow. */
	bool preempts_while_borrowing;
	/*
	 * Whether victims could be found so that the team may hold `amount` of
	 * `cell`, and at what level it would be then: NO_VICTIMS, PREEMPT or
	 * RECLAIM.
	 */
	struct gov_option (*simulate)(uint32_t cell, gov_amount_t amount,
				      void *arg);
	void *arg;
};

/* Why nothing fits; the more lasting reason is greater. */
enum gov_misfit {
	GOV_MISFIT_NONE,
	GOV_MISFIT_WAITING, /* quota is in use */
	GOV_MISFIT_EXCEEDS, /* more than the team could ever have */
	GOV_MISFIT_NO_POOL, /* no pool offers it */
};

struct gov_assigned_part {
	uint32_t count;	     /* tasks that were asked for */
	uint32_t tres_count; /* 0: it was not or could not be assigned */
	struct {
		uint32_t tres;
		uint32_t cell;
		gov_amount_t amount;
		enum gov_fit fit;
		uint32_t level;
	} tres[GOV_REQUEST_MAX];
	uint32_t next[GOV_GROUPS_MAX]; /* see gov_choice.next */
};

struct gov_assignment {
	/* NEVER, NO_VICTIMS (victims are needed in some cell), or NOW. */
	enum gov_fit fit;
	enum gov_misfit misfit;
	uint32_t level;	     /* greatest of all cells */
	uint32_t part_count; /* parts looked at */
	struct gov_assigned_part part[GOV_PARTS_MAX];
	struct gov_request request; /* of all parts, zeros left out */
	uint32_t contended_count;
	uint32_t contended[GOV_REQUEST_MAX]; /* cells that need victims */
};

/*
 * Choose pools for a job.  0, or -1 if the job has more cells than a request
 * can have (the assignment then fits never).
 */
int gov_assign(const struct gov_assign_ask *ask,
	       struct gov_assignment *assignment);

/*
 * gov_tree_level() for one cell of a job: 0 always for a team that neither
 * lends nor borrows there, since nothing above it is of any concern to it.
 * *below_root may not be NULL.
 */
uint32_t gov_assign_level(const struct gov_tree *tree, uint32_t team,
			  uint32_t cell, gov_amount_t amount, bool *below_root);

/*
 * The largest job between all tasks and the least of each part for which fits
 * says yes; parts shrink in proportion.  fits must be monotone.  Writes the
 * counts; false if no part can shrink or nothing fits.  Asks fits at most
 * log2 of the number of tasks often; its last call need not be the answer.
 */
bool gov_assign_shrink(const struct gov_part *part, uint32_t part_count,
		       uint32_t *count,
		       bool (*fits)(const uint32_t *count, void *arg),
		       void *arg);

#endif
