/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Isolation=namespace without Slurm.  Needs root and Linux 5.12; each test
 * runs in a process and a mount namespace of its own, so that whatever it
 * leaves mounted goes with it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugins/spank/isolation.h"
#include "plugins/spank/mounts.h"
#include "plugins/spank/private.h"
#include "sgov/stale.h"
#include "tests/unit/unit.h"

#define NOBODY 65534

static char top[64]; /* all is below it */
static struct node_args args;
static struct gov_error error;

static const char *in_top(const char *name)
{
	static char path[8][256];
	static unsigned next;
	char *p = path[next++ % 8];

	snprintf(p, sizeof(path[0]), "%s/%s", top, name);
	return p;
}

/* Of job 0: that of all. */
static const char *job_dir(unsigned job)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
	char id[64] = "", name[128];

	ck_assert_int_eq(fscanf(file, "%63s", id), 1);
	fclose(file);
	snprintf(name, sizeof(name), job ? "base/jobs-%s/%u" : "base/jobs-%s",
		 id, job);
	return in_top(name);
}

static void write_to(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_msg(fd >= 0, "%s: %s", path, strerror(errno));
	close(fd);
}

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static int mounts(void)
{
	FILE *file = fopen("/proc/self/mountinfo", "r");
	int lines = 0;

	ck_assert_ptr_nonnull(file);
	for (int c; (c = getc(file)) != EOF;)
		lines += c == '\n';
	fclose(file);
	return lines;
}

static int descriptors(void)
{
	DIR *stream = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(stream))
		count++;
	closedir(stream);
	return count;
}

static void set_up(void)
{
	static char run_dir[128], base[128];

	ck_assert_int_eq(unshare(CLONE_NEWNS), 0);
	ck_assert_int_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	snprintf(top, sizeof(top), "/tmp/test_isolation.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	chmod(top, 0755);
	mkdir(in_top("own"), 0755);
	mkdir(in_top("shared"), 0755);
	snprintf(run_dir, sizeof(run_dir), "%s", in_top("run"));
	snprintf(base, sizeof(base), "%s", in_top("base"));
	node_args_parse(&args, 0, NULL, NULL);
	args.run_dir = run_dir;
	args.private_base = base;
	args.job_dirs.count = args.team_dirs.count = 1;
	strcpy(args.job_dirs.path[0], in_top("own"));
	strcpy(args.team_dirs.path[0], in_top("shared"));
}

static void tear_down(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf --one-file-system %s", top);
	ck_assert_int_eq(system(command), 0);
}

/* ---- processes of jobs ---- */

/* Runs in the job; its result is an exit code. */
static int in_job(uint32_t job, const char *team, int (*body)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (isolation_enter(&args, job, team, &error) != 0) {
			fprintf(stderr, "%s\n", error.text);
			_exit(99);
		}
		_exit(body());
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int leave_files(void)
{
	write_to(in_top("own/mine"));
	write_to(in_top("shared/ours"));
	return 0;
}

/* Bits: the job's file is there, the team's is. */
static int look(void)
{
	return exists(in_top("own/mine")) | exists(in_top("shared/ours")) << 1;
}

START_TEST(job_and_team_have_their_own)
{
	int before = mounts();

	ck_assert_int_eq(isolation_make(&args, 1, "vision", &error), 0);
	ck_assert_int_eq(isolation_make(&args, 2, "vision", &error), 0);
	ck_assert_int_eq(isolation_make(&args, 3, "nlp", &error), 0);
	ck_assert_int_eq(in_job(1, "vision", leave_files), 0);
	ck_assert_int_eq(look(), 0);
	ck_assert_int_eq(in_job(1, "vision", look), 3);
	ck_assert_int_eq(in_job(2, "vision", look), 2);
	ck_assert_int_eq(in_job(3, "nlp", look), 0);
	for (uint32_t job = 1; job <= 3; job++)
		ck_assert_int_eq(isolation_end(&args, job, &error), 0);
	ck_assert_int_eq(mounts(), before);
	ck_assert(!exists(job_dir(1)));
	/* A job of the same number is another job; the team is the same. */
	ck_assert_int_eq(in_job(1, "vision", look), 2);
	ck_assert_int_eq(isolation_end(&args, 1, &error), 0);
}
END_TEST

static int make_segment(void)
{
	return shmget(0x676f76, 4096, IPC_CREAT | 0666) < 0;
}

static int find_segment(void)
{
	return shmget(0x676f76, 4096, 0) < 0 && errno == ENOENT;
}

START_TEST(shared_memory_is_the_jobs)
{
	ck_assert_int_eq(isolation_make(&args, 1, "vision", &error), 0);
	ck_assert_int_eq(in_job(1, "vision", make_segment), 0);
	ck_assert_int_eq(in_job(1, "vision", find_segment), 0);
	ck_assert_int_eq(find_segment(), 1);
	ck_assert_int_eq(in_job(2, "vision", find_segment), 1);
	isolation_end(&args, 1, &error);
	isolation_end(&args, 2, &error);
	/* Gone with its job. */
	ck_assert_int_eq(in_job(1, "vision", find_segment), 1);
	isolation_end(&args, 1, &error);
}
END_TEST

static int see_init(void)
{
	char self[32];

	if (setgid(NOBODY) || setuid(NOBODY))
		return 98;
	snprintf(self, sizeof(self), "/proc/%d", (int) getpid());
	return exists("/proc/1") | exists(self) << 1;
}

START_TEST(processes_of_others_are_hidden)
{
	ck_assert_int_eq(in_job(1, "vision", see_init), 2);
	isolation_end(&args, 1, &error);
	args.hide_processes = false;
	ck_assert_int_eq(in_job(1, "vision", see_init), 3);
	isolation_end(&args, 1, &error);
}
END_TEST

/* May a user write there, and is nobody's setuid program worth anything? */
static int use_as_user(void)
{
	struct stat st;

	if (stat(in_top("own"), &st) || (st.st_mode & 07777) != 01777)
		return 1;
	if (mknod(in_top("own/null"), S_IFCHR | 0666, 1 << 8 | 3))
		return 2;
	if (open(in_top("own/null"), O_RDONLY) >= 0 || errno != EACCES)
		return 3; /* devices do not work there */
	if (setgid(NOBODY) || setuid(NOBODY))
		return 4;
	write_to(in_top("own/x"));
	write_to(in_top("shared/x"));
	return exists(job_dir(1)) ? 5 : 0;
}

START_TEST(users_can_use_them)
{
	ck_assert_int_eq(in_job(1, "vision", use_as_user), 0);
	isolation_end(&args, 1, &error);
}
END_TEST

static int inside(void)
{
	struct stat st;

	return stat(in_top("run/namespaces"), &st) == 0 && st.st_ino ?
		       mounts() :
		       0;
}

START_TEST(no_copies_of_pins)
{
	int alone;

	alone = in_job(1, "vision", inside);
	for (uint32_t job = 2; job < 10; job++)
		ck_assert_int_eq(isolation_make(&args, job, "vision", &error),
				 0);
	ck_assert_int_eq(in_job(10, "vision", inside), alone);
	for (uint32_t job = 1; job <= 10; job++)
		isolation_end(&args, job, &error);
}
END_TEST

START_TEST(memory_stays_memory)
{
	int before;

	mount("none", in_top("own"), "tmpfs", 0, NULL);
	before = mounts();
	ck_assert_int_eq(in_job(1, "vision", leave_files), 0);
	ck_assert_int_eq(in_job(1, "vision", look), 3);
	ck_assert(!exists(job_dir(1)));
	ck_assert_int_eq(look(), 0);
	isolation_end(&args, 1, &error);
	ck_assert_int_eq(mounts(), before);
	umount(in_top("own"));
}
END_TEST

/* ---- what goes wrong ---- */

START_TEST(links_are_refused)
{
	int before = mounts(), fds = descriptors();

	rmdir(in_top("own"));
	ck_assert_int_eq(symlink("/etc", in_top("own")), 0);
	ck_assert_int_eq(isolation_make(&args, 1, "vision", &error), -1);
	ck_assert_ptr_nonnull(strstr(error.text, "is a link"));
	ck_assert_int_eq(mounts(), before);
	ck_assert_int_eq(descriptors(), fds);
	unlink(in_top("own"));
	/* What is not there needs not be private. */
	ck_assert_int_eq(isolation_make(&args, 1, "vision", &error), 0);
	isolation_end(&args, 1, &error);
}
END_TEST

START_TEST(guarded_directories)
{
	mkdir(in_top("base"), 0777);
	chmod(in_top("base"), 0777);
	ck_assert_int_eq(isolation_make(&args, 1, "vision", &error), -1);
	ck_assert_ptr_nonnull(strstr(error.text, "open to them"));
	chmod(in_top("base"), 0700);
	ck_assert_int_eq(chown(in_top("base"), NOBODY, NOBODY), 0);
	ck_assert_int_eq(isolation_make(&args, 1, "vision", &error), -1);
	ck_assert_int_eq(chown(in_top("base"), 0, 0), 0);
	ck_assert_int_eq(symlink("/etc", job_dir(0)), 0);
	ck_assert_int_eq(isolation_make(&args, 1, "vision", &error), -1);
	unlink(job_dir(0));
	ck_assert_int_eq(isolation_make(&args, 1, "..", &error), 0);
	ck_assert(exists(in_top("base/teams/t...")));
	isolation_end(&args, 1, &error);
}
END_TEST

START_TEST(cut_off_in_the_middle)
{
	int before = mounts();

	ck_assert_int_eq(isolation_make(&args, 1, "vision", &error), 0);
	/* As after a crash between the two pins. */
	ck_assert_int_eq(umount2(in_top("run/namespaces/1.mnt"), MNT_DETACH),
			 0);
	ck_assert_int_eq(in_job(1, "vision", leave_files), 0);
	ck_assert_int_eq(in_job(1, "vision", look), 3);
	isolation_end(&args, 1, &error);
	isolation_end(&args, 1, &error);
	ck_assert_int_eq(mounts(), before);
}
END_TEST

START_TEST(what_an_earlier_job_left_is_not_the_next_ones)
{
	int before = mounts();

	ck_assert_int_eq(isolation_make(&args, 1, "vision", &error), 0);
	ck_assert_int_eq(in_job(1, "vision", leave_files), 0);
	/* No epilog. */
	ck_assert_int_eq(isolation_make(&args, 1, "nlp", &error), 0);
	ck_assert_int_eq(in_job(1, "nlp", look), 0);
	isolation_end(&args, 1, &error);
	ck_assert_int_eq(mounts(), before);
}
END_TEST

/* What slurmd does when it starts concerns jobs before a reboot only. */
START_TEST(start_of_slurmd_cleans)
{
	isolation_make(&args, 1, "vision", &error);
	in_job(1, "vision", leave_files);
	isolation_clean(&args, 2000);
	ck_assert_int_eq(in_job(1, "vision", look), 3);
	/* Not even if run_dir is another by now. */
	rename(in_top("run"), in_top("elsewhere"));
	isolation_clean(&args, 2000);
	ck_assert(exists(job_dir(1)));
	rename(in_top("elsewhere"), in_top("run"));
	isolation_end(&args, 1, &error);

	ck_assert_int_eq(mkdir(in_top("base/jobs-0"), 0700), 0);
	ck_assert_int_eq(mkdir(in_top("base/jobs-0/3"), 0700), 0);
	write_to(in_top("base/jobs-0/3/x"));
	isolation_clean(&args, 2000);
	ck_assert(!exists(in_top("base/jobs-0")));
	ck_assert(exists(in_top("base/teams/t.vision")));
	ck_assert_int_eq(rmdir(in_top("base/trash")), 0);
}
END_TEST

/* ---- sgov node clean ---- */

/* A process that stays in the job's namespaces. */
static pid_t stay_in_job(uint32_t job)
{
	int ready[2];
	pid_t pid;
	char c;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		if (isolation_enter(&args, job, "vision", &error) == 0 &&
		    write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

static void list_jobs(struct stale *stale)
{
	stale_free(stale);
	ck_assert_int_eq(stale_list(&args, stale, &error), 0);
}

static bool alive_in(struct stale *stale, const char *squeue, uint32_t job)
{
	char text[128];

	snprintf(text, sizeof(text), "%s", squeue);
	list_jobs(stale);
	ck_assert_int_eq(stale_mark_alive(stale, text), 0);
	return stale_find(stale, job)->alive;
}

START_TEST(jobs_that_live_are_marked)
{
	char nonsense[][24] = {
		"slurm_load_jobs: error", "1", "1 R R", "-1 R", "1 COMPLETED",
		"12345678901 R"
	};
	struct stale stale = { 0 };

	list_jobs(&stale);
	ck_assert_uint_eq(stale.count, 0);
	ck_assert_ptr_null(stale_find(&stale, 1));
	isolation_make(&args, 12, "vision", &error);
	isolation_make(&args, 1, "vision", &error);
	mkdir(in_top("run/namespaces/13.mnt.x"), 0700);
	mkdir(in_top("run/namespaces/013.mnt"), 0700);
	list_jobs(&stale);
	ck_assert_uint_eq(stale.count, 2);
	ck_assert_uint_eq(stale.job[0].job, 1);
	ck_assert(!alive_in(&stale, "", 1));
	ck_assert(!alive_in(&stale, "12 R\n2 R\n", 1));
	ck_assert(alive_in(&stale, "2 R\n12 R\n", 12));
	ck_assert(alive_in(&stale, "1 CG", 1));
	ck_assert(alive_in(&stale, "1 PD\n", 1));
	ck_assert(alive_in(&stale, "1 ??\n", 1)); /* of a later release */
	ck_assert(!alive_in(&stale, "1 F\n", 1));
	ck_assert(!alive_in(&stale, "12 R\n1 OOM\n", 1));
	for (size_t i = 0; i < sizeof(nonsense) / sizeof(*nonsense); i++)
		ck_assert_int_eq(stale_mark_alive(&stale, nonsense[i]), -1);
	rmdir(in_top("run/namespaces/13.mnt.x"));
	rmdir(in_top("run/namespaces/013.mnt"));
	isolation_end(&args, 1, &error);
	isolation_end(&args, 12, &error);
	stale_free(&stale);
}
END_TEST

START_TEST(jobs_with_processes_are_alive)
{
	struct stale stale = { 0 };
	pid_t pid;

	isolation_make(&args, 1, "vision", &error);
	isolation_make(&args, 2, "vision", &error);
	pid = stay_in_job(2);
	list_jobs(&stale);
	ck_assert_int_eq(stale_mark_used(&stale, &error), 0);
	ck_assert(!stale_find(&stale, 1)->alive);
	ck_assert(stale_find(&stale, 2)->alive);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	list_jobs(&stale);
	ck_assert_int_eq(stale_mark_used(&stale, &error), 0);
	ck_assert(!stale_find(&stale, 2)->alive);
	isolation_end(&args, 1, &error);
	isolation_end(&args, 2, &error);
	stale_free(&stale);
}
END_TEST

START_TEST(what_is_stale_goes)
{
	int before = mounts(), open_before = descriptors();
	struct stale stale = { 0 };

	isolation_make(&args, 1, "vision", &error);
	isolation_make(&args, 2, "vision", &error);
	in_job(1, "vision", leave_files);
	in_job(2, "vision", leave_files);
	list_jobs(&stale);
	ck_assert_int_eq(stale_remove(&args, stale_find(&stale, 1), &error), 1);
	ck_assert(!exists(in_top("run/namespaces/1.mnt")));
	ck_assert(!exists(job_dir(1)));
	ck_assert_int_eq(in_job(2, "vision", look), 3);
	ck_assert_int_eq(stale_remove(&args, stale_find(&stale, 2), &error), 1);
	ck_assert(isolation_clean(&args, 2000));
	ck_assert_int_eq(mounts(), before);
	ck_assert_int_eq(descriptors(), open_before);
	ck_assert_int_eq(rmdir(in_top("base/trash")), 0);
	ck_assert(exists(in_top("base/teams/t.vision")));
	stale_free(&stale);
}
END_TEST

/* Its prolog ran while slurmctld was asked. */
START_TEST(a_job_that_begins_anew_stays)
{
	struct stale stale = { 0 };

	isolation_make(&args, 1, "vision", &error);
	list_jobs(&stale);
	isolation_make(&args, 1, "vision", &error);
	in_job(1, "vision", leave_files);
	ck_assert_int_eq(stale_remove(&args, stale_find(&stale, 1), &error), 0);
	ck_assert_int_eq(in_job(1, "vision", look), 3);

	/* Half of one, of a prolog that was cut off, is another's, too. */
	umount2(in_top("run/namespaces/1.mnt"), MNT_DETACH);
	list_jobs(&stale);
	ck_assert_int_eq(stale_remove(&args, stale_find(&stale, 1), &error), 1);
	ck_assert(!exists(in_top("run/namespaces/1.mnt")));
	ck_assert(!exists(in_top("run/namespaces/1.ipc")));
	stale_free(&stale);
}
END_TEST

START_TEST(cleaning_follows_no_links)
{
	struct stale stale = { 0 };

	isolation_make(&args, 1, "vision", &error);
	list_jobs(&stale);
	mkdir(in_top("victim"), 0700);
	write_to(in_top("victim/1"));
	isolation_end(&args, 1, &error);
	rename(job_dir(0), in_top("base/elsewhere"));
	ck_assert_int_eq(symlink(in_top("victim"), job_dir(0)), 0);
	ck_assert_int_lt(stale_list(&args, &stale, &error), 0);
	ck_assert_int_ne(stale_remove(&args, &stale.job[0], &error), 1);
	ck_assert(exists(in_top("victim/1")));
	unlink(job_dir(0));
	chmod(in_top("run"), 0777);
	ck_assert_int_lt(stale_list(&args, &stale, &error), 0);
	ck_assert_int_lt(stale_remove(&args, &stale.job[0], &error), 0);
	stale_free(&stale);
}
END_TEST

/* Most hosts share their mounts, and services have slaves of them. */
START_TEST(mounts_of_a_host_that_shares_them)
{
	int ready[2], pid, status, before;
	char byte = 0;

	ck_assert_int_eq(mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL), 0);
	before = mounts();
	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		int mine;

		unshare(CLONE_NEWNS);
		mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL);
		mine = mounts();
		ck_assert_int_eq(write(ready[1], &byte, 1), 1);
		raise(SIGSTOP);
		_exit(mounts() - mine);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	ck_assert_int_eq(isolation_make(&args, 1, "vision", &error), 0);
	ck_assert_int_eq(isolation_make(&args, 2, "vision", &error), 0);
	ck_assert_int_eq(in_job(1, "vision", leave_files), 0);
	ck_assert_int_eq(look(), 0);
	/* run_dir/namespaces, and four pins */
	ck_assert_int_eq(mounts(), before + 5);
	waitpid(pid, &status, WUNTRACED);
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	ck_assert_int_le(WEXITSTATUS(status), 1); /* the empty directory */
	isolation_end(&args, 1, &error);
	isolation_end(&args, 2, &error);
	ck_assert_int_eq(mounts(), before);
	close(ready[0]);
	close(ready[1]);
}
END_TEST

/* A user can stop a task while it is root's. */
START_TEST(who_stops_with_the_lock)
{
	int lock, mnt_before = mounts();

	ck_assert_int_eq(isolation_make(&args, 1, "vision", &error), 0);
	lock = open(in_top("run/namespaces.lock"), O_RDWR);
	ck_assert_int_eq(flock(lock, LOCK_EX), 0);
	ck_assert_int_eq(in_job(1, "vision", leave_files), 0);
	ck_assert_int_eq(isolation_make(&args, 2, "vision", &error), -1);
	ck_assert_ptr_nonnull(strstr(error.text, "cannot be used"));
	close(lock);
	isolation_end(&args, 1, &error);
	ck_assert_int_eq(mounts(), mnt_before);
}
END_TEST

static int measure(void)
{
	struct statvfs fs;

	return statvfs(in_top("own"), &fs) == 0 && (fs.f_flag & ST_NOEXEC) &&
			       fs.f_blocks * fs.f_frsize == 1048576 ?
		       0 :
		       1;
}

START_TEST(limits_of_the_host_hold)
{
	mount("none", in_top("own"), "tmpfs", MS_NOEXEC, "size=1m");
	ck_assert_int_eq(in_job(1, "vision", measure), 0);
	isolation_end(&args, 1, &error);
	umount(in_top("own"));
}
END_TEST

START_TEST(directories_made_beforehand_are_closed)
{
	struct stat st;

	mkdir(in_top("base"), 0755);
	mkdir(in_top("base/teams"), 0755);
	mkdir(in_top("base/teams/t.vision"), 0755);
	ck_assert_int_eq(in_job(1, "vision", leave_files), 0);
	ck_assert_int_eq(stat(in_top("base/teams/t.vision"), &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0700);
	isolation_end(&args, 1, &error);
}
END_TEST

START_TEST(hundreds_leave_nothing)
{
	int before = mounts(), fds = descriptors();

	for (uint32_t job = 1; job <= 200; job++) {
		ck_assert_int_eq(isolation_make(&args, job, "vision", &error),
				 0);
		if (job > 10)
			isolation_end(&args, job - 10, &error);
	}
	for (uint32_t job = 191; job <= 200; job++)
		isolation_end(&args, job, &error);
	ck_assert_int_eq(mounts(), before);
	ck_assert_int_eq(descriptors(), fds);
	ck_assert_int_eq(rmdir(job_dir(0)), 0);
	ck_assert_int_eq(rmdir(in_top("base/trash")), 0);
	ck_assert_int_eq(rmdir(in_top("run/namespaces")), 0);
}
END_TEST

/* ---- removing what users left ---- */

static int open_job(int *base)
{
	*base = private_open(args.private_base, true, &error);
	ck_assert_int_ge(*base, 0);
	return private_job(*base, 7, "/tmp");
}

START_TEST(removing_follows_nothing)
{
	int base, fd = open_job(&base);

	write_to(in_top("own/precious"));
	ck_assert_int_eq(symlinkat(in_top("own"), fd, "to-directory"), 0);
	ck_assert_int_eq(symlinkat(in_top("own/precious"), fd, "to-file"), 0);
	ck_assert_int_eq(linkat(AT_FDCWD, in_top("own/precious"), fd, "hard",
				0),
			 0);
	ck_assert_int_eq(mkfifoat(fd, "fifo", 0600), 0);
	ck_assert_int_eq(mkdirat(fd, "locked", 0), 0);
	ck_assert_int_eq(mkdirat(fd, "locked/in", 0), 0);
	ck_assert_int_eq(mkdirat(fd, "\n", 0700), 0);
	close(fd);
	private_discard(base, 7);
	ck_assert(private_empty_trash(base, 10000));
	ck_assert(exists(in_top("own/precious")));
	ck_assert(!exists(job_dir(7)));
	ck_assert_int_eq(rmdir(in_top("base/trash")), 0);
	close(base);
}
END_TEST

/* Deeper than any path, any stack and any limit of descriptors. */
START_TEST(removing_deep_trees)
{
	int base, fd = open_job(&base);

	for (int i = 0; i < 5000; i++) {
		int next;

		ck_assert_int_eq(mkdirat(fd, "d", 0700), 0);
		next = openat(fd, "d", O_RDONLY | O_DIRECTORY);
		ck_assert_int_ge(next, 0);
		close(fd);
		fd = next;
	}
	close(fd);
	private_discard(base, 7);
	ck_assert(private_empty_trash(base, 60000));
	ck_assert_int_eq(rmdir(in_top("base/trash")), 0);
	close(base);
}
END_TEST

START_TEST(removing_takes_its_time)
{
	int base, fd = open_job(&base), calls = 0;

	for (int i = 0; i < 2000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", i);
		mkdirat(fd, name, 0700);
	}
	close(fd);
	private_discard(base, 7);
	while (!private_empty_trash(base, 1))
		ck_assert_int_lt(calls++, 100000);
	ck_assert_int_eq(rmdir(in_top("base/trash")), 0);
	/* Nothing to do is no failure. */
	ck_assert(private_empty_trash(base, 0));
	private_discard(base, 8);
	close(base);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, job_and_team_have_their_own);
	tcase_add_test(tcase, shared_memory_is_the_jobs);
	tcase_add_test(tcase, processes_of_others_are_hidden);
	tcase_add_test(tcase, users_can_use_them);
	tcase_add_test(tcase, no_copies_of_pins);
	tcase_add_test(tcase, memory_stays_memory);
	tcase_add_test(tcase, links_are_refused);
	tcase_add_test(tcase, guarded_directories);
	tcase_add_test(tcase, cut_off_in_the_middle);
	tcase_add_test(tcase, what_an_earlier_job_left_is_not_the_next_ones);
	tcase_add_test(tcase, start_of_slurmd_cleans);
	tcase_add_test(tcase, jobs_that_live_are_marked);
	tcase_add_test(tcase, jobs_with_processes_are_alive);
	tcase_add_test(tcase, what_is_stale_goes);
	tcase_add_test(tcase, a_job_that_begins_anew_stays);
	tcase_add_test(tcase, cleaning_follows_no_links);
	tcase_add_test(tcase, mounts_of_a_host_that_shares_them);
	tcase_add_test(tcase, who_stops_with_the_lock);
	tcase_add_test(tcase, limits_of_the_host_hold);
	tcase_add_test(tcase, directories_made_beforehand_are_closed);
	tcase_add_test(tcase, hundreds_leave_nothing);
	tcase_add_test(tcase, removing_follows_nothing);
	tcase_add_test(tcase, removing_deep_trees);
	tcase_add_test(tcase, removing_takes_its_time);
}

/* Not in containers, in a chroot that is no mount, on old kernels. */
static bool is_possible(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(unshare(CLONE_NEWNS | CLONE_NEWIPC) ||
		      mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		      mounts_stop_leaving());
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

int main(void)
{
	if (!is_possible()) {
		puts("needs root, namespaces and Linux 5.12");
		return 77;
	}
	return unit_main("isolation", cases);
}
