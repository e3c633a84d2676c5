/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One active governor per cluster: a lock on StateSaveLocation/governance/
 * lease, which all controller hosts share.  It is an open-file-description
 * lock: the kernel takes it back however its holder ends.
 */
#ifndef GOVERNANCE_SLURMGOVD_LEASE_H
#define GOVERNANCE_SLURMGOVD_LEASE_H

#include <stddef.h>

#include "core/error.h"

struct gov_lease {
	int fd;		 /* -1: none */
	char *directory; /* StateSaveLocation/governance */
};

/* Make the directory (0700) and open the file.  0 or -1. */
int gov_lease_open(struct gov_lease *lease, const char *state_save_location,
		   struct gov_error *error);
/*
 * Try to take it.  1: taken, the file says by whom; 0: another one has it,
 * holder (size bytes) says who; -1: error.
 */
int gov_lease_try(struct gov_lease *lease, char *holder, size_t size,
		  struct gov_error *error);
/* Give it back. */
void gov_lease_close(struct gov_lease *lease);

#endif
