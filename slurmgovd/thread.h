/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread with a lock, a condition on the monotonic clock, and a stop flag. */
#ifndef GOVERNANCE_SLURMGOVD_THREAD_H
#define GOVERNANCE_SLURMGOVD_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct gov_thread {
	pthread_t id;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop;
};

/* 0, or -1 with errno. name is at most 15 bytes. */
int gov_thread_start(struct gov_thread *thread, const char *name,
		     void *(*run)(void *arg), void *arg);
/*
 * Set the stop flag, wake the thread and wait for its end, at most two
 * seconds: it may hang in a call that nobody can interrupt.  0, or -1.
 */
int gov_thread_stop(struct gov_thread *thread);
/* With the lock held: wait until woken or mono time `until` (milliseconds;
 * INT64_MAX: as long as it takes). */
void gov_thread_wait(struct gov_thread *thread, int64_t until);

#endif
