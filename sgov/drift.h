/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drift: the policy beside Slurm as it runs; only reads.  Each finding has
 * evidence and the command, or the line of a file, that mends it.
 */
#ifndef GOVERNANCE_SGOV_DRIFT_H
#define GOVERNANCE_SGOV_DRIFT_H

#include "core/policy.h"
#include "sgov/json.h"
#include "sgov/system.h"
#include "sgov/table.h"

struct drift {
	const struct gov_policy *policy;
	struct sgov_table *table; /* NULL: list is wanted */
	struct json_object *list;
	size_t count;
};

/* evidence and mend are taken. */
void drift_tell(struct drift *drift, enum sgov_severity severity,
		const char *subject, char *evidence, char *mend);

/* text: what scontrol --oneliner show nodes or partitions prints; changed. */
void drift_nodes(struct drift *drift, char *text);
void drift_partitions(struct drift *drift, char *text);
/* slurm: as sgov_parse_scontrol() gives it. */
void drift_settings(struct drift *drift, const struct json_object *slurm);

#endif
