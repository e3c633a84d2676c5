/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worked examples E1 to E14: situations whose outcome is promised, from
 * the public face of the engine.  q quota, u used, L borrow limit.
 */
#include "tests/unit/small_cluster.h"

/* ---- the examples ---- */

static void e1_with(gov_amount_t limit)
{
	begin(1);
	team("a", 6, GOV_UNLIMITED);
	team("b", 5, limit);
	start_engine(11);
	running(1, "a", 50, 2, 1);
	running(2, "b", 50, 4, 1);
	waiting(10, "b", 50, 4, 1);
	decide();
}

START_TEST(e01_percent_limit)
{
	struct gov_loan *loan;

	e1_with(3); /* 60 % of 5 */
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	ck_assert_uint_eq(view("b", GPU).borrowed, 3);
	ck_assert_int_eq(gov_engine_loans(engine, &loan), 1);
	ck_assert_uint_eq(loan[0].lender, unit("a"));
	ck_assert_uint_eq(loan[0].amount, 3);
	free(loan);
	finish();
	e1_with(2); /* 50 % */
	ck_assert_int_eq(state(10), GOV_JOB_WAITING);
	ck_assert(explained(10, GOV_LIMIT_BORROW));
	finish();
}
END_TEST

START_TEST(e02_evicted_whole_then_within_the_team)
{
	begin(1);
	team("a", 2, 1);
	team("b", 2, 1);
	start_engine(4);
	waiting(1, "a", 50, 3, 1);
	decide();
	run(1);
	ck_assert_uint_eq(view("a", GPU).borrowed, 1);
	waiting(2, "b", 50, 2, 1);
	decide();
	ck_assert_int_eq(state(1), GOV_JOB_RECLAIMING);
	ck_assert_int_eq(state(2), GOV_JOB_CLAIMING);
	let_leave();
	run(2);
	ck_assert_int_eq(state(1), GOV_JOB_WAITING);
	waiting(3, "b", 100, 2, 1);
	decide();
	ck_assert_int_eq(state(2), GOV_JOB_RECLAIMING);
	ck_assert_int_eq(gov_engine_job(engine, 2)->rule, GOV_RULE_WITHIN_TEAM);
	let_leave();
	run(3);
	ck_assert_int_eq(state(2), GOV_JOB_WAITING);
	ck_assert(explained(2, GOV_LIMIT_BORROW));
	finish();
}
END_TEST

START_TEST(e03_borrowed_per_tres)
{
	struct gov_job j;

	begin(3);
	team("a", 4, 4); /* one node each: 4 gpus, 48 cpus, 192 GiB */
	team("b", 4, 4);
	start_engine(8);
	j = job(1, "a", 50, 8);
	j.request = (struct gov_request){
		3,
		{ { GPU, 8 }, { CPU, 88 }, { MEM, 328 } },
	};
	put(j);
	decide();
	ck_assert_int_eq(state(1), GOV_JOB_ADMITTED);
	ck_assert_uint_eq(view("a", GPU).borrowed, 4);
	ck_assert_uint_eq(view("a", CPU).borrowed, 40);
	ck_assert_uint_eq(view("a", MEM).borrowed, 136);
	finish();
}
END_TEST

START_TEST(e04_lend_only_team_reclaims)
{
	begin(1);
	team("alpha", 8, GOV_UNLIMITED)->strategy = GOV_LEND;
	team("beta", 16, GOV_UNLIMITED);
	team("gamma", 6, GOV_UNLIMITED);
	start_engine(30);
	running(1, "alpha", 100, 1, 6);
	running(20, "beta", 75, 1, 14);
	running(40, "beta", 50, 1, 4);
	running(50, "gamma", 50, 1, 6);
	waiting(100, "alpha", 100, 1, 4);
	decide();
	ck_assert_int_eq(in_state(100, 4, GOV_JOB_CLAIMING), 2);
	ck_assert_int_eq(in_state(100, 4, GOV_JOB_WAITING), 2);
	ck_assert_int_eq(in_state(40, 4, GOV_JOB_RECLAIMING), 2);
	ck_assert_int_eq(in_state(20, 14, GOV_JOB_RUNNING), 14);
	ck_assert_int_eq(in_state(50, 6, GOV_JOB_RUNNING), 6);
	let_leave();
	ck_assert_int_eq(in_state(100, 4, GOV_JOB_ADMITTED), 2);
	ck_assert_int_eq(in_state(100, 4, GOV_JOB_WAITING), 2);
	finish();
}
END_TEST

static void e5_with(int used, bool prefer_own)
{
	begin(1);
	team("a", 10, GOV_UNLIMITED);
	team("b", 20, GOV_UNLIMITED)->prefer_own = prefer_own;
	start_engine(30);
	running(1, "a", 50, 1, used);
	running(20, "b", 75, 1, 10);
	running(40, "b", 50, 1, 10);
	waiting(100, "b", 100, 1, 5);
	decide();
	ck_assert_int_eq(in_state(1, used, GOV_JOB_RUNNING), used);
	ck_assert_int_eq(in_state(20, 10, GOV_JOB_RUNNING), 10);
}

START_TEST(e05_own_lower_class_or_idle_first)
{
	e5_with(10, false);
	ck_assert_int_eq(in_state(40, 10, GOV_JOB_RECLAIMING), 5);
	ck_assert_int_eq(in_state(100, 5, GOV_JOB_CLAIMING), 5);
	ck_assert_uint_eq(view("b", GPU).borrowed, 0);
	finish();
	e5_with(6, false);
	ck_assert_int_eq(in_state(40, 10, GOV_JOB_RECLAIMING), 1);
	ck_assert_int_eq(in_state(100, 5, GOV_JOB_ADMITTED), 4);
	ck_assert_uint_eq(view("b", GPU).borrowed, 4);
	finish();
	e5_with(6, true);
	ck_assert_int_eq(in_state(40, 10, GOV_JOB_RECLAIMING), 5);
	ck_assert_uint_eq(view("b", GPU).borrowed, 0);
	finish();
}
END_TEST

/* a and b borrow 4 each, and wait; two idle units of c come free. */
static void e6_with(uint32_t a_weight, uint32_t b_weight, bool fair)
{
	begin(1);
	team("a", 2, GOV_UNLIMITED)->weight.numerator = a_weight;
	team("b", 2, GOV_UNLIMITED)->weight.numerator = b_weight;
	team("c", 10, GOV_UNLIMITED)->reclaim = GOV_PREEMPT_NEVER;
	for (uint32_t u = 0; u < 2; u++)
		policy->unit[u].reclaim = GOV_PREEMPT_NEVER;
	policy->idle_sharing = fair ? GOV_FAIR_SHARE : GOV_FIRST_COME;
	start_engine(14);
	running(1, "a", 50, 6, 1);
	running(2, "b", 50, 6, 1);
	running(3, "c", 50, 2, 1);
	waiting(11, "b", 50, 1, 1); /* b asks first */
	waiting(10, "a", 50, 1, 1);
	gov_engine_remove(engine, 3);
	running(4, "c", 50, 1, 1); /* one unit is left */
	decide();
}

START_TEST(e06_weights)
{
	e6_with(10, 5, true);
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(11), GOV_JOB_WAITING);
	finish();
	e6_with(0, 1, true);
	ck_assert_int_eq(state(10), GOV_JOB_WAITING);
	ck_assert_int_eq(state(11), GOV_JOB_ADMITTED);
	finish();
	e6_with(10, 5, false);
	ck_assert_int_eq(state(10), GOV_JOB_WAITING);
	ck_assert_int_eq(state(11), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

START_TEST(e06_first_come_may_take_all_idle)
{
	begin(1);
	team("a", 2, GOV_UNLIMITED);
	team("b", 10, GOV_UNLIMITED);
	policy->idle_sharing = GOV_FIRST_COME;
	start_engine(12);
	waiting(1, "a", 50, 1, 12);
	decide();
	ck_assert_int_eq(in_state(1, 12, GOV_JOB_ADMITTED), 12);
	finish();
}
END_TEST

/* How many single units a team without quota is given. */
static int unallocated_with(gov_amount_t capacity, gov_amount_t extra_quota)
{
	static uint64_t id = 1000;
	int admitted;

	begin(1);
	team("a", 6, 0);
	team("b", 5, 0);
	team("c", 4, 0);
	team("d", extra_quota, 0);
	team("guest", 0, GOV_UNLIMITED);
	for (uint32_t u = 0; u < 4; u++)
		policy->unit[u].quota[0].lend_limit = 0;
	policy->share_unallocated = true;
	start_engine(20);
	gov_engine_set_capacity(engine, GPU, capacity);
	waiting(id, "guest", 50, 1, 9);
	decide();
	admitted = in_state(id, 9, GOV_JOB_ADMITTED);
	finish();
	return admitted;
}

START_TEST(e07_unallocated_is_shared)
{
	ck_assert_int_eq(unallocated_with(20, 0), 5);
	ck_assert_int_eq(unallocated_with(19, 0), 4);
	ck_assert_int_eq(unallocated_with(20, 3), 2);
}
END_TEST

START_TEST(e07_follows_the_nodes)
{
	begin(1);
	team("a", 15, 0);
	team("guest", 0, GOV_UNLIMITED);
	policy->unit[0].quota[0].lend_limit = 0;
	policy->share_unallocated = true;
	start_engine(20);
	ck_assert_uint_eq(view("guest", GPU).free, 5);
	gov_engine_set_capacity(engine, GPU, 19);
	ck_assert_uint_eq(view("guest", GPU).free, 4);
	gov_engine_set_capacity(engine, GPU, 20);
	ck_assert_uint_eq(view("guest", GPU).free, 5);
	finish();
}
END_TEST

START_TEST(e08_absolute_limit)
{
	begin(1);
	team("a", 8, 4); /* the lower of 500 % and 4 */
	team("b", 100, GOV_UNLIMITED);
	start_engine(108);
	waiting(1, "a", 50, 1, 20);
	decide();
	ck_assert_int_eq(in_state(1, 20, GOV_JOB_ADMITTED), 12);
	ck_assert_uint_eq(view("a", GPU).borrowed, 4);
	finish();
}
END_TEST

START_TEST(e09_own_and_borrowed_add_up)
{
	begin(1);
	team("a", 170, GOV_UNLIMITED);
	team("b", 100, GOV_UNLIMITED);
	start_engine(270);
	running(1, "a", 50, 200, 1);
	ck_assert_uint_eq(view("a", GPU).usage, 200);
	ck_assert_uint_eq(view("a", GPU).own, 170);
	ck_assert_uint_eq(view("a", GPU).borrowed, 30);
	ck_assert_uint_eq(view("b", GPU).lent, 30);
	finish();
}
END_TEST

START_TEST(e10_nobody_ends_below_its_quota)
{
	begin(1);
	team("a", 32, GOV_UNLIMITED);
	team("b", 16, GOV_UNLIMITED);
	team("c", 16, GOV_UNLIMITED);
	start_engine(64);
	running(100, "a", 50, 1, 16);
	running(200, "b", 50, 1, 24);
	running(300, "c", 50, 1, 24);
	waiting(400, "a", 50, 1, 16);
	decide();
	ck_assert_int_eq(in_state(200, 24, GOV_JOB_RECLAIMING), 8);
	ck_assert_int_eq(in_state(300, 24, GOV_JOB_RECLAIMING), 8);
	ck_assert_int_eq(in_state(400, 16, GOV_JOB_CLAIMING), 16);
	let_leave();
	ck_assert_int_eq(in_state(400, 16, GOV_JOB_ADMITTED), 16);
	for (uint64_t id = 400; id < 416; id++)
		run(id);
	decide();
	ck_assert_uint_eq(list.count, 0);
	finish();
}
END_TEST

/* Volcano 4947: the evicted owner was ordered first, and started again. */
START_TEST(e11_displaced_does_not_overtake)
{
	begin(1);
	team("a", 3, GOV_UNLIMITED);
	team("b", 5, GOV_UNLIMITED);
	start_engine(8);
	running(1, "a", 50, 4, 1);
	running(2, "b", 50, 1, 1);
	waiting(3, "b", 50, 4, 1);
	decide();
	ck_assert_int_eq(state(1), GOV_JOB_RECLAIMING);
	now += 1000;
	decide();
	ck_assert_uint_eq(list.count, 1);
	ck_assert_int_eq(list.item[0].kind, GOV_STOP);
	{
		struct gov_job j = *gov_engine_job(engine, 1);

		j.state = GOV_JOB_WAITING;
		j.started = 0;
		put(j);
	}
	decide();
	ck_assert_int_eq(state(3), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(1), GOV_JOB_WAITING);
	run(3);
	decide();
	ck_assert_int_eq(state(1), GOV_JOB_WAITING);
	gov_engine_remove(engine, 3);
	decide();
	ck_assert_int_eq(state(1), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

START_TEST(e12_only_what_the_asker_needs)
{
	begin(1);
	team("a", 64, GOV_UNLIMITED);
	team("b", 16, GOV_UNLIMITED);
	team("c", 16, GOV_UNLIMITED);
	start_engine(96);
	running(100, "a", 50, 1, 8);
	running(200, "b", 50, 1, 72);
	running(300, "c", 50, 1, 16);
	waiting(400, "a", 50, 48, 1);
	waiting(401, "c", 100, 8, 1); /* has nothing to take back */
	decide();
	ck_assert_int_eq(state(400), GOV_JOB_CLAIMING);
	ck_assert_int_eq(in_state(200, 72, GOV_JOB_RECLAIMING), 48);
	finish();
}
END_TEST

START_TEST(e13_never_lent_is_always_there)
{
	struct gov_policy *lowered;
	struct gov_error error;

	begin(1);
	team("a", 10, GOV_UNLIMITED);
	policy->unit[0].quota[0].lend_limit = 4;
	team("b", 10, GOV_UNLIMITED);
	start_engine(20);
	running(1, "b", 50, 12, 1);
	lowered = policy;
	begin(1);
	team("a", 10, GOV_UNLIMITED);
	policy->unit[0].quota[0].lend_limit = 4;
	team("b", 0, GOV_UNLIMITED);
	ck_assert_int_eq(gov_policy_finish(policy, &error), 0);
	ck_assert_int_eq(gov_engine_set_policy(engine, policy, &error), 0);
	gov_policy_unref(lowered);
	decide();
	ck_assert_int_eq(state(1), GOV_JOB_RUNNING);
	waiting(10, "a", 50, 6, 1);
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

START_TEST(e14_capacity_is_the_reason)
{
	begin(1);
	team("a", 4, GOV_UNLIMITED);
	team("b", 4, GOV_UNLIMITED);
	start_engine(8);
	gov_engine_set_capacity(engine, GPU, 6);
	running(1, "b", 50, 1, 6);
	waiting(10, "a", 50, 1, 4);
	decide();
	ck_assert_int_eq(in_state(10, 4, GOV_JOB_CLAIMING), 2);
	ck_assert_int_eq(in_state(10, 4, GOV_JOB_WAITING), 2);
	ck_assert_int_eq(in_state(1, 6, GOV_JOB_RECLAIMING), 2);
	for (uint64_t id = 10; id < 14; id++)
		if (state(id) == GOV_JOB_WAITING) {
			ck_assert(explained(id, GOV_LIMIT_CAPACITY));
			ck_assert(!explained(id, GOV_LIMIT_BORROW));
		}
	finish();
}
END_TEST

/* The asker would end inside its own quota: nobody's idle quota is missing. */
START_TEST(e14_capacity_alone_is_the_reason)
{
	begin(1);
	team("vision", 12, GOV_UNLIMITED);
	team("speech", 20, GOV_UNLIMITED);
	start_engine(32);
	running(1, "vision", 50, 2, 1);
	running(2, "speech", 50, 14, 1);
	gov_engine_set_installed(engine, GPU, 32);
	gov_engine_set_capacity(engine, GPU, 16);
	waiting(10, "vision", 50, 10, 1);
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_WAITING);
	ck_assert(explained(10, GOV_LIMIT_CAPACITY));
	ck_assert(!explained(10, GOV_LIMIT_LENDERS));
	/* Had nobody anything idle with all nodes up, that counts as well. */
	waiting(11, "vision", 50, 25, 1);
	ck_assert(explained(11, GOV_LIMIT_CAPACITY));
	ck_assert(explained(11, GOV_LIMIT_LENDERS));
	gov_engine_set_capacity(engine, GPU, 32);
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	ck_assert(explained(11, GOV_LIMIT_LENDERS));
	ck_assert(!explained(11, GOV_LIMIT_CAPACITY));
	finish();
}
END_TEST

/* E7 with a job that waits: unallocated nodes are down. */
START_TEST(e14_unallocated_capacity)
{
	begin(1);
	team("a", 15, 0);
	team("guest", 0, GOV_UNLIMITED);
	policy->unit[0].quota[0].lend_limit = 0;
	policy->share_unallocated = true;
	start_engine(20);
	gov_engine_set_installed(engine, GPU, 20);
	gov_engine_set_capacity(engine, GPU, 18);
	running(1, "a", 50, 15, 1);
	waiting(10, "guest", 50, 5, 1);
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_WAITING);
	ck_assert(explained(10, GOV_LIMIT_CAPACITY));
	ck_assert(!explained(10, GOV_LIMIT_LENDERS));
	finish();
}
END_TEST

/* PreferOwn: a job that may not evict yet waits until it may. */
START_TEST(e05_prefer_own_waits_until_it_is_known)
{
	struct gov_verdict verdict;
	struct gov_error error;
	struct gov_job j;

	begin(1);
	team("a", 10, GOV_UNLIMITED);
	team("b", 20, GOV_UNLIMITED);
	policy->unit[1].prefer_own = true;
	start_engine(30);
	running(1, "a", 50, 6, 1);
	running(2, "b", 50, 1, 20);
	j = job(50, "b", 100, 2);
	j.provisional = true;
	ck_assert_int_eq(gov_engine_submit(engine, &j, now, &verdict, &error),
			 0);
	ck_assert(!verdict.admitted && !verdict.never);
	decide();
	ck_assert_int_eq(state(50), GOV_JOB_WAITING);
	j.state = GOV_JOB_WAITING;
	j.provisional = false;
	put(j);
	decide();
	ck_assert_int_eq(state(50), GOV_JOB_CLAIMING);
	ck_assert_int_eq(in_state(2, 20, GOV_JOB_RECLAIMING), 2);
	ck_assert_uint_eq(view("b", GPU).borrowed, 0);
	finish();
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, e01_percent_limit);
	tcase_add_test(t, e02_evicted_whole_then_within_the_team);
	tcase_add_test(t, e03_borrowed_per_tres);
	tcase_add_test(t, e04_lend_only_team_reclaims);
	tcase_add_test(t, e05_own_lower_class_or_idle_first);
	tcase_add_test(t, e05_prefer_own_waits_until_it_is_known);
	tcase_add_test(t, e06_weights);
	tcase_add_test(t, e06_first_come_may_take_all_idle);
	tcase_add_test(t, e07_unallocated_is_shared);
	tcase_add_test(t, e07_follows_the_nodes);
	tcase_add_test(t, e08_absolute_limit);
	tcase_add_test(t, e09_own_and_borrowed_add_up);
	tcase_add_test(t, e10_nobody_ends_below_its_quota);
	tcase_add_test(t, e11_displaced_does_not_overtake);
	tcase_add_test(t, e12_only_what_the_asker_needs);
	tcase_add_test(t, e13_never_lent_is_always_there);
	tcase_add_test(t, e14_capacity_is_the_reason);
	tcase_add_test(t, e14_capacity_alone_is_the_reason);
	tcase_add_test(t, e14_unallocated_capacity);
}

int main(void)
{
	return unit_main("examples", add);
}
