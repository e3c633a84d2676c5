/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/job_submit/settings.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "plugins/job_submit/spare.h"
#include "slurm/compat.h"

#define DEADLINE_LEAST 1 /* milliseconds */
#define DEADLINE_MOST 1000
#define REFRESH_SECONDS 1

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gov_plugin_settings current;
static bool learned;  /* the governor's word counts from now on */
static bool readable; /* governance.conf was, when last looked at */
static bool reading;  /* there is a thread */
static bool joinable; /* ... that was not joined yet */
static pthread_t reader;
static time_t refreshed; /* CLOCK_MONOTONIC seconds */

static uint32_t sane_deadline(uint32_t deadline)
{
	if (deadline < DEADLINE_LEAST)
		return DEADLINE_LEAST;
	return deadline > DEADLINE_MOST ? DEADLINE_MOST : deadline;
}

/* Read the file, and the spare grant where it says; true if the file can be
 * read at all. */
static bool read_file(struct gov_plugin_settings *settings, char *path,
		      size_t size)
{
	const char *name = gov_conf_path(path, size);
	bool ok = access(name, R_OK) == 0;

	if (name != path)
		snprintf(path, size, "%s", name);
	gov_conf_plugin_settings(name, settings);
	settings->deadline_ms = sane_deadline(settings->deadline_ms);
	spare_load(settings->submit_socket);
	return ok;
}

void settings_start(void)
{
	struct gov_plugin_settings settings;
	char path[4096];
	bool ok = read_file(&settings, path, sizeof(path));

	if (!ok)
		slurm_error("job_submit/governance: %s cannot be read (%m); "
			    "going on with the defaults, and looking again "
			    "while the governor does not answer",
			    path);
	slurm_info("job_submit/governance: governor at %s, deadline %u ms",
		   settings.submit_socket, settings.deadline_ms);
	pthread_mutex_lock(&lock);
	current = settings;
	readable = ok;
	learned = false;
	pthread_mutex_unlock(&lock);
}

void settings_get(struct gov_plugin_settings *settings)
{
	pthread_mutex_lock(&lock);
	*settings = current;
	pthread_mutex_unlock(&lock);
}

void settings_learn(const struct gov_answer *answer)
{
	pthread_mutex_lock(&lock);
	if (answer->sets_on_down) {
		current.on_down = answer->on_down;
		learned = true;
	}
	if (answer->deadline_ms)
		current.deadline_ms = sane_deadline(answer->deadline_ms);
	pthread_mutex_unlock(&lock);
}

/* The reader's result; what the governor said goes before the file. */
static void take_over(const struct gov_plugin_settings *settings, bool ok)
{
	memcpy(current.submit_socket, settings->submit_socket,
	       sizeof(current.submit_socket));
	if (!learned) {
		current.on_down = settings->on_down;
		current.deadline_ms = settings->deadline_ms;
	}
	readable = ok;
}

static void *read_again(void *unused)
{
	struct gov_plugin_settings settings;
	char path[4096];
	bool ok = read_file(&settings, path, sizeof(path));
	bool news;

	(void) unused;
	pthread_mutex_lock(&lock);
	news = ok && (!readable || strcmp(current.submit_socket,
					  settings.submit_socket) != 0);
	if (ok)
		take_over(&settings, ok);
	reading = false;
	pthread_mutex_unlock(&lock);
	if (news)
		slurm_info("job_submit/governance: %s read; governor at %s",
			   path, settings.submit_socket);
	return NULL;
}

/* With all signals blocked: they are slurmctld's. */
static bool start_reader(void)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&reader, NULL, read_again, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc == 0;
}

void settings_refresh(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	pthread_mutex_lock(&lock);
	if (!reading && now.tv_sec >= refreshed + REFRESH_SECONDS) {
		refreshed = now.tv_sec;
		/* It has given up the lock for good: it ends at once. */
		if (joinable)
			pthread_join(reader, NULL);
		reading = joinable = start_reader();
	}
	pthread_mutex_unlock(&lock);
}

void settings_stop(void)
{
	bool join;

	pthread_mutex_lock(&lock);
	join = joinable;
	joinable = false;
	refreshed = 0;
	pthread_mutex_unlock(&lock);
	if (join)
		pthread_join(reader, NULL);
}
