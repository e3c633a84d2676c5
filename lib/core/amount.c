/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Amounts as people write them: "16", "2T", "1.5k". */
#include "core/amount.h"

#include <string.h>
#include <strings.h>

/* Powers of 1024 that a suffix stands for; -1: no such suffix. */
static int suffix_power(char c)
{
	static const char suffixes[] = "KMGTPE";
	const char *at;

	if (c >= 'a' && c <= 'z')
		c = (char) (c - 'a' + 'A');
	at = c ? strchr(suffixes, c) : NULL;
	return at ? (int) (at - suffixes) + 1 : -1;
}

/*
 * Digits with at most one point: whole part and the decimals as a fraction of
 * a power of ten.  Returns the first byte after them, NULL if malformed or
 * too large.
 */
static const char *read_decimal(const char *text, uint64_t *whole,
				uint64_t *part, uint64_t *scale)
{
	const char *p = text;

	*whole = 0;
	*part = 0;
	*scale = 1;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(*whole, 10, whole) ||
		    __builtin_add_overflow(*whole, (uint64_t) (*p - '0'),
					   whole))
			return NULL;
	if (p == text)
		return NULL;
	if (*p != '.')
		return p;
	text = ++p;
	for (; *p >= '0' && *p <= '9'; p++) {
		if (*scale >= 1000000000)
			return NULL;
		*scale *= 10;
		*part = *part * 10 + (uint64_t) (*p - '0');
	}
	return p == text ? NULL : p;
}

int gov_amount_parse(const char *tres, const char *text, gov_amount_t *amount)
{
	bool memory = !strcasecmp(tres, "mem");
	uint64_t whole, part, scale;
	const char *end = read_decimal(text, &whole, &part, &scale);
	int power = 0, down = 0;
	__uint128_t value;

	if (!end)
		return -1;
	if (*end) {
		power = suffix_power(*end);
		if (power < 0 || end[1])
			return -1;
		if (memory)
			power -= 2; /* K is below the unit of memory, MiB */
	}
	if (power < 0) {
		down = -10 * power;
		power = 0;
	}
	value = (__uint128_t) whole * scale + part;
	if (value >> (127 - 10 * power))
		return -1;
	value <<= 10 * power;
	if (value % scale)
		return -1; /* half a GPU */
	value /= scale;
	value = (value + ((uint64_t) 1 << down) - 1) >> down;
	if (value > GOV_AMOUNT_MAX)
		return -1;
	*amount = (gov_amount_t) value;
	return 0;
}
