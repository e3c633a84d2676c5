/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Building a policy element by element, and its life. */
#include "core/policy.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"

static const struct gov_terms terms_unset = {
	.grace = GOV_SECONDS_UNSET,
	.on_reclaim = -1,
	.on_checkpoint = -1,
	.min_runtime = GOV_SECONDS_UNSET,
	.min_loan = GOV_SECONDS_UNSET,
};

struct gov_policy *gov_policy_create(void)
{
	struct gov_policy *policy = calloc(1, sizeof(*policy));

	if (!policy)
		return NULL;
	policy->max_evict_ratio_permille = 1500;
	policy->terms = terms_unset;
	policy->root_weight = (struct gov_weight){ 1, 1 };
	policy->submit_deadline_ms = 20;
	policy->poll_interval_ms = 500;
	policy->member_refresh = 60;
	policy->max_updates_per_second = 50;
	policy->capacity_clamp = true;
	policy->references = 1;
	return policy;
}

struct gov_policy *gov_policy_ref(struct gov_policy *policy)
{
	if (policy)
		__atomic_add_fetch(&policy->references, 1, __ATOMIC_RELAXED);
	return policy;
}

static void member_list_free(struct gov_member_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		free(list->item[i].name);
	free(list->item);
}

static void pools_free(struct gov_policy *policy)
{
	for (uint32_t i = 0; i < policy->pool_count; i++) {
		struct gov_pool *pool = &policy->pool[i];

		for (uint32_t n = 0; n < pool->node_count; n++)
			free(pool->nodes[n]);
		free(pool->nodes);
		free(pool->name);
		free(pool->partition);
		free(pool->constraint);
		free(pool->tres);
		free(pool->price);
	}
	free(policy->pool);
}

static void units_free(struct gov_policy *policy)
{
	for (uint32_t i = 0; i < policy->unit_count; i++) {
		struct gov_unit *unit = &policy->unit[i];

		free(unit->name);
		free(unit->account);
		member_list_free(&unit->members);
		member_list_free(&unit->owners);
		free(unit->classes);
		free(unit->pools);
		free(unit->user_max);
		free(unit->isolation);
		free(unit->quota);
	}
	free(policy->unit);
}

static void classes_free(struct gov_policy *policy)
{
	for (uint32_t i = 0; i < policy->class_count; i++) {
		free(policy->class[i].name);
		free(policy->class[i].max_per_job);
	}
	free(policy->class);
}

static void projects_free(struct gov_policy *policy)
{
	for (uint32_t i = 0; i < policy->project_count; i++) {
		free(policy->project[i].name);
		free(policy->project[i].max);
		free(policy->project[i].budget);
		member_list_free(&policy->project[i].members);
	}
	free(policy->project);
}

void gov_policy_unref(struct gov_policy *policy)
{
	if (!policy ||
	    __atomic_sub_fetch(&policy->references, 1, __ATOMIC_ACQ_REL))
		return;
	for (uint32_t i = 0; i < policy->tres_count; i++)
		free(policy->tres[i].name);
	free(policy->tres);
	pools_free(policy);
	units_free(policy);
	classes_free(policy);
	projects_free(policy);
	member_list_free(&policy->exempt);
	member_list_free(&policy->operators);
	free(policy->source);
	free(policy->cluster_name);
	free(policy->submit_socket);
	free(policy->listen);
	free(policy->log_file);
	free(policy->log_level);
	free(policy->cell);
	free(policy->root_quota);
	free(policy->unit_order);
	free(policy->unit_by_name);
	free(policy->team_by_account);
	free(policy->node_by_name);
	free(policy);
}

/*
 * Append a zeroed element to *table and give it a copy of `name`, which must
 * be its first member.  Returns it, or NULL with the table unchanged.
 */
static void *append_named(void **table, uint32_t *count, size_t size,
			  const char *name)
{
	void *grown = gov_array_room(*table, *count, size);
	char *copy, *element;

	if (!grown)
		return NULL;
	*table = grown;
	copy = strdup(name);
	if (!copy)
		return NULL;
	element = (char *) grown + size * (*count)++;
	memset(element, 0, size);
	memcpy(element, &copy, sizeof(copy));
	return element;
}

#define APPEND(table, count, name) \
	append_named((void **) &(table), &(count), sizeof(*(table)), name)
#define NAME_IS_FIRST(type) \
	_Static_assert(offsetof(struct type, name) == 0, #type)
NAME_IS_FIRST(gov_tres);
NAME_IS_FIRST(gov_pool);
NAME_IS_FIRST(gov_unit);
NAME_IS_FIRST(gov_class);
NAME_IS_FIRST(gov_project);

uint32_t gov_policy_add_tres(struct gov_policy *policy, const char *name)
{
	if (!APPEND(policy->tres, policy->tres_count, name))
		return GOV_NONE;
	return policy->tres_count - 1;
}

uint32_t gov_policy_add_pool(struct gov_policy *policy, const char *name)
{
	struct gov_pool *pool = APPEND(policy->pool, policy->pool_count, name);

	if (!pool)
		return GOV_NONE;
	pool->oversell_permille = 1000;
	pool->borrowed_permille = 1000;
	pool->lent_permille = 1000;
	return policy->pool_count - 1;
}

uint32_t gov_policy_add_class(struct gov_policy *policy, const char *name)
{
	struct gov_class *class = APPEND(policy->class, policy->class_count,
					 name);

	if (!class)
		return GOV_NONE;
	class->may_borrow = true;
	class->max_time = GOV_SECONDS_UNSET;
	class->preempt_within_team = GOV_PREEMPT_LOWER;
	class->terms = terms_unset;
	return policy->class_count - 1;
}

static struct gov_quota *quota_row(uint32_t cell_count)
{
	struct gov_quota *row = gov_array_new(cell_count, sizeof(*row));

	for (uint32_t i = 0; row && i < cell_count; i++) {
		row[i].borrow_limit = GOV_UNLIMITED;
		row[i].lend_limit = GOV_UNLIMITED;
	}
	return row;
}

uint32_t gov_policy_add_unit(struct gov_policy *policy, const char *name,
			     bool is_team, uint32_t parent)
{
	struct gov_quota *quota = quota_row(policy->cell_count);
	struct gov_unit *unit;

	if (!quota)
		return GOV_NONE;
	unit = APPEND(policy->unit, policy->unit_count, name);
	if (!unit) {
		free(quota);
		return GOV_NONE;
	}
	unit->parent = parent;
	unit->is_team = is_team;
	unit->weight = (struct gov_weight){ 1, 1 };
	unit->preempt_within_team = GOV_PREEMPT_LOWER;
	unit->reclaim = GOV_PREEMPT_ANY;
	unit->preempt_while_borrowing = GOV_PREEMPT_NEVER;
	unit->preempt_while_borrowing_max = GOV_NONE;
	unit->terms = terms_unset;
	unit->max_evictions = GOV_NONE;
	unit->quota = quota;
	return policy->unit_count - 1;
}

uint32_t gov_policy_add_project(struct gov_policy *policy, const char *name,
				uint32_t team)
{
	struct gov_project *project = APPEND(policy->project,
					     policy->project_count, name);

	if (!project)
		return GOV_NONE;
	project->team = team;
	return policy->project_count - 1;
}

int gov_policy_pool_add_tres(struct gov_policy *policy, uint32_t pool,
			     uint32_t tres)
{
	struct gov_pool *p = &policy->pool[pool];
	uint32_t *list = gov_array_room(p->tres, p->tres_count,
					sizeof(*p->tres));
	double *price;

	if (!list)
		return -1;
	p->tres = list;
	price = gov_array_room(p->price, p->tres_count, sizeof(*p->price));
	if (!price)
		return -1;
	p->price = price;
	p->price[p->tres_count] = 0;
	p->tres[p->tres_count++] = tres;
	return 0;
}

int gov_policy_pool_add_node(struct gov_policy *policy, uint32_t pool,
			     const char *node)
{
	struct gov_pool *p = &policy->pool[pool];
	char **nodes = gov_array_room(p->nodes, p->node_count,
				      sizeof(*p->nodes));

	if (!nodes)
		return -1;
	p->nodes = nodes;
	nodes[p->node_count] = strdup(node);
	if (!nodes[p->node_count])
		return -1;
	p->node_count++;
	return 0;
}

int gov_member_list_add(struct gov_member_list *list, enum gov_member_kind kind,
			const char *name)
{
	struct gov_member *item = gov_array_room(list->item, list->count,
						 sizeof(*list->item));
	char *copy;

	if (!item)
		return -1;
	list->item = item;
	copy = strdup(name);
	if (!copy)
		return -1;
	item[list->count++] = (struct gov_member){ kind, copy };
	return 0;
}

int gov_policy_make_cells(struct gov_policy *policy)
{
	struct gov_cell *cell;
	size_t count = 0, n = 0;

	for (uint32_t p = 0; p < policy->pool_count; p++)
		count += policy->pool[p].tres_count;
	cell = count < GOV_NONE ? gov_array_new(count, sizeof(*cell)) : NULL;
	if (!cell)
		return -1;
	for (uint32_t p = 0; p < policy->pool_count; p++)
		for (uint32_t t = 0; t < policy->pool[p].tres_count; t++)
			cell[n++] = (struct gov_cell){
				p, policy->pool[p].tres[t]
			};
	free(policy->cell);
	policy->cell = cell;
	policy->cell_count = (uint32_t) count;
	return 0;
}

/* The first word that is said, from the most specific to the built-in. */
static int64_t seconds(int64_t team, int64_t class, int64_t cluster,
		       int64_t built_in)
{
	if (team != GOV_SECONDS_UNSET)
		return team;
	if (class != GOV_SECONDS_UNSET)
		return class;
	return cluster != GOV_SECONDS_UNSET ? cluster : built_in;
}

void gov_policy_terms(const struct gov_policy *policy, uint32_t team,
		      uint32_t class, struct gov_terms *terms)
{
	const struct gov_terms *t = team < policy->unit_count ?
					    &policy->unit[team].terms :
					    &terms_unset;
	const struct gov_terms *k = class < policy->class_count ?
					    &policy->class[class].terms :
					    &terms_unset;
	const struct gov_terms *c = &policy->terms;

	terms->signal = t->signal ? t->signal :
			k->signal ? k->signal :
			c->signal ? c->signal :
				    SIGTERM;
	terms->on_reclaim = t->on_reclaim >= 0 ? t->on_reclaim :
			    k->on_reclaim >= 0 ? k->on_reclaim :
			    c->on_reclaim >= 0 ? c->on_reclaim :
						 GOV_RECLAIM_REQUEUE;
	terms->on_checkpoint = t->on_checkpoint >= 0 ? t->on_checkpoint :
			       k->on_checkpoint >= 0 ? k->on_checkpoint :
						       c->on_checkpoint == 1;
	terms->grace = seconds(t->grace, k->grace, c->grace, 120);
	terms->min_runtime = seconds(t->min_runtime, k->min_runtime,
				     c->min_runtime, 900);
	terms->min_loan = seconds(t->min_loan, k->min_loan, c->min_loan, 0);
}
