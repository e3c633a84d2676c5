/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/client.h"

#include <errno.h>
#include <json-c/json.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/frame.h"
#include "wire/stream.h"

/* Finish a connect() that is under way.  0, or an errno. */
static int finish_connect(int fd, int64_t deadline)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	socklen_t size = sizeof(int);
	int code = 0, n;

	do {
		n = poll(&p, 1, gov_stream_remaining(deadline));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno;
	if (n == 0)
		return ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size) < 0)
		return errno;
	return code;
}

/* A connected socket, or -1 with errno. */
static int try_address(const struct addrinfo *address, int64_t deadline)
{
	int fd = socket(address->ai_family,
			address->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
			address->ai_protocol);
	int code = 0;

	if (fd < 0)
		return -1;
	if (connect(fd, address->ai_addr, address->ai_addrlen) < 0)
		code = errno == EINPROGRESS || errno == EINTR ?
			       finish_connect(fd, deadline) :
			       errno;
	if (code == 0)
		return fd;
	close(fd);
	errno = code;
	return -1;
}

/* Tries the addresses of the host in turn; the last failure is told. */
static int connect_to(const char *host, uint16_t port, int64_t deadline,
		      struct gov_error *error)
{
	struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV,
	};
	struct addrinfo *list, *a;
	int fd = -1, code, left = 0;
	char service[8];

	snprintf(service, sizeof(service), "%u", port);
	code = getaddrinfo(host, service, &hints, &list);
	if (code)
		return gov_error_set(error, GOV_E_DOWN,
				     "cannot find the governor's host %s: %s",
				     host, gai_strerror(code));
	for (a = list; a; a = a->ai_next)
		left++;
	errno = EHOSTUNREACH;
	/* A silent address leaves time for the others. */
	for (a = list; a && fd < 0; a = a->ai_next, left--)
		fd = try_address(a, gov_stream_deadline(
					    gov_stream_remaining(deadline) /
					    left));
	code = errno;
	freeaddrinfo(list);
	if (fd >= 0)
		return fd;
	if (code == ETIMEDOUT)
		return gov_error_set(
			error, GOV_E_TIMEOUT,
			"no connection to the governor at %s:%u in time: is the host up and the port open?",
			host, port);
	return gov_error_set(
		error, GOV_E_DOWN,
		"no governor at %s:%u (%s): is slurmgovd running there?", host,
		port, strerror(code));
}

static int check_encoder(uid_t uid, uid_t governor_uid, uid_t *answered_by,
			 struct gov_error *error)
{
	if (answered_by)
		*answered_by = uid;
	if (governor_uid == (uid_t) -1 || uid == governor_uid || uid == 0)
		return 0;
	return gov_error_set(
		error, GOV_E_AUTH,
		"the answer comes from uid %ld, not from the governor (uid %ld): somebody else listens on its port, or SlurmUser differs here",
		(long) uid, (long) governor_uid);
}

/* One question and its answer on a connected socket. */
static struct json_object *converse(struct gov_frame_link *link,
				    const char *text, size_t length,
				    uid_t governor_uid, uid_t *answered_by,
				    struct gov_error *error)
{
	struct json_object *answer = NULL;
	struct gov_message message;
	uint64_t conversation;

	if (getrandom(&conversation, sizeof(conversation), 0) !=
	    sizeof(conversation)) {
		gov_error_set(error, GOV_E_IO, "no random number: %s",
			      strerror(errno));
		return NULL;
	}
	link->answer = false;
	if (gov_message_write(link, (uid_t) -1, conversation, text, length,
			      error) < 0)
		return NULL;
	link->answer = true;
	if (gov_message_read(link, &conversation, &message, error) < 0)
		return NULL;
	if (check_encoder(message.uid, governor_uid, answered_by, error) == 0)
		answer = gov_message_parse(&message, error);
	free(message.text);
	return answer;
}

struct json_object *gov_client_call(const char *host, uint16_t port,
				    const char *munge_socket,
				    struct json_object *request,
				    uid_t governor_uid, int timeout_ms,
				    uid_t *answered_by, struct gov_error *error)
{
	struct gov_frame_link link = {
		.munge_socket = munge_socket,
		.deadline = gov_stream_deadline(timeout_ms),
	};
	struct json_object *answer;
	const char *text;
	size_t length;

	text = json_object_to_json_string_length(request,
						 JSON_C_TO_STRING_PLAIN,
						 &length);
	if (!text) {
		gov_error_set(error, GOV_E_NOMEM, "out of memory");
		return NULL;
	}
	link.fd = connect_to(host, port, link.deadline, error);
	if (link.fd < 0)
		return NULL;
	answer = converse(&link, text, length, governor_uid, answered_by,
			  error);
	close(link.fd);
	return answer;
}
