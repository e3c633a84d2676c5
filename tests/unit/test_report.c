/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of small ledgers, each sum worked out by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/keeper.h"
#include "ledger/report.h"
#include "tests/unit/unit.h"

#define BEGIN 1796083200 /* 2026-12-01T00:00:00Z */
#define HOUR 3600
#define DAY 86400
#define LINES 64

/* A ledger in memory: records as they would be read. */
static struct {
	struct gov_text text;
	size_t end[LINES];
	size_t count;
} ledger;
static struct gov_keeper *keeper;
static gov_time_t now;
static gov_time_t bound[40] = { BEGIN, BEGIN + 31 * DAY };
static struct gov_report_query query;
static struct gov_report *report;
static struct gov_report_row **row;
static size_t rows;

static int emit(void *arg, struct gov_record *record)
{
	ck_assert_uint_lt(ledger.count, LINES);
	record->seq = ledger.count + 1;
	record->time = now * 1000000;
	gov_record_format(record, &ledger.text);
	gov_text_string(&ledger.text, ",\"hash\":\"\"}");
	ledger.end[ledger.count++] = ledger.text.length;
	return 0;
}

static void setup(void)
{
	now = BEGIN;
	keeper = gov_keeper_create(emit, NULL);
	query = (struct gov_report_query){
		.by = GOV_BY_TEAM, .bound = bound, .periods = 1, .user = -1
	};
}

static void teardown(void)
{
	gov_report_destroy(report);
	report = NULL;
	gov_keeper_destroy(keeper);
	gov_text_free(&ledger.text);
	ledger.count = 0;
}

static void take_line(struct gov_record *record, char *line, size_t length)
{
	struct gov_error error;
	char *hash = strstr(line, ",\"hash\"");

	/* The hash is the chain's affair: 64 digits will do. */
	ck_assert_ptr_nonnull(hash);
	*hash = '\0';
	line = realloc(line, length + 80);
	strcat(line, ",\"hash\":\"");
	for (int i = 0; i < 64; i++)
		strcat(line, "0");
	strcat(line, "\"}");
	ck_assert_msg(!gov_record_parse(line, strlen(line), record, &error),
		      "%s", error.text);
	ck_assert_msg(!gov_report_take(report, record, &error), "%s",
		      error.text);
	free(line);
}

/* What the query makes of the ledger until now. */
static void run_query(void)
{
	struct gov_record record = { 0 };
	struct gov_error error;
	size_t begin = 0;

	gov_report_destroy(report);
	report = gov_report_create(&query);
	for (size_t i = 0; i < ledger.count; i++) {
		size_t length = ledger.end[i] - begin;

		take_line(&record, strndup(ledger.text.data + begin, length),
			  length);
		begin = ledger.end[i];
	}
	ck_assert_int_eq(gov_report_settle(report, now, &error), 0);
	row = gov_report_rows(report, &rows);
	gov_record_free(&record);
}

/* ---- the policy: two pools, a unit above teams a and b ---- */

struct price {
	const char *pool;
	double price;
	uint64_t borrowed;
	uint64_t credit;
};

static void set_policy(const struct price *price, gov_amount_t a,
		       gov_amount_t b)
{
	struct gov_policy *policy = gov_policy_create();
	uint32_t gpu = gov_policy_add_tres(policy, "gres/gpu");
	uint32_t pool = gov_policy_add_pool(policy, price->pool), unit;
	struct gov_fact fact = { .kind = GOV_FACT_POLICY, .now = now };
	const gov_amount_t nominal[] = { a, b };
	struct gov_error error;

	gov_policy_pool_add_tres(policy, pool, gpu);
	policy->pool[pool].price[0] = price->price;
	policy->pool[pool].borrowed_permille = price->borrowed;
	policy->pool[pool].lent_permille = price->credit;
	gov_policy_make_cells(policy);
	gov_policy_add_class(policy, "normal");
	unit = gov_policy_add_unit(policy, "science", false, GOV_NONE);
	for (int i = 0; i < 2; i++) {
		char name[2] = { (char) ('a' + i), '\0' };
		uint32_t u = gov_policy_add_unit(policy, name, true, unit);

		policy->unit[u].quota[0] = (struct gov_quota){
			.set = true,
			.nominal = nominal[i],
			.borrow_limit = GOV_UNLIMITED,
			.lend_limit = GOV_UNLIMITED,
		};
	}
	ck_assert_msg(!gov_policy_finish(policy, &error), "%s", error.text);
	fact.policy = policy;
	ck_assert_int_eq(gov_keeper_take(keeper, &fact, &error), 0);
}

static void start(uint64_t job, uint32_t team, gov_amount_t amount)
{
	struct gov_fact fact = {
		.kind = GOV_FACT_START,
		.now = now,
		.job = job,
		.team = team + 1, /* behind the unit */
		.project = GOV_NONE,
		.user = 1000 + team,
		.submitted = now - (gov_time_t) (10 * job),
		.started = now,
		.use = { 1, { { 0, amount } } },
	};
	struct gov_error error;

	ck_assert_msg(!gov_keeper_take(keeper, &fact, &error), "%s",
		      error.text);
}

/* asker: 0, or whose job takes it back. */
static void end(uint64_t job, uint64_t asker, uint32_t team)
{
	struct gov_fact fact = {
		.kind = GOV_FACT_END,
		.now = now,
		.job = job,
		.ended = now,
		.asker = asker,
		.asker_team = asker ? team + 1 : GOV_NONE,
		.how = asker ? "reclaimed" : "completed",
	};
	struct gov_error error;

	ck_assert_msg(!gov_keeper_take(keeper, &fact, &error), "%s",
		      error.text);
}

static const struct gov_report_row *row_of(const char *team)
{
	for (size_t i = 0; i < rows; i++)
		if (row[i]->key.team && strcmp(row[i]->key.team, team) == 0)
			return row[i];
	ck_abort_msg("no row of %s", team);
	return NULL;
}

static void hours_are(gov_sum_t sum, const char *hours)
{
	char text[GOV_SUM_TEXT];

	ck_assert_str_eq(gov_sum_text(text, sum, HOUR, 2), hours);
}

static void money_is(gov_sum_t sum, const char *money)
{
	char text[GOV_SUM_TEXT];

	ck_assert_str_eq(gov_sum_text(text, sum, GOV_SUM_MONEY, 2), money);
}

/* ---- examples ---- */

/* E9: 200 GPU-hours, 170 inside quota; the credit is on 30. */
START_TEST(e9_the_invoice_is_on_200_and_the_credit_on_30)
{
	set_policy(&(struct price){ "h100", 2.50, 1000, 1000 }, 17, 10);
	start(1, 0, 17);
	start(2, 0, 3);
	now += 10 * HOUR;
	end(1, 0, 0);
	end(2, 0, 0);
	run_query();
	hours_are(row_of("a")->sums.own, "170.00");
	hours_are(row_of("a")->sums.borrowed, "30.00");
	hours_are(row_of("a")->sums.quota, "170.00");
	money_is(row_of("a")->sums.own_cost + row_of("a")->sums.borrowed_cost,
		 "500.00");
	hours_are(row_of("b")->sums.lent, "30.00");
	hours_are(row_of("b")->sums.quota, "100.00");
	money_is(row_of("b")->sums.credit, "75.00");
}
END_TEST

/* Prices of instances, per GPU: what one costs in 725 hours. */
static const struct {
	struct price price;
	gov_amount_t gpus;
	int hours;
	const char *money;
} s26[] = {
	{ { "p5", 12.29, 1000, 1000 }, 8, 725, "71282.00" },
	{ { "p4d", 4.711, 1000, 1000 }, 8, 725, "27323.80" },
	{ { "g5.12xlarge", 1.7725, 1000, 1000 }, 4, 1, "7.09" },
	{ { "g5.12xlarge", 1.7725, 1000, 1000 }, 4, 10, "70.90" },
};

START_TEST(s26_prices)
{
	char text[GOV_SUM_TEXT], hours[32];

	set_policy(&s26[_i].price, s26[_i].gpus, 0);
	start(1, 0, s26[_i].gpus);
	now += s26[_i].hours * HOUR;
	end(1, 0, 0);
	run_query();
	snprintf(hours, sizeof(hours), "%d",
		 (int) s26[_i].gpus * s26[_i].hours);
	ck_assert_str_eq(gov_sum_text(text, row_of("a")->sums.own, HOUR, 0),
			 hours);
	money_is(row_of("a")->sums.own_cost, s26[_i].money);
}
END_TEST

/* Each hour at the price that was in force then. */
START_TEST(the_price_of_that_time)
{
	set_policy(&(struct price){ "h100", 2, 1500, 500 }, 4, 4);
	start(1, 0, 6);
	now += 2 * HOUR;
	set_policy(&(struct price){ "h100", 3, 1000, 1000 }, 4, 4);
	now += HOUR;
	end(1, 0, 0);
	run_query();
	/* 4 own and 2 borrowed: 2 h at 2 and 3, 1 h at 3 and 3. */
	money_is(row_of("a")->sums.own_cost, "28.00");
	money_is(row_of("a")->sums.borrowed_cost, "18.00");
	money_is(row_of("b")->sums.credit, "10.00");
}
END_TEST

/* A day ends in the midst of a run. */
START_TEST(days_and_units)
{
	for (int i = 0; i <= 2; i++)
		bound[i] = BEGIN + i * DAY;
	query.periods = 2;
	query.by = GOV_BY_UNIT;
	set_policy(&(struct price){ "h100", 0, 1000, 1000 }, 4, 4);
	now += 20 * HOUR;
	start(1, 0, 2);
	start(2, 1, 1);
	now += 10 * HOUR;
	end(1, 0, 0);
	run_query();
	ck_assert_uint_eq(rows, 2);
	ck_assert_str_eq(row[0]->key.unit, "science");
	hours_are(row[0]->sums.own, "12.00");
	hours_are(row[0]->sums.quota, "192.00");
	hours_are(row[1]->sums.own, "18.00");
	hours_are(row[1]->sums.quota, "48.00");
	bound[1] = BEGIN + 31 * DAY;
}
END_TEST

/* a borrows all; b takes 4 back after an hour, with nothing saved. */
START_TEST(an_eviction_and_who_caused_it)
{
	set_policy(&(struct price){ "h100", 0, 1000, 1000 }, 4, 4);
	start(1, 0, 4);
	start(2, 0, 4);
	now += HOUR;
	end(2, 3, 1);
	start(3, 1, 4);
	now += HOUR;
	query.kind = GOV_REPORT_EVICTIONS;
	query.by = GOV_BY_TEAM | GOV_BY_OTHER | GOV_BY_JOB;
	run_query();
	ck_assert_uint_eq(rows, 1);
	ck_assert_str_eq(row[0]->key.team, "a");
	ck_assert_str_eq(row[0]->key.other, "b");
	ck_assert_int_eq(row[0]->key.job, 2);
	ck_assert_uint_eq(row[0]->sums.count, 1);
	hours_are(row[0]->sums.lost, "4.00");

	query.kind = GOV_REPORT_LOANS;
	query.by = GOV_BY_TEAM | GOV_BY_OTHER;
	run_query();
	ck_assert_uint_eq(rows, 1);
	ck_assert_str_eq(row[0]->key.team, "a");
	ck_assert_str_eq(row[0]->key.other, "b");
	hours_are(row[0]->sums.borrowed, "4.00");

	query.kind = GOV_REPORT_WAITING;
	query.by = GOV_BY_TEAM;
	run_query();
	ck_assert_uint_eq(rows, 2);
	ck_assert_uint_eq(row[0]->sums.count, 2);
	ck_assert_uint_eq(gov_report_wait(row[0], 50), 10);
	ck_assert_uint_eq(gov_report_wait(row[0], 95), 20);
	ck_assert_uint_eq(gov_report_wait(row[1], 100), 30);
}
END_TEST

START_TEST(only_what_was_asked_for)
{
	set_policy(&(struct price){ "h100", 0, 1000, 1000 }, 4, 4);
	start(1, 0, 2);
	start(2, 1, 1);
	now += HOUR;
	query.team = "B";
	run_query();
	ck_assert_uint_eq(rows, 1);
	hours_are(row[0]->sums.own, "1.00");
	query.team = NULL;
	query.unit = "science";
	run_query();
	ck_assert_uint_eq(rows, 2);
	query.unit = "scienc";
	run_query();
	ck_assert_uint_eq(rows, 0);
	query.unit = NULL;
	query.user = 1001;
	query.by = GOV_BY_USER;
	run_query();
	ck_assert_uint_eq(rows, 1);
	hours_are(row[0]->sums.own, "1.00");
	hours_are(row[0]->sums.quota, "0.00");
}
END_TEST

START_TEST(numbers_are_rounded_once)
{
	char text[GOV_SUM_TEXT];

	ck_assert_str_eq(gov_sum_text(text, 1, 2, 0), "1");
	ck_assert_str_eq(gov_sum_text(text, 1, 3, 4), "0.3333");
	ck_assert_str_eq(gov_sum_text(text, 2, 3, 2), "0.67");
	ck_assert_str_eq(gov_sum_text(text, -1, 3, 2), "-0.33");
	ck_assert_str_eq(gov_sum_text(text, -1, 300, 2), "0.00");
	ck_assert_str_eq(gov_sum_text(text, 1999, 1000, 2), "2.00");
	ck_assert_str_eq(gov_sum_text(text, (gov_sum_t) 1 << 100, 1, 0),
			 "1267650600228229401496703205376");
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, e9_the_invoice_is_on_200_and_the_credit_on_30);
	tcase_add_loop_test(tcase, s26_prices, 0, sizeof(s26) / sizeof(s26[0]));
	tcase_add_test(tcase, the_price_of_that_time);
	tcase_add_test(tcase, days_and_units);
	tcase_add_test(tcase, an_eviction_and_who_caused_it);
	tcase_add_test(tcase, only_what_was_asked_for);
	tcase_add_test(tcase, numbers_are_rounded_once);
}

int main(void)
{
	return unit_main("report", cases);
}
