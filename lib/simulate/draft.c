/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A policy drafted from a trace, to begin with. */
#include "simulate/simulate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct share {
	uint32_t name;
	double hours;
	uint64_t quota;
	double remainder;
};

static int by_remainder(const void *left, const void *right)
{
	const struct share *a = left, *b = right;

	if (a->remainder != b->remainder)
		return a->remainder > b->remainder ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static int by_name(const void *left, const void *right)
{
	const struct share *a = left, *b = right;

	return a->name < b->name ? -1 : a->name > b->name;
}

static bool usable_name(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char) *p) && !strchr("_.-", *p))
			return false;
	return *name && strlen(name) < 60;
}

/* Largest remainder: whole numbers that add up to the capacity. */
static void apportion(struct share *share, uint32_t count, double total,
		      uint64_t capacity)
{
	uint64_t given = 0;

	for (uint32_t i = 0; i < count; i++) {
		double exact = total > 0 ?
			share[i].hours / total * (double) capacity : 0;

		share[i].quota = (uint64_t) exact;
		share[i].remainder = exact - (double) share[i].quota;
		given += share[i].quota;
	}
	qsort(share, count, sizeof(*share), by_remainder);
	for (uint32_t i = 0; i < count && given < capacity; i++, given++)
		share[i].quota++;
	qsort(share, count, sizeof(*share), by_name);
}

static void write_draft(const struct gov_trace *trace,
			const struct share *share, uint32_t count,
			const char *tres, uint64_t capacity,
			uint32_t node_size, FILE *file)
{
	fprintf(file,
		"# Drafted from a trace of %zu jobs: each team's quota is its\n"
		"# mean use, scaled to %llu of %s.  Read it before use.\n"
		"IdleSharing=FairShare ShareUnallocated=yes\n"
		"PoolName=main Nodes=n[1-%llu] TRES=%s\n"
		"PriorityClass=normal Weight=50 Default=yes\n",
		trace->count, (unsigned long long) capacity, tres,
		(unsigned long long) ((capacity + node_size - 1) / node_size),
		tres);
	for (uint32_t i = 0; i < count; i++) {
		const char *name = trace->name[share[i].name];

		fprintf(file,
			"TeamName=%s Account=%s Members=@%s BorrowLimit=unlimited\n"
			"Quota Team=%s Pool=main TRES=%s=%llu\n",
			name, name, name, name, tres,
			(unsigned long long) share[i].quota);
	}
}

int gov_simulate_draft(const struct gov_trace *trace, uint64_t capacity,
		       uint32_t node_size, FILE *file, struct gov_error *error)
{
	struct share *all = calloc(trace->name_count + 1, sizeof(*all));
	uint32_t count = 0;
	bool gpus = false;
	double total = 0;

	if (!all)
		return gov_error_set(error, GOV_E_NOMEM, "out of memory");
	for (size_t i = 0; i < trace->count; i++)
		gpus = gpus || trace->job[i].gpus;
	for (size_t i = 0; i < trace->count; i++) {
		const struct gov_trace_job *job = &trace->job[i];
		double hours = (double) job->duration *
			(double) (gpus ? job->gpus : job->cpus);

		all[job->team].hours += hours;
		all[job->team].remainder = 1;	/* it is a team */
		total += hours;
	}
	for (uint32_t n = 0; n < trace->name_count; n++) {
		if (!all[n].remainder)
			continue;
		if (!usable_name(trace->name[n])) {
			free(all);
			return gov_error_set(error, GOV_E_VALUE,
					     "team '%.60s' of the trace is no name that governance.conf can have; rename it in the trace",
					     trace->name[n]);
		}
		all[count] = all[n];
		all[count++].name = n;
	}
	apportion(all, count, total, capacity);
	write_draft(trace, all, count, gpus ? "gres/gpu" : "cpu", capacity,
		    node_size, file);
	free(all);
	if (ferror(file))
		return gov_error_set(error, GOV_E_IO, "cannot write the draft");
	return 0;
}
