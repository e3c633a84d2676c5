/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disk that fails, for one process: LD_PRELOAD puts these before libc's own.
 * What is wrong with the files below .../ledger/ is the word in the file
 * $LAB_DIR/jobs/disk:
 *
 *	slow		a sync takes two seconds
 *	sync		a sync fails (EIO)
 *	write		writing fails (EIO)
 *	full		writing fails after half of it (ENOSPC)
 *	readonly	nothing can be written or made (EROFS)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static bool disk_is(const char *word)
{
	char path[4096], text[16] = "";
	long fd, got;

	snprintf(path, sizeof(path), "%s/jobs/disk", getenv("LAB_DIR"));
	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read((int) fd, text, sizeof(text) - 1);
	close((int) fd);
	return got > 0 && strncmp(text, word, strlen(word)) == 0;
}

static bool is_ledger(int fd)
{
	char link[64], path[4096];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < 0)
		return false;
	path[length] = '\0';
	return strstr(path, "/ledger") != NULL;
}

static int sync_with(int fd, long number)
{
	if (is_ledger(fd)) {
		if (disk_is("slow"))
			usleep(2000000);
		if (disk_is("sync")) {
			errno = EIO;
			return -1;
		}
	}
	return (int) syscall(number, fd);
}

int fdatasync(int fd)
{
	return sync_with(fd, SYS_fdatasync);
}

int fsync(int fd)
{
	return sync_with(fd, SYS_fsync);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	if (is_ledger(fd)) {
		errno = disk_is("write")    ? EIO :
			disk_is("readonly") ? EROFS :
					      0;
		if (errno)
			return -1;
		if (disk_is("full")) {
			if (size > 1)
				return syscall(SYS_pwrite64, fd, data, size / 2,
					       offset);
			errno = ENOSPC;
			return -1;
		}
	}
	return syscall(SYS_pwrite64, fd, data, size, offset);
}

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = (mode_t) va_arg(args, int);
	va_end(args);
	if ((flags & O_CREAT) && strstr(path, "/ledger/") &&
	    disk_is("readonly")) {
		errno = EROFS;
		return -1;
	}
	return (int) syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* With a file offset of 64 bits, as here, libc has each under two names. */
_Static_assert(sizeof(off_t) == 8, "off_t is off64_t");
ssize_t pwrite64(int fd, const void *data, size_t size, off_t offset)
	__attribute__((alias("pwrite")));
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
