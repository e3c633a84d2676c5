/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a task ends itself: what an optional plugin returns is ignored, and a
 * required one that cannot be loaded stops every job.  Why not already in
 * task_judge(): slurmstepd still has to put the process into its group and
 * container, and takes it ill if it is gone by then.  At task_enter() it ends
 * tasks in just this way for errors of its own.
 */
#include "plugins/spank/task.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "plugins/spank/args.h"
#include "plugins/spank/isolation.h"
#include "plugins/spank/rundir.h"
#include "plugins/spank/verdict.h"

/* Of this process; both calls come in it. */
static struct {
	bool judged;
	struct gov_error refusal; /* code GOV_OK: it may run */
	bool isolated;
	char directory[PATH_MAX]; /* where it was before; "": unknown */
} task;

static const char *const names[] = {
	"GOV_TEAM",	      "GOV_PROJECT",	   "GOV_CLASS",
	"GOV_RECLAIM_SIGNAL", "GOV_RECLAIM_GRACE",
};
enum { TEAM, PROJECT, CLASS, SIGNAL, GRACE, NAMES };

/* NULL or "": the task must not have it, whatever its user has set. */
static void set_environment(spank_t sp, const char *const value[NAMES])
{
	for (int i = 0; i < NAMES; i++) {
		if (value[i] && *value[i])
			spank_setenv(sp, names[i], value[i], 1);
		else
			spank_unsetenv(sp, names[i]);
	}
}

static void tell_nothing(spank_t sp)
{
	static const char *const nothing[NAMES];

	set_environment(sp, nothing);
}

static void tell_grant(spank_t sp, const struct gov_grant *grant)
{
	const char *abbreviation = sigabbrev_np(grant->reclaim_signal);
	char number[16], grace[24];
	const char *value[NAMES] = {
		[TEAM] = grant->team,
		[PROJECT] = grant->project,
		[CLASS] = grant->class_name,
		[SIGNAL] = abbreviation ? abbreviation : number,
		[GRACE] = grace,
	};

	if (grant->kind != GOV_GRANT_JOB) {
		tell_nothing(sp);
		return;
	}
	snprintf(number, sizeof(number), "%d", grant->reclaim_signal);
	snprintf(grace, sizeof(grace), "%" PRId64, grant->reclaim_grace);
	if (!grant->reclaim_signal)
		value[SIGNAL] = NULL;
	set_environment(sp, value);
}

static int refuse(const char *why)
{
	return gov_error_set(&task.refusal, GOV_E_AUTH, "%s", why);
}

/* The verdict on this job, of this user.  As rundir_load(). */
static int find_verdict(spank_t sp, const struct node_args *args,
			struct verdict *verdict, struct gov_error *error)
{
	uint32_t job;
	uid_t uid;
	int dir, found;

	if (spank_get_item(sp, S_JOB_ID, &job) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_UID, &uid) != ESPANK_SUCCESS)
		return gov_error_set(error, GOV_E_INTERNAL,
				     "Slurm does not tell which job this is; "
				     "tell your administrator");
	slurm_debug("governance: looking for the verdict on job %" PRIu32, job);
	dir = rundir_open(args->run_dir, false, error);
	if (dir < 0)
		return errno == ENOENT ? 0 : -1;
	found = rundir_load(dir, job, verdict, error);
	close(dir);
	if (found == 1 && verdict->uid != uid)
		return gov_error_set(error, GOV_E_AUTH,
				     "the verdict on this job is about uid "
				     "%" PRIu32 "; tell your administrator",
				     verdict->uid);
	return found;
}

/* What the grant asks for.  0, or -1: task.refusal says why not. */
static int isolate(spank_t sp, const struct node_args *args,
		   const struct gov_grant *grant)
{
	struct gov_error error;
	uint32_t job;

	if (!isolation_wanted(grant->isolation))
		return 0;
	if (!getcwd(task.directory, sizeof(task.directory)))
		task.directory[0] = '\0';
	if (spank_get_item(sp, S_JOB_ID, &job) != ESPANK_SUCCESS)
		return refuse("Slurm does not tell which job this is; tell "
			      "your administrator");
	if (isolation_enter(args, job, grant->team, &error) != 0)
		return refuse(error.text);
	task.isolated = true;
	return 0;
}

/* 0: the task may run; -1: task.refusal says why not. */
static int judge(spank_t sp, const struct node_args *args)
{
	struct verdict verdict;
	struct gov_error error;
	int found = find_verdict(sp, args, &verdict, &error);

	if (found == 1 && verdict.kind == VERDICT_GRANTED) {
		tell_grant(sp, &verdict.grant);
		return isolate(sp, args, &verdict.grant);
	}
	tell_nothing(sp);
	if (found < 0)
		return refuse(error.text);
	if (found == 1 && verdict.kind == VERDICT_REFUSED)
		return refuse(verdict.sentence);
	if (args->allow_missing)
		return 0;
	if (found == 1)
		return refuse("it carries no grant, so it did not come "
			      "through governance; submit it again, and tell "
			      "your administrator if that does not help");
	return refuse("governance was not there on this node when the job "
		      "began; submit it again, and tell your administrator "
		      "if that does not help");
}

void task_judge(spank_t sp, int ac, char **av)
{
	struct node_args args;

	node_args_parse(&args, ac, av, NULL);
	task.judged = true;
	task.isolated = false;
	task.refusal.code = GOV_OK;
	if (args.grant != NODE_GRANT_OFF)
		judge(sp, &args);
}

/* One of the step's tasks on a node speaks for all. */
static bool is_speaker(spank_t sp)
{
	int id;

	return spank_get_item(sp, S_TASK_ID, &id) != ESPANK_SUCCESS || id == 0;
}

/*
 * Back to where Slurm had put it, as the user, who may not be everywhere; as
 * Slurm does, to /tmp if that directory is not in the job's view.
 */
static void go_back(spank_t sp)
{
	if (task.directory[0] && chdir(task.directory) == 0)
		return;
	if (is_speaker(sp))
		slurm_spank_log("governance: no directory '%s' in the private "
				"view of this job: going to /tmp",
				task.directory);
	if (chdir("/tmp") != 0 && chdir("/") != 0)
		_exit(EXIT_FAILURE);
}

void task_enter(spank_t sp, int ac, char **av)
{
	struct node_args args;

	node_args_parse(&args, ac, av, NULL);
	if (args.grant == NODE_GRANT_OFF)
		return;
	if (task.isolated)
		go_back(sp);
	if (!task.judged)
		refuse("Slurm did not ask about this task; tell your "
		       "administrator");
	if (task.refusal.code == GOV_OK)
		return;
	if (args.grant == NODE_GRANT_WARN) {
		if (is_speaker(sp))
			slurm_info("governance: with grant=enforce this task "
				   "would not run: %s",
				   task.refusal.text);
		return;
	}
	if (is_speaker(sp))
		slurm_spank_log("governance: this job may not run here: %s",
				task.refusal.text);
	_exit(EXIT_FAILURE);
}
