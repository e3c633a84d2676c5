/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where ours differs from the conformance corpus on purpose; the list is
 * tests/conformance/differences.  Each test shows the better behaviour.
 */
#include <stdlib.h>

#include "core/engine.h"
#include "core/tree.h"
#include "tests/unit/unit.h"

static void add_team(struct gov_policy *p, const char *name,
		     gov_amount_t nominal, gov_amount_t borrow,
		     gov_amount_t lend)
{
	uint32_t team = gov_policy_add_unit(p, name, true, GOV_NONE);

	p->unit[team].quota[0] = (struct gov_quota) {
		.set = true, .nominal = nominal, .borrow_limit = borrow,
		.lend_limit = lend,
	};
}

static struct gov_policy *one_cell(void)
{
	struct gov_policy *p = gov_policy_create();

	gov_policy_add_tres(p, "gres/gpu");
	gov_policy_add_pool(p, "pool");
	gov_policy_pool_add_tres(p, 0, 0);
	gov_policy_make_cells(p);
	p->capacity_clamp = false;
	return p;
}

/*
 * kq-avail-004: team a uses far more than there is (a quota was lowered, say).
 * Team b never lends anything, so nobody can be using what is b's.
 */
START_TEST(overuse_does_not_eat_a_guarantee)
{
	struct gov_policy *p = one_cell();
	struct gov_error error;
	struct gov_tree *tree;

	add_team(p, "a", 10, GOV_UNLIMITED, GOV_UNLIMITED);
	add_team(p, "b", 10, 0, 0);
	ck_assert_int_eq(gov_policy_finish(p, &error), 0);
	tree = gov_tree_create(p);
	gov_tree_charge(tree, 0, 0, 31);
	ck_assert_uint_eq(gov_tree_available(tree, 0, 0), 0);
	ck_assert_uint_eq(gov_tree_available(tree, 1, 0), 10);
	gov_tree_charge(tree, 1, 0, 4);
	ck_assert_uint_eq(gov_tree_available(tree, 1, 0), 6);
	gov_tree_destroy(tree);
	gov_policy_unref(p);
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, overuse_does_not_eat_a_guarantee);
}

int main(void)
{
	return unit_main("differences", add);
}
