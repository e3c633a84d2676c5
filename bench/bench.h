/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every benchmark in C needs. */
#ifndef GOVERNANCE_BENCH_H
#define GOVERNANCE_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/error.h"

/* Says what went wrong, and ends. */
static inline void bench_fail(const char *what, const struct gov_error *error)
{
	fprintf(stderr, "%s: %s\n", what, error ? error->text : "failed");
	exit(1);
}

static inline double bench_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

/* The same numbers in each run: splitmix64 (Steele, Lea, Flood, 2014). */
static inline uint32_t bench_random(uint32_t bound)
{
	static uint64_t state = 42;
	uint64_t z = (state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (uint32_t) ((z ^ (z >> 31)) % bound);
}

#endif
