/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that carries actions out, in the order in which they came, not
 * faster than MaxUpdatesPerSecond, and slower where slurmctld is slow (see
 * pace.h).  The action itself comes back as mail.
 */
#ifndef GOVERNANCE_SLURMGOVD_ACTUATOR_H
#define GOVERNANCE_SLURMGOVD_ACTUATOR_H

#include <stdint.h>

#include "slurmgovd/action.h"
#include "slurmgovd/mailbox.h"

struct gov_actuator;

/* deliver is called on the loop for every action that was tried; it owns the
 * mail, which is the action.  NULL with errno on failure. */
struct gov_actuator *gov_actuator_start(struct gov_mailbox *box,
					uint32_t per_second,
					void (*deliver)(struct gov_mail *mail,
							void *context));
/* Waits a moment for the call under way; -1: it still runs, then nothing was
 * freed and the process should end. */
int gov_actuator_stop(struct gov_actuator *actuator);

void gov_actuator_do(struct gov_actuator *actuator, struct gov_action *action);
void gov_actuator_set_rate(struct gov_actuator *actuator, uint32_t per_second);

#endif
