/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read as a grant is written again as the very same bytes. */
#include <string.h>

#include "grant/grant.h"
#include "harness.h"

void fuzz_grant(const uint8_t *data, size_t size)
{
	char text[GOV_GRANT_TEXT];
	struct gov_grant grant;
	struct gov_error error;

	if (gov_grant_parse((const char *) data, size, &grant, &error)) {
		FUZZ_ASSERT(error.code == GOV_E_PROTOCOL && error.text[0]);
		return;
	}
	FUZZ_ASSERT(gov_grant_format(&grant, text, sizeof(text)) == (int) size);
	FUZZ_ASSERT(!memcmp(text, data, size));
}
