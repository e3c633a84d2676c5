/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "slurm/flatten.h"

struct gov_machine_watch {
	node_info_msg_t *nodes;
	partition_info_msg_t *partitions;
	uint64_t hash;
	bool known;
};

struct gov_machine_watch *gov_machine_watch_create(void)
{
	return calloc(1, sizeof(struct gov_machine_watch));
}

void gov_machine_watch_destroy(struct gov_machine_watch *watch)
{
	if (!watch)
		return;
	slurm_free_node_info_msg(watch->nodes);
	slurm_free_partition_info_msg(watch->partitions);
	free(watch);
}

void gov_machine_watch_forget(struct gov_machine_watch *watch)
{
	watch->known = false;
}

/* Keep the last message of each kind: "no change" refers to it. */
static int load(struct gov_machine_watch *watch, struct gov_error *error)
{
	partition_info_msg_t *partitions = NULL;
	node_info_msg_t *nodes = NULL;

	errno = 0;
	if (!slurm_load_node(watch->nodes ? watch->nodes->last_update : 0,
			     &nodes, SHOW_ALL | SHOW_DETAIL)) {
		slurm_free_node_info_msg(watch->nodes);
		watch->nodes = nodes;
	} else if (errno != SLURM_NO_CHANGE_IN_DATA) {
		return gov_error_set(error, GOV_E_DOWN,
				     "cannot read the nodes: %s",
				     slurm_strerror(errno));
	}
	errno = 0;
	if (!slurm_load_partitions(
		    watch->partitions ? watch->partitions->last_update : 0,
		    &partitions, SHOW_ALL)) {
		slurm_free_partition_info_msg(watch->partitions);
		watch->partitions = partitions;
	} else if (errno != SLURM_NO_CHANGE_IN_DATA) {
		return gov_error_set(error, GOV_E_DOWN,
				     "cannot read the partitions: %s",
				     slurm_strerror(errno));
	}
	return 0;
}

static bool healthy(const node_info_t *node)
{
	uint32_t base = node->node_state & NODE_STATE_BASE;

	if (base == NODE_STATE_DOWN || base == NODE_STATE_UNKNOWN ||
	    base == NODE_STATE_ERROR || base == NODE_STATE_FUTURE)
		return false;
	return !(node->node_state &
		 (NODE_STATE_DRAIN | NODE_STATE_FAIL |
		  NODE_STATE_INVALID_REG));
}

static void flatten_node(const node_info_t *from, struct gov_node_record *to)
{
	*to = (struct gov_node_record){
		.name = from->name,
		.healthy = healthy(from),
		.cpus = from->cpus_efctv ? from->cpus_efctv : from->cpus,
		.memory = from->real_memory,
		.sockets = from->sockets,
		.threads = from->threads,
		.gres = from->gres,
		.features = from->features_act ? from->features_act
					       : from->features,
		.reason = from->reason,
	};
	if (from->mem_spec_limit < to->memory)
		to->memory -= from->mem_spec_limit;
}

static void flatten_partition(const partition_info_t *from,
			      struct gov_partition_record *to)
{
	*to = (struct gov_partition_record){
		.name = from->name,
		.is_default = from->flags & PART_FLAG_DEFAULT,
		.exclusive = from->max_share == 0,
		.default_memory = GOV_SUB_UNSET,
		.default_memory_per_cpu = GOV_SUB_UNSET,
		.default_time = from->default_time >= INFINITE
					? GOV_SUB_UNSET
					: from->default_time,
		.max_time = from->max_time >= INFINITE ? GOV_SUB_UNSET
						       : from->max_time,
		.nodes = from->nodes,
	};
	if (from->def_mem_per_cpu == NO_VAL64 || !from->def_mem_per_cpu)
		return;
	if (from->def_mem_per_cpu & MEM_PER_CPU)
		to->default_memory_per_cpu =
			from->def_mem_per_cpu & ~MEM_PER_CPU;
	else
		to->default_memory = from->def_mem_per_cpu;
}

static uint64_t hash_machine(const struct gov_machine *machine)
{
	uint64_t hash = GOV_HASH_START;

	for (uint32_t i = 0; i < machine->node_count; i++) {
		const struct gov_node_record *n = &machine->node[i];

		hash = gov_hash_text(hash, n->name);
		hash = gov_hash_number(hash, n->healthy);
		hash = gov_hash_number(hash, n->cpus);
		hash = gov_hash_number(hash, n->memory);
		hash = gov_hash_number(hash, n->sockets);
		hash = gov_hash_number(hash, n->threads);
		hash = gov_hash_text(hash, n->gres);
		hash = gov_hash_text(hash, n->features);
	}
	for (uint32_t i = 0; i < machine->partition_count; i++) {
		const struct gov_partition_record *p = &machine->partition[i];

		hash = gov_hash_text(hash, p->name);
		hash = gov_hash_number(hash, p->is_default);
		hash = gov_hash_number(hash, p->exclusive);
		hash = gov_hash_number(hash, p->default_memory);
		hash = gov_hash_number(hash, p->default_memory_per_cpu);
		hash = gov_hash_number(hash, p->default_time);
		hash = gov_hash_number(hash, p->max_time);
		hash = gov_hash_text(hash, p->nodes);
	}
	return hash;
}

/* Flat arrays that borrow their strings from the messages. */
static int flatten(const struct gov_machine_watch *watch,
		   struct gov_machine *flat)
{
	uint32_t nodes = watch->nodes->record_count;
	uint32_t partitions = watch->partitions->record_count;

	flat->node = calloc(nodes + 1, sizeof(*flat->node));
	flat->partition = calloc(partitions + 1, sizeof(*flat->partition));
	if (!flat->node || !flat->partition)
		return -1;
	for (uint32_t i = 0; i < nodes; i++) {
		const node_info_t *node = &watch->nodes->node_array[i];

		/* Names are missing for slots that were deleted. */
		if (node->name && node->name[0])
			flatten_node(node, &flat->node[flat->node_count++]);
	}
	for (uint32_t i = 0; i < partitions; i++)
		flatten_partition(&watch->partitions->partition_array[i],
				  &flat->partition[i]);
	flat->partition_count = partitions;
	return 0;
}

int gov_machine_watch_load(struct gov_machine_watch *watch,
			   struct gov_machine **machine,
			   struct gov_error *error)
{
	struct gov_machine flat = { 0 };
	uint64_t hash;
	int rc = -1;

	if (load(watch, error))
		return -1;
	if (flatten(watch, &flat))
		goto out;
	hash = hash_machine(&flat);
	if (watch->known && hash == watch->hash) {
		rc = 0;
		goto out;
	}
	*machine = gov_machine_copy(&flat);
	if (!*machine)
		goto out;
	watch->hash = hash;
	watch->known = true;
	rc = 1;
out:
	free(flat.node);
	free(flat.partition);
	if (rc < 0)
		gov_error_set(error, GOV_E_NOMEM, "no memory for the nodes");
	return rc;
}
