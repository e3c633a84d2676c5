/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the governor wants done in Slurm, and what came of it. */
#ifndef GOVERNANCE_SLURMGOVD_ACTION_H
#define GOVERNANCE_SLURMGOVD_ACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"
#include "slurm/update.h"
#include "slurmgovd/mailbox.h"

enum gov_action_kind {
	GOV_ACT_UPDATE, /* hold, release, stamp: one update */
	GOV_ACT_SIGNAL,
	GOV_ACT_REQUEUE, /* and hold */
	GOV_ACT_CANCEL,
	GOV_ACT_END_CRON, /* this run of a job of scrontab's */
};

struct gov_action {
	struct gov_mail mail; /* for its way back to the loop */
	struct gov_action *next;
	enum gov_action_kind kind;
	uint32_t sequence;
	uint64_t job;
	char *address; /* gov_job_record_address() */
	enum gov_hold hold;
	bool begin_now;
	char *comment; /* AdminComment to write, or NULL */
	int signal;
	enum gov_signal_to to;
	bool cron;     /* a signal to a job of scrontab's */
	char *message; /* for the user, with a signal; or NULL */
	/* filled by the actuator */
	int64_t took; /* milliseconds until slurmctld's answer */
	enum gov_outcome outcome;
	struct gov_error error;
};

void gov_action_free(struct gov_action *action); /* NULL allowed */

#endif
