/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The governor: policy + engine + what Slurm shows, and what is to be done.
 *
 * It makes no call to Slurm, reads no clock and has no thread: events come in
 * (submissions, changes of the job list, nodes, time, results of updates),
 * actions go out to the actuator.  One owner: the loop thread.
 *
 * Every job of the job list is tracked.  `stamp` of a tracked job is what we
 * want to be written on it; reconciling compares that, and the engine's state,
 * with what the last job list showed, and orders the one update that brings
 * Slurm there.  So nothing depends on an update having arrived: what did not
 * take effect shows again, and is ordered again.
 */
#ifndef GOVERNANCE_SLURMGOVD_GOVERNOR_H
#define GOVERNANCE_SLURMGOVD_GOVERNOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/engine.h"
#include "slurm/record.h"
#include "slurmgovd/orders.h"
#include "stamp/stamp.h"
#include "wire/submit.h"

/* Both clocks, read once per event by the caller. */
struct gov_now {
	gov_time_t wall; /* seconds since the epoch */
	int64_t mono;	 /* CLOCK_MONOTONIC, milliseconds */
};

/* How a job stands to governance. */
enum gov_standing {
	GOV_STANDING_GOVERNED, /* known to the engine */
	GOV_STANDING_FREE,     /* exempt user, or Ungoverned=allow */
	GOV_STANDING_STRAY,    /* of no team, and that is not allowed */
};

/* A job as the governor knows it.  Read-only for everybody else. */
struct gov_tracked {
	uint64_t id;		       /* Slurm's job id, and the engine's */
	struct gov_job_record *record; /* as Slurm last showed it */
	struct gov_stamp stamp; /* what is known of the job, as it should be
				   written on it */
	enum gov_standing standing;
	enum gov_code code; /* STRAY: why, as a refusal would say */
	char *text;	    /* STRAY: the sentence, or NULL */
	uint32_t team;	    /* GOVERNED: indices into the policy */
	uint32_t project;   /* or GOV_NONE */
	uint32_t class;
	uint32_t pool;		 /* where its request is counted */
	bool stop_due;		 /* its grace is over */
	bool dependency_doubted; /* Slurm does not share our view of it */
	int64_t released_at;	 /* mono time, while a dependency is open */
	bool release_asked;	 /* its user asked to release a hold of his */
	/* Array whose record is held: how many of its tasks are admitted and
	 * not yet records of their own. */
	uint32_t admitted_tasks;
	uint32_t claiming_tasks; /* and charged while others leave */
	int64_t in_line; /* mono time since when it is released and Slurm
			    looks for a place for it; 0: it does not */
	const char *place_unknown; /* why what it needs of nodes is not known,
				      a few words; NULL: it is */
	gov_time_t not_before;	   /* a requeued job is not released earlier */
	/* private to the governor from here on */
	struct gov_job_record
		*own; /* head of a het job: its own, while `record`
				       shows all components; else NULL */
	bool uneven;  /* some components are held, others not */
	struct gov_tracked *next_dirty;
	struct gov_tracked *next_in_line;
	bool lined;	  /* in the list of jobs that wait for a place */
	bool dirty;	  /* in the list of jobs to reconcile */
	bool judged;	  /* the engine has been told of this record */
	bool was_stamped; /* it has had a stamp at some time */
	bool judge_again; /* admitted, but its charge had expired */
	bool estimated;	  /* `estimate` is valid */
	bool stamp_acked; /* RECLAIMING: the stamp is known to be there */
	bool stop_acked;  /* RECLAIMING: slurmctld is ending it */
	bool let_go;	  /* CLAIMING: released, see gov_claim_is_sure() */
	struct gov_request estimate; /* of the record, to notice growth */
	bool frees_task;	     /* one that waits in its array is to be */
	uint32_t freed_task;	     /* released, by an operator's order */
	uint32_t claim_numbers;	     /* greatest number of a claim in use + 1 */
	bool has_victims;	 /* some job gives way, or gave way, for it */
	uint32_t generation;	 /* of the last complete job list it was in */
	uint32_t action;	 /* sequence of the action under way, or 0 */
	uint32_t tries;		 /* orders so far that did not help */
	int64_t settled;	 /* mono time at which the last action ended */
	int64_t retry;		 /* not before this mono time */
	bool observed_hold;	 /* observe: logged that it would be held */
	uint64_t observed_asker; /* observe: logged that it would give way */
};

struct gov_governor;

/* ---- views, for answers to sgov ---- */

const struct gov_policy *gov_governor_policy(const struct gov_governor *g);
const struct gov_engine *gov_governor_engine(const struct gov_governor *g);

/* A job by Slurm's id; NULL: not in the job list.  The engine's view of it is
 * gov_engine_job(engine, job->id), NULL unless it is governed. */
const struct gov_tracked *gov_governor_job(const struct gov_governor *g,
					   uint64_t id);
/*
 * A job by the text a person writes: "12", "12_3", "12+1".  An array's id
 * finds the record of its waiting tasks, else any of its tasks.  NULL: none.
 */
const struct gov_tracked *gov_governor_find(const struct gov_governor *g,
					    const char *text);
/* Call visit for every tracked job, in no particular order. */
void gov_governor_each(const struct gov_governor *g,
		       void (*visit)(const struct gov_tracked *job, void *arg),
		       void *arg);

/* Submissions that were judged but are not in the job list yet. */
size_t gov_governor_provisional(const struct gov_governor *g);

/* Is somebody on the way out, so that others wait for the news of it? */
bool gov_governor_is_leaving(const struct gov_governor *g);

struct gov_governor_health {
	bool ready; /* job list, nodes and members are known */
	bool jobs_known;
	bool machine_known;
	bool members_known;
	gov_time_t jobs_seen; /* when the last job list was asked for, or 0 */
	bool slurm_up;	      /* the last job list could be read */
	uint64_t submissions; /* judged since the start */
	uint64_t refused;
	uint64_t admitted; /* decisions GOV_ADMIT and admitted at once */
	uint64_t notices;  /* jobs told to leave */
	uint64_t updates;  /* updates carried out */
	uint64_t update_failures;
	uint64_t updates_unanswered; /* of these: slurmctld away or busy */
	size_t updates_waiting;	     /* ordered, and not answered yet */
	uint64_t update_ms;	     /* all updates together took */
	uint64_t update_ms_max;	     /* the slowest */
	size_t jobs;		     /* tracked */
};
void gov_governor_health(const struct gov_governor *g,
			 struct gov_governor_health *health);

/* What operators ordered beside the policy. */
const struct gov_orders *gov_governor_orders(const struct gov_governor *g);

/* Is this uid a governance operator: root, SlurmUser, or in Operators=? */
bool gov_governor_is_operator(const struct gov_governor *g, uid_t uid);
/* Is this uid a member (by users, groups or primary gid) of the team? */
bool gov_governor_is_member(const struct gov_governor *g, uid_t uid, gid_t gid,
			    uint32_t team);

#endif
