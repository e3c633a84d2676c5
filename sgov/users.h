/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GOVERNANCE_SGOV_USERS_H
#define GOVERNANCE_SGOV_USERS_H

#include <sys/types.h>

#include "sgov/json.h"

/* The uid of a user by name or number; (uid_t)-1: there is none. */
uid_t sgov_uid_of(const char *name);

/* The name a uid has on this host, or the number; valid until some later
 * call. */
const char *sgov_user_name(uid_t uid);

/*
 * Slurm does not always tell a job's user by name: put the name that the uid
 * has on this host, or else the number, wherever an answer has no "user".
 */
void sgov_name_users(struct json_object *answer);

#endif
