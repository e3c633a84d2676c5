/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/idmap.h"

#include <stdlib.h>

void gov_idmap_free(struct gov_idmap *map)
{
	free(map->slot);
	*map = (struct gov_idmap){ 0 };
}

static size_t home(const struct gov_idmap *map, uint64_t id)
{
	id ^= id >> 32;
	id *= 0x9e3779b97f4a7c15ULL;
	return (size_t) (id >> 20) & (map->size - 1);
}

/* The slot of id, or the free slot where it would go. */
static struct gov_idmap_slot *probe(const struct gov_idmap *map, uint64_t id)
{
	size_t i = home(map, id);

	while (map->slot[i].id && map->slot[i].id != id)
		i = (i + 1) & (map->size - 1);
	return &map->slot[i];
}

void *gov_idmap_get(const struct gov_idmap *map, uint64_t id)
{
	return map->size ? probe(map, id)->value : NULL;
}

static int grow(struct gov_idmap *map)
{
	struct gov_idmap bigger = { .size = map->size ? map->size * 2 : 64,
				    .count = map->count };

	bigger.slot = calloc(bigger.size, sizeof(*bigger.slot));
	if (!bigger.slot)
		return -1;
	for (size_t i = 0; i < map->size; i++)
		if (map->slot[i].id)
			*probe(&bigger, map->slot[i].id) = map->slot[i];
	free(map->slot);
	*map = bigger;
	return 0;
}

int gov_idmap_put(struct gov_idmap *map, uint64_t id, void *value)
{
	struct gov_idmap_slot *slot;

	if (map->count * 4 >= map->size * 3 && grow(map))
		return -1;
	slot = probe(map, id);
	if (!slot->id)
		map->count++;
	slot->id = id;
	slot->value = value;
	return 0;
}

void *gov_idmap_remove(struct gov_idmap *map, uint64_t id)
{
	struct gov_idmap_slot *slot;
	size_t hole, i;
	void *value;

	if (!map->size)
		return NULL;
	slot = probe(map, id);
	if (!slot->id)
		return NULL;
	value = slot->value;
	/* Move back what would no longer be found past the hole. */
	hole = i = slot - map->slot;
	for (;;) {
		size_t want;

		i = (i + 1) & (map->size - 1);
		if (!map->slot[i].id)
			break;
		want = home(map, map->slot[i].id);
		if (((i - want) & (map->size - 1)) <
		    ((i - hole) & (map->size - 1)))
			continue;
		map->slot[hole] = map->slot[i];
		hole = i;
	}
	map->slot[hole] = (struct gov_idmap_slot){ 0 };
	map->count--;
	return value;
}
