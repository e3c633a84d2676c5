/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/watcher.h"

#include <stdlib.h>

#include "slurm/nodes.h"
#include "slurmgovd/clock.h"
#include "slurmgovd/log.h"
#include "slurmgovd/thread.h"

#define COST_FACTOR 20 /* reading may take 1/20 of the time */
#define SAVED_MAX 250  /* ms of reading that quiet times leave for later */
#define NUDGE_DELAY 25 /* ms: what was nudged for takes effect */
#define NUDGE_MOST 250 /* ms: so long a burst of nudges is let go on */
#define EAGER 100      /* ms between loads while jobs leave */
#define NUDGE_GAP 50   /* ms between loads at least */

struct gov_watcher {
	struct gov_thread thread;
	struct gov_mailbox *box;
	void (*deliver)(struct gov_mail *mail, void *context);
	struct gov_job_list *list;
	struct gov_machine_watch *machine;
	/* under the lock */
	uint32_t interval;
	bool nudged;
	int64_t first_nudge; /* since the last load; ms, monotonic */
	int64_t last_nudge;
	bool eager;
};

/* What the thread remembers from load to load. */
struct pace {
	int64_t began;
	int64_t counted; /* when `saved` was right */
	double saved;	 /* ms that reading may take now; negative: owed */
	int64_t last;	 /* what the last load took; may be a hiccup */
	int64_t machine; /* when nodes were last read */
	bool down;
};

void gov_watcher_mail_free(struct gov_watcher_mail *mail)
{
	gov_job_changes_free(&mail->changes);
	gov_machine_free(mail->machine);
	free(mail);
}

static void say(struct pace *pace, const struct gov_error *error)
{
	if (!pace->down)
		gov_log(GOV_LOG_SLURM, GOV_LOG_ERROR,
			"%s; trying on until it answers", error->text);
	pace->down = true;
}

/*
 * Over time; what was saved before is there for a burst.  Counted is the
 * smaller of the last two: a load that was slow once, because the machine was
 * busy, must not make us blind for twenty times that long.
 */
static void note_cost(struct pace *pace, int64_t took, int64_t now)
{
	pace->saved += (double) (now - pace->counted) / COST_FACTOR;
	if (pace->saved > SAVED_MAX)
		pace->saved = SAVED_MAX;
	pace->saved -= (double) (took < pace->last ? took : pace->last);
	pace->last = took;
	pace->counted = now;
}

static void load(struct gov_watcher *w, struct pace *pace, uint32_t interval)
{
	struct gov_watcher_mail *mail = calloc(1, sizeof(*mail));
	struct gov_error error;
	int64_t now;
	int rc;

	pace->began = gov_mono_ms();
	if (!mail)
		return;
	mail->mail.deliver = w->deliver;
	mail->began = pace->began;
	rc = gov_job_list_load(w->list, &mail->changes, &error);
	mail->listed = !rc;
	now = gov_mono_ms();
	/* A slurmctld that does not answer has no work with it. */
	if (rc >= 0)
		note_cost(pace, now - pace->began, now);
	if (!rc && pace->began >= pace->machine + interval) {
		pace->machine = pace->began;
		rc = gov_machine_watch_load(w->machine, &mail->machine, &error);
		if (rc < 0)
			pace->machine = 0;
	}
	if (rc < 0)
		say(pace, &error);
	else
		pace->down = false;
	gov_mailbox_post(w->box, &mail->mail);
}

static int64_t interval_of(const struct gov_watcher *w)
{
	return w->eager && w->interval > EAGER ? EAGER : w->interval;
}

/*
 * When what was nudged for is to be looked at.  Who submits a thousand jobs in
 * a row should not wait while slurmctld lists those before: a burst is read
 * once it pauses.
 */
static int64_t nudge_due(const struct gov_watcher *w)
{
	int64_t quiet = w->last_nudge + NUDGE_DELAY;
	int64_t most = w->first_nudge + NUDGE_MOST;

	return quiet < most ? quiet : most;
}

/* Sleep until the next load is due; false: stop. */
static bool rest(struct gov_watcher *w, const struct pace *pace)
{
	int64_t least = pace->began + NUDGE_GAP;
	int64_t paid = pace->counted - (int64_t) (pace->saved * COST_FACTOR);
	bool go;

	if (pace->saved < 0 && paid > least)
		least = paid;
	pthread_mutex_lock(&w->thread.lock);
	while (!w->thread.stop) {
		int64_t at = pace->began + interval_of(w), now = gov_mono_ms();

		if (w->nudged && nudge_due(w) < at)
			at = nudge_due(w);
		if (at < least)
			at = least;
		if (now >= at)
			break;
		gov_thread_wait(&w->thread, at);
	}
	w->nudged = false;
	go = !w->thread.stop;
	pthread_mutex_unlock(&w->thread.lock);
	return go;
}

static void *run(void *arg)
{
	struct gov_watcher *w = arg;
	struct pace pace = { .counted = gov_mono_ms(), .saved = SAVED_MAX };

	do {
		uint32_t interval;

		pthread_mutex_lock(&w->thread.lock);
		interval = w->interval;
		pthread_mutex_unlock(&w->thread.lock);
		load(w, &pace, interval);
	} while (rest(w, &pace));
	return NULL;
}

struct gov_watcher *gov_watcher_start(struct gov_mailbox *box,
				      uint32_t interval_ms,
				      void (*deliver)(struct gov_mail *mail,
						      void *context))
{
	struct gov_watcher *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->box = box;
	w->deliver = deliver;
	w->interval = interval_ms;
	w->list = gov_job_list_create();
	w->machine = gov_machine_watch_create();
	if (!w->list || !w->machine ||
	    gov_thread_start(&w->thread, "watcher", run, w)) {
		gov_job_list_destroy(w->list);
		gov_machine_watch_destroy(w->machine);
		free(w);
		return NULL;
	}
	return w;
}

int gov_watcher_stop(struct gov_watcher *w)
{
	if (!w)
		return 0;
	if (gov_thread_stop(&w->thread))
		return -1;
	gov_job_list_destroy(w->list);
	gov_machine_watch_destroy(w->machine);
	free(w);
	return 0;
}

void gov_watcher_nudge(struct gov_watcher *w)
{
	bool news;

	pthread_mutex_lock(&w->thread.lock);
	news = !w->nudged;
	w->nudged = true;
	w->last_nudge = gov_mono_ms();
	if (news)
		w->first_nudge = w->last_nudge;
	pthread_mutex_unlock(&w->thread.lock);
	/* Of a burst of submissions only the first need wake it. */
	if (news)
		pthread_cond_signal(&w->thread.wake);
}

void gov_watcher_set_eager(struct gov_watcher *w, bool eager)
{
	bool news;

	pthread_mutex_lock(&w->thread.lock);
	news = eager && !w->eager;
	w->eager = eager;
	pthread_mutex_unlock(&w->thread.lock);
	if (news)
		pthread_cond_signal(&w->thread.wake);
}

void gov_watcher_set_interval(struct gov_watcher *w, uint32_t interval_ms)
{
	pthread_mutex_lock(&w->thread.lock);
	w->interval = interval_ms;
	pthread_mutex_unlock(&w->thread.lock);
}
