/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GOVERNANCE_SGOV_LEDGER_H
#define GOVERNANCE_SGOV_LEDGER_H

#include <stdint.h>

#include "sgov/sgov.h"

/* Options of `ledger', as given; NULL: not given. */
struct sgov_ledger_given {
	const char *job, *start, *end, *zone, *csv, *pseudonyms, *key;
};

/*
 * Where the ledger is: as said, or as $GOVERNANCE_LEDGER says, or as the
 * governor does.  NULL with *status, and that has been told; else free() it.
 */
char *sgov_ledger_directory(struct sgov *sgov, const char *operand,
			    int *status);

/*
 * From here on as the owner of the ledger, if root asks: what is written
 * beside it is then its owner's, and no link of his leads to what is not.
 * Anybody else stays who he is.
 */
int sgov_ledger_as_owner(const char *directory);

/* --job=: its number.  SGOV_USAGE, and that is told: it is none. */
int sgov_ledger_job(struct sgov *sgov, const char *text, int64_t *job);

/* ---- ledger_export.c ---- */
int sgov_ledger_export(struct sgov *sgov, const char *operand,
		       const struct sgov_ledger_given *given);

/* ---- ledger_follow.c ---- */
int sgov_ledger_follow(struct sgov *sgov, const char *operand,
		       const struct sgov_ledger_given *given);

#endif
