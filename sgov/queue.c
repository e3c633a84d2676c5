/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queue: governed jobs.  The governor hands them out in pages, in the order
 * of their ids, so that a long queue never keeps it from its work; here they
 * are put together, and sorted as they will be served.
 */
#include "sgov/ask.h"
#include "sgov/options.h"
#include "sgov/orders.h"
#include "sgov/request.h"
#include "sgov/table.h"
#include "sgov/users.h"

#include <stdlib.h>
#include <string.h>

static const struct sgov_column columns[] = {
	{ "JOBID", false, false },    { "USER", false, false },
	{ "TEAM", false, false },     { "CLASS", false, false },
	{ "STATE", false, false },    { "REQUEST", false, false },
	{ "BORROWED", false, false }, { "PROJECT", false, true },
	{ "POOL", false, true },      { "SUBMITTED", false, true },
	{ "STARTED", false, true },   { "DEADLINE", false, true },
	{ "EVICTIONS", true, true },  { "NAME", false, true },
	{ "REASON", false, false },   { NULL, false, false },
};

struct selection {
	const char *team, *user, *state, *pool, *me;
	uid_t uid; /* of user, or -1 */
};

/* Served first, or nearest to its end, comes first. */
static int state_rank(const struct json_object *job)
{
	static const char *const order[] = { "running",	 "reclaiming",
					     "admitted", "claiming",
					     "waiting",	 "ineligible",
					     NULL };
	const char *state = sgov_json_text(job, "state");
	int rank = 0;

	while (order[rank] && strcmp(order[rank], state) != 0)
		rank++;
	return rank;
}

static int compare_numbers(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_jobs(const void *first, const void *second)
{
	const struct json_object *a = *(struct json_object *const *) first;
	const struct json_object *b = *(struct json_object *const *) second;
	int order = compare_numbers(state_rank(a), state_rank(b));

	if (!order)
		order = strcmp(sgov_json_text(a, "team"),
			       sgov_json_text(b, "team"));
	if (!order)
		order = compare_numbers(sgov_json_number(b, "weight"),
					sgov_json_number(a, "weight"));
	if (!order)
		order = compare_numbers(sgov_json_number(a, "submitted"),
					sgov_json_number(b, "submitted"));
	if (!order)
		order = compare_numbers(sgov_json_number(a, "id"),
					sgov_json_number(b, "id"));
	return order;
}

static void add_row(struct sgov_table *table, const struct sgov *sgov,
		    const struct json_object *job)
{
	char *request = sgov_request_text(job, sgov->format == SGOV_PARSABLE);

	sgov_table_text(table, sgov_json_text(job, "job"));
	sgov_table_text(table, sgov_json_text(job, "user"));
	sgov_table_text(table, sgov_json_text(job, "team"));
	sgov_table_text(table, sgov_json_text(job, "class"));
	sgov_table_text(table, sgov_json_text(job, "state"));
	sgov_table_text(table, request);
	free(request);
	sgov_table_text(table, sgov_json_true(job, "borrowing") ? "yes" : "no");
	sgov_table_text(table, sgov_json_text(job, "project"));
	sgov_table_text(table, sgov_json_text(job, "pool"));
	sgov_table_time(table, sgov_json_number(job, "submitted"));
	sgov_table_time(table, sgov_json_number(job, "started"));
	sgov_table_time(table, sgov_json_number(job, "deadline"));
	sgov_table_number(table, (uint64_t) sgov_json_number(job, "evictions"));
	sgov_table_text(table, sgov_json_text(job, "name"));
	sgov_table_text(table, sgov_json_text(job, "reason"));
}

static void show(const struct sgov *sgov, struct json_object *answer)
{
	struct sgov_table *table = sgov_table_create(sgov, columns);
	size_t jobs = sgov_json_count(answer, "jobs");

	for (size_t i = 0; i < jobs; i++)
		add_row(table, sgov, sgov_json_item(answer, "jobs", i));
	sgov_table_print(table);
	sgov_table_destroy(table);
}

static struct json_object *make_request(const struct selection *select,
					int64_t after)
{
	struct json_object *request = sgov_request("queue");

	sgov_json_set(request, "team", select->team);
	sgov_json_set(request, "user", select->user);
	if (select->user && select->uid != (uid_t) -1)
		json_object_object_add(request, "uid",
				       json_object_new_int64(select->uid));
	sgov_json_set(request, "state", select->state);
	sgov_json_set(request, "pool", select->pool);
	if (select->me)
		json_object_object_add(request, "me",
				       json_object_new_boolean(1));
	json_object_object_add(request, "after", json_object_new_int64(after));
	return request;
}

/* Move the jobs of a page behind those that are there. */
static void append_jobs(struct json_object *answer, struct json_object *page)
{
	struct json_object *jobs = json_object_object_get(answer, "jobs");
	size_t count = sgov_json_count(page, "jobs");

	for (size_t i = 0; i < count; i++)
		json_object_array_add(jobs,
				      json_object_get(
					      sgov_json_item(page, "jobs", i)));
}

/* The first page with the jobs of all pages, or NULL. */
static struct json_object *ask_all(const struct sgov *sgov,
				   const struct selection *select, int *status)
{
	struct json_object *answer, *page;
	int64_t next;

	answer = sgov_ask(sgov, make_request(select, 0), status);
	next = sgov_json_number(answer, "next");
	while (answer && *status == SGOV_OK && next > 0) {
		int64_t last = next;

		page = sgov_ask(sgov, make_request(select, next), status);
		if (!page) {
			json_object_put(answer);
			return NULL;
		}
		append_jobs(answer, page);
		next = sgov_json_number(page, "next");
		json_object_put(page);
		if (next && next <= last)
			break; /* it would never end */
	}
	if (answer)
		json_object_object_del(answer, "next");
	return answer;
}

static int check_state(const struct sgov *sgov, const char *state)
{
	static const char *const known[] = { "waiting",	   "claiming",
					     "admitted",   "running",
					     "reclaiming", "ineligible",
					     "stray",	   NULL };

	for (size_t i = 0; state && known[i]; i++)
		if (strcmp(known[i], state) == 0)
			return 0;
	return !state ?
		       0 :
		       sgov_usage(
			       sgov,
			       "--state=%s: give waiting, claiming, admitted, running, reclaiming, ineligible or stray",
			       state);
}

int sgov_queue(struct sgov *sgov, int argc, char **argv)
{
	struct selection select = { 0 };
	const struct sgov_option options[] = {
		{ "me", 0, NULL, "your own jobs only", &select.me },
		{ "team", 't', "TEAM", "jobs of this team", &select.team },
		{ "user", 'u', "USER", "jobs of this user (name or uid)",
		  &select.user },
		{ "state", 's', "STATE",
		  "waiting, claiming, admitted, running, reclaiming, ...",
		  &select.state },
		{ "pool", 'p', "POOL", "jobs in this pool", &select.pool },
		{ NULL, 0, NULL, NULL, NULL },
	};
	struct json_object *answer, *jobs;
	int status;

	if (!sgov_parse_operands(sgov, options, argc, argv, 0, 0, &status))
		return status;
	status = check_state(sgov, select.state);
	if (status)
		return status;
	if (select.user)
		select.uid = sgov_uid_of(select.user);
	answer = ask_all(sgov, &select, &status);
	jobs = sgov_json_object(answer, "jobs");
	if (jobs)
		json_object_array_sort(jobs, compare_jobs);
	if (answer && sgov->format == SGOV_JSON)
		sgov_json_print(answer);
	else if (answer && status == SGOV_OK) {
		sgov_tell_orders(answer);
		show(sgov, answer);
	}
	json_object_put(answer);
	return status;
}
