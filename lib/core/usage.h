/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Usage history (UsageHalfLife=): what every user of a team held lately, and
 * what every team held beyond its own quota.
 *
 * An account keeps, TRES by TRES, the decayed mean of what was held
 * (history.h).  Its score is the sum of these as fractions of all quotas of the
 * TRES: 0.25 is a quarter of the cluster, lately.  So that the many jobs of one
 * user do not all go before their first is felt, a score looks ahead: it is
 * what the mean will be in a while, should all that is held now be held on.
 *
 * Scores order queues and must not move under them: score[] changes only where
 * gov_store_rescore() can put the account's kinds in their new places.
 * Time is what the engine was last told.
 */
#ifndef GOVERNANCE_CORE_USAGE_H
#define GOVERNANCE_CORE_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine.h"
#include "core/policy.h"

struct gov_kind;

struct gov_account {
	struct gov_account *next; /* in the same slot of the table */
	struct gov_kind *kinds;	  /* of its jobs, waiting or not */
	uint32_t team;
	uint32_t user; /* GOV_NONE: what the team borrows */
	gov_time_t at; /* the means are of then; GOV_SECONDS_UNSET */
	double score;  /* by which queues are ordered */
	struct {
		gov_amount_t held;
		double mean;
	} tres[];
};

struct gov_usage {
	const struct gov_policy *policy; /* borrowed */
	struct gov_account **slot;	 /* NULL: no history is kept */
	size_t slot_count;
	size_t count;
	double *weight;	     /* per TRES: 1 / all quotas; 0: none */
	gov_time_t now;	     /* GOV_SECONDS_UNSET: not told yet */
	gov_time_t rescored; /* when all scores were last made */
};

/* Does the policy keep a history? */
bool gov_usage_is_kept(const struct gov_policy *policy);

/* 0; -1 out of memory. */
int gov_usage_init(struct gov_usage *usage, const struct gov_policy *policy);
void gov_usage_free(struct gov_usage *usage);

/* The account, made if there is none; NULL: out of memory.  Accounts stay
 * where they are until gov_usage_forget(). */
struct gov_account *gov_usage_account(struct gov_usage *usage, uint32_t team,
				      uint32_t user);
/* The same, NULL if there is none. */
struct gov_account *gov_usage_find(const struct gov_usage *usage, uint32_t team,
				   uint32_t user);

/* It is (at least) this time.  true: all scores are due to be made again. */
bool gov_usage_tell_time(struct gov_usage *usage, gov_time_t now);

/* From now on it holds so much of a TRES. */
void gov_usage_hold(const struct gov_usage *usage, struct gov_account *account,
		    uint32_t tres, gov_amount_t held);

/* What its score would be now; account->score is left alone. */
double gov_usage_score(const struct gov_usage *usage,
		       const struct gov_account *account);

/* Mean of a TRES now. */
double gov_usage_mean(const struct gov_usage *usage,
		      const struct gov_account *account, uint32_t tres);

/* Its mean of a TRES was so at that time: remembered from elsewhere. */
void gov_usage_set_mean(const struct gov_usage *usage,
			struct gov_account *account, uint32_t tres, double mean,
			gov_time_t at);

/* Drop the accounts that say nothing any more. */
void gov_usage_forget(struct gov_usage *usage);

#endif
