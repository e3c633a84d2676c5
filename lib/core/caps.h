/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hard caps inside a team: of its projects (MaxTRES) and of its users.
 */
#ifndef GOVERNANCE_CORE_CAPS_H
#define GOVERNANCE_CORE_CAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/amount.h"
#include "core/policy.h"
#include "core/store.h"

/* What the jobs of one user in one team hold. */
struct gov_user_used {
	struct gov_user_used *next;
	uint32_t team;
	uint32_t user;
	gov_amount_t used[]; /* per cell */
};

struct gov_caps {
	const struct gov_policy *policy; /* borrowed */
	gov_amount_t *project_used;	 /* [project * cell_count + cell] */
	struct gov_user_used **slot;
	size_t slot_count;
	size_t count;
};

/* 0; -1 out of memory. */
int gov_caps_init(struct gov_caps *caps, const struct gov_policy *policy);
void gov_caps_free(struct gov_caps *caps);

/* Does it matter in this team whose job it is? */
bool gov_caps_by_user(const struct gov_policy *policy, uint32_t team);

/*
 * What the user's jobs in the team hold, per cell; valid as long as the caps
 * are.  NULL: out of memory.
 */
gov_amount_t *gov_caps_user(struct gov_caps *caps, uint32_t team,
			    uint32_t user);

void gov_caps_charge(struct gov_caps *caps, const struct gov_kind *kind);
void gov_caps_release(struct gov_caps *caps, const struct gov_kind *kind);

/* How much more a job of the kind may hold in the cell by the project's cap
 * and by the user's; GOV_UNLIMITED where there is none. */
gov_amount_t gov_caps_project_room(const struct gov_caps *caps,
				   const struct gov_kind *kind, uint32_t cell);
gov_amount_t gov_caps_user_room(const struct gov_caps *caps,
				const struct gov_kind *kind, uint32_t cell);

/* The caps themselves; GOV_UNLIMITED where there is none. */
gov_amount_t gov_caps_project_max(const struct gov_policy *policy,
				  const struct gov_kind *kind, uint32_t cell);
gov_amount_t gov_caps_user_max(const struct gov_policy *policy,
			       const struct gov_kind *kind, uint32_t cell);

#endif
