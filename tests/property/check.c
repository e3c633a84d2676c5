/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The promises of the semantics, section 5, one name each, checked with the
 * slow arithmetic.  The numbers in the comments are those of that page.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"

#define MOST_RUNTIME (4 * 3600) /* doubling of MinRuntime ends here */

/* ---- room ---- */

static wide least(wide a, wide b)
{
	return a < b ? a : b;
}

static wide held_by_project(const struct cluster *cluster, int project,
			    int cell)
{
	wide sum = 0;

	for (size_t i = 0; i < cluster->count; i++) {
		const struct record *r = &cluster->record[i];
		struct slow_holder holder;

		if (r->project != project || !holds(r->job.state))
			continue;
		holder = holder_of(cluster, r);
		for (int k = 0; k < holder.items; k++)
			if (holder.item[k].cell == cell)
				sum += holder.item[k].amount;
	}
	return sum;
}

static wide held_by_user(const struct cluster *cluster, int team, uint32_t user,
			 int cell)
{
	wide sum = 0;

	for (size_t i = 0; i < cluster->count; i++) {
		const struct record *r = &cluster->record[i];
		struct slow_holder holder;

		if (r->team != team || r->job.user != user ||
		    !holds(r->job.state))
			continue;
		holder = holder_of(cluster, r);
		for (int k = 0; k < holder.items; k++)
			if (holder.item[k].cell == cell)
				sum += holder.item[k].amount;
	}
	return sum;
}

/* Caps of project and user on top of what is held now. */
static wide cap_room(const struct cluster *cluster, const struct record *record,
		     int cell)
{
	const struct spec *spec = &cluster->spec;
	wide room = WIDE_UNLIMITED;
	uint64_t max = spec->unit[record->team].user_max[cell];

	if (max != UNLIMITED)
		room = least(room,
			     (wide) max - held_by_user(cluster, record->team,
						       record->job.user, cell));
	max = record->project == NONE ?
		      UNLIMITED :
		      spec->project[record->project].max[cell];
	if (max != UNLIMITED)
		room = least(room, (wide) max - held_by_project(cluster,
								record->project,
								cell));
	return room;
}

static bool may_borrow(const struct cluster *cluster,
		       const struct record *record)
{
	return !record->job.no_borrow &&
	       cluster->spec.class[record->job.class].may_borrow;
}

/* What a job could be given in a cell; `caps`: what caps leave of it. */
static wide room_in(const struct cluster *cluster, const struct record *record,
		    int cell, wide caps)
{
	const struct slow *slow = &cluster->slow;
	uint64_t capacity = cluster->spec.capacity[cell];
	int team = record->team;
	wide room = least(slow_available(slow, team, cell), caps);

	if (!may_borrow(cluster, record) && slow->counted[team][cell])
		room = least(room, slow->subtree[team][cell] -
					   slow->usage[team][cell]);
	if (cluster->spec.clamp && capacity != UNLIMITED)
		room = least(room, (wide) capacity - slow->held[cell]);
	return room;
}

/* Cells in which the job does not fit, as bits by item of its request. */
static unsigned int missing(const struct cluster *cluster,
			    const struct record *record, const wide *caps)
{
	struct slow_holder holder = holder_of(cluster, record);
	unsigned int bits = 0;

	for (int i = 0; i < holder.items; i++)
		if ((wide) holder.item[i].amount >
		    room_in(cluster, record, holder.item[i].cell, caps[i]))
			bits |= 1u << i;
	return bits;
}

static void caps_of(const struct cluster *cluster, const struct record *record,
		    wide *caps)
{
	struct slow_holder holder = holder_of(cluster, record);

	for (int i = 0; i < holder.items; i++)
		caps[i] = cap_room(cluster, record, holder.item[i].cell);
}

bool fits(const struct cluster *cluster, const struct record *record)
{
	wide caps[ITEMS];

	if (record->job.team == GOV_NONE)
		return false;
	caps_of(cluster, record, caps);
	return !missing(cluster, record, caps);
}

/* ---- admissions ---- */

/* Nothing is started on what is not there yet (4). */
static void check_physical(struct cluster *cluster, const struct record *record)
{
	struct slow_holder holder = holder_of(cluster, record);

	if (!cluster->spec.clamp)
		return;
	for (int i = 0; i < holder.items; i++) {
		int cell = holder.item[i].cell;
		wide there = (wide) holder.item[i].amount;

		if (cluster->spec.capacity[cell] == UNLIMITED)
			continue;
		for (size_t k = 0; k < cluster->count; k++) {
			const struct record *r = &cluster->record[k];
			struct slow_holder h;

			if (r == record || (r->job.state != GOV_JOB_ADMITTED &&
					    r->job.state != GOV_JOB_RUNNING &&
					    r->job.state != GOV_JOB_RECLAIMING))
				continue;
			h = holder_of(cluster, r);
			for (int j = 0; j < h.items; j++)
				if (h.item[j].cell == cell)
					there += h.item[j].amount;
		}
		/* What others overdraw nobody has to wait for. */
		if (record->job.on_surplus &&
		    cluster->slow.held[cell] >
			    (wide) cluster->spec.capacity[cell])
			continue;
		if (there > (wide) cluster->spec.capacity[cell])
			broken(cluster, "starts-on-what-is-there",
			       "job %" PRIu64 " makes %" PRIu64 " of %" PRIu64
			       " in cell %d",
			       record->job.id, (uint64_t) there,
			       cluster->spec.capacity[cell], cell);
	}
}

void check_admission(struct cluster *cluster, struct record *record)
{
	const struct record *asker;

	if (record->job.state == GOV_JOB_CLAIMING) {
		for (size_t i = 0; i < cluster->count; i++)
			if (cluster->record[i].job.state ==
				    GOV_JOB_RECLAIMING &&
			    cluster->record[i].job.asker == record->job.id)
				broken(cluster, "claim-waits-for-victims",
				       "job %" PRIu64 " before %" PRIu64
				       " has left",
				       record->job.id,
				       cluster->record[i].job.id);
	} else if (record->job.state != GOV_JOB_WAITING) {
		broken(cluster, "admits-what-waits",
		       "job %" PRIu64 " in state %d", record->job.id,
		       record->job.state);
	} else if (!fits(cluster, record)) {
		broken(cluster, "admission-within-limits",
		       "job %" PRIu64 " does not fit", record->job.id);
	}
	asker = record->job.asker ? cluster_find(cluster, record->job.asker) :
				    NULL;
	if (asker && (asker->job.state == GOV_JOB_WAITING ||
		      asker->job.state == GOV_JOB_CLAIMING ||
		      asker->job.state == GOV_JOB_ADMITTED))
		broken(cluster, "displaced-never-overtakes",
		       "job %" PRIu64 " before job %" PRIu64
		       " that displaced it",
		       record->job.id, asker->job.id);
	/* A claim waits for its own victims, not for what others overdraw. */
	if (record->job.state == GOV_JOB_WAITING || record->job.on_surplus)
		check_physical(cluster, record);
}

bool is_own(const struct cluster *cluster, const struct record *record)
{
	const struct slow *slow = &cluster->slow;
	struct slow_holder holder = holder_of(cluster, record);

	for (int i = 0; i < holder.items; i++) {
		int cell = holder.item[i].cell;

		if (slow->counted[record->team][cell] &&
		    slow->usage[record->team][cell] +
				    (wide) holder.item[i].amount >
			    slow->subtree[record->team][cell])
			return false;
	}
	return true;
}

void check_surplus(struct cluster *cluster, const struct record *record)
{
	bool leaving = false;

	for (size_t i = 0; i < cluster->count; i++)
		leaving |= cluster->record[i].job.state == GOV_JOB_RECLAIMING;
	if (record->job.state != GOV_JOB_WAITING || !leaving ||
	    !is_own(cluster, record) || !fits(cluster, record))
		broken(cluster, "surplus-is-for-owners",
		       "job %" PRIu64 " is given what leaves for others",
		       record->job.id);
}

void check_verdict(struct cluster *cluster, const struct record *record,
		   const struct gov_verdict *verdict)
{
	bool fit;

	cluster_use(cluster);
	fit = fits(cluster, record);
	if (verdict->admitted && !fit)
		broken(cluster, "admission-within-limits",
		       "verdict admits job %" PRIu64 " that does not fit",
		       record->job.id);
	if (verdict->admitted)
		check_physical(cluster, record);
	if (verdict->never && fit)
		broken(cluster, "never-means-never", "job %" PRIu64 " fits now",
		       record->job.id);
}

/* ---- victims ---- */

static int weight_of(const struct cluster *cluster, const struct record *record)
{
	return cluster->spec.class[record->job.class].weight;
}

static bool may_displace(const struct cluster *cluster, int policy,
			 const struct record *asker,
			 const struct record *victim)
{
	int a = weight_of(cluster, asker), v = weight_of(cluster, victim);

	switch (policy) {
	case GOV_PREEMPT_ANY: return true;
	case GOV_PREEMPT_LOWER: return v < a;
	case GOV_PREEMPT_LOWER_OR_NEWER:
		return v < a ||
		       (v == a && victim->job.submitted > asker->job.submitted);
	default: return false;
	}
}

static bool above(const struct cluster *cluster, int unit, int other)
{
	while (other != NONE && other != unit)
		other = slow_parent(&cluster->slow, other);
	return other == unit;
}

static int common(const struct cluster *cluster, int a, int b)
{
	while (!above(cluster, a, b))
		a = slow_parent(&cluster->slow, a);
	return a;
}

/* The node on the way from `team` up that is just below `top`. */
static int just_below(const struct cluster *cluster, int team, int top)
{
	int parent;

	while ((parent = slow_parent(&cluster->slow, team)) != top)
		team = parent;
	return team;
}

/*
 * Is every node from the victim's team up to the common ancestor over its
 * guarantee in a cell that is contended and that the victim uses (2)?
 */
static bool borrows_all_the_way(const struct cluster *cluster,
				const struct record *asker,
				const struct record *victim,
				const bool *contended)
{
	int top = common(cluster, asker->team, victim->team);
	struct slow_holder holder = holder_of(cluster, victim);

	for (int n = victim->team; n != top;
	     n = slow_parent(&cluster->slow, n)) {
		bool over = false;

		for (int i = 0; i < holder.items; i++)
			over |= contended[holder.item[i].cell] &&
				slow_over(&cluster->slow, n,
					  holder.item[i].cell) > 0;
		if (!over)
			return false;
	}
	return true;
}

/* What others left for a job is its until it starts, for so long (4). */
#define START_TIME 60

/* How long a job must have run before rules 1 and 3 may take it (8). */
static int64_t min_runtime(const struct cluster *cluster,
			   const struct record *victim)
{
	int64_t base = cluster->spec.unit[victim->team].min_runtime;

	if (base == NONE)
		base = cluster->spec.min_runtime;
	for (uint32_t i = 0;
	     i < victim->job.evictions && base && base < MOST_RUNTIME; i++)
		base = base * 2 < MOST_RUNTIME ? base * 2 : MOST_RUNTIME;
	return base;
}

static void check_protection(struct cluster *cluster,
			     const struct record *asker,
			     const struct record *victim, enum gov_rule rule)
{
	int budget = cluster->spec.unit[victim->team].max_evictions;
	int loan = cluster->spec.unit[asker->team].min_loan;
	int64_t ran = cluster->now - victim->job.started;

	if (victim->job.state == GOV_JOB_ADMITTED && victim->job.arrived &&
	    rule != GOV_RULE_RECLAIM &&
	    cluster->now < victim->job.arrived + START_TIME)
		broken(cluster, "protection-start",
		       "job %" PRIu64 " has had what others left for %" PRId64
		       " s",
		       victim->job.id, cluster->now - victim->job.arrived);
	if (victim->job.state != GOV_JOB_RUNNING)
		return;
	if (rule == GOV_RULE_RECLAIM) {
		if (loan != NONE && ran < loan)
			broken(cluster, "protection-min-loan",
			       "job %" PRIu64 " has its loan for %" PRId64
			       " of %d s",
			       victim->job.id, ran, loan);
		return;
	}
	if (rule != GOV_RULE_WITHIN_TEAM && rule != GOV_RULE_FAIR_SHARE)
		return;
	if (ran < min_runtime(cluster, victim))
		broken(cluster, "protection-min-runtime",
		       "job %" PRIu64 " has run %" PRId64 " of %" PRId64 " s",
		       victim->job.id, ran, min_runtime(cluster, victim));
	if (budget != NONE && victim->job.evictions >= (uint32_t) budget)
		broken(cluster, "protection-budget",
		       "job %" PRIu64 " was evicted %u of %d times",
		       victim->job.id, victim->job.evictions, budget);
}

static int within_policy(const struct cluster *cluster,
			 const struct record *asker)
{
	int of_class = cluster->spec.class[asker->job.class].within;

	return of_class != NONE ? of_class :
				  cluster->spec.unit[asker->team].within;
}

/* Rule 3, with the asker and what is left of the victims charged. */
static bool share_allows(struct cluster *cluster, const struct record *asker,
			 const struct record *victim)
{
	struct slow *slow = &cluster->slow;
	struct slow_holder a = holder_of(cluster, asker);
	struct slow_holder v = holder_of(cluster, victim);
	int top = common(cluster, asker->team, victim->team);
	int mine = just_below(cluster, asker->team, top);
	int its = just_below(cluster, victim->team, top);
	struct slow_share asking, before, after;

	slow_add(slow, &a, 1);
	slow_sum(slow);
	asking = slow_share(slow, mine);
	before = slow_share(slow, its);
	slow_add(slow, &v, -1);
	slow_sum(slow);
	after = slow_share(slow, its);
	slow_add(slow, &v, 1);
	slow_add(slow, &a, -1);
	slow_sum(slow);
	return slow_compare(&asking, &after) <= 0 ||
	       slow_compare(&asking, &before) < 0;
}

static void check_victim(struct cluster *cluster, const struct record *asker,
			 const struct record *victim, enum gov_rule rule,
			 const bool *contended)
{
	const struct spec_unit *team = &cluster->spec.unit[asker->team];
	bool own = victim->team == asker->team, allowed = true;

	switch (rule) {
	case GOV_RULE_WITHIN_TEAM:
		allowed = own &&
			  may_displace(cluster, within_policy(cluster, asker),
				       asker, victim);
		break;
	case GOV_RULE_RECLAIM:
		allowed = !own &&
			  may_displace(cluster, team->reclaim, asker, victim);
		break;
	case GOV_RULE_FAIR_SHARE:
		allowed = !own && cluster->spec.fair &&
			  may_displace(cluster, team->reclaim, asker, victim) &&
			  share_allows(cluster, asker, victim);
		break;
	case GOV_RULE_WHILE_BORROWING:
		allowed = !own &&
			  may_displace(cluster, team->borrowing, asker,
				       victim) &&
			  weight_of(cluster, victim) <
				  weight_of(cluster, asker) &&
			  (team->borrowing_max == NONE ||
			   weight_of(cluster, victim) <= team->borrowing_max);
		break;
	default: allowed = false;
	}
	if (!allowed)
		broken(cluster, "rule-allows-it",
		       "rule %d does not let job %" PRIu64 " take %" PRIu64,
		       rule, asker->job.id, victim->job.id);
	if (!own && !borrows_all_the_way(cluster, asker, victim, contended))
		broken(cluster, "no-eviction-below-guarantee",
		       "job %" PRIu64 " of team %d for %" PRIu64
		       ": within its guarantee",
		       victim->job.id, victim->team, asker->job.id);
	check_protection(cluster, asker, victim, rule);
}

/*
 * A reclaiming asker ends inside its own nominal, or that of a unit of its
 * own that the victim is not in (3).  The asker is charged.
 */
static void check_ends_inside(struct cluster *cluster,
			      const struct record *asker,
			      const struct record *victim,
			      const bool *contended)
{
	int top = common(cluster, asker->team, victim->team);

	for (int n = asker->team; n != top;
	     n = slow_parent(&cluster->slow, n)) {
		bool inside = true;

		for (int c = 0; c < CELLS; c++)
			inside &= !contended[c] ||
				  !slow_over(&cluster->slow, n, c);
		if (inside)
			return;
	}
	broken(cluster, "reclaim-ends-inside-nominal",
	       "job %" PRIu64 " takes %" PRIu64 " back and ends over",
	       asker->job.id, victim->job.id);
}

/* evicted / requested (7), for rule 3 or where it is set for all rules. */
static void check_ratio(struct cluster *cluster, const struct record *asker,
			const struct gov_decision *d, size_t count,
			const bool *contended)
{
	struct slow_holder a = holder_of(cluster, asker);
	bool applies = cluster->spec.ratio_all;

	for (size_t i = 0; i < count; i++)
		applies |= d[i].rule == GOV_RULE_FAIR_SHARE;
	for (int k = 0; applies && k < a.items; k++) {
		wide evicted = 0;

		if (!contended[a.item[k].cell])
			continue;
		for (size_t i = 0; i < count; i++) {
			struct slow_holder v = holder_of(
				cluster, cluster_find(cluster, d[i].job));

			for (int j = 0; j < v.items; j++)
				if (v.item[j].cell == a.item[k].cell)
					evicted += v.item[j].amount;
		}
		if (evicted * 1000 >
		    (wide) a.item[k].amount * cluster->spec.ratio_permille)
			broken(cluster, "max-evict-ratio",
			       "job %" PRIu64 " of %" PRIu64 " costs %" PRIu64
			       " in cell %d",
			       asker->job.id, a.item[k].amount,
			       (uint64_t) evicted, a.item[k].cell);
	}
}

/* Take the listed victims out of what is charged, one after the other, each
 * judged on what the earlier ones left; `but` is spared (count: nobody). */
static void take_all(struct cluster *cluster, const struct record *asker,
		     const struct gov_decision *d, size_t count, size_t but,
		     const bool *contended)
{
	for (size_t i = 0; i < count; i++) {
		struct record *victim = cluster_find(cluster, d[i].job);
		struct slow_holder v = holder_of(cluster, victim);

		if (i == but)
			continue;
		check_victim(cluster, asker, victim, d[i].rule, contended);
		victim->job.state = GOV_JOB_RECLAIMING;
		slow_add(&cluster->slow, &v, -1);
		slow_sum(&cluster->slow);
	}
}

static void put_all_back(struct cluster *cluster, const struct gov_decision *d,
			 size_t count, size_t but)
{
	for (size_t i = 0; i < count; i++) {
		struct record *victim = cluster_find(cluster, d[i].job);
		struct slow_holder v = holder_of(cluster, victim);

		if (i == but)
			continue;
		victim->job.state = d[i].kind == GOV_NOTICE ? GOV_JOB_RUNNING :
							      GOV_JOB_ADMITTED;
		slow_add(&cluster->slow, &v, 1);
	}
	slow_sum(&cluster->slow);
}

/* With the victims gone: does who takes back end inside what it owns? */
static void check_all_inside(struct cluster *cluster,
			     const struct record *asker,
			     const struct gov_decision *d, size_t count,
			     size_t but, const bool *contended)
{
	struct slow_holder a = holder_of(cluster, asker);

	slow_add(&cluster->slow, &a, 1);
	slow_sum(&cluster->slow);
	for (size_t i = 0; i < count; i++)
		if (i != but && d[i].rule == GOV_RULE_RECLAIM)
			check_ends_inside(cluster, asker,
					  cluster_find(cluster, d[i].job),
					  contended);
	slow_add(&cluster->slow, &a, -1);
	slow_sum(&cluster->slow);
}

/*
 * Is there a victim without whom the others would be a legal set and make the
 * asker fit (7)?  Own jobs may be needed only so that it ends inside its own.
 */
static void check_minimal(struct cluster *cluster, const struct record *asker,
			  const struct gov_decision *d, size_t count,
			  const bool *contended)
{
	struct violation *real = cluster->violation;

	for (size_t i = 0; i < count && !real->found; i++) {
		struct violation objection = { .found = false };
		bool fit;

		cluster->violation = &objection;
		take_all(cluster, asker, d, count, i, contended);
		check_all_inside(cluster, asker, d, count, i, contended);
		fit = fits(cluster, asker);
		put_all_back(cluster, d, count, i);
		cluster->violation = real;
		if (fit && !objection.found)
			broken(cluster, "minimal-victims",
			       "job %" PRIu64 " fits with %" PRIu64
			       " still there",
			       asker->job.id, d[i].job);
	}
}

/* Cells in which the asker does not fit before anybody gives way. */
static bool contended_cells(struct cluster *cluster, const struct record *asker,
			    bool *contended)
{
	struct slow_holder holder = holder_of(cluster, asker);
	wide caps[ITEMS];
	unsigned int bits;

	memset(contended, 0, CELLS * sizeof(*contended));
	caps_of(cluster, asker, caps);
	bits = missing(cluster, asker, caps);
	for (int i = 0; i < holder.items; i++)
		contended[holder.item[i].cell] = bits >> i & 1;
	return bits;
}

static bool valid_plan(struct cluster *cluster, const struct record *asker,
		       const struct gov_decision *d, size_t count)
{
	if (!asker || asker->job.state != GOV_JOB_WAITING ||
	    asker->job.provisional || asker->job.team == GOV_NONE) {
		broken(cluster, "victims-only-if-asker-fits",
		       "job %" PRIu64 " is evicted for %" PRIu64
		       ", which is no asker",
		       d->job, d->asker);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		const struct record *victim = cluster_find(cluster, d[i].job);
		int state = d[i].kind == GOV_NOTICE ? GOV_JOB_RUNNING :
						      GOV_JOB_ADMITTED;

		if (!victim || victim->job.state != state ||
		    victim->job.team == GOV_NONE) {
			broken(cluster, "victims-run",
			       "job %" PRIu64 " cannot give way", d[i].job);
			return false;
		}
	}
	return true;
}

/*
 * `d` is one asker's plan; the state is that before it.  Leaves the state as
 * it found it.
 */
void check_plan(struct cluster *cluster, const struct gov_decision *d,
		size_t count)
{
	struct record *asker = cluster_find(cluster, d->asker);
	bool contended[CELLS];

	if (!valid_plan(cluster, asker, d, count))
		return;
	if (!contended_cells(cluster, asker, contended) &&
	    !cluster->spec.unit[asker->team].prefer_own)
		broken(cluster, "idle-before-eviction",
		       "job %" PRIu64 " fits without victims", asker->job.id);
	take_all(cluster, asker, d, count, count, contended);
	if (!fits(cluster, asker))
		broken(cluster, "victims-only-if-asker-fits",
		       "job %" PRIu64 " does not fit after its victims",
		       asker->job.id);
	check_all_inside(cluster, asker, d, count, count, contended);
	put_all_back(cluster, d, count, count);
	check_ratio(cluster, asker, d, count, contended);
	if (!cluster->spec.unit[asker->team].prefer_own)
		check_minimal(cluster, asker, d, count, contended);
}
