/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper of the accounts: facts in, records out.  It works out who lends
 * what to whom, and lets no record out that would not balance.  Pure.
 */
#ifndef GOVERNANCE_LEDGER_KEEPER_H
#define GOVERNANCE_LEDGER_KEEPER_H

#include "core/engine.h"
#include "ledger/account.h"

enum gov_fact_kind {
	GOV_FACT_POLICY,
	GOV_FACT_START,	 /* it runs; also when that is known already */
	GOV_FACT_END,	 /* it does not run; also when that is known.  With a
			    team it has run, whether that was seen or not */
	GOV_FACT_LOOK,	 /* all that runs will be told now ... */
	GOV_FACT_LOOKED, /* ... and was: what was not has ended unseen */
	GOV_FACT_ADMIT,
	GOV_FACT_WITHDRAW,
	GOV_FACT_NOTICE,
	GOV_FACT_ORDER,
};

/* What happened; indices are of the policy told last.  Plain data. */
struct gov_fact {
	enum gov_fact_kind kind;
	gov_time_t now;
	struct gov_policy *policy; /* POLICY: a reference that is handed over */
	uint64_t job;
	int64_t run;
	uint32_t team; /* or GOV_NONE */
	uint32_t project;
	uint32_t class;
	uint32_t user;
	gov_time_t submitted;
	gov_time_t started;
	gov_time_t ended; /* 0: unknown, so as late as it can have been */
	gov_time_t checkpoint;
	gov_time_t deadline;
	uint64_t asker;
	uint32_t asker_team; /* or GOV_NONE */
	uint32_t by;	     /* uid */
	bool unwatched;	     /* it is reconstructed */
	const char *rule;    /* constants, or NULL */
	const char *how;
	struct gov_request use;
	char text[64];
};

struct gov_keeper;

/*
 * Each record: to be written down.  seq and time are not filled in.  -1: it
 * could not be.
 */
typedef int gov_keeper_emit(void *arg, struct gov_record *record);

/* NULL: no memory. */
struct gov_keeper *gov_keeper_create(gov_keeper_emit *emit, void *arg);
void gov_keeper_destroy(struct gov_keeper *keeper);

/*
 * Records of a ledger that is to be gone on with, in their order, before the
 * first fact.
 */
int gov_keeper_replay(struct gov_keeper *keeper,
		      const struct gov_record *record, struct gov_error *error);
/* -1: it could not be written down (error says why). */
int gov_keeper_take(struct gov_keeper *keeper, struct gov_fact *fact,
		    struct gov_error *error);
/* Emit what a file begins with: policy and runs under way. */
int gov_keeper_carry(struct gov_keeper *keeper);

const struct gov_account *gov_keeper_account(const struct gov_keeper *keeper);

#endif
