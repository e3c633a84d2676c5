/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which team's waiting job is next.
 *
 * Every team puts one job forward.  Every unit keeps a knockout of its
 * children, so that a change at one team costs a way up to the root and not a
 * look at all teams.  IdleSharing=FairShare: at each level the child goes
 * first that would not borrow what the job asks, then the one whose share
 * would be smaller, the job being admitted.  FirstCome: one order for all.
 */
#ifndef GOVERNANCE_CORE_CONTEST_H
#define GOVERNANCE_CORE_CONTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/books.h"
#include "core/order.h"
#include "core/share.h"

/* What a node puts forward, and how it stands in its parent with that. */
struct gov_entry {
	const struct gov_record *job; /* NULL: nothing */
	bool displaces; /* of a team: something has changed for whom it
			   could displace, since all were looked at */
	bool borrows;	/* in a cell that the job asks of */
	struct gov_share share;
	struct gov_waiting_rank rank;
};

struct gov_contest {
	struct gov_books *books; /* borrowed; usage is changed and put
					   back while shares are computed */
	struct gov_entry *entry; /* per node */
	uint32_t *place;	 /* per node: among its siblings */
	uint32_t *base;		 /* per node: where its knockout is */
	uint32_t *width;	 /* per node: places, a power of two */
	uint32_t *won;		 /* all knockouts: nodes or GOV_NONE */
	size_t won_count;
};

/* 0; -1 out of memory. */
int gov_contest_init(struct gov_contest *contest, struct gov_books *books);
void gov_contest_free(struct gov_contest *contest);

/*
 * The job that the team puts forward, in place of what it put forward before;
 * NULL: none.  Also to be called when what the team uses has changed.
 */
void gov_contest_set(struct gov_contest *contest, uint32_t team,
		     const struct gov_record *job);

/* Nobody puts anything forward any more. */
void gov_contest_clear(struct gov_contest *contest);

/* The team that is first; GOV_NONE if none puts anything forward. */
uint32_t gov_contest_first(const struct gov_contest *contest);

#endif
