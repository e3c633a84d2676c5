/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "sgov/find.h"
#include "sgov/users.h"
#include "wire/client.h"
#include "wire/printable.h"

struct json_object *sgov_request(const char *command)
{
	struct json_object *request = json_object_new_object();

	if (!request)
		return NULL;
	json_object_object_add(request, "version", json_object_new_int(1));
	sgov_json_set(request, "command", command);
	return request;
}

/* ---- answers of our own ---- */

struct json_object *sgov_own_answer(const char *command)
{
	struct json_object *answer = json_object_new_object();
	struct json_object *meta = json_object_new_object();

	json_object_object_add(meta, "schema", json_object_new_int(1));
	sgov_json_set(meta, "command", command);
	json_object_object_add(answer, "meta", meta);
	json_object_object_add(answer, "errors", json_object_new_array());
	json_object_object_add(answer, "warnings", json_object_new_array());
	return answer;
}

void sgov_own_add(struct json_object *answer, const char *list,
		  const char *code, const char *text)
{
	struct json_object *entry = json_object_new_object();

	sgov_json_set(entry, "code", code);
	sgov_json_set(entry, "text", text);
	json_object_array_add(json_object_object_get(answer, list), entry);
}

static void no_answer(const struct sgov *sgov, const struct gov_error *error)
{
	struct json_object *answer;

	sgov_error("%s (%s)", error->text, gov_code_name(error->code));
	if (sgov->format != SGOV_JSON)
		return;
	answer = sgov_own_answer(sgov->command->name);
	sgov_own_add(answer, "errors", gov_code_name(error->code), error->text);
	sgov_json_print(answer);
	json_object_put(answer);
}

/* ---- asking ---- */

/* Should the next host be tried? */
static bool is_absence(enum gov_code code)
{
	return code == GOV_E_DOWN || code == GOV_E_TIMEOUT;
}

static struct json_object *ask_hosts(const struct sgov *sgov,
				     const struct sgov_place *place,
				     struct json_object *request,
				     struct gov_error *error)
{
	struct json_object *answer = NULL;
	uid_t by = (uid_t) -1;

	for (size_t i = 0; i < place->hosts && !answer; i++) {
		answer = gov_client_call(place->host[i], place->port,
					 place->munge_socket, request,
					 place->governor, sgov->timeout_ms, &by,
					 error);
		if (!answer && !is_absence(error->code))
			break;
	}
	if (answer && place->governor == (uid_t) -1)
		sgov_warning(
			"uid %ld answered; whether that is the governor was not checked: name its user in SGOV_GOVERNOR_USER",
			(long) by);
	return answer;
}

/* "no such job" and "not for you" are answers. */
static int exit_code_of(const char *code)
{
	static const enum gov_code answers[] = { GOV_E_PERMISSION,
						 GOV_E_REFERENCE, GOV_E_STATE,
						 GOV_E_DOWN };

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		if (strcmp(code, gov_code_name(answers[i])) == 0)
			return SGOV_NO;
	return SGOV_ERROR;
}

static int tell(struct json_object *answer)
{
	size_t warnings = sgov_json_count(answer, "warnings");
	size_t errors = sgov_json_count(answer, "errors");
	int status = SGOV_OK;

	for (size_t i = 0; i < warnings; i++)
		sgov_warning("%s", sgov_json_text(sgov_json_item(answer,
								 "warnings", i),
						  "text"));
	for (size_t i = 0; i < errors; i++) {
		struct json_object *e = sgov_json_item(answer, "errors", i);
		const char *code = sgov_json_text(e, "code");

		sgov_error("%s (%s)", sgov_json_text(e, "text"), code);
		if (status != SGOV_ERROR)
			status = exit_code_of(code);
	}
	return status;
}

struct json_object *sgov_ask(const struct sgov *sgov,
			     struct json_object *request, int *status)
{
	struct gov_error error = { 0 };
	struct json_object *answer;
	struct sgov_place place;

	*status = sgov_find(sgov, &place);
	if (*status) {
		json_object_put(request);
		return NULL;
	}
	answer = ask_hosts(sgov, &place, request, &error);
	sgov_place_free(&place);
	json_object_put(request);
	if (answer) {
		*status = tell(answer);
		sgov_name_users(answer);
		return answer;
	}
	no_answer(sgov, &error);
	*status = SGOV_ERROR;
	return NULL;
}

struct json_object *sgov_ask_and_show(const struct sgov *sgov,
				      struct json_object *request, int *status)
{
	struct json_object *answer = sgov_ask(sgov, request, status);

	if (answer && sgov->format == SGOV_JSON)
		sgov_json_print(answer);
	else if (answer && *status == SGOV_OK)
		return answer;
	json_object_put(answer);
	return NULL;
}

void sgov_tell_faults(const struct json_object *answer)
{
	size_t faults = sgov_json_count(answer, "faults");

	for (size_t i = 0; i < faults; i++) {
		char *line = sgov_copy(
			sgov_json_text(sgov_json_item(answer, "faults", i),
				       "line_text"));

		gov_make_printable(line);
		fprintf(stderr, "%s\n", line);
		free(line);
	}
}
