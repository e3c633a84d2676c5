/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The periods of a report, in its time zone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sgov/options.h"
#include "sgov/report.h"

#define PERIODS_MAX 36600 /* a century of days */

/* -1: there is no such time zone. */
static int use_zone(const char *name)
{
	const char *folder = getenv("TZDIR");
	char path[512];

	snprintf(path, sizeof(path), "%s/%s",
		 folder ? folder : "/usr/share/zoneinfo", name);
	/* libc takes what it does not know for UTC. */
	if (strcmp(name, "UTC") != 0 &&
	    (!*name || *name == '/' || strstr(name, "..") ||
	     access(path, R_OK)))
		return -1;
	setenv("TZ", name, 1);
	tzset();
	return 0;
}

static gov_time_t begin_of(gov_time_t time, bool month)
{
	time_t at = time;
	struct tm tm;

	localtime_r(&at, &tm);
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	if (month)
		tm.tm_mday = 1;
	return mktime(&tm);
}

gov_time_t sgov_report_month(gov_time_t time)
{
	return begin_of(time, true);
}

/* "2026-12", "2026-12-01", "2026-12-01T08:00[:00]", "today", "now"; -1: it is
 * none of these. */
static int read_time(const char *text, gov_time_t *result)
{
	static const char *const formats[] = {
		"%Y-%m",
		"%Y-%m-%d",
		"%Y-%m-%dT%H:%M",
		"%Y-%m-%dT%H:%M:%S",
	};

	if (strcmp(text, "now") == 0 || strcmp(text, "today") == 0) {
		*result = time(NULL);
		if (*text == 't')
			*result = begin_of(*result, false);
		return 0;
	}
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct tm tm = { .tm_mday = 1, .tm_isdst = -1 };
		const char *end = strptime(text, formats[i], &tm);
		struct tm asked = tm;

		if (!end || *end)
			continue;
		*result = mktime(&tm);
		/* There is no 31st of November. */
		return *result < 0 || tm.tm_mday != asked.tm_mday ? -1 : 0;
	}
	return -1;
}

int sgov_report_zone(const struct sgov *sgov, const char *zone)
{
	if (!zone || !use_zone(zone))
		return SGOV_OK;
	return sgov_usage(
		sgov, "--timezone=%s: give a name such as UTC or Europe/Berlin",
		zone);
}

int sgov_report_start(const struct sgov *sgov, const char *text,
		      gov_time_t *time)
{
	if (!text || !read_time(text, time))
		return SGOV_OK;
	return sgov_usage(
		sgov,
		"--start=%s: give a day such as 2026-12-01, 2026-12-01T12:00, 2026-12 or today",
		text);
}

int sgov_report_end(const struct sgov *sgov, const char *text, gov_time_t *time)
{
	if (!text || !read_time(text, time))
		return SGOV_OK;
	return sgov_usage(
		sgov,
		"--end=%s: give a day such as 2026-12-31, 2026-12-31T12:00, 2026-12, today or now",
		text);
}

/* When the period after the one of this second begins. */
static gov_time_t next_of(gov_time_t time, bool month)
{
	time_t at = time;
	struct tm tm;

	localtime_r(&at, &tm);
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	tm.tm_mday = month ? 1 : tm.tm_mday + 1;
	tm.tm_mon += month;
	return mktime(&tm);
}

int sgov_report_bounds(struct sgov_report *ask)
{
	size_t count = 0, space = 0;
	gov_time_t at = ask->start;

	while (at < ask->end && count < PERIODS_MAX) {
		if (count + 1 >= space) {
			space = space ? 2 * space : 64;
			ask->bound = sgov_realloc(ask->bound,
						  space * sizeof(*ask->bound));
		}
		ask->bound[count++] = at;
		at = ask->periods == SGOV_WHOLE ?
			     ask->end :
			     next_of(at, ask->periods == SGOV_MONTHS);
	}
	if (at < ask->end)
		return -1;
	ask->bound[count] = ask->end;
	ask->query.bound = ask->bound;
	ask->query.periods = count;
	return 0;
}

const char *sgov_report_day(char *text, gov_time_t time)
{
	time_t at = time;
	struct tm tm;

	localtime_r(&at, &tm);
	strftime(text, 32, "%Y-%m-%d", &tm);
	return text;
}

const char *sgov_report_period(const struct sgov_report *ask, size_t period,
			       char *text)
{
	time_t at = ask->bound[period];
	struct tm tm;

	if (ask->periods == SGOV_DAYS)
		return sgov_report_day(text, at);
	*text = '\0';
	localtime_r(&at, &tm);
	if (ask->periods == SGOV_MONTHS)
		strftime(text, 32, "%Y-%m", &tm);
	return text;
}
