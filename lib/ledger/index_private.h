/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GOVERNANCE_LEDGER_INDEX_PRIVATE_H
#define GOVERNANCE_LEDGER_INDEX_PRIVATE_H

#include "ledger/chain.h"
#include "ledger/report_private.h"

/* Each is filled when it is first asked for. */
enum gov_index_table {
	GOV_INDEX_TEAMS, /* usage, without telling runs apart */
	GOV_INDEX_RUNS,	 /* usage by project, user and class */
	GOV_INDEX_LOANS,
	GOV_INDEX_EVICTIONS,
	GOV_INDEX_WAITING,
};

struct sqlite3;

struct gov_index {
	struct gov_report *report; /* to be filled */
	struct gov_report_source *source;
	enum gov_report_kind kind;
	enum gov_index_table table;
	gov_time_t *hour;
	size_t hours;
	struct gov_report *file; /* sums of the file that is being read */
	uint64_t first;		 /* seq of its first record; 0: none yet */
	struct sqlite3 *db;
	/* Keys that it knows; sums.count is their id. */
	struct gov_report *keys;
	uint64_t last_seq; /* of the last record that is in it */
	uint8_t last_hash[GOV_HASH_SIZE];
	bool stale;   /* it is of another journal */
	bool useless; /* it cannot be kept */
};

enum gov_index_table gov_index_table_of(const struct gov_report_query *query);
/* Into the report, with its price. */
int gov_index_add(struct gov_index *index, const struct gov_report_key *key,
		  gov_time_t at, const struct gov_report_sums *sums,
		  const uint32_t *wait, size_t waits);

/* ---- index_file.c: all of SQLite ---- */
/* Open or make it; last_seq and last_hash are filled in.  -1: no index. */
int gov_index_open(struct gov_index *index);
void gov_index_close(struct gov_index *index);
void gov_index_remove(const struct gov_index *index);
/* Sums of a file that ends there. */
int gov_index_write(struct gov_index *index, struct gov_report_row **row,
		    size_t rows, const struct gov_chain *end);
/* Add all that is of the report's time.  -1: it cannot be read. */
int gov_index_tell(struct gov_index *index, struct gov_error *error);

/* ---- report_take.c ---- */
void gov_report_add_gap(struct gov_report *report, struct gov_report_gap gap);

#endif
