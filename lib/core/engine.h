/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine: policy + jobs + capacity + time in, decisions out.
 *
 * It knows no Slurm, no clock and no file; the same engine runs in slurmgovd,
 * in the simulator and in the tests.  Not thread-safe: one owner at a time.
 *
 * Accounting model.  `usage` of a team in a cell is the sum of the requests of
 * its jobs in the states ADMITTED, CLAIMING and RUNNING.  A job in RECLAIMING
 * has been told to leave and cannot be called back, so its amount is counted
 * as `leaving`, not as usage; the job it leaves for is charged at once
 * (CLAIMING) and admitted when what it needs has really been given back.  So
 * what is freed is held for the asker (invariant 4), nobody else can be
 * admitted on it, and usage + leaving is what Slurm has allocated or is about
 * to.  A job inside its team's quota for which what is leaving will do anyway
 * (others' victims held more than was needed) is charged at once too, so that
 * the next one does not count on the same: a burst of an owner's jobs has its
 * own back within one grace.
 */
#ifndef GOVERNANCE_CORE_ENGINE_H
#define GOVERNANCE_CORE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/amount.h"
#include "core/error.h"
#include "core/places.h"
#include "core/policy.h"

/* Seconds since the epoch.  Comes in as an argument, always. */
typedef int64_t gov_time_t;

/* What a job asks for, or holds: amounts of distinct cells, none zero. */
#define GOV_REQUEST_MAX 16

struct gov_request {
	uint32_t count;
	struct {
		uint32_t cell;
		gov_amount_t amount;
	} item[GOV_REQUEST_MAX];
};

enum gov_job_state {
	GOV_JOB_INELIGIBLE, /* user hold, dependency, begin time: no charge */
	GOV_JOB_WAITING,    /* wants quota */
	GOV_JOB_CLAIMING,   /* charged; those who make room for it are
				   still leaving */
	GOV_JOB_ADMITTED,   /* charged; Slurm may start it */
	GOV_JOB_RUNNING,    /* charged with what it was really given */
	GOV_JOB_RECLAIMING, /* running, told to leave by its deadline */
};

/* Why a job was told to leave. */
enum gov_rule {
	GOV_RULE_NONE,
	GOV_RULE_WITHIN_TEAM, /* semantics section 5, rule 1 */
	GOV_RULE_RECLAIM,     /* rule 2: an owner takes its quota back */
	GOV_RULE_FAIR_SHARE,  /* rule 3 */
	GOV_RULE_WHILE_BORROWING,
};

/*
 * Ids of Slurm have 32 bits.  The caller may use higher bits for ids of its
 * own, of parts of a job; what a person reads is the job that it is part of.
 */
#define GOV_JOB_SHOWN(id) ((uint64_t) (uint32_t) (id))

/*
 * All that the engine knows of a job; what must survive a restart is kept by
 * the caller with the job (the stamp) and handed in again.
 */
struct gov_job {
	uint64_t id;	       /* unique, not 0; ties end here */
	uint32_t team;	       /* index of a unit that is a team */
	uint32_t project;      /* index, or GOV_NONE */
	uint32_t class;	       /* index */
	uint32_t user;	       /* uid */
	gov_time_t submitted;  /* first submission: age survives requeues */
	gov_time_t started;    /* start of this run, or 0 */
	gov_time_t checkpoint; /* latest published checkpoint, or 0 */
	gov_time_t deadline;   /* RECLAIMING: when the grace ends */
	uint64_t asker;	       /* RECLAIMING: for whom; WAITING after an
				   eviction: whom it may not overtake; or 0 */
	uint32_t evictions;    /* how often it was reclaimed so far */
	uint8_t state;	       /* enum gov_job_state */
	uint8_t rule;	       /* RECLAIMING: enum gov_rule */
	bool no_borrow;	       /* --gov-borrow=no */
	bool provisional;      /* not yet seen in Slurm: may hold free quota,
				   never causes an eviction */
	bool requeueable;      /* false: a reclaim ends it for good */
	bool exempt;	       /* an operator's word: never a victim */
	bool on_surplus;       /* CLAIMING: on what leaves for others anyway;
				   nobody was told to leave for it */
	gov_time_t arrived;    /* ADMITTED: when the last of those who left
				   for it had left, or 0 */
	uint32_t shape;	       /* gov_engine_shape(); 0: not known */
	struct gov_request request;
};

enum gov_decision_kind {
	GOV_ADMIT,    /* release the job to Slurm */
	GOV_WITHDRAW, /* admitted, not started: hold it again */
	GOV_NOTICE,   /* running: signal now, it must leave by the deadline */
	GOV_STOP,     /* the grace is over: requeue or cancel it now */
	GOV_CLAIM,    /* charged now, admitted once those who leave for
			   others have left; nothing is to be done */
};

struct gov_decision {
	enum gov_decision_kind kind;
	uint64_t job;
	uint64_t asker; /* WITHDRAW, NOTICE, STOP: for whom, or 0 */
	enum gov_rule rule;
	gov_time_t deadline; /* NOTICE, STOP */
};

/* Owned by the caller, reused from pass to pass; start with all zero. */
struct gov_decision_list {
	struct gov_decision *item;
	size_t count;
	size_t space;
};
void gov_decision_list_clear(struct gov_decision_list *list);
void gov_decision_list_free(struct gov_decision_list *list);

/* ---- life of an engine ---- */

struct gov_engine;

/* Takes a reference of the (finished) policy.  NULL: out of memory. */
struct gov_engine *gov_engine_create(struct gov_policy *policy,
				     struct gov_error *error);
void gov_engine_destroy(struct gov_engine *engine);

/*
 * Change the policy.  Jobs and capacities are carried over by the names of
 * team, project, class, pool and TRES.  Jobs whose team is gone stay counted
 * under the cells they hold, belong to no team, and are reported by
 * gov_engine_job() with team GOV_NONE; they can be given a team again by
 * gov_engine_put().  -1: nothing changed (no memory).
 */
int gov_engine_set_policy(struct gov_engine *engine, struct gov_policy *policy,
			  struct gov_error *error);
const struct gov_policy *gov_engine_policy(const struct gov_engine *engine);

/*
 * Healthy capacity of a cell: the sum over the pool's nodes that are up and
 * not drained.  Until it is set a cell counts as having GOV_UNLIMITED.
 */
void gov_engine_set_capacity(struct gov_engine *engine, uint32_t cell,
			     gov_amount_t amount);

/*
 * Installed capacity of a cell: the sum over all of the pool's nodes, healthy
 * or not.  A job that asks for more is refused for good.  Until it is set:
 * GOV_UNLIMITED.
 */
void gov_engine_set_installed(struct gov_engine *engine, uint32_t cell,
			      gov_amount_t amount);

/* ---- facts from outside ---- */

/*
 * Insert a job, or replace what is known of the job with this id (state,
 * request, times, everything).  The record is copied.  What the caller says
 * is taken as a fact, even when it exceeds a quota: a job that runs holds
 * what it holds.  -1: invalid record (error says which field) or no memory.
 */
int gov_engine_put(struct gov_engine *engine, const struct gov_job *job,
		   struct gov_error *error);

/* Give a job another id (a provisional one got its Slurm id).  -1: no such
 * job, or the new id is taken; then nothing changed. */
int gov_engine_rename(struct gov_engine *engine, uint64_t from, uint64_t to);

/* Forget a job: it ended or was cancelled.  false if it was not known. */
bool gov_engine_remove(struct gov_engine *engine, uint64_t id);

/* Borrowed pointer, valid until the next change of the engine; or NULL. */
const struct gov_job *gov_engine_job(const struct gov_engine *engine,
				     uint64_t id);

/* Call visit for every job, in no particular order. */
void gov_engine_each(const struct gov_engine *engine,
		     void (*visit)(const struct gov_job *job, void *arg),
		     void *arg);

/* Call visit for every job that is RECLAIMING for this one. */
void gov_engine_each_victim(const struct gov_engine *engine, uint64_t asker,
			    void (*visit)(uint64_t victim, void *arg),
			    void *arg);

/* ---- nodes: where jobs are, and where they could be ---- */

/*
 * The nodes there are, and the names of what is counted on them (TRES names,
 * at most GOV_PLACE_TRES).  All places are forgotten, and shapes that name
 * sets of nodes mean other ones from now on: tell them anew.  Without nodes,
 * and for jobs of which no shape is known, victims are chosen by amounts
 * alone.  -1: no memory, or too many nodes; then none is known.
 */
int gov_engine_set_nodes(struct gov_engine *engine,
			 const struct gov_place_node *node, uint32_t count,
			 const char *const *tres, uint32_t tres_count,
			 struct gov_error *error);
/* A node takes new jobs from now on, or does not. */
void gov_engine_set_node_usable(struct gov_engine *engine, uint32_t node,
				bool usable);
/* The number of a shape for gov_job.shape, valid until the next call unless a
 * job has it.  0: it is no shape, or no memory: not known. */
uint32_t gov_engine_shape(struct gov_engine *engine,
			  const struct gov_shape *shape);
/*
 * Where a running job is; or anything else that holds part of a node, under
 * an id of its own.  What is known of a job that the engine is told not to
 * run any more, or to forget, is forgotten here too.  -1: no memory.
 */
int gov_engine_place(struct gov_engine *engine, uint64_t id,
		     const struct gov_spot *spot, size_t count);
const struct gov_places *gov_engine_places(const struct gov_engine *engine);
/*
 * All jobs have been told anew, after a restart or with other nodes: whoever
 * others leave for holds its place again, which is where those are.  What is
 * held stays.  -1: no memory.
 */
int gov_engine_hold_places(struct gov_engine *engine);
/*
 * Slurm does not find a place for this admitted job, though nothing else
 * stands in its way (or has found one).  If that is for those who borrow, and
 * the job is inside its team's quota, they make room.  -1: no memory.
 */
int gov_engine_unplaced(struct gov_engine *engine, uint64_t id, bool unplaced);

/* ---- what an operator orders, beside the policy ---- */

/*
 * While reclaims are held nobody else is chosen to give way, by any rule.
 * Jobs that were told to leave before do leave, and their askers start.
 */
void gov_engine_hold_reclaims(struct gov_engine *engine, bool held);
bool gov_engine_reclaims_held(const struct gov_engine *engine);

/*
 * A drained team is given nothing beyond its own quota; what it has borrowed
 * it keeps until others take it back.  It is no limit for good: a job that
 * would have to borrow waits.  Ignored for units that are no teams.
 */
void gov_engine_drain(struct gov_engine *engine, uint32_t team, bool drained);
bool gov_engine_is_drained(const struct gov_engine *engine, uint32_t team);

/* ---- decisions ---- */

struct gov_verdict {
	bool admitted;	       /* charged; may start now */
	bool never;	       /* cannot fit at this policy, ever */
	bool borrowing;	       /* admitted: (partly) on borrowed quota */
	uint32_t borrow_level; /* height of the unit whose quota hosts it */
	bool reclaims;	       /* gov_engine_test(): a reclaim is possible */
};

/*
 * A new job: decide at once whether free quota can take it, and store it as
 * ADMITTED or WAITING.  Never evicts and allocates nothing per job beyond the
 * job table.  job->state is ignored.  A job that can never fit is not stored
 * (verdict->never).  -1 as gov_engine_put().
 */
int gov_engine_submit(struct gov_engine *engine, const struct gov_job *job,
		      gov_time_t now, struct gov_verdict *verdict,
		      struct gov_error *error);

/*
 * As gov_engine_submit(), but nothing is stored or charged.
 */
int gov_engine_test(struct gov_engine *engine, const struct gov_job *job,
		    gov_time_t now, struct gov_verdict *verdict,
		    struct gov_error *error);

/*
 * Bring the engine to its fixed point at this time: admit what fits, start
 * reclaims, end graces.  The engine's own state has changed accordingly when
 * it returns; the decisions (appended to list, in the order in which they
 * must be carried out) tell the caller what to do in the world.  -1: out of
 * memory; what is in the list was decided and holds.
 */
int gov_engine_decide(struct gov_engine *engine, gov_time_t now,
		      struct gov_decision_list *list, struct gov_error *error);

/*
 * Earliest time at which gov_engine_decide() could decide anything without a
 * new fact (a deadline, the end of a protection); INT64_MAX if never.
 */
gov_time_t gov_engine_next(const struct gov_engine *engine, gov_time_t now);

/* ---- usage history (UsageHalfLife=) ---- */

/*
 * What a user of a team held on average lately, or (user GOV_NONE) what the
 * team held beyond its own quota: the mean, halved every half-life, as of then.
 * The engine keeps it by itself; it is no part of any job, so the caller keeps
 * it over a restart.
 */
struct gov_usage_mean {
	uint32_t team;
	uint32_t user;
	uint32_t tres;
	double mean; /* in the TRES's own unit */
	gov_time_t at;
};

/*
 * It is this time: facts that are told from now on are of then.  As good as
 * gov_engine_decide(), which tells it as well, for who has to know for how long
 * a job held what it held.
 */
void gov_engine_tell_time(struct gov_engine *engine, gov_time_t now);

/* Call visit for every mean that is not 0; never, where none are kept. */
void gov_engine_each_usage(const struct gov_engine *engine,
			   void (*visit)(const struct gov_usage_mean *mean,
					 void *arg),
			   void *arg);

/*
 * Remember one; to be called before the first gov_engine_decide().  Nothing
 * happens where no history is kept.  -1: not valid, or no memory.
 */
int gov_engine_put_usage(struct gov_engine *engine,
			 const struct gov_usage_mean *mean,
			 struct gov_error *error);

/*
 * The score by which waiting jobs of the user are ordered in the team, or
 * (user GOV_NONE) the team's claim to surplus among equal ones: the less, the
 * earlier.  1.0 is all quotas of the cluster, in one TRES.  -1: none is kept.
 */
double gov_engine_usage_score(const struct gov_engine *engine, uint32_t team,
			      uint32_t user);

/* ---- views ---- */

/* One unit (or, with unit GOV_NONE, the root) in one cell. */
struct gov_cell_view {
	gov_amount_t nominal;	/* own quota */
	gov_amount_t subtree;	/* own and below */
	gov_amount_t usage;	/* charged to it and below */
	gov_amount_t own;	/* min(usage, nominal) */
	gov_amount_t borrowed;	/* max(0, usage - nominal) */
	gov_amount_t lent;	/* of its nominal, held by others */
	gov_amount_t free;	/* what it could still be given now */
	gov_amount_t leaving;	/* in their grace */
	gov_amount_t waiting;	/* asked by waiting jobs */
	gov_amount_t capacity;	/* healthy; the root's view only */
	gov_amount_t installed; /* healthy or not; likewise */
};
void gov_engine_view(const struct gov_engine *engine, uint32_t unit,
		     uint32_t cell, struct gov_cell_view *view);
/*
 * The same with `lent` left at zero, which is the costly part: for who looks
 * at many units and asks for the loans once.
 */
void gov_engine_view_sums(const struct gov_engine *engine, uint32_t unit,
			  uint32_t cell, struct gov_cell_view *view);

/* A loan at this moment (semantics section 6). */
struct gov_loan {
	uint32_t lender;   /* unit, or GOV_NONE: unallocated capacity */
	uint32_t borrower; /* team */
	uint32_t cell;
	gov_amount_t amount;
};
/*
 * Attribute everything that is borrowed to its lenders: in proportion to what
 * each has unused and lendable, siblings before cousins, largest remainder.
 * The caller frees *loans with free().  Returns the count, or -1.
 */
long gov_engine_loans(const struct gov_engine *engine, struct gov_loan **loans);

/*
 * What each unit lends: view.lent of all of them, worked out once, at
 * [unit * cell_count + cell].  The caller frees; NULL: no memory.
 */
gov_amount_t *gov_engine_lent(const struct gov_engine *engine);

/* ---- explanations ---- */

enum gov_limit_kind {
	GOV_LIMIT_NOMINAL,   /* own quota, and borrowing is not possible */
	GOV_LIMIT_BORROW,    /* borrow limit of `unit` */
	GOV_LIMIT_LENDERS,   /* nothing idle to borrow below `unit` */
	GOV_LIMIT_CAPACITY,  /* nodes are down or drained */
	GOV_LIMIT_PROJECT,   /* MaxTRES of the project */
	GOV_LIMIT_USER,	     /* per-user cap of the team */
	GOV_LIMIT_CLASS,     /* the class may not borrow, or MaxTRES */
	GOV_LIMIT_NO_BORROW, /* the job said --gov-borrow=no */
	GOV_LIMIT_DRAINED,   /* an operator drained its team */
	GOV_LIMIT_HELD,	     /* freed capacity is held for another job */
	GOV_LIMIT_ORDER,     /* an earlier job must go first (`job`) */
	GOV_LIMIT_PLACE,     /* no jobs that may be told to leave give it a
				place: `limit` parts with `asked` each */
};

struct gov_limit {
	enum gov_limit_kind kind;
	uint32_t unit; /* where it binds, or GOV_NONE for the root */
	uint32_t cell;
	gov_amount_t limit;
	gov_amount_t used;
	gov_amount_t asked;
	gov_amount_t missing; /* how much more would be needed */
	uint64_t job;	      /* HELD, ORDER: for or behind whom; or 0 */
};

enum gov_protection {
	GOV_VICTIM_CHOSEN,
	GOV_PROTECT_CLASS,	   /* its class is not lower */
	GOV_PROTECT_NOT_BORROWING, /* its team is within its quota */
	GOV_PROTECT_MIN_RUNTIME,   /* until `until` */
	GOV_PROTECT_STARTING,	   /* others left for it; until `until` */
	GOV_PROTECT_MIN_LOAN,	   /* until `until` */
	GOV_PROTECT_BUDGET,	   /* evicted often enough */
	GOV_PROTECT_SHARE,	   /* its share is not larger */
	GOV_PROTECT_POLICY,	   /* the asker's team may not preempt it */
	GOV_PROTECT_NOT_ENOUGH,	   /* all of them together would not do */
	GOV_PROTECT_EXEMPT,	   /* an operator exempted it */
	GOV_PROTECT_HELD,	   /* an operator holds all reclaims */
};

/* What is known of the place of a waiting or admitted job. */
enum gov_place_known {
	GOV_PLACE_UNKNOWN, /* its shape, or the nodes, are not known */
	GOV_PLACE_FREE,	   /* there is one */
	GOV_PLACE_LEAVING, /* once those who are leaving have left */
	GOV_PLACE_NONE,	   /* there is none */
	GOV_PLACE_NEVER,   /* not on the nodes that are in service */
};

struct gov_candidate {
	uint64_t job;
	enum gov_rule rule;
	enum gov_protection protection;
	gov_time_t until; /* 0 where no time is known */
};

struct gov_holder {
	uint32_t team;
	uint32_t cell;
	gov_amount_t amount; /* borrowed by it */
};

/* All arrays belong to the explanation: gov_explanation_free(). */
struct gov_explanation {
	struct gov_limit *limit;
	size_t limit_count;
	struct gov_holder *holder; /* who borrows in the wanted cells */
	size_t holder_count;
	struct gov_candidate *candidate;
	size_t candidate_count;
	bool candidates_cut;	/* search budget or list limit was hit */
	gov_time_t next_change; /* earliest known, or 0 */
	uint32_t ahead;		/* waiting jobs of its team before it */
	double usage;		/* gov_engine_usage_score() of its user; -1 */
	double surplus;		/* and of its team; -1 */
	bool borrowing;		/* running: on borrowed quota */
	bool nodes_known;	/* something is known of nodes at all */
	enum gov_place_known place;
	uint32_t parts, per_node, leaves; /* of its shape, if it is known */
	uint32_t *reclaimers; /* running: units that could take it back */
	size_t reclaimer_count;
};
/* -1: no such job, or no memory. */
int gov_engine_explain(struct gov_engine *engine, uint64_t id, gov_time_t now,
		       struct gov_explanation *explanation,
		       struct gov_error *error);
void gov_explanation_free(struct gov_explanation *explanation);

/*
 * One sentence, for a person, of why the job waits (the first binding limits,
 * who holds what is missing, what happens next), at most size - 1 bytes.
 * Returns the length.
 */
size_t gov_explanation_sentence(const struct gov_engine *engine, uint64_t id,
				const struct gov_explanation *explanation,
				char *text, size_t size);

/*
 * Recompute every sum from the jobs and compare (invariant 9).  0 if equal;
 * -1 with the first difference in error.  For tests and the self-check.
 */
int gov_engine_audit(const struct gov_engine *engine, struct gov_error *error);

#endif
