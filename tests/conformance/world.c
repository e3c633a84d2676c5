/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* Ids of running jobs count down from here, of pending ones up. */
#define RUNNING_BASE 2000000
#define PENDING_BASE 1000000

static void *need_memory(void *memory)
{
	if (!memory)
		text_fail("out of memory");
	return memory;
}

static uint32_t need_index(uint32_t index)
{
	if (index == GOV_NONE)
		text_fail("out of memory");
	return index;
}

/* ---- cells ---- */

static uint32_t tres_of(struct gov_policy *policy, const char *resource)
{
	uint32_t tres = gov_policy_find_tres(policy, resource);

	if (tres == GOV_NONE)
		tres = need_index(gov_policy_add_tres(policy, resource));
	return tres;
}

static uint32_t pool_of(struct gov_policy *policy, const char *flavor)
{
	uint32_t pool = gov_policy_find_pool(policy, flavor);

	if (pool == GOV_NONE)
		pool = need_index(gov_policy_add_pool(policy, flavor));
	return pool;
}

static void add_cell(const char *flavor, const char *resource, void *arg)
{
	struct gov_policy *policy = arg;
	uint32_t tres = tres_of(policy, resource);
	uint32_t pool = pool_of(policy, flavor);

	for (uint32_t i = 0; i < policy->pool[pool].tres_count; i++)
		if (policy->pool[pool].tres[i] == tres)
			return;
	if (gov_policy_pool_add_tres(policy, pool, tres))
		text_fail("out of memory");
}

/* Every flavor of a group with every resource of it. */
static void add_groups(struct gov_policy *policy, struct json_object *team)
{
	struct json_object *groups = text_get(team, "groups");

	for (size_t g = 0; g < text_length(groups); g++) {
		struct json_object *group = text_at(groups, g);
		struct json_object *flavors = text_need(group, "flavors");
		struct json_object *resources = text_need(group, "resources");

		for (size_t f = 0; f < text_length(flavors); f++)
			for (size_t r = 0; r < text_length(resources); r++)
				add_cell(json_object_get_string(
						 text_at(flavors, f)),
					 json_object_get_string(
						 text_at(resources, r)),
					 policy);
	}
}

static void add_cells(struct gov_policy *policy, struct json_object *json)
{
	struct json_object *teams = text_get(json, "teams");

	for (size_t t = 0; t < text_length(teams); t++)
		add_groups(policy, text_at(teams, t));
	text_each_pair(json, add_cell, policy);
	if (gov_policy_make_cells(policy))
		text_fail("out of memory");
}

/* ---- classes ---- */

int64_t world_priority(struct json_object *job)
{
	struct json_object *boost = text_get(job, "boost");
	int64_t priority = text_integer_or(job, "priority", 0);

	if (json_object_is_type(boost, json_type_int))
		priority += json_object_get_int64(boost);
	return priority;
}

static int compare_int64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

	return (x > y) - (x < y);
}

static void add_priority(struct world *world, int64_t priority)
{
	for (uint32_t i = 0; i < world->priority_count; i++)
		if (world->priority[i] == priority)
			return;
	world->priority = need_memory(reallocarray(world->priority,
						   world->priority_count + 1,
						   sizeof(int64_t)));
	world->priority[world->priority_count++] = priority;
}

static void find_priorities(struct world *world, struct json_object *value)
{
	if (json_object_is_type(value, json_type_array)) {
		for (size_t i = 0; i < text_length(value); i++)
			find_priorities(world, text_at(value, i));
	} else if (json_object_is_type(value, json_type_object)) {
		if (text_get(value, "name") || text_get(value, "priority"))
			add_priority(world, world_priority(value));
		json_object_object_foreach(value, key, member)
		{
			(void) key;
			find_priorities(world, member);
		}
	}
}

static void add_classes(struct world *world, struct gov_policy *policy)
{
	char name[32];

	if (world->priority_count > 100)
		text_fail("more than 100 priorities");
	for (uint32_t i = 0; i < world->priority_count; i++) {
		uint32_t class;

		snprintf(name, sizeof(name), "p%" PRId64, world->priority[i]);
		class = need_index(gov_policy_add_class(policy, name));
		policy->class[class].weight = i + 1;
	}
}

uint32_t world_class(const struct world *world, int64_t priority)
{
	for (uint32_t i = 0; i < world->priority_count; i++)
		if (world->priority[i] == priority)
			return i;
	text_fail("priority %" PRId64, priority);
}

/* Greatest weight whose priority is at most this. */
static uint32_t weight_up_to(const struct world *world, int64_t priority)
{
	uint32_t weight = 0;

	while (weight < world->priority_count &&
	       world->priority[weight] <= priority)
		weight++;
	return weight;
}

/* ---- units ---- */

/* Teams and cohorts may have the same name; units of ours may not. */
static const char *unit_name(char *buffer, size_t size, bool is_team,
			     const char *name)
{
	snprintf(buffer, size, "%s-%s", is_team ? "team" : "cohort", name);
	return buffer;
}

static struct json_object *find_named(struct json_object *list,
				      const char *name)
{
	for (size_t i = 0; i < text_length(list); i++)
		if (!strcmp(text_string(text_at(list, i), "name"), name))
			return text_at(list, i);
	return NULL;
}

/*
 * Root of the tree that a cohort is in; a name without a record is a cohort
 * without quota.  In a cycle: the cohort that closes it.
 */
static const char *root_of(struct json_object *json, const char *cohort)
{
	struct json_object *cohorts = text_get(json, "cohorts");
	size_t steps = text_length(cohorts) + 1;

	for (; steps; steps--) {
		struct json_object *record = find_named(cohorts, cohort);
		const char *parent = text_string_or(record, "parent", NULL);

		if (!parent)
			return cohort;
		cohort = parent;
	}
	return cohort;
}

static enum gov_preempt preempt_of(const char *policy)
{
	static const char *const name[] = {
		[GOV_PREEMPT_NEVER] = "never",
		[GOV_PREEMPT_LOWER] = "lower",
		[GOV_PREEMPT_LOWER_OR_NEWER] = "lower_or_newer_equal",
		[GOV_PREEMPT_ANY] = "any",
	};

	for (int i = 0; i < 4; i++)
		if (!strcmp(policy, name[i]))
			return i;
	text_fail("preemption policy %s", policy);
}

static void fill_preemption(const struct world *world, struct gov_unit *unit,
			    struct json_object *team)
{
	struct json_object *preemption = text_get(team, "preemption");
	struct json_object *borrow = text_get(preemption, "borrow");

	unit->preempt_within_team = preempt_of(
		text_string_or(preemption, "within_team", "never"));
	unit->reclaim = preempt_of(
		text_string_or(preemption, "reclaim", "never"));
	unit->preempt_while_borrowing = preempt_of(
		text_string_or(borrow, "policy", "never"));
	unit->preempt_while_borrowing_max = GOV_NONE;
	if (text_get(borrow, "max_priority"))
		unit->preempt_while_borrowing_max = weight_up_to(
			world, text_integer_or(borrow, "max_priority", 0));
}

static void fill_quotas(const struct world *world, struct gov_quota *quota,
			struct json_object *list)
{
	for (size_t i = 0; i < text_length(list); i++) {
		struct json_object *item = text_at(list, i);
		struct gov_quota *q =
			&quota[world_cell(world, text_string(item, "flavor"),
					  text_string(item, "resource"))];

		q->nominal = text_amount_or(item, "nominal", 0);
		q->borrow_limit = text_amount_or(item, "borrow_limit",
						 GOV_UNLIMITED);
		q->lend_limit = text_amount_or(item, "lend_limit",
					       GOV_UNLIMITED);
	}
}

static void fill_unit(const struct world *world, struct gov_policy *policy,
		      uint32_t index, struct json_object *record)
{
	struct gov_unit *unit = &policy->unit[index];

	unit->weight = text_weight(text_get(record, "weight"));
	unit->strategy = GOV_LEND_AND_BORROW;
	for (uint32_t cell = 0; cell < policy->cell_count; cell++)
		unit->quota[cell] = (struct gov_quota){
			.set = true,
			.borrow_limit = GOV_UNLIMITED,
			.lend_limit = GOV_UNLIMITED,
		};
	fill_quotas(world, unit->quota, text_get(record, "quotas"));
	if (!unit->is_team)
		return;
	fill_preemption(world, unit, record);
	unit->max_evictions = GOV_NONE;
	unit->terms.min_runtime = 0;
	unit->terms.min_loan = 0;
	if (!strcmp(text_string_or(record, "queueing", ""), "strict"))
		unit->queueing = GOV_STRICT;
}

/* The unit of a cohort below the root, made when first asked for. */
static uint32_t cohort_unit(const struct world *world,
			    struct world_cluster *cluster, const char *cohort,
			    size_t depth)
{
	struct json_object *cohorts = text_get(world->json, "cohorts");
	struct json_object *record = find_named(cohorts, cohort);
	const char *parent = text_string_or(record, "parent", NULL);
	struct gov_policy *policy = cluster->policy;
	char buffer[256];
	uint32_t unit, above;

	if (!parent)
		return GOV_NONE;
	unit = gov_policy_find_unit(policy, unit_name(buffer, sizeof(buffer),
						      false, cohort));
	if (unit != GOV_NONE || depth > text_length(cohorts))
		return unit;
	unit = need_index(gov_policy_add_unit(policy, buffer, false, GOV_NONE));
	fill_unit(world, policy, unit, record);
	/* Adding units moves the table. */
	above = strcmp(parent, cohort) ?
			cohort_unit(world, cluster, parent, depth + 1) :
			unit;
	policy->unit[unit].parent = above;
	return unit;
}

static void add_cohorts(struct world *world, struct world_cluster *cluster)
{
	struct json_object *cohorts = text_get(world->json, "cohorts");

	for (size_t i = 0; i < text_length(cohorts); i++) {
		const char *name = text_string(text_at(cohorts, i), "name");

		if (!strcmp(root_of(world->json, name), cluster->root))
			cohort_unit(world, cluster, name, 0);
	}
}

static void add_team(struct world *world, struct world_cluster *cluster,
		     struct json_object *record)
{
	const char *cohort = text_string_or(record, "cohort", NULL);
	char buffer[256];
	uint32_t parent = GOV_NONE, unit;

	if (cohort)
		parent = cohort_unit(world, cluster, cohort, 0);
	unit_name(buffer, sizeof(buffer), true, text_string(record, "name"));
	unit = need_index(
		gov_policy_add_unit(cluster->policy, buffer, true, parent));
	fill_unit(world, cluster->policy, unit, record);
	if (!cohort)
		cluster->policy->unit[unit].strategy = GOV_DONT_LEND;
}

/* ---- policies ---- */

static struct gov_policy *new_policy(struct world *world)
{
	struct gov_policy *policy = need_memory(gov_policy_create());

	add_cells(policy, world->json);
	add_classes(world, policy);
	return policy;
}

static void fill_root(struct world *world, struct world_cluster *cluster)
{
	struct gov_policy *policy = cluster->policy;
	struct json_object *record = find_named(text_get(world->json,
							 "cohorts"),
						cluster->root);
	struct gov_quota *quota = need_memory(
		calloc(policy->cell_count + 1, sizeof(*quota)));

	fill_quotas(world, quota, text_get(record, "quotas"));
	policy->root_quota = need_memory(
		calloc(policy->cell_count + 1, sizeof(gov_amount_t)));
	for (uint32_t cell = 0; cell < policy->cell_count; cell++)
		policy->root_quota[cell] = quota[cell].nominal;
	policy->root_weight = text_weight(text_get(record, "weight"));
	free(quota);
}

static void configure(struct world *world, struct gov_policy *policy)
{
	struct json_object *config = text_get(world->json, "config");

	policy->capacity_clamp = false;
	policy->share_unallocated = false;
	policy->max_evict_ratio_permille = UINT64_MAX;
	policy->terms.min_runtime = 0;
	policy->terms.min_loan = 0;
	policy->idle_sharing = GOV_FIRST_COME;
	if (!strcmp(text_string_or(config, "algorithm", ""), "fair_sharing"))
		policy->idle_sharing = GOV_FAIR_SHARE;
}

/* `team`: the record of a team without a cohort, else NULL. */
static void build_cluster(struct world *world, const char *root,
			  struct json_object *team)
{
	struct json_object *teams = text_get(world->json, "teams");
	struct world_cluster *cluster;

	world->cluster = need_memory(reallocarray(world->cluster,
						  world->cluster_count + 1,
						  sizeof(*cluster)));
	cluster = &world->cluster[world->cluster_count++];
	*cluster = (struct world_cluster){ .root = root };
	cluster->policy = new_policy(world);
	configure(world, cluster->policy);
	if (team) {
		add_team(world, cluster, team);
	} else {
		fill_root(world, cluster);
		add_cohorts(world, cluster);
		for (size_t i = 0; i < text_length(teams); i++) {
			struct json_object *record = text_at(teams, i);
			const char *cohort = text_string_or(record, "cohort",
							    NULL);

			if (cohort &&
			    !strcmp(root_of(world->json, cohort), root))
				add_team(world, cluster, record);
		}
	}
	if (gov_policy_finish(cluster->policy, &cluster->error)) {
		gov_policy_unref(cluster->policy);
		cluster->policy = NULL;
	}
}

static bool has_cluster(const struct world *world, const char *root)
{
	for (size_t i = 0; i < world->cluster_count; i++)
		if (world->cluster[i].root &&
		    !strcmp(world->cluster[i].root, root))
			return true;
	return false;
}

static void add_root(struct world *world, const char *cohort)
{
	const char *root = root_of(world->json, cohort);

	if (!has_cluster(world, root))
		build_cluster(world, root, NULL);
}

void world_create(struct world *world, struct json_object *json)
{
	struct json_object *cohorts = text_get(json, "cohorts");
	struct json_object *teams = text_get(json, "teams");

	*world = (struct world){ .json = json };
	find_priorities(world, json);
	qsort(world->priority, world->priority_count, sizeof(int64_t),
	      compare_int64);
	world->names = new_policy(world);
	for (size_t i = 0; i < text_length(cohorts); i++)
		add_root(world, text_string(text_at(cohorts, i), "name"));
	for (size_t i = 0; i < text_length(teams); i++) {
		const char *cohort = text_string_or(text_at(teams, i), "cohort",
						    NULL);

		if (cohort)
			add_root(world, cohort);
		else
			build_cluster(world, NULL, text_at(teams, i));
	}
}

void world_destroy(struct world *world)
{
	for (size_t i = 0; i < world->cluster_count; i++)
		gov_policy_unref(world->cluster[i].policy);
	gov_policy_unref(world->names);
	free(world->cluster);
	free(world->priority);
}

/* ---- look-ups ---- */

static struct world_place find_unit(const struct world *world, bool is_team,
				    const char *name)
{
	char buffer[256];

	unit_name(buffer, sizeof(buffer), is_team, name);
	for (size_t i = 0; i < world->cluster_count; i++) {
		struct world_cluster *cluster = &world->cluster[i];
		uint32_t unit = GOV_NONE;

		if (cluster->policy)
			unit = gov_policy_find_unit(cluster->policy, buffer);
		if (unit != GOV_NONE)
			return (struct world_place){ cluster, unit };
	}
	return (struct world_place){ NULL, GOV_NONE };
}

bool world_has_team(const struct world *world, const char *name)
{
	return find_unit(world, true, name).cluster != NULL;
}

struct world_place world_team(const struct world *world, const char *name)
{
	struct world_place place = find_unit(world, true, name);

	if (!place.cluster)
		text_fail("team %s", name);
	return place;
}

struct world_place world_cohort(const struct world *world, const char *name)
{
	for (size_t i = 0; i < world->cluster_count; i++)
		if (world->cluster[i].root && world->cluster[i].policy &&
		    !strcmp(world->cluster[i].root, name))
			return (struct world_place){ &world->cluster[i],
						     GOV_NONE };
	return find_unit(world, false, name);
}

struct json_object *world_team_record(const struct world *world,
				      const char *name)
{
	struct json_object *record = find_named(text_need(world->json, "teams"),
						name);

	if (!record)
		text_fail("team %s", name);
	return record;
}

uint32_t world_cell(const struct world *world, const char *flavor,
		    const char *resource)
{
	uint32_t pool = gov_policy_find_pool(world->names, flavor);
	uint32_t tres = gov_policy_find_tres(world->names, resource);
	uint32_t cell = GOV_NONE;

	if (pool != GOV_NONE && tres != GOV_NONE)
		cell = gov_policy_find_cell(world->names, pool, tres);
	if (cell == GOV_NONE)
		text_fail("no cell %s/%s", flavor, resource);
	return cell;
}

const char *world_flavor(const struct world *world, uint32_t cell)
{
	return world->names->pool[world->names->cell[cell].pool].name;
}

const char *world_resource(const struct world *world, uint32_t cell)
{
	return world->names->tres[world->names->cell[cell].tres].name;
}

/* ---- jobs ---- */

void world_request(const struct world *world, struct json_object *list,
		   struct gov_request *request)
{
	request->count = 0;
	for (size_t i = 0; i < text_length(list); i++) {
		struct json_object *item = text_at(list, i);
		gov_amount_t amount = text_amount(text_need(item, "amount"));

		if (!amount)
			continue;
		if (request->count == GOV_REQUEST_MAX)
			text_fail("a job with too many cells");
		request->item[request->count].cell =
			world_cell(world, text_string(item, "flavor"),
				   text_string(item, "resource"));
		request->item[request->count++].amount = amount;
	}
}

/* Position of a record's uid among those of its list; ties by position. */
static uint64_t uid_rank(struct json_object *list, struct json_object *record)
{
	const char *uid = text_string_or(record, "uid", "");
	uint64_t rank = 0;
	bool seen = false;

	for (size_t i = 0; i < text_length(list); i++) {
		struct json_object *other = text_at(list, i);
		int order;

		seen = seen || other == record;
		order = strcmp(text_string_or(other, "uid", ""), uid);
		if (order < 0 || (!order && !seen))
			rank++;
	}
	return rank;
}

static struct json_object *running_list(const struct world *world)
{
	struct json_object *list = text_get(world->json, "running");

	return list ? list : text_get(world->json, "candidates");
}

static void fill_job(const struct world *world, struct json_object *record,
		     struct gov_job *job)
{
	*job = (struct gov_job){
		.project = GOV_NONE,
		.class = world_class(world, world_priority(record)),
		.submitted = text_integer_or(record, "submitted_at",
					     TEXT_OLDEST),
		.requeueable = true,
	};
}

void world_running(const struct world *world, struct json_object *record,
		   struct gov_job *job)
{
	fill_job(world, record, job);
	job->id = RUNNING_BASE - uid_rank(running_list(world), record);
	job->started = text_integer_or(record, "reserved_at", 0);
	job->state = text_bool_or(record, "evicting", false) ?
			     GOV_JOB_RECLAIMING :
			     GOV_JOB_RUNNING;
	world_request(world, text_get(record, "usage"), &job->request);
}

void world_pending(const struct world *world, struct json_object *record,
		   struct gov_job *job)
{
	fill_job(world, record, job);
	job->id = PENDING_BASE +
		  uid_rank(text_get(world->json, "pending"), record);
	job->state = GOV_JOB_WAITING;
}

struct json_object *world_record(const struct world *world, uint64_t id)
{
	bool running = id > PENDING_BASE + (RUNNING_BASE - PENDING_BASE) / 2;
	struct json_object *list = running ? running_list(world) :
					     text_get(world->json, "pending");

	for (size_t i = 0; i < text_length(list); i++) {
		uint64_t rank = uid_rank(list, text_at(list, i));

		if (id == (running ? RUNNING_BASE - rank : PENDING_BASE + rank))
			return text_at(list, i);
	}
	return NULL;
}
