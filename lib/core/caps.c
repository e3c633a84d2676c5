/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/caps.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/hash.h"

int gov_caps_init(struct gov_caps *caps, const struct gov_policy *policy)
{
	memset(caps, 0, sizeof(*caps));
	caps->policy = policy;
	caps->slot_count = 64;
	caps->slot = calloc(caps->slot_count, sizeof(*caps->slot));
	caps->project_used = gov_array_new((size_t) policy->project_count *
						   policy->cell_count,
					   sizeof(*caps->project_used));
	if (caps->slot && caps->project_used)
		return 0;
	gov_caps_free(caps);
	return -1;
}

void gov_caps_free(struct gov_caps *caps)
{
	struct gov_user_used *entry;

	for (size_t i = 0; caps->slot && i < caps->slot_count; i++)
		while ((entry = caps->slot[i])) {
			caps->slot[i] = entry->next;
			free(entry);
		}
	free(caps->slot);
	free(caps->project_used);
	memset(caps, 0, sizeof(*caps));
}

bool gov_caps_by_user(const struct gov_policy *policy, uint32_t team)
{
	return team < policy->unit_count && policy->unit[team].user_max;
}

static struct gov_user_used **slot_of(const struct gov_caps *caps,
				      uint32_t team, uint32_t user)
{
	uint64_t hash = gov_hash((uint64_t) team << 32 | user);

	return &caps->slot[hash & (caps->slot_count - 1)];
}

static int grow(struct gov_caps *caps)
{
	struct gov_user_used **old = caps->slot, *entry;
	size_t old_count = caps->slot_count;

	if (caps->count < old_count)
		return 0;
	caps->slot = calloc(2 * old_count, sizeof(*caps->slot));
	if (!caps->slot) {
		caps->slot = old;
		return -1;
	}
	caps->slot_count = 2 * old_count;
	for (size_t i = 0; i < old_count; i++)
		while ((entry = old[i])) {
			struct gov_user_used **to = slot_of(caps, entry->team,
							    entry->user);

			old[i] = entry->next;
			entry->next = *to;
			*to = entry;
		}
	free(old);
	return 0;
}

gov_amount_t *gov_caps_user(struct gov_caps *caps, uint32_t team, uint32_t user)
{
	struct gov_user_used **slot = slot_of(caps, team, user), *entry;

	for (entry = *slot; entry; entry = entry->next)
		if (entry->team == team && entry->user == user)
			return entry->used;
	if (grow(caps))
		return NULL;
	entry = calloc(1, sizeof(*entry) + caps->policy->cell_count *
						   sizeof(entry->used[0]));
	if (!entry)
		return NULL;
	entry->team = team;
	entry->user = user;
	slot = slot_of(caps, team, user);
	entry->next = *slot;
	*slot = entry;
	caps->count++;
	return entry->used;
}

static gov_amount_t *project_row(const struct gov_caps *caps,
				 const struct gov_kind *kind)
{
	if (kind->project >= caps->policy->project_count)
		return NULL;
	return &caps->project_used[(size_t) kind->project *
				   caps->policy->cell_count];
}

void gov_caps_charge(struct gov_caps *caps, const struct gov_kind *kind)
{
	gov_amount_t *project = project_row(caps, kind);

	for (uint32_t i = 0; i < kind->count; i++) {
		if (project)
			project[kind->item[i].cell] += kind->item[i].amount;
		if (kind->user_used)
			kind->user_used[kind->item[i].cell] +=
				kind->item[i].amount;
	}
}

void gov_caps_release(struct gov_caps *caps, const struct gov_kind *kind)
{
	gov_amount_t *project = project_row(caps, kind);

	for (uint32_t i = 0; i < kind->count; i++) {
		if (project)
			project[kind->item[i].cell] -= kind->item[i].amount;
		if (kind->user_used)
			kind->user_used[kind->item[i].cell] -=
				kind->item[i].amount;
	}
}

gov_amount_t gov_caps_project_max(const struct gov_policy *policy,
				  const struct gov_kind *kind, uint32_t cell)
{
	if (kind->project >= policy->project_count ||
	    !policy->project[kind->project].max)
		return GOV_UNLIMITED;
	return policy->project[kind->project].max[cell];
}

gov_amount_t gov_caps_user_max(const struct gov_policy *policy,
			       const struct gov_kind *kind, uint32_t cell)
{
	if (!kind->user_used || kind->team >= policy->unit_count ||
	    !policy->unit[kind->team].user_max)
		return GOV_UNLIMITED;
	return policy->unit[kind->team].user_max[cell];
}

gov_amount_t gov_caps_project_room(const struct gov_caps *caps,
				   const struct gov_kind *kind, uint32_t cell)
{
	gov_amount_t *project = project_row(caps, kind);

	return project ? gov_amount_sub(gov_caps_project_max(caps->policy, kind,
							     cell),
					project[cell]) :
			 GOV_UNLIMITED;
}

gov_amount_t gov_caps_user_room(const struct gov_caps *caps,
				const struct gov_kind *kind, uint32_t cell)
{
	gov_amount_t max = gov_caps_user_max(caps->policy, kind, cell);

	return max == GOV_UNLIMITED ?
		       max :
		       gov_amount_sub(max, kind->user_used[cell]);
}
