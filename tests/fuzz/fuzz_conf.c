/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as governance.conf: a finished policy, or faults that stand where
 * there is text, never both and never neither.
 */
#include <string.h>

#include "conf/conf.h"
#include "harness.h"

/* Length of a line of the text, lines counted from 1; -1: there is none. */
static long line_length(const uint8_t *data, size_t size, unsigned line)
{
	const uint8_t *end = data + size, *next;

	while (line-- > 1) {
		next = size ? memchr(data, '\n', (size_t) (end - data)) : NULL;
		if (!next)
			return -1;
		data = next + 1;
	}
	next = data < end ? memchr(data, '\n', (size_t) (end - data)) : NULL;
	return (next ? next : end) - data;
}

static void check_faults(const struct gov_conf_faults *faults,
			 const uint8_t *data, size_t size)
{
	size_t errors = 0;

	for (size_t i = 0; i < faults->count; i++) {
		const struct gov_conf_fault *f = &faults->item[i];
		long length = line_length(data, size, f->line);
		char *text = gov_conf_fault_string(f);

		FUZZ_ASSERT(f->line >= 1 && f->column >= 1);
		FUZZ_ASSERT(length >= 0);
		FUZZ_ASSERT((long) f->column <= length + 1);
		FUZZ_ASSERT(f->warning == (f->code == GOV_OK));
		FUZZ_ASSERT(text && !strpbrk(text, "\n\r\033"));
		free(text);
		errors += !f->warning;
	}
	FUZZ_ASSERT(errors == faults->errors);
}

/* A policy that was handed out must be whole. */
static void check_policy(const struct gov_policy *p)
{
	bool has_default = false;

	FUZZ_ASSERT(p->finished && p->pool_count && strlen(p->digest) == 16);
	FUZZ_ASSERT(p->submit_socket && strlen(p->submit_socket) < 108);
	for (uint32_t c = 0; c < p->class_count; c++) {
		FUZZ_ASSERT(p->class[c].weight <= 100);
		FUZZ_ASSERT(!has_default || !p->class[c].is_default);
		has_default |= p->class[c].is_default;
	}
	FUZZ_ASSERT(has_default);
	for (uint32_t u = 0; u < p->unit_count; u++) {
		const struct gov_unit *unit = &p->unit[u];

		FUZZ_ASSERT(gov_policy_find_unit(p, unit->name) == u);
		FUZZ_ASSERT(unit->weight.denominator);
		FUZZ_ASSERT(unit->parent == GOV_NONE ||
			    !p->unit[unit->parent].is_team);
		for (uint32_t c = 0; c < p->cell_count; c++)
			FUZZ_ASSERT(unit->quota[c].nominal != GOV_UNSET);
	}
}

static void parse(const uint8_t *data, size_t size, const char *cluster)
{
	struct gov_conf_faults faults;
	struct gov_policy *policy = gov_conf_parse((const char *) data, size,
						   "fuzz", cluster, &faults);

	FUZZ_ASSERT((policy == NULL) == (faults.errors > 0));
	check_faults(&faults, data, size);
	if (policy)
		check_policy(policy);
	gov_policy_unref(policy);
	gov_conf_faults_free(&faults);
}

void fuzz_conf(const uint8_t *data, size_t size)
{
	parse(data, size, "lab");
	parse(data, size, NULL);
}
