/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run.h"

#include <inttypes.h>
#include <string.h>

#include "cluster.h"

/* More passes than any small cluster needs to come to rest. */
#define SETTLE_STEPS 400

/* Start what is admitted: the cluster has room for it. */
static void start_all(struct cluster *cluster)
{
	for (size_t i = 0; i < cluster->count; i++) {
		struct event start = {
			.kind = EVENT_START,
			.v = { cluster->record[i].id },
		};

		if (cluster->record[i].job.state == GOV_JOB_ADMITTED)
			cluster_event(cluster, &start);
	}
}

/*
 * Without new submissions every history comes to rest (5): jobs start, none
 * ends, time passes to the next moment that matters.
 */
static void settle(struct cluster *cluster)
{
	for (int step = 0; step < SETTLE_STEPS; step++) {
		struct event pass = { .kind = EVENT_TIME };
		uint64_t before = cluster->tally->notices +
				  cluster->tally->withdrawals +
				  cluster->tally->admissions +
				  cluster->tally->stops;
		gov_time_t next = gov_engine_next(cluster->engine,
						  cluster->now);
		bool stopping = false;

		for (size_t i = 0; i < cluster->count; i++)
			stopping |= cluster->record[i].stopped;
		if (next == INT64_MAX && !stopping && step)
			return;
		pass.v[0] = stopping || next == INT64_MAX ? 1 :
			    next > cluster->now ? next - cluster->now :
						  0;
		cluster_event(cluster, &pass);
		start_all(cluster);
		cluster_decide(cluster);
		if (cluster->violation->found)
			return;
		/* Nothing at the time at which something should change. */
		if (step && !pass.v[0] &&
		    before == cluster->tally->notices +
				      cluster->tally->withdrawals +
				      cluster->tally->admissions +
				      cluster->tally->stops)
			broken(cluster, "next-is-true",
			       "something is due now, but nothing is done");
	}
	broken(cluster, "settles", "no rest after %d steps", SETTLE_STEPS);
}

void history_run(const struct history *history, struct violation *violation,
		 struct tally *tally)
{
	static struct cluster cluster;

	memset(&cluster, 0, sizeof(cluster));
	memset(violation, 0, sizeof(*violation));
	cluster.violation = violation;
	cluster.tally = tally;
	cluster_create(&cluster, &history->spec);
	for (size_t i = 0; i < history->count && !violation->found; i++) {
		cluster.event = i;
		if (tally->trace) {
			printf("%zu ", i);
			event_print(&history->event[i], stdout);
			putchar('\n');
		}
		cluster_event(&cluster, &history->event[i]);
		if (!violation->found)
			cluster_decide(&cluster);
		tally->events++;
	}
	if (!violation->found)
		settle(&cluster);
	cluster_destroy(&cluster);
}
