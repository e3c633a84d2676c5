/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Usage history in the engine: who held how much lately orders the queues. */
#include <inttypes.h>
#include <math.h>

#include "core/engine_private.h"
#include "core/usage.h"

/* ---- what is held ---- */

static void hold_by_user(struct gov_engine *engine, const struct gov_kind *kind,
			 bool charged)
{
	const struct gov_policy *policy = engine->policy;
	struct gov_usage *usage = &engine->books.usage;
	struct gov_account *account = kind->account;

	for (uint32_t i = 0; i < kind->count; i++) {
		uint32_t tres = policy->cell[kind->item[i].cell].tres;
		gov_amount_t held = account->tres[tres].held;
		gov_amount_t amount = kind->item[i].amount;

		gov_usage_hold(usage, account, tres,
			       charged ? held + amount : held - amount);
	}
	/* That its usage has changed wakes the team in any case. */
	gov_store_rescore(&engine->books.store, account,
			  gov_usage_score(usage, account));
}

static gov_amount_t borrowed(const struct gov_engine *engine, uint32_t team,
			     uint32_t tres)
{
	const struct gov_policy *policy = engine->policy;
	gov_amount_t sum = 0;

	for (uint32_t c = 0; c < policy->cell_count; c++)
		if (policy->cell[c].tres == tres)
			sum = gov_amount_add(
				sum,
				gov_tree_borrowed(engine->books.tree, team, c));
	return sum;
}

static void hold_by_team(struct gov_engine *engine, const struct gov_kind *kind)
{
	struct gov_usage *usage = &engine->books.usage;
	struct gov_account *account = gov_usage_account(usage, kind->team,
							GOV_NONE);

	/* Without memory it counts as having borrowed nothing. */
	if (!account)
		return;
	for (uint32_t i = 0; i < kind->count; i++) {
		uint32_t tres = engine->policy->cell[kind->item[i].cell].tres;

		gov_usage_hold(usage, account, tres,
			       borrowed(engine, kind->team, tres));
	}
	account->score = gov_usage_score(usage, account);
}

void gov_lately_used(struct gov_engine *engine, const struct gov_kind *kind,
		     bool charged)
{
	if (!kind->account)
		return;
	hold_by_user(engine, kind, charged);
	hold_by_team(engine, kind);
}

void gov_engine_tell_time(struct gov_engine *engine, gov_time_t now)
{
	struct gov_usage *usage = &engine->books.usage;
	struct gov_account *account;

	if (!gov_usage_tell_time(usage, now))
		return;
	for (size_t i = 0; i < usage->slot_count; i++)
		for (account = usage->slot[i]; account; account = account->next)
			if (gov_store_rescore(&engine->books.store, account,
					      gov_usage_score(usage, account)))
				gov_hunger_wake(engine, account->team);
	gov_usage_forget(usage);
}

/* ---- from outside ---- */

void gov_engine_each_usage(const struct gov_engine *engine,
			   void (*visit)(const struct gov_usage_mean *mean,
					 void *arg),
			   void *arg)
{
	const struct gov_usage *usage = &engine->books.usage;
	const struct gov_account *account;

	for (size_t i = 0; i < usage->slot_count; i++)
		for (account = usage->slot[i]; account; account = account->next)
			for (uint32_t t = 0; t < engine->policy->tres_count;
			     t++) {
				struct gov_usage_mean mean = {
					.team = account->team,
					.user = account->user,
					.tres = t,
					.mean = gov_usage_mean(usage, account,
							       t),
					.at = usage->now == GOV_SECONDS_UNSET ?
						      account->at :
						      usage->now,
				};

				if (mean.mean > 0)
					visit(&mean, arg);
			}
}

int gov_engine_put_usage(struct gov_engine *engine,
			 const struct gov_usage_mean *mean,
			 struct gov_error *error)
{
	const struct gov_policy *policy = engine->policy;
	struct gov_usage *usage = &engine->books.usage;
	struct gov_account *account;

	if (!gov_usage_is_kept(policy))
		return 0;
	if (mean->team >= policy->unit_count ||
	    !policy->unit[mean->team].is_team ||
	    mean->tres >= policy->tres_count || !isfinite(mean->mean) ||
	    mean->mean < 0 || mean->at == GOV_SECONDS_UNSET)
		return gov_error_set(error, GOV_E_VALUE,
				     "usage of user %" PRIu32 " is not valid",
				     mean->user);
	account = gov_usage_account(usage, mean->team, mean->user);
	if (!account)
		return gov_error_set(error, GOV_E_NOMEM, "out of memory");
	gov_usage_set_mean(usage, account, mean->tres, mean->mean, mean->at);
	if (gov_store_rescore(&engine->books.store, account,
			      gov_usage_score(usage, account)))
		gov_hunger_wake(engine, mean->team);
	return 0;
}

double gov_engine_usage_score(const struct gov_engine *engine, uint32_t team,
			      uint32_t user)
{
	const struct gov_usage *usage = &engine->books.usage;
	const struct gov_account *account = gov_usage_find(usage, team, user);

	if (!gov_usage_is_kept(engine->policy))
		return -1;
	return account ? account->score : 0;
}

/* ---- another policy ---- */

struct moving {
	const struct gov_policy *from;
	struct gov_engine *to;
	struct gov_error *error;
	int rc;
};

static void move(const struct gov_usage_mean *old, void *arg)
{
	struct moving *m = arg;
	const struct gov_policy *policy = m->to->policy;
	struct gov_usage_mean new = *old;

	new.team = gov_policy_find_unit(policy, m->from->unit[old->team].name);
	new.tres = gov_policy_find_tres(policy, m->from->tres[old->tres].name);
	if (m->rc || new.team == GOV_NONE || !policy->unit[new.team].is_team ||
	    new.tres == GOV_NONE)
		return;
	m->rc = gov_engine_put_usage(m->to, &new, m->error);
}

int gov_lately_move(const struct gov_engine *from, struct gov_engine *to,
		    struct gov_error *error)
{
	struct moving m = { .from = from->policy, .to = to, .error = error };

	if (from->books.usage.now != GOV_SECONDS_UNSET)
		gov_usage_tell_time(&to->books.usage, from->books.usage.now);
	gov_engine_each_usage(from, move, &m);
	return m.rc;
}
