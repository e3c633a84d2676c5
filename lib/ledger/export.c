/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/export.h"

#include <stdlib.h>
#include <string.h>

#include "ledger/record_private.h"

#define PSEUDONYM_DIGITS 16

/* ---- pseudonyms ---- */

enum subject { PLAIN, USER, JOB, PROJECT, SECRET };

static bool any(const struct gov_pseudonyms *pseudonyms)
{
	return pseudonyms->users || pseudonyms->jobs || pseudonyms->projects;
}

/*
 * A hash that the true text can be tried against, and text that may name
 * anybody, are secret.  The digest of a policy is of a file without jobs.
 */
static bool is_secret(const char *name, enum gov_record_kind kind)
{
	static const char *const secret[] = { "prev", "credential", "text",
					      "nonce" };

	for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++)
		if (strcmp(name, secret[i]) == 0)
			return true;
	return kind == GOV_RECORD_SEGMENT && strcmp(name, "digest") == 0;
}

static enum subject subject_of(const char *name, enum gov_record_kind kind,
			       const struct gov_pseudonyms *pseudonyms)
{
	if (!any(pseudonyms))
		return PLAIN;
	if (strcmp(name, "user") == 0 || strcmp(name, "by") == 0)
		return pseudonyms->users ? USER : PLAIN;
	if (strcmp(name, "job") == 0 || strcmp(name, "asker") == 0)
		return pseudonyms->jobs ? JOB : PLAIN;
	if (strcmp(name, "project") == 0)
		return pseudonyms->projects ? PROJECT : PLAIN;
	return is_secret(name, kind) ? SECRET : PLAIN;
}

/* Of "user:1001": a uid and a job of the same number have nothing in common. */
static int put_pseudonym(struct gov_text *out, enum subject subject,
			 const struct gov_text *plain,
			 const struct gov_pseudonyms *pseudonyms)
{
	static const char *const domains[] = {
		[USER] = "user:",
		[JOB] = "job:",
		[PROJECT] = "project:",
	};
	struct gov_text named = { 0 };
	uint8_t hash[GOV_HASH_SIZE];
	char digits[GOV_HASH_TEXT];
	int rc;

	gov_text_string(&named, domains[subject]);
	gov_text_add(&named, plain->data, plain->length);
	rc = named.failed ||
	     gov_digest_keyed(pseudonyms->key, pseudonyms->key_length,
			      named.data, named.length, hash);
	gov_text_free(&named);
	if (rc)
		return -1;
	gov_digest_text(hash, digits);
	gov_text_add(out, domains[subject], 1);
	gov_text_char(out, '-');
	gov_text_add(out, digits, PSEUDONYM_DIGITS);
	return 0;
}

/* ---- a member ---- */

/*
 * What is to be shown of it, without quotes: nothing if it is zero, empty or
 * secret.  *is_text: pseudonyms of numbers are.
 */
static int show_member(struct gov_text *out, const struct gov_record *record,
		       const struct gov_record_member *member,
		       const struct gov_pseudonyms *pseudonyms, bool *is_text)
{
	enum subject subject = subject_of(member->name, record->kind,
					  pseudonyms);
	const char *at = (const char *) record + member->offset;
	const char *text = NULL;
	struct gov_text plain = { 0 };
	int64_t number = 0;
	int rc = 0;

	*is_text = member->is_text || subject != PLAIN;
	if (member->is_text)
		memcpy(&text, at, sizeof(text));
	else
		memcpy(&number, at, sizeof(number));
	if (subject == SECRET || (!number && !(text && *text)))
		return 0;
	if (text)
		gov_text_string(&plain, text);
	else
		gov_text_signed(&plain, number);
	if (plain.failed)
		rc = -1;
	else if (subject == PLAIN)
		gov_text_add(out, plain.data, plain.length);
	else
		rc = put_pseudonym(out, subject, &plain, pseudonyms);
	gov_text_free(&plain);
	return rc;
}

/* NUL-terminated, empty before each member. */
static int show(struct gov_text *shown, const struct gov_record *record,
		const struct gov_record_member *member,
		const struct gov_pseudonyms *pseudonyms, bool *is_text)
{
	shown->length = 0;
	if (show_member(shown, record, member, pseudonyms, is_text))
		return -1;
	gov_text_char(shown, '\0');
	return shown->failed ? -1 : 0;
}

/* All of it, or nothing. */
static int finish(struct gov_text *out, size_t begin, int rc)
{
	if (!rc && !out->failed)
		return 0;
	out->failed = false;
	out->length = begin;
	return -1;
}

static void put_hash(struct gov_text *out, const uint8_t hash[GOV_HASH_SIZE])
{
	char digits[GOV_HASH_TEXT];

	gov_digest_text(hash, digits);
	gov_text_add(out, digits, sizeof(digits));
}

/* ---- JSON ---- */

int gov_export_json(const struct gov_record *record,
		    const uint8_t hash[GOV_HASH_SIZE],
		    const struct gov_pseudonyms *pseudonyms,
		    struct gov_text *out)
{
	struct gov_text shown = { 0 };
	size_t begin = out->length;
	bool is_text;
	int rc = 0;

	gov_record_format_head(record, out);
	for (size_t i = 0; !rc && i < gov_record_member_count; i++) {
		const struct gov_record_member *member = &gov_record_members[i];

		rc = show(&shown, record, member, pseudonyms, &is_text);
		if (rc || shown.length == 1)
			continue;
		gov_text_add(out, ",\"", 2);
		gov_text_add(out, member->name, member->length);
		gov_text_add(out, "\":", 2);
		if (is_text)
			gov_text_quoted(out, shown.data);
		else
			gov_text_string(out, shown.data);
	}
	gov_text_free(&shown);
	gov_record_format_lists(record, out);
	if (!any(pseudonyms)) {
		gov_text_string(out, ",\"hash\":\"");
		put_hash(out, hash);
		gov_text_char(out, '"');
	}
	gov_text_string(out, "}\n");
	return finish(out, begin, rc);
}

/* ---- CSV ---- */

static void put_field(struct gov_text *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		gov_text_string(out, text);
		return;
	}
	gov_text_char(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			gov_text_char(out, '"');
		gov_text_char(out, *text);
	}
	gov_text_char(out, '"');
}

static int put_list(struct gov_text *out, const struct gov_record_list *list)
{
	struct gov_text json = { 0 };
	int rc;

	gov_text_char(out, ',');
	if (!list->count)
		return 0;
	gov_record_format_list(list, &json);
	gov_text_char(&json, '\0');
	rc = json.failed ? -1 : 0;
	if (!rc)
		put_field(out, json.data);
	gov_text_free(&json);
	return rc;
}

int gov_export_csv(const struct gov_record *record,
		   const uint8_t hash[GOV_HASH_SIZE],
		   const struct gov_pseudonyms *pseudonyms,
		   struct gov_text *out)
{
	char time[GOV_RECORD_TIME];
	struct gov_text shown = { 0 };
	size_t begin = out->length;
	bool is_text;
	int rc = 0;

	gov_text_number(out, record->seq);
	gov_text_char(out, ',');
	gov_record_time(record->time, time);
	gov_text_add(out, time, sizeof(time));
	gov_text_char(out, ',');
	gov_text_string(out, gov_record_kind_name(record->kind));
	for (size_t i = 0; !rc && i < gov_record_member_count; i++) {
		rc = show(&shown, record, &gov_record_members[i], pseudonyms,
			  &is_text);
		gov_text_char(out, ',');
		if (!rc)
			put_field(out, shown.data);
	}
	gov_text_free(&shown);
	for (int i = 0; !rc && i < GOV_LISTS; i++)
		rc = put_list(out, &record->list[i]);
	gov_text_char(out, ',');
	if (!any(pseudonyms))
		put_hash(out, hash);
	gov_text_char(out, '\n');
	return finish(out, begin, rc);
}

int gov_export_csv_header(struct gov_text *out)
{
	size_t begin = out->length;

	gov_text_string(out, "seq,time,kind");
	for (size_t i = 0; i < gov_record_member_count; i++) {
		gov_text_char(out, ',');
		gov_text_string(out, gov_record_members[i].name);
	}
	for (int i = 0; i < GOV_LISTS; i++) {
		gov_text_char(out, ',');
		gov_text_string(out, gov_record_lists[i]);
	}
	gov_text_string(out, ",hash\n");
	return finish(out, begin, 0);
}
