/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts of units and teams, and of what they are guaranteed. */
#include <ctype.h>
#include <stdlib.h>

#include "sgov/facts.h"

static const char *const preempt[] = { "Never", "LowerPriority", "LowerOrNewer",
				       "Any" };

/* Classes that it may use, by name; all of them: "all", whatever they are. */
static void classes(struct sgov_facts *facts, const struct gov_unit *unit)
{
	const struct gov_policy *policy = facts->policy;
	char *list = NULL;
	bool all = true;

	for (uint32_t c = 0; c < policy->class_count; c++) {
		if (unit->classes && !unit->classes[c])
			all = false;
		else
			list = sgov_list_add(list, "", policy->class[c].name);
	}
	if (all) {
		free(list);
		list = sgov_copy("all");
	}
	for (char *c = list; c && *c; c++)
		*c = (char) tolower((unsigned char) *c);
	sgov_fact_list(facts, SGOV_TEAM, unit->name, "Classes", list);
}

/* Pools in order of preference, as far as the team has a part in them. */
static void pools(struct sgov_facts *facts, const struct gov_unit *unit)
{
	const struct gov_policy *policy = facts->policy;
	uint32_t count = unit->pools ? unit->pool_count : policy->pool_count;
	char *list = NULL;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t pool = unit->pools ? unit->pools[i] : i;
		bool part = false;

		for (uint32_t c = 0; c < policy->cell_count; c++)
			part = part || (policy->cell[c].pool == pool &&
					unit->quota[c].set);
		if (part)
			list = sgov_list_add(list, "", policy->pool[pool].name);
	}
	sgov_fact_name(facts, SGOV_TEAM, unit->name, "Pools", list);
	free(list);
}

static void weight(struct sgov_facts *facts, enum sgov_record record,
		   const struct gov_unit *unit)
{
	sgov_fact_add(facts, record, unit->name, "Weight",
		      sgov_printf("%.9g", (double) unit->weight.numerator /
						  unit->weight.denominator));
}

static void team(struct sgov_facts *facts, uint32_t index)
{
	static const char *const queueing[] = { "BestEffort", "Strict" };
	const struct gov_unit *u = &facts->policy->unit[index];

#define TEXT(key, value) sgov_fact_text(facts, SGOV_TEAM, u->name, key, value)
	sgov_fact_name(facts, SGOV_TEAM, u->name, "Account", u->account);
	TEXT("Queueing", queueing[u->queueing]);
	TEXT("PreemptWithinTeam", preempt[u->preempt_within_team]);
	TEXT("Reclaim", preempt[u->reclaim]);
	TEXT("PreemptWhileBorrowing", preempt[u->preempt_while_borrowing]);
	TEXT("PreferOwn", u->prefer_own ? "yes" : "no");
	TEXT("Isolation", u->isolation ? u->isolation : "none");
#undef TEXT
	sgov_fact_add(facts, SGOV_TEAM, u->name, "PreemptWhileBorrowingMax",
		      u->preempt_while_borrowing_max == GOV_NONE ?
			      sgov_copy("UNLIMITED") :
			      sgov_printf("%u",
					  u->preempt_while_borrowing_max));
	sgov_fact_add(facts, SGOV_TEAM, u->name, "MaxEvictions",
		      u->max_evictions == GOV_NONE ?
			      sgov_copy("UNLIMITED") :
			      sgov_printf("%u", u->max_evictions));
	sgov_fact_members(facts, SGOV_TEAM, u->name, "Members", &u->members);
	sgov_fact_cells(facts, SGOV_TEAM, u->name, "MaxUserTRES", u->user_max);
	sgov_fact_terms(facts, SGOV_TEAM, u->name, index, &u->terms);
	classes(facts, u);
	pools(facts, u);
}

/* Limits as they apply, once strategy and percentages are settled. */
static void quotas(struct sgov_facts *facts, const struct gov_unit *unit)
{
	const struct gov_policy *policy = facts->policy;

	for (uint32_t c = 0; c < policy->cell_count; c++) {
		const struct gov_quota *q = &unit->quota[c];
		const char *tres = policy->tres[policy->cell[c].tres].name;
		const char *pool = policy->pool[policy->cell[c].pool].name;
		const struct {
			const char *key;
			gov_amount_t amount;
		} limits[] = { { "BorrowLimit", q->borrow },
			       { "LendLimit", q->lend } };
		char *name = sgov_printf("%s %s", unit->name, pool);

		/* Units are set where those below them have a quota. */
		if (q->set && (unit->is_team || q->nominal))
			sgov_fact_add(facts, SGOV_QUOTA, name, tres,
				      sgov_exact_amount(tres, q->nominal));
		for (int i = 0; i < 2; i++) {
			char *key = sgov_printf("%s %s", tres, limits[i].key);

			if (unit->is_team ? q->set :
					    limits[i].amount != GOV_UNLIMITED)
				sgov_fact_add(facts, SGOV_QUOTA, name, key,
					      sgov_exact_amount(
						      tres, limits[i].amount));
			free(key);
		}
		free(name);
	}
}

void sgov_facts_of_units(struct sgov_facts *facts)
{
	const struct gov_policy *policy = facts->policy;

	for (uint32_t i = 0; i < policy->unit_count; i++) {
		const struct gov_unit *u = &policy->unit[i];
		enum sgov_record record = u->is_team ? SGOV_TEAM : SGOV_UNIT;

		sgov_fact_text(facts, record, u->name, "", "");
		sgov_fact_name(facts, record, u->name, "Parent",
			       u->parent == GOV_NONE ?
				       "" :
				       policy->unit[u->parent].name);
		weight(facts, record, u);
		sgov_fact_members(facts, record, u->name, "Owners", &u->owners);
		if (u->is_team)
			team(facts, i);
		quotas(facts, u);
	}
}
