/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sgov import: a policy of another system as governance.conf.  Offline. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "import/import.h"
#include "sgov/files.h"
#include "sgov/options.h"
#include "sgov/sgov.h"

#define FILE_MAX (64UL * 1024 * 1024)

/* All of a file, "-" for standard input; NULL: it has been said why not. */
static char *read_file(const char *path, size_t *length)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	char *text = sgov_read_all(file, FILE_MAX - 1, length);

	if (!text) {
		sgov_error("cannot read %s: %s", path, strerror(errno));
	} else if (*length >= FILE_MAX) {
		sgov_error("%s has 64 MiB or more: no such list is so long",
			   path);
		free(text);
		text = NULL;
	}
	return text;
}

static int take_files(struct gov_import *import, char **file)
{
	struct gov_error error;

	for (; *file; file++) {
		size_t length;
		char *text = read_file(*file, &length);
		int rc = text ? gov_import_hyperpod(import, *file, text, length,
						    &error) :
				-1;

		if (text && rc)
			sgov_error("%s", error.text);
		free(text);
		if (rc)
			return SGOV_ERROR;
	}
	return SGOV_OK;
}

/* What comes out is read as slurmgovd would: nothing else leaves here. */
static int check_policy(const char *text, size_t length)
{
	struct gov_conf_faults faults = { 0 };
	struct gov_policy *policy = gov_conf_parse(text, length, "the policy",
						   NULL, &faults);

	for (size_t i = 0; i < faults.count; i++) {
		char *line = gov_conf_fault_string(&faults.item[i]);

		if (!policy)
			sgov_error("%s", line ? line : "out of memory");
		free(line);
	}
	gov_conf_faults_free(&faults);
	gov_policy_unref(policy);
	return policy ? SGOV_OK : SGOV_ERROR;
}

static int write_policy(struct gov_import *import)
{
	struct gov_error error;
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);
	int status = SGOV_OK;

	if (!file)
		return sgov_error("out of memory");
	if (gov_import_write(import, file, &error))
		status = sgov_error("%s", error.text);
	if (fclose(file) && !status)
		status = sgov_error("out of memory");
	if (!status)
		status = check_policy(text, length);
	if (!status) {
		fwrite(text, 1, length, stdout);
		for (size_t i = 0; i < gov_import_notes(import); i++)
			sgov_warning("%s", gov_import_note(import, i));
	}
	free(text);
	return status;
}

int sgov_import(struct sgov *sgov, int argc, char **argv)
{
	const char *cluster = NULL;
	const struct sgov_option options[] = {
		{ "cluster", 'M', "ID",
		  "objects of this cluster only: its id or ARN", &cluster },
		{ NULL, 0, NULL, NULL, NULL },
	};
	struct gov_import *import;
	int status;
	char **operand = sgov_parse_operands(sgov, options, argc, argv, 2, 1024,
					     &status);

	if (!operand)
		return status;
	if (strcmp(operand[0], "hyperpod"))
		return sgov_usage(sgov,
				  "what can be imported is hyperpod, not '%s'",
				  operand[0]);
	import = gov_import_create(cluster);
	if (!import)
		return sgov_error("out of memory");
	status = take_files(import, operand + 1);
	if (!status)
		status = write_policy(import);
	gov_import_destroy(import);
	return status;
}
