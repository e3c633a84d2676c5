/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/json.h"

#include <stdio.h>
#include <string.h>

#include "sgov/sgov.h"

struct json_object *sgov_json_object(const struct json_object *object,
				     const char *key)
{
	struct json_object *member;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, key, &member))
		return NULL;
	return member;
}

const char *sgov_json_text(const struct json_object *object, const char *key)
{
	struct json_object *member = sgov_json_object(object, key);

	return json_object_is_type(member, json_type_string) ?
		       json_object_get_string(member) :
		       "";
}

int64_t sgov_json_number(const struct json_object *object, const char *key)
{
	return json_object_get_int64(sgov_json_object(object, key));
}

bool sgov_json_true(const struct json_object *object, const char *key)
{
	return json_object_get_boolean(sgov_json_object(object, key));
}

gov_amount_t sgov_json_amount(const struct json_object *object, const char *key)
{
	struct json_object *member = sgov_json_object(object, key);

	if (json_object_is_type(member, json_type_int))
		return json_object_get_uint64(member);
	if (json_object_is_type(member, json_type_string))
		return GOV_UNLIMITED;
	return GOV_UNSET;
}

size_t sgov_json_count(const struct json_object *object, const char *key)
{
	struct json_object *member = sgov_json_object(object, key);

	return json_object_is_type(member, json_type_array) ?
		       json_object_array_length(member) :
		       0;
}

struct json_object *sgov_json_item(const struct json_object *object,
				   const char *key, size_t index)
{
	return json_object_array_get_idx(sgov_json_object(object, key), index);
}

void sgov_json_set(struct json_object *object, const char *key,
		   const char *text)
{
	if (text)
		json_object_object_add(object, key,
				       json_object_new_string(text));
}

void sgov_json_print(struct json_object *object)
{
	const char *text = json_object_to_json_string_ext(
		object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
				JSON_C_TO_STRING_NOSLASHESCAPE);

	if (text)
		puts(text);
	else
		sgov_error("out of memory");
}
