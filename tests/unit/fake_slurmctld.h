/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurmctld is to a job_submit plugin: its allocator, with a magic word
 * before each block as Slurm's has, its log, and a job to submit.
 */
#ifndef GOVERNANCE_TESTS_FAKE_SLURMCTLD_H
#define GOVERNANCE_TESTS_FAKE_SLURMCTLD_H

#include <stdbool.h>
#include <stdint.h>

#include "slurm/compat.h"

/* The plugin's. */
int init(void);
int fini(void);
int job_submit(job_desc_msg_t *desc, uint32_t submit_uid, char **message);
#if GOV_MODIFY_HAS_MESSAGE
int job_modify(job_desc_msg_t *desc, void *job, uint32_t uid, char **message);
#else
int job_modify(job_desc_msg_t *desc, void *job, uint32_t uid);
#endif

/* Blocks of the allocator that were not freed. */
long fake_slurmctld_blocks(void);
/* Let the n-th allocation from now fail (1: the next); 0: none. */
void fake_slurmctld_fail(long n);
/* How often a log line contained the text; and forget them all. */
int fake_slurmctld_logged(const char *text);
void fake_slurmctld_forget_log(void);

/* A description as slurm_init_job_desc_msg() leaves it; the strings that are
 * put into it come from fake_slurmctld_copy(). */
job_desc_msg_t *fake_slurmctld_desc(void);
char *fake_slurmctld_copy(const char *text);
void fake_slurmctld_add_spank(job_desc_msg_t *desc, const char *entry);
void fake_slurmctld_free_desc(job_desc_msg_t *desc);

/* job_modify() whatever its arguments. */
int fake_slurmctld_modify(job_desc_msg_t *desc, uint32_t uid, char **message);

#endif
