/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the engine share; nobody else includes it. */
#ifndef GOVERNANCE_CORE_ENGINE_PRIVATE_H
#define GOVERNANCE_CORE_ENGINE_PRIVATE_H

#include "core/books.h"
#include "core/contest.h"
#include "core/engine.h"
#include "core/placing.h"
#include "core/share.h"
#include "core/victims.h"

/* Quota that a blocked head of a queue keeps out of others' reach. */
struct gov_reserve {
	uint32_t team;
	uint32_t cell;
	gov_amount_t amount;
	bool applied; /* it is in the tree at the moment */
};

/*
 * What must change before somebody who could displace others, as far as rights
 * go, can do so (bits).  Of every kind, team and unit that waits in vain.
 */
enum gov_hope {
	/* Usage has fallen: its own lower classes were not enough. */
	GOV_HOPE_ROOM = 1,
	/* Usage has fallen, or those who borrow hold more or other jobs:
	   there was nobody else. */
	GOV_HOPE_VICTIMS = 2,
	/* The same, or any usage. */
	GOV_HOPE_USAGE = 4,
	/* Anything at all. */
	GOV_HOPE_ANYTHING = 8,
};

/*
 * Who waits where, so that a decision looks only at those for whom something
 * may have changed.  Arrays per node of the tree (units and the root).
 */
struct gov_hunger {
	size_t *waiting;      /* jobs that wait at and below it, in queues */
	gov_amount_t *least;  /* [node * cell_count + cell]: nobody there
				   asks for less; a lower bound */
	bool *restless;	      /* look at it (or below) at the next chance */
	uint8_t *hope;	      /* look at it (or below) when this has
				   changed: bits of enum gov_hope */
	bool *stirred;	      /* usage at or below it has changed */
	bool *lowered;	      /* and has fallen */
	size_t *cell_waiting; /* per cell: jobs in queues that use it */
	bool *freed;	      /* per cell: something was given back */
	bool any_freed;
	/* Since all were looked at: */
	bool changed;		 /* anything at all */
	bool fallen;		 /* usage of somebody */
	bool borrowed;		 /* somebody who borrows uses more */
	bool victims;		 /* other jobs of those who borrow go first */
	bool kept;		 /* what blocked heads keep */
	struct gov_share *share; /* of each node, as used */
	bool *share_known;
	uint32_t *greatest; /* per node: its child with the greatest
				   share, or GOV_NONE */
	bool *greatest_known;
};

struct gov_engine {
	struct gov_policy *policy; /* one reference */
	struct gov_books books;
	struct gov_search search;
	struct gov_contest contest;
	struct gov_hunger hunger;
	gov_amount_t *leaving; /* [unit * cell_count + cell], RECLAIMING */
	gov_amount_t *waiting; /* likewise, WAITING */
	gov_amount_t *arrived; /* [cell_count]: scratch of claim.c */
	uint64_t pass;	       /* kinds refused in it stay refused in it */
	gov_time_t retry_at;   /* a protection ends; INT64_MAX */
	bool reclaims_held;    /* by an operator */
	struct gov_reserve *reserve;
	size_t reserve_count;
	size_t reserve_space;
	struct gov_places *places;  /* one reference */
	struct gov_placing placing; /* of the search under way */
	uint64_t *unplaced;	    /* admitted, but Slurm finds no place */
	size_t unplaced_count;
	size_t unplaced_due; /* to be looked at since something changed */
	size_t unplaced_at;  /* who is next */
};

/* ---- attach.c: a job's part in all sums and orders ---- */

/* The record is in no sum and no order afterwards (state INELIGIBLE). */
void gov_engine_detach(struct gov_engine *engine, struct gov_record *job);
/* The detached record enters this state, with its kind and asker set. */
void gov_engine_attach(struct gov_engine *engine, struct gov_record *job,
		       enum gov_job_state state);
/* Jobs that wait behind this one: do they still have to? */
void gov_engine_settle_behind(struct gov_engine *engine, uint64_t id);

/* ---- lately.c: usage history ---- */

/* A job of the kind was charged, or is no longer. */
void gov_lately_used(struct gov_engine *engine, const struct gov_kind *kind,
		     bool charged);
/* What `from` remembers, by the names of teams and TRES.  -1: no memory. */
int gov_lately_move(const struct gov_engine *from, struct gov_engine *to,
		    struct gov_error *error);

/* ---- hunger.c: whom to look at ---- */

/* 0; -1 out of memory. */
int gov_hunger_init(struct gov_hunger *hunger, const struct gov_tree *tree);
void gov_hunger_free(struct gov_hunger *hunger);

/* A job of the kind entered / left its team's queue. */
void gov_hunger_enqueue(struct gov_engine *engine, const struct gov_kind *kind);
void gov_hunger_dequeue(struct gov_engine *engine, const struct gov_kind *kind);
/* What the team uses has changed; given back: freed. */
void gov_hunger_used(struct gov_engine *engine, const struct gov_kind *kind,
		     bool freed);
/* A charged job of the kind may give way before others, or not any more. */
void gov_hunger_victim(struct gov_engine *engine, const struct gov_kind *kind);
/* Something of the team changed / may have changed for all: look at the team /
 * at all teams at the next chance. */
void gov_hunger_wake(struct gov_engine *engine, uint32_t team);
void gov_hunger_wake_all(struct gov_engine *engine);
/* Capacity or policy changed: no share is known any more. */
void gov_hunger_forget_shares(struct gov_engine *engine);
/* Is there anybody to look at? */
bool gov_hunger_any(const struct gov_engine *engine);

/*
 * Call visit for every team with waiting jobs for which something may have
 * changed, and forget that it has.  may_displace false: nothing but that there
 * is more room; its jobs have no more right to displace others than before,
 * which is none.
 */
typedef void gov_hunger_visit(struct gov_engine *engine, uint32_t team,
			      bool may_displace);
void gov_hunger_gather(struct gov_engine *engine, gov_hunger_visit *visit);

/* All kinds of the team were looked at in vain: what its queue is like now;
 * hope: when some could go on. */
void gov_hunger_settle(struct gov_engine *engine, uint32_t team, uint8_t hope);

/* Has something changed since the last gathering that concerns whom the team
 * could displace? */
bool gov_hunger_concerns(struct gov_engine *engine, uint32_t team);

/* The greatest share among the children of a node. */
const struct gov_share *gov_hunger_greatest(struct gov_engine *engine,
					    uint32_t node);

/* ---- reserve.c ---- */

/*
 * Keep what the kind, the blocked head of its team's queue, is owed out of
 * others' reach.  -1: out of memory.
 */
int gov_engine_reserve(struct gov_engine *engine, const struct gov_kind *kind);
/* Would it keep anything? */
bool gov_engine_is_owed(const struct gov_engine *engine,
			const struct gov_kind *kind);
/* Give everything back; who kept something is looked at again. */
void gov_engine_drop_reserves(struct gov_engine *engine);
/* Give back what this team keeps. */
void gov_engine_unreserve(struct gov_engine *engine, uint32_t team);
/* Does the kind fit, what others keep left alone? */
bool gov_engine_fits(struct gov_engine *engine, const struct gov_kind *kind,
		     enum gov_when when);

/* ---- engine.c ---- */

/* The job record of this id as the outside sees it. */
void gov_engine_describe(const struct gov_record *job, struct gov_job *out);

/* 0, or -1 with which field is wrong. */
int gov_engine_check_job(const struct gov_engine *engine,
			 const struct gov_job *job, struct gov_error *error);
/* The kind of a (checked) job, one reference more; NULL: out of memory. */
struct gov_kind *gov_engine_kind(struct gov_engine *engine,
				 const struct gov_job *job);

/* ---- queue.c: the next job of a team ---- */

/*
 * Must the job wait behind one of its team's queue?  (Strict queues: behind
 * an earlier one that wants the same pool.)
 */
bool gov_queue_blocks(const struct gov_engine *engine,
		      const struct gov_record *job);

/* PreferOwn: would it rather have its own team's lower classes give way than
 * borrow what is idle?  (A provisional one waits until it may.) */
bool gov_queue_prefers_own(const struct gov_engine *engine,
			   const struct gov_kind *kind);

/*
 * Will what is leaving do for it, and has it a right to that: is it inside
 * its team's own quota?
 */
bool gov_queue_claims_surplus(struct gov_engine *engine,
			      const struct gov_kind *kind);

/* First kind of the team's queue, in order, that could go on in this pass:
 * it fits now or on what is leaving, or (may_displace) could displace
 * somebody, or is owed something; NULL if none. */
struct gov_kind *gov_queue_candidate(struct gov_engine *engine, uint32_t team,
				     bool may_displace);

/* Could others give way for the kind, as far as can be told at a glance?
 * Notes what it may hope for (kind->hope). */
bool gov_queue_could_displace(struct gov_engine *engine, struct gov_kind *kind);

/* ---- decide.c ---- */

/* Who would give way for a job of this kind that waits since then: in
 * engine->search.  false: nobody, or an operator holds all reclaims. */
bool gov_engine_find_victims(struct gov_engine *engine,
			     const struct gov_kind *kind, gov_time_t since,
			     gov_time_t now, bool own_only);

/* ---- claim.c: decisions, carried out in the engine ---- */

struct gov_pass {
	struct gov_engine *engine;
	struct gov_decision_list *list;
	gov_time_t now;
	bool no_memory;
};

/* Let it into the world. */
void gov_pass_admit(struct gov_pass *pass, struct gov_record *job);
/* What is leaving for others will do for it. */
void gov_pass_claim_surplus(struct gov_pass *pass, struct gov_record *job);
/* Those in engine->search give way for it. */
void gov_pass_claim(struct gov_pass *pass, struct gov_record *asker);
/* Graces that are over. */
void gov_pass_stop_due(struct gov_pass *pass);
/* Askers whose victims are all gone, and who was waiting for what they left. */
void gov_pass_admit_ready(struct gov_pass *pass);

/* Those in engine->search make room for one that is admitted. */
void gov_pass_make_place(struct gov_pass *pass, struct gov_record *job);

/* ---- engine_places.c ---- */

/* What is known of a job's place, now that it is in this state. */
void gov_engine_state_of_place(struct gov_engine *engine, uint64_t id,
			       enum gov_job_state state);
/* Begun for jobs of this kind; NULL: nothing is known (or no memory). */
struct gov_placing *gov_engine_placing(struct gov_engine *engine,
				       const struct gov_kind *kind,
				       bool *no_memory);
/* Admitted jobs for which Slurm finds no place. */
void gov_engine_place_admitted(struct gov_pass *pass);

#endif
