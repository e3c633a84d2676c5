/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of JSON, each of the kind and in the range that HyperPod has. */
#include "import/hyperpod.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define TEXT_MAX 4096 /* bytes: 1024 characters */

int hp_fail(struct hp_reader *reader, const char *format, ...)
{
	char text[GOV_ERROR_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return gov_error_set(reader->error, GOV_E_VALUE, "%.100s: %s%s%s",
			     reader->file, reader->object,
			     *reader->object ? ": " : "", text);
}

struct json_object *hp_member(const struct json_object *object, const char *key)
{
	struct json_object *member;

	return json_object_object_get_ex(object, key, &member) ? member : NULL;
}

int hp_object(struct hp_reader *reader, const struct json_object *object,
	      const char *key, struct json_object **value)
{
	struct json_object *member = hp_member(object, key);

	if (!member)
		return 0;
	if (!json_object_is_type(member, json_type_object))
		return hp_fail(reader, "%s must be an object", key);
	*value = member;
	return 0;
}

int hp_list(struct hp_reader *reader, const struct json_object *object,
	    const char *key, struct json_object **value)
{
	struct json_object *member = hp_member(object, key);

	if (!member)
		return 0;
	if (!json_object_is_type(member, json_type_array))
		return hp_fail(reader, "%s must be an array", key);
	for (size_t i = 0; i < json_object_array_length(member); i++)
		if (!json_object_is_type(json_object_array_get_idx(member, i),
					 json_type_object))
			return hp_fail(reader, "%s must be an array of objects",
				       key);
	*value = member;
	return 0;
}

int hp_text(struct hp_reader *reader, const struct json_object *object,
	    const char *key, const char **value)
{
	struct json_object *member = hp_member(object, key);

	if (!member)
		return 0;
	if (!json_object_is_type(member, json_type_string) ||
	    json_object_get_string_len(member) > TEXT_MAX)
		return hp_fail(reader, "%s must be a text of up to 1024", key);
	*value = json_object_get_string(member);
	return 0;
}

static bool is_inner(char c, bool dots)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
	       (dots && c == '.');
}

int hp_name(struct hp_reader *reader, const struct json_object *object,
	    const char *key, bool dots, char *value)
{
	struct json_object *member = hp_member(object, key);
	const char *text = json_object_is_type(member, json_type_string) ?
				   json_object_get_string(member) :
				   "";
	size_t length = strlen(text), inner = 0;

	while (is_inner(text[inner], dots))
		inner++;
	if (!length || length >= HP_NAME || inner < length || *text == '-' ||
	    *text == '.' || text[length - 1] == '-' ||
	    (size_t) json_object_get_string_len(member) != length)
		return hp_fail(
			reader,
			"%s must be a name of up to %d small letters, digits%s and hyphens, not '%.70s'",
			key, HP_NAME - 1, dots ? ", dots" : "", text);
	memcpy(value, text, length + 1);
	return 0;
}

/* 0 with *said: there is one; the number is finite and not negative. */
static int number(struct hp_reader *reader, const struct json_object *object,
		  const char *key, double most, bool *said, double *value)
{
	struct json_object *member = hp_member(object, key);

	*said = member != NULL;
	if (!member)
		return 0;
	*value = json_object_get_double(member);
	if ((!json_object_is_type(member, json_type_int) &&
	     !json_object_is_type(member, json_type_double)) ||
	    !isfinite(*value) || *value < 0 || *value > most)
		return hp_fail(reader, "%s must be a number from 0 to %.0f",
			       key, most);
	return 0;
}

int hp_whole(struct hp_reader *reader, const struct json_object *object,
	     const char *key, double most, uint64_t *value)
{
	double read;
	bool said;

	if (number(reader, object, key, most, &said, &read))
		return -1;
	if (!said)
		return 0;
	if (read != floor(read))
		return hp_fail(reader, "%s must be a whole number", key);
	*value = (uint64_t) read;
	return 0;
}

int hp_amount(struct hp_reader *reader, const struct json_object *object,
	      const char *key, double scale, bool *said, uint64_t *value)
{
	double read;
	bool there;

	if (number(reader, object, key, HP_NUMBER_MAX, &there, &read))
		return -1;
	if (!there)
		return 0;
	*said = true;
	*value += (uint64_t) floor(read * scale);
	if (read * scale != floor(read * scale))
		hp_note(reader->import,
			"%s: %s is rounded down: Slurm counts whole ones",
			reader->object, key);
	return 0;
}

int hp_word(struct hp_reader *reader, const struct json_object *object,
	    const char *key, const char *const *words, unsigned *value)
{
	const char *text = NULL;
	unsigned i = 0;

	if (hp_text(reader, object, key, &text))
		return -1;
	if (!text)
		return 0;
	while (words[i] && strcmp(words[i], text))
		i++;
	if (!words[i])
		return hp_fail(
			reader,
			"%s is '%.40s', which this release does not know", key,
			text);
	*value = i;
	return 0;
}
