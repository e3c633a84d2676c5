/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node clean: remove what jobs without an epilog have left on this node. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugins/spank/isolation.h"
#include "sgov/json.h"
#include "sgov/options.h"
#include "sgov/stale.h"
#include "sgov/system.h"

#define TRASH_MS 60000
#define ARGUMENTS 64
/* Of the whole cluster: a node's name need not be the host's. */
#define SQUEUE \
	"exec squeue --local --noheader --all --states=all --format='%A %t'"

/* ---- what plugstack.conf says ---- */

static void complain(const char *sentence)
{
	sgov_warning("plugstack.conf: %s", sentence);
}

/* *text is what args borrows from; the caller frees.  0, or -1. */
static int read_arguments(struct node_args *args, char **text)
{
	char *output = sgov_output_of("exec scontrol show config");
	char *av[ARGUMENTS], *rest = NULL;
	struct json_object *slurm;
	int ac = 0;

	if (!output)
		return sgov_error(
			"'scontrol show config' fails here, so nothing is touched: run this where Slurm's commands work and slurmctld answers");
	slurm = sgov_parse_scontrol(output);
	*text = sgov_spank_arguments(slurm);
	json_object_put(slurm);
	free(output);
	if (!*text)
		return sgov_error(
			"plugstack.conf has no line with spank_governance.so here: run this on a compute node");
	for (char *word = strtok_r(*text, " \t\r", &rest);
	     word && ac < ARGUMENTS; word = strtok_r(NULL, " \t\r", &rest))
		av[ac++] = word;
	if (ac == ARGUMENTS)
		return sgov_error(
			"plugstack.conf has more than %d arguments for spank_governance.so, so nothing is touched",
			ARGUMENTS - 1);
	node_args_parse(args, ac, av, complain);
	return 0;
}

/* ---- what slurmctld says ---- */

/* What filters its list, or asks another cluster. */
static void clear_environment(void)
{
	for (size_t i = 0; environ[i];) {
		size_t length = strcspn(environ[i], "=");
		char *name;

		if (strncmp(environ[i], "SQUEUE_", 7) != 0 &&
		    strncmp(environ[i], "SLURM_CLUSTERS=", 15) != 0) {
			i++;
			continue;
		}
		name = sgov_printf("%.*s", (int) length, environ[i]);
		unsetenv(name);
		free(name);
		i = 0;
	}
}

static int mark_alive(struct stale *stale)
{
	char *jobs = sgov_output_of(SQUEUE);
	int rc = jobs ? stale_mark_alive(stale, jobs) : -1;

	free(jobs);
	if (rc)
		sgov_error(
			"slurmctld does not say which jobs run ('squeue' fails), so nothing is touched");
	return rc;
}

/* ---- removing ---- */

static const char *things(const struct stale_job *job)
{
	if (!job->directory.st_ino)
		return "namespaces";
	return job->pinned ? "namespaces and directories" : "directories";
}

static int remove_job(const struct node_args *args, const struct stale_job *job)
{
	struct gov_error error;
	int rc = stale_remove(args, job, &error);

	if (rc < 0)
		sgov_error("job %" PRIu32 ": %s", job->job, error.text);
	else if (rc == 0)
		sgov_warning("job %" PRIu32
			     " has begun anew meanwhile: left alone",
			     job->job);
	else
		printf("job %" PRIu32 ": %s removed\n", job->job, things(job));
	return rc;
}

static enum sgov_exit clean(const struct node_args *args,
			    const struct stale *stale, bool dry)
{
	enum sgov_exit status = SGOV_OK;
	size_t found = 0;

	for (size_t i = 0; i < stale->count; i++) {
		const struct stale_job *job = &stale->job[i];

		if (job->alive)
			continue;
		found++;
		if (dry)
			printf("job %" PRIu32 ": %s would be removed\n",
			       job->job, things(job));
		else if (remove_job(args, job) < 0)
			status = SGOV_ERROR;
	}
	if (!found)
		puts("nothing is left of jobs that have ended");
	if (dry)
		return found ? SGOV_NO : SGOV_OK;
	if (!isolation_clean(args, TRASH_MS))
		return sgov_error("not all files in private_base=%s could be "
				  "removed: look at its trash, or call this "
				  "again",
				  args->private_base);
	return status;
}

/* In this order: who begins meanwhile is not in the list. */
static enum sgov_exit find_and_clean(const struct node_args *args, bool dry)
{
	struct stale stale = { 0 };
	enum sgov_exit status = SGOV_ERROR;
	struct gov_error error = { GOV_OK, "" };

	if (stale_list(args, &stale, &error))
		sgov_error("%s", error.text);
	else if (mark_alive(&stale))
		status = SGOV_ERROR; /* it has been said */
	else if (stale_mark_used(&stale, &error))
		sgov_error("%s; nothing is touched", error.text);
	else
		status = clean(args, &stale, dry);
	stale_free(&stale);
	return status;
}

int sgov_node(struct sgov *sgov, int argc, char **argv)
{
	const char *dry = NULL;
	const struct sgov_option options[] = {
		{ "dry-run", 0, NULL,
		  "only say what would be removed; exit code 3 if anything",
		  &dry },
		{ NULL, 0, NULL, NULL, NULL },
	};
	struct node_args args;
	enum sgov_exit status;
	char *text = NULL;
	int parsed;
	char **operand = sgov_parse_operands(sgov, options, argc, argv, 1, 1,
					     &parsed);

	if (!operand)
		return parsed;
	if (strcmp(operand[0], "clean") != 0)
		return sgov_usage(sgov, "'%s' is not 'clean'", operand[0]);
	if (sgov->format != SGOV_TABLE)
		return sgov_usage(sgov, "this is told in sentences only");
	if (geteuid() != 0)
		return sgov_error(
			"only root can clean a node: sudo sgov node clean");
	clear_environment();
	status = read_arguments(&args, &text) ? SGOV_ERROR :
						find_and_clean(&args, !!dry);
	free(text);
	return status;
}
