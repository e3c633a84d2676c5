/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/keeper.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/loans.h"
#include "ledger/over.h"

#define GOV_NAME_MAX 256

struct gov_keeper {
	gov_keeper_emit *emit;
	void *arg;
	struct gov_account account;
	struct gov_policy *policy;
	struct gov_tree *tree;
	uint32_t *cell; /* account's index, per cell of the policy */
	uint32_t *unit; /* likewise, per unit */
	struct gov_loan_list loans;
	gov_time_t looked;    /* up to when something was written down before */
	struct gov_over over; /* runs that are */
	struct gov_record record; /* under construction */
};

struct gov_keeper *gov_keeper_create(gov_keeper_emit *emit, void *arg)
{
	struct gov_keeper *keeper = calloc(1, sizeof(*keeper));

	if (!keeper)
		return NULL;
	keeper->emit = emit;
	keeper->arg = arg;
	return keeper;
}

static void drop_policy(struct gov_keeper *keeper)
{
	gov_tree_destroy(keeper->tree);
	gov_policy_unref(keeper->policy);
	free(keeper->cell);
	free(keeper->unit);
	keeper->tree = NULL;
	keeper->policy = NULL;
	keeper->cell = keeper->unit = NULL;
}

void gov_keeper_destroy(struct gov_keeper *keeper)
{
	if (!keeper)
		return;
	drop_policy(keeper);
	gov_account_free(&keeper->account);
	gov_over_free(&keeper->over);
	gov_record_free(&keeper->record);
	free(keeper->loans.item);
	free(keeper);
}

int gov_keeper_replay(struct gov_keeper *keeper,
		      const struct gov_record *record, struct gov_error *error)
{
	gov_over_begin(&keeper->over, record->time / 1000000);
	if (record->kind == GOV_RECORD_END)
		gov_over_note(&keeper->over, (uint64_t) record->job,
			      record->started, keeper->account.at);
	return gov_account_apply(&keeper->account, record, error);
}

const struct gov_account *gov_keeper_account(const struct gov_keeper *keeper)
{
	return &keeper->account;
}

static int no_memory(struct gov_error *error)
{
	return gov_error_set(error, GOV_E_NOMEM, "no memory for the ledger");
}

/* Balanced first, then written down. */
static int let_out(struct gov_keeper *keeper, struct gov_error *error)
{
	if (gov_account_apply(&keeper->account, &keeper->record, error))
		return -1;
	if (!keeper->emit(keeper->arg, &keeper->record))
		return 0;
	return no_memory(error);
}

/* ---- loans ---- */

static gov_amount_t loan_now(const struct gov_keeper *keeper, uint32_t lender,
			     uint32_t borrower, uint32_t cell)
{
	const struct gov_account *account = &keeper->account;

	for (size_t i = 0; i < account->loan_count; i++)
		if (account->loan[i].lender == lender &&
		    account->loan[i].borrower == borrower &&
		    account->loan[i].cell == cell)
			return account->loan[i].amount;
	return 0;
}

static int put_loan(struct gov_keeper *keeper, uint32_t lender,
		    uint32_t borrower, uint32_t cell, gov_amount_t amount)
{
	const struct gov_account *account = &keeper->account;
	struct gov_record_row *row = gov_record_add(&keeper->record,
						    GOV_LIST_LOANS);

	if (!row)
		return -1;
	row->text[0] = lender == GOV_NONE ? "" : account->unit[lender].name;
	row->text[1] = account->unit[borrower].name;
	row->text[2] = account->cell[cell].pool;
	row->text[3] = account->cell[cell].tres;
	row->number[0] = amount;
	row->numbers = 1;
	return 0;
}

/* Is this loan of the account's among the new ones? */
static bool goes_on(const struct gov_keeper *keeper,
		    const struct gov_account_loan *loan)
{
	for (size_t i = 0; i < keeper->loans.count; i++) {
		const struct gov_loan *new = &keeper->loans.item[i];
		uint32_t lender = new->lender == GOV_NONE ?
					  GOV_NONE :
					  keeper->unit[new->lender];

		if (lender == loan->lender &&
		    keeper->unit[new->borrower] == loan->borrower &&
		    keeper->cell[new->cell] == loan->cell)
			return true;
	}
	return false;
}

/* What has changed in a cell of the policy. */
static int attribute(struct gov_keeper *keeper, uint32_t cell, bool all)
{
	const struct gov_account *account = &keeper->account;
	uint32_t c = keeper->cell[cell];

	keeper->loans.count = 0;
	if (gov_loans_attribute(keeper->tree, cell, &keeper->loans))
		return -1;
	for (size_t i = 0; !all && i < account->loan_count; i++) {
		const struct gov_account_loan *old = &account->loan[i];

		if (old->cell == c && !goes_on(keeper, old) &&
		    put_loan(keeper, old->lender, old->borrower, c, 0))
			return -1;
	}
	for (size_t i = 0; i < keeper->loans.count; i++) {
		const struct gov_loan *loan = &keeper->loans.item[i];
		uint32_t borrower = keeper->unit[loan->borrower];
		uint32_t lender = loan->lender == GOV_NONE ?
					  GOV_NONE :
					  keeper->unit[loan->lender];

		if ((all ||
		     loan_now(keeper, lender, borrower, c) != loan->amount) &&
		    put_loan(keeper, lender, borrower, c, loan->amount))
			return -1;
	}
	return 0;
}

static uint32_t policy_cell(const struct gov_keeper *keeper, uint32_t cell)
{
	for (uint32_t i = 0; i < keeper->policy->cell_count; i++)
		if (keeper->cell[i] == cell)
			return i;
	return GOV_NONE;
}

/* Charge the tree with a run, or give it back. */
static void charge(struct gov_keeper *keeper, const struct gov_run *run,
		   bool more)
{
	uint32_t team = gov_policy_find_unit(
		keeper->policy, keeper->account.unit[run->unit].name);

	if (team != GOV_NONE && !keeper->policy->unit[team].is_team)
		team = GOV_NONE;
	for (uint32_t i = 0; i < run->items; i++) {
		uint32_t cell = policy_cell(keeper, run->item[i].cell);

		if (cell == GOV_NONE)
			continue;
		if (more)
			gov_tree_charge(keeper->tree, team, cell,
					run->item[i].amount);
		else
			gov_tree_release(keeper->tree, team, cell,
					 run->item[i].amount);
	}
}

static int attribute_run(struct gov_keeper *keeper, const struct gov_run *run)
{
	for (uint32_t i = 0; i < run->items; i++) {
		uint32_t cell = policy_cell(keeper, run->item[i].cell);

		if (cell != GOV_NONE && attribute(keeper, cell, false))
			return -1;
	}
	return 0;
}

/* ---- policy ---- */

static int map_names(struct gov_keeper *keeper, struct gov_policy *policy)
{
	keeper->policy = policy;
	keeper->tree = gov_tree_create(policy);
	keeper->cell = calloc(policy->cell_count + 1, sizeof(uint32_t));
	keeper->unit = calloc(policy->unit_count + 1, sizeof(uint32_t));
	if (!keeper->tree || !keeper->cell || !keeper->unit)
		return -1;
	for (uint32_t i = 0; i < policy->cell_count; i++) {
		const struct gov_cell *cell = &policy->cell[i];

		keeper->cell[i] = gov_account_cell(
			&keeper->account, policy->pool[cell->pool].name,
			policy->tres[cell->tres].name);
		if (keeper->cell[i] == GOV_NONE)
			return -1;
	}
	for (uint32_t i = 0; i < policy->unit_count; i++) {
		keeper->unit[i] = gov_account_unit(&keeper->account,
						   policy->unit[i].name);
		if (keeper->unit[i] == GOV_NONE)
			return -1;
	}
	return 0;
}

static uint64_t price_of(const struct gov_policy *policy, uint32_t cell)
{
	const struct gov_pool *pool = &policy->pool[policy->cell[cell].pool];

	for (uint32_t i = 0; pool->price && i < pool->tres_count; i++)
		if (pool->tres[i] == policy->cell[cell].tres)
			return (uint64_t) llround(pool->price[i] * 1e9);
	return 0;
}

static struct gov_record_row *add_row(struct gov_keeper *keeper,
				      enum gov_record_list_name list,
				      const char *first, const char *second,
				      const char *third, uint64_t number)
{
	struct gov_record_row *row = gov_record_add(&keeper->record, list);

	if (row)
		*row = (struct gov_record_row){ .text = { first, second,
							  third },
						.number = { number },
						.numbers = 1 };
	return row;
}

static int put_quotas(struct gov_keeper *keeper)
{
	const struct gov_account *account = &keeper->account;

	for (uint32_t u = 0; u < account->unit_count; u++)
		for (uint32_t c = 0; c < account->cell_count; c++)
			if (account->unit[u].cell[c].counted &&
			    !add_row(keeper, GOV_LIST_QUOTAS,
				     account->unit[u].name,
				     account->cell[c].pool,
				     account->cell[c].tres,
				     account->unit[u].cell[c].nominal))
				return -1;
	return 0;
}

/* permille: of what is borrowed, and to who lends. */
static int put_cell(struct gov_keeper *keeper, uint32_t cell, uint64_t price,
		    uint64_t borrowed, uint64_t credit)
{
	const struct gov_account_cell *known = &keeper->account.cell[cell];
	struct gov_record_row *row = add_row(keeper, GOV_LIST_CELLS,
					     known->pool, known->tres, NULL,
					     price);

	if (!row)
		return -1;
	row->number[1] = borrowed;
	row->number[2] = credit;
	row->numbers = 3;
	return 0;
}

/* The policy's tables into the record. */
static int put_policy(struct gov_keeper *keeper,
		      const struct gov_policy *policy)
{
	const struct gov_account *account = &keeper->account;

	for (uint32_t i = 0; i < policy->cell_count; i++) {
		const struct gov_pool *pool =
			&policy->pool[policy->cell[i].pool];

		if (put_cell(keeper, keeper->cell[i], price_of(policy, i),
			     pool->borrowed_permille, pool->lent_permille))
			return -1;
	}
	for (uint32_t i = 0; i < policy->unit_count; i++) {
		const struct gov_unit *unit = &policy->unit[i];
		const char *parent = unit->parent == GOV_NONE ?
					     "" :
					     policy->unit[unit->parent].name;

		if (!add_row(keeper, GOV_LIST_UNITS, unit->name, parent, NULL,
			     unit->is_team))
			return -1;
		for (uint32_t c = 0; c < policy->cell_count; c++) {
			const struct gov_node *node = gov_tree_at(keeper->tree,
								  i, c);

			if (unit->is_team ? !node->counted : !node->nominal)
				continue;
			if (!add_row(keeper, GOV_LIST_QUOTAS, unit->name,
				     account->cell[keeper->cell[c]].pool,
				     account->cell[keeper->cell[c]].tres,
				     node->nominal))
				return -1;
		}
	}
	return 0;
}

static int take_policy(struct gov_keeper *keeper, struct gov_fact *fact,
		       struct gov_error *error)
{
	struct gov_account *account = &keeper->account;
	struct gov_record *record = &keeper->record;
	struct gov_policy *policy = fact->policy;

	fact->policy = NULL;
	drop_policy(keeper);
	if (map_names(keeper, policy))
		return no_memory(error);
	for (uint32_t u = 0; u < account->unit_count; u++)
		for (struct gov_run *run = account->unit[u].first; run;
		     run = run->next)
			charge(keeper, run, true);
	record->kind = GOV_RECORD_POLICY;
	record->digest = policy->digest;
	record->source = policy->source;
	record->by = fact->by;
	if (put_policy(keeper, policy))
		return no_memory(error);
	for (uint32_t i = 0; i < policy->cell_count; i++)
		if (attribute(keeper, i, true))
			return no_memory(error);
	return let_out(keeper, error);
}

/* ---- runs ---- */

static int put_use(struct gov_keeper *keeper, const struct gov_run *run)
{
	for (uint32_t i = 0; i < run->items; i++) {
		const struct gov_account_cell *cell =
			&keeper->account.cell[run->item[i].cell];

		if (!add_row(keeper, GOV_LIST_USE, cell->pool, cell->tres, NULL,
			     run->item[i].amount))
			return -1;
	}
	return 0;
}

static void name_run(struct gov_keeper *keeper, const struct gov_run *run)
{
	struct gov_record *record = &keeper->record;

	record->job = (int64_t) run->job;
	record->run = run->run;
	record->user = run->user;
	record->team = keeper->account.unit[run->unit].name;
	record->project = run->project;
	record->class_name = run->class_name;
	record->submitted = run->submitted;
	record->started = run->started;
}

/* A time as it counts: not before what is written down already. */
static void set_time(struct gov_keeper *keeper, gov_time_t when)
{
	struct gov_record *record = &keeper->record;

	record->at = when > keeper->account.at ? when : keeper->account.at;
	record->late = record->at - when;
}

static int end_run(struct gov_keeper *keeper, struct gov_run *run,
		   const struct gov_fact *fact, struct gov_error *error)
{
	struct gov_record *record = &keeper->record;
	gov_time_t ended = fact->ended;
	gov_time_t saved = fact->checkpoint > run->started ? fact->checkpoint :
							     run->started;

	char project[GOV_NAME_MAX], class_name[GOV_NAME_MAX];

	gov_record_clear(record);
	if (!ended || ended > fact->now)
		ended = fact->now;
	if (ended < run->started)
		ended = run->started;
	record->kind = GOV_RECORD_END;
	name_run(keeper, run);
	/* The run is gone when the record is written. */
	snprintf(project, sizeof(project), "%s", run->project);
	snprintf(class_name, sizeof(class_name), "%s", run->class_name);
	record->project = project;
	record->class_name = class_name;
	record->ended = ended;
	record->how = fact->how;
	if (fact->asker) {
		record->asker = (int64_t) GOV_JOB_SHOWN(fact->asker);
		record->rule = fact->rule;
		record->checkpoint = fact->checkpoint;
		record->lost = ended > saved ? ended - saved : 0;
		if (fact->asker_team != GOV_NONE && keeper->policy)
			record->asker_team =
				keeper->policy->unit[fact->asker_team].name;
	}
	record->reconstructed = !fact->ended || fact->unwatched;
	gov_over_note(&keeper->over, run->job, run->started,
		      keeper->account.at);
	set_time(keeper, ended);
	charge(keeper, run, false);
	if (attribute_run(keeper, run))
		return no_memory(error);
	return let_out(keeper, error);
}

static bool same_use(const struct gov_keeper *keeper, const struct gov_run *run,
		     const struct gov_request *use)
{
	if (run->items != use->count)
		return false;
	for (uint32_t i = 0; i < use->count; i++)
		if (run->item[i].cell != keeper->cell[use->item[i].cell] ||
		    run->item[i].amount != use->item[i].amount)
			return false;
	return true;
}

static void fill_use(const struct gov_keeper *keeper, struct gov_run *run,
		     const struct gov_request *use)
{
	run->items = use->count;
	for (uint32_t i = 0; i < use->count; i++)
		run->item[i] = (struct gov_run_item){
			.cell = keeper->cell[use->item[i].cell],
			.amount = use->item[i].amount,
		};
}

static int begin_run(struct gov_keeper *keeper, const struct gov_fact *fact,
		     struct gov_error *error)
{
	const struct gov_policy *policy = keeper->policy;
	struct gov_record *record = &keeper->record;
	struct gov_run run = {
		.job = fact->job,
		.run = fact->run,
		.unit = keeper->unit[fact->team],
		.user = fact->user,
		.submitted = fact->submitted,
		.started = fact->started ? fact->started : fact->now,
	};

	fill_use(keeper, &run, &fact->use);
	record->kind = GOV_RECORD_START;
	name_run(keeper, &run);
	record->project = fact->project == GOV_NONE ?
				  NULL :
				  policy->project[fact->project].name;
	record->reconstructed = fact->unwatched;
	record->class_name = policy->class[fact->class].name;
	set_time(keeper, run.started);
	charge(keeper, &run, true);
	if (put_use(keeper, &run) || attribute_run(keeper, &run))
		return no_memory(error);
	if (let_out(keeper, error))
		return -1;
	gov_account_run(&keeper->account, fact->job)->confirmed = true;
	return 0;
}

static int change_run(struct gov_keeper *keeper, struct gov_run *run,
		      const struct gov_fact *fact, struct gov_error *error)
{
	struct gov_run new = *run;

	fill_use(keeper, &new, &fact->use);
	charge(keeper, run, false);
	charge(keeper, &new, true);
	keeper->record.kind = GOV_RECORD_CHANGE;
	name_run(keeper, run);
	set_time(keeper, fact->now);
	keeper->record.late = 0;
	if (put_use(keeper, &new) || attribute_run(keeper, &new) ||
	    attribute_run(keeper, run))
		return no_memory(error);
	return let_out(keeper, error);
}

static int take_start(struct gov_keeper *keeper, const struct gov_fact *fact,
		      struct gov_error *error)
{
	struct gov_run *run = gov_account_run(&keeper->account, fact->job);
	struct gov_fact end = { .now = fact->now, .how = "ended unseen" };

	if (!keeper->policy || fact->team >= keeper->policy->unit_count)
		return 0;
	/* Another run of the same job: the end of the last was not seen. */
	if (run && fact->started && run->started != fact->started) {
		end.now = fact->started;
		if (end_run(keeper, run, &end, error))
			return -1;
		gov_record_clear(&keeper->record);
		run = NULL;
	}
	if (!run)
		return begin_run(keeper, fact, error);
	run->confirmed = true;
	return same_use(keeper, run, &fact->use) ?
		       0 :
		       change_run(keeper, run, fact, error);
}

/* Is a run that nobody saw news, or written down already? */
static bool is_news(const struct gov_keeper *keeper,
		    const struct gov_fact *fact)
{
	return fact->team != GOV_NONE &&
	       gov_over_is_news(&keeper->over, fact->job, fact->started);
}

static int take_end(struct gov_keeper *keeper, const struct gov_fact *fact,
		    struct gov_error *error)
{
	struct gov_run *run = gov_account_run(&keeper->account, fact->job);
	bool other = !run || (fact->started && run->started != fact->started);

	if (!keeper->policy || (other && !is_news(keeper, fact)))
		return 0;
	/* Too short to be seen while it ran. */
	if (other) {
		if (take_start(keeper, fact, error))
			return -1;
		gov_record_clear(&keeper->record);
		run = gov_account_run(&keeper->account, fact->job);
	}
	return run ? end_run(keeper, run, fact, error) : 0;
}

static void look(struct gov_keeper *keeper)
{
	struct gov_account *account = &keeper->account;

	keeper->looked = account->at;
	for (uint32_t u = 0; u < account->unit_count; u++)
		for (struct gov_run *run = account->unit[u].first; run;
		     run = run->next)
			run->confirmed = false;
}

static int looked(struct gov_keeper *keeper, const struct gov_fact *fact,
		  struct gov_error *error)
{
	struct gov_account *account = &keeper->account;
	/* It ran at least as long as anything was written down. */
	struct gov_fact end = { .now = keeper->looked, .how = "ended unseen" };

	if (!keeper->policy)
		return 0;
	for (uint32_t u = 0; u < account->unit_count; u++) {
		struct gov_run *run = account->unit[u].first, *next;

		for (; run; run = next) {
			next = run->next;
			if (!run->confirmed &&
			    end_run(keeper, run, &end, error))
				return -1;
		}
	}
	return 0;
}

/* ---- the rest ---- */

static int take_word(struct gov_keeper *keeper, const struct gov_fact *fact,
		     struct gov_error *error)
{
	static const enum gov_record_kind kinds[] = {
		[GOV_FACT_ADMIT] = GOV_RECORD_ADMIT,
		[GOV_FACT_WITHDRAW] = GOV_RECORD_WITHDRAW,
		[GOV_FACT_NOTICE] = GOV_RECORD_NOTICE,
		[GOV_FACT_ORDER] = GOV_RECORD_ORDER,
	};
	struct gov_record *record = &keeper->record;

	record->kind = kinds[fact->kind];
	record->at = fact->now;
	record->job = (int64_t) GOV_JOB_SHOWN(fact->job);
	record->asker = (int64_t) GOV_JOB_SHOWN(fact->asker);
	record->deadline = fact->deadline;
	record->rule = fact->rule;
	record->how = fact->how;
	record->by = fact->by;
	record->text = fact->text;
	if (keeper->policy && fact->team < keeper->policy->unit_count)
		record->team = keeper->policy->unit[fact->team].name;
	return let_out(keeper, error);
}

int gov_keeper_take(struct gov_keeper *keeper, struct gov_fact *fact,
		    struct gov_error *error)
{
	gov_record_clear(&keeper->record);
	gov_over_begin(&keeper->over, fact->now);
	keeper->record.at = fact->now > keeper->account.at ? fact->now :
							     keeper->account.at;
	switch (fact->kind) {
	case GOV_FACT_POLICY: return take_policy(keeper, fact, error);
	case GOV_FACT_START: return take_start(keeper, fact, error);
	case GOV_FACT_END: return take_end(keeper, fact, error);
	case GOV_FACT_LOOK: look(keeper); return 0;
	case GOV_FACT_LOOKED: return looked(keeper, fact, error);
	default: return take_word(keeper, fact, error);
	}
}

/* ---- a new file ---- */

int gov_keeper_carry(struct gov_keeper *keeper)
{
	const struct gov_account *account = &keeper->account;
	struct gov_record *record = &keeper->record;
	int rc = 0;

	for (uint32_t u = 0; !rc && u < account->unit_count; u++)
		for (struct gov_run *run = account->unit[u].first; !rc && run;
		     run = run->next) {
			gov_record_clear(record);
			record->kind = GOV_RECORD_CARRY;
			record->at = account->at;
			name_run(keeper, run);
			rc = put_use(keeper, run) ||
			     keeper->emit(keeper->arg, record);
		}
	gov_record_clear(record);
	record->kind = GOV_RECORD_POLICY;
	record->at = account->at;
	for (uint32_t c = 0; !rc && c < account->cell_count; c++)
		rc = put_cell(keeper, c, account->cell[c].price,
			      account->cell[c].borrowed,
			      account->cell[c].credit);
	for (uint32_t u = 0; !rc && u < account->unit_count; u++) {
		const struct gov_account_unit *unit = &account->unit[u];

		if (unit->present)
			rc = !add_row(keeper, GOV_LIST_UNITS, unit->name,
				      unit->parent == GOV_NONE ?
					      "" :
					      account->unit[unit->parent].name,
				      NULL, unit->is_team);
	}
	rc = rc || put_quotas(keeper);
	for (size_t i = 0; !rc && i < account->loan_count; i++) {
		const struct gov_account_loan *loan = &account->loan[i];

		rc = put_loan(keeper, loan->lender, loan->borrower, loan->cell,
			      loan->amount);
	}
	if (!rc && account->unit_count)
		rc = keeper->emit(keeper->arg, record);
	return rc ? -1 : 0;
}
