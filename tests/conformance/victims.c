/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds that core/victims.h decides. */
#include "core/victims.h"

#include <string.h>

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
		.team = team, .project = GOV_NONE,
		.class = world_class(world, world_priority(incoming)),
	};
	struct gov_request request;
	struct gov_kind *kind;

	world_request(world, text_need(incoming, "needs"), &request);
	for (uint32_t cell = 0; cell < books->policy->cell_count; cell++)
		for (uint32_t i = 0; i < request.count; i++)
			if (request.item[i].cell == cell)
				key.item[key.count++] = (struct gov_item) {
					cell, request.item[i].amount,
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
			 text_string(world_record(
				world, search->victim[i].job->id), "name"),
			 rule_name(search->victim[i].rule));
}

static bool ends_borrowing(struct gov_search *search)
{
	struct gov_books *books = search->books;
	bool borrowing = false;

	for (size_t i = 0; i < search->count; i++)
		gov_books_release(books, search->victim[i].job->kind);
	for (uint32_t i = 0; i < search->kind->count; i++)
		borrowing |= gov_tree_borrows_with(
			books->tree, search->kind->team,
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
