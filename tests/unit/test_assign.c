/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/assign.h"
#include "tests/unit/unit.h"

/* Pools h and a with gpus and cpus; team t owns 4 and 8 gpus, 100 cpus. */
static struct gov_policy *policy;
static struct gov_tree *tree;
static const uint32_t tres[] = { 0, 1 };
static const uint32_t pools[] = { 0, 1 };
static const struct gov_group group = { tres, 2, pools, 2 };
static struct gov_part part;
static struct gov_assign_ask ask;
static struct gov_assignment got;
static int simulated;

static struct gov_option no_victims(uint32_t cell, gov_amount_t amount,
				    void *arg)
{
	simulated++;
	return (struct gov_option){ GOV_FIT_NO_VICTIMS, 0 };
}

static void add_team(const char *name, gov_amount_t h, gov_amount_t a)
{
	uint32_t team = gov_policy_add_unit(policy, name, true, GOV_NONE);

	for (uint32_t c = 0; c < policy->cell_count; c++)
		policy->unit[team].quota[c] = (struct gov_quota){
			.set = true,
			.nominal = policy->cell[c].tres ? 100 :
				   policy->cell[c].pool ? a :
							  h,
			.borrow_limit = GOV_UNLIMITED,
			.lend_limit = GOV_UNLIMITED,
		};
}

static void setup(void)
{
	struct gov_error error;

	policy = gov_policy_create();
	gov_policy_add_tres(policy, "gres/gpu");
	gov_policy_add_tres(policy, "cpu");
	for (uint32_t p = 0; p < 2; p++) {
		gov_policy_add_pool(policy, p ? "a" : "h");
		gov_policy_pool_add_tres(policy, p, 0);
		gov_policy_pool_add_tres(policy, p, 1);
	}
	gov_policy_make_cells(policy);
	add_team("t", 4, 8);
	add_team("u", 2, 0);
	ck_assert_int_eq(gov_policy_finish(policy, &error), 0);
	tree = gov_tree_create(policy);
	part = (struct gov_part){
		.count = 1,
		.least = 1,
		.tres_count = 2,
		.ask = { { 0, 4 }, { 1, 8 } },
	};
	ask = (struct gov_assign_ask){
		.tree = tree,
		.team = 0,
		.group = &group,
		.group_count = 1,
		.part = &part,
		.part_count = 1,
		.how = { .look_on_if_preempting = true },
		.simulate = no_victims,
	};
	simulated = 0;
}

static void teardown(void)
{
	gov_tree_destroy(tree);
	gov_policy_unref(policy);
}

static uint32_t gpu_pool(uint32_t p)
{
	return policy->cell[got.part[p].tres[0].cell].pool;
}

START_TEST(first_pool_that_fits)
{
	ck_assert_int_eq(gov_assign(&ask, &got), 0);
	ck_assert_int_eq(got.fit, GOV_FIT_NOW);
	ck_assert_uint_eq(gpu_pool(0), 0);
	ck_assert_uint_eq(got.level, 0);
	ck_assert_uint_eq(got.request.count, 2);
	gov_tree_charge(tree, 0, 0, 4); /* pool h: only u's 2 are left */
	gov_assign(&ask, &got);
	ck_assert_uint_eq(gpu_pool(0), 1);
	ck_assert_int_eq(simulated, 1);
}
END_TEST

START_TEST(all_tres_from_one_pool)
{
	part.ask[1].per_task = 150; /* cpus: no team owns that alone */
	gov_tree_charge(tree, 1, 1, 100);
	gov_assign(&ask, &got);
	ck_assert_uint_eq(gpu_pool(0), 1);
	ck_assert_uint_eq(policy->cell[got.part[0].tres[1].cell].pool, 1);
	ck_assert_uint_eq(got.level, 1);
}
END_TEST

START_TEST(why_it_never_fits)
{
	part.ask[0].per_task = 99;
	gov_assign(&ask, &got);
	ck_assert_int_eq(got.fit, GOV_FIT_NEVER);
	ck_assert_int_eq(got.misfit, GOV_MISFIT_EXCEEDS);
	ck_assert_uint_eq(got.request.count, 0);
	part.ask[0].tres = 7;
	gov_assign(&ask, &got);
	ck_assert_int_eq(got.misfit, GOV_MISFIT_NO_POOL);
	part.ask[0].per_task = 0; /* nothing of an unknown TRES is fine */
	gov_assign(&ask, &got);
	ck_assert_int_eq(got.fit, GOV_FIT_NOW);
	ck_assert_uint_eq(got.request.count, 1);
}
END_TEST

START_TEST(contended_cells)
{
	gov_tree_charge(tree, 0, 0, 4);
	gov_tree_charge(tree, 0, 2, 7);
	gov_assign(&ask, &got);
	ck_assert_int_eq(got.fit, GOV_FIT_NO_VICTIMS);
	ck_assert_uint_eq(got.contended_count, 1);
	ck_assert_uint_eq(got.contended[0], 0);
}
END_TEST

/* Parts of a het job see what the parts before them take. */
START_TEST(parts_add_up)
{
	struct gov_part two[2] = { part, part };

	ask.part = two;
	ask.part_count = 2;
	two[1].together = 1;
	gov_assign(&ask, &got);
	ck_assert_uint_eq(gpu_pool(0), 0);
	ck_assert_uint_eq(gpu_pool(1), 1);
	two[1].together = 0; /* 8 gpus at once: pool a only */
	gov_assign(&ask, &got);
	ck_assert_uint_eq(gpu_pool(0), 1);
	ck_assert_uint_eq(gpu_pool(1), 1);
	ck_assert_uint_eq(got.request.item[0].amount, 8);
}
END_TEST

START_TEST(refused_pools_and_starts)
{
	const bool refused[2] = { true, false };
	struct gov_assign_start start[1][GOV_GROUPS_MAX] = { { { 0,
								 GOV_NONE } } };

	part.refused = refused;
	gov_assign(&ask, &got);
	ck_assert_uint_eq(gpu_pool(0), 1);
	part.refused = NULL;
	ask.start = (const struct gov_assign_start(*)[GOV_GROUPS_MAX]) start;
	start[0][0].first = 1;
	gov_assign(&ask, &got);
	ck_assert_uint_eq(gpu_pool(0), 1);
	start[0][0] = (struct gov_assign_start){ 0, 1 };
	gov_assign(&ask, &got);
	ck_assert_uint_eq(gpu_pool(0), 1);
}
END_TEST

START_TEST(amounts_that_overflow_never_fit)
{
	part.count = part.least = UINT32_MAX;
	part.ask[0].per_task = GOV_AMOUNT_MAX / 2;
	gov_assign(&ask, &got);
	ck_assert_int_eq(got.fit, GOV_FIT_NEVER);
	ck_assert_int_eq(got.misfit, GOV_MISFIT_EXCEEDS);
}
END_TEST

static bool at_most(const uint32_t *count, void *arg)
{
	return count[0] + count[1] <= *(uint32_t *) arg;
}

START_TEST(shrinks_in_proportion)
{
	struct gov_part two[2] = {
		{ .count = 10, .least = 2 },
		{ .count = 4, .least = 4 },
	};
	uint32_t count[2], limit = 9;

	ck_assert(gov_assign_shrink(two, 2, count, at_most, &limit));
	ck_assert_uint_eq(count[0], 5);
	ck_assert_uint_eq(count[1], 4);
	limit = 5;
	ck_assert(!gov_assign_shrink(two, 2, count, at_most, &limit));
	limit = 99;
	ck_assert(gov_assign_shrink(two, 2, count, at_most, &limit));
	ck_assert_uint_eq(count[0], 10);
	ck_assert(!gov_assign_shrink(two + 1, 1, count, at_most, &limit));
}
END_TEST

static void add(TCase *t)
{
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, first_pool_that_fits);
	tcase_add_test(t, all_tres_from_one_pool);
	tcase_add_test(t, why_it_never_fits);
	tcase_add_test(t, contended_cells);
	tcase_add_test(t, parts_add_up);
	tcase_add_test(t, refused_pools_and_starts);
	tcase_add_test(t, amounts_that_overflow_never_fit);
	tcase_add_test(t, shrinks_in_proportion);
}

int main(void)
{
	return unit_main("assign", add);
}
