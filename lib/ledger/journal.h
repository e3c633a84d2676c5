/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal: the one writer of a ledger.
 *
 * Records are appended to a buffer and made durable by the next commit: one
 * write and one sync for all of them.  A commit that fails loses nothing; what
 * is not durable stays in the buffer and is written again, from the place up
 * to which the file is known to be good, by the next one.  Not thread-safe.
 */
#ifndef GOVERNANCE_LEDGER_JOURNAL_H
#define GOVERNANCE_LEDGER_JOURNAL_H

#include "ledger/record.h"
#include "ledger/segment.h"
#include "ledger/walk.h"

struct gov_journal;

struct gov_journal_setup {
	const char *directory; /* made if it does not exist, mode 0700 */
	const char *cluster;
	const char *host;
	uint64_t segment_bytes; /* a file is closed when it is larger */
	/*
	 * A file begins: append, by gov_journal_append(), what a reader must
	 * know who begins to read there.  0, or -1.
	 */
	int (*carry)(void *arg, struct gov_journal *journal);
	/* Sign this text; malloc()ed credential, or NULL if it cannot. */
	char *(*sign)(void *arg, const char *text);
	void *arg;
};

/* What opening found. */
struct gov_journal_found {
	uint64_t records; /* seq of the last record, 0: a new ledger */
	int64_t time;	  /* of that, microseconds */
	uint64_t cut;	  /* bytes of an incomplete record cut off */
	uint64_t missing; /* records that were durable and are gone */
	char damage[256]; /* what is wrong with the last file, or "" */
};

/*
 * Find the end of what is there; `visit` sees every record of the last file
 * (it begins with all that is needed to go on).  Nothing is written yet but
 * the epoch.  NULL with error.
 */
struct gov_journal *gov_journal_open(const struct gov_journal_setup *setup,
				     gov_walk_visit *visit,
				     struct gov_journal_found *found,
				     struct gov_error *error);
/* What is not durable is lost; commit before. */
void gov_journal_close(struct gov_journal *journal);

/*
 * Append at `now` (microseconds); seq and time of the record are filled in.
 * -1: no memory, then it is not part of the journal.
 */
int gov_journal_append(struct gov_journal *journal, struct gov_record *record,
		       int64_t now);

/*
 * Begin a file if none is under way.  Who has a carry() calls this before he
 * works out the next record: what is carried over must not know of it yet.
 */
int gov_journal_begin(struct gov_journal *journal, int64_t now);

/* Make all of it durable. -1: it is not, and error says why. */
int gov_journal_commit(struct gov_journal *journal, struct gov_error *error);

/*
 * At the turn of a UTC day seal it, and go on in a new file; so, too, when
 * the file is large.  Does nothing while something is not durable.  -1: it
 * will be tried again.
 */
int gov_journal_turn(struct gov_journal *journal, int64_t now,
		     struct gov_error *error);

/* Behind the last appended record, and behind the last durable one. */
const struct gov_chain *gov_journal_chain(const struct gov_journal *journal);
uint64_t gov_journal_durable(const struct gov_journal *journal);
size_t gov_journal_pending(const struct gov_journal *journal); /* bytes */
/* A later governor writes the ledger: nothing more will be written here. */
bool gov_journal_fenced(const struct gov_journal *journal);

/* "slurm-governance ledger, cluster C, 2026-12-02, record N, hash H": what a
 * seal signs.  malloc()ed, or NULL. */
char *gov_seal_text(const char *cluster, int64_t time,
		    const struct gov_chain *chain);

#endif
