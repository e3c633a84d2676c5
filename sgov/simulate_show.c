/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sgov simulate: what came out, as tables and as JSON. */
#include <stdio.h>

#include "sgov/ask.h"
#include "sgov/simulate.h"
#include "sgov/table.h"

static const struct sgov_column scenario_columns[] = {
	{ "SCENARIO", false, false },  { "USED%", true, false },
	{ "WAIT_MEAN", true, false },  { "WAIT_P50", true, false },
	{ "WAIT_P95", true, false },   { "WAIT_PLACE", true, true },
	{ "OWED_JOBS", true, false },  { "OWED_LATE", true, false },
	{ "OWED_MEAN", true, false },  { "OWED_P95", true, false },
	{ "OWED_MAX", true, false },   { "JAIN", true, false },
	{ "EVICTED", true, false },    { "HOURS", true, true },
	{ "BORROWED", true, true },    { "LOST", true, false },
	{ "LOST%", true, false },      { "IDLE", true, false },
	{ "JOBS", true, true },	       { "REFUSED", true, false },
	{ "UNFINISHED", true, false }, { "MAKESPAN", true, true },
	{ NULL, false, false },
};

static const struct sgov_column group_columns[] = {
	{ "SCENARIO", false, false }, { "BY", false, false },
	{ "NAME", false, false },     { "JOBS", true, false },
	{ "REFUSED", true, false },   { "WAIT_MEAN", true, false },
	{ "WAIT_P50", true, false },  { "WAIT_P95", true, false },
	{ "OWED_JOBS", true, false }, { "OWED_LATE", true, true },
	{ "OWED_MEAN", true, false }, { "OWED_P95", true, false },
	{ "OWED_MAX", true, true },   { "DELIVERED%", true, false },
	{ "HOURS", true, false },     { "BORROWED", true, false },
	{ "LOST", true, false },      { "EVICTED", true, false },
	{ NULL, false, false },
};

static const char legend[] =
	"\nOWED: jobs that fitted, with all that their team had running and waiting, into\n"
	"the team's quota when they came; their wait is for what is the team's own.\n"
	"JAIN: how evenly teams got what they wanted of their quota, 1 is even.\n"
	"LOST: GPU-hours (CPU-hours where there are no GPUs) run and thrown away.\n"
	"IDLE: hours of what was free, no more than waiting jobs asked for.\n";

static void number(struct sgov_table *table, int digits, double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", digits, value);
	sgov_table_text(table, text);
}

static void seconds(struct sgov_table *table, double value)
{
	sgov_table_duration(table, (int64_t) (value + 0.5));
}

/* WAIT_MEAN to WAIT_P95. */
static void wait_cells(struct sgov_table *table,
		       const struct gov_simulate_waits *wait)
{
	seconds(table, wait->mean);
	seconds(table, wait->p50);
	seconds(table, wait->p95);
}

/* OWED_JOBS to OWED_MAX. */
static void owed_cells(struct sgov_table *table,
		       const struct gov_simulate_waits *owed)
{
	sgov_table_number(table, owed->jobs);
	sgov_table_number(table, owed->late);
	seconds(table, owed->mean);
	seconds(table, owed->p95);
	seconds(table, owed->max);
}

static double part(double of, double all)
{
	return all > 0 ? 100 * of / all : 0;
}

static void scenario_row(struct sgov_table *table,
			 const struct scenario *scenario)
{
	const struct gov_simulate_result *r = &scenario->result;
	const struct gov_simulate_group *all = &r->all;

	sgov_table_text(table, scenario->name);
	number(table, 1, 100 * r->utilization);
	wait_cells(table, &all->wait);
	seconds(table, r->place_mean);
	owed_cells(table, &all->owed);
	number(table, 3, r->jain);
	sgov_table_number(table, all->evictions);
	number(table, 0, all->hours_used);
	number(table, 0, all->hours_borrowed);
	number(table, 0, all->hours_lost);
	number(table, 2, part(all->hours_lost, all->hours_used));
	number(table, 0, r->hours_idle);
	sgov_table_number(table, r->jobs);
	sgov_table_number(table, all->refused);
	sgov_table_number(table, r->unfinished);
	seconds(table, r->makespan);
}

static void show_scenarios(const struct simulation *simulation)
{
	struct sgov_table *table = sgov_table_create(simulation->sgov,
						     scenario_columns);

	for (size_t i = 0; i < simulation->count; i++)
		scenario_row(table, &simulation->scenario[i]);
	sgov_table_print(table);
	sgov_table_destroy(table);
	if (simulation->sgov->format == SGOV_TABLE && simulation->sgov->header)
		fputs(legend, stdout);
}

static void group_rows(struct sgov_table *table, const char *scenario,
		       const struct gov_simulate_group *group, size_t count,
		       bool teams)
{
	for (size_t i = 0; i < count; i++) {
		const struct gov_simulate_group *g = &group[i];

		if (!g->wait.jobs && !g->refused)
			continue;
		sgov_table_text(table, scenario);
		sgov_table_text(table, teams ? "team" : "class");
		sgov_table_text(table, g->name);
		sgov_table_number(table, g->wait.jobs);
		sgov_table_number(table, g->refused);
		wait_cells(table, &g->wait);
		owed_cells(table, &g->owed);
		if (teams)
			number(table, 1, 100 * g->delivered);
		else
			sgov_table_text(table, NULL);
		number(table, 0, g->hours_used);
		if (teams)
			number(table, 0, g->hours_borrowed);
		else
			sgov_table_text(table, NULL);
		number(table, 0, g->hours_lost);
		sgov_table_number(table, g->evictions);
	}
}

static void show_groups(const struct simulation *simulation)
{
	struct sgov_table *table = sgov_table_create(simulation->sgov,
						     group_columns);

	for (size_t i = 0; i < simulation->count; i++) {
		const struct scenario *s = &simulation->scenario[i];

		group_rows(table, s->name, s->result.team, s->result.team_count,
			   true);
		group_rows(table, s->name, s->result.class,
			   s->result.class_count, false);
	}
	sgov_table_print(table);
	sgov_table_destroy(table);
}

/* ---- JSON ---- */

static void add_double(struct json_object *object, const char *key,
		       double value)
{
	json_object_object_add(object, key, json_object_new_double(value));
}

static void add_count(struct json_object *object, const char *key, size_t value)
{
	json_object_object_add(object, key,
			       json_object_new_int64((int64_t) value));
}

static struct json_object *waits_json(const struct gov_simulate_waits *waits)
{
	struct json_object *o = json_object_new_object();

	add_count(o, "jobs", waits->jobs);
	add_count(o, "late", waits->late);
	add_double(o, "mean_s", waits->mean);
	add_double(o, "p50_s", waits->p50);
	add_double(o, "p95_s", waits->p95);
	add_double(o, "max_s", waits->max);
	return o;
}

/* What a group and all jobs have in common. */
static void add_group(struct json_object *o,
		      const struct gov_simulate_group *group)
{
	add_count(o, "refused", group->refused);
	json_object_object_add(o, "wait", waits_json(&group->wait));
	json_object_object_add(o, "owed", waits_json(&group->owed));
	add_double(o, "hours_used", group->hours_used);
	add_double(o, "hours_lost", group->hours_lost);
	add_count(o, "evictions", group->evictions);
}

static struct json_object *groups_json(const struct gov_simulate_group *group,
				       size_t count, bool teams)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < count; i++) {
		struct json_object *o = json_object_new_object();

		sgov_json_set(o, "name", group[i].name);
		add_group(o, &group[i]);
		if (teams) {
			add_double(o, "hours_borrowed",
				   group[i].hours_borrowed);
			add_double(o, "delivered", group[i].delivered);
		}
		json_object_array_add(array, o);
	}
	return array;
}

static struct json_object *scenario_json(const struct scenario *scenario)
{
	const struct gov_simulate_result *r = &scenario->result;
	struct json_object *o = json_object_new_object();

	sgov_json_set(o, "scenario", scenario->name);
	add_count(o, "jobs", r->jobs);
	add_count(o, "unfinished", r->unfinished);
	add_double(o, "utilization", r->utilization);
	add_group(o, &r->all);
	add_double(o, "hours_borrowed", r->all.hours_borrowed);
	add_double(o, "place_wait_mean_s", r->place_mean);
	add_double(o, "hours_idle", r->hours_idle);
	add_double(o, "jain", r->jain);
	add_double(o, "makespan_s", r->makespan);
	json_object_object_add(o, "teams",
			       groups_json(r->team, r->team_count, true));
	json_object_object_add(o, "classes",
			       groups_json(r->class, r->class_count, false));
	return o;
}

static void show_json(const struct simulation *simulation)
{
	struct json_object *answer = sgov_own_answer("simulate");
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < simulation->count; i++)
		json_object_array_add(array,
				      scenario_json(&simulation->scenario[i]));
	json_object_object_add(answer, "scenarios", array);
	sgov_json_print(answer);
	json_object_put(answer);
}

void sgov_simulate_show(const struct simulation *simulation, bool groups)
{
	if (simulation->sgov->format == SGOV_JSON)
		show_json(simulation);
	else if (groups)
		show_groups(simulation);
	else
		show_scenarios(simulation);
}
