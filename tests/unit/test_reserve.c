/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a blocked head of a queue keeps, and from whom. */
#include "tests/unit/small_cluster.h"

/*
 * Of `capacity` GPUs: owner's quota of 4 is used up to 1 by itself, it may not
 * take back anything, and its head asks for 3.  A borrower without an end has
 * so much that `left` are free.
 */
static void blocked_owner(gov_amount_t capacity, gov_amount_t left)
{
	begin(1);
	team("owner", 4, 0)->reclaim = GOV_PREEMPT_NEVER;
	team("other", 4, GOV_UNLIMITED)->reclaim = GOV_PREEMPT_NEVER;
	team("third", 4, GOV_UNLIMITED);
	start_engine(capacity);
	running(1, "owner", 50, 1, 1);
	running(2, "third", 50, capacity - 1 - left, 1);
	waiting(10, "owner", 50, 3, 1);
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_WAITING);
}

/* What it asks is there for all who stay inside what they own. */
START_TEST(job_inside_its_quota_passes_a_blocked_head_of_another_team)
{
	blocked_owner(12, 2);
	waiting(20, "other", 50, 2, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(10), GOV_JOB_WAITING);
	finish();
}
END_TEST

/* Also at the door. */
START_TEST(verdict_inside_its_quota_passes_too)
{
	struct gov_verdict verdict;
	struct gov_error error;
	struct gov_job j;

	blocked_owner(12, 2);
	j = job(20, "other", 50, 2);
	ck_assert_int_eq(gov_engine_submit(engine, &j, now, &verdict, &error),
			 0);
	ck_assert(verdict.admitted);
	ck_assert(!verdict.borrowing);
	finish();
}
END_TEST

START_TEST(borrower_does_not_pass_a_blocked_head)
{
	struct gov_verdict verdict;
	struct gov_error error;
	struct gov_job j;

	blocked_owner(12, 2);
	waiting(20, "third", 50, 1, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	ck_assert(explained(20, GOV_LIMIT_HELD));
	j = job(21, "third", 50, 1);
	ck_assert_int_eq(gov_engine_submit(engine, &j, now, &verdict, &error),
			 0);
	ck_assert(!verdict.admitted);
	finish();
}
END_TEST

/* A job that is only partly inside its quota borrows. */
START_TEST(job_that_would_borrow_a_part_does_not_pass)
{
	blocked_owner(12, 2);
	running(5, "other", 50, 3, 1);
	gov_engine_set_capacity(engine, GPU, 15); /* 2 free again */
	decide();
	waiting(20, "other", 50, 2, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	finish();
}
END_TEST

/* With nodes down there is not enough for all who own: in order. */
START_TEST(in_an_oversold_pool_the_head_that_was_first_keeps_its_own)
{
	blocked_owner(11, 2); /* quotas: 12 */
	waiting(20, "other", 50, 2, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	finish();
}
END_TEST

/* The head gets its own as soon as the borrower is gone, whoever passed. */
START_TEST(blocked_head_is_served_when_the_borrower_ends)
{
	blocked_owner(12, 2);
	waiting(20, "other", 50, 2, 1);
	waiting(21, "other", 50, 2, 1);
	waiting(22, "other", 50, 2, 1);
	decide();
	gov_engine_remove(engine, 2);
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(21), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

/* A unit's quota is what its teams own together. */
START_TEST(inside_the_quota_of_its_unit_is_inside)
{
	uint32_t unit;

	begin(1);
	unit = department("unit", 4);
	team("owner", 4, 0)->reclaim = GOV_PREEMPT_NEVER;
	team("inner", 0, GOV_UNLIMITED)->parent = unit;
	team("third", 4, GOV_UNLIMITED);
	start_engine(12);
	running(1, "owner", 50, 1, 1);
	running(2, "third", 50, 9, 1);
	waiting(10, "owner", 50, 3, 1);
	decide();
	waiting(20, "inner", 50, 2, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

/* At most what is its own: the rest is nobody's, and lent. */
START_TEST(head_keeps_no_more_than_it_owns)
{
	begin(1);
	team("owner", 4, GOV_UNLIMITED)->reclaim = GOV_PREEMPT_NEVER;
	team("third", 6, GOV_UNLIMITED);
	team("idle", 2, 0);
	policy->idle_sharing = GOV_FIRST_COME;
	start_engine(12);
	running(2, "third", 50, 2, 1);
	waiting(10, "owner", 50, 11, 1);
	decide();
	waiting(20, "third", 50, 4, 1);
	waiting(21, "third", 50, 2, 1);
	waiting(22, "third", 50, 1, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(21), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(22), GOV_JOB_WAITING);
	finish();
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(
		t, job_inside_its_quota_passes_a_blocked_head_of_another_team);
	tcase_add_test(t, verdict_inside_its_quota_passes_too);
	tcase_add_test(t, borrower_does_not_pass_a_blocked_head);
	tcase_add_test(t, job_that_would_borrow_a_part_does_not_pass);
	tcase_add_test(
		t, in_an_oversold_pool_the_head_that_was_first_keeps_its_own);
	tcase_add_test(t, blocked_head_is_served_when_the_borrower_ends);
	tcase_add_test(t, inside_the_quota_of_its_unit_is_inside);
	tcase_add_test(t, head_keeps_no_more_than_it_owns);
}

int main(void)
{
	return unit_main("reserve", add);
}
