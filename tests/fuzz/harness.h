/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fuzzing harness is one function that takes any bytes and must come back.
 * To add one called NAME: tests/fuzz/fuzz_NAME.c with fuzz_NAME(), a line in
 * harness.list, a line in fuzz.am, and a kept corpus in corpus/NAME/.
 *
 * The same function is run by libFuzzer (tests/fuzz/run NAME) and, over the
 * kept corpus, by make check.  Beyond not crashing it should state what must
 * hold, with FUZZ_ASSERT().
 */
#ifndef GOVERNANCE_TESTS_FUZZ_HARNESS_H
#define GOVERNANCE_TESTS_FUZZ_HARNESS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define HARNESS(name) void fuzz_##name(const uint8_t *data, size_t size);
#include "harness.list"
#undef HARNESS

/* As assert(), but also in builds with NDEBUG. */
#define FUZZ_ASSERT(condition)                                                 \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, \
				__LINE__, #condition);                         \
			abort();                                               \
		}                                                              \
	} while (0)

/* The bytes as a NUL-terminated string; free() it. */
static inline char *fuzz_string(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	for (size_t i = 0; i < size; i++)
		text[i] = (char) data[i];
	text[size] = '\0';
	return text;
}

#endif
