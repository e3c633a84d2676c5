/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/spank/pins.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <linux/nsfs.h>

#include "plugins/spank/descriptor.h"
#include "plugins/spank/mounts.h"

#define DIRECTORY "namespaces"
#define LOCK "namespaces.lock"
#define LOCK_PAUSE_NS 5000000
#define LOCK_TRIES 600 /* 3 s */
#define NAME 32	       /* NUMBER.mnt */
#define PATH 64	       /* /proc/self/fd/N/NUMBER.mnt */

/* ---- the directory ---- */

static int open_directory(int run_dir)
{
	int fd = openat(run_dir, DIRECTORY,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	errno = EPERM;
	return descriptor_close(fd);
}

/* The directory as a mount on itself, of which no namespace gets a copy. */
static int mount_directory(int run_dir)
{
	int fd, mount;

	if (mkdirat(run_dir, DIRECTORY, 0700) != 0 && errno != EEXIST)
		return -1;
	fd = open_directory(run_dir);
	if (fd < 0)
		return -1;
	if (mounts_is_root(fd)) /* private, if no call was cut off */
		return mounts_keep_apart(fd) == 0 ? fd : descriptor_close(fd);
	mount = mounts_set_apart(fd);
	descriptor_close(fd);
	return mount;
}

/*
 * A process that holds it can be stopped: a task's, by its user, if it is the
 * one that makes the namespaces.
 */
static int lock_soon(int fd)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };

	for (int i = 0; i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -1;
		nanosleep(&pause, NULL);
	}
	errno = ETIMEDOUT;
	return -1;
}

int pins_open_to_look(struct pins *pins, int run_dir)
{
	pins->lock = -1;
	pins->dir = open_directory(run_dir);
	return pins->dir < 0 ? -1 : 0;
}

int pins_open(struct pins *pins, int run_dir, bool create)
{
	pins->dir = -1;
	pins->lock = openat(run_dir, LOCK,
			    O_RDWR | O_NOFOLLOW | O_CLOEXEC |
				    (create ? O_CREAT : 0),
			    0600);
	if (pins->lock < 0)
		return -1;
	if (lock_soon(pins->lock) != 0)
		return descriptor_close(pins->lock);
	pins->dir = create ? mount_directory(run_dir) : open_directory(run_dir);
	return pins->dir < 0 ? descriptor_close(pins->lock) : 0;
}

static bool is_empty(int fd)
{
	DIR *stream = descriptor_list(fd);
	const struct dirent *entry;
	bool empty = stream != NULL;

	while (empty && (entry = readdir(stream)))
		empty = entry->d_name[0] == '.';
	if (stream)
		closedir(stream);
	return empty;
}

void pins_close(struct pins *pins, int run_dir)
{
	bool last = pins->lock >= 0 && is_empty(pins->dir) &&
		    mounts_is_root(pins->dir);
	char path[PATH];

	close(pins->dir);
	if (last) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d/" DIRECTORY,
			 run_dir);
		umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW);
	}
	descriptor_close(pins->lock);
}

/* ---- pins ---- */

static void pin_name(char name[NAME], uint32_t job, const char *kind)
{
	snprintf(name, NAME, "%" PRIu32 ".%s", job, kind);
}

/* A namespace of this type, or -1: also for a file nothing is mounted on. */
static int find(int dir, uint32_t job, const char *kind, int type)
{
	char name[NAME];
	int fd;

	pin_name(name, job, kind);
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (ioctl(fd, NS_GET_NSTYPE) == type)
		return fd;
	errno = ENOENT;
	return descriptor_close(fd);
}

int pins_find(const struct pins *pins, uint32_t job, int *mnt, int *ipc)
{
	*ipc = -1;
	*mnt = find(pins->dir, job, "mnt", CLONE_NEWNS);
	if (*mnt < 0)
		return -1;
	*ipc = find(pins->dir, job, "ipc", CLONE_NEWIPC);
	return *ipc < 0 ? descriptor_close(*mnt) : 0;
}

int pins_list(const struct pins *pins,
	      void (*found)(void *context, uint32_t job), void *context)
{
	DIR *stream = descriptor_list(pins->dir);
	const struct dirent *entry;

	if (!stream)
		return -1;
	while ((entry = readdir(stream))) {
		char name[NAME];
		uint32_t job = (uint32_t) strtoul(entry->d_name, NULL, 10);

		/* No other spelling of the number, and no other file. */
		for (int i = 0; i < 2; i++) {
			pin_name(name, job, i ? "ipc" : "mnt");
			if (strcmp(name, entry->d_name) == 0)
				found(context, job);
		}
	}
	closedir(stream);
	return 0;
}

static int hold(int dir, uint32_t job, const char *kind, int namespace)
{
	char name[NAME], source[PATH], target[PATH];
	int fd, rc;

	pin_name(name, job, kind);
	fd = openat(dir, name, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	snprintf(source, sizeof(source), "/proc/self/fd/%d", namespace);
	snprintf(target, sizeof(target), "/proc/self/fd/%d", fd);
	rc = mount(source, target, NULL, MS_BIND, NULL);
	descriptor_close(fd);
	return rc;
}

static void release(int dir, uint32_t job, const char *kind)
{
	char name[NAME], path[PATH];

	pin_name(name, job, kind);
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", dir, name);
	umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW);
	unlinkat(dir, name, 0);
}

void pins_release(const struct pins *pins, uint32_t job)
{
	int saved = errno;

	release(pins->dir, job, "mnt");
	release(pins->dir, job, "ipc");
	errno = saved;
}

/* ns/mnt last: where that is, all is. */
int pins_hold(const struct pins *pins, uint32_t job, int mnt, int ipc)
{
	pins_release(pins, job); /* of a call that was cut off */
	if (hold(pins->dir, job, "ipc", ipc) == 0 &&
	    hold(pins->dir, job, "mnt", mnt) == 0)
		return 0;
	pins_release(pins, job);
	return -1;
}
