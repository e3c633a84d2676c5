/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The spare grant: a sealed grant of kind undecided, kept by the governor in
 * a file beside its socket, so that the job_submit plugin has one to attach
 * when there is no governor to ask.  Needs no munge, for the plugin's sake.
 */
#ifndef GOVERNANCE_GRANT_SPARE_H
#define GOVERNANCE_GRANT_SPARE_H

#include <stddef.h>

#include "core/error.h"
#include "grant/grant.h"

#define GOV_SPARE_SUFFIX ".grant" /* behind the path of the socket */

/*
 * Replace the file at once or not at all; it is readable for its owner only.
 * 0, or -1 with GOV_E_IO (GOV_E_VALUE: that is no credential).  Waits for a
 * disk.
 */
int gov_spare_write(const char *socket, const char *credential,
		    struct gov_error *error);

/*
 * Read it (NUL-terminated).  The file must belong to root or to the caller,
 * and others must not be able to write it.  Whether the grant is good is for
 * the node to say.  0, or -1 with error; *credential is then "".  Waits for a
 * disk.
 */
int gov_spare_read(const char *socket, char credential[GOV_GRANT_MAX],
		   struct gov_error *error);

#endif
