/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes and partitions: what pools have, and which a job could run in. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/conf.h"
#include "slurmgovd/governor_private.h"
#include "slurmgovd/gres.h"

/* What the nodes of one pool are and have. */
struct tally {
	gov_amount_t *healthy;	 /* per TRES, summed over healthy nodes, and
				   over others as far as jobs hold them */
	gov_amount_t *installed; /* per TRES, summed over all nodes */
	gov_amount_t *node;	 /* per TRES, of one node */
};

static void at_least(uint64_t *to, uint64_t value)
{
	if (value > *to)
		*to = value;
}

static void add_up(gov_amount_t *to, const gov_amount_t *amounts,
		   uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = gov_amount_add(to[i], amounts[i]);
}

/*
 * A node that takes no new jobs counts for what its jobs hold: that is in use
 * and charged, and would otherwise be missing elsewhere.
 */
static void count_used(const struct gov_policy *policy,
		       const struct gov_node_record *node,
		       gov_amount_t *amounts)
{
	memset(amounts, 0, policy->tres_count * sizeof(*amounts));
	gov_tres_add(policy, "cpu", node->used_cpus, amounts);
	gov_tres_add(policy, "mem", node->used_memory, amounts);
	gov_tres_add(policy, "node", node->used_cpus > 0, amounts);
	gov_gres_add(policy, node->used_gres, amounts);
}

static void count_node(const struct gov_policy *policy,
		       const struct gov_node_record *node, uint32_t pool,
		       const struct tally *tally, struct gov_node_shape *shape)
{
	uint32_t count = policy->tres_count;
	gov_amount_t *healthy = tally->healthy + (size_t) pool * count;

	memset(tally->node, 0, count * sizeof(*tally->node));
	gov_tres_add(policy, "cpu", node->cpus, tally->node);
	gov_tres_add(policy, "mem", node->memory, tally->node);
	gov_tres_add(policy, "node", 1, tally->node);
	gov_gres_add(policy, node->gres, tally->node);
	/* The largest node: an estimate is rather too high. */
	for (uint32_t i = 0; i < count; i++)
		at_least(&shape->tres[i], tally->node[i]);
	if (node->installed)
		add_up(tally->installed + (size_t) pool * count, tally->node,
		       count);
	if (!node->healthy)
		count_used(policy, node, tally->node);
	add_up(healthy, tally->node, count);
	at_least(&shape->cpus, node->cpus);
	at_least(&shape->memory, node->memory);
	at_least(&shape->gpus, gov_gres_gpus(node->gres));
	at_least(&shape->sockets, node->sockets);
	at_least(&shape->threads, node->threads);
}

static struct gov_node_shape *create_shapes(const struct gov_policy *policy)
{
	size_t pools = policy->pool_count, tres = policy->tres_count;
	struct gov_node_shape *shape;
	gov_amount_t *amounts;

	shape = calloc(1,
		       pools * (sizeof(*shape) + tres * sizeof(*amounts)) + 1);
	if (!shape)
		return NULL;
	amounts = (gov_amount_t *) (shape + pools);
	for (size_t i = 0; i < pools; i++) {
		shape[i].tres = amounts + i * tres;
		shape[i].default_memory = GOV_SUB_UNSET;
		shape[i].default_memory_per_cpu = GOV_SUB_UNSET;
	}
	return shape;
}

static void set_cell(struct gov_governor *g, uint32_t cell,
		     const struct tally *tally)
{
	const struct gov_cell *c = &g->policy->cell[cell];
	size_t at = (size_t) c->pool * g->policy->tres_count + c->tres;
	const char *name = g->policy->tres[c->tres].name;

	/* These are on no node. */
	if (!strncmp(name, "license/", 8) || !strncmp(name, "bb/", 3))
		return;
	gov_engine_set_installed(g->engine, cell, tally->installed[at]);
	gov_engine_set_capacity(g->engine, cell, tally->healthy[at]);
}

int gov_capacity_update(struct gov_governor *g)
{
	const struct gov_policy *policy = g->policy;
	size_t tres = policy->tres_count;
	struct gov_node_shape *shape = create_shapes(policy);
	struct tally tally = {
		.healthy = calloc(policy->pool_count * tres + 1,
				  sizeof(gov_amount_t)),
		.installed = calloc(policy->pool_count * tres + 1,
				    sizeof(gov_amount_t)),
		.node = calloc(tres + 1, sizeof(gov_amount_t)),
	};
	int rc = -1;

	if (!shape || !tally.healthy || !tally.installed || !tally.node)
		goto out;
	for (uint32_t i = 0; g->machine && i < g->machine->node_count; i++) {
		const struct gov_node_record *node = &g->machine->node[i];
		uint32_t pool = gov_policy_find_node(policy, node->name);

		if (pool != GOV_NONE)
			count_node(policy, node, pool, &tally, &shape[pool]);
	}
	for (uint32_t i = 0; g->machine && i < policy->cell_count; i++)
		set_cell(g, i, &tally);
	free(g->shape);
	g->shape = shape;
	shape = NULL;
	rc = 0;
out:
	free(shape);
	free(tally.healthy);
	free(tally.installed);
	free(tally.node);
	return rc;
}

/* ---- partitions ---- */

static const struct gov_partition_record *find_partition(
	const struct gov_machine *machine, const char *name, size_t length)
{
	for (uint32_t i = 0; i < machine->partition_count; i++)
		if (strlen(machine->partition[i].name) == length &&
		    !strncmp(machine->partition[i].name, name, length))
			return &machine->partition[i];
	return NULL;
}

const struct gov_partition_record *gov_partition_of(
	const struct gov_governor *g, const struct gov_submission *s)
{
	if (!g->machine)
		return NULL;
	if (s->partition)
		return find_partition(g->machine, s->partition,
				      strcspn(s->partition, ","));
	for (uint32_t i = 0; i < g->machine->partition_count; i++)
		if (g->machine->partition[i].is_default)
			return &g->machine->partition[i];
	return NULL;
}

bool gov_partition_is_asked(const struct gov_submission *s,
			    const struct gov_partition_record *partition)
{
	return s->partition ? gov_has_word(s->partition, partition->name) :
			      partition->is_default;
}

/* Does some node of the host list belong to the pool? */
static bool hostlist_meets(const struct gov_policy *policy, uint32_t pool,
			   const char *hosts)
{
	char **names = NULL;
	bool known = false, meets = false;
	long count = gov_hostlist_expand(hosts, &names, NULL);

	for (long i = 0; i < count; i++) {
		uint32_t of = gov_policy_find_node(policy, names[i]);

		known |= of != GOV_NONE;
		meets |= of == pool;
	}
	gov_hostlist_free(names, count);
	/* Text that is not understood, or names of no pool, rule out none. */
	return meets || !known;
}

static bool in_partition(const struct gov_governor *g, uint32_t pool,
			 const struct gov_submission *s)
{
	const char *wanted = g->policy->pool[pool].partition;
	const char *name = s->partition;

	if (!name || !g->machine)
		return true;
	while (*name) {
		size_t length = strcspn(name, ",");
		const struct gov_partition_record *partition =
			find_partition(g->machine, name, length);

		if (wanted ? strlen(wanted) == length &&
				     !strncmp(wanted, name, length) :
			     !partition || !partition->nodes ||
				     hostlist_meets(g->policy, pool,
						    partition->nodes))
			return true;
		name += length;
		name += *name == ',';
	}
	return false;
}

bool gov_has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	while (list && *list) {
		size_t n = strcspn(list, ",");

		if (n == length && !strncmp(list, word, n))
			return true;
		list += n;
		list += list[0] == ',';
	}
	return false;
}

/* A constraint that is one plain feature which no node of the pool has. */
static bool lacks_feature(const struct gov_governor *g, uint32_t pool,
			  const char *feature)
{
	if (strpbrk(feature, "&|,[]*()") || !g->machine)
		return false;
	for (uint32_t i = 0; i < g->machine->node_count; i++) {
		const struct gov_node_record *node = &g->machine->node[i];

		if (gov_policy_find_node(g->policy, node->name) == pool &&
		    gov_has_word(node->features, feature))
			return false;
	}
	return true;
}

static bool matches(const struct gov_governor *g, uint32_t pool,
		    const struct gov_submission *s)
{
	const char *constraint = g->policy->pool[pool].constraint;

	if (!in_partition(g, pool, s))
		return false;
	if (s->nodelist && !hostlist_meets(g->policy, pool, s->nodelist))
		return false;
	if (!s->features || (constraint && !strcmp(constraint, s->features)))
		return true;
	return !lacks_feature(g, pool, s->features);
}

size_t gov_candidate_pools(const struct gov_governor *g, uint32_t team,
			   const struct gov_submission *s, uint32_t *pools,
			   size_t max)
{
	const struct gov_unit *unit = &g->policy->unit[team];
	uint32_t count = unit->pools ? unit->pool_count : g->policy->pool_count;
	size_t stored = 0;

	for (uint32_t i = 0; i < count && stored < max; i++) {
		uint32_t pool = unit->pools ? unit->pools[i] : i;

		if (matches(g, pool, s))
			pools[stored++] = pool;
	}
	return stored;
}

void gov_complete_submission(const struct gov_governor *g,
			     const struct gov_submission *s, uint32_t pool,
			     struct gov_submission *asked,
			     struct gov_node_shape *shape)
{
	const struct gov_partition_record *partition = gov_partition_of(g, s);

	*asked = *s;
	*shape = g->shape[pool];
	if (!partition)
		return;
	shape->default_memory = partition->default_memory;
	shape->default_memory_per_cpu = partition->default_memory_per_cpu;
	shape->default_memory_per_gpu = partition->default_memory_per_gpu;
	shape->default_cpus_per_gpu = partition->default_cpus_per_gpu;
	asked->exclusive |= partition->exclusive;
}

int gov_estimate(const struct gov_governor *g, const struct gov_submission *s,
		 uint32_t pool, struct gov_request *request,
		 struct gov_error *error)
{
	struct gov_submission asked;
	struct gov_node_shape shape;

	if (!g->shape || !g->machine)
		return gov_request_estimate(s, g->policy, pool, NULL, request,
					    error);
	gov_complete_submission(g, s, pool, &asked, &shape);
	return gov_request_estimate(&asked, g->policy, pool, &shape, request,
				    error);
}
