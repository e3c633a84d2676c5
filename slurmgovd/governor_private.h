/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the governor share; nobody else includes it. */
#ifndef GOVERNANCE_SLURMGOVD_GOVERNOR_PRIVATE_H
#define GOVERNANCE_SLURMGOVD_GOVERNOR_PRIVATE_H

#include "core/idmap.h"
#include "slurmgovd/governor.h"
#include "slurmgovd/governor_events.h"
#include "slurmgovd/members.h"

/* Ids of the engine that are not Slurm's: nonce of a provisional job. */
#define GOV_PROVISIONAL_BIT (UINT64_C(1) << 63)
/* ... and the admitted tasks of the array whose id is in the low bits. */
#define GOV_TASKS_BIT (UINT64_C(1) << 62)
/* ... and one task of such an array that is charged while others leave: its
 * number is in the bits from the 32nd on. */
#define GOV_CLAIM_BIT (UINT64_C(1) << 61)
#define GOV_CLAIM_NUMBERS (1u << 28)
/* A charge lasts this long without the job being listed, milliseconds. */
#define GOV_PROVISIONAL_LIFE 2000
/* After a requeue Slurm itself delays the next start by about this, seconds;
 * a begin time within it is not one that the user asked for. */
#define GOV_REQUEUE_DELAY 300
/* Seconds between the end of a run and the release of the next. */
#define GOV_RESTART_PAUSE 2
#define GOV_MESSAGE_SIZE 2048

/* A job that has ended and is still listed. */
struct gov_ended {
	uint32_t id;
	uint32_t array_id;
	uint32_t array_task;
	gov_time_t ended;
	bool success;
	struct gov_job_record *record; /* if nobody watched its run, or NULL */
};

struct gov_provisional {
	struct gov_provisional *next;
	uint64_t nonce;
	int64_t judged; /* mono time of the verdict */
};

/* Components of a het job that are being submitted, one after the other. */
struct gov_het_chain {
	uint32_t uid;
	uint64_t next; /* offset of the component to come; 0: not in use */
	int64_t since; /* mono time of the last one */
	struct gov_request sum;
};
#define GOV_HET_CHAINS 8

struct gov_governor {
	struct gov_governor_setup setup;
	struct gov_policy *policy;
	struct gov_engine *engine;
	struct gov_members *members;
	bool members_current; /* resolved for this very policy */
	struct gov_machine *machine;
	struct gov_node_shape *shape; /* per pool of the policy */
	struct gov_idmap jobs;	      /* struct gov_tracked by id */
	struct gov_idmap ended;	      /* struct gov_ended by id */
	struct gov_idmap hets;	      /* struct gov_het by the leader's id */
	bool hets_due;		      /* some are to be judged */
	struct gov_het_chain chain[GOV_HET_CHAINS];
	size_t dependents;	      /* jobs that wait for a dependency */
	struct gov_idmap provisional; /* struct gov_provisional by nonce */
	struct gov_provisional *oldest;
	struct gov_provisional *newest;
	struct gov_tracked *dirty;
	struct gov_tracked *line;   /* jobs that wait in Slurm for a place */
	struct gov_places_map *map; /* how the engine's nodes are called */
	int64_t next_place; /* mono: the next of the line has waited enough */
	struct gov_decision_list decisions;
	struct gov_action *first_action;
	struct gov_action **last_action;
	uint32_t sequence;
	uint32_t generation;
	int64_t list_began;    /* mono time at which the last list was asked */
	gov_time_t next_begin; /* earliest begin time that makes a job wait */
	int64_t next_retry;    /* mono */
	bool unfinished;       /* the engine has more to decide at once */
	bool policy_changed;   /* while jobs are judged under a new policy */
	struct gov_governor_health health;
	struct gov_orders orders;
	/* Texts of the answer under construction. */
	char message[GOV_MESSAGE_SIZE];
	char comment[GOV_STAMP_TEXT];
};

/* Is nothing to be held or taken back, by the policy or by an order? */
static inline bool gov_is_observing(const struct gov_governor *g)
{
	return g->policy->enforcement == GOV_OBSERVE || g->orders.let_go.since;
}

/* ---- orders.c ---- */
/* What stands holds for the engine's policy. */
void gov_orders_apply(struct gov_governor *g);
/* The engine's job and the stamp of one that was told to leave say that it
 * runs on. */
void gov_go_on(struct gov_governor *g, struct gov_tracked *job,
	       const struct gov_job *known);
/* A job that was told to leave stays after all; its asker waits again. */
void gov_call_back(struct gov_governor *g, struct gov_tracked *job);
/* An operator lets the job start in spite of quota, by sgov or scontrol. */
void gov_release(struct gov_governor *g, struct gov_tracked *job, uid_t by,
		 struct gov_now now);
/* The same for one task that waits in the array's record. */
void gov_release_task(struct gov_governor *g, struct gov_tracked *job,
		      uint32_t task, uid_t by, struct gov_now now);
/* The time of observing is over: what was admitted and told to leave in that
 * time was so on paper only.  To be followed by gov_judge_all(). */
void gov_forget_observed(struct gov_governor *g);

/* ---- identity.c ---- */
struct gov_identity {
	enum gov_standing standing;
	uint32_t team;
	uint32_t project;
	uint32_t class;
};
/*
 * Who asks, as far as the submission says.  0: identity is filled (GOVERNED
 * or FREE); 1: cannot be told before the members are known; -1: refused, with
 * a sentence for the user.
 */
int gov_identify(const struct gov_governor *g, const struct gov_submission *s,
		 struct gov_identity *identity, struct gov_error *error);
/* The same for a job of the job list, where its stamp knows more. */
int gov_identify_job(const struct gov_governor *g,
		     const struct gov_tracked *job,
		     struct gov_identity *identity, struct gov_error *error);
bool gov_is_exempt(const struct gov_governor *g, uid_t uid, gid_t gid);

/* ---- capacity.c ---- */
/* Recompute capacities and node shapes from g->machine.  0, -1: no memory. */
int gov_capacity_update(struct gov_governor *g);
/*
 * The pools that could take the submission, in the team's order of
 * preference; returns how many were stored.
 */
size_t gov_candidate_pools(const struct gov_governor *g, uint32_t team,
			   const struct gov_submission *s, uint32_t *pools,
			   size_t max);
/* What one task of it would hold in that pool; as gov_request_estimate(). */
int gov_estimate(const struct gov_governor *g, const struct gov_submission *s,
		 uint32_t pool, struct gov_request *request,
		 struct gov_error *error);
/* The submission as its partition makes it, and the node it is estimated on. */
void gov_complete_submission(const struct gov_governor *g,
			     const struct gov_submission *s, uint32_t pool,
			     struct gov_submission *asked,
			     struct gov_node_shape *shape);
/* Is it one of those that the submission names, or the default one? */
bool gov_partition_is_asked(const struct gov_submission *s,
			    const struct gov_partition_record *partition);
/* Is word in a comma list (NULL: an empty one)? */
bool gov_has_word(const char *list, const char *word);
/* Partition of the submission (its first, or the default one), or NULL. */
const struct gov_partition_record *gov_partition_of(
	const struct gov_governor *g, const struct gov_submission *s);

/* ---- allocation.c ---- */
/*
 * What a running job really holds, and in which pool most of it is.  -1: the
 * record does not say (then an estimate has to do).
 */
int gov_allocation(const struct gov_policy *policy,
		   const struct gov_job_record *record,
		   struct gov_request *request, uint32_t *pool);
bool gov_request_equal(const struct gov_request *a,
		       const struct gov_request *b);
/* Is some amount of a greater than in b? */
bool gov_request_exceeds(const struct gov_request *a,
			 const struct gov_request *b);
/* Multiply every amount, saturating. */
void gov_request_scale(struct gov_request *request, uint64_t factor);

/* ---- places.c ---- */
/*
 * Tell the engine of the nodes, if they are others than before: then of where
 * all jobs are, too.  Else of which take jobs.
 */
void gov_places_update(struct gov_governor *g, struct gov_now now);
void gov_places_map_free(struct gov_places_map *map); /* NULL allowed */
/* Whoever others leave for holds its place again, after a restart. */
void gov_hold_places(struct gov_governor *g);
/* The shape of a pending job's record for the engine; 0: not known, and
 * job->place_unknown says why. */
uint32_t gov_shape_of(struct gov_governor *g, struct gov_tracked *job);
/* Tell the engine where the job is, as its record shows, and note whether it
 * waits in Slurm for a place. */
void gov_tell_place(struct gov_governor *g, struct gov_tracked *job,
		    struct gov_now now);
/* Who has waited long enough for a place?  The engine is told. */
void gov_watch_line(struct gov_governor *g, struct gov_now now);
void gov_leave_line(struct gov_governor *g, struct gov_tracked *job);

/* ---- track.c ---- */
struct gov_tracked *gov_track_find(const struct gov_governor *g, uint64_t id);
void gov_track_drop(struct gov_governor *g, struct gov_tracked *job,
		    struct gov_now now);
void gov_mark_dirty(struct gov_governor *g, struct gov_tracked *job);

/* ---- het.c ---- */
/* A component has come or goes; its record is still there.  -1: no memory. */
int gov_het_add(struct gov_governor *g, struct gov_tracked *job);
void gov_het_remove(struct gov_governor *g, struct gov_tracked *job);
/* Its het job has news; judged by gov_het_judge_due(). */
void gov_het_due(struct gov_governor *g, const struct gov_tracked *job);
void gov_het_judge_due(struct gov_governor *g, struct gov_now now);
void gov_het_free(struct gov_governor *g);
/* What Slurm shows of this component alone. */
const struct gov_job_record *gov_het_own(const struct gov_tracked *job);
/* The job that stands for it: the head of a het job, else itself. */
struct gov_tracked *gov_het_head(const struct gov_governor *g,
				 struct gov_tracked *job);
/* Does another component stand for it? */
bool gov_het_follows(const struct gov_governor *g,
		     const struct gov_tracked *job);
/* Its components; 0: it is no het job. */
size_t gov_het_parts(const struct gov_governor *g,
		     const struct gov_tracked *job, struct gov_tracked ***part);
/* Tell whose the components are, and bring them together.  The head, or NULL:
 * none of them is governed. */
struct gov_tracked *gov_het_settle(struct gov_governor *g,
				   struct gov_tracked *job);
/*
 * A component is submitted: adds what came before it of the same het job to
 * the request.  false: that cannot be told; request is as it was.
 */
bool gov_het_hear(struct gov_governor *g, const struct gov_submission *s,
		  struct gov_request *request, struct gov_now now);
void gov_het_add_request(struct gov_request *to,
			 const struct gov_request *from);

/* ---- judge.c ---- */
/* Whose job it is; true: it is governed. */
bool gov_judge_identify(struct gov_governor *g, struct gov_tracked *job);
/* Tell the engine what the job's record means. */
void gov_judge(struct gov_governor *g, struct gov_tracked *job,
	       struct gov_now now);
void gov_judge_all(struct gov_governor *g, struct gov_now now);
/* Jobs whose begin time has come. */
void gov_judge_begun(struct gov_governor *g, struct gov_now now);
/* Jobs whose dependency may have been fulfilled: some job started or ended. */
void gov_judge_dependents(struct gov_governor *g, struct gov_now now);

/* ---- verdict.c, modify.c ---- */
void gov_answer_refuse(struct gov_governor *g, struct gov_answer *answer,
		       const struct gov_error *error);
void gov_modify(struct gov_governor *g,
		const struct gov_submit_request *request,
		struct gov_answer *answer, struct gov_now now);
/* "<before>: <why the job waits>" into g->message. */
void gov_message_why(struct gov_governor *g, const char *before, uint64_t id,
		     struct gov_now now);

/* ---- array.c ---- */
/* Is this the record of an array's waiting tasks? */
bool gov_is_array(const struct gov_job_record *record);
/*
 * Set the request and the state of such a record: `request` is one task's,
 * `state` what the record as a whole would be.
 */
void gov_array_judge(struct gov_governor *g, struct gov_tracked *job,
		     const struct gov_request *request,
		     enum gov_job_state state, struct gov_job *out);
/* The engine admitted one more task of it, which was known to it as `id`. */
void gov_array_admit(struct gov_governor *g, struct gov_tracked *job,
		     uint64_t id, struct gov_now now);
/* The array's tasks are no longer told apart from the record. */
void gov_array_forget(struct gov_governor *g, struct gov_tracked *job);
/* Id of the engine for the admitted tasks of the array. */
uint64_t gov_array_tasks_id(const struct gov_tracked *job);
/* What is admitted and has not started is taken back. */
void gov_array_withdraw(struct gov_governor *g, struct gov_tracked *job,
			struct gov_now now);
/* A task has become a record of its own, or such a task is gone. */
void gov_array_split(struct gov_governor *g, const struct gov_tracked *task,
		     struct gov_now now);
void gov_array_task_gone(struct gov_governor *g, uint32_t array_id,
			 struct gov_now now);
/* The admitted tasks' list for Slurm; 0: none is to be released. */
uint32_t gov_array_release_list(const struct gov_tracked *job, char *text,
				size_t size);

/* ---- array_claim.c ---- */
/* The record's next task may be charged while others leave: then give it an
 * id of its own.  true: another task of it is the next now. */
bool gov_array_claim(struct gov_governor *g, struct gov_tracked *job,
		     struct gov_now now);
/* The engine admitted the task of this id.  true: as above. */
bool gov_array_claim_admitted(struct gov_governor *g, uint64_t id,
			      struct gov_now now);
/* Give up claims beyond `most`, and all if tasks ask for something else. */
void gov_array_fit_claims(struct gov_governor *g, struct gov_tracked *job,
			  const struct gov_request *request, uint64_t most);
void gov_array_drop_claims(struct gov_governor *g, struct gov_tracked *job);
/* Those who gave way for a task wait behind that task (the admitted ones) and
 * not behind the whole array. */
void gov_array_repoint(struct gov_governor *g, struct gov_tracked *job,
		       uint64_t from);

/* ---- dependency.c ---- */
/* Certainly fulfilled?  What is not known is not. */
bool gov_dependency_fulfilled(const struct gov_governor *g,
			      const struct gov_tracked *job);
/* true: the record was taken over. */
bool gov_ended_note(struct gov_governor *g, struct gov_job_record *record);
void gov_ended_forget(struct gov_governor *g, uint64_t id);
void gov_ended_free(struct gov_governor *g);

/* ---- provisional.c ---- */
int gov_provisional_add(struct gov_governor *g, uint64_t nonce,
			struct gov_now now);
/* The job with this nonce is in the list: true if it was provisional, and
 * then its charge now belongs to `id`. */
bool gov_provisional_bind(struct gov_governor *g, uint64_t nonce, uint64_t id);
/* A list that was asked for at `began` did not show them. */
void gov_provisional_expire(struct gov_governor *g, int64_t began);
void gov_provisional_free(struct gov_governor *g);

/* ---- facts.c: for the ledger ---- */
void gov_tell_policy(struct gov_governor *g, struct gov_now now);
/* It runs, if it does. */
void gov_tell_run(struct gov_governor *g, const struct gov_tracked *job,
		  struct gov_now now);
/* Its run, if there was one, is over; ended 0: nobody knows when. */
void gov_tell_end(struct gov_governor *g, const struct gov_tracked *job,
		  gov_time_t ended, struct gov_now now);
/* A job that was not tracked has run, and ended. */
void gov_tell_unseen(struct gov_governor *g, struct gov_job_record *record,
		     bool unwatched, struct gov_now now);
void gov_tell_decision(struct gov_governor *g,
		       const struct gov_decision *decision,
		       const struct gov_tracked *job, struct gov_now now);
void gov_tell_order(struct gov_governor *g, const struct gov_order *order,
		    struct gov_now now);

/* ---- decide.c ---- */
const char *gov_rule_text(enum gov_rule rule);
void gov_decide(struct gov_governor *g, struct gov_now now);

/* ---- reconcile.c ---- */
/* Order what brings Slurm to where the engine is. */
void gov_reconcile(struct gov_governor *g, struct gov_now now);

/* ---- claims.c ---- */
/*
 * Does the job claim what is on its way out for certain?  Slurm starts nobody
 * where others still are, so it may be released to Slurm, which then starts it
 * in the moment in which they are gone.  To the engine it still claims.
 */
bool gov_claim_is_sure(const struct gov_governor *g,
		       const struct gov_tracked *job);
/* This one is on its way out: whoever waits for that is looked at again. */
void gov_tell_claim(struct gov_governor *g, const struct gov_tracked *victim);

/* ---- plan.c ---- */
/*
 * The next action for a job; NULL: Slurm shows what it should (or nothing can
 * be done yet).  *memory is set if there was none for the action.
 */
struct gov_action *gov_plan(struct gov_governor *g, struct gov_tracked *job,
			    struct gov_now now, bool *memory);
/*
 * In observe mode: log what would be done, once per change.  The one action
 * there is lets go what an earlier mode held.
 */
struct gov_action *gov_plan_observe(struct gov_governor *g,
				    struct gov_tracked *job, struct gov_now now,
				    bool *memory);

#endif
