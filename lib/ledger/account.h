/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accounts: what the records say, replayed.  Pure: records in, sums out.
 *
 * What counts here is what runs, from its start to its end, the grace of a
 * reclaim included: that is what an invoice and sacct show.  (The engine also
 * charges what may start and has not.)  A team's runs fill its quota in the
 * order in which they started; what goes beyond is borrowed.
 *
 * Every record must keep the books balanced, or it is not applied: in each
 * cell what a team borrows is what is lent to it, unit by unit, and nobody
 * lends more than he has unused.
 */
#ifndef GOVERNANCE_LEDGER_ACCOUNT_H
#define GOVERNANCE_LEDGER_ACCOUNT_H

#include "core/engine.h"
#include "core/idmap.h"
#include "ledger/record.h"

struct gov_run_item {
	uint32_t cell;
	gov_amount_t amount;
	gov_amount_t borrowed; /* of amount, from `since` on */
	gov_time_t since;
};

/* A run under way. */
struct gov_run {
	uint64_t job;
	int64_t run;
	uint32_t unit;
	int64_t user;
	char *project; /* or "" */
	char *class_name;
	gov_time_t submitted;
	gov_time_t started;
	struct gov_run_item item[GOV_REQUEST_MAX];
	uint32_t items;
	bool confirmed;	      /* for the keeper */
	struct gov_run *next; /* of its team, in the order of starts */
	struct gov_run *before;
};

/* A unit in a cell. */
struct gov_balance {
	bool counted; /* has a quota here, if only of 0 */
	gov_amount_t nominal;
	gov_amount_t use;      /* of its runs */
	gov_amount_t borrowed; /* max(0, use - nominal) where counted */
	gov_amount_t taken;    /* loans to it */
	gov_amount_t lent;     /* loans by it */
	gov_time_t since;      /* of nominal */
};

struct gov_account_unit {
	char *name;
	uint32_t parent;
	bool is_team;
	bool present; /* in the policy in force */
	struct gov_balance *cell;
	struct gov_run *first, *last;
};

struct gov_account_cell {
	char *pool;
	char *tres;
	uint64_t price;	   /* billionths per unit-hour */
	uint64_t borrowed; /* permille of it for what is borrowed */
	uint64_t credit;   /* permille of it to who lends */
};

/* Borrowed by a team at this moment; lender GOV_NONE: what no team owns. */
struct gov_account_loan {
	uint32_t lender;
	uint32_t borrower;
	uint32_t cell;
	gov_amount_t amount;
	gov_time_t since;
};

/*
 * Who wants to know what was used.  Intervals are of whole seconds, from
 * included, to not; sign -1 takes back what had been counted too much.
 */
struct gov_account_sink {
	void (*used)(void *arg, const struct gov_run *run,
		     const struct gov_run_item *item, gov_time_t from,
		     gov_time_t to, int sign);
	void (*lent)(void *arg, const struct gov_account_loan *loan,
		     gov_time_t from, gov_time_t to, int sign);
	void (*quota)(void *arg, uint32_t unit, uint32_t cell,
		      gov_amount_t nominal, gov_time_t from, gov_time_t to);
	void *arg;
};

struct gov_account {
	struct gov_account_sink sink; /* any of it may be NULL */
	gov_time_t at;
	struct gov_account_unit *unit; /* never shrinks: indices stay */
	uint32_t unit_count;
	struct gov_account_cell *cell;
	uint32_t cell_count;
	uint32_t cell_space;
	struct gov_account_loan *loan;
	size_t loan_count;
	size_t loan_space;
	struct gov_idmap by_job; /* runs */
	size_t runs;
};

/* Start with all zero. */
void gov_account_free(struct gov_account *account);

/* -1: it contradicts what came before, or no memory; what was applied of it
 * stays. */
int gov_account_apply(struct gov_account *account,
		      const struct gov_record *record, struct gov_error *error);
/* Tell the sink of everything up to this time. */
void gov_account_settle(struct gov_account *account, gov_time_t until);

struct gov_run *gov_account_run(const struct gov_account *account,
				uint64_t job);
/* By name, made if need be; GOV_NONE: no memory. */
uint32_t gov_account_unit(struct gov_account *account, const char *name);
uint32_t gov_account_cell(struct gov_account *account, const char *pool,
			  const char *tres);

#endif
