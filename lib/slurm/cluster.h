/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Start and end of talking to Slurm, and what slurm.conf says. */
#ifndef GOVERNANCE_SLURM_CLUSTER_H
#define GOVERNANCE_SLURM_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/error.h"

struct gov_cluster {
	char *name; /* ClusterName */
	char *state_save_location;
	uid_t slurm_uid;    /* SlurmUser */
	char *munge_socket; /* of AuthInfo, or NULL: the default */
	bool private_jobs;  /* PrivateData=jobs */
};

/*
 * Once per process, before anything else of lib/slurm and before threads are
 * started.  Does not return if Slurm's library cannot read a slurm.conf: it
 * then says so and exits.
 */
void gov_slurm_start(void);
void gov_slurm_end(void);

/* Ask slurmctld.  0, or -1 with GOV_E_DOWN or GOV_E_NOMEM. */
int gov_cluster_load(struct gov_cluster *cluster, struct gov_error *error);
void gov_cluster_free(struct gov_cluster *cluster);

#endif
