/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger's files: nothing that was durable is lost, and nothing is
 * invented.  What is done to them: test_ledger_tamper.c.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/unit/faulty_disk.h"
#include "tests/unit/ledger_files.h"
#include "tests/unit/unit.h"

/* ---- records ---- */

START_TEST(a_record_reads_as_it_was_written)
{
	struct gov_record in = { .kind = GOV_RECORD_START, .seq = 7 }, out = {};
	struct gov_record_row *row = gov_record_add(&in, GOV_LIST_USE);
	struct gov_text text = { 0 };
	struct gov_chain chain = { .seq = 6 }, check = { .seq = 6 };
	struct gov_error error;
	char *line;

	row->text[0] = "h100";
	row->text[1] = "gres/gpu";
	row->number[0] = GOV_AMOUNT_MAX;
	row->numbers = 1;
	in.time = 1796205600 * SECOND + 42;
	in.late = -3;
	in.user = UINT32_MAX;
	in.team = "nlp \"quoted\" \\ \x01\x1f tail";
	gov_record_format(&in, &text);
	gov_chain_close(&chain, &text, 0);
	line = strndup(text.data, text.length - 1);
	ck_assert(gov_chain_follow(&check, line, text.length - 1));
	ck_assert_int_eq(memcmp(&chain, &check, sizeof(chain)), 0);
	ck_assert_msg(!gov_record_parse(line, strlen(line), &out, &error), "%s",
		      error.text);
	ck_assert_uint_eq(out.seq, 7);
	ck_assert_int_eq(out.time, in.time);
	ck_assert_int_eq(out.late, -3);
	ck_assert_int_eq(out.user, UINT32_MAX);
	ck_assert_str_eq(out.team, in.team);
	ck_assert_ptr_null(out.project);
	ck_assert_uint_eq(out.list[GOV_LIST_USE].count, 1);
	ck_assert_uint_eq(out.list[GOV_LIST_USE].row[0].number[0],
			  GOV_AMOUNT_MAX);
	free(line);
	gov_text_free(&text);
	gov_record_free(&in);
	gov_record_free(&out);
}
END_TEST

START_TEST(times_of_every_day)
{
	for (int64_t day = 0; day < 60000; day++) {
		int64_t time = day * DAY + 86399999999, again;
		time_t seconds = (time_t) (time / SECOND);
		char ours[GOV_RECORD_TIME + 1] = "", theirs[64];
		struct tm tm;

		gov_record_time(time, ours);
		strftime(theirs, sizeof(theirs), "%Y-%m-%dT%H:%M:%S.999999Z",
			 gmtime_r(&seconds, &tm));
		ck_assert_str_eq(ours, theirs);
		ck_assert_int_eq(gov_record_read_time(ours, &again), 0);
		ck_assert_int_eq(again, time);
	}
}
END_TEST

/* A frozen one: it must be readable for ever. */
START_TEST(a_line_of_version_1)
{
	char line[] =
		"{\"seq\":2,\"time\":\"2026-12-02T10:00:00.000001Z\",\"kind\":"
		"\"end\",\"at\":1796205600,\"job\":12,\"team\":\"nlp\",\"how\":"
		"\"completed\",\"loans\":[[\"vision\",\"nlp\",\"h100\","
		"\"gres/gpu\",0]],\"hash\":"
		"\"0000000000000000000000000000000000000000000000000000000000"
		"000000\"}";
	struct gov_record record = { 0 };

	ck_assert_int_eq(gov_record_parse(line, strlen(line), &record, NULL),
			 0);
	ck_assert_int_eq(record.kind, GOV_RECORD_END);
	ck_assert_int_eq(record.job, 12);
	ck_assert_str_eq(record.list[GOV_LIST_LOANS].row[0].text[1], "nlp");
	gov_record_free(&record);
}
END_TEST

/* ---- a life ---- */

START_TEST(what_was_committed_is_there)
{
	open_journal();
	ck_assert_uint_eq(found.records, 0);
	write_jobs(1, 5);
	close_journal();
	must_hold(1, 5);
	open_journal();
	ck_assert_uint_eq(found.records, 6);
	ck_assert_int_eq(found.time, clock_us);
	write_jobs(6, 7);
	close_journal();
	must_hold(1, 7);
	ck_assert_uint_eq(walk.segments, 2);
}
END_TEST

START_TEST(one_sync_for_many_records)
{
	open_journal();
	disk.syncs = 0;
	for (int64_t job = 1; job <= 1000; job++)
		append(job);
	commit();
	ck_assert_uint_eq(disk.syncs, 1);
	close_journal();
	must_hold(1, 1000);
}
END_TEST

START_TEST(time_never_goes_back)
{
	open_journal();
	write_jobs(1, 2);
	clock_us -= 3600 * SECOND;
	write_jobs(3, 4);
	close_journal();
	must_hold(1, 4);
}
END_TEST

START_TEST(days_are_sealed_and_files_turn)
{
	struct gov_segments list;

	open_sized(4096);
	for (int day = 0; day < 3; day++) {
		for (int i = 0; i < 30; i++) {
			append(day * 30 + i);
			commit();
			turn();
		}
		clock_us = (clock_us / DAY + 1) * DAY;
		turn();
	}
	close_journal();
	must_hold(0, 89);
	ck_assert_uint_gt(walk.segments, 4);
	ck_assert_int_eq(gov_segments_list(directory, &list, NULL), 0);
	for (size_t i = 0; i < list.count; i++)
		ck_assert(list.item[i].compressed);
	gov_segments_free(&list);
	open_journal();
	write_jobs(90, 90);
	close_journal();
	must_hold(0, 90);
}
END_TEST

/* ---- cuts ---- */

/*
 * The last three records were being written when power failed: of `length`
 * bytes any number may be there.  Those complete are kept, all before are.
 */
START_TEST(a_cut_at_every_byte_of_the_last_records)
{
	char *data, *good, path[256], copy[256];
	size_t length, durable, cut;
	struct gov_chain head;

	open_journal();
	write_jobs(1, 4);
	ck_assert_int_eq(gov_head_read(directory, &head, NULL), 0);
	free(slurp(last_file(), &durable));
	for (int64_t job = 5; job <= 7; job++)
		append(job);
	commit();
	close_journal();
	strcpy(path, last_file());
	data = slurp(path, &length);
	snprintf(copy, sizeof(copy), "%s/copy", base);
	for (cut = durable; cut <= length; cut++) {
		int64_t last = 4;

		for (size_t i = durable; i < cut; i++)
			last += data[i] == '\n';
		run("rm -rf %s && cp -r %s %s", copy, directory, copy);
		spill(path, data, cut);
		gov_head_write(directory, &head);
		ck_assert_msg(verify(), "cut at %zu: %s", cut, fault.text);
		ck_assert_int_eq((int64_t) job_count, last);
		open_journal();
		ck_assert_uint_eq(found.records, (uint64_t) last + 1);
		ck_assert_uint_eq(found.missing, 0);
		ck_assert_uint_eq(found.cut, walk.rest);
		write_jobs(last + 1, last + 1);
		close_journal();
		must_hold(1, last + 1);
		run("rm -rf %s && mv %s %s", directory, copy, directory);
	}
	good = slurp(path, &cut);
	ck_assert_uint_eq(cut, length);
	free(good);
	free(data);
}
END_TEST

/* The same bytes gone after they had been said to be durable. */
START_TEST(what_was_durable_and_is_gone_is_missed)
{
	size_t length;
	char *data, path[256];

	open_journal();
	write_jobs(1, 6);
	close_journal();
	strcpy(path, last_file());
	data = slurp(path, &length);
	for (size_t cut = length - 1; cut > length - 300; cut -= 7) {
		spill(path, data, cut);
		ck_assert(!verify());
		ck_assert_ptr_nonnull(strstr(fault.text, "missing at the end"));
	}
	open_journal();
	ck_assert_uint_gt(found.missing, 0);
	write_jobs(8, 8);
	close_journal();
	ck_assert(!verify());
	ck_assert_ptr_nonnull(strstr(fault.text, "are missing before"));
	free(data);
}
END_TEST

START_TEST(the_first_record_was_being_written)
{
	size_t length;
	char *data, path[256];

	open_journal();
	write_jobs(1, 3);
	close_journal();
	open_journal();
	append(4);
	commit();
	close_journal();
	strcpy(path, last_file());
	data = slurp(path, &length);
	for (size_t cut = 0; cut < 200; cut += 13) {
		struct gov_chain head = { .seq = 1 };

		spill(path, data, cut);
		head = (struct gov_chain){ 0 };
		gov_head_write(directory, &head);
		open_journal();
		ck_assert_uint_eq(found.records, 4);
		ck_assert_uint_eq(found.cut, cut);
		close_journal();
	}
	free(data);
}
END_TEST

/* ---- two governors ---- */

START_TEST(the_second_ones_records_count)
{
	struct gov_journal *first;
	struct gov_error error;

	open_journal();
	write_jobs(1, 3);
	first = journal;
	append(4);
	open_journal();
	write_jobs(4, 5);
	ck_assert_int_eq(gov_journal_commit(first, &error), -1);
	ck_assert(gov_journal_fenced(first));
	write_jobs(6, 6);
	close_journal();
	gov_journal_close(first);
	must_hold(1, 6);
}
END_TEST

/* It checked a moment too early, and wrote behind where the other went on. */
START_TEST(a_late_record_is_fenced)
{
	struct gov_journal *first;
	char epoch[128];

	open_journal();
	write_jobs(1, 3);
	first = journal;
	open_journal();
	write_jobs(4, 5);
	snprintf(epoch, sizeof(epoch), "%s/epoch", directory);
	run("cp %s %s/epoch && echo 1 >%s", epoch, base, epoch);
	{
		struct gov_journal *second = journal;
		struct gov_chain head;

		ck_assert_int_eq(gov_head_read(directory, &head, NULL), 0);
		journal = first;
		write_jobs(100, 101);
		journal = second;
		gov_head_write(directory, &head);
	}
	run("cp %s/epoch %s", base, epoch);
	write_jobs(6, 6);
	close_journal();
	gov_journal_close(first);
	must_hold(1, 6);
	ck_assert_uint_eq(walk.fenced, 2);
}
END_TEST

/* ---- a bad disk ---- */

static void fail_commit(const char *what)
{
	struct gov_error error;

	ck_assert_int_eq(gov_journal_commit(journal, &error), -1);
	ck_assert_msg(strstr(error.text, what) != NULL, "%s", error.text);
}

START_TEST(disk_full)
{
	open_journal();
	write_jobs(1, 3);
	for (long room = 0; room < 600; room += 37) {
		disk.room = room;
		append(4 + 2 * (room / 37));
		append(5 + 2 * (room / 37));
		/* Two records do not fit into this. */
		if (room < 260)
			fail_commit("No space left");
		disk.room = -1;
		commit();
	}
	close_journal();
	must_hold(1, 3 + 2 * 17);
}
END_TEST

START_TEST(writes_and_syncs_that_fail)
{
	open_journal();
	write_jobs(1, 2);
	disk.write_error = EIO;
	append(3);
	fail_commit("Input/output error");
	append(4);
	fail_commit("Input/output error");
	disk.write_error = 0;
	disk.sync_error = EIO;
	append(5);
	fail_commit("cannot sync");
	ck_assert_uint_eq(gov_journal_durable(journal), 3);
	disk.sync_error = 0;
	commit();
	ck_assert_uint_eq(gov_journal_durable(journal), 6);
	close_journal();
	must_hold(1, 5);
}
END_TEST

START_TEST(a_disk_that_is_read_only_for_a_while)
{
	open_journal();
	disk.create_error = EROFS;
	append(1);
	fail_commit("Read-only file system");
	append(2);
	fail_commit("Read-only file system");
	disk.create_error = 0;
	commit();
	close_journal();
	must_hold(1, 2);
}
END_TEST

/* Killed while the disk was full: what had been durable is there. */
START_TEST(a_crash_on_a_full_disk)
{
	for (long room = 1; room < 500; room += 23) {
		open_journal();
		write_jobs(1, 3);
		append(4);
		append(5);
		disk.room = room;
		if (room < 260)
			fail_commit("No space left");
		else
			gov_journal_commit(journal, NULL);
		disk.room = -1;
		close_journal();
		ck_assert_msg(verify(), "%s", fault.text);
		ck_assert_uint_ge(job_count, 3);
		open_journal();
		ck_assert_uint_eq(found.missing, 0);
		close_journal();
		run("rm -rf %s", directory);
	}
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, ledger_setup, ledger_teardown);
	tcase_add_test(tcase, a_record_reads_as_it_was_written);
	tcase_add_test(tcase, times_of_every_day);
	tcase_add_test(tcase, a_line_of_version_1);
	tcase_add_test(tcase, what_was_committed_is_there);
	tcase_add_test(tcase, one_sync_for_many_records);
	tcase_add_test(tcase, time_never_goes_back);
	tcase_add_test(tcase, days_are_sealed_and_files_turn);
	tcase_add_test(tcase, a_cut_at_every_byte_of_the_last_records);
	tcase_add_test(tcase, what_was_durable_and_is_gone_is_missed);
	tcase_add_test(tcase, the_first_record_was_being_written);
	tcase_add_test(tcase, the_second_ones_records_count);
	tcase_add_test(tcase, a_late_record_is_fenced);
	tcase_add_test(tcase, disk_full);
	tcase_add_test(tcase, writes_and_syncs_that_fail);
	tcase_add_test(tcase, a_disk_that_is_read_only_for_a_while);
	tcase_add_test(tcase, a_crash_on_a_full_disk);
}

int main(void)
{
	return unit_main("ledger", cases);
}
