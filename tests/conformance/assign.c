/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds that core/assign.h decides. */
#include "core/assign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "parts.h"
#include "text.h"
#include "world.h"

/* ---- the stub in place of a search for victims ---- */

struct stub {
	const struct world *world;
	struct json_object *json;
	const struct gov_tree *tree;
	uint32_t team;
};

static struct gov_option stub_option(const char *result, uint32_t level)
{
	if (!strcmp(result, "reclaim"))
		return (struct gov_option){ GOV_FIT_RECLAIM, level };
	if (!strcmp(result, "no_candidates"))
		return (struct gov_option){ GOV_FIT_NO_VICTIMS, level };
	return (struct gov_option){ GOV_FIT_PREEMPT, level };
}

static struct gov_option simulate(uint32_t cell, gov_amount_t amount, void *arg)
{
	const struct stub *stub = arg;
	struct json_object *list = text_get(stub->json, "overrides");

	for (size_t i = 0; i < text_length(list); i++) {
		struct json_object *item = text_at(list, i);

		if (world_cell(stub->world, text_string(item, "flavor"),
			       text_string(item, "resource")) == cell)
			return stub_option(text_string(item, "result"),
					   (uint32_t) text_integer_or(
						   item, "borrow_level_after",
						   0));
	}
	return stub_option(text_string_or(stub->json, "default", "preempt"), 0);
}

/* ---- comparing ---- */

static const char *fit_name(enum gov_fit fit)
{
	return fit == GOV_FIT_NOW   ? "fit" :
	       fit == GOV_FIT_NEVER ? "nofit" :
				      "preempt";
}

static const char *misfit_name(enum gov_misfit misfit)
{
	switch (misfit) {
	case GOV_MISFIT_EXCEEDS: return "exceeds_max_quota";
	case GOV_MISFIT_NO_POOL: return "no_matching_flavor";
	case GOV_MISFIT_WAITING: return "waiting_for_quota";
	default: return "none";
	}
}

/* One part's pools, by resource. */
static void expect_part(const struct world *world, struct note *note,
			const struct gov_assigned_part *part,
			struct json_object *expected)
{
	struct json_object *resources = text_need(expected, "resources");

	if (part->count != text_integer_or(expected, "count", part->count))
		note_add(note, " %s: %u tasks", text_string(expected, "name"),
			 part->count);
	if (part->tres_count != (uint32_t) json_object_object_length(resources))
		note_add(note, " %s: %u resources",
			 text_string(expected, "name"), part->tres_count);
	for (uint32_t i = 0; i < part->tres_count; i++) {
		const char *resource = world_resource(world,
						      part->tres[i].cell);
		struct json_object *want = text_get(resources, resource);

		if (!want ||
		    strcmp(text_string(want, "flavor"),
			   world_flavor(world, part->tres[i].cell)) ||
		    strcmp(text_string(want, "mode"),
			   fit_name(part->tres[i].fit)))
			note_add(note, " %s: %s from %s: %s",
				 text_string(expected, "name"), resource,
				 world_flavor(world, part->tres[i].cell),
				 fit_name(part->tres[i].fit));
	}
}

/* expect.flavors: {resource: flavor} of a job with one part. */
static void expect_flavors(const struct world *world, struct note *note,
			   const struct gov_assigned_part *part,
			   struct json_object *flavors)
{
	if (!flavors)
		return;
	json_object_object_foreach(flavors, resource, flavor)
	{
		bool same = false;

		for (uint32_t i = 0; i < part->tres_count; i++)
			same |= !strcmp(resource,
					world_resource(world,
						       part->tres[i].cell)) &&
				!strcmp(json_object_get_string(flavor),
					world_flavor(world,
						     part->tres[i].cell));
		if (!same)
			note_add(note, " %s is not from %s", resource,
				 json_object_get_string(flavor));
	}
}

static gov_amount_t asked_of(const struct gov_request *request, uint32_t cell)
{
	for (uint32_t i = 0; i < request->count; i++)
		if (request->item[i].cell == cell)
			return request->item[i].amount;
	return 0;
}

/* expect.usage: all cells, those left out being 0. */
static void expect_usage(const struct world *world, struct note *note,
			 const struct gov_request *request,
			 struct json_object *list)
{
	struct gov_request want;

	world_request(world, list, &want);
	for (uint32_t c = 0; c < world->names->cell_count; c++)
		if (text_clip(asked_of(request, c)) !=
		    text_clip(asked_of(&want, c)))
			note_add(note, " usage of %s/%s: %lu",
				 world_flavor(world, c),
				 world_resource(world, c),
				 asked_of(request, c));
}

static void compare(const struct world *world, struct note *note,
		    const struct gov_assignment *a, struct json_object *expect)
{
	struct json_object *parts = text_get(expect, "podsets");
	struct json_object *level = text_get(expect, "borrow_level");
	const char *misfit = text_string_or(expect, "nofit_reason", NULL);

	if (strcmp(text_string(expect, "mode"), fit_name(a->fit)))
		note_add(note, " mode %s instead of %s", fit_name(a->fit),
			 text_string(expect, "mode"));
	for (size_t i = 0; i < text_length(parts); i++)
		expect_part(world, note, &a->part[i], text_at(parts, i));
	expect_flavors(world, note, &a->part[0], text_get(expect, "flavors"));
	if (level && json_object_get_int64(level) != a->level)
		note_add(note, " level %u", a->level);
	if (text_get(expect, "usage"))
		expect_usage(world, note, &a->request,
			     text_get(expect, "usage"));
	if (misfit && strcmp(misfit, misfit_name(a->misfit)))
		note_add(note, " reason %s", misfit_name(a->misfit));
}

/* ---- kinds ---- */

static void charge(struct gov_tree *tree, const struct world *world,
		   const struct world_cluster *cluster)
{
	struct json_object *usage = text_get(world->json, "usage");

	if (!usage)
		return;
	json_object_object_foreach(usage, name, list)
	{
		struct world_place place = world_team(world, name);
		struct gov_request request;

		if (place.cluster != cluster)
			continue;
		world_request(world, list, &request);
		for (uint32_t i = 0; i < request.count; i++)
			gov_tree_charge(tree, place.unit, request.item[i].cell,
					request.item[i].amount);
	}
}

/* As the engine does, but for own-team preemption; the stub stands for it. */
static bool preempts_while_borrowing(struct json_object *json,
				     struct json_object *team)
{
	struct json_object *preemption = text_get(team, "preemption");
	struct json_object *borrow = text_get(preemption, "borrow");
	const char *algorithm = text_string_or(text_get(json, "config"),
					       "algorithm", "");

	return strcmp(text_string_or(borrow, "policy", "never"), "never") ||
	       (!strcmp(algorithm, "fair_sharing") &&
		(strcmp(text_string_or(preemption, "reclaim", "never"),
			"never") ||
		 text_bool_or(preemption, "reclaim_unset", false)));
}

bool kind_assign(struct json_object *json, struct note *note)
{
	struct json_object *request = text_need(json, "request");
	const char *team = text_string(request, "team");
	struct gov_assignment assignment;
	struct world_place place;
	struct world world;
	struct parts parts;
	struct stub stub;

	world_create(&world, json);
	place = world_team(&world, team);
	parts_create(&parts, &world, world_team_record(&world, team), request);
	stub = (struct stub){
		.world = &world,
		.team = place.unit,
		.json = text_get(json, "preemption_stub"),
	};
	stub.tree = gov_tree_create(place.cluster->policy);
	charge((struct gov_tree *) stub.tree, &world, place.cluster);
	gov_assign(
		&(struct gov_assign_ask){
			.tree = stub.tree,
			.team = place.unit,
			.group = parts.group,
			.group_count = parts.group_count,
			.part = parts.part,
			.part_count = parts.part_count,
			.how = parts.how,
			.preempts_while_borrowing = preempts_while_borrowing(
				json, world_team_record(&world, team)),
			.simulate = simulate,
			.arg = &stub,
		},
		&assignment);
	compare(&world, note, &assignment, text_need(json, "expect"));
	gov_tree_destroy((struct gov_tree *) stub.tree);
	parts_destroy(&parts);
	world_destroy(&world);
	return true;
}

struct limit {
	uint32_t parts;
	int64_t total;
};

static int64_t sum_of(const uint32_t *count, uint32_t parts)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < parts; i++)
		sum += count[i];
	return sum;
}

static bool within(const uint32_t *count, void *arg)
{
	const struct limit *limit = arg;

	return sum_of(count, limit->parts) <= limit->total;
}

bool kind_partial_search(struct json_object *json, struct note *note)
{
	struct json_object *list = text_need(json, "podsets");
	struct json_object *expect = text_need(json, "expect");
	struct gov_part part[GOV_PARTS_MAX] = { 0 };
	uint32_t count[GOV_PARTS_MAX] = { 0 };
	struct limit limit = {
		(uint32_t) text_length(list),
		text_integer_or(json, "total_limit", 0),
	};
	int64_t total = 0;
	bool found;

	if (limit.parts > GOV_PARTS_MAX) {
		note_add(note, "%u parts are too many", limit.parts);
		return false;
	}
	for (uint32_t i = 0; i < limit.parts; i++) {
		struct json_object *item = text_at(list, i);

		part[i].count = (uint32_t) text_integer_or(item, "count", 0);
		part[i].least = (uint32_t) text_integer_or(item, "min_count",
							   part[i].count);
	}
	found = gov_assign_shrink(part, limit.parts, count, within, &limit);
	if (found)
		total = sum_of(count, limit.parts);
	if (found != text_bool_or(expect, "found", false) ||
	    total != text_integer_or(expect, "total", 0))
		note_add(note, "got %s with %ld", found ? "some" : "none",
			 total);
	return true;
}
