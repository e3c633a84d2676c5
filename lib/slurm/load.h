/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How busy slurmctld is, by its own account (sdiag). */
#ifndef GOVERNANCE_SLURM_LOAD_H
#define GOVERNANCE_SLURM_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

struct gov_slurm_load {
	uint32_t threads; /* requests being served; slurmctld has 256 threads */
	uint32_t queue;	  /* messages to nodes and users that wait */
};

/* One RPC, blocking; it takes none of slurmctld's job locks.  0, or -1 with
 * GOV_E_DOWN. */
int gov_slurm_load_get(struct gov_slurm_load *load, struct gov_error *error);

#endif
