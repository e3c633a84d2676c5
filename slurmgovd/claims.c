/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Askers whose victims are on their way out. */
#include "slurmgovd/governor_private.h"

struct victims {
	const struct gov_governor *g;
	size_t going;
	size_t staying;
};

/* Nothing brings it back: slurmctld has begun to end it. */
static bool is_going(const struct gov_tracked *job)
{
	return job && (job->record->completing || job->stop_acked);
}

static void look(uint64_t id, void *arg)
{
	struct victims *victims = arg;

	if (is_going(gov_track_find(victims->g, id)))
		victims->going++;
	else
		victims->staying++;
}

bool gov_claim_is_sure(const struct gov_governor *g,
		       const struct gov_tracked *job)
{
	const struct gov_job *known = gov_engine_job(g->engine, job->id);
	struct victims victims = { .g = g };

	if (!known || known->state != GOV_JOB_CLAIMING || known->on_surplus ||
	    gov_is_array(job->record))
		return false;
	gov_engine_each_victim(g->engine, job->id, look, &victims);
	return victims.going && !victims.staying;
}

void gov_tell_claim(struct gov_governor *g, const struct gov_tracked *victim)
{
	struct gov_tracked *asker = gov_track_find(g, victim->stamp.asker);

	if (asker && victim->stamp.state == GOV_STAMP_RECLAIMING)
		gov_mark_dirty(g, asker);
}
