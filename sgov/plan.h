/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A policy that is not in force yet: what it would change. */
#ifndef GOVERNANCE_SGOV_PLAN_H
#define GOVERNANCE_SGOV_PLAN_H

#include "sgov/json.h"
#include "sgov/sgov.h"

/*
 * The text of a policy file, NUL-terminated, with *length; the caller frees.
 * NULL: it cannot be read or is too long, which has been said.
 */
char *sgov_read_policy(const char *path, size_t *length);

/*
 * Ask the governor what this policy would change, and tell the file's faults
 * on stderr.  The answer for the caller to put, with *status; NULL: none.
 */
struct json_object *sgov_ask_plan(const struct sgov *sgov, const char *path,
				  const char *text, int *status);

/* Tables of teams and jobs, and a closing sentence. */
void sgov_show_plan(const struct sgov *sgov, const struct json_object *answer);

#endif
