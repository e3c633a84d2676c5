/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status: teams (or all units) by pools, or what the pools have in all.
 *
 * The answer has "units" (parents before children) with "cells", and "pools"
 * with "cells" as the root of the tree has them.
 */
#include "sgov/ask.h"
#include "sgov/options.h"
#include "sgov/orders.h"
#include "sgov/table.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct sgov_column unit_columns[] = {
	{ "TEAM", false, false },	{ "POOL", false, false },
	{ "TRES", false, false },	{ "QUOTA", true, false },
	{ "USED", true, false },	{ "OWN", true, false },
	{ "BORROWED", true, false },	{ "LENT", true, false },
	{ "FREE", true, false },	{ "WAITING", true, false },
	{ "LEAVING", true, true },	{ "SUBTREE", true, true },
	{ "BORROW_LIMIT", true, true }, { "LEND_LIMIT", true, true },
	{ "PARENT", false, true },	{ "KIND", false, true },
	{ NULL, false, false },
};

static const struct sgov_column pool_columns[] = {
	{ "POOL", false, false },	{ "TRES", false, false },
	{ "CAPACITY", true, false },	{ "QUOTAS", true, false },
	{ "UNALLOCATED", true, false }, { "USED", true, false },
	{ "BORROWED", true, false },	{ "FREE", true, false },
	{ "WAITING", true, false },	{ "LEAVING", true, false },
	{ "INSTALLED", true, true },	{ NULL, false, false },
};

struct selection {
	const char *team, *pool, *tres;
	const char *all, *tree, *pools;
};

static bool matches(const char *wanted, const char *name)
{
	return !wanted || strcasecmp(wanted, name) == 0;
}

/* May the unit have anything in the cell, by quota or by borrowing? */
static bool has_part(const struct json_object *cell)
{
	static const char *const keys[] = { "quota", "subtree", "borrow_limit",
					    "used", "waiting" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		gov_amount_t amount = sgov_json_amount(cell, keys[i]);

		if (amount && amount != GOV_UNSET)
			return true;
	}
	return false;
}

/*
 * Rows of cells in which a team is not limited, or has no part, are left out
 * without --all, and those in which nobody below a unit has a quota.
 */
static bool is_wanted(const struct selection *select,
		      const struct json_object *cell)
{
	gov_amount_t quota = sgov_json_amount(cell, "quota");
	gov_amount_t subtree = sgov_json_amount(cell, "subtree");

	if (!matches(select->pool, sgov_json_text(cell, "pool")) ||
	    !matches(select->tres, sgov_json_text(cell, "tres")))
		return false;
	if (select->all || select->tres)
		return true;
	return (quota != GOV_UNSET && has_part(cell)) ||
	       (subtree != GOV_UNSET && subtree > 0);
}

static void add_amounts(struct sgov_table *table, const char *tres,
			const struct json_object *cell, const char *const *key)
{
	for (; *key; key++)
		sgov_table_amount(table, tres, sgov_json_amount(cell, *key));
}

static void add_unit_row(struct sgov_table *table,
			 const struct selection *select,
			 const struct json_object *unit,
			 const struct json_object *cell)
{
	static const char *const amounts[] = {
		"quota",   "used",	   "own",	 "borrowed",
		"lent",	   "free",	   "waiting",	 "leaving",
		"subtree", "borrow_limit", "lend_limit", NULL
	};
	int depth = select->tree ? (int) sgov_json_number(unit, "depth") : 0;
	const char *tres = sgov_json_text(cell, "tres");
	char *name = sgov_printf("%*s%s", 2 * (depth < 32 ? depth : 32), "",
				 sgov_json_text(unit, "name"));

	sgov_table_text(table, name);
	free(name);
	sgov_table_text(table, sgov_json_text(cell, "pool"));
	sgov_table_text(table, tres);
	add_amounts(table, tres, cell, amounts);
	sgov_table_text(table, sgov_json_text(unit, "parent"));
	sgov_table_text(table, sgov_json_text(unit, "kind"));
}

static void add_units(struct sgov_table *table, const struct selection *select,
		      const struct json_object *answer, const char *pool,
		      const char *tres)
{
	size_t units = sgov_json_count(answer, "units");

	for (size_t i = 0; i < units; i++) {
		struct json_object *unit = sgov_json_item(answer, "units", i);
		size_t cells = sgov_json_count(unit, "cells");

		if (!matches(select->team, sgov_json_text(unit, "name")) ||
		    (!select->tree && !select->team &&
		     strcmp(sgov_json_text(unit, "kind"), "team") != 0))
			continue;
		for (size_t j = 0; j < cells; j++) {
			struct json_object *cell = sgov_json_item(unit, "cells",
								  j);

			if (strcmp(sgov_json_text(cell, "pool"), pool) == 0 &&
			    strcmp(sgov_json_text(cell, "tres"), tres) == 0 &&
			    is_wanted(select, cell))
				add_unit_row(table, select, unit, cell);
		}
	}
}

/* One block of rows for each cell: that is where lending happens. */
static void show_units(const struct sgov *sgov, const struct selection *select,
		       const struct json_object *answer)
{
	struct sgov_table *table = sgov_table_create(sgov, unit_columns);
	size_t pools = sgov_json_count(answer, "pools");

	for (size_t i = 0; i < pools; i++) {
		struct json_object *pool = sgov_json_item(answer, "pools", i);
		size_t cells = sgov_json_count(pool, "cells");

		for (size_t j = 0; j < cells; j++)
			add_units(table, select, answer,
				  sgov_json_text(pool, "name"),
				  sgov_json_text(sgov_json_item(pool, "cells",
								j),
						 "tres"));
	}
	sgov_table_print(table);
	sgov_table_destroy(table);
}

static void show_pools(const struct sgov *sgov, const struct selection *select,
		       const struct json_object *answer)
{
	static const char *const amounts[] = {
		"capacity", "quotas",  "unallocated", "used",	   "borrowed",
		"free",	    "waiting", "leaving",     "installed", NULL
	};
	struct sgov_table *table = sgov_table_create(sgov, pool_columns);
	size_t pools = sgov_json_count(answer, "pools");

	for (size_t i = 0; i < pools; i++) {
		struct json_object *pool = sgov_json_item(answer, "pools", i);
		size_t cells = sgov_json_count(pool, "cells");

		for (size_t j = 0; j < cells; j++) {
			struct json_object *cell = sgov_json_item(pool, "cells",
								  j);
			const char *tres = sgov_json_text(cell, "tres");

			if (!matches(select->pool,
				     sgov_json_text(pool, "name")) ||
			    !matches(select->tres, tres))
				continue;
			sgov_table_text(table, sgov_json_text(pool, "name"));
			sgov_table_text(table, tres);
			add_amounts(table, tres, cell, amounts);
		}
	}
	sgov_table_print(table);
	sgov_table_destroy(table);
}

int sgov_status(struct sgov *sgov, int argc, char **argv)
{
	struct selection select = { 0 };
	const struct sgov_option options[] = {
		{ "team", 't', "TEAM", "this team (or unit) only",
		  &select.team },
		{ "pool", 'p', "POOL", "this pool only", &select.pool },
		{ "tres", 'T', "TRES", "this TRES only, \"gres/gpu:h100\"",
		  &select.tres },
		{ "all", 'a', NULL, "also TRES in which a team is not limited",
		  &select.all },
		{ "tree", 0, NULL, "also the units above the teams",
		  &select.tree },
		{ "pools", 0, NULL, "what each pool has in all",
		  &select.pools },
		{ NULL, 0, NULL, NULL, NULL },
	};
	struct json_object *request, *answer;
	int status;

	if (!sgov_parse_operands(sgov, options, argc, argv, 0, 0, &status))
		return status;
	request = sgov_request("status");
	sgov_json_set(request, "team", select.team);
	sgov_json_set(request, "pool", select.pool);
	answer = sgov_ask_and_show(sgov, request, &status);
	if (!answer)
		return status;
	sgov_tell_orders(answer);
	if (select.pools)
		show_pools(sgov, &select, answer);
	else
		show_units(sgov, &select, answer);
	json_object_put(answer);
	return status;
}
