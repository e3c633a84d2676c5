/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/members_thread.h"

#include <stdlib.h>

#include "slurmgovd/clock.h"
#include "slurmgovd/log.h"
#include "slurmgovd/thread.h"

struct gov_members_thread {
	struct gov_thread thread;
	struct gov_mailbox *box;
	void (*deliver)(struct gov_mail *mail, void *context);
	/* under the lock */
	struct gov_policy *policy;
	bool changed;
};

void gov_members_mail_free(struct gov_members_mail *mail)
{
	gov_members_free(mail->members);
	gov_policy_unref(mail->policy);
	free(mail);
}

static void resolve(struct gov_members_thread *t, struct gov_policy *policy)
{
	struct gov_members_mail *mail = calloc(1, sizeof(*mail));
	int64_t began = gov_mono_ms();

	if (mail)
		mail->members = gov_members_resolve(policy);
	if (!mail || !mail->members) {
		gov_log(GOV_LOG_MEMBERS, GOV_LOG_ERROR,
			"no memory for the members; those known stay");
		free(mail);
		return;
	}
	gov_log(GOV_LOG_MEMBERS, GOV_LOG_DEBUG, "members resolved in %lld ms",
		(long long) (gov_mono_ms() - began));
	mail->policy = gov_policy_ref(policy);
	mail->mail.deliver = t->deliver;
	gov_mailbox_post(t->box, &mail->mail);
}

/* The policy to resolve next, when it is time; NULL: stop. */
static struct gov_policy *next(struct gov_members_thread *t, int64_t last)
{
	struct gov_policy *policy = NULL;

	pthread_mutex_lock(&t->thread.lock);
	while (!t->thread.stop) {
		int64_t due = last + (int64_t) t->policy->member_refresh * 1000;

		if (t->changed || gov_mono_ms() >= due) {
			t->changed = false;
			policy = gov_policy_ref(t->policy);
			break;
		}
		gov_thread_wait(&t->thread, due);
	}
	pthread_mutex_unlock(&t->thread.lock);
	return policy;
}

static void *run(void *arg)
{
	struct gov_members_thread *t = arg;
	struct gov_policy *policy;
	int64_t last = 0;

	while ((policy = next(t, last))) {
		last = gov_mono_ms();
		resolve(t, policy);
		gov_policy_unref(policy);
	}
	return NULL;
}

struct gov_members_thread *gov_members_start(
	struct gov_mailbox *box, struct gov_policy *policy,
	void (*deliver)(struct gov_mail *mail, void *context))
{
	struct gov_members_thread *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->box = box;
	t->deliver = deliver;
	t->policy = gov_policy_ref(policy);
	t->changed = true;
	if (gov_thread_start(&t->thread, "members", run, t)) {
		gov_policy_unref(t->policy);
		free(t);
		return NULL;
	}
	return t;
}

int gov_members_stop(struct gov_members_thread *t)
{
	if (!t)
		return 0;
	if (gov_thread_stop(&t->thread))
		return -1;
	gov_policy_unref(t->policy);
	free(t);
	return 0;
}

void gov_members_set_policy(struct gov_members_thread *t,
			    struct gov_policy *policy)
{
	gov_policy_ref(policy);
	pthread_mutex_lock(&t->thread.lock);
	gov_policy_unref(t->policy);
	t->policy = policy;
	t->changed = true;
	pthread_cond_signal(&t->thread.wake);
	pthread_mutex_unlock(&t->thread.lock);
}
