/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terms: what a job has to expect when its quota is taken back. */
#include "sgov/ask.h"
#include "sgov/options.h"
#include "sgov/table.h"

static const struct sgov_column columns[] = {
	{ "TEAM", false, false },    { "CLASS", false, false },
	{ "WEIGHT", true, false },   { "BORROWS", false, false },
	{ "SIGNAL", false, false },  { "NOTICE", true, false },
	{ "THEN", false, false },    { "MIN_RUNTIME", true, false },
	{ "MIN_LOAN", true, false }, { "MAX_EVICTIONS", true, false },
	{ "MAX_TIME", true, false }, { NULL, false, false },
};

static void add_row(struct sgov_table *table, const struct json_object *term)
{
	gov_amount_t evictions = sgov_json_amount(term, "max_evictions");
	gov_amount_t max_time = sgov_json_amount(term, "max_time");

	sgov_table_text(table, sgov_json_text(term, "team"));
	sgov_table_text(table, sgov_json_text(term, "class"));
	sgov_table_number(table, (uint64_t) sgov_json_number(term, "weight"));
	sgov_table_text(table,
			sgov_json_true(term, "may_borrow") ? "yes" : "no");
	sgov_table_text(table, sgov_json_text(term, "signal"));
	sgov_table_duration(table, sgov_json_number(term, "grace"));
	sgov_table_text(table, sgov_json_text(term, "on_reclaim"));
	sgov_table_duration(table, sgov_json_number(term, "min_runtime"));
	sgov_table_duration(table, sgov_json_number(term, "min_loan"));
	sgov_table_amount(table, "", evictions);
	if (max_time == GOV_UNSET || max_time == GOV_UNLIMITED)
		sgov_table_amount(table, "", max_time);
	else
		sgov_table_duration(table, (int64_t) max_time);
}

int sgov_terms(struct sgov *sgov, int argc, char **argv)
{
	const char *team = NULL, *class = NULL;
	const struct sgov_option options[] = {
		{ "team", 't', "TEAM", "of this team (default: of yours)",
		  &team },
		{ "class", 'c', "CLASS", "of this priority class", &class },
		{ NULL, 0, NULL, NULL, NULL },
	};
	struct json_object *request, *answer;
	struct sgov_table *table;
	int status;

	if (!sgov_parse_operands(sgov, options, argc, argv, 0, 0, &status))
		return status;
	request = sgov_request("terms");
	sgov_json_set(request, "team", team);
	sgov_json_set(request, "class", class);
	answer = sgov_ask_and_show(sgov, request, &status);
	if (!answer)
		return status;
	table = sgov_table_create(sgov, columns);
	for (size_t i = 0; i < sgov_json_count(answer, "terms"); i++)
		add_row(table, sgov_json_item(answer, "terms", i));
	sgov_table_print(table);
	sgov_table_destroy(table);
	json_object_put(answer);
	return status;
}
