/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/system.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sgov/table.h"

static const struct sgov_column columns[] = {
	{ "SYSTEM", false, false },
	{ "RESULT", false, false },
	{ "TEXT", false, false },
	{ NULL, false, false },
};

static const char *severity_name(enum sgov_severity severity)
{
	return severity == SGOV_FINE	 ? "ok" :
	       severity == SGOV_DOUBTFUL ? "warning" :
					   "error";
}

void sgov_finding(struct sgov_findings *findings, enum sgov_severity severity,
		  const char *subject, const char *format, ...)
{
	struct sgov_finding *finding;
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = sgov_copy("out of memory");
	va_end(args);
	findings->item = sgov_realloc(findings->item,
				      (findings->count + 1) *
					      sizeof(*findings->item));
	finding = &findings->item[findings->count++];
	finding->severity = severity;
	finding->subject = subject;
	finding->text = text;
	findings->errors += severity == SGOV_WRONG;
}

void sgov_findings_show(const struct sgov *sgov,
			const struct sgov_findings *findings)
{
	struct sgov_table *table;

	if (!findings->count)
		return;
	table = sgov_table_create(sgov, columns);
	putchar('\n');
	for (size_t i = 0; i < findings->count; i++) {
		sgov_table_text(table, findings->item[i].subject);
		sgov_table_text(table,
				severity_name(findings->item[i].severity));
		sgov_table_text(table, findings->item[i].text);
	}
	sgov_table_print(table);
	sgov_table_destroy(table);
}

struct json_object *sgov_findings_json(const struct sgov_findings *findings)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < findings->count; i++) {
		struct json_object *object = json_object_new_object();

		sgov_json_set(object, "subject", findings->item[i].subject);
		sgov_json_set(object, "result",
			      severity_name(findings->item[i].severity));
		sgov_json_set(object, "text", findings->item[i].text);
		json_object_array_add(list, object);
	}
	return list;
}

void sgov_findings_free(struct sgov_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		free(findings->item[i].text);
	free(findings->item);
	*findings = (struct sgov_findings){ 0 };
}
