/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ledger in a directory of its own, for tests of its files. */
#ifndef GOVERNANCE_TESTS_LEDGER_FILES_H
#define GOVERNANCE_TESTS_LEDGER_FILES_H

#include "ledger/journal.h"

#define SECOND INT64_C(1000000)
#define DAY (86400 * SECOND)

extern char base[64];	   /* of this test */
extern char directory[80]; /* of the ledger in it */
extern int64_t clock_us;
extern struct gov_journal *journal;
extern struct gov_journal_found found;

void ledger_setup(void);
void ledger_teardown(void);
/* A command of the shell, which must succeed. */
void run(const char *format, ...) __attribute__((format(printf, 1, 2)));

void open_sized(uint64_t segment_bytes);
void open_journal(void);
void close_journal(void);
void append(int64_t job);
void commit(void);
/* Append and commit jobs one by one. */
void write_jobs(int64_t from, int64_t to);
void turn(void);

/* Filled by verify(), which tells whether nothing is wrong. */
extern struct gov_error fault;
extern int64_t jobs[4096];
extern size_t job_count;
extern struct gov_walk walk;
bool verify(void);
/* Nothing is wrong, and these jobs are there, in this order. */
void must_hold(int64_t from, int64_t to);

/* The last file that is not compressed. */
const char *last_file(void);
/* With a NUL behind it; free() it. */
char *slurp(const char *path, size_t *length);
void spill(const char *path, const char *data, size_t length);

#endif
