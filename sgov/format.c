/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

static void format_size(char *text, uint64_t mib)
{
	static const char units[] = "MGTPE";
	uint64_t unit = 1;
	int i = 0;

	while (units[i + 1] && mib / unit >= 1024) {
		unit *= 1024;
		i++;
	}
	if (mib % unit == 0)
		snprintf(text, SGOV_AMOUNT_TEXT, "%" PRIu64 "%c", mib / unit,
			 units[i]);
	else
		snprintf(text, SGOV_AMOUNT_TEXT, "%.1f%c",
			 (double) mib / (double) unit, units[i]);
}

const char *sgov_format_amount(char *text, const char *tres,
			       gov_amount_t amount, bool raw)
{
	if (amount == GOV_UNLIMITED)
		return strcpy(text, "UNLIMITED");
	if (amount == GOV_UNSET)
		return strcpy(text, "-");
	if (!raw && amount && strcmp(tres, "mem") == 0)
		format_size(text, amount);
	else
		snprintf(text, SGOV_AMOUNT_TEXT, "%" PRIu64, amount);
	return text;
}

const char *sgov_format_time(char *text, int64_t when)
{
	time_t t = (time_t) when;
	struct tm tm;

	if (when <= 0 || !localtime_r(&t, &tm) ||
	    !strftime(text, SGOV_TIME_TEXT, "%Y-%m-%dT%H:%M:%S", &tm))
		strcpy(text, "-");
	return text;
}

const char *sgov_format_duration(char *text, int64_t seconds)
{
	int64_t days = seconds / 86400;
	int rest = (int) (seconds % 86400);

	if (seconds < 0)
		return strcpy(text, "-");
	if (days)
		snprintf(text, SGOV_TIME_TEXT, "%" PRId64 "-%02d:%02d:%02d",
			 days, rest / 3600, rest / 60 % 60, rest % 60);
	else
		snprintf(text, SGOV_TIME_TEXT, "%02d:%02d:%02d", rest / 3600,
			 rest / 60 % 60, rest % 60);
	return text;
}

/* Bytes of the UTF-8 sequence that begins here; 0 if there is none. */
static size_t sequence_length(const unsigned char *s)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 :
		   s[0] >= 0xe0 && s[0] < 0xf0 ? 3 :
		   s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if (n >= 3 && ((s[0] == 0xe0 && s[1] < 0xa0) ||	  /* too long */
		       (s[0] == 0xed && s[1] >= 0xa0) ||  /* surrogates */
		       (s[0] == 0xf0 && s[1] < 0x90) ||
		       (s[0] == 0xf4 && s[1] >= 0x90)))
		return 0;
	return n;
}

void sgov_make_printable(char *text)
{
	unsigned char *from = (unsigned char *) text, *to = from;

	while (*from) {
		size_t n = sequence_length(from);
		bool control = *from < 0x20 || *from == 0x7f ||
			       (n == 2 && from[0] == 0xc2 && from[1] < 0xa0);

		if (n == 0 || control) {
			*to++ = '?';
			from += n ? n : 1;
			continue;
		}
		while (n--)
			*to++ = *from++;
	}
	*to = '\0';
}

int sgov_text_width(const char *text)
{
	size_t length = mbstowcs(NULL, text, 0);
	wchar_t *wide;
	int width = -1;

	/* In a locale that cannot read it every byte takes a column. */
	if (length == (size_t) -1)
		return (int) strlen(text);
	wide = malloc((length + 1) * sizeof(*wide));
	if (wide) {
		mbstowcs(wide, text, length + 1);
		width = wcswidth(wide, length);
	}
	free(wide);
	return width < 0 ? (int) length : width;
}
