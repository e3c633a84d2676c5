/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/client.h"

#include <stdlib.h>

#include "wire/frame.h"
#include "wire/stream.h"

struct json_object *gov_server_read(int fd, const char *munge_socket,
				    int timeout_ms, uid_t *uid, gid_t *gid,
				    uint64_t *conversation,
				    struct gov_error *error)
{
	struct gov_frame_link link = {
		.fd = fd,
		.munge_socket = munge_socket,
		.deadline = gov_stream_deadline(timeout_ms),
	};
	struct json_object *request;
	struct gov_message message;

	if (gov_message_read(&link, NULL, &message, error) < 0)
		return NULL;
	request = gov_message_parse(&message, error);
	free(message.text);
	*uid = message.uid;
	*gid = message.gid;
	*conversation = message.conversation;
	return request;
}

int gov_server_write(int fd, const char *munge_socket, int timeout_ms,
		     uid_t uid, uint64_t conversation, const char *text,
		     size_t length, struct gov_error *error)
{
	struct gov_frame_link link = {
		.fd = fd,
		.munge_socket = munge_socket,
		.deadline = gov_stream_deadline(timeout_ms),
		.answer = true,
	};

	return gov_message_write(&link, uid, conversation, text, length, error);
}
