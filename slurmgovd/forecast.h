/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a policy would change now: teams' figures and jobs' states before and
 * after, of jobs as they are.  Nothing is done, and nothing is remembered.
 */
#ifndef GOVERNANCE_SLURMGOVD_FORECAST_H
#define GOVERNANCE_SLURMGOVD_FORECAST_H

#include "slurmgovd/governor.h"

/* A job of which the state would change. */
struct gov_forecast_job {
	uint64_t id;
	const char *team;   /* before, or after if it has none now; or NULL */
	const char *before; /* as gov_job_state_name() */
	const char *after;
	uint64_t asker;	     /* after "reclaiming": for whom; or 0 */
	gov_time_t deadline; /* ... by when; or 0 */
	enum gov_rule rule;
	char *text; /* after "stray": the refusal; or NULL */
};

/* What a team has in a cell, where that would change. */
struct gov_forecast_cell {
	const struct gov_policy *from; /* the policy that has this cell */
	uint32_t cell;
	const char *team;
	const char *pool;
	const char *tres;
	bool was, is; /* does the policy count it for the team? */
	struct gov_cell_view before;
	struct gov_cell_view after;
};

/* Start with all zero; owns everything, names by its policies. */
struct gov_forecast {
	struct gov_policy *old;
	struct gov_policy *new;
	struct gov_forecast_job *job; /* ascending by id */
	size_t job_count;
	struct gov_forecast_cell *cell; /* teams in the order of the policies */
	size_t cell_count;
	size_t jobs;	  /* that there are */
	bool new_members; /* some team, or its member lists, are new: who is in
			     it is not known before the policy is in force */
};

/*
 * What `policy` would change at this time.  0; -1: no memory, or the governor
 * is not ready; *forecast is to be freed in any case.  It costs about what a
 * restart and a reload do.
 */
int gov_forecast(const struct gov_governor *g, struct gov_policy *policy,
		 struct gov_now now, struct gov_forecast *forecast,
		 struct gov_error *error);
void gov_forecast_free(struct gov_forecast *forecast);

#endif
