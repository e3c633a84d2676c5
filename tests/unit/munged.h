/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A munged of the test's own, with its own key, in a temporary folder.  It
 * dies with the test.
 */
#ifndef GOVERNANCE_TESTS_MUNGED_H
#define GOVERNANCE_TESTS_MUNGED_H

#include <fcntl.h>
#include <munge.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNIT_SKIP 77 /* automake: this test cannot run here */

static char munged_folder[] = "/tmp/gov-munged-XXXXXX";
static char munged_socket[64];
static pid_t munged_pid;

static bool munged_write_key(const char *path)
{
	unsigned char key[128];
	int from = open("/dev/urandom", O_RDONLY);
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL, 0400);
	bool ok = from >= 0 && to >= 0 &&
		  read(from, key, sizeof(key)) == sizeof(key) &&
		  write(to, key, sizeof(key)) == sizeof(key);

	close(from);
	close(to);
	return ok;
}

static void munged_exec(void)
{
	char key[64], pid[64], log[64], seed[64], sock[80];

	snprintf(key, sizeof(key), "--key-file=%s/key", munged_folder);
	snprintf(pid, sizeof(pid), "--pid-file=%s/pid", munged_folder);
	snprintf(log, sizeof(log), "--log-file=%s/log", munged_folder);
	snprintf(seed, sizeof(seed), "--seed-file=%s/seed", munged_folder);
	snprintf(sock, sizeof(sock), "--socket=%s", munged_socket);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!freopen("/dev/null", "w", stderr))
		_exit(127);
	setenv("PATH", "/usr/sbin:/sbin:/usr/local/sbin:/usr/bin:/bin", 1);
	execlp("munged", "munged", "--foreground", key, pid, log, seed, sock,
	       "--num-threads=2", (char *) NULL);
	_exit(127);
}

static bool munged_answers(void)
{
	munge_ctx_t context = munge_ctx_create();
	char *credential = NULL;
	bool ok;

	munge_ctx_set(context, MUNGE_OPT_SOCKET, munged_socket);
	ok = access(munged_socket, F_OK) == 0 &&
	     munge_encode(&credential, context, "", 0) == EMUNGE_SUCCESS;
	free(credential);
	munge_ctx_destroy(context);
	return ok;
}

static void munged_stop(void)
{
	static const char *const files[] = { "key",  "pid",    "log",
					     "seed", "socket", "socket.lock" };
	char path[80];

	if (munged_pid > 0) {
		kill(munged_pid, SIGKILL);
		waitpid(munged_pid, NULL, 0);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", munged_folder, files[i]);
		unlink(path);
	}
	rmdir(munged_folder);
}

/*
 * Start it, or leave the program: with UNIT_SKIP where no munged is
 * installed, as a failure where there is one that does not work.
 */
static void munged_start(void)
{
	char key[64];
	int status;

	if (!mkdtemp(munged_folder) || chmod(munged_folder, 0755) < 0) {
		perror("munged: folder");
		exit(EXIT_FAILURE);
	}
	snprintf(key, sizeof(key), "%s/key", munged_folder);
	snprintf(munged_socket, sizeof(munged_socket), "%s/socket",
		 munged_folder);
	if (!munged_write_key(key)) {
		perror("munged: key");
		exit(EXIT_FAILURE);
	}
	munged_pid = fork();
	if (munged_pid == 0)
		munged_exec();
	for (int i = 0; i < 200 && munged_pid > 0; i++) {
		if (munged_answers())
			return;
		if (waitpid(munged_pid, &status, WNOHANG) == munged_pid)
			munged_pid = 0;
		usleep(50000);
	}
	munged_stop();
	if (munged_pid == 0 && WIFEXITED(status) &&
	    WEXITSTATUS(status) == 127) {
		fprintf(stderr,
			"SKIP: no munged here (Debian package munge)\n");
		exit(UNIT_SKIP);
	}
	fprintf(stderr, "munged does not start\n");
	exit(EXIT_FAILURE);
}

#endif
