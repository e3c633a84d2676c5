/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What places.c and shapes.c share; nobody else includes it. */
#ifndef GOVERNANCE_CORE_PLACES_PRIVATE_H
#define GOVERNANCE_CORE_PLACES_PRIVATE_H

#include "core/places.h"

#define GOV_PLACE_NAME 128

struct gov_node_set {
	uint32_t references;
	uint32_t count; /* nodes that it says something of */
	uint64_t word[];
};

struct gov_place_free {
	gov_amount_t amount[GOV_PLACE_TRES];
};

/* A shape in the table; parts 0: the number is not in use. */
struct gov_shape_entry {
	struct gov_shape shape;
	uint64_t hash;
	size_t references;
};

struct gov_places {
	uint32_t references;
	uint32_t node_count;
	uint32_t tres_count;
	char tres[GOV_PLACE_TRES][GOV_PLACE_NAME];
	struct gov_place_node *node;
	struct gov_place_free *free; /* per node */
	struct gov_place **on;	     /* per node: first job there */
	struct gov_placed **slot;    /* jobs by id, chained */
	size_t slot_count;	     /* a power of two */
	size_t job_count;
	struct gov_shape_entry *shape; /* number - 1 */
	uint32_t shape_count;
	uint32_t shape_used;  /* numbers in use */
	uint32_t shape_next;  /* where to look for an unused one */
	uint32_t *shape_slot; /* numbers by hash, 0: empty */
	uint32_t shape_slot_count;
};

bool gov_node_set_same(const struct gov_node_set *a,
		       const struct gov_node_set *b);
uint64_t gov_node_set_hash(const struct gov_node_set *set);

/* ---- shapes.c ---- */
void gov_places_free_shapes(struct gov_places *places);

#endif
