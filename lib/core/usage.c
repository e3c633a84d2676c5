/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/usage.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/hash.h"
#include "core/history.h"

#define AHEAD 24       /* a score looks ahead this part of the half-life */
#define REFRESH 100    /* and is made again after this one, */
#define REFRESH_MAX 60 /* but after so many seconds at the latest */
#define NOTHING 1e-9   /* of the cluster: as good as never used */

bool gov_usage_is_kept(const struct gov_policy *policy)
{
	return policy->usage_half_life > 0;
}

/* All quotas of a TRES as one; 0: there are none, or no end of them. */
static double weight_of(const struct gov_policy *policy, uint32_t tres)
{
	gov_amount_t sum = 0;

	for (uint32_t c = 0; c < policy->cell_count; c++) {
		if (policy->cell[c].tres != tres)
			continue;
		for (uint32_t u = 0; u < policy->unit_count; u++)
			sum = gov_amount_add(sum,
					     policy->unit[u].quota[c].nominal);
		if (policy->root_quota)
			sum = gov_amount_add(sum, policy->root_quota[c]);
	}
	return sum && sum != GOV_UNLIMITED ? 1 / (double) sum : 0;
}

int gov_usage_init(struct gov_usage *usage, const struct gov_policy *policy)
{
	memset(usage, 0, sizeof(*usage));
	usage->policy = policy;
	usage->now = usage->rescored = GOV_SECONDS_UNSET;
	if (!gov_usage_is_kept(policy))
		return 0;
	usage->slot_count = 64;
	usage->slot = calloc(usage->slot_count, sizeof(*usage->slot));
	usage->weight = gov_array_new(policy->tres_count,
				      sizeof(*usage->weight));
	if (!usage->slot || !usage->weight) {
		gov_usage_free(usage);
		return -1;
	}
	for (uint32_t t = 0; t < policy->tres_count; t++)
		usage->weight[t] = weight_of(policy, t);
	return 0;
}

void gov_usage_free(struct gov_usage *usage)
{
	struct gov_account *account;

	for (size_t i = 0; usage->slot && i < usage->slot_count; i++)
		while ((account = usage->slot[i])) {
			usage->slot[i] = account->next;
			free(account);
		}
	free(usage->slot);
	free(usage->weight);
	memset(usage, 0, sizeof(*usage));
}

/* ---- the table ---- */

static struct gov_account **slot_of(const struct gov_usage *usage,
				    uint32_t team, uint32_t user)
{
	uint64_t hash = gov_hash((uint64_t) team << 32 | user);

	return &usage->slot[hash & (usage->slot_count - 1)];
}

static int grow(struct gov_usage *usage)
{
	struct gov_account **old = usage->slot, *account;
	size_t old_count = usage->slot_count;

	if (usage->count < old_count)
		return 0;
	usage->slot = calloc(2 * old_count, sizeof(*usage->slot));
	if (!usage->slot) {
		usage->slot = old;
		return -1;
	}
	usage->slot_count = 2 * old_count;
	for (size_t i = 0; i < old_count; i++)
		while ((account = old[i])) {
			struct gov_account **to = slot_of(usage, account->team,
							  account->user);

			old[i] = account->next;
			account->next = *to;
			*to = account;
		}
	free(old);
	return 0;
}

struct gov_account *gov_usage_find(const struct gov_usage *usage, uint32_t team,
				   uint32_t user)
{
	struct gov_account *account;

	if (!usage->slot)
		return NULL;
	account = *slot_of(usage, team, user);
	while (account && (account->team != team || account->user != user))
		account = account->next;
	return account;
}

struct gov_account *gov_usage_account(struct gov_usage *usage, uint32_t team,
				      uint32_t user)
{
	struct gov_account *account = gov_usage_find(usage, team, user), **slot;

	if (account || !usage->slot || grow(usage))
		return account;
	account = calloc(1,
			 sizeof(*account) + usage->policy->tres_count *
						    sizeof(account->tres[0]));
	if (!account)
		return NULL;
	account->team = team;
	account->user = user;
	account->at = usage->now;
	slot = slot_of(usage, team, user);
	account->next = *slot;
	*slot = account;
	usage->count++;
	return account;
}

static bool says_something(const struct gov_usage *usage,
			   const struct gov_account *account)
{
	if (account->kinds || account->score > NOTHING)
		return true;
	for (uint32_t t = 0; t < usage->policy->tres_count; t++)
		if (account->tres[t].held ||
		    usage->weight[t] * account->tres[t].mean > NOTHING)
			return true;
	return false;
}

void gov_usage_forget(struct gov_usage *usage)
{
	for (size_t i = 0; usage->slot && i < usage->slot_count; i++) {
		struct gov_account **at = &usage->slot[i], *account;

		while ((account = *at)) {
			if (says_something(usage, account)) {
				at = &account->next;
				continue;
			}
			*at = account->next;
			free(account);
			usage->count--;
		}
	}
}

/* ---- time ---- */

static gov_time_t refresh_after(const struct gov_policy *policy)
{
	gov_time_t after = policy->usage_half_life / REFRESH;

	return after < 1 ? 1 : after > REFRESH_MAX ? REFRESH_MAX : after;
}

/* What is held was not held before the first time that was told. */
static void begin_at(struct gov_usage *usage, gov_time_t now)
{
	struct gov_account *account;

	for (size_t i = 0; i < usage->slot_count; i++)
		for (account = usage->slot[i]; account; account = account->next)
			if (account->at == GOV_SECONDS_UNSET)
				account->at = now;
}

bool gov_usage_tell_time(struct gov_usage *usage, gov_time_t now)
{
	if (!usage->slot ||
	    (usage->now != GOV_SECONDS_UNSET && now <= usage->now))
		return false;
	if (usage->now == GOV_SECONDS_UNSET)
		begin_at(usage, now);
	usage->now = now;
	if (usage->rescored != GOV_SECONDS_UNSET &&
	    now - usage->rescored < refresh_after(usage->policy))
		return false;
	usage->rescored = now;
	return true;
}

static double since(const struct gov_usage *usage,
		    const struct gov_account *account)
{
	if (account->at == GOV_SECONDS_UNSET || usage->now == GOV_SECONDS_UNSET)
		return 0;
	return (double) usage->now - (double) account->at;
}

static double mean_in(const struct gov_usage *usage,
		      const struct gov_account *account, uint32_t tres,
		      double ahead)
{
	return gov_history_sample(account->tres[tres].mean,
				  (double) account->tres[tres].held,
				  since(usage, account) + ahead,
				  (double) usage->policy->usage_half_life);
}

double gov_usage_mean(const struct gov_usage *usage,
		      const struct gov_account *account, uint32_t tres)
{
	return mean_in(usage, account, tres, 0);
}

void gov_usage_hold(const struct gov_usage *usage, struct gov_account *account,
		    uint32_t tres, gov_amount_t held)
{
	if (account->tres[tres].held == held)
		return;
	for (uint32_t t = 0; t < usage->policy->tres_count; t++)
		account->tres[t].mean = mean_in(usage, account, t, 0);
	if (usage->now != GOV_SECONDS_UNSET)
		account->at = usage->now;
	account->tres[tres].held = held;
}

void gov_usage_set_mean(const struct gov_usage *usage,
			struct gov_account *account, uint32_t tres, double mean,
			gov_time_t at)
{
	if (account->at == GOV_SECONDS_UNSET)
		account->at = at;
	account->tres[tres].mean =
		gov_history_sample(mean, 0, (double) account->at - (double) at,
				   (double) usage->policy->usage_half_life);
}

double gov_usage_score(const struct gov_usage *usage,
		       const struct gov_account *account)
{
	double ahead = (double) usage->policy->usage_half_life / AHEAD;
	double score = 0;

	for (uint32_t t = 0; t < usage->policy->tres_count; t++)
		score += usage->weight[t] * mean_in(usage, account, t, ahead);
	return score;
}
