/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/avl.h"
#include "tests/unit/unit.h"

struct thing {
	struct gov_avl by_key;
	uint32_t key;
	bool in;
};

static int by_key(const struct gov_avl *a, const struct gov_avl *b,
		  const void *context)
{
	uint32_t x = GOV_CONTAINER(a, struct thing, by_key)->key;
	uint32_t y = GOV_CONTAINER(b, struct thing, by_key)->key;

	(void) context;
	return (x > y) - (x < y);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

START_TEST(random_insertions_and_removals_keep_order_and_balance)
{
	enum { COUNT = 500, STEPS = 20000 };
	static struct thing thing[COUNT];
	struct gov_avl_tree tree = { NULL };
	uint32_t seed = 2463534242u;
	size_t in = 0;

	for (uint32_t i = 0; i < COUNT; i++)
		thing[i].key = i;
	for (int step = 0; step < STEPS; step++) {
		struct thing *t = &thing[next_random(&seed) % COUNT];
		size_t seen = 0;

		if (t->in)
			gov_avl_remove(&tree, &t->by_key);
		else
			gov_avl_insert(&tree, &t->by_key, by_key, NULL);
		in += t->in ? -1 : 1;
		t->in = !t->in;
		if (step % 50)
			continue;
		ck_assert_int_eq(gov_avl_check(&tree, by_key, NULL), 0);
		for (struct gov_avl *n = gov_avl_first(&tree); n;
		     n = gov_avl_next(n))
			seen++;
		ck_assert_uint_eq(seen, in);
	}
	while (tree.root)
		gov_avl_remove(&tree, tree.root);
	ck_assert_ptr_null(gov_avl_first(&tree));
	ck_assert_ptr_null(gov_avl_last(&tree));
}
END_TEST

START_TEST(sorted_insertions_stay_shallow)
{
	enum { COUNT = 4096 };
	static struct thing thing[COUNT];
	struct gov_avl_tree tree = { NULL };

	for (uint32_t i = 0; i < COUNT; i++) {
		thing[i].key = i;
		gov_avl_insert(&tree, &thing[i].by_key, by_key, NULL);
	}
	ck_assert_int_le(tree.root->height, 17); /* 1.44 log2 n */
	ck_assert_ptr_eq(gov_avl_first(&tree), &thing[0].by_key);
	ck_assert_ptr_eq(gov_avl_last(&tree), &thing[COUNT - 1].by_key);
}
END_TEST

START_TEST(check_notices_a_wrong_order)
{
	struct thing thing[3] = { { .key = 1 }, { .key = 2 }, { .key = 3 } };
	struct gov_avl_tree tree = { NULL };

	for (int i = 0; i < 3; i++)
		gov_avl_insert(&tree, &thing[i].by_key, by_key, NULL);
	thing[1].key = 7;
	ck_assert_int_eq(gov_avl_check(&tree, by_key, NULL), -1);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase,
		       random_insertions_and_removals_keep_order_and_balance);
	tcase_add_test(tcase, sorted_insertions_stay_shallow);
	tcase_add_test(tcase, check_notices_a_wrong_order);
}

int main(void)
{
	return unit_main("avl", cases);
}
