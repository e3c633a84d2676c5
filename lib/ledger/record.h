/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of the ledger: one JSON object a line.
 *
 *	{"seq":7,"time":"2026-12-02T10:00:00.000123Z","kind":"start",
 *	 "at":1796205600,"job":12, ... ,"hash":"<64 hex digits>"}
 *
 * Members stand in the order of the tables in record.c; what is zero or empty
 * is left out.  "hash" is always the last (chain.h).  Pure functions.
 */
#ifndef GOVERNANCE_LEDGER_RECORD_H
#define GOVERNANCE_LEDGER_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/amount.h"
#include "core/error.h"
#include "ledger/text.h"

#define GOV_LEDGER_VERSION 1
#define GOV_RECORD_LINE_MAX (16u << 20) /* bytes of a line, at most */

enum gov_record_kind {
	GOV_RECORD_NONE,
	GOV_RECORD_SEGMENT,  /* first of every file: version, prev, epoch */
	GOV_RECORD_CARRY,    /* a run that goes on from the file before */
	GOV_RECORD_OPEN,     /* a governor begins; since when none watched */
	GOV_RECORD_CLOSE,    /* it ends in good order */
	GOV_RECORD_SEAL,     /* end of a day, signed */
	GOV_RECORD_POLICY,   /* a policy is in force, whole, with loans anew */
	GOV_RECORD_CAPACITY, /* of a cell: count healthy, amount installed */
	GOV_RECORD_SUBMIT,   /* a submission and its verdict */
	GOV_RECORD_ADMIT,    /* a waiting job may start */
	GOV_RECORD_WITHDRAW, /* admitted, not started, and waits again */
	GOV_RECORD_NOTICE,   /* told to leave */
	GOV_RECORD_START,    /* a run begins */
	GOV_RECORD_CHANGE,   /* it holds other amounts from now on */
	GOV_RECORD_END,	     /* it is over */
	GOV_RECORD_ORDER,    /* an operator's word */
	GOV_RECORD_LOST,     /* records that could not be kept */
	GOV_RECORD_KINDS
};

/* One element of a list: some texts, then some numbers. */
struct gov_record_row {
	const char *text[4]; /* the first NULL ends them */
	uint64_t number[3];
	uint8_t numbers;
};

enum gov_record_list_name {
	GOV_LIST_USE,	 /* [pool, tres, amount] */
	GOV_LIST_LOANS,	 /* [lender, borrower, pool, tres, amount]: so it is
			    now; lender "": what no team owns; 0: it is over */
	GOV_LIST_CELLS,	 /* [pool, tres, price per unit-hour in billionths,
			    permille of it for what is borrowed, and to who
			    lends] */
	GOV_LIST_UNITS,	 /* [name, parent or "", is_team] */
	GOV_LIST_QUOTAS, /* [unit, pool, tres, nominal] where it counts */
	GOV_LISTS
};

/* Grows; start with all zero. */
struct gov_record_list {
	struct gov_record_row *row;
	size_t count;
	size_t space;
};

/*
 * Times: `time` is when it was written down, in microseconds since the epoch
 * and never less than that of the record before; the others are seconds.
 * `at` is when it counts from.  Texts belong to whoever filled them in; after
 * gov_record_parse() they lie in the line.
 */
struct gov_record {
	enum gov_record_kind kind;
	uint64_t seq;
	int64_t time;
	int64_t at;
	int64_t job;
	int64_t run;  /* how often it had been requeued */
	int64_t user; /* uid */
	int64_t submitted;
	int64_t started;
	int64_t ended;
	int64_t checkpoint;
	int64_t deadline;
	/* START: seconds it had run before `at`; END: seconds counted after
	 * its end.  What is too much or too little is put right with the
	 * split into own and borrowed that holds at `at`. */
	int64_t late;
	int64_t lost; /* END by a reclaim: seconds of work not saved */
	int64_t asker;
	int64_t by; /* uid of who ordered or changed it */
	int64_t epoch;
	int64_t after; /* SEGMENT: seq before it */
	int64_t count;
	int64_t amount;
	int64_t bytes; /* SEGMENT: cut off the file before as incomplete */
	int64_t version;
	int64_t reconstructed; /* 1: nobody watched */
	const char *team;
	const char *project;
	const char *class_name;
	const char *pool;
	const char *tres;
	const char *asker_team;
	const char *rule;
	const char *how;
	const char *verdict;
	const char *code;
	const char *nonce;
	const char *digest;
	const char *source;
	const char *cluster;
	const char *host;
	const char *prev; /* SEGMENT: hash of the record before */
	const char *credential;
	const char *text;
	struct gov_record_list list[GOV_LISTS];
};

/* Nothing in it any more, but the space of its lists. */
void gov_record_clear(struct gov_record *record);
void gov_record_free(struct gov_record *record);

/* A new last row; NULL: out of memory. */
struct gov_record_row *gov_record_add(struct gov_record *record,
				      enum gov_record_list_name list);

const char *gov_record_kind_name(enum gov_record_kind kind);

/*
 * Append the record to `out`, without its hash and the closing brace (that is
 * gov_chain_close()).  NULL texts and zeros are left out.
 */
void gov_record_format(const struct gov_record *record, struct gov_text *out);

/*
 * Read a line (without newline) into the record, which is cleared before.
 * The line is changed: texts of the record point into it.  -1: it is no
 * record, and error says why.
 */
int gov_record_parse(char *line, size_t length, struct gov_record *record,
		     struct gov_error *error);

/* "2026-12-02T10:00:00.000123Z": 27 bytes without a NUL. */
#define GOV_RECORD_TIME 27
void gov_record_time(int64_t microseconds, char *text);
/* -1: it is none. */
int gov_record_read_time(const char *text, int64_t *microseconds);

#endif
