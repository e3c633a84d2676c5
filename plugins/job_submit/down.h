/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the plugin answers itself when there is no governor to ask. */
#ifndef GOVERNANCE_JOB_SUBMIT_DOWN_H
#define GOVERNANCE_JOB_SUBMIT_DOWN_H

#include "plugins/job_submit/describe.h"
#include "stamp/stamp.h"
#include "wire/submit.h"

/* Room for the text of such an answer. */
struct down_room {
	char stamp[GOV_STAMP_TEXT];
};

/*
 * As OnGovernorDown= says:
 *	wait	accept, held and stamped as undecided; what cannot be held
 *		(scrontab) is let through, --immediate is refused
 *	pass	accept, stamped as undecided
 *	reject	refuse
 * now: seconds since the epoch.
 */
void down_submit(const struct gov_submission *submission,
		 enum gov_on_down on_down, int64_t now, struct down_room *room,
		 struct gov_answer *answer);

/*
 * wait and reject: refuse what only the governor can allow: releases, and
 * changes of size, account and the like.  pass: nothing is refused.
 */
void down_modify(const struct describe_changes *changes,
		 enum gov_on_down on_down, struct gov_answer *answer);

#endif
