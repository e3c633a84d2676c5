/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: what was used, lent, borrowed, lost and waited for. */
#include "sgov/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ledger/report_read.h"
#include "sgov/ask.h"
#include "sgov/ledger.h"
#include "sgov/options.h"
#include "sgov/users.h"

/* As given. */
struct given {
	const char *by, *start, *end, *zone, *csv, *format, *currency;
	const char *team, *unit, *project, *user, *class_name, *pool, *tres;
	const char *directory, *no_index;
};

/* ---- what is asked for ---- */

static const char *const kinds[] = {
	[GOV_REPORT_USAGE] = "usage",
	[GOV_REPORT_LOANS] = "loans",
	[GOV_REPORT_EVICTIONS] = "evictions",
	[GOV_REPORT_WAITING] = "waiting",
};

static int read_kind(struct sgov_report *ask, const char *word)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(word, kinds[i]) == 0) {
			ask->query.kind = (enum gov_report_kind) i;
			ask->name = kinds[i];
			return SGOV_OK;
		}
	return sgov_usage(ask->sgov,
			  "report does not know '%s'; there are usage, loans, "
			  "evictions and waiting",
			  word);
}

static bool read_by_word(struct sgov_report *ask, const char *word)
{
	static const struct {
		const char *name;
		unsigned by;
	} words[] = {
		{ "team", GOV_BY_TEAM },       { "unit", GOV_BY_UNIT },
		{ "project", GOV_BY_PROJECT }, { "user", GOV_BY_USER },
		{ "class", GOV_BY_CLASS },     { "pool", GOV_BY_POOL },
		{ "job", GOV_BY_JOB },
	};
	enum gov_report_kind kind = ask->query.kind;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i].name) == 0) {
			ask->query.by |= words[i].by;
			return true;
		}
	if ((kind == GOV_REPORT_LOANS && strcmp(word, "lender") == 0) ||
	    (kind == GOV_REPORT_EVICTIONS && strcmp(word, "asker") == 0))
		ask->query.by |= GOV_BY_OTHER;
	else if (strcmp(word, "day") == 0 && ask->periods != SGOV_MONTHS)
		ask->periods = SGOV_DAYS;
	else if (strcmp(word, "month") == 0 && ask->periods != SGOV_DAYS)
		ask->periods = SGOV_MONTHS;
	else
		return false;
	return true;
}

static int read_by(struct sgov_report *ask, const char *list)
{
	char *copy = sgov_copy(list), *rest = copy, *word;
	int status = SGOV_OK;

	while (!status && (word = strsep(&rest, ",")))
		if (!read_by_word(ask, word))
			status = sgov_usage(
				ask->sgov,
				"--by=%s: '%s' is none of team, unit, project, "
				"user, class, pool, job, and one of day and "
				"month; loans also lender, evictions asker",
				list, word);
	free(copy);
	return status;
}

static unsigned usual_by(enum gov_report_kind kind)
{
	if (kind == GOV_REPORT_LOANS || kind == GOV_REPORT_EVICTIONS)
		return GOV_BY_TEAM | GOV_BY_OTHER;
	return GOV_BY_TEAM;
}

static int read_period(struct sgov_report *ask, const struct given *given)
{
	int status;

	ask->end = time(NULL);
	status = sgov_report_end(ask->sgov, given->end, &ask->end);
	if (status)
		return status;
	ask->start = sgov_report_month(ask->end - 1);
	status = sgov_report_start(ask->sgov, given->start, &ask->start);
	if (status)
		return status;
	if (ask->start >= ask->end)
		return sgov_usage(ask->sgov, "the end must be after the start");
	if (sgov_report_bounds(ask))
		return sgov_usage(ask->sgov, "that are too many days");
	return SGOV_OK;
}

static int read_format(struct sgov_report *ask, const struct given *given)
{
	const char *format = given->format;

	if (ask->sgov->format == SGOV_JSON)
		ask->format = SGOV_REPORT_JSON;
	if (given->csv)
		ask->format = SGOV_REPORT_CSV;
	if (!format)
		return SGOV_OK;
	if (ask->query.kind != GOV_REPORT_USAGE || given->by || given->csv ||
	    ask->sgov->format != SGOV_TABLE)
		return sgov_usage(ask->sgov,
				  "--format=%s is for report usage, by day and "
				  "team, and goes without --by, --csv, --json "
				  "and --parsable2",
				  format);
	ask->query.by = GOV_BY_TEAM | GOV_BY_POOL;
	ask->periods = SGOV_DAYS;
	if (strcmp(format, "hyperpod") == 0)
		ask->format = SGOV_REPORT_HYPERPOD;
	else if (strcmp(format, "focus") == 0 && given->currency)
		ask->format = SGOV_REPORT_FOCUS;
	else if (strcmp(format, "focus") == 0)
		return sgov_usage(ask->sgov,
				  "--format=focus needs --currency=CODE, the "
				  "currency of Price= in governance.conf, such "
				  "as EUR");
	else
		return sgov_usage(ask->sgov,
				  "--format=%s: there are hyperpod and focus",
				  format);
	return SGOV_OK;
}

static int read_user(struct sgov_report *ask, const char *name)
{
	ask->query.user = -1;
	if (!name)
		return SGOV_OK;
	ask->query.user = sgov_uid_of(name);
	if (ask->query.user != (uid_t) -1)
		return SGOV_OK;
	return sgov_usage(ask->sgov, "--user=%s: there is no such user", name);
}

/* Some things go only with runs. */
static int check_sense(struct sgov_report *ask)
{
	const struct gov_report_query *query = &ask->query;
	bool of_runs = query->by & GOV_BY_RUN || query->project ||
		       query->class_name || query->user >= 0;

	if (query->kind == GOV_REPORT_LOANS && of_runs)
		return sgov_usage(ask->sgov,
				  "loans are between teams: no project, user, "
				  "class or job");
	if (query->kind == GOV_REPORT_WAITING && query->tres)
		return sgov_usage(ask->sgov, "--tres does not go with waiting");
	return SGOV_OK;
}

static int read_given(struct sgov_report *ask, const struct given *given)
{
	struct gov_report_query *query = &ask->query;
	bool utc = given->format && strcmp(given->format, "hyperpod") == 0;
	const char *zone = given->zone ? given->zone : utc ? "UTC" : NULL;
	int status = SGOV_OK;

	status = sgov_report_zone(ask->sgov, zone);
	if (status)
		return status;
	query->team = given->team;
	query->unit = given->unit;
	query->project = given->project;
	query->class_name = given->class_name;
	query->pool = given->pool;
	query->tres = given->tres;
	ask->currency = given->currency;
	ask->no_index = given->no_index;
	status = read_user(ask, given->user);
	if (!status && given->by)
		status = read_by(ask, given->by);
	if (!given->by)
		query->by = usual_by(query->kind);
	if (!status)
		status = read_format(ask, given);
	if (!status)
		status = read_period(ask, given);
	return status ? status : check_sense(ask);
}

/* ---- what the ledger says ---- */

static int read_ledger(struct sgov_report *ask, const char *directory)
{
	struct gov_report_source source = { .directory = directory,
					    .now = time(NULL),
					    .no_index = ask->no_index };
	struct gov_error error;

	ask->report = gov_report_create(&ask->query);
	if (!ask->report)
		return sgov_error("no memory");
	if (gov_report_read(ask->report, &source, &error))
		return sgov_error("%s; see 'sgov ledger verify'", error.text);
	if (!source.segments)
		return sgov_error("there is no ledger in %s", directory);
	snprintf(ask->cluster, sizeof(ask->cluster), "%s", source.cluster);
	ask->row = gov_report_rows(ask->report, &ask->rows);
	return ask->rows && !ask->row ? sgov_error("no memory") : SGOV_OK;
}

static void show(const struct sgov_report *ask)
{
	if (ask->format == SGOV_REPORT_HYPERPOD)
		sgov_report_hyperpod(ask);
	else if (ask->format == SGOV_REPORT_FOCUS)
		sgov_report_focus(ask);
	else
		sgov_report_show(ask);
}

static int run(struct sgov_report *ask, const struct given *given)
{
	int status = read_given(ask, given);
	char *directory;

	if (status)
		return status;
	directory = sgov_ledger_directory(ask->sgov, given->directory, &status);
	if (!directory)
		return status;
	status = sgov_ledger_as_owner(directory);
	if (!status)
		status = read_ledger(ask, directory);
	free(directory);
	if (!status)
		show(ask);
	return status;
}

int sgov_report(struct sgov *sgov, int argc, char **argv)
{
	struct given g = { 0 };
	const struct sgov_option options[] = {
		{ "by", 'b', "LIST", "rows by team, unit, project, user, ...",
		  &g.by },
		{ "start", 'S', "TIME", "from (default: the month's begin)",
		  &g.start },
		{ "end", 'E', "TIME", "until, not included (default: now)",
		  &g.end },
		{ "timezone", 'z', "ZONE", "of days and times (default: here)",
		  &g.zone },
		{ "team", 't', "TEAM", "of this team only", &g.team },
		{ "unit", 0, "UNIT", "of what is below this unit", &g.unit },
		{ "project", 0, "PROJECT", "of this project", &g.project },
		{ "user", 'u', "USER", "of this user", &g.user },
		{ "class", 'c', "CLASS", "of this class", &g.class_name },
		{ "pool", 'p', "POOL", "of this pool", &g.pool },
		{ "tres", 'T', "TRES", "of this TRES", &g.tres },
		{ "csv", 0, NULL, "print comma-separated values", &g.csv },
		{ "format", 0, "FORMAT", "usage: hyperpod, or focus",
		  &g.format },
		{ "currency", 0, "CODE", "of the prices, for focus",
		  &g.currency },
		{ "ledger", 0, "DIRECTORY", "where it is, if not in use",
		  &g.directory },
		{ "no-index", 0, NULL, "read the ledger itself, all of it",
		  &g.no_index },
		{ NULL, 0, NULL, NULL, NULL },
	};
	struct sgov_report ask = { .sgov = sgov };
	int status;
	char **operand = sgov_parse_operands(sgov, options, argc, argv, 1, 1,
					     &status);

	if (!operand)
		return status;
	status = read_kind(&ask, operand[0]);
	if (!status)
		status = run(&ask, &g);
	gov_report_destroy(ask.report);
	free(ask.bound);
	return status;
}
