/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sgov ledger: its words and exit codes about what seals vouch for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sgov/sgov.h"
#include "tests/unit/capture.h"
#include "tests/unit/ledger_files.h"
#include "tests/unit/unit.h"

static char *output;

/* The exit code; what it printed is in `output`. */
static int call(const char *word, const char *option)
{
	struct sgov sgov = { .header = true };
	char *argv[] = { (char *) "ledger", (char *) word, directory,
			 (char *) option, NULL };
	int status;

	sgov.command = sgov_find_command("ledger");
	ck_assert_ptr_nonnull(sgov.command);
	free(output);
	capture_start();
	status = sgov.command->run(&sgov, option ? 4 : 3, argv);
	output = capture_end();
	return status;
}

static void must_say(const char *words)
{
	ck_assert_msg(strstr(output, words) != NULL, "not '%s' in: %s", words,
		      output);
}

/* Two days of ten jobs, each with its seal, and two jobs more. */
static void write_days(void)
{
	open_journal();
	for (int64_t day = 0; day < 2; day++) {
		write_jobs(10 * day + 1, 10 * day + 10);
		clock_us = (clock_us / DAY + 1) * DAY;
		turn();
	}
	write_jobs(21, 22);
}

START_TEST(the_last_seal_is_told)
{
	write_days();
	close_journal();
	ck_assert_int_eq(call("verify", NULL), SGOV_OK);
	/* A file's first record, ten jobs and a seal; the same again. */
	must_say("seals           2, the last is of record 23\n");
	must_say("27 records in 3 files");
	must_say("\nas it was written");
}
END_TEST

START_TEST(without_a_seal_none_is_told)
{
	open_journal();
	write_jobs(1, 2);
	close_journal();
	ck_assert_int_eq(call("verify", NULL), SGOV_OK);
	must_say("seals           0\n");
}
END_TEST

/* Its place in the chain is right; what it says is not. */
START_TEST(a_seal_of_another_record_is_none)
{
	static const char *const texts[] = {
		"slurm-governance ledger, cluster test, 2026-12-04, record 23, "
		"hash 0000000000000000000000000000000000000000000000000000000"
		"000000000",
		"a seal",
		NULL,
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct gov_record seal = { .kind = GOV_RECORD_SEAL,
					   .after = 23,
					   .text = texts[i],
					   .credential = "signed" };

		write_days();
		ck_assert_int_eq(gov_journal_append(journal, &seal, clock_us),
				 0);
		commit();
		close_journal();
		ck_assert_int_eq(call("verify", NULL), SGOV_NO);
		must_say("NOT as it was written\n");
		must_say("seals           2, the last is of record 23\n");
		run("rm -r %s", directory);
	}
}
END_TEST

START_TEST(what_is_missing_is_no_yes)
{
	ck_assert_int_eq(call("verify", NULL), SGOV_ERROR);
	ck_assert_int_eq(call("export", NULL), SGOV_ERROR);
	write_days();
	close_journal();
	run("rm %s", last_file());
	ck_assert_int_eq(call("verify", NULL), SGOV_NO);
	must_say("NOT as it was written\n");
	/* What is there is good, and is exported. */
	ck_assert_int_eq(call("export", NULL), SGOV_NO);
	must_say("\"job\":20,");
	ck_assert_ptr_null(strstr(output, "\"job\":21,"));
}
END_TEST

START_TEST(export_is_what_show_shows)
{
	char *shown;

	write_days();
	close_journal();
	ck_assert_int_eq(call("show", NULL), SGOV_OK);
	shown = strdup(output);
	ck_assert_int_eq(call("export", NULL), SGOV_OK);
	ck_assert_str_eq(output, shown);
	ck_assert_int_eq(call("export", "--job=7"), SGOV_OK);
	ck_assert_ptr_null(strchr(strchr(output, '\n') + 1, '\n'));
	must_say("\"job\":7,");
	ck_assert_int_eq(call("show", "--csv"), SGOV_USAGE);
	ck_assert_int_eq(call("verify", "--job=7"), SGOV_USAGE);
	free(shown);
}
END_TEST

static void setup(void)
{
	ledger_setup();
	/* No ledger but this one. */
	unsetenv("GOVERNANCE_LEDGER");
}

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, ledger_teardown);
	tcase_add_test(tcase, the_last_seal_is_told);
	tcase_add_test(tcase, without_a_seal_none_is_told);
	tcase_add_test(tcase, a_seal_of_another_record_is_none);
	tcase_add_test(tcase, what_is_missing_is_no_yes);
	tcase_add_test(tcase, export_is_what_show_shows);
}

int main(void)
{
	return unit_main("sgov_ledger", cases);
}
