/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The books: everything that is counted, and whether a job fits into it.
 *
 * Tree, jobs and caps of one policy, and the questions that need more than
 * one of them.  The engine keeps one set of books; a search for victims
 * changes them and puts everything back.
 */
#ifndef GOVERNANCE_CORE_BOOKS_H
#define GOVERNANCE_CORE_BOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/caps.h"
#include "core/policy.h"
#include "core/store.h"
#include "core/tree.h"
#include "core/usage.h"

struct gov_books {
	const struct gov_policy *policy; /* borrowed */
	struct gov_tree *tree;
	struct gov_store store;
	struct gov_caps caps;
	struct gov_usage usage;
	bool *drained; /* per unit: an operator lets it borrow no more */
};

/* 0; -1 out of memory.  The policy must outlive the books. */
int gov_books_init(struct gov_books *books, const struct gov_policy *policy);
void gov_books_free(struct gov_books *books);

/*
 * The kind of this key with the caps of its user attached; the user is left
 * out of the key where it makes no difference.  NULL: out of memory.
 */
struct gov_kind *gov_books_kind(struct gov_books *books,
				struct gov_kind_key *key);

/* Charge what a job of this kind holds, or give it back. */
void gov_books_charge(struct gov_books *books, const struct gov_kind *kind);
void gov_books_release(struct gov_books *books, const struct gov_kind *kind);

/*
 * The same for the tree alone, without touching what is physically held:
 * shares and limits as they would be with one more such job.
 */
void gov_books_reserve(struct gov_books *books, const struct gov_kind *kind);
void gov_books_unreserve(struct gov_books *books, const struct gov_kind *kind);

/* Would charged + leaving exceed GOV_AMOUNT_MAX in a cell? */
bool gov_books_overflow(const struct gov_books *books,
			const struct gov_kind *kind);

/* Is what is leaving counted as free? */
enum gov_when { GOV_NOW, GOV_LATER };

/* May jobs of this kind hold more than their team's own quota? */
bool gov_kind_may_borrow(const struct gov_policy *policy,
			 const struct gov_kind *kind);

/* The same, and its team is not drained. */
bool gov_books_may_borrow(const struct gov_books *books,
			  const struct gov_kind *kind);

/* How much a job of the kind could be given in the cell, all limits
 * considered. */
gov_amount_t gov_books_room(const struct gov_books *books,
			    const struct gov_kind *kind, uint32_t cell,
			    enum gov_when when);

/* Does a job of the kind fit, whole? */
bool gov_books_fit(const struct gov_books *books, const struct gov_kind *kind,
		   enum gov_when when);

/* Bits of the items of the request that do not fit. */
uint32_t gov_books_short(const struct gov_books *books,
			 const struct gov_kind *kind, enum gov_when when);

/* Bits of the items whose amount would be (partly) borrowed. */
uint32_t gov_books_borrowed_items(const struct gov_books *books,
				  const struct gov_kind *kind);

/*
 * The lowest node from its team upwards that can host these items of the
 * request in what it owns; GOV_NONE if none can.
 */
uint32_t gov_books_host(const struct gov_books *books,
			const struct gov_kind *kind, uint32_t items);

/* Can a job of the kind never fit at this policy?  *item (may be NULL) is the
 * first item that is too large. */
bool gov_books_never(const struct gov_books *books, const struct gov_kind *kind,
		     uint32_t *item);

/* Height of the unit whose quota would host it; 0: its team's own. */
uint32_t gov_books_level(const struct gov_books *books,
			 const struct gov_kind *kind);

#endif
