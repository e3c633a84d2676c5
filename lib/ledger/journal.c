/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/journal_private.h"

#define DAY INT64_C(86400000000)

/* ---- appending ---- */

static int append_raw(struct gov_journal *journal, struct gov_record *record,
		      int64_t now)
{
	struct gov_text *buffer = &journal->buffer;
	size_t begin = buffer->length;

	record->seq = journal->chain.seq + 1;
	record->time = now > journal->time ? now : journal->time;
	gov_record_format(record, buffer);
	gov_chain_close(&journal->chain, buffer, begin);
	if (buffer->failed) {
		buffer->failed = false;
		buffer->length = begin;
		return -1;
	}
	journal->time = record->time;
	return 0;
}

static int append_first(struct gov_journal *journal, int64_t now)
{
	struct gov_record record = { .kind = GOV_RECORD_SEGMENT };
	char prev[GOV_HASH_TEXT + 1] = "", digest[GOV_HASH_TEXT + 1] = "";

	journal->segment = (struct gov_segment){
		.first = journal->chain.seq + 1,
		.epoch = journal->epoch,
	};
	gov_segment_name(&journal->segment);
	gov_digest_text(journal->chain.hash, prev);
	record.version = GOV_LEDGER_VERSION;
	record.epoch = (int64_t) journal->epoch;
	record.after = (int64_t) journal->chain.seq;
	record.bytes = (int64_t) journal->cut;
	record.cluster = journal->cluster;
	record.host = journal->host;
	record.prev = prev;
	if (journal->packed)
		gov_digest_text(journal->digest, digest);
	record.digest = digest;
	if (append_raw(journal, &record, now))
		return -1;
	journal->cut = 0;
	journal->packed = false;
	journal->begun = true;
	journal->sealed = false;
	journal->size = 0;
	journal->day = record.time / DAY;
	return journal->setup.carry ?
		       journal->setup.carry(journal->setup.arg, journal) :
		       0;
}

int gov_journal_begin(struct gov_journal *journal, int64_t now)
{
	return journal->begun ? 0 : append_first(journal, now);
}

int gov_journal_append(struct gov_journal *journal, struct gov_record *record,
		       int64_t now)
{
	if (gov_journal_begin(journal, now))
		return -1;
	return append_raw(journal, record, now);
}

/* ---- making it durable ---- */

static int io_error(const struct gov_journal *journal, struct gov_error *error,
		    const char *what)
{
	return gov_error_set(error, GOV_E_IO, "cannot %s %s/%s: %s", what,
			     journal->directory, journal->segment.name,
			     strerror(errno));
}

/* Has another governor taken over? */
static int check_epoch(struct gov_journal *journal, struct gov_error *error)
{
	uint64_t epoch;
	int rc;

	if (!journal->fenced) {
		rc = gov_epoch_read(journal->directory, &epoch, error);
		if (rc < 0)
			return -1;
		journal->fenced = !rc && epoch > journal->epoch;
	}
	if (!journal->fenced)
		return 0;
	return gov_error_set(error, GOV_E_STATE,
			     "another governor has taken the ledger over; "
			     "this one writes nothing more to it");
}

static int open_file(struct gov_journal *journal, struct gov_error *error)
{
	char path[4352];

	snprintf(path, sizeof(path), "%s/%s", journal->directory,
		 journal->segment.name);
	journal->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (journal->fd < 0)
		return io_error(journal, error, "create");
	journal->new_name = true;
	return 0;
}

static int write_buffer(struct gov_journal *journal)
{
	size_t done = 0;

	while (done < journal->buffer.length) {
		ssize_t put = pwrite(journal->fd, journal->buffer.data + done,
				     journal->buffer.length - done,
				     (off_t) (journal->size + done));

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		done += (size_t) put;
	}
	return 0;
}

/*
 * A sync that failed may have dropped what was written and call the next one
 * a success.  So after any failure everything since the last good sync is
 * written again.
 */
static int write_out(struct gov_journal *journal, struct gov_error *error)
{
	if (journal->fd < 0 && open_file(journal, error))
		return -1;
	if (write_buffer(journal))
		return io_error(journal, error, "write");
	if (fdatasync(journal->fd))
		return io_error(journal, error, "sync");
	if (journal->new_name && gov_sync_directory(journal->directory))
		return io_error(journal, error, "sync the directory of");
	journal->new_name = false;
	return 0;
}

int gov_journal_commit(struct gov_journal *journal, struct gov_error *error)
{
	if (!journal->buffer.length)
		return 0;
	if (check_epoch(journal, error) || write_out(journal, error))
		return -1;
	journal->size += journal->buffer.length;
	journal->buffer.length = 0;
	journal->durable = journal->chain.seq;
	/* Without it nothing is lost but the proof that nothing is. */
	if (gov_head_write(journal->directory, &journal->chain))
		return gov_error_set(error, GOV_E_IO,
				     "cannot write %s/head: %s",
				     journal->directory, strerror(errno));
	return 0;
}

/* ---- turning the page ---- */

char *gov_seal_text(const char *cluster, int64_t time,
		    const struct gov_chain *chain)
{
	char when[GOV_RECORD_TIME], hash[GOV_HASH_TEXT], *text;

	gov_record_time(time, when);
	gov_digest_text(chain->hash, hash);
	if (asprintf(&text,
		     "slurm-governance ledger, cluster %s, %.10s, record "
		     "%" PRIu64 ", hash %.64s",
		     cluster, when, chain->seq, hash) < 0)
		return NULL;
	return text;
}

static int seal(struct gov_journal *journal, int64_t now,
		struct gov_error *error)
{
	char *text = gov_seal_text(journal->cluster, journal->day * DAY,
				   &journal->chain);
	char *credential = NULL;
	struct gov_record record = { .kind = GOV_RECORD_SEAL };
	int rc = -1;

	if (text && journal->setup.sign)
		credential = journal->setup.sign(journal->setup.arg, text);
	record.after = (int64_t) journal->chain.seq;
	record.text = text;
	record.credential = credential;
	if (text)
		rc = append_raw(journal, &record, now);
	if (!rc)
		journal->sealed = true;
	free(text);
	free(credential);
	return rc ? gov_error_set(error, GOV_E_NOMEM, "no memory for a seal") :
		    0;
}

int gov_journal_turn(struct gov_journal *journal, int64_t now,
		     struct gov_error *error)
{
	bool over = journal->begun && now / DAY > journal->day;

	if (journal->buffer.length || !journal->begun)
		return 0;
	if (over && !journal->sealed && seal(journal, now, error))
		return -1;
	if (gov_journal_commit(journal, error))
		return -1;
	if (!over && journal->size < journal->setup.segment_bytes)
		return 0;
	close(journal->fd);
	journal->fd = -1;
	journal->begun = false;
	if (gov_segment_compress(journal->directory, &journal->segment,
				 journal->digest, error))
		return -1;
	journal->packed = true;
	return 0;
}

/* ---- views ---- */

const struct gov_chain *gov_journal_chain(const struct gov_journal *journal)
{
	return &journal->chain;
}

uint64_t gov_journal_durable(const struct gov_journal *journal)
{
	return journal->durable;
}

size_t gov_journal_pending(const struct gov_journal *journal)
{
	return journal->buffer.length;
}

bool gov_journal_fenced(const struct gov_journal *journal)
{
	return journal->fenced;
}

void gov_journal_close(struct gov_journal *journal)
{
	if (!journal)
		return;
	if (journal->fd >= 0)
		close(journal->fd);
	gov_text_free(&journal->buffer);
	free(journal->directory);
	free(journal->cluster);
	free(journal->host);
	free(journal);
}
