/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Following a ledger: each record once, in order, whatever becomes of files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/follow.h"
#include "tests/unit/ledger_files.h"
#include "tests/unit/unit.h"

static struct gov_follow follow;
static int64_t seen[4096]; /* jobs */
static size_t seen_count;
static uint64_t last_seq;

static void see(void *arg, const struct gov_record *record, const char *line,
		size_t length)
{
	char seq[64];

	/* It is the line of this record. */
	snprintf(seq, sizeof(seq), "{\"seq\":%llu,",
		 (unsigned long long) record->seq);
	ck_assert_int_eq(strncmp(line, seq, strlen(seq)), 0);
	ck_assert_uint_eq(strlen(line), length);
	last_seq = record->seq;
	if (record->kind == GOV_RECORD_ADMIT && seen_count < 4096)
		seen[seen_count++] = record->job;
}

static void begin(void)
{
	struct gov_error error;

	follow = (struct gov_follow){ .directory = directory, .visit = see };
	seen_count = 0;
	last_seq = 0;
	ck_assert_msg(!gov_follow_begin(&follow, &error), "%s", error.text);
	ck_assert_uint_eq(seen_count, 0);
}

static void look(void)
{
	struct gov_error error;

	ck_assert_msg(!gov_follow_read(&follow, &error), "%s", error.text);
}

static void must_have_seen(int64_t from, int64_t to)
{
	look();
	ck_assert_int_eq((int64_t) seen_count, to - from + 1);
	for (size_t i = 0; i < seen_count; i++)
		ck_assert_int_eq(seen[i], from + (int64_t) i);
}

static void end(void)
{
	gov_follow_end(&follow);
	ck_assert_int_eq(follow.fd, -1);
}

START_TEST(only_what_is_new)
{
	open_journal();
	write_jobs(1, 5);
	begin();
	must_have_seen(6, 5);
	write_jobs(6, 7);
	must_have_seen(6, 7);
	append(8);
	must_have_seen(6, 7);
	append(9);
	commit();
	must_have_seen(6, 9);
	close_journal();
	end();
}
END_TEST

START_TEST(a_ledger_that_begins_while_it_is_looked_at)
{
	run("mkdir -p %s", directory);
	begin();
	must_have_seen(1, 0);
	open_journal();
	must_have_seen(1, 0);
	write_jobs(1, 3);
	must_have_seen(1, 3);
	ck_assert_uint_eq(last_seq, 4);
	close_journal();
	end();
}
END_TEST

/* Looked at after every so many records; files are closed every few. */
START_TEST(files_are_closed_and_compressed)
{
	static const int64_t steps[] = { 1, 2, 7, 60, 200 };

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		open_sized(1500);
		append(1);
		commit();
		begin();
		for (int64_t job = 2; job <= 201; job++) {
			append(job);
			commit();
			turn();
			if (job % 40 == 0)
				clock_us += DAY;
			if (job % steps[i] == 0)
				must_have_seen(2, job);
		}
		must_have_seen(2, 201);
		ck_assert_uint_eq(last_seq, gov_journal_durable(journal));
		ck_assert_uint_eq(follow.missing + follow.fenced, 0);
		close_journal();
		must_hold(1, 201);
		end();
		run("rm -r %s", directory);
	}
}
END_TEST

START_TEST(a_line_that_is_being_written)
{
	size_t length;
	char *data, path[256];

	open_journal();
	write_jobs(1, 2);
	begin();
	free(slurp(last_file(), &length));
	write_jobs(3, 4);
	strcpy(path, last_file());
	data = slurp(path, &length);
	for (size_t part = 0; part <= length; part++) {
		size_t lines = 0;

		if (part < follow.offset)
			continue;
		spill(path, data, part);
		look();
		for (size_t i = 0; i < part; i++)
			lines += data[i] == '\n';
		ck_assert_uint_eq(seen_count, lines - 3);
	}
	must_have_seen(3, 4);
	free(data);
	close_journal();
	end();
}
END_TEST

/* Killed in the middle of a line; the next one cuts it off and goes on. */
START_TEST(governors_come_and_go)
{
	open_journal();
	write_jobs(1, 2);
	begin();
	for (int64_t job = 3; job < 40; job += 2) {
		write_jobs(job, job);
		if (job % 4 == 1)
			must_have_seen(3, job);
		close_journal();
		run("printf '{\"seq\":' >>%s", last_file());
		if (job % 3 == 1)
			look();
		open_journal();
		ck_assert_uint_eq(found.cut, 7);
		write_jobs(job + 1, job + 1);
	}
	must_have_seen(3, 40);
	ck_assert_uint_eq(follow.missing + follow.fenced, 0);
	close_journal();
	end();
}
END_TEST

/* The second governor went on after record 4; the first one wrote more. */
START_TEST(a_replaced_governor)
{
	struct gov_journal *first, *second;
	char epoch[128];

	open_journal();
	write_jobs(1, 2);
	begin();
	write_jobs(3, 3);
	first = journal;
	open_journal();
	second = journal;
	snprintf(epoch, sizeof(epoch), "%s/epoch", directory);
	run("cp %s %s/epoch && echo 1 >%s", epoch, base, epoch);
	journal = first;
	write_jobs(100, 101);
	journal = second;
	run("cp %s/epoch %s", base, epoch);
	look();
	ck_assert_uint_eq(seen_count, 3);
	ck_assert_uint_eq(follow.fenced, 0);
	write_jobs(4, 5);
	look();
	ck_assert_uint_eq(follow.fenced, 2);
	ck_assert_uint_eq(follow.missing, 0);
	ck_assert_uint_eq(seen_count, 5);
	ck_assert_int_eq(seen[3], 4);
	ck_assert_int_eq(seen[4], 5);
	close_journal();
	gov_journal_close(first);
	must_hold(1, 5);
	end();
}
END_TEST

START_TEST(what_is_gone_is_counted)
{
	size_t length;
	char *data, path[256];

	open_journal();
	write_jobs(1, 2);
	begin();
	strcpy(path, last_file());
	data = slurp(path, &length);
	write_jobs(3, 6);
	close_journal();
	/* Acknowledged, and lost before it could be looked at. */
	spill(path, data, length);
	open_journal();
	ck_assert_uint_eq(found.missing, 4);
	write_jobs(7, 8);
	must_have_seen(7, 8);
	ck_assert_uint_eq(follow.missing, 4);
	close_journal();
	free(data);
	end();
}
END_TEST

START_TEST(a_forged_record_ends_it)
{
	struct gov_error error;
	size_t length;
	char *data, *at;

	open_journal();
	write_jobs(1, 2);
	begin();
	write_jobs(3, 6);
	close_journal();
	data = slurp(last_file(), &length);
	at = strstr(data, "\"job\":5");
	at[6] = '9';
	spill(last_file(), data, length);
	ck_assert_int_eq(gov_follow_read(&follow, &error), -1);
	ck_assert_ptr_nonnull(strstr(error.text, "record 6: its hash"));
	ck_assert_int_eq(error.code, GOV_E_VALUE);
	ck_assert_uint_eq(seen_count, 2);
	free(data);
	end();
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, ledger_setup, ledger_teardown);
	tcase_add_test(tcase, only_what_is_new);
	tcase_add_test(tcase, a_ledger_that_begins_while_it_is_looked_at);
	tcase_add_test(tcase, files_are_closed_and_compressed);
	tcase_add_test(tcase, a_line_that_is_being_written);
	tcase_add_test(tcase, governors_come_and_go);
	tcase_add_test(tcase, a_replaced_governor);
	tcase_add_test(tcase, what_is_gone_is_counted);
	tcase_add_test(tcase, a_forged_record_ends_it);
}

int main(void)
{
	return unit_main("ledger_follow", cases);
}
