/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading of case files: typed access to json-c values, with the schema's
 * amounts (64-bit integer or "unlimited").  All pointers are borrowed from
 * the document.  What a schema does not allow ends the run with a message:
 * a test must not pass because it could not be read.
 */
#ifndef CONFORMANCE_TEXT_H
#define CONFORMANCE_TEXT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/amount.h"
#include "core/policy.h"

/* Times that the schema leaves out are equal and older than all others. */
#define TEXT_OLDEST (-((int64_t) 1 << 40))

/* End the program: the file is not of the schema. */
void text_fail(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

/* Member `key`, or NULL if absent or null. */
struct json_object *text_get(struct json_object *object, const char *key);
/* Member that must be there. */
struct json_object *text_need(struct json_object *object, const char *key);
const char *text_string(struct json_object *object, const char *key);
/* Members that may be left out, with the value they have then. */
const char *text_string_or(struct json_object *object, const char *key,
			   const char *otherwise);
int64_t text_integer_or(struct json_object *object, const char *key,
			int64_t otherwise);
bool text_bool_or(struct json_object *object, const char *key, bool otherwise);
/* Length of an array; 0 for NULL. */
size_t text_length(struct json_object *array);
struct json_object *text_at(struct json_object *array, size_t index);

/* An amount: int64 or "unlimited".  2^63-1 is the schema's own infinity. */
gov_amount_t text_amount(struct json_object *value);
/* As text_amount() of a member; `otherwise` if it is not there. */
gov_amount_t text_amount_or(struct json_object *object, const char *key,
			    gov_amount_t otherwise);
/* An amount of ours as one of the schema's: what exceeds int64 is unlimited. */
gov_amount_t text_clip(gov_amount_t amount);

/* A decimal number as an exact fraction; NULL is 1. */
struct gov_weight text_weight(struct json_object *value);

/* For every {flavor, resource, ...} below value, at any depth. */
void text_each_pair(struct json_object *value,
		    void (*visit)(const char *flavor, const char *resource,
				  void *arg),
		    void *arg);

#endif
