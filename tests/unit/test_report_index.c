/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of reports is never the truth: whatever is in it, a report says
 * what one says that reads the whole ledger, to the unit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger/journal.h"
#include "ledger/keeper.h"
#include "ledger/report_read.h"
#include "tests/unit/unit.h"

#define BEGIN 1796083200 /* 2026-12-01T00:00:00Z */
#define HOUR 3600
#define TEAMS 3
#define JOBS 40

static char directory[64];
static struct gov_journal *journal;
static struct gov_keeper *keeper;
static gov_time_t now;
static uint64_t seed;
static bool runs[JOBS + 1];

static uint32_t pick(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t) ((seed >> 33) % below);
}

static int emit(void *arg, struct gov_record *record)
{
	return gov_journal_append(journal, record, now * 1000000);
}

static int carry(void *arg, struct gov_journal *opened)
{
	journal = opened;
	return gov_keeper_carry(keeper);
}

static void open_ledger(void)
{
	const struct gov_journal_setup setup = {
		.directory = directory,
		.cluster = "c",
		.segment_bytes = 4000,
		.carry = carry,
	};
	struct gov_journal_found found;
	struct gov_error error;

	keeper = gov_keeper_create(emit, NULL);
	journal = gov_journal_open(&setup, NULL, &found, &error);
	ck_assert_msg(journal, "%s", error.text);
}

static void close_ledger(void)
{
	struct gov_error error;

	ck_assert_int_eq(gov_journal_commit(journal, &error), 0);
	gov_journal_close(journal);
	gov_keeper_destroy(keeper);
}

static void setup(void)
{
	strcpy(directory, "/tmp/test_report_index.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	now = BEGIN;
	seed = 4711;
	memset(runs, 0, sizeof(runs));
	open_ledger();
}

static void remove_ledger(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", directory);
	ck_assert_int_eq(system(command), 0);
}

static void teardown(void)
{
	close_ledger();
	remove_ledger();
}

/* ---- a history ---- */

static struct gov_policy *make_policy(void)
{
	struct gov_policy *policy = gov_policy_create();
	uint32_t gpu = gov_policy_add_tres(policy, "gres/gpu");
	uint32_t mem = gov_policy_add_tres(policy, "mem");
	uint32_t pool = gov_policy_add_pool(policy, "h100"), unit;
	struct gov_error error;

	gov_policy_pool_add_tres(policy, pool, gpu);
	gov_policy_pool_add_tres(policy, pool, mem);
	policy->pool[pool].price[0] = pick(1000) / 100.0;
	policy->pool[pool].borrowed_permille = pick(2000);
	policy->pool[pool].lent_permille = pick(2000);
	gov_policy_make_cells(policy);
	gov_policy_add_class(policy, "normal");
	unit = gov_policy_add_unit(policy, "science", false, GOV_NONE);
	for (int i = 0; i < TEAMS; i++) {
		char name[2] = { (char) ('a' + i), '\0' };
		uint32_t u = gov_policy_add_unit(policy, name, true,
						 i ? unit : GOV_NONE);

		for (int c = 0; c < 2; c++)
			policy->unit[u].quota[c] = (struct gov_quota){
				.set = true,
				.nominal = pick(20),
				.borrow_limit = GOV_UNLIMITED,
				.lend_limit = GOV_UNLIMITED,
			};
	}
	ck_assert_msg(!gov_policy_finish(policy, &error), "%s", error.text);
	return policy;
}

static void tell(struct gov_fact *fact)
{
	struct gov_error error;

	fact->now = now;
	ck_assert_int_eq(gov_journal_begin(journal, now * 1000000), 0);
	ck_assert_msg(!gov_keeper_take(keeper, fact, &error), "%s", error.text);
	ck_assert_int_eq(gov_journal_commit(journal, &error), 0);
	ck_assert_msg(!gov_journal_turn(journal, now * 1000000, &error), "%s",
		      error.text);
}

static void start(uint32_t job)
{
	struct gov_fact fact = {
		.kind = GOV_FACT_START,
		.job = job,
		.team = (uint32_t[]){ 1, 2, 3 }[pick(TEAMS)],
		.project = GOV_NONE,
		.user = 1000 + pick(5),
		.submitted = now - pick(5000) - 100,
		.started = now - pick(100),
		.use = { 2, { { 0, 1 + pick(5) }, { 1, 1 + pick(5) } } },
	};

	/* Units in the order of the policy: science, a, b, c. */
	tell(&fact);
	runs[job] = true;
}

static void end(uint32_t job)
{
	bool evicted = pick(4) == 0;
	struct gov_fact fact = {
		.kind = GOV_FACT_END,
		.job = job,
		.ended = now - pick(30),
		.asker = evicted ? 77 : 0,
		.asker_team = evicted ? 1 + pick(TEAMS) : GOV_NONE,
		.how = evicted ? "reclaimed" : "completed",
	};

	tell(&fact);
	runs[job] = false;
}

static void set_policy(void)
{
	struct gov_fact fact = { .kind = GOV_FACT_POLICY };

	fact.policy = make_policy();
	tell(&fact);
}

static void go_on(int events)
{
	for (int i = 0; i < events; i++) {
		uint32_t job = 1 + pick(JOBS);

		now += 200 + pick(2000);
		if (pick(30) == 0)
			set_policy();
		else if (runs[job])
			end(job);
		else
			start(job);
	}
}

/* ---- with and without ---- */

static gov_time_t bound[200];

static struct gov_report *read_it(const struct gov_report_query *query,
				  bool no_index,
				  struct gov_report_source *source)
{
	struct gov_report *report = gov_report_create(query);
	struct gov_error error;

	*source = (struct gov_report_source){ .directory = directory,
					      .now = now,
					      .no_index = no_index };
	ck_assert_msg(!gov_report_read(report, source, &error), "%s",
		      error.text);
	ck_assert_int_eq(source->indexed, !no_index);
	ck_assert_str_eq(source->cluster, "c");
	return report;
}

static bool is_empty(const struct gov_report_row *row)
{
	static const struct gov_report_sums none;

	return memcmp(&row->sums, &none, sizeof(none)) == 0;
}

/* What has come to nothing may have a row or not. */
static const struct gov_report_row *next_row(struct gov_report_row **row,
					     size_t rows, size_t *at)
{
	while (*at < rows && is_empty(row[*at]))
		++*at;
	return *at < rows ? row[(*at)++] : NULL;
}

static void same_text(const char *a, const char *b)
{
	ck_assert_str_eq(a ? a : "", b ? b : "");
}

static size_t same_rows(struct gov_report *a, struct gov_report *b)
{
	size_t rows[2], at[2] = { 0 }, count = 0;
	struct gov_report_row **row[] = { gov_report_rows(a, &rows[0]),
					  gov_report_rows(b, &rows[1]) };

	for (;; count++) {
		const struct gov_report_row *x = next_row(row[0], rows[0],
							  &at[0]);
		const struct gov_report_row *y = next_row(row[1], rows[1],
							  &at[1]);

		ck_assert((x == NULL) == (y == NULL));
		if (!x)
			return count;
		ck_assert_uint_eq(x->key.period, y->key.period);
		same_text(x->key.unit, y->key.unit);
		same_text(x->key.team, y->key.team);
		same_text(x->key.other, y->key.other);
		same_text(x->key.tres, y->key.tres);
		ck_assert_int_eq(x->key.user, y->key.user);
		ck_assert_msg(!memcmp(&x->sums, &y->sums, sizeof(x->sums)),
			      "sums of %s", x->key.team);
		ck_assert_uint_eq(x->waits, y->waits);
		for (size_t i = 0; i < x->waits; i++)
			ck_assert_uint_eq(x->wait[i], y->wait[i]);
	}
}

static const struct gov_report_query queries[] = {
	{ .kind = GOV_REPORT_USAGE, .by = GOV_BY_TEAM },
	{ .kind = GOV_REPORT_USAGE, .by = GOV_BY_UNIT | GOV_BY_POOL },
	{ .kind = GOV_REPORT_USAGE, .by = GOV_BY_TEAM | GOV_BY_USER },
	{ .kind = GOV_REPORT_USAGE, .by = GOV_BY_TEAM, .class_name = "normal" },
	{ .kind = GOV_REPORT_LOANS, .by = GOV_BY_TEAM | GOV_BY_OTHER },
	{ .kind = GOV_REPORT_LOANS, .by = GOV_BY_TEAM, .team = "b" },
	{ .kind = GOV_REPORT_EVICTIONS, .by = GOV_BY_TEAM | GOV_BY_OTHER },
	{ .kind = GOV_REPORT_WAITING, .by = GOV_BY_TEAM | GOV_BY_CLASS },
};

/* From the hour of `from' on, in periods of so many hours; up to now. */
static void compare(gov_time_t from, int hours)
{
	struct gov_report_source with, without;
	size_t periods = 0;

	while (from < now && periods < 199) {
		bound[periods++] = from;
		from += hours * HOUR;
	}
	bound[periods] = now;
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		struct gov_report_query query = queries[i];
		struct gov_report *a, *b;

		query.bound = bound;
		query.periods = periods;
		query.user = -1;
		a = read_it(&query, true, &without);
		b = read_it(&query, false, &with);
		ck_assert_uint_gt(same_rows(a, b), 0);
		gov_report_destroy(a);
		gov_report_destroy(b);
		/* And once more, from what is there now. */
		a = read_it(&query, true, &without);
		b = read_it(&query, false, &with);
		ck_assert_uint_gt(same_rows(a, b), 0);
		ck_assert_uint_lt(with.records, without.records / 4);
		gov_report_destroy(a);
		gov_report_destroy(b);
	}
}

START_TEST(the_same_sums_with_and_without)
{
	set_policy();
	go_on(600);
	compare(BEGIN, 100000);
	go_on(100);
	compare(BEGIN, 100000);
	compare(BEGIN + 24 * HOUR, 24);
	go_on(50);
	compare(BEGIN + 48 * HOUR, 7);
}
END_TEST

/* Another journal at the same place; a file that is none. */
START_TEST(an_index_of_something_else)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/index.sqlite", directory);
	set_policy();
	go_on(300);
	compare(BEGIN, 100000);
	close_ledger();
	snprintf(path, sizeof(path), "cd %s && rm -f *.log* head epoch",
		 directory);
	ck_assert_int_eq(system(path), 0);
	memset(runs, 0, sizeof(runs));
	open_ledger();
	set_policy();
	go_on(300);
	compare(BEGIN, 100000);

	snprintf(path, sizeof(path), "%s/index.sqlite", directory);
	file = fopen(path, "w");
	for (int i = 0; i < 3000; i++)
		fputs("no index", file);
	fclose(file);
	compare(BEGIN, 100000);
}
END_TEST

/* What another user could put there is not followed. */
START_TEST(a_name_that_is_something_else)
{
	static const char *const plant[] = {
		"ln -s victim index.sqlite",
		"ln victim index.sqlite",
		"mkfifo index.sqlite",
		"ln -s nothing index.sqlite",
	};
	char path[128], command[256], line[16];
	FILE *file;

	set_policy();
	go_on(300);
	for (size_t i = 0; i < sizeof(plant) / sizeof(plant[0]); i++) {
		snprintf(command, sizeof(command),
			 "cd %s && rm -f index.sqlite && echo precious >victim "
			 "&& %s",
			 directory, plant[i]);
		ck_assert_int_eq(system(command), 0);
		compare(BEGIN, 100000);
		snprintf(command, sizeof(command),
			 "cd %s && test -f index.sqlite && "
			 "test \"$(stat -c %%a:%%h index.sqlite)\" = 600:1 && "
			 "test ! -e nothing",
			 directory);
		ck_assert_int_eq(system(command), 0);
		snprintf(path, sizeof(path), "%s/victim", directory);
		file = fopen(path, "r");
		ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
		ck_assert_str_eq(line, "precious\n");
		fclose(file);
	}
}
END_TEST

/* Nothing is written into what belongs to somebody else. */
START_TEST(a_directory_of_somebody_else)
{
	const struct gov_report_query query = {
		.by = GOV_BY_TEAM,
		.bound = (gov_time_t[]){ BEGIN, BEGIN + 100 * HOUR },
		.periods = 1,
		.user = -1,
	};
	struct gov_report_source source;
	struct gov_error error;
	struct gov_report *report;
	char path[128];

	if (geteuid() != 0)
		return;
	set_policy();
	go_on(300);
	ck_assert_int_eq(chown(directory, 4711, 4711), 0);
	source = (struct gov_report_source){ .directory = directory,
					     .now = now };
	report = gov_report_create(&query);
	ck_assert_int_eq(gov_report_read(report, &source, &error), 0);
	ck_assert(!source.indexed);
	gov_report_destroy(report);
	snprintf(path, sizeof(path), "%s/index.sqlite", directory);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_int_eq(chown(directory, 0, 0), 0);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, the_same_sums_with_and_without);
	tcase_add_test(tcase, an_index_of_something_else);
	tcase_add_test(tcase, a_name_that_is_something_else);
	tcase_add_test(tcase, a_directory_of_somebody_else);
}

int main(void)
{
	return unit_main("report_index", cases);
}
