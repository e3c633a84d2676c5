/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records for others: as they are, byte for byte, or so that nobody finds out
 * who is who.
 */
#include <stdio.h>
#include <string.h>

#include "ledger/export.h"
#include "tests/unit/unit.h"

static const char key[] = "a key of this test, and long enough";
static const struct gov_pseudonyms none;
static const struct gov_pseudonyms all = {
	.users = true,
	.jobs = true,
	.projects = true,
	.key = key,
	.key_length = sizeof(key),
};
static const uint8_t hash[GOV_HASH_SIZE] = { 0xab, 0xcd };

/* NUL-terminated; free() it. */
static char *json(const struct gov_record *record,
		  const struct gov_pseudonyms *pseudonyms)
{
	struct gov_text out = { 0 };

	ck_assert_int_eq(gov_export_json(record, hash, pseudonyms, &out), 0);
	gov_text_char(&out, '\0');
	return out.data;
}

static char *csv(const struct gov_record *record,
		 const struct gov_pseudonyms *pseudonyms)
{
	struct gov_text out = { 0 };

	ck_assert_int_eq(gov_export_csv(record, hash, pseudonyms, &out), 0);
	gov_text_char(&out, '\0');
	return out.data;
}

/* One with everything in it that could name somebody. */
static struct gov_record full(void)
{
	struct gov_record record = {
		.kind = GOV_RECORD_END,
		.seq = 7,
		.time = INT64_C(1796205600000042),
		.job = 918273,
		.asker = 918274,
		.user = 77123,
		.by = 77123,
		.team = "nlp",
		.project = "secret \"moon\", shot",
		.prev = "c0ffee",
		.credential = "MUNGE:abc",
		.nonce = "n0nce",
		.text = "exempt 918273",
		.digest = "d19e57",
	};
	struct gov_record_row *row = gov_record_add(&record, GOV_LIST_USE);

	*row = (struct gov_record_row){ .text = { "h100", "gres/gpu" },
					.number = { 4 },
					.numbers = 1 };
	return record;
}

/* The value of a member that is a string; free() it. */
static char *member(const char *line, const char *name)
{
	char needle[64], *end;
	const char *at;

	snprintf(needle, sizeof(needle), ",\"%s\":\"", name);
	at = strstr(line, needle);
	ck_assert_msg(at != NULL, "no %s in %s", name, line);
	at += strlen(needle);
	end = strchr(at, '"');
	return strndup(at, (size_t) (end - at));
}

START_TEST(without_pseudonyms_it_is_the_line_itself)
{
	struct gov_chain chain = { .seq = 6, .hash = { 1, 2, 3 } };
	struct gov_record record = full();
	struct gov_text line = { 0 }, out = { 0 };

	record.text = "a \"quoted\" \\ and \x01\x1f text";
	gov_record_format(&record, &line);
	gov_chain_close(&chain, &line, 0);
	ck_assert_int_eq(gov_export_json(&record, chain.hash, &none, &out), 0);
	ck_assert_uint_eq(out.length, line.length);
	ck_assert_int_eq(memcmp(out.data, line.data, out.length), 0);
	gov_text_free(&line);
	gov_text_free(&out);
	gov_record_free(&record);
}
END_TEST

static void expect_hidden(const char *text)
{
	static const char *const secret[] = { "77123",	 "918273", "918274",
					      "moon",	 "c0ffee", "MUNGE",
					      "n0nce",	 "exempt", "abcd",
					      "\"hash\"" };

	for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++)
		ck_assert_msg(!strstr(text, secret[i]), "%s in %s", secret[i],
			      text);
	ck_assert_ptr_nonnull(strstr(text, "nlp"));
	ck_assert_ptr_nonnull(strstr(text, "gres/gpu"));
}

START_TEST(nothing_is_left_that_names_anybody)
{
	struct gov_record record = full();
	char *line = json(&record, &all), *row = csv(&record, &all);

	expect_hidden(line);
	expect_hidden(row);
	ck_assert_ptr_nonnull(strstr(line, "d19e57")); /* of a policy */
	free(line);
	record.kind = GOV_RECORD_SEGMENT; /* of the file before: a hash */
	line = json(&record, &all);
	ck_assert_ptr_null(strstr(line, "d19e57"));
	free(line);
	free(row);
	gov_record_free(&record);
}
END_TEST

/* Whatever is replaced, the hash would tell what it was. */
START_TEST(one_kind_alone_is_replaced_and_the_hash_stays_behind)
{
	struct gov_record record = full();

	for (int kind = 0; kind < 3; kind++) {
		struct gov_pseudonyms some = { .users = kind == 0,
					       .jobs = kind == 1,
					       .projects = kind == 2,
					       .key = key,
					       .key_length = sizeof(key) };
		char *line = json(&record, &some);

		ck_assert_int_eq(!strstr(line, "\"user\":77123"), kind == 0);
		ck_assert_int_eq(!strstr(line, "\"by\":77123"), kind == 0);
		ck_assert_int_eq(!strstr(line, "\"job\":918273"), kind == 1);
		ck_assert_int_eq(!strstr(line, "\"asker\":918274"), kind == 1);
		ck_assert_int_eq(!strstr(line, "moon"), kind == 2);
		ck_assert_ptr_null(strstr(line, "\"hash\""));
		ck_assert_ptr_null(strstr(line, "exempt"));
		free(line);
	}
	gov_record_free(&record);
}
END_TEST

START_TEST(pseudonyms_agree_and_do_not_collide)
{
	static const char other_key[] = "another key, as long as it must be";
	struct gov_pseudonyms other = all;
	struct gov_record a = { .kind = GOV_RECORD_START,
				.user = 1001,
				.by = 1001,
				.job = 1001,
				.project = "1001" };
	struct gov_record b = { .kind = GOV_RECORD_END, .user = 1001 };
	char *first = json(&a, &all), *again = json(&b, &all), *apart;
	char *user = member(first, "user"), *by = member(first, "by");
	char *same = member(again, "user"), *job = member(first, "job");
	char *project = member(first, "project"), *differs;

	other.key = other_key;
	other.key_length = sizeof(other_key);
	apart = json(&b, &other);
	differs = member(apart, "user");
	ck_assert_str_eq(user, by);
	ck_assert_str_eq(user, same);
	ck_assert_str_ne(user, differs);
	ck_assert_uint_eq(strlen(user), 2 + 16);
	/* The same number is another thing. */
	ck_assert_str_ne(user + 2, job + 2);
	ck_assert_str_ne(user + 2, project + 2);
	ck_assert_str_ne(job + 2, project + 2);
	ck_assert_int_eq(user[0], 'u');
	ck_assert_int_eq(job[0], 'j');
	ck_assert_int_eq(project[0], 'p');
	free(first), free(again), free(apart), free(user), free(by);
	free(same), free(job), free(project), free(differs);
}
END_TEST

/* RFC 4231, test case 2: it is HMAC-SHA-256, and others can work it out. */
START_TEST(the_keyed_hash_is_hmac)
{
	const char *data = "what do ya want for nothing?";
	char text[GOV_HASH_TEXT + 1] = "";
	uint8_t out[GOV_HASH_SIZE];

	ck_assert_int_eq(gov_digest_keyed("Jefe", 4, data, strlen(data), out),
			 0);
	gov_digest_text(out, text);
	ck_assert_str_eq(text, "5bdcc146bf60754e6a042426089575c7"
			       "5a003f089d2739839dec58b964ec3843");
}
END_TEST

/* Fields of a line, where those in quotes may hold commas. */
static size_t fields(const char *line)
{
	size_t count = 1;
	bool quoted = false;

	for (; *line; line++) {
		quoted ^= *line == '"';
		count += *line == ',' && !quoted;
	}
	return count;
}

START_TEST(csv_has_a_field_for_each_header)
{
	struct gov_record record = full();
	struct gov_text header = { 0 };
	char *line = csv(&record, &none), *hidden = csv(&record, &all);

	ck_assert_int_eq(gov_export_csv_header(&header), 0);
	gov_text_char(&header, '\0');
	ck_assert_uint_eq(fields(line), fields(header.data));
	ck_assert_uint_eq(fields(hidden), fields(header.data));
	ck_assert_int_eq(strncmp(header.data, "seq,time,kind,at,job,", 21), 0);
	ck_assert_int_eq(strncmp(line,
				 "7,2026-12-02T10:00:00.000042Z,end,,"
				 "918273,",
				 42),
			 0);
	ck_assert_ptr_nonnull(strstr(line, "\"secret \"\"moon\"\", shot\""));
	ck_assert_ptr_nonnull(
		strstr(line, ",\"[[\"\"h100\"\",\"\"gres/gpu\"\",4]]\","));
	ck_assert_ptr_nonnull(strstr(line, ",abcd00"));
	gov_text_free(&header);
	free(line);
	free(hidden);
	gov_record_free(&record);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, without_pseudonyms_it_is_the_line_itself);
	tcase_add_test(tcase, nothing_is_left_that_names_anybody);
	tcase_add_test(tcase,
		       one_kind_alone_is_replaced_and_the_hash_stays_behind);
	tcase_add_test(tcase, pseudonyms_agree_and_do_not_collide);
	tcase_add_test(tcase, the_keyed_hash_is_hmac);
	tcase_add_test(tcase, csv_has_a_field_for_each_header);
}

int main(void)
{
	return unit_main("ledger_export", cases);
}
