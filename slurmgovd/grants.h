/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sealed grants, cached by what they say.  munged is asked by a thread, so
 * the first grant of its kind is late by a millisecond.
 */
#ifndef GOVERNANCE_SLURMGOVD_GRANTS_H
#define GOVERNANCE_SLURMGOVD_GRANTS_H

#include <stdbool.h>

#include "grant/grant.h"
#include "slurmgovd/mailbox.h"

struct gov_grants;

/*
 * The thread also keeps the spare grant beside submit_socket (grant/spare.h).
 * munge_socket may be NULL.  When a grant that was asked for in vain has been
 * sealed (credential is then non-NULL) or could not be, ready() is called on
 * the loop.  NULL with errno.
 */
struct gov_grants *gov_grants_start(struct gov_mailbox *box,
				    const char *munge_socket,
				    const char *submit_socket,
				    void (*ready)(void *context,
						  const struct gov_grant *grant,
						  const char *credential));
/* As gov_actuator_stop(). */
int gov_grants_stop(struct gov_grants *grants);

/* A credential that says this (issued is ignored), or NULL: not yet.  Valid
 * until the next call. */
const char *gov_grants_get(struct gov_grants *grants,
			   const struct gov_grant *wanted);

/* Do they say the same, whenever they were issued? */
bool gov_grant_same(const struct gov_grant *a, const struct gov_grant *b);

/* For the deliver function: hand a sealed grant to the cache. */
void gov_grants_deliver(struct gov_grants *grants, struct gov_mail *mail,
			void *context);

#endif
