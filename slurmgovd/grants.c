/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/grants.h"

#include <stdlib.h>
#include <string.h>

#include "grant/spare.h"
#include "slurmgovd/clock.h"
#include "slurmgovd/log.h"
#include "slurmgovd/thread.h"

#define BUCKETS 1024
#define ENTRIES_MAX 16384 /* then the cache starts anew */
/* A node takes old grants, but not for ever; see lib/grant. */
#define RENEW_AFTER 7200 /* seconds */
#define RETRY_AFTER 1000 /* ms after munged failed */

struct entry {
	struct entry *next;
	struct gov_grant grant;
	char *credential; /* or NULL: never sealed yet */
	bool asked;	  /* the thread has been asked */
	int64_t failed;	  /* mono time of the last failure, or 0 */
};

/* A job of the thread, and its result. */
struct seal {
	struct gov_mail mail;
	struct gov_grants *grants;
	struct seal *next;
	struct gov_grant grant;
	char *credential;
};

struct gov_grants {
	struct gov_thread thread;
	struct gov_mailbox *box;
	char *munge_socket;
	char *submit_socket;
	void (*ready)(void *context, const struct gov_grant *grant,
		      const char *credential);
	struct entry *bucket[BUCKETS];
	size_t count;
	/* under the lock */
	struct seal *first;
	struct seal **last;
	/* the thread's own */
	bool munge_down;
	bool spare_failed;
	int64_t spare_due; /* mono time of the next spare grant */
};

bool gov_grant_same(const struct gov_grant *a, const struct gov_grant *b)
{
	return a->kind == b->kind && a->uid == b->uid &&
	       a->reclaim_signal == b->reclaim_signal &&
	       a->reclaim_grace == b->reclaim_grace &&
	       !strcmp(a->team, b->team) && !strcmp(a->project, b->project) &&
	       !strcmp(a->class_name, b->class_name) &&
	       !strcmp(a->isolation, b->isolation) &&
	       !strcmp(a->digest, b->digest);
}

static struct entry **bucket_of(struct gov_grants *grants,
				const struct gov_grant *grant)
{
	uint32_t hash = grant->uid * 2654435761u + (uint32_t) grant->kind;

	for (const char *c = grant->team; *c; c++)
		hash = hash * 31 + (unsigned char) *c;
	for (const char *c = grant->class_name; *c; c++)
		hash = hash * 31 + (unsigned char) *c;
	return &grants->bucket[(hash >> 8) % BUCKETS];
}

static struct entry *find(struct gov_grants *grants,
			  const struct gov_grant *grant)
{
	struct entry *entry = *bucket_of(grants, grant);

	while (entry && !gov_grant_same(&entry->grant, grant))
		entry = entry->next;
	return entry;
}

static void clear(struct gov_grants *grants)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		struct entry *entry = grants->bucket[i], *next;

		for (; entry; entry = next) {
			next = entry->next;
			free(entry->credential);
			free(entry);
		}
		grants->bucket[i] = NULL;
	}
	grants->count = 0;
}

static struct entry *add(struct gov_grants *grants,
			 const struct gov_grant *grant)
{
	struct entry *entry, **at;

	if (grants->count >= ENTRIES_MAX)
		clear(grants);
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	at = bucket_of(grants, grant);
	entry->grant = *grant;
	entry->grant.issued = 0;
	entry->next = *at;
	*at = entry;
	grants->count++;
	return entry;
}

/* ---- the thread ---- */

static void deliver(struct gov_mail *mail, void *context)
{
	struct seal *seal = (struct seal *) mail;

	if (context) {
		gov_grants_deliver(seal->grants, mail, context);
		return;
	}
	free(seal->credential);
	free(seal);
}

/* NULL, told once, if munged does not do it. */
static char *seal_now(struct gov_grants *grants, struct gov_grant *grant)
{
	struct gov_error error;
	char *credential;

	grant->issued = gov_wall_ms() / 1000;
	credential = gov_grant_seal(grant, grants->munge_socket, &error);
	if (credential && grants->munge_down)
		gov_log(GOV_LOG_GRANT, GOV_LOG_INFO, "munged is back");
	if (!credential && !grants->munge_down)
		gov_log(GOV_LOG_GRANT, GOV_LOG_ERROR,
			"cannot seal a grant, jobs go without: %s", error.text);
	grants->munge_down = !credential;
	return credential;
}

static void perform(struct gov_grants *grants, struct seal *seal)
{
	seal->credential = seal_now(grants, &seal->grant);
	seal->mail.deliver = deliver;
	gov_mailbox_post(grants->box, &seal->mail);
}

/* For the plugin, when it can ask nobody. */
static void renew_spare(struct gov_grants *grants)
{
	struct gov_grant grant = { .kind = GOV_GRANT_UNDECIDED,
				   .uid = GOV_GRANT_ANY_UID };
	char *credential = seal_now(grants, &grant);
	struct gov_error error;
	int rc = -1;

	if (credential) {
		rc = gov_spare_write(grants->submit_socket, credential, &error);
		if (rc && !grants->spare_failed)
			gov_log(GOV_LOG_GRANT, GOV_LOG_ERROR, "%s", error.text);
		grants->spare_failed = rc != 0;
	}
	free(credential);
	grants->spare_due = gov_mono_ms() +
			    (rc ? RETRY_AFTER : RENEW_AFTER * INT64_C(1000));
}

/* With the lock held. */
static struct seal *next_seal(struct gov_grants *grants)
{
	struct seal *seal = grants->first;

	if (!seal)
		return NULL;
	grants->first = seal->next;
	if (!grants->first)
		grants->last = &grants->first;
	return seal;
}

static void *run(void *arg)
{
	struct gov_grants *grants = arg;

	pthread_mutex_lock(&grants->thread.lock);
	while (!grants->thread.stop) {
		struct seal *seal = next_seal(grants);

		if (!seal && gov_mono_ms() < grants->spare_due) {
			gov_thread_wait(&grants->thread, grants->spare_due);
			continue;
		}
		pthread_mutex_unlock(&grants->thread.lock);
		if (seal)
			perform(grants, seal);
		else
			renew_spare(grants);
		pthread_mutex_lock(&grants->thread.lock);
	}
	pthread_mutex_unlock(&grants->thread.lock);
	return NULL;
}

static void ask(struct gov_grants *grants, struct entry *entry)
{
	struct seal *seal;

	if (entry->asked ||
	    (entry->failed && gov_mono_ms() < entry->failed + RETRY_AFTER))
		return;
	seal = calloc(1, sizeof(*seal));
	if (!seal)
		return;
	entry->asked = true;
	seal->grants = grants;
	seal->grant = entry->grant;
	pthread_mutex_lock(&grants->thread.lock);
	*grants->last = seal;
	grants->last = &seal->next;
	pthread_cond_signal(&grants->thread.wake);
	pthread_mutex_unlock(&grants->thread.lock);
}

/* ---- the loop's side ---- */

const char *gov_grants_get(struct gov_grants *grants,
			   const struct gov_grant *wanted)
{
	struct entry *entry = find(grants, wanted);

	if (!entry)
		entry = add(grants, wanted);
	if (!entry)
		return NULL;
	if (!entry->credential ||
	    gov_wall_ms() / 1000 > entry->grant.issued + RENEW_AFTER)
		ask(grants, entry);
	return entry->credential;
}

void gov_grants_deliver(struct gov_grants *grants, struct gov_mail *mail,
			void *context)
{
	struct seal *seal = (struct seal *) mail;
	struct entry *entry = find(grants, &seal->grant);

	if (entry) {
		entry->asked = false;
		entry->failed = seal->credential ? 0 : gov_mono_ms();
	}
	if (entry && seal->credential) {
		free(entry->credential);
		entry->credential = strdup(seal->credential);
		entry->grant.issued = seal->grant.issued;
	}
	grants->ready(context, &seal->grant, seal->credential);
	free(seal->credential);
	free(seal);
}

static void destroy(struct gov_grants *grants)
{
	clear(grants);
	free(grants->munge_socket);
	free(grants->submit_socket);
	free(grants);
}

struct gov_grants *gov_grants_start(struct gov_mailbox *box,
				    const char *munge_socket,
				    const char *submit_socket,
				    void (*ready)(void *context,
						  const struct gov_grant *grant,
						  const char *credential))
{
	struct gov_grants *grants = calloc(1, sizeof(*grants));

	if (!grants)
		return NULL;
	grants->box = box;
	grants->ready = ready;
	grants->last = &grants->first;
	grants->submit_socket = strdup(submit_socket);
	if (munge_socket)
		grants->munge_socket = strdup(munge_socket);
	if (grants->submit_socket && (!munge_socket || grants->munge_socket) &&
	    !gov_thread_start(&grants->thread, "grants", run, grants))
		return grants;
	destroy(grants);
	return NULL;
}

int gov_grants_stop(struct gov_grants *grants)
{
	struct seal *seal;

	if (!grants)
		return 0;
	if (gov_thread_stop(&grants->thread))
		return -1;
	while ((seal = next_seal(grants)))
		free(seal);
	destroy(grants);
	return 0;
}
