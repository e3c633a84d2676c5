/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libFuzzer's entry: runs the harness named by the environment, FUZZ=conf. */
#include <string.h>

#include "harness.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void (*harness)(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("FUZZ");

#define HARNESS(it)                     \
	if (name && !strcmp(name, #it)) \
		harness = fuzz_##it;
#include "harness.list"
#undef HARNESS
	if (!harness) {
		fprintf(stderr, "FUZZ= must name a line of harness.list\n");
		exit(2);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	harness(data, size);
	return 0;
}
