/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random --events=N --seed=S [--length=L] [--case=FILE]: N random events in
 * histories of L events each, from seed S on; what fails is cut down and
 * written to FILE.  random [--trace] --replay=FILE... runs such files again.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define SHRINK_TRIES 3000

static bool keep_going, tracing;

static void print_tally(const struct tally *t)
{
	printf("%" PRIu64 " events: %" PRIu64 " admissions, %" PRIu64
	       " notices, %" PRIu64 " withdrawals, %" PRIu64 " stops, %" PRIu64
	       " claims served, %" PRIu64 " on surplus\n",
	       t->events, t->admissions, t->notices, t->withdrawals, t->stops,
	       t->claims_served, t->surplus_claims);
	printf("plans by rule: within team %" PRIu64 ", reclaim %" PRIu64
	       ", fair share %" PRIu64 ", while borrowing %" PRIu64 "\n",
	       t->reclaims[1], t->reclaims[2], t->reclaims[3], t->reclaims[4]);
	printf("bad records refused %" PRIu64 ", audits %" PRIu64
	       ", engines made anew and compared %" PRIu64 "\n",
	       t->refused, t->audits, t->twins);
}

static void report(const struct violation *v, const char *where)
{
	printf("BROKEN %s: %s (%s, event %zu)\n", v->name, v->text, where,
	       v->event);
}

static void write_case(const struct history *history, const struct violation *v,
		       const char *path)
{
	FILE *file = path ? fopen(path, "w") : stdout;

	if (!file) {
		perror(path);
		return;
	}
	fprintf(file, "# %s: %s\n", v->name, v->text);
	history_write(history, file);
	if (path) {
		fclose(file);
		printf("case: %s\n", path);
	}
}

/* true if nothing was broken. */
static bool run_random(uint64_t events, uint64_t seed, size_t length,
		       const char *path)
{
	struct tally tally = { 0 };
	bool good = true;

	for (; tally.events < events; seed++) {
		struct violation violation;
		struct history history;
		char where[64];

		history_make(&history, seed, length);
		history_run(&history, &violation, &tally);
		if (violation.found) {
			snprintf(where, sizeof(where), "seed %" PRIu64, seed);
			report(&violation, where);
			good = false;
			if (!keep_going) {
				history_shrink(&history, &violation,
					       SHRINK_TRIES);
				report(&violation, "cut down");
				write_case(&history, &violation, path);
			}
		}
		history_free(&history);
		if (!good && !keep_going)
			break;
	}
	print_tally(&tally);
	return good;
}

static bool replay(const char *path)
{
	struct tally tally = { .trace = tracing, .twin_always = true };
	struct violation violation;
	struct history history;

	history_read(&history, path);
	history_run(&history, &violation, &tally);
	history_free(&history);
	if (violation.found)
		report(&violation, path);
	else
		printf("ok %s\n", path);
	return !violation.found;
}

int main(int argc, char **argv)
{
	uint64_t events = 20000, seed = 1;
	const char *path = NULL;
	size_t length = 200;
	bool good = true, replayed = false;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++) {
		const char *value = strchr(argv[i], '=');

		value = value ? value + 1 : "";
		if (!strncmp(argv[i], "--events=", 9)) {
			events = strtoull(value, NULL, 10);
		} else if (!strncmp(argv[i], "--seed=", 7)) {
			seed = strtoull(value, NULL, 10);
		} else if (!strncmp(argv[i], "--length=", 9)) {
			length = strtoull(value, NULL, 10);
		} else if (!strncmp(argv[i], "--case=", 7)) {
			path = value;
		} else if (!strcmp(argv[i], "--keep-going")) {
			keep_going = true;
		} else if (!strcmp(argv[i], "--trace")) {
			tracing = true;
		} else if (!strncmp(argv[i], "--replay=", 9)) {
			replayed = true;
			good &= replay(value);
		} else {
			fputs("usage: random [--events=N] [--seed=S] [--length=L] [--case=FILE] [--keep-going] [--trace] [--replay=FILE]...\n",
			      stderr);
			return 2;
		}
	}
	if (!replayed)
		good = run_random(events, seed, length, path);
	return good ? 0 : 1;
}
