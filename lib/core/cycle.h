/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over the heads of several teams' queues.
 *
 * Each team puts forward one job.  Where it could go, and whose place it would
 * have to take, is worked out for all of them on the same state (nominated);
 * then they are taken in order, each looked at again on what the ones before
 * it left.  Who gives way to one is not there for another, and keeps its
 * quota until it has left: what is freed belongs to the job it left for.
 *
 * The engine settles job by job on incremental books and needs no passes; this
 * one serves what asks for a whole picture at once: planning, comparison with
 * other schedulers, and the choice of a pool with a look at victims.
 */
#ifndef GOVERNANCE_CORE_CYCLE_H
#define GOVERNANCE_CORE_CYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/assign.h"
#include "core/books.h"
#include "core/victims.h"

enum gov_outcome {
	GOV_OUT_NO_FIT,	    /* assignment.misfit says why */
	GOV_OUT_NO_VICTIMS, /* nobody gives way; waits for quota */
	GOV_OUT_OVERLAP,    /* its victims went to an earlier head */
	GOV_OUT_NO_ROOM,    /* an earlier head took the room */
	GOV_OUT_DEFERRED,   /* fits once the victims of others are gone */
	GOV_OUT_CLAIMS,	    /* victim[] give way for it */
	GOV_OUT_ADMITTED,
};

struct gov_standing;

struct gov_head {
	/* In. */
	uint64_t id;
	uint32_t team;
	uint32_t class;
	uint32_t user;
	bool no_borrow;
	bool claimant;	  /* its victims of an earlier pass leave */
	gov_time_t since; /* its age counts from here */
	const struct gov_part *part;
	uint32_t part_count;
	const struct gov_group *group;
	uint32_t group_count;
	struct gov_fungibility how;
	/* In and out: where to look on in the next pass. */
	struct gov_assign_start start[GOV_PARTS_MAX][GOV_GROUPS_MAX];
	/* Out. */
	enum gov_outcome outcome;
	struct gov_assignment assignment;
	struct gov_victim *victim; /* owned; gov_cycle_free() */
	size_t victim_count;
	/* Private. */
	struct gov_kind *kind;	 /* of the assigned request */
	struct gov_request kept; /* from others, in this pass */
	struct gov_standing *standing;
	bool done;
};

struct gov_cycle {
	struct gov_books *books;
	gov_time_t now;
	struct gov_head *head; /* at most one a team */
	size_t count;
	enum gov_task_order order;
	bool claimants_first;
	bool share_by_overlap; /* look for other victims on overlap */
	bool shrink;	       /* parts may have fewer tasks */
	/* In and out: its settings (share rules, budget) hold for all. */
	struct gov_search search;
	/* Private. */
	struct gov_victim *taken; /* victims so far, of all heads */
	size_t taken_count;
	size_t taken_space;
	bool no_memory;
};

/*
 * Run a pass: fill in the outcome of every head.  The books are as before when
 * it returns; what was admitted is for the caller to charge.  -1: out of
 * memory.
 */
int gov_cycle_run(struct gov_cycle *cycle);
void gov_cycle_free(struct gov_cycle *cycle);

/* What a head without victims keeps from others for the rest of the pass. */
void gov_cycle_reserve(const struct gov_tree *tree, uint32_t team,
		       const struct gov_assignment *assignment,
		       struct gov_request *reserved);

/* What becomes of a head that was not admitted. */
struct gov_requeue {
	bool parked; /* not tried before something changes */
	bool stays_head;
};
struct gov_requeue gov_cycle_requeue(enum gov_outcome outcome,
				     enum gov_queueing queueing,
				     bool pools_untried);

#endif
