/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages as frames of munge credentials.  Private to lib/wire; what a
 * message looks like is told in client.h.
 */
#ifndef GOVERNANCE_WIRE_FRAME_H
#define GOVERNANCE_WIRE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/error.h"

/* Payload of a credential: this header, big-endian, then text. */
#define GOV_FRAME_MAGIC "GOVJ"
#define GOV_FRAME_VERSION 1
#define GOV_FRAME_HEADER \
	20 /* magic 4, version 1, flags 1, zero 2,
				   conversation 8, number 4 */
#define GOV_FRAME_LAST 0x01
#define GOV_FRAME_ANSWER \
	0x02 /* from the governor: a request sent back to
				   its sender is no answer */
#define GOV_FRAME_PIECE (256 * 1024) /* most text in a frame we send */
/* Longest credential accepted: a piece in base64, with munge's own header. */
#define GOV_FRAME_CREDENTIAL_MAX (512 * 1024)

#define GOV_REQUEST_TEXT_MAX (1024UL * 1024)
#define GOV_ANSWER_TEXT_MAX (256UL * 1024 * 1024)

/* How one message is read or written. */
struct gov_frame_link {
	int fd;
	const char *munge_socket; /* NULL: munge's default */
	int64_t deadline;	  /* see stream.h */
	bool answer;		  /* direction: from the governor */
};

/* A message as received; text is malloc()ed and has a NUL after its end. */
struct gov_message {
	char *text;
	size_t length;
	uid_t uid; /* who encoded every frame of it */
	gid_t gid;
	uint64_t conversation;
};

/*
 * Read one whole message: frames 0, 1, 2 … of one conversation and one
 * sender.  conversation, if not NULL, is the only one accepted.  The caller
 * frees message->text, also after a failure (where it is NULL).
 */
int gov_message_read(const struct gov_frame_link *link,
		     const uint64_t *conversation, struct gov_message *message,
		     struct gov_error *error);

/* Write one whole message, readable by `reader` only ((uid_t)-1: by all). */
int gov_message_write(const struct gov_frame_link *link, uid_t reader,
		      uint64_t conversation, const char *text, size_t length,
		      struct gov_error *error);

struct json_object;

/* The whole of text as one JSON object, or NULL with GOV_E_PROTOCOL. */
struct json_object *gov_message_parse(const struct gov_message *message,
				      struct gov_error *error);

#endif
