/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hostlists: as many names as are said, none empty or too long. */
#include <string.h>

#include "conf/conf.h"
#include "harness.h"

void fuzz_hostlist(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct gov_error error;
	char **names;
	long count = gov_hostlist_expand(text, &names, &error);

	FUZZ_ASSERT(count == -1 || (count > 0 && count <= 65536));
	for (long i = 0; i < count; i++) {
		FUZZ_ASSERT(*names[i] && strlen(names[i]) < 256);
		FUZZ_ASSERT(!strpbrk(names[i], "[], "));
	}
	FUZZ_ASSERT(count > 0 || !names);
	gov_hostlist_free(names, count);
	free(text);
}
