/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/order.h"

/* -1, 0 or 1 as a is smaller than, equal to or greater than b. */
#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int by_class(const struct gov_waiting_rank *a,
		    const struct gov_waiting_rank *b, enum gov_task_order order)
{
	return order == GOV_TASK_FIRST_COME ? 0 : COMPARE(b->weight, a->weight);
}

static int by_age(const struct gov_waiting_rank *a,
		  const struct gov_waiting_rank *b)
{
	if (a->since != b->since)
		return COMPARE(a->since, b->since);
	return COMPARE(a->id, b->id);
}

int gov_order_in_team(const struct gov_waiting_rank *a,
		      const struct gov_waiting_rank *b,
		      enum gov_task_order order)
{
	int class = by_class(a, b, order);

	if (a->claimant != b->claimant)
		return COMPARE(b->claimant, a->claimant);
	if (class && (order != GOV_TASK_USAGE || a->history == b->history))
		return class;
	if (a->history != b->history)
		return COMPARE(a->history, b->history);
	return by_age(a, b);
}

int gov_order_between_teams(const struct gov_waiting_rank *a,
			    const struct gov_waiting_rank *b,
			    enum gov_task_order order)
{
	if (a->claimant != b->claimant)
		return COMPARE(b->claimant, a->claimant);
	if (a->level != b->level)
		return COMPARE(a->level, b->level);
	if (a->surplus != b->surplus)
		return COMPARE(a->surplus, b->surplus);
	if (by_class(a, b, order))
		return by_class(a, b, order);
	return by_age(a, b);
}

int gov_order_victims(const struct gov_victim_rank *a,
		      const struct gov_victim_rank *b)
{
	if (a->leaving != b->leaving)
		return COMPARE(b->leaving, a->leaving);
	if (a->own_team != b->own_team)
		return COMPARE(a->own_team, b->own_team);
	if (a->own_team && a->history != b->history)
		return COMPARE(b->history, a->history);
	if (a->weight != b->weight)
		return COMPARE(a->weight, b->weight);
	if (a->saved != b->saved)
		return COMPARE(b->saved, a->saved);
	return COMPARE(b->id, a->id);
}

bool gov_may_preempt(enum gov_preempt whom, uint32_t asker_weight,
		     gov_time_t asker_since, uint32_t victim_weight,
		     gov_time_t victim_since)
{
	switch (whom) {
	case GOV_PREEMPT_NEVER: return false;
	case GOV_PREEMPT_LOWER: return victim_weight < asker_weight;
	case GOV_PREEMPT_LOWER_OR_NEWER:
		return victim_weight < asker_weight ||
		       (victim_weight == asker_weight &&
			victim_since > asker_since);
	case GOV_PREEMPT_ANY: return true;
	}
	return false;
}
