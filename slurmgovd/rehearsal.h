/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A governor to try things on: what it decides is not carried out, not logged
 * and not written down.  For the loop, which owns both. */
#ifndef GOVERNANCE_SLURMGOVD_REHEARSAL_H
#define GOVERNANCE_SLURMGOVD_REHEARSAL_H

#include "slurmgovd/governor_events.h"

/*
 * One that knows what g knows, and has decided what is to be decided at this
 * time.  It costs about what a restart does.  Submissions that are not in the
 * job list yet, and deadlines of cron jobs, are not in it.  The caller ends
 * it with gov_governor_destroy().  NULL: no memory, or g is not ready.
 */
struct gov_governor *gov_rehearsal_create(const struct gov_governor *g,
					  struct gov_now now,
					  struct gov_error *error);

/* As gov_governor_set_policy(), and then all that follows at this time. */
int gov_rehearsal_set_policy(struct gov_governor *rehearsal,
			     struct gov_policy *policy, struct gov_now now,
			     struct gov_error *error);

#endif
