/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables, amounts, times, options and help of sgov. */
#include <locale.h>
#include <string.h>

#include "sgov/format.h"
#include "sgov/options.h"
#include "sgov/request.h"
#include "sgov/sgov.h"
#include "sgov/table.h"
#include "tests/unit/capture.h"
#include "tests/unit/unit.h"
#include "wire/printable.h"

static const struct sgov_column columns[] = {
	{ "TEAM", false, false }, { "QUOTA", true, false },
	{ "LIMIT", true, true },  { "WHY", false, false },
	{ NULL, false, false },
};

static char *print(enum sgov_format format, bool header)
{
	struct sgov sgov = { .format = format, .header = header };
	struct sgov_table *table = sgov_table_create(&sgov, columns);

	sgov_table_text(table, "vision");
	sgov_table_amount(table, "mem", 2 * 1024 * 1024);
	sgov_table_amount(table, "gres/gpu", GOV_UNLIMITED);
	sgov_table_text(table, "a|b\n\033[31m");
	sgov_table_text(table, "sch\xc3\xb6n");
	sgov_table_amount(table, "gres/gpu", 12345);
	sgov_table_amount(table, "gres/gpu", GOV_UNSET);
	sgov_table_text(table, NULL);
	capture_start();
	sgov_table_print(table);
	sgov_table_destroy(table);
	return capture_end();
}

static void expect_print(enum sgov_format format, bool header,
			 const char *expected)
{
	char *text = print(format, header);

	ck_assert_str_eq(text, expected);
	free(text);
}

START_TEST(tables_align)
{
	expect_print(SGOV_TABLE, true,
		     "TEAM    QUOTA  WHY\n"
		     "vision     2T  a|b??[31m\n"
		     "sch\xc3\xb6n   12345  \n");
	expect_print(SGOV_TABLE, false,
		     "vision     2T  a|b??[31m\n"
		     "sch\xc3\xb6n   12345  \n");
}
END_TEST

START_TEST(parsable_has_bare_numbers)
{
	expect_print(SGOV_PARSABLE, true,
		     "TEAM|QUOTA|LIMIT|WHY\n"
		     "vision|2097152|UNLIMITED|a?b??[31m\n"
		     "sch\xc3\xb6n|12345|-|\n");
	expect_print(SGOV_PARSABLE, false,
		     "vision|2097152|UNLIMITED|a?b??[31m\n"
		     "sch\xc3\xb6n|12345|-|\n");
}
END_TEST

START_TEST(amounts_read_as_people_write_them)
{
	char text[SGOV_AMOUNT_TEXT];

	ck_assert_str_eq(sgov_format_amount(text, "mem", 512, false), "512M");
	ck_assert_str_eq(sgov_format_amount(text, "mem", 1024, false), "1G");
	ck_assert_str_eq(sgov_format_amount(text, "mem", 256000, false),
			 "250G");
	ck_assert_str_eq(sgov_format_amount(text, "mem", 1536, false), "1.5G");
	ck_assert_str_eq(sgov_format_amount(text, "mem", 0, false), "0");
	ck_assert_str_eq(sgov_format_amount(text, "mem", 1536, true), "1536");
	ck_assert_str_eq(sgov_format_amount(text, "mem", GOV_AMOUNT_MAX, true),
			 "18446744073709551613");
	ck_assert_str_eq(sgov_format_amount(text, "mem", GOV_AMOUNT_MAX, false),
			 "16777216.0E");
	ck_assert_str_eq(sgov_format_amount(text, "cpu", 1024, false), "1024");
	ck_assert_str_eq(sgov_format_amount(text, "cpu", GOV_UNSET, false),
			 "-");
}
END_TEST

START_TEST(times_read_as_slurms)
{
	char text[SGOV_TIME_TEXT];

	setenv("TZ", "UTC", 1);
	ck_assert_str_eq(sgov_format_time(text, 1764658800),
			 "2025-12-02T07:00:00");
	ck_assert_str_eq(sgov_format_time(text, 0), "-");
	ck_assert_str_eq(sgov_format_time(text, INT64_MAX), "-");
	ck_assert_str_eq(sgov_format_duration(text, 120), "00:02:00");
	ck_assert_str_eq(sgov_format_duration(text, 93784), "1-02:03:04");
	ck_assert_str_eq(sgov_format_duration(text, -1), "-");
	ck_assert_str_eq(sgov_format_duration(text, INT64_MAX),
			 "106751991167300-15:30:07");
}
END_TEST

static void expect_printable(const char *from, const char *to)
{
	char *text = strdup(from);

	gov_make_printable(text);
	ck_assert_str_eq(text, to);
	free(text);
}

START_TEST(text_cannot_steer_a_terminal)
{
	expect_printable("plain \xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7",
			 "plain \xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7");
	expect_printable("\033]0;x\007\r\n\t\x7f", "?]0;x?????");
	expect_printable("\xc2\x9b"
			 "31m",
			 "?31m"); /* CSI in C1 */
	expect_printable("\x9b\xff\xc0\xaf\xed\xa0\x80\xf5", "????????");
	expect_printable("cut \xe2\x82", "cut ??");
}
END_TEST

START_TEST(requests_are_written_as_tres)
{
	struct json_object *job = json_tokener_parse(
		"{\"request\":[{\"tres\":\"gres/gpu:h100\",\"amount\":4},"
		"{\"tres\":\"mem\",\"amount\":65536}]}");
	char *text = sgov_request_text(job, false);

	ck_assert_str_eq(text, "gres/gpu:h100=4,mem=64G");
	free(text);
	text = sgov_request_text(job, true);
	ck_assert_str_eq(text, "gres/gpu:h100=4,mem=65536");
	free(text);
	json_object_put(job);
	text = sgov_request_text(NULL, true);
	ck_assert_str_eq(text, "");
	free(text);
}
END_TEST

/* ---- options ---- */

static const char *team, *all;
static const struct sgov_option options[] = {
	{ "team", 't', "TEAM", "this team", &team },
	{ "all", 'a', NULL, "everything", &all },
	{ NULL, 0, NULL, NULL, NULL },
};
static const struct sgov_command command = { "test", "JOBID", "a test",
					     "  sgov test\n", NULL };

/* argv as a text with blanks; the exit code, or -1 - index of an operand. */
static int parse(struct sgov *sgov, const char *line)
{
	static char copy[256];
	char *argv[16], *rest = copy;
	int argc = 0, status, first;

	snprintf(copy, sizeof(copy), "%s", line);
	while ((argv[argc] = strsep(&rest, " ")))
		argc++;
	memset(sgov, 0, sizeof(*sgov));
	sgov->command = &command;
	sgov->header = true;
	team = all = NULL;
	first = sgov_parse(sgov, options, argc, argv, &status);
	return first < 0 ? status : -first;
}

START_TEST(options_may_stand_anywhere)
{
	struct sgov sgov;

	ck_assert_int_eq(parse(&sgov, "test 12 -t nlp --all --json"), -5);
	ck_assert_str_eq(team, "nlp");
	ck_assert_ptr_nonnull(all);
	ck_assert_int_eq(sgov.format, SGOV_JSON);
	ck_assert_int_eq(sgov.timeout_ms, 10000);
	ck_assert_int_eq(parse(&sgov, "test -nP --team=x --timeout=0.5 "
				      "--host=h --port=1"),
			 -6);
	ck_assert_int_eq(sgov.format, SGOV_PARSABLE);
	ck_assert(!sgov.header);
	ck_assert_int_eq(sgov.timeout_ms, 500);
	ck_assert_str_eq(sgov.host, "h");
	ck_assert_int_eq(parse(&sgov, "test -- --json"), -2);
	ck_assert_int_eq(sgov.format, SGOV_TABLE);
}
END_TEST

START_TEST(wrong_options_are_usage_errors)
{
	struct sgov sgov;

	ck_assert_int_eq(parse(&sgov, "test --team"), SGOV_USAGE);
	ck_assert_int_eq(parse(&sgov, "test -t"), SGOV_USAGE);
	ck_assert_int_eq(parse(&sgov, "test --frob"), SGOV_USAGE);
	ck_assert_int_eq(parse(&sgov, "test -Z"), SGOV_USAGE);
	ck_assert_int_eq(parse(&sgov, "test --json=1"), SGOV_USAGE);
	ck_assert_int_eq(parse(&sgov, "test --json -P"), SGOV_USAGE);
	ck_assert_int_eq(parse(&sgov, "test --timeout=0"), SGOV_USAGE);
	ck_assert_int_eq(parse(&sgov, "test --timeout=nan"), SGOV_USAGE);
	ck_assert_int_eq(parse(&sgov, "test --timeout=1x"), SGOV_USAGE);
	ck_assert_int_eq(parse(&sgov, "test --timeout=1e9"), SGOV_USAGE);
}
END_TEST

START_TEST(help_lists_every_option)
{
	struct sgov sgov;
	char *text;

	capture_start();
	ck_assert_int_eq(parse(&sgov, "test --help"), SGOV_OK);
	text = capture_end();
	ck_assert_ptr_nonnull(strstr(text, "Usage: sgov test [OPTIONS] JOBID"));
	ck_assert_ptr_nonnull(
		strstr(text, "  -t, --team=TEAM         this team\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "  -a, --all               everything\n"));
	ck_assert_ptr_nonnull(strstr(text, "--noheader"));
	ck_assert_ptr_nonnull(strstr(text, "Examples:\n  sgov test\n"));
	free(text);
}
END_TEST

/* Every command of the table can explain itself. */
START_TEST(every_command_has_help)
{
	for (const struct sgov_command *c = sgov_commands; c->name; c++) {
		char name[32], help[] = "--help", usage[64], *text;
		char *argv[] = { name, help, NULL };
		struct sgov sgov = { .command = c };

		snprintf(name, sizeof(name), "%s", c->name);
		snprintf(usage, sizeof(usage), "Usage: sgov %s", c->name);
		capture_start();
		ck_assert_int_eq(c->run(&sgov, 2, argv), SGOV_OK);
		text = capture_end();
		ck_assert_ptr_nonnull(strstr(text, usage));
		ck_assert_ptr_nonnull(strstr(text, c->summary));
		free(text);
	}
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, tables_align);
	tcase_add_test(tcase, parsable_has_bare_numbers);
	tcase_add_test(tcase, amounts_read_as_people_write_them);
	tcase_add_test(tcase, times_read_as_slurms);
	tcase_add_test(tcase, text_cannot_steer_a_terminal);
	tcase_add_test(tcase, requests_are_written_as_tres);
	tcase_add_test(tcase, options_may_stand_anywhere);
	tcase_add_test(tcase, wrong_options_are_usage_errors);
	tcase_add_test(tcase, help_lists_every_option);
	tcase_add_test(tcase, every_command_has_help);
}

int main(void)
{
	if (!setlocale(LC_ALL, "C.UTF-8"))
		return 77;
	return unit_main("sgov_output", cases);
}
