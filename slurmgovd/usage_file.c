/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/usage_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/usage.h"
#include "slurmgovd/state_file.h"

/* On the loop, every minute: not worth to wait for the disk. */
static const struct gov_state_file usage_file = {
	.name = "usage",
	.heading = "slurm-governance usage 1",
	.line_size = 512,
	.damaged = "past usage that it has is forgotten",
};

/* ---- reading ---- */

static int parse_line(const char *line, void *arg)
{
	struct gov_engine *engine = arg;
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

int gov_usage_load(const char *directory, struct gov_engine *engine,
		   struct gov_error *error)
{
	if (!gov_usage_is_kept(gov_engine_policy(engine)))
		return 0;
	return gov_state_file_load(&usage_file, directory, parse_line, engine,
				   error);
}

/* ---- writing ---- */

struct writing {
	const struct gov_policy *policy;
	FILE *file;
};

static void put_mean(const struct gov_usage_mean *mean, void *arg)
{
	struct writing *w = arg;
	char user[16] = "-";

	if (mean->user != GOV_NONE)
		snprintf(user, sizeof(user), "%" PRIu32, mean->user);
	fprintf(w->file, "%" PRId64 " %s %s %s %.17g\n", mean->at,
		w->policy->unit[mean->team].name, user,
		w->policy->tres[mean->tres].name, mean->mean);
}

static void put_means(FILE *file, const void *arg)
{
	struct writing w = { .policy = gov_engine_policy(arg), .file = file };

	gov_engine_each_usage(arg, put_mean, &w);
}

int gov_usage_save(const char *directory, const struct gov_engine *engine,
		   struct gov_error *error)
{
	if (!gov_usage_is_kept(gov_engine_policy(engine)))
		return 0;
	return gov_state_file_save(&usage_file, directory, put_means, engine,
				   error);
}
