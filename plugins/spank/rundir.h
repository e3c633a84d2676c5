/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory of verdicts: one file a job, named by its number.  Directory
 * and files belong to root (to the caller, in tests) and nobody else can
 * write there; links are not followed.
 *
 * A verdict outlives the end of its job a little, as NUMBER.ended: slurmd of
 * 22.05 does not always run the prolog of a requeued job that comes back to
 * its node soon (slurm_cred.c looks for outdated jobs every other second
 * only), and what a job carries does not change by a requeue.
 */
#ifndef GOVERNANCE_SPANK_RUNDIR_H
#define GOVERNANCE_SPANK_RUNDIR_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "core/error.h"
#include "plugins/spank/verdict.h"

/* A file without a sign of life for so long has lost its epilog. */
#define RUNDIR_STALE (400 * 86400) /* seconds; longer than jobs run */
#define RUNDIR_TEMPORARY 3600	   /* seconds, of a write that was cut */
#define RUNDIR_ENDED 3600	   /* seconds; slurmd forgets after 120 */

/*
 * Open it; create: make it (0700) if it is not there, not its parents.
 * A descriptor for the functions below (the caller closes it), or -1 with
 * error and errno (ENOENT: it is not there): also when it is a link, somebody
 * else's, or writable for others.
 */
int rundir_open(const char *path, bool create, struct gov_error *error);

/*
 * Keep the verdict on a job, at once or not at all; after a failure there is
 * none, not an older one either.  0, or -1 with error.
 */
int rundir_store(int dir, uint32_t job, const struct verdict *verdict,
		 struct gov_error *error);

/*
 * 1: found, if need be that of the job's last run; 0: there is none; -1 with
 * error: it cannot be read.  A file that is read counts as alive.
 */
int rundir_load(int dir, uint32_t job, struct verdict *verdict,
		struct gov_error *error);

/* The job has ended here.  Without complaint if there is no verdict on it. */
void rundir_end(int dir, uint32_t job);

/* Remove the verdict, also that of the last run. */
void rundir_remove(int dir, uint32_t job);

/*
 * Remove files that are stale at this time; other names are left alone.
 * Returns how many.
 */
int rundir_sweep(int dir, time_t now);

#endif
