/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <string.h>

#include "core/policy.h"
#include "tests/unit/unit.h"

static struct gov_error error;

/* Two pools (h100: gpu, cpu; a10: gpu), no units. */
static struct gov_policy *two_pools(void)
{
	struct gov_policy *p = gov_policy_create();
	uint32_t gpu, cpu, license;

	ck_assert_ptr_nonnull(p);
	gpu = gov_policy_add_tres(p, "gres/gpu");
	cpu = gov_policy_add_tres(p, "cpu");
	license = gov_policy_add_tres(p, "license/x");
	ck_assert_uint_eq(gov_policy_add_pool(p, "h100"), 0);
	ck_assert_uint_eq(gov_policy_add_pool(p, "a10"), 1);
	ck_assert_int_eq(gov_policy_pool_add_tres(p, 0, gpu), 0);
	ck_assert_int_eq(gov_policy_pool_add_tres(p, 0, cpu), 0);
	ck_assert_int_eq(gov_policy_pool_add_tres(p, 0, license), 0);
	ck_assert_int_eq(gov_policy_pool_add_tres(p, 1, gpu), 0);
	ck_assert_int_eq(gov_policy_make_cells(p), 0);
	ck_assert_uint_eq(p->cell_count, 4);
	return p;
}

static void quota(struct gov_policy *p, uint32_t unit, uint32_t cell,
		  gov_amount_t nominal)
{
	p->unit[unit].quota[cell].set = true;
	p->unit[unit].quota[cell].nominal = nominal;
}

START_TEST(defaults_are_set)
{
	struct gov_policy *p = two_pools();
	uint32_t u = gov_policy_add_unit(p, "lab", true, GOV_NONE);
	uint32_t k = gov_policy_add_class(p, "training");

	ck_assert_int_eq(p->idle_sharing, GOV_FAIR_SHARE);
	ck_assert_uint_eq(p->max_evict_ratio_permille, 1500);
	ck_assert(p->capacity_clamp);
	ck_assert_int_eq(p->unit[u].reclaim, GOV_PREEMPT_ANY);
	ck_assert_int_eq(p->unit[u].preempt_within_team, GOV_PREEMPT_LOWER);
	ck_assert_uint_eq(p->unit[u].weight.numerator, 1);
	ck_assert_uint_eq(p->unit[u].max_evictions, GOV_NONE);
	ck_assert(!p->unit[u].quota[0].set);
	ck_assert_uint_eq(p->unit[u].quota[0].borrow_limit, GOV_UNLIMITED);
	ck_assert(p->class[k].may_borrow);
	ck_assert_int_eq(p->class[k].max_time, GOV_SECONDS_UNSET);
	gov_policy_unref(p);
	gov_policy_unref(NULL);
}
END_TEST

START_TEST(tree_is_ordered_parents_first)
{
	struct gov_policy *p = two_pools();
	uint32_t team = gov_policy_add_unit(p, "team", true, 2);
	uint32_t top = gov_policy_add_unit(p, "top", false, GOV_NONE);
	uint32_t mid = gov_policy_add_unit(p, "mid", false, top);

	ck_assert_int_eq(gov_policy_finish(p, &error), 0);
	ck_assert_uint_eq(p->unit[team].depth, 2);
	ck_assert_uint_eq(p->unit[top].depth, 0);
	ck_assert_uint_eq(p->unit[top].height, 2);
	ck_assert_uint_eq(p->unit[mid].height, 1);
	ck_assert_uint_eq(p->unit_order[0], top);
	ck_assert_uint_eq(p->unit_order[1], mid);
	ck_assert_uint_eq(p->unit_order[2], team);
	ck_assert_int_eq(gov_policy_finish(p, &error), 0);
	gov_policy_unref(p);
}
END_TEST

START_TEST(cycle_is_refused)
{
	struct gov_policy *p = two_pools();

	gov_policy_add_unit(p, "a", false, 1);
	gov_policy_add_unit(p, "b", false, 0);
	ck_assert_int_eq(gov_policy_finish(p, &error), -1);
	ck_assert_int_eq(error.code, GOV_E_REFERENCE);
	ck_assert_ptr_nonnull(strstr(error.text, "cycle"));
	ck_assert(!p->finished);
	gov_policy_unref(p);
}
END_TEST

START_TEST(team_is_no_parent)
{
	struct gov_policy *p = two_pools();

	gov_policy_add_unit(p, "a", true, GOV_NONE);
	gov_policy_add_unit(p, "b", true, 0);
	ck_assert_int_eq(gov_policy_finish(p, &error), -1);
	ck_assert_int_eq(error.code, GOV_E_REFERENCE);
	gov_policy_unref(p);

	p = two_pools();
	gov_policy_add_unit(p, "a", true, 77);
	ck_assert_int_eq(gov_policy_finish(p, &error), -1);
	ck_assert_int_eq(error.code, GOV_E_REFERENCE);
	gov_policy_unref(p);
}
END_TEST

START_TEST(same_name_twice_is_refused)
{
	struct gov_policy *p = two_pools();

	gov_policy_add_unit(p, "Vision", true, GOV_NONE);
	gov_policy_add_unit(p, "vision", false, GOV_NONE);
	ck_assert_int_eq(gov_policy_finish(p, &error), -1);
	ck_assert_int_eq(error.code, GOV_E_DUPLICATE);
	gov_policy_unref(p);

	p = two_pools();
	gov_policy_add_unit(p, "a", true, GOV_NONE);
	gov_policy_add_unit(p, "b", true, GOV_NONE);
	p->unit[1].account = strdup("A");
	ck_assert_int_eq(gov_policy_finish(p, &error), -1);
	ck_assert_int_eq(error.code, GOV_E_DUPLICATE);
	gov_policy_unref(p);

	p = two_pools();
	gov_policy_pool_add_node(p, 0, "g1");
	gov_policy_pool_add_node(p, 1, "g1");
	ck_assert_int_eq(gov_policy_finish(p, &error), -1);
	ck_assert_int_eq(error.code, GOV_E_DUPLICATE);
	gov_policy_unref(p);

	p = two_pools();
	gov_policy_add_unit(p, "a", true, GOV_NONE);
	gov_policy_add_project(p, "x", 0);
	gov_policy_add_project(p, "X", 0);
	ck_assert_int_eq(gov_policy_finish(p, &error), -1);
	ck_assert_int_eq(error.code, GOV_E_DUPLICATE);
	gov_policy_unref(p);
}
END_TEST

START_TEST(overflow_of_quotas_is_refused)
{
	struct gov_policy *p = two_pools();

	gov_policy_add_unit(p, "a", true, GOV_NONE);
	gov_policy_add_unit(p, "b", true, GOV_NONE);
	quota(p, 0, 0, GOV_AMOUNT_MAX);
	quota(p, 1, 0, 1);
	ck_assert_int_eq(gov_policy_finish(p, &error), -1);
	ck_assert_int_eq(error.code, GOV_E_OVERFLOW);
	gov_policy_unref(p);
}
END_TEST

START_TEST(unlimited_is_no_overflow)
{
	struct gov_policy *p = two_pools();
	gov_amount_t sum;

	gov_policy_add_unit(p, "a", true, GOV_NONE);
	gov_policy_add_unit(p, "b", true, GOV_NONE);
	quota(p, 0, 0, GOV_UNLIMITED);
	quota(p, 1, 0, 1);
	ck_assert_int_eq(gov_policy_finish(p, &error), 0);
	ck_assert_int_eq(gov_policy_oversold(p, 0, 10, &sum), -1);
	ck_assert_uint_eq(sum, GOV_UNLIMITED);
	gov_policy_unref(p);
}
END_TEST

START_TEST(unset_is_neither_zero_nor_unlimited)
{
	struct gov_policy *p = two_pools();
	uint32_t team = gov_policy_add_unit(p, "team", true, GOV_NONE);
	uint32_t unit = gov_policy_add_unit(p, "unit", false, GOV_NONE);
	const struct gov_quota *q = p->unit[team].quota;

	quota(p, team, 0, 4); /* (h100, gpu) only */
	ck_assert_int_eq(gov_policy_finish(p, &error), 0);
	ck_assert(q[0].counted);
	ck_assert_uint_eq(q[0].borrow, GOV_UNLIMITED);
	ck_assert(!q[1].counted); /* cpu comes with every job */
	ck_assert(q[2].counted);  /* a license does not */
	ck_assert_uint_eq(q[2].borrow, 0);
	ck_assert(q[3].counted); /* no part in the other pool */
	ck_assert_uint_eq(q[3].borrow, 0);
	ck_assert(p->unit[unit].quota[0].counted);
	ck_assert_uint_eq(p->unit[unit].quota[0].borrow, GOV_UNLIMITED);
	gov_policy_unref(p);

	p = two_pools();
	team = gov_policy_add_unit(p, "team", true, GOV_NONE);
	quota(p, team, 0, GOV_UNSET);
	ck_assert_int_eq(gov_policy_finish(p, &error), -1);
	ck_assert_int_eq(error.code, GOV_E_VALUE);
	gov_policy_unref(p);
}
END_TEST

START_TEST(strategy_sets_the_limits)
{
	static const struct {
		enum gov_strategy strategy;
		bool borrows, lends;
	} row[] = {
		{ GOV_LEND_AND_BORROW, true, true },
		{ GOV_LEND, false, true },
		{ GOV_BORROW, true, false },
		{ GOV_DONT_LEND, false, false },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct gov_policy *p = two_pools();
		uint32_t u = gov_policy_add_unit(p, "a", true, GOV_NONE);
		const struct gov_quota *q = p->unit[u].quota;

		p->unit[u].strategy = row[i].strategy;
		quota(p, u, 0, 8);
		p->unit[u].quota[0].borrow_limit = 4;
		p->unit[u].quota[0].lend_limit = 3;
		ck_assert_int_eq(gov_policy_finish(p, &error), 0);
		ck_assert_uint_eq(q[0].borrow, row[i].borrows ? 4 : 0);
		ck_assert_uint_eq(q[0].lend, row[i].lends ? 3 : 0);
		/* What was said is not lost: a variant may be finished. */
		p->unit[u].strategy = GOV_LEND_AND_BORROW;
		ck_assert_int_eq(gov_policy_finish(p, &error), 0);
		ck_assert_uint_eq(q[0].borrow, 4);
		ck_assert_uint_eq(q[0].lend, 3);
		gov_policy_unref(p);
	}
}
END_TEST

START_TEST(oversold_within_ratio_is_a_warning)
{
	struct gov_policy *p = two_pools();
	gov_amount_t sum;

	gov_policy_add_unit(p, "a", true, GOV_NONE);
	gov_policy_add_unit(p, "b", true, GOV_NONE);
	quota(p, 0, 0, 6);
	quota(p, 1, 0, 6);
	p->pool[0].oversell_permille = 1200;
	ck_assert_int_eq(gov_policy_finish(p, &error), 0);
	ck_assert_int_eq(gov_policy_oversold(p, 0, 12, &sum), 0);
	ck_assert_uint_eq(sum, 12);
	ck_assert_int_eq(gov_policy_oversold(p, 0, 10, &sum), 1);
	ck_assert_int_eq(gov_policy_oversold(p, 0, 9, &sum), -1);
	gov_policy_unref(p);
}
END_TEST

START_TEST(names_are_found)
{
	static const char *const nodes[] = { "g2", "g10", "g1" };
	struct gov_policy *p = two_pools();
	uint32_t team;

	for (size_t i = 0; i < 3; i++)
		gov_policy_pool_add_node(p, 0, nodes[i]);
	gov_policy_pool_add_node(p, 1, "a1");
	gov_policy_add_unit(p, "lab", false, GOV_NONE);
	team = gov_policy_add_unit(p, "vision", true, 0);
	gov_policy_add_unit(p, "nlp", true, 0);
	p->unit[team].account = strdup("acct_v");
	gov_policy_add_project(p, "vlm", team);
	gov_policy_add_class(p, "debug");
	for (int finished = 0; finished < 2; finished++) {
		ck_assert_uint_eq(gov_policy_find_tres(p, "CPU"), 1);
		ck_assert_uint_eq(gov_policy_find_pool(p, "A10"), 1);
		ck_assert_uint_eq(gov_policy_find_class(p, "Debug"), 0);
		ck_assert_uint_eq(gov_policy_find_unit(p, "VISION"), team);
		ck_assert_uint_eq(gov_policy_find_unit(p, "lab"), 0);
		ck_assert_uint_eq(gov_policy_find_unit(p, "x"), GOV_NONE);
		ck_assert_uint_eq(gov_policy_find_account(p, "Acct_V"), team);
		ck_assert_uint_eq(gov_policy_find_account(p, "nlp"), 2);
		ck_assert_uint_eq(gov_policy_find_account(p, "vision"),
				  GOV_NONE);
		ck_assert_uint_eq(gov_policy_find_account(p, "lab"), GOV_NONE);
		ck_assert_uint_eq(gov_policy_find_project(p, team, "VLM"), 0);
		ck_assert_uint_eq(gov_policy_find_project(p, 2, "vlm"),
				  GOV_NONE);
		ck_assert_uint_eq(gov_policy_find_node(p, "g10"), 0);
		ck_assert_uint_eq(gov_policy_find_node(p, "a1"), 1);
		ck_assert_uint_eq(gov_policy_find_node(p, "g3"), GOV_NONE);
		ck_assert_uint_eq(gov_policy_find_cell(p, 1, 0), 3);
		ck_assert_uint_eq(gov_policy_find_cell(p, 1, 1), GOV_NONE);
		ck_assert_int_eq(gov_policy_finish(p, &error), 0);
	}
	gov_policy_unref(p);
}
END_TEST

START_TEST(terms_team_before_class_before_cluster)
{
	struct gov_policy *p = two_pools();
	uint32_t team = gov_policy_add_unit(p, "a", true, GOV_NONE);
	uint32_t class = gov_policy_add_class(p, "debug");
	struct gov_terms t;

	gov_policy_terms(p, team, class, &t);
	ck_assert_int_eq(t.signal, SIGTERM);
	ck_assert_int_eq(t.grace, 120);
	ck_assert_int_eq(t.on_reclaim, GOV_RECLAIM_REQUEUE);
	ck_assert_int_eq(t.min_runtime, 900);
	ck_assert_int_eq(t.min_loan, 0);

	p->terms.grace = 60;
	p->terms.signal = SIGUSR1;
	p->terms.min_loan = 30;
	p->class[class].terms.grace = 10;
	p->class[class].terms.on_reclaim = GOV_RECLAIM_CANCEL;
	p->unit[team].terms.grace = 0;
	gov_policy_terms(p, team, class, &t);
	ck_assert_int_eq(t.grace, 0);
	ck_assert_int_eq(t.signal, SIGUSR1);
	ck_assert_int_eq(t.on_reclaim, GOV_RECLAIM_CANCEL);
	ck_assert_int_eq(t.min_loan, 30);
	gov_policy_terms(p, GOV_NONE, class, &t);
	ck_assert_int_eq(t.grace, 10);
	gov_policy_terms(p, GOV_NONE, GOV_NONE, &t);
	ck_assert_int_eq(t.grace, 60);
	gov_policy_unref(p);
}
END_TEST

START_TEST(references_are_counted)
{
	struct gov_policy *p = two_pools();

	ck_assert_ptr_eq(gov_policy_ref(p), p);
	gov_policy_unref(p);
	ck_assert_uint_eq(p->cell_count, 4);
	gov_policy_unref(p);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, defaults_are_set);
	tcase_add_test(tcase, tree_is_ordered_parents_first);
	tcase_add_test(tcase, cycle_is_refused);
	tcase_add_test(tcase, team_is_no_parent);
	tcase_add_test(tcase, same_name_twice_is_refused);
	tcase_add_test(tcase, overflow_of_quotas_is_refused);
	tcase_add_test(tcase, unlimited_is_no_overflow);
	tcase_add_test(tcase, unset_is_neither_zero_nor_unlimited);
	tcase_add_test(tcase, strategy_sets_the_limits);
	tcase_add_test(tcase, oversold_within_ratio_is_a_warning);
	tcase_add_test(tcase, names_are_found);
	tcase_add_test(tcase, terms_team_before_class_before_cluster);
	tcase_add_test(tcase, references_are_counted);
}

int main(void)
{
	return unit_main("policy", cases);
}
