/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/record.h"

#include <stdlib.h>
#include <string.h>

#include "ledger/record_private.h"

#define NUMBER(member)                                      \
	{                                                   \
#member, sizeof(#member) - 1, false,        \
			offsetof(struct gov_record, member) \
	}
#define TEXT(member, name)                                  \
	{                                                   \
		name, sizeof(name) - 1, true,               \
			offsetof(struct gov_record, member) \
	}

/* Their order is the order in a line. */
const struct gov_record_member gov_record_members[] = {
	NUMBER(at),
	NUMBER(job),
	NUMBER(run),
	NUMBER(user),
	TEXT(team, "team"),
	TEXT(project, "project"),
	TEXT(class_name, "class"),
	TEXT(pool, "pool"),
	TEXT(tres, "tres"),
	NUMBER(submitted),
	NUMBER(started),
	NUMBER(ended),
	NUMBER(checkpoint),
	NUMBER(deadline),
	NUMBER(late),
	NUMBER(lost),
	NUMBER(asker),
	TEXT(asker_team, "asker_team"),
	TEXT(rule, "rule"),
	TEXT(how, "how"),
	TEXT(verdict, "verdict"),
	TEXT(code, "code"),
	TEXT(nonce, "nonce"),
	NUMBER(by),
	TEXT(digest, "digest"),
	TEXT(source, "source"),
	NUMBER(epoch),
	NUMBER(after),
	NUMBER(count),
	NUMBER(amount),
	NUMBER(bytes),
	NUMBER(version),
	TEXT(cluster, "cluster"),
	TEXT(host, "host"),
	TEXT(prev, "prev"),
	TEXT(credential, "credential"),
	TEXT(text, "text"),
	NUMBER(reconstructed),
};
const size_t gov_record_member_count = sizeof(gov_record_members) /
				       sizeof(gov_record_members[0]);

const char *const gov_record_lists[GOV_LISTS] = {
	[GOV_LIST_USE] = "use",	      [GOV_LIST_LOANS] = "loans",
	[GOV_LIST_CELLS] = "cells",   [GOV_LIST_UNITS] = "units",
	[GOV_LIST_QUOTAS] = "quotas",
};

static const char *const kinds[GOV_RECORD_KINDS] = {
	[GOV_RECORD_NONE] = "none",	    [GOV_RECORD_SEGMENT] = "segment",
	[GOV_RECORD_CARRY] = "carry",	    [GOV_RECORD_OPEN] = "open",
	[GOV_RECORD_CLOSE] = "close",	    [GOV_RECORD_SEAL] = "seal",
	[GOV_RECORD_POLICY] = "policy",	    [GOV_RECORD_CAPACITY] = "capacity",
	[GOV_RECORD_SUBMIT] = "submit",	    [GOV_RECORD_ADMIT] = "admit",
	[GOV_RECORD_WITHDRAW] = "withdraw", [GOV_RECORD_NOTICE] = "notice",
	[GOV_RECORD_START] = "start",	    [GOV_RECORD_CHANGE] = "change",
	[GOV_RECORD_END] = "end",	    [GOV_RECORD_ORDER] = "order",
	[GOV_RECORD_LOST] = "lost",
};

const char *gov_record_kind_name(enum gov_record_kind kind)
{
	return kinds[kind < GOV_RECORD_KINDS ? kind : GOV_RECORD_NONE];
}

void gov_record_clear(struct gov_record *record)
{
	struct gov_record_list lists[GOV_LISTS];

	memcpy(lists, record->list, sizeof(lists));
	for (int i = 0; i < GOV_LISTS; i++)
		lists[i].count = 0;
	memset(record, 0, sizeof(*record));
	memcpy(record->list, lists, sizeof(lists));
}

void gov_record_free(struct gov_record *record)
{
	for (int i = 0; i < GOV_LISTS; i++)
		free(record->list[i].row);
	memset(record, 0, sizeof(*record));
}

struct gov_record_row *gov_record_add(struct gov_record *record,
				      enum gov_record_list_name name)
{
	struct gov_record_list *list = &record->list[name];

	if (list->count == list->space) {
		size_t space = list->space ? 2 * list->space : 8;
		struct gov_record_row *grown;

		grown = reallocarray(list->row, space, sizeof(*grown));
		if (!grown)
			return NULL;
		list->row = grown;
		list->space = space;
	}
	memset(&list->row[list->count], 0, sizeof(*list->row));
	return &list->row[list->count++];
}

/* ---- time ---- */

/* Days since the epoch of a date of the Gregorian calendar. */
static int64_t days_of(int64_t year, unsigned month, unsigned day)
{
	int64_t era, of_era, of_year;

	year -= month <= 2;
	era = (year >= 0 ? year : year - 399) / 400;
	of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	of_era = (year - era * 400) * 365 + (year - era * 400) / 4 -
		 (year - era * 400) / 100 + of_year;
	return era * 146097 + of_era - 719468;
}

static void date_of(int64_t days, int64_t *year, unsigned *month, unsigned *day)
{
	int64_t era, of_era, year_of_era, of_year, shifted;

	days += 719468;
	era = (days >= 0 ? days : days - 146096) / 146097;
	of_era = days - era * 146097;
	year_of_era = (of_era - of_era / 1460 + of_era / 36524 -
		       of_era / 146096) /
		      365;
	of_year = of_era -
		  (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	shifted = (5 * of_year + 2) / 153;
	*day = (unsigned) (of_year - (153 * shifted + 2) / 5 + 1);
	*month = (unsigned) (shifted < 10 ? shifted + 3 : shifted - 9);
	*year = year_of_era + era * 400 + (*month <= 2);
}

static void put_digits(char *at, int count, int64_t number)
{
	for (int i = count; i-- > 0; number /= 10)
		at[i] = (char) ('0' + number % 10);
}

void gov_record_time(int64_t microseconds, char *text)
{
	int64_t seconds = microseconds / 1000000, days = seconds / 86400;
	unsigned month, day;
	int64_t year;

	date_of(days, &year, &month, &day);
	memcpy(text, "0000-00-00T00:00:00.000000Z", GOV_RECORD_TIME);
	put_digits(text, 4, year);
	put_digits(text + 5, 2, month);
	put_digits(text + 8, 2, day);
	put_digits(text + 11, 2, seconds % 86400 / 3600);
	put_digits(text + 14, 2, seconds % 3600 / 60);
	put_digits(text + 17, 2, seconds % 60);
	put_digits(text + 20, 6, microseconds % 1000000);
}

/* -1: not that many digits. */
static int64_t read_digits(const char *at, int count)
{
	int64_t number = 0;

	for (int i = 0; i < count; i++) {
		if (at[i] < '0' || at[i] > '9')
			return -1;
		number = number * 10 + (at[i] - '0');
	}
	return number;
}

int gov_record_read_time(const char *text, int64_t *microseconds)
{
	int64_t year = read_digits(text, 4), month = read_digits(text + 5, 2);
	int64_t day = read_digits(text + 8, 2);
	int64_t hour = read_digits(text + 11, 2);
	int64_t minute = read_digits(text + 14, 2);
	int64_t second = read_digits(text + 17, 2);
	int64_t micro = read_digits(text + 20, 6);

	if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31 ||
	    hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 ||
	    second > 59 || micro < 0 || text[4] != '-' || text[7] != '-' ||
	    text[10] != 'T' || text[13] != ':' || text[16] != ':' ||
	    text[19] != '.' || text[26] != 'Z')
		return -1;
	*microseconds = ((days_of(year, (unsigned) month, (unsigned) day) *
				  86400 +
			  hour * 3600 + minute * 60 + second) *
			 1000000) +
			micro;
	return 0;
}

/* ---- writing ---- */

void gov_record_format_list(const struct gov_record_list *list,
			    struct gov_text *out)
{
	gov_text_char(out, '[');
	for (size_t i = 0; i < list->count; i++) {
		const struct gov_record_row *row = &list->row[i];
		bool first = true;

		gov_text_add(out, ",[" + !i, i ? 2 : 1);
		for (int t = 0; t < 4 && row->text[t]; t++, first = false) {
			if (!first)
				gov_text_char(out, ',');
			gov_text_quoted(out, row->text[t]);
		}
		for (int n = 0; n < row->numbers; n++, first = false) {
			if (!first)
				gov_text_char(out, ',');
			gov_text_number(out, row->number[n]);
		}
		gov_text_char(out, ']');
	}
	gov_text_char(out, ']');
}

static void put_member(struct gov_text *out, const struct gov_record *record,
		       const struct gov_record_member *member)
{
	const char *at = (const char *) record + member->offset;
	const char *text = NULL;
	int64_t number = 0;

	if (member->is_text)
		memcpy(&text, at, sizeof(text));
	else
		memcpy(&number, at, sizeof(number));
	if (!number && !(text && *text))
		return;
	gov_text_add(out, ",\"", 2);
	gov_text_add(out, member->name, member->length);
	gov_text_add(out, "\":", 2);
	if (member->is_text)
		gov_text_quoted(out, text);
	else
		gov_text_signed(out, number);
}

void gov_record_format_head(const struct gov_record *record,
			    struct gov_text *out)
{
	char time[GOV_RECORD_TIME];

	gov_text_string(out, "{\"seq\":");
	gov_text_number(out, record->seq);
	gov_text_string(out, ",\"time\":\"");
	gov_record_time(record->time, time);
	gov_text_add(out, time, sizeof(time));
	gov_text_string(out, "\",\"kind\":\"");
	gov_text_string(out, gov_record_kind_name(record->kind));
	gov_text_char(out, '"');
}

void gov_record_format_lists(const struct gov_record *record,
			     struct gov_text *out)
{
	for (int i = 0; i < GOV_LISTS; i++) {
		if (!record->list[i].count)
			continue;
		gov_text_add(out, ",\"", 2);
		gov_text_string(out, gov_record_lists[i]);
		gov_text_add(out, "\":", 2);
		gov_record_format_list(&record->list[i], out);
	}
}

void gov_record_format(const struct gov_record *record, struct gov_text *out)
{
	gov_record_format_head(record, out);
	for (size_t i = 0; i < gov_record_member_count; i++)
		put_member(out, record, &gov_record_members[i]);
	gov_record_format_lists(record, out);
}
