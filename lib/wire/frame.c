/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/frame.h"

#include <endian.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "wire/seal.h"
#include "wire/stream.h"

#define JSON_DEPTH 32

struct header {
	uint8_t flags;
	uint64_t conversation;
	uint32_t number;
};

/* One frame as received: payload is malloc()ed, text points into it. */
struct frame {
	struct header header;
	char *payload;
	const char *text;
	size_t length;
	uid_t uid;
	gid_t gid;
};

static void put_header(unsigned char *to, const struct header *header)
{
	uint64_t conversation = htobe64(header->conversation);
	uint32_t number = htobe32(header->number);

	memcpy(to, GOV_FRAME_MAGIC, 4);
	to[4] = GOV_FRAME_VERSION;
	to[5] = header->flags;
	to[6] = to[7] = 0;
	memcpy(to + 8, &conversation, 8);
	memcpy(to + 16, &number, 4);
}

static int get_header(const char *from, size_t length, struct header *header,
		      struct gov_error *error)
{
	uint64_t conversation;
	uint32_t number;

	if (length < GOV_FRAME_HEADER || memcmp(from, GOV_FRAME_MAGIC, 4) != 0)
		return gov_error_set(
			error, GOV_E_PROTOCOL,
			"the other side does not speak the governor's protocol");
	if (from[4] != GOV_FRAME_VERSION)
		return gov_error_set(
			error, GOV_E_PROTOCOL,
			"the other side speaks version %u of the protocol, this one is version %u: install the same release on both hosts",
			(unsigned char) from[4], GOV_FRAME_VERSION);
	memcpy(&conversation, from + 8, 8);
	memcpy(&number, from + 16, 4);
	header->flags = (uint8_t) from[5];
	header->conversation = be64toh(conversation);
	header->number = be32toh(number);
	return 0;
}

/* ---- writing ---- */

static int write_frame(const struct gov_frame_link *link, uid_t reader,
		       const struct header *header, const char *text,
		       size_t length, struct gov_error *error)
{
	unsigned char *payload = malloc(GOV_FRAME_HEADER + length);
	char *credential;
	size_t size;
	uint32_t prefix;
	int rc;

	if (!payload)
		return gov_error_set(error, GOV_E_NOMEM, "out of memory");
	put_header(payload, header);
	if (length)
		memcpy(payload + GOV_FRAME_HEADER, text, length);
	credential = gov_seal(link->munge_socket, reader, payload,
			      GOV_FRAME_HEADER + length, error);
	free(payload);
	if (!credential)
		return -1;
	size = strlen(credential);
	prefix = htobe32((uint32_t) size);
	rc = gov_stream_write(link->fd, link->deadline, &prefix, 4, error);
	if (rc == 0)
		rc = gov_stream_write(link->fd, link->deadline, credential,
				      size, error);
	free(credential);
	return rc;
}

int gov_message_write(const struct gov_frame_link *link, uid_t reader,
		      uint64_t conversation, const char *text, size_t length,
		      struct gov_error *error)
{
	struct header header = { .conversation = conversation };
	size_t max = link->answer ? GOV_ANSWER_TEXT_MAX : GOV_REQUEST_TEXT_MAX;
	size_t done = 0;

	if (length > max)
		return gov_error_set(
			error, GOV_E_PROTOCOL,
			"the message has %zu bytes, the most is %zu: ask for less at once",
			length, max);
	do {
		size_t piece = length - done;

		if (piece > GOV_FRAME_PIECE)
			piece = GOV_FRAME_PIECE;
		header.flags = link->answer ? GOV_FRAME_ANSWER : 0;
		if (done + piece == length)
			header.flags |= GOV_FRAME_LAST;
		if (write_frame(link, reader, &header, text + done, piece,
				error) < 0)
			return -1;
		header.number++;
		done += piece;
	} while (done < length);
	return 0;
}

/* ---- reading ---- */

/* A NUL-terminated credential, malloc()ed; NULL with error. */
static char *read_credential(const struct gov_frame_link *link,
			     struct gov_error *error)
{
	uint32_t prefix;
	char *credential;
	size_t size;
	int rc = gov_stream_read(link->fd, link->deadline, &prefix, 4, error);

	if (rc > 0)
		gov_error_set(
			error, GOV_E_PROTOCOL,
			link->answer ?
				"the governor hung up without an answer: its log tells why; often the munge keys or the clocks of both hosts differ" :
				"the other side hung up before its message was complete");
	if (rc != 0)
		return NULL;
	size = be32toh(prefix);
	if (size == 0 || size > GOV_FRAME_CREDENTIAL_MAX) {
		gov_error_set(
			error, GOV_E_PROTOCOL,
			"the other side announced a frame of %zu bytes; it does not speak the governor's protocol",
			size);
		return NULL;
	}
	credential = malloc(size + 1);
	if (!credential) {
		gov_error_set(error, GOV_E_NOMEM, "out of memory");
		return NULL;
	}
	rc = gov_stream_read(link->fd, link->deadline, credential, size, error);
	if (rc == 0 && !memchr(credential, '\0', size)) {
		credential[size] = '\0';
		return credential;
	}
	if (rc >= 0)
		gov_error_set(error, GOV_E_PROTOCOL,
			      "the other side sent no whole munge credential");
	free(credential);
	return NULL;
}

static int read_frame(const struct gov_frame_link *link, struct frame *frame,
		      struct gov_error *error)
{
	char *credential = read_credential(link, error);
	size_t length;

	if (!credential)
		return -1;
	frame->payload = gov_unseal(link->munge_socket, credential, &length,
				    &frame->uid, &frame->gid, error);
	free(credential);
	if (!frame->payload)
		return -1;
	if (get_header(frame->payload, length, &frame->header, error) < 0) {
		free(frame->payload);
		return -1;
	}
	frame->text = frame->payload + GOV_FRAME_HEADER;
	frame->length = length - GOV_FRAME_HEADER;
	return 0;
}

/* Does the frame continue this message (number 0 begins it)? */
static int check_frame(const struct gov_frame_link *link,
		       const struct frame *frame, uint32_t number,
		       const uint64_t *conversation,
		       const struct gov_message *message,
		       struct gov_error *error)
{
	const struct header *header = &frame->header;
	size_t max = link->answer ? GOV_ANSWER_TEXT_MAX : GOV_REQUEST_TEXT_MAX;

	if (!(header->flags & GOV_FRAME_ANSWER) != !link->answer)
		return gov_error_set(
			error, GOV_E_AUTH,
			"the other side sent back a request as an answer, or the reverse");
	if (conversation && header->conversation != *conversation)
		return gov_error_set(
			error, GOV_E_AUTH,
			"the answer belongs to another question: somebody repeats old messages");
	if (number && (header->conversation != message->conversation ||
		       frame->uid != message->uid))
		return gov_error_set(
			error, GOV_E_AUTH,
			"the message is pieced together from several");
	if (header->number != number ||
	    (frame->length == 0 && !(header->flags & GOV_FRAME_LAST)))
		return gov_error_set(
			error, GOV_E_PROTOCOL,
			"frame %u of a message came where %u was due",
			header->number, number);
	if (frame->length > max - message->length)
		return gov_error_set(error, GOV_E_PROTOCOL,
				     "the message is longer than %zu bytes",
				     max);
	return 0;
}

static int append_frame(struct gov_message *message, const struct frame *frame,
			struct gov_error *error)
{
	char *text = realloc(message->text,
			     message->length + frame->length + 1);

	if (!text)
		return gov_error_set(error, GOV_E_NOMEM, "out of memory");
	memcpy(text + message->length, frame->text, frame->length);
	message->text = text;
	message->length += frame->length;
	text[message->length] = '\0';
	message->uid = frame->uid;
	message->gid = frame->gid;
	message->conversation = frame->header.conversation;
	return 0;
}

int gov_message_read(const struct gov_frame_link *link,
		     const uint64_t *conversation, struct gov_message *message,
		     struct gov_error *error)
{
	uint32_t number = 0;
	bool last = false;

	memset(message, 0, sizeof(*message));
	while (!last) {
		struct frame frame;
		int rc = read_frame(link, &frame, error);

		if (rc == 0) {
			rc = check_frame(link, &frame, number++, conversation,
					 message, error);
			if (rc == 0)
				rc = append_frame(message, &frame, error);
			last = frame.header.flags & GOV_FRAME_LAST;
			free(frame.payload);
		}
		if (rc < 0) {
			free(message->text);
			message->text = NULL;
			return -1;
		}
	}
	return 0;
}

/* In json-c 0.18 a strict parser takes every byte above 0x7f for a control
 * character (its issue 875); there it is left to be lenient about syntax. */
static int parser_flags(void)
{
	bool is_broken = json_c_version_num() >> 8 == 0x0012;

	return JSON_TOKENER_VALIDATE_UTF8 |
	       (is_broken ? 0 : JSON_TOKENER_STRICT);
}

struct json_object *gov_message_parse(const struct gov_message *message,
				      struct gov_error *error)
{
	struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH);
	struct json_object *object;
	enum json_tokener_error code;

	if (!tokener) {
		gov_error_set(error, GOV_E_NOMEM, "out of memory");
		return NULL;
	}
	json_tokener_set_flags(tokener, parser_flags());
	/* With its NUL, so that the end of the text ends the object. */
	object = json_tokener_parse_ex(tokener, message->text,
				       (int) message->length + 1);
	code = json_tokener_get_error(tokener);
	if (code == json_tokener_success &&
	    json_object_is_type(object, json_type_object) &&
	    json_tokener_get_parse_end(tokener) >= message->length) {
		json_tokener_free(tokener);
		return object;
	}
	gov_error_set(error, GOV_E_PROTOCOL,
		      "the message is not a JSON object: %s",
		      code == json_tokener_success ?
			      "something else" :
			      json_tokener_error_desc(code));
	json_object_put(object);
	json_tokener_free(tokener);
	return NULL;
}
