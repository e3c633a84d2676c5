/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whatever is done to the files of a ledger is found, and verify says where:
 * all records before that place are there, and no other.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/ledger_files.h"
#include "tests/unit/unit.h"

/* ---- a small one, everywhere ---- */

static void fill_three_files(void)
{
	open_sized(1500);
	for (int64_t job = 1; job <= 12; job++) {
		append(job);
		commit();
		turn();
	}
	close_journal();
	open_journal();
	write_jobs(13, 15);
	close_journal();
	must_hold(1, 15);
}

START_TEST(one_flipped_bit_anywhere_is_found)
{
	struct gov_segments list;
	char path[256];

	fill_three_files();
	ck_assert_int_eq(gov_segments_list(directory, &list, NULL), 0);
	ck_assert_uint_ge(list.count, 3);
	for (size_t i = 0; i <= list.count; i++) {
		size_t length;
		char *data;

		snprintf(path, sizeof(path), "%s/%s", directory,
			 i < list.count ? list.item[i].name : "head");
		data = slurp(path, &length);
		for (size_t bit = 0; bit < 8 * length; bit += 5) {
			data[bit / 8] ^= (char) (1 << bit % 8);
			spill(path, data, length);
			ck_assert_msg(!verify(), "%s: bit %zu of byte %zu",
				      path, bit % 8, bit / 8);
			data[bit / 8] ^= (char) (1 << bit % 8);
		}
		spill(path, data, length);
		free(data);
	}
	gov_segments_free(&list);
	must_hold(1, 15);
}
END_TEST

START_TEST(the_first_bad_record_is_named)
{
	size_t length;
	char *data, *at;

	open_journal();
	write_jobs(1, 9);
	close_journal();
	data = slurp(last_file(), &length);
	at = strstr(data, "\"job\":4");
	at[6] = '5';
	spill(last_file(), data, length);
	ck_assert(!verify());
	ck_assert_ptr_nonnull(strstr(fault.text, "line 5 (record 5)"));
	ck_assert_uint_eq(job_count, 3);
	free(data);
}
END_TEST

START_TEST(damage_before_the_end_is_left_as_it_is)
{
	size_t length, after;
	char *data, path[256];

	open_journal();
	write_jobs(1, 9);
	close_journal();
	strcpy(path, last_file());
	data = slurp(path, &length);
	data[length / 2] ^= 1;
	spill(path, data, length);
	open_journal();
	ck_assert_str_ne(found.damage, "");
	ck_assert_uint_eq(found.missing, 0);
	write_jobs(10, 11);
	close_journal();
	free(slurp(path, &after));
	ck_assert_uint_eq(after, length);
	ck_assert(!verify());
	data[length / 2] ^= 1;
	spill(path, data, length);
	must_hold(1, 11);
	free(data);
}
END_TEST

/* ---- a large one ---- */

#define JOBS 3000
#define COMMITS 4096

/* Its files as they were written. */
static struct {
	struct gov_segment segment;
	char path[256];
	char *raw; /* the file */
	size_t raw_length;
	char *text; /* its lines */
	size_t length;
	int64_t jobs; /* in files before it */
} files[64];
static size_t file_count;

/* What had been acknowledged when the last file had that many bytes. */
static struct {
	size_t length;
	struct gov_chain head;
} commits[COMMITS];
static size_t commit_count;

static uint64_t seed;

/* xorshift64: the same numbers on every machine. */
static size_t random_below(size_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (size_t) (seed % limit);
}

/* Lines, or jobs, that are complete in so many bytes. */
static int64_t lines_in(const char *text, size_t length, bool of_jobs)
{
	const char *at = text, *end = text + length, *newline;
	int64_t count = 0;

	for (; (newline = memchr(at, '\n', (size_t) (end - at)));
	     at = newline + 1)
		count += !of_jobs || memmem(at, (size_t) (newline - at),
					    "\"kind\":\"admit\"", 14);
	return count;
}

static void note_commit(void)
{
	struct gov_chain head;
	size_t length;

	ck_assert_uint_lt(commit_count, COMMITS);
	ck_assert_int_eq(gov_head_read(directory, &head, NULL), 0);
	free(slurp(last_file(), &length));
	commits[commit_count].length = length;
	commits[commit_count++].head = head;
}

/* Days, files that were closed when large, and governors that were killed. */
static void write_large(void)
{
	int64_t job = 1;

	open_sized(48 << 10);
	while (job <= JOBS) {
		for (size_t n = 1 + random_below(9); n && job <= JOBS; n--)
			append(job++);
		commit();
		if (job > JOBS - 500)
			continue;
		turn();
		if (job / 700 != (job - 9) / 700)
			clock_us += DAY;
		if (job / 900 != (job - 9) / 900) {
			close_journal();
			open_sized(48 << 10);
		}
	}
	close_journal();
	/* The last governor: each of its commits is known. */
	open_sized(1 << 30);
	commit_count = 0;
	while (job <= JOBS + 400) {
		for (size_t n = 1 + random_below(9); n; n--)
			append(job++);
		commit();
		note_commit();
	}
	close_journal();
	must_hold(1, job - 1);
}

static void read_large(void)
{
	struct gov_segments list;
	int64_t before = 0;

	ck_assert_int_eq(gov_segments_list(directory, &list, NULL), 0);
	ck_assert_uint_ge(list.count, 10);
	ck_assert_uint_le(list.count, 64);
	file_count = list.count;
	for (size_t i = 0; i < file_count; i++) {
		files[i].segment = list.item[i];
		files[i].jobs = before;
		snprintf(files[i].path, sizeof(files[i].path), "%s/%s",
			 directory, list.item[i].name);
		files[i].raw = slurp(files[i].path, &files[i].raw_length);
		ck_assert_int_eq(gov_segment_load(directory, &list.item[i],
						  &files[i].text,
						  &files[i].length, NULL, NULL),
				 0);
		before += lines_in(files[i].text, files[i].length, true);
	}
	gov_segments_free(&list);
}

static void large_setup(void)
{
	ledger_setup();
	seed = 20261203;
	write_large();
	read_large();
}

static void large_teardown(void)
{
	for (size_t i = 0; i < file_count; i++) {
		free(files[i].raw);
		free(files[i].text);
	}
	ledger_teardown();
}

static bool is_last(size_t file)
{
	return file + 1 == file_count;
}

static void restore(size_t file)
{
	spill(files[file].path, files[file].raw, files[file].raw_length);
}

static uint64_t end_of(size_t file)
{
	return files[file].segment.first +
	       (uint64_t) lines_in(files[file].text, files[file].length,
				   false) -
	       1;
}

/* verify says so, and has seen the first `count` jobs and nothing else. */
static void must_tell(int64_t count, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void must_tell(int64_t count, const char *format, ...)
{
	char expected[512];
	va_list args;

	va_start(args, format);
	vsnprintf(expected, sizeof(expected), format, args);
	va_end(args);
	ck_assert_msg(!verify(), "nothing is found, but: %s", expected);
	ck_assert_msg(strstr(fault.text, expected) != NULL,
		      "found: %s\ninstead of: %s", fault.text, expected);
	ck_assert_int_eq((int64_t) job_count, count);
	for (size_t i = 0; i < job_count; i++)
		ck_assert_int_eq(jobs[i], (int64_t) i + 1);
}

/* Records from this one to the end of the file are not there. */
static void must_miss(size_t file, uint64_t from, int64_t count)
{
	if (is_last(file))
		must_tell(count,
			  "records %" PRIu64 " to %" PRIu64
			  " are missing at the end",
			  from, end_of(file));
	else
		must_tell(count,
			  "records %" PRIu64 " to %" PRIu64
			  " are missing before %s",
			  from, end_of(file), files[file + 1].segment.name);
}

/* ---- cuts ---- */

static void cut_plain(size_t file, size_t cut)
{
	int64_t lines = lines_in(files[file].text, cut, false);
	int64_t count = files[file].jobs +
			lines_in(files[file].text, cut, true);
	uint64_t next = files[file].segment.first + (uint64_t) lines;
	bool within = cut && files[file].text[cut - 1] != '\n';

	if (!lines)
		must_tell(count,
			  "%s, line 1 (record %" PRIu64 "): the file "
			  "holds no record",
			  files[file].segment.name, next);
	else if (within && !is_last(file))
		must_tell(count,
			  "%s, line %" PRId64 " (record %" PRIu64
			  "): it is incomplete",
			  files[file].segment.name, lines + 1, next);
	else
		must_miss(file, next, count);
}

START_TEST(a_cut_at_random_bytes_of_a_large_journal)
{
	for (int i = 0; i < 200; i++) {
		size_t file = random_below(file_count), cut;

		cut = random_below(files[file].raw_length);
		spill(files[file].path, files[file].raw, cut);
		if (files[file].segment.compressed)
			must_tell(files[file].jobs, "%s is damaged",
				  files[file].segment.name);
		else
			cut_plain(file, cut);
		restore(file);
	}
	ck_assert_msg(verify(), "%s", fault.text);
}
END_TEST

/*
 * Power failed while the last file had so many bytes; all that had been
 * acknowledged by then is kept, and the next governor goes on behind it.
 */
static void fail_power_at(size_t cut)
{
	const char *text = files[file_count - 1].text;
	int64_t count = files[file_count - 1].jobs + lines_in(text, cut, true);
	size_t rest = 0, last = 0;

	for (size_t i = 0; i < commit_count && commits[i].length <= cut; i++)
		last = i;
	while (rest < cut && text[cut - 1 - rest] != '\n')
		rest++;
	spill(files[file_count - 1].path, text, cut);
	gov_head_write(directory, &commits[last].head);
	must_hold(1, count);
	ck_assert_uint_ge(walk.chain.seq, commits[last].head.seq);
	ck_assert_uint_eq(walk.rest, rest);
	open_journal();
	ck_assert_uint_eq(found.missing, 0);
	ck_assert_uint_eq(found.cut, rest);
	ck_assert_str_eq(found.damage, "");
	write_jobs(count + 1, count + 2);
	close_journal();
	must_hold(1, count + 2);
}

START_TEST(power_fails_at_random_bytes_of_a_large_journal)
{
	size_t last = file_count - 1;

	run("cp -r %s %s/kept", directory, base);
	for (int i = 0; i < 200; i++) {
		size_t begin = commits[0].length;

		fail_power_at(begin +
			      random_below(files[last].length - begin + 1));
		run("rm -rf %s && cp -r %s/kept %s", directory, base,
		    directory);
	}
}
END_TEST

/* ---- one bit ---- */

static void flipped_plain(size_t file, size_t byte)
{
	const char *text = files[file].text;
	int64_t lines = lines_in(text, byte, false);
	int64_t count = files[file].jobs + lines_in(text, byte, true);
	uint64_t next = files[file].segment.first + (uint64_t) lines;

	/* Without its newline the last line was never finished. */
	if (is_last(file) && byte + 1 == files[file].length)
		must_miss(file, next, count);
	else
		must_tell(count, "%s, line %" PRId64 " (record %" PRIu64 "): ",
			  files[file].segment.name, lines + 1, next);
}

START_TEST(a_flipped_bit_at_random_places_of_a_large_journal)
{
	for (int i = 0; i < 300; i++) {
		size_t file = random_below(file_count);
		size_t byte = random_below(files[file].raw_length);
		char bit = (char) (1 << random_below(8));

		files[file].raw[byte] ^= bit;
		restore(file);
		files[file].raw[byte] ^= bit;
		if (files[file].segment.compressed)
			must_tell(files[file].jobs, "%s is damaged",
				  files[file].segment.name);
		else
			flipped_plain(file, byte);
		restore(file);
	}
	ck_assert_msg(verify(), "%s", fault.text);
}
END_TEST

/* ---- something is taken out ---- */

/* The file in plain, without one line; the next one still knows its digest. */
static void remove_line(size_t file, size_t begin, size_t end)
{
	struct gov_segment plain = files[file].segment;
	size_t rest = files[file].length - end;
	char *text = calloc(1, files[file].length + 1), path[256];

	memcpy(text, files[file].text, begin);
	memcpy(text + begin, files[file].text + end, rest);
	plain.compressed = false;
	gov_segment_name(&plain);
	snprintf(path, sizeof(path), "%s/%s", directory, plain.name);
	run("rm %s", files[file].path);
	spill(path, text, begin + rest);
	free(text);
}

static void put_back(size_t file)
{
	struct gov_segment plain = files[file].segment;

	plain.compressed = false;
	gov_segment_name(&plain);
	run("rm -f %s/%s", directory, plain.name);
	restore(file);
}

/* As good a forger as one can be who does not write all that follows anew. */
static void pack(size_t file)
{
	struct gov_segment plain = files[file].segment;
	uint8_t digest[GOV_HASH_SIZE];

	plain.compressed = false;
	gov_segment_name(&plain);
	ck_assert_int_eq(gov_segment_compress(directory, &plain, digest, NULL),
			 0);
}

static void without_line(size_t file, size_t begin, size_t end)
{
	const char *text = files[file].text;
	int64_t line = lines_in(text, begin, false);
	int64_t count = files[file].jobs + lines_in(text, begin, true);
	uint64_t seq = files[file].segment.first + (uint64_t) line;
	char name[GOV_SEGMENT_NAME];

	remove_line(file, begin, end);
	if (files[file].segment.compressed)
		pack(file);
	snprintf(name, sizeof(name), "%s", files[file].segment.name);
	if (end == files[file].length)
		must_miss(file, seq, count);
	else
		must_tell(count,
			  "%s, line %" PRId64 " (record %" PRIu64 "): ", name,
			  line + 1, seq);
	put_back(file);
}

START_TEST(a_removed_record_is_found)
{
	for (int i = 0; i < 150; i++) {
		size_t file = random_below(file_count), begin, end;
		const char *text = files[file].text;

		begin = random_below(files[file].length);
		while (begin && text[begin - 1] != '\n')
			begin--;
		end = (size_t) (strchr(text + begin, '\n') + 1 - text);
		without_line(file, begin, end);
	}
	for (size_t file = 0; file < file_count; file++) {
		const char *text = files[file].text;
		size_t first = (size_t) (strchr(text, '\n') + 1 - text);
		size_t last = files[file].length - 1;

		while (text[last - 1] != '\n')
			last--;
		without_line(file, 0, first);
		without_line(file, last, files[file].length);
	}
	ck_assert_msg(verify(), "%s", fault.text);
}
END_TEST

START_TEST(a_removed_seal_is_found)
{
	size_t seals = 0;

	for (size_t file = 0; file < file_count; file++) {
		const char *text = files[file].text;
		const char *seal = strstr(text, "\"kind\":\"seal\"");
		size_t begin;

		if (!seal)
			continue;
		seals++;
		begin = (size_t) (seal - text);
		while (text[begin - 1] != '\n')
			begin--;
		/* A day ends with its seal, and a file with the day. */
		ck_assert_uint_eq((size_t) (strchr(seal, '\n') + 1 - text),
				  files[file].length);
		without_line(file, begin, files[file].length);
	}
	ck_assert_uint_ge(seals, 3);
	ck_assert_msg(verify(), "%s", fault.text);
}
END_TEST

START_TEST(removed_files_are_found)
{
	size_t end = file_count - 1;
	int64_t all = files[end].jobs +
		      lines_in(files[end].text, files[end].length, true);

	for (size_t file = 0; file < file_count; file++)
		for (size_t more = 0; more < 3; more++) {
			size_t last = file + more;

			if (last >= file_count)
				break;
			for (size_t i = file; i <= last; i++)
				run("rm %s", files[i].path);
			if (file || !is_last(last))
				must_miss(last, files[file].segment.first,
					  files[file].jobs);
			for (size_t i = file; i <= last; i++)
				restore(i);
		}
	run("mv %s/head %s/head", directory, base);
	must_tell(all, "the file head is missing");
	run("mv %s/head %s/head", base, directory);
	ck_assert_msg(verify(), "%s", fault.text);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, ledger_setup, ledger_teardown);
	tcase_add_test(tcase, one_flipped_bit_anywhere_is_found);
	tcase_add_test(tcase, the_first_bad_record_is_named);
	tcase_add_test(tcase, damage_before_the_end_is_left_as_it_is);
}

static void large_cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, large_setup, large_teardown);
	tcase_add_test(tcase, a_cut_at_random_bytes_of_a_large_journal);
	tcase_add_test(tcase, power_fails_at_random_bytes_of_a_large_journal);
	tcase_add_test(tcase,
		       a_flipped_bit_at_random_places_of_a_large_journal);
	tcase_add_test(tcase, a_removed_record_is_found);
	tcase_add_test(tcase, a_removed_seal_is_found);
	tcase_add_test(tcase, removed_files_are_found);
}

int main(void)
{
	int small = unit_main("ledger_tamper", cases);

	return unit_main("ledger_tamper_large", large_cases) | small;
}
