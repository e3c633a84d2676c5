/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to lib/request: the TRES text of a submission as numbers. */
#ifndef GOVERNANCE_REQUEST_ASK_H
#define GOVERNANCE_REQUEST_ASK_H

#include "request/submission.h"

#define GOV_ASK_TYPES 8 /* different GPU types in one request */
#define GOV_ASK_TYPE_NAME 64

/* How many of a TRES, per what; 0: not asked per this. */
struct gov_ask_amounts {
	gov_amount_t job;
	gov_amount_t node;
	gov_amount_t socket;
	gov_amount_t task;
};

struct gov_ask_gpu_type {
	char type[GOV_ASK_TYPE_NAME];
	uint32_t cell; /* GOV_NONE: the pool does not count types */
	struct gov_ask_amounts amounts;
};

struct gov_ask {
	/* TRES of the pool other than GPUs, CPUs, memory and nodes */
	struct {
		uint32_t cell;
		struct gov_ask_amounts amounts;
	} other[GOV_REQUEST_MAX];
	uint32_t other_count;
	/* GPUs without a type, and by type */
	struct gov_ask_amounts untyped;
	struct gov_ask_gpu_type type[GOV_ASK_TYPES];
	uint32_t type_count;
	bool gpu_share;		/* shards of a GPU that the pool counts whole */
	uint64_t cpus_per_task; /* of tres_per_task; 0: none */
	uint64_t cpus_per_gpu;	/* 0: none */
	uint64_t memory_per_gpu; /* MiB, 0: none */
	char missing[256];	 /* what the pool has not, "" if it has all */
};

/* 0, or -1 with GOV_R_REQUEST. */
int gov_ask_read(const struct gov_submission *submission,
		 const struct gov_policy *policy, uint32_t pool,
		 struct gov_ask *ask, struct gov_error *error);

/* GPUs of all types together: max(untyped, sum of the types), each way. */
void gov_ask_gpus(const struct gov_ask *ask, struct gov_ask_amounts *gpus);

/* "gres/gpu:h100", not "gres/gpu" */
bool gov_ask_is_gpu_type(const char *tres);
/* First cell of the pool with a type of GPU, or GOV_NONE. */
uint32_t gov_ask_first_type(const struct gov_policy *policy, uint32_t pool);
/* Cell of a TRES in the pool by its name, or GOV_NONE. */
uint32_t gov_ask_cell(const struct gov_policy *policy, uint32_t pool,
		      const char *tres);

#endif
