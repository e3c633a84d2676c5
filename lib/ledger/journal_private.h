/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GOVERNANCE_LEDGER_JOURNAL_PRIVATE_H
#define GOVERNANCE_LEDGER_JOURNAL_PRIVATE_H

#include "ledger/journal.h"

struct gov_journal {
	struct gov_journal_setup setup;
	char *directory;
	char *cluster;
	char *host;
	uint64_t epoch;
	struct gov_chain chain; /* behind what is appended */
	uint64_t durable;	/* seq of the last durable record */
	int64_t time;		/* of the last record */
	uint64_t cut;
	bool packed; /* the file before is compressed; its digest: */
	uint8_t digest[GOV_HASH_SIZE];
	struct gov_text buffer; /* appended, not durable */
	struct gov_segment segment;
	int fd;	       /* -1: the file is not there yet */
	uint64_t size; /* durable bytes in it */
	int64_t day;   /* in which it began */
	bool begun;    /* its first record is appended */
	bool new_name; /* the directory is to be synced, too */
	bool sealed;
	bool fenced;
};

#endif
