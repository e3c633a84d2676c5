/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sgov report: what was asked for, and those who show it. */
#ifndef GOVERNANCE_SGOV_REPORT_H
#define GOVERNANCE_SGOV_REPORT_H

#include "ledger/report.h"
#include "sgov/sgov.h"

enum sgov_report_format {
	SGOV_REPORT_TABLE, /* or --parsable2 */
	SGOV_REPORT_CSV,
	SGOV_REPORT_JSON,
	SGOV_REPORT_HYPERPOD,
	SGOV_REPORT_FOCUS,
};

enum sgov_report_periods { SGOV_WHOLE, SGOV_DAYS, SGOV_MONTHS };

struct sgov_report {
	struct sgov *sgov;
	const char *name; /* "usage" */
	enum sgov_report_format format;
	enum sgov_report_periods periods;
	const char *currency; /* or NULL */
	bool no_index;
	gov_time_t start;
	gov_time_t end;
	gov_time_t *bound;
	struct gov_report_query query;
	struct gov_report *report;
	struct gov_report_row **row;
	size_t rows;
	char cluster[256];
};

/* ---- report_time.c ---- */
/* The values of --timezone=, --start= and --end=; NULL: not given, and *time
 * stays.  What is wrong is told.  SGOV_OK or SGOV_USAGE. */
int sgov_report_zone(const struct sgov *sgov, const char *zone);
int sgov_report_start(const struct sgov *sgov, const char *text,
		      gov_time_t *time);
int sgov_report_end(const struct sgov *sgov, const char *text,
		    gov_time_t *time);
gov_time_t sgov_report_month(gov_time_t time); /* when it began */
/* Fill bound and query.periods; -1: too many. */
int sgov_report_bounds(struct sgov_report *ask);
/* "2026-12-01", local time.  Returns text (32 bytes). */
const char *sgov_report_day(char *text, gov_time_t time);
/* "2026-12-01", "2026-12" or "": the period.  Returns text (32 bytes). */
const char *sgov_report_period(const struct sgov_report *ask, size_t period,
			       char *text);

/* ---- report_show.c ---- */
void sgov_report_show(const struct sgov_report *ask);
/* Hours of a TRES: of GiB where it is memory. */
const char *sgov_report_hours(char *text, const char *tres, gov_sum_t sum,
			      int decimals);

/* ---- report_export.c ---- */
void sgov_report_hyperpod(const struct sgov_report *ask);
void sgov_report_focus(const struct sgov_report *ask);
/* A field of CSV, in quotes where it needs them. */
void sgov_report_csv(const char *text, bool first);

#endif
