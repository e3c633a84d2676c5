/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a line.  It may come from anybody: whatever it holds, the answer is
 * a record or an error.  Fast for what record.c writes, where each member
 * follows the one before it in the table.
 */
#include <string.h>

#include "ledger/record_private.h"

struct scan {
	char *at;
	char *end; /* *end is NUL */
	struct gov_record *record;
	size_t next; /* where the next member probably is in the table */
	const char *fault;
};

static int fail(struct scan *scan, const char *fault)
{
	if (!scan->fault)
		scan->fault = fault;
	return -1;
}

static bool eat(struct scan *scan, char c)
{
	if (*scan->at != c)
		return false;
	scan->at++;
	return true;
}

static int expect(struct scan *scan, char c)
{
	return eat(scan, c) ? 0 : fail(scan, "is not JSON");
}

/* ---- values ---- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Of those only control characters are ever written: "\u001f". */
static int unescape(struct scan *scan, char **to)
{
	int high, low;

	scan->at++;
	if (*scan->at == '"' || *scan->at == '\\') {
		*(*to)++ = *scan->at++;
		return 0;
	}
	if (scan->end - scan->at < 5 || memcmp(scan->at, "u00", 3) != 0)
		return fail(scan, "has an unknown escape");
	high = hex_digit(scan->at[3]);
	low = hex_digit(scan->at[4]);
	if (high < 0 || low < 0 || (!high && !low))
		return fail(scan, "has an unknown escape");
	*(*to)++ = (char) (high * 16 + low);
	scan->at += 5;
	return 0;
}

/* A string, NUL-terminated in place. */
static int read_text(struct scan *scan, const char **text)
{
	char *to;

	if (expect(scan, '"'))
		return -1;
	*text = to = scan->at;
	while ((unsigned char) *scan->at >= ' ' && *scan->at != '"' &&
	       *scan->at != '\\')
		scan->at++;
	to = scan->at;
	while (*scan->at != '"') {
		if ((unsigned char) *scan->at < ' ')
			return fail(scan, "has an open string");
		if (*scan->at != '\\')
			*to++ = *scan->at++;
		else if (unescape(scan, &to))
			return -1;
	}
	scan->at++;
	*to = '\0';
	return 0;
}

static int read_number(struct scan *scan, uint64_t *number)
{
	const char *first = scan->at;
	uint64_t value = 0;

	while (*scan->at >= '0' && *scan->at <= '9') {
		unsigned digit = (unsigned) (*scan->at - '0');

		if (value > (UINT64_MAX - digit) / 10)
			return fail(scan, "has too great a number");
		value = value * 10 + digit;
		scan->at++;
	}
	if (scan->at == first)
		return fail(scan, "lacks a number");
	*number = value;
	return 0;
}

static int read_signed(struct scan *scan, int64_t *number)
{
	bool negative = eat(scan, '-');
	uint64_t value;

	if (read_number(scan, &value))
		return -1;
	if (value > INT64_MAX)
		return fail(scan, "has too great a number");
	*number = negative ? -(int64_t) value : (int64_t) value;
	return 0;
}

/* ---- lists ---- */

static int read_row(struct scan *scan, struct gov_record_row *row)
{
	int texts = 0;

	if (expect(scan, '['))
		return -1;
	do {
		if (*scan->at == '"') {
			if (row->numbers || texts == 4)
				return fail(scan, "has a row of another shape");
			if (read_text(scan, &row->text[texts++]))
				return -1;
		} else {
			if (row->numbers == 3)
				return fail(scan, "has a row of another shape");
			if (read_number(scan, &row->number[row->numbers++]))
				return -1;
		}
	} while (eat(scan, ','));
	return expect(scan, ']');
}

static const struct {
	int texts;
	int numbers;
} shapes[GOV_LISTS] = {
	[GOV_LIST_USE] = { 2, 1 },    [GOV_LIST_LOANS] = { 4, 1 },
	[GOV_LIST_CELLS] = { 2, 3 },  [GOV_LIST_UNITS] = { 2, 1 },
	[GOV_LIST_QUOTAS] = { 3, 1 },
};

static int read_list(struct scan *scan, enum gov_record_list_name name)
{
	if (expect(scan, '['))
		return -1;
	if (scan->record->list[name].count)
		return fail(scan, "has a list twice");
	do {
		struct gov_record_row *row = gov_record_add(scan->record, name);

		if (!row)
			return fail(scan, "does not fit into memory");
		if (read_row(scan, row))
			return -1;
		if (!row->text[shapes[name].texts - 1] ||
		    (shapes[name].texts < 4 && row->text[shapes[name].texts]) ||
		    row->numbers != shapes[name].numbers)
			return fail(scan, "has a row of another shape");
	} while (eat(scan, ','));
	return expect(scan, ']');
}

/* ---- members ---- */

static int read_value(struct scan *scan, const struct gov_record_member *member)
{
	char *at = (char *) scan->record + member->offset;
	const char *text;
	int64_t number;

	if (member->is_text) {
		if (read_text(scan, &text))
			return -1;
		memcpy(at, &text, sizeof(text));
		return 0;
	}
	if (read_signed(scan, &number))
		return -1;
	memcpy(at, &number, sizeof(number));
	return 0;
}

static int read_member(struct scan *scan)
{
	const char *name;

	if (read_text(scan, &name) || expect(scan, ':'))
		return -1;
	for (size_t i = 0; i < gov_record_member_count; i++) {
		size_t at = (scan->next + i) % gov_record_member_count;

		if (strcmp(gov_record_members[at].name, name) != 0)
			continue;
		scan->next = at + 1;
		return read_value(scan, &gov_record_members[at]);
	}
	for (int i = 0; i < GOV_LISTS; i++)
		if (strcmp(gov_record_lists[i], name) == 0)
			return read_list(scan, (enum gov_record_list_name) i);
	return fail(scan, "has a member of a newer release");
}

static int read_kind(struct scan *scan)
{
	const char *name;

	if (read_text(scan, &name))
		return -1;
	for (int i = 1; i < GOV_RECORD_KINDS; i++)
		if (strcmp(gov_record_kind_name(i), name) == 0) {
			scan->record->kind = i;
			return 0;
		}
	return fail(scan, "is of a kind of a newer release");
}

static int read_literal(struct scan *scan, const char *literal)
{
	size_t length = strlen(literal);

	if ((size_t) (scan->end - scan->at) < length ||
	    memcmp(scan->at, literal, length) != 0)
		return fail(scan, "does not begin as a record does");
	scan->at += length;
	return 0;
}

static int read_head(struct scan *scan)
{
	if (read_literal(scan, "{\"seq\":") ||
	    read_number(scan, &scan->record->seq) ||
	    read_literal(scan, ",\"time\":\""))
		return -1;
	if (scan->end - scan->at <= GOV_RECORD_TIME ||
	    gov_record_read_time(scan->at, &scan->record->time))
		return fail(scan, "has no time");
	scan->at += GOV_RECORD_TIME;
	return read_literal(scan, "\",\"kind\":") || read_kind(scan) ? -1 : 0;
}

int gov_record_parse(char *line, size_t length, struct gov_record *record,
		     struct gov_error *error)
{
	struct scan scan = { .at = line, .end = line + length };
	const char *hash;
	int rc;

	scan.record = record;
	gov_record_clear(record);
	if (memchr(line, '\0', length))
		return gov_error_set(error, GOV_E_VALUE, "the line has a NUL");
	line[length] = '\0';
	rc = read_head(&scan);
	while (!rc && eat(&scan, ',')) {
		if (strncmp(scan.at, "\"hash\":", 7) == 0) {
			scan.at += 7;
			rc = read_text(&scan, &hash);
			break;
		}
		rc = read_member(&scan);
	}
	if (!rc && (expect(&scan, '}') || scan.at != scan.end))
		rc = fail(&scan, "goes on behind its end");
	if (!rc)
		return 0;
	return gov_error_set(error, GOV_E_VALUE, "the line %s", scan.fault);
}
