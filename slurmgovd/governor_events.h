/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens to a governor: its life, events in, actions out.  For the loop
 * (and tests); views are in governor.h.
 */
#ifndef GOVERNANCE_SLURMGOVD_GOVERNOR_EVENTS_H
#define GOVERNANCE_SLURMGOVD_GOVERNOR_EVENTS_H

#include "grant/grant.h"
#include "ledger/keeper.h"
#include "slurm/jobs.h"
#include "slurmgovd/action.h"
#include "slurmgovd/governor.h"
#include "slurmgovd/members.h"

struct gov_governor_setup {
	uid_t slurm_uid;
	/* A fresh random number for a nonce. */
	uint64_t (*nonce)(void *arg);
	/*
	 * A sealed grant, valid until the next call, or NULL if there is none
	 * yet (it is then being made).  issued and digest are not filled in.
	 */
	const char *(*grant)(void *arg, const struct gov_grant *wanted);
	/* For the ledger; takes the fact's policy over.  May be NULL. */
	void (*fact)(void *arg, const struct gov_fact *fact);
	/* The job list should be read soon. */
	void (*nudge)(void *arg);
	void *arg;
};

/* Takes a reference of the policy.  NULL: out of memory, error says so. */
struct gov_governor *gov_governor_create(const struct gov_governor_setup *setup,
					 struct gov_policy *policy,
					 struct gov_error *error);
void gov_governor_destroy(struct gov_governor *g);

/* ---- events ---- */

/*
 * A new policy.  Members of teams that the old policy had are kept until
 * gov_governor_set_members().  -1: nothing changed.
 */
int gov_governor_set_policy(struct gov_governor *g, struct gov_policy *policy,
			    struct gov_now now, struct gov_error *error);
/*
 * Members as resolved for `policy`; taken over.  Ignored if that is no longer
 * the policy in force.
 */
void gov_governor_set_members(struct gov_governor *g,
			      const struct gov_policy *policy,
			      struct gov_members *members, struct gov_now now);
/* Nodes and partitions; taken over. */
void gov_governor_set_machine(struct gov_governor *g,
			      struct gov_machine *machine, struct gov_now now);
/*
 * What a job list that was asked for at mono time `began` showed.  The
 * records are taken over (the array stays with the caller).
 */
void gov_governor_jobs(struct gov_governor *g, struct gov_job_changes *changes,
		       int64_t began, struct gov_now now);
/* A job list could not be read. */
void gov_governor_slurm_down(struct gov_governor *g);

/*
 * A request of the job_submit plugin.  *answer is filled; its strings belong
 * to the governor and hold until the next event.  *grant_pending: the answer
 * should carry *grant, which is still being made.
 */
void gov_governor_submit(struct gov_governor *g,
			 const struct gov_submit_request *request,
			 struct gov_answer *answer, struct gov_grant *grant,
			 bool *grant_pending, struct gov_now now);

/* What came of an action; it stays with the caller. */
void gov_governor_result(struct gov_governor *g,
			 const struct gov_action *action, struct gov_now now);

/* Time has passed. */
void gov_governor_tick(struct gov_governor *g, struct gov_now now);
/* When the next tick is needed: the earlier of the two; INT64_MAX if never. */
void gov_governor_next(const struct gov_governor *g, struct gov_now now,
		       gov_time_t *wall, int64_t *mono);

/* Tell the ledger of the policy and all that runs, once more. */
void gov_governor_tell_all(struct gov_governor *g, struct gov_now now);

/* Orders that stood before the start; taken over. */
void gov_governor_set_orders(struct gov_governor *g, struct gov_orders *orders);
/*
 * Usage history from before the start; see usage_file.h.  0 or -1, which is
 * no reason not to go on.
 */
int gov_governor_load_usage(struct gov_governor *g, const char *directory,
			    struct gov_error *error);
/*
 * An operator orders (the caller knows that it is one).  0: it is so; -1:
 * nothing changed, and error says why.
 */
int gov_governor_order(struct gov_governor *g, const struct gov_order *order,
		       struct gov_now now, struct gov_error *error);

/*
 * `by` says that the work of a job is saved now.  0; -1: it is not his job,
 * or does not run.
 */
int gov_governor_checkpoint(struct gov_governor *g, const char *name, uid_t by,
			    struct gov_now now, struct gov_error *error);

/* ---- actions ---- */

/* The oldest action not yet taken, owned by the caller, or NULL. */
struct gov_action *gov_governor_action(struct gov_governor *g);

#endif
