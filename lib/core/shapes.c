/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shapes by number.  Users write what shapes are made of, so there may be any
 * number of different ones: those that no job refers to any more are dropped
 * before the table grows.
 */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/hash.h"
#include "core/places_private.h"

void gov_places_free_shapes(struct gov_places *places)
{
	for (uint32_t i = 0; i < places->shape_count; i++)
		gov_node_set_unref(places->shape[i].shape.allowed);
	free(places->shape);
	free(places->shape_slot);
	places->shape = NULL;
	places->shape_slot = NULL;
	places->shape_count = places->shape_slot_count = 0;
}

static uint64_t hash_of(const struct gov_shape *s)
{
	uint64_t hash = gov_hash(s->parts);

	hash = gov_hash_add(hash, s->per_node);
	hash = gov_hash_add(hash, s->nodes_min);
	hash = gov_hash_add(hash, (uint64_t) s->leaves << 1 | s->whole);
	for (uint32_t t = 0; t < GOV_PLACE_TRES; t++)
		hash = gov_hash_add(gov_hash_add(hash, s->part[t]), s->node[t]);
	return gov_hash_add(hash, gov_node_set_hash(s->allowed));
}

static bool same(const struct gov_shape *a, const struct gov_shape *b)
{
	return a->parts == b->parts && a->per_node == b->per_node &&
	       a->nodes_min == b->nodes_min && a->leaves == b->leaves &&
	       a->whole == b->whole &&
	       !memcmp(a->part, b->part, sizeof(a->part)) &&
	       !memcmp(a->node, b->node, sizeof(a->node)) &&
	       gov_node_set_same(a->allowed, b->allowed);
}

/* Slot that holds this shape, or the empty one where it would go. */
static uint32_t *locate(const struct gov_places *places,
			const struct gov_shape *shape, uint64_t hash)
{
	uint32_t mask = places->shape_slot_count - 1;
	uint32_t i = (uint32_t) hash & mask;

	for (; places->shape_slot[i]; i = (i + 1) & mask) {
		const struct gov_shape_entry *entry =
			&places->shape[places->shape_slot[i] - 1];

		if (entry->hash == hash && same(&entry->shape, shape))
			break;
	}
	return &places->shape_slot[i];
}

static void enter(struct gov_places *places, uint32_t number)
{
	const struct gov_shape_entry *entry = &places->shape[number - 1];

	*locate(places, &entry->shape, entry->hash) = number;
}

/* A slot table of this size with all shapes that somebody refers to; the
 * others are dropped. */
static int rebuild(struct gov_places *places, uint32_t slot_count)
{
	uint32_t *slot = calloc(slot_count, sizeof(*slot));

	if (!slot)
		return -1;
	free(places->shape_slot);
	places->shape_slot = slot;
	places->shape_slot_count = slot_count;
	for (uint32_t i = 0; i < places->shape_count; i++) {
		struct gov_shape_entry *entry = &places->shape[i];

		if (!entry->shape.parts)
			continue;
		if (entry->references) {
			enter(places, i + 1);
			continue;
		}
		gov_node_set_unref(entry->shape.allowed);
		memset(entry, 0, sizeof(*entry));
		places->shape_used--;
	}
	return 0;
}

/* An unused number; 0: out of memory. */
static uint32_t unused(struct gov_places *places)
{
	struct gov_shape_entry *grown;

	while (places->shape_used < places->shape_count) {
		uint32_t i = places->shape_next++ % places->shape_count;

		if (!places->shape[i].shape.parts)
			return i + 1;
	}
	grown = gov_array_room(places->shape, places->shape_count,
			       sizeof(*grown));
	if (!grown)
		return 0;
	places->shape = grown;
	memset(&grown[places->shape_count], 0, sizeof(*grown));
	return ++places->shape_count;
}

static uint32_t referred_to(const struct gov_places *places)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < places->shape_count; i++)
		count += places->shape[i].references > 0;
	return count;
}

/* Space for one more, at most half full. */
static int make_room(struct gov_places *places)
{
	uint32_t size = 16;

	if (2 * (places->shape_used + 1) <= places->shape_slot_count)
		return 0;
	if (places->shape_count > UINT32_MAX / 16)
		return -1;
	while (size < 4 * (referred_to(places) + 1))
		size *= 2;
	return rebuild(places, size);
}

uint32_t gov_places_shape(struct gov_places *places,
			  const struct gov_shape *shape)
{
	uint64_t hash = hash_of(shape);
	uint32_t number, *slot;

	if (!shape->parts || shape->nodes_min > shape->parts ||
	    make_room(places))
		return 0;
	slot = locate(places, shape, hash);
	if (*slot)
		return *slot;
	number = unused(places);
	if (!number)
		return 0;
	places->shape[number - 1] = (struct gov_shape_entry){
		.shape = *shape,
		.hash = hash,
	};
	gov_node_set_ref(shape->allowed);
	places->shape_used++;
	*slot = number;
	return number;
}

const struct gov_shape *gov_places_shape_at(const struct gov_places *places,
					    uint32_t shape)
{
	if (!shape || shape > places->shape_count ||
	    !places->shape[shape - 1].shape.parts)
		return NULL;
	return &places->shape[shape - 1].shape;
}

void gov_places_shape_ref(struct gov_places *places, uint32_t shape)
{
	if (gov_places_shape_at(places, shape))
		places->shape[shape - 1].references++;
}

void gov_places_shape_unref(struct gov_places *places, uint32_t shape)
{
	if (gov_places_shape_at(places, shape))
		places->shape[shape - 1].references--;
}
