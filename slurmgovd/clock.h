/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clocks, read here and nowhere else in the daemon. */
#ifndef GOVERNANCE_SLURMGOVD_CLOCK_H
#define GOVERNANCE_SLURMGOVD_CLOCK_H

#include <time.h>

#include "slurmgovd/governor.h"

static inline int64_t gov_mono_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline int64_t gov_wall_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline struct gov_now gov_now_read(void)
{
	return (struct gov_now){ .wall = gov_wall_ms() / 1000,
				 .mono = gov_mono_ms() };
}

#endif
