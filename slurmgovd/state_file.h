/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file of StateSaveLocation/governance: a heading that names what it is and
 * its version, then lines of text.  Replaced as a whole, so that it is complete
 * at every moment.
 */
#ifndef GOVERNANCE_SLURMGOVD_STATE_FILE_H
#define GOVERNANCE_SLURMGOVD_STATE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "core/error.h"

struct gov_state_file {
	const char *name;    /* in its directory */
	const char *heading; /* its first line, without newline */
	const char *damaged; /* for an error: what follows, or what to do */
	int line_size;	     /* room of a line, NUL included, up to 512 */
	bool durable;	     /* written to disk before it counts as saved */
};

/*
 * Give each line (with its newline) to parse, until that returns other than 0,
 * which counts as damage.  0, also if there is no file; -1 and an error.
 */
int gov_state_file_load(const struct gov_state_file *kind,
			const char *directory,
			int (*parse)(const char *line, void *arg), void *arg,
			struct gov_error *error);

/* Write what put() prints.  0, or -1 and an error: then the old file stays. */
int gov_state_file_save(const struct gov_state_file *kind,
			const char *directory,
			void (*put)(FILE *file, const void *arg),
			const void *arg, struct gov_error *error);

#endif
