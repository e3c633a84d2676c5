/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kinds that core/cycle.h decides: one pass after the other over the heads of
 * all teams, as the corpus's scheduler makes them.  This file keeps the queues
 * between passes; who is admitted, who gives way and who is set aside is said
 * by the core.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/cycle.h"
#include "core/history.h"
#include "core/order.h"
#include "jobs.h"
#include "kinds.h"
#include "parts.h"
#include "text.h"
#include "world.h"

/* A pending job over all passes. */
struct waiting {
	struct json_object *record;
	struct world_place place;
	struct gov_job job;
	struct parts parts;
	struct gov_assign_start start[GOV_PARTS_MAX][GOV_GROUPS_MAX];
	bool started_over; /* start[] says nothing yet */
	bool admitted, parked, claimant;
	bool tried;
	unsigned int admitted_in; /* pass */
	enum gov_outcome outcome;
	struct gov_assignment assignment;
};

struct run {
	struct json_object *json;
	struct world world;
	struct waiting *waiting;
	size_t count;
	bool *ended; /* running jobs that are over */
	unsigned int pass;
	const char *preempted[256]; /* name, rule, name, rule, … */
	size_t preempted_count;
	struct note *note;
};

static bool gate(const struct run *run, const char *name, bool otherwise)
{
	return text_bool_or(text_get(text_get(run->json, "config"), "gates"),
			    name, otherwise);
}

/* ---- queues ---- */

static void run_open(struct run *run, struct json_object *json,
		     struct note *note)
{
	struct json_object *pending = text_need(json, "pending");

	*run = (struct run){ .json = json, .note = note };
	world_create(&run->world, json);
	run->count = text_length(pending);
	run->waiting = calloc(run->count + 1, sizeof(*run->waiting));
	run->ended = calloc(text_length(text_get(json, "running")) + 1,
			    sizeof(bool));
	if (!run->waiting || !run->ended)
		text_fail("out of memory");
	for (size_t i = 0; i < run->count; i++) {
		struct waiting *w = &run->waiting[i];

		w->record = text_at(pending, i);
		w->place = world_team(&run->world,
				      text_string(w->record, "team"));
		world_pending(&run->world, w->record, &w->job);
		parts_create(&w->parts, &run->world,
			     world_team_record(&run->world,
					       text_string(w->record, "team")),
			     w->record);
		w->started_over = true;
	}
}

static void run_close(struct run *run)
{
	for (size_t i = 0; i < run->count; i++)
		parts_destroy(&run->waiting[i].parts);
	free(run->waiting);
	free(run->ended);
	world_destroy(&run->world);
}

/* cpu is counted in thousandths in the corpus, but scored as cpus. */
static double scored(const char *resource, double amount)
{
	return strcmp(resource, "cpu") ? amount : amount / 1000;
}

/* What a user's admitted jobs add before their first sample. */
static double pending_score(const struct run *run, const char *user)
{
	struct json_object *config = text_get(text_get(run->json, "config"),
					      "usage_history");
	double sum = 0;

	for (size_t i = 0; i < run->count; i++) {
		const struct waiting *w = &run->waiting[i];

		if (!w->admitted ||
		    strcmp(text_string_or(w->record, "user", ""), user))
			continue;
		for (uint32_t k = 0; k < w->assignment.request.count; k++)
			sum += scored(
				world_resource(
					&run->world,
					w->assignment.request.item[k].cell),
				(double) w->assignment.request.item[k].amount);
	}
	return gov_history_pending(
		sum, (double) text_integer_or(config, "sampling_s", 0),
		(double) text_integer_or(config, "half_life_s", 0));
}

static double user_score(const struct run *run, const char *user)
{
	struct json_object *record = text_get(text_get(run->json, "users"),
					      user);
	struct json_object *consumed = text_get(record, "consumed");
	double mean = 0, pending = pending_score(run, user), weight = 1;

	if (text_get(record, "weight"))
		weight = json_object_get_double(text_get(record, "weight"));
	if (consumed) {
		json_object_object_foreach(consumed, resource, amount)
			mean += scored(resource,
				       json_object_get_double(amount));
	}
	return gov_history_score(&mean, &pending, NULL, 1, weight);
}

static struct gov_waiting_rank rank_of(const struct run *run,
				       const struct waiting *w)
{
	struct json_object *team = world_team_record(&run->world,
						     text_string(w->record,
								 "team"));
	const char *user = text_string_or(w->record, "user", NULL);

	return (struct gov_waiting_rank){
		.claimant = w->claimant,
		.history =
			user && gate(run, "usage_history", false) &&
					text_bool_or(team,
						     "usage_history_ordering",
						     false) ?
				user_score(run, user) :
				0,
		.weight = w->place.cluster->policy->class[w->job.class].weight,
		.since = w->job.submitted,
		.id = w->job.id,
	};
}

/* First of a team's queue that is not set aside; NULL if there is none. */
static struct waiting *head_of(struct run *run, struct world_place place)
{
	struct gov_waiting_rank best = { 0 }, rank;
	struct waiting *head = NULL;

	for (size_t i = 0; i < run->count; i++) {
		struct waiting *w = &run->waiting[i];

		if (w->admitted || w->parked ||
		    w->place.cluster != place.cluster ||
		    w->place.unit != place.unit)
			continue;
		rank = rank_of(run, w);
		if (head && gov_order_in_team(&rank, &best, GOV_TASK_USAGE) > 0)
			continue;
		head = w;
		best = rank;
	}
	return head;
}

/* ---- one pass ---- */

static void open_books(struct run *run, struct gov_books *books,
		       const struct world_cluster *cluster)
{
	struct json_object *running = text_get(run->json, "running");

	books_open(books, cluster);
	for (size_t i = 0; i < text_length(running); i++) {
		struct json_object *record = text_at(running, i);
		struct world_place place = world_team(&run->world,
						      text_string(record,
								  "team"));
		struct gov_job job;

		if (run->ended[i] || place.cluster != cluster)
			continue;
		world_running(&run->world, record, &job);
		books_add(books, place.unit, &job);
	}
	for (size_t i = 0; i < run->count; i++) {
		struct waiting *w = &run->waiting[i];
		struct gov_job job = w->job;

		if (!w->admitted || w->place.cluster != cluster)
			continue;
		job.request = w->assignment.request;
		job.started = 0;
		books_add(books, w->place.unit, &job);
	}
}

static void fill_head(struct gov_head *head, struct waiting *w)
{
	*head = (struct gov_head){
		.id = w->job.id,
		.team = w->place.unit,
		.class = w->job.class,
		.claimant = w->claimant,
		.since = w->job.submitted,
		.part = w->parts.part,
		.part_count = w->parts.part_count,
		.group = w->parts.group,
		.group_count = w->parts.group_count,
		.how = w->parts.how,
	};
	for (uint32_t p = 0; p < GOV_PARTS_MAX; p++)
		for (uint32_t g = 0; g < GOV_GROUPS_MAX; g++)
			head->start[p][g] = w->started_over ?
						    (struct gov_assign_start){
							    0, GOV_NONE
						    } :
						    w->start[p][g];
}

static bool untried(const struct gov_head *head)
{
	for (uint32_t p = 0; p < head->part_count; p++)
		for (uint32_t g = 0; g < head->group_count; g++)
			if (head->start[p][g].first)
				return true;
	return false;
}

static void keep_victims(struct run *run, const struct gov_head *head)
{
	for (size_t i = 0;
	     i < head->victim_count && run->preempted_count + 2 <= 256; i++) {
		struct json_object *record =
			world_record(&run->world, head->victim[i].job->id);

		run->preempted[run->preempted_count++] = text_string(record,
								     "name");
		run->preempted[run->preempted_count++] = rule_name(
			head->victim[i].rule);
	}
}

static void take_outcome(struct run *run, struct waiting *w,
			 const struct gov_head *head)
{
	const struct gov_unit *unit =
		&w->place.cluster->policy->unit[w->place.unit];
	struct gov_requeue again = gov_cycle_requeue(head->outcome,
						     unit->queueing,
						     untried(head));

	w->tried = true;
	w->outcome = head->outcome;
	w->assignment = head->assignment;
	memcpy(w->start, head->start, sizeof(w->start));
	w->started_over = false;
	w->admitted = head->outcome == GOV_OUT_ADMITTED;
	w->admitted_in = run->pass;
	w->claimant = again.stays_head;
	w->parked = !w->admitted && again.parked;
	if (head->outcome == GOV_OUT_CLAIMS)
		keep_victims(run, head);
}

static void run_cluster(struct run *run, const struct world_cluster *cluster)
{
	const struct gov_policy *policy = cluster->policy;
	struct gov_cycle cycle = {
		.order = gate(run, "priority_sorting", true) ?
				 GOV_TASK_RANK :
				 GOV_TASK_FIRST_COME,
		.claimants_first = gate(run, "prioritize_preemptors", false),
		.share_by_overlap = gate(run, "recompute_on_overlap", true),
		.shrink = gate(run, "partial_admission", true),
	};
	struct gov_books books;
	struct waiting **who = calloc(policy->unit_count + 1, sizeof(*who));

	cycle.head = calloc(policy->unit_count + 1, sizeof(*cycle.head));
	if (!who || !cycle.head)
		text_fail("out of memory");
	open_books(run, &books, cluster);
	for (uint32_t u = 0; u < policy->unit_count; u++) {
		struct world_place place = {
			(struct world_cluster *) cluster,
			u,
		};
		struct waiting *w = policy->unit[u].is_team ?
					    head_of(run, place) :
					    NULL;

		if (!w)
			continue;
		who[cycle.count] = w;
		fill_head(&cycle.head[cycle.count++], w);
	}
	cycle.books = &books;
	set_share_rules(&cycle.search, run->json);
	if (gov_cycle_run(&cycle))
		text_fail("out of memory");
	for (size_t i = 0; i < cycle.count; i++)
		take_outcome(run, who[i], &cycle.head[i]);
	gov_cycle_free(&cycle);
	gov_books_free(&books);
	free(cycle.head);
	free(who);
}

static void run_pass(struct run *run)
{
	run->pass++;
	run->preempted_count = 0;
	for (size_t i = 0; i < run->world.cluster_count; i++)
		run_cluster(run, &run->world.cluster[i]);
}

/* ---- what came of it ---- */

static const char *reason_of(const struct waiting *w)
{
	switch (w->outcome) {
	case GOV_OUT_CLAIMS:
	case GOV_OUT_DEFERRED: return "waiting_for_preempted";
	case GOV_OUT_NO_FIT:
		switch (w->assignment.misfit) {
		case GOV_MISFIT_EXCEEDS: return "exceeds_max_quota";
		case GOV_MISFIT_NO_POOL: return "no_matching_flavor";
		default: return "waiting_for_quota";
		}
	default: return "waiting_for_quota";
	}
}

static struct waiting *waiting_named(struct run *run, const char *name)
{
	for (size_t i = 0; i < run->count; i++)
		if (!strcmp(text_string(run->waiting[i].record, "name"), name))
			return &run->waiting[i];
	return NULL;
}

static void expect_reasons(struct run *run, struct json_object *reasons)
{
	if (!reasons)
		return;
	json_object_object_foreach(reasons, name, reason)
	{
		struct waiting *w = waiting_named(run, name);
		const char *got = !w || !w->tried ? "not tried" :
				  w->admitted	  ? "admitted" :
						    reason_of(w);

		if (strcmp(got, json_object_get_string(reason)))
			note_add(run->note, " %s: %s instead of %s", name, got,
				 json_object_get_string(reason));
	}
}

static void expect_preempted(struct run *run, struct json_object *list)
{
	bool same = run->preempted_count == 2 * text_length(list);

	for (size_t i = 0; i < text_length(list); i++) {
		bool found = false;

		for (size_t k = 0; k < run->preempted_count; k += 2)
			found |= !strcmp(run->preempted[k],
					 text_string(text_at(list, i),
						     "name")) &&
				 !strcmp(run->preempted[k + 1],
					 text_string(text_at(list, i),
						     "reason"));
		same &= found;
	}
	if (same)
		return;
	note_add(run->note, " preempted:");
	for (size_t k = 0; k < run->preempted_count; k += 2)
		note_add(run->note, " %s (%s)", run->preempted[k],
			 run->preempted[k + 1]);
}

/* {team: [names]} of the jobs that are (not) set aside. */
static void expect_queue(struct run *run, struct json_object *teams,
			 bool parked, const char *what)
{
	size_t listed = 0, count = 0;

	if (!teams)
		return;
	json_object_object_foreach(teams, team, names)
	{
		(void) team;
		for (size_t i = 0; i < text_length(names); i++) {
			const char *name = json_object_get_string(
				text_at(names, i));
			struct waiting *w = waiting_named(run, name);

			listed++;
			if (!w || w->admitted || w->parked != parked)
				note_add(run->note, " %s is not %s", name,
					 what);
		}
	}
	for (size_t i = 0; i < run->count; i++)
		count += !run->waiting[i].admitted &&
			 run->waiting[i].parked == parked;
	if (count != listed)
		note_add(run->note, " %zu instead of %zu are %s", count, listed,
			 what);
}

static void expect_task_group(struct run *run,
			      const struct gov_assigned_part *part,
			      struct json_object *want, const char *job)
{
	struct json_object *flavors = text_get(want, "flavors");
	struct json_object *usage = text_get(want, "usage");

	if (text_integer_or(want, "count", part->count) != part->count)
		note_add(run->note, " %s: %u tasks", job, part->count);
	if (!flavors)
		return;
	json_object_object_foreach(flavors, resource, flavor)
	{
		struct json_object *amount = text_get(usage, resource);
		bool same = false;

		for (uint32_t i = 0; i < part->tres_count; i++)
			same |= !strcmp(resource,
					world_resource(&run->world,
						       part->tres[i].cell)) &&
				!strcmp(json_object_get_string(flavor),
					world_flavor(&run->world,
						     part->tres[i].cell)) &&
				(!amount ||
				 text_amount(amount) ==
					 text_clip(part->tres[i].amount));
		if (!same)
			note_add(run->note, " %s: not %s of %s", job, resource,
				 json_object_get_string(flavor));
	}
}

static bool ends_borrowing(struct run *run, const struct waiting *w)
{
	struct gov_books books;
	bool borrowing = false;

	open_books(run, &books, w->place.cluster);
	for (uint32_t i = 0; i < w->assignment.request.count; i++)
		borrowing |= gov_tree_borrowed(
				     books.tree, w->place.unit,
				     w->assignment.request.item[i].cell) > 0;
	gov_books_free(&books);
	return borrowing;
}

static void expect_one(struct run *run, struct json_object *want)
{
	const char *name = text_string(want, "name");
	struct waiting *w = waiting_named(run, name);
	struct json_object *podsets = text_get(want, "podsets");

	if (!w || !w->admitted) {
		note_add(run->note, " %s is not admitted", name);
		return;
	}
	for (size_t i = 0; i < text_length(podsets); i++)
		expect_task_group(run, &w->assignment.part[i],
				  text_at(podsets, i), name);
	if (text_get(want, "borrowing") && run->pass == 1 &&
	    text_bool_or(want, "borrowing", false) != ends_borrowing(run, w))
		note_add(run->note, " %s: borrowing is wrong", name);
}

/* Exactly these were admitted, in this pass or (0) in any. */
static void expect_admitted(struct run *run, struct json_object *list,
			    unsigned int pass)
{
	size_t count = 0;

	for (size_t i = 0; i < text_length(list); i++)
		expect_one(run, text_at(list, i));
	for (size_t i = 0; i < run->count; i++) {
		if (!run->waiting[i].admitted ||
		    (pass && run->waiting[i].admitted_in != pass))
			continue;
		count++;
	}
	if (count != text_length(list))
		note_add(run->note, " %zu are admitted instead of %zu", count,
			 text_length(list));
}

/* Heads that were passed over because of others' victims or admissions. */
static void expect_skips(struct run *run, struct json_object *skips)
{
	if (!skips)
		return;
	json_object_object_foreach(skips, team, number)
	{
		int64_t count = 0;

		for (size_t i = 0; i < run->count; i++) {
			const struct waiting *w = &run->waiting[i];

			count += !strcmp(text_string(w->record, "team"),
					 team) &&
				 (w->outcome == GOV_OUT_OVERLAP ||
				  (w->outcome == GOV_OUT_NO_ROOM &&
				   w->assignment.fit != GOV_FIT_NOW)) &&
				 w->tried;
		}
		if (count != json_object_get_int64(number))
			note_add(run->note, " %s: %" PRId64 " skips", team,
				 count);
	}
}

/* ---- kinds ---- */

static bool run_schedule(struct json_object *json, struct note *note)
{
	struct json_object *expect = text_need(json, "expect");
	int64_t passes = text_integer_or(expect, "cycles", 1);
	struct run run;

	run_open(&run, json, note);
	for (int64_t i = 0; i < passes; i++)
		run_pass(&run);
	expect_admitted(&run, text_get(expect, "admitted"), 0);
	expect_preempted(&run, text_get(expect, "preempted"));
	expect_reasons(&run, text_get(expect, "pending_reason"));
	expect_queue(&run, text_get(expect, "still_queued"), false,
		     "still queued");
	expect_queue(&run, text_get(expect, "parked"), true, "set aside");
	expect_skips(&run, text_get(expect, "preemption_skips"));
	run_close(&run);
	return true;
}

/* Some running jobs end: what was set aside is tried again, from the start. */
static void end_jobs(struct run *run, struct json_object *names)
{
	struct json_object *running = text_get(run->json, "running");

	for (size_t i = 0; i < text_length(names); i++)
		for (size_t k = 0; k < text_length(running); k++)
			if (!strcmp(json_object_get_string(text_at(names, i)),
				    text_string(text_at(running, k), "name")))
				run->ended[k] = true;
	for (size_t i = 0; text_length(names) && i < run->count; i++) {
		run->waiting[i].parked = false;
		run->waiting[i].started_over = true;
	}
}

/* Everything that holds quota after the second pass, running jobs included. */
static void expect_holding(struct run *run, struct json_object *list)
{
	struct json_object *running = text_get(run->json, "running");
	size_t count = 0;

	for (size_t i = 0; i < text_length(list); i++)
		if (waiting_named(run, text_string(text_at(list, i), "name")))
			expect_one(run, text_at(list, i));
	for (size_t i = 0; i < text_length(running); i++)
		count += !run->ended[i];
	for (size_t i = 0; i < run->count; i++)
		count += run->waiting[i].admitted;
	if (count != text_length(list))
		note_add(run->note, " %zu hold quota instead of %zu", count,
			 text_length(list));
}

static bool run_schedule2(struct json_object *json, struct note *note)
{
	struct json_object *expect = text_need(json, "expect");
	struct run run;

	run_open(&run, json, note);
	run_pass(&run);
	expect_admitted(&run, text_get(expect, "admitted_cycle_1"), 1);
	expect_preempted(&run, text_get(expect, "preempted_cycle_1"));
	expect_reasons(&run, text_get(expect, "pending_reason"));
	end_jobs(&run, text_get(json, "end_after_cycle_1"));
	run_pass(&run);
	expect_holding(&run, text_get(expect, "admitted_after_cycle_2"));
	run_close(&run);
	return true;
}

bool kind_schedule(struct json_object *json, struct note *note)
{
	return strcmp(text_string(json, "kind"), "schedule2") ?
		       run_schedule(json, note) :
		       run_schedule2(json, note);
}

bool kind_reserve(struct json_object *json, struct note *note)
{
	struct json_object *record = text_need(json, "assignment");
	struct json_object *expect = text_need(json, "expect");
	struct json_object *usage = text_get(json, "usage");
	struct json_object *teams = text_need(json, "teams");
	struct gov_assignment a = { .fit = GOV_FIT_NOW };
	struct gov_request reserved, want;
	struct world_place place;
	struct gov_tree *tree;
	struct world world;

	world_create(&world, json);
	place = world_team(&world, text_string(text_at(teams, 0), "name"));
	tree = gov_tree_create(place.cluster->policy);
	json_object_object_foreach(usage, name, list)
	{
		struct gov_request used;

		world_request(&world, list, &used);
		for (uint32_t i = 0; i < used.count; i++)
			gov_tree_charge(tree, world_team(&world, name).unit,
					used.item[i].cell, used.item[i].amount);
	}
	if (strcmp(text_string(record, "mode"), "fit"))
		a.fit = GOV_FIT_NO_VICTIMS;
	a.level = (uint32_t) text_integer_or(record, "borrow_level", 0);
	world_request(&world, text_get(record, "usage"), &a.request);
	gov_cycle_reserve(tree, place.unit, &a, &reserved);
	world_request(&world, text_get(expect, "reserved"), &want);
	for (uint32_t i = 0; i < reserved.count; i++) {
		gov_amount_t amount = 0;

		for (uint32_t k = 0; k < want.count; k++)
			if (want.item[k].cell == reserved.item[i].cell)
				amount = want.item[k].amount;
		if (amount != reserved.item[i].amount)
			note_add(note, " %s/%s: %" PRIu64,
				 world_flavor(&world, reserved.item[i].cell),
				 world_resource(&world, reserved.item[i].cell),
				 reserved.item[i].amount);
	}
	gov_tree_destroy(tree);
	world_destroy(&world);
	return true;
}

/* The corpus's reasons to go back into the queue, as outcomes of ours. */
static bool outcome_named(const char *reason, enum gov_outcome *outcome)
{
	static const struct {
		const char *name;
		enum gov_outcome outcome;
	} known[] = {
		{ "failed_after_nomination", GOV_OUT_NO_ROOM },
		{ "generic", GOV_OUT_NO_FIT },
		{ "no_fit", GOV_OUT_NO_FIT },
		{ "pending_preemption", GOV_OUT_CLAIMS },
		{ "preemption_failed", GOV_OUT_OVERLAP },
		{ "preemption_no_candidates", GOV_OUT_NO_VICTIMS },
		{ "no_candidates", GOV_OUT_NO_VICTIMS },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].name, reason)) {
			*outcome = known[i].outcome;
			return true;
		}
	return false;
}

bool kind_requeue(struct json_object *json, struct note *note)
{
	struct json_object *expect = text_need(json, "expect");
	const char *reason = text_string(json, "reason");
	struct gov_requeue again;
	enum gov_outcome outcome;
	bool sticky;

	if (!outcome_named(reason, &outcome)) {
		note_add(note, "reason %s is none of ours", reason);
		return false;
	}
	again = gov_cycle_requeue(outcome,
				  strcmp(text_string(text_need(json, "config"),
						     "queueing"),
					 "strict") ?
					  GOV_BEST_EFFORT :
					  GOV_STRICT,
				  text_bool_or(json, "untried_flavors", false));
	sticky = text_bool_or(expect, "sticky_head", again.stays_head);
	if (again.parked != text_bool_or(expect, "parked", false) ||
	    again.stays_head != sticky)
		note_add(note, "parked %d, stays head %d", again.parked,
			 again.stays_head);
	return true;
}
