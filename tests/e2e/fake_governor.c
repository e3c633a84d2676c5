/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A governor that lets every job through and writes what it would count into
 * the job's AdminComment, for comparison with what Slurm then allocates.
 *
 *	fake_governor SOCKET GPU_TYPE CPUS MEMORY_MIB DEFAULT_MIB_PER_CPU
 *
 * Prints one line a request: what was asked, a tab, what it comes to.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/request_data.h"
#include "wire/submit.h"

#define CLIENTS 64

static struct gov_policy *policy;
static struct gov_node_shape shape;

static int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *) &address, sizeof(address)) ||
	    listen(fd, 128)) {
		perror(path);
		exit(1);
	}
	return fd;
}

static void print_fields(const struct gov_submission *submission)
{
	const char *separator = "";

	for (size_t i = 0; i < sizeof(data_fields) / sizeof(data_fields[0]);
	     i++) {
		const void *member = (const char *) submission +
				     data_fields[i].offset;
		const char *text = *(const char *const *) member;

		if (data_fields[i].kind == DATA_TEXT && text)
			printf("%s%s=%s", separator, data_fields[i].key, text);
		else if (data_fields[i].kind == DATA_NUMBER &&
			 *(const uint64_t *) member != GOV_SUB_UNSET)
			printf("%s%s=%llu", separator, data_fields[i].key,
			       (unsigned long long) *(const uint64_t *) member);
		else if (data_fields[i].kind == DATA_FLAG &&
			 *(const bool *) member)
			printf("%s%s=1", separator, data_fields[i].key);
		else
			continue;
		separator = " ";
	}
}

static void answer(int fd, void *packet, size_t length)
{
	static unsigned char reply[GOV_PACKET_MAX];
	struct gov_submit_request request;
	struct gov_answer answer = { .action = GOV_ANSWER_PASS };
	struct gov_request counted;
	struct gov_error error = { .code = GOV_OK };
	char text[1024];

	if (gov_submit_request_decode(packet, length, &request, &error)) {
		printf("malformed: %s\n", error.text);
		return;
	}
	answer.sequence = request.sequence;
	if (gov_request_estimate(&request.submission, policy, 0, &shape,
				 &counted, &error))
		snprintf(text, sizeof(text), "%s: %s",
			 gov_code_name(error.code), error.text);
	else
		data_request_text(policy, &counted, text, sizeof(text));
	if (request.kind == GOV_MSG_SUBMIT)
		answer.admin_comment = text;
	else
		printf("modify %s uid=%u priority=%llu: ",
		       request.modification.job_id, request.modification.uid,
		       (unsigned long long) request.modification.priority);
	print_fields(&request.submission);
	printf("\t%s\n", text);
	fflush(stdout);
	length = (size_t) gov_answer_encode(&answer, reply, sizeof(reply));
	send(fd, reply, length, MSG_NOSIGNAL);
}

static void serve(int listener)
{
	static unsigned char packet[GOV_PACKET_MAX];
	struct pollfd fds[CLIENTS] = { { .fd = listener, .events = POLLIN } };
	nfds_t count = 1;

	while (poll(fds, count, -1) > 0) {
		for (nfds_t i = count - 1; i > 0; i--) {
			ssize_t length;

			if (!fds[i].revents)
				continue;
			length = recv(fds[i].fd, packet, sizeof(packet), 0);
			if (length > 0) {
				answer(fds[i].fd, packet, (size_t) length);
				continue;
			}
			close(fds[i].fd);
			fds[i] = fds[--count];
		}
		if (fds[0].revents && count < CLIENTS) {
			fds[count].fd = accept(listener, NULL, NULL);
			fds[count].events = POLLIN;
			fds[count].revents = 0;
			if (fds[count].fd >= 0)
				count++;
		}
	}
}

int main(int argc, char **argv)
{
	if (argc != 6) {
		fprintf(stderr,
			"usage: %s SOCKET GPU_TYPE CPUS MEMORY_MIB "
			"DEFAULT_MIB_PER_CPU\n",
			argv[0]);
		return 2;
	}
	policy = data_policy(argv[2]);
	data_shape(policy, argv[2], strtoull(argv[3], NULL, 10),
		   strtoull(argv[4], NULL, 10), &shape);
	shape.default_memory_per_cpu = strtoull(argv[5], NULL, 10);
	serve(listen_at(argv[1]));
	return 0;
}
