/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job says that its work is saved: it would lose less, and where the policy
 * says so it need not wait for the end of its grace.  It buys nothing by it:
 * whoever has saved gives way before who has not.
 */
#include <inttypes.h>

#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"

/* A later word within so many seconds is not worth an update. */
#define TOO_SOON 10

static bool may_speak(const struct gov_governor *g,
		      const struct gov_tracked *job, uid_t by)
{
	return job->record->submission.uid == by ||
	       gov_governor_is_operator(g, by);
}

static void note(struct gov_governor *g, struct gov_tracked *job,
		 struct gov_now now)
{
	bool leaving = job->stamp.state == GOV_STAMP_RECLAIMING &&
		       !gov_is_observing(g);
	struct gov_terms terms;

	gov_policy_terms(g->policy, job->team, job->class, &terms);
	job->stamp.checkpoint = now.wall;
	if (leaving && terms.on_checkpoint && job->stamp.signalled &&
	    now.wall < job->stamp.deadline) {
		gov_log(GOV_LOG_ENGINE, GOV_LOG_INFO,
			"job %" PRIu64 " has saved its work: its grace ends",
			job->id);
		job->stamp.deadline = now.wall;
	}
	gov_judge(g, job, now);
	gov_governor_tick(g, now);
}

int gov_governor_checkpoint(struct gov_governor *g, const char *name, uid_t by,
			    struct gov_now now, struct gov_error *error)
{
	const struct gov_tracked *named = gov_governor_find(g, name);
	struct gov_tracked *job = named ? gov_track_find(g, named->id) : NULL;

	if (!job || job->standing != GOV_STANDING_GOVERNED || !job->judged)
		return gov_error_set(error, GOV_E_REFERENCE,
				     "there is no governed job '%.64s'", name);
	if (!may_speak(g, job, by))
		return gov_error_set(error, GOV_E_PERMISSION,
				     "job %.64s is another user's", name);
	if (job->record->state != GOV_SLURM_RUNNING || job->record->completing)
		return gov_error_set(error, GOV_E_STATE,
				     "job %.64s does not run", name);
	if (job->stamp.state == GOV_STAMP_RECLAIMING ||
	    now.wall - job->stamp.checkpoint >= TOO_SOON)
		note(g, job, now);
	return 0;
}
