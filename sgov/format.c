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
