/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a history through an engine, carries out its decisions as a cluster
 * would, and checks after every event that nothing promised is broken.
 */
#ifndef PROPERTY_RUN_H
#define PROPERTY_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "history.h"

struct violation {
	bool found;
	char name[48];	 /* which promise; see checks in check.c */
	char text[1024]; /* what was seen */
	size_t event;	 /* index of the event after which */
};

/* What a run came to; added up over runs. */
struct tally {
	uint64_t events, admissions, notices, withdrawals, stops;
	uint64_t reclaims[8]; /* plans, by enum gov_rule */
	uint64_t claims_served, surplus_claims, refused, audits, twins;
	/* Settings. */
	bool trace;	  /* print events and decisions */
	bool twin_always; /* compare with a new engine at every event */
};

void history_run(const struct history *history, struct violation *violation,
		 struct tally *tally);

/*
 * Cut a failing history down: events, then units, quotas and settings, as long
 * as the same promise is broken.  `tries` bounds the number of runs.
 */
void history_shrink(struct history *history, struct violation *violation,
		    size_t tries);

#endif
