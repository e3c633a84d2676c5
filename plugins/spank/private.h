/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where private directories are kept on a node's disk:
 *
 *	private_base/jobs-BOOT/JOB/NAME	removed when the job has ended here
 *	private_base/teams/t.TEAM/NAME	stays
 *	private_base/trash/...		about to be removed
 *
 * BOOT is the kernel's id of this boot, NAME the directory's path with ':' for
 * '/'.  All but the innermost belong
 * to root (to the caller, in tests) and nobody else can pass; the innermost is
 * as /tmp is, root's with mode 1777, and is seen through mounts only.
 *
 * What is in a private directory is its users', and hostile.  Removing it
 * follows no link, leaves no file system, takes no room that grows with depth,
 * and stops when its time is up; the next call goes on.
 */
#ifndef GOVERNANCE_SPANK_PRIVATE_H
#define GOVERNANCE_SPANK_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "core/error.h"

#define PRIVATE_PATH 256 /* longest path of a private directory, with NUL */

/*
 * Open private_base; create: make it and its parents (0700) if they are not
 * there.  A descriptor, or -1 with error and errno; ENOENT: it is not there.
 */
int private_open(const char *base, bool create, struct gov_error *error);

/* The directory of a job for a path of the host; made if it is not there.
 * A descriptor, or -1 with errno. */
int private_job(int base, uint32_t job, const char *path);

/* The same of a team. */
int private_team(int base, const char *team, const char *path);

/* The job's directories go to the trash.  0, also if it has none; or -1. */
int private_discard(int base, uint32_t job);

/* Calls found() for each job of this boot that has directories, with what
 * tells them from those of a later run.  0, or -1 with errno. */
int private_list(int base,
		 void (*found)(void *context, uint32_t job,
			       const struct stat *directory),
		 void *context);

/* The directories of all jobs that ran before the node was booted go there. */
void private_discard_earlier_boots(int base);

/*
 * Removes what is in the trash, for so long at most.  True: it is empty.
 */
bool private_empty_trash(int base, int milliseconds);

#endif
