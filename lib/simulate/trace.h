/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job trace for the simulator: who asked for what, when, for how long.
 *
 * Read from CSV with a header line, from "sacct --parsable2", or from the
 * Standard Workload Format (SWF).  Names are interned: a trace of a million
 * jobs keeps each user and team name once.  The file is untrusted text.
 */
#ifndef GOVERNANCE_SIMULATE_TRACE_H
#define GOVERNANCE_SIMULATE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/error.h"
#include "core/policy.h"

enum gov_trace_format {
	GOV_TRACE_GUESS, /* by the first lines */
	GOV_TRACE_CSV,
	GOV_TRACE_SACCT,
	GOV_TRACE_SWF,
};

/* Times and durations beyond 3,000 years are refused. */
#define GOV_TRACE_SECONDS_MAX 1e11

/* One job.  Amounts are totals for the job; 0 means "not asked". */
struct gov_trace_job {
	int64_t submit;	   /* seconds; any origin, sorted ascending */
	int64_t duration;  /* seconds of undisturbed run, >= 0 */
	uint32_t user;	   /* index into name[], GOV_NONE: not told */
	uint32_t team;	   /* index into name[] */
	uint32_t class;	   /* index into name[], GOV_NONE: default */
	uint32_t nodes;	   /* nodes asked for, 0: any number */
	uint32_t gpu_type; /* index into name[], GOV_NONE: untyped */
	uint32_t pad;
	gov_amount_t gpus;
	gov_amount_t cpus;
	gov_amount_t memory; /* MiB */
};

struct gov_trace {
	struct gov_trace_job *job;
	size_t count;
	size_t space;
	char **name;
	uint32_t name_count;
	uint32_t name_space;
	uint32_t *slot; /* hash of names */
	uint32_t slot_count;
	bool class_is_hint; /* sacct's QOS: a class if the policy has it */
	size_t skipped;	    /* rows without a run or without an amount */
};

/* All zero.  */
void gov_trace_init(struct gov_trace *trace);
void gov_trace_free(struct gov_trace *trace);

/*
 * Index of a name, added if new; names that differ in case only are one, as
 * they are in a policy.  GOV_NONE: out of memory.
 */
uint32_t gov_trace_name(struct gov_trace *trace, const char *text,
			size_t length);

/* Append a job.  0, or -1 out of memory. */
int gov_trace_add(struct gov_trace *trace, const struct gov_trace_job *job);

/*
 * Read a trace; the format is guessed unless given.  progress (may be NULL) is
 * called now and then with the bytes read.  Jobs are sorted by submit time,
 * equal times in file order.  -1 with "line N: …" in error; the trace must be
 * freed in either case.
 *
 * CSV columns, by header name in any order: submit or submit_s (seconds, or
 * YYYY-MM-DDTHH:MM:SS), duration or duration_s, team or account, user, class,
 * gpus, gpu_type, cpus, mem (MiB, or with suffix), nodes.  submit, duration
 * and team are required; columns of other names are an error.  Counts are
 * whole numbers.  Of sacct: JobID, Submit, ElapsedRaw and Account are
 * required, User, QOS, AllocTRES and ReqTRES (where nothing was allocated)
 * are used, other columns ignored.
 */
int gov_trace_read(struct gov_trace *trace, FILE *file,
		   enum gov_trace_format format,
		   void (*progress)(size_t bytes, void *arg), void *arg,
		   struct gov_error *error);

/* Parts of the reader, one file each; internal to lib/simulate. */
struct gov_trace_line {
	char *text; /* NUL-terminated, newline removed */
	size_t length;
	size_t number; /* from 1 */
};
struct gov_trace_columns;
int gov_trace_table_header(struct gov_trace_columns **columns,
			   const struct gov_trace_line *line,
			   enum gov_trace_format format,
			   struct gov_error *error);
int gov_trace_table_row(const struct gov_trace_columns *columns,
			struct gov_trace *trace, struct gov_trace_line *line,
			struct gov_error *error);
void gov_trace_table_free(struct gov_trace_columns *columns);
int gov_trace_swf_row(struct gov_trace *trace,
		      const struct gov_trace_line *line,
		      struct gov_error *error);

#endif
