/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has to give way so that a waiting job fits (semantics, section 5).
 *
 * A search changes the books (one victim at a time, each re-checked against
 * what the earlier ones changed) and puts everything back before it returns.
 */
#ifndef GOVERNANCE_CORE_VICTIMS_H
#define GOVERNANCE_CORE_VICTIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/books.h"
#include "core/placing.h"

struct gov_victim {
	struct gov_record *job;
	enum gov_rule rule;
};

/* Rule 3 in its two forms (semantics, section 5). */
enum gov_share_rule {
	GOV_SHARE_DEFAULT, /* as the first of two: final, then initial */
	GOV_SHARE_FINAL,   /* asker's share after <= victim's side's after */
	GOV_SHARE_INITIAL, /* asker's share after < victim's side's now */
};

struct gov_search {
	/* In: the caller fills these. */
	struct gov_books *books;
	gov_time_t now;
	const struct gov_kind *kind; /* the asker's */
	gov_time_t since;	     /* the asker's age counts from here */
	uint32_t contended;	     /* items of its request to make room
					   for; 0: those that do not fit */
	bool owed_only;		     /* not by fair share nor while
					   borrowing: it gave way before */
	bool own_only;		     /* only from its own team, and only to
					   end inside its own quota */
	/*
	 * The first rule is tried on every candidate, the second (DEFAULT:
	 * none) on those that the first one spared.
	 */
	enum gov_share_rule share_rule[2];
	/*
	 * Begun for the asker's shape: victims are chosen so that it can be
	 * placed.  NULL: that is not known, and amounts alone decide.
	 */
	struct gov_placing *placing;
	size_t budget; /* candidates to look at; 0: 1,000,000 */
	/* Out. */
	struct gov_victim *victim; /* grown here, gov_search_free() */
	size_t count;
	size_t space;
	bool cut;      /* the budget was hit: "none found"
					   does not mean "none" */
	bool rejected; /* some were enough, but not allowed
					   together */
	bool no_memory;
	gov_time_t retry_at;	 /* a protection ends; INT64_MAX: none */
	uint64_t ratio_permille; /* evicted / requested, greatest over
					   the contended cells */
	/* Private. */
	uint32_t unplaced; /* items that stand for what its place lacks */
	struct gov_record **among; /* proposed to leave, by team */
	size_t among_count, among_space;
	bool planned;	 /* start with them */
	bool among_only; /* look at nobody else */
	uint32_t round;
	uint32_t advantage; /* lowest node that can host it */
	size_t looked;
};

/* A search structure may be used again and again; start with all zero. */
void gov_search_free(struct gov_search *search);

/*
 * Find the victims.  true: search->victim[0 … count - 1], in the order in
 * which they give way, with the rule that allows each.  false: there is no
 * legal set (or the search was cut, or out of memory); count is 0.
 *
 * With placing the set also gives the asker a place, which is then in
 * placing->spot; where it needs one more than amounts, jobs on the nodes that
 * are cheapest to free go first (victims_placed.c).
 */
bool gov_victims_find(struct gov_search *search);

/*
 * Until when is a job no victim of this rule for this asker?  now or
 * earlier: it may be taken; INT64_MAX: its eviction budget is used up, or an
 * operator exempted it.
 */
gov_time_t gov_protected_until(const struct gov_policy *policy,
			       const struct gov_kind *asker,
			       const struct gov_record *victim,
			       enum gov_rule rule);

/*
 * Whom jobs of this kind may displace in their own team: the class's word, or
 * the team's.
 */
enum gov_preempt gov_within_team(const struct gov_policy *policy,
				 const struct gov_kind *kind);

/* evicted / requested in thousandths: greatest over the contended items. */
uint64_t gov_evict_ratio(const struct gov_kind *asker, uint32_t contended,
			 const struct gov_victim *victim, size_t count);

#endif
