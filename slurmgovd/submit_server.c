/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/submit_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <event2/event.h>

#include "slurmgovd/grants.h"
#include "slurmgovd/log.h"

#define CONNECTIONS_MAX 512
#define GRANT_WAIT_US 10000 /* an answer waits so long for its grant */

/* An answer that waits for its grant, with strings of its own. */
struct late {
	bool any;
	struct gov_answer answer;
	struct gov_grant grant;
	char *text[6];
};

struct connection {
	struct connection *next;
	struct gov_submit_server *server;
	int fd;
	struct event *readable;
	struct event *timer;
	struct late late;
};

struct gov_submit_server {
	struct event_base *base;
	char *path;
	uid_t slurm_uid;
	gov_submit_handler *handler;
	void *arg;
	int fd;
	struct event *acceptable;
	struct connection *connections;
	size_t count;
	char request[GOV_PACKET_MAX + 1];
	char answer[GOV_PACKET_MAX];
};

/* ---- connections ---- */

static void forget_late(struct late *late)
{
	for (size_t i = 0; i < 6; i++)
		free(late->text[i]);
	memset(late, 0, sizeof(*late));
}

static void drop(struct connection *c)
{
	struct connection **at = &c->server->connections;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	c->server->count--;
	if (c->readable)
		event_free(c->readable);
	if (c->timer)
		event_free(c->timer);
	forget_late(&c->late);
	close(c->fd);
	free(c);
}

/* false: the peer is gone or does not read, and was dropped. */
static bool send_answer(struct connection *c, const struct gov_answer *answer)
{
	struct gov_submit_server *server = c->server;
	long length = gov_answer_encode(answer, server->answer,
					sizeof(server->answer));

	if (length > 0 && send(c->fd, server->answer, (size_t) length,
			       MSG_DONTWAIT | MSG_NOSIGNAL) == length)
		return true;
	gov_log(GOV_LOG_SUBMIT, GOV_LOG_VERBOSE,
		"an answer to the plugin could not be sent: %s",
		length > 0 ? strerror(errno) : "it is too long");
	drop(c);
	return false;
}

/* ---- answers that wait for their grant ---- */

static const char *keep(struct late *late, size_t slot, const char *text,
			bool *ok)
{
	if (!text)
		return NULL;
	late->text[slot] = strdup(text);
	*ok &= late->text[slot] != NULL;
	return late->text[slot];
}

static bool postpone(struct connection *c, const struct gov_answer *answer,
		     const struct gov_grant *grant)
{
	const struct timeval wait = { .tv_usec = GRANT_WAIT_US };
	struct late *late = &c->late;
	struct gov_answer *copy = &late->answer;
	bool ok = true;

	late->any = true;
	late->grant = *grant;
	*copy = *answer;
	copy->message = keep(late, 0, answer->message, &ok);
	copy->admin_comment = keep(late, 1, answer->admin_comment, &ok);
	copy->account = keep(late, 2, answer->account, &ok);
	copy->partition = keep(late, 3, answer->partition, &ok);
	copy->features = keep(late, 4, answer->features, &ok);
	copy->tres_per_job = keep(late, 5, answer->tres_per_job, &ok);
	if (ok && !evtimer_add(c->timer, &wait))
		return true;
	forget_late(late);
	return false;
}

static bool send_late(struct connection *c, const char *credential)
{
	bool alive;

	evtimer_del(c->timer);
	c->late.answer.grant = credential;
	alive = send_answer(c, &c->late.answer);
	if (alive)
		forget_late(&c->late);
	return alive;
}

static void waited_enough(evutil_socket_t fd, short what, void *arg)
{
	struct connection *c = arg;

	if (!c->late.any)
		return;
	gov_log(GOV_LOG_GRANT, GOV_LOG_INFO,
		"no grant for a job of uid %u in time, it goes without",
		c->late.grant.uid);
	send_late(c, NULL);
}

void gov_submit_server_grant(struct gov_submit_server *server,
			     const struct gov_grant *grant,
			     const char *credential)
{
	struct connection *c = server->connections, *next;

	for (; c; c = next) {
		next = c->next;
		if (c->late.any && gov_grant_same(&c->late.grant, grant))
			send_late(c, credential);
	}
}

/* ---- requests ---- */

static void answer_request(struct connection *c,
			   const struct gov_submit_request *request)
{
	struct gov_submit_server *server = c->server;
	struct gov_answer answer;
	struct gov_grant grant;
	bool pending = false;

	server->handler(server->arg, request, &answer, &grant, &pending);
	if (pending && postpone(c, &answer, &grant))
		return;
	send_answer(c, &answer);
}

static void readable(evutil_socket_t fd, short what, void *arg)
{
	struct connection *c = arg;
	struct gov_submit_server *server = c->server;
	struct gov_submit_request request;
	struct gov_error error;
	ssize_t length = recv(c->fd, server->request, GOV_PACKET_MAX + 1,
			      MSG_DONTWAIT);

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (length <= 0) {
		drop(c);
		return;
	}
	/* Whoever asks again has given up waiting for the last answer. */
	if (c->late.any && !send_late(c, NULL))
		return;
	if (length > GOV_PACKET_MAX ||
	    gov_submit_request_decode(server->request, (size_t) length,
				      &request, &error)) {
		gov_log(GOV_LOG_SUBMIT, GOV_LOG_ERROR,
			"a request of the plugin is malformed: %s",
			length > GOV_PACKET_MAX ? "too long" : error.text);
		drop(c);
		return;
	}
	answer_request(c, &request);
}

static bool is_welcome(const struct gov_submit_server *server, int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return false;
	if (peer.uid == 0 || peer.uid == server->slurm_uid)
		return true;
	gov_log(GOV_LOG_SUBMIT, GOV_LOG_ERROR,
		"uid %u may not talk to the governor's socket", peer.uid);
	return false;
}

static int add_connection(struct gov_submit_server *server, int fd)
{
	struct connection *c = calloc(1, sizeof(*c));

	if (!c)
		return -1;
	c->server = server;
	c->fd = fd;
	c->next = server->connections;
	server->connections = c;
	server->count++;
	c->readable = event_new(server->base, fd, EV_READ | EV_PERSIST,
				readable, c);
	c->timer = evtimer_new(server->base, waited_enough, c);
	if (c->readable && c->timer && !event_add(c->readable, NULL))
		return 0;
	drop(c);
	return 0; /* drop() has closed it */
}

static void acceptable(evutil_socket_t listener, short what, void *arg)
{
	struct gov_submit_server *server = arg;
	int fd = accept4(server->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (server->count >= CONNECTIONS_MAX || !is_welcome(server, fd) ||
	    add_connection(server, fd))
		close(fd);
}

/* ---- life ---- */

/* A path that some other live process listens at is not ours to take. */
static bool in_use(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool used = fd >= 0 && !connect(fd, (const struct sockaddr *) address,
					sizeof(*address));

	if (fd >= 0)
		close(fd);
	return used;
}

static int open_socket(const char *path, struct gov_error *error)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, rc;

	if (strlen(path) >= sizeof(address.sun_path))
		return gov_error_set(error, GOV_E_VALUE,
				     "GovernorSocket=%s is too long", path);
	strcpy(address.sun_path, path);
	if (in_use(&address))
		return gov_error_set(error, GOV_E_IO,
				     "%s: another process listens there", path);
	unlink(path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return gov_error_set(error, GOV_E_IO, "socket: %s",
				     strerror(errno));
	rc = bind(fd, (struct sockaddr *) &address, sizeof(address));
	if (rc || chmod(path, 0600) || listen(fd, 128)) {
		gov_error_set(error, GOV_E_IO, "%s: %s", path, strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}

struct gov_submit_server *gov_submit_server_start(
	struct event_base *base, const char *path, uid_t slurm_uid,
	gov_submit_handler *handler, void *arg, struct gov_error *error)
{
	struct gov_submit_server *server = calloc(1, sizeof(*server));

	gov_error_set(error, GOV_E_NOMEM, "no memory for %s", path);
	if (!server)
		return NULL;
	server->base = base;
	server->slurm_uid = slurm_uid;
	server->handler = handler;
	server->arg = arg;
	server->fd = -1;
	server->path = strdup(path);
	if (server->path)
		server->fd = open_socket(path, error);
	if (server->fd >= 0)
		server->acceptable = event_new(base, server->fd,
					       EV_READ | EV_PERSIST, acceptable,
					       server);
	if (server->acceptable && !event_add(server->acceptable, NULL))
		return server;
	gov_submit_server_stop(server);
	return NULL;
}

void gov_submit_server_stop(struct gov_submit_server *server)
{
	if (!server)
		return;
	while (server->connections)
		drop(server->connections);
	if (server->acceptable)
		event_free(server->acceptable);
	if (server->fd >= 0) {
		close(server->fd);
		unlink(server->path);
	}
	free(server->path);
	free(server);
}
