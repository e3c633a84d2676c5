/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small generator (splitmix64): the same numbers on every machine. */
#ifndef PROPERTY_RANDOM_H
#define PROPERTY_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* 0 .. bound - 1; bound > 0. */
static inline int random_below(uint64_t *state, int bound)
{
	return (int) (random_next(state) % (uint64_t) bound);
}

static inline int random_between(uint64_t *state, int low, int high)
{
	return low + random_below(state, high - low + 1);
}

/* True `percent` times out of 100. */
static inline bool random_chance(uint64_t *state, int percent)
{
	return random_below(state, 100) < percent;
}

#endif
