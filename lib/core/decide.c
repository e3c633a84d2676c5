/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way to the fixed point.
 *
 * Teams for which something may have changed put one job each forward.  The
 * first of these, by fair share or in order of coming, is served: it is
 * admitted if it fits, or charged with what is leaving anyway if that is its
 * own; others are told to leave for it if the rules allow that; otherwise it
 * is refused until something changes, and keeps what its team is owed.  Then
 * its team puts the next one forward.
 */
#include <string.h>

#include "core/engine_private.h"

/* Nobody of the team can go on: what must change before somebody could? */
static uint8_t hope_of(const struct gov_engine *engine, uint32_t team)
{
	const struct gov_kind *kind = gov_store_first_kind(&engine->books.store,
							   team);
	uint8_t hope = 0;

	if (kind && gov_engine_is_owed(engine, kind))
		return GOV_HOPE_ANYTHING;
	for (; kind; kind = gov_kind_next(kind))
		hope |= kind->hope;
	return hope;
}

static void put_forward(struct gov_engine *engine, uint32_t team,
			bool may_displace)
{
	struct gov_kind *kind = gov_queue_candidate(engine, team, may_displace);

	/* Else it is settled when nobody of it is left to be served. */
	if (!kind)
		gov_hunger_settle(engine, team, hope_of(engine, team));
	gov_contest_set(&engine->contest, team,
			kind ? gov_kind_head(kind) : NULL);
}

/* Something changed for the team: what it keeps is judged anew as well. */
static void look_at(struct gov_engine *engine, uint32_t team, bool may_displace)
{
	gov_engine_unreserve(engine, team);
	engine->contest.entry[team].displaces = may_displace;
	put_forward(engine, team, may_displace);
}

/*
 * Those whose usage a claim has changed stand otherwise in the contest; in
 * order of coming, all may: what was lent comes back.  All that are still to
 * be served are looked at again.
 */
static void stand_again(struct gov_engine *engine)
{
	const struct gov_search *search = &engine->search;
	const struct gov_entry *entry = engine->contest.entry;
	bool all = engine->policy->idle_sharing == GOV_FIRST_COME;

	for (uint32_t u = 0; u < engine->policy->unit_count; u++) {
		if (!engine->policy->unit[u].is_team || !entry[u].job)
			continue;
		gov_hunger_wake(engine, u);
		if (all)
			gov_contest_set(&engine->contest, u, entry[u].job);
	}
	if (all)
		return;
	for (size_t i = 0; i < search->count; i++) {
		uint32_t team = search->victim[i].job->kind->team;

		if (i && team == search->victim[i - 1].job->kind->team)
			continue;
		gov_contest_set(&engine->contest, team,
				engine->contest.entry[team].job);
	}
}

bool gov_engine_find_victims(struct gov_engine *engine,
			     const struct gov_kind *kind, gov_time_t since,
			     gov_time_t now, bool own_only)
{
	struct gov_search *search = &engine->search;

	if (engine->reclaims_held)
		return false;
	search->now = now;
	search->kind = kind;
	search->since = since;
	search->contended = 0;
	search->own_only = own_only;
	search->owed_only = kind->displaced;
	search->budget = 0;
	search->no_memory = false;
	search->placing = gov_engine_placing(engine, kind, &search->no_memory);
	return !search->no_memory && gov_victims_find(search);
}

static bool find_victims(struct gov_pass *pass, const struct gov_record *job,
			 bool own_only)
{
	struct gov_engine *engine = pass->engine;
	const struct gov_search *search = &engine->search;
	bool found;

	if (engine->reclaims_held)
		return false;
	found = gov_engine_find_victims(engine, job->kind, job->submitted,
					pass->now, own_only);
	pass->no_memory |= search->no_memory;
	if (!found && search->retry_at < engine->retry_at)
		engine->retry_at = search->retry_at;
	return found;
}

/*
 * A search was in vain: what must change before another one is not?  Where all
 * candidates together were not enough, less room does not make them so.
 */
static uint8_t hope_after(const struct gov_engine *engine,
			  const struct gov_kind *kind)
{
	const struct gov_search *search = &engine->search;

	if (engine->reclaims_held || kind->shape || search->cut)
		return GOV_HOPE_ANYTHING;
	return kind->count > 1 || search->rejected ? GOV_HOPE_USAGE :
						     GOV_HOPE_VICTIMS;
}

/* It does not fit, and nobody leaves for it: the next one of its team. */
static void refuse(struct gov_pass *pass, struct gov_kind *kind, bool displaces)
{
	kind->refused = pass->engine->pass;
	if (gov_engine_reserve(pass->engine, kind))
		pass->no_memory = true;
	put_forward(pass->engine, kind->team, displaces);
}

/* true: others were told to leave, and what is free has changed for all. */
static bool serve(struct gov_pass *pass, uint32_t team)
{
	struct gov_engine *engine = pass->engine;
	struct gov_entry *entry = &engine->contest.entry[team];
	struct gov_record *job = gov_kind_head(entry->job->kind);
	struct gov_kind *kind = job->kind;
	bool fits = gov_engine_fits(engine, kind, GOV_NOW);
	bool on_surplus = !fits && gov_queue_claims_surplus(engine, kind);
	bool displaces = entry->displaces || gov_hunger_concerns(engine, team);
	bool claimed = false;

	if (fits && gov_queue_prefers_own(engine, kind)) {
		claimed = find_victims(pass, job, true);
	} else if (!fits && !on_surplus && displaces &&
		   gov_queue_could_displace(engine, kind)) {
		claimed = find_victims(pass, job, false);
		kind->hope = hope_after(engine, kind);
	}
	if (!claimed && !fits && !on_surplus) {
		refuse(pass, kind, displaces);
		return false;
	}
	gov_contest_set(&engine->contest, team, NULL);
	gov_engine_unreserve(engine, team);
	if (claimed)
		gov_pass_claim(pass, job);
	else if (fits)
		gov_pass_admit(pass, job);
	else
		gov_pass_claim_surplus(pass, job);
	entry->displaces = true;
	put_forward(engine, team, true);
	if (claimed)
		stand_again(engine);
	return claimed;
}

/* FirstCome: what others were given may have moved its lenders away. */
static bool is_still_first(struct gov_engine *engine, uint32_t team)
{
	const struct gov_entry *entry = &engine->contest.entry[team];

	if (engine->policy->idle_sharing == GOV_FAIR_SHARE ||
	    gov_books_level(&engine->books, entry->job->kind) ==
		    entry->rank.level)
		return true;
	gov_contest_set(&engine->contest, team, entry->job);
	return false;
}

static void run(struct gov_pass *pass)
{
	struct gov_engine *engine = pass->engine;
	uint32_t team;

	engine->pass++;
	gov_hunger_gather(engine, look_at);
	while (!pass->no_memory &&
	       (team = gov_contest_first(&engine->contest)) != GOV_NONE)
		if (is_still_first(engine, team) && serve(pass, team))
			return;
}

static void wake_in_time(struct gov_engine *engine, gov_time_t now)
{
	if (now < engine->retry_at)
		return;
	engine->retry_at = INT64_MAX;
	gov_hunger_wake_all(engine);
}

int gov_engine_decide(struct gov_engine *engine, gov_time_t now,
		      struct gov_decision_list *list, struct gov_error *error)
{
	struct gov_pass pass = { .engine = engine, .list = list, .now = now };

	gov_engine_tell_time(engine, now);
	gov_pass_stop_due(&pass);
	gov_pass_admit_ready(&pass);
	wake_in_time(engine, now);
	if (gov_hunger_any(engine) || engine->unplaced_due)
		gov_engine_place_admitted(&pass);
	if (gov_hunger_any(engine))
		gov_engine_drop_reserves(engine);
	while (!pass.no_memory &&
	       (gov_hunger_any(engine) ||
		gov_contest_first(&engine->contest) != GOV_NONE))
		run(&pass);
	/* Who is given no time at all. */
	gov_pass_stop_due(&pass);
	if (!pass.no_memory)
		return 0;
	gov_contest_clear(&engine->contest);
	gov_hunger_wake_all(engine);
	return gov_error_set(error, GOV_E_NOMEM, "out of memory");
}

gov_time_t gov_engine_next(const struct gov_engine *engine, gov_time_t now)
{
	const struct gov_avl *node = gov_avl_first(
		&engine->books.store.deadlines);
	gov_time_t next = engine->retry_at;

	if (engine->unplaced_due && now < next)
		next = now + 1;
	if (node) {
		gov_time_t deadline =
			GOV_CONTAINER(node, struct gov_record, by)->deadline;

		next = deadline < next ? deadline : next;
	}
	return next;
}
