/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prolog and epilog of a job on a node: root, in a process of their own.
 * Nothing here fails: a failure would drain the node.
 */
#ifndef GOVERNANCE_SPANK_JOB_H
#define GOVERNANCE_SPANK_JOB_H

#include <slurm/spank.h>

/* Complain in slurmd's log of what plugstack.conf has wrong. */
void job_check_arguments(int ac, char **av);

/* Open the grant and leave the verdict for the tasks. */
void job_prolog(spank_t sp, int ac, char **av);

/* Forget the job. */
void job_epilog(spank_t sp, int ac, char **av);

#endif
