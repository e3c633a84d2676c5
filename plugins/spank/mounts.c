/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls by number: glibc has wrappers since 2.36 only, and its header
 * does not go together with the kernel's.
 */
#include "plugins/spank/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/mount.h>
#include <linux/openat2.h>

#include "plugins/spank/descriptor.h"

#define GUARDED (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

int mounts_open_directory(const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS,
	};

	return (int) syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

bool mounts_is_root(int fd)
{
	struct statx stx;

	return statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &stx) == 0 &&
	       (stx.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

static int set_attributes(int fd, uint64_t set, uint64_t propagation)
{
	struct mount_attr attr = { .attr_set = set,
				   .propagation = propagation };

	return (int) syscall(SYS_mount_setattr, fd, "", AT_EMPTY_PATH, &attr,
			     sizeof(attr));
}

static int copy(int fd, uint64_t set, uint64_t propagation)
{
	int mount = (int) syscall(SYS_open_tree, fd, "",
				  OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC |
					  AT_EMPTY_PATH);

	if (mount >= 0 && set_attributes(mount, set, propagation) != 0)
		return descriptor_close(mount);
	return mount;
}

/* What is not allowed on the host's is not allowed here. */
static uint64_t attributes_like(int like)
{
	struct statvfs fs;

	if (fstatvfs(like, &fs) == 0 && (fs.f_flag & ST_NOEXEC))
		return GUARDED | MOUNT_ATTR_NOEXEC;
	return GUARDED;
}

int mounts_copy(int fd, int like)
{
	return copy(fd, attributes_like(like), MS_PRIVATE);
}

int mounts_keep_apart(int fd)
{
	return set_attributes(fd, GUARDED | MOUNT_ATTR_NOEXEC, MS_PRIVATE);
}

int mounts_set_apart(int fd)
{
	int mount = copy(fd, GUARDED, MS_PRIVATE);

	if (mount >= 0 &&
	    (mounts_attach(mount, fd) != 0 || mounts_keep_apart(mount) != 0))
		return descriptor_close(mount);
	return mount;
}

int mounts_copy_all(int fd)
{
	return (int) syscall(SYS_open_tree, fd, "",
			     OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC |
				     AT_EMPTY_PATH | AT_RECURSIVE);
}

struct setting {
	const char *key, *value;
};

static int set_all(int fs, const struct setting *settings)
{
	for (; settings->key; settings++)
		if (syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING,
			    settings->key, settings->value, 0) != 0)
			return -1;
	return 0;
}

/* A detached mount of a new file system. */
static int new_mount(const char *type, const struct setting *settings,
		     uint64_t attributes)
{
	int fs = (int) syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
	int mount = -1;

	if (fs < 0)
		return -1;
	if (set_all(fs, settings) == 0 &&
	    syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mount = (int) syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC,
				      (unsigned) attributes);
	descriptor_close(fs);
	return mount;
}

int mounts_memory(int like)
{
	char size[32], inodes[32];
	const struct setting settings[] = {
		{ "mode", "1777" },
		{ "size", size },
		{ "nr_inodes", inodes },
		{ NULL, NULL },
	};
	struct statvfs fs;

	/* 0, in both, is the kernel's word for no limit. */
	if (fstatvfs(like, &fs) != 0)
		return -1;
	snprintf(size, sizeof(size), "%llu",
		 (unsigned long long) fs.f_blocks * fs.f_frsize);
	snprintf(inodes, sizeof(inodes), "%llu",
		 (unsigned long long) fs.f_files);
	return new_mount("tmpfs", settings, attributes_like(like));
}

int mounts_proc(void)
{
	const struct setting settings[] = {
		{ "hidepid", "invisible" },
		{ NULL, NULL },
	};

	return new_mount("proc", settings, GUARDED | MOUNT_ATTR_NOEXEC);
}

int mounts_message_queues(void)
{
	const struct setting none = { NULL, NULL };

	return new_mount("mqueue", &none, GUARDED | MOUNT_ATTR_NOEXEC);
}

int mounts_attach(int mount, int on)
{
	return (int) syscall(SYS_move_mount, mount, "", on, "",
			     MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

int mounts_stop_leaving(void)
{
	struct mount_attr attr = { .propagation = MS_SLAVE };

	return (int) syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE,
			     &attr, sizeof(attr));
}
