/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Amounts of a TRES in its own unit: a count, or MiB for memory.
 *
 * Three values are never mixed (semantics, section 1): zero is an amount,
 * GOV_UNLIMITED is greater than every amount, GOV_UNSET means that nothing
 * was said.  GOV_UNSET never enters arithmetic.
 */
#ifndef GOVERNANCE_CORE_AMOUNT_H
#define GOVERNANCE_CORE_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t gov_amount_t;

#define GOV_UNLIMITED UINT64_MAX
#define GOV_UNSET (UINT64_MAX - 1)
#define GOV_AMOUNT_MAX (UINT64_MAX - 2) /* greatest real amount */

/* a + b; unlimited if either is, or if the sum exceeds GOV_AMOUNT_MAX. */
static inline gov_amount_t gov_amount_add(gov_amount_t a, gov_amount_t b)
{
	if (a > GOV_AMOUNT_MAX || b > GOV_AMOUNT_MAX - a)
		return GOV_UNLIMITED;
	return a + b;
}

/* max(0, a - b); unlimited minus a real amount stays unlimited. */
static inline gov_amount_t gov_amount_sub(gov_amount_t a, gov_amount_t b)
{
	if (a <= b)
		return 0;
	return a == GOV_UNLIMITED ? GOV_UNLIMITED : a - b;
}

static inline gov_amount_t gov_amount_min(gov_amount_t a, gov_amount_t b)
{
	return a < b ? a : b;
}

/*
 * floor(a * numerator / denominator) computed in 128 bits; GOV_UNLIMITED if
 * it exceeds GOV_AMOUNT_MAX or a is unlimited.  denominator must not be 0.
 */
static inline gov_amount_t gov_amount_scale(gov_amount_t a, uint64_t numerator,
					    uint64_t denominator)
{
	__uint128_t p = (__uint128_t) a * numerator / denominator;

	if (a == GOV_UNLIMITED || p > GOV_AMOUNT_MAX)
		return GOV_UNLIMITED;
	return (gov_amount_t) p;
}

/*
 * Parse "16", "2T", "1.5k" (K M G T P E, powers of 1024, in either case) into
 * the unit of the TRES called tres: memory ("mem") without suffix is MiB, and
 * less than a MiB is rounded up; anything else must come out as a whole
 * number.  0, or -1 on anything else: signs, blanks, other text, overflow.
 */
int gov_amount_parse(const char *tres, const char *text, gov_amount_t *amount);

#endif
