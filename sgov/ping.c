/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/ask.h"
#include "sgov/format.h"
#include "sgov/options.h"
#include "sgov/table.h"

#include <stdio.h>

static const struct sgov_column columns[] = {
	{ "GOVERNOR", false, false },
	{ "VERSION", false, false },
	{ "STATE", false, false },
	{ "ENFORCEMENT", false, false },
	{ "POLICY", false, false },
	{ "JOBS", true, false },
	{ "JOBS_SEEN", false, false },
	{ "SUBMISSIONS", true, true },
	{ "REFUSED", true, true },
	{ "ADMITTED", true, true },
	{ "NOTICES", true, true },
	{ "UPDATES", true, true },
	{ "UPDATE_FAILURES", true, true },
	{ "UPDATES_WAITING", true, true },
	{ "UPDATE_MS", true, true },
	{ "UPDATE_MS_MAX", true, true },
	{ NULL, false, false },
};

static void show(const struct sgov *sgov, const struct json_object *answer)
{
	struct sgov_table *table = sgov_table_create(sgov, columns);
	const struct json_object *g = sgov_json_object(answer, "governor");
	const struct json_object *meta = sgov_json_object(answer, "meta");
	const struct json_object *policy = sgov_json_object(meta, "policy");

	sgov_table_text(table, sgov_json_text(g, "host"));
	sgov_table_text(table, sgov_json_text(meta, "version"));
	sgov_table_text(table, sgov_json_text(g, "state"));
	sgov_table_text(table, sgov_json_text(policy, "enforcement"));
	sgov_table_text(table, sgov_json_text(policy, "digest"));
	sgov_table_number(table, (uint64_t) sgov_json_number(g, "jobs"));
	sgov_table_time(table, sgov_json_number(g, "jobs_seen"));
	for (size_t i = 7; columns[i].name; i++) {
		static const char *const key[] = {
			"submissions",	   "refused",	"admitted",
			"notices",	   "updates",	"update_failures",
			"updates_waiting", "update_ms", "update_ms_max"
		};

		sgov_table_number(table,
				  (uint64_t) sgov_json_number(g, key[i - 7]));
	}
	sgov_table_print(table);
	sgov_table_destroy(table);
}

int sgov_ping(struct sgov *sgov, int argc, char **argv)
{
	struct json_object *answer;
	int status;
	bool ready;

	if (!sgov_parse_operands(sgov, NULL, argc, argv, 0, 0, &status))
		return status;
	answer = sgov_ask(sgov, sgov_request("ping"), &status);
	if (!answer)
		return status;
	ready = sgov_json_true(sgov_json_object(answer, "governor"), "ready");
	if (sgov->format == SGOV_JSON)
		sgov_json_print(answer);
	else if (status == SGOV_OK)
		show(sgov, answer);
	json_object_put(answer);
	return status == SGOV_OK && !ready ? SGOV_NO : status;
}
