/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces with a header line: CSV, and what sacct --parsable2 prints. */
#include "simulate/trace.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "request/submission.h"

#define COLUMNS_MAX 256

enum column {
	COLUMN_IGNORE,
	COLUMN_SUBMIT,
	COLUMN_DURATION,
	COLUMN_TEAM,
	COLUMN_USER,
	COLUMN_CLASS,
	COLUMN_GPUS,
	COLUMN_GPU_TYPE,
	COLUMN_CPUS,
	COLUMN_MEMORY,
	COLUMN_NODES,
	COLUMN_TRES,
	COLUMN_JOB,
};

struct gov_trace_columns {
	char separator;
	bool sacct;
	unsigned count;
	enum column kind[COLUMNS_MAX];
};

static const struct {
	const char *name;
	enum column kind;
} csv_names[] = {
	{ "submit", COLUMN_SUBMIT },	 { "submit_s", COLUMN_SUBMIT },
	{ "duration", COLUMN_DURATION }, { "duration_s", COLUMN_DURATION },
	{ "team", COLUMN_TEAM },	 { "account", COLUMN_TEAM },
	{ "user", COLUMN_USER },	 { "class", COLUMN_CLASS },
	{ "gpus", COLUMN_GPUS },	 { "gpu_type", COLUMN_GPU_TYPE },
	{ "cpus", COLUMN_CPUS },	 { "mem", COLUMN_MEMORY },
	{ "nodes", COLUMN_NODES },
};

/* Columns of sacct that we use; all others are ignored. */
static const struct {
	const char *name;
	enum column kind;
} sacct_names[] = {
	{ "JobID", COLUMN_JOB },	  { "Submit", COLUMN_SUBMIT },
	{ "ElapsedRaw", COLUMN_DURATION }, { "Account", COLUMN_TEAM },
	{ "User", COLUMN_USER },	  { "AllocTRES", COLUMN_TRES },
	{ "ReqTRES", COLUMN_TRES },	  { "QOS", COLUMN_CLASS },
};

static enum column find_column(const char *name, bool sacct)
{
	if (sacct) {
		for (size_t i = 0; i < sizeof(sacct_names) /
				       sizeof(*sacct_names); i++)
			if (!strcasecmp(name, sacct_names[i].name))
				return sacct_names[i].kind;
		return COLUMN_IGNORE;
	}
	for (size_t i = 0; i < sizeof(csv_names) / sizeof(*csv_names); i++)
		if (!strcasecmp(name, csv_names[i].name))
			return csv_names[i].kind;
	return COLUMN_IGNORE;
}

/* Cut the next field off *rest in place; NULL when there is none. */
static char *next_field(char **rest, char separator)
{
	char *field = *rest, *end;

	if (!field)
		return NULL;
	end = strchr(field, separator);
	if (end)
		*end++ = '\0';
	*rest = end;
	while (isblank((unsigned char) *field))
		field++;
	for (char *p = field + strlen(field);
	     p > field && isblank((unsigned char) p[-1]);)
		*--p = '\0';
	return field;
}

static bool has_column(const struct gov_trace_columns *columns,
		       enum column kind)
{
	for (unsigned i = 0; i < columns->count; i++)
		if (columns->kind[i] == kind)
			return true;
	return false;
}

static int check_columns(const struct gov_trace_columns *columns,
			 struct gov_error *error)
{
	static const struct {
		enum column kind;
		const char *csv, *sacct;
	} required[] = {
		{ COLUMN_SUBMIT, "submit", "Submit" },
		{ COLUMN_DURATION, "duration", "ElapsedRaw" },
		{ COLUMN_TEAM, "team", "Account" },
	};

	for (size_t i = 0; i < sizeof(required) / sizeof(*required); i++)
		if (!has_column(columns, required[i].kind))
			return gov_error_set(error, GOV_E_SYNTAX,
					     "line 1: there is no column '%s'",
					     columns->sacct ?
					     required[i].sacct :
					     required[i].csv);
	return 0;
}

int gov_trace_table_header(struct gov_trace_columns **columns,
			   const struct gov_trace_line *line,
			   enum gov_trace_format format,
			   struct gov_error *error)
{
	struct gov_trace_columns *c = calloc(1, sizeof(*c));
	char *rest = line->text, *field;

	*columns = c;
	if (!c)
		return gov_error_set(error, GOV_E_NOMEM, "out of memory");
	c->sacct = format == GOV_TRACE_SACCT;
	c->separator = c->sacct ? '|' : ',';
	while ((field = next_field(&rest, c->separator))) {
		enum column kind = find_column(field, c->sacct);

		if (c->count == COLUMNS_MAX)
			return gov_error_set(error, GOV_E_SYNTAX,
					     "line %zu: more than %d columns",
					     line->number, COLUMNS_MAX);
		if (kind == COLUMN_IGNORE && !c->sacct)
			return gov_error_set(error, GOV_E_UNKNOWN_KEY,
					     "line %zu: unknown column '%s'; known are submit, duration, team, user, class, gpus, gpu_type, cpus, mem, nodes",
					     line->number, field);
		c->kind[c->count++] = kind;
	}
	return check_columns(c, error);
}

static int parse_integer(const char *text, int64_t *value)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end || !(number >= -9e15 && number <= 9e15))
		return -1;
	*value = (int64_t) number;
	return 0;
}

/* Seconds, or an ISO date and time taken as UTC. */
static int parse_time(const char *text, int64_t *value)
{
	struct tm tm = { 0 };
	const char *end;

	if (!parse_integer(text, value))
		return 0;
	end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	if (!end || *end)
		return -1;
	*value = timegm(&tm);
	return 0;
}

static int take_tres(const struct gov_tres_entry *entry, void *arg)
{
	struct gov_trace_job *job = arg;

	if (!strcmp(entry->name, "gres/gpu")) {
		if (entry->amount > job->gpus)
			job->gpus = entry->amount;
	} else if (!strcmp(entry->name, "cpu")) {
		job->cpus = entry->amount;
	} else if (!strcmp(entry->name, "mem")) {
		job->memory = entry->amount;
	} else if (!strcmp(entry->name, "node")) {
		job->nodes = (uint32_t) entry->amount;
	}
	return 0;
}

static int take_count(const char *field, uint64_t max, uint64_t *value)
{
	int64_t number;

	if (parse_integer(field, &number) || number < 0 ||
	    (uint64_t) number > max)
		return -1;
	*value = (uint64_t) number;
	return 0;
}

static int take_name(struct gov_trace *trace, const char *field,
		     uint32_t *index)
{
	*index = gov_trace_name(trace, field, strlen(field));
	return *index == GOV_NONE ? -1 : 0;
}

static int take_field(struct gov_trace *trace, enum column kind,
		      const char *field, struct gov_trace_job *job)
{
	uint64_t number;

	if (!*field && kind != COLUMN_SUBMIT && kind != COLUMN_DURATION &&
	    kind != COLUMN_TEAM)
		return 0;
	switch (kind) {
	case COLUMN_IGNORE:
	case COLUMN_JOB:
		return 0;
	case COLUMN_SUBMIT:
		return parse_time(field, &job->submit);
	case COLUMN_DURATION:
		if (parse_integer(field, &job->duration) || job->duration < 0)
			return -1;
		return 0;
	case COLUMN_TEAM:
		return *field ? take_name(trace, field, &job->team) : -1;
	case COLUMN_USER:
		return take_name(trace, field, &job->user);
	case COLUMN_CLASS:
		return take_name(trace, field, &job->class);
	case COLUMN_GPU_TYPE:
		return take_name(trace, field, &job->gpu_type);
	case COLUMN_GPUS:
		return take_count(field, GOV_AMOUNT_MAX, &job->gpus);
	case COLUMN_CPUS:
		return take_count(field, GOV_AMOUNT_MAX, &job->cpus);
	case COLUMN_MEMORY:
		return gov_tres_parse_amount("mem", field, &job->memory);
	case COLUMN_NODES:
		if (take_count(field, UINT32_MAX - 1, &number))
			return -1;
		job->nodes = (uint32_t) number;
		return 0;
	case COLUMN_TRES:
		return gov_tres_walk(field, take_tres, job, NULL);
	}
	return -1;
}

int gov_trace_table_row(const struct gov_trace_columns *columns,
			struct gov_trace *trace, struct gov_trace_line *line,
			struct gov_error *error)
{
	struct gov_trace_job job = {
		.class = GOV_NONE,
		.gpu_type = GOV_NONE,
	};
	char *rest = line->text, *field;
	unsigned at = 0;
	bool step = false;

	while ((field = next_field(&rest, columns->separator))) {
		if (at == columns->count)
			return gov_error_set(error, GOV_E_SYNTAX,
					     "line %zu: more fields than the header has",
					     line->number);
		/* A step ("12.batch") is part of a job already counted. */
		if (columns->kind[at] == COLUMN_JOB && strchr(field, '.'))
			step = true;
		if (!step && take_field(trace, columns->kind[at], field, &job))
			return gov_error_set(error, GOV_E_VALUE,
					     "line %zu: field %u '%.40s' cannot be understood",
					     line->number, at + 1, field);
		at++;
	}
	if (step)
		return 0;
	if (at != columns->count)
		return gov_error_set(error, GOV_E_SYNTAX,
				     "line %zu: has %u fields, the header has %u",
				     line->number, at, columns->count);
	if (!job.duration || (!job.gpus && !job.cpus && !job.memory)) {
		trace->skipped++;
		return 0;
	}
	if (gov_trace_add(trace, &job))
		return gov_error_set(error, GOV_E_NOMEM, "out of memory");
	return 0;
}

void gov_trace_table_free(struct gov_trace_columns *columns)
{
	free(columns);
}
