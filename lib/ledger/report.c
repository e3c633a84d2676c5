/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/array.h"
#include "core/hash.h"
#include "ledger/report_private.h"

struct gov_report *gov_report_create(const struct gov_report_query *query)
{
	struct gov_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->query = *query;
	gov_report_listen(report);
	return report;
}

static void free_row(struct gov_report_row *row)
{
	free((char *) row->key.team);
	free((char *) row->key.unit);
	free((char *) row->key.project);
	free((char *) row->key.class_name);
	free((char *) row->key.other);
	free((char *) row->key.pool);
	free((char *) row->key.tres);
	free(row->wait);
	free(row);
}

void gov_report_destroy(struct gov_report *report)
{
	if (!report)
		return;
	gov_report_forget(report);
	for (size_t i = 0; i < report->rows; i++)
		free_row(report->row[i]);
	free(report->row);
	free(report->bucket);
	free(report->gap);
	free(report);
}

/* ---- rows ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
	uint64_t sum = 14695981039346656037u;

	for (; text && *text; text++)
		sum = (sum ^ (unsigned char) *text) * 1099511628211u;
	return gov_hash_add(hash, sum);
}

static uint64_t hash_key(const struct gov_report_key *key)
{
	uint64_t hash = gov_hash_add(key->period, (uint64_t) key->user);

	hash = gov_hash_add(hash, (uint64_t) key->job);
	hash = gov_hash_add(hash, key->price);
	hash = hash_text(hash, key->team);
	hash = hash_text(hash, key->unit);
	hash = hash_text(hash, key->project);
	hash = hash_text(hash, key->class_name);
	hash = hash_text(hash, key->other);
	hash = hash_text(hash, key->pool);
	return hash_text(hash, key->tres);
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_number(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_keys(const struct gov_report_key *a,
			const struct gov_report_key *b)
{
	int rc = compare_number((int64_t) a->period, (int64_t) b->period);

	rc = rc ? rc : compare_text(a->unit, b->unit);
	rc = rc ? rc : compare_text(a->team, b->team);
	rc = rc ? rc : compare_text(a->project, b->project);
	rc = rc ? rc : compare_number(a->user, b->user);
	rc = rc ? rc : compare_text(a->class_name, b->class_name);
	rc = rc ? rc : compare_number(a->job, b->job);
	rc = rc ? rc : compare_text(a->other, b->other);
	rc = rc ? rc : compare_text(a->pool, b->pool);
	rc = rc ? rc : compare_text(a->tres, b->tres);
	rc = rc ? rc : a->inner - b->inner;
	rc = rc ? rc : (a->price > b->price) - (a->price < b->price);
	rc = rc ? rc :
		  (a->borrowed > b->borrowed) - (a->borrowed < b->borrowed);
	return rc ? rc : (a->credit > b->credit) - (a->credit < b->credit);
}

static int more_buckets(struct gov_report *report)
{
	size_t buckets = report->buckets ? 2 * report->buckets : 256;
	struct gov_report_row **bucket = calloc(buckets, sizeof(*bucket));

	if (!bucket)
		return -1;
	for (size_t i = 0; i < report->rows; i++) {
		struct gov_report_row *row = report->row[i];
		size_t at = hash_key(&row->key) & (buckets - 1);

		row->chain = bucket[at];
		bucket[at] = row;
	}
	free(report->bucket);
	report->bucket = bucket;
	report->buckets = buckets;
	return 0;
}

/* false: no memory. */
static bool copy_text(const char **text)
{
	return !*text || (*text = strdup(*text));
}

static struct gov_report_row *copy_key(const struct gov_report_key *key)
{
	struct gov_report_row *row = calloc(1, sizeof(*row));
	bool good;

	if (!row)
		return NULL;
	row->key = *key;
	good = copy_text(&row->key.team);
	good &= copy_text(&row->key.unit);
	good &= copy_text(&row->key.project);
	good &= copy_text(&row->key.class_name);
	good &= copy_text(&row->key.other);
	good &= copy_text(&row->key.pool);
	good &= copy_text(&row->key.tres);
	if (good)
		return row;
	free_row(row);
	return NULL;
}

struct gov_report_row *gov_report_find(struct gov_report *report,
				       const struct gov_report_key *key)
{
	uint64_t hash = hash_key(key);
	struct gov_report_row *row = NULL, **grown;
	size_t at;

	if (report->buckets)
		row = report->bucket[hash & (report->buckets - 1)];
	for (; row; row = row->chain)
		if (compare_keys(&row->key, key) == 0)
			return row;
	if (report->rows >= report->buckets && more_buckets(report))
		return NULL;
	grown = gov_array_room(report->row, report->rows, sizeof(*grown));
	if (!grown)
		return NULL;
	report->row = grown;
	row = copy_key(key);
	if (!row)
		return NULL;
	at = hash & (report->buckets - 1);
	row->chain = report->bucket[at];
	report->bucket[at] = row;
	return report->row[report->rows++] = row;
}

/* ---- what counts where ---- */

size_t gov_report_period(const struct gov_report *report, gov_time_t at)
{
	const gov_time_t *bound = report->query.bound;
	size_t low = 0, high = report->query.periods;

	if (at < bound[0] || at >= bound[high])
		return SIZE_MAX;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (at < bound[middle])
			high = middle;
		else
			low = middle;
	}
	return low;
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Does the unit stand in the path? */
static bool is_within(const char *path, const char *unit)
{
	size_t length = strlen(unit);

	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (strncasecmp(at, unit, length) == 0 &&
		    (!at[length] || at[length] == '/'))
			return true;
	}
	return false;
}

static bool wants(const char *wanted, const char *is)
{
	return !wanted || strcasecmp(wanted, is ? is : "") == 0;
}

static bool is_wanted(const struct gov_report_query *query,
		      const struct gov_report_item *item)
{
	const char *team = last_name(item->path);

	if (!wants(query->team, team) && (query->kind != GOV_REPORT_LOANS ||
					  !wants(query->team, item->other)))
		return false;
	if (query->unit && !is_within(item->path, query->unit))
		return false;
	return wants(query->project, item->project) &&
	       wants(query->class_name, item->class_name) &&
	       wants(query->pool, item->pool) &&
	       wants(query->tres, item->tres) &&
	       (query->user < 0 || query->user == item->user);
}

static void add_sums(struct gov_report_sums *to,
		     const struct gov_report_sums *sums)
{
	to->own += sums->own;
	to->borrowed += sums->borrowed;
	to->lent += sums->lent;
	to->quota += sums->quota;
	to->lost += sums->lost;
	to->own_cost += sums->own_cost;
	to->borrowed_cost += sums->borrowed_cost;
	to->credit += sums->credit;
	to->count += sums->count;
}

static int add_to_row(struct gov_report *report,
		      const struct gov_report_item *item,
		      const struct gov_report_key *key)
{
	struct gov_report_row *row = gov_report_find(report, key);
	uint32_t *grown;

	if (!row)
		return -1;
	add_sums(&row->sums, &item->sums);
	if (item->wait < 0)
		return 0;
	grown = gov_array_room(row->wait, row->waits, sizeof(*grown));
	if (!grown)
		return -1;
	row->wait = grown;
	row->wait[row->waits++] = item->wait < UINT32_MAX ?
					  (uint32_t) item->wait :
					  UINT32_MAX;
	return 0;
}

/* Every unit above counts what is below it. */
static int add_to_units(struct gov_report *report,
			const struct gov_report_item *item,
			struct gov_report_key *key)
{
	char name[512];
	const char *at = item->path, *slash;
	int rc = 0;

	for (; !rc && (slash = strchr(at, '/')); at = slash + 1) {
		size_t length = (size_t) (slash - at);

		if (length >= sizeof(name))
			return -1;
		memcpy(name, at, length);
		name[length] = '\0';
		key->unit = name;
		rc = add_to_row(report, item, key);
	}
	key->unit = item->inner ? at : "";
	if (!rc && (item->inner || at == item->path))
		rc = add_to_row(report, item, key);
	return rc;
}

int gov_report_add(struct gov_report *report,
		   const struct gov_report_item *item)
{
	const struct gov_report_query *query = &report->query;
	unsigned by = query->by;
	struct gov_report_key key = { .user = -1, .job = -1 };

	key.period = gov_report_period(report, item->at);
	if (key.period == SIZE_MAX || !is_wanted(query, item))
		return 0;
	key.tres = item->tres;
	if (by & GOV_BY_TEAM)
		key.team = last_name(item->path);
	if (by & GOV_BY_PROJECT)
		key.project = item->project;
	if (by & GOV_BY_CLASS)
		key.class_name = item->class_name;
	if (by & GOV_BY_OTHER)
		key.other = item->other;
	if (by & GOV_BY_POOL)
		key.pool = item->pool;
	if (by & GOV_BY_USER)
		key.user = item->user;
	if (by & GOV_BY_JOB)
		key.job = item->job;
	if (by & GOV_BY_DETAIL) {
		key.team = item->path;
		key.inner = item->inner;
		key.price = item->price;
		key.borrowed = item->borrowed;
		key.credit = item->credit;
	}
	if (by & GOV_BY_UNIT)
		return add_to_units(report, item, &key);
	return add_to_row(report, item, &key);
}

/* ---- out ---- */

static int by_key(const void *a, const void *b)
{
	const struct gov_report_row *const *x = a, *const *y = b;

	return compare_keys(&(*x)->key, &(*y)->key);
}

static int by_seconds(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

struct gov_report_row **gov_report_rows(struct gov_report *report,
					size_t *count)
{
	*count = report->rows;
	if (!report->rows)
		return NULL;
	qsort(report->row, report->rows, sizeof(*report->row), by_key);
	for (size_t i = 0; i < report->rows; i++)
		if (report->row[i]->waits)
			qsort(report->row[i]->wait, report->row[i]->waits,
			      sizeof(uint32_t), by_seconds);
	return report->row;
}

const struct gov_report_gap *gov_report_gaps(const struct gov_report *report,
					     size_t *count)
{
	*count = report->gaps;
	return report->gap;
}

uint32_t gov_report_wait(const struct gov_report_row *row, unsigned percent)
{
	size_t at = (row->waits * percent + 99) / 100;

	if (!row->waits)
		return 0;
	return row->wait[at ? at - 1 : 0];
}

const char *gov_sum_text(char *text, gov_sum_t sum, gov_sum_t divisor,
			 int decimals)
{
	char digits[GOV_SUM_TEXT];
	size_t at = sizeof(digits) - 1, length;
	bool negative = sum < 0;
	gov_sum_t value = negative ? -sum : sum, scale = 1;

	for (int i = 0; i < decimals; i++)
		scale *= 10;
	/* Whole and fraction apart: sum times scale need not fit. */
	value = value / divisor * scale +
		(value % divisor * scale * 2 + divisor) / (2 * divisor);
	negative &= value != 0;
	digits[at] = '\0';
	for (int i = 0; value || i <= decimals; i++, value /= 10) {
		if (i == decimals && decimals)
			digits[--at] = '.';
		digits[--at] = (char) ('0' + (int) (value % 10));
	}
	if (negative)
		digits[--at] = '-';
	length = sizeof(digits) - at;
	memcpy(text, digits + at, length);
	return text;
}
