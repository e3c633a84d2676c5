/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/test_conf.h"

static void expands(const char *text, const char *expected)
{
	struct gov_error error;
	char joined[4096] = "";
	char **names;
	long count = gov_hostlist_expand(text, &names, &error);

	ck_assert_msg(count >= 0, "%s: %s", text, error.text);
	for (long i = 0; i < count; i++) {
		strcat(joined, i ? " " : "");
		strcat(joined, names[i]);
	}
	gov_hostlist_free(names, count);
	ck_assert_str_eq(joined, expected);
}

START_TEST(names_and_ranges)
{
	expands("a", "a");
	expands("a,b-1,c.d_e", "a b-1 c.d_e");
	expands("g[1-4,7],a1", "g1 g2 g3 g4 g7 a1");
	expands("g[08-11]", "g08 g09 g10 g11");
	expands("g[0-2]", "g0 g1 g2");
	expands("g[001]", "g001");
	expands("g[98-101]", "g98 g99 g100 g101");
	expands("r[1-2]n[01-02]-ib", "r1n01-ib r1n02-ib r2n01-ib r2n02-ib");
	expands("[1-2]", "1 2");
	expands("x[1,3]y[5],z", "x1y5 x3y5 z");
}
END_TEST

START_TEST(malformed)
{
	static const char *const bad[] = {
		"",
		",",
		"a,",
		",a",
		"a,,b",
		"g[",
		"g[1",
		"g[1-",
		"g[1-2",
		"g[]",
		"g[-2]",
		"g[1-]",
		"g[1,]",
		"g[,1]",
		"g[2-1]",
		"g[a]",
		"g[1-2-3]",
		"g]",
		"g[[1]]",
		"g[1]]",
		"a b",
		"a/b",
		"a*",
		"g[1234567890]",
		"g[1-65537]",
		"g[0-99999999]",
		"g[1-300]h[1-300]",
		"a,g[1-65536]",
		"a[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1]",
	};
	char big[300];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct gov_error error = { 0 };
		char **names = (char **) 1;

		ck_assert_msg(gov_hostlist_expand(bad[i], &names, &error) == -1,
			      "'%s' was taken", bad[i]);
		ck_assert_ptr_null(names);
		ck_assert_int_eq(error.code, GOV_E_SYNTAX);
	}
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	ck_assert_int_eq(gov_hostlist_expand(big, &(char **){ NULL }, NULL),
			 -1);
}
END_TEST

START_TEST(as_many_as_allowed)
{
	struct gov_error error;
	char **names;
	long count = gov_hostlist_expand("r[1-256]n[1-256]", &names, &error);

	ck_assert_int_eq(count, 65536);
	ck_assert_str_eq(names[0], "r1n1");
	ck_assert_str_eq(names[65535], "r256n256");
	gov_hostlist_free(names, count);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, names_and_ranges);
	tcase_add_test(tcase, malformed);
	tcase_add_test(tcase, as_many_as_allowed);
}

int main(void)
{
	return unit_main("conf_hostlist", cases);
}
