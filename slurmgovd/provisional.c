/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Submissions that were charged before their job had an id.
 *
 * The nonce in the stamp tells which job it became.  A submission that was
 * --test-only, or that slurmctld refused later on, never shows: its charge
 * expires with the first job list that was asked for late enough.
 */
#include <stdlib.h>

#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"

int gov_provisional_add(struct gov_governor *g, uint64_t nonce,
			struct gov_now now)
{
	struct gov_provisional *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return -1;
	entry->nonce = nonce;
	entry->judged = now.mono;
	if (gov_idmap_put(&g->provisional, nonce, entry)) {
		free(entry);
		return -1;
	}
	if (g->newest)
		g->newest->next = entry;
	else
		g->oldest = entry;
	g->newest = entry;
	return 0;
}

bool gov_provisional_bind(struct gov_governor *g, uint64_t nonce, uint64_t id)
{
	struct gov_provisional *entry;
	const struct gov_job *known;
	struct gov_job job;

	if (!nonce || !gov_idmap_get(&g->provisional, nonce))
		return false;
	/* It stays in the list of ages until its turn comes; see expire(). */
	entry = gov_idmap_remove(&g->provisional, nonce);
	entry->nonce = 0;
	if (gov_engine_rename(g->engine, nonce | GOV_PROVISIONAL_BIT, id)) {
		gov_engine_remove(g->engine, nonce | GOV_PROVISIONAL_BIT);
		return false;
	}
	known = gov_engine_job(g->engine, id);
	job = *known;
	job.provisional = false;
	return !gov_engine_put(g->engine, &job, NULL);
}

static void pop(struct gov_governor *g)
{
	struct gov_provisional *entry = g->oldest;

	g->oldest = entry->next;
	if (!g->oldest)
		g->newest = NULL;
	free(entry);
}

void gov_provisional_expire(struct gov_governor *g, int64_t began)
{
	while (g->oldest) {
		uint64_t nonce = g->oldest->nonce;

		if (nonce && g->oldest->judged + GOV_PROVISIONAL_LIFE > began)
			return;
		if (nonce) {
			gov_log(GOV_LOG_SUBMIT, GOV_LOG_VERBOSE,
				"submission %016llx did not become a job; its "
				"charge is given back",
				(unsigned long long) nonce);
			gov_idmap_remove(&g->provisional, nonce);
			gov_engine_remove(g->engine,
					  nonce | GOV_PROVISIONAL_BIT);
		}
		pop(g);
	}
}

void gov_provisional_free(struct gov_governor *g)
{
	while (g->oldest)
		pop(g);
	gov_idmap_free(&g->provisional);
}
