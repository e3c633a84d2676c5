/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mail from the threads to the loop.
 *
 * A thread allocates its own structure that begins with a struct gov_mail and
 * posts it; the loop thread calls deliver() for each in the order of posting.
 * deliver() owns the mail from then on.
 */
#ifndef GOVERNANCE_SLURMGOVD_MAILBOX_H
#define GOVERNANCE_SLURMGOVD_MAILBOX_H

struct gov_mail {
	struct gov_mail *next;
	/* context is what gov_mailbox_drain() was given; NULL when the
	 * mailbox is destroyed: then only free. */
	void (*deliver)(struct gov_mail *mail, void *context);
};

struct gov_mailbox;

/* NULL with errno on failure. */
struct gov_mailbox *gov_mailbox_create(void);
/* No thread may post any more. */
void gov_mailbox_destroy(struct gov_mailbox *box);

/* Any thread; never blocks, never fails. */
void gov_mailbox_post(struct gov_mailbox *box, struct gov_mail *mail);

/* Readable when there is mail. */
int gov_mailbox_fd(const struct gov_mailbox *box);
/* Deliver everything; loop thread only. */
void gov_mailbox_drain(struct gov_mailbox *box, void *context);

#endif
