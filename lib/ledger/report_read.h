/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report from the files of a ledger: by replaying them, or, where it can be,
 * from sums by the hour of all files but the last.
 *
 * These are kept in an index beside the files (index.sqlite).  It is never the
 * truth: who deletes it loses nothing, what is missing is read from the
 * journal, and one that is of another journal, or damaged, is made anew.  Its
 * hours are those of UTC; so a report whose days begin at other minutes, or
 * that tells jobs apart, replays.
 */
#ifndef GOVERNANCE_LEDGER_REPORT_READ_H
#define GOVERNANCE_LEDGER_REPORT_READ_H

#include "ledger/report.h"

struct gov_report_source {
	const char *directory;
	gov_time_t now; /* up to when what runs has run */
	bool no_index;	/* replay in any case */
	/* Filled. */
	bool indexed;	  /* the index was used */
	uint64_t records; /* that were read */
	uint64_t segments;
	char cluster[256];
};

/* -1: it cannot be read, or contradicts itself. */
int gov_report_read(struct gov_report *report, struct gov_report_source *source,
		    struct gov_error *error);

#endif
