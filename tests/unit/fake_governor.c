/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/fake_governor.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLIENTS 64

static char directory[64], path[108], conf[108];
static int listener = -1, wake[2] = { -1, -1 };
static pthread_t thread;
static pid_t process;
static enum fake_manner manner;
static struct gov_answer prepared;
static atomic_int requests;
static unsigned char packet[GOV_PACKET_MAX];
static struct gov_submit_request last;

static void clean_up(void)
{
	unlink(path);
	unlink(conf);
	rmdir(directory);
}

static void make_directory(void)
{
	if (*directory)
		return;
	strcpy(directory, "/tmp/gov-test-XXXXXX");
	if (!mkdtemp(directory) || chmod(directory, 0777))
		abort();
	snprintf(path, sizeof(path), "%s/socket", directory);
	snprintf(conf, sizeof(conf), "%s/governance.conf", directory);
	atexit(clean_up);
	setenv("GOVERNANCE_CONF", conf, 1);
}

const char *fake_governor_path(void)
{
	make_directory();
	return path;
}

void fake_governor_conf(const char *lines)
{
	FILE *file;

	make_directory();
	file = fopen(conf, "w");
	if (!file)
		abort();
	fprintf(file, "GovernorSocket=%s\n%s\n", path, lines);
	fclose(file);
}

static void listen_here(int backlog)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	strcpy(address.sun_path, fake_governor_path());
	unlink(path);
	listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (listener < 0 ||
	    bind(listener, (struct sockaddr *) &address, sizeof(address)) ||
	    listen(listener, backlog))
		abort();
}

static void answer_well(int fd)
{
	static unsigned char reply[GOV_PACKET_MAX];
	struct gov_answer answer = prepared;
	long length;

	answer.sequence = last.sequence;
	if (manner == FAKE_ECHOES) {
		answer.action = GOV_ANSWER_ADMIT;
		answer.message = last.submission.name;
	}
	if (manner == FAKE_STRANGE)
		answer.sequence += 7;
	length = gov_answer_encode(&answer, reply, sizeof(reply));
	if (length < 0)
		abort();
	if (manner == FAKE_HALF)
		length /= 2;
	if (manner == FAKE_SLOW)
		usleep(200000);
	send(fd, reply, (size_t) length, MSG_NOSIGNAL);
}

/* false: close the connection. */
static bool answer_one(int fd, size_t length)
{
	static unsigned char big[GOV_PACKET_MAX + 100];
	static const char garbage[] = "GOV\1\3\144\377\377\377\377!";

	if (gov_submit_request_decode(packet, length, &last, NULL))
		abort();
	atomic_fetch_add(&requests, 1);
	switch (manner) {
	case FAKE_SILENT:
	case FAKE_DEAF: return true;
	case FAKE_GARBAGE:
		send(fd, garbage, sizeof(garbage), MSG_NOSIGNAL);
		return true;
	case FAKE_HUGE: send(fd, big, sizeof(big), MSG_NOSIGNAL); return true;
	case FAKE_CLOSES: return false;
	default: answer_well(fd); return true;
	}
}

static void serve_client(struct pollfd *fds, nfds_t *count, nfds_t i)
{
	ssize_t length = recv(fds[i].fd, packet, sizeof(packet), 0);

	if (length > 0 && answer_one(fds[i].fd, (size_t) length))
		return;
	close(fds[i].fd);
	fds[i] = fds[--*count];
}

static void *serve(void *unused)
{
	struct pollfd fds[CLIENTS + 2] = {
		{ .fd = wake[0], .events = POLLIN },
		{ .fd = listener, .events = POLLIN },
	};
	nfds_t count = 2;

	(void) unused;
	while (poll(fds, count, -1) > 0 && !fds[0].revents) {
		for (nfds_t i = count - 1; i > 1; i--)
			if (fds[i].revents)
				serve_client(fds, &count, i);
		if (fds[1].revents && count < CLIENTS + 2) {
			fds[count].fd = accept4(listener, NULL, NULL,
						SOCK_CLOEXEC);
			fds[count].events = POLLIN;
			fds[count++].revents = 0;
		}
	}
	while (count > 2)
		close(fds[--count].fd);
	return NULL;
}

void fake_governor_start(enum fake_manner how, const struct gov_answer *answer)
{
	manner = how;
	memset(&prepared, 0, sizeof(prepared));
	prepared.action = GOV_ANSWER_PASS;
	if (answer)
		prepared = *answer;
	atomic_store(&requests, 0);
	listen_here(how == FAKE_DEAF ? 0 : 64);
	if (how == FAKE_DEAF)
		return;
	if (pipe(wake) || pthread_create(&thread, NULL, serve, NULL))
		abort();
}

void fake_governor_start_as(unsigned uid)
{
	char ready;

	make_directory();
	if (pipe(wake))
		abort();
	process = fork();
	if (process == 0) {
		if (setuid(uid))
			_exit(1);
		listen_here(64);
		if (write(wake[1], "", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	if (read(wake[0], &ready, 1) != 1)
		abort();
}

void fake_governor_stop(void)
{
	if (process > 0) {
		kill(process, SIGKILL);
		waitpid(process, NULL, 0);
	} else if (wake[0] >= 0) {
		if (write(wake[1], "", 1) != 1)
			abort();
		pthread_join(thread, NULL);
	}
	process = 0;
	if (wake[0] >= 0) {
		close(wake[0]);
		close(wake[1]);
	}
	if (listener >= 0)
		close(listener);
	listener = wake[0] = wake[1] = -1;
	unlink(path);
}

int fake_governor_requests(void)
{
	return atomic_load(&requests);
}

const struct gov_submit_request *fake_governor_last(void)
{
	return &last;
}
