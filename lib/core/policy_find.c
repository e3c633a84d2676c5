/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Look-ups by name in a policy. */
#include "core/policy.h"

#include <string.h>
#include <strings.h>

uint32_t gov_policy_find_tres(const struct gov_policy *policy, const char *name)
{
	for (uint32_t i = 0; i < policy->tres_count; i++)
		if (!strcasecmp(policy->tres[i].name, name))
			return i;
	return GOV_NONE;
}

uint32_t gov_policy_find_pool(const struct gov_policy *policy, const char *name)
{
	for (uint32_t i = 0; i < policy->pool_count; i++)
		if (!strcasecmp(policy->pool[i].name, name))
			return i;
	return GOV_NONE;
}

uint32_t gov_policy_find_class(const struct gov_policy *policy,
			       const char *name)
{
	for (uint32_t i = 0; i < policy->class_count; i++)
		if (!strcasecmp(policy->class[i].name, name))
			return i;
	return GOV_NONE;
}

uint32_t gov_policy_find_project(const struct gov_policy *policy, uint32_t team,
				 const char *name)
{
	for (uint32_t i = 0; i < policy->project_count; i++)
		if (policy->project[i].team == team &&
		    !strcasecmp(policy->project[i].name, name))
			return i;
	return GOV_NONE;
}

static const char *unit_name(const struct gov_policy *policy, uint32_t unit)
{
	return policy->unit[unit].name;
}

/* What a team's account is: said, or its name. */
static const char *unit_account(const struct gov_policy *policy, uint32_t unit)
{
	const struct gov_unit *u = &policy->unit[unit];

	return u->account ? u->account : u->name;
}

/* Binary search in indices of units sorted by what `key` says of them. */
static uint32_t search(const struct gov_policy *policy, const uint32_t *sorted,
		       uint32_t count,
		       const char *(*key)(const struct gov_policy *, uint32_t),
		       const char *name)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcasecmp(name, key(policy, sorted[middle]));

		if (!order)
			return sorted[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return GOV_NONE;
}

uint32_t gov_policy_find_unit(const struct gov_policy *policy, const char *name)
{
	if (policy->finished)
		return search(policy, policy->unit_by_name, policy->unit_count,
			      unit_name, name);
	for (uint32_t i = 0; i < policy->unit_count; i++)
		if (!strcasecmp(policy->unit[i].name, name))
			return i;
	return GOV_NONE;
}

uint32_t gov_policy_find_account(const struct gov_policy *policy,
				 const char *account)
{
	if (policy->finished)
		return search(policy, policy->team_by_account,
			      policy->team_count, unit_account, account);
	for (uint32_t i = 0; i < policy->unit_count; i++)
		if (policy->unit[i].is_team &&
		    !strcasecmp(unit_account(policy, i), account))
			return i;
	return GOV_NONE;
}

static uint32_t node_linear(const struct gov_policy *policy, const char *node)
{
	for (uint32_t p = 0; p < policy->pool_count; p++)
		for (uint32_t n = 0; n < policy->pool[p].node_count; n++)
			if (!strcmp(policy->pool[p].nodes[n], node))
				return p;
	return GOV_NONE;
}

uint32_t gov_policy_find_node(const struct gov_policy *policy, const char *node)
{
	size_t low = 0, high = policy->node_count;

	if (!policy->finished)
		return node_linear(policy, node);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct gov_node_name *n = &policy->node_by_name[middle];
		int order = strcmp(node, n->name);

		if (!order)
			return n->pool;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return GOV_NONE;
}

uint32_t gov_policy_find_cell(const struct gov_policy *policy, uint32_t pool,
			      uint32_t tres)
{
	for (uint32_t i = 0; i < policy->cell_count; i++)
		if (policy->cell[i].pool == pool &&
		    policy->cell[i].tres == tres)
			return i;
	return GOV_NONE;
}

uint32_t gov_policy_same_cell(const struct gov_policy *policy,
			      const struct gov_policy *from, uint32_t cell)
{
	const struct gov_cell *old = &from->cell[cell];
	uint32_t pool = gov_policy_find_pool(policy,
					     from->pool[old->pool].name);
	uint32_t tres = gov_policy_find_tres(policy,
					     from->tres[old->tres].name);

	if (pool == GOV_NONE || tres == GOV_NONE)
		return GOV_NONE;
	return gov_policy_find_cell(policy, pool, tres);
}
