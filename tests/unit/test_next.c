/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who goes next, at the door and in the queue. */
#include "tests/unit/small_cluster.h"

static struct gov_verdict submit(uint64_t id, const char *name, uint32_t class,
				 gov_amount_t amount)
{
	struct gov_job j = job(id, name, class, amount);
	struct gov_verdict verdict;
	struct gov_error error;

	ck_assert_int_eq(gov_engine_submit(engine, &j, now, &verdict, &error),
			 0);
	return verdict;
}

/* A new job does not take what was freed for those who wait. */
START_TEST(newcomer_does_not_overtake_at_the_door)
{
	begin(1);
	team("a", 0, GOV_UNLIMITED);
	team("b", 0, GOV_UNLIMITED);
	team("idle", 2, 0);
	policy->idle_sharing = GOV_FIRST_COME;
	start_engine(2);
	running(1, "a", 50, 2, 1);
	waiting(10, "b", 50, 2, 1);
	decide();
	gov_engine_remove(engine, 1);
	ck_assert(!submit(20, "a", 50, 1).admitted);
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	finish();
}
END_TEST

START_TEST(strict_queue_is_not_passed_at_the_door)
{
	begin(1);
	team("a", 4, 0)->queueing = GOV_STRICT;
	start_engine(4);
	running(1, "a", 50, 2, 1);
	waiting(10, "a", 50, 4, 1);
	decide();
	ck_assert(!submit(20, "a", 50, 1).admitted);
	/* But by a higher class. */
	ck_assert(submit(21, "a", 100, 1).admitted);
	finish();
}
END_TEST

/* The lowest share after admission, not before. */
START_TEST(share_after_admission_decides)
{
	begin(1);
	team("a", 0, GOV_UNLIMITED);
	team("b", 0, GOV_UNLIMITED);
	team("idle", 8, 0);
	start_engine(8);
	running(1, "a", 50, 1, 1);
	running(2, "b", 50, 2, 1);
	running(3, "idle", 50, 1, 1);
	waiting(10, "a", 50, 4, 1);
	waiting(20, "b", 50, 1, 1);
	decide();
	ck_assert_int_eq(list.item[0].kind, GOV_ADMIT);
	ck_assert_uint_eq(list.item[0].job, 20);
	finish();
}
END_TEST

/* The most that a class allows a job. */
START_TEST(class_limits_a_job)
{
	begin(1);
	team("a", 8, 0);
	policy->class[1].max_per_job = calloc(1, sizeof(gov_amount_t));
	policy->class[1].max_per_job[0] = 4;
	start_engine(8);
	ck_assert(submit(1, "a", 50, 5).never);
	ck_assert(submit(2, "a", 50, 4).admitted);
	ck_assert(submit(3, "a", 75, 4).admitted);
	finish();
}
END_TEST

/* What is not seen in Slurm yet displaces nobody. */
START_TEST(provisional_job_displaces_nobody)
{
	struct gov_job j;

	begin(1);
	team("owner", 4, 0);
	team("b", 0, GOV_UNLIMITED);
	start_engine(4);
	running(1, "b", 50, 1, 4);
	j = job(10, "owner", 50, 2);
	j.provisional = true;
	put(j);
	decide();
	ck_assert_int_eq(evictions(), 0);
	j.provisional = false;
	put(j);
	decide();
	ck_assert_int_eq(evictions(), 2);
	finish();
}
END_TEST

/*
 * A unit that uses less can host what one of its teams asks, although less
 * than that has become free: the rest is taken back from whoever borrows.
 */
START_TEST(fallen_usage_of_a_unit_wakes_its_teams)
{
	uint32_t upper;

	begin(1);
	upper = department("upper", 4);
	team("u1", 0, GOV_UNLIMITED)->parent = upper;
	team("u2", 0, GOV_UNLIMITED)->parent = upper;
	team("b", 0, GOV_UNLIMITED);
	team("idle", 4, 0);
	policy->idle_sharing = GOV_FIRST_COME;
	start_engine(8);
	running(1, "u1", 50, 1, 1);
	running(2, "u1", 50, 2, 1);
	running(3, "b", 50, 1, 5);
	waiting(20, "u2", 50, 3, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	gov_engine_remove(engine, 2);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	ck_assert_int_eq(evictions(), 1);
	finish();
}
END_TEST

/*
 * First come: a lender that the first one has used up moves those who counted
 * on it behind older ones.
 */
START_TEST(level_moves_with_what_the_first_was_given)
{
	uint32_t upper;

	begin(1);
	upper = department("upper", 4);
	team("t1", 0, GOV_UNLIMITED)->parent = upper;
	team("t2", 0, GOV_UNLIMITED)->parent = upper;
	team("t3", 0, GOV_UNLIMITED);
	team("idle", 3, 0);
	policy->idle_sharing = GOV_FIRST_COME;
	start_engine(7);
	waiting(10, "t1", 50, 3, 1);
	waiting(30, "t3", 50, 3, 1);
	waiting(20, "t2", 50, 3, 1);
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(30), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	finish();
}
END_TEST

/* Two that wait for each other, as somebody may have written: one goes. */
/* Who has just been given what others left for it keeps that until it starts,
 * from everybody but an owner. */
START_TEST(what_was_freed_is_its_askers_until_that_starts)
{
	struct gov_job j;

	begin(1);
	team("a", 0, GOV_UNLIMITED);
	team("idle", 4, 0);
	start_engine(4);
	running(1, "a", 0, 4, 1);
	waiting(10, "a", 50, 4, 1);
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_CLAIMING);
	waiting(20, "a", 100, 4, 1);
	let_leave();
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	/* Told once more, as the job list does, and under a new policy. */
	j = *gov_engine_job(engine, 10);
	j.submitted--;
	put(j);
	ck_assert_int_eq(gov_engine_set_policy(engine, policy, NULL), 0);
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	if (_i) {
		/* It does not start: not for ever. */
		ck_assert_int_le(gov_engine_next(engine, now), now + 60);
		now += 60;
		decide();
		ck_assert_int_eq(state(10), GOV_JOB_WAITING);
		ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	} else {
		waiting(30, "idle", 0, 4, 1);
		decide();
		ck_assert_int_eq(state(10), GOV_JOB_WAITING);
		ck_assert_int_eq(state(30), GOV_JOB_ADMITTED);
	}
	finish();
}
END_TEST

START_TEST(circle_of_waiting_jobs_is_broken)
{
	struct gov_job j;

	begin(1);
	team("a", 4, 0);
	start_engine(4);
	for (uint64_t id = 10; id <= 11; id++) {
		j = job(id, "a", 50, 2);
		j.asker = 21 - id;
		put(j);
	}
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(11), GOV_JOB_WAITING);
	run(10);
	decide();
	ck_assert_int_eq(state(11), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

/* Who had to give way takes nothing by fair share before it has run again. */
START_TEST(displaced_job_displaces_nobody_by_share)
{
	begin(1);
	team("a", 4, 0);
	team("b", 0, GOV_UNLIMITED);
	team("c", 0, GOV_UNLIMITED);
	team("idle", 8, 0);
	start_engine(12);
	running(1, "idle", 50, 8, 1);
	waiting(20, "b", 50, 4, 1);
	decide();
	waiting(10, "a", 50, 4, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	run(10);
	gov_engine_remove(engine, 1);
	running(30, "c", 50, 1, 8);
	decide();
	ck_assert_int_eq(evictions(), 0);
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	/* Another one of the same team may. */
	waiting(21, "b", 50, 4, 1);
	decide();
	ck_assert_int_eq(state(21), GOV_JOB_CLAIMING);
	ck_assert_int_eq(evictions(), 4);
	finish();
}
END_TEST

/* Not even as a part of a request. */
START_TEST(request_of_nothing_is_refused)
{
	struct gov_error error;
	struct gov_verdict verdict;
	struct gov_job j;

	begin(2);
	team("a", 4, 0);
	start_engine(4);
	j = job(10, "a", 50, 2);
	j.request.count = 2;
	j.request.item[1].cell = CPU;
	j.request.item[1].amount = 0;
	ck_assert_int_eq(gov_engine_put(engine, &j, &error), -1);
	ck_assert_int_eq(gov_engine_submit(engine, &j, now, &verdict, &error),
			 -1);
	ck_assert_int_eq(state(10), -1);
	j.request.item[1].amount = 1;
	ck_assert_int_eq(gov_engine_put(engine, &j, &error), 0);
	finish();
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, newcomer_does_not_overtake_at_the_door);
	tcase_add_test(t, strict_queue_is_not_passed_at_the_door);
	tcase_add_test(t, share_after_admission_decides);
	tcase_add_test(t, class_limits_a_job);
	tcase_add_test(t, provisional_job_displaces_nobody);
	tcase_add_test(t, fallen_usage_of_a_unit_wakes_its_teams);
	tcase_add_test(t, level_moves_with_what_the_first_was_given);
	tcase_add_loop_test(t, what_was_freed_is_its_askers_until_that_starts,
			    0, 2);
	tcase_add_test(t, circle_of_waiting_jobs_is_broken);
	tcase_add_test(t, displaced_job_displaces_nobody_by_share);
	tcase_add_test(t, request_of_nothing_is_refused);
}

int main(void)
{
	return unit_main("next", add);
}
