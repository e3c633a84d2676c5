/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds that core/victims.h decides. */
#include "core/victims.h"

#include <string.h>

#include "core/victims_tournament.h"

#include "jobs.h"
#include "kinds.h"
#include "text.h"
#include "world.h"

/* ---- preempt ---- */

static struct gov_kind *asker_kind(const struct world *world,
				   struct gov_books *books, uint32_t team,
				   struct json_object *incoming)
{
	struct gov_kind_key key = {
		.team = team,
		.project = GOV_NONE,
		.class = world_class(world, world_priority(incoming)),
	};
	struct gov_request request;
	struct gov_kind *kind;

	world_request(world, text_need(incoming, "needs"), &request);
	for (uint32_t cell = 0; cell < books->policy->cell_count; cell++)
		for (uint32_t i = 0; i < request.count; i++)
			if (request.item[i].cell == cell)
				key.item[key.count++] = (struct gov_item){
					cell,
					request.item[i].amount,
				};
	kind = gov_books_kind(books, &key);
	if (!kind)
		text_fail("out of memory");
	return kind;
}

static uint32_t contended_items(const struct world *world,
				const struct gov_kind *kind,
				struct json_object *contended)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < text_length(contended); i++) {
		struct json_object *pair = text_at(contended, i);
		uint32_t cell = world_cell(world, text_string(pair, "flavor"),
					   text_string(pair, "resource"));

		for (uint32_t k = 0; k < kind->count; k++)
			if (kind->item[k].cell == cell)
				bits |= 1u << k;
	}
	return bits;
}

static bool expected_victim(struct json_object *list, const char *name,
			    const char *reason)
{
	for (size_t i = 0; i < text_length(list); i++)
		if (!strcmp(text_string(text_at(list, i), "name"), name) &&
		    !strcmp(text_string(text_at(list, i), "reason"), reason))
			return true;
	return false;
}

static void expect_victims(const struct world *world, struct note *note,
			   const struct gov_search *search,
			   struct json_object *list)
{
	bool same = search->count == text_length(list);

	for (size_t i = 0; i < search->count; i++)
		same &= expected_victim(
			list,
			text_string(world_record(world,
						 search->victim[i].job->id),
				    "name"),
			rule_name(search->victim[i].rule));
	if (same)
		return;
	note_add(note, " expected %s, got",
		 json_object_to_json_string_ext(list, JSON_C_TO_STRING_PLAIN));
	for (size_t i = 0; i < search->count; i++)
		note_add(note, " %s (%s)",
			 text_string(world_record(world,
						  search->victim[i].job->id),
				     "name"),
			 rule_name(search->victim[i].rule));
}

static bool ends_borrowing(struct gov_search *search)
{
	struct gov_books *books = search->books;
	bool borrowing = false;

	for (size_t i = 0; i < search->count; i++)
		gov_books_release(books, search->victim[i].job->kind);
	for (uint32_t i = 0; i < search->kind->count; i++)
		borrowing |=
			gov_tree_borrows_with(books->tree, search->kind->team,
					      search->kind->item[i].cell,
					      search->kind->item[i].amount);
	for (size_t i = 0; i < search->count; i++)
		gov_books_charge(books, search->victim[i].job->kind);
	return borrowing;
}

bool kind_preempt(struct json_object *json, struct note *note)
{
	struct json_object *incoming = text_need(json, "incoming");
	struct json_object *expect = text_need(json, "expect");
	struct json_object *borrowing = text_get(expect, "borrowing_after");
	struct gov_search search = { 0 };
	struct world_place place;
	struct gov_books books;
	struct world world;
	bool found;

	world_create(&world, json);
	place = world_team(&world, text_string(incoming, "team"));
	books_open(&books, place.cluster);
	books_add_running(&books, &world, place.cluster);
	search.books = &books;
	search.since = text_integer_or(incoming, "submitted_at", TEXT_OLDEST);
	search.kind = asker_kind(&world, &books, place.unit, incoming);
	search.contended = contended_items(&world, search.kind,
					   text_get(incoming, "contended"));
	set_share_rules(&search, json);
	found = gov_victims_find(&search);
	if (found != text_bool_or(expect, "possible", false))
		note_add(note, " %s", found ? "possible" : "not possible");
	expect_victims(&world, note, &search, text_get(expect, "preempted"));
	if (found && borrowing &&
	    json_object_get_boolean(borrowing) != ends_borrowing(&search))
		note_add(note, " borrowing_after is wrong");
	gov_search_free(&search);
	gov_books_free(&books);
	world_destroy(&world);
	return true;
}

/* ---- victim_team_order ---- */

/* The corpus asks for the order alone: the asker may take from anybody. */
static struct json_object *with_free_hand(struct json_object *json)
{
	const char *asker = text_string(json, "preemptor_team");
	struct json_object *copy = NULL, *teams;

	json_object_deep_copy(json, &copy, NULL);
	teams = text_need(copy, "teams");
	for (size_t i = 0; i < text_length(teams); i++) {
		struct json_object *preemption = text_get(text_at(teams, i),
							  "preemption");

		if (strcmp(text_string(text_at(teams, i), "name"), asker) ||
		    !preemption)
			continue;
		json_object_object_add(preemption, "within_team",
				       json_object_new_string("any"));
		json_object_object_add(preemption, "reclaim",
				       json_object_new_string("any"));
	}
	return copy;
}

/* A kind that wants something of everything. */
static struct gov_kind *greedy_kind(struct gov_books *books, uint32_t team)
{
	struct gov_kind_key key = { .team = team, .project = GOV_NONE };
	struct gov_kind *kind;

	for (uint32_t c = 0;
	     c < books->policy->cell_count && key.count < GOV_REQUEST_MAX; c++)
		key.item[key.count++] = (struct gov_item){ c, 1 };
	kind = gov_books_kind(books, &key);
	if (!kind)
		text_fail("out of memory");
	return kind;
}

static void expect_visit(struct note *note, struct json_object *order,
			 size_t visit, const char *unit)
{
	const char *want = visit < text_length(order) ?
				   json_object_get_string(
					   text_at(order, visit)) :
				   "nobody";

	/* Units of ours are named team-NAME. */
	if (strcmp(unit + strlen("team-"), want))
		note_add(note, " visit %zu: %s instead of %s", visit + 1, unit,
			 want);
}

static void visit_teams(struct gov_tournament *t, struct json_object *json,
			struct note *note)
{
	const struct gov_policy *policy = t->search->books->policy;
	struct json_object *actions = text_get(json, "actions");
	struct json_object *order = text_need(text_need(json, "expect"),
					      "visit_order");
	size_t visit = 0;
	uint32_t team;

	for (; (team = gov_tournament_team(t)) != GOV_NONE; visit++) {
		const char *action = visit < text_length(actions) ?
					     json_object_get_string(
						     text_at(actions, visit)) :
					     "pop";

		expect_visit(note, order, visit, policy->unit[team].name);
		if (strcmp(action, "drop"))
			gov_tournament_pop(t, team);
		else
			gov_tournament_drop(t, team);
	}
	if (visit < text_length(order))
		note_add(note, " only %zu visits", visit);
}

bool kind_victim_team_order(struct json_object *json, struct note *note)
{
	struct json_object *as = with_free_hand(json);
	struct gov_tournament tournament = { 0 };
	struct gov_search search = { 0 };
	struct world_place place;
	struct gov_books books;
	struct world world;

	world_create(&world, as);
	place = world_team(&world, text_string(as, "preemptor_team"));
	books_open(&books, place.cluster);
	books_add_running(&books, &world, place.cluster);
	search.books = &books;
	search.since = TEXT_OLDEST;
	search.kind = greedy_kind(&books, place.unit);
	search.contended = (1u << search.kind->count) - 1;
	search.budget = 1000000;
	search.advantage = gov_books_host(&books, search.kind,
					  search.contended);
	if (gov_tournament_init(&tournament, &search))
		text_fail("out of memory");
	visit_teams(&tournament, as, note);
	gov_tournament_free(&tournament);
	gov_search_free(&search);
	gov_books_free(&books);
	world_destroy(&world);
	json_object_put(as);
	return true;
}
