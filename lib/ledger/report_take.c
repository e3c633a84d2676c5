/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From records and what the accounts tell to what is counted. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "ledger/index_private.h"

#define HEIGHT_MAX 64 /* a ledger may say anything */

/* ---- paths of units ---- */

static char *make_path(const struct gov_account *account, uint32_t unit)
{
	struct gov_text text = { 0 };
	uint32_t above[HEIGHT_MAX];
	int height = 0;

	for (; unit != GOV_NONE && height < HEIGHT_MAX;
	     unit = account->unit[unit].parent)
		above[height++] = unit;
	while (height-- > 0) {
		gov_text_string(&text, account->unit[above[height]].name);
		if (height)
			gov_text_char(&text, '/');
	}
	gov_text_add(&text, "", 1);
	if (text.failed)
		gov_text_free(&text);
	return text.data;
}

static void forget_paths(struct gov_report *report)
{
	for (uint32_t i = 0; i < report->paths; i++)
		free(report->path[i]);
	free(report->path);
	report->path = NULL;
	report->paths = 0;
}

/* NULL: no memory. */
static const char *path_of(struct gov_report *report, uint32_t unit)
{
	uint32_t count = report->account.unit_count;
	char **grown;

	if (unit == GOV_NONE)
		return "";
	if (report->paths < count) {
		grown = reallocarray(report->path, count, sizeof(*grown));
		if (!grown)
			return NULL;
		memset(grown + report->paths, 0,
		       (count - report->paths) * sizeof(*grown));
		report->path = grown;
		report->paths = count;
	}
	if (!report->path[unit])
		report->path[unit] = make_path(&report->account, unit);
	return report->path[unit];
}

/* ---- what is counted ---- */

/* false: no memory. */
static bool begin_item(struct gov_report *report, struct gov_report_item *item,
		       uint32_t unit, uint32_t cell)
{
	*item = (struct gov_report_item){
		.path = path_of(report, unit),
		.inner = unit != GOV_NONE &&
			 !report->account.unit[unit].is_team,
		.pool = report->account.cell[cell].pool,
		.tres = report->account.cell[cell].tres,
		.price = report->account.cell[cell].price,
		.borrowed = report->account.cell[cell].borrowed,
		.credit = report->account.cell[cell].credit,
		.user = -1,
		.job = -1,
		.wait = -1,
	};
	report->no_memory |= !item->path;
	return item->path;
}

static void name_run(struct gov_report_item *item, const struct gov_run *run)
{
	item->project = run->project;
	item->class_name = run->class_name;
	item->user = run->user;
	item->job = (int64_t) GOV_JOB_SHOWN(run->job);
}

/* Sums of a second, in each of those seconds. */
static void add_span(struct gov_report *report, struct gov_report_item *item,
		     gov_time_t from, gov_time_t to, int sign)
{
	const struct gov_report_query *query = &report->query;
	const struct gov_report_sums rate = item->sums;

	if (from < query->bound[0])
		from = query->bound[0];
	if (to > query->bound[query->periods])
		to = query->bound[query->periods];
	while (from < to) {
		size_t period = gov_report_period(report, from);
		gov_time_t end = query->bound[period + 1];
		gov_sum_t times;

		if (end > to)
			end = to;
		times = (gov_sum_t) (end - from) * sign;
		item->at = from;
		item->sums = (struct gov_report_sums){
			.own = rate.own * times,
			.borrowed = rate.borrowed * times,
			.lent = rate.lent * times,
			.quota = rate.quota * times,
			.own_cost = rate.own_cost * times,
			.borrowed_cost = rate.borrowed_cost * times,
			.credit = rate.credit * times,
		};
		if (gov_report_add(report, item))
			report->no_memory = true;
		from = end;
	}
}

static void used(void *arg, const struct gov_run *run,
		 const struct gov_run_item *part, gov_time_t from,
		 gov_time_t to, int sign)
{
	struct gov_report *report = arg;
	const struct gov_account_cell *cell = &report->account.cell[part->cell];
	struct gov_report_item item;

	if (!begin_item(report, &item, run->unit, part->cell))
		return;
	name_run(&item, run);
	item.sums.own = part->amount - part->borrowed;
	item.sums.borrowed = part->borrowed;
	item.sums.own_cost = item.sums.own * 1000 * cell->price;
	item.sums.borrowed_cost = item.sums.borrowed * cell->borrowed *
				  cell->price;
	add_span(report, &item, from, to, sign);
}

static void lent(void *arg, const struct gov_account_loan *loan,
		 gov_time_t from, gov_time_t to, int sign)
{
	struct gov_report *report = arg;
	const struct gov_account_cell *cell = &report->account.cell[loan->cell];
	bool loans = report->query.kind == GOV_REPORT_LOANS;
	gov_sum_t amount = (gov_sum_t) loan->amount;
	struct gov_report_item item;

	if (report->query.by & GOV_BY_RUN)
		return;
	if (!begin_item(report, &item, loans ? loan->borrower : loan->lender,
			loan->cell))
		return;
	if (loans)
		item.sums.borrowed = amount;
	else
		item.sums.lent = amount;
	item.other = "";
	if (loan->lender != GOV_NONE) {
		item.other = report->account.unit[loan->lender].name;
		item.sums.credit = amount * cell->price * cell->credit;
	}
	add_span(report, &item, from, to, sign);
}

static void quota(void *arg, uint32_t unit, uint32_t cell, gov_amount_t nominal,
		  gov_time_t from, gov_time_t to)
{
	struct gov_report *report = arg;
	struct gov_report_item item;

	if (report->query.by & GOV_BY_RUN ||
	    !begin_item(report, &item, unit, cell))
		return;
	item.sums.quota = (gov_sum_t) nominal;
	add_span(report, &item, from, to, 1);
}

void gov_report_listen(struct gov_report *report)
{
	enum gov_report_kind kind = report->query.kind;
	struct gov_account_sink *sink = &report->account.sink;

	sink->arg = report;
	sink->used = kind == GOV_REPORT_USAGE ? used : NULL;
	sink->quota = kind == GOV_REPORT_USAGE ? quota : NULL;
	sink->lent = kind == GOV_REPORT_USAGE || kind == GOV_REPORT_LOANS ?
			     lent :
			     NULL;
}

/* ---- records ---- */

/* A reclaim: what its victim loses.  The run is still there. */
static void take_eviction(struct gov_report *report,
			  const struct gov_record *record)
{
	const struct gov_run *run = gov_account_run(&report->account,
						    (uint64_t) record->job);
	struct gov_report_item item;

	for (uint32_t i = 0; run && i < run->items; i++) {
		if (!begin_item(report, &item, run->unit, run->item[i].cell))
			return;
		name_run(&item, run);
		item.other = record->asker_team ? record->asker_team : "";
		item.at = record->ended;
		item.sums.lost = (gov_sum_t) run->item[i].amount * record->lost;
		item.sums.count = 1;
		if (gov_report_add(report, &item))
			report->no_memory = true;
	}
}

/* A run began.  A job counts once, whatever it holds: its pool is that of
 * the first TRES. */
static void take_waiting(struct gov_report *report,
			 const struct gov_record *record)
{
	const struct gov_run *run = gov_account_run(&report->account,
						    (uint64_t) record->job);
	struct gov_report_item item;

	if (!run || !run->items || !record->submitted ||
	    !begin_item(report, &item, run->unit, run->item[0].cell))
		return;
	name_run(&item, run);
	item.tres = NULL;
	item.at = record->started;
	item.wait = record->started > record->submitted ?
			    record->started - record->submitted :
			    0;
	item.sums.count = 1;
	if (gov_report_add(report, &item))
		report->no_memory = true;
}

void gov_report_add_gap(struct gov_report *report, struct gov_report_gap gap)
{
	const struct gov_report_query *query = &report->query;
	struct gov_report_gap *grown;

	if (gap.from < query->bound[0])
		gap.from = query->bound[0];
	if (gap.to > query->bound[query->periods])
		gap.to = query->bound[query->periods];
	if (gap.from >= gap.to)
		return;
	grown = gov_array_room(report->gap, report->gaps, sizeof(*grown));
	if (grown) {
		report->gap = grown;
		report->gap[report->gaps++] = gap;
	}
	report->no_memory |= !grown;
}

static void take_gap(struct gov_report *report, const struct gov_record *record)
{
	if (record->started)
		gov_report_add_gap(report,
				   (struct gov_report_gap){ record->started,
							    record->at });
}

static int whether_memory(const struct gov_report *report,
			  struct gov_error *error)
{
	if (!report->no_memory)
		return 0;
	return gov_error_set(error, GOV_E_NOMEM, "no memory for the report");
}

int gov_report_take(struct gov_report *report, const struct gov_record *record,
		    struct gov_error *error)
{
	enum gov_report_kind kind = report->query.kind;

	if (record->kind == GOV_RECORD_OPEN)
		take_gap(report, record);
	if (record->kind == GOV_RECORD_END && record->asker &&
	    (kind == GOV_REPORT_USAGE || kind == GOV_REPORT_EVICTIONS))
		take_eviction(report, record);
	if (gov_account_apply(&report->account, record, error))
		return -1;
	if (record->kind == GOV_RECORD_POLICY)
		forget_paths(report);
	if (record->kind == GOV_RECORD_START && kind == GOV_REPORT_WAITING)
		take_waiting(report, record);
	return whether_memory(report, error);
}

int gov_report_settle(struct gov_report *report, gov_time_t until,
		      struct gov_error *error)
{
	if (until > report->account.at)
		gov_account_settle(&report->account, until);
	else
		gov_account_settle(&report->account, report->account.at);
	return whether_memory(report, error);
}

void gov_report_forget(struct gov_report *report)
{
	gov_account_free(&report->account);
	forget_paths(report);
	gov_report_listen(report);
}

const struct gov_account *gov_report_account(const struct gov_report *report)
{
	return &report->account;
}
