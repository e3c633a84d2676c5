/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mounts, by descriptors and not by names: between looking at a directory and
 * mounting on it nobody can put another one, or a link, in its place.
 *
 * A detached mount is a descriptor; attached nowhere, it goes when that is
 * closed.  Needs Linux 5.12 (mount_setattr); an older kernel is an error with
 * errno ENOSYS.  All are for root, and return -1 with errno on failure.
 */
#ifndef GOVERNANCE_SPANK_MOUNTS_H
#define GOVERNANCE_SPANK_MOUNTS_H

#include <stdbool.h>

/*
 * Open a directory of the host that was named by an administrator; no
 * component may be a link.  A descriptor that mounts can be attached to.
 */
int mounts_open_directory(const char *path);

/* Is this descriptor the root of a mount? */
bool mounts_is_root(int fd);

/*
 * A detached copy of the mount at a directory, without setuid and devices, and
 * without programs if `like` is so.
 */
int mounts_copy(int fd, int like);

/*
 * Make a directory a mount on itself which is of no other namespace.  It is
 * made private after it is attached: on the way it is given what its parent
 * has, and on most hosts that is shared.  A descriptor of it.
 */
int mounts_set_apart(int fd);

/* The last step of that, once more. */
int mounts_keep_apart(int fd);

/* The same as it is, with all mounts below. */
int mounts_copy_all(int fd);

/* A detached new file system of memory, mode 1777, as large as `like`. */
int mounts_memory(int like);

/* A detached /proc in which users see processes of their own only. */
int mounts_proc(void);

/* A detached mqueue file system, of the IPC namespace of the caller. */
int mounts_message_queues(void);

/* Attach a detached mount on top of what the descriptor `on` is. */
int mounts_attach(int mount, int on);

/* Mounts of the host come in here from now on, none of here gets out. */
int mounts_stop_leaving(void);

#endif
