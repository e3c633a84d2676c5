/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/order.h"
#include "tests/unit/unit.h"

static const struct gov_waiting_rank waiting = {
	.weight = 50,
	.since = 100,
	.id = 7,
};
static const struct gov_victim_rank victim = {
	.weight = 50,
	.saved = 100,
	.id = 7,
};

/* `first` must come before the plain job, whichever way they are given. */
static void ck_in_team(struct gov_waiting_rank first, enum gov_task_order order)
{
	ck_assert_int_lt(gov_order_in_team(&first, &waiting, order), 0);
	ck_assert_int_gt(gov_order_in_team(&waiting, &first, order), 0);
}

START_TEST(in_team)
{
	struct gov_waiting_rank a = waiting;

	ck_assert_int_eq(gov_order_in_team(&a, &waiting, GOV_TASK_RANK), 0);
	a.id = 6;
	ck_in_team(a, GOV_TASK_RANK);
	a.id = 8;
	a.since = 99;
	ck_in_team(a, GOV_TASK_RANK);
	a.since = 101;
	a.weight = 51;
	ck_in_team(a, GOV_TASK_RANK);
	ck_assert_int_gt(gov_order_in_team(&a, &waiting, GOV_TASK_FIRST_COME),
			 0);
	/* The class before the history of its user, or after it. */
	a.history = 1;
	ck_in_team(a, GOV_TASK_RANK);
	ck_assert_int_gt(gov_order_in_team(&a, &waiting, GOV_TASK_USAGE), 0);
	ck_assert_int_gt(gov_order_in_team(&a, &waiting, GOV_TASK_FIRST_COME),
			 0);
	a.weight = 49;
	a.history = -1;
	ck_in_team(a, GOV_TASK_USAGE);
	ck_in_team(a, GOV_TASK_FIRST_COME);
	ck_assert_int_gt(gov_order_in_team(&a, &waiting, GOV_TASK_RANK), 0);
	a.weight = 50;
	ck_in_team(a, GOV_TASK_RANK);
	a.history = 1;
	a.claimant = true;
	ck_in_team(a, GOV_TASK_FIRST_COME);
	a = waiting;
	a.level = 3; /* borrowing does not count inside a team */
	ck_assert_int_eq(gov_order_in_team(&a, &waiting, GOV_TASK_RANK), 0);
}
END_TEST

START_TEST(between_teams)
{
	struct gov_waiting_rank a = waiting, b = waiting;

	a.weight = 100;
	a.level = 1;
	ck_assert_int_gt(gov_order_between_teams(&a, &b, GOV_TASK_RANK), 0);
	b.level = 1;
	ck_assert_int_lt(gov_order_between_teams(&a, &b, GOV_TASK_RANK), 0);
	b.since = 1;
	ck_assert_int_gt(gov_order_between_teams(&a, &b, GOV_TASK_FIRST_COME),
			 0);
	a.claimant = true;
	a.level = 2;
	ck_assert_int_lt(gov_order_between_teams(&a, &b, GOV_TASK_FIRST_COME),
			 0);
}
END_TEST

static void ck_victim(struct gov_victim_rank first)
{
	ck_assert_int_lt(gov_order_victims(&first, &victim), 0);
	ck_assert_int_gt(gov_order_victims(&victim, &first), 0);
}

START_TEST(victims)
{
	struct gov_victim_rank a = victim;

	a.id = 8;
	ck_victim(a);
	a.id = 6;
	a.saved = 101; /* younger, or a later checkpoint: less is lost */
	ck_victim(a);
	a.saved = 99;
	a.weight = 49;
	ck_victim(a);
	a.own_team = true;
	ck_assert_int_gt(gov_order_victims(&a, &victim), 0);
	a.leaving = true;
	ck_victim(a);
}
END_TEST

/* History decides inside the asker's team, and nowhere else. */
START_TEST(victims_history)
{
	struct gov_victim_rank a = victim, b = victim;

	a.history = 2;
	a.weight = 60;
	ck_assert_int_gt(gov_order_victims(&a, &b), 0);
	a.own_team = b.own_team = true;
	ck_assert_int_lt(gov_order_victims(&a, &b), 0);
}
END_TEST

START_TEST(may_preempt)
{
	ck_assert(!gov_may_preempt(GOV_PREEMPT_NEVER, 2, 0, 1, 9));
	ck_assert(gov_may_preempt(GOV_PREEMPT_LOWER, 2, 9, 1, 0));
	ck_assert(!gov_may_preempt(GOV_PREEMPT_LOWER, 2, 0, 2, 9));
	ck_assert(gov_may_preempt(GOV_PREEMPT_LOWER_OR_NEWER, 2, 0, 2, 9));
	ck_assert(!gov_may_preempt(GOV_PREEMPT_LOWER_OR_NEWER, 2, 9, 2, 9));
	ck_assert(!gov_may_preempt(GOV_PREEMPT_LOWER_OR_NEWER, 1, 0, 2, 9));
	ck_assert(gov_may_preempt(GOV_PREEMPT_LOWER_OR_NEWER, 2, 9, 1, 0));
	ck_assert(gov_may_preempt(GOV_PREEMPT_ANY, 1, 9, 2, 0));
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, in_team);
	tcase_add_test(t, between_teams);
	tcase_add_test(t, victims);
	tcase_add_test(t, victims_history);
	tcase_add_test(t, may_preempt);
}

int main(void)
{
	return unit_main("order", add);
}
