/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by the hour of all files but the last. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "ledger/index_private.h"
#include "ledger/walk.h"

#define HOUR 3600
#define YEARS 20 /* back from now; what is older is replayed */

bool gov_index_serves(const struct gov_report_query *query, gov_time_t now)
{
	if (query->by & GOV_BY_JOB)
		return false;
	for (size_t i = 0; i <= query->periods; i++)
		if (query->bound[i] % HOUR &&
		    (i < query->periods || query->bound[i] < now))
			return false;
	return true;
}

enum gov_index_table gov_index_table_of(const struct gov_report_query *query)
{
	bool of_runs = query->by & GOV_BY_RUN || query->project ||
		       query->class_name || query->user >= 0;

	switch (query->kind) {
	case GOV_REPORT_LOANS: return GOV_INDEX_LOANS;
	case GOV_REPORT_EVICTIONS: return GOV_INDEX_EVICTIONS;
	case GOV_REPORT_WAITING: return GOV_INDEX_WAITING;
	default: return of_runs ? GOV_INDEX_RUNS : GOV_INDEX_TEAMS;
	}
}

/* ---- summing a file by the hour ---- */

static unsigned detail_of(enum gov_index_table table)
{
	const unsigned of_runs = GOV_BY_PROJECT | GOV_BY_USER | GOV_BY_CLASS;

	switch (table) {
	case GOV_INDEX_TEAMS: return GOV_BY_DETAIL | GOV_BY_POOL;
	case GOV_INDEX_LOANS: return GOV_BY_DETAIL | GOV_BY_POOL | GOV_BY_OTHER;
	case GOV_INDEX_EVICTIONS:
		return GOV_BY_DETAIL | GOV_BY_POOL | GOV_BY_OTHER | of_runs;
	default: return GOV_BY_DETAIL | GOV_BY_POOL | of_runs;
	}
}

/* Hours; the first period is all that is before them. */
static gov_time_t *make_hours(gov_time_t now, size_t *periods)
{
	gov_time_t last = now / HOUR + 2;
	size_t count = (size_t) YEARS * 366 * 24;
	gov_time_t *bound = calloc(count + 1, sizeof(*bound));

	for (size_t i = 1; bound && i <= count; i++)
		bound[i] = (last - (gov_time_t) (count - i)) * HOUR;
	*periods = count;
	return bound;
}

static int renew(struct gov_index *index)
{
	struct gov_report_query query = {
		.kind = index->kind,
		.by = detail_of(index->table),
		.bound = index->hour,
		.periods = index->hours,
		.user = -1,
	};

	gov_report_destroy(index->file);
	index->file = gov_report_create(&query);
	return index->file ? 0 : -1;
}

/* A file is complete: its sums are kept. */
static int keep(struct gov_index *index, const struct gov_chain *end,
		struct gov_error *error)
{
	struct gov_report_row **row;
	size_t rows;

	/* As far as its records go: the next file goes on from there. */
	if (gov_report_settle(index->file, 0, error))
		return -1;
	row = gov_report_rows(index->file, &rows);
	index->useless |= gov_index_write(index, row, rows, end) != 0;
	return renew(index);
}

static int visit(void *arg, const struct gov_record *record,
		 const struct gov_chain *before, struct gov_error *error)
{
	struct gov_index *index = arg;

	gov_report_note_cluster(index->source, record);
	if (record->kind == GOV_RECORD_SEGMENT) {
		if (index->first && keep(index, before, error))
			return -1;
		/* What is kept must be of what this file follows. */
		if (!index->first && index->last_seq &&
		    (before->seq != index->last_seq ||
		     memcmp(before->hash, index->last_hash, GOV_HASH_SIZE)))
			index->stale = true;
		index->first = record->seq;
	}
	if (index->stale || index->useless)
		return -1;
	return gov_report_take(index->file, record, error);
}

/* ---- from sums to the report ---- */

static void add_money(const struct gov_report_key *key,
		      enum gov_report_kind kind, struct gov_report_sums *sums)
{
	gov_sum_t price = key->price;
	bool loans = kind == GOV_REPORT_LOANS;
	const char *lender = loans ? key->other : key->team;

	if (!loans) {
		sums->own_cost = sums->own * price * 1000;
		sums->borrowed_cost = sums->borrowed * price * key->borrowed;
	}
	if (lender && *lender)
		sums->credit = (loans ? sums->borrowed : sums->lent) * price *
			       key->credit;
}

int gov_index_add(struct gov_index *index, const struct gov_report_key *key,
		  gov_time_t at, const struct gov_report_sums *sums,
		  const uint32_t *wait, size_t waits)
{
	struct gov_report_item item = {
		.path = key->team,
		.inner = key->inner,
		.project = key->project,
		.class_name = key->class_name,
		.other = key->other,
		.pool = key->pool,
		.tres = key->tres,
		.user = key->user,
		.job = -1,
		.at = at,
		.sums = *sums,
		.wait = -1,
	};
	int rc = 0;

	add_money(key, index->kind, &item.sums);
	if (!waits)
		return gov_report_add(index->report, &item);
	item.sums.count = 1;
	for (size_t i = 0; !rc && i < waits; i++) {
		item.wait = wait[i];
		rc = gov_report_add(index->report, &item);
	}
	return rc;
}

/* What the last file adds. */
static int add_last(struct gov_index *index, struct gov_error *error)
{
	struct gov_report_row **row;
	size_t rows, gaps;
	const struct gov_report_gap *gap;

	if (gov_report_settle(index->file, index->source->now, error))
		return -1;
	row = gov_report_rows(index->file, &rows);
	for (size_t i = 0; i < rows; i++)
		if (gov_index_add(index, &row[i]->key,
				  index->hour[row[i]->key.period],
				  &row[i]->sums, row[i]->wait, row[i]->waits))
			return gov_error_set(error, GOV_E_NOMEM,
					     "no memory for the report");
	gap = gov_report_gaps(index->file, &gaps);
	for (size_t i = 0; i < gaps; i++)
		gov_report_add_gap(index->report, gap[i]);
	return 0;
}

/* ---- reading ---- */

static int read_once(struct gov_index *index, struct gov_error *error)
{
	struct gov_walk walk = { .directory = index->source->directory,
				 .trust = true,
				 .no_head = true,
				 .from = index->last_seq + 1,
				 .visit = visit,
				 .arg = index };
	int rc = gov_walk(&walk, error);

	index->source->records = walk.records;
	index->source->segments = walk.segments;
	if (index->stale || index->useless)
		return 1;
	if (rc)
		return -1;
	if (gov_index_tell(index, error))
		return -1;
	return add_last(index, error);
}

static int read_all(struct gov_index *index, struct gov_error *error)
{
	int rc;

	if (gov_index_open(index))
		return 1;
	rc = read_once(index, error);
	gov_index_close(index);
	if (!index->stale)
		return rc;
	/* It is of another journal. */
	gov_index_remove(index);
	index->stale = false;
	index->first = 0;
	if (renew(index) || gov_index_open(index))
		return 1;
	rc = read_once(index, error);
	gov_index_close(index);
	return rc;
}

int gov_index_read(struct gov_report *report, struct gov_report_source *source,
		   struct gov_error *error)
{
	struct gov_index index = {
		.report = report,
		.source = source,
		.kind = report->query.kind,
		.table = gov_index_table_of(&report->query),
	};
	int rc = 1;

	index.hour = make_hours(source->now, &index.hours);
	if (index.hour && !renew(&index))
		rc = read_all(&index, error);
	gov_report_destroy(index.file);
	free(index.hour);
	return rc;
}
