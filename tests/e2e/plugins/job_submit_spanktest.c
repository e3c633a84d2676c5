/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of the SPANK plugin alone: does with spank_job_env what the
 * job_submit plugin of governance does, with grants that a test has written.
 *
 *	$LAB_DIR/state/spank.seen	spank_job_env of the last submission
 *	$LAB_DIR/state/grant.UID	attached to jobs of that user, if there
 */
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char plugin_name[] = "spank_job_env for tests";
const char plugin_type[] = "job_submit/spanktest";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* Exported by Slurm, and in none of its public headers. */
char *slurm_xstrdup(const char *text);
void *slurm_xrecalloc(void **item, size_t count, size_t size, bool clear,
		      bool try, const char *file, int line, const char *func);
void slurm_xfree(void **item);

static FILE *open_state(const char *name, const char *mode)
{
	const char *lab = getenv("LAB_DIR");
	char path[512];

	snprintf(path, sizeof(path), "%s/state/%s", lab ? lab : "", name);
	return fopen(path, mode);
}

static void record(const job_desc_msg_t *job)
{
	FILE *file = open_state("spank.seen", "w");

	if (!file)
		return;
	for (uint32_t i = 0; i < job->spank_job_env_size; i++)
		fprintf(file, "%.200s\n", job->spank_job_env[i]);
	fclose(file);
}

static bool is_grant(const char *entry)
{
	return strncmp(entry, "GOV_GRANT=", 10) == 0 ||
	       strncmp(entry, "SPANK_GOV_GRANT=", 16) == 0;
}

static void remove_grants(job_desc_msg_t *job)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < job->spank_job_env_size; i++) {
		char *entry = job->spank_job_env[i];

		if (is_grant(entry))
			slurm_xfree((void **) &entry);
		else
			job->spank_job_env[kept++] = entry;
	}
	job->spank_job_env_size = kept;
}

static void attach(job_desc_msg_t *job, const char *entry)
{
	uint32_t n = job->spank_job_env_size;

	slurm_xrecalloc((void **) &job->spank_job_env, n + 2, sizeof(char *),
			true, false, __FILE__, __LINE__, __func__);
	job->spank_job_env[n] = slurm_xstrdup(entry);
	job->spank_job_env_size = n + 1;
}

int init(void)
{
	return SLURM_SUCCESS;
}

int fini(void)
{
	return SLURM_SUCCESS;
}

int job_submit(job_desc_msg_t *job, uint32_t uid, char **err_msg)
{
	static char entry[1 << 17] = "SPANK_GOV_GRANT=";
	const size_t prefix = strlen("SPANK_GOV_GRANT=");
	char name[64];
	FILE *file;

	record(job);
	remove_grants(job);
	snprintf(name, sizeof(name), "grant.%u", job->user_id);
	file = open_state(name, "r");
	if (!file)
		return SLURM_SUCCESS;
	entry[prefix + fread(entry + prefix, 1, sizeof(entry) - prefix - 1,
			     file)] = '\0';
	fclose(file);
	attach(job, entry);
	return SLURM_SUCCESS;
}

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
int job_modify(job_desc_msg_t *job, void *record, uint32_t uid, char **err_msg)
#else
int job_modify(job_desc_msg_t *job, void *record, uint32_t uid)
#endif
{
	return SLURM_SUCCESS;
}
