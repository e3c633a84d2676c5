/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("not of the schema: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(2);
}

struct json_object *text_get(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	if (object)
		json_object_object_get_ex(object, key, &value);
	return value;
}

struct json_object *text_need(struct json_object *object, const char *key)
{
	struct json_object *value = text_get(object, key);

	if (!value)
		text_fail("no \"%s\" in %.200s", key,
			  json_object_to_json_string(object));
	return value;
}

const char *text_string(struct json_object *object, const char *key)
{
	return json_object_get_string(text_need(object, key));
}

const char *text_string_or(struct json_object *object, const char *key,
			   const char *otherwise)
{
	struct json_object *value = text_get(object, key);

	return value ? json_object_get_string(value) : otherwise;
}

int64_t text_integer_or(struct json_object *object, const char *key,
			int64_t otherwise)
{
	struct json_object *value = text_get(object, key);

	return value ? json_object_get_int64(value) : otherwise;
}

bool text_bool_or(struct json_object *object, const char *key, bool otherwise)
{
	struct json_object *value = text_get(object, key);

	return value ? json_object_get_boolean(value) : otherwise;
}

size_t text_length(struct json_object *array)
{
	if (!array)
		return 0;
	if (!json_object_is_type(array, json_type_array))
		text_fail("a list was expected: %.200s",
			  json_object_to_json_string(array));
	return json_object_array_length(array);
}

struct json_object *text_at(struct json_object *array, size_t index)
{
	return json_object_array_get_idx(array, index);
}

gov_amount_t text_amount(struct json_object *value)
{
	int64_t number;

	if (json_object_is_type(value, json_type_string)) {
		if (strcmp(json_object_get_string(value), "unlimited"))
			text_fail("amount %s", json_object_get_string(value));
		return GOV_UNLIMITED;
	}
	if (!json_object_is_type(value, json_type_int))
		text_fail("amount %s", json_object_get_string(value));
	number = json_object_get_int64(value);
	if (number == INT64_MAX)
		return GOV_UNLIMITED;
	return number < 0 ? 0 : (gov_amount_t) number;
}

gov_amount_t text_amount_or(struct json_object *object, const char *key,
			    gov_amount_t otherwise)
{
	struct json_object *value = text_get(object, key);

	return value ? text_amount(value) : otherwise;
}

gov_amount_t text_clip(gov_amount_t amount)
{
	return amount >= INT64_MAX ? GOV_UNLIMITED : amount;
}

struct gov_weight text_weight(struct json_object *value)
{
	struct gov_weight weight = { 1, 1 };
	const char *text;
	uint64_t number = 0, scale = 1;
	bool fraction = false;

	if (!value)
		return weight;
	text = json_object_get_string(value);
	for (const char *p = text; *p; p++) {
		if (*p == '.' && !fraction) {
			fraction = true;
			continue;
		}
		if (*p < '0' || *p > '9' || number > UINT32_MAX / 10 ||
		    scale > UINT32_MAX / 10)
			text_fail("weight %s", text);
		number = number * 10 + (uint64_t) (*p - '0');
		scale *= fraction ? 10 : 1;
	}
	weight.numerator = (uint32_t) number;
	weight.denominator = (uint32_t) scale;
	return weight;
}

void text_each_pair(struct json_object *value,
		    void (*visit)(const char *flavor, const char *resource,
				  void *arg),
		    void *arg)
{
	if (json_object_is_type(value, json_type_array)) {
		for (size_t i = 0; i < text_length(value); i++)
			text_each_pair(text_at(value, i), visit, arg);
	} else if (json_object_is_type(value, json_type_object)) {
		struct json_object *flavor = text_get(value, "flavor");
		struct json_object *resource = text_get(value, "resource");

		if (flavor && resource)
			visit(json_object_get_string(flavor),
			      json_object_get_string(resource), arg);
		json_object_object_foreach(value, key, member)
		{
			(void) key;
			text_each_pair(member, visit, arg);
		}
	}
}
