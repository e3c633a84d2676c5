/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of nodes, places and shapes. */
#include "tests/unit/placed_cluster.h"

/* What is known of places outlives a policy, an id, and ends with the job. */
START_TEST(places_are_kept)
{
	struct gov_shape shape = parts(1, SIZE);
	const struct gov_places *places;

	owner_and_borrower(_i, 2, 0);
	on_node(1, "borrower", 0, 5);
	places = gov_engine_places(engine);
	ck_assert_uint_eq(gov_places_free(places, 0)[GPU], 3);
	ck_assert(!gov_engine_rename(engine, 1, 7));
	ck_assert_ptr_null(gov_places_find(places, 1));
	ck_assert_uint_eq(gov_places_find(places, 7)->count, 1);
	ask(100, "owner", &shape);
	ck_assert_int_eq(gov_engine_set_policy(engine, policy, NULL), 0);
	places = gov_engine_places(engine);
	ck_assert_uint_eq(gov_places_free(places, 0)[GPU], 3);
	ck_assert_uint_ne(gov_engine_job(engine, 100)->shape, 0);
	ck_assert(gov_engine_remove(engine, 7));
	ck_assert_uint_eq(gov_places_free(places, 0)[GPU], 8);
	/* A place that does not exist is none. */
	place(100, 99, 8);
	finish();
}
END_TEST

START_TEST(shapes_come_and_go)
{
	struct gov_places *places = gov_places_create();
	struct gov_shape shape = parts(1, 1);
	uint32_t first, kept = 0;

	first = gov_places_shape(places, &shape);
	ck_assert_uint_ne(first, 0);
	ck_assert_uint_eq(gov_places_shape(places, &shape), first);
	gov_places_shape_ref(places, first);
	for (uint32_t i = 2; i < 5000; i++) {
		uint32_t number;

		shape.part[0] = i;
		number = gov_places_shape(places, &shape);
		ck_assert_uint_ne(number, 0);
		ck_assert_uint_eq(gov_places_shape_at(places, number)->part[0],
				  i);
		if (number > kept)
			kept = number;
	}
	/* The one that somebody refers to is still there, few others. */
	ck_assert_uint_eq(gov_places_shape_at(places, first)->part[0], 1);
	ck_assert_uint_lt(kept, 100);
	shape.parts = 0;
	ck_assert_uint_eq(gov_places_shape(places, &shape), 0);
	gov_places_shape_unref(places, first);
	gov_places_unref(places);
}
END_TEST

/* Whatever others ask for meanwhile. */
START_TEST(a_shape_stays_while_a_job_has_it)
{
	struct gov_shape shape = parts(1, SIZE), other = parts(1, 1);

	owner_and_borrower(_i, 4, 0);
	fill_evenly(4, 32);
	gov_engine_hold_reclaims(engine, true);
	ask(100, "owner", &shape);
	decide();
	for (uint32_t i = 2; i < 5000; i++) {
		other.part[GPU] = SIZE + i;
		ck_assert_uint_ne(gov_engine_shape(engine, &other), 0);
	}
	gov_engine_hold_reclaims(engine, false);
	decide();
	ck_assert_int_eq(evictions(), 8);
	ck_assert_int_eq(state(100), GOV_JOB_CLAIMING);
	finish();
}
END_TEST

static void add(TCase *t)
{
	tcase_add_loop_test(t, places_are_kept, 0, 2);
	tcase_add_test(t, shapes_come_and_go);
	tcase_add_loop_test(t, a_shape_stays_while_a_job_has_it, 0, 2);
}

int main(void)
{
	return unit_main("places", add);
}
