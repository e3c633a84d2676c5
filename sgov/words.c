/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/words.h"

#include <stddef.h>
#include <string.h>

struct words {
	const char *identifier;
	const char *text;
};

static const char *look_up(const struct words *table, const char *identifier)
{
	for (; table->identifier; table++)
		if (strcmp(table->identifier, identifier) == 0)
			return table->text;
	return identifier;
}

const char *sgov_limit_words(const char *kind)
{
	static const struct words table[] = {
		{ "nominal", "quota, and no borrowing" },
		{ "borrow_limit", "borrow limit" },
		{ "lenders", "idle quota of others" },
		{ "capacity", "nodes that are up" },
		{ "project", "limit of the project" },
		{ "user", "limit per user" },
		{ "class", "limit of the class" },
		{ "no_borrow", "own wish, --gov-borrow=no" },
		{ "drained", "an operator drained the team" },
		{ "held", "held for another job" },
		{ "order", "an earlier job" },
		{ NULL, NULL },
	};

	return look_up(table, kind);
}

const char *sgov_rule_words(const char *rule)
{
	static const struct words table[] = {
		{ "none", "" },
		{ "within_team", "within the team" },
		{ "reclaim", "owner takes back" },
		{ "fair_share", "fair share" },
		{ "while_borrowing", "while borrowing" },
		{ NULL, NULL },
	};

	return look_up(table, rule);
}

const char *sgov_protection_words(const char *protection)
{
	static const struct words table[] = {
		{ "chosen", "" },
		{ "class", "its class is not lower" },
		{ "not_borrowing", "its team is within its quota" },
		{ "min_runtime", "has not run its minimum time" },
		{ "min_loan", "the minimum time of the loan" },
		{ "budget", "was taken back often enough" },
		{ "share", "its team's share is not larger" },
		{ "policy", "the policy spares it" },
		{ "not_enough", "even all of them would not do" },
		{ "exempt", "an operator exempted it" },
		{ "reclaims_held", "an operator holds all reclaims" },
		{ NULL, NULL },
	};

	return look_up(table, protection);
}

const char *sgov_state_words(const char *state)
{
	static const struct words table[] = {
		{ "ineligible", "cannot start yet, and asks for no quota" },
		{ "waiting", "waits for quota" },
		{ "claiming", "has quota, and waits for others to leave" },
		{ "admitted", "has quota, and may start" },
		{ "running", "runs" },
		{ "reclaiming", "runs, and has been told to leave" },
		{ "stray", "belongs to no team" },
		{ "free", "is not governed" },
		{ NULL, NULL },
	};

	return look_up(table, state);
}
