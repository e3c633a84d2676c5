/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to lib/request: on how many nodes a job spreads, and its CPUs. */
#ifndef GOVERNANCE_REQUEST_LAYOUT_H
#define GOVERNANCE_REQUEST_LAYOUT_H

#include "request/ask.h"

/* A node as far as it is known; 0: not known. */
struct gov_layout_node {
	uint64_t cpus;
	uint64_t memory;
	uint64_t gpus;
	uint64_t sockets;
	uint64_t threads;
};

struct gov_layout {
	uint64_t nodes;
	uint64_t tasks;	       /* 0: one a node or whatever fits */
	uint64_t slots;	       /* tasks that its CPUs could be for */
	uint64_t sockets;      /* per node, for what is asked per socket */
	uint64_t cpus;	       /* without those that GPUs bring along */
	uint64_t cpus_per_gpu; /* 0: none */
	struct gov_ask_amounts gpus; /* as asked, completed */
};

/* Fills all of layout.  pool_nodes: nodes that the pool has, 0 unknown. */
void gov_layout_make(const struct gov_submission *submission,
		     const struct gov_ask *ask,
		     const struct gov_layout_node *node, uint64_t pool_nodes,
		     struct gov_layout *layout);

/* a * b and ceil(a / b); GOV_UNLIMITED where it is more than an amount. */
gov_amount_t gov_layout_times(gov_amount_t a, gov_amount_t b);
gov_amount_t gov_layout_parts(gov_amount_t a, gov_amount_t b);

/* How many of something asked for in these ways a job of this layout holds. */
gov_amount_t gov_layout_total(const struct gov_layout *layout,
			      const struct gov_ask_amounts *amounts);

#endif
