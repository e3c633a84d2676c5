/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GOVERNANCE_LEDGER_REPORT_PRIVATE_H
#define GOVERNANCE_LEDGER_REPORT_PRIVATE_H

#include "ledger/report_read.h"

/* With GOV_BY_RUN or not: everything apart, for the index. */
#define GOV_BY_DETAIL (1u << 8)

struct gov_report {
	struct gov_report_query query;
	struct gov_account account;
	struct gov_report_row **row; /* hashed; sorted by gov_report_rows() */
	size_t rows;
	struct gov_report_row **bucket;
	size_t buckets;
	struct gov_report_gap *gap;
	size_t gaps;
	char **path; /* per unit of the account, made when asked for */
	uint32_t paths;
	bool no_memory; /* while the accounts told something */
};

/* ---- report.c ---- */
/* SIZE_MAX: in none. */
size_t gov_report_period(const struct gov_report *report, gov_time_t at);

/* The row of a key, made if need be; NULL: no memory. */
struct gov_report_row *gov_report_find(struct gov_report *report,
				       const struct gov_report_key *key);

/* ---- report_read.c ---- */
void gov_report_note_cluster(struct gov_report_source *source,
			     const struct gov_record *record);

/* ---- index.c ---- */
/* Can hours of UTC, without jobs, answer this? */
bool gov_index_serves(const struct gov_report_query *query, gov_time_t now);
/* 1: there is no index; replay.  The report has nothing in it then. */
int gov_index_read(struct gov_report *report, struct gov_report_source *source,
		   struct gov_error *error);

/* ---- report_take.c ---- */
/* Hear what the accounts tell. */
void gov_report_listen(struct gov_report *report);

#endif
