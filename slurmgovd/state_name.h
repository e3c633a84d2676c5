/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The word for the state of a job, as sgov shows it and --json has it. */
#ifndef GOVERNANCE_SLURMGOVD_STATE_NAME_H
#define GOVERNANCE_SLURMGOVD_STATE_NAME_H

#include "core/engine.h"
#include "slurmgovd/governor.h"

/*
 * known: what the engine has of the job, or NULL.  Static text: "waiting",
 * "running" …; "stray": of no team, and that is not allowed; "free": not
 * governed.
 */
static inline const char *gov_job_state_name(const struct gov_tracked *job,
					     const struct gov_job *known)
{
	if (job->standing == GOV_STANDING_STRAY)
		return "stray";
	if (job->standing == GOV_STANDING_FREE || !known)
		return "free";
	switch (known->state) {
	case GOV_JOB_INELIGIBLE: return "ineligible";
	case GOV_JOB_WAITING: return "waiting";
	case GOV_JOB_CLAIMING: return "claiming";
	case GOV_JOB_ADMITTED: return "admitted";
	case GOV_JOB_RUNNING: return "running";
	case GOV_JOB_RECLAIMING: return "reclaiming";
	}
	return "unknown";
}

#endif
