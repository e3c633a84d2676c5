/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Own and borrowed, lenders and borrowers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/account_private.h"

/* ---- own and borrowed ---- */

static void tell_item(struct gov_account *account, const struct gov_run *run,
		      struct gov_run_item *item, gov_time_t until)
{
	if (account->sink.used && item->since < until)
		account->sink.used(account->sink.arg, run, item, item->since,
				   until, 1);
	item->since = until;
}

void gov_account_tell(struct gov_account *account, struct gov_run *run)
{
	for (uint32_t i = 0; i < run->items; i++)
		tell_item(account, run, &run->item[i], account->at);
}

/* The youngest runs are those that borrow. */
static void split_cell(struct gov_account *account, uint32_t u, uint32_t cell)
{
	struct gov_account_unit *unit = &account->unit[u];
	struct gov_balance *balance = &unit->cell[cell];
	gov_amount_t left;

	balance->borrowed = balance->counted && unit->is_team ?
				    gov_amount_sub(balance->use,
						   balance->nominal) :
				    0;
	left = balance->borrowed;
	for (struct gov_run *run = unit->last; run; run = run->before)
		for (uint32_t i = 0; i < run->items; i++) {
			struct gov_run_item *item = &run->item[i];
			gov_amount_t part = gov_amount_min(left, item->amount);

			if (item->cell != cell)
				continue;
			left -= part;
			if (item->borrowed == part)
				continue;
			tell_item(account, run, item, account->at);
			item->borrowed = part;
		}
}

void gov_account_split(struct gov_account *account, const struct gov_run *run)
{
	for (uint32_t i = 0; i < run->items; i++)
		split_cell(account, run->unit, run->item[i].cell);
}

/* What `borrowed` of the team's is worth to its lenders, first to last. */
static void correct_lenders(struct gov_account *account, uint32_t unit,
			    const struct gov_run_item *item, gov_time_t from,
			    int sign)
{
	gov_amount_t left = item->borrowed;

	for (size_t i = 0; left && i < account->loan_count; i++) {
		struct gov_account_loan part = account->loan[i];

		if (part.borrower != unit || part.cell != item->cell)
			continue;
		part.amount = gov_amount_min(part.amount, left);
		left -= part.amount;
		if (account->sink.lent)
			account->sink.lent(account->sink.arg, &part, from,
					   account->at, sign);
	}
}

void gov_account_correct(struct gov_account *account, const struct gov_run *run,
			 int64_t seconds, int sign)
{
	if (seconds <= 0)
		return;
	for (uint32_t i = 0; i < run->items; i++) {
		gov_time_t from = account->at - seconds;

		if (account->sink.used)
			account->sink.used(account->sink.arg, run,
					   &run->item[i], from, account->at,
					   sign);
		correct_lenders(account, run->unit, &run->item[i], from, sign);
	}
}

/* ---- loans ---- */

static void tell_loan(struct gov_account *account,
		      struct gov_account_loan *loan, gov_time_t until)
{
	if (account->sink.lent && loan->since < until)
		account->sink.lent(account->sink.arg, loan, loan->since, until,
				   1);
	loan->since = until;
}

static void count_loan(struct gov_account *account,
		       const struct gov_account_loan *loan, bool more)
{
	gov_amount_t *taken =
		&account->unit[loan->borrower].cell[loan->cell].taken;
	gov_amount_t *lent = NULL;

	if (loan->lender != GOV_NONE)
		lent = &account->unit[loan->lender].cell[loan->cell].lent;
	*taken = more ? gov_amount_add(*taken, loan->amount) :
			*taken - loan->amount;
	if (lent)
		*lent = more ? gov_amount_add(*lent, loan->amount) :
			       *lent - loan->amount;
}

static int new_loan(struct gov_account *account,
		    const struct gov_account_loan *loan)
{
	if (account->loan_count == account->loan_space) {
		size_t space = account->loan_space ? 2 * account->loan_space :
						     32;
		struct gov_account_loan *grown = reallocarray(account->loan,
							      space,
							      sizeof(*grown));

		if (!grown)
			return -1;
		account->loan = grown;
		account->loan_space = space;
	}
	account->loan[account->loan_count++] = *loan;
	count_loan(account, loan, true);
	return 0;
}

static int set_loan(struct gov_account *account,
		    const struct gov_account_loan *loan)
{
	for (size_t i = 0; i < account->loan_count; i++) {
		struct gov_account_loan *old = &account->loan[i];

		if (old->lender != loan->lender ||
		    old->borrower != loan->borrower || old->cell != loan->cell)
			continue;
		tell_loan(account, old, account->at);
		count_loan(account, old, false);
		old->amount = loan->amount;
		if (old->amount)
			count_loan(account, old, true);
		else
			memmove(old, old + 1,
				(--account->loan_count - i) * sizeof(*old));
		return 0;
	}
	return loan->amount ? new_loan(account, loan) : 0;
}

int gov_account_loans(struct gov_account *account,
		      const struct gov_record *record, struct gov_error *error)
{
	const struct gov_record_list *list = &record->list[GOV_LIST_LOANS];

	for (size_t i = 0; i < list->count; i++) {
		const struct gov_record_row *row = &list->row[i];
		struct gov_account_loan loan = {
			.lender = *row->text[0] ?
					  gov_account_unit(account,
							   row->text[0]) :
					  GOV_NONE,
			.borrower = gov_account_unit(account, row->text[1]),
			.cell = gov_account_cell(account, row->text[2],
						 row->text[3]),
			.amount = row->number[0],
			.since = account->at,
		};

		if (loan.borrower == GOV_NONE || loan.cell == GOV_NONE ||
		    (*row->text[0] && loan.lender == GOV_NONE) ||
		    set_loan(account, &loan))
			return gov_error_set(error, GOV_E_NOMEM,
					     "no memory for the accounts");
	}
	return 0;
}

/* ---- balance ---- */

static int check_cell(const struct gov_account *account, uint32_t u,
		      uint32_t cell, struct gov_error *error)
{
	const struct gov_account_unit *unit = &account->unit[u];
	const struct gov_balance *balance = &unit->cell[cell];
	const char *pool = account->cell[cell].pool;
	const char *tres = account->cell[cell].tres;

	if (balance->taken != balance->borrowed)
		return gov_error_set(error, GOV_E_VALUE,
				     "%s borrows %" PRIu64
				     " of %s in %s, and %" PRIu64
				     " are lent to it",
				     unit->name, balance->borrowed, tres, pool,
				     balance->taken);
	if (balance->lent &&
	    gov_amount_add(balance->lent, unit->is_team ? balance->use : 0) >
		    balance->nominal)
		return gov_error_set(error, GOV_E_VALUE,
				     "%s lends %" PRIu64 " of %s in %s, more "
				     "than it has unused",
				     unit->name, balance->lent, tres, pool);
	return 0;
}

int gov_account_balanced(const struct gov_account *account,
			 const struct gov_run *run, struct gov_error *error)
{
	for (uint32_t i = 0; i < run->items; i++)
		for (uint32_t u = 0; u < account->unit_count; u++)
			if (check_cell(account, u, run->item[i].cell, error))
				return -1;
	return 0;
}

/* ---- policy ---- */

static void tell_quotas(struct gov_account *account, gov_time_t until)
{
	for (uint32_t u = 0; u < account->unit_count; u++)
		for (uint32_t c = 0; c < account->cell_count; c++) {
			struct gov_balance *b = &account->unit[u].cell[c];

			if (b->nominal && account->sink.quota &&
			    b->since < until)
				account->sink.quota(account->sink.arg, u, c,
						    b->nominal, b->since,
						    until);
			b->since = until;
		}
}

static int read_policy(struct gov_account *account,
		       const struct gov_record *record)
{
	const struct gov_record_list *list = &record->list[GOV_LIST_CELLS];

	for (size_t i = 0; i < list->count; i++) {
		uint32_t c = gov_account_cell(account, list->row[i].text[0],
					      list->row[i].text[1]);

		if (c == GOV_NONE)
			return -1;
		account->cell[c].price = list->row[i].number[0];
		account->cell[c].borrowed = list->row[i].number[1];
		account->cell[c].credit = list->row[i].number[2];
	}
	list = &record->list[GOV_LIST_UNITS];
	for (size_t i = 0; i < list->count; i++) {
		const struct gov_record_row *row = &list->row[i];
		uint32_t u = gov_account_unit(account, row->text[0]);
		uint32_t parent = GOV_NONE;

		if (*row->text[1])
			parent = gov_account_unit(account, row->text[1]);
		if (u == GOV_NONE)
			return -1;
		account->unit[u].parent = parent;
		account->unit[u].is_team = row->number[0];
		account->unit[u].present = true;
	}
	list = &record->list[GOV_LIST_QUOTAS];
	for (size_t i = 0; i < list->count; i++) {
		const struct gov_record_row *row = &list->row[i];
		uint32_t u = gov_account_unit(account, row->text[0]);
		uint32_t c = gov_account_cell(account, row->text[1],
					      row->text[2]);

		if (u == GOV_NONE || c == GOV_NONE)
			return -1;
		account->unit[u].cell[c].counted = true;
		account->unit[u].cell[c].nominal = row->number[0];
	}
	return 0;
}

static void forget_policy(struct gov_account *account)
{
	/* At the prices that were in force. */
	gov_account_settle(account, account->at);
	for (uint32_t u = 0; u < account->unit_count; u++) {
		account->unit[u].present = false;
		for (uint32_t c = 0; c < account->cell_count; c++) {
			account->unit[u].cell[c].counted = false;
			account->unit[u].cell[c].nominal = 0;
			account->unit[u].cell[c].taken = 0;
			account->unit[u].cell[c].lent = 0;
		}
	}
	account->loan_count = 0;
}

int gov_account_policy(struct gov_account *account,
		       const struct gov_record *record, struct gov_error *error)
{
	forget_policy(account);
	if (read_policy(account, record))
		return gov_error_set(error, GOV_E_NOMEM,
				     "no memory for the accounts");
	if (gov_account_loans(account, record, error))
		return -1;
	for (uint32_t u = 0; u < account->unit_count; u++)
		for (uint32_t c = 0; c < account->cell_count; c++) {
			struct gov_balance *b = &account->unit[u].cell[c];

			if (!b->since)
				b->since = account->at;
			split_cell(account, u, c);
			if (check_cell(account, u, c, error))
				return -1;
		}
	return 0;
}

void gov_account_settle(struct gov_account *account, gov_time_t until)
{
	for (uint32_t u = 0; u < account->unit_count; u++)
		for (struct gov_run *run = account->unit[u].first; run;
		     run = run->next)
			for (uint32_t i = 0; i < run->items; i++)
				tell_item(account, run, &run->item[i], until);
	for (size_t i = 0; i < account->loan_count; i++)
		tell_loan(account, &account->loan[i], until);
	tell_quotas(account, until);
}
