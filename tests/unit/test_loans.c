/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "core/loans.h"
#include "tests/unit/unit.h"

static struct gov_policy *new_policy(void)
{
	struct gov_policy *policy = gov_policy_create();
	uint32_t tres = gov_policy_add_tres(policy, "gres/gpu");
	uint32_t pool = gov_policy_add_pool(policy, "h100");

	gov_policy_pool_add_tres(policy, pool, tres);
	gov_policy_make_cells(policy);
	return policy;
}

static uint32_t unit(struct gov_policy *policy, const char *name, bool is_team,
		     uint32_t parent, gov_amount_t nominal)
{
	uint32_t u = gov_policy_add_unit(policy, name, is_team, parent);

	policy->unit[u].quota[0].set = true;
	policy->unit[u].quota[0].nominal = nominal;
	return u;
}

static struct gov_tree *finish(struct gov_policy *policy)
{
	struct gov_error error;

	ck_assert_int_eq(gov_policy_finish(policy, &error), 0);
	return gov_tree_create(policy);
}

static gov_amount_t loan(const struct gov_loan_list *list, uint32_t lender,
			 uint32_t borrower)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->item[i].lender == lender &&
		    list->item[i].borrower == borrower)
			return list->item[i].amount;
	return 0;
}

START_TEST(e1_three_borrowed_from_a)
{
	struct gov_policy *policy = new_policy();
	uint32_t a = unit(policy, "a", true, GOV_NONE, 6);
	uint32_t b = unit(policy, "b", true, GOV_NONE, 5);
	struct gov_tree *tree = finish(policy);
	struct gov_loan_list list = { 0 };

	gov_tree_charge(tree, a, 0, 2);
	gov_tree_charge(tree, b, 0, 8);
	ck_assert_int_eq(gov_loans_attribute(tree, 0, &list), 0);
	ck_assert_uint_eq(list.count, 1);
	ck_assert_uint_eq(loan(&list, a, b), 3);
	free(list.item);
	gov_tree_destroy(tree);
	gov_policy_unref(policy);
}
END_TEST

START_TEST(siblings_lend_before_cousins)
{
	struct gov_policy *policy = new_policy();
	uint32_t near = unit(policy, "near", false, GOV_NONE, 0);
	uint32_t far = unit(policy, "far", false, GOV_NONE, 0);
	uint32_t a = unit(policy, "a", true, near, 0);
	uint32_t b = unit(policy, "b", true, near, 4);
	uint32_t c = unit(policy, "c", true, far, 10);
	struct gov_tree *tree = finish(policy);
	struct gov_loan_list list = { 0 };

	gov_tree_charge(tree, a, 0, 6);
	ck_assert_int_eq(gov_loans_attribute(tree, 0, &list), 0);
	ck_assert_uint_eq(loan(&list, b, a), 4);
	ck_assert_uint_eq(loan(&list, c, a), 2);
	free(list.item);
	gov_tree_destroy(tree);
	gov_policy_unref(policy);
}
END_TEST

START_TEST(lenders_give_in_proportion_by_largest_remainder)
{
	struct gov_policy *policy = new_policy();
	uint32_t a = unit(policy, "a", true, GOV_NONE, 0);
	uint32_t b = unit(policy, "b", true, GOV_NONE, 1);
	uint32_t c = unit(policy, "c", true, GOV_NONE, 2);
	uint32_t d = unit(policy, "d", true, GOV_NONE, 4);
	struct gov_tree *tree = finish(policy);
	struct gov_loan_list list = { 0 };

	/* 5 x 1/7, 2/7, 4/7 = 0.71, 1.43, 2.86: 1, 1, 3. */
	gov_tree_charge(tree, a, 0, 5);
	ck_assert_int_eq(gov_loans_attribute(tree, 0, &list), 0);
	ck_assert_uint_eq(loan(&list, b, a), 1);
	ck_assert_uint_eq(loan(&list, c, a), 1);
	ck_assert_uint_eq(loan(&list, d, a), 3);
	free(list.item);
	gov_tree_destroy(tree);
	gov_policy_unref(policy);
}
END_TEST

START_TEST(what_nobody_owns_is_lent_by_nobody)
{
	struct gov_policy *policy = new_policy();
	uint32_t a = unit(policy, "a", true, GOV_NONE, 2);
	uint32_t b = unit(policy, "b", true, GOV_NONE, 1);
	struct gov_tree *tree = finish(policy);
	struct gov_loan_list list = { 0 };

	gov_tree_charge(tree, a, 0, 7);
	ck_assert_int_eq(gov_loans_attribute(tree, 0, &list), 0);
	ck_assert_uint_eq(loan(&list, b, a), 1);
	ck_assert_uint_eq(loan(&list, GOV_NONE, a), 4);
	free(list.item);
	gov_tree_destroy(tree);
	gov_policy_unref(policy);
}
END_TEST

START_TEST(a_lend_limit_binds_the_lender)
{
	struct gov_policy *policy = new_policy();
	uint32_t a = unit(policy, "a", true, GOV_NONE, 0);
	uint32_t b = unit(policy, "b", true, GOV_NONE, 10);
	uint32_t c = unit(policy, "c", true, GOV_NONE, 10);
	struct gov_loan_list list = { 0 };
	struct gov_tree *tree;

	policy->unit[b].quota[0].lend_limit = 2;
	tree = finish(policy);
	gov_tree_charge(tree, a, 0, 12);
	ck_assert_int_eq(gov_loans_attribute(tree, 0, &list), 0);
	ck_assert_uint_eq(loan(&list, b, a), 2);
	ck_assert_uint_eq(loan(&list, c, a), 10);
	free(list.item);
	gov_tree_destroy(tree);
	gov_policy_unref(policy);
}
END_TEST

/* What a unit owns itself is lent beyond it within its limit as well. */
START_TEST(a_lend_limit_binds_a_unit)
{
	struct gov_policy *policy = new_policy();
	uint32_t upper = unit(policy, "upper", false, GOV_NONE, 6);
	uint32_t a = unit(policy, "a", true, GOV_NONE, 0);
	uint32_t b = unit(policy, "b", true, GOV_NONE, 6);
	struct gov_loan_list list = { 0 };
	struct gov_tree *tree;

	unit(policy, "below", true, upper, 0);
	policy->unit[upper].quota[0].lend_limit = 2;
	tree = finish(policy);
	/* In proportion to 2 and 6, not to 6 and 6. */
	gov_tree_charge(tree, a, 0, 4);
	ck_assert_int_eq(gov_loans_attribute(tree, 0, &list), 0);
	ck_assert_uint_eq(loan(&list, upper, a), 1);
	ck_assert_uint_eq(loan(&list, b, a), 3);
	free(list.item);
	gov_tree_destroy(tree);
	gov_policy_unref(policy);
}
END_TEST

/* lent = borrowed, and nobody lends more than is unused (invariant 13). */
START_TEST(random_trees_conserve)
{
	struct gov_policy *policy = new_policy();
	gov_amount_t borrowed = 0, lent = 0, by_lender[64] = { 0 };
	struct gov_loan_list list = { 0 };
	struct gov_tree *tree;
	uint32_t parent[8];

	srand((unsigned) _i);
	parent[0] = GOV_NONE;
	for (int i = 1; i < 8; i++) {
		char name[] = { 'u', (char) ('0' + i), '\0' };

		parent[i] = unit(policy, name, false, parent[rand() % i],
				 (gov_amount_t) (rand() % 5));
	}
	for (int i = 0; i < 20; i++) {
		char name[] = { 't', (char) ('a' + i), '\0' };
		uint32_t u = unit(policy, name, true, parent[rand() % 8],
				  (gov_amount_t) (rand() % 20));

		if (rand() % 3 == 0)
			policy->unit[u].quota[0].lend_limit =
				(gov_amount_t) (rand() % 10);
	}
	tree = finish(policy);
	for (uint32_t u = 0; u < policy->unit_count; u++)
		if (policy->unit[u].is_team)
			gov_tree_charge(tree, u, 0,
					(gov_amount_t) (rand() % 25));
	ck_assert_int_eq(gov_loans_attribute(tree, 0, &list), 0);
	for (uint32_t u = 0; u < policy->unit_count; u++)
		if (policy->unit[u].is_team)
			borrowed += gov_amount_sub(
				gov_tree_at(tree, u, 0)->usage,
				policy->unit[u].quota[0].nominal);
	for (size_t i = 0; i < list.count; i++) {
		lent += list.item[i].amount;
		ck_assert_uint_gt(list.item[i].amount, 0);
		if (list.item[i].lender != GOV_NONE)
			by_lender[list.item[i].lender] += list.item[i].amount;
	}
	ck_assert_uint_eq(lent, borrowed);
	for (uint32_t u = 0; u < policy->unit_count; u++) {
		const struct gov_quota *quota = &policy->unit[u].quota[0];
		gov_amount_t most = quota->nominal;

		if (policy->unit[u].is_team)
			most = gov_amount_min(
				quota->lend_limit,
				gov_amount_sub(quota->nominal,
					       gov_tree_at(tree, u, 0)->usage));
		ck_assert_uint_le(by_lender[u], most);
	}
	free(list.item);
	gov_tree_destroy(tree);
	gov_policy_unref(policy);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, e1_three_borrowed_from_a);
	tcase_add_test(tcase, siblings_lend_before_cousins);
	tcase_add_test(tcase, lenders_give_in_proportion_by_largest_remainder);
	tcase_add_test(tcase, what_nobody_owns_is_lent_by_nobody);
	tcase_add_test(tcase, a_lend_limit_binds_the_lender);
	tcase_add_test(tcase, a_lend_limit_binds_a_unit);
	tcase_add_loop_test(tcase, random_trees_conserve, 0, 500);
}

int main(void)
{
	return unit_main("loans", cases);
}
