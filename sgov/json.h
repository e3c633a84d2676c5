/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the governor's answer, where any member may be missing: text is
 * then "", a number 0, a list empty.
 */
#ifndef GOVERNANCE_SGOV_JSON_H
#define GOVERNANCE_SGOV_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <json-c/json.h>

#include "core/amount.h"

/* Borrowed from the object. */
const char *sgov_json_text(const struct json_object *object, const char *key);
int64_t sgov_json_number(const struct json_object *object, const char *key);
bool sgov_json_true(const struct json_object *object, const char *key);
/* A number, "unlimited", or null for unset. */
gov_amount_t sgov_json_amount(const struct json_object *object,
			      const char *key);
/* The object under key, or NULL. */
struct json_object *sgov_json_object(const struct json_object *object,
				     const char *key);
/* An array's length (0 if it is none) and element. */
size_t sgov_json_count(const struct json_object *object, const char *key);
struct json_object *sgov_json_item(const struct json_object *object,
				   const char *key, size_t index);

/* Set a text member, if text is not NULL. */
void sgov_json_set(struct json_object *object, const char *key,
		   const char *text);

/* Print it, indented as Slurm's --json is. */
void sgov_json_print(struct json_object *object);

#endif
