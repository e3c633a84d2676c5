/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports: sums over what the accounts tell, by whatever was asked for.  Pure.
 *
 * Everything is summed exactly, in units of a TRES times seconds, and in money
 * of billionths times permille times seconds; who shows it rounds once.
 */
#ifndef GOVERNANCE_LEDGER_REPORT_H
#define GOVERNANCE_LEDGER_REPORT_H

#include "ledger/account.h"

enum gov_report_kind {
	GOV_REPORT_USAGE,
	GOV_REPORT_LOANS,     /* of teams to teams */
	GOV_REPORT_EVICTIONS, /* and who caused them */
	GOV_REPORT_WAITING,   /* from submission to start */
};

/* What has a row of its own. */
enum gov_report_by {
	GOV_BY_TEAM = 1 << 0,
	GOV_BY_UNIT = 1 << 1, /* each with all below it, at every height */
	GOV_BY_PROJECT = 1 << 2,
	GOV_BY_USER = 1 << 3,
	GOV_BY_CLASS = 1 << 4,
	GOV_BY_POOL = 1 << 5,
	GOV_BY_JOB = 1 << 6,
	GOV_BY_OTHER = 1 << 7, /* LOANS: the lender; EVICTIONS: the asker's */
};
/* Only runs have these. */
#define GOV_BY_RUN (GOV_BY_PROJECT | GOV_BY_USER | GOV_BY_CLASS | GOV_BY_JOB)

/* Wide enough for every sum: no report overflows. */
typedef __int128 gov_sum_t;

struct gov_report_query {
	enum gov_report_kind kind;
	unsigned by;
	/* periods + 1 seconds, rising: each period ends where the next begins;
	 * outside of them nothing counts. */
	const gov_time_t *bound;
	size_t periods;
	/* Only these; NULL or -1: all.  A loan is its lender's, too. */
	const char *team;
	const char *unit;
	const char *project;
	const char *class_name;
	const char *pool;
	const char *tres;
	int64_t user;
};

/* Amounts times seconds, and money. */
struct gov_report_sums {
	gov_sum_t own;
	gov_sum_t borrowed;
	gov_sum_t lent;
	gov_sum_t quota;
	gov_sum_t lost; /* work of evicted runs that was not saved */
	gov_sum_t own_cost;
	gov_sum_t borrowed_cost;
	gov_sum_t credit; /* for lent; LOANS: for this loan */
	uint64_t count;	  /* evictions, starts */
};

/* Whose sums they are; what a query does not tell apart is NULL or -1. */
struct gov_report_key {
	size_t period;
	const char *team; /* or the inner unit whose quota it is; "": what is
			     no team's */
	const char *unit;
	const char *project;
	const char *class_name;
	const char *other;
	const char *pool;
	const char *tres;
	int64_t user;
	int64_t job;
	/* Of the index only: `team' is a path then. */
	bool inner;
	uint64_t price;
	uint64_t borrowed;
	uint64_t credit;
};

struct gov_report_row {
	struct gov_report_key key;
	struct gov_report_sums sums;
	uint32_t *wait; /* WAITING: seconds, rising, once it is finished */
	size_t waits;
	struct gov_report_row *chain;
};

/* Nobody watched from, to not. */
struct gov_report_gap {
	gov_time_t from;
	gov_time_t to;
};

/* What is to be counted: one key in full detail. */
struct gov_report_item {
	const char *path; /* units from the top, "a/b/team" */
	bool inner;	  /* the last of them is no team */
	const char *project;
	const char *class_name;
	const char *other;
	const char *pool;
	const char *tres;
	int64_t user; /* -1: no run's */
	int64_t job;
	uint64_t price; /* of the cell at that time, as in account.h */
	uint64_t borrowed;
	uint64_t credit;
	gov_time_t at; /* any second of the period */
	struct gov_report_sums sums;
	int64_t wait; /* seconds, or -1 */
};

struct gov_report;

/* The query is copied, what it points to is not.  NULL: no memory. */
struct gov_report *gov_report_create(const struct gov_report_query *query);
void gov_report_destroy(struct gov_report *report);

/* Nothing if the query does not want it.  -1: no memory. */
int gov_report_add(struct gov_report *report,
		   const struct gov_report_item *item);

/* Records of a ledger in their order.  -1: it contradicts itself. */
int gov_report_take(struct gov_report *report, const struct gov_record *record,
		    struct gov_error *error);
/* What runs goes on until then. */
int gov_report_settle(struct gov_report *report, gov_time_t until,
		      struct gov_error *error);
/* The records that follow stand on their own: a file begins with all that is
 * needed.  Settle before. */
void gov_report_forget(struct gov_report *report);
const struct gov_account *gov_report_account(const struct gov_report *report);

/*
 * Rows in the order of their keys; the report keeps them.  NULL: there are
 * none (*count 0), or no memory (*count not 0).
 */
struct gov_report_row **gov_report_rows(struct gov_report *report,
					size_t *count);
const struct gov_report_gap *gov_report_gaps(const struct gov_report *report,
					     size_t *count);

/* Seconds that at most `percent` of the starts waited no longer than. */
uint32_t gov_report_wait(const struct gov_report_row *row, unsigned percent);

/* sum / divisor with so many decimals (up to 9), rounded half up. */
#define GOV_SUM_TEXT 64
const char *gov_sum_text(char *text, gov_sum_t sum, gov_sum_t divisor,
			 int decimals);
/* What the money of sums is divided by. */
#define GOV_SUM_MONEY ((gov_sum_t) 3600 * 1000000000 * 1000)

#endif
