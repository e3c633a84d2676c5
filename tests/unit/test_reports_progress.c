/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults that users of comparable systems reported, one test for each kind:
 * progress, order, accounting.  Victims: see test_reports.c.
 * In front of a test: where it was reported (V Volcano, K KAI, Y YuniKorn,
 * H YARN, P OpenPBS, S Slurm, R Spur, otherwise Kueue).
 */
#include "tests/unit/small_cluster.h"

/* ---- ping-pong ---- */

/* V 377: 12 CPUs, 24 jobs of one; equal shares, equal classes. */
START_TEST(equal_share_evicts_nobody)
{
	begin(1);
	team("a", 6, GOV_UNLIMITED);
	team("b", 6, GOV_UNLIMITED);
	start_engine(12);
	waiting(1, "a", 50, 1, 12);
	waiting(101, "b", 50, 1, 12);
	ck_assert_int_eq(come_to_rest(0), 0);
	ck_assert_uint_eq(view("a", GPU).usage, 6);
	ck_assert_uint_eq(view("b", GPU).usage, 6);
	finish();
}
END_TEST

/* 7101: 8 free units of nobody, 0:8 must become 4:4 at once. */
START_TEST(fair_share_evicts_in_one_round)
{
	begin(1);
	team("bank", 8, GOV_UNLIMITED);
	team("a", 0, GOV_UNLIMITED);
	team("b", 0, GOV_UNLIMITED);
	start_engine(8);
	running(1, "a", 50, 2, 4);
	waiting(10, "b", 50, 6, 1);
	waiting(11, "b", 50, 5, 1);
	waiting(12, "b", 50, 4, 1);
	ck_assert_int_eq(come_to_rest(8), 2);
	ck_assert_uint_eq(view("a", GPU).usage, 4);
	ck_assert_uint_eq(view("b", GPU).usage, 4);
	finish();
}
END_TEST

/* 3779: a borrower must not evict another that will come back before it. */
START_TEST(borrower_does_not_evict_what_returns)
{
	begin(1);
	team("a", 150, GOV_UNLIMITED);
	team("b", 150, GOV_UNLIMITED);
	team("best-effort", 0, GOV_UNLIMITED);
	policy->unit[0].preempt_while_borrowing = GOV_PREEMPT_LOWER;
	start_engine(300);
	running(1, "a", 50, 250, 1);
	running(2, "best-effort", 0, 50, 1);
	waiting(3, "a", 50, 50, 1);
	come_to_rest(4);
	finish();
}
END_TEST

/* 13662: one victim leaves before the other and has room by itself. */
START_TEST(victims_that_leave_at_different_times)
{
	struct gov_job j;

	begin(1);
	team("owner", 4, GOV_UNLIMITED);
	team("a", 1, GOV_UNLIMITED);
	team("b", 1, GOV_UNLIMITED);
	start_engine(6);
	running(1, "a", 50, 3, 1);
	running(2, "b", 50, 3, 1);
	waiting(3, "owner", 50, 4, 1);
	decide();
	ck_assert_int_eq(state(1), GOV_JOB_RECLAIMING);
	ck_assert_int_eq(state(2), GOV_JOB_RECLAIMING);
	j = *gov_engine_job(engine, 1);
	j.state = GOV_JOB_WAITING; /* gone early; asks for 3 again */
	j.started = 0;
	put(j);
	decide();
	ck_assert_int_eq(state(1), GOV_JOB_WAITING);
	ck_assert_int_eq(state(3), GOV_JOB_CLAIMING);
	let_leave();
	ck_assert_int_eq(state(3), GOV_JOB_ADMITTED);
	come_to_rest(0);
	finish();
}
END_TEST

/* ---- unset, zero, unlimited ---- */

/* Y 1951: a team without a guarantee triggers nothing, and is no victim of
 * rule 2 as long as it holds nothing. */
START_TEST(team_without_quota_takes_nothing_back)
{
	begin(1);
	team("a", 8, GOV_UNLIMITED);
	team("b", 0, GOV_UNLIMITED);
	policy->idle_sharing = GOV_FIRST_COME;
	start_engine(8);
	running(1, "a", 50, 1, 8);
	waiting(20, "b", 100, 2, 1);
	decide();
	ck_assert_int_eq(evictions(), 0);
	finish();
}
END_TEST

/* S 13013: a limit that is used up blocks only what asks for that TRES. */
START_TEST(full_tres_blocks_only_who_asks_for_it)
{
	begin(2);
	team("a", 4, 0);
	start_engine(4);
	gov_engine_set_capacity(engine, CPU, 48);
	running(1, "a", 50, 4, 1);
	waiting_for(20, "a", 50, 0, 8);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

/* ---- arithmetic and accounting ---- */

/* 9843: amounts near 2^63 and 2^64 neither wrap nor pass. */
START_TEST(huge_requests_do_not_wrap)
{
	struct gov_verdict verdict;
	struct gov_error error;
	struct gov_job j;

	begin(1);
	team("a", 8, GOV_UNLIMITED);
	team("b", 8, GOV_UNLIMITED);
	start_engine(16);
	j = job(1, "a", 50, UINT64_C(1) << 63);
	ck_assert_int_eq(gov_engine_submit(engine, &j, now, &verdict, &error),
			 0);
	ck_assert(verdict.never);
	ck_assert(!verdict.admitted);
	j = job(2, "a", 50, GOV_AMOUNT_MAX);
	ck_assert_int_eq(gov_engine_submit(engine, &j, now, &verdict, &error),
			 0);
	ck_assert(verdict.never);
	/* Facts whose sum does not fit are refused, and change nothing. */
	running(3, "a", 50, GOV_AMOUNT_MAX / 2, 2);
	j = job(5, "a", 50, GOV_AMOUNT_MAX / 2);
	j.state = GOV_JOB_RUNNING;
	ck_assert_int_eq(gov_engine_put(engine, &j, &error), -1);
	ck_assert_uint_eq(view("a", GPU).usage, GOV_AMOUNT_MAX / 2 * 2);
	finish();
}
END_TEST

/* 2678, 12545: what jobs hold is counted whatever becomes of the policy. */
START_TEST(usage_survives_a_changed_policy)
{
	struct gov_policy *old;
	struct gov_error error;

	begin(1);
	team("a", 4, GOV_UNLIMITED);
	team("b", 4, GOV_UNLIMITED);
	start_engine(8);
	running(1, "a", 50, 6, 1);
	old = policy;
	begin(1);
	team("b", 4, GOV_UNLIMITED); /* a is gone */
	ck_assert_int_eq(gov_policy_finish(policy, &error), 0);
	ck_assert_int_eq(gov_engine_set_policy(engine, policy, &error), 0);
	gov_policy_unref(old);
	gov_engine_set_capacity(engine, GPU, 8);
	waiting(10, "b", 50, 3, 1);
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_WAITING);
	ck_assert(gov_engine_remove(engine, 1));
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

/* S 19308: a second start on the same jobs gives the same sums. */
START_TEST(restart_counts_the_same)
{
	struct gov_engine *first;
	struct gov_error error;

	begin(1);
	team("a", 4, GOV_UNLIMITED);
	team("b", 4, GOV_UNLIMITED);
	start_engine(8);
	running(1, "a", 50, 1, 6);
	waiting(20, "b", 50, 4, 1);
	decide();
	ck_assert_int_eq(evictions(), 2);
	first = engine;
	engine = gov_engine_create(policy, &error);
	gov_engine_set_capacity(engine, GPU, 8);
	for (uint64_t id = 1; id <= 20; id++)
		if (gov_engine_job(first, id))
			put(*gov_engine_job(first, id));
	ck_assert_uint_eq(view("a", GPU).usage, 4);
	ck_assert_uint_eq(view("a", GPU).leaving, 2);
	ck_assert_uint_eq(view("b", GPU).usage, 4);
	decide();
	ck_assert_uint_eq(list.count, 0);
	gov_engine_destroy(first);
	finish();
}
END_TEST

/* P 327: the choice does not depend on the second in which jobs started. */
START_TEST(equal_victims_end_in_the_id)
{
	begin(1);
	team("a", 4, GOV_UNLIMITED);
	team("b", 0, GOV_UNLIMITED);
	start_engine(4);
	for (uint64_t id = 4; id >= 1; id--) {
		struct gov_job j = job(id, "b", 50, 1);

		j.submitted = 500;
		j.state = GOV_JOB_RUNNING;
		j.started = 600;
		put(j);
	}
	waiting(20, "a", 50, 2, 1);
	decide();
	ck_assert_int_eq(state(4), GOV_JOB_RECLAIMING);
	ck_assert_int_eq(state(3), GOV_JOB_RECLAIMING);
	ck_assert_int_eq(state(2), GOV_JOB_RUNNING);
	finish();
}
END_TEST

/* ---- order ---- */

/* 13320: the biggest job is not last for ever. */
START_TEST(big_owner_is_not_passed_for_ever)
{
	begin(1);
	team("a", 6, GOV_UNLIMITED);
	team("b", 2, GOV_UNLIMITED);
	start_engine(8);
	running(1, "b", 50, 1, 8);
	waiting(20, "a", 50, 6, 1);
	waiting(30, "b", 100, 1, 4);
	come_to_rest(20);
	ck_assert_int_eq(state(20), GOV_JOB_RUNNING);
	finish();
}
END_TEST

/* 4809: who can always reclaim lends; who cannot keeps what it is owed. */
static void blocked_head(enum gov_preempt reclaim)
{
	begin(1);
	team("owner", 8, 0)->reclaim = reclaim;
	team("other", 0, GOV_UNLIMITED);
	start_engine(8);
	running(1, "owner", 50, 4, 1);
	waiting(20, "owner", 50, 8, 1); /* blocked by its own job */
	waiting(30, "other", 50, 4, 1);
	decide();
}

START_TEST(blocked_head_that_cannot_reclaim_keeps_its_own)
{
	blocked_head(GOV_PREEMPT_ANY);
	ck_assert_int_eq(state(30), GOV_JOB_ADMITTED);
	finish();
	blocked_head(GOV_PREEMPT_NEVER);
	ck_assert_int_eq(state(30), GOV_JOB_WAITING);
	ck_assert(explained(30, GOV_LIMIT_HELD));
	finish();
}
END_TEST

/* 8309: a strict queue is strict, a best-effort one is not. */
static void strict_queue(enum gov_queueing queueing)
{
	begin(1);
	team("a", 4, 0)->queueing = queueing;
	start_engine(4);
	running(1, "a", 50, 2, 1);
	waiting(20, "a", 50, 4, 1);
	waiting(21, "a", 50, 1, 1);
	decide();
}

START_TEST(strict_and_best_effort)
{
	strict_queue(GOV_STRICT);
	ck_assert_int_eq(state(21), GOV_JOB_WAITING);
	ck_assert(explained(21, GOV_LIMIT_ORDER));
	finish();
	strict_queue(GOV_BEST_EFFORT);
	ck_assert_int_eq(state(21), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

/* Over-committed parent: a guarantee that is never lent is still there. */
START_TEST(overcommitted_parent_eats_no_guarantee)
{
	begin(1);
	team("a", 10, 0);
	policy->unit[0].quota[0].lend_limit = 0;
	team("b", 10, GOV_UNLIMITED);
	policy->capacity_clamp = false;
	start_engine(GOV_UNLIMITED);
	running(1, "b", 50, 31, 1);
	waiting(20, "a", 50, 10, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

/* ---- later additions: what else was reported of these kinds ---- */

/* V 394, P 1217: who was told to leave is still there. */
START_TEST(job_in_its_grace_still_holds_what_it_holds)
{
	begin(1);
	team("owner", 4, 0);
	team("b", 0, GOV_UNLIMITED);
	start_engine(4);
	running(1, "b", 50, 4, 1);
	waiting(10, "owner", 50, 4, 1);
	decide();
	ck_assert_int_eq(state(1), GOV_JOB_RECLAIMING);
	ck_assert_int_eq(state(10), GOV_JOB_CLAIMING);
	now += 59;
	decide();
	ck_assert_uint_eq(list.count, 0);
	ck_assert_uint_eq(view(NULL, GPU).free, 0);
	now++;
	decide();
	ck_assert_uint_eq(list.count, 1);
	ck_assert_int_eq(list.item[0].kind, GOV_STOP);
	ck_assert_int_eq(state(10), GOV_JOB_CLAIMING);
	gov_engine_remove(engine, 1);
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

/* K 2064, K 1833: in-quota work is safe from in-quota work of any class. */
START_TEST(class_takes_nothing_that_another_team_owns)
{
	begin(1);
	team("a", 4, 0);
	team("b", 4, 0);
	start_engine(6); /* two are down */
	running(1, "a", 0, 1, 4);
	running(5, "b", 0, 1, 2);
	waiting(20, "b", 100, 2, 1);
	decide();
	/* Its own lower class gives way, nobody of a. */
	ck_assert_int_eq(in_state(1, 4, GOV_JOB_RUNNING), 4);
	ck_assert_int_eq(in_state(5, 2, GOV_JOB_RECLAIMING), 2);
	finish();
}
END_TEST

/* K 1934: surplus is taken back by share under FairShare, not otherwise. */
static int recalled_surplus(enum gov_idle_sharing sharing)
{
	begin(1);
	team("a", 1, GOV_UNLIMITED);
	team("b", 1, GOV_UNLIMITED);
	team("idle", 6, 0);
	policy->idle_sharing = sharing;
	start_engine(8);
	running(1, "a", 50, 1, 8);
	waiting(20, "b", 50, 1, 8);
	return come_to_rest(8);
}

START_TEST(late_team_gets_its_part_of_the_surplus_by_share)
{
	ck_assert_int_eq(recalled_surplus(GOV_FAIR_SHARE), 4);
	ck_assert_uint_eq(view("b", GPU).usage, 4);
	finish();
	ck_assert_int_eq(recalled_surplus(GOV_FIRST_COME), 1);
	ck_assert_uint_eq(view("b", GPU).usage, 1);
	finish();
}
END_TEST

/* dmtolpeko: the same task killed again and again after 30 s of work. */
START_TEST(evicted_job_is_left_alone_for_longer_each_time)
{
	struct gov_job j;

	begin(1);
	team("a", 4, 0);
	policy->terms.min_runtime = 900;
	start_engine(4);
	j = job(1, "a", 0, 4);
	j.state = GOV_JOB_RUNNING;
	j.started = now;
	j.evictions = 2; /* four times as long */
	put(j);
	waiting(20, "a", 100, 4, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	ck_assert_int_eq(gov_engine_next(engine, now), j.started + 3600);
	now = j.started + 3599;
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	now++;
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	finish();
}
END_TEST

/* Four hours are the most that it is left alone. */
START_TEST(backoff_ends_after_four_hours)
{
	struct gov_job j;

	begin(1);
	team("a", 4, 0);
	policy->terms.min_runtime = 9000;
	start_engine(4);
	j = job(1, "a", 0, 4);
	j.state = GOV_JOB_RUNNING;
	j.started = now;
	j.evictions = 3;
	put(j);
	waiting(20, "a", 100, 4, 1);
	decide();
	ck_assert_int_eq(gov_engine_next(engine, now), j.started + 14400);
	finish();
}
END_TEST

/* P 1058: times near the end of time do not wrap. */
START_TEST(times_do_not_wrap)
{
	begin(1);
	team("owner", 4, 0);
	team("b", 0, GOV_UNLIMITED);
	policy->terms.grace = INT64_MAX;
	start_engine(4);
	running(1, "b", 50, 4, 1);
	waiting(10, "owner", 50, 4, 1);
	decide();
	ck_assert_int_eq(list.item[0].deadline, INT64_MAX);
	ck_assert_int_eq(state(1), GOV_JOB_RECLAIMING);
	decide();
	ck_assert_uint_eq(list.count, 0);
	finish();
}
END_TEST

/* R 883: what can never be placed is charged to nobody. */
START_TEST(job_that_never_fits_charges_nothing)
{
	struct gov_verdict verdict;
	struct gov_error error;
	struct gov_job j;

	begin(1);
	team("a", 4, 0);
	start_engine(8);
	j = job(1, "a", 50, 5);
	ck_assert_int_eq(gov_engine_submit(engine, &j, now, &verdict, &error),
			 0);
	ck_assert(verdict.never);
	ck_assert_int_eq(state(1), -1);
	/* Found in the queue all the same, it is in nobody's way. */
	waiting(2, "a", 50, 5, 1);
	waiting(3, "a", 50, 4, 1);
	decide();
	ck_assert_uint_eq(view("a", GPU).usage, 4);
	ck_assert_int_eq(state(3), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

/* 14609, 3108: what is charged is what the job holds now. */
START_TEST(charge_follows_the_allocation)
{
	struct gov_job j;

	begin(1);
	team("a", 48, 0);
	start_engine(48);
	j = job(1, "a", 50, 48);
	j.state = GOV_JOB_RUNNING;
	put(j);
	j.request.item[0].amount = 16; /* two of three tasks have ended */
	put(j);
	ck_assert_uint_eq(view("a", GPU).usage, 16);
	waiting(2, "a", 50, 32, 1);
	decide();
	ck_assert_int_eq(state(2), GOV_JOB_ADMITTED);
	gov_engine_remove(engine, 2);
	j.state = GOV_JOB_WAITING; /* requeued: all three again */
	j.request.item[0].amount = 48;
	put(j);
	ck_assert_uint_eq(view("a", GPU).usage, 0);
	decide();
	ck_assert_uint_eq(view("a", GPU).usage, 48);
	finish();
}
END_TEST

/* F 632: a unit's usage is the sum of its teams', on every level. */
START_TEST(usage_of_units_is_the_sum_of_their_teams)
{
	uint32_t top, inner;

	begin(1);
	top = department("top", 0);
	inner = department("inner", 0);
	policy->unit[inner].parent = top;
	team("a", 4, GOV_UNLIMITED)->parent = inner;
	team("b", 4, GOV_UNLIMITED)->parent = inner;
	team("c", 4, GOV_UNLIMITED)->parent = top;
	start_engine(12);
	running(1, "a", 50, 6, 1);
	running(2, "b", 50, 1, 1);
	running(3, "c", 50, 4, 1);
	ck_assert_uint_eq(view("inner", GPU).usage, 7);
	ck_assert_uint_eq(view("top", GPU).usage, 11);
	ck_assert_uint_eq(view(NULL, GPU).usage, 11);
	gov_engine_remove(engine, 1);
	ck_assert_uint_eq(view("inner", GPU).usage, 1);
	ck_assert_uint_eq(view("top", GPU).usage, 5);
	finish();
}
END_TEST

/* 9715: thousands of parked jobs hide none that can run. */
START_TEST(parked_jobs_hide_nobody)
{
	begin(2);
	team("a", 4, 0);
	team("b", 4, 0);
	start_engine(8);
	gov_engine_set_capacity(engine, CPU, 96);
	running(1, "a", 50, 4, 1);
	for (uint64_t id = 100; id < 10100; id++)
		waiting_for(id, "a", 50, 1 + id % 4, 1 + id % 7);
	waiting_for(20000, "a", 0, 0, 4);
	decide();
	ck_assert_uint_eq(list.count, 1);
	ck_assert_int_eq(state(20000), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

/* 10171: a job that lies on both sides of the line goes as a whole. */
START_TEST(job_across_the_quota_goes_whole_and_no_other_with_it)
{
	begin(1);
	team("owner", 5, 0);
	team("b", 10, GOV_UNLIMITED);
	start_engine(15);
	running(1, "b", 50, 2, 1);
	running(2, "b", 50, 6, 1);
	running(3, "b", 50, 5, 1); /* youngest, 13 of 10 */
	waiting(20, "owner", 50, 4, 1);
	decide();
	ck_assert_int_eq(evictions(), 1);
	ck_assert_int_eq(state(3), GOV_JOB_RECLAIMING);
	finish();
}
END_TEST

/* What a team never lends it uses first; only the rest is asked above. */
START_TEST(borrowing_level_counts_what_is_left_of_the_own)
{
	struct gov_verdict verdict;
	struct gov_error error;
	struct gov_job j;
	uint32_t upper;

	begin(1);
	upper = department("upper", 4);
	team("a", 6, GOV_UNLIMITED)->parent = upper;
	limit_tres("a", GPU, 6, GOV_UNLIMITED);
	policy->unit[gov_policy_find_unit(policy, "a")].quota[GPU].lend_limit =
		2;
	team("b", 4, 0);
	start_engine(14);
	running(1, "a", 50, 3, 1);
	j = job(2, "a", 50, 7);
	ck_assert_int_eq(gov_engine_test(engine, &j, now, &verdict, &error), 0);
	ck_assert(verdict.admitted && verdict.borrowing);
	ck_assert_uint_eq(verdict.borrow_level, 1);
	finish();
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, equal_share_evicts_nobody);
	tcase_add_test(t, fair_share_evicts_in_one_round);
	tcase_add_test(t, borrower_does_not_evict_what_returns);
	tcase_add_test(t, victims_that_leave_at_different_times);
	tcase_add_test(t, team_without_quota_takes_nothing_back);
	tcase_add_test(t, full_tres_blocks_only_who_asks_for_it);
	tcase_add_test(t, huge_requests_do_not_wrap);
	tcase_add_test(t, usage_survives_a_changed_policy);
	tcase_add_test(t, restart_counts_the_same);
	tcase_add_test(t, equal_victims_end_in_the_id);
	tcase_add_test(t, big_owner_is_not_passed_for_ever);
	tcase_add_test(t, blocked_head_that_cannot_reclaim_keeps_its_own);
	tcase_add_test(t, strict_and_best_effort);
	tcase_add_test(t, overcommitted_parent_eats_no_guarantee);
	tcase_add_test(t, job_in_its_grace_still_holds_what_it_holds);
	tcase_add_test(t, class_takes_nothing_that_another_team_owns);
	tcase_add_test(t, late_team_gets_its_part_of_the_surplus_by_share);
	tcase_add_test(t, evicted_job_is_left_alone_for_longer_each_time);
	tcase_add_test(t, backoff_ends_after_four_hours);
	tcase_add_test(t, times_do_not_wrap);
	tcase_add_test(t, job_that_never_fits_charges_nothing);
	tcase_add_test(t, charge_follows_the_allocation);
	tcase_add_test(t, usage_of_units_is_the_sum_of_their_teams);
	tcase_add_test(t, parked_jobs_hide_nobody);
	tcase_add_test(t, job_across_the_quota_goes_whole_and_no_other_with_it);
	tcase_add_test(t, borrowing_level_counts_what_is_left_of_the_own);
}

int main(void)
{
	return unit_main("reports_progress", add);
}
