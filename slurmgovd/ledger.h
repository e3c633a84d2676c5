/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger of the daemon: facts go into a bounded queue, a thread of its own
 * works out what they mean and writes it down, many with one sync.
 *
 * A disk that hangs or fails never holds the loop up.  What the queue cannot
 * take is counted, told as an alarm, and made good by telling all that runs
 * anew (the ledger then says that it was reconstructed).
 */
#ifndef GOVERNANCE_SLURMGOVD_LEDGER_H
#define GOVERNANCE_SLURMGOVD_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/keeper.h"

#define GOV_LEDGER_ALARM 256

struct gov_ledger;

struct gov_ledger_state {
	char directory[4096];
	uint64_t durable;    /* seq of the last durable record */
	uint64_t waiting;    /* facts in the queue */
	uint64_t lost;	     /* facts that found no place, since the start */
	bool look;	     /* tell all that runs anew */
	int64_t alarm_since; /* seconds since the epoch; 0: all is well */
	char alarm[GOV_LEDGER_ALARM];
	int64_t hangs; /* seconds for which a write has not come back, once
			  that is remarkable; else 0 */
};

/* directory: of the governor's state.  NULL with errno. */
struct gov_ledger *gov_ledger_start(const char *directory, const char *cluster,
				    const char *munge_socket);
/* Waits a moment for what is in the queue; -1: it still runs. */
int gov_ledger_stop(struct gov_ledger *ledger);

/* The loop only; never blocks for long.  Takes the fact's policy over. */
void gov_ledger_tell(struct gov_ledger *ledger, const struct gov_fact *fact);
/* `look` is given once. */
void gov_ledger_state(struct gov_ledger *ledger,
		      struct gov_ledger_state *state);
/* Must all be told anew?  Given once. */
bool gov_ledger_wants_look(struct gov_ledger *ledger);

#endif
