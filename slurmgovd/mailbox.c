/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/mailbox.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct gov_mailbox {
	pthread_mutex_t lock;
	struct gov_mail *first;
	struct gov_mail **last;
	int fd;
};

struct gov_mailbox *gov_mailbox_create(void)
{
	struct gov_mailbox *box = calloc(1, sizeof(*box));

	if (!box)
		return NULL;
	box->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (box->fd < 0) {
		free(box);
		return NULL;
	}
	pthread_mutex_init(&box->lock, NULL);
	box->last = &box->first;
	return box;
}

void gov_mailbox_post(struct gov_mailbox *box, struct gov_mail *mail)
{
	uint64_t one = 1;

	mail->next = NULL;
	pthread_mutex_lock(&box->lock);
	*box->last = mail;
	box->last = &mail->next;
	pthread_mutex_unlock(&box->lock);
	/* Fails only if the counter is full, and then it is readable. */
	if (write(box->fd, &one, sizeof(one)) < 0)
		return;
}

int gov_mailbox_fd(const struct gov_mailbox *box)
{
	return box->fd;
}

void gov_mailbox_drain(struct gov_mailbox *box, void *context)
{
	struct gov_mail *mail, *next;
	uint64_t count;

	if (read(box->fd, &count, sizeof(count)) < 0)
		count = 0; /* nothing new; look all the same */
	pthread_mutex_lock(&box->lock);
	mail = box->first;
	box->first = NULL;
	box->last = &box->first;
	pthread_mutex_unlock(&box->lock);
	for (; mail; mail = next) {
		next = mail->next;
		mail->deliver(mail, context);
	}
}

void gov_mailbox_destroy(struct gov_mailbox *box)
{
	if (!box)
		return;
	gov_mailbox_drain(box, NULL);
	close(box->fd);
	pthread_mutex_destroy(&box->lock);
	free(box);
}
