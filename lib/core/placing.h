/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Could a job be placed, with these and those others gone?
 *
 * Begun for one shape over its own nodes, from what is free there once all
 * that are leaving have left.  Then jobs are taken away and put back, each at
 * the cost of its own nodes, and the question costs nothing.  It knows
 * nothing of who may be taken.
 */
#ifndef GOVERNANCE_CORE_PLACING_H
#define GOVERNANCE_CORE_PLACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/places.h"
#include "core/store.h"

/* A node that the job may use. */
struct gov_ground {
	uint32_t node;
	uint32_t leaf;	/* index of gov_placing.leaf */
	uint32_t jobs;	/* on it */
	uint32_t parts; /* that fit on it */
	gov_amount_t free[GOV_PLACE_TRES];
};

/* All nodes of one switch, or all there are if that makes no difference. */
struct gov_leaf {
	uint32_t number;
	uint64_t parts;
	uint32_t nodes; /* that take some part */
	bool shut;	/* left out, by who plans */
	bool open;	/* used, by gov_placing_settle() */
};

struct gov_placing {
	const struct gov_places *places;
	const struct gov_shape *shape;
	uint32_t tres; /* bits of what counts; all by default */
	struct gov_ground *ground;
	uint32_t ground_count;
	uint32_t *ground_of; /* per node: index + 1, or 0 */
	uint32_t node_space;
	struct gov_leaf *leaf;
	uint32_t leaf_count;
	struct gov_spot *spot; /* see gov_placing_settle() */
	uint32_t spot_count;
};

/* Start with all zero; may be begun again and again. */
void gov_placing_free(struct gov_placing *placing);

/*
 * Look at the nodes that this shape may use.  Jobs that are RECLAIMING count
 * as gone: all of them, or those who leave for `asker` alone (0: all).
 * 0; -1 out of memory.
 */
int gov_placing_begin(struct gov_placing *placing,
		      const struct gov_places *places,
		      const struct gov_store *store,
		      const struct gov_shape *shape, uint64_t asker);

/* Does it fit now? */
bool gov_placing_fits(const struct gov_placing *placing);

/* Parts that fit on all nodes together that are not left out. */
uint64_t gov_placing_all(const struct gov_placing *placing);

/*
 * TRES of nodes (bits) for the lack of any of which alone it does not fit;
 * all that it needs if it is not for one alone.  0: it fits.
 */
uint32_t gov_placing_lacks(struct gov_placing *placing);

/* A job leaves its nodes, or is back.  One that is nowhere changes nothing. */
void gov_placing_take(struct gov_placing *placing, uint64_t id);
void gov_placing_put_back(struct gov_placing *placing, uint64_t id);

/* Has the job a spot where one part more would help? */
bool gov_placing_helped_by(const struct gov_placing *placing, uint64_t id);

/* How many parts would fit on the node of this ground with that much free
 * and that many jobs on it. */
uint32_t gov_placing_parts(const struct gov_placing *placing,
			   const gov_amount_t *free, uint32_t jobs);

/*
 * It fits: choose its place, into placing->spot: nodes that jobs were taken
 * from first, then the fullest that will do.  Allocates nothing.
 */
void gov_placing_settle(struct gov_placing *placing);

#endif
