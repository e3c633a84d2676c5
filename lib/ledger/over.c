/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/over.h"

#define OVER_MAX 100000 /* runs remembered, once or twice */

void gov_over_free(struct gov_over *over)
{
	gov_idmap_free(&over->began[0]);
	gov_idmap_free(&over->began[1]);
}

void gov_over_begin(struct gov_over *over, gov_time_t now)
{
	if (!over->since[0])
		over->since[0] = over->since[1] = now;
}

void gov_over_note(struct gov_over *over, uint64_t job, gov_time_t started,
		   gov_time_t now)
{
	if (over->began[0].count >= OVER_MAX) {
		gov_idmap_free(&over->began[1]);
		over->began[1] = over->began[0];
		over->since[1] = over->since[0];
		over->began[0] = (struct gov_idmap){ 0 };
		over->since[0] = now;
	}
	if (job)
		gov_idmap_put(&over->began[0], job,
			      (void *) (uintptr_t) started);
}

static gov_time_t last_of(const struct gov_over *over, uint64_t job)
{
	const void *young = gov_idmap_get(&over->began[0], job);

	return (gov_time_t) (uintptr_t) (young ? young :
						 gov_idmap_get(&over->began[1],
							       job));
}

bool gov_over_is_news(const struct gov_over *over, uint64_t job,
		      gov_time_t started)
{
	return started && started >= over->since[1] &&
	       started > last_of(over, job);
}
