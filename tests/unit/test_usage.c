/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UsageHalfLife=: who had little lately goes first. */
#include "tests/unit/small_cluster.h"

#define HALF_LIFE 3600
#define ALICE 1001
#define BOB 1002

static void wants(uint64_t id, const char *name, uint32_t user, uint32_t class,
		  gov_amount_t amount)
{
	struct gov_job j = job(id, name, class, amount);

	j.user = user;
	put(j);
}

static void held_for(uint64_t id, const char *name, uint32_t user,
		     gov_amount_t amount, gov_time_t seconds)
{
	wants(id, name, user, 50, amount);
	decide();
	run(id);
	now += seconds;
	gov_engine_tell_time(engine, now);
	gov_engine_remove(engine, id);
}

struct wanted {
	uint32_t user;
	double mean;
};

static void take(const struct gov_usage_mean *mean, void *arg)
{
	struct wanted *wanted = arg;

	if (mean->user == wanted->user)
		wanted->mean = mean->mean;
}

static double mean_of(const struct gov_engine *of, uint32_t user)
{
	struct wanted wanted = { .user = user };

	gov_engine_each_usage(of, take, &wanted);
	return wanted.mean;
}

static void one_team(gov_amount_t quota)
{
	begin(1);
	team("a", quota, 0);
	policy->usage_half_life = HALF_LIFE;
}

/* Held for one half-life: half of it; another one later: half of that. */
START_TEST(usage_halves)
{
	one_team(8);
	start_engine(8);
	decide();
	held_for(1, "a", ALICE, 4, HALF_LIFE);
	ck_assert_double_eq_tol(mean_of(engine, ALICE), 2, 0.01);
	now += HALF_LIFE;
	decide();
	ck_assert_double_eq_tol(mean_of(engine, ALICE), 1, 0.01);
	ck_assert_double_gt(gov_engine_usage_score(engine, 0, ALICE), 0.12);
	ck_assert_double_lt(gov_engine_usage_score(engine, 0, ALICE), 0.125);
	ck_assert_double_eq(gov_engine_usage_score(engine, 0, BOB), 0);
	finish();
}
END_TEST

START_TEST(who_had_little_goes_first)
{
	one_team(4);
	start_engine(4);
	decide();
	held_for(1, "a", ALICE, 4, HALF_LIFE);
	wants(10, "a", ALICE, 50, 4);
	wants(20, "a", BOB, 50, 4);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	ck_assert_int_eq(state(10), GOV_JOB_WAITING);
	ck_assert_int_eq(evictions(), 0);
	/* Now bob has had more, since it was later. */
	run(20);
	now += HALF_LIFE;
	gov_engine_tell_time(engine, now);
	wants(21, "a", BOB, 50, 4);
	gov_engine_remove(engine, 20);
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

START_TEST(without_a_half_life_age_decides)
{
	one_team(4);
	policy->usage_half_life = 0;
	start_engine(4);
	decide();
	held_for(1, "a", ALICE, 4, HALF_LIFE);
	wants(10, "a", ALICE, 50, 4);
	wants(20, "a", BOB, 50, 4);
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	ck_assert_double_eq(gov_engine_usage_score(engine, 0, ALICE), -1);
	ck_assert_double_eq(mean_of(engine, ALICE), 0);
	finish();
}
END_TEST

/* Nobody's many jobs all go before the first of another. */
START_TEST(a_burst_is_felt_at_once)
{
	one_team(4);
	start_engine(4);
	decide();
	for (uint64_t i = 0; i < 4; i++)
		wants(10 + i, "a", ALICE, 50, 1);
	for (uint64_t i = 0; i < 4; i++)
		wants(20 + i, "a", BOB, 50, 1);
	decide();
	ck_assert_int_eq(in_state(10, 4, GOV_JOB_ADMITTED), 2);
	ck_assert_int_eq(in_state(20, 4, GOV_JOB_ADMITTED), 2);
	finish();
}
END_TEST

/* TaskOrder=Rank: the class first; TaskOrder=Usage: the user. */
START_TEST(the_class_before_or_after_usage)
{
	for (int usage = 0; usage < 2; usage++) {
		one_team(4);
		policy->unit[0].preempt_within_team = GOV_PREEMPT_NEVER;
		policy->task_order = usage ? GOV_TASK_USAGE : GOV_TASK_RANK;
		start_engine(4);
		decide();
		held_for(1, "a", ALICE, 4, HALF_LIFE);
		wants(10, "a", ALICE, 75, 4);
		wants(20, "a", BOB, 50, 4);
		decide();
		ck_assert_int_eq(state(usage ? 20 : 10), GOV_JOB_ADMITTED);
		finish();
	}
}
END_TEST

/* A strict queue has another head once the first has been idle for long. */
START_TEST(time_changes_the_head_of_a_strict_queue)
{
	one_team(8);
	policy->unit[0].queueing = GOV_STRICT;
	start_engine(8);
	decide();
	held_for(1, "a", ALICE, 8, HALF_LIFE);
	wants(2, "a", BOB, 50, 4);
	decide();
	run(2);
	wants(10, "a", ALICE, 50, 4);
	wants(20, "a", BOB, 50, 5);
	/* bob's does not fit, and alice's may not pass it. */
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_WAITING);
	now += 4 * HALF_LIFE;
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

/* Of teams with equal claims: which borrowed less lately. */
START_TEST(who_borrowed_little_is_lent_first)
{
	for (int fair = 0; fair < 2; fair++) {
		begin(1);
		team("a", 0, GOV_UNLIMITED);
		team("b", 0, GOV_UNLIMITED);
		team("idle", 4, 0);
		policy->usage_half_life = HALF_LIFE;
		policy->idle_sharing = fair ? GOV_FAIR_SHARE : GOV_FIRST_COME;
		start_engine(4);
		decide();
		held_for(1, "a", ALICE, 4, HALF_LIFE);
		wants(10, "a", BOB, 50, 4);
		wants(20, "b", BOB, 50, 4);
		decide();
		ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
		ck_assert_int_eq(state(10), GOV_JOB_WAITING);
		ck_assert_double_gt(gov_engine_usage_score(engine, unit("a"),
							   GOV_NONE),
				    0.4);
		finish();
	}
}
END_TEST

/* What a team has of its own is no matter of what it borrowed. */
START_TEST(own_quota_has_no_history)
{
	begin(1);
	team("a", 4, GOV_UNLIMITED);
	team("b", 4, GOV_UNLIMITED);
	policy->usage_half_life = HALF_LIFE;
	policy->idle_sharing = GOV_FIRST_COME;
	start_engine(8);
	decide();
	held_for(1, "a", ALICE, 8, HALF_LIFE);
	/* Not enough for both, by far. */
	gov_engine_set_capacity(engine, GPU, 4);
	wants(10, "a", ALICE, 50, 4);
	wants(20, "b", BOB, 50, 4);
	decide();
	ck_assert_int_eq(state(10), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

/* What runs when the engine is made was not held from the beginning of time. */
START_TEST(usage_begins_with_the_clock)
{
	struct gov_job j;

	one_team(8);
	start_engine(8);
	j = job(1, "a", 50, 4);
	j.user = ALICE;
	j.state = GOV_JOB_RUNNING;
	j.started = 1;
	put(j);
	now += 10 * HALF_LIFE;
	decide();
	ck_assert_double_eq(mean_of(engine, ALICE), 0);
	now += HALF_LIFE;
	decide();
	ck_assert_double_eq_tol(mean_of(engine, ALICE), 2, 0.01);
	finish();
}
END_TEST

/* ---- over a restart, and over another policy ---- */

static void copy_to(const struct gov_usage_mean *mean, void *arg)
{
	struct gov_error error;

	ck_assert_int_eq(gov_engine_put_usage(arg, mean, &error), 0);
}

START_TEST(usage_survives_a_restart)
{
	struct gov_engine *old;
	struct gov_error error;

	one_team(4);
	start_engine(4);
	decide();
	held_for(1, "a", ALICE, 4, HALF_LIFE);
	old = engine;
	engine = gov_engine_create(policy, &error);
	gov_engine_set_capacity(engine, GPU, 4);
	gov_engine_each_usage(old, copy_to, engine);
	now += HALF_LIFE; /* it was down for so long */
	wants(10, "a", ALICE, 50, 4);
	wants(20, "a", BOB, 50, 4);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	ck_assert_double_eq_tol(mean_of(engine, ALICE), 1, 0.01);
	gov_engine_destroy(old);
	finish();
}
END_TEST

/* A mean of some time ago, remembered when the job is known already. */
START_TEST(what_is_remembered_has_faded)
{
	struct gov_usage_mean mean = { .user = ALICE, .mean = 4 };
	struct gov_error error;

	one_team(4);
	start_engine(4);
	decide();
	wants(10, "a", ALICE, 50, 5);
	mean.at = now - HALF_LIFE;
	ck_assert_int_eq(gov_engine_put_usage(engine, &mean, &error), 0);
	ck_assert_double_eq_tol(mean_of(engine, ALICE), 2, 0.01);
	finish();
}
END_TEST

START_TEST(usage_survives_another_policy)
{
	struct gov_policy *first;
	struct gov_error error;

	one_team(4);
	start_engine(4);
	decide();
	held_for(1, "a", ALICE, 4, HALF_LIFE);
	first = policy;
	begin(1);
	now += 2 * HALF_LIFE;
	team("new", 0, 0);
	team("a", 4, 0);
	policy->usage_half_life = HALF_LIFE;
	ck_assert_int_eq(gov_policy_finish(policy, &error), 0);
	ck_assert_int_eq(gov_engine_set_policy(engine, policy, &error), 0);
	ck_assert_double_eq_tol(mean_of(engine, ALICE), 2, 0.01);
	wants(10, "a", ALICE, 50, 4);
	wants(20, "a", BOB, 50, 4);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	gov_policy_unref(first);
	finish();
}
END_TEST

START_TEST(nonsense_is_not_remembered)
{
	const struct gov_usage_mean sound = { .user = ALICE, .mean = 1 };
	struct gov_usage_mean bad[4];
	struct gov_error error;

	one_team(4);
	start_engine(4);
	for (int i = 0; i < 4; i++)
		bad[i] = sound;
	bad[0].team = 1;
	bad[1].tres = 1;
	bad[2].mean = -1;
	bad[3].mean = 1.0 / 0.0;
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(gov_engine_put_usage(engine, &bad[i], &error),
				 -1);
	ck_assert_int_eq(gov_engine_put_usage(engine, &sound, &error), 0);
	finish();
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, usage_halves);
	tcase_add_test(t, who_had_little_goes_first);
	tcase_add_test(t, without_a_half_life_age_decides);
	tcase_add_test(t, a_burst_is_felt_at_once);
	tcase_add_test(t, the_class_before_or_after_usage);
	tcase_add_test(t, time_changes_the_head_of_a_strict_queue);
	tcase_add_test(t, who_borrowed_little_is_lent_first);
	tcase_add_test(t, own_quota_has_no_history);
	tcase_add_test(t, usage_begins_with_the_clock);
	tcase_add_test(t, usage_survives_a_restart);
	tcase_add_test(t, what_is_remembered_has_faded);
	tcase_add_test(t, usage_survives_another_policy);
	tcase_add_test(t, nonsense_is_not_remembered);
}

int main(void)
{
	return unit_main("usage", add);
}
