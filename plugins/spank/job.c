/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/spank/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "grant/grant.h"
#include "plugins/spank/args.h"
#include "plugins/spank/isolation.h"
#include "plugins/spank/rundir.h"
#include "plugins/spank/verdict.h"

#define START_MS 2000 /* slurmd waits for it */

static void complain(const char *sentence)
{
	slurm_error("governance: plugstack.conf: %s", sentence);
}

void job_begin_node(int ac, char **av)
{
	struct node_args args;

	node_args_parse(&args, ac, av, complain);
	isolation_clean(&args, START_MS);
}

/* Who may have made the grant.  Unknown: only root, who always may. */
static uid_t find_encoder(const struct node_args *args)
{
	struct gov_error error;
	uid_t uid;

	if (node_args_uid(args->encoder, &uid, &error) == 0)
		return uid;
	complain(error.text);
	return 0;
}

/*
 * Slurm gives the prolog what job_submit put into spank_job_env, with SPANK_
 * in front.  spank_getenv() crashes here in 22.05.
 */
static void judge(const struct node_args *args, uid_t uid, struct verdict *v)
{
	const char *credential = getenv("SPANK_" GOV_GRANT_ENV);
	struct gov_error error = { GOV_OK, "" };

	memset(v, 0, sizeof(*v));
	v->uid = uid;
	if (!credential || !*credential) {
		v->kind = VERDICT_MISSING;
		return;
	}
	if (gov_grant_open(credential, args->munge_socket, find_encoder(args),
			   uid, time(NULL), args->max_age, &v->grant,
			   &error) == 0) {
		v->kind = VERDICT_GRANTED;
		return;
	}
	v->kind = VERDICT_REFUSED;
	memcpy(v->sentence, error.text, sizeof(v->sentence));
}

static void log_verdict(uint32_t job, const struct verdict *v)
{
	switch (v->kind) {
	case VERDICT_GRANTED:
		slurm_debug("governance: job %" PRIu32 " has a grant (%s, "
			    "team %s)",
			    job, gov_grant_kind_name(v->grant.kind),
			    v->grant.team);
		break;
	case VERDICT_REFUSED:
		slurm_info("governance: job %" PRIu32 " of uid %" PRIu32 ": %s",
			   job, v->uid, v->sentence);
		break;
	case VERDICT_MISSING:
		slurm_info("governance: job %" PRIu32 " of uid %" PRIu32
			   " carries no grant",
			   job, v->uid);
		break;
	}
}

/* The job and its directory of verdicts; -1: there is nothing to do. */
static int open_directory(spank_t sp, const struct node_args *args, bool create,
			  uint32_t *job)
{
	struct gov_error error;
	int dir;

	if (args->grant == NODE_GRANT_OFF)
		return -1;
	if (spank_get_item(sp, S_JOB_ID, job) != ESPANK_SUCCESS) {
		slurm_error("governance: Slurm does not tell the job's id");
		return -1;
	}
	dir = rundir_open(args->run_dir, create, &error);
	if (dir < 0 && create)
		slurm_error("governance: %s", error.text);
	return dir;
}

/* What fails here fails again in the task, which tells the user. */
static void isolate(const struct node_args *args, uint32_t job,
		    const struct verdict *v)
{
	struct gov_error error;

	if (v->kind != VERDICT_GRANTED || !isolation_wanted(v->grant.isolation))
		return;
	if (isolation_make(args, job, v->grant.team, &error) != 0)
		slurm_error("governance: job %" PRIu32 " of uid %" PRIu32
			    " is not isolated and will not run: %s",
			    job, v->uid, error.text);
	else
		slurm_info("governance: isolate job=%" PRIu32 " uid=%" PRIu32
			   " team=%s level=%s",
			   job, v->uid, v->grant.team, v->grant.isolation);
}

void job_prolog(spank_t sp, int ac, char **av)
{
	struct gov_error error;
	struct node_args args;
	struct verdict verdict;
	uint32_t job;
	uid_t uid;
	int dir;

	node_args_parse(&args, ac, av, NULL); /* slurmd has complained */
	dir = open_directory(sp, &args, true, &job);
	if (dir < 0)
		return;
	/* Without a verdict the tasks refuse; an old one must not stay. */
	if (spank_get_item(sp, S_JOB_UID, &uid) != ESPANK_SUCCESS) {
		slurm_error("governance: Slurm does not tell the job's user");
		rundir_remove(dir, job);
	} else {
		judge(&args, uid, &verdict);
		log_verdict(job, &verdict);
		if (rundir_store(dir, job, &verdict, &error) != 0)
			slurm_error("governance: %s", error.text);
		isolate(&args, job, &verdict);
	}
	rundir_sweep(dir, time(NULL));
	close(dir);
}

/* Whatever the arguments say by now: what was made is taken down. */
void job_epilog(spank_t sp, int ac, char **av)
{
	struct gov_error error;
	struct node_args args;
	uint32_t job;
	int dir;

	node_args_parse(&args, ac, av, NULL);
	if (spank_get_item(sp, S_JOB_ID, &job) == ESPANK_SUCCESS &&
	    isolation_end(&args, job, &error) != 0)
		slurm_error("governance: %s", error.text);
	dir = open_directory(sp, &args, false, &job);
	if (dir < 0)
		return;
	rundir_end(dir, job);
	close(dir);
}
