/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has to leave, or to wait, for whom. */
#include <stdlib.h>

#include "core/hash.h"
#include "core/store.h"
#include "core/store_private.h"

void gov_store_free_askers(struct gov_store *store)
{
	struct gov_asker *asker;

	for (size_t i = 0; store->asker_slot && i < store->asker_slot_count;
	     i++)
		while ((asker = store->asker_slot[i])) {
			store->asker_slot[i] = asker->next;
			free(asker);
		}
	free(store->asker_slot);
	store->asker_slot = NULL;
}

static struct gov_asker **slot_of(const struct gov_store *store, uint64_t id)
{
	return &store->asker_slot[gov_hash(id) & (store->asker_slot_count - 1)];
}

struct gov_asker *gov_store_asker(const struct gov_store *store, uint64_t id)
{
	struct gov_asker *asker = *slot_of(store, id);

	while (asker && asker->id != id)
		asker = asker->next;
	return asker;
}

uint64_t gov_record_asker(const struct gov_record *job)
{
	return job->asker ? job->asker->id : 0;
}

static int grow(struct gov_store *store)
{
	size_t old_count = store->asker_slot_count;
	struct gov_asker **old = store->asker_slot, *asker;

	if (store->asker_count < old_count)
		return 0;
	store->asker_slot = calloc(2 * old_count, sizeof(*old));
	if (!store->asker_slot) {
		store->asker_slot = old;
		return -1;
	}
	store->asker_slot_count = 2 * old_count;
	for (size_t i = 0; i < old_count; i++)
		while ((asker = old[i])) {
			struct gov_asker **to = slot_of(store, asker->id);

			old[i] = asker->next;
			asker->next = *to;
			*to = asker;
		}
	free(old);
	return 0;
}

static struct gov_asker *make(struct gov_store *store, uint64_t id)
{
	struct gov_asker *asker, **slot;

	if (grow(store) || !(asker = calloc(1, sizeof(*asker))))
		return NULL;
	slot = slot_of(store, id);
	asker->id = id;
	asker->next = *slot;
	*slot = asker;
	store->asker_count++;
	return asker;
}

/* The job names nobody any more; the last one takes the entry with it. */
static void detach(struct gov_store *store, struct gov_record *job)
{
	struct gov_asker *asker = job->asker, **at;

	*job->link = job->next;
	if (job->next)
		job->next->link = job->link;
	job->asker = NULL;
	job->next = NULL;
	job->link = NULL;
	if (asker->first)
		return;
	at = slot_of(store, asker->id);
	while (*at != asker)
		at = &(*at)->next;
	*at = asker->next;
	store->asker_count--;
	free(asker);
}

int gov_store_set_asker(struct gov_store *store, struct gov_record *job,
			uint64_t id)
{
	struct gov_asker *asker;

	if (gov_record_asker(job) == id)
		return 0;
	if (job->asker)
		detach(store, job);
	if (!id)
		return 0;
	asker = gov_store_asker(store, id);
	if (!asker && !(asker = make(store, id)))
		return -1;
	job->asker = asker;
	job->next = asker->first;
	job->link = &asker->first;
	if (job->next)
		job->next->link = &job->next;
	asker->first = job;
	return 0;
}
