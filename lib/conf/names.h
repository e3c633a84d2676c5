/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of names, each with a number; in the arena of a reading. */
#ifndef GOVERNANCE_CONF_NAMES_H
#define GOVERNANCE_CONF_NAMES_H

#include "conf/context.h"

#pragma GCC visibility push(hidden)

#define CONF_NO_NAME UINT32_MAX

struct conf_name {
	const char *name; /* NULL: free */
	uint32_t value;
};

struct conf_name_set {
	struct conf_name *slot;
	size_t slots; /* a power of two, or 0 */
	size_t count;
	bool exact; /* case matters */
};

/*
 * Enter a name (not copied) unless it is there.  Returns what was there
 * before, else CONF_NO_NAME.
 */
uint32_t conf_name_put(struct conf *conf, struct conf_name_set *set,
		       const char *name, uint32_t value);

/* CONF_NO_NAME if it is not there. */
uint32_t conf_name_get(const struct conf_name_set *set, const char *name);

#pragma GCC visibility pop
#endif
