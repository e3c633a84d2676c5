/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checking a policy as a whole, and what follows from it. */
#include "core/policy.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/array.h"

static int no_memory(struct gov_error *error)
{
	return gov_error_set(error, GOV_E_NOMEM, "out of memory");
}

/* ---- the tree ---- */

static int check_parents(const struct gov_policy *policy,
			 struct gov_error *error)
{
	for (uint32_t i = 0; i < policy->unit_count; i++) {
		const struct gov_unit *unit = &policy->unit[i];

		if (unit->parent == GOV_NONE)
			continue;
		if (unit->parent >= policy->unit_count)
			return gov_error_set(error, GOV_E_REFERENCE,
					     "the parent of %s does not exist",
					     unit->name);
		if (policy->unit[unit->parent].is_team)
			return gov_error_set(
				error, GOV_E_REFERENCE,
				"the parent of %s is the team %s; only a unit can be a parent",
				unit->name, policy->unit[unit->parent].name);
	}
	return 0;
}

/* Parents before children; what is left over when none is ready is a cycle. */
static int order_units(struct gov_policy *policy, struct gov_error *error)
{
	uint32_t count = policy->unit_count, done = 0, before;
	bool *placed = gov_array_new(count, sizeof(*placed));

	policy->unit_order = gov_array_new(count, sizeof(uint32_t));
	if (!placed || !policy->unit_order) {
		free(placed);
		return no_memory(error);
	}
	do {
		before = done;
		for (uint32_t i = 0; i < count; i++) {
			struct gov_unit *unit = &policy->unit[i];
			uint32_t parent = unit->parent;

			if (placed[i] ||
			    (parent != GOV_NONE && !placed[parent]))
				continue;
			unit->depth = parent == GOV_NONE ?
					      0 :
					      policy->unit[parent].depth + 1;
			placed[i] = true;
			policy->unit_order[done++] = i;
		}
	} while (done > before);
	for (uint32_t i = 0; done < count && i < count; i++) {
		if (placed[i])
			continue;
		free(placed);
		return gov_error_set(error, GOV_E_REFERENCE,
				     "the parents of %s form a cycle",
				     policy->unit[i].name);
	}
	free(placed);
	for (uint32_t i = count; i-- > 0;) {
		struct gov_unit *unit = &policy->unit[policy->unit_order[i]];

		if (unit->depth >= GOV_DEPTH_MAX)
			return gov_error_set(error, GOV_E_VALUE,
					     "%s is more than %d levels deep",
					     unit->name, GOV_DEPTH_MAX);
	}
	for (uint32_t i = count; i-- > 0;) {
		struct gov_unit *unit = &policy->unit[policy->unit_order[i]];
		struct gov_unit *parent = unit->parent == GOV_NONE ?
						  NULL :
						  &policy->unit[unit->parent];

		if (parent && parent->height < unit->height + 1)
			parent->height = unit->height + 1;
	}
	return 0;
}

/* ---- names ---- */

/* Sort context: qsort() has no argument of its own. */
struct named {
	const char *name;
	uint32_t index;
};

static int by_name(const void *a, const void *b)
{
	return strcasecmp(((const struct named *) a)->name,
			  ((const struct named *) b)->name);
}

/*
 * Write the indices in the order of their names into `sorted` (may be NULL);
 * refuse the same name twice.  `list` is used up.
 */
static int sort_names(struct named *list, uint32_t count, uint32_t *sorted,
		      const char *what, struct gov_error *error)
{
	qsort(list, count, sizeof(*list), by_name);
	for (uint32_t i = 0; i < count; i++) {
		if (i && !strcasecmp(list[i].name, list[i - 1].name))
			return gov_error_set(error, GOV_E_DUPLICATE,
					     "%s %s is defined twice", what,
					     list[i].name);
		if (sorted)
			sorted[i] = list[i].index;
	}
	return 0;
}

/* Tables whose element begins with its name: TRES, pools, classes. */
static int unique_names(const void *table, uint32_t count, size_t size,
			const char *what, struct gov_error *error)
{
	struct named *list = gov_array_new(count, sizeof(*list));
	int rc;

	if (!list)
		return no_memory(error);
	for (uint32_t i = 0; i < count; i++) {
		memcpy(&list[i].name, (const char *) table + i * size,
		       sizeof(char *));
		list[i].index = i;
	}
	rc = sort_names(list, count, NULL, what, error);
	free(list);
	return rc;
}

static int index_units(struct gov_policy *policy, struct gov_error *error)
{
	uint32_t count = policy->unit_count, teams = 0;
	struct named *list = gov_array_new(count, sizeof(*list));
	int rc;

	policy->unit_by_name = gov_array_new(count, sizeof(uint32_t));
	policy->team_by_account = gov_array_new(count, sizeof(uint32_t));
	if (!list || !policy->unit_by_name || !policy->team_by_account) {
		free(list);
		return no_memory(error);
	}
	for (uint32_t i = 0; i < count; i++)
		list[i] = (struct named){ policy->unit[i].name, i };
	rc = sort_names(list, count, policy->unit_by_name, "unit or team",
			error);
	for (uint32_t i = 0; !rc && i < count; i++) {
		struct gov_unit *unit = &policy->unit[i];

		if (!unit->is_team)
			continue;
		if (!unit->account && !(unit->account = strdup(unit->name)))
			rc = no_memory(error);
		else
			list[teams++] = (struct named){ unit->account, i };
	}
	policy->team_count = teams;
	if (!rc)
		rc = sort_names(list, teams, policy->team_by_account,
				"account of a team:", error);
	free(list);
	return rc;
}

static int check_projects(const struct gov_policy *policy,
			  struct gov_error *error)
{
	for (uint32_t i = 0; i < policy->project_count; i++) {
		const struct gov_project *p = &policy->project[i];

		if (p->team >= policy->unit_count ||
		    !policy->unit[p->team].is_team)
			return gov_error_set(error, GOV_E_REFERENCE,
					     "project %s belongs to no team",
					     p->name);
		if (gov_policy_find_project(policy, p->team, p->name) != i)
			return gov_error_set(
				error, GOV_E_DUPLICATE,
				"project %s of team %s is defined twice",
				p->name, policy->unit[p->team].name);
	}
	return 0;
}

static int by_node(const void *a, const void *b)
{
	return strcmp(((const struct gov_node_name *) a)->name,
		      ((const struct gov_node_name *) b)->name);
}

static int by_string(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

static int index_nodes(struct gov_policy *policy, struct gov_error *error)
{
	size_t count = 0, n = 0;

	for (uint32_t p = 0; p < policy->pool_count; p++)
		count += policy->pool[p].node_count;
	policy->node_by_name = gov_array_new(count,
					     sizeof(*policy->node_by_name));
	if (!policy->node_by_name)
		return no_memory(error);
	for (uint32_t p = 0; p < policy->pool_count; p++) {
		struct gov_pool *pool = &policy->pool[p];

		if (pool->node_count)
			qsort(pool->nodes, pool->node_count,
			      sizeof(*pool->nodes), by_string);
		for (uint32_t i = 0; i < pool->node_count; i++)
			policy->node_by_name[n++] = (struct gov_node_name){
				pool->nodes[i], p
			};
	}
	policy->node_count = count;
	qsort(policy->node_by_name, count, sizeof(*policy->node_by_name),
	      by_node);
	for (n = 1; n < count; n++) {
		const struct gov_node_name *a = &policy->node_by_name[n - 1];
		const struct gov_node_name *b = &policy->node_by_name[n];

		if (!strcmp(a->name, b->name))
			return gov_error_set(
				error, GOV_E_DUPLICATE,
				"node %s is in pool %s and again in pool %s; a node belongs to one pool",
				a->name, policy->pool[a->pool].name,
				policy->pool[b->pool].name);
	}
	return 0;
}

static int check_tables(const struct gov_policy *policy,
			struct gov_error *error)
{
	if (unique_names(policy->tres, policy->tres_count,
			 sizeof(*policy->tres), "TRES", error) ||
	    unique_names(policy->pool, policy->pool_count,
			 sizeof(*policy->pool), "pool", error) ||
	    unique_names(policy->class, policy->class_count,
			 sizeof(*policy->class), "priority class", error))
		return -1;
	for (uint32_t i = 0; i < policy->cell_count; i++) {
		const struct gov_cell *cell = &policy->cell[i];

		if (gov_policy_find_cell(policy, cell->pool, cell->tres) != i)
			return gov_error_set(error, GOV_E_DUPLICATE,
					     "pool %s names TRES %s twice",
					     policy->pool[cell->pool].name,
					     policy->tres[cell->tres].name);
	}
	return 0;
}

/* ---- quotas ---- */

static bool comes_with_every_job(const char *tres)
{
	return !strcasecmp(tres, "cpu") || !strcasecmp(tres, "mem") ||
	       !strcasecmp(tres, "node");
}

static bool has_part_in(const struct gov_policy *policy,
			const struct gov_unit *unit, uint32_t pool)
{
	for (uint32_t c = 0; c < policy->cell_count; c++)
		if (policy->cell[c].pool == pool && unit->quota[c].set)
			return true;
	return false;
}

/* What a cell that no Quota record names is for this unit; see policy.h. */
static void settle_unset(const struct gov_policy *policy, struct gov_unit *unit,
			 uint32_t cell)
{
	struct gov_quota *quota = &unit->quota[cell];
	const struct gov_cell *c = &policy->cell[cell];

	quota->nominal = 0;
	quota->borrow = GOV_UNLIMITED;
	quota->lend = GOV_UNLIMITED;
	quota->counted = true;
	if (!unit->is_team)
		return;
	if (has_part_in(policy, unit, c->pool) &&
	    comes_with_every_job(policy->tres[c->tres].name))
		quota->counted = false;
	else
		quota->borrow = 0;
}

static void apply_strategy(const struct gov_unit *unit, struct gov_quota *quota)
{
	bool borrows = unit->strategy == GOV_LEND_AND_BORROW ||
		       unit->strategy == GOV_BORROW;
	bool lends = unit->strategy == GOV_LEND_AND_BORROW ||
		     unit->strategy == GOV_LEND;

	quota->counted = true;
	quota->borrow = borrows ? quota->borrow_limit : 0;
	quota->lend = lends ? quota->lend_limit : 0;
}

static int check_quota(const struct gov_policy *policy,
		       const struct gov_unit *unit, uint32_t cell,
		       struct gov_error *error)
{
	const struct gov_quota *quota = &unit->quota[cell];

	if (quota->nominal == GOV_UNSET || quota->borrow_limit == GOV_UNSET ||
	    quota->lend_limit == GOV_UNSET)
		return gov_error_set(
			error, GOV_E_VALUE,
			"%s has no amount for %s in pool %s", unit->name,
			policy->tres[policy->cell[cell].tres].name,
			policy->pool[policy->cell[cell].pool].name);
	return 0;
}

static int settle_unit(struct gov_policy *policy, struct gov_unit *unit,
		       struct gov_error *error)
{
	if (!unit->weight.denominator)
		return gov_error_set(error, GOV_E_VALUE,
				     "the weight of %s is not a number",
				     unit->name);
	for (uint32_t c = 0; c < policy->cell_count; c++) {
		if (!unit->quota[c].set)
			settle_unset(policy, unit, c);
		else if (check_quota(policy, unit, c, error))
			return -1;
		else
			apply_strategy(unit, &unit->quota[c]);
	}
	return 0;
}

/* Sum of all nominal quotas of a cell; GOV_UNLIMITED if one is unlimited. */
static int sum_cell(const struct gov_policy *policy, uint32_t cell,
		    gov_amount_t *sum)
{
	bool unlimited = false, overflow = false;

	*sum = policy->root_quota ? policy->root_quota[cell] : 0;
	unlimited = *sum == GOV_UNLIMITED;
	for (uint32_t i = 0; i < policy->unit_count; i++) {
		gov_amount_t nominal = policy->unit[i].quota[cell].nominal;

		unlimited |= nominal == GOV_UNLIMITED;
		if (unlimited)
			continue;
		*sum = gov_amount_add(*sum, nominal);
		overflow |= *sum == GOV_UNLIMITED;
		if (overflow)
			break;
	}
	if (unlimited)
		*sum = GOV_UNLIMITED;
	return overflow ? -1 : 0;
}

static int check_sums(const struct gov_policy *policy, struct gov_error *error)
{
	gov_amount_t sum;

	for (uint32_t c = 0; c < policy->cell_count; c++)
		if (sum_cell(policy, c, &sum))
			return gov_error_set(
				error, GOV_E_OVERFLOW,
				"the quotas of %s in pool %s add up to more than %llu; write unlimited if that is meant",
				policy->tres[policy->cell[c].tres].name,
				policy->pool[policy->cell[c].pool].name,
				(unsigned long long) GOV_AMOUNT_MAX);
	return 0;
}

static void forget_derived(struct gov_policy *policy)
{
	policy->finished = false;
	free(policy->unit_order);
	free(policy->unit_by_name);
	free(policy->team_by_account);
	free(policy->node_by_name);
	policy->unit_order = policy->unit_by_name = NULL;
	policy->team_by_account = NULL;
	policy->node_by_name = NULL;
	for (uint32_t i = 0; i < policy->unit_count; i++)
		policy->unit[i].height = 0;
}

int gov_policy_finish(struct gov_policy *policy, struct gov_error *error)
{
	forget_derived(policy);
	if (!policy->root_weight.denominator)
		return gov_error_set(error, GOV_E_VALUE,
				     "the weight of the root is not a number");
	if (check_parents(policy, error) || order_units(policy, error) ||
	    index_units(policy, error) || check_tables(policy, error) ||
	    check_projects(policy, error) || index_nodes(policy, error))
		return -1;
	for (uint32_t i = 0; i < policy->unit_count; i++)
		if (settle_unit(policy, &policy->unit[i], error))
			return -1;
	if (check_sums(policy, error))
		return -1;
	policy->finished = true;
	return 0;
}

int gov_policy_oversold(const struct gov_policy *policy, uint32_t cell,
			gov_amount_t capacity, gov_amount_t *sum)
{
	const struct gov_pool *pool = &policy->pool[policy->cell[cell].pool];

	if (sum_cell(policy, cell, sum))
		*sum = GOV_UNLIMITED;
	if (*sum <= capacity)
		return 0;
	return *sum <= gov_amount_scale(capacity, pool->oversell_permille,
					1000) ?
		       1 :
		       -1;
}
