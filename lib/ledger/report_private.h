/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GOVERNANCE_LEDGER_REPORT_PRIVATE_H
#define GOVERNANCE_LEDGER_REPORT_PRIVATE_H

#include "ledger/report.h"

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

/* ---- report_take.c ---- */
/* Hear what the accounts tell. */
void gov_report_listen(struct gov_report *report);

#endif
