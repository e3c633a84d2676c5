/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/job_submit/down.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static void copy_name(char *to, size_t size, const char *from)
{
	if (from && strlen(from) < size)
		strcpy(to, from);
}

/*
 * The options are not to be seen in the job list, so the stamp keeps them for
 * the governor.  What is no name is left out: he would refuse it, and then
 * the default is kinder to a job that was already accepted.
 */
static const char *undecided(const struct gov_submission *s, int64_t now,
			     struct down_room *room)
{
	struct gov_stamp stamp;

	gov_stamp_init(&stamp);
	stamp.submitted = now;
	stamp.user_hold = s->hold;
	stamp.no_borrow = s->borrow && !strcasecmp(s->borrow, "no");
	stamp.signal = gov_stamp_signal(s->warn_signal);
	stamp.signal_batch = stamp.signal && s->warn_batch;
	copy_name(stamp.class_name, sizeof(stamp.class_name), s->class_name);
	copy_name(stamp.project, sizeof(stamp.project), s->project_name);
	if (gov_stamp_format(&stamp, room->stamp, sizeof(room->stamp)) > 0)
		return room->stamp;
	*stamp.class_name = *stamp.project = '\0';
	if (gov_stamp_format(&stamp, room->stamp, sizeof(room->stamp)) > 0)
		return room->stamp;
	return NULL;
}

static void refuse(struct gov_answer *answer, enum gov_code code,
		   const char *message)
{
	answer->action = GOV_ANSWER_REFUSE;
	answer->code = code;
	answer->message = message;
}

void down_submit(const struct gov_submission *submission,
		 enum gov_on_down on_down, int64_t now, struct down_room *room,
		 struct gov_answer *answer)
{
	memset(answer, 0, sizeof(*answer));
	if (on_down == GOV_DOWN_REJECT) {
		refuse(answer, GOV_R_DOWN,
		       "the governor does not answer, and this cluster takes "
		       "no jobs without it; try again in a few minutes, or "
		       "tell your administrators");
		return;
	}
	answer->admin_comment = undecided(submission, now, room);
	answer->action = GOV_ANSWER_ADMIT;
	answer->message = "accepted, but the governor does not answer; the "
			  "job runs without a decision on its quota";
	if (on_down == GOV_DOWN_PASS || submission->cron)
		return;
	if (submission->immediate) {
		refuse(answer, GOV_R_IMMEDIATE,
		       "the governor does not answer, so that nothing can "
		       "start at once; leave out --immediate to wait for it");
		return;
	}
	answer->action = GOV_ANSWER_WAIT;
	answer->message = "accepted, but the governor does not answer; the "
			  "job waits until it is back";
}

void down_modify(const struct describe_changes *changes,
		 enum gov_on_down on_down, struct gov_answer *answer)
{
	memset(answer, 0, sizeof(*answer));
	answer->action = GOV_ANSWER_PASS;
	if (on_down == GOV_DOWN_PASS)
		return;
	if (changes->releases || changes->resizes || changes->moves)
		refuse(answer, GOV_R_DOWN,
		       "the governor does not answer, and only it can allow "
		       "this change; try again when it is back");
}
