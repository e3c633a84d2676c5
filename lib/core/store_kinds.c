/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobs that are alike share. */
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/store.h"
#include "core/store_private.h"

static void free_kind(struct gov_store *store, struct gov_kind *kind)
{
	if (store->places)
		gov_places_shape_unref(store->places, kind->shape);
	free(kind);
}

void gov_store_free_kinds(struct gov_store *store)
{
	struct gov_kind *kind;

	for (size_t i = 0; store->kind_slot && i < store->kind_slot_count; i++)
		while ((kind = store->kind_slot[i])) {
			store->kind_slot[i] = kind->next;
			free_kind(store, kind);
		}
	free(store->kind_slot);
	store->kind_slot = NULL;
}

static uint32_t hash_of(const struct gov_kind_key *key)
{
	uint64_t hash = gov_hash(key->team);

	hash = gov_hash_add(hash, key->project);
	hash = gov_hash_add(hash, key->class);
	hash = gov_hash_add(hash, key->user);
	hash = gov_hash_add(hash, (uint64_t) key->no_borrow << 2 |
					  (uint64_t) key->provisional << 1 |
					  key->displaced);
	hash = gov_hash_add(hash, key->shape);
	for (uint32_t i = 0; i < key->count; i++) {
		hash = gov_hash_add(hash, key->item[i].cell);
		hash = gov_hash_add(hash, key->item[i].amount);
	}
	return (uint32_t) hash;
}

static bool same(const struct gov_kind *kind, const struct gov_kind_key *key)
{
	if (kind->team != key->team || kind->project != key->project ||
	    kind->class != key->class || kind->user != key->user ||
	    kind->no_borrow != key->no_borrow ||
	    kind->provisional != key->provisional ||
	    kind->displaced != key->displaced || kind->shape != key->shape ||
	    kind->count != key->count)
		return false;
	for (uint32_t i = 0; i < key->count; i++)
		if (kind->item[i].cell != key->item[i].cell ||
		    kind->item[i].amount != key->item[i].amount)
			return false;
	return true;
}

static int grow(struct gov_store *store)
{
	size_t count = 2 * store->kind_slot_count;
	struct gov_kind **slot, *kind;

	if (store->kind_count < store->kind_slot_count)
		return 0;
	slot = calloc(count, sizeof(*slot));
	if (!slot)
		return -1;
	for (size_t i = 0; i < store->kind_slot_count; i++)
		while ((kind = store->kind_slot[i])) {
			struct gov_kind **to = &slot[kind->hash & (count - 1)];

			store->kind_slot[i] = kind->next;
			kind->next = *to;
			*to = kind;
		}
	free(store->kind_slot);
	store->kind_slot = slot;
	store->kind_slot_count = count;
	return 0;
}

static struct gov_kind *make(const struct gov_kind_key *key, uint32_t hash)
{
	struct gov_kind *kind =
		calloc(1, sizeof(*kind) + key->count * sizeof(kind->item[0]));

	if (!kind)
		return NULL;
	kind->hash = hash;
	kind->team = key->team;
	kind->project = key->project;
	kind->class = key->class;
	kind->user = key->user;
	kind->no_borrow = key->no_borrow;
	kind->provisional = key->provisional;
	kind->displaced = key->displaced;
	kind->shape = key->shape;
	kind->count = (uint8_t) key->count;
	memcpy(kind->item, key->item, key->count * sizeof(kind->item[0]));
	return kind;
}

struct gov_kind *gov_store_kind(struct gov_store *store,
				const struct gov_kind_key *key)
{
	uint32_t hash = hash_of(key);
	struct gov_kind *kind, **slot;

	slot = &store->kind_slot[hash & (store->kind_slot_count - 1)];
	for (kind = *slot; kind; kind = kind->next)
		if (kind->hash == hash && same(kind, key)) {
			kind->references++;
			return kind;
		}
	if (grow(store) || !(kind = make(key, hash)))
		return NULL;
	slot = &store->kind_slot[hash & (store->kind_slot_count - 1)];
	kind->next = *slot;
	*slot = kind;
	kind->references = 1;
	if (store->places)
		gov_places_shape_ref(store->places, kind->shape);
	store->kind_count++;
	return kind;
}

void gov_store_kind_unref(struct gov_store *store, struct gov_kind *kind)
{
	struct gov_kind **at;

	if (--kind->references)
		return;
	at = &store->kind_slot[kind->hash & (store->kind_slot_count - 1)];
	while (*at != kind)
		at = &(*at)->next;
	*at = kind->next;
	gov_store_set_account(kind, NULL);
	store->kind_count--;
	free_kind(store, kind);
}

void gov_store_set_account(struct gov_kind *kind, struct gov_account *account)
{
	if (kind->account == account)
		return;
	if (kind->account) {
		*kind->akin_link = kind->akin;
		if (kind->akin)
			kind->akin->akin_link = kind->akin_link;
	}
	kind->account = account;
	if (!account)
		return;
	kind->akin = account->kinds;
	kind->akin_link = &account->kinds;
	if (kind->akin)
		kind->akin->akin_link = &kind->akin;
	account->kinds = kind;
}

bool gov_kind_uses(const struct gov_kind *kind, uint32_t cell)
{
	for (uint32_t i = 0; i < kind->count; i++)
		if (kind->item[i].cell == cell)
			return true;
	return false;
}
