/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "core/history.h"
#include "tests/unit/unit.h"

START_TEST(halves_in_a_half_life)
{
	ck_assert_double_eq_tol(gov_history_sample(8, 0, 600, 600), 4, 1e-9);
	ck_assert_double_eq_tol(gov_history_sample(8, 0, 1800, 600), 1, 1e-9);
	ck_assert_double_eq_tol(gov_history_sample(0, 8, 600, 600), 4, 1e-9);
	ck_assert_double_eq_tol(gov_history_sample(8, 8, 77, 600), 8, 1e-9);
	ck_assert_double_eq(gov_history_sample(8, 0, -1, 600), 8);
	ck_assert_double_eq(gov_history_sample(8, 0, 60, 0), 8);
}
END_TEST

/* Sampling twice as often comes to the same. */
START_TEST(does_not_depend_on_the_interval)
{
	double once = gov_history_sample(3, 8, 600, 1000);
	double twice = gov_history_sample(gov_history_sample(3, 8, 300, 1000),
					  8, 300, 1000);

	ck_assert_double_eq_tol(once, twice, 1e-9);
}
END_TEST

/* What counts before the first sample is what that sample brings. */
START_TEST(pending_is_the_next_sample)
{
	ck_assert_double_eq_tol(gov_history_pending(8, 60, 600),
				gov_history_sample(0, 8, 60, 600), 1e-9);
}
END_TEST

START_TEST(score)
{
	double mean[2] = { 4, 2 }, pending[2] = { 1, 0 };
	double weight[2] = { 1, 5 };

	ck_assert_double_eq(gov_history_score(mean, NULL, NULL, 2, 1), 6);
	ck_assert_double_eq(gov_history_score(mean, NULL, weight, 2, 1), 14);
	ck_assert_double_eq(gov_history_score(mean, pending, weight, 2, 3), 5);
	ck_assert(isinf(gov_history_score(mean, NULL, NULL, 0, 0)));
	ck_assert(isinf(gov_history_score(mean, NULL, NULL, 0, NAN)));
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, halves_in_a_half_life);
	tcase_add_test(t, does_not_depend_on_the_interval);
	tcase_add_test(t, pending_is_the_next_sample);
	tcase_add_test(t, score);
}

int main(void)
{
	return unit_main("history", add);
}
