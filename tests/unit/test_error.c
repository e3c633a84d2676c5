/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "core/amount.h"
#include "core/error.h"
#include "tests/unit/unit.h"

START_TEST(sentence_is_safe_to_print)
{
	struct gov_error e;

	ck_assert_int_eq(gov_error_set(&e, GOV_R_NO_TEAM, "a%sb", "\n\033["),
			 -1);
	ck_assert_str_eq(e.text, "a??[b");
	ck_assert_int_eq(e.code, GOV_R_NO_TEAM);
	ck_assert_int_eq(gov_error_set(NULL, GOV_R_NO_TEAM, "x"), -1);
}
END_TEST

START_TEST(long_sentence_is_cut)
{
	char big[4 * GOV_ERROR_TEXT];
	struct gov_error e;

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	gov_error_set(&e, GOV_E_IO, "%s", big);
	ck_assert_uint_eq(strlen(e.text), GOV_ERROR_TEXT - 1);
}
END_TEST

START_TEST(amounts_saturate)
{
	ck_assert_uint_eq(gov_amount_add(GOV_AMOUNT_MAX, 1), GOV_UNLIMITED);
	ck_assert_uint_eq(gov_amount_add(GOV_UNLIMITED, 0), GOV_UNLIMITED);
	ck_assert_uint_eq(gov_amount_sub(3, 5), 0);
	ck_assert_uint_eq(gov_amount_sub(GOV_UNLIMITED, 5), GOV_UNLIMITED);
	ck_assert_uint_eq(gov_amount_scale(5, 50, 100), 2);
	ck_assert_uint_eq(gov_amount_scale(GOV_AMOUNT_MAX, 2, 1),
			  GOV_UNLIMITED);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, sentence_is_safe_to_print);
	tcase_add_test(tcase, long_sentence_is_cut);
	tcase_add_test(tcase, amounts_saturate);
}

int main(void)
{
	return unit_main("error", cases);
}
