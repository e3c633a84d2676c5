/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/spank/private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "plugins/spank/descriptor.h"

#define NAME 320 /* of anything we make */
#define JOBS "jobs-"
#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Ours, and nobody else may write there. */
static bool is_guarded(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return true;
	errno = EPERM;
	return false;
}

/* A guarded directory in `in`; made if it is not there. */
static int open_guarded(int in, const char *name)
{
	int fd;

	if (mkdirat(in, name, 0700) != 0 && errno != EEXIST)
		return -1;
	fd = openat(in, name, DIRECTORY);
	return fd < 0 || is_guarded(fd) ? fd : descriptor_close(fd);
}

/*
 * A directory that nobody else can pass, whoever has made it; made if it is
 * not there.
 */
static int open_closed(int in, const char *name)
{
	int fd = open_guarded(in, name);

	return fd < 0 || fchmod(fd, 0700) == 0 ? fd : descriptor_close(fd);
}

/* mkdir -p; parents of base are the administrator's. */
static void make_parents(const char *base)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s", base) >= (int) sizeof(path))
		return;
	for (char *p = path + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(path, 0755);
	}
}

int private_open(const char *base, bool create, struct gov_error *error)
{
	int saved, fd;

	if (create)
		make_parents(base);
	fd = create ? open_guarded(AT_FDCWD, base) : open(base, DIRECTORY);
	if (fd >= 0 && !create && !is_guarded(fd))
		fd = descriptor_close(fd);
	if (fd >= 0)
		return fd;
	saved = errno;
	gov_error_set(error, GOV_E_IO,
		      saved == EPERM ?
			      "private_base=%s belongs to others or is open to "
			      "them (%s)" :
			      "private_base=%s cannot be opened: %s",
		      base, strerror(saved));
	errno = saved;
	return -1;
}

/* ---- directories ---- */

static int directory_name(const char *path, char name[NAME])
{
	size_t length = strlen(path);

	if (path[0] != '/' || length < 2 || length >= PRIVATE_PATH) {
		errno = EINVAL;
		return -1;
	}
	memcpy(name, path + 1, length);
	for (char *c = name; *c; c++)
		if (*c == '/')
			*c = ':';
	return 0;
}

/* As /tmp, also when a call before was cut off between the two. */
static int open_public(int in, const char *name)
{
	int fd;

	if (mkdirat(in, name, 0700) != 0 && errno != EEXIST)
		return -1;
	fd = openat(in, name, DIRECTORY);
	return fd < 0 || fchmod(fd, 01777) == 0 ? fd : descriptor_close(fd);
}

static int open_private(int base, const char *kind, const char *owner,
			const char *path)
{
	char name[NAME];
	int all, one, fd = -1;

	if (directory_name(path, name))
		return -1;
	all = open_closed(base, kind);
	one = all < 0 ? -1 : open_closed(all, owner);
	if (one >= 0)
		fd = open_public(one, name);
	descriptor_close(one);
	descriptor_close(all);
	return fd;
}

/* Directories of jobs of this boot.  NULL: it cannot be told. */
static const char *jobs_name(void)
{
	static char name[NAME]; /* of this process: asked for once */
	char id[64];
	ssize_t length;
	int fd;

	if (name[0])
		return name;
	fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? -1 : read(fd, id, sizeof(id) - 1);
	descriptor_close(fd);
	if (length <= 0)
		return NULL;
	id[length] = '\0';
	id[strcspn(id, "\n")] = '\0';
	snprintf(name, NAME, JOBS "%s", id);
	return name;
}

int private_job(int base, uint32_t job, const char *path)
{
	const char *kind = jobs_name();
	char owner[NAME];

	snprintf(owner, sizeof(owner), "%" PRIu32, job);
	return kind ? open_private(base, kind, owner, path) : -1;
}

int private_team(int base, const char *team, const char *path)
{
	char owner[NAME];

	/* A team may be called "..". */
	if (!*team || strchr(team, '/') ||
	    snprintf(owner, sizeof(owner), "t.%s", team) >= NAME_MAX) {
		errno = EINVAL;
		return -1;
	}
	return open_private(base, "teams", owner, path);
}

/* ---- the trash ---- */

/*
 * Any name that is not taken.  The time makes it unlikely to be, and a rename
 * onto a directory that is not empty fails.
 */
static int throw_away(int in, const char *name, int trash)
{
	static unsigned count;
	struct timespec now;
	char target[NAME];

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(target, sizeof(target), "%lld.%09ld.%d.%u",
		 (long long) now.tv_sec, now.tv_nsec, (int) getpid(), count++);
	return renameat(in, name, trash, target);
}

int private_discard(int base, uint32_t job)
{
	const char *kind = jobs_name();
	int jobs = kind ? openat(base, kind, DIRECTORY) : -1;
	char name[NAME];
	int trash, rc;

	snprintf(name, sizeof(name), "%" PRIu32, job);
	if (jobs < 0)
		return errno == ENOENT ? 0 : -1;
	trash = open_closed(base, "trash");
	rc = trash < 0 ? -1 : throw_away(jobs, name, trash);
	if (rc && errno == ENOENT)
		rc = 0;
	descriptor_close(trash);
	descriptor_close(jobs);
	return rc;
}

int private_list(int base,
		 void (*found)(void *context, uint32_t job,
			       const struct stat *directory),
		 void *context)
{
	const char *kind = jobs_name();
	int jobs = kind ? openat(base, kind, DIRECTORY) : -1;
	DIR *stream = jobs < 0 ? NULL : descriptor_list(jobs);
	const struct dirent *entry;
	struct stat st;
	int rc = stream || (kind && errno == ENOENT) ? 0 : -1;

	while (stream && (entry = readdir(stream))) {
		uint32_t job = (uint32_t) strtoul(entry->d_name, NULL, 10);
		char name[NAME];

		snprintf(name, sizeof(name), "%" PRIu32, job);
		if (strcmp(name, entry->d_name) == 0 &&
		    fstatat(jobs, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			found(context, job, &st);
	}
	if (stream)
		closedir(stream);
	descriptor_close(jobs);
	return rc;
}

void private_discard_earlier_boots(int base)
{
	const char *current = jobs_name();
	int trash = current ? open_closed(base, "trash") : -1;
	DIR *stream = trash < 0 ? NULL : descriptor_list(base);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (strncmp(entry->d_name, JOBS, strlen(JOBS)) == 0 &&
		    strcmp(entry->d_name, current) != 0)
			throw_away(base, entry->d_name, trash);
	if (stream)
		closedir(stream);
	descriptor_close(trash);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/*
 * Empty a directory of the trash.  Directories in it that are not empty move
 * up into the trash: neither the stack nor the descriptors grow with depth.
 * How many entries went.
 */
static int flatten(int fd, int trash, int64_t until)
{
	DIR *stream = descriptor_list(fd);
	const struct dirent *entry;
	int gone = 0;

	while (stream && now_ms() < until && (entry = readdir(stream)))
		gone += !is_dots(entry->d_name) &&
			(unlinkat(fd, entry->d_name, 0) == 0 ||
			 unlinkat(fd, entry->d_name, AT_REMOVEDIR) == 0 ||
			 throw_away(fd, entry->d_name, trash) == 0);
	if (stream)
		closedir(stream);
	return gone;
}

static int remove_one(int trash, const char *name, int64_t until)
{
	int gone, fd;

	if (unlinkat(trash, name, 0) == 0 ||
	    unlinkat(trash, name, AT_REMOVEDIR) == 0)
		return 1;
	fd = openat(trash, name, DIRECTORY);
	if (fd < 0)
		return 0;
	gone = flatten(fd, trash, until);
	close(fd);
	return gone + (unlinkat(trash, name, AT_REMOVEDIR) == 0);
}

/* One walk through the trash; how many entries went. */
static int walk(int trash, int64_t until, bool *empty)
{
	DIR *stream = descriptor_list(trash);
	const struct dirent *entry;
	int gone = 0;

	*empty = stream != NULL;
	while (stream && (entry = readdir(stream))) {
		if (is_dots(entry->d_name))
			continue;
		*empty = false;
		if (now_ms() >= until)
			break;
		gone += remove_one(trash, entry->d_name, until);
	}
	if (stream)
		closedir(stream);
	return gone;
}

bool private_empty_trash(int base, int milliseconds)
{
	int64_t until = now_ms() + milliseconds;
	int trash = openat(base, "trash", DIRECTORY);
	bool empty = false;

	if (trash < 0)
		return errno == ENOENT;
	while (!empty && walk(trash, until, &empty) && now_ms() < until)
		;
	close(trash);
	return empty;
}
