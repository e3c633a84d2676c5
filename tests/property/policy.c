/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "core/policy.h"

static const char *const tres_name[TRES] = { "gres/gpu", "cpu", "mem",
					     "license/x" };

static void need(int rc, const char *what)
{
	if (!rc)
		return;
	fprintf(stderr, "policy: %s\n", what);
	exit(2);
}

static void add_pools(struct gov_policy *policy, const struct spec *spec)
{
	char name[16];

	for (int t = 0; t < spec->tres; t++)
		need(gov_policy_add_tres(policy, tres_name[t]) == GOV_NONE,
		     "tres");
	for (int p = 0; p < spec->pools; p++) {
		uint32_t pool;

		snprintf(name, sizeof(name), "p%d", p);
		pool = gov_policy_add_pool(policy, name);
		need(pool == GOV_NONE, "pool");
		for (int t = 0; t < spec->tres; t++)
			if (spec->has_cell[p * TRES + t])
				need(gov_policy_pool_add_tres(policy, pool,
							      (uint32_t) t),
				     "tres of a pool");
	}
	need(gov_policy_make_cells(policy), "cells");
}

uint32_t unit_index(const struct gov_policy *policy, int unit)
{
	char name[16];

	snprintf(name, sizeof(name), "u%d", unit);
	return gov_policy_find_unit(policy, name);
}

int unit_of(const struct gov_policy *policy, uint32_t index)
{
	return index == GOV_NONE ? NONE : atoi(policy->unit[index].name + 1);
}

uint32_t cell_index(const struct gov_policy *policy, int cell)
{
	for (uint32_t i = 0; i < policy->cell_count; i++)
		if (cell_of(policy, i) == cell)
			return i;
	return GOV_NONE;
}

int cell_of(const struct gov_policy *policy, uint32_t index)
{
	const struct gov_cell *cell = &policy->cell[index];

	return (int) (cell->pool * TRES + cell->tres);
}

uint32_t project_index(const struct gov_policy *policy, int team, int project)
{
	char name[16];

	snprintf(name, sizeof(name), "pr%d", project);
	return gov_policy_find_project(policy, unit_index(policy, team), name);
}

static gov_amount_t *amounts(const struct gov_policy *policy,
			     const uint64_t *max)
{
	gov_amount_t *amount = calloc(policy->cell_count + 1, sizeof(*amount));
	bool any = false;

	need(!amount, "memory");
	for (uint32_t i = 0; i < policy->cell_count; i++) {
		amount[i] = max[cell_of(policy, i)];
		any |= amount[i] != GOV_UNLIMITED;
	}
	if (any)
		return amount;
	free(amount);
	return NULL;
}

static int64_t seconds(int value)
{
	return value == NONE ? GOV_SECONDS_UNSET : value;
}

static void fill_unit(struct gov_policy *policy, const struct spec *spec,
		      int number, struct gov_unit *unit)
{
	const struct spec_unit *from = &spec->unit[number];

	unit->weight = (struct gov_weight){
		(uint32_t) from->weight,
		(uint32_t) from->weight_scale,
	};
	unit->strategy = (enum gov_strategy) from->strategy;
	unit->queueing = (enum gov_queueing) from->queueing;
	unit->preempt_within_team = (enum gov_preempt) from->within;
	unit->reclaim = (enum gov_preempt) from->reclaim;
	unit->preempt_while_borrowing = (enum gov_preempt) from->borrowing;
	unit->preempt_while_borrowing_max =
		from->borrowing_max == NONE ? GOV_NONE :
					      (uint32_t) from->borrowing_max;
	unit->prefer_own = from->prefer_own;
	unit->terms.min_runtime = seconds(from->min_runtime);
	unit->terms.min_loan = seconds(from->min_loan);
	unit->max_evictions = from->max_evictions == NONE ?
				      GOV_NONE :
				      (uint32_t) from->max_evictions;
	unit->user_max = amounts(policy, from->user_max);
	for (uint32_t i = 0; i < policy->cell_count; i++) {
		const struct spec_quota *q = &from->quota[cell_of(policy, i)];

		if (!q->set)
			continue;
		unit->quota[i].set = true;
		unit->quota[i].nominal = q->nominal;
		unit->quota[i].borrow_limit = q->borrow;
		unit->quota[i].lend_limit = q->lend;
	}
}

static void add_units(struct gov_policy *policy, const struct spec *spec)
{
	char name[16];

	for (int i = 0; i < spec->units; i++) {
		const struct spec_unit *from = &spec->unit[i];
		uint32_t parent = GOV_NONE, unit;

		if (!from->present)
			continue;
		if (from->parent != NONE)
			parent = unit_index(policy, from->parent);
		snprintf(name, sizeof(name), "u%d", i);
		unit = gov_policy_add_unit(policy, name, from->team, parent);
		need(unit == GOV_NONE, "unit");
		fill_unit(policy, spec, i, &policy->unit[unit]);
	}
}

static void add_classes(struct gov_policy *policy, const struct spec *spec)
{
	char name[16];

	for (int i = 0; i < spec->classes; i++) {
		struct gov_class *class;
		uint32_t index;

		snprintf(name, sizeof(name), "c%d", i);
		index = gov_policy_add_class(policy, name);
		need(index == GOV_NONE, "class");
		class = &policy->class[index];
		class->weight = (uint32_t) spec->class[i].weight;
		class->may_borrow = spec->class[i].may_borrow;
		class->preempt_set = spec->class[i].within != NONE;
		if (class->preempt_set)
			class->preempt_within_team =
				(enum gov_preempt) spec->class[i].within;
	}
}

static void add_projects(struct gov_policy *policy, const struct spec *spec)
{
	char name[16];

	for (int i = 0; i < spec->projects; i++) {
		int team = spec->project[i].team;
		uint32_t index;

		if (!spec->unit[team].present)
			continue;
		snprintf(name, sizeof(name), "pr%d", i);
		index = gov_policy_add_project(policy, name,
					       unit_index(policy, team));
		need(index == GOV_NONE, "project");
		policy->project[index].max = amounts(policy,
						     spec->project[i].max);
	}
}

struct gov_policy *policy_of(const struct spec *spec)
{
	struct gov_policy *policy = gov_policy_create();
	struct gov_error error;

	need(!policy, "memory");
	add_pools(policy, spec);
	add_classes(policy, spec);
	add_units(policy, spec);
	add_projects(policy, spec);
	policy->idle_sharing = spec->fair ? GOV_FAIR_SHARE : GOV_FIRST_COME;
	policy->usage_half_life = spec->half_life;
	policy->task_order = spec->rank ? GOV_TASK_RANK : GOV_TASK_FIRST_COME;
	policy->share_unallocated = spec->share_unallocated;
	policy->capacity_clamp = spec->clamp;
	policy->max_evict_ratio_permille = (uint64_t) spec->ratio_permille;
	policy->max_evict_ratio_all_rules = spec->ratio_all;
	policy->terms.min_runtime = spec->min_runtime;
	policy->terms.grace = spec->grace;
	need(gov_policy_finish(policy, &error), error.text);
	return policy;
}
