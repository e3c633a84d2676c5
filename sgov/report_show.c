/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports as tables, "a|b|c", CSV and JSON: the same columns. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sgov/ask.h"
#include "sgov/format.h"
#include "sgov/report.h"
#include "sgov/table.h"
#include "sgov/users.h"

enum field {
	F_DAY,
	F_MONTH,
	F_UNIT,
	F_TEAM,
	F_BORROWER,
	F_PROJECT,
	F_USER,
	F_CLASS,
	F_JOB,
	F_LENDER,
	F_ASKER,
	F_POOL,
	F_TRES,
	/* sums */
	F_QUOTA,
	F_USED,
	F_OWN,
	F_BORROWED,
	F_LENT,
	F_IDLE,
	F_LOST,
	F_COST,
	F_CREDIT,
	F_COUNT,
	F_STARTS,
	F_MEAN,
	F_P50,
	F_P95,
	F_LONGEST,
	FIELDS
};

/* Of the table, and the member of the JSON rows. */
static const struct {
	const char *title;
	const char *member;
} names[FIELDS] = {
	[F_DAY] = { "DAY", "day" },
	[F_MONTH] = { "MONTH", "month" },
	[F_UNIT] = { "UNIT", "unit" },
	[F_TEAM] = { "TEAM", "team" },
	[F_BORROWER] = { "BORROWER", "borrower" },
	[F_PROJECT] = { "PROJECT", "project" },
	[F_USER] = { "USER", "user" },
	[F_CLASS] = { "CLASS", "class" },
	[F_JOB] = { "JOBID", "job_id" },
	[F_LENDER] = { "LENDER", "lender" },
	[F_ASKER] = { "ASKER", "asker_team" },
	[F_POOL] = { "POOL", "pool" },
	[F_TRES] = { "TRES", "tres" },
	[F_QUOTA] = { "QUOTA", "quota_hours" },
	[F_USED] = { "USED", "used_hours" },
	[F_OWN] = { "OWN", "own_hours" },
	[F_BORROWED] = { "BORROWED", "borrowed_hours" },
	[F_LENT] = { "LENT", "lent_hours" },
	[F_IDLE] = { "IDLE", "idle_hours" },
	[F_LOST] = { "LOST", "lost_hours" },
	[F_COST] = { "COST", "cost" },
	[F_CREDIT] = { "CREDIT", "credit" },
	[F_COUNT] = { "EVICTIONS", "evictions" },
	[F_STARTS] = { "STARTS", "starts" },
	[F_MEAN] = { "MEAN", "mean_seconds" },
	[F_P50] = { "P50", "p50_seconds" },
	[F_P95] = { "P95", "p95_seconds" },
	[F_LONGEST] = { "LONGEST", "longest_seconds" },
};

/* Which fields, in their order. */
struct layout {
	enum field field[FIELDS];
	size_t count;
	bool money; /* some price is not 0 */
};

static void put(struct layout *layout, bool wanted, enum field field)
{
	if (wanted)
		layout->field[layout->count++] = field;
}

static void put_keys(struct layout *layout, const struct sgov_report *ask)
{
	unsigned by = ask->query.by;
	bool loans = ask->query.kind == GOV_REPORT_LOANS;

	put(layout, ask->periods == SGOV_DAYS, F_DAY);
	put(layout, ask->periods == SGOV_MONTHS, F_MONTH);
	put(layout, by & GOV_BY_UNIT, F_UNIT);
	put(layout, loans && by & GOV_BY_OTHER, F_LENDER);
	put(layout, by & GOV_BY_TEAM, loans ? F_BORROWER : F_TEAM);
	put(layout, by & GOV_BY_PROJECT, F_PROJECT);
	put(layout, by & GOV_BY_USER, F_USER);
	put(layout, by & GOV_BY_CLASS, F_CLASS);
	put(layout, by & GOV_BY_JOB, F_JOB);
	put(layout, !loans && by & GOV_BY_OTHER, F_ASKER);
	put(layout, by & GOV_BY_POOL, F_POOL);
	put(layout, ask->query.kind != GOV_REPORT_WAITING, F_TRES);
}

static void put_usage(struct layout *layout, const struct sgov_report *ask)
{
	bool of_runs = ask->query.by & GOV_BY_RUN || ask->query.project ||
		       ask->query.class_name || ask->query.user >= 0;

	put(layout, !of_runs, F_QUOTA);
	put(layout, true, F_USED);
	put(layout, true, F_OWN);
	put(layout, true, F_BORROWED);
	put(layout, !of_runs, F_LENT);
	put(layout, !of_runs, F_IDLE);
	put(layout, true, F_LOST);
	put(layout, layout->money, F_COST);
	put(layout, layout->money && !of_runs, F_CREDIT);
}

static void choose(struct layout *layout, const struct sgov_report *ask)
{
	layout->money = ask->format != SGOV_REPORT_TABLE ||
			ask->sgov->format == SGOV_PARSABLE;
	for (size_t i = 0; i < ask->rows; i++)
		layout->money |= ask->row[i]->sums.own_cost ||
				 ask->row[i]->sums.borrowed_cost ||
				 ask->row[i]->sums.credit;
	put_keys(layout, ask);
	switch (ask->query.kind) {
	case GOV_REPORT_USAGE: put_usage(layout, ask); break;
	case GOV_REPORT_LOANS:
		put(layout, true, F_BORROWED);
		put(layout, layout->money, F_CREDIT);
		break;
	case GOV_REPORT_EVICTIONS:
		put(layout, true, F_COUNT);
		put(layout, true, F_LOST);
		break;
	case GOV_REPORT_WAITING:
		for (int f = F_STARTS; f <= F_LONGEST; f++)
			put(layout, true, (enum field) f);
		break;
	}
}

/* ---- values ---- */

const char *sgov_report_hours(char *text, const char *tres, gov_sum_t sum,
			      int decimals)
{
	bool memory = tres && strcmp(tres, "mem") == 0;

	return gov_sum_text(text, sum, memory ? 3600 * 1024 : 3600, decimals);
}

static gov_sum_t hours_of(const struct gov_report_sums *sums, enum field field)
{
	gov_sum_t idle = sums->quota - sums->own - sums->lent;

	switch (field) {
	case F_QUOTA: return sums->quota;
	case F_USED: return sums->own + sums->borrowed;
	case F_OWN: return sums->own;
	case F_BORROWED: return sums->borrowed;
	case F_LENT: return sums->lent;
	/* Who uses what he has no quota of has nothing idle. */
	case F_IDLE: return idle > 0 ? idle : 0;
	default: return sums->lost;
	}
}

static uint64_t mean_of(const struct gov_report_row *row)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < row->waits; i++)
		sum += row->wait[i];
	return row->waits ? (sum + row->waits / 2) / row->waits : 0;
}

static uint64_t count_of(const struct gov_report_row *row, enum field field)
{
	switch (field) {
	case F_MEAN: return mean_of(row);
	case F_P50: return gov_report_wait(row, 50);
	case F_P95: return gov_report_wait(row, 95);
	case F_LONGEST: return gov_report_wait(row, 100);
	default: return row->sums.count;
	}
}

static const char *key_of(const struct gov_report_key *key, enum field field)
{
	switch (field) {
	case F_UNIT: return key->unit;
	case F_TEAM:
	case F_BORROWER: return key->team;
	case F_PROJECT: return key->project;
	case F_CLASS: return key->class_name;
	case F_LENDER:
	case F_ASKER: return key->other;
	case F_POOL: return key->pool;
	default: return key->tres;
	}
}

/* A key of a row as text. */
static const char *key_text(const struct sgov_report *ask,
			    const struct gov_report_row *row, enum field field,
			    char *text)
{
	const char *found;

	switch (field) {
	case F_DAY:
	case F_MONTH: return sgov_report_period(ask, row->key.period, text);
	case F_JOB:
		*text = '\0';
		if (row->key.job >= 0)
			snprintf(text, GOV_SUM_TEXT, "%" PRId64, row->key.job);
		return text;
	case F_USER:
		return row->key.user < 0 ?
			       "" :
			       sgov_user_name((uid_t) row->key.user);
	default: found = key_of(&row->key, field); return found ? found : "";
	}
}

/* Any field; exact: for programs. */
static const char *field_text(const struct sgov_report *ask,
			      const struct gov_report_row *row,
			      enum field field, bool exact, char *text)
{
	const struct gov_report_sums *sums = &row->sums;
	int decimals = exact ? 4 : 2;

	if (field < F_QUOTA)
		return key_text(ask, row, field, text);
	if (field < F_COST)
		return sgov_report_hours(text, row->key.tres,
					 hours_of(sums, field), decimals);
	if (field == F_COST)
		return gov_sum_text(text, sums->own_cost + sums->borrowed_cost,
				    GOV_SUM_MONEY, decimals);
	if (field == F_CREDIT)
		return gov_sum_text(text, sums->credit, GOV_SUM_MONEY,
				    decimals);
	if (field >= F_MEAN && !exact)
		return sgov_format_duration(text,
					    (int64_t) count_of(row, field));
	snprintf(text, GOV_SUM_TEXT, "%" PRIu64, count_of(row, field));
	return text;
}

/* ---- table ---- */

/* Names that people see for what is nobody's. */
static const char *shown(const struct gov_report_row *row, enum field field,
			 const char *text)
{
	if (*text || (field != F_TEAM && field != F_LENDER))
		return text;
	return row->sums.lent || field == F_LENDER ? "(unallocated)" : text;
}

static void show_table(const struct sgov_report *ask,
		       const struct layout *layout)
{
	struct sgov_column column[FIELDS + 1] = { 0 };
	bool exact = ask->sgov->format == SGOV_PARSABLE;
	struct sgov_table *table;
	char text[GOV_SUM_TEXT];

	for (size_t i = 0; i < layout->count; i++) {
		column[i].name = names[layout->field[i]].title;
		column[i].right = layout->field[i] >= F_QUOTA ||
				  layout->field[i] == F_JOB;
	}
	table = sgov_table_create(ask->sgov, column);
	for (size_t r = 0; r < ask->rows; r++)
		for (size_t i = 0; i < layout->count; i++) {
			enum field field = layout->field[i];
			const char *value = field_text(ask, ask->row[r], field,
						       exact, text);

			sgov_table_text(table, exact ? value :
						       shown(ask->row[r], field,
							     value));
		}
	sgov_table_print(table);
	sgov_table_destroy(table);
}

static void show_csv(const struct sgov_report *ask, const struct layout *layout)
{
	char text[GOV_SUM_TEXT];

	for (size_t i = 0; ask->sgov->header && i < layout->count; i++)
		sgov_report_csv(names[layout->field[i]].member, i == 0);
	if (ask->sgov->header)
		puts("\r");
	for (size_t r = 0; r < ask->rows; r++) {
		for (size_t i = 0; i < layout->count; i++)
			sgov_report_csv(field_text(ask, ask->row[r],
						   layout->field[i], true,
						   text),
					i == 0);
		puts("\r");
	}
}

/* ---- JSON ---- */

static struct json_object *json_row(const struct sgov_report *ask,
				    const struct layout *layout,
				    const struct gov_report_row *row)
{
	struct json_object *object = json_object_new_object();
	char text[GOV_SUM_TEXT];

	for (size_t i = 0; i < layout->count; i++) {
		enum field field = layout->field[i];
		const char *value = field_text(ask, row, field, true, text);
		struct json_object *member;

		/* As written: a double would round. */
		if (field >= F_QUOTA || field == F_JOB)
			member = json_object_new_double_s(strtod(value, NULL),
							  value);
		else
			member = json_object_new_string(value);
		json_object_object_add(object, names[field].member, member);
	}
	return object;
}

static void show_json(const struct sgov_report *ask,
		      const struct layout *layout)
{
	struct json_object *answer = sgov_own_answer("report");
	struct json_object *rows = json_object_new_array();
	struct json_object *gaps = json_object_new_array();
	size_t count;
	const struct gov_report_gap *gap = gov_report_gaps(ask->report, &count);

	sgov_json_set(answer, "report", ask->name);
	sgov_json_set(answer, "cluster", ask->cluster);
	json_object_object_add(answer, "start",
			       json_object_new_int64(ask->start));
	json_object_object_add(answer, "end", json_object_new_int64(ask->end));
	for (size_t i = 0; i < ask->rows; i++)
		json_object_array_add(rows, json_row(ask, layout, ask->row[i]));
	for (size_t i = 0; i < count; i++) {
		struct json_object *entry = json_object_new_object();

		json_object_object_add(entry, "from",
				       json_object_new_int64(gap[i].from));
		json_object_object_add(entry, "to",
				       json_object_new_int64(gap[i].to));
		json_object_array_add(gaps, entry);
	}
	json_object_object_add(answer, "rows", rows);
	json_object_object_add(answer, "unwatched", gaps);
	sgov_json_print(answer);
	json_object_put(answer);
}

void sgov_report_show(const struct sgov_report *ask)
{
	struct layout layout = { 0 };

	choose(&layout, ask);
	if (ask->format == SGOV_REPORT_JSON)
		show_json(ask, &layout);
	else if (ask->format == SGOV_REPORT_CSV)
		show_csv(ask, &layout);
	else
		show_table(ask, &layout);
}
