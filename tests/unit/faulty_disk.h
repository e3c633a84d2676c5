/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disk that fails when a test wants it to: these stand before libc's own in
 * a test program, so that lib/ledger, linked into it, calls them.
 */
#ifndef GOVERNANCE_TESTS_FAULTY_DISK_H
#define GOVERNANCE_TESTS_FAULTY_DISK_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static struct {
	long room;	 /* bytes that may still be written; -1: no limit */
	int write_error; /* 0, or what writing fails with */
	int sync_error;
	int create_error;
	unsigned syncs;
} disk = { .room = -1 };

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset);
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	if (disk.write_error) {
		errno = disk.write_error;
		return -1;
	}
	/* What is there already needs no room. */
	if (disk.room < 0 || offset + (off_t) size <= lseek(fd, 0, SEEK_END))
		return syscall(SYS_pwrite64, fd, data, size, offset);
	if (disk.room == 0) {
		errno = ENOSPC;
		return -1;
	}
	if ((size_t) disk.room < size)
		size = (size_t) disk.room;
	disk.room -= (long) size;
	return syscall(SYS_pwrite64, fd, data, size, offset);
}

int fdatasync(int fd)
{
	disk.syncs++;
	if (!disk.sync_error)
		return (int) syscall(SYS_fdatasync, fd);
	errno = disk.sync_error;
	return -1;
}

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = (mode_t) va_arg(args, int);
	va_end(args);
	if ((flags & O_CREAT) && disk.create_error) {
		errno = disk.create_error;
		return -1;
	}
	return (int) syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

#endif
