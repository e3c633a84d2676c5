/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GOVERNANCE_SPANK_DESCRIPTOR_H
#define GOVERNANCE_SPANK_DESCRIPTOR_H

#include <errno.h>
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

#endif
