/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where ours differs from the conformance corpus on purpose; the list is
 * tests/conformance/differences.  Each test shows the better behaviour.
 */
#include <stdlib.h>

#include "core/engine.h"
#include "core/tree.h"
#include "core/victims.h"
#include "tests/unit/unit.h"

static void add_team(struct gov_policy *p, const char *name,
		     gov_amount_t nominal, gov_amount_t borrow,
		     gov_amount_t lend)
{
	uint32_t team = gov_policy_add_unit(p, name, true, GOV_NONE);

	p->unit[team].quota[0] = (struct gov_quota){
		.set = true,
		.nominal = nominal,
		.borrow_limit = borrow,
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

/*
 * kq-fpreempt-030: the unit of the asker owns what is contended.  Its jobs
 * take it back by right (rule 2), whatever their share; a weight of 0 must not
 * matter, nor the protections that hold against fair share alone.
 */
START_TEST(units_own_quota_is_reclaimed)
{
	struct gov_policy *p = one_cell();
	struct gov_kind_key asker = {
		.team = 1,
		.project = GOV_NONE,
		.count = 1,
		.item = { { 0, 10 } },
	};
	struct gov_search search = { 0 };
	struct gov_record *job;
	struct gov_books books;
	struct gov_error error;

	gov_policy_add_unit(p, "unit", false, GOV_NONE);
	p->unit[0].quota[0] = (struct gov_quota){
		.set = true,
		.nominal = 10,
		.borrow_limit = GOV_UNLIMITED,
		.lend_limit = GOV_UNLIMITED,
	};
	add_team(p, "a", 0, GOV_UNLIMITED, GOV_UNLIMITED);
	add_team(p, "b", 0, GOV_UNLIMITED, GOV_UNLIMITED);
	p->unit[1].parent = 0;
	p->unit[0].weight.numerator = p->unit[1].weight.numerator = 0;
	p->terms.min_runtime = 3600;
	gov_policy_add_class(p, "any");
	ck_assert_int_eq(gov_policy_finish(p, &error), 0);
	ck_assert_int_eq(gov_books_init(&books, p), 0);
	job = gov_store_add(&books.store, 1);
	job->kind = gov_books_kind(&books, &(struct gov_kind_key){
						   .team = 2,
						   .project = GOV_NONE,
						   .count = 1,
						   .item = { { 0, 10 } },
					   });
	job->state = GOV_JOB_RUNNING;
	job->started = 1000;
	gov_books_charge(&books, job->kind);
	gov_store_link(&books.store, job);
	search.books = &books;
	search.now = 1001;
	search.kind = gov_books_kind(&books, &asker);
	ck_assert(gov_victims_find(&search));
	ck_assert_uint_eq(search.count, 1);
	ck_assert_int_eq(search.victim[0].rule, GOV_RULE_RECLAIM);
	gov_search_free(&search);
	gov_books_free(&books);
	gov_policy_unref(p);
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, units_own_quota_is_reclaimed);
	tcase_add_test(t, overuse_does_not_eat_a_guarantee);
}

int main(void)
{
	return unit_main("differences", add);
}
