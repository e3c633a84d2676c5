/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A governor for tests: one thread at a socket, well-behaved or not. */
#ifndef GOVERNANCE_TESTS_FAKE_GOVERNOR_H
#define GOVERNANCE_TESTS_FAKE_GOVERNOR_H

#include <stdbool.h>

#include "wire/submit.h"

enum fake_manner {
	FAKE_ANSWERS, /* as fake_governor.answer says */
	FAKE_ECHOES,  /* ADMIT, with the job's name as the message */
	FAKE_SILENT,
	FAKE_SLOW, /* after 200 ms */
	FAKE_GARBAGE,
	FAKE_HALF,    /* an answer that is cut in the middle */
	FAKE_STRANGE, /* the answer to another question */
	FAKE_HUGE,    /* more than a packet */
	FAKE_CLOSES,  /* instead of answering */
	FAKE_DEAF,    /* does not even accept connections */
};

/* Where it sits, also before it is started. */
const char *fake_governor_path(void);
/* Write a governance.conf that leads there, with these further lines. */
void fake_governor_conf(const char *lines);

/* Start with this manner; *answer is copied (its strings are not). */
void fake_governor_start(enum fake_manner manner,
			 const struct gov_answer *answer);
/* Start it as another user, in a process of its own. */
void fake_governor_start_as(unsigned uid);
void fake_governor_stop(void);

/* Requests that came since the start. */
int fake_governor_requests(void);
/* The last of them; its strings live until the next. */
const struct gov_submit_request *fake_governor_last(void);

#endif
