/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a trace: lines, format, order, names. */
#include "simulate/trace.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Longer lines are refused: no real trace has them. */
#define LINE_MAX_BYTES 65536

void gov_trace_init(struct gov_trace *trace)
{
	memset(trace, 0, sizeof(*trace));
}

void gov_trace_free(struct gov_trace *trace)
{
	for (uint32_t i = 0; i < trace->name_count; i++)
		free(trace->name[i]);
	free(trace->name);
	free(trace->slot);
	free(trace->job);
	gov_trace_init(trace);
}

static uint32_t name_hash(const char *text, size_t length)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint32_t) tolower((unsigned char) text[i])) *
		       16777619u;
	return hash;
}

static int grow_names(struct gov_trace *trace)
{
	uint32_t space = trace->name_space ? trace->name_space * 2 : 64;
	uint32_t slots = space * 2;
	char **name;
	uint32_t *slot;

	name = realloc(trace->name, space * sizeof(*name));
	if (!name)
		return -1;
	trace->name = name;
	slot = malloc(slots * sizeof(*slot));
	if (!slot)
		return -1;
	memset(slot, 0xff, slots * sizeof(*slot));
	for (uint32_t i = 0; i < trace->name_count; i++) {
		uint32_t at = name_hash(name[i], strlen(name[i])) % slots;

		while (slot[at] != GOV_NONE)
			at = (at + 1) % slots;
		slot[at] = i;
	}
	free(trace->slot);
	trace->slot = slot;
	trace->slot_count = slots;
	trace->name_space = space;
	return 0;
}

uint32_t gov_trace_name(struct gov_trace *trace, const char *text,
			size_t length)
{
	uint32_t at;

	if (trace->name_count == trace->name_space && grow_names(trace))
		return GOV_NONE;
	at = name_hash(text, length) % trace->slot_count;
	while (trace->slot[at] != GOV_NONE) {
		const char *have = trace->name[trace->slot[at]];

		if (!strncasecmp(have, text, length) && !have[length])
			return trace->slot[at];
		at = (at + 1) % trace->slot_count;
	}
	trace->name[trace->name_count] = strndup(text, length);
	if (!trace->name[trace->name_count])
		return GOV_NONE;
	trace->slot[at] = trace->name_count;
	return trace->name_count++;
}

int gov_trace_add(struct gov_trace *trace, const struct gov_trace_job *job)
{
	if (trace->count == trace->space) {
		size_t space = trace->space ? trace->space * 2 : 1024;
		struct gov_trace_job *grown;

		grown = reallocarray(trace->job, space, sizeof(*grown));
		if (!grown)
			return -1;
		trace->job = grown;
		trace->space = space;
	}
	trace->job[trace->count++] = *job;
	return 0;
}

/* '|' separates sacct's columns; SWF has ';' comments or only numbers. */
static enum gov_trace_format guess(const char *text)
{
	while (isblank((unsigned char) *text))
		text++;
	if (*text == ';')
		return GOV_TRACE_SWF;
	if (strchr(text, '|'))
		return GOV_TRACE_SACCT;
	return isdigit((unsigned char) *text) && !strchr(text, ',') ?
		       GOV_TRACE_SWF :
		       GOV_TRACE_CSV;
}

/* What some programs put in front of a file. */
static void drop_byte_order_mark(struct gov_trace_line *line)
{
	if (line->number != 1 || strncmp(line->text, "\xef\xbb\xbf", 3))
		return;
	line->length -= 3;
	memmove(line->text, line->text + 3, line->length + 1);
}

static int by_submit(const void *left, const void *right)
{
	const struct gov_trace_job *a = left, *b = right;

	if (a->submit != b->submit)
		return a->submit < b->submit ? -1 : 1;
	return a->pad < b->pad ? -1 : a->pad > b->pad;
}

static int read_line(struct gov_trace *trace, struct gov_trace_line *line,
		     enum gov_trace_format *format,
		     struct gov_trace_columns **columns,
		     struct gov_error *error)
{
	if (strlen(line->text) != line->length)
		return gov_error_set(error, GOV_E_SYNTAX,
				     "line %zu: has a NUL byte", line->number);
	drop_byte_order_mark(line);
	while (line->length &&
	       isspace((unsigned char) line->text[line->length - 1]))
		line->text[--line->length] = '\0';
	if (!line->length)
		return 0;
	if (*format == GOV_TRACE_GUESS)
		*format = guess(line->text);
	if (*format == GOV_TRACE_SWF)
		return gov_trace_swf_row(trace, line, error);
	if (!*columns) {
		trace->class_is_hint = *format == GOV_TRACE_SACCT;
		return gov_trace_table_header(columns, line, *format, error);
	}
	return gov_trace_table_row(*columns, trace, line, error);
}

static int read_all(struct gov_trace *trace, FILE *file,
		    enum gov_trace_format format,
		    void (*progress)(size_t bytes, void *arg), void *arg,
		    struct gov_trace_columns **columns, struct gov_error *error)
{
	struct gov_trace_line line = { 0 };
	size_t space = 0, bytes = 0;
	ssize_t got;
	int rc = 0;

	while (!rc && (got = getline(&line.text, &space, file)) >= 0) {
		line.length = (size_t) got;
		line.number++;
		bytes += line.length;
		if (line.length > LINE_MAX_BYTES)
			rc = gov_error_set(error, GOV_E_SYNTAX,
					   "line %zu: longer than %d bytes",
					   line.number, LINE_MAX_BYTES);
		else
			rc = read_line(trace, &line, &format, columns, error);
		if (!rc && trace->count >= GOV_NONE)
			rc = gov_error_set(
				error, GOV_E_VALUE,
				"line %zu: more jobs than can be counted",
				line.number);
		if (progress && line.number % 16384 == 0)
			progress(bytes, arg);
	}
	if (!rc && !feof(file))
		rc = gov_error_set(error, GOV_E_IO, "cannot read: %s",
				   strerror(errno));
	free(line.text);
	return rc;
}

int gov_trace_read(struct gov_trace *trace, FILE *file,
		   enum gov_trace_format format,
		   void (*progress)(size_t bytes, void *arg), void *arg,
		   struct gov_error *error)
{
	struct gov_trace_columns *columns = NULL;
	int rc;

	rc = read_all(trace, file, format, progress, arg, &columns, error);
	gov_trace_table_free(columns);
	if (rc)
		return -1;
	if (!trace->count)
		return gov_error_set(
			error, GOV_E_SYNTAX,
			"the trace has no job that ran; see sgov-simulate(1) for the formats");
	for (size_t i = 0; i < trace->count; i++)
		trace->job[i].pad = (uint32_t) i;
	qsort(trace->job, trace->count, sizeof(*trace->job), by_submit);
	return 0;
}
