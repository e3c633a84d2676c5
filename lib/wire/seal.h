/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Munge credentials with sentences for its errors.  Private to lib/wire.
 * Both functions block on the local munged.
 */
#ifndef GOVERNANCE_WIRE_SEAL_H
#define GOVERNANCE_WIRE_SEAL_H

#include <stddef.h>
#include <sys/types.h>

#include "core/error.h"

/*
 * Encode data for `reader` ((uid_t)-1: anybody).  The credential is
 * malloc()ed, NUL-terminated.  NULL with error.
 */
char *gov_seal(const char *munge_socket, uid_t reader, const void *data,
	       size_t length, struct gov_error *error);

/*
 * Decode: malloc()ed data (NULL only on error) and who encoded it.  Expired,
 * replayed and foreign credentials are errors.
 */
void *gov_unseal(const char *munge_socket, const char *credential,
		 size_t *length, uid_t *uid, gid_t *gid,
		 struct gov_error *error);

#endif
