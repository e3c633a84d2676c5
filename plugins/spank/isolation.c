/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/spank/isolation.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "plugins/spank/mounts.h"
#include "plugins/spank/pins.h"
#include "plugins/spank/private.h"
#include "plugins/spank/rundir.h"

#define MOUNTS (2 * NODE_DIRECTORIES + 2)
#define EPILOG_MS 5000 /* to remove files in; the rest is for the next */
#define START_MS 2000

/* A mount, and what it is to be attached on; both are open. */
struct planned {
	int mount;
	int on;
};

struct plan {
	struct planned mount[MOUNTS];
	int count;
};

bool isolation_wanted(const char *level)
{
	return strcmp(level, "namespace") == 0;
}

static void close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* ---- the mounts of a job ---- */

static bool is_memory(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
}

/* Takes both descriptors over.  -1 with errno: one is none. */
static int add(struct plan *plan, int mount, int on)
{
	plan->mount[plan->count++] = (struct planned){ .mount = mount,
						       .on = on };
	return mount < 0 || on < 0 ? -1 : 0;
}

static int copy_of(int directory)
{
	int mount = directory < 0 ? -1 : mounts_copy(directory);
	int saved = errno;

	close_one(directory);
	errno = saved;
	return mount;
}

/* A directory that the host has not got needs not be private. */
static int plan_job_dir(struct plan *plan, int base, uint32_t job,
			const char *path)
{
	int on = mounts_open_directory(path);

	if (on < 0)
		return errno == ENOENT ? 0 : -1;
	if (is_memory(on))
		return add(plan, mounts_memory(), on);
	return add(plan, copy_of(private_job(base, job, path)), on);
}

static int plan_team_dir(struct plan *plan, int base, const char *team,
			 const char *path)
{
	int on = mounts_open_directory(path);

	if (on < 0)
		return errno == ENOENT ? 0 : -1;
	return add(plan, copy_of(private_team(base, team, path)), on);
}

/* Hosts without /dev/mqueue need none. */
static int plan_queues(struct plan *plan)
{
	int on = mounts_open_directory("/dev/mqueue");

	return on < 0 ? 0 : add(plan, mounts_message_queues(), on);
}

static int plan_proc(struct plan *plan)
{
	int on = mounts_open_directory("/proc");

	return on < 0 ? -1 : add(plan, mounts_proc(), on);
}

static int cannot_be_private(const char *path, struct gov_error *error)
{
	if (errno == ELOOP)
		return gov_error_set(
			error, GOV_E_IO,
			"%s is a link, or behind one; the true "
			"directory must be named in plugstack.conf",
			path);
	return gov_error_set(error, GOV_E_IO, "%s cannot be private: %m", path);
}

/* All mounts, none attached yet: one may hide where another comes from. */
static int make_plan(struct plan *plan, const struct node_args *args,
		     uint32_t job, const char *team, struct gov_error *error)
{
	int base = private_open(args->private_base, true, error);
	const char *what = NULL;
	int rc = 0;

	if (base < 0)
		return -1;
	for (int i = 0; !what && i < args->job_dirs.count; i++)
		if (plan_job_dir(plan, base, job, args->job_dirs.path[i]))
			what = args->job_dirs.path[i];
	for (int i = 0; !what && i < args->team_dirs.count; i++)
		if (plan_team_dir(plan, base, team, args->team_dirs.path[i]))
			what = args->team_dirs.path[i];
	if (!what && plan_queues(plan))
		what = "/dev/mqueue";
	if (!what && args->hide_processes && plan_proc(plan))
		what = "/proc";
	if (what)
		rc = cannot_be_private(what, error);
	close(base);
	return rc;
}

static int attach(const struct plan *plan, struct gov_error *error)
{
	for (int i = 0; i < plan->count; i++)
		if (mounts_attach(plan->mount[i].mount, plan->mount[i].on))
			return gov_error_set(error, GOV_E_IO,
					     "a private directory cannot be "
					     "mounted: %m");
	return 0;
}

static void drop(struct plan *plan)
{
	for (int i = 0; i < plan->count; i++) {
		close_one(plan->mount[i].mount);
		close_one(plan->mount[i].on);
	}
}

/* In a namespace of one's own: what the job shall see. */
static int furnish(const struct node_args *args, uint32_t job, const char *team,
		   struct gov_error *error)
{
	struct plan plan = { .count = 0 };
	char pins[PATH_MAX];
	int rc;

	if (mounts_stop_leaving())
		return gov_error_set(error, GOV_E_IO,
				     "mounts cannot be kept apart: %m");
	if (snprintf(pins, sizeof(pins), "%s/namespaces", args->run_dir) <
	    (int) sizeof(pins))
		umount2(pins, MNT_DETACH | UMOUNT_NOFOLLOW);
	rc = make_plan(&plan, args, job, team, error);
	if (rc == 0)
		rc = attach(&plan, error);
	drop(&plan);
	return rc;
}

/* ---- namespaces ---- */

static int open_namespace(const char *kind)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/*
 * setns() makes the root of the namespace the root of the process: whoever is
 * in a chroot would leave it.
 */
static int refuse_chroot(struct gov_error *error)
{
	struct stat mine, first;

	if (stat("/", &mine) == 0 && stat("/proc/1/root/", &first) == 0 &&
	    mine.st_dev == first.st_dev && mine.st_ino == first.st_ino)
		return 0;
	return gov_error_set(error, GOV_E_IO,
			     "slurmd runs in a chroot, where jobs cannot be "
			     "isolated");
}

static int make_and_hold(const struct node_args *args, const struct pins *pins,
			 uint32_t job, const char *team,
			 struct gov_error *error)
{
	int host_mnt = open_namespace("mnt"), host_ipc = open_namespace("ipc");
	int mnt = -1, ipc = -1, rc = -1;

	if (host_mnt < 0 || host_ipc < 0 ||
	    unshare(CLONE_NEWNS | CLONE_NEWIPC)) {
		gov_error_set(error, GOV_E_IO, "no namespaces: %m");
	} else {
		/* Before /proc is another one. */
		mnt = open_namespace("mnt");
		ipc = open_namespace("ipc");
		rc = furnish(args, job, team, error);
		if (setns(host_mnt, CLONE_NEWNS) ||
		    setns(host_ipc, CLONE_NEWIPC) || mnt < 0 || ipc < 0)
			rc = gov_error_set(error, GOV_E_IO,
					   "the namespaces cannot be left: %m");
		if (rc == 0 && pins_hold(pins, job, mnt, ipc))
			rc = gov_error_set(error, GOV_E_IO,
					   "the namespaces cannot be held: %m");
	}
	close_one(host_mnt);
	close_one(host_ipc);
	close_one(mnt);
	close_one(ipc);
	return rc;
}

/* Found or made.  0, or -1 with error. */
static int provide(const struct node_args *args, uint32_t job, const char *team,
		   int *mnt, int *ipc, struct gov_error *error)
{
	int run_dir = rundir_open(args->run_dir, true, error);
	struct pins pins;
	int rc;

	if (run_dir < 0)
		return -1;
	if (pins_open(&pins, run_dir, true)) {
		gov_error_set(error, GOV_E_IO,
			      "%s/namespaces cannot be used: %m",
			      args->run_dir);
		close(run_dir);
		return -1;
	}
	rc = pins_find(&pins, job, mnt, ipc);
	if (rc) {
		rc = refuse_chroot(error);
		if (rc == 0)
			rc = make_and_hold(args, &pins, job, team, error);
		if (rc == 0 && pins_find(&pins, job, mnt, ipc))
			rc = gov_error_set(error, GOV_E_IO,
					   "the namespaces are lost: %m");
	}
	pins_close(&pins, run_dir);
	close(run_dir);
	return rc;
}

int isolation_make(const struct node_args *args, uint32_t job, const char *team,
		   struct gov_error *error)
{
	int mnt, ipc;

	if (provide(args, job, team, &mnt, &ipc, error))
		return -1;
	close(mnt);
	close(ipc);
	return 0;
}

int isolation_enter(const struct node_args *args, uint32_t job,
		    const char *team, struct gov_error *error)
{
	int mnt, ipc, rc = 0;

	if (provide(args, job, team, &mnt, &ipc, error))
		return -1;
	if (setns(ipc, CLONE_NEWIPC) || setns(mnt, CLONE_NEWNS))
		rc = gov_error_set(error, GOV_E_IO,
				   "the job's namespaces cannot be entered: "
				   "%m");
	close(mnt);
	close(ipc);
	return rc;
}

/* ---- the end ---- */

int isolation_end(const struct node_args *args, uint32_t job,
		  struct gov_error *error)
{
	int run_dir = rundir_open(args->run_dir, false, error);
	struct pins pins;
	int base;

	if (run_dir >= 0 && pins_open(&pins, run_dir, false) == 0) {
		pins_release(&pins, job);
		pins_close(&pins, run_dir);
	}
	close_one(run_dir);
	base = private_open(args->private_base, false, error);
	if (base < 0)
		return errno == ENOENT ? 0 : -1;
	private_discard(base, job);
	private_empty_trash(base, EPILOG_MS);
	close(base);
	return 0;
}

static bool is_held(void *context, uint32_t job)
{
	int mnt, ipc;

	if (!context || pins_find(context, job, &mnt, &ipc))
		return false;
	close(mnt);
	close(ipc);
	return true;
}

void isolation_clean(const struct node_args *args)
{
	struct gov_error error;
	struct pins pins;
	int run_dir = rundir_open(args->run_dir, false, &error);
	bool held = run_dir >= 0 && pins_open(&pins, run_dir, false) == 0;
	int base = private_open(args->private_base, false, &error);

	if (base >= 0)
		private_discard_dead(base, is_held, held ? &pins : NULL);
	if (held)
		pins_close(&pins, run_dir);
	if (base >= 0)
		private_empty_trash(base, START_MS);
	close_one(base);
	close_one(run_dir);
}
