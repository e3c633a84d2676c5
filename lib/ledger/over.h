/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs that are over: when the last one of each job began, so that a run that
 * Slurm shows after its end is told once.  Two generations of such maps; what
 * began before them is not taken as news.
 */
#ifndef GOVERNANCE_LEDGER_OVER_H
#define GOVERNANCE_LEDGER_OVER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine.h"
#include "core/idmap.h"

struct gov_over {
	struct gov_idmap began[2]; /* younger, older */
	gov_time_t since[2];
};

void gov_over_free(struct gov_over *over);

/* Nothing is known of what was before this time; only the first call counts. */
void gov_over_begin(struct gov_over *over, gov_time_t now);

/*
 * A run of the job that began at `started` is over; now: of the younger
 * generation's beginning, if one begins.  Without memory it is forgotten, and
 * may then be told again.
 */
void gov_over_note(struct gov_over *over, uint64_t job, gov_time_t started,
		   gov_time_t now);

/* Is a run that began then, and that nobody saw, not noted yet? */
bool gov_over_is_news(const struct gov_over *over, uint64_t job,
		      gov_time_t started);

#endif
