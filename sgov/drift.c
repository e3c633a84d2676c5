/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drift: settings of Slurm, and the command itself. */
#include "sgov/drift.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "sgov/ask.h"
#include "sgov/files.h"
#include "sgov/options.h"

static const struct sgov_column columns[] = {
	{ "SEVERITY", false, false }, { "SUBJECT", false, false },
	{ "EVIDENCE", false, false }, { "MEND", false, false },
	{ NULL, false, false },
};

void drift_tell(struct drift *drift, enum sgov_severity severity,
		const char *subject, char *evidence, char *mend)
{
	const char *name = severity == SGOV_WRONG ? "error" : "warning";

	drift->count++;
	if (drift->table) {
		sgov_table_text(drift->table, name);
		sgov_table_text(drift->table, subject);
		sgov_table_text(drift->table, evidence);
		sgov_table_text(drift->table, mend);
	} else {
		struct json_object *object = json_object_new_object();

		sgov_json_set(object, "severity", name);
		sgov_json_set(object, "subject", subject);
		sgov_json_set(object, "evidence", evidence);
		sgov_json_set(object, "mend", mend);
		json_object_array_add(drift->list, object);
	}
	free(evidence);
	free(mend);
}

/* ---- settings ---- */

static char *with_word(const char *key, const char *list, const char *word)
{
	bool none = !*list || !strcmp(list, "(null)");

	return sgov_printf("in slurm.conf: %s=%s%s%s", key, none ? "" : list,
			   none ? "" : ",", word);
}

static void drift_plugstack(struct drift *drift,
			    const struct json_object *slurm)
{
	struct sgov_findings findings = { 0 };

	sgov_examine_plugins(slurm, &findings);
	for (size_t i = 0; i < findings.count; i++) {
		const struct sgov_finding *finding = &findings.item[i];
		bool stack = !strcmp(finding->subject, "plugstack.conf");

		if (finding->severity == SGOV_FINE)
			continue;
		drift_tell(
			drift, finding->severity, finding->subject,
			sgov_copy(finding->text),
			sgov_copy(
				stack ? "in plugstack.conf: optional spank_governance.so" :
					"install the packages for this release of Slurm"));
	}
	sgov_findings_free(&findings);
}

void drift_settings(struct drift *drift, const struct json_object *slurm)
{
	const char *plugins = sgov_json_text(slurm, "JobSubmitPlugins");
	const char *flags = sgov_json_text(slurm, "PrologFlags");
	const char *requeue = sgov_json_text(slurm, "JobRequeue");

	if (!sgov_has_word(plugins, "governance"))
		drift_tell(
			drift, SGOV_WRONG, "JobSubmitPlugins",
			sgov_printf("JobSubmitPlugins=%s: no job is governed",
				    plugins),
			with_word("JobSubmitPlugins", plugins, "governance"));
	if (!sgov_prolog_at_allocation(slurm))
		drift_tell(
			drift, SGOV_WRONG, "PrologFlags",
			sgov_printf(
				"PrologFlags=%s: jobs of srun and salloc reach their nodes without a grant",
				flags),
			with_word("PrologFlags", flags, "Alloc"));
	if (!strcmp(requeue, "0"))
		drift_tell(
			drift, SGOV_DOUBTFUL, "JobRequeue",
			sgov_copy(
				"JobRequeue=0: what is taken back is lost, unless it was submitted with --requeue"),
			sgov_copy("in slurm.conf: JobRequeue=1"));
	drift_plugstack(drift, slurm);
}

/* ---- the command ---- */

/* What scontrol tells, looked through; -1: it tells nothing. */
static int look(struct drift *drift)
{
	char *config = sgov_output_of("scontrol show config");
	char *nodes = sgov_output_of("scontrol --oneliner --all show nodes");
	char *partitions = sgov_output_of(
		"scontrol --oneliner --all show partitions");
	int rc = config && nodes && partitions ? 0 : -1;

	if (!rc) {
		struct json_object *slurm = sgov_parse_scontrol(config);

		drift_settings(drift, slurm);
		json_object_put(slurm);
		drift_nodes(drift, nodes);
		drift_partitions(drift, partitions);
	}
	free(config);
	free(nodes);
	free(partitions);
	return rc;
}

#define NO_SCONTROL                                                      \
	"scontrol fails here: run this where Slurm's commands work and " \
	"slurmctld answers"

static void show(const struct sgov *sgov, struct drift *drift, bool failed)
{
	struct json_object *answer;

	if (drift->list) {
		answer = sgov_own_answer("drift");
		/* No findings is not the same as none were looked for. */
		if (failed)
			sgov_own_add(answer, "errors",
				     gov_code_name(GOV_E_DOWN), NO_SCONTROL);
		json_object_object_add(answer, "findings", drift->list);
		sgov_json_print(answer);
		json_object_put(answer);
		return;
	}
	if (drift->count || sgov->format == SGOV_PARSABLE)
		sgov_table_print(drift->table);
	sgov_table_destroy(drift->table);
}

int sgov_drift(struct sgov *sgov, int argc, char **argv)
{
	const char *cluster = NULL;
	const struct sgov_option options[] = {
		{ "cluster", 'M', "NAME",
		  "as the cluster NAME reads a file for several", &cluster },
		{ NULL, 0, NULL, NULL, NULL },
	};
	struct drift drift = { .count = 0 };
	struct gov_policy *policy;
	char buffer[4096];
	bool failed;
	int status;
	char **file = sgov_parse_operands(sgov, options, argc, argv, 0, 1,
					  &status);

	if (!file)
		return status;
	policy = sgov_load_policy(file[0] ?
					  file[0] :
					  gov_conf_path(buffer, sizeof(buffer)),
				  cluster);
	if (!policy)
		return SGOV_ERROR;
	drift.policy = policy;
	if (sgov->format == SGOV_JSON)
		drift.list = json_object_new_array();
	else
		drift.table = sgov_table_create(sgov, columns);
	failed = look(&drift) != 0;
	if (failed)
		status = sgov_error("%s", NO_SCONTROL);
	else
		status = drift.count ? SGOV_NO : SGOV_OK;
	show(sgov, &drift, failed);
	gov_policy_unref(policy);
	return status;
}
