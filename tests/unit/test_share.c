/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "core/share.h"
#include "tests/unit/unit.h"

static struct gov_share share(gov_amount_t over, gov_amount_t lendable,
			      uint32_t weight, uint32_t scale)
{
	return (struct gov_share){
		.borrowing = over > 0,
		.over = over,
		.lendable = lendable,
		.weight = { weight, scale },
	};
}

static void ck_order(struct gov_share a, struct gov_share b, int order)
{
	ck_assert_int_eq(gov_share_compare(&a, &b), order);
	ck_assert_int_eq(gov_share_compare(&b, &a), -order);
}

START_TEST(compares_exactly)
{
	ck_order(share(1, 3, 1, 1), share(2, 6, 1, 1), 0);
	ck_order(share(1, 3, 1, 1), share(333333, 1000000, 1, 1), 1);
	ck_order(share(1, 3, 1, 1), share(333334, 1000000, 1, 1), -1);
	ck_order(share(0, 1, 1, 1), share(1, GOV_AMOUNT_MAX, 1, 1), -1);
	ck_order(share(4, 8, 2, 1), share(2, 8, 1, 1), 0);
	ck_order(share(4, 8, 5, 2), share(2, 8, 1, 1), -1);
	/* 192 bits would be needed to multiply these out. */
	ck_order(share(GOV_AMOUNT_MAX, GOV_AMOUNT_MAX - 1, UINT32_MAX,
		       UINT32_MAX - 1),
		 share(GOV_AMOUNT_MAX - 1, GOV_AMOUNT_MAX - 2, UINT32_MAX,
		       UINT32_MAX - 1),
		 -1);
}
END_TEST

START_TEST(weight_zero_comes_last)
{
	ck_order(share(1, 100, 0, 1), share(99, 100, 1, 1000), 1);
	ck_order(share(0, 1, 0, 1), share(1, 100, 1, 1), -1);
	ck_order(share(0, 1, 0, 1), share(0, 1, 7, 1), 0);
	ck_order(share(1, 100, 0, 1), share(2, 100, 0, 5), -1);
}
END_TEST

START_TEST(permille_rounds_up)
{
	struct gov_share a = share(1, 1500, 1, 1);

	ck_assert_uint_eq(gov_share_permille(&a), 1);
	a = share(2, 10, 1, 1);
	ck_assert_uint_eq(gov_share_permille(&a), 200);
	a = share(2, 10, 1, 2);
	ck_assert_uint_eq(gov_share_permille(&a), 400);
	a = share(0, 10, 0, 1);
	ck_assert_uint_eq(gov_share_permille(&a), 0);
	a = share(1, 10, 0, 1);
	ck_assert_uint_eq(gov_share_permille(&a), UINT64_MAX);
	a = share(GOV_AMOUNT_MAX, 1, 1, UINT32_MAX);
	ck_assert_uint_eq(gov_share_permille(&a), UINT64_MAX - 1);
}
END_TEST

/* Two pools and two TRES; team a owns 4 + 4 gpus and 10 cpus, b the same. */
static struct gov_policy *two_teams(uint32_t a_weight)
{
	struct gov_policy *p = gov_policy_create();
	struct gov_error error;

	gov_policy_add_tres(p, "gres/gpu");
	gov_policy_add_tres(p, "cpu");
	for (uint32_t pool = 0; pool < 2; pool++) {
		gov_policy_add_pool(p, pool ? "p1" : "p0");
		gov_policy_pool_add_tres(p, pool, 0);
	}
	gov_policy_pool_add_tres(p, 1, 1);
	gov_policy_make_cells(p);
	gov_policy_add_unit(p, "a", true, GOV_NONE);
	gov_policy_add_unit(p, "b", true, GOV_NONE);
	for (uint32_t u = 0; u < 2; u++)
		for (uint32_t c = 0; c < 3; c++)
			p->unit[u].quota[c] = (struct gov_quota){
				.set = true,
				.nominal = c < 2 ? 4 : 10,
				.borrow_limit = GOV_UNLIMITED,
				.lend_limit = GOV_UNLIMITED,
			};
	p->unit[0].weight.numerator = a_weight;
	ck_assert_int_eq(gov_policy_finish(p, &error), 0);
	return p;
}

START_TEST(sums_pools_and_takes_the_dominant)
{
	struct gov_policy *p = two_teams(1);
	struct gov_tree *tree = gov_tree_create(p);
	struct gov_request gpus = { 1, { { 0, 1 } } };
	struct gov_share s;

	gov_share_of(tree, 0, &s);
	ck_assert(!s.borrowing);
	ck_assert_uint_eq(s.over, 0);
	gov_tree_charge(tree, 0, 0, 6);	 /* 2 over in pool 0 */
	gov_tree_charge(tree, 0, 1, 1);	 /* 3 unused in pool 1 */
	gov_tree_charge(tree, 0, 2, 12); /* 2 cpus over */
	gov_share_of(tree, 0, &s);
	ck_assert(s.borrowing);
	ck_assert_uint_eq(s.tres, 0);
	ck_assert_uint_eq(s.over, 2);
	ck_assert_uint_eq(s.lendable, 16);
	ck_assert(gov_share_borrows_in(tree, 0, &gpus));
	gpus.item[0].cell = 1;
	ck_assert(!gov_share_borrows_in(tree, 0, &gpus));
	gov_tree_charge(tree, 0, 2, 1); /* 3 of 20 cpus > 2 of 16 */
	gov_share_of(tree, 0, &s);
	ck_assert_uint_eq(s.tres, 1);
	gov_share_of(tree, gov_tree_root(tree), &s);
	ck_assert(!s.borrowing);
	gov_tree_destroy(tree);
	gov_policy_unref(p);
}
END_TEST

/* Kueue 6577: one unit over in a large tree is no zero. */
START_TEST(small_share_is_not_zero)
{
	struct gov_policy *p = two_teams(1);
	struct gov_tree *tree = gov_tree_create(p);
	struct gov_share a, b;

	gov_tree_charge(tree, 0, 2, 11);
	gov_share_of(tree, 0, &a);
	gov_share_of(tree, 1, &b);
	ck_assert_int_eq(gov_share_compare(&a, &b), 1);
	gov_tree_destroy(tree);
	gov_policy_unref(p);
}
END_TEST

/* Capacity that changes makes the lendable amounts stale. */
START_TEST(follows_capacity)
{
	struct gov_policy *p = two_teams(1);
	struct gov_tree *tree = gov_tree_create(p);
	struct gov_share s;

	gov_tree_charge(tree, 0, 0, 5);
	gov_share_of(tree, 0, &s);
	ck_assert_uint_eq(s.lendable, 16);
	gov_tree_set_capacity(tree, 0, 6);
	gov_share_of(tree, 0, &s);
	ck_assert_uint_eq(s.lendable, 14);
	gov_tree_destroy(tree);
	gov_policy_unref(p);
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, compares_exactly);
	tcase_add_test(t, weight_zero_comes_last);
	tcase_add_test(t, permille_rounds_up);
	tcase_add_test(t, sums_pools_and_takes_the_dominant);
	tcase_add_test(t, small_share_is_not_zero);
	tcase_add_test(t, follows_capacity);
}

int main(void)
{
	return unit_main("share", add);
}
