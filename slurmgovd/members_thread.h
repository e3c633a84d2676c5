/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that asks the name service who is in which team, every
 * MemberRefresh and for every new policy.  If the name service hangs, so does
 * this thread and nothing else.
 */
#ifndef GOVERNANCE_SLURMGOVD_MEMBERS_THREAD_H
#define GOVERNANCE_SLURMGOVD_MEMBERS_THREAD_H

#include "core/policy.h"
#include "slurmgovd/mailbox.h"
#include "slurmgovd/members.h"

struct gov_members_mail {
	struct gov_mail mail;
	struct gov_policy *policy; /* a reference */
	struct gov_members *members;
};
void gov_members_mail_free(struct gov_members_mail *mail);

struct gov_members_thread;

/* Takes a reference of the policy; deliver owns the mail.  NULL with errno. */
struct gov_members_thread *gov_members_start(
	struct gov_mailbox *box, struct gov_policy *policy,
	void (*deliver)(struct gov_mail *mail, void *context));
/* As gov_actuator_stop(). */
int gov_members_stop(struct gov_members_thread *thread);

/* Resolve this policy's members from now on, at once for the first time. */
void gov_members_set_policy(struct gov_members_thread *thread,
			    struct gov_policy *policy);

#endif
