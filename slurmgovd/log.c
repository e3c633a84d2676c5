/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#define LINE_SIZE 4096

static const char *const level_names[GOV_LOG_LEVELS] = {
	"fatal", "error", "info", "verbose", "debug",
};
static const char *const area_names[GOV_LOG_AREAS] = {
	"main", "submit", "engine", "slurm", "client", "members", "grant",
};

static _Atomic int levels[GOV_LOG_AREAS] = {
	GOV_LOG_INFO, GOV_LOG_INFO, GOV_LOG_INFO, GOV_LOG_INFO,
	GOV_LOG_INFO, GOV_LOG_INFO, GOV_LOG_INFO,
};
static _Atomic int raised;
static _Thread_local bool muted;
/* The lock keeps a line from going to a descriptor that is being replaced. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int descriptor = STDERR_FILENO;
static char *file;

static int open_file(const char *path)
{
	return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
}

static void replace(int fd)
{
	if (descriptor != STDERR_FILENO)
		close(descriptor);
	descriptor = fd;
}

int gov_log_open(const char *path)
{
	char *copy = path ? strdup(path) : NULL;
	int fd = path ? open_file(path) : STDERR_FILENO;

	if (fd < 0 || (path && !copy)) {
		if (fd > STDERR_FILENO)
			close(fd);
		free(copy);
		return -1;
	}
	pthread_mutex_lock(&lock);
	replace(fd);
	free(file);
	file = copy;
	pthread_mutex_unlock(&lock);
	return 0;
}

int gov_log_reopen(void)
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (file) {
		int fd = open_file(file);

		if (fd >= 0)
			replace(fd);
		else
			rc = -1;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

static int find(const char *const *names, int count, const char *word,
		size_t length)
{
	for (int i = 0; i < count; i++)
		if (strlen(names[i]) == length &&
		    !strncasecmp(names[i], word, length))
			return i;
	return -1;
}

/* One "level" or "area=level". */
static int set_word(const char *word, size_t length, int *wanted)
{
	const char *equal = memchr(word, '=', length);
	int area = -1, level;

	if (equal) {
		area = find(area_names, GOV_LOG_AREAS, word, equal - word);
		if (area < 0)
			return -1;
		length -= equal + 1 - word;
		word = equal + 1;
	}
	level = find(level_names, GOV_LOG_LEVELS, word, length);
	if (level < 0)
		return -1;
	for (int i = 0; i < GOV_LOG_AREAS; i++)
		if (area < 0 || i == area)
			wanted[i] = level;
	return 0;
}

int gov_log_set_levels(const char *text)
{
	int wanted[GOV_LOG_AREAS];

	for (int i = 0; i < GOV_LOG_AREAS; i++)
		wanted[i] = GOV_LOG_INFO;
	while (text && *text) {
		size_t length = strcspn(text, ",");

		if (set_word(text, length, wanted))
			return -1;
		text += length;
		text += *text == ',';
	}
	for (int i = 0; i < GOV_LOG_AREAS; i++)
		levels[i] = wanted[i];
	return 0;
}

void gov_log_raise(int steps)
{
	raised = steps;
}

bool gov_log_mute(bool mute)
{
	bool before = muted;

	muted = mute;
	return before;
}

bool gov_log_enabled(enum gov_log_area area, enum gov_log_level level)
{
	return !muted && (int) level <= levels[area] + raised;
}

/* "[2026-12-02T10:00:00.123] " */
static int stamp(char *text, size_t size)
{
	struct timespec now;
	struct tm tm;
	int length;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	length = strftime(text, size, "[%Y-%m-%dT%H:%M:%S", &tm);
	return length + snprintf(text + length, size - length, ".%03ld] ",
				 now.tv_nsec / 1000000);
}

static void make_safe(char *text)
{
	for (; *text; text++)
		if ((unsigned char) *text < ' ' || *text == 127)
			*text = '?';
}

void gov_log(enum gov_log_area area, enum gov_log_level level,
	     const char *format, ...)
{
	char line[LINE_SIZE];
	int length, saved = errno;
	va_list args;

	if (!gov_log_enabled(area, level))
		return;
	length = stamp(line, sizeof(line));
	if (level != GOV_LOG_INFO)
		length += snprintf(line + length, sizeof(line) - length,
				   "%s: ", level_names[level]);
	if (area != GOV_LOG_MAIN)
		length += snprintf(line + length, sizeof(line) - length,
				   "%s: ", area_names[area]);
	va_start(args, format);
	vsnprintf(line + length, sizeof(line) - length - 1, format, args);
	va_end(args);
	make_safe(line + length);
	length = strlen(line);
	line[length++] = '\n';
	pthread_mutex_lock(&lock);
	/* A full disk must not stop the governor. */
	if (write(descriptor, line, length) < 0)
		errno = 0;
	pthread_mutex_unlock(&lock);
	errno = saved;
}
