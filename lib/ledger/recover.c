/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finding the end of a ledger, whatever became of the last governor.
 *
 * An incomplete end is what a crash leaves: it is cut off, and the next file
 * says how much that was.  Damage before the end is no crash: nothing is
 * touched, the chain goes on behind the last record that can still be linked,
 * and verify will name what is wrong.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/journal_private.h"

static void path_of(char *path, size_t size, const struct gov_journal *journal,
		    const char *name)
{
	snprintf(path, size, "%s/%s", journal->directory, name);
}

/*
 * Is anything behind the last good record a record that follows its
 * predecessor in the file?  Then the chain goes on behind the last such one.
 */
static bool find_links(const struct gov_walk *walk, struct gov_chain *last)
{
	struct gov_record record = { 0 };
	struct gov_chain chain = { 0 };
	bool linked = false, found = false;
	char *data, *at, *newline;
	size_t length;

	if (gov_segment_load(walk->directory, &walk->segment, &data, &length,
			     NULL, NULL))
		return false;
	at = data + walk->bytes;
	for (; (newline = memchr(at, '\n', (size_t) (data + length - at)));
	     at = newline + 1) {
		size_t size = (size_t) (newline - at);

		if (linked && gov_chain_follow(&chain, at, size) &&
		    !gov_record_parse(at, size, &record, NULL) &&
		    record.seq > walk->chain.seq) {
			chain.seq = record.seq;
			*last = chain;
			found = true;
		} else {
			linked = gov_chain_trust(&chain, at, size);
		}
	}
	gov_record_free(&record);
	free(data);
	return found;
}

static int cut_off(struct gov_journal *journal, const struct gov_walk *walk,
		   struct gov_error *error)
{
	char path[4352];
	struct stat info;

	path_of(path, sizeof(path), journal, walk->segment.name);
	if (stat(path, &info))
		return gov_error_set(error, GOV_E_IO, "cannot look at %s: %s",
				     path, strerror(errno));
	if (walk->bytes && (uint64_t) info.st_size <= walk->bytes)
		return 0;
	journal->cut = (uint64_t) info.st_size - walk->bytes;
	if (!walk->bytes) {
		/* Not even its first record: it never was. */
		if (!unlink(path))
			return 0;
	} else if (!truncate(path, (off_t) walk->bytes)) {
		return 0;
	}
	return gov_error_set(error, GOV_E_IO, "cannot cut the end off %s: %s",
			     path, strerror(errno));
}

static void note_damage(struct gov_journal_found *found, const char *text)
{
	if (!found->damage[0])
		snprintf(found->damage, sizeof(found->damage), "%.250s", text);
}

/* 0: the chain is found; 1: this file says nothing, look at the one before. */
static int read_last(struct gov_journal *journal, gov_walk_visit *visit,
		     struct gov_journal_found *found, struct gov_error *error)
{
	struct gov_walk walk = {
		.directory = journal->directory,
		.last = true,
		.no_head = true,
		.visit = visit,
		.arg = journal->setup.arg,
	};
	struct gov_error fault;
	int rc = gov_walk(&walk, &fault);
	bool empty = !walk.records && !walk.content;

	journal->chain = walk.chain;
	journal->time = walk.time;
	journal->packed = !rc && walk.segment.compressed;
	memcpy(journal->digest, walk.digest, GOV_HASH_SIZE);
	found->records = walk.chain.seq;
	found->time = walk.time;
	if (!rc && !walk.rest)
		return 0;
	if (rc && (walk.content || walk.segment.compressed ||
		   find_links(&walk, &journal->chain))) {
		note_damage(found, fault.text);
		if (!journal->chain.seq)
			return gov_error_set(error, fault.code, "%s",
					     fault.text);
		return 0;
	}
	if (cut_off(journal, &walk, error))
		return -1;
	found->cut += journal->cut;
	return empty ? 1 : 0;
}

static int find_end(struct gov_journal *journal, gov_walk_visit *visit,
		    struct gov_journal_found *found, struct gov_error *error)
{
	struct gov_segments list;
	struct gov_chain head;
	uint64_t cut = 0;
	int rc;

	do {
		if (gov_segments_list(journal->directory, &list, error))
			return -1;
		rc = list.count ? read_last(journal, visit, found, error) : 0;
		gov_segments_free(&list);
		cut += journal->cut;
	} while (rc == 1);
	if (rc)
		return -1;
	journal->cut = cut;
	rc = gov_head_read(journal->directory, &head, error);
	if (rc < 0)
		note_damage(found, "the file head is damaged");
	if (head.seq <= journal->chain.seq)
		return 0;
	found->missing = head.seq - journal->chain.seq;
	/* Their numbers are not given again, so that it shows. */
	journal->chain = head;
	return 0;
}

/* One more than any governor before, by the file and by the names. */
static int claim(struct gov_journal *journal, struct gov_error *error)
{
	struct gov_segments list;
	uint64_t epoch;

	if (gov_segments_list(journal->directory, &list, error))
		return -1;
	if (!gov_epoch_read(journal->directory, &epoch, NULL))
		journal->epoch = epoch;
	for (size_t i = 0; i < list.count; i++)
		if (list.item[i].epoch > journal->epoch)
			journal->epoch = list.item[i].epoch;
	gov_segments_free(&list);
	journal->epoch++;
	return gov_epoch_write(journal->directory, journal->epoch, error);
}

static struct gov_journal *create(const struct gov_journal_setup *setup)
{
	struct gov_journal *journal = calloc(1, sizeof(*journal));

	if (!journal)
		return NULL;
	journal->setup = *setup;
	journal->fd = -1;
	journal->directory = strdup(setup->directory);
	journal->cluster = strdup(setup->cluster ? setup->cluster : "");
	journal->host = strdup(setup->host ? setup->host : "");
	if (journal->directory && journal->cluster && journal->host)
		return journal;
	gov_journal_close(journal);
	return NULL;
}

struct gov_journal *gov_journal_open(const struct gov_journal_setup *setup,
				     gov_walk_visit *visit,
				     struct gov_journal_found *found,
				     struct gov_error *error)
{
	struct gov_journal *journal = create(setup);

	*found = (struct gov_journal_found){ 0 };
	if (!journal) {
		gov_error_set(error, GOV_E_NOMEM, "no memory for the ledger");
		return NULL;
	}
	if (mkdir(journal->directory, 0700) && errno != EEXIST) {
		gov_error_set(error, GOV_E_IO, "cannot make %s: %s",
			      journal->directory, strerror(errno));
		gov_journal_close(journal);
		return NULL;
	}
	/* Claim first: from then on the other one's records are fenced. */
	if (claim(journal, error) || find_end(journal, visit, found, error)) {
		gov_journal_close(journal);
		return NULL;
	}
	journal->durable = journal->chain.seq;
	return journal;
}
