/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conversation of sgov with the governor, over a real munged. */
#include <arpa/inet.h>
#include <endian.h>
#include <json-c/json.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>

#include "tests/unit/munged.h"
#include "tests/unit/unit.h"
#include "wire/client.h"
#include "wire/frame.h"
#include "wire/seal.h"
#include "wire/stream.h"

#define NOBODY 65534

/* ---- a governor of the test's own ---- */

/* What the other side does with one connection. */
typedef void (*behaviour)(int fd);

struct peer {
	int listener;
	uint16_t port;
	behaviour serve;
	pthread_t thread;
};

static void *peer_main(void *arg)
{
	struct peer *peer = arg;
	int fd = accept(peer->listener, NULL, NULL);

	if (fd >= 0) {
		peer->serve(fd);
		close(fd);
	}
	return NULL;
}

static void peer_listen(struct peer *peer)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(a);

	peer->listener = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_ge(peer->listener, 0);
	ck_assert_int_eq(bind(peer->listener, (struct sockaddr *) &a, size), 0);
	ck_assert_int_eq(listen(peer->listener, 4), 0);
	ck_assert_int_eq(getsockname(peer->listener, (struct sockaddr *) &a,
				     &size),
			 0);
	peer->port = ntohs(a.sin_port);
}

static void peer_start(struct peer *peer, behaviour serve)
{
	peer->serve = serve;
	peer_listen(peer);
	ck_assert_int_eq(pthread_create(&peer->thread, NULL, peer_main, peer),
			 0);
}

static void peer_stop(struct peer *peer)
{
	shutdown(peer->listener, SHUT_RDWR);
	pthread_join(peer->thread, NULL);
	close(peer->listener);
}

/* Ask a peer that behaves so; NULL with *error. */
static struct json_object *ask(behaviour serve, const char *question,
			       uid_t governor, int timeout_ms, uid_t *by,
			       struct gov_error *error)
{
	struct json_object *request = json_tokener_parse(question);
	struct json_object *answer;
	struct peer peer;

	ck_assert_ptr_nonnull(request);
	peer_start(&peer, serve);
	answer = gov_client_call("127.0.0.1", peer.port, munged_socket, request,
				 governor, timeout_ms, by, error);
	peer_stop(&peer);
	json_object_put(request);
	return answer;
}

static struct json_object *read_request(int fd, uid_t *uid,
					uint64_t *conversation)
{
	struct gov_error error = { 0 };
	gid_t gid;
	struct json_object *request = gov_server_read(fd, munged_socket, 5000,
						      uid, &gid, conversation,
						      &error);

	ck_assert_msg(request != NULL, "%s", error.text);
	return request;
}

static void echo(int fd)
{
	struct gov_error error = { 0 };
	uint64_t conversation;
	uid_t uid;
	struct json_object *request = read_request(fd, &uid, &conversation);
	const char *text;

	json_object_object_add(request, "uid",
			       json_object_new_int64((int64_t) uid));
	text = json_object_to_json_string(request);
	ck_assert_msg(gov_server_write(fd, munged_socket, 5000, uid,
				       conversation, text, strlen(text),
				       &error) == 0,
		      "%s", error.text);
	json_object_put(request);
}

START_TEST(question_is_answered)
{
	struct gov_error error = { 0 };
	uid_t by = 12345;
	struct json_object *answer = ask(echo,
					 "{\"version\":1,\"command\":\"ping\"}",
					 (uid_t) -1, 5000, &by, &error);

	ck_assert_msg(answer != NULL, "%s", error.text);
	ck_assert_str_eq(json_object_get_string(
				 json_object_object_get(answer, "command")),
			 "ping");
	ck_assert_int_eq(json_object_get_int64(
				 json_object_object_get(answer, "uid")),
			 getuid());
	ck_assert_uint_eq(by, getuid());
	json_object_put(answer);
}
END_TEST

/* Three frames and a bit there, twice that back. */
START_TEST(long_messages_go_in_pieces)
{
	size_t n = 3 * GOV_FRAME_PIECE + 7;
	char *question = malloc(n + 1), *text = malloc(n + 32);
	struct gov_error error = { 0 };
	struct json_object *answer;

	memset(question, 'x', n);
	question[n] = '\0';
	sprintf(text, "{\"a\":\"%s\"}", question);
	answer = ask(echo, text, getuid(), 10000, NULL, &error);
	ck_assert_msg(answer != NULL, "%s", error.text);
	ck_assert_str_eq(json_object_get_string(
				 json_object_object_get(answer, "a")),
			 question);
	json_object_put(answer);
	free(question);
	free(text);
}
END_TEST

static void only_listens(int fd)
{
	char c[4096];

	while (recv(fd, c, sizeof(c), 0) > 0)
		;
}

START_TEST(too_long_a_request_is_not_sent)
{
	size_t n = GOV_REQUEST_TEXT_MAX;
	char *text = malloc(n + 32);
	struct gov_error error = { 0 };

	memset(text, 'x', n + 32);
	memcpy(text, "{\"a\":\"", 6);
	strcpy(text + n, "\"}");
	ck_assert_ptr_null(
		ask(only_listens, text, getuid(), 5000, NULL, &error));
	ck_assert_int_eq(error.code, GOV_E_PROTOCOL);
	free(text);
}
END_TEST

/* ---- who is on the other side ---- */

static void answer_for_another(int fd)
{
	uint64_t conversation;
	uid_t uid;
	struct json_object *request = read_request(fd, &uid, &conversation);

	gov_server_write(fd, munged_socket, 5000, uid + 1, conversation, "{}",
			 2, NULL);
	json_object_put(request);
}

START_TEST(answer_for_another_user_is_unreadable)
{
	struct gov_error error = { 0 };

	ck_assert_ptr_null(
		ask(answer_for_another, "{}", getuid(), 5000, NULL, &error));
	ck_assert_int_eq(error.code, GOV_E_AUTH);
}
END_TEST

/* The asking side in a process of another user; exits with the code. */
static int ask_as(uid_t asker, uid_t governor)
{
	struct json_object *request, *answer;
	struct gov_error error = { 0 };
	struct peer peer;
	int status;
	pid_t pid;

	peer_start(&peer, echo);
	pid = fork();
	if (pid == 0) {
		if (setgid(asker) < 0 || setuid(asker) < 0)
			_exit(120);
		request = json_tokener_parse("{}");
		answer = gov_client_call("127.0.0.1", peer.port, munged_socket,
					 request, governor, 5000, NULL, &error);
		if (answer)
			_exit(json_object_get_int64(
				      json_object_object_get(answer, "uid")) ==
					      asker ?
				      0 :
				      121);
		_exit((int) error.code);
	}
	waitpid(pid, &status, 0);
	peer_stop(&peer);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

START_TEST(server_knows_who_asks)
{
	if (getuid() != 0)
		return;
	ck_assert_int_eq(ask_as(NOBODY, (uid_t) -1), 0);
	/* Root may answer in the governor's place. */
	ck_assert_int_eq(ask_as(NOBODY, 4242), 0);
}
END_TEST

/* A false governor: another user listens on the port. */
START_TEST(answer_of_another_user_is_refused)
{
	struct gov_error error = { 0 };
	struct json_object *answer, *request = json_tokener_parse("{}");
	struct peer peer = { .serve = echo };
	uid_t by = 0;
	int status;
	pid_t pid;

	if (getuid() != 0)
		return;
	peer_listen(&peer);
	pid = fork();
	if (pid == 0) {
		if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
			_exit(1);
		peer_main(&peer);
		peer_main(&peer);
		_exit(0);
	}
	answer = gov_client_call("127.0.0.1", peer.port, munged_socket, request,
				 4242, 5000, &by, &error);
	ck_assert_ptr_null(answer);
	ck_assert_int_eq(error.code, GOV_E_AUTH);
	answer = gov_client_call("127.0.0.1", peer.port, munged_socket, request,
				 (uid_t) -1, 5000, &by, &error);
	ck_assert_msg(answer != NULL, "%s", error.text);
	ck_assert_uint_eq(by, NOBODY);
	json_object_put(answer);
	json_object_put(request);
	waitpid(pid, &status, 0);
	close(peer.listener);
}
END_TEST

/* ---- old messages ---- */

static void other_conversation(int fd)
{
	uint64_t conversation;
	uid_t uid;
	struct json_object *request = read_request(fd, &uid, &conversation);

	gov_server_write(fd, munged_socket, 5000, uid, conversation + 1, "{}",
			 2, NULL);
	json_object_put(request);
}

/* Sends the question back as it came. */
static void mirror(int fd)
{
	char buffer[4096];
	uint32_t length;
	ssize_t n;

	/* The length of the frame, and the whole frame. */
	ck_assert_int_eq(recv(fd, buffer, 4, MSG_WAITALL), 4);
	memcpy(&length, buffer, 4);
	length = ntohl(length);
	ck_assert_uint_le(length, sizeof(buffer) - 4);
	n = recv(fd, buffer + 4, length, MSG_WAITALL);
	ck_assert_int_eq(n, length);
	ck_assert_int_eq(send(fd, buffer, (size_t) n + 4, MSG_NOSIGNAL), n + 4);
}

START_TEST(old_answers_are_refused)
{
	struct gov_error error = { 0 };

	ck_assert_ptr_null(
		ask(other_conversation, "{}", getuid(), 5000, NULL, &error));
	ck_assert_int_eq(error.code, GOV_E_AUTH);
	ck_assert_ptr_null(ask(mirror, "{}", getuid(), 5000, NULL, &error));
	ck_assert_int_eq(error.code, GOV_E_AUTH);
}
END_TEST

/* ---- bytes to the server ---- */

/* What the server makes of these bytes, then end of file. */
static int server_reads(const void *data, size_t length,
			struct gov_error *error)
{
	struct json_object *request;
	uint64_t conversation;
	int pair[2];
	uid_t uid;
	gid_t gid;
	pid_t pid;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	pid = fork();
	if (pid == 0) {
		close(pair[0]);
		gov_stream_write(pair[1], gov_stream_deadline(5000), data,
				 length, NULL);
		_exit(0);
	}
	close(pair[1]);
	error->code = GOV_OK;
	request = gov_server_read(pair[0], munged_socket, 5000, &uid, &gid,
				  &conversation, error);
	close(pair[0]);
	waitpid(pid, NULL, 0);
	if (!request)
		return -1;
	json_object_put(request);
	return 0;
}

struct bytes {
	char *data;
	size_t length;
};

static void put_credential(struct bytes *bytes, const char *credential,
			   size_t length)
{
	uint32_t prefix = htobe32((uint32_t) length);

	bytes->data = realloc(bytes->data, bytes->length + 4 + length);
	memcpy(bytes->data + bytes->length, &prefix, 4);
	memcpy(bytes->data + bytes->length + 4, credential, length);
	bytes->length += 4 + length;
}

/* A frame with a true credential around any payload. */
static void put_payload(struct bytes *bytes, const void *payload, size_t length)
{
	struct gov_error error = { 0 };
	char *credential = gov_seal(munged_socket, (uid_t) -1, payload, length,
				    &error);

	ck_assert_msg(credential != NULL, "%s", error.text);
	put_credential(bytes, credential, strlen(credential));
	free(credential);
}

static void put_frame(struct bytes *bytes, uint8_t flags, uint64_t conversation,
		      uint32_t number, const char *text, size_t length)
{
	char *payload = calloc(1, GOV_FRAME_HEADER + length);
	uint64_t c = htobe64(conversation);
	uint32_t n = htobe32(number);

	memcpy(payload, GOV_FRAME_MAGIC, 4);
	payload[4] = GOV_FRAME_VERSION;
	payload[5] = (char) flags;
	memcpy(payload + 8, &c, 8);
	memcpy(payload + 16, &n, 4);
	memcpy(payload + GOV_FRAME_HEADER, text, length);
	put_payload(bytes, payload, GOV_FRAME_HEADER + length);
	free(payload);
}

static void expect(struct bytes *bytes, enum gov_code code)
{
	struct gov_error error = { 0 };
	int rc = server_reads(bytes->data, bytes->length, &error);

	ck_assert_msg((rc == 0) == (code == GOV_OK) && error.code == code,
		      "expected %s, got %s: %s", gov_code_name(code),
		      gov_code_name(error.code), error.text);
	free(bytes->data);
	memset(bytes, 0, sizeof(*bytes));
}

static void expect_text(const char *text, size_t length, enum gov_code code)
{
	struct bytes bytes = { 0 };

	put_frame(&bytes, GOV_FRAME_LAST, 7, 0, text, length);
	expect(&bytes, code);
}

START_TEST(request_is_not_accepted_twice)
{
	struct gov_error error = { 0 };
	struct bytes bytes = { 0 };

	put_frame(&bytes, GOV_FRAME_LAST, 7, 0, "{}", 2);
	ck_assert_int_eq(server_reads(bytes.data, bytes.length, &error), 0);
	expect(&bytes, GOV_E_AUTH);
}
END_TEST

START_TEST(false_frames_are_refused)
{
	static const char zero[8], html[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
	struct bytes bytes = { 0 };

	expect(&bytes, GOV_E_PROTOCOL); /* nothing at all */
	bytes.data = malloc(8);
	memset(bytes.data, 0xff, bytes.length = 8);
	expect(&bytes, GOV_E_PROTOCOL); /* 4 GiB announced */
	bytes.data = calloc(1, bytes.length = 4);
	expect(&bytes, GOV_E_PROTOCOL); /* empty credential */
	bytes.data = memcpy(malloc(sizeof(html)), html, sizeof(html));
	bytes.length = sizeof(html);
	expect(&bytes, GOV_E_PROTOCOL);
	put_credential(&bytes, zero, sizeof(zero));
	expect(&bytes, GOV_E_PROTOCOL);
	put_credential(&bytes, "MUNGE:AwQF:", 11);
	expect(&bytes, GOV_E_AUTH);
	put_payload(&bytes, "", 0);
	expect(&bytes, GOV_E_PROTOCOL);
	put_payload(&bytes, "GOVJ\1\1", 6);
	expect(&bytes, GOV_E_PROTOCOL);
	put_payload(&bytes, "XXXX\1\1\0\0________\0\0\0\0{}", 22);
	expect(&bytes, GOV_E_PROTOCOL);
	put_payload(&bytes, "GOVJ\2\1\0\0________\0\0\0\0{}", 22);
	expect(&bytes, GOV_E_PROTOCOL);
	put_payload(&bytes, "GOVJ\1\1\0\0________\0\0\0\0{}", 22);
	expect(&bytes, GOV_OK);
}
END_TEST

START_TEST(cut_frames_are_refused)
{
	struct gov_error error = { 0 };
	struct bytes bytes = { 0 };

	put_frame(&bytes, GOV_FRAME_LAST, 7, 0, "{\"a\":1}", 7);
	for (size_t n = 0; n < bytes.length; n += 1 + n / 7) {
		ck_assert_int_eq(server_reads(bytes.data, n, &error), -1);
		ck_assert_int_eq(error.code, GOV_E_PROTOCOL);
	}
	ck_assert_int_eq(server_reads(bytes.data, bytes.length, &error), 0);
	free(bytes.data);
}
END_TEST

START_TEST(pieces_must_belong_together)
{
	struct bytes bytes = { 0 };

	put_frame(&bytes, 0, 7, 0, "{\"a\"", 4);
	put_frame(&bytes, GOV_FRAME_LAST, 7, 1, ":1}", 3);
	expect(&bytes, GOV_OK);
	put_frame(&bytes, 0, 7, 0, "{\"a\"", 4);
	put_frame(&bytes, GOV_FRAME_LAST, 7, 2, ":1}", 3);
	expect(&bytes, GOV_E_PROTOCOL); /* one is missing */
	put_frame(&bytes, 0, 7, 0, "{\"a\"", 4);
	put_frame(&bytes, GOV_FRAME_LAST, 8, 1, ":1}", 3);
	expect(&bytes, GOV_E_AUTH); /* of another message */
	put_frame(&bytes, 0, 7, 0, "{\"a\"", 4);
	expect(&bytes, GOV_E_PROTOCOL); /* the end is missing */
	put_frame(&bytes, 0, 7, 0, "", 0);
	put_frame(&bytes, GOV_FRAME_LAST, 7, 1, "{}", 2);
	expect(&bytes, GOV_E_PROTOCOL); /* frames without end */
	put_frame(&bytes, GOV_FRAME_LAST | GOV_FRAME_ANSWER, 7, 0, "{}", 2);
	expect(&bytes, GOV_E_AUTH); /* an answer is no request */
}
END_TEST

START_TEST(endless_request_is_cut_off)
{
	char *piece = malloc(GOV_FRAME_PIECE);
	struct bytes bytes = { 0 };

	memset(piece, ' ', GOV_FRAME_PIECE);
	for (uint32_t i = 0; i < 6; i++)
		put_frame(&bytes, 0, 7, i, piece, GOV_FRAME_PIECE);
	expect(&bytes, GOV_E_PROTOCOL);
	free(piece);
}
END_TEST

START_TEST(only_json_objects_are_requests)
{
	char deep[2000];

	memset(deep, '[', sizeof(deep));
	memcpy(deep, "{\"a\":", 5);
	expect_text("", 0, GOV_E_PROTOCOL);
	expect_text("null", 4, GOV_E_PROTOCOL);
	expect_text("[1]", 3, GOV_E_PROTOCOL);
	expect_text("\"a\"", 3, GOV_E_PROTOCOL);
	expect_text("{", 1, GOV_E_PROTOCOL);
	expect_text("{}x", 3, GOV_E_PROTOCOL);
	expect_text("{}\0{}", 5, GOV_E_PROTOCOL);
	expect_text("{\"a\":\"\xff\"}", 9, GOV_E_PROTOCOL);
	expect_text(deep, sizeof(deep), GOV_E_PROTOCOL);
	expect_text("{\"a\":\"\xc3\xa4\"} \n", 12, GOV_OK);
}
END_TEST

/* ---- time ---- */

static void silent(int fd)
{
	only_listens(fd);
}

/* A byte every 20 ms keeps a naive reader for ever. */
static void drips(int fd)
{
	for (int i = 0; i < 200; i++) {
		if (send(fd, "", 1, MSG_NOSIGNAL) < 0)
			return;
		usleep(20000);
	}
}

static void drips_a_frame(int fd)
{
	if (send(fd, "\0\0\4\0", 4, MSG_NOSIGNAL) == 4)
		drips(fd);
}

static void expect_timeout(behaviour serve, const char *question)
{
	struct gov_error error = { 0 };
	int64_t start = gov_stream_clock(), spent;

	ck_assert_ptr_null(ask(serve, question, getuid(), 300, NULL, &error));
	spent = gov_stream_clock() - start;
	ck_assert_msg(error.code == GOV_E_TIMEOUT, "%s", error.text);
	ck_assert_int_ge(spent, 290);
	ck_assert_int_le(spent, 2000);
}

START_TEST(silence_ends_at_the_deadline)
{
	expect_timeout(silent, "{}");
	expect_timeout(drips_a_frame, "{}");
}
END_TEST

START_TEST(server_waits_for_nobody_longer)
{
	struct gov_error error = { 0 };
	int64_t start = gov_stream_clock();
	uint64_t conversation;
	int pair[2];
	uid_t uid;
	gid_t gid;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	ck_assert_ptr_null(gov_server_read(pair[0], munged_socket, 200, &uid,
					   &gid, &conversation, &error));
	ck_assert_int_eq(error.code, GOV_E_TIMEOUT);
	ck_assert_int_le(gov_stream_clock() - start, 1500);
	close(pair[0]);
	close(pair[1]);
}
END_TEST

/* A reader that never reads: the buffers of the socket fill up. */
START_TEST(server_does_not_hang_on_a_deaf_client)
{
	size_t n = 8 * 1024 * 1024;
	char *text = malloc(n);
	struct gov_error error = { 0 };
	int pair[2];

	memset(text, ' ', n);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	ck_assert_int_eq(gov_server_write(pair[0], munged_socket, 300, getuid(),
					  7, text, n, &error),
			 -1);
	ck_assert_int_eq(error.code, GOV_E_TIMEOUT);
	close(pair[1]);
	ck_assert_int_eq(gov_server_write(pair[0], munged_socket, 300, getuid(),
					  7, text, n, &error),
			 -1);
	ck_assert_int_eq(error.code, GOV_E_IO);
	close(pair[0]);
	free(text);
}
END_TEST

/* ---- nobody there ---- */

static void hangs_up(int fd)
{
}

START_TEST(absence_is_told)
{
	struct json_object *request = json_tokener_parse("{}");
	struct gov_error error = { 0 };
	struct peer peer;

	peer_listen(&peer);
	close(peer.listener);
	ck_assert_ptr_null(gov_client_call("127.0.0.1", peer.port,
					   munged_socket, request, getuid(),
					   2000, NULL, &error));
	ck_assert_int_eq(error.code, GOV_E_DOWN);
	ck_assert_ptr_nonnull(strstr(error.text, "127.0.0.1"));
	ck_assert_ptr_null(gov_client_call("no-such-host.invalid", peer.port,
					   munged_socket, request, getuid(),
					   2000, NULL, &error));
	ck_assert_int_eq(error.code, GOV_E_DOWN);
	json_object_put(request);
	ck_assert_ptr_null(ask(hangs_up, "{}", getuid(), 2000, NULL, &error));
	ck_assert(error.code == GOV_E_PROTOCOL || error.code == GOV_E_IO);
}
END_TEST

START_TEST(missing_munged_is_told)
{
	struct gov_error error = { 0 };
	uid_t uid;
	gid_t gid;
	size_t n;

	ck_assert_ptr_null(
		gov_seal("/nonexistent/munge", (uid_t) -1, "a", 1, &error));
	ck_assert_int_eq(error.code, GOV_E_AUTH);
	ck_assert_ptr_nonnull(strstr(error.text, "/nonexistent/munge"));
	ck_assert_ptr_null(gov_unseal("/nonexistent/munge", "MUNGE:A:", &n,
				      &uid, &gid, &error));
	ck_assert_int_eq(error.code, GOV_E_AUTH);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_unchecked_fixture(tcase, munged_start, munged_stop);
	tcase_add_test(tcase, question_is_answered);
	tcase_add_test(tcase, long_messages_go_in_pieces);
	tcase_add_test(tcase, too_long_a_request_is_not_sent);
	tcase_add_test(tcase, answer_for_another_user_is_unreadable);
	tcase_add_test(tcase, server_knows_who_asks);
	tcase_add_test(tcase, answer_of_another_user_is_refused);
	tcase_add_test(tcase, old_answers_are_refused);
	tcase_add_test(tcase, request_is_not_accepted_twice);
	tcase_add_test(tcase, false_frames_are_refused);
	tcase_add_test(tcase, cut_frames_are_refused);
	tcase_add_test(tcase, pieces_must_belong_together);
	tcase_add_test(tcase, endless_request_is_cut_off);
	tcase_add_test(tcase, only_json_objects_are_requests);
	tcase_add_test(tcase, silence_ends_at_the_deadline);
	tcase_add_test(tcase, server_waits_for_nobody_longer);
	tcase_add_test(tcase, server_does_not_hang_on_a_deaf_client);
	tcase_add_test(tcase, absence_is_told);
	tcase_add_test(tcase, missing_munged_is_told);
}

int main(void)
{
	return unit_main("wire_client", cases);
}
