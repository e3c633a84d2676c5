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

#endif
