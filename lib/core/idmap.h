/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map from 64-bit ids (not 0) to pointers: open addressing, one array. */
#ifndef GOVERNANCE_CORE_IDMAP_H
#define GOVERNANCE_CORE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct gov_idmap {
	struct gov_idmap_slot {
		uint64_t id; /* 0: free */
		void *value;
	} * slot;
	size_t size; /* power of two, or 0 */
	size_t count;
};

void gov_idmap_free(struct gov_idmap *map);
void *gov_idmap_get(const struct gov_idmap *map, uint64_t id);
/* Insert or replace.  0, or -1 out of memory. */
int gov_idmap_put(struct gov_idmap *map, uint64_t id, void *value);
/* The value that was there, or NULL. */
void *gov_idmap_remove(struct gov_idmap *map, uint64_t id);

#endif
