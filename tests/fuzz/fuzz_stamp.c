/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * AdminComment is anybody's text.  Whatever it is: a stamp that is put into it
 * comes back whole, exactly one is in it then, none is left when it is taken
 * out, and text without a stamp comes back byte for byte.
 */
#include <string.h>

#include "harness.h"
#include "stamp/stamp.h"

static void assert_same(const struct gov_stamp *a, const struct gov_stamp *b)
{
	char text[2][GOV_STAMP_TEXT];

	FUZZ_ASSERT(gov_stamp_format(a, text[0], sizeof(text[0])) > 0);
	FUZZ_ASSERT(gov_stamp_format(b, text[1], sizeof(text[1])) > 0);
	FUZZ_ASSERT(!strcmp(text[0], text[1]));
	FUZZ_ASSERT(a->nonce == b->nonce && a->deadline == b->deadline);
}

static char *apply(const char *comment, const struct gov_stamp *stamp)
{
	char *copy = gov_stamp_apply(comment, stamp);

	if (!copy)
		abort();
	return copy;
}

static void put_and_take(const char *comment, const struct gov_stamp *stamp,
			 bool had_one)
{
	struct gov_stamp again;
	char *with = apply(comment, stamp);
	char *twice = apply(with, stamp);
	char *without = apply(with, NULL);

	FUZZ_ASSERT(gov_stamp_parse(with, &again) == 1);
	assert_same(&again, stamp);
	FUZZ_ASSERT(!strcmp(with, twice));
	FUZZ_ASSERT(gov_stamp_parse(without, &again) == 0);
	if (!had_one)
		FUZZ_ASSERT(!strcmp(without, comment));
	free(with);
	free(twice);
	free(without);
}

void fuzz_stamp(const uint8_t *data, size_t size)
{
	char *comment = fuzz_string(data, size);
	struct gov_stamp stamp, mine;
	int found = gov_stamp_parse(comment, &stamp);

	gov_stamp_init(&mine);
	mine.state = GOV_STAMP_RECLAIMING;
	strcpy(mine.team, "vision");
	mine.nonce = 0xfeed;
	mine.deadline = 1765000000;
	put_and_take(comment, &mine, found != 0);
	if (found == 1)
		put_and_take(comment, &stamp, true);
	free(comment);
}
