/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose jobs are looked at next, IdleSharing=FairShare: from the root
 * downwards always the child with the greatest share, among those that borrow
 * and still have candidates.  The asker's own team takes part as well.
 */
#ifndef GOVERNANCE_CORE_VICTIMS_TOURNAMENT_H
#define GOVERNANCE_CORE_VICTIMS_TOURNAMENT_H

#include "core/share.h"
#include "core/victims_private.h"

struct gov_tournament {
	struct gov_search *search; /* the asker's request is reserved in
					   the books all the time */
	uint32_t *first;	   /* per node: children still in it */
	uint32_t *next;
	struct gov_record **candidate; /* per unit: its next, or NULL */
	struct gov_share *share;       /* per node */
	bool *known;		       /* is share up to date? */
};

/* All teams with candidates.  -1: out of memory. */
int gov_tournament_init(struct gov_tournament *tournament,
			struct gov_search *search);
void gov_tournament_free(struct gov_tournament *tournament);

/* Once more from the start, without the jobs that are taken by now. */
void gov_tournament_restart(struct gov_tournament *tournament);

/* The team whose next candidate is looked at; GOV_NONE at the end. */
uint32_t gov_tournament_team(struct gov_tournament *tournament);

/* Go on to the team's next candidate / leave the team out from now on. */
void gov_tournament_pop(struct gov_tournament *tournament, uint32_t team);
void gov_tournament_drop(struct gov_tournament *tournament, uint32_t team);

/* What this team uses has changed. */
void gov_tournament_touch(struct gov_tournament *tournament, uint32_t team);

/* The share of a node; the asker's request is included in its side's. */
const struct gov_share *gov_tournament_share(struct gov_tournament *tournament,
					     uint32_t node);

/* The rule under which jobs of another team may go. */
enum gov_rule gov_tournament_rule(const struct gov_search *search,
				  uint32_t team);

#endif
