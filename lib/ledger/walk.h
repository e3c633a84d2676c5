/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From record to record through all files of a ledger, offline.
 */
#ifndef GOVERNANCE_LEDGER_WALK_H
#define GOVERNANCE_LEDGER_WALK_H

#include "ledger/record.h"
#include "ledger/segment.h"

/*
 * Each record that is part of the chain; `chain` is the chain before it.
 * -1 (with error): it must not be so; the walk ends there.
 */
typedef int gov_walk_visit(void *arg, const struct gov_record *record,
			   const struct gov_chain *before,
			   struct gov_error *error);

struct gov_walk {
	const char *directory;
	bool trust;    /* do not work out the hashes */
	bool last;     /* the last file only */
	bool no_head;  /* do not look at the file `head` */
	uint64_t from; /* begin with the last file whose first record is not
			  after this seq; 0: with the first file */
	gov_walk_visit *visit; /* or NULL */
	void *arg;
	/* Filled by gov_walk(). */
	struct gov_chain chain; /* behind the last good record */
	struct gov_chain head;	/* what the file `head` says */
	bool head_missing;
	bool head_agrees; /* unless the record it names was not walked */
	struct gov_segment segment; /* the one under way, or the last */
	uint64_t line;		    /* there, of the last good record */
	uint64_t bytes;		    /* good ones there */
	uint64_t rest;		    /* behind these: an incomplete line */
	uint64_t segments;
	uint64_t records;
	uint64_t fenced;    /* written by a governor that had been replaced */
	uint64_t all_bytes; /* of text */
	int64_t time;	    /* of the last good record */
	uint8_t digest[GOV_HASH_SIZE]; /* of the file, unless `trust` */
	bool content; /* the fault is in what a record says, not in the
			    chain */
};

/*
 * 0: every record is there and as it was written.  -1: error names the first
 * that is not.  An incomplete last line that was never said to be durable is
 * no fault (`rest`).
 */
int gov_walk(struct gov_walk *walk, struct gov_error *error);

#endif
