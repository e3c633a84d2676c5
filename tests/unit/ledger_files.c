/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/ledger_files.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char base[64];	    /* of this test */
char directory[80]; /* of the ledger in it */
int64_t clock_us;
struct gov_journal *journal;
struct gov_journal_found found;

void run(const char *format, ...)
{
	char command[512];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	ck_assert_int_eq(system(command), 0);
}

void ledger_setup(void)
{
	/* In memory if possible: it writes files by the ten thousand. */
	strcpy(base, access("/dev/shm", W_OK) ? "/tmp/test-ledger-XXXXXX" :
						"/dev/shm/test-ledger-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(base));
	snprintf(directory, sizeof(directory), "%s/ledger", base);
	clock_us = 1796205600 * SECOND;
}

void ledger_teardown(void)
{
	run("rm -rf %s", base);
}

static char *sign(void *arg, const char *text)
{
	char *credential;

	return asprintf(&credential, "signed:%s", text) < 0 ? NULL : credential;
}

void open_sized(uint64_t segment_bytes)
{
	struct gov_journal_setup how = {
		.directory = directory,
		.cluster = "test",
		.host = "here",
		.segment_bytes = segment_bytes,
		.sign = sign,
	};
	struct gov_error error;

	journal = gov_journal_open(&how, NULL, &found, &error);
	ck_assert_msg(journal != NULL, "%s", error.text);
}

void open_journal(void)
{
	open_sized(1 << 30);
}

void close_journal(void)
{
	gov_journal_close(journal);
	journal = NULL;
}

void append(int64_t job)
{
	struct gov_record record = { .kind = GOV_RECORD_ADMIT, .job = job };

	clock_us += SECOND;
	ck_assert_int_eq(gov_journal_append(journal, &record, clock_us), 0);
}

void commit(void)
{
	struct gov_error error;

	ck_assert_msg(!gov_journal_commit(journal, &error), "%s", error.text);
}

void write_jobs(int64_t from, int64_t to)
{
	for (int64_t job = from; job <= to; job++) {
		append(job);
		commit();
	}
}

void turn(void)
{
	struct gov_error error;

	ck_assert_msg(!gov_journal_turn(journal, clock_us, &error), "%s",
		      error.text);
}

/* ---- looking at it ---- */

struct gov_error fault;
int64_t jobs[4096];
size_t job_count;
struct gov_walk walk;

static int note(void *arg, const struct gov_record *record,
		const struct gov_chain *before, struct gov_error *error)
{
	if (record->kind == GOV_RECORD_ADMIT && job_count < 4096)
		jobs[job_count++] = record->job;
	return 0;
}

bool verify(void)
{
	walk = (struct gov_walk){ .directory = directory, .visit = note };
	job_count = 0;
	fault.text[0] = '\0';
	return !gov_walk(&walk, &fault);
}

void must_hold(int64_t from, int64_t to)
{
	ck_assert_msg(verify(), "%s", fault.text);
	ck_assert_int_eq((int64_t) job_count, to - from + 1);
	for (size_t i = 0; i < job_count; i++)
		ck_assert_int_eq(jobs[i], from + (int64_t) i);
}

const char *last_file(void)
{
	static char path[256];
	struct gov_segments list;

	ck_assert_int_eq(gov_segments_list(directory, &list, NULL), 0);
	ck_assert_uint_gt(list.count, 0);
	snprintf(path, sizeof(path), "%s/%s", directory,
		 list.item[list.count - 1].name);
	gov_segments_free(&list);
	return path;
}

char *slurp(const char *path, size_t *length)
{
	FILE *file = fopen(path, "r");
	char *data = calloc(1, 1 << 22);

	ck_assert_ptr_nonnull(file);
	*length = fread(data, 1, 1 << 22, file);
	fclose(file);
	return data;
}

void spill(const char *path, const char *data, size_t length)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, length, file), length);
	fclose(file);
}
