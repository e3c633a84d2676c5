/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/share.h"

#include <string.h>

typedef __uint128_t wide;

static gov_amount_t *lendable_at(const struct gov_tree *tree, uint32_t node,
				 uint32_t tres)
{
	return &tree->lendable[(size_t) node * tree->policy->tres_count + tres];
}

static void fill_lendable(struct gov_tree *tree)
{
	const struct gov_policy *policy = tree->policy;

	for (uint32_t n = 0; n < tree->node_count; n++) {
		for (uint32_t r = 0; r < policy->tres_count; r++)
			*lendable_at(tree, n, r) = 0;
		for (uint32_t c = 0; c < tree->cell_count; c++) {
			gov_amount_t *sum = lendable_at(tree, n,
							policy->cell[c].tres);

			*sum = gov_amount_add(*sum,
					      gov_tree_potential(tree, n, c));
		}
	}
	tree->lendable_known = true;
}

static gov_amount_t over_in(const struct gov_tree *tree, uint32_t node,
			    uint32_t tres)
{
	gov_amount_t over = 0;

	for (uint32_t c = 0; c < tree->cell_count; c++)
		if (tree->policy->cell[c].tres == tres)
			over = gov_amount_add(over,
					      gov_tree_borrowed(tree, node, c));
	return over;
}

/* Is `over` of `lendable` more than the share has; equal: by name. */
static bool dominates(const struct gov_tree *tree,
		      const struct gov_share *share, uint32_t tres,
		      gov_amount_t over, gov_amount_t lendable)
{
	wide left = (wide) over * share->lendable;
	wide right = (wide) share->over * lendable;

	if (left != right)
		return left > right;
	return share->tres != GOV_NONE &&
	       strcmp(tree->policy->tres[tres].name,
		      tree->policy->tres[share->tres].name) < 0;
}

void gov_share_of(struct gov_tree *tree, uint32_t node, struct gov_share *share)
{
	uint32_t parent = tree->parent[node];

	*share = (struct gov_share){
		.tres = GOV_NONE,
		.lendable = 1,
		.weight = tree->policy->root_weight,
	};
	if (parent == GOV_NONE)
		return;
	share->weight = tree->policy->unit[node].weight;
	if (!tree->lendable_known)
		fill_lendable(tree);
	for (uint32_t r = 0; r < tree->policy->tres_count; r++) {
		gov_amount_t lendable = *lendable_at(tree, parent, r);
		gov_amount_t over = over_in(tree, node, r);

		if (!over)
			continue;
		share->borrowing = true;
		if (!lendable || !dominates(tree, share, r, over, lendable))
			continue;
		share->tres = r;
		share->over = over;
		share->lendable = lendable;
	}
}

/* a / b against c / d, for any b and d but 0: quotients, then remainders. */
static int compare_fractions(wide a, wide b, wide c, wide d)
{
	int sign = 1;

	/* As nearly always: the products fit. */
	if (!((a | b | c | d) >> 64))
		return a * d > c * b ? 1 : -(a * d < c * b);
	for (;;) {
		wide left = a / b, right = c / d, rest;

		if (left != right)
			return left > right ? sign : -sign;
		a -= left * b;
		c -= right * d;
		if (!a || !c)
			return a ? sign : c ? -sign : 0;
		/* a/b < c/d exactly if b/a > d/c. */
		rest = a;
		a = b;
		b = rest;
		rest = c;
		c = d;
		d = rest;
		sign = -sign;
	}
}

static bool infinite(const struct gov_share *share)
{
	return share->over && !share->weight.numerator;
}

int gov_share_compare(const struct gov_share *a, const struct gov_share *b)
{
	if (infinite(a) != infinite(b))
		return infinite(a) ? 1 : -1;
	if (!a->over || !b->over)
		return (a->over > 0) - (b->over > 0);
	if (infinite(a))
		return compare_fractions(a->over, a->lendable, b->over,
					 b->lendable);
	return compare_fractions((wide) a->over * a->weight.denominator,
				 (wide) a->lendable * a->weight.numerator,
				 (wide) b->over * b->weight.denominator,
				 (wide) b->lendable * b->weight.numerator);
}

uint64_t gov_share_permille(const struct gov_share *share)
{
	wide over = (wide) share->over * share->weight.denominator * 1000;
	wide lendable = (wide) share->lendable * share->weight.numerator;
	wide permille;

	if (!share->over)
		return 0;
	if (!lendable)
		return UINT64_MAX;
	permille = over / lendable + (over % lendable > 0);
	return permille < UINT64_MAX ? (uint64_t) permille : UINT64_MAX - 1;
}

bool gov_share_borrows_in(const struct gov_tree *tree, uint32_t node,
			  const struct gov_request *request)
{
	for (uint32_t i = 0; i < request->count; i++)
		if (gov_tree_borrowed(tree, node, request->item[i].cell))
			return true;
	return false;
}
