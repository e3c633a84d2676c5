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

#include "plugins/spank/descriptor.h"
#include "plugins/spank/mounts.h"
#include "plugins/spank/pins.h"
#include "plugins/spank/private.h"
#include "plugins/spank/rundir.h"

#define MOUNTS (2 * NODE_DIRECTORIES + 2)
#define EPILOG_MS 2000 /* to remove files in; the rest is for the next */
#define OLDER (-2)

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

/* Takes the directory over. */
static int copy_of(int directory, int on)
{
	int mount = directory < 0 ? -1 : mounts_copy(directory, on);

	descriptor_close(directory);
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
		return add(plan, mounts_memory(on), on);
	return add(plan, copy_of(private_job(base, job, path), on), on);
}

static int plan_team_dir(struct plan *plan, int base, const char *team,
			 const char *path)
{
	int on = mounts_open_directory(path);

	if (on < 0)
		return errno == ENOENT ? 0 : -1;
	return add(plan, copy_of(private_team(base, team, path), on), on);
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
		descriptor_close(plan->mount[i].mount);
		descriptor_close(plan->mount[i].on);
	}
}

/* In a namespace of one's own: what the job shall see. */
static int furnish(const struct node_args *args, uint32_t job, const char *team,
		   struct gov_error *error)
{
	struct plan plan = { .count = 0 };
	char pins[PATH_MAX];
	int rc;

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

static int open_root(void)
{
	return open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static bool is_same(int one, int other)
{
	struct stat a, b;

	return fstat(one, &a) == 0 && fstat(other, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/*
 * Who enters a namespace gets what is mounted on top of its root as root.  In
 * a chroot, or a container without a root of its own, that is not where slurmd
 * is: the root of slurmd is put on top.
 */
static int raise_root(int mnt)
{
	int ours = open_root(), top = -1, copy = -1, rc = -1;

	/* From the top down: in a chroot "/" is not all there is. */
	if (ours >= 0 && setns(mnt, CLONE_NEWNS) == 0 &&
	    mounts_stop_leaving() == 0)
		top = open_root();
	if (top >= 0 && is_same(ours, top)) {
		rc = 0;
	} else if (top >= 0) {
		copy = mounts_copy_all(ours);
		if (copy >= 0 && mounts_attach(copy, top) == 0)
			rc = setns(mnt, CLONE_NEWNS);
	}
	descriptor_close(copy);
	descriptor_close(top);
	descriptor_close(ours);
	return rc;
}

/* Where the process was before, also if that was a chroot. */
static int return_to_host(int mnt, int ipc, int root)
{
	return setns(mnt, CLONE_NEWNS) || setns(ipc, CLONE_NEWIPC) ||
			       fchdir(root) || chroot(".") ?
		       -1 :
		       0;
}

/* In the new namespaces, of which these are the descriptors. */
static int build(const struct node_args *args, uint32_t job, const char *team,
		 int *mnt, int *ipc, struct gov_error *error)
{
	if (unshare(CLONE_NEWNS | CLONE_NEWIPC))
		return gov_error_set(error, GOV_E_IO, "no namespaces: %m");
	*mnt = open_namespace("mnt");
	*ipc = open_namespace("ipc");
	if (*mnt < 0 || *ipc < 0)
		return gov_error_set(error, GOV_E_IO, "no namespaces: %m");
	if (raise_root(*mnt))
		return gov_error_set(error, GOV_E_IO,
				     "mounts cannot be kept apart: %m");
	return furnish(args, job, team, error);
}

/* 0; -1; or OLDER: they count as older than the namespace slurmd is in. */
static int make_and_hold(const struct node_args *args, const struct pins *pins,
			 uint32_t job, const char *team,
			 struct gov_error *error)
{
	int host_mnt = open_namespace("mnt"), host_ipc = open_namespace("ipc");
	int root = open_root(), mnt = -1, ipc = -1, rc = -1;

	if (host_mnt < 0 || host_ipc < 0 || root < 0) {
		gov_error_set(error, GOV_E_IO, "no namespaces: %m");
	} else {
		rc = build(args, job, team, &mnt, &ipc, error);
		if (return_to_host(host_mnt, host_ipc, root))
			rc = gov_error_set(error, GOV_E_IO,
					   "the namespaces cannot be left: %m");
		if (rc == 0 && pins_hold(pins, job, mnt, ipc)) {
			rc = errno == EINVAL ? OLDER : -1;
			gov_error_set(error, GOV_E_IO,
				      "the namespaces cannot be held: %m");
		}
	}
	descriptor_close(root);
	descriptor_close(host_mnt);
	descriptor_close(host_ipc);
	descriptor_close(mnt);
	descriptor_close(ipc);
	return rc;
}

/*
 * Who holds a mount namespace must be in an older one, or they could hold each
 * other.  Linux 6.18 tells age by numbers that each CPU takes from a heap of
 * its own, so a new namespace may look old; not on the CPU where slurmd's was
 * made.
 */
static int make_on_some_cpu(const struct node_args *args,
			    const struct pins *pins, uint32_t job,
			    const char *team, struct gov_error *error)
{
	int rc = make_and_hold(args, pins, job, team, error);
	cpu_set_t allowed, one;

	if (rc != OLDER || sched_getaffinity(0, sizeof(allowed), &allowed))
		return rc ? -1 : 0;
	for (int cpu = 0; rc == OLDER && cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one) == 0)
			rc = make_and_hold(args, pins, job, team, error);
	}
	sched_setaffinity(0, sizeof(allowed), &allowed);
	return rc ? -1 : 0;
}

/* How provide() treats what is there already. */
enum found { FOUND_IS_KEPT, FOUND_IS_OLD };

static int forget(const struct node_args *args, const struct pins *pins,
		  uint32_t job, struct gov_error *error)
{
	int base = private_open(args->private_base, false, error), rc;

	pins_release(pins, job);
	if (base < 0)
		return errno == ENOENT ? 0 : -1;
	rc = private_discard(base, job);
	if (rc)
		gov_error_set(error, GOV_E_IO,
			      "what an earlier job has left in "
			      "private_base=%s cannot be removed: %m",
			      args->private_base);
	close(base);
	return rc;
}

/* With the lock.  0, or -1 with error. */
static int find_or_make(const struct node_args *args, const struct pins *pins,
			uint32_t job, const char *team, enum found found,
			int *mnt, int *ipc, struct gov_error *error)
{
	struct gov_error ignored;

	if (found == FOUND_IS_OLD && forget(args, pins, job, error))
		return -1;
	if (pins_find(pins, job, mnt, ipc) == 0)
		return 0;
	if (make_on_some_cpu(args, pins, job, team, error)) {
		forget(args, pins, job, &ignored);
		return -1;
	}
	if (pins_find(pins, job, mnt, ipc) == 0)
		return 0;
	return gov_error_set(error, GOV_E_IO, "the namespaces are lost: %m");
}

static bool find(int run_dir, uint32_t job, int *mnt, int *ipc)
{
	struct pins pins;
	int rc;

	if (pins_open_to_look(&pins, run_dir))
		return false;
	rc = pins_find(&pins, job, mnt, ipc);
	pins_close(&pins, run_dir);
	return rc == 0;
}

/* Found or made.  0, or -1 with error. */
static int provide(const struct node_args *args, uint32_t job, const char *team,
		   enum found found, int *mnt, int *ipc,
		   struct gov_error *error)
{
	int run_dir = rundir_open(args->run_dir, true, error);
	struct pins pins;
	int rc = -1;

	if (run_dir < 0)
		return -1;
	if (found == FOUND_IS_KEPT && find(run_dir, job, mnt, ipc)) {
		rc = 0;
	} else if (pins_open(&pins, run_dir, true)) {
		gov_error_set(error, GOV_E_IO,
			      "%s/namespaces cannot be used: %m",
			      args->run_dir);
	} else {
		rc = find_or_make(args, &pins, job, team, found, mnt, ipc,
				  error);
		pins_close(&pins, run_dir);
	}
	close(run_dir);
	return rc;
}

int isolation_make(const struct node_args *args, uint32_t job, const char *team,
		   struct gov_error *error)
{
	int mnt, ipc;

	if (provide(args, job, team, FOUND_IS_OLD, &mnt, &ipc, error))
		return -1;
	close(mnt);
	close(ipc);
	return 0;
}

int isolation_enter(const struct node_args *args, uint32_t job,
		    const char *team, struct gov_error *error)
{
	int mnt, ipc, rc = 0;

	if (provide(args, job, team, FOUND_IS_KEPT, &mnt, &ipc, error))
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
	descriptor_close(run_dir);
	base = private_open(args->private_base, false, error);
	if (base < 0)
		return errno == ENOENT ? 0 : -1;
	private_discard(base, job);
	private_empty_trash(base, EPILOG_MS);
	close(base);
	return 0;
}

bool isolation_clean(const struct node_args *args, int milliseconds)
{
	struct gov_error error;
	int base = private_open(args->private_base, false, &error);
	bool clean;

	if (base < 0)
		return errno == ENOENT;
	private_discard_earlier_boots(base);
	clean = private_empty_trash(base, milliseconds);
	close(base);
	return clean;
}
