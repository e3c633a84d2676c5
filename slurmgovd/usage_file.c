/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/usage_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/usage.h"

#define HEADING "slurm-governance usage 1"
#define LINE_SIZE 512

/* ---- reading ---- */

static int parse_line(const char *line, struct gov_engine *engine)
{
	const struct gov_policy *policy = gov_engine_policy(engine);
	struct gov_usage_mean mean = { .user = GOV_NONE };
	char team[128], user[16], tres[128], rest;

	if (sscanf(line, "%" SCNd64 " %127s %15s %127s %lf %c", &mean.at, team,
		   user, tres, &mean.mean, &rest) != 5)
		return -1;
	if (strcmp(user, "-") != 0 &&
	    sscanf(user, "%" SCNu32 "%c", &mean.user, &rest) != 1)
		return -1;
	mean.team = gov_policy_find_unit(policy, team);
	mean.tres = gov_policy_find_tres(policy, tres);
	if (mean.team == GOV_NONE || !policy->unit[mean.team].is_team ||
	    mean.tres == GOV_NONE)
		return 0;
	return gov_engine_put_usage(engine, &mean, NULL);
}

static int read_lines(FILE *file, struct gov_engine *engine)
{
	char line[LINE_SIZE];
	int rc = 0;

	if (!fgets(line, sizeof(line), file) || strcmp(line, HEADING "\n") != 0)
		return -1;
	while (!rc && fgets(line, sizeof(line), file))
		rc = strchr(line, '\n') ? parse_line(line, engine) : -1;
	return ferror(file) ? -1 : rc;
}

int gov_usage_load(const char *directory, struct gov_engine *engine,
		   struct gov_error *error)
{
	char path[4096];
	FILE *file;
	int rc;

	if (!gov_usage_is_kept(gov_engine_policy(engine)))
		return 0;
	snprintf(path, sizeof(path), "%s/usage", directory);
	file = fopen(path, "re");
	if (!file && errno == ENOENT)
		return 0;
	if (!file)
		return gov_error_set(error, GOV_E_IO, "cannot read %s: %s",
				     path, strerror(errno));
	rc = read_lines(file, engine);
	fclose(file);
	if (!rc)
		return 0;
	return gov_error_set(
		error, GOV_E_VALUE,
		"%s is damaged or of a newer release; past usage that it has is forgotten",
		path);
}

/* ---- writing ---- */

struct writing {
	const struct gov_policy *policy;
	FILE *file;
};

static void put(const struct gov_usage_mean *mean, void *arg)
{
	struct writing *w = arg;
	char user[16] = "-";

	if (mean->user != GOV_NONE)
		snprintf(user, sizeof(user), "%" PRIu32, mean->user);
	fprintf(w->file, "%" PRId64 " %s %s %s %.17g\n", mean->at,
		w->policy->unit[mean->team].name, user,
		w->policy->tres[mean->tres].name, mean->mean);
}

/* On the loop, every minute: not worth to wait for the disk. */
static int write_file(const char *path, const struct gov_engine *engine)
{
	struct writing w = {
		.policy = gov_engine_policy(engine),
		.file = fopen(path, "we"),
	};
	int rc;

	if (!w.file)
		return -1;
	fputs(HEADING "\n", w.file);
	gov_engine_each_usage(engine, put, &w);
	rc = fflush(w.file) || ferror(w.file) ? -1 : 0;
	if (fclose(w.file))
		rc = -1;
	return rc;
}

int gov_usage_save(const char *directory, const struct gov_engine *engine,
		   struct gov_error *error)
{
	char path[4096], new[4096 + 8];

	if (!gov_usage_is_kept(gov_engine_policy(engine)))
		return 0;
	snprintf(path, sizeof(path), "%s/usage", directory);
	snprintf(new, sizeof(new), "%s.new", path);
	if (!write_file(new, engine) && !rename(new, path))
		return 0;
	gov_error_set(error, GOV_E_IO, "cannot write %s: %s", path,
		      strerror(errno));
	unlink(new);
	return -1;
}
