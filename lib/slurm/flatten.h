/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's structures to flat records.  Private to lib/slurm. */
#ifndef GOVERNANCE_SLURM_FLATTEN_H
#define GOVERNANCE_SLURM_FLATTEN_H

#include <slurm/slurm.h>

#include "slurm/record.h"

/* The record borrows every string from info. */
void gov_flatten_job(slurm_job_info_t *info, struct gov_job_record *record);

/*
 * A hash over what the governor reacts to.  Left out is what slurmctld
 * changes by itself all the time (priority beyond "held or not", estimates).
 */
uint64_t gov_hash_job(const struct gov_job_record *record);

/* FNV-1a over a text (NULL counts as one more value) and over a number. */
uint64_t gov_hash_text(uint64_t hash, const char *text);
uint64_t gov_hash_number(uint64_t hash, uint64_t number);
#define GOV_HASH_START 0xcbf29ce484222325ULL

#endif
