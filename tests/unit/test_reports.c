/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults that users of comparable systems reported, one test for each kind:
 * whom to evict, and when.  Progress, order and accounting: see
 * test_reports_progress.c.
 * In front of a test: where it was reported (V Volcano, K KAI, Y YuniKorn,
 * H YARN, P OpenPBS, S Slurm, R Spur, otherwise Kueue).
 */
#include "tests/unit/small_cluster.h"

/* ---- over-eviction ---- */

/* V 1464: the asker cannot run anyway, by a limit of its own. */
START_TEST(nobody_dies_for_an_asker_with_a_ceiling)
{
	uint32_t p;

	begin(1);
	team("a", 8, 0);
	team("b", 2, GOV_UNLIMITED);
	p = gov_policy_add_project(policy, "small", 0);
	policy->project[p].max = calloc(1, sizeof(gov_amount_t));
	policy->project[p].max[0] = 2;
	start_engine(10);
	running(1, "b", 50, 1, 10);
	{
		struct gov_job j = job(20, "a", 50, 4);

		j.project = 0;
		put(j);
	}
	decide();
	ck_assert_int_eq(evictions(), 0);
	ck_assert(explained(20, GOV_LIMIT_PROJECT));
	finish();
}
END_TEST

/* Y 3450: what is free counts; only the rest is taken. */
START_TEST(free_room_is_used_before_victims)
{
	begin(1);
	team("a", 8, GOV_UNLIMITED);
	team("b", 2, GOV_UNLIMITED);
	start_engine(10);
	running(1, "b", 50, 1, 7);
	waiting(20, "a", 50, 5, 1);
	decide();
	ck_assert_int_eq(evictions(), 2);
	finish();
}
END_TEST

/* Y 1995: several small victims are added up, over several TRES. */
START_TEST(small_victims_add_up)
{
	begin(2);
	team("a", 8, GOV_UNLIMITED);
	team("b", 0, GOV_UNLIMITED);
	start_engine(8);
	gov_engine_set_capacity(engine, CPU, 96);
	for (uint64_t id = 1; id <= 8; id++) {
		struct gov_job j = job(id, "b", 50, 1);

		j.request = (struct gov_request){
			2,
			{ { GPU, 1 }, { CPU, 12 } },
		};
		j.state = GOV_JOB_RUNNING;
		j.started = now;
		put(j);
	}
	waiting_for(20, "a", 50, 3, 24);
	decide();
	ck_assert_int_eq(evictions(), 3);
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	finish();
}
END_TEST

/* S 24158, S 21200: nobody gives way for what is free. */
START_TEST(nothing_is_taken_for_what_is_free)
{
	begin(1);
	team("a", 4, GOV_UNLIMITED);
	team("b", 8, GOV_UNLIMITED);
	start_engine(12);
	running(1, "a", 0, 1, 4);
	running(11, "b", 0, 1, 4);
	waiting(20, "a", 100, 4, 1);
	decide();
	ck_assert_int_eq(evictions(), 0);
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

/* 1974: two wanted, one free with the neighbour: one own job gives way. */
START_TEST(fewest_of_the_own_team)
{
	begin(1);
	team("a", 10, GOV_UNLIMITED);
	team("b", 10, GOV_UNLIMITED);
	start_engine(20);
	running(1, "a", 0, 1, 10);
	running(21, "b", 50, 1, 9);
	waiting(40, "a", 100, 2, 1);
	decide();
	ck_assert_int_eq(evictions(), 1);
	ck_assert_int_eq(in_state(21, 9, GOV_JOB_RUNNING), 9);
	finish();
}
END_TEST

/* ---- no reclaim when due ---- */

/* V 4817: the job waits in a full cluster; reclaim does not need free room. */
START_TEST(full_cluster_is_no_reason_not_to_reclaim)
{
	begin(1);
	team("a", 5, GOV_UNLIMITED);
	team("b", 5, GOV_UNLIMITED);
	start_engine(10);
	running(1, "b", 50, 1, 10);
	waiting(20, "a", 50, 5, 1);
	decide();
	ck_assert_int_eq(evictions(), 5);
	finish();
}
END_TEST

/* V 3003: a first job that can never be served hides nobody. */
START_TEST(blocked_job_does_not_hide_the_next)
{
	begin(1);
	team("a", 4, 0);
	team("b", 4, GOV_UNLIMITED);
	start_engine(8);
	running(1, "b", 50, 1, 8);
	waiting(20, "a", 100, 9, 1);
	waiting(21, "a", 50, 4, 1);
	decide();
	ck_assert_int_eq(evictions(), 4);
	ck_assert_int_eq(state(21), GOV_JOB_CLAIMING);
	finish();
}
END_TEST

/* K 1750, K 374: another hungry team, earlier in the order, changes nothing. */
START_TEST(unrelated_hungry_team_does_not_stop_a_reclaim)
{
	uint32_t parent;

	begin(1);
	parent = department("dept", 2);
	team("owner", 4, GOV_UNLIMITED)->parent = parent;
	team("batch", 0, GOV_UNLIMITED)->parent = parent;
	team("hungry", 1, GOV_UNLIMITED)->reclaim = GOV_PREEMPT_NEVER;
	start_engine(7);
	running(1, "owner", 50, 1, 2);
	running(11, "batch", 50, 1, 4);
	running(21, "hungry", 50, 1, 1);
	waiting(30, "hungry", 100, 2, 1);
	waiting(31, "owner", 50, 2, 1);
	decide();
	ck_assert_int_eq(evictions(), 2);
	ck_assert_int_eq(state(31), GOV_JOB_CLAIMING);
	finish();
}
END_TEST

/* V 1748: the department over its share shrinks, not its poorest team. */
START_TEST(department_over_its_quota_gives_back)
{
	uint32_t left, right;

	begin(1);
	left = department("left", 0);
	right = department("right", 0);
	team("l1", 4, GOV_UNLIMITED)->parent = left;
	team("l2", 4, GOV_UNLIMITED)->parent = left;
	team("r1", 8, GOV_UNLIMITED)->parent = right;
	start_engine(16);
	running(1, "l1", 50, 1, 12);
	running(21, "l2", 50, 1, 4);
	waiting(40, "r1", 50, 8, 1);
	decide();
	ck_assert_int_eq(evictions(), 8);
	ck_assert_int_eq(in_state(21, 4, GOV_JOB_RUNNING), 4);
	finish();
}
END_TEST

/* 804: two owners reclaim in one pass; one large victim is not enough. */
START_TEST(two_owners_in_one_pass)
{
	begin(1);
	team("a", 10, GOV_UNLIMITED);
	team("b", 10, GOV_UNLIMITED);
	team("c", 10, GOV_UNLIMITED);
	start_engine(30);
	running(1, "a", 50, 15, 2);
	waiting(10, "b", 50, 10, 1);
	waiting(11, "c", 50, 10, 1);
	decide();
	ck_assert_int_eq(evictions(), 2);
	let_leave();
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(11), GOV_JOB_ADMITTED);
	ck_assert_uint_le(view(NULL, GPU).usage, 30);
	finish();
}
END_TEST

/* 6577, 1973: a borrower with a tiny share is a borrower. */
START_TEST(tiny_share_is_taken_back)
{
	begin(1);
	team("owner", 10, GOV_UNLIMITED);
	team("big", 5000, GOV_UNLIMITED);
	team("other", 1000, GOV_UNLIMITED);
	start_engine(6010);
	running(1, "big", 50, 5000, 1);
	running(2, "big", 50, 1, 5);
	running(11, "other", 50, 1000, 1);
	running(12, "owner", 50, 5, 1);
	waiting(20, "owner", 50, 5, 1);
	decide();
	ck_assert_int_eq(in_state(2, 5, GOV_JOB_RECLAIMING), 5);
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	finish();
}
END_TEST

/* 16049: high replaces low of its own team although both must borrow. */
START_TEST(own_team_while_borrowing)
{
	begin(1);
	team("a", 2, GOV_UNLIMITED);
	team("b", 2, GOV_UNLIMITED);
	start_engine(4);
	running(1, "a", 0, 4, 1);
	waiting(2, "a", 100, 4, 1);
	decide();
	ck_assert_int_eq(state(1), GOV_JOB_RECLAIMING);
	ck_assert_int_eq(state(2), GOV_JOB_CLAIMING);
	finish();
}
END_TEST

/* An owner whose job must borrow CPUs still gets its own GPUs back. */
START_TEST(owner_that_borrows_cpus_reclaims_its_gpus)
{
	begin(2);
	team("owner", 4, GOV_UNLIMITED);
	team("b", 4, GOV_UNLIMITED);
	limit_tres("owner", CPU, 10, GOV_UNLIMITED);
	limit_tres("b", CPU, 90, GOV_UNLIMITED);
	start_engine(8);
	gov_engine_set_capacity(engine, CPU, 100);
	running(1, "b", 50, 1, 8);
	waiting_for(20, "owner", 50, 4, 40);
	decide();
	ck_assert_int_eq(evictions(), 4);
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	finish();
}
END_TEST

/* 9406: borrowing of one TRES costs nobody its own of another. */
START_TEST(own_quota_comes_before_shares)
{
	begin(2);
	team("a", 5, GOV_UNLIMITED);
	team("b", 5, GOV_UNLIMITED);
	team("c", 5, GOV_UNLIMITED);
	for (uint32_t u = 0; u < 3; u++)
		policy->unit[u].reclaim = GOV_PREEMPT_NEVER;
	limit_tres("a", CPU, 0, GOV_UNLIMITED);
	limit_tres("b", CPU, 50, GOV_UNLIMITED);
	limit_tres("c", CPU, 0, GOV_UNLIMITED);
	start_engine(15);
	gov_engine_set_capacity(engine, CPU, 50);
	{
		struct gov_job j = job(1, "a", 50, 4);

		j.request = (struct gov_request){
			2,
			{ { GPU, 4 }, { CPU, 30 } },
		};
		j.state = GOV_JOB_RUNNING;
		j.started = now;
		put(j);
	}
	running(2, "b", 50, 5, 1);
	running(3, "c", 50, 5, 1);
	waiting(21, "c", 50, 1, 1); /* would borrow, and is older */
	waiting(20, "a", 50, 1, 1); /* its fifth of five */
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(21), GOV_JOB_WAITING);
	finish();
}
END_TEST

/* ---- victims ---- */

/* H 6151: who must not be taken is out before the arithmetic. */
START_TEST(protected_jobs_are_no_candidates)
{
	begin(1);
	team("a", 4, GOV_UNLIMITED);
	policy->terms.min_runtime = 900;
	start_engine(4);
	running(1, "a", 0, 1, 4);
	waiting(20, "a", 100, 2, 1);
	decide();
	ck_assert_int_eq(evictions(), 0);
	ck_assert_int_lt(gov_engine_next(engine, now), now + 901);
	now += 901;
	decide();
	ck_assert_int_eq(evictions(), 2);
	finish();
}
END_TEST

/* R 881: two borrowed jobs, each too large alone, are judged together. */
START_TEST(borrowed_jobs_are_judged_as_a_set)
{
	begin(1);
	team("a", 4, GOV_UNLIMITED);
	team("b", 0, GOV_UNLIMITED);
	start_engine(4);
	running(1, "b", 50, 2, 2);
	waiting(20, "a", 50, 4, 1);
	decide();
	ck_assert_int_eq(evictions(), 2);
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	finish();
}
END_TEST

/* Y 2761: teams under a department that is short do not evict each other. */
START_TEST(siblings_within_quota_leave_each_other_alone)
{
	uint32_t left, right;

	begin(1);
	left = department("left", 0);
	right = department("right", 0);
	team("l1", 4, GOV_UNLIMITED)->parent = left;
	team("l2", 4, GOV_UNLIMITED)->parent = left;
	team("r", 8, GOV_UNLIMITED)->parent = right;
	start_engine(16);
	running(1, "l1", 50, 1, 4);
	running(11, "l2", 50, 1, 2);
	running(21, "r", 50, 1, 10);
	waiting(40, "l2", 50, 1, 2);
	decide();
	ck_assert_int_eq(in_state(1, 4, GOV_JOB_RUNNING), 4);
	ck_assert_int_eq(in_state(21, 10, GOV_JOB_RECLAIMING), 2);
	finish();
}
END_TEST

/* Y 2270: what an owner asks for it gets; no ask is lost for want of a hold. */
START_TEST(owner_gets_all_it_asks_for)
{
	begin(1);
	team("a", 100, GOV_UNLIMITED);
	team("b", 200, GOV_UNLIMITED);
	start_engine(300);
	running(1000, "b", 50, 1, 300);
	waiting(1, "a", 50, 1, 100);
	come_to_rest(100);
	ck_assert_uint_eq(view("a", GPU).usage, 100);
	ck_assert_uint_eq(view("b", GPU).usage, 200);
	finish();
}
END_TEST

/* ---- found with the list of mutations ---- */

/* Rule 2 may cost more than is asked for, rule 3 not; unless all are bound. */
static int one_for_four(gov_amount_t owns, bool all_rules)
{
	begin(1);
	team("asker", owns, GOV_UNLIMITED);
	team("b", 0, GOV_UNLIMITED);
	team("idle", 8 - owns, 0);
	policy->max_evict_ratio_all_rules = all_rules;
	start_engine(8);
	running(1, "b", 50, 4, 2);
	waiting(20, "asker", 50, 1, 1);
	decide();
	return evictions();
}

START_TEST(eviction_ratio_binds_shares_and_not_owners)
{
	ck_assert_int_eq(one_for_four(1, false), 1);
	finish();
	ck_assert_int_eq(one_for_four(0, false), 0);
	finish();
	ck_assert_int_eq(one_for_four(1, true), 0);
	finish();
}
END_TEST

/* Whoever was displaced takes nothing back from jobs of his own class. */
START_TEST(jobs_of_one_class_do_not_displace_each_other_in_a_circle)
{
	begin(1);
	team("a", 2, 0)->preempt_within_team = GOV_PREEMPT_ANY;
	start_engine(2);
	running(1, "a", 50, 2, 1);
	waiting(2, "a", 50, 2, 1);
	ck_assert_int_eq(come_to_rest(1), 1);
	ck_assert_int_eq(state(2), GOV_JOB_RUNNING);
	finish();
}
END_TEST

/* 1974 again, in order of coming: one own job and a loan, not two own jobs. */
START_TEST(borrows_rather_than_evict_two_of_its_own)
{
	begin(1);
	team("a", 10, GOV_UNLIMITED);
	team("b", 5, GOV_UNLIMITED);
	team("idle", 4, 0);
	policy->idle_sharing = GOV_FIRST_COME;
	start_engine(19);
	running(1, "a", 0, 1, 8);
	running(20, "b", 50, 1, 8);
	waiting(40, "a", 50, 4, 1);
	decide();
	ck_assert_int_eq(evictions(), 1);
	ck_assert_int_eq(in_state(20, 8, GOV_JOB_RUNNING), 8);
	finish();
}
END_TEST

/*
 * 14122: what is not the asker's by share at first is once jobs of its own
 * team have gone; then several of one team may go, not only one.
 */
START_TEST(own_victims_make_room_in_the_share)
{
	begin(1);
	team("a", 0, GOV_UNLIMITED);
	team("b", 0, GOV_UNLIMITED);
	team("idle", 12, 0);
	start_engine(12);
	running(1, "a", 0, 2, 1);
	running(10, "b", 50, 1, 10);
	waiting(20, "a", 100, 6, 1);
	ck_assert_int_eq(come_to_rest(5), 5);
	ck_assert_int_eq(state(20), GOV_JOB_RUNNING);
	ck_assert_uint_eq(view("b", GPU).usage, 6);
	finish();
}
END_TEST

/* 14543: own victims put back were the reason for another team's. */
START_TEST(nothing_is_put_back_that_made_the_rest_legal)
{
	begin(1);
	team("a", 0, GOV_UNLIMITED);
	team("b", 0, GOV_UNLIMITED);
	team("idle", 6, 0);
	start_engine(6);
	running(1, "a", 0, 1, 1);
	running(2, "b", 75, 5, 1);
	waiting(3, "a", 50, 4, 1);
	ck_assert_int_eq(come_to_rest(0), 0);
	ck_assert_int_eq(state(2), GOV_JOB_RUNNING);
	finish();
}
END_TEST

/* A displaced job takes back only what is its team's, whatever its class. */
START_TEST(displaced_job_takes_nothing_while_borrowing)
{
	struct gov_job j;

	begin(1);
	team("a", 1, GOV_UNLIMITED);
	team("b", 1, GOV_UNLIMITED);
	team("idle", 2, 0);
	policy->idle_sharing = GOV_FIRST_COME;
	policy->unit[0].preempt_while_borrowing = GOV_PREEMPT_LOWER;
	start_engine(4);
	running(1, "a", 50, 1, 1);
	running(2, "b", 0, 3, 1);
	j = job(10, "a", 100, 2);
	j.asker = 2; /* displaced by a job that runs by now */
	j.evictions = 1;
	put(j);
	decide();
	ck_assert_int_eq(evictions(), 0);
	j.asker = 0;
	put(j);
	decide();
	ck_assert_int_eq(evictions(), 1);
	finish();
}
END_TEST

/* Nor by share. */
START_TEST(displaced_job_takes_nothing_by_share)
{
	struct gov_job j;

	begin(1);
	team("a", 0, GOV_UNLIMITED);
	team("b", 0, GOV_UNLIMITED);
	team("idle", 8, 0);
	start_engine(8);
	running(1, "b", 50, 1, 8);
	j = job(20, "a", 50, 2);
	j.asker = 1;
	j.evictions = 1;
	put(j);
	decide();
	ck_assert_int_eq(evictions(), 0);
	j.asker = 0;
	put(j);
	decide();
	ck_assert_int_eq(evictions(), 2);
	finish();
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, nobody_dies_for_an_asker_with_a_ceiling);
	tcase_add_test(t, free_room_is_used_before_victims);
	tcase_add_test(t, small_victims_add_up);
	tcase_add_test(t, nothing_is_taken_for_what_is_free);
	tcase_add_test(t, fewest_of_the_own_team);
	tcase_add_test(t, full_cluster_is_no_reason_not_to_reclaim);
	tcase_add_test(t, blocked_job_does_not_hide_the_next);
	tcase_add_test(t, unrelated_hungry_team_does_not_stop_a_reclaim);
	tcase_add_test(t, department_over_its_quota_gives_back);
	tcase_add_test(t, two_owners_in_one_pass);
	tcase_add_test(t, tiny_share_is_taken_back);
	tcase_add_test(t, own_team_while_borrowing);
	tcase_add_test(t, owner_that_borrows_cpus_reclaims_its_gpus);
	tcase_add_test(t, own_quota_comes_before_shares);
	tcase_add_test(t, protected_jobs_are_no_candidates);
	tcase_add_test(t, borrowed_jobs_are_judged_as_a_set);
	tcase_add_test(t, siblings_within_quota_leave_each_other_alone);
	tcase_add_test(t, owner_gets_all_it_asks_for);
	tcase_add_test(t, eviction_ratio_binds_shares_and_not_owners);
	tcase_add_test(
		t, jobs_of_one_class_do_not_displace_each_other_in_a_circle);
	tcase_add_test(t, borrows_rather_than_evict_two_of_its_own);
	tcase_add_test(t, own_victims_make_room_in_the_share);
	tcase_add_test(t, nothing_is_put_back_that_made_the_rest_legal);
	tcase_add_test(t, displaced_job_takes_nothing_while_borrowing);
	tcase_add_test(t, displaced_job_takes_nothing_by_share);
}

int main(void)
{
	return unit_main("reports", add);
}
