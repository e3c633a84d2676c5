/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the prolog found out about a job, for its tasks: kept as text in a file
 * that only root can write (rundir.h).
 *
 *	govverdict1 granted 1000	govverdict1 refused 1000
 *	<payload of the grant>		<sentence for the user>
 *
 *	govverdict1 missing 1000
 *
 * The number is the uid of the job.
 */
#ifndef GOVERNANCE_SPANK_VERDICT_H
#define GOVERNANCE_SPANK_VERDICT_H

#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "grant/grant.h"

#define VERDICT_TEXT 2048 /* longest text, with NUL */

enum verdict_kind { VERDICT_GRANTED, VERDICT_REFUSED, VERDICT_MISSING };

struct verdict {
	enum verdict_kind kind;
	uint32_t uid;
	struct gov_grant grant;	       /* GRANTED */
	char sentence[GOV_ERROR_TEXT]; /* REFUSED */
};

/* Length of the text, or -1 (no room; a grant that is none). */
int verdict_format(const struct verdict *verdict, char *text, size_t size);

/* Strict.  text needs no NUL.  0, or -1 (not a verdict). */
int verdict_parse(const char *text, size_t length, struct verdict *verdict);

#endif
