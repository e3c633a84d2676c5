/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A policy as a sorted list of facts, so that two can be compared by what
 * they mean: profiles, DEFAULT records and percentages are settled, and
 * neither order nor spelling counts.
 */
#ifndef GOVERNANCE_SGOV_FACTS_H
#define GOVERNANCE_SGOV_FACTS_H

#include <stdbool.h>

#include "core/policy.h"
#include "sgov/sgov.h"

enum sgov_record {
	SGOV_SETTING,
	SGOV_POOL,
	SGOV_CLASS,
	SGOV_UNIT,
	SGOV_TEAM,
	SGOV_QUOTA,
	SGOV_PROJECT,
};

/* One of the terms of a reclaim: which, and 0 for everything else. */
enum sgov_term {
	SGOV_NO_TERM,
	SGOV_SIGNAL,
	SGOV_GRACE,
	SGOV_ON_RECLAIM,
	SGOV_ON_CHECKPOINT,
	SGOV_MIN_RUNTIME,
	SGOV_MIN_LOAN,
};

struct sgov_fact {
	enum sgov_record record;
	char *name;  /* of the record; "" for settings */
	char *key;   /* "" is first: that there is such a record */
	char *value; /* a list: sorted, a blank between its members */
	bool list;
	bool caseless; /* the value is names whose case does not matter */
	enum sgov_term term;
	uint32_t index; /* of the unit or class that has the term */
};

struct sgov_facts {
	const struct gov_policy *policy;
	struct sgov_fact *item;
	size_t count;
};

/* The facts of a policy, which must outlive them. */
void sgov_facts_of(const struct gov_policy *policy, struct sgov_facts *facts);
void sgov_facts_free(struct sgov_facts *facts);

/* "setting", "pool", … */
const char *sgov_record_name(enum sgov_record record);

/* The order of facts: negative, zero (the same key), positive. */
int sgov_fact_order(const struct sgov_fact *a, const struct sgov_fact *b);

/* For the files that make facts: copies name and key, takes the value. */
struct sgov_fact *sgov_fact_add(struct sgov_facts *facts,
				enum sgov_record record, const char *name,
				const char *key, char *value);
/* A word, "yes" or "no", a list (its text is taken and sorted). */
void sgov_fact_text(struct sgov_facts *facts, enum sgov_record record,
		    const char *name, const char *key, const char *value);
/* As sgov_fact_text(), of names whose case does not matter. */
void sgov_fact_name(struct sgov_facts *facts, enum sgov_record record,
		    const char *name, const char *key, const char *value);
void sgov_fact_flag(struct sgov_facts *facts, enum sgov_record record,
		    const char *name, const char *key, bool value);
void sgov_fact_list(struct sgov_facts *facts, enum sgov_record record,
		    const char *name, const char *key, char *list);
/* Amounts of all cells that say anything; key: "MaxTRES". */
void sgov_fact_cells(struct sgov_facts *facts, enum sgov_record record,
		     const char *name, const char *key,
		     const gov_amount_t *amount);
/* Terms, as they are said; index: of the unit or class. */
void sgov_fact_terms(struct sgov_facts *facts, enum sgov_record record,
		     const char *name, uint32_t index,
		     const struct gov_terms *terms);
void sgov_fact_members(struct sgov_facts *facts, enum sgov_record record,
		       const char *name, const char *key,
		       const struct gov_member_list *members);
/* An amount, exact, as governance.conf has it: "16", "2T". */
char *sgov_exact_amount(const char *tres, gov_amount_t amount);
/* Thousandths: "1.5". */
char *sgov_permille(uint64_t permille);
/* "a b c" and one more; the list is freed, or NULL. */
char *sgov_list_add(char *list, const char *mark, const char *member);

/* What units and teams, and their quotas, say (facts_units.c). */
void sgov_facts_of_units(struct sgov_facts *facts);

#endif
