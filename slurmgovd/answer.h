/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers to sgov: a JSON request in, a JSON answer out.
 *
 * Called on the loop thread with the sender's identity as munge told it, so
 * it must not block; the text is made and sent by a thread of the client
 * server.
 */
#ifndef GOVERNANCE_SLURMGOVD_ANSWER_H
#define GOVERNANCE_SLURMGOVD_ANSWER_H

#include <sys/types.h>

#include "conf/conf.h"
#include "slurmgovd/governor.h"

struct json_object;
struct gov_ledger_state;
struct gov_forecast;

struct gov_answer_context {
	const struct gov_governor *governor;
	struct gov_now now;
	uid_t uid; /* who asks */
	gid_t gid;
	/*
	 * Slurm's PrivateData=jobs: jobs of others are for operators only.
	 * Sums of teams, and that a job exists, are for everybody.
	 */
	bool private_jobs;
	/*
	 * How long the reasons of one page of a queue may take, microseconds;
	 * 0: a few thousand, so that slurmctld hardly has to wait.
	 */
	int64_t reasons_us;
	/*
	 * Read governance.conf again.  0: in force; -1: the old policy stays.
	 * faults is filled in both cases and freed by the caller.  The answer
	 * code has checked gov_governor_is_operator() before.
	 */
	int (*reload)(void *arg, struct gov_conf_faults *faults);
	/*
	 * As gov_forecast(), at context.now; the caller frees.  For operators,
	 * which was checked before.
	 */
	int (*forecast)(void *arg, struct gov_policy *policy,
			struct gov_forecast *forecast, struct gov_error *error);
	const char *cluster_name; /* as Slurm has it, or NULL: any */
	/*
	 * Carry an order out, so that it also survives a restart.  0, or -1
	 * with error.  The sender was checked before, too.
	 */
	int (*order)(void *arg, const struct gov_order *order,
		     struct gov_error *error);
	/* A job's word that its work is saved; by context.uid.  0 or -1. */
	int (*checkpoint)(void *arg, const char *job, uid_t by,
			  struct gov_error *error);
	void *arg;
	const struct gov_ledger_state *ledger; /* or NULL */
};

/*
 * The answer, owned by the caller; it holds nothing of the governor, since it
 * is turned into text on another thread.  Never NULL but when out of memory:
 * what cannot be answered is answered with "errors".
 */
struct json_object *gov_answer(const struct gov_answer_context *context,
			       struct json_object *request);

#endif
