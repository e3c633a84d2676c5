/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Submissions and shapes for tests: from "key=value key=value" text. */
#ifndef GOVERNANCE_TESTS_REQUEST_DATA_H
#define GOVERNANCE_TESTS_REQUEST_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/policy.h"
#include "request/submission.h"

enum data_kind { DATA_TEXT, DATA_NUMBER, DATA_FLAG };

static const struct {
	const char *key;
	enum data_kind kind;
	size_t offset;
} data_fields[] = {
#define DATA(kind, member)                                                    \
	{                                                                     \
#member, DATA_##kind, offsetof(struct gov_submission, member) \
	}
	DATA(TEXT, tres_per_job),
	DATA(TEXT, tres_per_node),
	DATA(TEXT, tres_per_socket),
	DATA(TEXT, tres_per_task),
	DATA(TEXT, cpus_per_tres),
	DATA(TEXT, mem_per_tres),
	DATA(TEXT, licenses),
	DATA(TEXT, nodelist),
	DATA(TEXT, array),
	DATA(NUMBER, ntasks_per_tres),
	DATA(NUMBER, min_nodes),
	DATA(NUMBER, max_nodes),
	DATA(NUMBER, num_tasks),
	DATA(NUMBER, cpus_per_task),
	DATA(NUMBER, ntasks_per_node),
	DATA(NUMBER, ntasks_per_socket),
	DATA(NUMBER, sockets_per_node),
	DATA(NUMBER, min_cpus),
	DATA(NUMBER, max_cpus),
	DATA(NUMBER, pn_min_cpus),
	DATA(NUMBER, memory),
	DATA(NUMBER, het_offset),
	DATA(FLAG, memory_per_cpu),
	DATA(FLAG, tasks_guessed),
	DATA(FLAG, exclusive),
	DATA(FLAG, overcommit),
#undef DATA
};

/* text is cut up; the submission points into it. */
static inline void data_submission(char *text,
				   struct gov_submission *submission)
{
	char *save = NULL;

	gov_submission_init(submission);
	for (char *word = strtok_r(text, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		char *value = strchr(word, '=');
		bool known = false;

		*value++ = '\0';
		for (size_t i = 0;
		     i < sizeof(data_fields) / sizeof(data_fields[0]); i++) {
			void *member = (char *) submission +
				       data_fields[i].offset;

			if (strcmp(word, data_fields[i].key))
				continue;
			known = true;
			if (data_fields[i].kind == DATA_TEXT)
				*(const char **) member = value;
			else if (data_fields[i].kind == DATA_NUMBER)
				*(uint64_t *) member = strtoull(value, NULL,
								10);
			else
				*(bool *) member = *value == '1';
		}
		if (!known) {
			fprintf(stderr, "no field %s\n", word);
			abort();
		}
	}
}

/*
 * Pool 0 with GPUs of this type (also counted without it), CPUs, memory,
 * nodes and shards; pool 1 with a license.
 */
static inline struct gov_policy *data_policy(const char *gpu_type)
{
	static const char *const tres[] = { "gres/gpu", NULL,	"cpu",
					    "mem",	"node", "gres/shard" };
	struct gov_policy *policy = gov_policy_create();
	uint32_t pool, other;
	char typed[64];

	snprintf(typed, sizeof(typed), "gres/gpu:%s", gpu_type);
	pool = gov_policy_add_pool(policy, "main");
	other = gov_policy_add_pool(policy, "other");
	for (size_t i = 0; i < sizeof(tres) / sizeof(tres[0]); i++)
		gov_policy_pool_add_tres(policy, pool,
					 gov_policy_add_tres(policy,
							     tres[i] ? tres[i] :
								       typed));
	gov_policy_pool_add_tres(policy, other,
				 gov_policy_add_tres(policy, "license/matlab"));
	for (int i = 1; i <= 4; i++) {
		char node[16];

		snprintf(node, sizeof(node), "g%d", i);
		gov_policy_pool_add_node(policy, pool, node);
	}
	if (gov_policy_make_cells(policy))
		abort();
	return policy;
}

/* Nodes of 8 GPUs; the caller frees shape->tres. */
static inline void data_shape(const struct gov_policy *policy,
			      const char *gpu_type, uint64_t cpus,
			      uint64_t memory, struct gov_node_shape *shape)
{
	char typed[64];

	snprintf(typed, sizeof(typed), "gres/gpu:%s", gpu_type);
	*shape = (struct gov_node_shape){
		.tres = calloc(policy->tres_count, sizeof(gov_amount_t)),
		.sockets = 2,
		.default_memory = GOV_SUB_UNSET,
		.default_memory_per_cpu = GOV_SUB_UNSET,
	};
	shape->tres[gov_policy_find_tres(policy, "gres/gpu")] = 8;
	shape->tres[gov_policy_find_tres(policy, typed)] = 8;
	shape->tres[gov_policy_find_tres(policy, "cpu")] = cpus;
	shape->tres[gov_policy_find_tres(policy, "mem")] = memory;
	shape->tres[gov_policy_find_tres(policy, "node")] = 1;
	shape->tres[gov_policy_find_tres(policy, "gres/shard")] = 32;
}

/* "gres/gpu=2 cpu=1" in the order of the policy's TRES. */
static inline void data_request_text(const struct gov_policy *policy,
				     const struct gov_request *request,
				     char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (uint32_t t = 0; t < policy->tres_count; t++)
		for (uint32_t i = 0; i < request->count; i++)
			if (policy->cell[request->item[i].cell].tres == t)
				used += (size_t) snprintf(
					text + used, size - used, "%s%s=%llu",
					used ? " " : "", policy->tres[t].name,
					(unsigned long long) request->item[i]
						.amount);
}

#endif
