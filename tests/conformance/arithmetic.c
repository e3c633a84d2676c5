/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds that core/amount.h, core/tree.h and core/share.h decide. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/share.h"
#include "core/tree.h"
#include "kinds.h"
#include "text.h"
#include "world.h"

/* ---- amounts ---- */

bool kind_saturate(struct json_object *json, struct note *note)
{
	const char *op = text_string(json, "op");
	gov_amount_t a = text_amount(text_need(json, "a"));
	gov_amount_t b = text_amount(text_need(json, "b"));
	struct json_object *want = text_need(text_need(json, "expect"),
					     "result");
	int64_t got;

	if (!strcmp(op, "cmp")) {
		got = (a > b) - (a < b);
		if (got != json_object_get_int64(want))
			note_add(note, "expected %s, got %" PRId64,
				 json_object_get_string(want), got);
		return true;
	}
	a = text_clip(!strcmp(op, "add") ? gov_amount_add(a, b) :
					   gov_amount_sub(a, b));
	got = a == GOV_UNLIMITED ? INT64_MAX : (int64_t) a;
	if (json_object_is_type(want, json_type_string) ?
		    a != GOV_UNLIMITED :
		    got != json_object_get_int64(want))
		note_add(note, "expected %s, got %" PRId64,
			 json_object_get_string(want), got);
	return true;
}

/* ---- trees ---- */

/* The tree of each cluster; NULL where the policy was refused. */
static struct gov_tree **make_trees(const struct world *world)
{
	struct gov_tree **tree = calloc(world->cluster_count + 1,
					sizeof(*tree));

	for (size_t i = 0; tree && i < world->cluster_count; i++)
		if (world->cluster[i].policy)
			tree[i] = gov_tree_create(world->cluster[i].policy);
	if (!tree)
		text_fail("out of memory");
	return tree;
}

static void free_trees(const struct world *world, struct gov_tree **tree)
{
	for (size_t i = 0; i < world->cluster_count; i++)
		gov_tree_destroy(tree[i]);
	free(tree);
}

static struct gov_tree *tree_of(const struct world *world,
				struct gov_tree **tree,
				struct world_place place)
{
	return tree[place.cluster - world->cluster];
}

static uint32_t node_of(const struct gov_tree *tree, struct world_place place)
{
	return place.unit == GOV_NONE ? gov_tree_root(tree) : place.unit;
}

static void charge(struct gov_tree *tree, uint32_t team,
		   const struct gov_request *request)
{
	for (uint32_t i = 0; i < request->count; i++)
		gov_tree_charge(tree, team, request->item[i].cell,
				request->item[i].amount);
}

static void release(struct gov_tree *tree, uint32_t team,
		    const struct gov_request *request)
{
	for (uint32_t i = 0; i < request->count; i++)
		gov_tree_release(tree, team, request->item[i].cell,
				 request->item[i].amount);
}

/* {team: [amounts]} as charged. */
static void charge_usage(const struct world *world, struct gov_tree **tree,
			 struct json_object *usage)
{
	if (!usage)
		return;
	json_object_object_foreach(usage, name, list)
	{
		struct world_place place = world_team(world, name);
		struct gov_request request;

		world_request(world, list, &request);
		charge(tree_of(world, tree, place), place.unit, &request);
	}
}

/* ---- comparing amounts ---- */

typedef gov_amount_t (*amount_function)(const struct gov_tree *tree,
					uint32_t node, uint32_t cell);

static gov_amount_t usage_at(const struct gov_tree *tree, uint32_t node,
			     uint32_t cell)
{
	return gov_tree_at(tree, node, cell)->usage;
}

static gov_amount_t subtree_at(const struct gov_tree *tree, uint32_t node,
			       uint32_t cell)
{
	return gov_tree_at(tree, node, cell)->subtree;
}

/* Each of the listed amounts; `all`: what is not listed must be 0. */
static void expect_amounts(const struct world *world, struct note *note,
			   const struct gov_tree *tree, uint32_t node,
			   const char *name, struct json_object *list,
			   amount_function amount, bool all)
{
	for (uint32_t cell = 0; cell < world->names->cell_count; cell++) {
		gov_amount_t want = 0, got = amount(tree, node, cell);
		bool listed = false;

		for (size_t i = 0; i < text_length(list); i++) {
			struct json_object *item = text_at(list, i);

			if (world_cell(world, text_string(item, "flavor"),
				       text_string(item, "resource")) != cell)
				continue;
			listed = true;
			want = text_amount(text_need(item, "amount"));
		}
		if ((listed || all) && text_clip(got) != text_clip(want))
			note_add(note,
				 " %s %s/%s: expected %" PRIu64
				 ", got %" PRIu64,
				 name, world_flavor(world, cell),
				 world_resource(world, cell), want, got);
	}
}

/* {name: [amounts]} of teams or of cohorts. */
static void expect_by_name(const struct world *world, struct note *note,
			   struct gov_tree **tree, bool teams,
			   struct json_object *expected, amount_function amount,
			   bool all)
{
	if (!expected)
		return;
	json_object_object_foreach(expected, name, list)
	{
		struct world_place place = teams ? world_team(world, name) :
						   world_cohort(world, name);
		struct gov_tree *t;

		if (!place.cluster) {
			note_add(note, " no cohort %s", name);
			continue;
		}
		t = tree_of(world, tree, place);
		expect_amounts(world, note, t, node_of(t, place), name, list,
			       amount, all);
	}
}

bool kind_available(struct json_object *json, struct note *note)
{
	struct json_object *expect = text_need(json, "expect");
	struct world world;
	struct gov_tree **tree;

	world_create(&world, json);
	tree = make_trees(&world);
	charge_usage(&world, tree, text_get(json, "usage"));
	expect_by_name(&world, note, tree, true, text_get(expect, "available"),
		       gov_tree_available, false);
	expect_by_name(&world, note, tree, true, text_get(expect, "potential"),
		       gov_tree_potential, false);
	free_trees(&world, tree);
	world_destroy(&world);
	return true;
}

/* ---- shares ---- */

/* A team by itself and a root have no share. */
static void share_at(struct gov_tree *tree, struct world_place place,
		     const struct gov_request *extra, struct gov_share *share)
{
	uint32_t node = node_of(tree, place);

	for (uint32_t i = 0; i < extra->count; i++)
		gov_tree_reserve(tree, node, extra->item[i].cell,
				 extra->item[i].amount);
	gov_share_of(tree, place.cluster->root ? node : gov_tree_root(tree),
		     share);
	for (uint32_t i = 0; i < extra->count; i++)
		gov_tree_unreserve(tree, node, extra->item[i].cell,
				   extra->item[i].amount);
}

static bool same_permille(struct json_object *want, uint64_t got)
{
	if (json_object_is_type(want, json_type_string))
		return got == UINT64_MAX;
	if (json_object_get_int64(want) == INT64_MAX)
		return got == UINT64_MAX;
	return (uint64_t) json_object_get_int64(want) == got;
}

/* The request to come counts in full at every node that is asked. */
static void expect_share(const struct world *world, struct note *note,
			 struct gov_tree **tree, struct json_object *record,
			 const struct gov_request *extra)
{
	bool cohort = text_bool_or(record, "is_cohort", false);
	const char *name = text_string(record, "node");
	const char *dominant = text_string_or(record, "dominant", "");
	struct world_place place = cohort ? world_cohort(world, name) :
					    world_team(world, name);
	const char *got;
	struct gov_share share;

	if (!place.cluster) {
		note_add(note, " no cohort %s", name);
		return;
	}
	share_at(tree_of(world, tree, place), place, extra, &share);
	got = share.tres == GOV_NONE ? "" : world->names->tres[share.tres].name;
	if (!same_permille(text_need(record, "share"),
			   gov_share_permille(&share)) ||
	    strcmp(got, dominant) ||
	    share.borrowing != text_bool_or(record, "borrowing", false))
		note_add(note, " %s: got %" PRIu64 " of %s, borrowing %d",
			 json_object_to_json_string(record),
			 gov_share_permille(&share), got, share.borrowing);
}

bool kind_drs(struct json_object *json, struct note *note)
{
	struct json_object *shares = text_need(text_need(json, "expect"),
					       "shares");
	struct gov_request extra;
	struct world world;
	struct gov_tree **tree;

	world_create(&world, json);
	tree = make_trees(&world);
	charge_usage(&world, tree, text_get(json, "usage"));
	world_request(&world, text_get(json, "extra_request"), &extra);
	for (size_t i = 0; i < text_length(shares); i++)
		expect_share(&world, note, tree, text_at(shares, i), &extra);
	free_trees(&world, tree);
	world_destroy(&world);
	return true;
}

/* ---- adding and removing jobs ---- */

static struct json_object *running_named(struct json_object *json,
					 const char *name)
{
	struct json_object *list = text_need(json, "running");

	for (size_t i = 0; i < text_length(list); i++)
		if (!strcmp(text_string(text_at(list, i), "name"), name))
			return text_at(list, i);
	text_fail("no running job %s", name);
}

static void add_or_remove(const struct world *world, struct gov_tree **tree,
			  struct json_object *record, bool add)
{
	struct world_place place = world_team(world,
					      text_string(record, "team"));
	struct gov_request request;

	world_request(world, text_get(record, "usage"), &request);
	(add ? charge : release)(tree_of(world, tree, place), place.unit,
				 &request);
}

/* Usage of every node in every cell must be what it was. */
static void expect_same(const struct world *world, struct note *note,
			struct gov_tree **a, struct gov_tree **b)
{
	for (size_t i = 0; i < world->cluster_count; i++)
		for (uint32_t n = 0; n < a[i]->node_count; n++)
			for (uint32_t c = 0; c < a[i]->cell_count; c++)
				if (usage_at(a[i], n, c) !=
				    usage_at(b[i], n, c))
					note_add(
						note,
						" node %u cell %u is not as before",
						n, c);
}

bool kind_usage(struct json_object *json, struct note *note)
{
	struct json_object *expect = text_need(json, "expect");
	struct json_object *running = text_get(json, "running");
	struct json_object *steps = text_get(json, "steps");
	struct gov_tree **tree, **before;
	struct world world;

	world_create(&world, json);
	tree = make_trees(&world);
	before = make_trees(&world);
	for (size_t i = 0; i < text_length(running); i++) {
		add_or_remove(&world, tree, text_at(running, i), true);
		add_or_remove(&world, before, text_at(running, i), true);
	}
	for (size_t i = 0; i < text_length(steps); i++) {
		struct json_object *step = text_at(steps, i);
		const char *add = text_string_or(step, "add", NULL);

		add_or_remove(&world, tree,
			      running_named(json,
					    add ? add :
						  text_string(step, "remove")),
			      add != NULL);
	}
	if (text_bool_or(expect, "same_as_initial", false))
		expect_same(&world, note, tree, before);
	expect_by_name(&world, note, tree, true, text_get(expect, "team_usage"),
		       usage_at, false);
	expect_by_name(&world, note, tree, false,
		       text_get(expect, "cohort_usage"), usage_at, false);
	free_trees(&world, before);
	free_trees(&world, tree);
	world_destroy(&world);
	return true;
}

/* ---- what a team holds ---- */

/* Only admitted jobs, or all that reserve quota. */
static void expect_report(const struct world *world, struct note *note,
			  struct json_object *json, const char *which,
			  bool admitted_only)
{
	struct json_object *running = text_need(json, "running");
	struct json_object *teams = text_need(json, "teams");
	struct json_object *expect = text_need(json, "expect");
	struct json_object *list = text_need(expect, which);
	struct world_place place = world_team(world,
					      text_string(text_at(teams, 0),
							  "name"));
	struct gov_tree **tree = make_trees(world), *t;
	int64_t count = 0;
	char key[64];

	for (size_t i = 0; i < text_length(running); i++) {
		struct json_object *job = text_at(running, i);

		if (admitted_only && !text_bool_or(job, "admitted", true))
			continue;
		add_or_remove(world, tree, job, true);
		count++;
	}
	t = tree_of(world, tree, place);
	for (size_t i = 0; i < text_length(list); i++) {
		struct json_object *item = text_at(list, i);
		uint32_t cell = world_cell(world, text_string(item, "flavor"),
					   text_string(item, "resource"));
		gov_amount_t total = usage_at(t, place.unit, cell);
		/* A team by itself has nobody to borrow from. */
		gov_amount_t borrowed = place.cluster->root ?
						gov_tree_borrowed(t, place.unit,
								  cell) :
						0;

		if (total != text_amount(text_need(item, "total")) ||
		    borrowed != text_amount(text_need(item, "borrowed")))
			note_add(note,
				 " %s %s: got %" PRIu64 ", borrowed %" PRIu64,
				 which, json_object_to_json_string(item), total,
				 borrowed);
	}
	snprintf(key, sizeof(key), "%s_count", which);
	if (text_integer_or(expect, key, count) != count)
		note_add(note, " %s: got %" PRId64, key, count);
	free_trees(world, tree);
}

bool kind_team_usage(struct json_object *json, struct note *note)
{
	struct world world;

	world_create(&world, json);
	expect_report(&world, note, json, "reserved", false);
	expect_report(&world, note, json, "admitted", true);
	world_destroy(&world);
	return true;
}

/* ---- changing the tree ---- */

/* Replace or append the record of this name; NULL removes it. */
static void set_named(struct json_object *json, const char *key,
		      const char *name, struct json_object *record)
{
	struct json_object *old = text_get(json, key);
	struct json_object *new = json_object_new_array();

	for (size_t i = 0; i < text_length(old); i++)
		if (strcmp(text_string(text_at(old, i), "name"), name))
			json_object_array_add(new,
					      json_object_get(text_at(old, i)));
	if (record)
		json_object_array_add(new, json_object_get(record));
	json_object_object_add(json, key, new);
}

/* Does the tree with this team or cohort stand? */
static bool stands(const struct world *world, struct json_object *step)
{
	struct json_object *team = text_get(step, "set_team");
	struct json_object *cohort = text_get(step, "set_cohort");

	if (team)
		return world_has_team(world, text_string(team, "name"));
	if (cohort)
		return world_cohort(world, text_string(cohort, "name"))
			       .cluster != NULL;
	return true;
}

static void expect_subtrees(struct note *note, struct json_object *state,
			    struct json_object *step,
			    struct json_object *expected)
{
	struct gov_tree **tree;
	struct world world;

	world_create(&world, state);
	tree = make_trees(&world);
	if (step && text_bool_or(step, "ok", true) != stands(&world, step))
		note_add(note, " %s: %s", json_object_to_json_string(step),
			 stands(&world, step) ? "accepted" : "refused");
	expect_by_name(&world, note, tree, false, expected, subtree_at, true);
	free_trees(&world, tree);
	world_destroy(&world);
}

bool kind_subtree(struct json_object *json, struct note *note)
{
	struct json_object *steps = text_get(json, "steps");
	struct json_object *expect = text_need(json, "expect");
	struct json_object *state = NULL;

	json_object_deep_copy(json, &state, NULL);
	expect_subtrees(note, state, NULL,
			text_get(expect, "subtree_quota_before"));
	for (size_t i = 0; i < text_length(steps); i++) {
		struct json_object *step = text_at(steps, i);
		struct json_object *cohort = text_get(step, "set_cohort");
		struct json_object *team = text_get(step, "set_team");

		if (cohort)
			set_named(state, "cohorts", text_string(cohort, "name"),
				  cohort);
		else if (team)
			set_named(state, "teams", text_string(team, "name"),
				  team);
		else
			set_named(state, "cohorts",
				  text_string(step, "delete_cohort"), NULL);
		expect_subtrees(note, state, step,
				text_get(step, "subtree_quota"));
	}
	expect_subtrees(note, state, NULL, text_get(expect, "subtree_quota"));
	json_object_put(state);
	return true;
}
