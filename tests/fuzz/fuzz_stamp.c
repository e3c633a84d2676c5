/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AdminComment is anybody's text; the stamp in it must survive a rewrite. */
#include <string.h>

#include "harness.h"
#include "stamp/stamp.h"

static void rewrite_keeps_the_stamp(const char *comment,
				    const struct gov_stamp *stamp)
{
	struct gov_stamp again;
	char *copy = gov_stamp_apply(comment, stamp);

	if (!copy)
		return;
	FUZZ_ASSERT(gov_stamp_parse(copy, &again) == 1);
	FUZZ_ASSERT(again.state == stamp->state);
	FUZZ_ASSERT(again.nonce == stamp->nonce);
	FUZZ_ASSERT(again.deadline == stamp->deadline);
	FUZZ_ASSERT(!strcmp(again.team, stamp->team));
	free(copy);
}

void fuzz_stamp(const uint8_t *data, size_t size)
{
	char *comment = fuzz_string(data, size);
	struct gov_stamp stamp;
	char *bare;

	if (gov_stamp_parse(comment, &stamp) == 1)
		rewrite_keeps_the_stamp(comment, &stamp);
	bare = gov_stamp_apply(comment, NULL);
	if (bare)
		FUZZ_ASSERT(gov_stamp_parse(bare, &stamp) != 1 ||
			    strlen(bare) < strlen(comment));
	free(bare);
	free(comment);
}
