/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why: everything that decides about one job.
 *
 * The answer has "job" (as in queue), "sentence", "limits", "holders",
 * "loans", "candidates", "reclaimers" and "terms".
 */
#include "sgov/ask.h"
#include "sgov/format.h"
#include "sgov/loans.h"
#include "sgov/options.h"
#include "sgov/orders.h"
#include "sgov/request.h"
#include "sgov/table.h"
#include "sgov/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/printable.h"

static const struct sgov_column limit_columns[] = {
	{ "LIMIT", false, false },  { "OF", false, false },
	{ "POOL", false, false },   { "TRES", false, false },
	{ "ALLOWED", true, false }, { "USED", true, false },
	{ "ASKED", true, false },   { "MISSING", true, false },
	{ "JOB", false, false },    { NULL, false, false },
};

static const struct sgov_column holder_columns[] = {
	{ "TEAM", false, false }, { "POOL", false, false },
	{ "TRES", false, false }, { "BORROWS", true, false },
	{ NULL, false, false },
};

static const struct sgov_column candidate_columns[] = {
	{ "JOBID", false, false },   { "USER", false, false },
	{ "TEAM", false, false },    { "CLASS", false, false },
	{ "REQUEST", false, false }, { "RULE", false, false },
	{ "BUT", false, false },     { NULL, false, false },
};

static struct sgov_table *section(const struct sgov *sgov, const char *title,
				  const struct sgov_column *columns)
{
	struct sgov_table *table = sgov_table_create(sgov, columns);

	printf("\n%s:\n", title);
	sgov_table_indent(table, 2);
	return table;
}

static void finish(struct sgov_table *table)
{
	sgov_table_print(table);
	sgov_table_destroy(table);
}

/* Text of others, made safe, as one line. */
static void line(const char *text)
{
	char *copy = sgov_copy(text);

	gov_make_printable(copy);
	puts(copy);
	free(copy);
}

static void show_limits(const struct sgov *sgov,
			const struct json_object *answer)
{
	size_t count = sgov_json_count(answer, "limits");
	struct sgov_table *table;

	if (!count)
		return;
	table = section(sgov, "Limits that bind", limit_columns);
	for (size_t i = 0; i < count; i++) {
		struct json_object *limit = sgov_json_item(answer, "limits", i);
		const char *tres = sgov_json_text(limit, "tres");

		sgov_table_text(table, sgov_limit_words(
					       sgov_json_text(limit, "kind")));
		sgov_table_text(table, sgov_json_text(limit, "unit"));
		sgov_table_text(table, sgov_json_text(limit, "pool"));
		sgov_table_text(table, tres);
		sgov_table_amount(table, tres,
				  sgov_json_amount(limit, "limit"));
		sgov_table_amount(table, tres, sgov_json_amount(limit, "used"));
		sgov_table_amount(table, tres,
				  sgov_json_amount(limit, "asked"));
		sgov_table_amount(table, tres,
				  sgov_json_amount(limit, "missing"));
		sgov_table_text(table, sgov_json_text(limit, "job"));
	}
	finish(table);
}

static void show_holders(const struct sgov *sgov,
			 const struct json_object *answer)
{
	size_t count = sgov_json_count(answer, "holders");
	struct sgov_table *table;

	if (sgov_json_count(answer, "loans")) {
		printf("\nWho holds what is borrowed from whom:\n");
		sgov_show_loans(sgov, answer, 2);
		return;
	}
	if (!count)
		return;
	table = section(sgov, "Who borrows there", holder_columns);
	for (size_t i = 0; i < count; i++) {
		struct json_object *h = sgov_json_item(answer, "holders", i);
		const char *tres = sgov_json_text(h, "tres");

		sgov_table_text(table, sgov_json_text(h, "team"));
		sgov_table_text(table, sgov_json_text(h, "pool"));
		sgov_table_text(table, tres);
		sgov_table_amount(table, tres, sgov_json_amount(h, "amount"));
	}
	finish(table);
}

/* "has not run its minimum time, until 2026-12-02T07:15:00" */
static char *protection_of(const struct json_object *candidate)
{
	const char *protection = sgov_json_text(candidate, "protection");
	int64_t until = sgov_json_number(candidate, "until");
	char when[SGOV_TIME_TEXT];

	if (!until)
		return sgov_copy(sgov_protection_words(protection));
	sgov_format_time(when, until);
	if (strcmp(protection, "chosen") == 0)
		return sgov_printf("leaves by %s", when);
	return sgov_printf("%s, until %s", sgov_protection_words(protection),
			   when);
}

/* Those that no passing of time and no other request makes give way. */
static bool is_fixed(const struct json_object *candidate)
{
	static const char *const fixed[] = { "class", "not_borrowing", "policy",
					     "exempt", NULL };
	const char *protection = sgov_json_text(candidate, "protection");

	for (size_t i = 0; fixed[i]; i++)
		if (strcmp(fixed[i], protection) == 0)
			return true;
	return false;
}

static void add_candidate(struct sgov_table *table,
			  const struct json_object *candidate)
{
	char *request = sgov_request_text(candidate, false);
	char *protection = protection_of(candidate);

	sgov_table_text(table, sgov_json_text(candidate, "job"));
	sgov_table_text(table, sgov_json_text(candidate, "user"));
	sgov_table_text(table, sgov_json_text(candidate, "team"));
	sgov_table_text(table, sgov_json_text(candidate, "class"));
	sgov_table_text(table, request);
	sgov_table_text(table,
			sgov_rule_words(sgov_json_text(candidate, "rule")));
	sgov_table_text(table, protection);
	free(protection);
	free(request);
}

/* "2 jobs: its class is not lower", for jobs that are not listed. */
static void show_fixed(const struct json_object *answer, const char *kind)
{
	size_t count = sgov_json_count(answer, "candidates"), n = 0;

	for (size_t i = 0; i < count; i++)
		n += strcmp(sgov_json_text(sgov_json_item(answer, "candidates",
							  i),
					   "protection"),
			    kind) == 0;
	if (n)
		printf("  %zu job%s cannot: %s\n", n, n == 1 ? "" : "s",
		       sgov_protection_words(kind));
}

static void show_candidates(const struct sgov *sgov,
			    const struct json_object *answer)
{
	size_t count = sgov_json_count(answer, "candidates"), listed = 0;
	struct sgov_table *table;

	if (!count)
		return;
	puts("\nJobs that could give way:");
	table = sgov_table_create(sgov, candidate_columns);
	sgov_table_indent(table, 2);
	for (size_t i = 0; i < count; i++) {
		struct json_object *c = sgov_json_item(answer, "candidates", i);

		if (is_fixed(c))
			continue;
		add_candidate(table, c);
		listed++;
	}
	if (listed)
		sgov_table_print(table);
	sgov_table_destroy(table);
	show_fixed(answer, "class");
	show_fixed(answer, "not_borrowing");
	show_fixed(answer, "policy");
	show_fixed(answer, "exempt");
	if (sgov_json_true(answer, "candidates_cut"))
		puts("  ... and others: the list was cut off.");
}

/* ---- head and foot ---- */

static bool has_state(const struct json_object *job, const char *a,
		      const char *b)
{
	const char *state = sgov_json_text(job, "state");

	return strcmp(state, a) == 0 || strcmp(state, b) == 0;
}

static void show_job(const struct json_object *job)
{
	const char *project = sgov_json_text(job, "project");
	const char *pool = sgov_json_text(job, "pool");
	char *request = sgov_request_text(job, false), *text;

	text = sgov_printf("Job %s of %s, team %s%s%s, class %s, %s.",
			   sgov_json_text(job, "job"),
			   sgov_json_text(job, "user"),
			   sgov_json_text(job, "team"),
			   *project ? ", project " : "", project,
			   sgov_json_text(job, "class"),
			   sgov_state_words(sgov_json_text(job, "state")));
	line(text);
	free(text);
	text = sgov_printf("  %-10s %s%s%s",
			   has_state(job, "running", "reclaiming") ? "holds" :
								     "asks",
			   request, *pool ? " in pool " : "", pool);
	if (*request)
		line(text);
	free(text);
	free(request);
}

static void show_times(const struct json_object *job)
{
	int64_t evictions = sgov_json_number(job, "evictions");
	char when[SGOV_TIME_TEXT];

	printf("  submitted  %s\n",
	       sgov_format_time(when, sgov_json_number(job, "submitted")));
	if (sgov_json_number(job, "started"))
		printf("  started    %s\n",
		       sgov_format_time(when,
					sgov_json_number(job, "started")));
	if (sgov_json_number(job, "checkpoint"))
		printf("  saved      %s\n",
		       sgov_format_time(when,
					sgov_json_number(job, "checkpoint")));
	if (evictions)
		printf("  taken back %lld time%s so far\n",
		       (long long) evictions, evictions == 1 ? "" : "s");
}

static void show_order(const struct json_object *job)
{
	char *text = sgov_job_order(job), *whole;

	if (!text)
		return;
	whole = sgov_printf("  ordered    %s", text);
	line(whole);
	free(whole);
	free(text);
}

/* The governor's sentence, as one that stands by itself. */
static void show_sentence(const struct json_object *answer)
{
	char *text = sgov_copy(sgov_json_text(answer, "sentence"));
	size_t n = strlen(text);

	if (n) {
		char *whole;

		*text = (char) toupper((unsigned char) *text);
		whole = sgov_printf("%s%s", text,
				    strchr(".!?", text[n - 1]) ? "" : ".");
		putchar('\n');
		line(whole);
		free(whole);
	}
	free(text);
}

/* The notice that a job of this class and team is given. */
static void show_terms(const struct json_object *answer)
{
	const struct json_object *t = sgov_json_object(answer, "terms");
	bool cancel = strcmp(sgov_json_text(t, "on_reclaim"), "cancel") == 0 ||
		      !sgov_json_true(sgov_json_object(answer, "job"),
				      "requeueable");
	int64_t runtime = sgov_json_number(t, "min_runtime");
	char duration[SGOV_TIME_TEXT];

	printf("\nIf it is taken back: %s, then %s until it is %s.\n",
	       sgov_json_text(t, "signal"),
	       sgov_format_duration(duration, sgov_json_number(t, "grace")),
	       cancel ? "cancelled" : "requeued");
	if (runtime)
		printf("Its first %s are its own, unless an owner wants quota back.\n",
		       sgov_format_duration(duration, runtime));
}

/* Millionths as per cent: "12.3". */
static char *percent(int64_t millionths)
{
	return sgov_printf("%lld.%lld", (long long) (millionths / 10000),
			   (long long) (millionths / 1000 % 10));
}

/* UsageHalfLife=: what its user and its team had lately. */
static void show_usage(const struct json_object *answer)
{
	const struct json_object *usage = sgov_json_object(answer, "usage");
	char *user, *team, half_life[SGOV_TIME_TEXT];

	if (!usage)
		return;
	user = percent(sgov_json_number(usage, "user"));
	team = percent(sgov_json_number(usage, "team_borrowed"));
	printf("\nLately (half-life %s) its user had %s %% of all quotas, and its team borrowed %s %%; who had less goes first.\n",
	       sgov_format_duration(half_life,
				    sgov_json_number(usage, "half_life")),
	       user, team);
	free(user);
	free(team);
}

static void show_foot(const struct json_object *answer)
{
	int64_t next = sgov_json_number(answer, "next_change");
	int64_t ahead = sgov_json_number(answer, "ahead");
	char when[SGOV_TIME_TEXT];

	if (ahead)
		printf("\n%lld waiting job%s of its team %s before it.\n",
		       (long long) ahead, ahead == 1 ? "" : "s",
		       ahead == 1 ? "comes" : "come");
	if (next)
		printf("\nEarliest change that is known: %s\n",
		       sgov_format_time(when, next));
}

static void show(const struct sgov *sgov, const struct json_object *answer)
{
	const struct json_object *job = sgov_json_object(answer, "job");

	show_job(job);
	show_times(job);
	show_order(job);
	show_sentence(answer);
	if (has_state(job, "waiting", "claiming")) {
		show_limits(sgov, answer);
		show_holders(sgov, answer);
		show_candidates(sgov, answer);
		show_usage(answer);
	} else if (sgov_json_true(job, "borrowing")) {
		show_holders(sgov, answer);
	}
	if (has_state(job, "running", "admitted"))
		show_terms(answer);
	show_foot(answer);
}

/* ---- for programs: one fact a line ---- */

static const struct sgov_column fact_columns[] = {
	{ "FACT", false, false },
	{ "VALUE", false, false },
	{ NULL, false, false },
};

static void fact(struct sgov_table *table, const char *name,
		 const struct json_object *object, const char *key)
{
	const char *text = sgov_json_text(object, key);

	if (!*text)
		return;
	sgov_table_text(table, name);
	sgov_table_text(table, text);
}

/* Members of an element, "kind=borrow_limit unit=nlp limit=4". */
static char *fact_text(struct json_object *item)
{
	char *text = sgov_copy("");

	if (json_object_is_type(item, json_type_string)) {
		free(text);
		return sgov_copy(json_object_get_string(item));
	}
	json_object_object_foreach(item, key, value)
	{
		bool request = strcmp(key, "request") == 0;
		char *part = request ? sgov_request_text(item, true) :
				       sgov_copy(value ? json_object_get_string(
								 value) :
							 "-");
		char *longer = sgov_printf("%s%s%s=%s", text, *text ? " " : "",
					   key, part);

		free(part);
		free(text);
		text = longer;
	}
	return text;
}

static void facts(struct sgov_table *table, const char *name,
		  const struct json_object *answer, const char *list)
{
	for (size_t i = 0; i < sgov_json_count(answer, list); i++) {
		char *text = fact_text(sgov_json_item(answer, list, i));

		sgov_table_text(table, name);
		sgov_table_text(table, text);
		free(text);
	}
}

static void order_fact(struct sgov_table *table, const struct json_object *job)
{
	char *text = sgov_job_order(job);

	if (text) {
		sgov_table_text(table, "ordered");
		sgov_table_text(table, text);
	}
	free(text);
}

static void show_parsable(const struct sgov *sgov,
			  const struct json_object *answer)
{
	struct sgov_table *table = sgov_table_create(sgov, fact_columns);
	const struct json_object *job = sgov_json_object(answer, "job");
	char *request = sgov_request_text(job, true);

	fact(table, "job", job, "job");
	fact(table, "user", job, "user");
	fact(table, "team", job, "team");
	fact(table, "project", job, "project");
	fact(table, "class", job, "class");
	fact(table, "state", job, "state");
	fact(table, "pool", job, "pool");
	sgov_table_text(table, "request");
	sgov_table_text(table, request);
	free(request);
	sgov_table_text(table, "borrowing");
	sgov_table_text(table, sgov_json_true(job, "borrowing") ? "yes" : "no");
	order_fact(table, job);
	fact(table, "sentence", answer, "sentence");
	facts(table, "limit", answer, "limits");
	facts(table, "holder", answer, "holders");
	facts(table, "loan", answer, "loans");
	facts(table, "candidate", answer, "candidates");
	facts(table, "reclaimer", answer, "reclaimers");
	finish(table);
}

int sgov_why(struct sgov *sgov, int argc, char **argv)
{
	struct json_object *request, *answer;
	int status;
	char **job = sgov_parse_operands(sgov, NULL, argc, argv, 1, 1, &status);

	if (!job)
		return status;
	request = sgov_request("why");
	sgov_json_set(request, "job", job[0]);
	answer = sgov_ask_and_show(sgov, request, &status);
	if (!answer)
		return status;
	sgov_tell_orders(answer);
	if (sgov->format == SGOV_PARSABLE)
		show_parsable(sgov, answer);
	else
		show(sgov, answer);
	json_object_put(answer);
	return status;
}
