/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Isolation=namespace keeps for jobs on this node, and how that of jobs
 * which have ended without an epilog is removed.  For root.
 *
 * That a job has ended only slurmctld can tell: an allocation may have no
 * process here for days, and still its files.  So the caller lists first, asks
 * then, and marks as `alive` what must stay: a job that begins meanwhile is not
 * in the list, or not as it was listed, and is not touched.
 */
#ifndef GOVERNANCE_SGOV_STALE_H
#define GOVERNANCE_SGOV_STALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "core/error.h"
#include "plugins/spank/args.h"

struct stale_job {
	uint32_t job;
	bool alive;
	bool pinned;
	struct stat namespace; /* for mounts; all zero: none is held */
	struct stat directory; /* all zero: there is none */
};

/* Start with all zero; ordered by number. */
struct stale {
	struct stale_job *job;
	size_t count, space;
};

void stale_free(struct stale *stale);

/* What there is, nothing marked.  0, or -1 with error. */
int stale_list(const struct node_args *args, struct stale *stale,
	       struct gov_error *error);

/*
 * Mark as alive whom slurmctld knows and does not call over; jobs: lines "ID
 * STATE" of squeue, which are changed.  0, or -1: that is something else.
 */
int stale_mark_alive(struct stale *stale, char *jobs);

/* NULL: the job has nothing here. */
struct stale_job *stale_find(const struct stale *stale, uint32_t job);

/*
 * Mark jobs in whose namespace there is a process: those that Slurm has lost.
 * 0, or -1 with error: it cannot be told.
 */
int stale_mark_used(struct stale *stale, struct gov_error *error);

/*
 * Let go of the job's namespaces, and put its directories into the trash,
 * which isolation_clean() empties.  1: done; 0: not, it has begun anew; -1
 * with error.
 */
int stale_remove(const struct node_args *args, const struct stale_job *job,
		 struct gov_error *error);

#endif
