/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connections are kept for the next question.  A connection is used by one
 * call at a time and only ever has one question under way, so what comes back
 * is the answer to it; one that failed or was late is closed, never reused.
 *
 * The usual call is one send() and one recv() that sleeps: each further system
 * call would be time that slurmctld holds its locks.  The kernel measures the
 * sleep of a recv() in ticks, so it is short against the deadline, and ppoll()
 * waits for the exact rest.
 *
 * A governor that is there but does not answer costs each call the deadline,
 * under slurmctld's locks.  After a few in a row nobody asks for a second.
 */
#include "plugins/job_submit/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "plugins/job_submit/settings.h"

#define KEPT 8 /* idle connections */
#define LATE_IN_A_ROW 5
#define PAUSE_NS 1000000000
#define BACKLOG_WAIT_NS 200000
#define SLEEP_US 8000	       /* of recv(); ticks make it up to 12 ms */
#define SLEEP_ROOM_NS 16000000 /* with less time left it does not sleep */

_Static_assert(sizeof(((struct gov_plugin_settings *) 0)->submit_socket) <=
		       sizeof(((struct sockaddr_un *) 0)->sun_path),
	       "a path of the settings fits into an address");

static struct {
	pthread_mutex_t lock;
	char path[sizeof(((struct sockaddr_un *) 0)->sun_path)];
	int fd[KEPT];
	unsigned count;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

static atomic_uint_fast64_t last_sequence;
static atomic_uint late;		 /* in a row */
static atomic_int_fast64_t paused_until; /* monotonic, ns */

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* ---- connections ---- */

static void forget_all(void)
{
	while (kept.count)
		close(kept.fd[--kept.count]);
}

/* An idle connection to path, or -1. */
static int take(const char *path)
{
	int fd = -1;

	pthread_mutex_lock(&kept.lock);
	if (strcmp(kept.path, path)) {
		forget_all();
		strcpy(kept.path, path);
	}
	if (kept.count)
		fd = kept.fd[--kept.count];
	pthread_mutex_unlock(&kept.lock);
	return fd;
}

static void give_back(const char *path, int fd)
{
	pthread_mutex_lock(&kept.lock);
	if (kept.count < KEPT && !strcmp(kept.path, path)) {
		kept.fd[kept.count++] = fd;
		fd = -1;
	}
	pthread_mutex_unlock(&kept.lock);
	if (fd >= 0)
		close(fd);
}

void ask_stop(void)
{
	pthread_mutex_lock(&kept.lock);
	forget_all();
	pthread_mutex_unlock(&kept.lock);
	atomic_store(&late, 0);
	atomic_store(&paused_until, 0);
}

/* Who listens there must be root, or who slurmctld runs as. */
static int check_peer(int fd, const char *path, struct gov_error *error)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return gov_error_set(error, GOV_E_AUTH,
				     "who listens at %s cannot be told (%m)",
				     path);
	if (peer.uid != 0 && peer.uid != geteuid())
		return gov_error_set(error, GOV_E_AUTH,
				     "uid %u listens at %s, and that is "
				     "neither root nor SlurmUser (uid %u)",
				     peer.uid, path, geteuid());
	return 0;
}

/* connect(), which does not wait; a full backlog is tried again. */
static int connect_until(int fd, const struct sockaddr_un *address,
			 int64_t deadline)
{
	const struct timespec wait = { .tv_nsec = BACKLOG_WAIT_NS };

	while (connect(fd, (const struct sockaddr *) address,
		       sizeof(*address))) {
		if (errno != EAGAIN && errno != EINTR)
			return -1;
		if (now_ns() + BACKLOG_WAIT_NS >= deadline) {
			errno = ETIMEDOUT;
			return -1;
		}
		nanosleep(&wait, NULL);
	}
	return 0;
}

/* From now on recv() sleeps, unless it is told not to. */
static int let_sleep(int fd, struct gov_error *error)
{
	const struct timeval time = { .tv_usec = SLEEP_US };

	if (fcntl(fd, F_SETFL, 0) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)))
		return gov_error_set(error, GOV_E_DOWN, "no socket (%m)");
	return 0;
}

static int open_connection(const char *path, int64_t deadline,
			   struct gov_error *error)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
			0);

	if (fd < 0)
		return gov_error_set(error, GOV_E_DOWN, "no socket (%m)");
	strcpy(address.sun_path, path);
	if (connect_until(fd, &address, deadline)) {
		gov_error_set(error,
			      errno == ETIMEDOUT ? GOV_E_TIMEOUT : GOV_E_DOWN,
			      "no governor at %s (%m)", path);
		close(fd);
		return -1;
	}
	if (check_peer(fd, path, error) || let_sleep(fd, error)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ---- question and answer ---- */

/* 0 when fd is ready; -1 at the deadline. */
static int wait_until(int fd, short events, int64_t deadline)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };

	for (;;) {
		int64_t left = deadline - now_ns();
		struct timespec time = { .tv_sec = left / 1000000000,
					 .tv_nsec = left % 1000000000 };

		if (left <= 0)
			return -1;
		if (ppoll(&poll_fd, 1, &time, NULL) > 0)
			return 0;
	}
}

static int send_until(int fd, const void *packet, size_t length,
		      int64_t deadline, struct gov_error *error)
{
	while (send(fd, packet, length, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return gov_error_set(error, GOV_E_DOWN,
					     "the governor went away (%m)");
		if (wait_until(fd, POLLOUT, deadline))
			return gov_error_set(error, GOV_E_TIMEOUT,
					     "the governor does not read");
	}
	return 0;
}

/* Length of what came, or -1. */
static ssize_t receive_until(int fd, void *packet, size_t size,
			     int64_t deadline, struct gov_error *error)
{
	bool sleep = deadline - now_ns() > SLEEP_ROOM_NS;

	for (;;) {
		ssize_t length = recv(fd, packet, size,
				      MSG_TRUNC | (sleep ? 0 : MSG_DONTWAIT));

		sleep = false; /* once is enough */
		if (length > (ssize_t) size)
			return gov_error_set(error, GOV_E_PROTOCOL,
					     "an answer of %zd bytes", length);
		if (length > 0)
			return length;
		if (!length || (errno != EAGAIN && errno != EINTR))
			return gov_error_set(error, GOV_E_DOWN,
					     "the governor went away");
		if (errno == EAGAIN && wait_until(fd, POLLIN, deadline))
			return gov_error_set(error, GOV_E_TIMEOUT,
					     "the governor did not answer in "
					     "time");
	}
}

struct question {
	const void *packet;
	size_t length;
	uint64_t sequence;
};

static int exchange(int fd, const struct question *question, void *room,
		    int64_t deadline, struct gov_answer *answer,
		    struct gov_error *error)
{
	ssize_t length;

	if (send_until(fd, question->packet, question->length, deadline, error))
		return -1;
	length = receive_until(fd, room, GOV_PACKET_MAX, deadline, error);
	if (length < 0)
		return -1;
	if (gov_answer_decode(room, (size_t) length, answer, error))
		return -1;
	if (answer->sequence != question->sequence)
		return gov_error_set(error, GOV_E_PROTOCOL,
				     "the answer is to another question");
	return 0;
}

/*
 * A kept connection may be one to a governor that has ended since: then a new
 * one is tried.  What fails on a new one has failed.
 */
static int ask_at(const char *path, const struct question *question, void *room,
		  int64_t deadline, struct gov_answer *answer,
		  struct gov_error *error)
{
	for (;;) {
		int fd = take(path);
		bool fresh = fd < 0;
		struct gov_error why = { .code = GOV_OK };

		if (fresh)
			fd = open_connection(path, deadline, error);
		if (fd < 0)
			return -1;
		if (!exchange(fd, question, room, deadline, answer, &why)) {
			give_back(path, fd);
			return 0;
		}
		close(fd);
		if (fresh || why.code != GOV_E_DOWN) {
			if (error)
				*error = why;
			return -1;
		}
	}
}

/* ---- the pause after a row of late answers ---- */

static bool pausing(int64_t now)
{
	return now < atomic_load(&paused_until);
}

static void note_outcome(bool was_late, int64_t now)
{
	if (!was_late) {
		atomic_store(&late, 0);
		return;
	}
	/* After the pause one more late answer is enough for the next. */
	if (atomic_fetch_add(&late, 1) + 1 >= LATE_IN_A_ROW)
		atomic_store(&paused_until, now + PAUSE_NS);
}

int ask_governor(struct gov_submit_request *request, struct ask_room *room,
		 struct gov_answer *answer, struct gov_error *error)
{
	struct gov_plugin_settings settings;
	struct gov_error why = { .code = GOV_OK };
	struct question question = { .packet = room->question };
	int64_t start = now_ns();
	long length;
	int rc;

	request->sequence = atomic_fetch_add(&last_sequence, 1) + 1;
	length = gov_submit_request_encode(request, room->question,
					   sizeof(room->question));
	if (length < 0)
		return gov_error_set(error, GOV_R_REQUEST,
				     "the options of this job are longer than "
				     "%d bytes together; shorten them",
				     GOV_PACKET_MAX);
	if (pausing(start))
		return gov_error_set(error, GOV_E_TIMEOUT,
				     "the governor answered too late several "
				     "times in a row");
	settings_get(&settings);
	question.length = (size_t) length;
	question.sequence = request->sequence;
	rc = ask_at(settings.submit_socket, &question, room->answer,
		    start + settings.deadline_ms * INT64_C(1000000), answer,
		    &why);
	note_outcome(rc && why.code == GOV_E_TIMEOUT, now_ns());
	if (rc && error)
		*error = why;
	return rc;
}
