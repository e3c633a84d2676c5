/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/thread.h"

#include <errno.h>
#include <time.h>

#define STOP_SECONDS 2

int gov_thread_start(struct gov_thread *thread, const char *name,
		     void *(*run)(void *arg), void *arg)
{
	pthread_condattr_t attr;
	int rc;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&thread->wake, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&thread->lock, NULL);
	thread->stop = false;
	rc = pthread_create(&thread->id, NULL, run, arg);
	if (rc) {
		errno = rc;
		return -1;
	}
	pthread_setname_np(thread->id, name);
	return 0;
}

int gov_thread_stop(struct gov_thread *thread)
{
	struct timespec until;

	pthread_mutex_lock(&thread->lock);
	thread->stop = true;
	pthread_cond_broadcast(&thread->wake);
	pthread_mutex_unlock(&thread->lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += STOP_SECONDS;
	if (pthread_timedjoin_np(thread->id, NULL, &until))
		return -1;
	pthread_cond_destroy(&thread->wake);
	pthread_mutex_destroy(&thread->lock);
	return 0;
}

void gov_thread_wait(struct gov_thread *thread, int64_t until)
{
	struct timespec at = { .tv_sec = until / 1000,
			       .tv_nsec = until % 1000 * 1000000 };

	if (until == INT64_MAX)
		pthread_cond_wait(&thread->wake, &thread->lock);
	else
		pthread_cond_timedwait(&thread->wake, &thread->lock, &at);
}
