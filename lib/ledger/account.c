/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/account.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/array.h"
#include "ledger/account_private.h"

/* ---- tables ---- */

static int no_memory(struct gov_error *error)
{
	return gov_error_set(error, GOV_E_NOMEM, "no memory for the accounts");
}

uint32_t gov_account_unit(struct gov_account *account, const char *name)
{
	struct gov_account_unit *grown, *unit;

	for (uint32_t i = 0; i < account->unit_count; i++)
		if (strcasecmp(account->unit[i].name, name) == 0)
			return i;
	grown = gov_array_room(account->unit, account->unit_count,
			       sizeof(*grown));
	if (!grown)
		return GOV_NONE;
	account->unit = grown;
	unit = &grown[account->unit_count];
	*unit = (struct gov_account_unit){ .parent = GOV_NONE };
	unit->name = strdup(name);
	unit->cell = gov_array_new(account->cell_space, sizeof(*unit->cell));
	if (!unit->name || !unit->cell) {
		free(unit->name);
		free(unit->cell);
		return GOV_NONE;
	}
	return account->unit_count++;
}

static int more_cells(struct gov_account *account)
{
	uint32_t space = account->cell_space ? 2 * account->cell_space : 8;
	struct gov_account_cell *cells = reallocarray(account->cell, space,
						      sizeof(*cells));

	if (!cells)
		return -1;
	account->cell = cells;
	for (uint32_t i = 0; i < account->unit_count; i++) {
		struct gov_account_unit *unit = &account->unit[i];
		struct gov_balance *grown = reallocarray(unit->cell, space,
							 sizeof(*grown));

		if (!grown)
			return -1;
		memset(grown + account->cell_space, 0,
		       (space - account->cell_space) * sizeof(*grown));
		unit->cell = grown;
	}
	account->cell_space = space;
	return 0;
}

uint32_t gov_account_cell(struct gov_account *account, const char *pool,
			  const char *tres)
{
	struct gov_account_cell *cell;

	for (uint32_t i = 0; i < account->cell_count; i++)
		if (strcmp(account->cell[i].pool, pool) == 0 &&
		    strcmp(account->cell[i].tres, tres) == 0)
			return i;
	if (account->cell_count == account->cell_space && more_cells(account))
		return GOV_NONE;
	cell = &account->cell[account->cell_count];
	*cell = (struct gov_account_cell){ .pool = strdup(pool),
					   .tres = strdup(tres) };
	if (!cell->pool || !cell->tres) {
		free(cell->pool);
		free(cell->tres);
		return GOV_NONE;
	}
	return account->cell_count++;
}

/* ---- runs ---- */

struct gov_run *gov_account_run(const struct gov_account *account, uint64_t job)
{
	return job ? gov_idmap_get(&account->by_job, job) : NULL;
}

static void free_run(struct gov_run *run)
{
	free(run->project);
	free(run->class_name);
	free(run);
}

int gov_account_add_run(struct gov_account *account, struct gov_run *run)
{
	struct gov_account_unit *unit = &account->unit[run->unit];

	if (gov_idmap_put(&account->by_job, run->job, run))
		return -1;
	run->before = unit->last;
	if (unit->last)
		unit->last->next = run;
	else
		unit->first = run;
	unit->last = run;
	account->runs++;
	return 0;
}

void gov_account_drop_run(struct gov_account *account, struct gov_run *run)
{
	struct gov_account_unit *unit = &account->unit[run->unit];

	gov_idmap_remove(&account->by_job, run->job);
	if (run->before)
		run->before->next = run->next;
	else
		unit->first = run->next;
	if (run->next)
		run->next->before = run->before;
	else
		unit->last = run->before;
	account->runs--;
	free_run(run);
}

static struct gov_run *new_run(struct gov_account *account,
			       const struct gov_record *record)
{
	struct gov_run *run = calloc(1, sizeof(*run));

	if (!run)
		return NULL;
	run->job = (uint64_t) record->job;
	run->run = record->run;
	run->user = record->user;
	run->submitted = record->submitted;
	run->started = record->started;
	run->unit = gov_account_unit(account, record->team ? record->team : "");
	run->project = strdup(record->project ? record->project : "");
	run->class_name = strdup(record->class_name ? record->class_name : "");
	if (run->unit != GOV_NONE && run->project && run->class_name)
		return run;
	free_run(run);
	return NULL;
}

void gov_account_free(struct gov_account *account)
{
	for (uint32_t i = 0; i < account->unit_count; i++) {
		while (account->unit[i].first)
			gov_account_drop_run(account, account->unit[i].first);
		free(account->unit[i].name);
		free(account->unit[i].cell);
	}
	for (uint32_t i = 0; i < account->cell_count; i++) {
		free(account->cell[i].pool);
		free(account->cell[i].tres);
	}
	free(account->unit);
	free(account->cell);
	free(account->loan);
	gov_idmap_free(&account->by_job);
	*account = (struct gov_account){ 0 };
}

/* ---- records ---- */

/* Read the amounts of a record into a run. */
static int read_use(struct gov_account *account, struct gov_run *run,
		    const struct gov_record *record, struct gov_error *error)
{
	const struct gov_record_list *list = &record->list[GOV_LIST_USE];

	if (list->count > GOV_REQUEST_MAX)
		return gov_error_set(error, GOV_E_VALUE,
				     "job %" PRIu64 " holds too many TRES",
				     run->job);
	for (size_t i = 0; i < list->count; i++) {
		uint32_t cell = gov_account_cell(account, list->row[i].text[0],
						 list->row[i].text[1]);

		if (cell == GOV_NONE)
			return no_memory(error);
		run->item[i] = (struct gov_run_item){
			.cell = cell,
			.amount = list->row[i].number[0],
			.since = account->at,
		};
	}
	run->items = (uint32_t) list->count;
	return 0;
}

static int charge(struct gov_account *account, const struct gov_run *run,
		  struct gov_error *error)
{
	for (uint32_t i = 0; i < run->items; i++) {
		struct gov_balance *balance =
			&account->unit[run->unit].cell[run->item[i].cell];
		gov_amount_t sum = gov_amount_add(balance->use,
						  run->item[i].amount);

		if (sum > GOV_AMOUNT_MAX)
			return gov_error_set(error, GOV_E_OVERFLOW,
					     "job %" PRIu64
					     " holds more than can be counted",
					     run->job);
		balance->use = sum;
	}
	return 0;
}

static void discharge(struct gov_account *account, const struct gov_run *run)
{
	for (uint32_t i = 0; i < run->items; i++)
		account->unit[run->unit].cell[run->item[i].cell].use -=
			run->item[i].amount;
}

static int begin_run(struct gov_account *account,
		     const struct gov_record *record, struct gov_error *error)
{
	struct gov_run *run;

	if (!record->job)
		return gov_error_set(error, GOV_E_VALUE, "it names no job");
	if (gov_account_run(account, (uint64_t) record->job))
		return gov_error_set(error, GOV_E_VALUE,
				     "job %" PRId64 " runs already",
				     record->job);
	run = new_run(account, record);
	if (!run)
		return no_memory(error);
	if (read_use(account, run, record, error) ||
	    charge(account, run, error) || gov_account_add_run(account, run)) {
		free_run(run);
		return -1;
	}
	gov_account_split(account, run);
	return gov_account_loans(account, record, error);
}

static struct gov_run *known(struct gov_account *account,
			     const struct gov_record *record,
			     struct gov_error *error)
{
	struct gov_run *run = gov_account_run(account, (uint64_t) record->job);

	if (!run)
		gov_error_set(error, GOV_E_VALUE, "job %" PRId64 " did not run",
			      record->job);
	return run;
}

static int change_run(struct gov_account *account,
		      const struct gov_record *record, struct gov_error *error)
{
	struct gov_run *run = known(account, record, error);
	struct gov_run old;

	if (!run)
		return -1;
	gov_account_tell(account, run);
	old = *run;
	discharge(account, run);
	if (read_use(account, run, record, error) ||
	    charge(account, run, error))
		return -1;
	gov_account_split(account, &old);
	gov_account_split(account, run);
	return gov_account_loans(account, record, error);
}

static int end_run(struct gov_account *account, const struct gov_record *record,
		   struct gov_error *error)
{
	struct gov_run *run = known(account, record, error), gone;
	int rc;

	if (!run)
		return -1;
	gov_account_tell(account, run);
	gov_account_correct(account, run, record->late, -1);
	discharge(account, run);
	gone = *run;
	gov_account_drop_run(account, run);
	gov_account_split(account, &gone);
	rc = gov_account_loans(account, record, error);
	return rc ? rc : gov_account_balanced(account, &gone, error);
}

/* A file begins: the run is known, or reading begins here. */
static int carry_run(struct gov_account *account,
		     const struct gov_record *record, struct gov_error *error)
{
	const struct gov_run *run = gov_account_run(account,
						    (uint64_t) record->job);
	struct gov_run named = { .job = (uint64_t) record->job };

	if (!run)
		return begin_run(account, record, error);
	if (read_use(account, &named, record, error))
		return -1;
	for (uint32_t i = 0; i < named.items; i++)
		if (run->items != named.items ||
		    named.item[i].cell != run->item[i].cell ||
		    named.item[i].amount != run->item[i].amount)
			return gov_error_set(error, GOV_E_VALUE,
					     "job %" PRIu64
					     " is carried over with other "
					     "amounts than it has",
					     run->job);
	return 0;
}

static int start_run(struct gov_account *account,
		     const struct gov_record *record, struct gov_error *error)
{
	const struct gov_run *run;

	if (begin_run(account, record, error))
		return -1;
	run = gov_account_run(account, (uint64_t) record->job);
	gov_account_correct(account, run, record->late, 1);
	return gov_account_balanced(account, run, error);
}

int gov_account_apply(struct gov_account *account,
		      const struct gov_record *record, struct gov_error *error)
{
	switch (record->kind) {
	case GOV_RECORD_START:
	case GOV_RECORD_CHANGE:
	case GOV_RECORD_END:
	case GOV_RECORD_CARRY:
	case GOV_RECORD_POLICY: break;
	default: return 0;
	}
	if (record->at < account->at)
		return gov_error_set(error, GOV_E_VALUE,
				     "it counts from before the last record");
	account->at = record->at;
	switch (record->kind) {
	case GOV_RECORD_START: return start_run(account, record, error);
	case GOV_RECORD_END: return end_run(account, record, error);
	case GOV_RECORD_CARRY: return carry_run(account, record, error);
	case GOV_RECORD_POLICY:
		return gov_account_policy(account, record, error);
	default: break;
	}
	if (change_run(account, record, error))
		return -1;
	return gov_account_balanced(account,
				    gov_account_run(account,
						    (uint64_t) record->job),
				    error);
}
