/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who comes before whom: waiting jobs of one team, waiting jobs of several
 * teams, and jobs that could give way.  Pure comparisons of what counts; each
 * returns < 0 if a comes first, > 0 if b does, and 0 only if a and b are the
 * same in everything, the id included.
 */
#ifndef GOVERNANCE_CORE_ORDER_H
#define GOVERNANCE_CORE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine.h"
#include "core/policy.h"

/* A waiting job. */
struct gov_waiting_rank {
	bool claimant;	  /* its victims are leaving: stays in front */
	double history;	  /* score of its user (usage.h); else 0 */
	double surplus;	  /* score of its team, if it would borrow; else 0 */
	uint32_t level;	  /* height of the unit that must lend; 0: own */
	uint32_t weight;  /* of its class */
	gov_time_t since; /* its age counts from here */
	uint64_t id;
};

/*
 * Inside a team: claimant, lower history (GOV_TASK_USAGE only), higher class
 * (not GOV_TASK_FIRST_COME), lower history, older, smaller id.  The level does
 * not count.
 */
int gov_order_in_team(const struct gov_waiting_rank *a,
		      const struct gov_waiting_rank *b,
		      enum gov_task_order order);

/*
 * Between teams, IdleSharing=FirstCome: claimant, lower level (own quota
 * before borrowing, near lenders before far ones), lower surplus, higher class
 * (not GOV_TASK_FIRST_COME), older, smaller id.  The history of a user does not
 * count.
 */
int gov_order_between_teams(const struct gov_waiting_rank *a,
			    const struct gov_waiting_rank *b,
			    enum gov_task_order order);

/* A job that could give way. */
struct gov_victim_rank {
	bool leaving;	  /* told to leave already: costs nothing more */
	bool own_team;	  /* of the asker's team */
	double history;	  /* score of its user; else 0 */
	uint32_t weight;  /* of its class */
	gov_time_t saved; /* start, or latest checkpoint if later */
	uint64_t id;
};

/*
 * Leaving, other teams before the asker's, higher history, lower class, least
 * unsaved work, larger id.  History counts between jobs of the asker's team
 * only: comparing it inside other teams, but class between them, would be no
 * order at all.
 */
int gov_order_victims(const struct gov_victim_rank *a,
		      const struct gov_victim_rank *b);

/*
 * May a job of class weight asker_weight, waiting since asker_since, displace
 * one of victim_weight that was submitted at victim_since?
 */
bool gov_may_preempt(enum gov_preempt whom, uint32_t asker_weight,
		     gov_time_t asker_since, uint32_t victim_weight,
		     gov_time_t victim_since);

#endif
