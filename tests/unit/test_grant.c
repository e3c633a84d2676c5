/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The payload of a grant.  With munge: test_grant_munge.c. */
#include <stdio.h>
#include <string.h>

#include "grant/grant.h"
#include "tests/unit/unit.h"

static struct gov_grant job_grant(void)
{
	struct gov_grant g = {
		.kind = GOV_GRANT_JOB,
		.uid = 1000,
		.team = "vision",
		.project = "vlm",
		.class_name = "training",
		.isolation = "namespace",
		.digest = "0123456789abcdef",
		.issued = 1765000000,
		.reclaim_signal = 15,
		.reclaim_grace = 120,
	};

	return g;
}

static struct gov_grant bare_grant(enum gov_grant_kind kind)
{
	struct gov_grant g = { .kind = kind, .uid = 1000, .issued = 7 };

	if (kind == GOV_GRANT_UNDECIDED)
		g.uid = GOV_GRANT_ANY_UID;
	return g;
}

static void assert_same(const struct gov_grant *a, const struct gov_grant *b)
{
	ck_assert_int_eq(a->kind, b->kind);
	ck_assert_uint_eq(a->uid, b->uid);
	ck_assert_str_eq(a->team, b->team);
	ck_assert_str_eq(a->project, b->project);
	ck_assert_str_eq(a->class_name, b->class_name);
	ck_assert_str_eq(a->isolation, b->isolation);
	ck_assert_str_eq(a->digest, b->digest);
	ck_assert_int_eq(a->issued, b->issued);
	ck_assert_int_eq(a->reclaim_signal, b->reclaim_signal);
	ck_assert_int_eq(a->reclaim_grace, b->reclaim_grace);
}

static void assert_round_trip(const struct gov_grant *in)
{
	char text[GOV_GRANT_TEXT];
	struct gov_grant out;
	struct gov_error e;
	int length = gov_grant_format(in, text, sizeof(text));

	ck_assert_int_gt(length, 0);
	ck_assert_int_eq(length, (int) strlen(text));
	ck_assert_int_eq(gov_grant_parse(text, (size_t) length, &out, &e), 0);
	assert_same(in, &out);
	for (int size = 0; size <= length; size++)
		ck_assert_int_eq(gov_grant_format(in, text, (size_t) size), -1);
}

START_TEST(round_trips)
{
	struct gov_grant g = job_grant();

	assert_round_trip(&g);
	memset(g.team, 'x', GOV_GRANT_NAME - 1);
	memset(g.project, 'x', GOV_GRANT_NAME - 1);
	memset(g.class_name, 'x', GOV_GRANT_NAME - 1);
	memset(g.isolation, '-', GOV_GRANT_NAME);
	g.isolation[GOV_GRANT_NAME - 1] = '\0';
	g.project[GOV_GRANT_NAME - 1] = '\0';
	g.class_name[GOV_GRANT_NAME - 1] = '\0';
	g.team[GOV_GRANT_NAME - 1] = '\0';
	g.uid = UINT32_MAX - 1;
	g.issued = g.reclaim_grace = INT64_MAX;
	g.reclaim_signal = 64;
	assert_round_trip(&g);
	g = bare_grant(GOV_GRANT_EXEMPT);
	assert_round_trip(&g);
	g = bare_grant(GOV_GRANT_UNDECIDED);
	assert_round_trip(&g);
}
END_TEST

/* A grant of 0.1 waits with its job while nodes are upgraded. */
#define FROZEN                                                        \
	"govgrant1 kind=job uid=1000 team=vision project=vlm "        \
	"class=training isolation=namespace digest=0123456789abcdef " \
	"issued=1765000000 signal=15 grace=120"

START_TEST(frozen_text)
{
	struct gov_grant want = job_grant(), got;
	char text[GOV_GRANT_TEXT];

	ck_assert_int_gt(gov_grant_format(&want, text, sizeof(text)), 0);
	ck_assert_str_eq(text, FROZEN);
	ck_assert_int_eq(gov_grant_parse(FROZEN, strlen(FROZEN), &got, NULL),
			 0);
	assert_same(&want, &got);
}
END_TEST

START_TEST(every_cut_is_refused)
{
	struct gov_grant g, zero;
	struct gov_error e;

	memset(&zero, 0, sizeof(zero));
	/* "grace=120" without its last digit is another grace: not by us. */
	for (size_t n = 0; n <= strlen(FROZEN) - strlen("120"); n++) {
		memset(&g, 0xff, sizeof(g));
		ck_assert_int_eq(gov_grant_parse(FROZEN, n, &g, &e), -1);
		ck_assert_int_eq(e.code, GOV_E_PROTOCOL);
		assert_same(&g, &zero);
	}
}
END_TEST

#define HEAD "govgrant1 kind=job uid=1 team=a project= class=b isolation= "
#define TAIL "digest= issued=1 signal=0 grace=0"

START_TEST(smallest_is_read)
{
	struct gov_grant g;

	ck_assert_int_eq(gov_grant_parse(HEAD TAIL, strlen(HEAD TAIL), &g,
					 NULL),
			 0);
	ck_assert_str_eq(g.team, "a");
	ck_assert_str_eq(g.project, "");
}
END_TEST

static const char *const bad[] = {
	"",
	" ",
	"garbage",
	"govgrant2" /* another version */
	" kind=job uid=1 team=a project= class=b isolation= " TAIL,
	"govgrant1",
	"govgrant1 ",
	HEAD TAIL " ",
	HEAD TAIL "\n",
	HEAD TAIL " grace=0",	  /* twice */
	HEAD TAIL " colour=blue", /* unknown */
	HEAD " " TAIL,
	"govgrant1  kind=job uid=1 team=a project= class=b isolation= " TAIL,
	/* order */
	"govgrant1 uid=1 kind=job team=a project= class=b isolation= " TAIL,
	"govgrant1 kind=job uid=1 project= team=a class=b isolation= " TAIL,
	/* left out */
	"govgrant1 kind=job uid=1 team=a class=b isolation= " TAIL,
	"govgrant1 kind=job team=a project= class=b isolation= " TAIL,
	/* kinds */
	"govgrant1 kind= uid=1 team=a project= class=b isolation= " TAIL,
	"govgrant1 kind=root uid=1 team=a project= class=b isolation= " TAIL,
	"govgrant1 kind=JOB uid=1 team=a project= class=b isolation= " TAIL,
	"govgrant1 kind=job uid=any team=a project= class=b isolation= " TAIL,
	"govgrant1 kind=undecided uid=1 team= project= class= isolation= " TAIL,
	"govgrant1 kind=undecided uid=any team=a project= class=b isolation= " TAIL,
	"govgrant1 kind=exempt uid=any team= project= class= isolation= " TAIL,
	"govgrant1 kind=exempt uid=1 team=a project= class= isolation= " TAIL,
	"govgrant1 kind=job uid=1 team= project= class=b isolation= " TAIL,
	"govgrant1 kind=job uid=1 team=a project= class= isolation= " TAIL,
	/* numbers */
	"govgrant1 kind=job uid= team=a project= class=b isolation= " TAIL,
	"govgrant1 kind=job uid=-1 team=a project= class=b isolation= " TAIL,
	"govgrant1 kind=job uid=01 team=a project= class=b isolation= " TAIL,
	"govgrant1 kind=job uid=0x1 team=a project= class=b isolation= " TAIL,
	"govgrant1 kind=job uid=4294967295 team=a project= class=b isolation= " TAIL,
	"govgrant1 kind=job uid=4294967296 team=a project= class=b isolation= " TAIL,
	HEAD "digest= issued= signal=0 grace=0",
	HEAD "digest= issued=-1 signal=0 grace=0",
	HEAD "digest= issued=9223372036854775808 signal=0 grace=0",
	HEAD "digest= issued=99999999999999999999999 signal=0 grace=0",
	HEAD "digest= issued=1 signal=65 grace=0",
	HEAD "digest= issued=1 signal=-9 grace=0",
	HEAD "digest= issued=1 signal=9 grace=-1",
	HEAD "digest= issued=1 signal=9 grace=1.5",
	HEAD "digest= issued=1 signal=9 grace=1s",
	/* names */
	"govgrant1 kind=job uid=1 team=a/b project= class=b isolation= " TAIL,
	"govgrant1 kind=job uid=1 team=a=b project= class=b isolation= " TAIL,
	"govgrant1 kind=job uid=1 team=a\nb project= class=b isolation= " TAIL,
	"govgrant1 kind=job uid=1 team=\xc3\xa9 project= class=b isolation= " TAIL,
	"govgrant1 kind=job uid=1 team="
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	" project= class=b isolation= " TAIL,
	HEAD "digest=0123456789abcdef0 issued=1 signal=0 grace=0",
	HEAD "digest=0123456789ABCDEF issued=1 signal=0 grace=0",
	HEAD "digest=xyz issued=1 signal=0 grace=0",
};

START_TEST(bad_text)
{
	struct gov_grant g, zero;
	struct gov_error e = { GOV_OK, "" };

	memset(&zero, 0, sizeof(zero));
	memset(&g, 0xff, sizeof(g));
	ck_assert_msg(gov_grant_parse(bad[_i], strlen(bad[_i]), &g, &e) == -1,
		      "read: %s", bad[_i]);
	ck_assert_int_eq(e.code, GOV_E_PROTOCOL);
	ck_assert_ptr_nonnull(strstr(e.text, "tell your administrator"));
	assert_same(&g, &zero);
}
END_TEST

/* A NUL does not end the text early: what is behind it counts. */
START_TEST(nul_inside)
{
	static const char cut[] = HEAD TAIL "\0 grace=5";
	static const char name[] = "govgrant1 kind=job uid=1 team=a\0b "
				   "project= class=b isolation= " TAIL;
	struct gov_grant g;

	ck_assert_int_eq(gov_grant_parse(cut, sizeof(cut) - 1, &g, NULL), -1);
	ck_assert_int_eq(gov_grant_parse(name, sizeof(name) - 1, &g, NULL), -1);
}
END_TEST

/* The text need not have a NUL: read under a sanitizer or valgrind. */
START_TEST(no_nul_behind)
{
	size_t length = strlen(FROZEN);
	char *text = malloc(length);
	struct gov_grant g;

	memcpy(text, FROZEN, length);
	ck_assert_int_eq(gov_grant_parse(text, length, &g, NULL), 0);
	ck_assert_int_eq(g.reclaim_grace, 120);
	free(text);
}
END_TEST

START_TEST(unwritable)
{
	char text[GOV_GRANT_TEXT];
	struct gov_grant g;

#define REFUSED(change)                                                    \
	do {                                                               \
		g = job_grant();                                           \
		change;                                                    \
		ck_assert_int_eq(gov_grant_format(&g, text, sizeof(text)), \
				 -1);                                      \
	} while (0)
	REFUSED(strcpy(g.team, "a b"));
	REFUSED(strcpy(g.project, "a\nb"));
	REFUSED(strcpy(g.class_name, "a=b"));
	REFUSED(strcpy(g.isolation, "../x"));
	REFUSED(memset(g.team, 'x', sizeof(g.team)));
	REFUSED(g.team[0] = '\0');
	REFUSED(g.class_name[0] = '\0');
	REFUSED(strcpy(g.digest, "xyz"));
	REFUSED(memset(g.digest, 'a', sizeof(g.digest)));
	REFUSED(g.uid = GOV_GRANT_ANY_UID);
	REFUSED(g.issued = -1);
	REFUSED(g.reclaim_grace = -1);
	REFUSED(g.reclaim_signal = -1);
	REFUSED(g.reclaim_signal = 65);
	REFUSED(g.kind = (enum gov_grant_kind) 3);
	REFUSED(g.kind = (enum gov_grant_kind) - 1);
	REFUSED(g.kind = GOV_GRANT_EXEMPT); /* still names a team */
	REFUSED((g = bare_grant(GOV_GRANT_UNDECIDED), g.uid = 0));
	REFUSED((g = bare_grant(GOV_GRANT_EXEMPT), g.reclaim_signal = 15));
	REFUSED((g = bare_grant(GOV_GRANT_EXEMPT), g.uid = GOV_GRANT_ANY_UID));
#undef REFUSED
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, round_trips);
	tcase_add_test(tcase, frozen_text);
	tcase_add_test(tcase, every_cut_is_refused);
	tcase_add_test(tcase, smallest_is_read);
	tcase_add_loop_test(tcase, bad_text, 0, sizeof(bad) / sizeof(*bad));
	tcase_add_test(tcase, nul_inside);
	tcase_add_test(tcase, no_nul_behind);
	tcase_add_test(tcase, unwritable);
}

int main(void)
{
	return unit_main("grant", cases);
}
