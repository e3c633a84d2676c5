/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the governor is: from the command line, else the environment
 * (SGOV_HOST, SGOV_PORT), else governance.conf (Listen=) and slurm.conf
 * (SlurmctldHost=, in the order given there), else localhost:6822.
 */
#ifndef GOVERNANCE_SGOV_FIND_H
#define GOVERNANCE_SGOV_FIND_H

#include <stdint.h>
#include <sys/types.h>

#include "sgov/sgov.h"

#define SGOV_HOSTS 8

struct sgov_place {
	char *host[SGOV_HOSTS]; /* tried in this order */
	size_t hosts;
	uint16_t port;
	char *munge_socket; /* NULL: munge's default */
	uid_t governor;	    /* who may answer; (uid_t)-1: not known */
};

/* 0, or SGOV_USAGE (a port that is none, and that has been said). */
int sgov_find(const struct sgov *sgov, struct sgov_place *place);
void sgov_place_free(struct sgov_place *place);

/* $SLURM_CONF, /etc/slurm/slurm.conf or what configless left; into path. */
const char *sgov_slurm_conf(char *path, size_t size);

#endif
