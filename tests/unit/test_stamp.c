/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "stamp/stamp.h"
#include "tests/unit/unit.h"

static struct gov_stamp full_stamp(void)
{
	struct gov_stamp s;

	gov_stamp_init(&s);
	s.state = GOV_STAMP_RECLAIMING;
	strcpy(s.team, "vision");
	strcpy(s.project, "v.l-m_2");
	strcpy(s.class_name, "training");
	strcpy(s.pool, "h100@east+1");
	s.nonce = UINT64_MAX;
	s.submitted = 1765000000;
	s.user_hold = true;
	s.no_borrow = true;
	s.evictions = UINT32_MAX;
	s.asker = UINT64_MAX;
	s.deadline = INT64_MAX;
	s.checkpoint = 1;
	s.rule = 255;
	s.signal = 255;
	s.unadmitted = true;
	s.released = true;
	s.exempt = true;
	s.operator_uid = UINT32_MAX;
	s.ordered = INT64_MAX;
	return s;
}

static struct gov_stamp small_stamp(void)
{
	struct gov_stamp s;

	gov_stamp_init(&s);
	s.state = GOV_STAMP_WAITING;
	strcpy(s.team, "nlp");
	s.nonce = 0x1f;
	return s;
}

#define SMALL "[gov1 state=waiting team=nlp nonce=1f]"

static void assert_same(const struct gov_stamp *a, const struct gov_stamp *b)
{
	ck_assert_int_eq(a->state, b->state);
	ck_assert_str_eq(a->team, b->team);
	ck_assert_str_eq(a->project, b->project);
	ck_assert_str_eq(a->class_name, b->class_name);
	ck_assert_str_eq(a->pool, b->pool);
	ck_assert_uint_eq(a->nonce, b->nonce);
	ck_assert_int_eq(a->submitted, b->submitted);
	ck_assert_int_eq(a->user_hold, b->user_hold);
	ck_assert_int_eq(a->no_borrow, b->no_borrow);
	ck_assert_uint_eq(a->evictions, b->evictions);
	ck_assert_uint_eq(a->asker, b->asker);
	ck_assert_int_eq(a->deadline, b->deadline);
	ck_assert_int_eq(a->checkpoint, b->checkpoint);
	ck_assert_uint_eq(a->rule, b->rule);
	ck_assert_int_eq(a->unadmitted, b->unadmitted);
	ck_assert_uint_eq(a->signal, b->signal);
	ck_assert_int_eq(a->released, b->released);
	ck_assert_int_eq(a->exempt, b->exempt);
	ck_assert_uint_eq(a->operator_uid, b->operator_uid);
	ck_assert_int_eq(a->ordered, b->ordered);
}

START_TEST(every_field_comes_back)
{
	struct gov_stamp in = full_stamp(), out;
	char text[GOV_STAMP_TEXT];

	ck_assert_int_gt(gov_stamp_format(&in, text, sizeof(text)), 0);
	ck_assert_int_eq(gov_stamp_parse(text, &out), 1);
	assert_same(&in, &out);
	for (int state = GOV_STAMP_UNDECIDED; state <= GOV_STAMP_RECLAIMING;
	     state++) {
		gov_stamp_init(&in);
		in.state = (enum gov_stamp_state) state;
		ck_assert_int_gt(gov_stamp_format(&in, text, sizeof(text)), 0);
		ck_assert_int_eq(gov_stamp_parse(text, &out), 1);
		assert_same(&in, &out);
	}
}
END_TEST

/* A stamp of 0.1 must be read for ever. */
START_TEST(frozen_text)
{
	struct gov_stamp in = full_stamp(), out;
	static const char frozen[] =
		"[gov1 state=reclaiming team=vision project=v.l-m_2 "
		"class=training pool=h100@east+1 nonce=ffffffffffffffff "
		"submitted=1765000000 hold=1 noborrow=1 evictions=4294967295 "
		"asker=18446744073709551615 deadline=9223372036854775807 "
		"checkpoint=1 rule=255]";
	char text[GOV_STAMP_TEXT];

	/* Fields that came later. */
	in.signal = 0;
	in.unadmitted = in.released = in.exempt = false;
	in.operator_uid = 0;
	in.ordered = 0;
	ck_assert_int_eq(gov_stamp_format(&in, text, sizeof(text)),
			 (int) strlen(frozen));
	ck_assert_str_eq(text, frozen);
	ck_assert_int_eq(gov_stamp_parse(frozen, &out), 1);
	assert_same(&in, &out);
}
END_TEST

START_TEST(largest_stamp_fits)
{
	struct gov_stamp s = full_stamp();
	char text[GOV_STAMP_TEXT];
	int length;

	memset(s.team, 'x', GOV_STAMP_NAME - 1);
	memset(s.project, 'x', GOV_STAMP_NAME - 1);
	memset(s.class_name, 'x', GOV_STAMP_NAME - 1);
	memset(s.pool, 'x', GOV_STAMP_NAME - 1);
	s.submitted = s.checkpoint = INT64_MAX;
	length = gov_stamp_format(&s, text, sizeof(text));
	ck_assert_int_gt(length, 400);
	for (int size = 0; size <= length; size++)
		ck_assert_int_eq(gov_stamp_format(&s, text, (size_t) size), -1);
	ck_assert_int_eq(gov_stamp_format(&s, text, (size_t) length + 1),
			 length);
}
END_TEST

START_TEST(unwritable_stamps)
{
	static const char *const names[] = {
		"a b",	    "a]",  "[gov1", "a=b", "a\n",      "a\x7f",
		"\xc3\xa9", "a,b", "a/b",   "a\\", "\033[31m",
	};
	struct gov_stamp s;
	char text[GOV_STAMP_TEXT];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		s = small_stamp();
		strcpy(s.project, names[i]);
		ck_assert_int_eq(gov_stamp_format(&s, text, sizeof(text)), -1);
		ck_assert_ptr_null(gov_stamp_apply("x", &s));
	}
	s = small_stamp();
	memset(s.pool, 'x', sizeof(s.pool)); /* no NUL */
	ck_assert_int_eq(gov_stamp_format(&s, text, sizeof(text)), -1);
	s = small_stamp();
	s.deadline = -1;
	ck_assert_int_eq(gov_stamp_format(&s, text, sizeof(text)), -1);
	s = small_stamp();
	s.state = (enum gov_stamp_state) 5;
	ck_assert_int_eq(gov_stamp_format(&s, text, sizeof(text)), -1);
	s.state = (enum gov_stamp_state) - 1;
	ck_assert_int_eq(gov_stamp_format(&s, text, sizeof(text)), -1);
}
END_TEST

static const struct {
	const char *comment;
	int result;
} readings[] = {
	{ NULL, 0 },
	{ "", 0 },
	{ "ticket 4711", 0 },
	{ SMALL, 1 },
	{ "before " SMALL " after", 1 },
	{ "line\nline\t\001" SMALL "\r\n", 1 },
	{ "[[[[gov" SMALL, 1 },
	{ "[gov1" SMALL, 1 },
	{ "[gov1 " SMALL, 1 },
	/* text of others that looks a little like it */
	{ "[gov]", 0 },
	{ "[gov1]", 0 },
	{ "[gov1", 0 },
	{ "[gov1 is our project]", 0 },
	{ "[GOV1 state=waiting]", 0 },
	{ "[governor x=y]", 0 },
	{ "[gov1  state=waiting]", 0 },
	{ "gov1 state=waiting", 0 },
	{ "[gov 1 state=waiting]", 0 },
	{ "[gov1 =waiting]", 0 },
	/* cut */
	{ "[gov1 state=", -1 },
	{ "[gov1 state=waiting", -1 },
	{ "[gov1 state=waiting team=nlp nonce=1f", -1 },
	{ "[gov1 state=waiting team", -1 },
	{ "[gov1 state=waiting ", -1 },
	/* other versions */
	{ "[gov2 state=waiting]", -1 },
	{ "[gov0 state=waiting]", -1 },
	{ "[gov01 state=waiting]", -1 },
	{ "[gov11 state=waiting]", -1 },
	{ "[gov99999999999999999999999999 state=waiting]", -1 },
	{ "[gov2 state=waiting] " SMALL, 1 },
	{ "[gov1 state=waiting " SMALL, 1 },
	/* values that are none */
	{ "[gov1 state=wait]", -1 },
	{ "[gov1 state=WAITING]", -1 },
	{ "[gov1 team=nlp]", -1 },
	{ "[gov1 state=waiting team=]", -1 },
	{ "[gov1 state=waiting nonce=1F]", -1 },
	{ "[gov1 state=waiting nonce=0x1f]", -1 },
	{ "[gov1 state=waiting nonce=10000000000000000]", -1 },
	{ "[gov1 state=waiting nonce=ffffffffffffffff]", 1 },
	{ "[gov1 state=waiting submitted=9223372036854775807]", 1 },
	{ "[gov1 state=waiting submitted=9223372036854775808]", -1 },
	{ "[gov1 state=waiting submitted=-1]", -1 },
	{ "[gov1 state=waiting submitted=+1]", -1 },
	{ "[gov1 state=waiting submitted=007]", -1 },
	{ "[gov1 state=waiting submitted=0]", 1 },
	{ "[gov1 state=waiting evictions=4294967296]", -1 },
	{ "[gov1 state=waiting asker=18446744073709551616]", -1 },
	{ "[gov1 state=waiting rule=256]", -1 },
	{ "[gov1 state=waiting hold=2]", -1 },
	{ "[gov1 state=waiting hold=]", -1 },
	{ "[gov1 state=waiting hold=yes]", -1 },
	/* twice */
	{ "[gov1 state=waiting state=admitted]", -1 },
	{ "[gov1 state=waiting team=a team=a]", -1 },
	/* keys of later */
	{ "[gov1 state=waiting colour=blue x=]", 1 },
	{ "[gov1 state=waiting Team=a]", -1 },
};

START_TEST(reading)
{
	struct gov_stamp s, zero;

	gov_stamp_init(&zero);
	memset(&s, 0xff, sizeof(s));
	ck_assert_msg(gov_stamp_parse(readings[_i].comment, &s) ==
			      readings[_i].result,
		      "%s", readings[_i].comment);
	if (readings[_i].result != 1)
		assert_same(&s, &zero);
	else
		ck_assert_int_eq(s.state, GOV_STAMP_WAITING);
}
END_TEST

START_TEST(long_names)
{
	char comment[256];
	char name[GOV_STAMP_NAME + 1];
	struct gov_stamp s;

	memset(name, 'n', sizeof(name));
	name[GOV_STAMP_NAME] = '\0';
	snprintf(comment, sizeof(comment), "[gov1 state=waiting team=%s]",
		 name);
	ck_assert_int_eq(gov_stamp_parse(comment, &s), -1);
	name[GOV_STAMP_NAME - 1] = '\0';
	snprintf(comment, sizeof(comment), "[gov1 state=waiting team=%s]",
		 name);
	ck_assert_int_eq(gov_stamp_parse(comment, &s), 1);
	ck_assert_str_eq(s.team, name);
}
END_TEST

/* The first well-formed one counts, whatever comes behind it. */
START_TEST(duplicate_stamps)
{
	struct gov_stamp s = small_stamp();
	char *c;

	ck_assert_int_eq(gov_stamp_parse("[gov1 state=admitted team=a] x "
					 "[gov1 state=waiting team=b]",
					 &s),
			 1);
	ck_assert_str_eq(s.team, "a");
	s = small_stamp();
	c = gov_stamp_apply("1 [gov1 state=admitted team=a] 2 "
			    "[gov1 state=waiting team=b] 3 [gov1 x=y",
			    &s);
	ck_assert_str_eq(c, "1 " SMALL " 2  3 ");
	free(c);
}
END_TEST

static const struct {
	const char *comment;
	const char *with;    /* after apply(small) */
	const char *without; /* after apply(NULL) */
} applications[] = {
	{ NULL, SMALL, "" },
	{ "", SMALL, "" },
	{ "x", SMALL " x", "x" },
	{ " x", SMALL "  x", " x" },
	{ SMALL, SMALL, "" },
	{ SMALL " x", SMALL " x", "x" },
	{ SMALL "x", SMALL "x", "x" },
	{ "a " SMALL, "a " SMALL, "a " },
	{ "a " SMALL " b", "a " SMALL " b", "a  b" },
	{ "a" SMALL "b", "a" SMALL "b", "a  b" },
	{ "a" SMALL " b", "a" SMALL " b", "a  b" },
	{ "a " SMALL "b", "a " SMALL "b", "a  b" },
	{ "\001\n" SMALL "\xff", "\001\n" SMALL "\xff", "\001\n  \xff" },
	{ "[gov1 state=wai", SMALL, "" },
	{ "[gov2 state=new key=v] b", SMALL " b", "b" },
	{ "[gov1 state=waiting cut by others] b", SMALL " cut by others] b",
	  "cut by others] b" },
	/* what is left must not grow together into a stamp */
	{ "[gov1" SMALL " te=x]", "[gov1" SMALL " te=x]", "[gov1  te=x]" },
	{ "[gov1 a" SMALL "=d]", "[gov1 a" SMALL "=d]", "[gov1 a  =d]" },
	{ "[gov1 " SMALL "a=d]", "[gov1 " SMALL "a=d]", "[gov1  a=d]" },
	{ "[gov1" SMALL "a=d]", "[gov1" SMALL "a=d]", "[gov1  a=d]" },
	{ "[gov1" SMALL SMALL "a=d]", "[gov1" SMALL "  a=d]", "[gov1  a=d]" },
};

START_TEST(applying)
{
	struct gov_stamp s = small_stamp(), out;
	char *with = gov_stamp_apply(applications[_i].comment, &s);
	char *without = gov_stamp_apply(applications[_i].comment, NULL);

	ck_assert_str_eq(with, applications[_i].with);
	ck_assert_str_eq(without, applications[_i].without);
	ck_assert_int_eq(gov_stamp_parse(with, &out), 1);
	assert_same(&s, &out);
	ck_assert_int_eq(gov_stamp_parse(without, &out), 0);
	free(with);
	free(without);
}
END_TEST

START_TEST(text_of_others_comes_back)
{
	struct gov_stamp s = small_stamp(), t = full_stamp();
	char other[512], *a, *b, *c;

	for (size_t i = 0; i < sizeof(other) - 1; i++)
		other[i] = (char) (i % 255 + 1); /* every byte but NUL */
	other[sizeof(other) - 1] = '\0';
	a = gov_stamp_apply(other, &s);
	b = gov_stamp_apply(a, &t);
	c = gov_stamp_apply(b, NULL);
	ck_assert_str_eq(c, other);
	free(a);
	free(b);
	free(c);
}
END_TEST

/* Megabytes of almost-stamps: correct, and linear (tcase timeout). */
START_TEST(huge_comments)
{
	static const char *const pieces[] = {
		"[",	      "[gov1", "[gov1 a=", "[gov1 state=waiting ",
		"[gov9 a=b]", "x",     "[gov1 a[",
	};
	const size_t size = 8 << 20;
	char *comment = malloc(size + sizeof(SMALL));
	struct gov_stamp s = small_stamp(), out;

	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		size_t step = strlen(pieces[i]), n;
		char *c;

		for (n = 0; n + step <= size; n += step)
			memcpy(comment + n, pieces[i], step);
		strcpy(comment + n, SMALL);
		ck_assert_int_eq(gov_stamp_parse(comment, &out), 1);
		assert_same(&s, &out);
		c = gov_stamp_apply(comment, &s);
		ck_assert_int_eq(gov_stamp_parse(c, &out), 1);
		free(c);
		c = gov_stamp_apply(comment, NULL);
		ck_assert_int_eq(gov_stamp_parse(c, &out), 0);
		free(c);
	}
	free(comment);
}
END_TEST

/* One closed stamp with a megabyte of words: too long to be ours. */
START_TEST(huge_stamp)
{
	const size_t words = 100000;
	char *comment = malloc(words * 4 + 64);
	struct gov_stamp s;
	char *p = stpcpy(comment, "[gov1 state=waiting");

	for (size_t i = 0; i < words; i++)
		p = stpcpy(p, " x=y");
	strcpy(p, "]");
	ck_assert_int_eq(gov_stamp_parse(comment, &s), -1);
	p = gov_stamp_apply(comment, NULL);
	ck_assert_str_eq(p, "");
	free(p);
	free(comment);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, every_field_comes_back);
	tcase_add_test(tcase, frozen_text);
	tcase_add_test(tcase, largest_stamp_fits);
	tcase_add_test(tcase, unwritable_stamps);
	tcase_add_loop_test(tcase, reading, 0,
			    sizeof(readings) / sizeof(*readings));
	tcase_add_test(tcase, long_names);
	tcase_add_test(tcase, duplicate_stamps);
	tcase_add_loop_test(tcase, applying, 0,
			    sizeof(applications) / sizeof(*applications));
	tcase_add_test(tcase, text_of_others_comes_back);
	tcase_add_test(tcase, huge_comments);
	tcase_add_test(tcase, huge_stamp);
}

int main(void)
{
	return unit_main("stamp", cases);
}
