/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accounts: what the keeper writes down is what was used, counted here
 * once more second by second, and what the engine says who lends to whom.
 */
#include <stdio.h>
#include <string.h>

#include "ledger/chain.h"
#include "ledger/keeper.h"
#include "tests/unit/unit.h"

#define TEAMS 4
#define JOBS 32
#define SPAN 400 /* seconds of a history */

static struct gov_keeper *keeper;
static struct gov_account account; /* from the lines, as a reader has it */
static struct gov_record parsed;
static unsigned records;
static gov_time_t now;

/* What the sink of the reader's account was told; the last: of nobody. */
static struct {
	int64_t own[TEAMS + 1];
	int64_t borrowed[TEAMS + 1];
	int64_t lent[TEAMS + 1];
	int64_t taken[TEAMS + 1];
	int64_t quota[TEAMS + 1];
	int64_t job[JOBS + 1];
} told;

static uint32_t team_of(uint32_t unit)
{
	return unit == GOV_NONE ? TEAMS :
				  (uint32_t) (account.unit[unit].name[0] - 'a');
}

static void used(void *arg, const struct gov_run *run,
		 const struct gov_run_item *item, gov_time_t from,
		 gov_time_t to, int sign)
{
	int64_t seconds = sign * (to - from);

	told.own[team_of(run->unit)] += seconds * (int64_t) (item->amount -
							     item->borrowed);
	told.borrowed[team_of(run->unit)] += seconds * (int64_t) item->borrowed;
	told.job[run->job] += seconds * (int64_t) item->amount;
}

static void lent(void *arg, const struct gov_account_loan *loan,
		 gov_time_t from, gov_time_t to, int sign)
{
	int64_t sum = sign * (to - from) * (int64_t) loan->amount;

	told.lent[team_of(loan->lender)] += sum;
	told.taken[team_of(loan->borrower)] += sum;
}

static void quota(void *arg, uint32_t unit, uint32_t cell, gov_amount_t nominal,
		  gov_time_t from, gov_time_t to)
{
	told.quota[team_of(unit)] += (to - from) * (int64_t) nominal;
}

/* Through the text and back. */
static int emit(void *arg, struct gov_record *record)
{
	struct gov_text text = { 0 };
	struct gov_chain chain = { 0 };
	struct gov_error error;

	record->seq = 1;
	record->time = now * 1000000;
	gov_record_format(record, &text);
	gov_chain_close(&chain, &text, 0);
	ck_assert_msg(!gov_record_parse(text.data, text.length - 1, &parsed,
					&error),
		      "%s", error.text);
	ck_assert_msg(!gov_account_apply(&account, &parsed, &error), "%s: %s",
		      gov_record_kind_name(record->kind), error.text);
	gov_text_free(&text);
	records++;
	return 0;
}

static void setup(void)
{
	now = 1000;
	memset(&told, 0, sizeof(told));
	account = (struct gov_account){ .sink = { used, lent, quota, NULL } };
	keeper = gov_keeper_create(emit, NULL);
}

static void teardown(void)
{
	gov_keeper_destroy(keeper);
	gov_account_free(&account);
	gov_record_free(&parsed);
}

static struct gov_policy *make_policy(const gov_amount_t *nominal)
{
	struct gov_policy *policy = gov_policy_create();
	uint32_t gpu = gov_policy_add_tres(policy, "gres/gpu");
	uint32_t pool = gov_policy_add_pool(policy, "h100");
	struct gov_error error;

	gov_policy_pool_add_tres(policy, pool, gpu);
	gov_policy_make_cells(policy);
	gov_policy_add_class(policy, "normal");
	for (int i = 0; i < TEAMS; i++) {
		char name[2] = { (char) ('a' + i), '\0' };
		uint32_t u = gov_policy_add_unit(policy, name, true, GOV_NONE);

		policy->unit[u].quota[0] = (struct gov_quota){
			.set = true,
			.nominal = nominal[i],
			.borrow_limit = GOV_UNLIMITED,
			.lend_limit = GOV_UNLIMITED,
		};
	}
	ck_assert_msg(!gov_policy_finish(policy, &error), "%s", error.text);
	return policy;
}

static void take(struct gov_fact *fact)
{
	struct gov_error error;

	fact->now = now;
	ck_assert_msg(!gov_keeper_take(keeper, fact, &error), "%s", error.text);
}

static void set_policy(const gov_amount_t *nominal)
{
	struct gov_fact fact = { .kind = GOV_FACT_POLICY };

	fact.policy = make_policy(nominal);
	take(&fact);
}

static void start(uint64_t job, uint32_t team, gov_amount_t amount,
		  gov_time_t started)
{
	struct gov_fact fact = {
		.kind = GOV_FACT_START,
		.job = job,
		.team = team,
		.project = GOV_NONE,
		.started = started,
		.use = { 1, { { 0, amount } } },
	};

	take(&fact);
}

static void end(uint64_t job, gov_time_t ended)
{
	struct gov_fact fact = { .kind = GOV_FACT_END,
				 .job = job,
				 .asker_team = GOV_NONE,
				 .how = "completed",
				 .ended = ended };

	take(&fact);
}

/* ---- examples ---- */

/* E9: 200 GPU-hours used, 170 inside quota, 30 borrowed. */
START_TEST(e9_the_invoice_and_the_credit)
{
	static const gov_amount_t nominal[TEAMS] = { 17, 10, 0, 0 };

	set_policy(nominal);
	start(1, 0, 17, now);
	start(2, 0, 3, now);
	now += 36000;
	end(1, now);
	end(2, now);
	ck_assert_int_eq(told.own[0], 170 * 3600);
	ck_assert_int_eq(told.borrowed[0], 30 * 3600);
	ck_assert_int_eq(told.lent[1], 30 * 3600);
	ck_assert_int_eq(told.lent[TEAMS], 0);
}
END_TEST

/* The youngest run borrows; when an older one ends it is its turn to own. */
START_TEST(own_quota_is_filled_in_the_order_of_starts)
{
	static const gov_amount_t nominal[TEAMS] = { 4, 4, 0, 0 };

	set_policy(nominal);
	start(1, 0, 4, now);
	now += 100;
	start(2, 0, 4, now);
	now += 100;
	end(1, now);
	now += 100;
	end(2, now);
	ck_assert_int_eq(told.own[0], 4 * 300);
	ck_assert_int_eq(told.borrowed[0], 4 * 100);
	ck_assert_int_eq(told.lent[1], 4 * 100);
}
END_TEST

/* Seen late, counted as Slurm does, to the second. */
START_TEST(what_is_seen_late_counts_in_full)
{
	static const gov_amount_t nominal[TEAMS] = { 2, 8, 0, 0 };

	set_policy(nominal);
	now += 50;
	start(1, 1, 1, now);
	start(2, 0, 4, now - 7);
	now += 100;
	end(1, now);
	end(2, now - 5);
	ck_assert_int_eq(told.job[1], 100);
	ck_assert_int_eq(told.job[2], 4 * (100 + 7 - 5));
	ck_assert_int_eq(told.own[0] + told.borrowed[0], 4 * 102);
	ck_assert_int_eq(told.lent[1], told.borrowed[0]);
	ck_assert_int_eq(told.borrowed[0], 2 * 102);
}
END_TEST

static void end_of_unseen(uint64_t job, gov_time_t started, gov_time_t ended)
{
	struct gov_fact fact = { .kind = GOV_FACT_END,
				 .job = job,
				 .team = 1,
				 .project = GOV_NONE,
				 .started = started,
				 .ended = ended,
				 .asker_team = GOV_NONE,
				 .how = "completed",
				 .use = { 1, { { 0, 3 } } } };

	take(&fact);
}

/* Between two looks at the job list: counted, once, as Slurm does. */
START_TEST(what_was_too_short_to_be_seen_counts)
{
	static const gov_amount_t nominal[TEAMS] = { 4, 4, 0, 0 };
	unsigned before;

	set_policy(nominal);
	now += 100;
	end_of_unseen(1, now - 7, now - 2);
	ck_assert_int_eq(told.job[1], 3 * 5);
	/* Told again, and an old run told late: no news. */
	before = records;
	end_of_unseen(1, now - 7, now - 2);
	end_of_unseen(1, now - 50, now - 40);
	end_of_unseen(2, now - 200, now - 190);
	ck_assert_uint_eq(records, before);
	/* One that runs is ended by its own end alone. */
	start(1, 1, 3, now);
	now += 10;
	end_of_unseen(1, now - 17, now - 12);
	ck_assert_ptr_nonnull(gov_account_run(&account, 1));
	end_of_unseen(1, now - 10, now);
	ck_assert_ptr_null(gov_account_run(&account, 1));
	ck_assert_int_eq(told.job[1], 3 * 15);
	/* Two runs at once: the end of the first was not seen. */
	start(1, 1, 3, now);
	now += 20;
	end_of_unseen(1, now - 5, now);
	ck_assert_int_eq(told.job[1], 3 * (15 + 15 + 5));
	ck_assert_uint_eq(account.runs, 0);
}
END_TEST

/* A governor that was down: one job went on, one ended, one began. */
START_TEST(what_nobody_watched_is_closed)
{
	static const gov_amount_t nominal[TEAMS] = { 4, 4, 0, 0 };
	struct gov_fact fact = { .kind = GOV_FACT_LOOK };

	set_policy(nominal);
	start(1, 0, 2, now);
	start(2, 0, 2, now);
	now += 100;
	start(3, 1, 1, now);
	now += 1000;
	take(&fact);
	start(1, 0, 2, now - 1100);
	start(4, 1, 3, now - 400);
	start(3, 1, 1, now - 1000);
	fact.kind = GOV_FACT_LOOKED;
	take(&fact);
	ck_assert_int_eq(account.runs, 3);
	end(1, now);
	ck_assert_int_eq(told.job[1], 2 * 1100);
	/* No later than what was written down last before. */
	ck_assert_int_eq(told.job[2], 2 * 100);
	end(4, now);
	ck_assert_int_eq(told.job[4], 3 * 400);
}
END_TEST

/* ---- random histories ---- */

static uint64_t seed;

static uint32_t pick(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t) ((seed >> 33) % below);
}

/* The test's own books: who held what in which second. */
static struct {
	bool runs;
	uint32_t team;
	gov_amount_t amount;
	gov_time_t started;
	int64_t seconds;
} jobs[JOBS + 1];
static gov_amount_t quotas[TEAMS];
static struct {
	int64_t own[TEAMS];
	int64_t borrowed[TEAMS];
	int64_t quota[TEAMS];
	int64_t job[JOBS + 1];
} slow;

static void one_second(void)
{
	for (uint32_t t = 0; t < TEAMS; t++) {
		gov_amount_t use = 0;

		for (int j = 1; j <= JOBS; j++)
			if (jobs[j].runs && jobs[j].team == t)
				use += jobs[j].amount;
		slow.own[t] += (int64_t) (use < quotas[t] ? use : quotas[t]);
		slow.borrowed[t] += use > quotas[t] ?
					    (int64_t) (use - quotas[t]) :
					    0;
		slow.quota[t] += (int64_t) quotas[t];
	}
	for (int j = 1; j <= JOBS; j++)
		slow.job[j] += jobs[j].runs ? (int64_t) jobs[j].amount : 0;
	now++;
}

/* An engine that is told of the same jobs lends and borrows the same. */
static void compare_with_engine(void)
{
	struct gov_policy *policy = make_policy(quotas);
	struct gov_engine *engine = gov_engine_create(policy, NULL);
	struct gov_loan *loan = NULL;
	long count;

	for (int j = 1; j <= JOBS; j++) {
		struct gov_job job = {
			.id = (uint64_t) j,
			.team = jobs[j].team,
			.project = GOV_NONE,
			.submitted = 1,
			.started = jobs[j].started,
			.state = GOV_JOB_RUNNING,
			.request = { 1, { { 0, jobs[j].amount } } },
		};

		if (jobs[j].runs)
			ck_assert_int_eq(gov_engine_put(engine, &job, NULL), 0);
	}
	count = gov_engine_loans(engine, &loan);
	ck_assert_int_eq(count, (long) account.loan_count);
	for (long i = 0; i < count; i++) {
		bool found = false;

		for (size_t k = 0; k < account.loan_count; k++)
			found |= account.loan[k].amount == loan[i].amount &&
				 team_of(account.loan[k].borrower) ==
					 loan[i].borrower &&
				 (loan[i].lender == GOV_NONE ?
					  account.loan[k].lender == GOV_NONE :
					  team_of(account.loan[k].lender) ==
						  loan[i].lender);
		ck_assert(found);
	}
	free(loan);
	gov_engine_destroy(engine);
	gov_policy_unref(policy);
}

static void something_happens(void)
{
	uint32_t j = 1 + pick(JOBS), what = pick(20);

	if (what == 0) {
		for (int t = 0; t < TEAMS; t++)
			quotas[t] = pick(12);
		set_policy(quotas);
	} else if (jobs[j].runs) {
		jobs[j].runs = false;
		end(j, now);
	} else if (!jobs[j].amount) {
		jobs[j].runs = true;
		jobs[j].team = pick(TEAMS);
		jobs[j].amount = 1 + pick(8);
		jobs[j].started = now;
		start(j, jobs[j].team, jobs[j].amount, now);
	}
}

static void compare_sums(void)
{
	int64_t lenders = told.lent[TEAMS], borrowers = 0;

	for (int t = 0; t < TEAMS; t++) {
		ck_assert_int_eq(told.own[t], slow.own[t]);
		ck_assert_int_eq(told.borrowed[t], slow.borrowed[t]);
		ck_assert_int_eq(told.taken[t], slow.borrowed[t]);
		ck_assert_int_eq(told.quota[t], slow.quota[t]);
		ck_assert_int_le(told.own[t] + told.lent[t], told.quota[t]);
		lenders += told.lent[t];
		borrowers += told.borrowed[t];
	}
	ck_assert_int_eq(lenders, borrowers);
	for (int j = 1; j <= JOBS; j++)
		ck_assert_int_eq(told.job[j], slow.job[j]);
}

static void one_history(void)
{
	memset(jobs, 0, sizeof(jobs));
	memset(&slow, 0, sizeof(slow));
	for (int t = 0; t < TEAMS; t++)
		quotas[t] = pick(12);
	set_policy(quotas);
	for (int second = 0; second < SPAN / 10; second++) {
		for (uint32_t i = pick(4); i > 0; i--)
			something_happens();
		if (pick(8) == 0)
			compare_with_engine();
		one_second();
	}
	gov_account_settle(&account, now);
	compare_sums();
}

/* 10,000 histories, in ten processes. */
START_TEST(sums_are_the_engines_and_those_of_slow_counting)
{
	teardown();
	for (int i = 0; i < 1000; i++) {
		seed = (uint64_t) (_i * 1000 + i) * 2654435761u + 17;
		setup();
		one_history();
		teardown();
	}
	setup();
}
END_TEST

/* Records that lie are not believed. */
START_TEST(a_loan_that_nobody_took_is_found)
{
	static const gov_amount_t nominal[TEAMS] = { 2, 8, 0, 0 };
	struct gov_record record = { .kind = GOV_RECORD_START, .job = 2 };
	struct gov_error error;
	struct gov_record_row *row;

	set_policy(nominal);
	record.at = record.started = now;
	record.team = "a";
	row = gov_record_add(&record, GOV_LIST_USE);
	*row = (struct gov_record_row){ .text = { "h100", "gres/gpu" },
					.number = { 5 },
					.numbers = 1 };
	row = gov_record_add(&record, GOV_LIST_LOANS);
	*row = (struct gov_record_row){ .text = { "b", "a", "h100",
						  "gres/gpu" },
					.number = { 2 },
					.numbers = 1 };
	ck_assert_int_eq(gov_account_apply(&account, &record, &error), -1);
	ck_assert_ptr_nonnull(strstr(error.text, "borrows 3"));
	gov_record_free(&record);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, e9_the_invoice_and_the_credit);
	tcase_add_test(tcase, own_quota_is_filled_in_the_order_of_starts);
	tcase_add_test(tcase, what_is_seen_late_counts_in_full);
	tcase_add_test(tcase, what_was_too_short_to_be_seen_counts);
	tcase_add_test(tcase, what_nobody_watched_is_closed);
	tcase_add_loop_test(tcase,
			    sums_are_the_engines_and_those_of_slow_counting, 0,
			    10);
	tcase_add_test(tcase, a_loan_that_nobody_took_is_found);
}

int main(void)
{
	return unit_main("ledger_accounts", cases);
}
