/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes, where jobs are on them, and what jobs need of nodes.
 *
 * Quota is counted per pool; whether Slurm can place a job is a question of
 * nodes.  Here is what is known of that, as plain numbers: the nodes with
 * what they have, the spots that jobs hold on them, and shapes: what a job
 * needs to be placed.  What can be told of a job only in words (features,
 * partitions, lists of nodes) comes in as a set of nodes.
 *
 * A job of which the shape is not known is decided by amounts alone.  Nothing
 * is computed when something changes: a claim computes over its own nodes.
 */
#ifndef GOVERNANCE_CORE_PLACES_H
#define GOVERNANCE_CORE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/amount.h"

/* Things of a node that are counted: "cpu", "mem", "gres/gpu", … */
#define GOV_PLACE_TRES 8
/* Nodes that are known at most; a machine of more is not known. */
#define GOV_PLACE_NODES_MAX 1000000

struct gov_place_node {
	uint32_t leaf; /* number of its switch, or GOV_NONE: not known */
	bool usable;   /* takes new jobs */
	gov_amount_t has[GOV_PLACE_TRES];
};

/* What a job holds of one node. */
struct gov_spot {
	uint32_t node;
	gov_amount_t amount[GOV_PLACE_TRES];
};

/* A set of nodes, shared by reference; see gov_node_set_create(). */
struct gov_node_set;

/*
 * What a job needs to be placed: equal parts, each of them on one node.  One
 * 8-GPU node is a part of 8 GPUs; 16 tasks of a GPU each, wherever they are,
 * are 16 parts of one.
 */
struct gov_shape {
	uint32_t parts;	    /* at least 1 */
	uint32_t per_node;  /* parts on one node at most; 0: any number */
	uint32_t nodes_min; /* on at least so many nodes; 0: as 1 */
	uint32_t leaves;    /* below at most so many leaf switches; 0: any */
	bool whole;	    /* has its nodes for itself alone */
	gov_amount_t part[GOV_PLACE_TRES];
	/* and of each node that is used, besides its parts */
	gov_amount_t node[GOV_PLACE_TRES];
	struct gov_node_set *allowed; /* NULL: every node */
};

/* Does it ask for this of a node at all? */
static inline bool gov_shape_asks(const struct gov_shape *shape, uint32_t tres)
{
	return shape->part[tres] || shape->node[tres];
}

struct gov_places;

/* ---- sets of nodes ---- */

/* The nodes with member[i] of the first `count`; one reference.  NULL: out of
 * memory. */
struct gov_node_set *gov_node_set_create(const bool *member, uint32_t count);
struct gov_node_set *gov_node_set_ref(struct gov_node_set *set);
void gov_node_set_unref(struct gov_node_set *set); /* NULL allowed */
/* NULL has every node. */
bool gov_node_set_has(const struct gov_node_set *set, uint32_t node);

/* ---- life ---- */

/* Without nodes; one reference.  NULL: out of memory. */
struct gov_places *gov_places_create(void);
struct gov_places *gov_places_ref(struct gov_places *places);
void gov_places_unref(struct gov_places *places); /* NULL allowed */

/*
 * The nodes there are, and the names of what is counted on them (TRES names,
 * at most GOV_PLACE_TRES).  Spots of jobs that were known are forgotten.  0;
 * -1 out of memory or too many (then nothing is known of nodes).
 */
int gov_places_set_nodes(struct gov_places *places,
			 const struct gov_place_node *node, uint32_t count,
			 const char *const *tres, uint32_t tres_count);
/* A node takes new jobs from now on, or does not. */
void gov_places_set_usable(struct gov_places *places, uint32_t node,
			   bool usable);
uint32_t gov_places_node_count(const struct gov_places *places);
const struct gov_place_node *gov_places_node(const struct gov_places *places,
					     uint32_t node);
/* Name of what is counted there; NULL: there is no such number. */
const char *gov_places_tres(const struct gov_places *places, uint32_t tres);

/* ---- shapes ---- */

/*
 * The number of a shape, the same for equal ones, never 0; a reference of its
 * set is taken.  It holds until the next call unless somebody refers to it.
 * 0: out of memory, or no valid shape.
 */
uint32_t gov_places_shape(struct gov_places *places,
			  const struct gov_shape *shape);
/* NULL: there is none of this number (0: not known). */
const struct gov_shape *gov_places_shape_at(const struct gov_places *places,
					    uint32_t shape);
void gov_places_shape_ref(struct gov_places *places, uint32_t shape);
void gov_places_shape_unref(struct gov_places *places, uint32_t shape);

/* ---- where jobs are ---- */

/*
 * The job is on these nodes, or (held) is going to be: the place is kept for
 * it.  What was known of it before is replaced.  Spots of nodes that are not
 * known are left out.  0; -1 out of memory: then nothing is known of it.
 */
int gov_places_put(struct gov_places *places, uint64_t id,
		   const struct gov_spot *spot, size_t count, bool held);
/* It is nowhere any more / only a place that is held for it is given up. */
void gov_places_forget(struct gov_places *places, uint64_t id);
void gov_places_let_go(struct gov_places *places, uint64_t id);
/* What is known of it but not held is over: it does not run any more. */
void gov_places_left(struct gov_places *places, uint64_t id);
void gov_places_rename(struct gov_places *places, uint64_t from, uint64_t to);

/* A job on a node, as kept. */
struct gov_place {
	struct gov_place *next; /* on the same node */
	struct gov_place **link;
	struct gov_placed *job;
	struct gov_spot spot;
};

struct gov_placed {
	struct gov_placed *next; /* in the same slot of the table */
	uint64_t id;
	bool held; /* it is not there yet */
	uint32_t count;
	struct gov_place place[];
};

/* NULL: it is not known where the job is. */
const struct gov_placed *gov_places_find(const struct gov_places *places,
					 uint64_t id);
/* First of the jobs on a node; NULL: there is none. */
const struct gov_place *gov_places_on(const struct gov_places *places,
				      uint32_t node);
/* What is free on it, places that are held left out. */
const gov_amount_t *gov_places_free(const struct gov_places *places,
				    uint32_t node);

#endif
