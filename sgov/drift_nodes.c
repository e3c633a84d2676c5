/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes and partitions of Slurm beside pools and teams. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/conf.h"
#include "request/submission.h"
#include "sgov/drift.h"

/* ---- nodes ---- */

struct seen {
	char *name; /* NULL: Slurm does not know the node */
	uint64_t gpus;
};

static int add_gpus(const struct gov_tres_entry *entry, void *arg)
{
	uint64_t *gpus = arg;

	if (!strcmp(entry->name, "gres/gpu"))
		*gpus += entry->amount;
	return 0;
}

static uint64_t gpus_of(const char *line)
{
	char *gres = sgov_scontrol_value(line, "Gres");
	uint64_t gpus = 0;

	if (gres && strcmp(gres, "(null)") != 0) {
		sgov_cut_brackets(gres);
		gov_tres_walk(gres, add_gpus, &gpus, NULL);
	}
	free(gres);
	return gpus;
}

static bool counts_gpus(const struct gov_policy *policy, uint32_t pool)
{
	for (uint32_t c = 0; c < policy->cell_count; c++)
		if (policy->cell[c].pool == pool &&
		    !strncmp(policy->tres[policy->cell[c].tres].name,
			     "gres/gpu", 8))
			return true;
	return false;
}

/* How many GPUs most nodes of the pool have; at least what one has. */
static uint64_t usual_gpus(const struct gov_policy *policy,
			   const struct seen *seen, uint32_t pool)
{
	uint64_t usual = 0;
	size_t votes = 0;

	for (size_t i = 0; i < policy->node_count; i++) {
		size_t same = 0;

		if (policy->node_by_name[i].pool != pool || !seen[i].name ||
		    (votes && seen[i].gpus == usual))
			continue;
		for (size_t j = 0; j < policy->node_count; j++)
			same += policy->node_by_name[j].pool == pool &&
				seen[j].name && seen[j].gpus == seen[i].gpus;
		if (same > votes || (same == votes && seen[i].gpus > usual)) {
			votes = same;
			usual = seen[i].gpus;
		}
	}
	return usual;
}

static void compare_pool(struct drift *drift, const struct seen *seen,
			 uint32_t pool)
{
	const struct gov_policy *policy = drift->policy;
	const char *name = policy->pool[pool].name;
	bool gpus = counts_gpus(policy, pool);
	uint64_t usual = gpus ? usual_gpus(policy, seen, pool) : 0;

	for (size_t i = 0; i < policy->node_count; i++) {
		const char *node = policy->node_by_name[i].name;

		if (policy->node_by_name[i].pool != pool)
			continue;
		if (!seen[i].name)
			drift_tell(
				drift, SGOV_WRONG, "nodes",
				sgov_printf(
					"node %s of pool %s is not known to Slurm",
					node, name),
				sgov_printf(
					"in governance.conf: PoolName=%s Nodes= without %s",
					name, node));
		else if (gpus && seen[i].gpus != usual)
			drift_tell(
				drift, SGOV_WRONG, "nodes",
				sgov_printf(
					"node %s of pool %s has %llu GPUs, the others have %llu",
					node, name,
					(unsigned long long) seen[i].gpus,
					(unsigned long long) usual),
				sgov_printf(
					"in slurm.conf: NodeName=%s Gres=gpu:%llu, or a pool of its own",
					node, (unsigned long long) usual));
		else if (gpus && !usual)
			drift_tell(
				drift, SGOV_WRONG, "nodes",
				sgov_printf(
					"node %s of pool %s has no GPUs, which the pool counts",
					node, name),
				sgov_printf(
					"in slurm.conf: NodeName=%s Gres=gpu:NUMBER",
					node));
	}
}

static size_t index_of(const struct gov_policy *policy, const char *name)
{
	size_t low = 0, high = policy->node_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(policy->node_by_name[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < policy->node_count &&
	    !strcmp(policy->node_by_name[low].name, name))
		return low;
	return policy->node_count;
}

void drift_nodes(struct drift *drift, char *text)
{
	const struct gov_policy *policy = drift->policy;
	struct seen *seen = sgov_alloc(policy->node_count * sizeof(*seen));
	char *line;

	while ((line = strsep(&text, "\n"))) {
		char *name = sgov_scontrol_value(line, "NodeName");
		size_t i = name ? index_of(policy, name) : policy->node_count;

		if (name && i == policy->node_count) {
			drift_tell(
				drift, SGOV_DOUBTFUL, "nodes",
				sgov_printf(
					"node %s is in no pool: jobs there hold no quota",
					name),
				sgov_printf(
					"in governance.conf: PoolName=... Nodes=...,%s",
					name));
		} else if (name && !seen[i].name) {
			seen[i].name = name;
			seen[i].gpus = gpus_of(line);
			name = NULL;
		}
		free(name);
	}
	for (uint32_t p = 0; p < policy->pool_count; p++)
		compare_pool(drift, seen, p);
	for (size_t i = 0; i < policy->node_count; i++)
		free(seen[i].name);
	free(seen);
}

/* ---- partitions ---- */

/* Per unit and pool: may its account run on any node of the pool? */
struct reach {
	const struct gov_policy *policy;
	bool *may;	  /* unit_count * pool_count */
	char **partition; /* per pool, one that has nodes of it */
	char **allowed;	  /* its AllowAccounts, or NULL */
	bool *pinned;	  /* per pool: its Partition= was seen */
};

static bool admits(const char *allow, const char *deny, const char *account)
{
	if (allow && strcasecmp(allow, "ALL") != 0)
		return sgov_has_word(allow, account);
	return !deny || !sgov_has_word(deny, account);
}

static void mark(struct reach *reach, uint32_t pool, const char *partition,
		 const char *allow, const char *deny)
{
	const struct gov_policy *policy = reach->policy;

	if (!reach->partition[pool]) {
		reach->partition[pool] = sgov_copy(partition);
		reach->allowed[pool] = allow ? sgov_copy(allow) : NULL;
	}
	for (uint32_t u = 0; u < policy->unit_count; u++)
		if (policy->unit[u].is_team &&
		    admits(allow, deny, policy->unit[u].account))
			reach->may[u * policy->pool_count + pool] = true;
}

static void take_partition(struct reach *reach, const char *line,
			   const char *name)
{
	const struct gov_policy *policy = reach->policy;
	char *allow = sgov_scontrol_value(line, "AllowAccounts");
	char *deny = sgov_scontrol_value(line, "DenyAccounts");
	char *nodes = sgov_scontrol_value(line, "Nodes");
	bool *in = sgov_alloc(policy->pool_count * sizeof(*in));
	char **list = NULL;
	long count = nodes ? gov_hostlist_expand(nodes, &list, NULL) : -1;

	for (long i = 0; i < count; i++) {
		size_t node = index_of(policy, list[i]);

		if (node < policy->node_count)
			in[policy->node_by_name[node].pool] = true;
	}
	for (uint32_t p = 0; p < policy->pool_count; p++) {
		const char *pin = policy->pool[p].partition;

		if (in[p] && (!pin || !strcmp(pin, name)))
			mark(reach, p, name, allow, deny);
		if (pin && !strcmp(pin, name))
			reach->pinned[p] = true;
	}
	gov_hostlist_free(list, count);
	free(in);
	free(nodes);
	free(deny);
	free(allow);
}

static bool has_part(const struct gov_policy *policy, uint32_t unit,
		     uint32_t pool)
{
	for (uint32_t c = 0; c < policy->cell_count; c++)
		if (policy->cell[c].pool == pool &&
		    policy->unit[unit].quota[c].set)
			return true;
	return false;
}

static void tell_shut_out(struct drift *drift, const struct reach *reach,
			  uint32_t unit, uint32_t pool)
{
	const struct gov_policy *policy = drift->policy;
	const char *allowed = reach->allowed[pool];
	const char *account = policy->unit[unit].account;
	bool listed = allowed && strcasecmp(allowed, "ALL") != 0;

	drift_tell(
		drift, SGOV_WRONG, "partitions",
		sgov_printf(
			"team %s has a quota in pool %s, but no partition there takes its account %s (%s: AllowAccounts=%s)",
			policy->unit[unit].name, policy->pool[pool].name,
			account, reach->partition[pool],
			allowed ? allowed : "ALL"),
		listed ?
			sgov_printf(
				"scontrol update PartitionName=%s AllowAccounts=%s,%s",
				reach->partition[pool], allowed, account) :
			sgov_printf(
				"in slurm.conf: PartitionName=%s DenyAccounts= without %s",
				reach->partition[pool], account));
}

static void tell_pool(struct drift *drift, const struct reach *reach,
		      uint32_t pool)
{
	const struct gov_policy *policy = drift->policy;
	const struct gov_pool *p = &policy->pool[pool];

	if (p->partition && !reach->pinned[pool]) {
		drift_tell(
			drift, SGOV_WRONG, "partitions",
			sgov_printf(
				"pool %s is pinned to the partition %s, which Slurm does not have",
				p->name, p->partition),
			sgov_printf("in slurm.conf: PartitionName=%s Nodes=...",
				    p->partition));
		return;
	}
	if (p->node_count && !reach->partition[pool]) {
		drift_tell(
			drift, SGOV_WRONG, "partitions",
			sgov_printf("no node of pool %s is in %s%s", p->name,
				    p->partition ? "the partition " :
						   "any partition",
				    p->partition ? p->partition : ""),
			sgov_printf(
				"in slurm.conf: PartitionName=%s Nodes=%s,...",
				p->partition ? p->partition : "...",
				p->nodes[0]));
		return;
	}
	for (uint32_t u = 0; p->node_count && u < policy->unit_count; u++)
		if (policy->unit[u].is_team && has_part(policy, u, pool) &&
		    !reach->may[u * policy->pool_count + pool])
			tell_shut_out(drift, reach, u, pool);
}

void drift_partitions(struct drift *drift, char *text)
{
	const struct gov_policy *policy = drift->policy;
	size_t pools = policy->pool_count;
	struct reach reach = {
		policy,
		sgov_alloc(policy->unit_count * pools),
		sgov_alloc(pools * sizeof(char *)),
		sgov_alloc(pools * sizeof(char *)),
		sgov_alloc(pools),
	};
	char *line;

	while ((line = strsep(&text, "\n"))) {
		char *name = sgov_scontrol_value(line, "PartitionName");

		if (name)
			take_partition(&reach, line, name);
		free(name);
	}
	for (uint32_t p = 0; p < pools; p++) {
		tell_pool(drift, &reach, p);
		free(reach.partition[p]);
		free(reach.allowed[p]);
	}
	free(reach.may);
	free(reach.partition);
	free(reach.allowed);
	free(reach.pinned);
}
