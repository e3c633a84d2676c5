/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Slurm calls.  Where it runs decides which file does the work:
 *
 *	login.c		srun, sbatch, salloc, scrontab: the user's process
 *	job.c		prolog and epilog on the node: root, in its own process
 *	task.c		each task on the node, from root to the user's program
 *
 * Slurm drains a node when a prolog, an epilog or an init on a node fails, so
 * none of these ever does; a task that must not run ends itself (task.c).
 */
#include <slurm/spank.h>

#include "plugins/spank/job.h"
#include "plugins/spank/login.h"
#include "plugins/spank/task.h"

SPANK_PLUGIN(governance, 1);

int slurm_spank_init(spank_t sp, int ac, char **av)
{
	switch (spank_context()) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		login_forget_inherited();
		login_register_options(sp);
		return ESPANK_SUCCESS;
	case S_CTX_REMOTE: login_register_options(sp); return ESPANK_SUCCESS;
	case S_CTX_SLURMD: job_begin_node(ac, av); return ESPANK_SUCCESS;
	default: return ESPANK_SUCCESS;
	}
}

int slurm_spank_job_prolog(spank_t sp, int ac, char **av)
{
	job_prolog(sp, ac, av);
	return ESPANK_SUCCESS;
}

int slurm_spank_job_epilog(spank_t sp, int ac, char **av)
{
	job_epilog(sp, ac, av);
	return ESPANK_SUCCESS;
}

int slurm_spank_task_init_privileged(spank_t sp, int ac, char **av)
{
	task_judge(sp, ac, av);
	return ESPANK_SUCCESS;
}

int slurm_spank_task_init(spank_t sp, int ac, char **av)
{
	task_enter(sp, ac, av);
	return ESPANK_SUCCESS;
}
