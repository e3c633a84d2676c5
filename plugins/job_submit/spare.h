/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The spare grant of the governor (grant/spare.h), kept in memory for jobs
 * that would have none: a node refuses a job without a grant.
 */
#ifndef GOVERNANCE_JOB_SUBMIT_SPARE_H
#define GOVERNANCE_JOB_SUBMIT_SPARE_H

#include <stdbool.h>

#include "grant/grant.h"

/* Read it from its file; what was there stays if it cannot be read.  Waits
 * for a disk: never within a call of slurmctld but init(). */
void spare_load(const char *submit_socket);

/* There is none, or it should be read again. */
bool spare_is_due(void);

/* A copy of it.  false: there is none. */
bool spare_get(char credential[GOV_GRANT_MAX]);

#endif
