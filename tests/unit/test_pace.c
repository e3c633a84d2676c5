/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast slurmctld is asked. */
#include "slurmgovd/pace.h"
#include "tests/unit/unit.h"

/* Calls that may be made until `until`, each answered after `took`. */
static int calls(struct gov_pace *pace, uint32_t rate, int64_t *now,
		 int64_t until, int64_t took, bool answered)
{
	int count = 0;

	while (*now < until) {
		int64_t at = gov_pace_take(pace, rate, *now);

		if (at) {
			ck_assert_int_gt(at, *now);
			*now = at;
			continue;
		}
		count++;
		*now += took;
		gov_pace_rest(pace, took, answered, *now);
	}
	return count;
}

START_TEST(no_more_than_the_rate)
{
	struct gov_pace pace;
	int64_t now = 5000;

	gov_pace_init(&pace, now);
	ck_assert_int_le(calls(&pace, 50, &now, 15000, 1, true), 501);
	/* After a quiet time, one second's worth at once. */
	now += 60000;
	ck_assert_int_eq(gov_pace_take(&pace, 50, now), 0);
	for (int i = 1; i < 50; i++)
		ck_assert_int_eq(gov_pace_take(&pace, 50, now), 0);
	ck_assert_int_gt(gov_pace_take(&pace, 50, now), now);
}
END_TEST

START_TEST(nearly_all_of_the_rate)
{
	struct gov_pace pace;
	int64_t now = 0;

	gov_pace_init(&pace, now);
	ck_assert_int_ge(calls(&pace, 50, &now, 10000, 10, true), 450);
}
END_TEST

START_TEST(a_slow_one_has_half_of_its_time)
{
	struct gov_pace pace;
	int64_t now = 0;

	gov_pace_init(&pace, now);
	/* 400 ms a call and as much rest: 25 in 20 s. */
	ck_assert_int_le(calls(&pace, 50, &now, 20000, 400, true), 26);
	/* Fast again, it is asked as before. */
	ck_assert_int_ge(calls(&pace, 50, &now, now + 10000, 10, true), 450);
}
END_TEST

START_TEST(one_that_is_away_is_asked_less_and_less)
{
	struct gov_pace pace;
	int64_t now = 0;

	gov_pace_init(&pace, now);
	/* 250 ms, 500, 1000, … 8000, then every 10 s. */
	ck_assert_int_eq(calls(&pace, 50, &now, 60000, 1, false), 11);
	ck_assert_int_le(pace.resume, now + 10000);
	now = pace.resume;
	ck_assert_int_eq(calls(&pace, 50, &now, now + 1, 1, true), 1);
	ck_assert_int_ge(calls(&pace, 50, &now, now + 10000, 1, true), 450);
}
END_TEST

START_TEST(a_busy_one_is_asked_less_and_less_but_not_never)
{
	struct gov_pace pace;
	int64_t now = 1000, at;

	gov_pace_init(&pace, now);
	ck_assert(!gov_pace_load(&pace, 127, 999, now));
	ck_assert_int_eq(gov_pace_take(&pace, 50, now), 0);
	for (int64_t rest = 500; rest < 20000; rest *= 2) {
		ck_assert(gov_pace_load(&pace, 128, 0, now));
		at = gov_pace_take(&pace, 50, now);
		ck_assert_int_eq(at, now + (rest < 10000 ? rest : 10000));
		now = at;
		ck_assert_int_eq(gov_pace_take(&pace, 50, now), 0);
		gov_pace_rest(&pace, 1, true, now);
	}
	ck_assert(gov_pace_load(&pace, 3, 1000, now));
	now = gov_pace_take(&pace, 50, now);
	/* It is over at once. */
	ck_assert(!gov_pace_load(&pace, 3, 0, now));
	ck_assert_int_eq(gov_pace_take(&pace, 50, now), 0);
	ck_assert(gov_pace_load(&pace, 200, 0, now));
	ck_assert_int_eq(gov_pace_take(&pace, 50, now), now + 500);
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, a_busy_one_is_asked_less_and_less_but_not_never);
	tcase_add_test(t, no_more_than_the_rate);
	tcase_add_test(t, nearly_all_of_the_rate);
	tcase_add_test(t, a_slow_one_has_half_of_its_time);
	tcase_add_test(t, one_that_is_away_is_asked_less_and_less);
}

int main(void)
{
	return unit_main("pace", add);
}
