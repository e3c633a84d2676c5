/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small cluster with nodes: who runs where, and who asks for nodes.
 */
#ifndef GOVERNANCE_TESTS_PLACED_CLUSTER_H
#define GOVERNANCE_TESTS_PLACED_CLUSTER_H

#include "tests/unit/small_cluster.h"

#define SIZE 8 /* GPUs of a node */
#define NODES_MAX 64

static const char *const counted[] = { "gres/gpu", "cpu" };

/* Nodes of SIZE GPUs and 64 CPUs; `per_leaf` of them below a switch. */
static inline void machine(uint32_t nodes, uint32_t per_leaf)
{
	struct gov_place_node node[NODES_MAX];

	for (uint32_t i = 0; i < nodes; i++)
		node[i] = (struct gov_place_node){
			.leaf = per_leaf ? i / per_leaf : GOV_NONE,
			.usable = true,
			.has = { SIZE, 64 },
		};
	ck_assert_int_eq(gov_engine_set_nodes(engine, node, nodes, counted, 2,
					      NULL),
			 0);
}

/* All is the owner's, and as much as there is the borrower may have. */
static inline void owner_and_borrower(int first_come, uint32_t nodes,
				      uint32_t per_leaf)
{
	begin(1);
	policy->idle_sharing = first_come ? GOV_FIRST_COME : GOV_FAIR_SHARE;
	team("owner", (gov_amount_t) nodes * SIZE, GOV_UNLIMITED);
	team("borrower", 0, GOV_UNLIMITED);
	start_engine((gov_amount_t) nodes * SIZE);
	machine(nodes, per_leaf);
}

static inline void place(uint64_t id, uint32_t node, gov_amount_t gpus)
{
	struct gov_spot spot = { .node = node, .amount = { gpus, gpus } };

	ck_assert_int_eq(gov_engine_place(engine, id, &spot, 1), 0);
}

/* A running job of so many GPUs on that node. */
static inline void on_node(uint64_t id, const char *name, uint32_t node,
			   gov_amount_t gpus)
{
	running(id, name, 50, gpus, 1);
	place(id, node, gpus);
}

static inline struct gov_shape parts(uint32_t count, gov_amount_t gpus)
{
	return (struct gov_shape){
		.parts = count,
		.per_node = 1,
		.part = { gpus, 1 },
	};
}

static inline void ask(uint64_t id, const char *name,
		       const struct gov_shape *shape)
{
	struct gov_job j = job(id, name, 50, shape->parts * shape->part[GPU]);

	j.shape = gov_engine_shape(engine, shape);
	ck_assert_uint_ne(j.shape, 0);
	put(j);
}

/* 1, 2, … one GPU each, spread evenly. */
static inline void fill_evenly(uint32_t nodes, int jobs)
{
	for (int i = 0; i < jobs; i++)
		on_node((uint64_t) i + 1, "borrower", (uint32_t) i % nodes, 1);
}

#endif
