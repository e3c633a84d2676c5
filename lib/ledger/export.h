/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records for others: as they are, or with stable pseudonyms instead of
 * people, jobs and projects.  The ledger itself is only read.
 *
 * A pseudonym is a keyed hash: who has not the key cannot find out whose it
 * is by trying every uid.  For that reason the hashes of the chain, which
 * could be tried in the same way, and free text stay behind where there are
 * pseudonyms.
 */
#ifndef GOVERNANCE_LEDGER_EXPORT_H
#define GOVERNANCE_LEDGER_EXPORT_H

#include "ledger/chain.h"
#include "ledger/record.h"

#define GOV_PSEUDONYM_KEY_MIN 16 /* bytes */

/* What is replaced, and by which key.  All false: nothing is. */
struct gov_pseudonyms {
	bool users;    /* "user" and "by": "u-" and 16 hex digits */
	bool jobs;     /* "job" and "asker": "j-..." */
	bool projects; /* "project": "p-..." */
	const void *key;
	size_t key_length;
};

/*
 * Append the record and a newline, as an object of JSON.  With its hash; not,
 * and without all else that tells what is replaced, if anything is.  Where
 * nothing is, the line is the one in the ledger, byte for byte.  0, or -1: no
 * memory, then nothing is appended.
 */
int gov_export_json(const struct gov_record *record,
		    const uint8_t hash[GOV_HASH_SIZE],
		    const struct gov_pseudonyms *pseudonyms,
		    struct gov_text *out);

/*
 * The same as comma-separated values (RFC 4180, lines end with a newline
 * only), a column for each member that records can have; lists are JSON.
 */
int gov_export_csv(const struct gov_record *record,
		   const uint8_t hash[GOV_HASH_SIZE],
		   const struct gov_pseudonyms *pseudonyms,
		   struct gov_text *out);
/* The line of headers: seq,time,kind,at,job,... */
int gov_export_csv_header(struct gov_text *out);

#endif
