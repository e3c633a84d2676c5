/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan: what a policy would change now, by the governor's own engine. */
#include "sgov/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sgov/ask.h"
#include "sgov/files.h"
#include "sgov/format.h"
#include "sgov/options.h"
#include "sgov/table.h"

/* The governor takes requests up to 1 MiB; JSON may write a byte as six. */
#define POLICY_MAX (900 * 1024)

/* ---- the file ---- */

char *sgov_read_policy(const char *path, size_t *length)
{
	char *text = sgov_read_all(fopen(path, "re"), POLICY_MAX, length);

	if (!text)
		sgov_error("%s cannot be read: %s", path, strerror(errno));
	else if (*length > POLICY_MAX)
		sgov_error(
			"%s has more than %d KiB, which is more than can be sent to the governor: put it in place and use 'sgov reload'",
			path, POLICY_MAX / 1024);
	else if (memchr(text, '\0', *length))
		sgov_error("%s is no text: it has a byte 0", path);
	else
		return text;
	free(text);
	return NULL;
}

struct json_object *sgov_ask_plan(const struct sgov *sgov, const char *path,
				  const char *text, int *status)
{
	struct json_object *request = sgov_request("plan"), *answer;

	sgov_json_set(request, "source", path);
	sgov_json_set(request, "text", text);
	answer = sgov_ask(sgov, request, status);
	if (!answer)
		return NULL;
	if (sgov->format == SGOV_JSON)
		sgov_json_print(answer);
	else
		sgov_tell_faults(answer);
	return answer;
}

/* ---- teams ---- */

static const struct sgov_column team_columns[] = {
	{ "TEAM", false, false },   { "POOL", false, false },
	{ "TRES", false, false },   { "QUOTA", true, false },
	{ "USED", true, false },    { "BORROWED", true, false },
	{ "LENT", true, false },    { "LEAVING", true, false },
	{ "WAITING", true, false }, { NULL, false, false },
};
static const char *const figures[] = { "quota", "used",	   "borrowed",
				       "lent",	"leaving", "waiting" };
#define FIGURES (sizeof(figures) / sizeof(figures[0]))

/* "8", or "8 > 4" where the policy changes it. */
static void put_change(struct sgov_table *table, const char *tres,
		       gov_amount_t before, gov_amount_t after)
{
	char was[SGOV_AMOUNT_TEXT], is[SGOV_AMOUNT_TEXT], *text;

	sgov_format_amount(was, tres, before, false);
	sgov_format_amount(is, tres, after, false);
	text = before == after ? sgov_copy(is) :
				 sgov_printf("%s > %s", was, is);
	sgov_table_text(table, text);
	free(text);
}

static void show_teams(const struct sgov *sgov,
		       const struct json_object *answer)
{
	struct sgov_table *table = sgov_table_create(sgov, team_columns);
	size_t count = sgov_json_count(answer, "teams");

	for (size_t i = 0; i < count; i++) {
		struct json_object *row = sgov_json_item(answer, "teams", i);
		const struct json_object *was = sgov_json_object(row, "before");
		const struct json_object *is = sgov_json_object(row, "after");
		const char *tres = sgov_json_text(row, "tres");

		sgov_table_text(table, sgov_json_text(row, "team"));
		sgov_table_text(table, sgov_json_text(row, "pool"));
		sgov_table_text(table, tres);
		for (size_t f = 0; f < FIGURES; f++)
			put_change(table, tres,
				   sgov_json_amount(was, figures[f]),
				   sgov_json_amount(is, figures[f]));
	}
	if (count)
		sgov_table_print(table);
	sgov_table_destroy(table);
}

/* ---- jobs ---- */

static const struct sgov_column job_columns[] = {
	{ "JOBID", false, false }, { "TEAM", false, false },
	{ "USER", false, false },  { "NOW", false, false },
	{ "THEN", false, false },  { "DEADLINE", false, false },
	{ "FOR", false, false },   { "REASON", false, false },
	{ NULL, false, false },
};

static void show_jobs(const struct sgov *sgov, const struct json_object *answer)
{
	struct sgov_table *table = sgov_table_create(sgov, job_columns);
	size_t count = sgov_json_count(answer, "jobs");

	for (size_t i = 0; i < count; i++) {
		struct json_object *row = sgov_json_item(answer, "jobs", i);

		sgov_table_text(table, sgov_json_text(row, "job"));
		sgov_table_text(table, sgov_json_text(row, "team"));
		sgov_table_text(table, sgov_json_text(row, "user"));
		sgov_table_text(table, sgov_json_text(row, "before"));
		sgov_table_text(table, sgov_json_text(row, "after"));
		sgov_table_time(table, sgov_json_number(row, "deadline"));
		sgov_table_text(table, sgov_json_text(row, "asker"));
		sgov_table_text(table, sgov_json_text(row, "text"));
	}
	if (count || sgov->format == SGOV_PARSABLE)
		sgov_table_print(table);
	sgov_table_destroy(table);
}

/* ---- all ---- */

static size_t count_after(const struct json_object *answer, const char *state)
{
	size_t count = sgov_json_count(answer, "jobs"), found = 0;

	for (size_t i = 0; i < count; i++)
		found += strcmp(sgov_json_text(sgov_json_item(answer, "jobs",
							      i),
					       "after"),
				state) == 0;
	return found;
}

void sgov_show_plan(const struct sgov *sgov, const struct json_object *answer)
{
	const struct json_object *plan = sgov_json_object(answer, "plan");
	size_t jobs = sgov_json_count(answer, "jobs");

	show_jobs(sgov, answer);
	if (sgov->format == SGOV_PARSABLE)
		return;
	if (jobs)
		putchar('\n');
	show_teams(sgov, answer);
	if (sgov_json_count(answer, "teams"))
		putchar('\n');
	printf("%zu of %lld jobs change: %zu admitted, %zu to be admitted when others have left, %zu told to leave, %zu held again, %zu of no team\n",
	       jobs, (long long) sgov_json_number(plan, "jobs"),
	       count_after(answer, "admitted"), count_after(answer, "claiming"),
	       count_after(answer, "reclaiming"),
	       count_after(answer, "waiting"), count_after(answer, "stray"));
}

int sgov_plan(struct sgov *sgov, int argc, char **argv)
{
	int status;
	char **file = sgov_parse_operands(sgov, NULL, argc, argv, 1, 1,
					  &status);
	struct json_object *answer;
	size_t length;
	char *text;

	if (!file)
		return status;
	text = sgov_read_policy(file[0], &length);
	if (!text)
		return SGOV_ERROR;
	answer = sgov_ask_plan(sgov, file[0], text, &status);
	free(text);
	if (answer && status == SGOV_OK && sgov->format != SGOV_JSON)
		sgov_show_plan(sgov, answer);
	json_object_put(answer);
	return status;
}
