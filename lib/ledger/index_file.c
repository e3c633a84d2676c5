/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The index in SQLite: keys, sums by the hour, and up to where they go. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"
#include "ledger/index_private.h"

#ifdef HAVE_SQLITE
#include <sqlite3.h>

#define LAYOUT "1"
#define BUSY 2000 /* ms to wait for another sgov */
#define KEY_TEXTS 6
#define KEY_NUMBERS 5

/* A table that SQLite cannot read is made anew, as one of another version. */
static const char schema[] =
	"CREATE TABLE IF NOT EXISTS key (id INTEGER PRIMARY KEY, part INT,"
	" path TEXT, project TEXT, class TEXT, other TEXT, pool TEXT,"
	" tres TEXT, user INT, inner INT, price INT, borrowed INT,"
	" credit INT);"
	"CREATE TABLE IF NOT EXISTS sums (part INT, hour INT, key INT,"
	" seq INT, own INT, borrowed INT, lent INT, quota INT, lost INT,"
	" count INT, waits BLOB, PRIMARY KEY (part, hour, key, seq))"
	" WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS gap (part INT, begin INT, until INT);"
	"CREATE TABLE IF NOT EXISTS last (part INTEGER PRIMARY KEY, seq INT,"
	" hash BLOB);"
	"PRAGMA user_version = " LAYOUT;

/*
 * It is written by who owns the directory, and by nobody else: root must not
 * create or open by name what another user can replace.  NULL: no index.
 */
static char *path_of(const struct gov_index *index)
{
	char *directory = realpath(index->source->directory, NULL);
	char *path = NULL;
	struct stat status;

	if (directory && !stat(directory, &status) &&
	    status.st_uid == geteuid() &&
	    asprintf(&path, "%s/index.sqlite", directory) < 0)
		path = NULL;
	free(directory);
	return path;
}

void gov_index_remove(const struct gov_index *index)
{
	char *path = path_of(index);

	if (path)
		unlink(path);
	free(path);
}

/* A file of ours, nobody else's to read, and that under this name alone. */
static bool is_ours(const char *path)
{
	int fd = open(path,
		      O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
		      0600);
	struct stat status;
	bool ours;

	if (fd < 0)
		return false;
	ours = !fstat(fd, &status) && S_ISREG(status.st_mode) &&
	       status.st_nlink == 1 && status.st_uid == geteuid() &&
	       !fchmod(fd, 0600);
	close(fd);
	return ours;
}

static sqlite3_stmt *prepare(struct gov_index *index, const char *text)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(index->db, text, -1, &statement, NULL))
		return NULL;
	return statement;
}

static int64_t version_of(struct gov_index *index)
{
	sqlite3_stmt *s = prepare(index, "PRAGMA user_version");
	int64_t version = -1;

	if (s && sqlite3_step(s) == SQLITE_ROW)
		version = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return version;
}

/* ---- keys ---- */

static void read_key(sqlite3_stmt *s, struct gov_report_key *key)
{
	const char **text[KEY_TEXTS] = {
		&key->team,  &key->project, &key->class_name,
		&key->other, &key->pool,    &key->tres,
	};

	*key = (struct gov_report_key){ .job = -1 };
	for (int i = 0; i < KEY_TEXTS; i++)
		*text[i] = (const char *) sqlite3_column_text(s, 1 + i);
	key->user = sqlite3_column_int64(s, 7);
	key->inner = sqlite3_column_int(s, 8);
	key->price = (uint64_t) sqlite3_column_int64(s, 9);
	key->borrowed = (uint64_t) sqlite3_column_int64(s, 10);
	key->credit = (uint64_t) sqlite3_column_int64(s, 11);
}

static int read_keys(struct gov_index *index)
{
	sqlite3_stmt *s = prepare(
		index, "SELECT id, path, project, class, other, pool, tres,"
		       " user, inner, price, borrowed, credit FROM key"
		       " WHERE part = ?");
	struct gov_report_row *row;
	struct gov_report_key key;
	int rc = SQLITE_NOMEM;

	if (s)
		sqlite3_bind_int(s, 1, (int) index->table);
	while (s && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		read_key(s, &key);
		row = gov_report_find(index->keys, &key);
		if (!row)
			break;
		row->sums.count = (uint64_t) sqlite3_column_int64(s, 0);
	}
	sqlite3_finalize(s);
	return rc == SQLITE_DONE ? 0 : -1;
}

static int add_key(struct gov_index *index, const struct gov_report_key *key)
{
	const char *text[KEY_TEXTS] = { key->team,	 key->project,
					key->class_name, key->other,
					key->pool,	 key->tres };
	const int64_t number[KEY_NUMBERS] = { key->user, key->inner,
					      (int64_t) key->price,
					      (int64_t) key->borrowed,
					      (int64_t) key->credit };
	sqlite3_stmt *s = prepare(
		index, "INSERT INTO key (part, path, project, class, other,"
		       " pool, tres, user, inner, price, borrowed, credit)"
		       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	int rc;

	if (!s)
		return -1;
	sqlite3_bind_int(s, 1, (int) index->table);
	for (int i = 0; i < KEY_TEXTS; i++)
		sqlite3_bind_text(s, 2 + i, text[i], -1, SQLITE_STATIC);
	for (int i = 0; i < KEY_NUMBERS; i++)
		sqlite3_bind_int64(s, 2 + KEY_TEXTS + i, number[i]);
	rc = sqlite3_step(s);
	sqlite3_finalize(s);
	return rc == SQLITE_DONE ? 0 : -1;
}

/* 0: it cannot be. */
static uint64_t key_id(struct gov_index *index,
		       const struct gov_report_key *full)
{
	struct gov_report_key key = *full;
	struct gov_report_row *row;

	key.period = 0;
	row = gov_report_find(index->keys, &key);
	if (!row)
		return 0;
	if (!row->sums.count) {
		if (add_key(index, &key))
			return 0;
		row->sums.count = (uint64_t) sqlite3_last_insert_rowid(
			index->db);
	}
	return row->sums.count;
}

/* ---- opening ---- */

static int read_last(struct gov_index *index)
{
	sqlite3_stmt *s = prepare(index,
				  "SELECT seq, hash FROM last WHERE part = ?");
	int rc;

	index->last_seq = 0;
	if (!s)
		return -1;
	sqlite3_bind_int(s, 1, (int) index->table);
	rc = sqlite3_step(s);
	if (rc == SQLITE_ROW && sqlite3_column_bytes(s, 1) == GOV_HASH_SIZE) {
		index->last_seq = (uint64_t) sqlite3_column_int64(s, 0);
		memcpy(index->last_hash, sqlite3_column_blob(s, 1),
		       GOV_HASH_SIZE);
	}
	sqlite3_finalize(s);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : -1;
}

static int open_file(struct gov_index *index, const char *path)
{
	static const gov_time_t bound[] = { 0, 1 };
	const struct gov_report_query query = { .bound = bound, .periods = 1 };
	int64_t version;

	if (!is_ours(path) ||
	    sqlite3_open_v2(path, &index->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL))
		return -1;
	sqlite3_busy_timeout(index->db, BUSY);
	sqlite3_exec(index->db,
		     "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;"
		     "PRAGMA cache_size = -65536",
		     NULL, NULL, NULL);
	version = version_of(index);
	if ((version && version != atoi(LAYOUT)) ||
	    sqlite3_exec(index->db, schema, NULL, NULL, NULL))
		return -1;
	index->keys = gov_report_create(&query);
	return !index->keys || read_keys(index) || read_last(index) ? -1 : 0;
}

int gov_index_open(struct gov_index *index)
{
	char *path = path_of(index);
	int rc = path ? open_file(index, path) : -1;

	if (path && rc) {
		/* Damaged, or of another version: once more, from nothing. */
		gov_index_close(index);
		unlink(path);
		rc = open_file(index, path);
	}
	if (rc)
		gov_index_close(index);
	free(path);
	return rc;
}

void gov_index_close(struct gov_index *index)
{
	sqlite3_close(index->db);
	index->db = NULL;
	gov_report_destroy(index->keys);
	index->keys = NULL;
}

/* ---- writing ---- */

static bool fits(gov_sum_t sum)
{
	return sum >= INT64_MIN && sum <= INT64_MAX;
}

static int write_row(struct gov_index *index, sqlite3_stmt *s,
		     const struct gov_report_row *row, uint64_t seq)
{
	const struct gov_report_sums *sums = &row->sums;
	const gov_sum_t sum[] = { sums->own,   sums->borrowed, sums->lent,
				  sums->quota, sums->lost,     sums->count };
	uint64_t key = key_id(index, &row->key);

	/* Too old: its hour is not known. */
	if (!key || !row->key.period)
		return -1;
	sqlite3_bind_int(s, 1, (int) index->table);
	sqlite3_bind_int64(s, 2, index->hour[row->key.period] / 3600);
	sqlite3_bind_int64(s, 3, (int64_t) key);
	sqlite3_bind_int64(s, 4, (int64_t) seq);
	for (int i = 0; i < 6; i++) {
		if (!fits(sum[i]))
			return -1;
		sqlite3_bind_int64(s, 5 + i, (int64_t) sum[i]);
	}
	sqlite3_bind_blob(s, 11, row->wait,
			  (int) (row->waits * sizeof(*row->wait)),
			  SQLITE_STATIC);
	if (sqlite3_step(s) != SQLITE_DONE)
		return -1;
	sqlite3_reset(s);
	return 0;
}

static int write_gaps(struct gov_index *index)
{
	size_t gaps;
	const struct gov_report_gap *gap = gov_report_gaps(index->file, &gaps);
	sqlite3_stmt *s;
	int rc = 0;

	for (size_t i = 0; !rc && i < gaps; i++) {
		s = prepare(index, "INSERT INTO gap VALUES (?, ?, ?)");
		if (!s)
			return -1;
		sqlite3_bind_int(s, 1, (int) index->table);
		sqlite3_bind_int64(s, 2, gap[i].from);
		sqlite3_bind_int64(s, 3, gap[i].to);
		rc = sqlite3_step(s) == SQLITE_DONE ? 0 : -1;
		sqlite3_finalize(s);
	}
	return rc;
}

static int write_last(struct gov_index *index, const struct gov_chain *end)
{
	sqlite3_stmt *s = prepare(index, "REPLACE INTO last VALUES (?, ?, ?)");
	int rc;

	if (!s)
		return -1;
	sqlite3_bind_int(s, 1, (int) index->table);
	sqlite3_bind_int64(s, 2, (int64_t) end->seq);
	sqlite3_bind_blob(s, 3, end->hash, GOV_HASH_SIZE, SQLITE_STATIC);
	rc = sqlite3_step(s) == SQLITE_DONE ? 0 : -1;
	sqlite3_finalize(s);
	return rc;
}

int gov_index_write(struct gov_index *index, struct gov_report_row **row,
		    size_t rows, const struct gov_chain *end)
{
	sqlite3_stmt *s;
	int rc = 0;

	if (sqlite3_exec(index->db, "BEGIN IMMEDIATE", NULL, NULL, NULL))
		return -1;
	s = prepare(index, "INSERT INTO sums VALUES"
			   " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	for (size_t i = 0; s && !rc && i < rows; i++)
		rc = write_row(index, s, row[i], index->first);
	sqlite3_finalize(s);
	if (s && !rc && !write_gaps(index) && !write_last(index, end) &&
	    !sqlite3_exec(index->db, "COMMIT", NULL, NULL, NULL))
		return 0;
	sqlite3_exec(index->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

/* ---- reading ---- */

/* Sums of one period, per id of a key. */
struct gather {
	struct gov_report_key **key; /* by id; NULL: none */
	struct gov_report_sums *sums;
	uint64_t *touched;
	size_t count;
	size_t size;
	size_t period;
	gov_time_t at;
};

static void end_gather(struct gather *gather)
{
	free(gather->key);
	free(gather->sums);
	free(gather->touched);
}

static int begin_gather(struct gov_index *index, struct gather *gather)
{
	size_t rows;
	struct gov_report_row **row = gov_report_rows(index->keys, &rows);

	*gather = (struct gather){ .period = SIZE_MAX };
	for (size_t i = 0; i < rows; i++)
		if (row[i]->sums.count >= gather->size)
			gather->size = row[i]->sums.count + 1;
	gather->key = gov_array_new(gather->size, sizeof(*gather->key));
	gather->sums = gov_array_new(gather->size, sizeof(*gather->sums));
	gather->touched = gov_array_new(gather->size, sizeof(*gather->touched));
	if (!gather->key || !gather->sums || !gather->touched)
		return -1;
	for (size_t i = 0; i < rows; i++)
		gather->key[row[i]->sums.count] = &row[i]->key;
	return 0;
}

static bool is_zero(const struct gov_report_sums *sums)
{
	return !sums->own && !sums->borrowed && !sums->lent && !sums->quota &&
	       !sums->lost && !sums->count;
}

static int flush(struct gov_index *index, struct gather *gather)
{
	for (size_t i = 0; i < gather->count; i++) {
		uint64_t id = gather->touched[i];

		if (gov_index_add(index, gather->key[id], gather->at,
				  &gather->sums[id], NULL, 0))
			return -1;
		gather->sums[id] = (struct gov_report_sums){ 0 };
	}
	gather->count = 0;
	return 0;
}

static void add_row(struct gather *gather, uint64_t id, sqlite3_stmt *s)
{
	struct gov_report_sums *sums = &gather->sums[id];

	if (is_zero(sums))
		gather->touched[gather->count++] = id;
	sums->own += sqlite3_column_int64(s, 2);
	sums->borrowed += sqlite3_column_int64(s, 3);
	sums->lent += sqlite3_column_int64(s, 4);
	sums->quota += sqlite3_column_int64(s, 5);
	sums->lost += sqlite3_column_int64(s, 6);
	sums->count += (uint64_t) sqlite3_column_int64(s, 7);
}

static int tell_row(struct gov_index *index, struct gather *gather,
		    sqlite3_stmt *s)
{
	gov_time_t at = sqlite3_column_int64(s, 0) * 3600;
	uint64_t id = (uint64_t) sqlite3_column_int64(s, 1);
	size_t period = gov_report_period(index->report, at);
	const struct gov_report_sums none = { 0 };

	if (id >= gather->size || !gather->key[id])
		return -1;
	if (index->table == GOV_INDEX_WAITING)
		return gov_index_add(index, gather->key[id], at, &none,
				     sqlite3_column_blob(s, 8),
				     (size_t) sqlite3_column_bytes(s, 8) /
					     sizeof(uint32_t));
	if (period != gather->period && flush(index, gather))
		return -1;
	gather->period = period;
	gather->at = at;
	/* All its sums may come out as 0: then it is touched once more. */
	if (gather->count == gather->size && flush(index, gather))
		return -1;
	add_row(gather, id, s);
	return 0;
}

static int tell_gaps(struct gov_index *index)
{
	sqlite3_stmt *s =
		prepare(index, "SELECT begin, until FROM gap WHERE part = ?");
	int rc = SQLITE_NOMEM;

	if (s)
		sqlite3_bind_int(s, 1, (int) index->table);
	while (s && (rc = sqlite3_step(s)) == SQLITE_ROW)
		gov_report_add_gap(index->report,
				   (struct gov_report_gap){
					   sqlite3_column_int64(s, 0),
					   sqlite3_column_int64(s, 1) });
	sqlite3_finalize(s);
	return rc == SQLITE_DONE ? 0 : -1;
}

static int tell_sums(struct gov_index *index, struct gather *gather)
{
	const struct gov_report_query *query = &index->report->query;
	sqlite3_stmt *s = prepare(
		index, "SELECT hour, key, own, borrowed, lent, quota, lost,"
		       " count, waits FROM sums"
		       " WHERE part = ? AND hour >= ? AND hour < ?");
	int rc = SQLITE_NOMEM, bad = 0;

	if (!s)
		return -1;
	sqlite3_bind_int(s, 1, (int) index->table);
	sqlite3_bind_int64(s, 2, query->bound[0] / 3600);
	sqlite3_bind_int64(s, 3, (query->bound[query->periods] + 3599) / 3600);
	while (!bad && (rc = sqlite3_step(s)) == SQLITE_ROW)
		bad = tell_row(index, gather, s);
	sqlite3_finalize(s);
	return bad || rc != SQLITE_DONE ? -1 : flush(index, gather);
}

int gov_index_tell(struct gov_index *index, struct gov_error *error)
{
	struct gather gather;
	int rc = begin_gather(index, &gather);

	if (!rc)
		rc = tell_sums(index, &gather);
	if (!rc)
		rc = tell_gaps(index);
	end_gather(&gather);
	if (!rc)
		return 0;
	gov_index_remove(index);
	return gov_error_set(error, GOV_E_IO,
			     "the index of the ledger was damaged and has been "
			     "removed; ask again, it is made anew");
}

#else

int gov_index_open(struct gov_index *index)
{
	return -1;
}

void gov_index_close(struct gov_index *index)
{
}

void gov_index_remove(const struct gov_index *index)
{
}

int gov_index_write(struct gov_index *index, struct gov_report_row **row,
		    size_t rows, const struct gov_chain *end)
{
	return -1;
}

int gov_index_tell(struct gov_index *index, struct gov_error *error)
{
	return -1;
}

#endif
