/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One question to the governor, within the deadline. */
#ifndef GOVERNANCE_JOB_SUBMIT_ASK_H
#define GOVERNANCE_JOB_SUBMIT_ASK_H

#include "core/error.h"
#include "wire/submit.h"

/* Room for one question and its answer; the answer's strings live here. */
struct ask_room {
	unsigned char question[GOV_PACKET_MAX];
	unsigned char answer[GOV_PACKET_MAX];
};

/*
 * Ask.  Sets request->sequence.  May be called by several threads at once;
 * never takes longer than the deadline of the settings, connecting included,
 * and never raises SIGPIPE.
 * 0, or -1 with
 *	GOV_R_REQUEST	the text of the job does not fit into a packet
 *	GOV_E_DOWN	nobody is there
 *	GOV_E_TIMEOUT	no answer in time, now or so often that nobody asks
 *	GOV_E_AUTH	somebody else sits at the socket
 *	GOV_E_PROTOCOL	what came back is no answer
 */
int ask_governor(struct gov_submit_request *request, struct ask_room *room,
		 struct gov_answer *answer, struct gov_error *error);

/* Close what is open. */
void ask_stop(void);

#endif
