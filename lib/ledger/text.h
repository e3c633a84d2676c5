/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text that grows, for records and reports.  Private to lib/ledger.
 *
 * A failed allocation is remembered instead of reported each time: who wrote
 * all of it looks at `failed` once.
 */
#ifndef GOVERNANCE_LEDGER_TEXT_H
#define GOVERNANCE_LEDGER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start with all zero; free with gov_text_free(). */
struct gov_text {
	char *data; /* not NUL-terminated */
	size_t length;
	size_t space;
	bool failed;
};

void gov_text_free(struct gov_text *text);
void gov_text_add(struct gov_text *text, const char *data, size_t length);
void gov_text_string(struct gov_text *text, const char *string);
void gov_text_char(struct gov_text *text, char c);
void gov_text_number(struct gov_text *text, uint64_t number);
void gov_text_signed(struct gov_text *text, int64_t number);
/* In quotes, with what JSON wants escaped. */
void gov_text_quoted(struct gov_text *text, const char *string);

#endif
