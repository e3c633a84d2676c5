/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Isolation=namespace: a mount and an IPC namespace for each job on a node.
 *
 * In it each directory of `job_dirs` is the job's own, and empty at first
 * (kept in memory if the host keeps it there, otherwise below private_base);
 * each of `team_dirs` is the team's, as its last job left it; /proc shows
 * users their own processes only.  System V IPC and POSIX message queues are
 * the job's own.
 *
 * Made once, by the prolog, or by the first task if no prolog ran; entered by
 * every task; taken down by the epilog.  Held meanwhile by two files in
 * run_dir/namespaces, JOB.mnt and JOB.ipc, which are mounts and so are lost,
 * like the namespaces, at a reboot.
 *
 * All of this is for root in a process with one thread.
 */
#ifndef GOVERNANCE_SPANK_ISOLATION_H
#define GOVERNANCE_SPANK_ISOLATION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "plugins/spank/args.h"

/*
 * Is there anything to do for this word of a grant?  "namespace": yes.  "",
 * "none", and levels that are not carried out on nodes: no.
 */
bool isolation_wanted(const char *level);

/*
 * A job begins: make its namespaces.  What is there of its number is another
 * job's, or another run's, that had no epilog, and is removed.  The process
 * stays where it is.  0, or -1 with error; nothing is left behind then.
 */
int isolation_make(const struct node_args *args, uint32_t job, const char *team,
		   struct gov_error *error);

/*
 * Enter them; made now, if no prolog has (slurmd of 22.05 leaves it out for a
 * job that comes back soon).  The working directory is lost (it is /
 * then): its user has to go there again, with the user's rights.
 */
int isolation_enter(const struct node_args *args, uint32_t job,
		    const char *team, struct gov_error *error);

/*
 * The job has ended here: let go of its namespaces (they live until the last
 * process has left) and remove its directories, which may go on for some
 * seconds.  0 also if it has none.
 */
int isolation_end(const struct node_args *args, uint32_t job,
		  struct gov_error *error);

/*
 * When slurmd starts, and for `sgov node clean': directories of jobs from
 * before a reboot are removed, and what epilogs had no time for; for so long
 * at most.  True: none of it is left.
 */
bool isolation_clean(const struct node_args *args, int milliseconds);

#endif
