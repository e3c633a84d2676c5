/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TCP port on which sgov asks.  Each connection has a thread, for munge
 * and slow clients block; only the answer itself is made on the loop.
 */
#ifndef GOVERNANCE_SLURMGOVD_CLIENT_SERVER_H
#define GOVERNANCE_SLURMGOVD_CLIENT_SERVER_H

#include <sys/types.h>

#include "core/error.h"
#include "slurmgovd/mailbox.h"

struct json_object;
struct gov_client_server;

/* Called on the loop with the sender as munge knows him; returns the answer,
 * or NULL: out of memory.  context is that of gov_mailbox_drain(). */
typedef struct json_object *gov_client_handler(void *context,
					       struct json_object *request,
					       uid_t uid, gid_t gid);

/*
 * Listen at "host:port", "[v6]:port" or "port".  munge_socket may be NULL.
 * NULL with error.
 */
struct gov_client_server *gov_client_server_start(struct gov_mailbox *box,
						  const char *listen,
						  const char *munge_socket,
						  gov_client_handler *handler,
						  struct gov_error *error);
/* 0, or -1 if a thread still runs: then nothing was freed. */
int gov_client_server_stop(struct gov_client_server *server);

#endif
