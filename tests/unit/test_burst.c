/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A burst of an owner's jobs: what is leaving is counted once, and all of the
 * owner's own is taken back in one grace.
 */
#include "tests/unit/small_cluster.h"

static void owner_and_borrower(int loans, gov_amount_t each)
{
	begin(1);
	team("owner", 16, GOV_UNLIMITED);
	team("borrower", 0, GOV_UNLIMITED);
	start_engine(16);
	running(1, "borrower", 50, each, loans);
}

/* The victim of one asker by its id has left. */
static void leaves(uint64_t id)
{
	struct gov_job j = *gov_engine_job(engine, id);

	ck_assert_int_eq(j.state, GOV_JOB_RECLAIMING);
	j.state = GOV_JOB_WAITING;
	j.started = j.deadline = 0;
	put(j);
	decide();
}

START_TEST(all_is_taken_back_at_once)
{
	owner_and_borrower(4, 4);
	waiting(100, "owner", 50, 1, 16);
	decide();
	ck_assert_int_eq(evictions(), 4);
	ck_assert_int_eq(in_state(1, 4, GOV_JOB_RECLAIMING), 4);
	ck_assert_int_eq(in_state(100, 16, GOV_JOB_CLAIMING), 16);
	let_leave();
	ck_assert_int_eq(in_state(100, 16, GOV_JOB_ADMITTED), 16);
	ck_assert_int_eq(in_state(1, 4, GOV_JOB_WAITING), 4);
	finish();
}
END_TEST

/* Jobs that come during the grace. */
START_TEST(latecomers_take_the_rest_then_their_own)
{
	owner_and_borrower(4, 4);
	waiting(100, "owner", 50, 1, 1);
	decide();
	ck_assert_int_eq(evictions(), 1);
	now += 10;
	waiting(101, "owner", 50, 1, 3);
	decide();
	ck_assert_int_eq(evictions(), 0);
	ck_assert_int_eq(in_state(101, 3, GOV_JOB_CLAIMING), 3);
	now += 10;
	waiting(104, "owner", 50, 1, 1);
	decide();
	ck_assert_int_eq(evictions(), 1);
	ck_assert_int_eq(state(104), GOV_JOB_CLAIMING);
	finish();
}
END_TEST

START_TEST(they_start_as_room_arrives)
{
	owner_and_borrower(2, 8);
	waiting(100, "owner", 50, 2, 1); /* and leaves 6 of job 1 or 2 */
	decide();
	waiting(101, "owner", 50, 4, 1);
	waiting(102, "owner", 50, 2, 1);
	waiting(103, "owner", 50, 4, 1); /* another victim */
	decide();
	ck_assert_int_eq(in_state(100, 4, GOV_JOB_CLAIMING), 4);
	ck_assert_int_eq(in_state(1, 2, GOV_JOB_RECLAIMING), 2);
	waiting(104, "owner", 50, 4, 1); /* of the second one's */
	decide();
	ck_assert_int_eq(state(104), GOV_JOB_CLAIMING);
	/* The later victim is gone first: its asker, and the oldest. */
	leaves(gov_engine_job(engine, 1)->asker == 103 ? 1 : 2);
	ck_assert_int_eq(state(103), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(101), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(100), GOV_JOB_CLAIMING);
	ck_assert_int_eq(state(102), GOV_JOB_CLAIMING);
	ck_assert_int_eq(state(104), GOV_JOB_CLAIMING);
	leaves(state(1) == GOV_JOB_RECLAIMING ? 1 : 2);
	ck_assert_int_eq(in_state(100, 5, GOV_JOB_ADMITTED), 5);
	finish();
}
END_TEST

/* Who would borrow waits uncharged: an owner may still come. */
START_TEST(borrowers_wait_uncharged)
{
	owner_and_borrower(2, 8);
	waiting(100, "owner", 50, 1, 1);
	decide();
	waiting(50, "borrower", 50, 1, 1);
	decide();
	ck_assert_int_eq(state(50), GOV_JOB_WAITING);
	waiting(101, "owner", 50, 7, 1);
	decide();
	ck_assert_int_eq(evictions(), 0);
	ck_assert_int_eq(state(101), GOV_JOB_CLAIMING);
	finish();
}
END_TEST

/* Its asker is cancelled: what was told to leave leaves all the same. */
START_TEST(asker_is_cancelled)
{
	owner_and_borrower(2, 8);
	waiting(100, "owner", 50, 8, 1);
	decide();
	ck_assert(gov_engine_remove(engine, 100));
	decide();
	waiting(101, "owner", 50, 4, 2);
	decide();
	ck_assert_int_eq(evictions(), 0);
	ck_assert_int_eq(in_state(101, 2, GOV_JOB_CLAIMING), 2);
	ck_assert(gov_engine_job(engine, 101)->on_surplus);
	ck_assert(!gov_engine_rename(engine, 101, 201));
	decide();
	ck_assert_int_eq(state(201), GOV_JOB_CLAIMING);
	let_leave();
	ck_assert_int_eq(state(201), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(102), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, all_is_taken_back_at_once);
	tcase_add_test(t, latecomers_take_the_rest_then_their_own);
	tcase_add_test(t, they_start_as_room_arrives);
	tcase_add_test(t, borrowers_wait_uncharged);
	tcase_add_test(t, asker_is_cancelled);
}

int main(void)
{
	return unit_main("burst", add);
}
