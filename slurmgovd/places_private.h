/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What place_nodes.c and places.c share; nobody else includes it. */
#ifndef GOVERNANCE_SLURMGOVD_PLACES_PRIVATE_H
#define GOVERNANCE_SLURMGOVD_PLACES_PRIVATE_H

#include "slurmgovd/governor_private.h"

/* What is counted on nodes; types of GPU follow. */
enum { PLACE_CPU, PLACE_MEM, PLACE_GPU, PLACE_TYPES };

#define PLACE_SETS 128 /* sets of nodes that are kept */

struct place_set {
	char *key;
	struct gov_node_set *set;
};

struct gov_places_map {
	struct gov_machine *machine; /* as the engine was told; nodes have
					their index in it */
	uint32_t *sorted;	     /* indices, by name */
	char tres[GOV_PLACE_TRES][128];
	uint32_t tres_count;
	const struct gov_policy *policy; /* sets are of its pools */
	struct place_set set[PLACE_SETS];
	uint32_t next_set; /* to be replaced next */
};

/* Index of a node, or GOV_NONE. */
uint32_t gov_place_node_of(const struct gov_places_map *map, const char *name);
/* Which of the things that are counted this type of GPU is; GOV_NONE: none. */
uint32_t gov_place_type_of(const struct gov_places_map *map, const char *type);
/* Add what a text says of GPUs ("gpu:h100:2(IDX:0-1)") to amounts. */
void gov_place_add_gpus(const struct gov_places_map *map, const char *text,
			gov_amount_t *amount);

/*
 * Nodes of the pool that a job of this record could run on, borrowed; NULL:
 * no memory, or it cannot be told (*unknown says why).
 */
struct gov_node_set *gov_place_allowed(struct gov_governor *g,
				       const struct gov_tracked *job,
				       const char **unknown);

#endif
