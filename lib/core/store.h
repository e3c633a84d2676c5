/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jobs: who they are, which wait in what order, which could give way.
 *
 * A job is a small record of its own data; what it shares with all jobs like
 * it (team, class, request, …) is its *kind*.  Waiting jobs of a kind differ
 * by age only, so that one look at the oldest answers for all of them.  The
 * store keeps order and knows nothing of quotas; who changes a job's state
 * unlinks it before and links it again after.
 */
#ifndef GOVERNANCE_CORE_STORE_H
#define GOVERNANCE_CORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/avl.h"
#include "core/engine.h"
#include "core/places.h"
#include "core/policy.h"
#include "core/usage.h"

struct gov_item {
	uint32_t cell;
	gov_amount_t amount;
};

/* What makes jobs alike. */
struct gov_kind_key {
	uint32_t team; /* GOV_NONE: its team is gone */
	uint32_t project;
	uint32_t class;
	uint32_t user; /* GOV_NONE where the user makes no difference */
	bool no_borrow;
	bool provisional;
	bool displaced; /* was told to give way before */
	uint32_t shape; /* number of its shape, 0: not known */
	uint32_t count;
	struct gov_item item[GOV_REQUEST_MAX]; /* by rising cell */
};

struct gov_kind {
	struct gov_avl by_head;	     /* in its team's queue while any waits */
	struct gov_avl_tree waiting; /* jobs, the first to go first */
	struct gov_kind *next;	     /* in the same slot of the table */
	struct gov_account *account; /* of its user in the team, or NULL */
	struct gov_kind *akin;	     /* of the same account */
	struct gov_kind **akin_link; /* what points to it there */
	uint32_t hash;
	uint32_t references; /* jobs of this kind */
	uint32_t waiting_count;
	uint32_t team;
	uint32_t project;
	uint32_t class;
	uint32_t user;
	bool no_borrow;
	bool provisional;
	bool displaced;
	uint32_t shape;
	uint8_t hope; /* what must change before it could
					   displace others: enum gov_hope */
	uint8_t count;
	uint64_t refused;	 /* pass in which it was refused */
	gov_amount_t *user_used; /* of its user in the team, or NULL */
	struct gov_item item[];
};

/* What the jobs that were told to leave for one asker have in common. */
struct gov_asker {
	struct gov_asker *next; /* in the same slot of the table */
	uint64_t id;
	struct gov_record *first;	       /* jobs whose asker it is */
	size_t reclaiming;		       /* of these, still RECLAIMING */
	bool claiming;			       /* covered[] is kept */
	gov_amount_t covered[GOV_REQUEST_MAX]; /* per item of the asker's
						   request: leaving for it */
};

struct gov_record {
	struct gov_avl by; /* in the tree that fits its state */
	struct gov_kind *kind;
	uint64_t id;
	gov_time_t submitted;
	gov_time_t started;
	gov_time_t checkpoint;
	gov_time_t deadline;
	gov_time_t arrived; /* ADMITTED: when those who left for it were gone,
			       or 0 */
	struct gov_asker *asker;  /* or NULL */
	struct gov_record *next;  /* of the same asker */
	struct gov_record **link; /* what points to it there */
	uint32_t user;
	uint32_t evictions;
	uint32_t passed_over; /* round of a search in which the rules
				 would not have it */
	uint8_t state;
	uint8_t rule;
	bool requeueable;
	bool exempt;
	bool linked;	 /* `by` is in a tree */
	bool behind;	 /* WAITING, but after its asker */
	bool stopped;	 /* GOV_STOP was given */
	bool taken;	 /* by the search under way */
	bool on_surplus; /* CLAIMING: what leaves for others */
};

struct gov_team_jobs {
	struct gov_avl_tree queue;   /* kinds that wait, by their head */
	struct gov_avl_tree charged; /* ADMITTED, RUNNING: first to give
					   way first */
	size_t waiting_count;
};

struct gov_chunk;

struct gov_store {
	const struct gov_policy *policy; /* borrowed */
	struct gov_places *places;	 /* borrowed, or NULL: no shapes */
	struct gov_record **slot;	 /* open addressing by id */
	size_t slot_count;		 /* a power of two */
	size_t count;
	struct gov_chunk *chunks;
	struct gov_record *unused;
	struct gov_kind **kind_slot;
	size_t kind_slot_count;
	size_t kind_count;
	struct gov_asker **asker_slot;
	size_t asker_slot_count;
	size_t asker_count;
	struct gov_team_jobs *team;    /* per unit */
	struct gov_avl_tree deadlines; /* RECLAIMING, not stopped */
	struct gov_avl_tree ready;     /* CLAIMING, nobody leaves for them */
	struct gov_avl_tree surplus;   /* CLAIMING what leaves for others, the
					   first to be served first */
};

/* 0; -1 out of memory (then nothing needs to be freed). */
int gov_store_init(struct gov_store *store, const struct gov_policy *policy);
void gov_store_free(struct gov_store *store);

/* ---- the table ---- */

struct gov_record *gov_store_find(const struct gov_store *store, uint64_t id);

/*
 * A new zeroed record under this id, which must not be in the table; it has
 * no kind yet.  NULL: out of memory.
 */
struct gov_record *gov_store_add(struct gov_store *store, uint64_t id);

/* Forget it: unlinked before, its kind and asker given back here. */
void gov_store_drop(struct gov_store *store, struct gov_record *job);

/* Another id for an unlinked record.  The new id must not be in the table. */
void gov_store_rename(struct gov_store *store, struct gov_record *job,
		      uint64_t id);

/* ---- kinds ---- */

/* The kind of this key, one reference more; NULL: out of memory. */
struct gov_kind *gov_store_kind(struct gov_store *store,
				const struct gov_kind_key *key);
void gov_store_kind_unref(struct gov_store *store, struct gov_kind *kind);

/* ---- order ---- */

/*
 * Put a record into the tree that fits its state: WAITING and not behind its
 * asker into its team's queue, ADMITTED and RUNNING into the team's jobs that
 * could give way, RECLAIMING to the deadlines, CLAIMING to the ready ones if
 * nobody leaves for it any more, or to those on surplus.  Of the other states,
 * and of a team that is gone, no order is kept.
 */
void gov_store_link(struct gov_store *store, struct gov_record *job);
void gov_store_unlink(struct gov_store *store, struct gov_record *job);

/* Whose the kind is; NULL: it makes no difference. */
void gov_store_set_account(struct gov_kind *kind, struct gov_account *account);

/*
 * Another score for an account: its kinds take their places in the queue.
 * true: some of them wait.
 */
bool gov_store_rescore(struct gov_store *store, struct gov_account *account,
		       double score);

/* First of a kind's waiting jobs; NULL if none waits. */
struct gov_record *gov_kind_head(const struct gov_kind *kind);

/* The kinds of a team that wait, in order; NULL at the end. */
struct gov_kind *gov_store_first_kind(const struct gov_store *store,
				      uint32_t team);
struct gov_kind *gov_kind_next(const struct gov_kind *kind);

/* A team's jobs that could give way, first victim first; NULL at the end. */
struct gov_record *gov_store_first_charged(const struct gov_store *store,
					   uint32_t team);
struct gov_record *gov_record_next(const struct gov_record *job);

/* Time from which its work is not saved: start, or latest checkpoint; a job
 * that has not started loses nothing and counts as started last. */
gov_time_t gov_record_saved(const struct gov_record *job);

/* < 0 if a comes before b in a team's queue (heads of kinds). */
int gov_store_order_waiting(const struct gov_store *store,
			    const struct gov_record *a,
			    const struct gov_record *b);

/* < 0 if a gives way before b, both of other teams than the asker's or both
 * of the asker's. */
int gov_store_order_victims(const struct gov_store *store,
			    const struct gov_record *a,
			    const struct gov_record *b);

/* Class weight of a job or kind; 0 for a class that is gone. */
uint32_t gov_kind_weight(const struct gov_store *store,
			 const struct gov_kind *kind);

/* ---- askers ---- */

/* The entry of this asker, or NULL if nobody names it. */
struct gov_asker *gov_store_asker(const struct gov_store *store, uint64_t id);

/*
 * Let the (unlinked) job name an asker, or none with id 0.  -1: out of
 * memory; then it names none.
 */
int gov_store_set_asker(struct gov_store *store, struct gov_record *job,
			uint64_t id);

/* Id of the asker it names, or 0. */
uint64_t gov_record_asker(const struct gov_record *job);

/* Does the kind use this cell? */
bool gov_kind_uses(const struct gov_kind *kind, uint32_t cell);

/* What a job of the kind holds in this cell; 0: it does not use it. */
static inline gov_amount_t gov_kind_amount(const struct gov_kind *kind,
					   uint32_t cell)
{
	for (uint32_t i = 0; i < kind->count; i++)
		if (kind->item[i].cell == cell)
			return kind->item[i].amount;
	return 0;
}

#endif
