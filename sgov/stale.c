/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/stale.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugins/spank/descriptor.h"
#include "plugins/spank/pins.h"
#include "plugins/spank/private.h"
#include "plugins/spank/rundir.h"
#include "sgov/sgov.h"

void stale_free(struct stale *stale)
{
	free(stale->job);
	*stale = (struct stale){ 0 };
}

/* ---- what there is ---- */

static int compare(const void *a, const void *b)
{
	uint32_t one = ((const struct stale_job *) a)->job;
	uint32_t other = ((const struct stale_job *) b)->job;

	return (one > other) - (one < other);
}

/* Not ordered yet. */
static struct stale_job *find_or_add(struct stale *stale, uint32_t job)
{
	for (size_t i = 0; i < stale->count; i++)
		if (stale->job[i].job == job)
			return &stale->job[i];
	if (stale->count == stale->space) {
		stale->space = stale->space ? 2 * stale->space : 64;
		stale->job = sgov_realloc(stale->job,
					  stale->space * sizeof(*stale->job));
	}
	stale->job[stale->count] = (struct stale_job){ .job = job };
	return &stale->job[stale->count++];
}

static void add_pin(void *context, uint32_t job)
{
	find_or_add(context, job)->pinned = true;
}

static void add_directory(void *context, uint32_t job,
			  const struct stat *directory)
{
	find_or_add(context, job)->directory = *directory;
}

/* All zero, if none is held. */
static void look_at_namespace(const struct pins *pins, uint32_t job,
			      struct stat *st)
{
	int mnt, ipc;

	memset(st, 0, sizeof(*st));
	if (pins_find(pins, job, &mnt, &ipc))
		return;
	if (fstat(mnt, st))
		memset(st, 0, sizeof(*st));
	close(mnt);
	close(ipc);
}

static int list_pins(const struct node_args *args, struct stale *stale,
		     struct gov_error *error)
{
	int run_dir = rundir_open(args->run_dir, false, error);
	struct pins pins;
	int rc;

	if (run_dir < 0)
		return errno == ENOENT ? 0 : -1;
	rc = pins_open_to_look(&pins, run_dir);
	if (rc == 0) {
		rc = pins_list(&pins, add_pin, stale);
		for (size_t i = 0; i < stale->count; i++)
			look_at_namespace(&pins, stale->job[i].job,
					  &stale->job[i].namespace);
		pins_close(&pins, run_dir);
	} else if (errno == ENOENT) {
		rc = 0;
	}
	if (rc)
		gov_error_set(error, GOV_E_IO,
			      "%s/namespaces cannot be read: %m",
			      args->run_dir);
	close(run_dir);
	return rc;
}

static int list_directories(const struct node_args *args, struct stale *stale,
			    struct gov_error *error)
{
	int base = private_open(args->private_base, false, error), rc;

	if (base < 0)
		return errno == ENOENT ? 0 : -1;
	rc = private_list(base, add_directory, stale);
	if (rc)
		gov_error_set(error, GOV_E_IO,
			      "private_base=%s cannot be read: %m",
			      args->private_base);
	close(base);
	return rc;
}

int stale_list(const struct node_args *args, struct stale *stale,
	       struct gov_error *error)
{
	if (list_pins(args, stale, error) ||
	    list_directories(args, stale, error))
		return -1;
	if (stale->count)
		qsort(stale->job, stale->count, sizeof(*stale->job), compare);
	return 0;
}

struct stale_job *stale_find(const struct stale *stale, uint32_t job)
{
	const struct stale_job key = { .job = job };

	if (!stale->count)
		return NULL;
	return bsearch(&key, stale->job, stale->count, sizeof(key), compare);
}

/* ---- who lives ---- */

/* Of a job in such a state nothing runs any more.  All others may run. */
static bool is_over(const char *state)
{
	static const char *const over[] = { "CA", "CD",	 "DL", "F",
					    "NF", "OOM", "PR", "TO" };

	for (size_t i = 0; i < sizeof(over) / sizeof(*over); i++)
		if (strcmp(state, over[i]) == 0)
			return true;
	return false;
}

int stale_mark_alive(struct stale *stale, char *jobs)
{
	char *line;

	while ((line = strsep(&jobs, "\n"))) {
		uint32_t number;
		char state[8], more;
		struct stale_job *job;

		if (!*line)
			continue;
		if (line[0] < '0' || line[0] > '9' ||
		    sscanf(line, "%10" SCNu32 " %7s %c", &number, state,
			   &more) != 2)
			return -1;
		job = stale_find(stale, number);
		if (job && !is_over(state))
			job->alive = true;
	}
	return 0;
}

static bool is_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

static void mark_namespace(struct stale *stale, const struct stat *st)
{
	for (size_t i = 0; i < stale->count; i++)
		if (is_same(&stale->job[i].namespace, st))
			stale->job[i].alive = true;
}

int stale_mark_used(struct stale *stale, struct gov_error *error)
{
	DIR *stream = opendir("/proc");
	const struct dirent *entry;
	struct stat st;
	int rc = 0;

	if (!stream)
		return gov_error_set(error, GOV_E_IO,
				     "/proc cannot be read: %m");
	while (rc == 0 && (entry = readdir(stream))) {
		char path[288];

		/* A container's first process may be hidden; it is no job's. */
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
		    strcmp(entry->d_name, "1") == 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/ns/mnt", entry->d_name);
		if (stat(path, &st) == 0)
			mark_namespace(stale, &st);
		else if (errno != ENOENT && errno != ESRCH) /* it has ended */
			rc = gov_error_set(error, GOV_E_IO,
					   "%s cannot be looked at: %m", path);
	}
	closedir(stream);
	return rc;
}

/* ---- removal ---- */

static void keep_directory(void *context, uint32_t job,
			   const struct stat *directory)
{
	struct stale_job *now = context;

	if (now->job == job)
		now->directory = *directory;
}

/* Numbers of inodes are used again, those of namespaces at once. */
static bool is_same_age(const struct stat *one, const struct stat *other)
{
	return one->st_ctim.tv_sec == other->st_ctim.tv_sec &&
	       one->st_ctim.tv_nsec == other->st_ctim.tv_nsec;
}

/* Is all that there is of the job what was listed?  With the lock. */
static bool is_as_listed(const struct stale_job *now,
			 const struct stale_job *job)
{
	return is_same(&now->namespace, &job->namespace) &&
	       is_same_age(&now->namespace, &job->namespace) &&
	       is_same(&now->directory, &job->directory) &&
	       is_same_age(&now->directory, &job->directory);
}

/* With the lock.  As stale_remove(). */
static int remove_all(const struct node_args *args, const struct pins *pins,
		      const struct stale_job *job, struct gov_error *error)
{
	int base = private_open(args->private_base, false, error), rc = 1;
	struct stale_job now = { .job = job->job };

	if (base < 0 && errno != ENOENT)
		return -1;
	look_at_namespace(pins, job->job, &now.namespace);
	if (base >= 0 && private_list(base, keep_directory, &now)) {
		rc = gov_error_set(error, GOV_E_IO,
				   "private_base=%s cannot be read: %m",
				   args->private_base);
	} else if (!is_as_listed(&now, job)) {
		rc = 0;
	} else {
		pins_release(pins, job->job);
		if (base >= 0 && private_discard(base, job->job))
			rc = gov_error_set(error, GOV_E_IO,
					   "directories of job %" PRIu32
					   " cannot be removed: %m",
					   job->job);
	}
	descriptor_close(base);
	return rc;
}

int stale_remove(const struct node_args *args, const struct stale_job *job,
		 struct gov_error *error)
{
	int run_dir = rundir_open(args->run_dir, true, error), rc;
	struct pins pins;

	if (run_dir < 0)
		return -1;
	if (pins_open(&pins, run_dir, true)) {
		rc = gov_error_set(error, GOV_E_IO,
				   "%s/namespaces cannot be used: %m",
				   args->run_dir);
	} else {
		rc = remove_all(args, &pins, job, error);
		pins_close(&pins, run_dir);
	}
	if (rc == 1)
		rundir_end(run_dir, job->job);
	close(run_dir);
	return rc;
}
