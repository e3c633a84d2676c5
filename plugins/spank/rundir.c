/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/spank/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME 32 /* NUMBER, NUMBER.ended, .NUMBER.PID */
#define LIVE ""
#define ENDED ".ended"

static void file_name(char *name, uint32_t job, const char *suffix)
{
	snprintf(name, FILE_NAME, "%" PRIu32 "%s", job, suffix);
}

/* Seconds after which a file of this name is stale; -1: not one of ours. */
static time_t lifetime(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	if (name[0] == '.' && name[1] >= '0' && name[1] <= '9')
		return RUNDIR_TEMPORARY;
	if (!digits)
		return -1;
	if (strcmp(name + digits, ENDED) == 0)
		return RUNDIR_ENDED;
	return name[digits] ? -1 : RUNDIR_STALE;
}

static int no_directory(const char *path, const char *what, int errnum,
			struct gov_error *error)
{
	gov_error_set(error, GOV_E_IO, "run_dir=%s %s: %s", path, what,
		      strerror(errnum));
	errno = errnum;
	return -1;
}

int rundir_open(const char *path, bool create, struct gov_error *error)
{
	struct stat st;
	int fd;

	if (create && mkdir(path, 0700) != 0 && errno != EEXIST)
		return no_directory(path, "cannot be made", errno, error);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return no_directory(path, "cannot be opened", errno, error);
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	close(fd);
	gov_error_set(error, GOV_E_IO,
		      "run_dir=%s belongs to others or is open to them: remove "
		      "it, it is made anew",
		      path);
	errno = EPERM;
	return -1;
}

/* ---- writing ---- */

static int write_file(int dir, const char *name, const char *text,
		      size_t length)
{
	int fd = openat(dir, name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);
	ssize_t n;
	int saved;

	if (fd < 0)
		return -1;
	n = write(fd, text, length);
	saved = n < 0 ? errno : ENOSPC;
	if (close(fd) != 0 && n == (ssize_t) length) {
		saved = errno;
		n = -1;
	}
	errno = saved;
	return n == (ssize_t) length ? 0 : -1;
}

int rundir_store(int dir, uint32_t job, const struct verdict *verdict,
		 struct gov_error *error)
{
	char name[FILE_NAME], temporary[FILE_NAME + 1];
	char text[VERDICT_TEXT];
	int length = verdict_format(verdict, text, sizeof(text));
	int saved;

	file_name(name, job, LIVE);
	snprintf(temporary, sizeof(temporary), ".%" PRIu32 ".%d", job,
		 (int) getpid());
	unlinkat(dir, temporary, 0); /* of an earlier process of this pid */
	errno = EINVAL;
	if (length > 0 &&
	    write_file(dir, temporary, text, (size_t) length) == 0 &&
	    renameat(dir, temporary, dir, name) == 0)
		return 0;
	saved = errno;
	unlinkat(dir, temporary, 0);
	rundir_remove(dir, job);
	return gov_error_set(error, GOV_E_IO,
			     "the verdict on job %" PRIu32 " cannot be "
			     "written: %s",
			     job, strerror(saved));
}

/* ---- reading ---- */

/* Length of what is read, or -1.  More than there is room for: -1. */
static ssize_t read_file(int fd, char *text, size_t size)
{
	size_t length = 0;

	while (length < size) {
		ssize_t n = read(fd, text + length, size - length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			return (ssize_t) length;
		length += (size_t) n;
	}
	errno = EFBIG;
	return -1;
}

static bool is_ours(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* A descriptor, or -1 with errno. */
static int open_verdict(int dir, uint32_t job)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	char name[FILE_NAME];
	int fd;

	file_name(name, job, LIVE);
	fd = openat(dir, name, flags);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	file_name(name, job, ENDED);
	return openat(dir, name, flags);
}

int rundir_load(int dir, uint32_t job, struct verdict *verdict,
		struct gov_error *error)
{
	char text[VERDICT_TEXT];
	ssize_t length = -1;
	int fd, good;

	memset(verdict, 0, sizeof(*verdict));
	fd = open_verdict(dir, job);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd >= 0 && is_ours(fd))
		length = read_file(fd, text, sizeof(text));
	good = length >= 0 &&
	       verdict_parse(text, (size_t) length, verdict) == 0;
	if (good)
		futimens(fd, NULL); /* alive; no harm if it cannot be */
	else
		memset(verdict, 0, sizeof(*verdict));
	if (fd >= 0)
		close(fd);
	if (good)
		return 1;
	return gov_error_set(error, GOV_E_IO,
			     "the verdict on job %" PRIu32 " cannot be read "
			     "on this node; tell your administrator",
			     job);
}

/* ---- removing ---- */

void rundir_end(int dir, uint32_t job)
{
	char live[FILE_NAME], ended[FILE_NAME];

	file_name(live, job, LIVE);
	file_name(ended, job, ENDED);
	if (renameat(dir, live, dir, ended) == 0)
		utimensat(dir, ended, NULL, AT_SYMLINK_NOFOLLOW);
}

void rundir_remove(int dir, uint32_t job)
{
	char name[FILE_NAME];

	file_name(name, job, LIVE);
	unlinkat(dir, name, 0);
	file_name(name, job, ENDED);
	unlinkat(dir, name, 0);
}

static bool is_stale(int dir, const char *name, time_t now)
{
	time_t limit = lifetime(name);
	struct stat st;

	return limit >= 0 &&
	       fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       now - st.st_mtime > limit;
}

int rundir_sweep(int dir, time_t now)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int removed = 0;

	if (!stream) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while ((entry = readdir(stream)))
		if (is_stale(dir, entry->d_name, now) &&
		    unlinkat(dir, entry->d_name, 0) == 0)
			removed++;
	closedir(stream);
	return removed;
}
