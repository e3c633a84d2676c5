/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records to a policy.  Each part is built in a file of its own. */
#ifndef GOVERNANCE_CONF_BUILD_H
#define GOVERNANCE_CONF_BUILD_H

#include "conf/record.h"
#include "conf/values.h"
#include "core/policy.h"

#pragma GCC visibility push(hidden)

struct conf_build {
	struct conf *conf;
	struct gov_policy *policy;
	/* Cells of pool p are pool_cell[p] … pool_cell[p + 1] - 1. */
	uint32_t *pool_cell;
	/* What a pool has is not known: faults about TRES would be guesses. */
	bool unsure;
	/* The record of each Quota that sets a cell, units x cells, or NULL. */
	const struct conf_record **quota_of;
};

/* A finished policy, or NULL with at least one fault. */
struct gov_policy *conf_build_policy(struct conf *conf);

/* ---- build_values.c: words of sound records as values ---- */

/* Each leaves *out alone when there is no word; true: there is one. */
bool conf_get_choice(const struct conf_word *word, int *out);
bool conf_get_yes_no(const struct conf_word *word, bool *out);
bool conf_get_number(const struct conf_word *word, int64_t *out);
bool conf_get_text(struct conf_build *build, const struct conf_word *word,
		   char **out);
void conf_get_members(struct conf_build *build, const struct conf_word *word,
		      struct gov_member_list *list);
/* The terms of a record; those of the settings with record NULL. */
void conf_get_terms(struct conf_build *build, const struct conf_record *record,
		    struct gov_terms *terms);

/* Does a TRES as asked ("gres/gpu") mean one that is counted
 * ("gres/gpu:h100")?  2: exactly, 1: by its type, 0: no. */
int conf_tres_means(const char *asked, const char *counted);

/*
 * Turn "gres/gpu=8,cpu=100" into an amount for each cell of all pools; cells
 * that are not named are GOV_UNLIMITED.  *out is malloc()ed when the word
 * names any.  Names of TRES that no pool has are faults.
 */
void conf_get_cell_amounts(struct conf_build *build,
			   const struct conf_word *word, gov_amount_t **out);

/* "; did you mean X?" among the TRES of a pool, or of all (GOV_NONE). */
void conf_unknown_tres(struct conf_build *build, const struct conf_word *word,
		       size_t offset, const char *name, uint32_t pool);

/* ---- the parts ---- */

void conf_build_settings(struct conf_build *build);
void conf_build_pools(struct conf_build *build);
void conf_build_classes(struct conf_build *build);
void conf_build_units(struct conf_build *build);
void conf_build_quotas(struct conf_build *build);
void conf_build_limits(struct conf_build *build);
void conf_build_projects(struct conf_build *build);
/* What is allowed but hardly meant. */
void conf_build_warnings(struct conf_build *build);

#pragma GCC visibility pop
#endif
