/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/hostlist.h"

#include <stdio.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "core/array.h"

#define PARTS_MAX 16 /* brackets of one item */
#define DIGITS_MAX 9 /* of a number in brackets */

/* One item: text, bracket, text, bracket … text. */
struct part {
	const char *text; /* before the bracket */
	size_t length;
	const char *ranges; /* within the bracket, NULL in the last part */
	/* Where the odometer stands: */
	const char *at; /* behind the range at hand */
	unsigned long low, high, now;
	int width;
};

struct walk {
	const char *text;
	struct part part[PARTS_MAX + 1];
	size_t parts;
	size_t names;
	size_t fault;
	struct gov_error *error;
};

static int malformed(struct walk *walk, const char *at, const char *what)
{
	walk->fault = (size_t) (at - walk->text);
	return gov_error_set(walk->error, GOV_E_SYNTAX, "hostlist: %s", what);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_host_char(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.';
}

/* ---- brackets ---- */

static const char *read_number(struct walk *walk, const char *p,
			       unsigned long *number)
{
	const char *from = p;

	*number = 0;
	for (; is_digit(*p) && p - from <= DIGITS_MAX; p++)
		*number = *number * 10 + (unsigned long) (*p - '0');
	if (p == from) {
		malformed(walk, p, "expected a number in brackets");
		return NULL;
	}
	if (p - from > DIGITS_MAX) {
		malformed(walk, from, "a number of more than 9 digits");
		return NULL;
	}
	return p;
}

/* The next "a" or "a-b" of a bracket; 1: read, 0: none left, -1: malformed. */
static int next_range(struct walk *walk, struct part *part)
{
	const char *p = part->at, *low = p;

	if (*p == ']')
		return 0;
	if (p != part->ranges)
		low = ++p; /* a comma, which was checked */
	p = read_number(walk, p, &part->low);
	if (!p)
		return -1;
	part->width = low[0] == '0' ? (int) (p - low) : 1;
	part->high = part->low;
	if (*p == '-') {
		p = read_number(walk, p + 1, &part->high);
		if (!p)
			return -1;
	}
	if (part->high < part->low)
		return malformed(walk, low, "a range that runs downwards");
	if (*p != ',' && *p != ']')
		return malformed(walk, p, "expected , or ] or a range");
	part->at = p;
	part->now = part->low;
	return 1;
}

/* How many names the ranges of one bracket give; -1: malformed. */
static long count_ranges(struct walk *walk, struct part *part)
{
	long count = 0;
	int rc;

	part->at = part->ranges;
	if (*part->at == ']')
		return malformed(walk, part->at, "empty brackets");
	while ((rc = next_range(walk, part)) > 0) {
		if (part->high - part->low >= CONF_HOSTS_MAX)
			return malformed(walk, part->ranges,
					 "more than 65,536 names");
		count += (long) (part->high - part->low) + 1;
		if (count > CONF_HOSTS_MAX)
			return malformed(walk, part->ranges,
					 "more than 65,536 names");
	}
	return rc < 0 ? -1 : count;
}

/* ---- items ---- */

/* Split the item at p into parts; the end of it, NULL if malformed. */
static const char *split_item(struct walk *walk, const char *p)
{
	const char *item = p;
	long names = 1, count;

	for (walk->parts = 0;; p++) {
		struct part *part = &walk->part[walk->parts++];

		part->text = p;
		part->ranges = NULL;
		while (is_host_char(*p))
			p++;
		part->length = (size_t) (p - part->text);
		if (*p != '[')
			break;
		if (walk->parts > PARTS_MAX)
			return malformed(walk, p, "too many brackets"), NULL;
		part->ranges = p + 1;
		count = count_ranges(walk, part);
		if (count < 0)
			return NULL;
		names *= count;
		if (names > CONF_HOSTS_MAX - (long) walk->names)
			return malformed(walk, item, "more than 65,536 names"),
			       NULL;
		p = part->at;
	}
	if (*p && *p != ',')
		return malformed(walk, p, "a character that no node name has"),
		       NULL;
	if (p == item)
		return malformed(walk, p, "expected a node name"), NULL;
	walk->names += (size_t) names;
	return p;
}

static int compose(struct walk *walk, char *name, const char *item)
{
	size_t used = 0;

	for (size_t i = 0; i < walk->parts; i++) {
		struct part *part = &walk->part[i];
		int digits;

		if (used + part->length + DIGITS_MAX + 2 >= CONF_HOST_NAME)
			return malformed(walk, item,
					 "a name of more than 240 characters");
		memcpy(name + used, part->text, part->length);
		used += part->length;
		if (!part->ranges)
			continue;
		digits = snprintf(name + used, CONF_HOST_NAME - used, "%0*lu",
				  part->width, part->now);
		used += digits > 0 ? (size_t) digits : 0;
	}
	name[used] = '\0';
	return 0;
}

/* Turn the odometer; false when it is round. */
static bool advance(struct walk *walk)
{
	for (size_t i = walk->parts; i-- > 0;) {
		struct part *part = &walk->part[i];

		if (!part->ranges)
			continue;
		if (part->now < part->high) {
			part->now++;
			return true;
		}
		if (next_range(walk, part) > 0)
			return true;
		part->at = part->ranges;
		next_range(walk, part);
	}
	return false;
}

int conf_hostlist_walk(const char *text,
		       int (*visit)(const char *name, size_t offset, void *arg),
		       void *arg, size_t *fault, struct gov_error *error)
{
	struct walk walk = { .text = text, .error = error };
	char name[CONF_HOST_NAME];
	const char *item = text, *end;
	int rc = 0;

	for (;; item = end + 1) {
		end = split_item(&walk, item);
		if (!end)
			break;
		for (size_t i = 0; i < walk.parts; i++) {
			walk.part[i].at = walk.part[i].ranges;
			if (walk.part[i].ranges)
				next_range(&walk, &walk.part[i]);
		}
		do
			rc = compose(&walk, name, item) ?
				     -1 :
				     visit(name, (size_t) (item - text), arg);
		while (!rc && advance(&walk));
		if (rc || !*end) {
			*fault = walk.fault;
			return rc;
		}
	}
	*fault = walk.fault;
	return -1;
}

/* ---- public ---- */

struct expansion {
	char **names;
	size_t count;
};

static int keep(const char *name, size_t offset, void *arg)
{
	struct expansion *all = arg;
	char **grown = gov_array_room(all->names, all->count, sizeof(*grown));

	if (!grown)
		return -2;
	all->names = grown;
	grown[all->count] = strdup(name);
	if (!grown[all->count])
		return -2;
	all->count++;
	return 0;
}

long gov_hostlist_expand(const char *text, char ***names,
			 struct gov_error *error)
{
	struct expansion all = { 0 };
	size_t fault;
	int rc = conf_hostlist_walk(text, keep, &all, &fault, error);

	if (!rc) {
		*names = all.names;
		return (long) all.count;
	}
	if (rc == -2)
		gov_error_set(error, GOV_E_NOMEM, "out of memory");
	gov_hostlist_free(all.names, (long) all.count);
	*names = NULL;
	return -1;
}

void gov_hostlist_free(char **names, long count)
{
	for (long i = 0; i < count; i++)
		free(names[i]);
	free(names);
}
