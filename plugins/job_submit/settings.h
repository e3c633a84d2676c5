/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the governor is and what to do without it.
 *
 * First from governance.conf, then from what the governor says with each
 * answer.  The file is read at init and, while the governor cannot be reached,
 * again by a short-lived thread: a call of slurmctld never waits for a disk.
 */
#ifndef GOVERNANCE_JOB_SUBMIT_SETTINGS_H
#define GOVERNANCE_JOB_SUBMIT_SETTINGS_H

#include "conf/conf.h"
#include "wire/submit.h"

/* Read governance.conf; what is wrong with it is logged. */
void settings_start(void);
/* Waits for the thread, if one is reading. */
void settings_stop(void);

/* As they are now. */
void settings_get(struct gov_plugin_settings *settings);
/* What the governor said. */
void settings_learn(const struct gov_answer *answer);
/* The governor cannot be reached, or there is no spare grant: look at the files
 * again, at most once a second, in the background. */
void settings_refresh(void);

#endif
