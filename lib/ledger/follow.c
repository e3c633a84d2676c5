/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK (256u << 10)

static int bad(const struct gov_follow *follow, struct gov_error *error,
	       const char *what)
{
	return gov_error_set(error, GOV_E_VALUE, "%s, record %" PRIu64 ": %s",
			     follow->segment.name, follow->chain.seq + 1, what);
}

static int no_memory(struct gov_error *error)
{
	return gov_error_set(error, GOV_E_NOMEM, "no memory");
}

/* ---- a record ---- */

/* The first record of a file names the one before it. */
static int check_first(struct gov_follow *follow, struct gov_error *error)
{
	const struct gov_record *record = &follow->record;
	struct gov_chain named = { .seq = follow->segment.first - 1 };

	if (record->kind != GOV_RECORD_SEGMENT || !record->prev ||
	    strlen(record->prev) != GOV_HASH_TEXT ||
	    !gov_digest_read(record->prev, named.hash) ||
	    (uint64_t) record->epoch != follow->segment.epoch)
		return bad(follow, error, "it does not begin this file");
	if (follow->known && follow->chain.seq == named.seq &&
	    memcmp(follow->chain.hash, named.hash, sizeof(named.hash)) != 0)
		return bad(follow, error,
			   "it follows another record than the one before");
	if (follow->known && named.seq > follow->chain.seq)
		follow->missing += named.seq - follow->chain.seq;
	follow->chain = named;
	follow->known = true;
	return 0;
}

/* Reading takes a line apart: it is done with a copy. */
static int parse(struct gov_follow *follow, const char *line, size_t length,
		 struct gov_error *error)
{
	struct gov_error why;

	follow->copy.length = 0;
	gov_text_add(&follow->copy, line, length + 1);
	if (follow->copy.failed) {
		follow->copy.failed = false;
		return no_memory(error);
	}
	if (gov_record_parse(follow->copy.data, length, &follow->record, &why))
		return bad(follow, error, why.text);
	return 0;
}

static int take(struct gov_follow *follow, const char *line, size_t length,
		struct gov_error *error)
{
	struct gov_chain before;

	if (parse(follow, line, length, error) ||
	    (follow->first && check_first(follow, error)))
		return -1;
	before = follow->chain;
	if (follow->record.seq != before.seq + 1)
		return bad(follow, error, "it is out of order");
	if (!gov_chain_follow(&follow->chain, line, length))
		return bad(follow, error,
			   "its hash is not that of its text behind the "
			   "record before");
	follow->first = false;
	if (!follow->quiet)
		follow->visit(follow->arg, &follow->record, line, length);
	return 0;
}

/*
 * Complete lines before record `until`; *used: bytes of them.  0, 1: there is
 * nothing more to read in this file, -1.
 */
static int take_lines(struct gov_follow *follow, char *data, size_t length,
		      uint64_t until, size_t *used, struct gov_error *error)
{
	char *newline;

	for (*used = 0;
	     (newline = memchr(data + *used, '\n', length - *used));) {
		size_t line = (size_t) (newline - data) - *used;

		if (!follow->first && follow->chain.seq + 1 >= until)
			return 1;
		*newline = '\0';
		if (take(follow, data + *used, line, error))
			return -1;
		*used += line + 1;
	}
	return 0;
}

/* ---- a file ---- */

static int read_error(const struct gov_follow *follow, struct gov_error *error)
{
	return gov_error_set(error, GOV_E_IO, "cannot read %s/%s: %s",
			     follow->directory, follow->segment.name,
			     strerror(errno));
}

/* Room for a chunk behind what is in the buffer. */
static char *room(struct gov_text *buffer)
{
	char *grown;

	if (buffer->space - buffer->length < CHUNK) {
		grown = realloc(buffer->data, buffer->space + CHUNK);
		if (!grown)
			return NULL;
		buffer->data = grown;
		buffer->space += CHUNK;
	}
	return buffer->data + buffer->length;
}

/* An incomplete line is read again next time: it may be written anew. */
static int read_plain(struct gov_follow *follow, uint64_t until,
		      struct gov_error *error)
{
	struct gov_text *buffer = &follow->buffer;
	int rc = 0;

	for (buffer->length = 0; !rc;) {
		char *at = room(buffer);
		ssize_t got;
		size_t used;

		if (!at)
			return no_memory(error);
		got = pread(follow->fd, at, CHUNK,
			    (off_t) (follow->offset + buffer->length));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return read_error(follow, error);
		if (!got)
			break;
		buffer->length += (size_t) got;
		rc = take_lines(follow, buffer->data, buffer->length, until,
				&used, error);
		follow->offset += used;
		buffer->length -= used;
		memmove(buffer->data, buffer->data + used, buffer->length);
		if (!rc && buffer->length > GOV_RECORD_LINE_MAX)
			return bad(follow, error, "the line has no end");
	}
	return rc < 0 ? -1 : 0;
}

/* Closed before it could be opened. */
static int read_packed(struct gov_follow *follow, uint64_t until,
		       struct gov_error *error)
{
	size_t length, used;
	char *data;
	int rc;

	if (!follow->first)
		return 0; /* that has been done */
	if (gov_segment_load(follow->directory, &follow->segment, &data,
			     &length, NULL, error))
		return -1;
	rc = take_lines(follow, data, length, until, &used, error);
	free(data);
	return rc < 0 ? -1 : 0;
}

static int read_current(struct gov_follow *follow, uint64_t until,
			struct gov_error *error)
{
	char path[4352];

	if (follow->fd < 0 && follow->first && !follow->segment.compressed) {
		snprintf(path, sizeof(path), "%s/%s", follow->directory,
			 follow->segment.name);
		follow->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (follow->fd < 0 && errno != ENOENT)
			return read_error(follow, error);
		if (follow->fd < 0) {
			follow->segment.compressed = true;
			gov_segment_name(&follow->segment);
		}
	}
	return follow->fd >= 0 ? read_plain(follow, until, error) :
				 read_packed(follow, until, error);
}

/* ---- from file to file ---- */

static void go_to(struct gov_follow *follow, const struct gov_segment *next)
{
	if (follow->fd >= 0)
		close(follow->fd);
	follow->fd = -1;
	follow->offset = 0;
	if (follow->known && next->first <= follow->chain.seq)
		follow->fenced += follow->chain.seq + 1 - next->first;
	follow->segment = *next;
	follow->begun = follow->first = true;
}

/* The file that goes on where this one ends; none of a replaced governor. */
static const struct gov_segment *next_of(const struct gov_follow *follow,
					 const struct gov_segments *list)
{
	const struct gov_segment *now = &follow->segment;

	for (size_t i = 0; i < list->count; i++) {
		const struct gov_segment *item = &list->item[i];

		if (!follow->begun ||
		    (item->first > now->first && item->epoch >= now->epoch) ||
		    (item->first == now->first && item->epoch > now->epoch))
			return item;
	}
	return NULL;
}

/* A file that was begun and recovered from as empty is there no more. */
static bool is_gone(const struct gov_follow *follow,
		    const struct gov_segments *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->item[i].first == follow->segment.first &&
		    list->item[i].epoch == follow->segment.epoch)
			return false;
	return true;
}

/* 1: there is another file to be read. */
static int read_one(struct gov_follow *follow, struct gov_error *error)
{
	const struct gov_segment *next;
	struct gov_segments list;
	int rc = 0;

	/* Listed first: if there is a next one then this one is complete. */
	if (gov_segments_list(follow->directory, &list, error))
		return -1;
	next = next_of(follow, &list);
	if (follow->begun && (follow->fd >= 0 || !is_gone(follow, &list)))
		rc = read_current(follow, next ? next->first : UINT64_MAX,
				  error);
	if (!rc && next) {
		go_to(follow, next);
		rc = 1;
	}
	gov_segments_free(&list);
	return rc;
}

int gov_follow_read(struct gov_follow *follow, struct gov_error *error)
{
	int rc;

	while ((rc = read_one(follow, error)) > 0)
		;
	return rc;
}

int gov_follow_begin(struct gov_follow *follow, struct gov_error *error)
{
	struct gov_segments list;
	int rc;

	follow->fd = -1;
	if (gov_segments_list(follow->directory, &list, error))
		return -1;
	/* The first record of all follows nothing, and that is known. */
	follow->known = !list.count;
	if (list.count)
		go_to(follow, &list.item[list.count - 1]);
	gov_segments_free(&list);
	follow->quiet = true;
	rc = follow->begun ? gov_follow_read(follow, error) : 0;
	follow->quiet = false;
	return rc;
}

void gov_follow_end(struct gov_follow *follow)
{
	if (follow->fd >= 0)
		close(follow->fd);
	gov_text_free(&follow->buffer);
	gov_text_free(&follow->copy);
	gov_record_free(&follow->record);
	*follow = (struct gov_follow){ .fd = -1 };
}
