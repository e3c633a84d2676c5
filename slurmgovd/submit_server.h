/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The UNIX socket on which the job_submit plugin asks.  Lives on the loop.
 */
#ifndef GOVERNANCE_SLURMGOVD_SUBMIT_SERVER_H
#define GOVERNANCE_SLURMGOVD_SUBMIT_SERVER_H

#include <sys/types.h>

#include "core/error.h"
#include "grant/grant.h"
#include "wire/submit.h"

struct event_base;
struct gov_submit_server;

/*
 * Called for every request; fills the answer, whose strings hold until it is
 * called again.  *pending: the answer should carry *grant, not sealed yet.
 */
typedef void gov_submit_handler(void *arg,
				const struct gov_submit_request *request,
				struct gov_answer *answer,
				struct gov_grant *grant, bool *pending);

/*
 * Listen at path (a stale socket there is replaced).  Peers other than root
 * and slurm_uid are turned away.  NULL with error.
 */
struct gov_submit_server *gov_submit_server_start(
	struct event_base *base, const char *path, uid_t slurm_uid,
	gov_submit_handler *handler, void *arg, struct gov_error *error);
void gov_submit_server_stop(struct gov_submit_server *server);

/* A grant has been sealed (or could not be: NULL); answers that waited for it
 * go out. */
void gov_submit_server_grant(struct gov_submit_server *server,
			     const struct gov_grant *grant,
			     const char *credential);

#endif
