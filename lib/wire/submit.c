/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/submit.h"

#include <limits.h>
#include <string.h>

#define HEADER_SIZE 5	    /* "GOV", version, kind */
#define FIELD_HEADER_SIZE 5 /* tag, 32-bit length */
#define INTEGER_SIZE 8

static const char magic[3] = { 'G', 'O', 'V' };

/* How a member looks in memory; on the wire there are only three kinds. */
enum field_type {
	FIELD_STRING, /* const char *; bytes with their NUL; NULL: absent */
	FIELD_BUFFER, /* char[size]; the same; "": absent */
	FIELD_U64,    /* 8 bytes; GOV_SUB_UNSET: absent */
	FIELD_U32,    /* 8 bytes, value below 2^32; always sent */
	FIELD_I32,    /* the same, two's complement; always sent */
	FIELD_BOOL,   /* no bytes; false: absent */
};

struct field {
	uint8_t tag;
	uint8_t type;
	uint16_t size; /* FIELD_BUFFER: room with NUL */
	uint32_t offset;
};

#define FIELD(struct_, tag_, type_, member_)                     \
	{                                                        \
		.tag = (tag_), .type = (type_),                  \
		.size = sizeof(((struct struct_ *) 0)->member_), \
		.offset = offsetof(struct struct_, member_)      \
	}
#define REQUEST(tag, type, member) \
	FIELD(gov_submit_request, tag, FIELD_##type, member)
#define SUBMISSION(tag, type, member) REQUEST(tag, type, submission.member)
#define ANSWER(tag, type, member) FIELD(gov_answer, tag, FIELD_##type, member)

/* Tags are part of the protocol: never change or reuse one. */
static const struct field request_fields[] = {
	REQUEST(1, U64, sequence),
	/* who */
	SUBMISSION(2, U32, uid),
	SUBMISSION(3, U32, gid),
	SUBMISSION(4, U32, submit_uid),
	SUBMISSION(5, STRING, account),
	SUBMISSION(6, STRING, qos),
	SUBMISSION(7, STRING, partition),
	SUBMISSION(8, STRING, reservation),
	SUBMISSION(9, STRING, features),
	SUBMISSION(10, STRING, nodelist),
	SUBMISSION(11, STRING, dependency),
	SUBMISSION(12, STRING, licenses),
	SUBMISSION(13, STRING, class_name),
	SUBMISSION(14, STRING, project_name),
	SUBMISSION(15, STRING, borrow),
	SUBMISSION(16, STRING, name),
	/* how much */
	SUBMISSION(20, STRING, tres_per_job),
	SUBMISSION(21, STRING, tres_per_node),
	SUBMISSION(22, STRING, tres_per_socket),
	SUBMISSION(23, STRING, tres_per_task),
	SUBMISSION(24, STRING, cpus_per_tres),
	SUBMISSION(25, STRING, mem_per_tres),
	SUBMISSION(26, U64, ntasks_per_tres),
	SUBMISSION(27, U64, min_nodes),
	SUBMISSION(28, U64, max_nodes),
	SUBMISSION(29, U64, num_tasks),
	SUBMISSION(30, U64, cpus_per_task),
	SUBMISSION(31, U64, ntasks_per_node),
	SUBMISSION(32, U64, ntasks_per_socket),
	SUBMISSION(33, U64, sockets_per_node),
	SUBMISSION(34, U64, min_cpus),
	SUBMISSION(35, U64, max_cpus),
	SUBMISSION(36, U64, pn_min_cpus),
	SUBMISSION(37, U64, memory),
	SUBMISSION(38, BOOL, memory_per_cpu),
	SUBMISSION(39, BOOL, exclusive),
	SUBMISSION(40, U64, time_limit),
	SUBMISSION(41, BOOL, overcommit),
	/* how */
	SUBMISSION(60, STRING, array),
	SUBMISSION(61, U64, het_offset),
	SUBMISSION(62, U64, begin_time),
	SUBMISSION(63, BOOL, batch),
	SUBMISSION(64, BOOL, hold),
	SUBMISSION(65, BOOL, immediate),
	SUBMISSION(66, BOOL, cron),
	SUBMISSION(67, BOOL, requeue),
	SUBMISSION(68, U64, warn_signal),
	SUBMISSION(69, BOOL, warn_batch),
	/* modification */
	REQUEST(80, BUFFER, modification.job_id),
	REQUEST(81, U32, modification.uid),
	REQUEST(82, U64, modification.priority),
	REQUEST(83, BOOL, modification.sets_priority),
	REQUEST(84, BOOL, modification.sets_admin_comment),
};

static const struct field answer_fields[] = {
	ANSWER(1, U64, sequence),
	ANSWER(100, U32, action),
	ANSWER(101, U32, code),
	ANSWER(102, STRING, message),
	ANSWER(103, STRING, admin_comment),
	ANSWER(104, STRING, account),
	ANSWER(105, STRING, grant),
	ANSWER(106, STRING, partition),
	ANSWER(107, STRING, features),
	ANSWER(108, STRING, tres_per_job),
	ANSWER(109, BOOL, sets_site_factor),
	ANSWER(110, I32, site_factor),
	ANSWER(111, BOOL, sets_on_down),
	ANSWER(112, U32, on_down),
	ANSWER(113, U32, deadline_ms),
};

_Static_assert(sizeof(enum gov_answer_action) == 4 &&
		       sizeof(enum gov_code) == 4 &&
		       sizeof(enum gov_on_down) == 4,
	       "enums are encoded as FIELD_U32");

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- encoding ---- */

struct writer {
	unsigned char *packet;
	size_t size;
	size_t used;
	bool full;
};

static void put_field(struct writer *writer, uint8_t tag, const void *bytes,
		      size_t length)
{
	size_t room = writer->size - writer->used;
	unsigned char *at = writer->packet + writer->used;

	if (writer->full || room < FIELD_HEADER_SIZE ||
	    length > room - FIELD_HEADER_SIZE) {
		writer->full = true;
		return;
	}
	*at++ = tag;
	for (int i = 0; i < 4; i++)
		*at++ = (unsigned char) (length >> (8 * i));
	if (length)
		memcpy(at, bytes, length);
	writer->used += FIELD_HEADER_SIZE + length;
}

static void put_integer(struct writer *writer, uint8_t tag, uint64_t value)
{
	unsigned char bytes[INTEGER_SIZE];

	for (int i = 0; i < INTEGER_SIZE; i++)
		bytes[i] = (unsigned char) (value >> (8 * i));
	put_field(writer, tag, bytes, sizeof(bytes));
}

static void put_text(struct writer *writer, uint8_t tag, const char *text)
{
	/* Do not measure megabytes that cannot fit anyway. */
	size_t length = strnlen(text, writer->size);

	put_field(writer, tag, text, length + 1);
}

static void put_member(struct writer *writer, const struct field *field,
		       const char *member)
{
	union {
		const char *text;
		uint64_t u64;
		uint32_t u32;
		int32_t i32;
		bool flag;
	} value;

	switch ((enum field_type) field->type) {
	case FIELD_STRING:
		memcpy(&value.text, member, sizeof(value.text));
		if (value.text)
			put_text(writer, field->tag, value.text);
		break;
	case FIELD_BUFFER:
		if (*member)
			put_text(writer, field->tag, member);
		break;
	case FIELD_U64:
		memcpy(&value.u64, member, sizeof(value.u64));
		if (value.u64 != GOV_SUB_UNSET)
			put_integer(writer, field->tag, value.u64);
		break;
	case FIELD_U32:
		memcpy(&value.u32, member, sizeof(value.u32));
		put_integer(writer, field->tag, value.u32);
		break;
	case FIELD_I32:
		memcpy(&value.i32, member, sizeof(value.i32));
		put_integer(writer, field->tag, (uint32_t) value.i32);
		break;
	case FIELD_BOOL:
		memcpy(&value.flag, member, sizeof(value.flag));
		if (value.flag)
			put_field(writer, field->tag, NULL, 0);
		break;
	}
}

static long encode(enum gov_message_kind kind, const void *message,
		   const struct field *fields, size_t count, void *packet,
		   size_t size)
{
	struct writer writer = {
		.packet = packet,
		.size = size < GOV_PACKET_MAX ? size : GOV_PACKET_MAX,
		.used = HEADER_SIZE,
	};

	if (writer.size < HEADER_SIZE)
		return -1;
	memcpy(writer.packet, magic, sizeof(magic));
	writer.packet[3] = GOV_WIRE_VERSION;
	writer.packet[4] = (unsigned char) kind;
	for (size_t i = 0; i < count; i++)
		put_member(&writer, &fields[i],
			   (const char *) message + fields[i].offset);
	return writer.full ? -1 : (long) writer.used;
}

long gov_submit_request_encode(const struct gov_submit_request *request,
			       void *packet, size_t size)
{
	return encode(request->kind, request, request_fields,
		      COUNT(request_fields), packet, size);
}

long gov_answer_encode(const struct gov_answer *answer, void *packet,
		       size_t size)
{
	return encode(GOV_MSG_ANSWER, answer, answer_fields,
		      COUNT(answer_fields), packet, size);
}

/* ---- decoding ---- */

struct reader {
	const unsigned char *at;
	size_t left;
	uint32_t seen[256 / 32]; /* known tags that came already */
};

struct raw_field {
	uint8_t tag;
	uint32_t length;
	const unsigned char *bytes;
};

/* 1: a field; 0: end of the packet; -1: cut short. */
static int next_field(struct reader *reader, struct raw_field *raw)
{
	if (!reader->left)
		return 0;
	if (reader->left < FIELD_HEADER_SIZE)
		return -1;
	raw->tag = reader->at[0];
	raw->length = 0;
	for (int i = 0; i < 4; i++)
		raw->length |= (uint32_t) reader->at[1 + i] << (8 * i);
	raw->bytes = reader->at + FIELD_HEADER_SIZE;
	reader->left -= FIELD_HEADER_SIZE;
	if (raw->length > reader->left)
		return -1;
	reader->left -= raw->length;
	reader->at = raw->bytes + raw->length;
	return 1;
}

static int get_integer(const struct raw_field *raw, uint64_t *value)
{
	if (raw->length != INTEGER_SIZE)
		return -1;
	*value = 0;
	for (int i = 0; i < INTEGER_SIZE; i++)
		*value |= (uint64_t) raw->bytes[i] << (8 * i);
	return 0;
}

/* Exactly one NUL, at the end. */
static const char *get_text(const struct raw_field *raw)
{
	if (!raw->length || memchr(raw->bytes, '\0', raw->length) !=
				    raw->bytes + raw->length - 1)
		return NULL;
	return (const char *) raw->bytes;
}

static int get_number(const struct field *field, const struct raw_field *raw,
		      char *member)
{
	uint64_t value;
	uint32_t half;

	if (get_integer(raw, &value))
		return -1;
	if (field->type == FIELD_U64) {
		memcpy(member, &value, sizeof(value));
		return 0;
	}
	if (value > UINT32_MAX)
		return -1;
	half = (uint32_t) value;
	memcpy(member, &half, sizeof(half));
	return 0;
}

static int get_string(const struct field *field, const struct raw_field *raw,
		      char *member)
{
	const char *text = get_text(raw);

	if (!text)
		return -1;
	if (field->type == FIELD_STRING) {
		memcpy(member, &text, sizeof(text));
		return 0;
	}
	if (raw->length > field->size)
		return -1;
	memcpy(member, text, raw->length);
	return 0;
}

static int get_member(const struct field *field, const struct raw_field *raw,
		      char *member)
{
	const bool yes = true;

	switch ((enum field_type) field->type) {
	case FIELD_STRING:
	case FIELD_BUFFER: return get_string(field, raw, member);
	case FIELD_U64:
	case FIELD_U32:
	case FIELD_I32: return get_number(field, raw, member);
	case FIELD_BOOL:
		if (raw->length)
			return -1;
		memcpy(member, &yes, sizeof(yes));
		return 0;
	}
	return -1;
}

static const struct field *find_field(const struct field *fields, size_t count,
				      uint8_t tag)
{
	for (size_t i = 0; i < count; i++)
		if (fields[i].tag == tag)
			return &fields[i];
	return NULL;
}

/* The kind of the message, or -1. */
static int get_header(struct reader *reader, struct gov_error *error)
{
	int kind;

	if (reader->left < HEADER_SIZE ||
	    memcmp(reader->at, magic, sizeof(magic)))
		return gov_error_set(error, GOV_E_PROTOCOL,
				     "what came is no message of governance; "
				     "something else uses its socket");
	if (reader->at[3] != GOV_WIRE_VERSION)
		return gov_error_set(error, GOV_E_PROTOCOL,
				     "the other side speaks version %d of the "
				     "protocol, this side version %d; install "
				     "slurmgovd and the job_submit plugin from "
				     "one release and restart both",
				     reader->at[3], GOV_WIRE_VERSION);
	kind = reader->at[4];
	reader->at += HEADER_SIZE;
	reader->left -= HEADER_SIZE;
	return kind;
}

static int decode(struct reader *reader, const struct field *fields,
		  size_t count, void *message, struct gov_error *error)
{
	struct raw_field raw;
	int more;

	while ((more = next_field(reader, &raw)) > 0) {
		const struct field *field = find_field(fields, count, raw.tag);
		uint32_t *seen = &reader->seen[raw.tag / 32];
		uint32_t bit = UINT32_C(1) << (raw.tag % 32);

		if (!field)
			continue;
		if (*seen & bit)
			return gov_error_set(error, GOV_E_PROTOCOL,
					     "field %d comes twice", raw.tag);
		*seen |= bit;
		if (get_member(field, &raw, (char *) message + field->offset))
			return gov_error_set(error, GOV_E_PROTOCOL,
					     "field %d is malformed", raw.tag);
	}
	if (more < 0)
		return gov_error_set(error, GOV_E_PROTOCOL,
				     "the message is cut short");
	return 0;
}

void gov_submit_request_init(struct gov_submit_request *request)
{
	memset(request, 0, sizeof(*request));
	request->kind = GOV_MSG_SUBMIT;
	gov_submission_init(&request->submission);
	request->modification.priority = GOV_SUB_UNSET;
}

int gov_submit_request_decode(const void *packet, size_t length,
			      struct gov_submit_request *request,
			      struct gov_error *error)
{
	struct reader reader = { .at = packet, .left = length };
	int kind;

	gov_submit_request_init(request);
	kind = get_header(&reader, error);
	if (kind < 0)
		return -1;
	if (kind != GOV_MSG_SUBMIT && kind != GOV_MSG_MODIFY)
		return gov_error_set(error, GOV_E_PROTOCOL,
				     "message kind %d is no request", kind);
	request->kind = (enum gov_message_kind) kind;
	return decode(&reader, request_fields, COUNT(request_fields), request,
		      error);
}

int gov_answer_decode(const void *packet, size_t length,
		      struct gov_answer *answer, struct gov_error *error)
{
	struct reader reader = { .at = packet, .left = length };
	int kind;

	memset(answer, 0, sizeof(*answer));
	kind = get_header(&reader, error);
	if (kind < 0)
		return -1;
	if (kind != GOV_MSG_ANSWER)
		return gov_error_set(error, GOV_E_PROTOCOL,
				     "message kind %d is no answer", kind);
	if (decode(&reader, answer_fields, COUNT(answer_fields), answer, error))
		return -1;
	if (answer->action < GOV_ANSWER_PASS ||
	    answer->action > GOV_ANSWER_SWALLOW)
		return gov_error_set(error, GOV_E_PROTOCOL,
				     "the answer has no known action");
	if (answer->on_down > GOV_DOWN_REJECT)
		return gov_error_set(
			error, GOV_E_PROTOCOL,
			"the answer has an unknown OnGovernorDown");
	return 0;
}
