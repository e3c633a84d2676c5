/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Standard Workload Format: 18 numbers a line, ';' comments, -1 is unknown
 * (Feitelson, Parallel Workloads Archive, "The Standard Workload Format").
 */
#include "simulate/trace.h"

#include <stdlib.h>
#include <string.h>

enum {
	SWF_SUBMIT = 1,
	SWF_RUN_TIME = 3,
	SWF_ALLOCATED = 4,
	SWF_REQUESTED = 7,
	SWF_USER = 11,
	SWF_GROUP = 12,
	SWF_QUEUE = 14,
	SWF_FIELDS = 18,
};

static uint32_t number_name(struct gov_trace *trace, const char *prefix,
			    double number)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "%s%.0f", prefix, number);

	return gov_trace_name(trace, text, (size_t) length);
}

int gov_trace_swf_row(struct gov_trace *trace,
		      const struct gov_trace_line *line,
		      struct gov_error *error)
{
	struct gov_trace_job job = { .class = GOV_NONE, .gpu_type = GOV_NONE };
	double field[SWF_FIELDS], processors;
	char *at = line->text, *end;
	bool named = true;

	if (*at == ';')
		return 0;
	for (int i = 0; i < SWF_FIELDS; i++, at = end) {
		field[i] = strtod(at, &end);
		if (end == at ||
		    !(field[i] >= -1 && field[i] <= GOV_TRACE_SECONDS_MAX))
			return gov_error_set(
				error, GOV_E_SYNTAX,
				"line %zu: SWF has %d numbers a line, number %d is missing or wrong",
				line->number, SWF_FIELDS, i + 1);
	}
	processors = field[SWF_REQUESTED] > 0 ? field[SWF_REQUESTED] :
						field[SWF_ALLOCATED];
	/* The standard has whole numbers; less than one is none. */
	if (field[SWF_RUN_TIME] < 1 || processors < 1 ||
	    field[SWF_SUBMIT] < 0) {
		trace->skipped++;
		return 0;
	}
	job.submit = (int64_t) field[SWF_SUBMIT];
	job.duration = (int64_t) field[SWF_RUN_TIME];
	job.cpus = (gov_amount_t) processors;
	job.team = number_name(trace, "group", field[SWF_GROUP]);
	job.user = GOV_NONE;
	if (field[SWF_USER] >= 0) {
		job.user = number_name(trace, "user", field[SWF_USER]);
		named = job.user != GOV_NONE;
	}
	if (!named || job.team == GOV_NONE || gov_trace_add(trace, &job))
		return gov_error_set(error, GOV_E_NOMEM, "out of memory");
	return 0;
}
