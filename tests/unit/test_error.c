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

START_TEST(amounts_are_read_as_written)
{
	static const struct {
		const char *tres, *text;
		gov_amount_t amount;
	} good[] = {
		{ "gres/gpu", "0", 0 },
		{ "gres/gpu", "16", 16 },
		{ "cpu", "1.5k", 1536 },
		{ "cpu", "2K", 2048 },
		{ "cpu", "1.50", GOV_UNSET },
		{ "mem", "100", 100 },
		{ "mem", "2T", 2097152 },
		{ "MEM", "1.5g", 1536 },
		{ "mem", "3M", 3 },
		{ "mem", "512K", 1 },
		{ "mem", "1025k", 2 },
		{ "cpu", "18446744073709551613", GOV_AMOUNT_MAX },
		{ "cpu", "18446744073709551614", GOV_UNSET },
		{ "cpu", "18446744073709551616", GOV_UNSET },
		{ "cpu", "16E", GOV_UNSET },
		{ "cpu", "15E", 15ULL << 60 },
		{ "cpu", "99999999999999999E", GOV_UNSET },
		{ "mem", "16E", 16ULL << 40 },
		{ "cpu", "", GOV_UNSET },
		{ "cpu", "-1", GOV_UNSET },
		{ "cpu", "+1", GOV_UNSET },
		{ "cpu", " 1", GOV_UNSET },
		{ "cpu", "1 ", GOV_UNSET },
		{ "cpu", "1.", GOV_UNSET },
		{ "cpu", ".5", GOV_UNSET },
		{ "cpu", "1.2.3", GOV_UNSET },
		{ "cpu", "1KB", GOV_UNSET },
		{ "cpu", "0x10", GOV_UNSET },
		{ "cpu", "1.0000000001", GOV_UNSET },
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		gov_amount_t amount = GOV_UNSET;
		int rc = gov_amount_parse(good[i].tres, good[i].text, &amount);

		ck_assert_msg(amount == good[i].amount &&
				      (rc == 0) == (amount != GOV_UNSET),
			      "%s=%s: %d, %llu", good[i].tres, good[i].text, rc,
			      (unsigned long long) amount);
	}
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, sentence_is_safe_to_print);
	tcase_add_test(tcase, long_sentence_is_cut);
	tcase_add_test(tcase, amounts_saturate);
	tcase_add_test(tcase, amounts_are_read_as_written);
}

int main(void)
{
	return unit_main("error", cases);
}
