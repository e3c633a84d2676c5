/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A time as a person reads it. */
#ifndef GOVERNANCE_SLURMGOVD_WHEN_H
#define GOVERNANCE_SLURMGOVD_WHEN_H

#include <stdio.h>
#include <time.h>

#include "core/engine.h"

#define GOV_WHEN_SIZE 32

/* Local time, "soon" where none is known; returns text. */
static inline const char *gov_when(gov_time_t when, char text[GOV_WHEN_SIZE])
{
	time_t seconds = (time_t) when;
	struct tm tm;

	if (!when || !localtime_r(&seconds, &tm) ||
	    !strftime(text, GOV_WHEN_SIZE, "%Y-%m-%dT%H:%M:%S", &tm))
		snprintf(text, GOV_WHEN_SIZE, "soon");
	return text;
}

#endif
