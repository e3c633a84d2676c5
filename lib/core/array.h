/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables that grow by doubling and know only how many elements they have:
 * there is space up to the next power of two.
 */
#ifndef GOVERNANCE_CORE_ARRAY_H
#define GOVERNANCE_CORE_ARRAY_H

#include <stdint.h>
#include <stdlib.h>

/*
 * Make sure that an array with `count` elements of `size` bytes has space for
 * one more.  Returns the (possibly moved) array; NULL when out of memory, and
 * then the old one is still valid.  `array` must always have been grown here.
 */
static inline void *gov_array_room(void *array, size_t count, size_t size)
{
	size_t space = count ? 2 * count : 1;

	if (count & (count - 1))
		return array;
	if (space > SIZE_MAX / size)
		return NULL;
	return realloc(array, space * size);
}

/* As calloc(), but never NULL for a count of 0. */
static inline void *gov_array_new(size_t count, size_t size)
{
	return calloc(count ? count : 1, size);
}

#endif
