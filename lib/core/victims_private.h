/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What both ways of finding victims have in common. */
#ifndef GOVERNANCE_CORE_VICTIMS_PRIVATE_H
#define GOVERNANCE_CORE_VICTIMS_PRIVATE_H

#include "core/victims.h"

/* Which items of the request are still short, and of what; bits. */
struct gov_shortage {
	uint32_t quota;	  /* of quota or capacity: anybody's helps */
	uint32_t nodes;	  /* of a place: only who is on the right nodes helps */
	uint32_t own;	  /* of the team's own quota: only its own jobs */
	uint32_t project; /* of the project's cap: only the project's */
	uint32_t user;	  /* of the user's cap: only the user's */
};

/*
 * What the asker lacks in the books as they are; may_borrow: it may end above
 * its team's own quota in the contended items.
 */
void gov_search_shortage(const struct gov_search *search, bool may_borrow,
			 struct gov_shortage *shortage);

/* Nothing is short. */
bool gov_shortage_none(const struct gov_shortage *shortage);

/* Would the eviction of this job of the asker's own team help? */
bool gov_search_own_helps(const struct gov_search *search,
			  const struct gov_shortage *shortage,
			  const struct gov_record *job);

/*
 * Contended items that are short of quota or nodes, and in which the team and
 * every node above it below `common` use more than they own.
 */
uint32_t gov_search_over(const struct gov_search *search,
			 const struct gov_shortage *shortage, uint32_t team,
			 uint32_t common);

/*
 * Contended items that are short and of which the job could give something
 * where it helps: on the right nodes, if only nodes are short of them.
 */
uint32_t gov_search_wanted(const struct gov_search *search,
			   const struct gov_shortage *shortage,
			   const struct gov_record *job);

/* Of these items, those that the kind uses. */
uint32_t gov_search_used(const struct gov_search *search, uint32_t items,
			 const struct gov_kind *kind);

/*
 * May the asker displace a job of its own team / of another team, as far as
 * classes and ages are concerned?
 */
bool gov_search_may_displace_own(const struct gov_search *search,
				 const struct gov_record *job);
bool gov_search_may_displace_other(const struct gov_search *search,
				   const struct gov_record *job);

/* Does time or a budget protect it from this rule?  Notes when that ends. */
bool gov_search_protected(struct gov_search *search,
			  const struct gov_record *job, enum gov_rule rule);

/* Count one more candidate looked at; true when the budget is used up. */
bool gov_search_spent(struct gov_search *search);

/* Take a victim out of the books.  -1: out of memory. */
int gov_search_take(struct gov_search *search, struct gov_record *job,
		    enum gov_rule rule);

/* Put all victims back into the books; count stays. */
void gov_search_restore(struct gov_search *search);

/* Put back, newest first, those that are not needed. */
void gov_search_fill_back(struct gov_search *search, bool may_borrow);

/* Is the ratio evicted / requested within what the policy allows? */
bool gov_search_affordable(struct gov_search *search);

/*
 * Is the request hosted by a node below `common` (search->advantage), so that
 * what is lent to the rest of common's subtree is the asker's to take back?
 */
bool gov_search_hosted_apart(const struct gov_search *search, uint32_t common);

/*
 * Choose which jobs would have to leave for the asker's place, as far as can
 * be told without the rules: search->among.  false: no choice.
 */
bool gov_victims_plan(struct gov_search *search);

/* If all left who could be asked to: would it then have a place? */
bool gov_victims_could_place(struct gov_search *search);

/* After a search among them that found nothing: those that the rules did not
 * take are not proposed again in this round.  How many there were. */
size_t gov_search_pass_over(struct gov_search *search);

/* The jobs of a team that are looked at, first victim first; NULL: no more. */
struct gov_record *gov_search_first(const struct gov_search *search,
				    uint32_t team);
struct gov_record *gov_search_next(const struct gov_search *search,
				   const struct gov_record *job);

/* The victims are chosen and taken: so is the asker's place. */
void gov_search_settle(struct gov_search *search);

/* IdleSharing=FirstCome and FairShare. */
bool gov_victims_classical(struct gov_search *search);
bool gov_victims_fair(struct gov_search *search);

#endif
