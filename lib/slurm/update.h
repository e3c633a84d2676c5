/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is done to a job in Slurm.  Each call is one RPC, blocks, may be
 * repeated without harm, and touches nothing that says how large a job is
 * (an operator's change of that would lift Slurm's own limits from it).
 * `address` is gov_job_record_address().
 */
#ifndef GOVERNANCE_SLURM_UPDATE_H
#define GOVERNANCE_SLURM_UPDATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

enum gov_hold {
	GOV_HOLD_KEEP,	/* leave the priority as it is */
	GOV_HOLD_ADMIN, /* hold, so that only an operator releases */
	GOV_HOLD_USER,	/* hold, so that its owner may release */
	GOV_HOLD_RELEASE,
};

/* How a call ended, as far as the caller acts on it. */
enum gov_outcome {
	GOV_OUTCOME_DONE,
	GOV_OUTCOME_GONE,    /* no such job, or it has ended */
	GOV_OUTCOME_STATE,   /* not possible in the job's present state */
	GOV_OUTCOME_BUSY,    /* try again soon */
	GOV_OUTCOME_DOWN,    /* slurmctld cannot be reached */
	GOV_OUTCOME_REFUSED, /* anything else; error has Slurm's words */
};

/*
 * Hold or release and write AdminComment (NULL: leave it) in one update.
 * begin_now: a start time that lies in the future becomes now.
 */
enum gov_outcome gov_slurm_update(const char *address, enum gov_hold hold,
				  bool begin_now, const char *admin_comment,
				  struct gov_error *error);
/* Tell the job's user: on the terminal of srun and salloc, in the output of a
 * batch job.  Nobody may be listening, so there is no outcome. */
void gov_slurm_notify(uint32_t job, const char *message);
/* Whom a signal is for. */
enum gov_signal_to {
	GOV_SIGNAL_ALL, /* the batch shell and every step */
	GOV_SIGNAL_BATCH,
	GOV_SIGNAL_STEPS,
};
enum gov_outcome gov_slurm_signal(const char *address, int signal,
				  enum gov_signal_to to,
				  struct gov_error *error);
/*
 * The same past slurmctld, which in 22.05 takes a job of scrontab's out of the
 * crontab at any signal and later refuses to signal it.  With SIGKILL this run
 * of it ends, and it comes back at its next time.
 */
enum gov_outcome gov_slurm_signal_nodes(uint32_t job, int signal,
					struct gov_error *error);
/* Requeue a batch job, held. */
enum gov_outcome gov_slurm_requeue_hold(const char *address,
					struct gov_error *error);
enum gov_outcome gov_slurm_cancel(const char *address, struct gov_error *error);

#endif
