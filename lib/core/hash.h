/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mixing of numbers for hash tables; not for use against an adversary. */
#ifndef GOVERNANCE_CORE_HASH_H
#define GOVERNANCE_CORE_HASH_H

#include <stdint.h>

/* Every bit of x moves about half of the bits of the result. */
static inline uint64_t gov_hash(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	return x;
}

static inline uint64_t gov_hash_add(uint64_t hash, uint64_t x)
{
	return gov_hash(hash * 31 + x);
}

#endif
