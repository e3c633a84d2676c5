/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is in which team: users and groups of the policy as uids and gids.
 *
 * The table is built by a thread that may hang on the name service
 * (members_thread.c) and read by the loop.  It belongs to the policy whose
 * indices it uses.
 */
#ifndef GOVERNANCE_SLURMGOVD_MEMBERS_H
#define GOVERNANCE_SLURMGOVD_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/policy.h"

enum gov_member_of {
	GOV_MEMBER_OF_TEAM,	 /* Members= of unit `index` */
	GOV_MEMBER_OF_OWNERS,	 /* Owners= of unit `index` */
	GOV_MEMBER_OF_PROJECT,	 /* Members= of project `index` */
	GOV_MEMBER_OF_EXEMPT,	 /* ExemptUsers=; index 0 */
	GOV_MEMBER_OF_OPERATORS, /* Operators=; index 0 */
};

struct gov_members;

struct gov_members *gov_members_create(void);
void gov_members_free(struct gov_members *members);

/* 0, or -1 out of memory. */
int gov_members_add_user(struct gov_members *members, enum gov_member_of kind,
			 uint32_t index, uid_t uid);
int gov_members_add_group(struct gov_members *members, enum gov_member_of kind,
			  uint32_t index, gid_t gid);
/* After the last add and before the first question. */
void gov_members_finish(struct gov_members *members);

/* Is the user in that list, by uid or by (primary) gid? */
bool gov_members_has(const struct gov_members *members, enum gov_member_of kind,
		     uint32_t index, uid_t uid, gid_t gid);

/* The teams of a user, ascending, each once; at most max are stored, and the
 * number stored is returned. */
size_t gov_members_teams(const struct gov_members *members, uid_t uid,
			 gid_t gid, uint32_t *teams, size_t max);

/*
 * The same people under the indices of another policy, by the names of units
 * and projects; what the new policy does not have is left out.  NULL: out of
 * memory.
 */
struct gov_members *gov_members_rebase(const struct gov_members *members,
				       const struct gov_policy *from,
				       const struct gov_policy *to);

/*
 * Ask the name service about every member of the policy.  Blocks as long as
 * the name service does.  Names that do not exist are logged and left out.
 * NULL: out of memory.
 */
struct gov_members *gov_members_resolve(const struct gov_policy *policy);

#endif
