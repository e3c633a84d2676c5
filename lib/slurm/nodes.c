/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "slurm/compat.h"
#include "slurm/flatten.h"

struct gov_machine_watch {
	slurm_conf_t *conf;
	node_info_msg_t *nodes;
	partition_info_msg_t *partitions;
	topo_info_response_msg_t *topology;
	uint64_t hash;
	bool known;
};

static void free_topology(struct gov_machine_watch *watch)
{
	if (watch->topology)
		slurm_free_topo_info_msg(watch->topology);
	watch->topology = NULL;
}

struct gov_machine_watch *gov_machine_watch_create(void)
{
	return calloc(1, sizeof(struct gov_machine_watch));
}

void gov_machine_watch_destroy(struct gov_machine_watch *watch)
{
	if (!watch)
		return;
	gov_slurm_free_conf(watch->conf);
	slurm_free_node_info_msg(watch->nodes);
	slurm_free_partition_info_msg(watch->partitions);
	free_topology(watch);
	free(watch);
}

void gov_machine_watch_forget(struct gov_machine_watch *watch)
{
	watch->known = false;
}

/*
 * Each of these keeps the last message, which "no change" refers to.  0, or
 * -1 with errno.
 */
static int load_conf(struct gov_machine_watch *watch)
{
	slurm_conf_t *conf = NULL;

	errno = 0;
	if (slurm_load_ctl_conf(watch->conf ? watch->conf->last_update : 0,
				&conf))
		return errno == SLURM_NO_CHANGE_IN_DATA ? 0 : -1;
	gov_slurm_free_conf(watch->conf);
	watch->conf = conf;
	return 0;
}

/*
 * Is some node on its way down or up?  slurmctld does not count the end of that
 * as a change: it would be seen with the next one only.
 */
static bool on_its_way(const node_info_msg_t *nodes)
{
	for (uint32_t i = 0; i < nodes->record_count; i++)
		if (nodes->node_array[i].node_state &
		    (NODE_STATE_POWERING_DOWN | NODE_STATE_POWER_DOWN |
		     NODE_STATE_POWERING_UP | NODE_STATE_POWER_UP))
			return true;
	return false;
}

static int load_nodes(struct gov_machine_watch *watch)
{
	bool known = watch->nodes && !on_its_way(watch->nodes);
	node_info_msg_t *nodes = NULL;

	errno = 0;
	if (slurm_load_node(known ? watch->nodes->last_update : 0, &nodes,
			    SHOW_ALL | SHOW_DETAIL))
		return errno == SLURM_NO_CHANGE_IN_DATA ? 0 : -1;
	slurm_free_node_info_msg(watch->nodes);
	watch->nodes = nodes;
	return 0;
}

static int load_partitions(struct gov_machine_watch *watch)
{
	partition_info_msg_t *partitions = NULL;

	errno = 0;
	if (slurm_load_partitions(watch->partitions ?
					  watch->partitions->last_update :
					  0,
				  &partitions, SHOW_ALL))
		return errno == SLURM_NO_CHANGE_IN_DATA ? 0 : -1;
	slurm_free_partition_info_msg(watch->partitions);
	watch->partitions = partitions;
	return 0;
}

/*
 * Switches change with slurm.conf only.  Without any (topology/none) there is
 * nothing to know, and an error means no more than that.
 */
static void load_topology(struct gov_machine_watch *watch)
{
	free_topology(watch);
#if GOV_TOPOLOGY_IS_PUBLIC
	if (slurm_load_topo(&watch->topology))
		watch->topology = NULL;
#endif
}

static int load(struct gov_machine_watch *watch, struct gov_error *error)
{
	const slurm_conf_t *before = watch->conf;

	if (!load_conf(watch) && !load_nodes(watch) &&
	    !load_partitions(watch)) {
		if (watch->conf != before)
			load_topology(watch);
		return 0;
	}
	return gov_error_set(error, GOV_E_DOWN,
			     "cannot read nodes and partitions: %s",
			     slurm_strerror(errno));
}

/*
 * Could Slurm start a job there?  A node that is powered down counts: Slurm
 * powers it up for the job.  One on its way down does not, until it is.
 */
static bool healthy(const node_info_t *node)
{
	uint32_t base = node->node_state & NODE_STATE_BASE;

	if (base == NODE_STATE_DOWN || base == NODE_STATE_UNKNOWN ||
	    base == NODE_STATE_ERROR || base == NODE_STATE_FUTURE)
		return false;
	return !(node->node_state &
		 (NODE_STATE_DRAIN | NODE_STATE_FAIL | NODE_STATE_MAINT |
		  NODE_STATE_POWERING_DOWN | NODE_STATE_POWER_DOWN |
		  NODE_STATE_INVALID_REG));
}

static void flatten_node(const node_info_t *from, struct gov_node_record *to)
{
	*to = (struct gov_node_record){
		.name = from->name,
		.healthy = healthy(from),
		.reserved = from->node_state & NODE_STATE_RES,
		.leaf = GOV_NONE,
		.cpus = from->cpus_efctv ? from->cpus_efctv : from->cpus,
		.memory = from->real_memory,
		.sockets = from->sockets,
		.threads = from->threads,
		.gres = from->gres,
		.features = from->features_act ? from->features_act :
						 from->features,
		.reason = from->reason,
	};
	if (from->mem_spec_limit < to->memory)
		to->memory -= from->mem_spec_limit;
	to->installed = (from->node_state & NODE_STATE_BASE) !=
			NODE_STATE_FUTURE;
	if (to->healthy)
		return;
	gov_node_used(from, &to->used_cpus, &to->used_memory);
	to->used_gres = from->gres_used;
}

/* DefMemPerNode or DefMemPerCPU; false: nothing is said. */
static bool set_memory(uint64_t said, struct gov_partition_record *to)
{
	if (said == NO_VAL64 || !said)
		return false;
	if (said & MEM_PER_CPU)
		to->default_memory_per_cpu = said & ~MEM_PER_CPU;
	else
		to->default_memory = said;
	return true;
}

/* DefMemPerGPU and DefCpuPerGPU, of type job_defaults_t in a Slurm list. */
#define SET_PER_GPU(list, to)                                                 \
	do {                                                                  \
		__auto_type iterator_ = slurm_list_iterator_create(list);     \
		job_defaults_t *entry_;                                       \
                                                                              \
		while ((entry_ = slurm_list_next(iterator_))) {               \
			if (entry_->type == JOB_DEF_CPU_PER_GPU)              \
				(to)->default_cpus_per_gpu = entry_->value;   \
			if (entry_->type == JOB_DEF_MEM_PER_GPU)              \
				(to)->default_memory_per_gpu = entry_->value; \
		}                                                             \
		slurm_list_iterator_destroy(iterator_);                       \
	} while (0)

static void flatten_partition(const slurm_conf_t *conf,
			      const partition_info_t *from,
			      struct gov_partition_record *to)
{
	*to = (struct gov_partition_record){
		.name = from->name,
		.is_default = from->flags & PART_FLAG_DEFAULT,
		.exclusive = from->max_share == 0,
		.default_memory = GOV_SUB_UNSET,
		.default_memory_per_cpu = GOV_SUB_UNSET,
		.default_time = from->default_time >= NO_VAL ?
					GOV_SUB_UNSET :
					from->default_time,
		.max_time = from->max_time >= NO_VAL ? GOV_SUB_UNSET :
						       from->max_time,
		.nodes = from->nodes,
	};
	/* Who asks for no memory and has no default gets a node's whole. */
	if (!set_memory(from->def_mem_per_cpu, to) &&
	    !set_memory(conf->def_mem_per_cpu, to) &&
	    (conf->select_type_param & GOV_SELECTS_MEMORY))
		to->default_memory = 0;
	if (conf->job_defaults_list)
		SET_PER_GPU(conf->job_defaults_list, to);
	if (from->job_defaults_list)
		SET_PER_GPU(from->job_defaults_list, to);
}

static uint64_t hash_machine(const struct gov_machine *machine)
{
	uint64_t hash = gov_hash_number(GOV_HASH_START, machine->scrontab);

	for (uint32_t i = 0; i < machine->node_count; i++) {
		const struct gov_node_record *n = &machine->node[i];

		hash = gov_hash_text(hash, n->name);
		hash = gov_hash_number(hash, n->healthy);
		hash = gov_hash_number(hash, n->installed);
		hash = gov_hash_number(hash, n->reserved);
		hash = gov_hash_number(hash, n->leaf);
		hash = gov_hash_number(hash, n->used_cpus);
		hash = gov_hash_number(hash, n->used_memory);
		hash = gov_hash_text(hash, n->used_gres);
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
		hash = gov_hash_number(hash, p->default_memory_per_gpu);
		hash = gov_hash_number(hash, p->default_cpus_per_gpu);
		hash = gov_hash_number(hash, p->default_time);
		hash = gov_hash_number(hash, p->max_time);
		hash = gov_hash_text(hash, p->nodes);
	}
	return hash;
}

#if GOV_TOPOLOGY_IS_PUBLIC
static int by_name(const void *a, const void *b)
{
	const struct gov_node_record *x = *(struct gov_node_record *const *) a;
	const struct gov_node_record *y = *(struct gov_node_record *const *) b;

	return strcmp(x->name, y->name);
}

/* The nodes of one leaf switch. */
static void set_leaf(const char *hosts, uint32_t leaf,
		     struct gov_node_record **sorted, uint32_t count)
{
	__auto_type list = slurm_hostlist_create(hosts);
	char *host;

	while (list && (host = slurm_hostlist_shift(list))) {
		struct gov_node_record key = { .name = host }, *wanted = &key;
		struct gov_node_record **found = bsearch(&wanted, sorted, count,
							 sizeof(*sorted),
							 by_name);

		if (found)
			(*found)->leaf = leaf;
		free(host);
	}
	if (list)
		slurm_hostlist_destroy(list);
}

/* Which switch each node hangs on; without memory that is not known. */
static void set_leaves(const struct gov_machine_watch *watch,
		       struct gov_machine *flat)
{
	const topo_info_response_msg_t *topology = watch->topology;
	struct gov_node_record **sorted;

	if (!topology || !topology->record_count)
		return;
	sorted = calloc(flat->node_count + 1, sizeof(*sorted));
	if (!sorted)
		return;
	for (uint32_t i = 0; i < flat->node_count; i++)
		sorted[i] = &flat->node[i];
	qsort(sorted, flat->node_count, sizeof(*sorted), by_name);
	for (uint32_t i = 0; i < topology->record_count; i++) {
		const topo_info_t *at = &topology->topo_array[i];

		if (!at->level && at->nodes && at->nodes[0])
			set_leaf(at->nodes, i, sorted, flat->node_count);
	}
	free(sorted);
}
#else
static void set_leaves(const struct gov_machine_watch *watch,
		       struct gov_machine *flat)
{
	(void) watch;
	(void) flat;
}
#endif

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
	set_leaves(watch, flat);
	for (uint32_t i = 0; i < partitions; i++)
		flatten_partition(watch->conf,
				  &watch->partitions->partition_array[i],
				  &flat->partition[i]);
	flat->partition_count = partitions;
	flat->scrontab = watch->conf->scron_params &&
			 strcasestr(watch->conf->scron_params, "enable");
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
