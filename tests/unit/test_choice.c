/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/choice.h"
#include "tests/unit/unit.h"

static const struct gov_option never = { GOV_FIT_NEVER, 0 };
static const struct gov_option no_victims = { GOV_FIT_NO_VICTIMS, 0 };
static const struct gov_option preempt = { GOV_FIT_PREEMPT, 0 };
static const struct gov_option reclaim = { GOV_FIT_RECLAIM, 0 };
static const struct gov_option fits = { GOV_FIT_NOW, 0 };
static const struct gov_option fits_far = { GOV_FIT_NOW, 2 };
static const struct gov_option preempt_near = { GOV_FIT_PREEMPT, 1 };

static void ck_better(struct gov_option a, struct gov_option b,
		      enum gov_preference preference)
{
	ck_assert(gov_option_better(a, b, preference));
	ck_assert(!gov_option_better(b, a, preference));
	ck_assert_int_eq(gov_option_worst(a, b, preference).fit, b.fit);
	ck_assert_int_eq(gov_option_worst(b, a, preference).fit, b.fit);
}

START_TEST(better)
{
	ck_better(no_victims, never, GOV_PREFER_BORROWING);
	ck_better(preempt, no_victims, GOV_PREFER_BORROWING);
	ck_better(reclaim, preempt, GOV_PREFER_BORROWING);
	ck_better(fits, reclaim, GOV_PREFER_BORROWING);
	ck_better(fits, fits_far, GOV_PREFER_BORROWING);
	ck_better(fits_far, preempt_near, GOV_PREFER_BORROWING);
	ck_better(preempt_near, fits_far, GOV_PREFER_PREEMPTION);
	ck_assert(!gov_option_better(fits, fits, GOV_PREFER_BORROWING));
	ck_assert(!gov_option_better(never, never, GOV_PREFER_BORROWING));
}
END_TEST

/* Kueue 13607: a near pool without victims hid a farther one that fits. */
START_TEST(impossible_never_beats_possible)
{
	struct gov_option near = { GOV_FIT_NO_VICTIMS, 1 };

	ck_better(fits_far, near, GOV_PREFER_PREEMPTION);
	ck_better(fits_far, near, GOV_PREFER_BORROWING);
}
END_TEST

static struct gov_option table[3];
static int asked;

static struct gov_option look(uint32_t index, void *arg)
{
	asked++;
	return ((struct gov_option *) arg)[index];
}

static struct gov_choice choose(const struct gov_fungibility *how,
				uint32_t first, struct gov_option a,
				struct gov_option b, struct gov_option c)
{
	table[0] = a;
	table[1] = b;
	table[2] = c;
	asked = 0;
	return gov_choose(how, first, 3, look, table);
}

START_TEST(stops_at_what_suffices)
{
	struct gov_fungibility how = { .look_on_if_preempting = true };
	struct gov_choice c = choose(&how, 0, preempt, fits_far, fits);

	ck_assert_uint_eq(c.index, 1);
	ck_assert_uint_eq(c.next, 2);
	ck_assert_int_eq(asked, 2);
	how.look_on_if_borrowing = true;
	c = choose(&how, 0, preempt, fits_far, fits);
	ck_assert_uint_eq(c.index, 2);
	ck_assert_uint_eq(c.next, 0);
	how = (struct gov_fungibility){ 0 };
	c = choose(&how, 0, preempt, fits_far, fits);
	ck_assert_uint_eq(c.index, 0);
	ck_assert_uint_eq(c.next, 1);
}
END_TEST

START_TEST(else_the_best_and_earliest)
{
	struct gov_fungibility how = { .look_on_if_preempting = true };
	struct gov_choice c = choose(&how, 0, no_victims, preempt, preempt);

	ck_assert_uint_eq(c.index, 1);
	ck_assert_int_eq(asked, 3);
	c = choose(&how, 0, preempt, reclaim, never);
	ck_assert_uint_eq(c.index, 1);
	c = choose(&how, 0, never, no_victims, never);
	ck_assert_uint_eq(c.index, 1);
	ck_assert_int_eq(c.option.fit, GOV_FIT_NO_VICTIMS);
	c = choose(&how, 0, never, never, never);
	ck_assert_uint_eq(c.index, GOV_NONE);
	c = choose(&how, 2, fits, fits, reclaim);
	ck_assert_uint_eq(c.index, 2);
	ck_assert_int_eq(asked, 1);
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, better);
	tcase_add_test(t, impossible_never_beats_possible);
	tcase_add_test(t, stops_at_what_suffices);
	tcase_add_test(t, else_the_best_and_earliest);
}

int main(void)
{
	return unit_main("choice", add);
}
