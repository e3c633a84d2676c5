/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How sgov writes amounts, times and text of others. */
#ifndef GOVERNANCE_SGOV_FORMAT_H
#define GOVERNANCE_SGOV_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/amount.h"

#define SGOV_AMOUNT_TEXT 32

/*
 * An amount of the TRES called tres: a count, or for "mem" (kept in MiB) a
 * size as people write it, "2T", "1.5G".  raw: the bare number in any case.
 * "UNLIMITED", and "-" for unset.  Returns text (SGOV_AMOUNT_TEXT bytes).
 */
const char *sgov_format_amount(char *text, const char *tres,
			       gov_amount_t amount, bool raw);

#define SGOV_TIME_TEXT 32

/* "2026-12-02T07:00:00", local time; "-" for 0.  Returns text. */
const char *sgov_format_time(char *text, int64_t when);

/* Seconds as Slurm has them: "1-02:03:04", "00:15:00"; "-" if negative. */
const char *sgov_format_duration(char *text, int64_t seconds);

/* Columns that a printable text takes on a terminal. */
int sgov_text_width(const char *text);

#endif
