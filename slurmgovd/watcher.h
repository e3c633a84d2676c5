/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that reads the job list and the nodes.
 *
 * Every PollInterval, and soon after a nudge, but never so often that reading
 * takes more than one twentieth of the time.
 */
#ifndef GOVERNANCE_SLURMGOVD_WATCHER_H
#define GOVERNANCE_SLURMGOVD_WATCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "slurm/jobs.h"
#include "slurm/record.h"
#include "slurmgovd/mailbox.h"

struct gov_watcher_mail {
	struct gov_mail mail;
	bool listed;   /* the job list was read: changes is valid */
	int64_t began; /* mono time at which it was asked */
	struct gov_job_changes changes;
	struct gov_machine *machine; /* new, or NULL */
};
void gov_watcher_mail_free(struct gov_watcher_mail *mail);

struct gov_watcher;

/* deliver owns the mail, a struct gov_watcher_mail.  NULL with errno. */
struct gov_watcher *gov_watcher_start(struct gov_mailbox *box,
				      uint32_t interval_ms,
				      void (*deliver)(struct gov_mail *mail,
						      void *context));
/* As gov_actuator_stop(). */
int gov_watcher_stop(struct gov_watcher *watcher);

/* Something is expected to have changed. */
void gov_watcher_nudge(struct gov_watcher *watcher);
/* Look more often for a while: somebody waits for what others leave. */
void gov_watcher_set_eager(struct gov_watcher *watcher, bool eager);
void gov_watcher_set_interval(struct gov_watcher *watcher,
			      uint32_t interval_ms);

#endif
