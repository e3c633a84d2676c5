/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/job_submit/spankenv.h"

#include <stdbool.h>
#include <string.h>

#include "grant/grant.h"

#define ENTRY_MAX (32 * 1024)
#define TOTAL_MAX (256 * 1024)
#define PREFIX "SPANK_"
#define OPTION_PREFIX "_SLURM_" PREFIX "OPTION_governance_"
#define GRANT PREFIX GOV_GRANT_ENV "="

int spankenv_check(const job_desc_msg_t *desc, struct gov_error *error)
{
	size_t total = 0;

	for (uint32_t i = 0; i < desc->spank_job_env_size; i++) {
		const char *entry = desc->spank_job_env[i];
		size_t length = entry ? strnlen(entry, ENTRY_MAX + 1) : 0;

		/* The pointer counts too. */
		total += length + 1 + sizeof(entry);
		if (length > ENTRY_MAX || total > TOTAL_MAX)
			return gov_error_set(error, GOV_R_REQUEST,
					     "the options of SPANK plugins are "
					     "longer than nodes can take (%d "
					     "KiB one, %d KiB together); "
					     "shorten them",
					     ENTRY_MAX / 1024,
					     TOTAL_MAX / 1024);
	}
	return 0;
}

/* The name without the prefix that Slurm puts in front sooner or later. */
static const char *bare(const char *entry)
{
	while (!strncmp(entry, PREFIX, strlen(PREFIX)))
		entry += strlen(PREFIX);
	return entry;
}

static const char *value_of(const char *entry, const char *option)
{
	size_t length = strlen(option);

	entry = bare(entry);
	if (strncmp(entry, OPTION_PREFIX, strlen(OPTION_PREFIX)))
		return NULL;
	entry += strlen(OPTION_PREFIX);
	if (strncmp(entry, option, length) || entry[length] != '=')
		return NULL;
	return entry + length + 1;
}

const char *spankenv_option(const job_desc_msg_t *desc, const char *option)
{
	const char *found = NULL;

	for (uint32_t i = 0; i < desc->spank_job_env_size; i++) {
		const char *entry = desc->spank_job_env[i];
		const char *value = entry ? value_of(entry, option) : NULL;

		if (value)
			found = value;
	}
	return found;
}

static bool is_grant(const char *entry)
{
	size_t length = strlen(GOV_GRANT_ENV);

	entry = bare(entry);
	return !strncmp(entry, GOV_GRANT_ENV, length) &&
	       (!entry[length] || entry[length] == '=');
}

void spankenv_remove_grants(job_desc_msg_t *desc)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < desc->spank_job_env_size; i++) {
		char *entry = desc->spank_job_env[i];

		if (entry && is_grant(entry))
			gov_slurm_free(entry);
		else
			desc->spank_job_env[left++] = entry;
	}
	for (uint32_t i = left; i < desc->spank_job_env_size; i++)
		desc->spank_job_env[i] = NULL;
	desc->spank_job_env_size = left;
}

int spankenv_add_grant(job_desc_msg_t *desc, const char *grant)
{
	size_t name = strlen(GRANT), value = strlen(grant);
	char *entry = gov_slurm_alloc(1, name + value + 1);
	char **grown;

	if (!entry)
		return -1;
	/* Beside the size slurmctld wants a NULL at the end: it looks for that
	 * when it sends mail or runs EpilogSlurmctld. */
	grown = gov_slurm_grow(desc->spank_job_env,
			       (size_t) desc->spank_job_env_size + 2,
			       sizeof(*grown));
	if (!grown) {
		gov_slurm_free(entry);
		return -1;
	}
	desc->spank_job_env = grown;
	memcpy(entry, GRANT, name);
	memcpy(entry + name, grant, value + 1);
	desc->spank_job_env[desc->spank_job_env_size++] = entry;
	desc->spank_job_env[desc->spank_job_env_size] = NULL;
	return 0;
}
