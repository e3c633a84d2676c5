/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/members.h"

#include <stdlib.h>

struct entry {
	uint32_t id; /* uid or gid */
	uint32_t kind;
	uint32_t index;
};

struct side {
	struct entry *entry;
	size_t count;
	size_t space;
};

struct gov_members {
	struct side users;
	struct side groups;
};

struct gov_members *gov_members_create(void)
{
	return calloc(1, sizeof(struct gov_members));
}

void gov_members_free(struct gov_members *members)
{
	if (!members)
		return;
	free(members->users.entry);
	free(members->groups.entry);
	free(members);
}

static int add(struct side *side, struct entry entry)
{
	if (side->count == side->space) {
		size_t space = side->space ? side->space * 2 : 64;
		struct entry *bigger = realloc(side->entry,
					       space * sizeof(*bigger));

		if (!bigger)
			return -1;
		side->entry = bigger;
		side->space = space;
	}
	side->entry[side->count++] = entry;
	return 0;
}

int gov_members_add_user(struct gov_members *members, enum gov_member_of kind,
			 uint32_t index, uid_t uid)
{
	return add(&members->users, (struct entry){ uid, kind, index });
}

int gov_members_add_group(struct gov_members *members, enum gov_member_of kind,
			  uint32_t index, gid_t gid)
{
	return add(&members->groups, (struct entry){ gid, kind, index });
}

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

void gov_members_finish(struct gov_members *members)
{
	if (members->users.count)
		qsort(members->users.entry, members->users.count,
		      sizeof(struct entry), compare);
	if (members->groups.count)
		qsort(members->groups.entry, members->groups.count,
		      sizeof(struct entry), compare);
}

static bool side_has(const struct side *side, const struct entry *key)
{
	return side->count &&
	       bsearch(key, side->entry, side->count, sizeof(*key), compare);
}

bool gov_members_has(const struct gov_members *members, enum gov_member_of kind,
		     uint32_t index, uid_t uid, gid_t gid)
{
	struct entry user = { uid, kind, index };
	struct entry group = { gid, kind, index };

	return side_has(&members->users, &user) ||
	       side_has(&members->groups, &group);
}

/* First entry that is not before key. */
static size_t lower_bound(const struct side *side, const struct entry *key)
{
	size_t low = 0, high = side->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&side->entry[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Insert into the sorted set of teams. */
static size_t insert(uint32_t *teams, size_t count, size_t max, uint32_t team)
{
	size_t at = 0;

	while (at < count && teams[at] < team)
		at++;
	if ((at < count && teams[at] == team) || count == max)
		return count;
	for (size_t i = count; i > at; i--)
		teams[i] = teams[i - 1];
	teams[at] = team;
	return count + 1;
}

static size_t side_teams(const struct side *side, uint32_t id, uint32_t *teams,
			 size_t count, size_t max)
{
	struct entry key = { id, GOV_MEMBER_OF_TEAM, 0 };

	for (size_t i = lower_bound(side, &key); i < side->count; i++) {
		const struct entry *entry = &side->entry[i];

		if (entry->id != id || entry->kind != GOV_MEMBER_OF_TEAM)
			break;
		count = insert(teams, count, max, entry->index);
	}
	return count;
}

size_t gov_members_teams(const struct gov_members *members, uid_t uid,
			 gid_t gid, uint32_t *teams, size_t max)
{
	size_t count = side_teams(&members->users, uid, teams, 0, max);

	return side_teams(&members->groups, gid, teams, count, max);
}

/* The index of the same thing in another policy, or GOV_NONE. */
static uint32_t translate(const struct entry *entry,
			  const struct gov_policy *from,
			  const struct gov_policy *to)
{
	const struct gov_project *project;
	uint32_t team;

	switch (entry->kind) {
	case GOV_MEMBER_OF_TEAM:
	case GOV_MEMBER_OF_OWNERS:
		return gov_policy_find_unit(to, from->unit[entry->index].name);
	case GOV_MEMBER_OF_PROJECT:
		project = &from->project[entry->index];
		team = gov_policy_find_unit(to, from->unit[project->team].name);
		if (team == GOV_NONE)
			return GOV_NONE;
		return gov_policy_find_project(to, team, project->name);
	default: return entry->index;
	}
}

static int rebase_side(struct side *to, const struct side *from,
		       const struct gov_policy *from_policy,
		       const struct gov_policy *to_policy)
{
	for (size_t i = 0; i < from->count; i++) {
		struct entry entry = from->entry[i];

		entry.index = translate(&entry, from_policy, to_policy);
		if (entry.index != GOV_NONE && add(to, entry))
			return -1;
	}
	return 0;
}

struct gov_members *gov_members_rebase(const struct gov_members *members,
				       const struct gov_policy *from,
				       const struct gov_policy *to)
{
	struct gov_members *rebased = gov_members_create();

	if (!rebased)
		return NULL;
	if (rebase_side(&rebased->users, &members->users, from, to) ||
	    rebase_side(&rebased->groups, &members->groups, from, to)) {
		gov_members_free(rebased);
		return NULL;
	}
	gov_members_finish(rebased);
	return rebased;
}
