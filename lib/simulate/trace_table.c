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
	COLUMN_ALLOCATED,
	COLUMN_REQUESTED,
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
	{ "JobID", COLUMN_JOB },	   { "Submit", COLUMN_SUBMIT },
	{ "ElapsedRaw", COLUMN_DURATION }, { "Account", COLUMN_TEAM },
	{ "User", COLUMN_USER },	   { "AllocTRES", COLUMN_ALLOCATED },
	{ "ReqTRES", COLUMN_REQUESTED },   { "QOS", COLUMN_CLASS },
};

static enum column find_column(const char *name, bool sacct)
{
	if (sacct) {
		for (size_t i = 0;
		     i < sizeof(sacct_names) / sizeof(*sacct_names); i++)
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

/* Once each; without JobID the steps of sacct would be counted as jobs. */
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
		{ COLUMN_JOB, NULL, "JobID" },
	};

	for (unsigned i = 0; i < columns->count; i++)
		for (unsigned j = 0; j < i; j++)
			if (columns->kind[i] != COLUMN_IGNORE &&
			    columns->kind[i] == columns->kind[j])
				return gov_error_set(
					error, GOV_E_SYNTAX,
					"line 1: columns %u and %u say the same",
					j + 1, i + 1);
	for (size_t i = 0; i < sizeof(required) / sizeof(*required); i++)
		if ((columns->sacct || required[i].csv) &&
		    !has_column(columns, required[i].kind))
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
			return gov_error_set(
				error, GOV_E_UNKNOWN_KEY,
				"line %zu: unknown column '%s'; known are submit, duration, team, user, class, gpus, gpu_type, cpus, mem, nodes",
				line->number, field);
		c->kind[c->count++] = kind;
	}
	return check_columns(c, error);
}

/* A number in plain decimal: no blanks, hexadecimal, inf or nan. */
static int parse_number(const char *text, double most, double *value)
{
	char *end;

	if (!*text || text[strspn(text, "0123456789+-.eE")])
		return -1;
	*value = strtod(text, &end);
	return *end || !(*value >= -most && *value <= most) ? -1 : 0;
}

/* Seconds, or an ISO date and time taken as UTC. */
static int parse_time(const char *text, int64_t *value)
{
	struct tm tm = { 0 };
	const char *end;
	double number;

	if (!parse_number(text, GOV_TRACE_SECONDS_MAX, &number)) {
		*value = (int64_t) number;
		return 0;
	}
	end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	if (!end || *end)
		return -1;
	*value = timegm(&tm);
	return 0;
}

/* Seconds; what ran for part of a second ran for one. */
static int parse_duration(const char *text, int64_t *value)
{
	double number;

	if (parse_number(text, GOV_TRACE_SECONDS_MAX, &number) || number < 0)
		return -1;
	*value = (int64_t) number;
	if ((double) *value < number)
		++*value;
	return 0;
}

/* A whole number; spreadsheets write 4 as "4.0". */
static int parse_count(const char *text, uint64_t most, uint64_t *value)
{
	double number;

	if (parse_number(text, 9007199254740992.0, &number) || number < 0 ||
	    (double) (uint64_t) number < number || (uint64_t) number > most)
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

struct tres {
	struct gov_trace *trace;
	struct gov_trace_job *job;
	gov_amount_t typed; /* GPUs of all types */
	unsigned types;
};

static int take_gpus(struct tres *tres, const struct gov_tres_entry *entry)
{
	struct gov_trace_job *job = tres->job;

	if (!*entry->type) {
		if (entry->amount > job->gpus)
			job->gpus = entry->amount;
		return 0;
	}
	tres->typed = gov_amount_add(tres->typed, entry->amount);
	if (entry->amount && tres->types++ == 0)
		return take_name(tres->trace, entry->type, &job->gpu_type);
	return 0;
}

static int take_tres(const struct gov_tres_entry *entry, void *arg)
{
	struct tres *tres = arg;

	if (!strcmp(entry->name, "gres/gpu"))
		return take_gpus(tres, entry);
	if (!strcmp(entry->name, "cpu"))
		tres->job->cpus = entry->amount;
	else if (!strcmp(entry->name, "mem"))
		tres->job->memory = entry->amount;
	else if (!strcmp(entry->name, "node"))
		tres->job->nodes = entry->amount < GOV_NONE ?
					   (uint32_t) entry->amount :
					   GOV_NONE - 1;
	return 0;
}

/*
 * "billing=8,cpu=8,gres/gpu:h100=4,gres/gpu=4,mem=64G,node=1": the GPUs are
 * there with and without their type.  Of a job with several types none is
 * kept.
 */
static int take_list(struct gov_trace *trace, const char *text,
		     struct gov_trace_job *job)
{
	struct tres tres = { .trace = trace, .job = job };

	if (gov_tres_walk(text, take_tres, &tres, NULL))
		return -1;
	if (tres.typed > job->gpus)
		job->gpus = tres.typed;
	if (tres.types > 1)
		job->gpu_type = GOV_NONE;
	return job->gpus > GOV_AMOUNT_MAX ? -1 : 0;
}

static int take_field(struct gov_trace *trace, enum column kind,
		      const char *field, struct gov_trace_job *job)
{
	uint64_t number = 0;

	if (!*field && kind != COLUMN_SUBMIT && kind != COLUMN_DURATION &&
	    kind != COLUMN_TEAM)
		return 0;
	switch (kind) {
	case COLUMN_IGNORE:
	case COLUMN_JOB:
	case COLUMN_REQUESTED: return 0;
	case COLUMN_SUBMIT: return parse_time(field, &job->submit);
	case COLUMN_DURATION: return parse_duration(field, &job->duration);
	case COLUMN_TEAM:
		return *field ? take_name(trace, field, &job->team) : -1;
	case COLUMN_USER: return take_name(trace, field, &job->user);
	case COLUMN_CLASS: return take_name(trace, field, &job->class);
	case COLUMN_GPU_TYPE: return take_name(trace, field, &job->gpu_type);
	case COLUMN_GPUS: return parse_count(field, GOV_AMOUNT_MAX, &job->gpus);
	case COLUMN_CPUS: return parse_count(field, GOV_AMOUNT_MAX, &job->cpus);
	case COLUMN_MEMORY:
		return gov_tres_parse_amount("mem", field, &job->memory);
	case COLUMN_NODES:
		if (parse_count(field, UINT32_MAX - 1, &number))
			return -1;
		job->nodes = (uint32_t) number;
		return 0;
	case COLUMN_ALLOCATED: return take_list(trace, field, job);
	}
	return -1;
}

/* Cut the line into as many fields as the header has. */
static int cut_fields(const struct gov_trace_columns *columns,
		      const struct gov_trace_line *line, char **fields,
		      struct gov_error *error)
{
	char *rest = line->text, *field;
	unsigned at = 0;

	while ((field = next_field(&rest, columns->separator))) {
		if (at == columns->count)
			return gov_error_set(
				error, GOV_E_SYNTAX,
				"line %zu: more fields than the header has",
				line->number);
		fields[at++] = field;
	}
	if (at != columns->count)
		return gov_error_set(
			error, GOV_E_SYNTAX,
			"line %zu: has %u fields, the header has %u",
			line->number, at, columns->count);
	return 0;
}

/* What a job asked for counts if nothing was allocated, or it is not told. */
static int take_fields(const struct gov_trace_columns *columns,
		       struct gov_trace *trace, char **fields,
		       struct gov_trace_job *job)
{
	bool told = false;

	for (unsigned i = 0; i < columns->count; i++) {
		if (take_field(trace, columns->kind[i], fields[i], job))
			return (int) i;
		if (columns->kind[i] == COLUMN_ALLOCATED)
			told = *fields[i] != '\0';
	}
	for (unsigned i = 0; i < columns->count && !told; i++)
		if (columns->kind[i] == COLUMN_REQUESTED &&
		    take_list(trace, fields[i], job))
			return (int) i;
	return -1;
}

/* A step ("12.batch") is part of a job that has a line of its own. */
static bool is_step(const struct gov_trace_columns *columns, char **fields)
{
	for (unsigned i = 0; i < columns->count; i++)
		if (columns->kind[i] == COLUMN_JOB)
			return strchr(fields[i], '.') != NULL;
	return false;
}

int gov_trace_table_row(const struct gov_trace_columns *columns,
			struct gov_trace *trace, struct gov_trace_line *line,
			struct gov_error *error)
{
	struct gov_trace_job job = {
		.user = GOV_NONE,
		.class = GOV_NONE,
		.gpu_type = GOV_NONE,
	};
	char *fields[COLUMNS_MAX];
	int wrong;

	if (cut_fields(columns, line, fields, error))
		return -1;
	if (is_step(columns, fields))
		return 0;
	wrong = take_fields(columns, trace, fields, &job);
	if (wrong >= 0)
		return gov_error_set(
			error, GOV_E_VALUE,
			"line %zu: field %d '%.40s' cannot be understood",
			line->number, wrong + 1, fields[wrong]);
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
