/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operators' orders: hold-reclaims, release-all, drain, resume, release,
 * exempt. */
#include "sgov/orders.h"

#include <stdio.h>
#include <stdlib.h>

#include "sgov/ask.h"
#include "sgov/format.h"
#include "sgov/options.h"
#include "sgov/users.h"
#include "wire/printable.h"

/* ---- telling ---- */

/* "root since 2026-12-02T16:20:11", or NULL where it is not so. */
static char *who_since(const struct json_object *mark)
{
	int64_t since = sgov_json_number(mark, "since");
	char when[SGOV_TIME_TEXT];

	if (!since)
		return NULL;
	return sgov_printf("%s since %s",
			   sgov_user_name(
				   (uid_t) sgov_json_number(mark, "uid")),
			   sgov_format_time(when, since));
}

void sgov_tell_orders(const struct json_object *answer)
{
	const struct json_object *orders =
		sgov_json_object(sgov_json_object(answer, "meta"), "orders");
	size_t drained = sgov_json_count(orders, "drained");
	char *who;

	who = who_since(sgov_json_object(orders, "released_all"));
	if (who)
		sgov_warning(
			"nothing is governed: all was released by %s; 'sgov release-all --undo' governs again",
			who);
	free(who);
	who = who_since(sgov_json_object(orders, "reclaims_held"));
	if (who)
		sgov_warning(
			"reclaims are held by %s; 'sgov hold-reclaims --undo' lets them go on",
			who);
	free(who);
	for (size_t i = 0; i < drained; i++) {
		struct json_object *unit = sgov_json_item(orders, "drained", i);

		who = who_since(unit);
		sgov_warning("%s may borrow no more: drained by %s",
			     sgov_json_text(unit, "name"), who ? who : "?");
		free(who);
	}
}

char *sgov_job_order(const struct json_object *job)
{
	bool released = sgov_json_true(job, "released");
	bool exempt = sgov_json_true(job, "exempt");
	char *who = who_since(sgov_json_object(job, "ordered")), *text = NULL;

	if (who && (released || exempt))
		text = sgov_printf("%s%s%s, by %s",
				   released ? "released in spite of quota" : "",
				   released && exempt ? ", " : "",
				   exempt ? "exempted from being taken back" :
					    "",
				   who);
	free(who);
	return text;
}

/* ---- ordering ---- */

/* Ask, and say what is so now.  said: with %s for the operand, if any. */
static int give(struct sgov *sgov, struct json_object *request,
		const char *operand, const char *said)
{
	struct json_object *answer;
	char *line;
	int status;

	answer = sgov_ask_and_show(sgov, request, &status);
	if (!answer)
		return status;
	line = operand ? sgov_printf("%s %s", operand, said) : sgov_copy(said);
	gov_make_printable(line);
	puts(line);
	free(line);
	json_object_put(answer);
	return status;
}

/* An order that can be undone; member: what the operand is, or NULL. */
static int order(struct sgov *sgov, int argc, char **argv, const char *member,
		 const char *done, const char *undone)
{
	const char *undo = NULL;
	const struct sgov_option options[] = {
		{ "undo", 0, NULL, "take the order back", &undo },
		{ NULL, 0, NULL, NULL, NULL },
	};
	int operands = member ? 1 : 0, status;
	char **operand = sgov_parse_operands(sgov, undone ? options : NULL,
					     argc, argv, operands, operands,
					     &status);
	struct json_object *request;

	if (!operand)
		return status;
	request = sgov_request(sgov->command->name);
	if (member)
		sgov_json_set(request, member, operand[0]);
	if (undo)
		json_object_object_add(request, "undo",
				       json_object_new_boolean(1));
	return give(sgov, request, member ? operand[0] : NULL,
		    undo ? undone : done);
}

int sgov_hold_reclaims(struct sgov *sgov, int argc, char **argv)
{
	return order(sgov, argc, argv, NULL,
		     "reclaims are held: nobody else is asked to give way",
		     "reclaims go on");
}

int sgov_release_all(struct sgov *sgov, int argc, char **argv)
{
	return order(
		sgov, argc, argv, NULL,
		"all that governance holds is released, and nothing is governed",
		"jobs are governed again");
}

int sgov_release(struct sgov *sgov, int argc, char **argv)
{
	return order(sgov, argc, argv, "job", "is released in spite of quota",
		     NULL);
}

int sgov_exempt(struct sgov *sgov, int argc, char **argv)
{
	return order(sgov, argc, argv, "job", "is not taken back any more",
		     "may be taken back again");
}

int sgov_drain(struct sgov *sgov, int argc, char **argv)
{
	return order(sgov, argc, argv, "team", "may borrow no more", NULL);
}

int sgov_resume(struct sgov *sgov, int argc, char **argv)
{
	int status;
	char **team = sgov_parse_operands(sgov, NULL, argc, argv, 1, 1,
					  &status);
	struct json_object *request;

	if (!team)
		return status;
	request = sgov_request("drain");
	sgov_json_set(request, "team", team[0]);
	json_object_object_add(request, "undo", json_object_new_boolean(1));
	return give(sgov, request, team[0], "may borrow again");
}
