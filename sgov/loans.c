/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/ask.h"
#include "sgov/loans.h"
#include "sgov/options.h"
#include "sgov/table.h"

static const struct sgov_column columns[] = {
	{ "LENDER", false, false }, { "BORROWER", false, false },
	{ "POOL", false, false },   { "TRES", false, false },
	{ "AMOUNT", true, false },  { NULL, false, false },
};

void sgov_show_loans(const struct sgov *sgov, const struct json_object *answer,
		     int indent)
{
	struct sgov_table *table = sgov_table_create(sgov, columns);
	size_t loans = sgov_json_count(answer, "loans");

	sgov_table_indent(table, indent);
	for (size_t i = 0; i < loans; i++) {
		struct json_object *loan = sgov_json_item(answer, "loans", i);
		const char *tres = sgov_json_text(loan, "tres");
		const char *lender = sgov_json_text(loan, "lender");

		/* What no team has a quota of is lent by nobody. */
		sgov_table_text(table, *lender ? lender : "(unallocated)");
		sgov_table_text(table, sgov_json_text(loan, "borrower"));
		sgov_table_text(table, sgov_json_text(loan, "pool"));
		sgov_table_text(table, tres);
		sgov_table_amount(table, tres,
				  sgov_json_amount(loan, "amount"));
	}
	sgov_table_print(table);
	sgov_table_destroy(table);
}

int sgov_loans(struct sgov *sgov, int argc, char **argv)
{
	const char *team = NULL, *pool = NULL;
	const struct sgov_option options[] = {
		{ "team", 't', "TEAM", "loans that this team gives or takes",
		  &team },
		{ "pool", 'p', "POOL", "this pool only", &pool },
		{ NULL, 0, NULL, NULL, NULL },
	};
	struct json_object *request, *answer;
	int status;

	if (!sgov_parse_operands(sgov, options, argc, argv, 0, 0, &status))
		return status;
	request = sgov_request("loans");
	sgov_json_set(request, "team", team);
	sgov_json_set(request, "pool", pool);
	answer = sgov_ask_and_show(sgov, request, &status);
	if (!answer)
		return status;
	sgov_show_loans(sgov, answer, 0);
	json_object_put(answer);
	return status;
}
