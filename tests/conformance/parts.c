/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

static uint32_t *indices(struct json_object *names,
			 uint32_t (*find)(const struct gov_policy *policy,
					  const char *name),
			 const struct gov_policy *policy)
{
	uint32_t *index = calloc(text_length(names) + 1, sizeof(*index));

	if (!index)
		text_fail("out of memory");
	for (size_t i = 0; i < text_length(names); i++)
		index[i] = find(policy,
				json_object_get_string(text_at(names, i)));
	return index;
}

static void read_groups(struct parts *parts, const struct world *world,
			struct json_object *team)
{
	struct json_object *groups = text_get(team, "groups");

	for (size_t i = 0; i < text_length(groups); i++) {
		struct json_object *record = text_at(groups, i);
		struct gov_group *group = &parts->group[parts->group_count++];

		if (i == GOV_GROUPS_MAX)
			text_fail("too many resource groups");
		group->tres = indices(text_need(record, "resources"),
				      gov_policy_find_tres, world->names);
		group->tres_count = (uint32_t) text_length(
			text_need(record, "resources"));
		group->pool = indices(text_need(record, "flavors"),
				      gov_policy_find_pool, world->names);
		group->pool_count = (uint32_t) text_length(
			text_need(record, "flavors"));
	}
}

static void read_fungibility(struct parts *parts, struct json_object *team)
{
	struct json_object *f = text_get(team, "flavor_fungibility");

	parts->how = (struct gov_fungibility){
		.look_on_if_borrowing =
			!strcmp(text_string_or(f, "when_can_borrow", "stop"),
				"try_next"),
		.look_on_if_preempting = !strcmp(
			text_string_or(f, "when_can_preempt", "try_next"),
			"try_next"),
		.preference = !strcmp(text_string_or(f, "preference", ""),
				      "preemption_over_borrowing") ?
				      GOV_PREFER_PREEMPTION :
				      GOV_PREFER_BORROWING,
	};
}

static void add_ask(struct gov_part *part, uint32_t tres, gov_amount_t amount)
{
	if (part->tres_count == GOV_REQUEST_MAX)
		text_fail("a task with too many resources");
	part->ask[part->tres_count].tres = tres;
	part->ask[part->tres_count++].per_task = amount;
}

/* A TRES that no team has is one that no pool offers. */
#define NO_TRES 1000000

static void read_ask(const struct parts *parts, struct gov_part *part,
		     const struct world *world, struct json_object *per_pod)
{
	uint32_t pods = gov_policy_find_tres(world->names, "pods");

	json_object_object_foreach(per_pod, resource, amount)
	{
		uint32_t tres = gov_policy_find_tres(world->names, resource);

		if (tres == GOV_NONE)
			tres = NO_TRES;
		if (tres != pods)
			add_ask(part, tres, text_amount(amount));
	}
	/* Where a team has a quota of pods, each task takes one. */
	for (uint32_t g = 0; g < parts->group_count; g++)
		for (uint32_t i = 0; i < parts->group[g].tres_count; i++)
			if (pods != GOV_NONE && parts->group[g].tres[i] == pods)
				add_ask(part, pods, 1);
}

static bool *read_refused(const struct world *world,
			  struct json_object *flavors)
{
	bool *refused;

	if (!text_length(flavors))
		return NULL;
	refused = calloc(world->names->pool_count + 1, sizeof(*refused));
	if (!refused)
		text_fail("out of memory");
	for (size_t i = 0; i < text_length(flavors); i++) {
		uint32_t pool = gov_policy_find_pool(
			world->names,
			json_object_get_string(text_at(flavors, i)));

		if (pool != GOV_NONE)
			refused[pool] = true;
	}
	return refused;
}

/* Parts of the same `group` go together; others by themselves. */
static uint32_t together(struct json_object *podsets, size_t index)
{
	const char *group = text_string_or(text_at(podsets, index), "group",
					   NULL);

	for (size_t i = 0; group && i < index; i++) {
		const char *other = text_string_or(text_at(podsets, i), "group",
						   NULL);

		if (other && !strcmp(other, group))
			return (uint32_t) i;
	}
	return (uint32_t) index;
}

/* Tasks that have finished do not count, unless the option is off. */
static uint32_t task_count(const struct world *world,
			   struct json_object *podset)
{
	struct json_object *gates = text_get(text_get(world->json, "config"),
					     "gates");
	int64_t count = text_integer_or(podset, "count", 1);

	if (text_bool_or(gates, "partial_release", true))
		count -= text_integer_or(podset, "finished_pods", 0);
	return (uint32_t) count;
}

void parts_create(struct parts *parts, const struct world *world,
		  struct json_object *team, struct json_object *job)
{
	struct json_object *podsets = text_need(job, "podsets");

	memset(parts, 0, sizeof(*parts));
	if (text_length(podsets) > GOV_PARTS_MAX)
		text_fail("too many task groups");
	read_groups(parts, world, team);
	read_fungibility(parts, team);
	for (size_t i = 0; i < text_length(podsets); i++) {
		struct json_object *podset = text_at(podsets, i);
		struct gov_part *part = &parts->part[parts->part_count];

		parts->name[parts->part_count++] = text_string_or(podset,
								  "name", "");
		part->count = task_count(world, podset);
		part->least = (uint32_t) text_integer_or(podset, "min_count",
							 part->count);
		part->together = together(podsets, i);
		parts->refused[i] = read_refused(
			world, text_get(podset, "ineligible_flavors"));
		part->refused = parts->refused[i];
		read_ask(parts, part, world, text_need(podset, "per_pod"));
	}
}

void parts_destroy(struct parts *parts)
{
	for (uint32_t i = 0; i < parts->part_count; i++)
		free(parts->refused[i]);
	for (uint32_t i = 0; i < parts->group_count; i++) {
		free((uint32_t *) parts->group[i].tres);
		free((uint32_t *) parts->group[i].pool);
	}
}
