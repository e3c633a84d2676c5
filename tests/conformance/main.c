/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conformance [--differences=FILE] FILE.json...: replay cases of the
 * conformance corpus.  tests/conformance/run finds it and calls it.
 *
 * One line for each failure, and last "N passed, N failed, N skipped".  Exit
 * status 1 if anything failed, 2 if a file could not be read.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "text.h"

static const struct {
	const char *name;
	kind_function run;
} kinds[] = {
	{ "admission_order", kind_admission_order },
	{ "assign", kind_assign },
	{ "available", kind_available },
	{ "drs", kind_drs },
	{ "loop", kind_loop },
	{ "partial_search", kind_partial_search },
	{ "policy", kind_policy },
	{ "preempt", kind_preempt },
	{ "prefer", kind_prefer },
	{ "queue_head", kind_queue_head },
	{ "requeue", kind_requeue },
	{ "reserve", kind_reserve },
	{ "saturate", kind_saturate },
	{ "schedule", kind_schedule },
	{ "schedule2", kind_schedule },
	{ "subtree", kind_subtree },
	{ "team_usage", kind_team_usage },
	{ "usage", kind_usage },
	{ "usage_score", kind_usage_score },
	{ "victim_order", kind_victim_order },
	{ "victim_team_order", kind_victim_team_order },
};

static unsigned int passed, failed, skipped, differing;
static bool verbose;

void note_add(struct note *note, const char *format, ...)
{
	size_t room = sizeof(note->text) - note->used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(note->text + note->used, room, format, args);
	va_end(args);
	if (n > 0)
		note->used += (size_t) n < room ? (size_t) n : room - 1;
}

/* ---- deliberate differences ---- */

/* id, reason, test of ours; separated by " | ", lines with '#' are comments. */
static char *differences;

static void read_differences(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t size = 0;

	if (!file)
		return;
	if (getdelim(&differences, &size, '\0', file) < 0) {
		free(differences);
		differences = NULL;
	}
	fclose(file);
}

static bool is_difference(const char *id)
{
	size_t length = strlen(id);
	const char *line = differences;

	while (line && *line) {
		if (!strncmp(line, id, length) &&
		    !strncmp(line + length, " | ", 3))
			return true;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return false;
}

/* ---- cases ---- */

static void report(const char *id, bool ran, const struct note *note)
{
	if (!ran) {
		skipped++;
		if (verbose)
			printf("skip %s: %s\n", id, note->text);
	} else if (is_difference(id)) {
		/* A difference that is none any more must leave the list. */
		if (note->used) {
			differing++;
			skipped++;
			if (verbose)
				printf("differs %s: %s\n", id, note->text);
		} else {
			failed++;
			printf("FAIL %s: listed in differences, but agrees\n",
			       id);
		}
	} else if (note->used) {
		failed++;
		printf("FAIL %s: %s\n", id, note->text);
	} else {
		passed++;
		if (verbose)
			printf("ok %s\n", id);
	}
}

static void run_case(struct json_object *json)
{
	const char *id = text_string(json, "id");
	/* Scenarios of the shape of loops.json name no kind. */
	const char *kind = text_string_or(
		json, "kind",
		text_get(json, "jobs_in_submit_order") ? "loop" : "");
	struct note note = { .used = 0 };
	bool ran = false;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i].name, kind))
			continue;
		ran = kinds[i].run(json, &note);
		report(id, ran, &note);
		return;
	}
	note_add(&note, "kind %s is not ours", kind);
	report(id, false, &note);
}

static void run_file(const char *path, const char *only)
{
	struct json_object *file = json_object_from_file(path);
	struct json_object *list = text_get(file, "cases");

	if (!list)
		list = text_get(file, "scenarios");
	if (!list)
		text_fail("%s: no cases in it", path);
	for (size_t i = 0; i < text_length(list); i++) {
		struct json_object *json = text_at(list, i);

		if (!only || !strcmp(only, text_string(json, "id")))
			run_case(json);
	}
	json_object_put(file);
}

int main(int argc, char **argv)
{
	const char *only = NULL;
	int files = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-v") || !strcmp(argv[i], "--verbose"))
			verbose = true;
		else if (!strncmp(argv[i], "--only=", 7))
			only = argv[i] + 7;
		else if (!strncmp(argv[i], "--differences=", 14))
			read_differences(argv[i] + 14);
		else
			files++;
	}
	if (!files) {
		fputs("usage: run [--verbose] [--only=ID] FILE.json...\n",
		      stderr);
		return 2;
	}
	for (int i = 1; i < argc; i++)
		if (argv[i][0] != '-')
			run_file(argv[i], only);
	if (differing)
		printf("%u of the skipped are deliberate differences\n",
		       differing);
	printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
	free(differences);
	return failed ? 1 : 0;
}
