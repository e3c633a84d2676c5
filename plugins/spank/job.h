/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prolog and epilog of a job on a node: root, in a process of their own.
 * Nothing here fails: a failure would drain the node.
 */
#ifndef GOVERNANCE_SPANK_JOB_H
#define GOVERNANCE_SPANK_JOB_H

#include <slurm/spank.h>

/*
 * slurmd starts: complain in its log of what plugstack.conf has wrong, remove
 * what jobs of before a crash have left.
 */
void job_begin_node(int ac, char **av);

/* Open the grant, leave the verdict for the tasks, make the isolation. */
void job_prolog(spank_t sp, int ac, char **av);

/* Forget the job, and remove what was made for it. */
void job_epilog(spank_t sp, int ac, char **av);

#endif
