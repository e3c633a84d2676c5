/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of users that says how much: TRES lists, licenses, amounts, --array.
 * Every job's text passes here, inside the governor.
 */
#include <string.h>

#include "harness.h"
#include "request/submission.h"

static int first_entry(const struct gov_tres_entry *entry, void *arg)
{
	*(struct gov_tres_entry *) arg = *entry;
	return 1;
}

/* What was understood is understood the same when it is written plainly. */
static int check_entry(const struct gov_tres_entry *entry, void *arg)
{
	struct gov_tres_entry again;
	char plain[600];

	FUZZ_ASSERT(entry->name[0]);
	FUZZ_ASSERT(memchr(entry->name, '\0', sizeof(entry->name)));
	FUZZ_ASSERT(memchr(entry->type, '\0', sizeof(entry->type)));
	FUZZ_ASSERT(entry->amount <= GOV_AMOUNT_MAX);
	FUZZ_ASSERT(entry->amount_given || entry->amount == 1);
	snprintf(plain, sizeof(plain), "%s%s%s=%llu", entry->name,
		 entry->type[0] ? ":" : "", entry->type,
		 (unsigned long long) entry->amount);
	FUZZ_ASSERT(gov_tres_walk(plain, first_entry, &again, NULL) == 1);
	FUZZ_ASSERT(!strcmp(again.name, entry->name));
	FUZZ_ASSERT(!strcmp(again.type, entry->type));
	FUZZ_ASSERT(again.amount == entry->amount && again.amount_given);
	++*(int *) arg;
	return 0;
}

static void check_amount(const char *name, const char *text)
{
	gov_amount_t amount = GOV_UNSET, plain = GOV_UNSET;
	int rc = gov_tres_parse_amount(name, text, &amount);

	FUZZ_ASSERT(rc == 0 || rc == -1);
	FUZZ_ASSERT((rc == 0) == (amount <= GOV_AMOUNT_MAX));
	if (!gov_amount_parse(name, text, &plain))
		FUZZ_ASSERT(plain == amount);
}

void fuzz_tres(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct gov_error error;
	uint32_t at_once = 0;
	int64_t tasks;
	int entries = 0, rc;

	rc = gov_tres_walk(text, check_entry, &entries, &error);
	FUZZ_ASSERT(rc == 0 || (rc == -1 && error.code == GOV_R_REQUEST));
	FUZZ_ASSERT(entries <= 1000);
	entries = 0;
	rc = gov_license_walk(text, check_entry, &entries, &error);
	FUZZ_ASSERT(rc == 0 || (rc == -1 && error.code == GOV_R_REQUEST));
	check_amount("cpu", text);
	check_amount("mem", text);
	tasks = gov_array_count(text, &at_once);
	FUZZ_ASSERT(tasks == -1 || (tasks >= 1 && tasks <= 4194304));
	FUZZ_ASSERT(tasks == gov_array_count(text, NULL));
	free(text);
}
