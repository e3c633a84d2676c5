/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conversation of sgov with the governor: TCP, munge, JSON.
 *
 * A message is one or more frames: 32-bit big-endian length, then a munge
 * credential of that length.  A credential's payload is a fixed header
 * (magic "GOVJ", version, flags with "last", 64-bit conversation number,
 * 32-bit frame number) and a piece of the JSON text.  The client picks the
 * conversation number; the answer repeats it, so that an old answer cannot be
 * replayed.  Answers are encoded for the asking uid only.  A request is at
 * most 1 MiB, an answer at most 256 MiB.
 *
 * A request is an object {"version":1,"command":"status",…}; an answer is
 * {"meta":{…},"errors":[{"code":"GOV-…","text":"…"}],"warnings":[…], data…}
 * as Slurm's --json has it.
 */
#ifndef GOVERNANCE_WIRE_CLIENT_H
#define GOVERNANCE_WIRE_CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/error.h"

struct json_object;

#define GOV_CLIENT_PORT 6822 /* default of Listen= */

/*
 * Ask the governor at host:port and wait at most timeout_ms for the whole
 * answer.  governor_uid: who must have encoded the answer (SlurmUser; root is
 * always accepted); (uid_t)-1: whoever answers is told in *answered_by.
 * munge_socket may be NULL.  Returns a json_object the caller puts, or NULL.
 */
struct json_object *gov_client_call(const char *host, uint16_t port,
				    const char *munge_socket,
				    struct json_object *request,
				    uid_t governor_uid, int timeout_ms,
				    uid_t *answered_by,
				    struct gov_error *error);

/*
 * Server side, one connection: read one request (deadline timeout_ms), with
 * the sender's uid and gid as munge tells them.  Blocks; for a worker thread.
 * NULL with error on anything malformed, replayed or expired.
 */
struct json_object *gov_server_read(int fd, const char *munge_socket,
				    int timeout_ms, uid_t *uid, gid_t *gid,
				    uint64_t *conversation,
				    struct gov_error *error);
/* Send the answer text, readable by uid only.  0 or -1. */
int gov_server_write(int fd, const char *munge_socket, int timeout_ms,
		     uid_t uid, uint64_t conversation, const char *text,
		     size_t length, struct gov_error *error);

#endif
