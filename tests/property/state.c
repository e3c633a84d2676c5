/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Promises about the state that a pass leaves behind. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"

/* ---- the numbers (9) ---- */

static wide sum_of(const struct cluster *cluster, int team, int cell, int state)
{
	wide sum = 0;

	for (size_t i = 0; i < cluster->count; i++) {
		const struct record *r = &cluster->record[i];
		struct slow_holder h;

		if (r->job.team == GOV_NONE || r->team != team ||
		    r->job.state != state)
			continue;
		h = holder_of(cluster, r);
		for (int k = 0; k < h.items; k++)
			if (h.item[k].cell == cell)
				sum += h.item[k].amount;
	}
	return sum;
}

static void check_number(struct cluster *cluster, int unit, int cell,
			 const char *what, gov_amount_t got, wide want)
{
	if ((wide) got != want)
		broken(cluster, "usage-recomputable",
		       "unit %d cell %d: %s is %" PRIu64 ", should be %" PRIu64,
		       unit, cell, what, got, (uint64_t) want);
}

static void check_team_view(struct cluster *cluster, int team, int cell)
{
	const struct slow *slow = &cluster->slow;
	wide usage = slow->usage[team][cell];
	wide nominal = slow->nominal[team][cell];
	struct gov_cell_view view;

	if (!slow->counted[team][cell])
		return;
	gov_engine_view(cluster->engine, unit_index(cluster->policy, team),
			cell_index(cluster->policy, cell), &view);
	check_number(cluster, team, cell, "nominal", view.nominal, nominal);
	check_number(cluster, team, cell, "usage", view.usage, usage);
	check_number(cluster, team, cell, "own", view.own,
		     usage < nominal ? usage : nominal);
	check_number(cluster, team, cell, "borrowed", view.borrowed,
		     usage > nominal ? usage - nominal : 0);
	check_number(cluster, team, cell, "leaving", view.leaving,
		     sum_of(cluster, team, cell, GOV_JOB_RECLAIMING));
	check_number(cluster, team, cell, "waiting", view.waiting,
		     sum_of(cluster, team, cell, GOV_JOB_WAITING));
}

static void check_views(struct cluster *cluster)
{
	const struct spec *spec = &cluster->spec;
	struct gov_cell_view view;

	for (int c = 0; c < CELLS; c++) {
		if (!spec->has_cell[c])
			continue;
		for (int u = 0; u < spec->units; u++) {
			if (!spec->unit[u].present)
				continue;
			if (spec->unit[u].team)
				check_team_view(cluster, u, c);
			gov_engine_view(cluster->engine,
					unit_index(cluster->policy, u),
					cell_index(cluster->policy, c), &view);
			check_number(cluster, u, c, "subtree", view.subtree,
				     cluster->slow.subtree[u][c]);
		}
	}
}

static void check_audit(struct cluster *cluster)
{
	struct gov_error error;

	cluster->tally->audits++;
	if (gov_engine_audit(cluster->engine, &error))
		broken(cluster, "audit", "%s", error.text);
}

/* ---- loans (13) ---- */

static void check_loans(struct cluster *cluster)
{
	const struct slow *slow = &cluster->slow;
	static wide borrowed[UNITS][CELLS], lent[UNITS][CELLS];
	struct gov_loan *loan = NULL;
	long count = gov_engine_loans(cluster->engine, &loan);

	memset(borrowed, 0, sizeof(borrowed));
	memset(lent, 0, sizeof(lent));
	for (long i = 0; i < count; i++) {
		int cell = cell_of(cluster->policy, loan[i].cell);
		int borrower = unit_of(cluster->policy, loan[i].borrower);
		int lender = unit_of(cluster->policy, loan[i].lender);

		if (borrower == NONE || lender == borrower || !loan[i].amount)
			broken(cluster, "lent-equals-borrowed",
			       "a loan of %" PRIu64 " from %d to %d",
			       loan[i].amount, lender, borrower);
		else
			borrowed[borrower][cell] += loan[i].amount;
		if (lender != NONE)
			lent[lender][cell] += loan[i].amount;
	}
	free(loan);
	for (int u = 0; u < cluster->spec.units; u++)
		for (int c = 0; c < CELLS; c++) {
			wide over = slow->usage[u][c] - slow->nominal[u][c];

			if (!cluster->spec.unit[u].present ||
			    !slow->counted[u][c])
				continue;
			if (cluster->spec.unit[u].team &&
			    borrowed[u][c] != (over > 0 ? over : 0))
				broken(cluster, "lent-equals-borrowed",
				       "team %d cell %d borrows %" PRIu64
				       ", its loans are %" PRIu64,
				       u, c, (uint64_t) (over > 0 ? over : 0),
				       (uint64_t) borrowed[u][c]);
			if (lent[u][c] > slow->nominal[u][c] ||
			    (cluster->spec.unit[u].team && lent[u][c] > 0 &&
			     lent[u][c] > -over))
				broken(cluster, "lent-equals-borrowed",
				       "unit %d cell %d lends %" PRIu64
				       " of what it has not",
				       u, c, (uint64_t) lent[u][c]);
		}
}

/* ---- progress (5) ---- */

static void check_fixed_point(struct cluster *cluster)
{
	struct gov_error error;

	gov_decision_list_clear(&cluster->list);
	if (gov_engine_decide(cluster->engine, cluster->now, &cluster->list,
			      &error))
		broken(cluster, "decides", "%s", error.text);
	else if (cluster->list.count)
		broken(cluster, "fixed-point",
		       "a second pass decides %d about job %" PRIu64,
		       cluster->list.item[0].kind, cluster->list.item[0].job);
}

/* A claim whose victims are all gone is served. */
static void check_claims(struct cluster *cluster)
{
	for (size_t i = 0; i < cluster->count; i++) {
		const struct record *r = &cluster->record[i];
		bool leaving = false;

		if (r->job.state != GOV_JOB_CLAIMING)
			continue;
		for (size_t k = 0; k < cluster->count; k++)
			leaving |= cluster->record[k].job.state ==
				   GOV_JOB_RECLAIMING;
		if (!leaving)
			broken(cluster, "claim-is-served",
			       "job %" PRIu64 " claims, and nobody leaves",
			       r->job.id);
	}
}

static int weight(const struct cluster *cluster, const struct record *r)
{
	return cluster->spec.rank ? cluster->spec.class[r->job.class].weight :
				    0;
}

/*
 * Does a come before b in the queue of their team?  Between users it depends on
 * what they had lately: then `else_so`.
 */
static bool comes_before(const struct cluster *cluster, const struct record *a,
			 const struct record *b, bool else_so)
{
	if (cluster->spec.half_life && a->job.user != b->job.user)
		return else_so;
	if (weight(cluster, a) != weight(cluster, b))
		return weight(cluster, a) > weight(cluster, b);
	if (a->job.submitted != b->job.submitted)
		return a->job.submitted < b->job.submitted;
	return a->job.id < b->job.id;
}

/* Does a ask for no more than b, under no other limits? */
static bool no_harder(const struct cluster *cluster, const struct record *a,
		      const struct record *b)
{
	struct slow_holder x = holder_of(cluster, a);
	struct slow_holder y = holder_of(cluster, b);

	if (a->job.user != b->job.user || a->project != b->project ||
	    a->job.class != b->job.class ||
	    a->job.no_borrow != b->job.no_borrow)
		return false;
	for (int i = 0; i < x.items; i++) {
		bool less = false;

		for (int k = 0; k < y.items; k++)
			less |= y.item[k].cell == x.item[i].cell &&
				y.item[k].amount >= x.item[i].amount;
		if (!less)
			return false;
	}
	return true;
}

static bool waits_for_another(struct cluster *cluster, const struct record *r)
{
	const struct record *asker = r->job.asker ? cluster_find(cluster,
								 r->job.asker) :
						    NULL;

	return asker && (asker->job.state == GOV_JOB_WAITING ||
			 asker->job.state == GOV_JOB_CLAIMING ||
			 asker->job.state == GOV_JOB_INELIGIBLE ||
			 asker->job.state == GOV_JOB_ADMITTED);
}

/* Own jobs may have to give way for it, once it is known to exist. */
static bool waits_to_be_seen(const struct cluster *cluster,
			     const struct record *r)
{
	return r->job.provisional && cluster->spec.unit[r->team].prefer_own;
}

static bool share_a_pool(const struct cluster *cluster, const struct record *a,
			 const struct record *b)
{
	struct slow_holder x = holder_of(cluster, a);
	struct slow_holder y = holder_of(cluster, b);

	for (int i = 0; i < x.items; i++)
		for (int k = 0; k < y.items; k++)
			if (x.item[i].cell / TRES == y.item[k].cell / TRES)
				return true;
	return false;
}

/*
 * Nobody is passed by a later job of its team that asks as much; in a strict
 * queue, by none that wants the same pool.
 */
static void check_order(struct cluster *cluster, const struct record *late)
{
	for (size_t i = 0; i < cluster->count; i++) {
		const struct record *r = &cluster->record[i];

		if (r == late || r->job.state != GOV_JOB_WAITING ||
		    r->team != late->team || r->job.team == GOV_NONE ||
		    waits_for_another(cluster, r) ||
		    waits_to_be_seen(cluster, r))
			continue;
		if (comes_before(cluster, r, late, false) &&
		    no_harder(cluster, r, late))
			broken(cluster, "order-in-team",
			       "job %" PRIu64 " passed job %" PRIu64,
			       late->job.id, r->job.id);
		if (comes_before(cluster, r, late, false) &&
		    share_a_pool(cluster, r, late) &&
		    cluster->spec.unit[r->team].queueing == GOV_STRICT)
			broken(cluster, "strict-queue-is-strict",
			       "job %" PRIu64 " passed job %" PRIu64,
			       late->job.id, r->job.id);
	}
}

static bool share_a_cell(const struct cluster *cluster, const struct record *a,
			 const struct record *b)
{
	struct slow_holder x = holder_of(cluster, a);
	struct slow_holder y = holder_of(cluster, b);

	for (int i = 0; i < x.items; i++)
		for (int k = 0; k < y.items; k++)
			if (x.item[i].cell == y.item[k].cell)
				return true;
	return false;
}

/* Do quotas promise more than there is? */
static bool is_oversold(const struct cluster *cluster, int cell)
{
	const struct spec *spec = &cluster->spec;
	wide promised = 0;

	for (int u = 0; u < spec->units; u++)
		if (spec->unit[u].present)
			promised += cluster->slow.nominal[u][cell];
	return spec->capacity[cell] != UNLIMITED &&
	       promised > (wide) spec->capacity[cell];
}

static bool is_above(const struct slow *slow, int node, int unit)
{
	while (unit != NONE && unit != node)
		unit = slow_parent(slow, unit);
	return unit == node;
}

/*
 * Would the team, or a unit above it that the other is not below, still be
 * inside what it owns with this much more?
 */
static bool stays_inside(const struct slow *slow, int team, int other, int cell,
			 wide amount)
{
	for (int n = team; !is_above(slow, n, other);
	     n = slow_parent(slow, n)) {
		wide own = slow->local[n][cell] - slow->usage[n][cell];

		if (!slow->counted[n][cell] ||
		    slow->usage[n][cell] + amount <= slow->subtree[n][cell])
			return true;
		if (own > 0)
			amount -= own < amount ? own : amount;
	}
	return false;
}

/* May what the waiting job r is owed be kept from this one of another team? */
static bool kept_by(const struct cluster *cluster, const struct record *r,
		    const struct record *job)
{
	struct slow_holder x = holder_of(cluster, job);
	struct slow_holder y = holder_of(cluster, r);

	for (int i = 0; i < x.items; i++)
		for (int k = 0; k < y.items; k++)
			if (x.item[i].cell == y.item[k].cell &&
			    (is_oversold(cluster, x.item[i].cell) ||
			     !stays_inside(&cluster->slow, job->team, r->team,
					   x.item[i].cell,
					   (wide) x.item[i].amount)))
				return true;
	return false;
}

/* In a strict queue, behind an earlier one that wants the same pool. */
static bool held_back(const struct cluster *cluster, const struct record *r,
		      const struct record *job)
{
	return cluster->spec.unit[job->team].queueing == GOV_STRICT &&
	       comes_before(cluster, r, job, true) &&
	       share_a_pool(cluster, r, job);
}

/* Is room on its way to somebody, or the job not to be served yet? */
static bool unsettled(struct cluster *cluster, const struct record *job)
{
	for (size_t i = 0; i < cluster->count; i++) {
		int state = cluster->record[i].job.state;

		if (state == GOV_JOB_RECLAIMING || state == GOV_JOB_CLAIMING)
			return true;
	}
	return waits_to_be_seen(cluster, job) ||
	       waits_for_another(cluster, job);
}

/*
 * Nobody waits for what is free and kept for nobody; and what a blocked head
 * of another team keeps is not kept from who stays inside what it owns.
 */
static void check_idle(struct cluster *cluster, const struct record *job)
{
	bool others = false;

	for (size_t i = 0; i < cluster->count; i++) {
		const struct record *r = &cluster->record[i];

		if (r == job || r->job.team == GOV_NONE ||
		    r->job.state != GOV_JOB_WAITING)
			continue;
		if (r->team == job->team ? held_back(cluster, r, job) :
					   kept_by(cluster, r, job))
			return;
		others |= r->team != job->team && share_a_cell(cluster, r, job);
	}
	broken(cluster,
	       others ? "guarantee-not-kept-by-others" : "work-conserving",
	       "job %" PRIu64 " fits and waits", job->job.id);
}

static void check_no_idle(struct cluster *cluster)
{
	for (size_t i = 0; i < cluster->count; i++) {
		const struct record *r = &cluster->record[i];

		if (r->job.state == GOV_JOB_WAITING &&
		    r->job.team != GOV_NONE && !unsettled(cluster, r) &&
		    fits(cluster, r))
			check_idle(cluster, r);
	}
}

/* Do healthy nodes do for all that was promised in its cells? */
static bool is_covered(const struct cluster *cluster, const struct record *job)
{
	struct slow_holder holder = holder_of(cluster, job);

	for (int i = 0; i < holder.items; i++) {
		int cell = holder.item[i].cell;
		wide promised = 0;

		for (int u = 0; u <= UNITS; u++)
			promised += cluster->slow.nominal[u][cell];
		if (cluster->spec.capacity[cell] != UNLIMITED &&
		    promised > (wide) cluster->spec.capacity[cell])
			return false;
	}
	return true;
}

/*
 * What is its team's own, and is free or leaving, is nobody else's: the job
 * has it at once.
 */
static void check_own(struct cluster *cluster)
{
	for (size_t i = 0; i < cluster->count; i++) {
		const struct record *r = &cluster->record[i];

		if (r->job.state == GOV_JOB_WAITING &&
		    r->job.team != GOV_NONE &&
		    cluster->spec.unit[r->team].queueing != GOV_STRICT &&
		    is_own(cluster, r) && is_covered(cluster, r) &&
		    !waits_for_another(cluster, r) && fits(cluster, r))
			broken(cluster, "own-is-had-at-once",
			       "job %" PRIu64 " waits for what is its own",
			       r->job.id);
	}
}

void check_state(struct cluster *cluster)
{
	cluster_use(cluster);
	if (cluster->spec.units < 12 || cluster->event % 8 == 0)
		check_views(cluster);
	if (cluster->event % 4 == 0)
		check_loans(cluster);
	if (cluster->event % 16 == 0)
		check_audit(cluster);
	check_claims(cluster);
	for (size_t i = 0; i < cluster->count; i++)
		if (cluster->record[i].fresh)
			check_order(cluster, &cluster->record[i]);
	check_no_idle(cluster);
	check_own(cluster);
	check_fixed_point(cluster);
}

/* ---- the same state decides the same (10), and survives a restart ---- */

struct gov_engine *twin_before(struct cluster *cluster)
{
	/* Scores are snapshots, made at other times in an engine made anew. */
	if (cluster->spec.half_life)
		return NULL;
	cluster->tally->twins++;
	return cluster_twin(cluster, cluster->event % 32 == 0);
}

/* Is this a stop that only the twin does not know to have been given? */
static bool known_stop(struct cluster *cluster, const struct gov_decision *d)
{
	const struct record *r = cluster_find(cluster, d->job);

	return d->kind == GOV_STOP && r && r->stopped;
}

static bool same_decision(const struct gov_decision *a,
			  const struct gov_decision *b)
{
	return a->kind == b->kind && a->job == b->job && a->asker == b->asker &&
	       a->rule == b->rule && a->deadline == b->deadline;
}

void check_twin(struct cluster *cluster, struct gov_engine *twin)
{
	const struct gov_decision_list *ours = &cluster->list;
	struct gov_decision_list theirs = { 0 };
	struct gov_error error;
	size_t i = 0;

	if (gov_engine_decide(twin, cluster->now, &theirs, &error))
		broken(cluster, "decides", "%s", error.text);
	for (size_t k = 0; k < theirs.count; k++) {
		if (known_stop(cluster, &theirs.item[k]))
			continue;
		if (i < ours->count &&
		    same_decision(&ours->item[i], &theirs.item[k])) {
			i++;
			continue;
		}
		broken(cluster, "same-state-same-decision",
		       "a new engine decides %d about job %" PRIu64
		       ", the old one %d about %" PRIu64,
		       theirs.item[k].kind, theirs.item[k].job,
		       i < ours->count ? (int) ours->item[i].kind : -1,
		       i < ours->count ? ours->item[i].job : 0);
		break;
	}
	if (i < ours->count)
		broken(cluster, "same-state-same-decision",
		       "a new engine does not decide %d about job %" PRIu64,
		       ours->item[i].kind, ours->item[i].job);
	gov_decision_list_free(&theirs);
	gov_engine_destroy(twin);
}
