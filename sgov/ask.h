/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A question to the governor, and what its answer says of failures. */
#ifndef GOVERNANCE_SGOV_ASK_H
#define GOVERNANCE_SGOV_ASK_H

#include "sgov/json.h"
#include "sgov/sgov.h"

/* {"version":1,"command":command}; the caller puts it. */
struct json_object *sgov_request(const char *command);

/*
 * Ask (the request is put), and tell the answer's warnings and errors on
 * stderr.  Returns the answer for the caller to put, with *status its exit
 * code: SGOV_OK, or what its errors mean.  NULL: there is no answer; that has
 * been told, as JSON on stdout too if that was asked for.
 */
struct json_object *sgov_ask(const struct sgov *sgov,
			     struct json_object *request, int *status);

/*
 * For commands that print the answer as it is with --json and something else
 * otherwise: asks, prints JSON where that is wanted.  Returns the answer if
 * `show' is still to be done (the caller puts it), else NULL with *status.
 */
struct json_object *sgov_ask_and_show(const struct sgov *sgov,
				      struct json_object *request, int *status);

/* What the answer says is wrong with a policy ("faults"), on stderr. */
void sgov_tell_faults(const struct json_object *answer);

/* An answer of our own, {"meta":…,"errors":[],"warnings":[]}. */
struct json_object *sgov_own_answer(const char *command);
/* Append to its errors (or "warnings"). */
void sgov_own_add(struct json_object *answer, const char *list,
		  const char *code, const char *text);

#endif
