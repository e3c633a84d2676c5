/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What protects a job for a time, and what an eviction may cost. */
#include "core/victims.h"

#define LONGEST_BACKOFF (4 * 3600)

/*
 * For so many seconds what others have left for a job is kept for it, while
 * Slurm starts it.  Otherwise the next asker takes it, and they were evicted in
 * vain.  An owner's own is never kept from it.
 */
#define START_TIME 60

/* MinRuntime, doubled at each eviction, up to four hours. */
static int64_t least_runtime(const struct gov_policy *policy,
			     const struct gov_record *job)
{
	struct gov_terms terms;
	int64_t least;

	gov_policy_terms(policy, job->kind->team, job->kind->class, &terms);
	least = terms.min_runtime;
	for (uint32_t i = 0; i < job->evictions && least < LONGEST_BACKOFF;
	     i++) {
		if (least <= 0)
			return 0;
		least *= 2;
		if (least > LONGEST_BACKOFF)
			least = LONGEST_BACKOFF;
	}
	return least;
}

static gov_time_t later(gov_time_t start, int64_t seconds)
{
	if (seconds <= 0)
		return 0;
	return start > INT64_MAX - seconds ? INT64_MAX - 1 : start + seconds;
}

gov_time_t gov_protected_until(const struct gov_policy *policy,
			       const struct gov_kind *asker,
			       const struct gov_record *victim,
			       enum gov_rule rule)
{
	struct gov_terms lender;

	if (victim->exempt)
		return INT64_MAX;
	if (victim->state == GOV_JOB_ADMITTED && victim->arrived &&
	    rule != GOV_RULE_RECLAIM)
		return later(victim->arrived, START_TIME);
	/* What has not started loses nothing. */
	if (victim->state != GOV_JOB_RUNNING || !victim->started)
		return 0;
	if (rule == GOV_RULE_RECLAIM) {
		gov_policy_terms(policy, asker->team, asker->class, &lender);
		return later(victim->started, lender.min_loan);
	}
	if (victim->kind->team < policy->unit_count &&
	    victim->evictions >= policy->unit[victim->kind->team].max_evictions)
		return INT64_MAX;
	return later(victim->started, least_runtime(policy, victim));
}

static gov_amount_t victims_hold(const struct gov_victim *victim, size_t count,
				 uint32_t cell)
{
	gov_amount_t sum = 0;

	for (size_t v = 0; v < count; v++) {
		const struct gov_kind *kind = victim[v].job->kind;

		for (uint32_t i = 0; i < kind->count; i++)
			if (kind->item[i].cell == cell)
				sum = gov_amount_add(sum, kind->item[i].amount);
	}
	return sum;
}

uint64_t gov_evict_ratio(const struct gov_kind *asker, uint32_t contended,
			 const struct gov_victim *victim, size_t count)
{
	uint64_t greatest = 0;

	for (uint32_t i = 0; i < asker->count; i++) {
		uint64_t ratio;

		if (!(contended & 1u << i))
			continue;
		ratio = gov_amount_scale(victims_hold(victim, count,
						      asker->item[i].cell),
					 1000, asker->item[i].amount);
		if (ratio > greatest)
			greatest = ratio;
	}
	return greatest;
}
