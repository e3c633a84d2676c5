/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as HyperPod's objects: refused with a sentence, or a policy that
 * is read without an error and in which nothing but teams, pools, classes and
 * quotas was set.
 */
#include "conf/conf.h"
#include "harness.h"
#include "import/import.h"

static void check(const char *text, size_t size)
{
	struct gov_conf_faults faults = { 0 };
	struct gov_policy *policy = gov_conf_parse(text, size, "fuzz", NULL,
						   &faults);

	FUZZ_ASSERT(policy && !faults.errors);
	FUZZ_ASSERT(policy->unit_count);
	for (uint32_t i = 0; i < policy->unit_count; i++) {
		FUZZ_ASSERT(policy->unit[i].is_team);
		FUZZ_ASSERT(policy->unit[i].members.count == 1);
		FUZZ_ASSERT(!policy->unit[i].owners.count);
	}
	FUZZ_ASSERT(!policy->operators.count && !policy->exempt.count);
	FUZZ_ASSERT(!policy->project_count && !policy->cluster_name);
	FUZZ_ASSERT(policy->enforcement == GOV_ENFORCE &&
		    !policy->ungoverned_allowed);
	gov_policy_unref(policy);
	gov_conf_faults_free(&faults);
}

void fuzz_hyperpod(const uint8_t *data, size_t size)
{
	struct gov_import *import = gov_import_create(NULL);
	struct gov_error error = { 0 };
	char *text = NULL;
	size_t length = 0;
	FILE *file;
	int rc;

	FUZZ_ASSERT(import);
	rc = gov_import_hyperpod(import, "fuzz", (const char *) data, size,
				 &error);
	FUZZ_ASSERT(!rc || (rc == -1 && error.text[0]));
	if (!rc) {
		file = open_memstream(&text, &length);
		FUZZ_ASSERT(file);
		rc = gov_import_write(import, file, &error);
		FUZZ_ASSERT(!fclose(file));
		FUZZ_ASSERT(!rc || (rc == -1 && error.text[0]));
		if (!rc)
			check(text, length);
		free(text);
	}
	gov_import_destroy(import);
}
