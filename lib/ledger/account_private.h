/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GOVERNANCE_LEDGER_ACCOUNT_PRIVATE_H
#define GOVERNANCE_LEDGER_ACCOUNT_PRIVATE_H

#include "ledger/account.h"

/* ---- account.c ---- */
int gov_account_add_run(struct gov_account *account, struct gov_run *run);
void gov_account_drop_run(struct gov_account *account, struct gov_run *run);

/* ---- account_split.c ---- */
/* What its team borrows in the cells of the run, and which of its runs do. */
void gov_account_split(struct gov_account *account, const struct gov_run *run);
/* Tell the sink what the run used until now. */
void gov_account_tell(struct gov_account *account, struct gov_run *run);
/* Seconds before now that were not counted, or counted too much. */
void gov_account_correct(struct gov_account *account, const struct gov_run *run,
			 int64_t seconds, int sign);
/* The changed loans of a record. */
int gov_account_loans(struct gov_account *account,
		      const struct gov_record *record, struct gov_error *error);
int gov_account_policy(struct gov_account *account,
		       const struct gov_record *record,
		       struct gov_error *error);
/* Are the books of the run's cells balanced? */
int gov_account_balanced(const struct gov_account *account,
			 const struct gov_run *run, struct gov_error *error);

#endif
