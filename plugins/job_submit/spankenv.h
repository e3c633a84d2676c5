/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spank_job_env: what SPANK plugins of the client sent along, and what the
 * prologs on the nodes will see.  Entries are the user's text.
 */
#ifndef GOVERNANCE_JOB_SUBMIT_SPANKENV_H
#define GOVERNANCE_JOB_SUBMIT_SPANKENV_H

#include "core/error.h"
#include "slurm/compat.h"
#include "wire/submit.h"

/*
 * Refuse (-1 with GOV_R_REQUEST) what would make the prolog's execve() fail
 * and so drain nodes: an entry of more than 32 KiB, or more than 256 KiB in
 * all.
 */
int spankenv_check(const job_desc_msg_t *desc, struct gov_error *error);

/* The value of --gov-class and the like ("gov_class"); NULL if not given.
 * Given twice, the last counts. */
const char *spankenv_option(const job_desc_msg_t *desc, const char *option);

/* Remove everything that calls itself a grant. */
void spankenv_remove_grants(job_desc_msg_t *desc);

/* Append the grant.  0, or -1 out of memory: the job is as it was. */
int spankenv_add_grant(job_desc_msg_t *desc, const char *grant);

#endif
