/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check: governance.conf by itself, and with --system beside Slurm. */
#include "sgov/ask.h"
#include "sgov/format.h"
#include "sgov/options.h"
#include "sgov/system.h"
#include "sgov/table.h"

#include <stdio.h>
#include <stdlib.h>

#include "conf/conf.h"
#include "wire/printable.h"

static const struct sgov_column columns[] = {
	{ "FILE", false, false },  { "LINE", true, false },
	{ "COLUMN", true, false }, { "SEVERITY", false, false },
	{ "CODE", false, false },  { "TEXT", false, false },
	{ NULL, false, false },
};

static const char *severity(const struct gov_conf_fault *fault)
{
	return fault->warning ? "warning" : "error";
}

static void show_parsable(const struct sgov *sgov,
			  const struct gov_conf_faults *faults)
{
	struct sgov_table *table = sgov_table_create(sgov, columns);

	for (size_t i = 0; i < faults->count; i++) {
		const struct gov_conf_fault *fault = &faults->item[i];

		sgov_table_text(table, fault->file);
		sgov_table_number(table, fault->line);
		sgov_table_number(table, fault->column);
		sgov_table_text(table, severity(fault));
		sgov_table_text(table, gov_code_name(fault->code));
		sgov_table_text(table, fault->text);
	}
	sgov_table_print(table);
	sgov_table_destroy(table);
}

static void show_text(const char *path, const struct gov_policy *policy,
		      const struct gov_conf_faults *faults)
{
	size_t warnings = faults->count - faults->errors;
	uint32_t teams = 0;

	for (size_t i = 0; i < faults->count; i++) {
		char *line = gov_conf_fault_string(&faults->item[i]);

		if (line) {
			gov_make_printable(line);
			puts(line);
		}
		free(line);
	}
	printf("%s: %zu error%s, %zu warning%s", path, faults->errors,
	       faults->errors == 1 ? "" : "s", warnings,
	       warnings == 1 ? "" : "s");
	for (uint32_t i = 0; policy && i < policy->unit_count; i++)
		teams += policy->unit[i].is_team;
	if (policy)
		printf("; %u pool%s, %u team%s, %u priority class%s",
		       policy->pool_count, policy->pool_count == 1 ? "" : "s",
		       teams, teams == 1 ? "" : "s", policy->class_count,
		       policy->class_count == 1 ? "" : "es");
	putchar('\n');
}

static struct json_object *fault_object(const struct gov_conf_fault *fault)
{
	struct json_object *object = json_object_new_object();

	sgov_json_set(object, "file", fault->file);
	json_object_object_add(object, "line",
			       json_object_new_int64(fault->line));
	json_object_object_add(object, "column",
			       json_object_new_int64(fault->column));
	sgov_json_set(object, "severity", severity(fault));
	sgov_json_set(object, "code", gov_code_name(fault->code));
	sgov_json_set(object, "text", fault->text);
	return object;
}

static void show_json(const char *path, const struct gov_policy *policy,
		      const struct gov_conf_faults *faults,
		      struct sgov_findings *findings)
{
	struct json_object *answer = sgov_own_answer("check");
	struct json_object *list = json_object_new_array();

	sgov_json_set(answer, "source", path);
	if (policy)
		sgov_json_set(answer, "digest", policy->digest);
	for (size_t i = 0; i < faults->count; i++) {
		const struct gov_conf_fault *fault = &faults->item[i];

		json_object_array_add(list, fault_object(fault));
		sgov_own_add(answer, fault->warning ? "warnings" : "errors",
			     gov_code_name(fault->code), fault->text);
	}
	json_object_object_add(answer, "faults", list);
	if (findings)
		json_object_object_add(answer, "system",
				       sgov_findings_json(findings));
	sgov_json_print(answer);
	json_object_put(answer);
}

int sgov_check(struct sgov *sgov, int argc, char **argv)
{
	const char *system = NULL, *cluster = NULL;
	const struct sgov_option options[] = {
		{ "system", 's', NULL,
		  "also compare with how Slurm is set up here", &system },
		{ "cluster", 'M', "NAME",
		  "as the cluster NAME reads a file for several", &cluster },
		{ NULL, 0, NULL, NULL, NULL },
	};
	struct sgov_findings findings = { 0 };
	struct gov_conf_faults faults = { 0 };
	struct gov_policy *policy;
	char buffer[4096];
	const char *path;
	int status;
	char **file = sgov_parse_operands(sgov, options, argc, argv, 0, 1,
					  &status);

	if (!file)
		return status;
	path = file[0] ? file[0] : gov_conf_path(buffer, sizeof(buffer));
	policy = gov_conf_load(path, cluster, &faults);
	if (system)
		sgov_examine_system(sgov, policy, &findings);
	if (sgov->format == SGOV_JSON) {
		show_json(path, policy, &faults, system ? &findings : NULL);
	} else if (sgov->format == SGOV_PARSABLE) {
		show_parsable(sgov, &faults);
		sgov_findings_show(sgov, &findings);
	} else {
		show_text(path, policy, &faults);
		sgov_findings_show(sgov, &findings);
	}
	status = policy && !findings.errors ? SGOV_OK : SGOV_ERROR;
	sgov_findings_free(&findings);
	gov_conf_faults_free(&faults);
	gov_policy_unref(policy);
	return status;
}
