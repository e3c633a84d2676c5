/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of --array: "0-15:4,20%2", as slurmctld reads it. */
#include "request/submission.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define TASKS_MAX 4194304 /* Slurm: MaxArraySize is at most 4,000,001 */
#define WORD_BITS 64

struct range {
	uint32_t first;
	uint32_t last;
	uint32_t step;
};

static int read_number(const char **at, uint32_t max, uint32_t *number)
{
	const char *p = *at;
	uint64_t value = 0;

	if (!isdigit((unsigned char) *p))
		return -1;
	for (; isdigit((unsigned char) *p); p++) {
		value = value * 10 + (uint64_t) (*p - '0');
		if (value > max)
			return -1;
	}
	*at = p;
	*number = (uint32_t) value;
	return 0;
}

static void skip(const char **at, char bracket)
{
	if (**at == bracket)
		(*at)++;
}

/* first[-last[:step]], with brackets where job lists print them */
static int read_range(const char **at, struct range *range)
{
	skip(at, '[');
	if (read_number(at, TASKS_MAX - 1, &range->first))
		return -1;
	range->last = range->first;
	range->step = 1;
	skip(at, ']');
	if (**at == '-') {
		(*at)++;
		if (read_number(at, TASKS_MAX - 1, &range->last) ||
		    range->last < range->first)
			return -1;
		skip(at, ']');
		if (**at == ':') {
			(*at)++;
			if (read_number(at, TASKS_MAX - 1, &range->step) ||
			    !range->step)
				return -1;
			skip(at, ']');
		}
	}
	range->last -= (range->last - range->first) % range->step;
	return 0;
}

/* What is read so far of the text. */
struct reader {
	const char *at;
	uint32_t at_once; /* of the first "%N" */
	bool throttled;
};

/* 1: a range; 0: end of the text; -1: malformed. */
static int next_range(struct reader *reader, struct range *range)
{
	uint32_t at_once;

	while (*reader->at == ',')
		reader->at++;
	if (!*reader->at)
		return 0;
	if (read_range(&reader->at, range))
		return -1;
	if (*reader->at == '%') {
		reader->at++;
		if (read_number(&reader->at, UINT32_MAX, &at_once))
			return -1;
		skip(&reader->at, ']');
		if (!reader->throttled)
			reader->at_once = at_once;
		reader->throttled = true;
	}
	return *reader->at && *reader->at != ',' ? -1 : 1;
}

/* Distinct tasks where ranges overlap or are out of order. */
static int64_t count_distinct(const char *array)
{
	uint64_t *seen = calloc(TASKS_MAX / WORD_BITS, sizeof(*seen));
	struct reader reader = { .at = array };
	int64_t count = 0;
	struct range range;

	if (!seen)
		return -1;
	while (next_range(&reader, &range) > 0) {
		for (uint32_t i = range.first; i <= range.last;
		     i += range.step) {
			uint64_t bit = UINT64_C(1) << (i % WORD_BITS);

			count += !(seen[i / WORD_BITS] & bit);
			seen[i / WORD_BITS] |= bit;
		}
	}
	free(seen);
	return count;
}

int64_t gov_array_count(const char *array, uint32_t *limit)
{
	struct reader reader = { .at = array };
	bool ascending = true;
	struct range range;
	int64_t count = 0;
	uint32_t end = 0;
	int more;

	if (limit)
		*limit = 0;
	if (!array || !*array)
		return 1;
	while ((more = next_range(&reader, &range)) > 0) {
		if (count && range.first <= end)
			ascending = false;
		end = range.last;
		count += (range.last - range.first) / range.step + 1;
		if (count > TASKS_MAX)
			return -1;
	}
	if (more < 0 || !count)
		return -1;
	if (limit)
		*limit = reader.at_once;
	return ascending ? count : count_distinct(array);
}

/* Append "first-last" or "first"; false: no room. */
static bool append_run(char *text, size_t size, size_t *used, uint32_t first,
		       uint32_t last)
{
	const char *comma = *used ? "," : "";
	int n = first == last ? snprintf(text + *used, size - *used, "%s%u",
					 comma, first) :
				snprintf(text + *used, size - *used, "%s%u-%u",
					 comma, first, last);

	if (n < 0 || (size_t) n >= size - *used) {
		text[*used] = '\0';
		return false;
	}
	*used += (size_t) n;
	return true;
}

bool gov_array_has(const char *array, uint32_t task)
{
	struct reader reader = { .at = array };
	struct range range;

	while (array && next_range(&reader, &range) > 0)
		if (task >= range.first && task <= range.last &&
		    (task - range.first) % range.step == 0)
			return true;
	return false;
}

uint32_t gov_array_first(const char *array, uint32_t tasks, char *text,
			 size_t size)
{
	struct reader reader = { .at = array };
	uint32_t count = 0;
	struct range range;
	size_t used = 0;

	if (!size)
		return 0;
	text[0] = '\0';
	while (array && count < tasks && next_range(&reader, &range) > 0) {
		uint32_t i = range.first;

		while (i <= range.last && count < tasks) {
			uint32_t last = range.step == 1 ? range.last : i;

			if (last - i >= tasks - count)
				last = i + (tasks - count) - 1;
			if (!append_run(text, size, &used, i, last))
				return count;
			count += last - i + 1;
			i = last + range.step;
		}
	}
	return count;
}
