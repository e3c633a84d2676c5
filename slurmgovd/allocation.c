/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job holds, from what Slurm says it allocated. */
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "slurmgovd/governor_private.h"
#include "slurmgovd/gres.h"

/*
 * The pools of the allocated nodes, in the order of the node list.  A job as
 * a rule runs in one pool; where its partition spans several, GPUs are counted
 * where they are and the rest by the share of nodes.
 */
struct spread {
	uint32_t *pool; /* per node, or GOV_NONE */
	long nodes;
};

static int find_spread(const struct gov_policy *policy, const char *hosts,
		       struct spread *spread)
{
	char **names = NULL;

	*spread = (struct spread){ 0 };
	spread->nodes = gov_hostlist_expand(hosts, &names, NULL);
	if (spread->nodes < 0)
		return -1;
	spread->pool = calloc((size_t) spread->nodes + 1,
			      sizeof(*spread->pool));
	for (long i = 0; spread->pool && i < spread->nodes; i++)
		spread->pool[i] = gov_policy_find_node(policy, names[i]);
	gov_hostlist_free(names, spread->nodes);
	return spread->pool ? 0 : -1;
}

static uint64_t nodes_in(const struct spread *spread, uint32_t pool)
{
	uint64_t count = 0;

	for (long i = 0; i < spread->nodes; i++)
		count += spread->pool[i] == pool;
	return count;
}

static bool is_gres(const char *name)
{
	return !strncmp(name, "gres/", 5);
}

/* Amounts per TRES that the job holds in one pool. */
static void add_pool(const struct gov_policy *policy,
		     const struct gov_job_record *record,
		     const struct spread *spread, uint32_t pool,
		     gov_amount_t *amounts)
{
	bool detailed = record->gres_detail_count == (uint64_t) spread->nodes;
	uint64_t here = nodes_in(spread, pool);

	gov_gres_add(policy, record->tres_alloc, amounts);
	for (uint32_t i = 0; i < policy->tres_count; i++) {
		const char *name = policy->tres[i].name;

		if (detailed && is_gres(name))
			amounts[i] = 0;
		else if (!strcmp(name, "node"))
			amounts[i] = here;
		else
			amounts[i] = gov_amount_scale(amounts[i], here,
						      (uint64_t) spread->nodes);
	}
	for (long i = 0; detailed && i < spread->nodes; i++)
		if (spread->pool[i] == pool)
			gov_gres_add(policy, record->gres_detail[i], amounts);
}

static void add_cells(const struct gov_policy *policy, uint32_t pool,
		      const gov_amount_t *amounts, struct gov_request *request)
{
	for (uint32_t i = 0; i < policy->tres_count; i++) {
		uint32_t cell = gov_policy_find_cell(policy, pool, i);

		if (cell == GOV_NONE || !amounts[i] ||
		    request->count == GOV_REQUEST_MAX)
			continue;
		request->item[request->count].cell = cell;
		request->item[request->count++].amount = amounts[i];
	}
}

int gov_allocation(const struct gov_policy *policy,
		   const struct gov_job_record *record,
		   struct gov_request *request, uint32_t *pool)
{
	gov_amount_t *amounts;
	struct spread spread;
	uint64_t most = 0;

	request->count = 0;
	*pool = GOV_NONE;
	if (!record->nodes || !record->tres_alloc ||
	    find_spread(policy, record->nodes, &spread))
		return -1;
	amounts = calloc(policy->tres_count + 1, sizeof(*amounts));
	for (uint32_t i = 0; amounts && i < policy->pool_count; i++) {
		uint64_t here = nodes_in(&spread, i);

		if (!here)
			continue;
		memset(amounts, 0, policy->tres_count * sizeof(*amounts));
		add_pool(policy, record, &spread, i, amounts);
		add_cells(policy, i, amounts, request);
		if (here > most) {
			most = here;
			*pool = i;
		}
	}
	free(spread.pool);
	free(amounts);
	return amounts ? 0 : -1;
}

static gov_amount_t amount_of(const struct gov_request *request, uint32_t cell)
{
	for (uint32_t i = 0; i < request->count; i++)
		if (request->item[i].cell == cell)
			return request->item[i].amount;
	return 0;
}

bool gov_request_exceeds(const struct gov_request *a,
			 const struct gov_request *b)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (a->item[i].amount > amount_of(b, a->item[i].cell))
			return true;
	return false;
}

bool gov_request_equal(const struct gov_request *a, const struct gov_request *b)
{
	return !gov_request_exceeds(a, b) && !gov_request_exceeds(b, a);
}

void gov_request_scale(struct gov_request *request, uint64_t factor)
{
	if (!factor)
		request->count = 0;
	for (uint32_t i = 0; i < request->count; i++)
		request->item[i].amount = gov_amount_min(
			gov_amount_scale(request->item[i].amount, factor, 1),
			GOV_AMOUNT_MAX);
}
