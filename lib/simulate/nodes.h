/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simple node model for the simulator: equal nodes, one countable TRES.
 *
 * A job that fits on one node is put on the fullest node that takes it; a
 * larger one takes whole nodes and one part.  That is how packing schedulers
 * behave, and it shows fragmentation; it does not know topology.
 */
#ifndef GOVERNANCE_SIMULATE_NODES_H
#define GOVERNANCE_SIMULATE_NODES_H

#include <stdbool.h>
#include <stdint.h>

#define GOV_NODE_SIZE_MAX 4096 /* amount on one node */

struct gov_nodes;

/* count nodes of `size` each (1..GOV_NODE_SIZE_MAX).  NULL: no memory. */
struct gov_nodes *gov_nodes_create(uint32_t count, uint32_t size);
void gov_nodes_destroy(struct gov_nodes *nodes);

/* Could this be placed if all nodes were free? */
bool gov_nodes_can(const struct gov_nodes *nodes, uint64_t amount,
		   uint32_t wanted);

/*
 * Place `amount` on `wanted` nodes, or on as few as it takes if wanted is 0
 * or too few; no part is zero, so on `amount` nodes at most.  Returns a
 * placement (> 0) for gov_nodes_release(), 0 if there is no room now, -1 out
 * of memory.
 */
int64_t gov_nodes_place(struct gov_nodes *nodes, uint64_t amount,
			uint32_t wanted);
void gov_nodes_release(struct gov_nodes *nodes, int64_t placement);

/* What is in use on all nodes together. */
uint64_t gov_nodes_used(const struct gov_nodes *nodes);

#endif
