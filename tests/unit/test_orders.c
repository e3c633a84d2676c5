/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an operator orders beside the policy: held reclaims, drained teams,
 * exempted jobs. */
#include "tests/unit/small_cluster.h"

/* b (quota 4) runs four own and four borrowed jobs of one; a has quota 4. */
static void lent(void)
{
	begin(1);
	team("a", 4, GOV_UNLIMITED);
	team("b", 4, GOV_UNLIMITED);
	start_engine(8);
	running(1, "b", 50, 1, 8);
}

START_TEST(nobody_gives_way_while_reclaims_are_held)
{
	struct gov_verdict verdict;
	struct gov_error error;
	struct gov_job asker;
	char why[1024];
	struct gov_explanation e;

	lent();
	gov_engine_hold_reclaims(engine, true);
	waiting(20, "a", 50, 2, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	ck_assert_int_eq(in_state(1, 8, GOV_JOB_RUNNING), 8);
	ck_assert_int_eq(gov_engine_explain(engine, 20, now, &e, &error), 0);
	ck_assert_uint_ge(e.candidate_count, 1);
	ck_assert_int_eq(e.candidate[0].protection, GOV_PROTECT_HELD);
	gov_explanation_sentence(engine, 20, &e, why, sizeof(why));
	ck_assert_ptr_nonnull(strstr(why, "holds all reclaims"));
	gov_explanation_free(&e);
	asker = job(21, "a", 50, 1);
	ck_assert_int_eq(gov_engine_test(engine, &asker, now, &verdict, &error),
			 0);
	ck_assert(!verdict.admitted && !verdict.reclaims);
	/* Let go, it happens without another fact. */
	gov_engine_hold_reclaims(engine, false);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	ck_assert_int_eq(in_state(1, 8, GOV_JOB_RECLAIMING), 2);
	finish();
}
END_TEST

START_TEST(a_notice_that_was_given_stands)
{
	lent();
	waiting(20, "a", 50, 2, 1);
	decide();
	ck_assert_int_eq(in_state(1, 8, GOV_JOB_RECLAIMING), 2);
	gov_engine_hold_reclaims(engine, true);
	let_leave();
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	waiting(21, "a", 50, 1, 1);
	decide();
	ck_assert_int_eq(in_state(1, 8, GOV_JOB_RECLAIMING), 0);
	finish();
}
END_TEST

START_TEST(free_quota_is_given_out_while_reclaims_are_held)
{
	begin(1);
	team("a", 4, GOV_UNLIMITED)->prefer_own = true;
	team("b", 4, GOV_UNLIMITED);
	start_engine(8);
	running(1, "a", 50, 1, 4);
	gov_engine_hold_reclaims(engine, true);
	/* It would rather have its own lower class give way. */
	waiting(20, "a", 100, 1, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	ck_assert_int_eq(in_state(1, 4, GOV_JOB_RUNNING), 4);
	finish();
}
END_TEST

START_TEST(a_drained_team_borrows_no_more)
{
	struct gov_verdict verdict;
	struct gov_error error;
	struct gov_job large;

	begin(1);
	team("a", 4, GOV_UNLIMITED);
	team("b", 4, GOV_UNLIMITED);
	start_engine(8);
	running(1, "b", 50, 1, 5);
	gov_engine_drain(engine, unit("b"), true);
	ck_assert(gov_engine_is_drained(engine, unit("b")));
	waiting(20, "b", 50, 1, 1);
	waiting(30, "a", 50, 1, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	ck_assert_int_eq(state(30), GOV_JOB_ADMITTED);
	ck_assert(explained(20, GOV_LIMIT_DRAINED));
	/* What it has borrowed it keeps. */
	ck_assert_int_eq(in_state(1, 5, GOV_JOB_RUNNING), 5);
	/* Waits, and is not refused for good. */
	large = job(21, "b", 50, 6);
	ck_assert_int_eq(gov_engine_submit(engine, &large, now, &verdict,
					   &error),
			 0);
	ck_assert(!verdict.never && !verdict.admitted);
	gov_engine_drain(engine, unit("b"), false);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

START_TEST(a_drained_team_has_its_own_quota)
{
	lent();
	gov_engine_drain(engine, unit("a"), true);
	waiting(20, "a", 50, 4, 1);
	waiting(21, "a", 50, 1, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	ck_assert_int_eq(in_state(1, 8, GOV_JOB_RECLAIMING), 4);
	ck_assert_int_eq(state(21), GOV_JOB_WAITING);
	finish();
}
END_TEST

START_TEST(an_exempted_job_is_no_victim)
{
	struct gov_explanation e;
	struct gov_error error;
	struct gov_job j;

	begin(1);
	team("a", 4, GOV_UNLIMITED);
	team("b", 2, GOV_UNLIMITED);
	start_engine(6);
	running(1, "b", 50, 3, 2);
	j = *gov_engine_job(engine, 1);
	j.exempt = true;
	put(j);
	j = *gov_engine_job(engine, 2);
	j.exempt = true;
	put(j);
	waiting(20, "a", 100, 3, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	ck_assert_int_eq(gov_engine_explain(engine, 20, now, &e, &error), 0);
	ck_assert_uint_eq(e.candidate_count, 2);
	ck_assert_int_eq(e.candidate[0].protection, GOV_PROTECT_EXEMPT);
	gov_explanation_free(&e);
	/* Still counted: its team borrows. */
	ck_assert_uint_eq(view("b", GPU).borrowed, 4);
	j = *gov_engine_job(engine, 2);
	ck_assert(j.exempt);
	j.exempt = false;
	put(j);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	ck_assert_int_eq(state(2), GOV_JOB_RECLAIMING);
	ck_assert_int_eq(state(1), GOV_JOB_RUNNING);
	finish();
}
END_TEST

START_TEST(orders_survive_another_policy)
{
	struct gov_policy *old, *next;
	struct gov_error error;

	lent();
	gov_engine_hold_reclaims(engine, true);
	gov_engine_drain(engine, unit("b"), true);
	old = gov_policy_ref(policy);
	begin(1);
	team("new", 1, GOV_UNLIMITED);
	team("b", 4, GOV_UNLIMITED);
	team("a", 4, GOV_UNLIMITED);
	next = policy;
	ck_assert(!gov_policy_finish(next, &error));
	ck_assert_int_eq(gov_engine_set_policy(engine, next, &error), 0);
	ck_assert(gov_engine_reclaims_held(engine));
	ck_assert(gov_engine_is_drained(engine, unit("b")));
	ck_assert(!gov_engine_is_drained(engine, unit("a")));
	ck_assert(!gov_engine_is_drained(engine, GOV_NONE));
	gov_policy_unref(old);
	gov_policy_unref(old);
	finish();
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, nobody_gives_way_while_reclaims_are_held);
	tcase_add_test(t, a_notice_that_was_given_stands);
	tcase_add_test(t, free_quota_is_given_out_while_reclaims_are_held);
	tcase_add_test(t, a_drained_team_borrows_no_more);
	tcase_add_test(t, a_drained_team_has_its_own_quota);
	tcase_add_test(t, an_exempted_job_is_no_victim);
	tcase_add_test(t, orders_survive_another_policy);
}

int main(void)
{
	return unit_main("orders", add);
}
