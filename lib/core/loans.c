/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/loans.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

/*
 * Units stand in preorder, so that everything below a node is one range:
 * position[unit] .. end[unit].  demand and spare are what is still unmatched.
 */
struct work {
	const struct gov_tree *tree;
	uint32_t cell;
	uint32_t count;	      /* units */
	uint32_t *unit;	      /* by position in preorder */
	uint32_t *begin;      /* by unit: own position */
	uint32_t *end;	      /* by unit: position after its last below */
	gov_amount_t *demand; /* by position */
	gov_amount_t *spare;  /* by position */
	gov_amount_t *take;   /* by position: matched now */
	gov_amount_t *give;
	struct part *part;
	struct gov_loan_list *list;
};

struct part {
	__uint128_t remainder;
	uint32_t position;
};

static int by_remainder(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	if (a->remainder != b->remainder)
		return a->remainder > b->remainder ? -1 : 1;
	return a->position < b->position ? -1 : a->position > b->position;
}

static __uint128_t sum(const gov_amount_t *amount, uint32_t from, uint32_t to)
{
	__uint128_t total = 0;

	for (uint32_t i = from; i < to; i++)
		total += amount[i];
	return total;
}

/*
 * Split `amount` over weight[from..to) in proportion, whole numbers, largest
 * remainder.  amount <= sum of the weights, so no part exceeds its weight.
 */
static void apportion(struct work *work, const gov_amount_t *weight,
		      gov_amount_t amount, uint32_t from, uint32_t to,
		      gov_amount_t *part)
{
	__uint128_t total = sum(weight, from, to);
	gov_amount_t given = 0;
	uint32_t parts = 0;

	for (uint32_t i = from; i < to; i++) {
		__uint128_t product = (__uint128_t) weight[i] * amount;

		part[i] = total ? (gov_amount_t) (product / total) : 0;
		given += part[i];
		if (total && product % total)
			work->part[parts++] = (struct part){ product % total,
							     i };
	}
	if (given == amount)
		return;
	qsort(work->part, parts, sizeof(*work->part), by_remainder);
	for (uint32_t i = 0; i < parts && given < amount; i++, given++)
		part[work->part[i].position]++;
}

static int add_loan(struct work *work, uint32_t lender, uint32_t borrower,
		    gov_amount_t amount)
{
	struct gov_loan_list *list = work->list;

	if (list->count == list->space) {
		size_t space = list->space ? list->space * 2 : 32;
		struct gov_loan *grown;

		grown = reallocarray(list->item, space, sizeof(*grown));
		if (!grown)
			return -1;
		list->item = grown;
		list->space = space;
	}
	list->item[list->count++] = (struct gov_loan){
		.lender = lender,
		.borrower = borrower,
		.cell = work->cell,
		.amount = amount,
	};
	return 0;
}

/* One borrower's part, from every lender in proportion to what is taken. */
static int pair(struct work *work, uint32_t borrower, uint32_t from,
		uint32_t to, gov_amount_t *scratch)
{
	apportion(work, work->take, work->give[borrower], from, to, scratch);
	for (uint32_t i = from; i < to; i++) {
		if (!scratch[i])
			continue;
		work->take[i] -= scratch[i];
		if (add_loan(work, work->unit[i], work->unit[borrower],
			     scratch[i]))
			return -1;
	}
	return 0;
}

/* Match what is asked with what is idle among from..to. */
static int match(struct work *work, uint32_t from, uint32_t to,
		 gov_amount_t *scratch)
{
	__uint128_t demand = sum(work->demand, from, to);
	__uint128_t spare = sum(work->spare, from, to);
	__uint128_t matched = demand < spare ? demand : spare;

	if (!matched)
		return 0;
	apportion(work, work->spare, (gov_amount_t) matched, from, to,
		  work->take);
	apportion(work, work->demand, (gov_amount_t) matched, from, to,
		  work->give);
	for (uint32_t i = from; i < to; i++) {
		work->spare[i] -= work->take[i];
		work->demand[i] -= work->give[i];
	}
	for (uint32_t i = from; i < to; i++)
		if (work->give[i] && pair(work, i, from, to, scratch))
			return -1;
	return 0;
}

/* What the node passes upwards of its idle quota, at most. */
static gov_amount_t unused_shared(const struct gov_node *node)
{
	gov_amount_t passed = gov_amount_sub(node->usage, node->local);

	return gov_amount_sub(node->shared, passed);
}

static void cap_spare(struct work *work, uint32_t unit, uint32_t from,
		      uint32_t to)
{
	gov_amount_t cap = unused_shared(
		gov_tree_at(work->tree, unit, work->cell));

	if (sum(work->spare, from, to) <= cap)
		return;
	apportion(work, work->spare, cap, from, to, work->take);
	memcpy(work->spare + from, work->take + from,
	       (to - from) * sizeof(*work->spare));
}

/* Bounded by what anybody could ask, so that sums stay small. */
static gov_amount_t bounded(gov_amount_t amount)
{
	return amount == GOV_UNLIMITED ? GOV_AMOUNT_MAX : amount;
}

static void set_leaf(struct work *work, uint32_t position)
{
	uint32_t unit = work->unit[position];
	const struct gov_node *node = gov_tree_at(work->tree, unit, work->cell);

	work->demand[position] = 0;
	work->spare[position] = 0;
	if (!work->tree->policy->unit[unit].is_team) {
		work->spare[position] = bounded(node->nominal);
	} else if (node->counted) {
		work->demand[position] = gov_amount_sub(node->usage,
							node->nominal);
		work->spare[position] = bounded(unused_shared(node));
	}
}

/* Preorder by counting: a unit comes after its parent, in policy order. */
static void order(struct work *work)
{
	const struct gov_policy *policy = work->tree->policy;
	uint32_t *size = work->end; /* units at and below, for now */
	uint32_t next_top = 0;

	for (uint32_t u = 0; u < work->count; u++)
		size[u] = 1;
	for (uint32_t i = work->count; i-- > 0;) {
		uint32_t u = policy->unit_order[i];

		if (policy->unit[u].parent != GOV_NONE)
			size[policy->unit[u].parent] += size[u];
	}
	/* take[] holds, per unit, where its next child goes. */
	for (uint32_t i = 0; i < work->count; i++) {
		uint32_t u = policy->unit_order[i];
		uint32_t parent = policy->unit[u].parent;

		if (parent == GOV_NONE) {
			work->begin[u] = next_top;
			next_top += size[u];
		} else {
			work->begin[u] = (uint32_t) work->take[parent];
			work->take[parent] += size[u];
		}
		work->take[u] = work->begin[u] + 1;
		work->unit[work->begin[u]] = u;
	}
	for (uint32_t u = 0; u < work->count; u++)
		work->end[u] = work->begin[u] + size[u];
}

static int attribute(struct work *work, gov_amount_t *scratch)
{
	const struct gov_policy *policy = work->tree->policy;

	order(work);
	for (uint32_t i = 0; i < work->count; i++)
		set_leaf(work, i);
	for (uint32_t i = work->count; i-- > 0;) {
		uint32_t u = policy->unit_order[i];

		if (policy->unit[u].is_team)
			continue;
		if (match(work, work->begin[u], work->end[u], scratch))
			return -1;
		cap_spare(work, u, work->begin[u], work->end[u]);
	}
	if (match(work, 0, work->count, scratch))
		return -1;
	for (uint32_t i = 0; i < work->count; i++)
		if (work->demand[i] &&
		    add_loan(work, GOV_NONE, work->unit[i], work->demand[i]))
			return -1;
	return 0;
}

static int by_borrower(const void *left, const void *right)
{
	const struct gov_loan *a = left, *b = right;

	if (a->borrower != b->borrower)
		return a->borrower < b->borrower ? -1 : 1;
	return a->lender < b->lender ? -1 : a->lender > b->lender;
}

/* A pair can meet on several levels: one loan each. */
static void merge(struct gov_loan_list *list, size_t first)
{
	size_t kept = first;

	if (list->count == first)
		return;
	qsort(list->item + first, list->count - first, sizeof(*list->item),
	      by_borrower);
	for (size_t i = first + 1; i < list->count; i++) {
		struct gov_loan *last = &list->item[kept];
		const struct gov_loan *loan = &list->item[i];

		if (last->borrower == loan->borrower &&
		    last->lender == loan->lender)
			last->amount += loan->amount;
		else
			list->item[++kept] = *loan;
	}
	list->count = kept + 1;
}

int gov_loans_attribute(const struct gov_tree *tree, uint32_t cell,
			struct gov_loan_list *list)
{
	uint32_t count = tree->policy->unit_count;
	struct work work = {
		.tree = tree,
		.cell = cell,
		.count = count,
		.unit = gov_array_new(count, sizeof(uint32_t)),
		.begin = gov_array_new(count, sizeof(uint32_t)),
		.end = gov_array_new(count, sizeof(uint32_t)),
		.demand = gov_array_new(count, sizeof(gov_amount_t)),
		.spare = gov_array_new(count, sizeof(gov_amount_t)),
		.take = gov_array_new(count, sizeof(gov_amount_t)),
		.give = gov_array_new(count, sizeof(gov_amount_t)),
		.part = gov_array_new(count, sizeof(struct part)),
		.list = list,
	};
	gov_amount_t *scratch = gov_array_new(count, sizeof(*scratch));
	size_t first = list->count;
	int rc = -1;

	if (work.unit && work.begin && work.end && work.demand && work.spare &&
	    work.take && work.give && work.part && scratch)
		rc = attribute(&work, scratch);
	merge(list, first);
	free(work.unit);
	free(work.begin);
	free(work.end);
	free(work.demand);
	free(work.spare);
	free(work.take);
	free(work.give);
	free(work.part);
	free(scratch);
	return rc;
}
