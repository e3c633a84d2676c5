/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * New records of a ledger, while it is being written, by reading its files:
 * across files that are closed, compressed and begun, and governors that come
 * and go.  Waiting is up to the caller: read again when something may be new.
 */
#ifndef GOVERNANCE_LEDGER_FOLLOW_H
#define GOVERNANCE_LEDGER_FOLLOW_H

#include "ledger/record.h"
#include "ledger/segment.h"

/*
 * A new record, and its line as it stands in the ledger (without newline, and
 * with a NUL in its place).  Both are gone afterwards.
 */
typedef void gov_follow_visit(void *arg, const struct gov_record *record,
			      const char *line, size_t length);

/* Begin with all zero but the first three. */
struct gov_follow {
	const char *directory;
	gov_follow_visit *visit;
	void *arg;
	/* Told so far, for who wants to say more. */
	uint64_t missing; /* records that were never there to be read */
	uint64_t fenced;  /* records that were told, and do not count: their
			     governor had been replaced */
	/* Where it is. */
	struct gov_chain chain;
	bool known;		    /* what came before is */
	struct gov_segment segment; /* under way, if `begun` */
	bool begun;
	bool first; /* the next record is the first of its file */
	bool quiet; /* no visit: it was there before */
	int fd;	    /* of the file, also when its name is gone; -1: none */
	uint64_t offset;
	struct gov_text buffer;
	struct gov_text copy;
	struct gov_record record;
};

/*
 * Go behind the last record that is there now.  -1 with error: it cannot be
 * read, or is not as it was written; gov_follow_end() in any case.
 */
int gov_follow_begin(struct gov_follow *follow, struct gov_error *error);

/*
 * Visit all that is complete and has not been visited, in order.  -1 with
 * error, likewise; what comes before the fault has been visited.
 */
int gov_follow_read(struct gov_follow *follow, struct gov_error *error);

/* Close and free all of it. */
void gov_follow_end(struct gov_follow *follow);

#endif
