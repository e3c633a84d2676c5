/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GOVERNANCE_SPANK_DESCRIPTOR_H
#define GOVERNANCE_SPANK_DESCRIPTOR_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Close it, if it is one; errno stays what it was.  Returns -1. */
static inline int descriptor_close(int fd)
{
	int saved = errno;

	if (fd >= 0)
		close(fd);
	errno = saved;
	return -1;
}

/* A stream over the directory; the descriptor stays the caller's.  NULL, with
 * errno. */
static inline DIR *descriptor_list(int fd)
{
	int copy = openat(fd, ".",
			  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);

	if (!stream)
		descriptor_close(copy);
	return stream;
}

#endif
