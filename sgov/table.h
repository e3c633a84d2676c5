/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables: aligned for people, or "a|b|c" for programs (--parsable2).
 *
 * Text in cells may come from anybody: it is made safe for a terminal, and in
 * parsable output '|' within a cell becomes '?'.
 */
#ifndef GOVERNANCE_SGOV_TABLE_H
#define GOVERNANCE_SGOV_TABLE_H

#include <stdbool.h>

#include "core/amount.h"
#include "sgov/sgov.h"

struct sgov_column {
	const char *name; /* "QUOTA"; also in the parsable header */
	bool right;	  /* numbers */
	/* A column that only --parsable2 has. */
	bool parsable_only;
};

struct sgov_table;

/* columns ends with a NULL name and must outlive the table. */
struct sgov_table *sgov_table_create(const struct sgov *sgov,
				     const struct sgov_column *columns);
void sgov_table_destroy(struct sgov_table *table);

/*
 * Append a cell; rows fill from left to right.  Text is copied; an empty one
 * shows as "-" in an aligned table, unless it is the last of its row.
 */
void sgov_table_text(struct sgov_table *table, const char *text);
void sgov_table_number(struct sgov_table *table, uint64_t number);
/* Human units in aligned tables, bare numbers in parsable ones. */
void sgov_table_amount(struct sgov_table *table, const char *tres,
		       gov_amount_t amount);
void sgov_table_time(struct sgov_table *table, int64_t when);
/* Aligned "00:15:00", parsable too; negative: "-". */
void sgov_table_duration(struct sgov_table *table, int64_t seconds);

/* Rows of an aligned table begin with that many blanks. */
void sgov_table_indent(struct sgov_table *table, int blanks);

/* Print all of it on stdout. */
void sgov_table_print(const struct sgov_table *table);

#endif
