/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hostlists: "g[1-4,07],r[1-2]n[01-16]-ib".  An expander of our own, so that
 * libgovernance needs no Slurm.
 */
#ifndef GOVERNANCE_CONF_HOSTLIST_H
#define GOVERNANCE_CONF_HOSTLIST_H

#include <stddef.h>

#include "core/error.h"

#pragma GCC visibility push(hidden)

#define CONF_HOSTS_MAX 65536
#define CONF_HOST_NAME 256 /* longest name, with NUL */

/*
 * Call visit for every name, with the offset in text of the item it comes
 * from; stop when it returns non-zero, and return that.  -1 with error and
 * *fault (an offset in text) when the text is malformed or has too many names.
 */
int conf_hostlist_walk(const char *text,
		       int (*visit)(const char *name, size_t offset, void *arg),
		       void *arg, size_t *fault, struct gov_error *error);

#pragma GCC visibility pop
#endif
