/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/stream.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

int64_t gov_stream_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t gov_stream_deadline(int timeout_ms)
{
	return gov_stream_clock() + timeout_ms;
}

int gov_stream_remaining(int64_t deadline)
{
	int64_t left = deadline - gov_stream_clock();

	if (left < 0)
		return 0;
	return left > INT_MAX ? INT_MAX : (int) left;
}

/* 0 when the socket is ready (or broken: the next call tells how). */
static int wait_for(int fd, short events, int64_t deadline,
		    struct gov_error *error)
{
	struct pollfd p = { .fd = fd, .events = events };
	int n;

	do {
		n = poll(&p, 1, gov_stream_remaining(deadline));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return gov_error_set(error, GOV_E_IO,
				     "cannot wait for the connection: %s",
				     strerror(errno));
	if (n == 0)
		return gov_error_set(error, GOV_E_TIMEOUT,
				     "the other side did not %s in time",
				     events & POLLIN ? "answer" : "listen");
	return 0;
}

int gov_stream_read(int fd, int64_t deadline, void *data, size_t length,
		    struct gov_error *error)
{
	size_t done = 0;

	while (done < length) {
		ssize_t n = recv(fd, (char *) data + done, length - done,
				 MSG_DONTWAIT);

		if (n > 0) {
			done += (size_t) n;
			/* A peer that drips must not outlive the deadline. */
			if (done < length && !gov_stream_remaining(deadline))
				return wait_for(fd, POLLIN, deadline, error);
			continue;
		}
		if (n == 0 && done == 0)
			return 1;
		if (n == 0)
			return gov_error_set(
				error, GOV_E_PROTOCOL,
				"the other side closed the connection in the middle of a message");
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN && errno != EWOULDBLOCK)
			return gov_error_set(error, GOV_E_IO,
					     "the connection failed: %s",
					     strerror(errno));
		if (wait_for(fd, POLLIN, deadline, error) < 0)
			return -1;
	}
	return 0;
}

int gov_stream_write(int fd, int64_t deadline, const void *data, size_t length,
		     struct gov_error *error)
{
	size_t done = 0;

	while (done < length) {
		ssize_t n = send(fd, (const char *) data + done, length - done,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n >= 0) {
			done += (size_t) n;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN && errno != EWOULDBLOCK)
			return gov_error_set(error, GOV_E_IO,
					     "the connection failed: %s",
					     strerror(errno));
		if (wait_for(fd, POLLOUT, deadline, error) < 0)
			return -1;
	}
	return 0;
}
