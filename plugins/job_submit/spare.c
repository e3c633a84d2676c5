/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/job_submit/spare.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "grant/spare.h"

#define RELOAD_SECONDS 86400 /* nodes take old grants, not for ever */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char kept[GOV_GRANT_MAX];
static time_t loaded; /* CLOCK_MONOTONIC seconds */

static time_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

void spare_load(const char *submit_socket)
{
	char credential[GOV_GRANT_MAX];

	if (gov_spare_read(submit_socket, credential, NULL))
		return;
	pthread_mutex_lock(&lock);
	memcpy(kept, credential, sizeof(kept));
	loaded = now();
	pthread_mutex_unlock(&lock);
}

bool spare_is_due(void)
{
	bool due;

	pthread_mutex_lock(&lock);
	due = !kept[0] || now() > loaded + RELOAD_SECONDS;
	pthread_mutex_unlock(&lock);
	return due;
}

bool spare_get(char credential[GOV_GRANT_MAX])
{
	pthread_mutex_lock(&lock);
	memcpy(credential, kept, sizeof(kept));
	pthread_mutex_unlock(&lock);
	return credential[0] != '\0';
}
