/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of governance.conf share. */
#ifndef GOVERNANCE_TESTS_TEST_CONF_H
#define GOVERNANCE_TESTS_TEST_CONF_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "tests/unit/unit.h"

/* A small sound policy of five lines, for tests to add to. */
#define CONF_BASE                                              \
	"PoolName=p Nodes=n[1-4] TRES=gres/gpu:h100,cpu,mem\n" \
	"PriorityClass=c Weight=5 Default=yes\n"               \
	"UnitName=u\n"                                         \
	"TeamName=t Parent=u Members=m\n"                      \
	"Quota Team=t Pool=p TRES=gres/gpu=8\n"
#define CONF_BASE_LINES 5

static inline void conf_print(const struct gov_conf_faults *faults)
{
	for (size_t i = 0; i < faults->count; i++) {
		char *line = gov_conf_fault_string(&faults->item[i]);

		printf("%s (%s)\n", line ? line : "?",
		       gov_code_name(faults->item[i].code));
		free(line);
	}
	fflush(stdout);
}

/* A policy that must be sound and without warnings. */
static inline struct gov_policy *conf_sound(const char *text,
					    const char *cluster)
{
	struct gov_conf_faults faults;
	struct gov_policy *policy = gov_conf_parse(text, strlen(text), "test",
						   cluster, &faults);

	conf_print(&faults);
	ck_assert_ptr_nonnull(policy);
	ck_assert_uint_eq(faults.count, 0);
	gov_conf_faults_free(&faults);
	return policy;
}

/* A policy that must be sound; there may be warnings. */
static inline struct gov_policy *conf_usable(const char *text,
					     const char *cluster)
{
	struct gov_conf_faults faults;
	struct gov_policy *policy = gov_conf_parse(text, strlen(text), "test",
						   cluster, &faults);

	conf_print(&faults);
	ck_assert_ptr_nonnull(policy);
	ck_assert_uint_eq(faults.errors, 0);
	gov_conf_faults_free(&faults);
	return policy;
}

static inline const struct gov_quota *conf_quota(const struct gov_policy *p,
						 const char *unit,
						 const char *pool,
						 const char *tres)
{
	uint32_t u = gov_policy_find_unit(p, unit);
	uint32_t cell = gov_policy_find_cell(p, gov_policy_find_pool(p, pool),
					     gov_policy_find_tres(p, tres));

	ck_assert_uint_ne(u, GOV_NONE);
	ck_assert_uint_ne(cell, GOV_NONE);
	return &p->unit[u].quota[cell];
}

static inline const struct gov_unit *conf_unit(const struct gov_policy *p,
					       const char *name)
{
	uint32_t u = gov_policy_find_unit(p, name);

	ck_assert_uint_ne(u, GOV_NONE);
	return &p->unit[u];
}

static inline const struct gov_class *conf_class(const struct gov_policy *p,
						 const char *name)
{
	uint32_t c = gov_policy_find_class(p, name);

	ck_assert_uint_ne(c, GOV_NONE);
	return &p->class[c];
}

#endif
