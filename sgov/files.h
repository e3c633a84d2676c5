/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are read whole. */
#ifndef GOVERNANCE_SGOV_FILES_H
#define GOVERNANCE_SGOV_FILES_H

#include <stddef.h>
#include <stdio.h>

#include "core/policy.h"

/* A policy file, or NULL: its errors have been said. */
struct gov_policy *sgov_load_policy(const char *path, const char *cluster);

/*
 * What is in the file (NULL: it could not be opened), with a NUL behind it, for
 * the caller to free; closed unless it is stdin.  A *length beyond `most` says
 * that there is more than that.  NULL, with errno: it cannot be read.
 */
char *sgov_read_all(FILE *file, size_t most, size_t *length);

#endif
