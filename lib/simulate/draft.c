/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A policy drafted from a trace, to begin with. */
#include "simulate/simulate.h"

#include <stdlib.h>
#include <string.h>

#define NODES_MAX 65536 /* of a pool, in governance.conf */

struct share {
	uint32_t name;
	double hours;
	uint64_t quota;
	double remainder;
};

/* What the jobs of a trace ask for, so that the pool has all of it. */
struct shape {
	bool gpus;	   /* some ask for GPUs */
	bool without_gpus; /* some do not */
	bool without_cpus; /* some ask for memory only */
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
	static const char usable[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_.-";
	size_t length = strspn(name, usable);

	return length && !name[length] && length < 60 && *name != '.' &&
	       *name != '-';
}

/* Largest remainder: whole numbers that add up to the capacity. */
static void apportion(struct share *share, uint32_t count, double total,
		      uint64_t capacity)
{
	uint64_t given = 0;

	for (uint32_t i = 0; i < count; i++) {
		double exact = total > 0 ? share[i].hours / total *
						   (double) capacity :
					   0;

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
			const struct shape *shape, uint64_t capacity,
			uint32_t node_size, FILE *file)
{
	const char *tres = shape->gpus ? "gres/gpu" : "cpu";

	fprintf(file,
		"# Drafted from a trace of %zu jobs: each team's quota is its\n"
		"# mean use, scaled to %llu of %s.  Read it before use.\n"
		"IdleSharing=FairShare ShareUnallocated=yes\n"
		"PoolName=main Nodes=n[1-%llu] TRES=%s%s%s\n"
		"PriorityClass=normal Weight=50 Default=yes\n",
		trace->count, (unsigned long long) capacity, tres,
		(unsigned long long) ((capacity + node_size - 1) / node_size),
		tres, shape->gpus && shape->without_gpus ? ",cpu" : "",
		shape->without_cpus ? ",mem" : "");
	for (uint32_t i = 0; i < count; i++) {
		const char *name = trace->name[share[i].name];

		fprintf(file,
			"TeamName=%s Account=%s Members=@%s BorrowLimit=unlimited\n"
			"Quota Team=%s Pool=main TRES=%s=%llu\n",
			name, name, name, name, tres,
			(unsigned long long) share[i].quota);
	}
}

/* The total of all teams. */
static double add_hours(const struct gov_trace *trace, bool gpus,
			struct share *all)
{
	double total = 0;

	for (size_t i = 0; i < trace->count; i++) {
		const struct gov_trace_job *job = &trace->job[i];
		double hours = (double) job->duration *
			       (double) (gpus ? job->gpus : job->cpus);

		all[job->team].hours += hours;
		all[job->team].remainder = 1; /* it is a team */
		total += hours;
	}
	return total;
}

static void look_at(const struct gov_trace *trace, struct shape *shape)
{
	*shape = (struct shape){ false, false, false };
	for (size_t i = 0; i < trace->count; i++) {
		const struct gov_trace_job *job = &trace->job[i];

		shape->gpus = shape->gpus || job->gpus;
		shape->without_gpus = shape->without_gpus || !job->gpus;
		shape->without_cpus = shape->without_cpus ||
				      (!job->gpus && !job->cpus);
	}
}

int gov_simulate_draft(const struct gov_trace *trace, uint64_t capacity,
		       uint32_t node_size, FILE *file, struct gov_error *error)
{
	struct share *all = calloc((size_t) trace->name_count + 1,
				   sizeof(*all));
	struct shape shape;
	uint32_t count = 0;
	double total;

	if ((capacity - 1) / node_size >= NODES_MAX) {
		free(all);
		return gov_error_set(
			error, GOV_E_VALUE,
			"that would be more than %d nodes; give a larger --node-size",
			NODES_MAX);
	}
	if (!all)
		return gov_error_set(error, GOV_E_NOMEM, "out of memory");
	look_at(trace, &shape);
	total = add_hours(trace, shape.gpus, all);
	for (uint32_t n = 0; n < trace->name_count; n++) {
		if (!all[n].remainder)
			continue;
		if (!usable_name(trace->name[n])) {
			free(all);
			return gov_error_set(
				error, GOV_E_VALUE,
				"team '%.60s' of the trace is no name that governance.conf can have; rename it in the trace",
				trace->name[n]);
		}
		all[count] = all[n];
		all[count++].name = n;
	}
	apportion(all, count, total, capacity);
	write_draft(trace, all, count, &shape, capacity, node_size, file);
	free(all);
	if (ferror(file))
		return gov_error_set(error, GOV_E_IO, "cannot write the draft");
	return 0;
}
