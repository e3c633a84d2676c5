/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gov_text_free(struct gov_text *text)
{
	free(text->data);
	*text = (struct gov_text){ 0 };
}

/* Where `length` bytes may be written, or NULL. */
static char *room(struct gov_text *text, size_t length)
{
	size_t space = text->space ? text->space : 4096;
	char *grown;

	if (text->failed || length > SIZE_MAX / 4 - text->length)
		return NULL;
	while (space - text->length < length)
		space *= 2;
	if (space == text->space)
		return text->data + text->length;
	grown = realloc(text->data, space);
	if (!grown) {
		text->failed = true;
		return NULL;
	}
	text->data = grown;
	text->space = space;
	return grown + text->length;
}

void gov_text_add(struct gov_text *text, const char *data, size_t length)
{
	char *at = room(text, length);

	if (!at)
		return;
	memcpy(at, data, length);
	text->length += length;
}

void gov_text_string(struct gov_text *text, const char *string)
{
	gov_text_add(text, string, strlen(string));
}

void gov_text_char(struct gov_text *text, char c)
{
	gov_text_add(text, &c, 1);
}

void gov_text_number(struct gov_text *text, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char) ('0' + number % 10);
		number /= 10;
	} while (number);
	gov_text_add(text, digits + at, sizeof(digits) - at);
}

void gov_text_signed(struct gov_text *text, int64_t number)
{
	if (number < 0)
		gov_text_char(text, '-');
	gov_text_number(text,
			number < 0 ? -(uint64_t) number : (uint64_t) number);
}

void gov_text_quoted(struct gov_text *text, const char *string)
{
	gov_text_char(text, '"');
	for (const char *c = string; *c; c++) {
		size_t plain = 0;
		char escaped[8];

		while ((unsigned char) c[plain] >= ' ' && c[plain] != '"' &&
		       c[plain] != '\\')
			plain++;
		gov_text_add(text, c, plain);
		c += plain;
		if (!*c)
			break;
		if (*c == '"' || *c == '\\')
			snprintf(escaped, sizeof(escaped), "\\%c", *c);
		else
			snprintf(escaped, sizeof(escaped), "\\u%04x",
				 (unsigned char) *c);
		gov_text_string(text, escaped);
	}
	gov_text_char(text, '"');
}
