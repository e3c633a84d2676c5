/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of a record, for who writes and who reads them. */
#ifndef GOVERNANCE_LEDGER_RECORD_PRIVATE_H
#define GOVERNANCE_LEDGER_RECORD_PRIVATE_H

#include "ledger/record.h"

struct gov_record_member {
	const char *name;
	uint8_t length; /* of the name */
	bool is_text;	/* else a number */
	uint16_t offset;
};

extern const struct gov_record_member gov_record_members[];
extern const size_t gov_record_member_count;
extern const char *const gov_record_lists[GOV_LISTS];

/* What stands before the members, all lists behind them, and one without its
 * name. */
void gov_record_format_head(const struct gov_record *record,
			    struct gov_text *out);
void gov_record_format_lists(const struct gov_record *record,
			     struct gov_text *out);
void gov_record_format_list(const struct gov_record_list *list,
			    struct gov_text *out);

#endif
