/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/names.h"

#include <string.h>
#include <strings.h>

static size_t hash(const struct conf_name_set *set, const char *name)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *name; name++) {
		unsigned char c = (unsigned char) *name;

		if (!set->exact && c >= 'A' && c <= 'Z')
			c = (unsigned char) (c - 'A' + 'a');
		h = (h ^ c) * 0x100000001b3;
	}
	return (size_t) (h ^ (h >> 29));
}

/* The slot of a name, or the free one where it belongs. */
static struct conf_name *find(const struct conf_name_set *set, const char *name)
{
	size_t i = hash(set, name) & (set->slots - 1);

	for (;; i = (i + 1) & (set->slots - 1)) {
		struct conf_name *slot = &set->slot[i];

		if (!slot->name || !(set->exact ? strcmp(slot->name, name) :
						  strcasecmp(slot->name, name)))
			return slot;
	}
}

static bool grow(struct conf *conf, struct conf_name_set *set)
{
	struct conf_name_set larger = *set;

	larger.slots = set->slots ? 2 * set->slots : 16;
	larger.slot = conf_alloc(conf, larger.slots * sizeof(*larger.slot));
	if (!larger.slot)
		return false;
	memset(larger.slot, 0, larger.slots * sizeof(*larger.slot));
	for (size_t i = 0; i < set->slots; i++)
		if (set->slot[i].name)
			*find(&larger, set->slot[i].name) = set->slot[i];
	*set = larger;
	return true;
}

uint32_t conf_name_put(struct conf *conf, struct conf_name_set *set,
		       const char *name, uint32_t value)
{
	struct conf_name *slot;

	if (set->count >= set->slots / 2 && !grow(conf, set))
		return CONF_NO_NAME;
	slot = find(set, name);
	if (slot->name)
		return slot->value;
	*slot = (struct conf_name){ name, value };
	set->count++;
	return CONF_NO_NAME;
}

uint32_t conf_name_get(const struct conf_name_set *set, const char *name)
{
	struct conf_name *slot = set->slots ? find(set, name) : NULL;

	return slot && slot->name ? slot->value : CONF_NO_NAME;
}
