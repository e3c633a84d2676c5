/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A task on a node: in the process that becomes the user's program.  Slurm
 * calls task_judge() while it is root, and task_enter() as the user, right
 * before exec; nothing of the user runs in between.
 */
#ifndef GOVERNANCE_SPANK_TASK_H
#define GOVERNANCE_SPANK_TASK_H

#include <slurm/spank.h>

/*
 * Read the verdict on the job, tell the task what is known of it, and enter
 * the isolation.
 */
void task_judge(spank_t sp, int ac, char **av);

/* Ends the process with a sentence if the task must not run. */
void task_enter(spank_t sp, int ac, char **av);

#endif
