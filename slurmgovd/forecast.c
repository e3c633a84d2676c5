/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two looks at a rehearsal: before the policy, and after it. */
#include "slurmgovd/forecast.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "slurmgovd/rehearsal.h"
#include "slurmgovd/state_name.h"

void gov_forecast_free(struct gov_forecast *forecast)
{
	for (size_t i = 0; i < forecast->job_count; i++)
		free(forecast->job[i].text);
	free(forecast->job);
	free(forecast->cell);
	gov_policy_unref(forecast->old);
	gov_policy_unref(forecast->new);
	memset(forecast, 0, sizeof(*forecast));
}

/* ---- teams ---- */

static bool is_counted(const struct gov_policy *policy, uint32_t unit,
		       uint32_t cell)
{
	return unit != GOV_NONE && cell != GOV_NONE &&
	       policy->unit[unit].quota[cell].counted;
}

static uint32_t find_team(const struct gov_policy *policy, const char *name)
{
	uint32_t unit = gov_policy_find_unit(policy, name);

	return unit != GOV_NONE && policy->unit[unit].is_team ? unit : GOV_NONE;
}

/* 0; -1: no memory. */
static int add_cell(struct gov_forecast *f, const struct gov_policy *policy,
		    uint32_t team, uint32_t cell)
{
	struct gov_forecast_cell *grown = reallocarray(f->cell,
						       f->cell_count + 1,
						       sizeof(*grown));

	if (!grown)
		return -1;
	f->cell = grown;
	grown[f->cell_count++] = (struct gov_forecast_cell){
		.from = policy,
		.cell = cell,
		.team = policy->unit[team].name,
		.pool = policy->pool[policy->cell[cell].pool].name,
		.tres = policy->tres[policy->cell[cell].tres].name,
	};
	return 0;
}

/* Teams' cells of `policy`; of `but` those that it has were added before. */
static int add_cells(struct gov_forecast *f, const struct gov_policy *policy,
		     const struct gov_policy *but)
{
	for (uint32_t i = 0; i < policy->unit_count; i++) {
		uint32_t team = policy->unit_order[i];
		const char *name = policy->unit[team].name;
		uint32_t other = but ? find_team(but, name) : GOV_NONE;

		for (uint32_t c = 0;
		     policy->unit[team].is_team && c < policy->cell_count;
		     c++) {
			if (other != GOV_NONE &&
			    gov_policy_same_cell(but, policy, c) != GOV_NONE)
				continue;
			if (add_cell(f, policy, team, c))
				return -1;
		}
	}
	return 0;
}

/* 0; -1: no memory. */
static int view_cells(struct gov_forecast *f, const struct gov_engine *engine,
		      bool after)
{
	const struct gov_policy *policy = gov_engine_policy(engine);
	gov_amount_t *lent = gov_engine_lent(engine);

	if (!lent)
		return -1;
	for (size_t i = 0; i < f->cell_count; i++) {
		struct gov_forecast_cell *item = &f->cell[i];
		struct gov_cell_view *view = after ? &item->after :
						     &item->before;
		uint32_t team = find_team(policy, item->team);
		uint32_t cell = gov_policy_same_cell(policy, item->from,
						     item->cell);

		*(after ? &item->is : &item->was) = is_counted(policy, team,
							       cell);
		if (team == GOV_NONE || cell == GOV_NONE)
			continue;
		gov_engine_view_sums(engine, team, cell, view);
		view->lent = lent[(size_t) team * policy->cell_count + cell];
	}
	free(lent);
	return 0;
}

static bool cell_differs(const struct gov_forecast_cell *item)
{
	const struct gov_cell_view *a = &item->before, *b = &item->after;

	return item->was != item->is || a->nominal != b->nominal ||
	       a->usage != b->usage || a->borrowed != b->borrowed ||
	       a->lent != b->lent || a->leaving != b->leaving ||
	       a->waiting != b->waiting;
}

static void keep_different_cells(struct gov_forecast *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->cell_count; i++)
		if (cell_differs(&f->cell[i]))
			f->cell[kept++] = f->cell[i];
	f->cell_count = kept;
}

/* ---- jobs ---- */

struct look {
	struct gov_forecast *forecast;
	const struct gov_governor *g;
};

static const struct gov_job *known_job(const struct look *look,
				       const struct gov_tracked *job)
{
	return gov_engine_job(gov_governor_engine(look->g), job->id);
}

static void note_before(const struct gov_tracked *job, void *arg)
{
	const struct look *look = arg;
	struct gov_forecast *f = look->forecast;

	f->job[f->job_count++] = (struct gov_forecast_job){
		.id = job->id,
		.team = job->team == GOV_NONE ? NULL :
						f->old->unit[job->team].name,
		.before = gov_job_state_name(job, known_job(look, job)),
	};
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = ((const struct gov_forecast_job *) a)->id;
	uint64_t y = ((const struct gov_forecast_job *) b)->id;

	return x < y ? -1 : x > y;
}

/* 0; -1: no memory. */
static int note_after(const struct look *look, struct gov_forecast_job *item)
{
	const struct gov_tracked *job = gov_governor_job(look->g, item->id);
	const struct gov_job *known = known_job(look, job);

	item->after = gov_job_state_name(job, known);
	if (!item->team && job->team != GOV_NONE)
		item->team = look->forecast->new->unit[job->team].name;
	if (known && known->state == GOV_JOB_RECLAIMING) {
		item->asker = known->asker;
		item->deadline = known->deadline;
		item->rule = known->rule;
	}
	if (!job->text)
		return 0;
	item->text = strdup(job->text);
	return item->text ? 0 : -1;
}

static int look_before(struct gov_forecast *f, const struct gov_governor *g)
{
	struct gov_governor_health health;
	struct look look = { .forecast = f, .g = g };

	gov_governor_health(g, &health);
	f->jobs = health.jobs;
	f->job = calloc(health.jobs + 1, sizeof(*f->job));
	if (!f->job || add_cells(f, f->old, NULL) ||
	    add_cells(f, f->new, f->old))
		return -1;
	gov_governor_each(g, note_before, &look);
	qsort(f->job, f->job_count, sizeof(*f->job), by_id);
	return view_cells(f, gov_governor_engine(g), false);
}

static int look_after(struct gov_forecast *f, const struct gov_governor *g)
{
	struct look look = { .forecast = f, .g = g };
	int rc = view_cells(f, gov_governor_engine(g), true);
	size_t kept = 0;

	keep_different_cells(f);
	for (size_t i = 0; i < f->job_count; i++) {
		struct gov_forecast_job item = f->job[i];

		rc |= note_after(&look, &item);
		if (strcmp(item.before, item.after) != 0)
			f->job[kept++] = item;
		else
			free(item.text);
	}
	f->job_count = kept;
	return rc;
}

/* ---- members ---- */

static bool same_members(const struct gov_member_list *a,
			 const struct gov_member_list *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->item[i].kind != b->item[i].kind ||
		    strcmp(a->item[i].name, b->item[i].name) != 0)
			return false;
	return true;
}

static bool has_new_members(const struct gov_policy *old,
			    const struct gov_policy *new)
{
	for (uint32_t i = 0; i < new->unit_count; i++) {
		const struct gov_unit *unit = &new->unit[i];
		uint32_t was = gov_policy_find_unit(old, unit->name);

		if (was == GOV_NONE ? unit->is_team :
				      !same_members(&old->unit[was].members,
						    &unit->members))
			return true;
	}
	return false;
}

int gov_forecast(const struct gov_governor *g, struct gov_policy *policy,
		 struct gov_now now, struct gov_forecast *forecast,
		 struct gov_error *error)
{
	struct gov_governor *trial = gov_rehearsal_create(g, now, error);
	int rc;

	if (!trial)
		return -1;
	forecast->new = gov_policy_ref(policy);
	/* The trial has the governor's own. */
	forecast->old = gov_policy_ref(
		(struct gov_policy *) gov_governor_policy(trial));
	forecast->new_members = has_new_members(forecast->old, policy);
	rc = look_before(forecast, trial);
	if (!rc && gov_rehearsal_set_policy(trial, policy, now, error)) {
		gov_governor_destroy(trial);
		return -1;
	}
	rc = rc || look_after(forecast, trial);
	gov_governor_destroy(trial);
	if (!rc)
		return 0;
	return gov_error_set(error, GOV_E_NOMEM,
			     "no memory to compare the policies");
}
