/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policy's pools and quotas beside the nodes that Slurm has. */
#include "sgov/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request/submission.h"
#include "sgov/format.h"

struct summing {
	const struct gov_policy *policy;
	uint32_t pool;
	gov_amount_t *capacity; /* per cell */
};

static void add(struct summing *summing, const char *name, gov_amount_t amount)
{
	uint32_t tres = gov_policy_find_tres(summing->policy, name);
	uint32_t cell = tres == GOV_NONE ?
				GOV_NONE :
				gov_policy_find_cell(summing->policy,
						     summing->pool, tres);

	if (cell != GOV_NONE)
		summing->capacity[cell] =
			gov_amount_add(summing->capacity[cell], amount);
}

static int add_gres(const struct gov_tres_entry *entry, void *arg)
{
	char name[520];

	add(arg, entry->name, entry->amount);
	if (*entry->type) {
		snprintf(name, sizeof(name), "%s:%s", entry->name, entry->type);
		add(arg, name, entry->amount);
	}
	return 0;
}

void sgov_cut_brackets(char *text)
{
	char *to = text;
	int depth = 0;

	for (; *text; text++) {
		depth += *text == '(';
		if (!depth)
			*to++ = *text;
		depth -= *text == ')' && depth;
	}
	*to = '\0';
}

static void add_number(struct summing *summing, const char *line,
		       const char *key, const char *tres)
{
	char *text = sgov_scontrol_value(line, key);

	if (text)
		add(summing, tres, strtoull(text, NULL, 10));
	free(text);
}

static void add_node(struct summing *summing, const char *line)
{
	char *gres = sgov_scontrol_value(line, "Gres");

	add_number(summing, line, "CPUTot", "cpu");
	add_number(summing, line, "RealMemory", "mem");
	add(summing, "node", 1);
	if (gres && *gres && strcmp(gres, "(null)") != 0) {
		sgov_cut_brackets(gres);
		gov_tres_walk(gres, add_gres, summing, NULL);
	}
	free(gres);
}

static void compare_quotas(const struct gov_policy *policy, uint32_t cell,
			   gov_amount_t capacity,
			   struct sgov_findings *findings)
{
	const char *pool = policy->pool[policy->cell[cell].pool].name;
	const char *tres = policy->tres[policy->cell[cell].tres].name;
	char has[SGOV_AMOUNT_TEXT], promised[SGOV_AMOUNT_TEXT];
	gov_amount_t sum;
	int rc = gov_policy_oversold(policy, cell, capacity, &sum);

	sgov_format_amount(has, tres, capacity, false);
	sgov_format_amount(promised, tres, sum, false);
	if (rc == 0)
		sgov_finding(findings, SGOV_FINE, "quotas",
			     "pool %s has %s of %s, quotas take %s", pool, has,
			     tres, promised);
	else if (rc > 0)
		sgov_finding(
			findings, SGOV_DOUBTFUL, "quotas",
			"pool %s has %s of %s, quotas promise %s, as Oversell= allows",
			pool, has, tres, promised);
	else
		sgov_finding(
			findings, SGOV_WRONG, "quotas",
			"pool %s has %s of %s, quotas promise %s: lower them or set Oversell=",
			pool, has, tres, promised);
}

/* Has anybody a quota there? */
static bool has_quota(const struct gov_policy *policy, uint32_t cell)
{
	for (uint32_t i = 0; i < policy->unit_count; i++)
		if (policy->unit[i].quota[cell].set)
			return true;
	return false;
}

/* Nodes of the policy that Slurm does not know. */
static void tell_missing(const struct gov_policy *policy, const bool *seen,
			 struct sgov_findings *findings)
{
	for (size_t i = 0; i < policy->node_count; i++)
		if (!seen[i])
			sgov_finding(
				findings, SGOV_WRONG, "nodes",
				"node %s of pool %s is not known to Slurm: correct Nodes= of the pool",
				policy->node_by_name[i].name,
				policy->pool[policy->node_by_name[i].pool]
					.name);
}

/* Index in node_by_name, which is sorted; or node_count. */
static size_t find_node(const struct gov_policy *policy, const char *name)
{
	size_t low = 0, high = policy->node_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(policy->node_by_name[middle].name, name);

		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return policy->node_count;
}

void sgov_examine_nodes(char *nodes, const struct gov_policy *policy,
			struct sgov_findings *findings)
{
	gov_amount_t *capacity = sgov_alloc(policy->cell_count *
					    sizeof(*capacity));
	bool *seen = sgov_alloc(policy->node_count * sizeof(*seen));
	size_t outside = 0;
	char *line;

	while ((line = strsep(&nodes, "\n"))) {
		char *name = sgov_scontrol_value(line, "NodeName");
		size_t i = name ? find_node(policy, name) : 0;

		if (name && i == policy->node_count) {
			outside++;
		} else if (name) {
			struct summing summing = { policy,
						   policy->node_by_name[i].pool,
						   capacity };

			seen[i] = true;
			add_node(&summing, line);
		}
		free(name);
	}
	tell_missing(policy, seen, findings);
	if (outside)
		sgov_finding(
			findings, SGOV_DOUBTFUL, "nodes",
			"%zu node%s belong%s to no pool: jobs there hold no quota",
			outside, outside == 1 ? "" : "s",
			outside == 1 ? "s" : "");
	for (uint32_t cell = 0; cell < policy->cell_count; cell++)
		if (has_quota(policy, cell))
			compare_quotas(policy, cell, capacity[cell], findings);
	free(seen);
	free(capacity);
}
