/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/walk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What one file is read with. */
struct page {
	struct gov_walk *walk;
	struct gov_record record;
	uint64_t until; /* first seq of the next file: what is not before it
			   is fenced */
	bool fenced;
	bool first; /* the next record must be a file's first */
	bool known; /* what came before this file was read, too */
	uint8_t before[GOV_HASH_SIZE]; /* digest of the file before */
};

static int bad(const struct page *page, struct gov_error *error,
	       const char *what)
{
	const struct gov_walk *walk = page->walk;

	return gov_error_set(error, GOV_E_VALUE,
			     "%s, line %" PRIu64 " (record %" PRIu64 "): %s",
			     walk->segment.name, walk->line + 1,
			     walk->chain.seq + 1, what);
}

/* The first record says what it follows. */
static int check_first(struct page *page, const struct gov_record *record,
		       struct gov_error *error)
{
	struct gov_walk *walk = page->walk;
	struct gov_chain named = { .seq = walk->segment.first - 1 };
	uint8_t digest[GOV_HASH_SIZE];

	if (record->kind != GOV_RECORD_SEGMENT || !record->prev ||
	    strlen(record->prev) != GOV_HASH_TEXT ||
	    !gov_digest_read(record->prev, named.hash))
		return bad(page, error, "it does not begin a file");
	if (record->version != GOV_LEDGER_VERSION)
		return bad(page, error, "it is of another release");
	if ((uint64_t) record->epoch != walk->segment.epoch)
		return bad(page, error, "the file was renamed");
	if (!page->known)
		walk->chain = named;
	if (page->known && !walk->trust && record->digest &&
	    (strlen(record->digest) != GOV_HASH_TEXT ||
	     !gov_digest_read(record->digest, digest) ||
	     memcmp(digest, page->before, sizeof(digest)) != 0))
		return bad(page, error,
			   "the file before it is not as it was closed");
	if (memcmp(named.hash, walk->chain.hash, sizeof(named.hash)) != 0)
		return bad(page, error,
			   "it follows another record than the one before");
	return 0;
}

/* The prev within must be known before the hash of its line can be. */
static int adopt_prev(struct page *page, const char *line, size_t length,
		      struct gov_error *error)
{
	char *copy = malloc(length + 1);
	int rc;

	if (!copy)
		return gov_error_set(error, GOV_E_NOMEM, "no memory");
	memcpy(copy, line, length);
	rc = gov_record_parse(copy, length, &page->record, NULL);
	rc = rc ? bad(page, error, "it is no record") :
		  check_first(page, &page->record, error);
	free(copy);
	return rc;
}

static int read_record(struct page *page, char *line, size_t length,
		       struct gov_chain *before, struct gov_error *error)
{
	struct gov_walk *walk = page->walk;
	struct gov_error why;

	if (page->first && adopt_prev(page, line, length, error))
		return -1;
	*before = walk->chain;
	if (!(walk->trust ? gov_chain_trust(&walk->chain, line, length) :
			    gov_chain_follow(&walk->chain, line, length)))
		return bad(page, error,
			   "its hash is not that of its text "
			   "behind the record before");
	if (gov_record_parse(line, length, &page->record, &why)) {
		walk->chain = *before;
		return bad(page, error, why.text);
	}
	if (page->record.seq != walk->chain.seq ||
	    (!page->first && page->record.kind == GOV_RECORD_SEGMENT)) {
		walk->chain = *before;
		return bad(page, error, "it is out of order");
	}
	if (page->record.time < walk->time) {
		walk->chain = *before;
		return bad(page, error, "its time is before the last one's");
	}
	return 0;
}

/* One complete line. */
static int take(struct page *page, char *line, size_t length,
		struct gov_error *error)
{
	struct gov_walk *walk = page->walk;
	struct gov_chain before;
	struct gov_error why;

	if (read_record(page, line, length, &before, error))
		return -1;
	if (walk->visit && !page->fenced &&
	    walk->visit(walk->arg, &page->record, &before, &why)) {
		walk->chain = before;
		walk->content = true;
		return bad(page, error, why.text);
	}
	if (page->fenced)
		walk->fenced++;
	else
		walk->records++;
	if (!page->fenced && walk->chain.seq == walk->head.seq)
		walk->head_agrees = memcmp(walk->chain.hash, walk->head.hash,
					   GOV_HASH_SIZE) == 0;
	page->first = false;
	walk->time = page->record.time;
	walk->line++;
	walk->bytes += length + 1;
	walk->all_bytes += length + 1;
	return 0;
}

/* ---- a file ---- */

static int read_lines(struct page *page, char *data, size_t length,
		      struct gov_error *error)
{
	struct gov_walk *walk = page->walk;
	struct gov_chain kept = walk->chain;
	int64_t time = walk->time;
	char *at = data, *end = data + length;

	walk->line = walk->bytes = walk->rest = 0;
	while (at < end) {
		char *newline = memchr(at, '\n', (size_t) (end - at));

		if (!page->fenced && walk->chain.seq + 1 >= page->until) {
			page->fenced = true;
			kept = walk->chain;
			time = walk->time;
		}
		if (!newline) {
			walk->rest = (uint64_t) (end - at);
			break;
		}
		if (take(page, at, (size_t) (newline - at), error))
			return -1;
		at = newline + 1;
	}
	/* The chain goes on where the fence is. */
	if (page->fenced) {
		walk->chain = kept;
		walk->time = time;
	}
	return 0;
}

static int read_segment(struct page *page, bool is_last,
			struct gov_error *error)
{
	struct gov_walk *walk = page->walk;
	char *data;
	size_t length;
	int rc;

	walk->line = walk->bytes = walk->rest = 0;
	page->first = true;
	page->fenced = false;
	if (page->known && walk->segment.first > walk->chain.seq + 1)
		return gov_error_set(error, GOV_E_VALUE,
				     "records %" PRIu64 " to %" PRIu64
				     " are missing before %s",
				     walk->chain.seq + 1,
				     walk->segment.first - 1,
				     walk->segment.name);
	if (gov_segment_load(walk->directory, &walk->segment, &data, &length,
			     walk->trust ? NULL : walk->digest, error))
		return -1;
	rc = read_lines(page, data, length, error);
	free(data);
	if (rc)
		return -1;
	if (page->first)
		return bad(page, error, "the file holds no record");
	walk->segments++;
	page->known = true;
	memcpy(page->before, walk->digest, sizeof(page->before));
	/* What was cut off by a crash is cut off for good when it goes on. */
	if (walk->rest && !is_last && !page->fenced)
		return bad(page, error, "it is incomplete");
	return 0;
}

/* ---- all of them ---- */

static size_t first_of(const struct gov_walk *walk,
		       const struct gov_segments *list)
{
	size_t first = 0;

	if (walk->last)
		return list->count ? list->count - 1 : 0;
	for (size_t i = 0; i < list->count; i++)
		if (list->item[i].first <= walk->from)
			first = i;
	return first;
}

static int check_begin(const struct gov_walk *walk,
		       const struct gov_segments *list, struct gov_error *error)
{
	if (walk->last || walk->from || !list->count ||
	    list->item[0].first == 1)
		return 0;
	return gov_error_set(error, GOV_E_VALUE,
			     "records 1 to %" PRIu64 " are missing before %s",
			     list->item[0].first - 1, list->item[0].name);
}

/* Read before the records: these are there then, whoever goes on writing. */
static int read_head(struct gov_walk *walk, struct gov_error *error)
{
	int rc;

	walk->head = (struct gov_chain){ 0 };
	walk->head_agrees = true;
	if (walk->no_head)
		return 0;
	rc = gov_head_read(walk->directory, &walk->head, error);
	walk->head_missing = rc == 1;
	return rc < 0 ? -1 : 0;
}

static int check_head(const struct gov_walk *walk, struct gov_error *error)
{
	if (walk->no_head)
		return 0;
	if (walk->head_missing && walk->chain.seq)
		return gov_error_set(error, GOV_E_VALUE,
				     "the file head is missing: whether the "
				     "last records are there cannot be told");
	if (walk->head.seq > walk->chain.seq)
		return gov_error_set(error, GOV_E_VALUE,
				     "records %" PRIu64 " to %" PRIu64
				     " are missing at the end",
				     walk->chain.seq + 1, walk->head.seq);
	if (!walk->head_agrees)
		return gov_error_set(error, GOV_E_VALUE,
				     "the file head names another record "
				     "%" PRIu64,
				     walk->head.seq);
	return 0;
}

static int walk_all(struct gov_walk *walk, const struct gov_segments *list,
		    struct gov_error *error)
{
	struct page page = { .walk = walk };
	size_t first = first_of(walk, list);
	int rc = check_begin(walk, list, error);

	page.known = !walk->last && !first;
	for (size_t i = first; !rc && i < list->count; i++) {
		walk->segment = list->item[i];
		page.until = i + 1 < list->count ? list->item[i + 1].first :
						   UINT64_MAX;
		rc = read_segment(&page, i + 1 == list->count, error);
	}
	gov_record_free(&page.record);
	return rc ? rc : check_head(walk, error);
}

int gov_walk(struct gov_walk *walk, struct gov_error *error)
{
	struct gov_segments list;
	int rc;

	if (read_head(walk, error) ||
	    gov_segments_list(walk->directory, &list, error))
		return -1;
	rc = walk_all(walk, &list, error);
	gov_segments_free(&list);
	return rc;
}
