/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task groups of a job and resource groups of a team, as core/assign has
 * them. */
#ifndef CONFORMANCE_PARTS_H
#define CONFORMANCE_PARTS_H

#include "core/assign.h"
#include "world.h"

struct parts {
	struct gov_part part[GOV_PARTS_MAX];
	uint32_t part_count;
	struct gov_group group[GOV_GROUPS_MAX];
	uint32_t group_count;
	struct gov_fungibility how;
	const char *name[GOV_PARTS_MAX];
	bool *refused[GOV_PARTS_MAX];
};

/* `team`: its record; `job`: a record with podsets. */
void parts_create(struct parts *parts, const struct world *world,
		  struct json_object *team, struct json_object *job);
void parts_destroy(struct parts *parts);

#endif
