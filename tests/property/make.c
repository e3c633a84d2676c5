/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random histories. */
#include <stdlib.h>
#include <string.h>

#include "core/policy.h"
#include "history.h"
#include "random.h"

/* ---- the policy ---- */

static void make_cells(struct spec *spec, uint64_t *r)
{
	spec->pools = random_between(r, 1, POOLS);
	spec->tres = random_between(r, 1, TRES);
	for (int p = 0; p < spec->pools; p++)
		for (int t = 0; t < spec->tres; t++)
			spec->has_cell[p * TRES + t] = !t ||
						       random_chance(r, 80);
}

/* Small numbers, so that limits meet each other often. */
static uint64_t some_limit(uint64_t *r, uint64_t nominal)
{
	switch (random_below(r, 4)) {
	case 0: return 0;
	case 1: return (uint64_t) random_between(r, 1, 4);
	case 2: return nominal / 2;
	default: return UNLIMITED;
	}
}

static void make_quota(struct spec *spec, struct spec_unit *unit, uint64_t *r)
{
	for (int c = 0; c < CELLS; c++) {
		struct spec_quota *q = &unit->quota[c];

		unit->user_max[c] = UNLIMITED;
		q->borrow = q->lend = UNLIMITED;
		if (!spec->has_cell[c])
			continue;
		q->set = unit->team ? random_chance(r, 92) :
				      random_chance(r, 40);
		if (!q->set)
			continue;
		if (unit->team)
			q->nominal = (uint64_t) random_between(r, 0, 10);
		else if (random_chance(r, 40))
			q->nominal = (uint64_t) random_between(r, 0, 12);
		q->borrow = some_limit(r, q->nominal);
		q->lend = some_limit(r, q->nominal);
	}
}

static void make_behaviour(struct spec_unit *unit, uint64_t *r)
{
	unit->weight = random_chance(r, 8) ? 0 : random_between(r, 1, 10);
	unit->weight_scale = random_chance(r, 80) ? 1 : random_between(r, 2, 5);
	unit->strategy = random_chance(r, 75) ? GOV_LEND_AND_BORROW :
						random_below(r, 4);
	unit->queueing = random_chance(r, 75) ? GOV_BEST_EFFORT : GOV_STRICT;
	/* "any" inside a team is a circle by itself: jobs take turns. */
	unit->within = random_chance(r, 70) ? GOV_PREEMPT_LOWER :
					      random_below(r, 3);
	unit->reclaim = random_chance(r, 70) ? GOV_PREEMPT_ANY :
					       random_below(r, 4);
	unit->borrowing = random_chance(r, 70) ? GOV_PREEMPT_NEVER :
						 GOV_PREEMPT_LOWER;
	unit->borrowing_max = random_chance(r, 50) ? NONE :
						     25 * random_below(r, 5);
	unit->prefer_own = random_chance(r, 15);
	unit->min_runtime = random_chance(r, 70) ? NONE :
						   30 * random_below(r, 20);
	unit->min_loan = random_chance(r, 85) ? NONE : 60 * random_below(r, 10);
	unit->max_evictions = random_chance(r, 85) ? NONE : random_below(r, 4);
}

static void make_user_caps(struct spec *spec, struct spec_unit *unit,
			   uint64_t *r)
{
	for (int c = 0; c < CELLS; c++)
		if (spec->has_cell[c] && random_chance(r, 5))
			unit->user_max[c] = (uint64_t) random_between(r, 1, 8);
}

/* Inner units first, at most three levels of them above a team. */
static void make_units(struct spec *spec, uint64_t *r)
{
	int depth[UNITS] = { 0 };
	int inner = random_below(r, 12), teams;

	teams = random_chance(r, 10) ? random_between(r, 20, 50) :
				       random_between(r, 1, 8);
	spec->units = inner + teams;
	for (int i = 0; i < spec->units; i++) {
		struct spec_unit *unit = &spec->unit[i];

		unit->present = 1;
		unit->team = i >= inner;
		unit->parent = NONE;
		if (i && inner && random_chance(r, 75)) {
			int parent = random_below(r, i < inner ? i : inner);

			if (depth[parent] < 2 ||
			    (unit->team && depth[parent] < 3))
				unit->parent = parent;
			if (unit->parent != NONE)
				depth[i] = depth[parent] + 1;
		}
		make_behaviour(unit, r);
		make_quota(spec, unit, r);
		if (unit->team)
			make_user_caps(spec, unit, r);
	}
}

static void make_classes(struct spec *spec, uint64_t *r)
{
	spec->classes = random_between(r, 1, CLASSES);
	for (int i = 0; i < spec->classes; i++) {
		spec->class[i].weight = 25 * i;
		spec->class[i].may_borrow = random_chance(r, 92);
		spec->class[i].within = random_chance(r, 85) ?
						NONE :
						random_below(r, 3);
	}
}

static void make_projects(struct spec *spec, uint64_t *r)
{
	spec->projects = random_below(r, PROJECTS + 1);
	for (int i = 0; i < spec->projects; i++) {
		struct spec_project *project = &spec->project[i];

		do
			project->team = random_below(r, spec->units);
		while (!spec->unit[project->team].team);
		for (int c = 0; c < CELLS; c++)
			project->max[c] =
				spec->has_cell[c] && random_chance(r, 30) ?
					(uint64_t) random_between(r, 0, 10) :
					UNLIMITED;
	}
}

/* About what the quotas add up to, sometimes less, sometimes unknown. */
static uint64_t some_capacity(const struct spec *spec, int cell, uint64_t *r)
{
	uint64_t sum = 0;

	for (int i = 0; i < spec->units; i++)
		sum += spec->unit[i].quota[cell].nominal;
	switch (random_below(r, 5)) {
	case 0: return UNLIMITED;
	case 1: return sum * 3 / 4;
	case 2: return sum + (uint64_t) random_between(r, 0, 10);
	default: return sum;
	}
}

/* One rich team and many poor ones: shares decide more than quotas do. */
static void make_bank(struct spec *spec, uint64_t *r)
{
	bool rich = true;

	for (int i = 0; i < spec->units; i++) {
		struct spec_unit *unit = &spec->unit[i];

		for (int c = 0; unit->team && c < CELLS; c++) {
			if (!unit->quota[c].set)
				continue;
			unit->quota[c].nominal =
				(uint64_t) (rich ? random_between(r, 8, 24) :
						   random_below(r, 3));
			unit->quota[c].lend = UNLIMITED;
			if (random_chance(r, 80))
				unit->quota[c].borrow = UNLIMITED;
		}
		if (unit->team && random_chance(r, 90))
			unit->strategy = GOV_LEND_AND_BORROW;
		rich &= !unit->team;
	}
}

static void make_spec(struct spec *spec, uint64_t *r)
{
	memset(spec, 0, sizeof(*spec));
	spec->fair = random_chance(r, 60);
	spec->rank = random_chance(r, 80);
	spec->share_unallocated = random_chance(r, 40);
	spec->clamp = random_chance(r, 85);
	spec->ratio_permille = random_chance(r, 70) ?
				       1500 :
				       1000 + 250 * random_below(r, 8);
	spec->ratio_all = random_chance(r, 10);
	spec->min_runtime = random_chance(r, 50) ?
				    0 :
				    60 * random_between(r, 1, 15);
	spec->grace = random_chance(r, 20) ? 0 : 30 * random_between(r, 1, 8);
	make_cells(spec, r);
	make_units(spec, r);
	if (random_chance(r, 35))
		make_bank(spec, r);
	make_classes(spec, r);
	make_projects(spec, r);
	for (int c = 0; c < CELLS; c++)
		spec->capacity[c] = spec->has_cell[c] ?
					    some_capacity(spec, c, r) :
					    UNLIMITED;
	/* Last, so that a seed makes the same cluster with and without. */
	if (random_chance(r, 25))
		spec->half_life = 60 * random_between(r, 1, 600);
}

/* ---- the events ---- */

struct maker {
	const struct spec *spec;
	uint64_t *r;
	int64_t next_id;
	int64_t recent[64]; /* ids that later events are about */
	int known;
};

static int some_team(struct maker *m)
{
	int unit;

	do
		unit = random_below(m->r, m->spec->units);
	while (!m->spec->unit[unit].team);
	return unit;
}

static int some_cell(struct maker *m)
{
	int cell;

	do
		cell = random_below(m->r, CELLS);
	while (!m->spec->has_cell[cell]);
	return cell;
}

/* Cells of one pool, as jobs ask for them. */
static void make_request(struct maker *m, struct event *event)
{
	int pool = random_below(m->r, m->spec->pools);
	int most = random_chance(m->r, 80) ? 4 : 12;

	event->items = 0;
	for (int t = 0; t < m->spec->tres; t++) {
		int cell = pool * TRES + t;

		if (!m->spec->has_cell[cell] || (t && random_chance(m->r, 40)))
			continue;
		event->item[event->items++] = (struct item){
			cell,
			(uint64_t) random_between(m->r, 1, most),
		};
	}
}

static int64_t some_id(struct maker *m)
{
	return m->known ? m->recent[random_below(m->r, m->known)] : 1;
}

/* As some_id(), and later events are about it rarely. */
static int64_t ending_id(struct maker *m)
{
	int index;
	int64_t id;

	if (!m->known)
		return 1;
	index = random_below(m->r, m->known);
	id = m->recent[index];
	m->recent[index] = m->recent[--m->known];
	return id;
}

static int some_project(struct maker *m, int team)
{
	int project = random_below(m->r, PROJECTS);

	return project < m->spec->projects &&
			       m->spec->project[project].team == team ?
		       project :
		       NONE;
}

static void make_submit(struct maker *m, struct event *event)
{
	int team = some_team(m), flags = 0;

	flags |= random_chance(m->r, 8) ? JOB_NO_BORROW : 0;
	flags |= random_chance(m->r, 10) ? JOB_PROVISIONAL : 0;
	flags |= random_chance(m->r, 15) ? JOB_NO_REQUEUE : 0;
	event->v[0] = m->next_id++;
	event->v[1] = team;
	event->v[2] = random_below(m->r, m->spec->classes);
	event->v[3] = 1000 + random_below(m->r, 3);
	event->v[4] = some_project(m, team);
	event->v[5] = flags;
	make_request(m, event);
	m->recent[m->known < 64 ? m->known++ : random_below(m->r, 64)] =
		event->v[0];
}

static int some_field_value(struct maker *m, enum unit_field field)
{
	switch (field) {
	case FIELD_PRESENT: return random_below(m->r, 2);
	case FIELD_WEIGHT: return random_below(m->r, 8);
	case FIELD_WITHIN: return random_below(m->r, 3);
	case FIELD_STRATEGY:
	case FIELD_RECLAIM:
	case FIELD_BORROWING: return random_below(m->r, 4);
	case FIELD_MIN_RUNTIME:
	case FIELD_MIN_LOAN:
		return random_chance(m->r, 40) ? NONE :
						 60 * random_below(m->r, 10);
	case FIELD_MAX_EVICTIONS: return random_below(m->r, 5) - 1;
	default: return random_below(m->r, 2);
	}
}

static void make_policy_event(struct maker *m, struct event *event)
{
	switch (random_below(m->r, 5)) {
	case 0:
		event->kind = EVENT_UNIT;
		event->v[0] = random_below(m->r, m->spec->units);
		event->v[1] = random_below(m->r, UNIT_FIELDS);
		if (event->v[1] == FIELD_PRESENT)
			event->v[0] = some_team(m);
		event->v[2] = some_field_value(m, (int) event->v[1]);
		break;
	case 1:
		event->kind = EVENT_GLOBAL;
		event->v[0] = random_below(m->r, GLOBAL_FIELDS);
		event->v[1] = random_below(m->r, 2);
		break;
	default:
		event->kind = EVENT_QUOTA;
		event->v[0] = random_below(m->r, m->spec->units);
		event->v[1] = some_cell(m);
		event->v[2] = random_between(m->r, 0, 10);
		event->v[3] = random_chance(m->r, 50) ? -1 :
							random_below(m->r, 5);
		event->v[4] = random_chance(m->r, 50) ? -1 :
							random_below(m->r, 5);
	}
}

static void make_capacity(struct maker *m, struct event *event)
{
	uint64_t usual;

	event->kind = EVENT_CAPACITY;
	event->v[0] = some_cell(m);
	usual = m->spec->capacity[event->v[0]];
	if (usual == UNLIMITED)
		usual = 20;
	event->v[1] = (int64_t) (usual * (uint64_t) random_between(m->r, 2, 5) /
				 4);
}

static void make_event(struct maker *m, struct event *event)
{
	int dice = random_below(m->r, 1000);

	memset(event, 0, sizeof(*event));
	event->v[0] = some_id(m);
	if (dice < 330) {
		event->kind = EVENT_SUBMIT;
		make_submit(m, event);
	} else if (dice < 350) {
		event->kind = EVENT_PUT;
		make_submit(m, event);
	} else if (dice < 620) {
		event->kind = EVENT_START;
		if (random_chance(m->r, 6))
			make_request(m, event);
	} else if (dice < 740) {
		event->kind = EVENT_END;
		event->v[0] = ending_id(m);
	} else if (dice < 760) {
		event->kind = EVENT_REQUEUE;
	} else if (dice < 785) {
		event->kind = EVENT_HOLD;
		event->v[1] = random_below(m->r, 2);
	} else if (dice < 795) {
		event->kind = EVENT_CHECKPOINT;
	} else if (dice < 825) {
		event->kind = EVENT_SEEN;
	} else if (dice < 850) {
		make_capacity(m, event);
	} else if (dice < 950) {
		event->kind = EVENT_TIME;
		event->v[0] = random_chance(m->r, 80) ?
				      random_between(m->r, 1, 120) :
				      random_between(m->r, 120, 5000);
	} else if (dice < 960) {
		event->kind = EVENT_RESTART;
	} else if (dice < 990) {
		make_policy_event(m, event);
	} else {
		event->kind = EVENT_BAD_PUT;
		event->v[1] = random_below(m->r, 8);
	}
}

void history_make(struct history *history, uint64_t seed, size_t events)
{
	uint64_t state = seed * 0x2545f4914f6cdd1du + 1;
	struct maker m = { .spec = &history->spec, .r = &state, .next_id = 1 };

	history->seed = seed;
	make_spec(&history->spec, &state);
	history->event = calloc(events ? events : 1, sizeof(struct event));
	if (!history->event) {
		fputs("out of memory\n", stderr);
		exit(2);
	}
	history->count = events;
	for (size_t i = 0; i < events; i++)
		make_event(&m, &history->event[i]);
}

void history_free(struct history *history)
{
	free(history->event);
	history->event = NULL;
	history->count = 0;
}
