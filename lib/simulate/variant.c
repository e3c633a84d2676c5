/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simpler worlds to compare a policy with. */
#include "simulate/simulate.h"

#include <stdlib.h>

void gov_simulate_options_init(struct gov_simulate_options *options)
{
	*options = (struct gov_simulate_options){ .node_size = 8 };
}

static void never_take_back(struct gov_policy *policy)
{
	for (uint32_t u = 0; u < policy->unit_count; u++) {
		policy->unit[u].reclaim = GOV_PREEMPT_NEVER;
		policy->unit[u].preempt_while_borrowing = GOV_PREEMPT_NEVER;
	}
}

static void hard_quotas(struct gov_policy *policy)
{
	policy->share_unallocated = false;
	for (uint32_t u = 0; u < policy->unit_count; u++) {
		policy->unit[u].strategy = GOV_DONT_LEND;
		for (uint32_t c = 0; c < policy->cell_count; c++) {
			policy->unit[u].quota[c].borrow_limit = 0;
			policy->unit[u].quota[c].lend_limit = 0;
		}
	}
}

/* Nobody owns anything; every pool is there for whoever comes first. */
static void no_quotas(struct gov_policy *policy)
{
	policy->share_unallocated = true;
	policy->idle_sharing = GOV_FIRST_COME;
	policy->task_order = GOV_TASK_FIRST_COME;
	never_take_back(policy);
	for (uint32_t u = 0; u < policy->unit_count; u++) {
		struct gov_unit *unit = &policy->unit[u];

		unit->strategy = GOV_LEND_AND_BORROW;
		unit->preempt_within_team = GOV_PREEMPT_NEVER;
		free(unit->user_max);
		unit->user_max = NULL;
		for (uint32_t c = 0; c < policy->cell_count; c++) {
			unit->quota[c].set = true;
			unit->quota[c].nominal = 0;
			unit->quota[c].borrow_limit = GOV_UNLIMITED;
			unit->quota[c].lend_limit = GOV_UNLIMITED;
		}
	}
	for (uint32_t c = 0; c < policy->class_count; c++) {
		policy->class[c].may_borrow = true;
		policy->class[c].preempt_set = false;
	}
}

int gov_simulate_variant(struct gov_policy *policy, enum gov_variant variant,
			 struct gov_error *error)
{
	switch (variant) {
	case GOV_VARIANT_POLICY: return 0;
	case GOV_VARIANT_STATIC: hard_quotas(policy); break;
	case GOV_VARIANT_NO_QUOTA: no_quotas(policy); break;
	case GOV_VARIANT_NO_RECLAIM: never_take_back(policy); break;
	}
	return gov_policy_finish(policy, error);
}
