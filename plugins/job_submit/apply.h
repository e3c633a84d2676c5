/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answer, carried out on a job_desc_msg_t. */
#ifndef GOVERNANCE_JOB_SUBMIT_APPLY_H
#define GOVERNANCE_JOB_SUBMIT_APPLY_H

#include "slurm/compat.h"
#include "wire/submit.h"

/*
 * Carry out the answer on a new job.  Returns Slurm's return code, and adds
 * the sentence for the user to *message (Slurm's allocator; one that an
 * earlier plugin left there is kept).  Short of memory the job is refused,
 * never half changed in its favour.
 */
int apply_submit(const struct gov_answer *answer, job_desc_msg_t *desc,
		 char **message);

/*
 * The same for an update.  slurmctld uses the same desc for the next task of
 * an array: nothing is put into it.  message may be NULL (22.05).
 */
int apply_modify(const struct gov_answer *answer, job_desc_msg_t *desc,
		 char **message);

/* Refuse for a reason of the plugin's own. */
int apply_error(const struct gov_error *error, char **message);

#endif
