/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/client_server.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <json-c/json.h>

#include "slurmgovd/clock.h"
#include "slurmgovd/log.h"
#include "slurmgovd/thread.h"
#include "wire/client.h"

#define CONNECTIONS_MAX 64
#define READ_MS 5000
#define ANSWER_MS 10000
#define WRITE_MS 30000
#define LISTENERS_MAX 8

struct gov_client_server {
	struct gov_thread thread; /* accepts; its lock guards `count` */
	struct gov_mailbox *box;
	gov_client_handler *handler;
	char *munge_socket;
	struct pollfd listener[LISTENERS_MAX];
	nfds_t listeners;
	unsigned count; /* connections with a thread */
};

/*
 * A question on its way to the loop and back.  Loop and thread both hold it:
 * whoever comes last frees it, so that a thread may give up waiting.
 */
struct question {
	struct gov_mail mail;
	struct gov_client_server *server;
	pthread_mutex_t lock;
	pthread_cond_t answered;
	unsigned holders;
	bool done;
	struct json_object *request;
	struct json_object *answer;
	uid_t uid;
	gid_t gid;
};

static void put_question(struct question *q)
{
	bool last;

	pthread_mutex_lock(&q->lock);
	last = !--q->holders;
	pthread_mutex_unlock(&q->lock);
	if (!last)
		return;
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->answered);
	json_object_put(q->request);
	json_object_put(q->answer);
	free(q);
}

/* On the loop. */
static void deliver(struct gov_mail *mail, void *context)
{
	struct question *q = (struct question *) mail;

	pthread_mutex_lock(&q->lock);
	if (context)
		q->answer = q->server->handler(context, q->request, q->uid,
					       q->gid);
	q->done = true;
	pthread_cond_signal(&q->answered);
	pthread_mutex_unlock(&q->lock);
	put_question(q);
}

/* Ask the loop; the answer is the caller's, NULL if there is none. */
static struct json_object *ask(struct gov_client_server *server,
			       struct json_object *request, uid_t uid,
			       gid_t gid)
{
	struct question *q = calloc(1, sizeof(*q));
	struct json_object *answer;
	struct timespec until;
	int rc = 0;

	if (!q) {
		json_object_put(request);
		return NULL;
	}
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->answered, NULL);
	q->mail.deliver = deliver;
	q->server = server;
	q->holders = 2;
	q->request = request;
	q->uid = uid;
	q->gid = gid;
	gov_mailbox_post(server->box, &q->mail);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ANSWER_MS / 1000;
	pthread_mutex_lock(&q->lock);
	while (!q->done && !rc)
		rc = pthread_cond_timedwait(&q->answered, &q->lock, &until);
	answer = q->answer;
	q->answer = NULL;
	pthread_mutex_unlock(&q->lock);
	put_question(q);
	return answer;
}

/* ---- connections ---- */

struct connection {
	struct gov_client_server *server;
	int fd;
};

static void converse(struct gov_client_server *server, int fd)
{
	struct json_object *request, *answer;
	uint64_t conversation;
	struct gov_error error;
	const char *text;
	uid_t uid;
	gid_t gid;
	int rc;

	request = gov_server_read(fd, server->munge_socket, READ_MS, &uid, &gid,
				  &conversation, &error);
	if (!request) {
		gov_log(GOV_LOG_CLIENT, GOV_LOG_VERBOSE, "%s", error.text);
		return;
	}
	answer = ask(server, request, uid, gid);
	text = answer ? json_object_to_json_string_ext(answer,
						       JSON_C_TO_STRING_PLAIN) :
			"{\"errors\":[{\"code\":\"GOV-103\",\"text\":"
			"\"the governor is stopping or out of memory\"}]}";
	rc = gov_server_write(fd, server->munge_socket, WRITE_MS, uid,
			      conversation, text, strlen(text), &error);
	if (rc)
		gov_log(GOV_LOG_CLIENT, GOV_LOG_VERBOSE,
			"an answer to uid %u: %s", uid, error.text);
	json_object_put(answer);
}

static void count(struct gov_client_server *server, int by)
{
	pthread_mutex_lock(&server->thread.lock);
	server->count += (unsigned) by;
	pthread_cond_broadcast(&server->thread.wake);
	pthread_mutex_unlock(&server->thread.lock);
}

static void *serve(void *arg)
{
	struct connection *c = arg;
	struct gov_client_server *server = c->server;

	converse(server, c->fd);
	close(c->fd);
	free(c);
	count(server, -1);
	return NULL;
}

static int begin(struct gov_client_server *server, int fd)
{
	struct connection *c = malloc(sizeof(*c));
	pthread_attr_t attr;
	pthread_t id;
	int rc;

	if (!c)
		return -1;
	*c = (struct connection){ server, fd };
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	count(server, 1);
	rc = pthread_create(&id, &attr, serve, c);
	pthread_attr_destroy(&attr);
	if (rc) {
		count(server, -1);
		free(c);
		return -1;
	}
	return 0;
}

static bool may_begin(struct gov_client_server *server)
{
	bool room;

	pthread_mutex_lock(&server->thread.lock);
	room = server->count < CONNECTIONS_MAX;
	pthread_mutex_unlock(&server->thread.lock);
	if (!room)
		gov_log(GOV_LOG_CLIENT, GOV_LOG_VERBOSE,
			"%d connections are open, one more is turned away",
			CONNECTIONS_MAX);
	return room;
}

static void accept_one(struct gov_client_server *server, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0) {
		/* Out of descriptors: do not spin. */
		if (errno == EMFILE || errno == ENFILE)
			usleep(100000);
		return;
	}
	if (!may_begin(server) || begin(server, fd))
		close(fd);
}

static bool stopping(struct gov_client_server *server)
{
	bool stop;

	pthread_mutex_lock(&server->thread.lock);
	stop = server->thread.stop;
	pthread_mutex_unlock(&server->thread.lock);
	return stop;
}

static void *run(void *arg)
{
	struct gov_client_server *server = arg;

	while (!stopping(server)) {
		if (poll(server->listener, server->listeners, 250) <= 0)
			continue;
		for (nfds_t i = 0; i < server->listeners; i++)
			if (server->listener[i].revents & POLLIN)
				accept_one(server, server->listener[i].fd);
	}
	return NULL;
}

/* ---- listening ---- */

static int listen_at(const struct addrinfo *address)
{
	int one = 1, fd = socket(address->ai_family,
				 SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (address->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (!bind(fd, address->ai_addr, address->ai_addrlen) &&
	    !listen(fd, 128))
		return fd;
	one = errno;
	close(fd);
	errno = one;
	return -1;
}

/* "host:port", "[host]:port", "port" in place into its two parts. */
static void split(char *text, char **host, char **port)
{
	char *colon = strrchr(text, ':');

	*host = NULL;
	*port = text;
	if (!colon)
		return;
	*colon = '\0';
	*host = text;
	*port = colon + 1;
	if (text[0] == '[' && colon > text && colon[-1] == ']') {
		colon[-1] = '\0';
		*host = text + 1;
	}
}

static int open_listeners(struct gov_client_server *server, const char *where,
			  struct gov_error *error)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_PASSIVE };
	struct addrinfo *found = NULL;
	char *text = strdup(where), *host, *port;
	int rc;

	if (!text)
		return gov_error_set(error, GOV_E_NOMEM, "out of memory");
	split(text, &host, &port);
	rc = getaddrinfo(host, port, &hints, &found);
	free(text);
	if (rc)
		return gov_error_set(error, GOV_E_IO, "Listen=%s: %s", where,
				     gai_strerror(rc));
	gov_error_set(error, GOV_E_IO, "Listen=%s: no address", where);
	for (struct addrinfo *a = found; a && server->listeners < LISTENERS_MAX;
	     a = a->ai_next) {
		int fd = listen_at(a);

		if (fd < 0) {
			gov_error_set(error, GOV_E_IO, "Listen=%s: %s", where,
				      strerror(errno));
			continue;
		}
		server->listener[server->listeners++] = (struct pollfd){
			.fd = fd, .events = POLLIN
		};
	}
	freeaddrinfo(found);
	return server->listeners ? 0 : -1;
}

static void free_server(struct gov_client_server *server)
{
	for (nfds_t i = 0; i < server->listeners; i++)
		close(server->listener[i].fd);
	free(server->munge_socket);
	free(server);
}

struct gov_client_server *gov_client_server_start(struct gov_mailbox *box,
						  const char *listen,
						  const char *munge_socket,
						  gov_client_handler *handler,
						  struct gov_error *error)
{
	struct gov_client_server *server = calloc(1, sizeof(*server));

	gov_error_set(error, GOV_E_NOMEM, "no memory for the client server");
	if (!server)
		return NULL;
	server->box = box;
	server->handler = handler;
	if (munge_socket)
		server->munge_socket = strdup(munge_socket);
	if ((munge_socket && !server->munge_socket) ||
	    open_listeners(server, listen, error) ||
	    gov_thread_start(&server->thread, "clients", run, server)) {
		free_server(server);
		return NULL;
	}
	return server;
}

int gov_client_server_stop(struct gov_client_server *server)
{
	unsigned left;

	if (!server)
		return 0;
	pthread_mutex_lock(&server->thread.lock);
	left = server->count;
	pthread_mutex_unlock(&server->thread.lock);
	/* A conversation ends by itself, but not always soon. */
	if (left || gov_thread_stop(&server->thread))
		return -1;
	free_server(server);
	return 0;
}
