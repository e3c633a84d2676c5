/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rule of ratios, and what all quotas of an instance type are together. */
#include "import/hyperpod.h"

#include <string.h>

#include "core/amount.h"

#define SLICES 7	     /* of a GPU */
#define OVERSELL_MAX 1000000 /* permille */

bool hp_is_explicit(const struct hp_amounts *amounts)
{
	return amounts->entries > 1 || amounts->profiles > 1 ||
	       (amounts->profiles && amounts->said_gpus);
}

static uint64_t slices_in(const struct hp_amounts *amounts)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < amounts->profiles; i++)
		sum += amounts->slices[i].count *
		       hp_slices_of(amounts->slices[i].profile);
	return sum;
}

void hp_fill_ratio(const struct hp_type *type, struct hp_amounts *amounts)
{
	const struct hp_shape *shape = &type->shape;
	uint64_t part, whole;

	if (!type->known)
		return;
	if (amounts->said_gpus || amounts->profiles) {
		part = amounts->gpus * SLICES + slices_in(amounts);
		whole = shape->gpus * SLICES;
	} else if (amounts->said_cpus) {
		part = amounts->cpus;
		whole = shape->cpus;
	} else {
		part = amounts->memory;
		whole = shape->memory;
	}
	if (!amounts->said_cpus)
		amounts->cpus = gov_amount_scale(shape->cpus, part, whole);
	if (!amounts->said_memory)
		amounts->memory = gov_amount_scale(shape->memory, part, whole);
	amounts->said_cpus = amounts->said_memory = true;
}

static int add_profile(struct hp_type *type, const struct hp_slices *slices,
		       struct gov_error *error)
{
	unsigned i = 0;

	while (i < type->profiles &&
	       strcmp(type->slices[i].profile, slices->profile))
		i++;
	if (i == HP_PROFILES)
		return gov_error_set(
			error, GOV_E_VALUE,
			"%s is split in more than %d ways by all quotas together",
			type->name, HP_PROFILES);
	if (i == type->profiles)
		type->slices[type->profiles++] = *slices;
	return 0;
}

/* What is named becomes a cell of the pool; only quotas that count add up. */
static int add_amounts(struct hp_type *type, const struct hp_amounts *amounts,
		       bool counts, struct gov_error *error)
{
	struct hp_amounts filled = *amounts;

	type->said_nodes |= amounts->said_nodes;
	type->said_gpus |= amounts->said_gpus;
	type->said_cpus |= amounts->said_cpus;
	type->said_memory |= amounts->said_memory;
	for (unsigned i = 0; i < amounts->profiles; i++)
		if (add_profile(type, &amounts->slices[i], error))
			return -1;
	if (!counts)
		return 0;
	hp_fill_ratio(type, &filled);
	type->sevenths += filled.gpus * SLICES + slices_in(&filled);
	type->cpus += filled.cpus;
	type->memory += filled.memory;
	type->node_sum += filled.nodes;
	return 0;
}

static uint64_t greatest(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t most = a > b ? a : b;

	return most > c ? most : c;
}

/* Rounded up. */
static uint64_t nodes_for(uint64_t sum, uint64_t one)
{
	return one ? (sum + one - 1) / one : 0;
}

static uint64_t permille(uint64_t sum, uint64_t one, uint64_t nodes)
{
	uint64_t has = gov_amount_scale(one, nodes, 1), more;

	if (!has)
		return 0;
	more = gov_amount_scale(sum, 1000, has);
	return more + (gov_amount_scale(more, has, 1000) < sum);
}

static int find_nodes(struct gov_import *import, struct hp_type *type,
		      struct gov_error *error)
{
	const struct hp_shape *shape = &type->shape;
	uint64_t needed = type->node_sum;

	if (type->known)
		needed = greatest(nodes_for(type->sevenths,
					    shape->gpus * SLICES),
				  nodes_for(type->cpus, shape->cpus),
				  nodes_for(type->memory, shape->memory));
	if (!type->nodes)
		type->nodes = needed ? needed : 1;
	if (type->nodes > HP_NODES_MAX)
		return gov_error_set(
			error, GOV_E_VALUE,
			"that would be more than %d instances of %s, which is more than a pool can have",
			HP_NODES_MAX, type->name);
	type->oversell = greatest(
		permille(type->sevenths, shape->gpus * SLICES, type->nodes),
		permille(type->cpus, shape->cpus, type->nodes),
		permille(type->memory, shape->memory, type->nodes));
	if (type->oversell > OVERSELL_MAX)
		return gov_error_set(
			error, GOV_E_OVERSOLD,
			"the quotas promise more than 1000 times the %llu instances of %s",
			(unsigned long long) type->nodes, type->name);
	if (needed > type->nodes)
		hp_note(import,
			"the quotas of %s need %llu instances, and there are %llu: more is promised than there is, which Oversell= allows",
			type->name, (unsigned long long) needed,
			(unsigned long long) type->nodes);
	return 0;
}

int hp_add_up(struct gov_import *import, struct gov_error *error)
{
	uint64_t nodes = 0;

	for (size_t i = 0; i < import->teams; i++) {
		const struct hp_team *team = &import->team[i];

		for (size_t j = 0; j < team->shares; j++) {
			const struct hp_share *share = &team->share[j];
			struct hp_type *type = &import->type[share->type];

			type->used = true;
			if (add_amounts(type, &share->quota, !team->disabled,
					error) ||
			    add_amounts(type, &share->limit, false, error))
				return -1;
		}
	}
	for (size_t i = 0; i < import->types; i++) {
		if (!import->type[i].used)
			continue;
		if (find_nodes(import, &import->type[i], error))
			return -1;
		nodes += import->type[i].nodes;
	}
	if (nodes > HP_NODES_MAX)
		return gov_error_set(error, GOV_E_VALUE,
				     "that would be more than %d instances",
				     HP_NODES_MAX);
	return 0;
}
