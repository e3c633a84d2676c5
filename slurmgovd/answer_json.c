/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Building answers, reading requests. */
#include "slurmgovd/answer_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "wire/printable.h"

#define TEXT_MAX 4096

/* ---- building ---- */

/* Hand value (NULL: no memory, unless `null') over to parent. */
static struct json_object *put(struct gov_answering *a,
			       struct json_object *parent, const char *key,
			       struct json_object *value, bool null)
{
	int rc = -1;

	if (parent && (value || null))
		rc = key ? json_object_object_add(parent, key, value) :
			   json_object_array_add(parent, value);
	if (rc == 0)
		return value;
	json_object_put(value);
	if (parent)
		a->failed = true;
	return NULL;
}

struct json_object *gov_put_object(struct gov_answering *a,
				   struct json_object *parent, const char *key)
{
	return put(a, parent, key, json_object_new_object(), false);
}

struct json_object *gov_put_array(struct gov_answering *a,
				  struct json_object *parent, const char *key)
{
	return put(a, parent, key, json_object_new_array(), false);
}

void gov_put_text(struct gov_answering *a, struct json_object *parent,
		  const char *key, const char *text)
{
	char copy[TEXT_MAX];

	if (!text) {
		put(a, parent, key, NULL, true);
		return;
	}
	snprintf(copy, sizeof(copy), "%s", text);
	gov_make_printable(copy);
	put(a, parent, key, json_object_new_string(copy), false);
}

void gov_put_number(struct gov_answering *a, struct json_object *parent,
		    const char *key, int64_t number)
{
	put(a, parent, key, json_object_new_int64(number), false);
}

void gov_put_bool(struct gov_answering *a, struct json_object *parent,
		  const char *key, bool value)
{
	put(a, parent, key, json_object_new_boolean(value), false);
}

void gov_put_amount(struct gov_answering *a, struct json_object *parent,
		    const char *key, gov_amount_t amount)
{
	if (amount == GOV_UNSET)
		put(a, parent, key, NULL, true);
	else if (amount == GOV_UNLIMITED)
		gov_put_text(a, parent, key, "unlimited");
	else
		put(a, parent, key, json_object_new_uint64(amount), false);
}

void gov_put_cell(struct gov_answering *a, struct json_object *parent,
		  uint32_t cell)
{
	const struct gov_cell *c = &a->policy->cell[cell];

	gov_put_text(a, parent, "pool", a->policy->pool[c->pool].name);
	gov_put_text(a, parent, "tres", a->policy->tres[c->tres].name);
}

void gov_put_unit_name(struct gov_answering *a, struct json_object *parent,
		       const char *key, uint32_t unit)
{
	gov_put_text(a, parent, key,
		     unit == GOV_NONE ? NULL : a->policy->unit[unit].name);
}

static void put_message(struct gov_answering *a, struct json_object *list,
			const char *code, const char *format, va_list args)
	__attribute__((format(printf, 4, 0)));

static void put_message(struct gov_answering *a, struct json_object *list,
			const char *code, const char *format, va_list args)
{
	struct json_object *entry = gov_put_object(a, list, NULL);
	char text[TEXT_MAX];

	vsnprintf(text, sizeof(text), format, args);
	if (code)
		gov_put_text(a, entry, "code", code);
	gov_put_text(a, entry, "text", text);
}

void gov_answer_error(struct gov_answering *a, enum gov_code code,
		      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_message(a, a->errors, gov_code_name(code), format, args);
	va_end(args);
}

void gov_answer_warning(struct gov_answering *a, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_message(a, a->warnings, NULL, format, args);
	va_end(args);
}

/* ---- reading ---- */

static struct json_object *asked(const struct gov_answering *a, const char *key,
				 enum json_type type)
{
	struct json_object *member;

	if (!json_object_object_get_ex(a->request, key, &member) ||
	    !json_object_is_type(member, type))
		return NULL;
	return member;
}

const char *gov_asked_text(const struct gov_answering *a, const char *key)
{
	struct json_object *member = asked(a, key, json_type_string);

	return member ? json_object_get_string(member) : NULL;
}

int64_t gov_asked_number(const struct gov_answering *a, const char *key)
{
	return json_object_get_int64(asked(a, key, json_type_int));
}

bool gov_asked_true(const struct gov_answering *a, const char *key)
{
	return json_object_get_boolean(asked(a, key, json_type_boolean));
}

/* "there is no team 'x'; there are: a, b, c, …" */
struct choices {
	char text[512];
	size_t used;
	bool cut;
};

static void add_choice(struct choices *choices, const char *name)
{
	size_t n = strlen(name);

	if (choices->cut)
		return;
	if (n + choices->used + 8 > sizeof(choices->text)) {
		strcpy(choices->text + choices->used, ", ...");
		choices->cut = true;
		return;
	}
	choices->used += (size_t) sprintf(choices->text + choices->used, "%s%s",
					  choices->used ? ", " : "", name);
}

static int unknown(struct gov_answering *a, const char *what, const char *name,
		   const struct choices *choices)
{
	gov_answer_error(a, GOV_E_REFERENCE,
			 "there is no %s '%.100s'; there are: %s", what, name,
			 choices->used ? choices->text : "none");
	return -1;
}

int gov_asked_unit(struct gov_answering *a, const char *key, uint32_t *index)
{
	const char *name = gov_asked_text(a, key);
	struct choices choices = { .used = 0 };

	*index = name ? gov_policy_find_unit(a->policy, name) : GOV_NONE;
	if (!name || *index != GOV_NONE)
		return 0;
	for (uint32_t i = 0; i < a->policy->unit_count; i++)
		add_choice(&choices, a->policy->unit[i].name);
	return unknown(a, "team", name, &choices);
}

int gov_asked_pool(struct gov_answering *a, const char *key, uint32_t *index)
{
	const char *name = gov_asked_text(a, key);
	struct choices choices = { .used = 0 };

	*index = name ? gov_policy_find_pool(a->policy, name) : GOV_NONE;
	if (!name || *index != GOV_NONE)
		return 0;
	for (uint32_t i = 0; i < a->policy->pool_count; i++)
		add_choice(&choices, a->policy->pool[i].name);
	return unknown(a, "pool", name, &choices);
}

int gov_asked_class(struct gov_answering *a, const char *key, uint32_t *index)
{
	const char *name = gov_asked_text(a, key);
	struct choices choices = { .used = 0 };

	*index = name ? gov_policy_find_class(a->policy, name) : GOV_NONE;
	if (!name || *index != GOV_NONE)
		return 0;
	for (uint32_t i = 0; i < a->policy->class_count; i++)
		add_choice(&choices, a->policy->class[i].name);
	return unknown(a, "priority class", name, &choices);
}
