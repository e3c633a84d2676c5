/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/policy.h"
#include "run.h"

struct shrinker {
	struct history *history;
	struct violation *violation;
	size_t tries;
};

/* Does this one break the same promise?  Then it is the new best. */
static bool still_fails(struct shrinker *s, const struct history *candidate)
{
	struct violation violation;
	struct tally tally = { .twin_always = true };

	if (!s->tries)
		return false;
	s->tries--;
	history_run(candidate, &violation, &tally);
	if (!violation.found || strcmp(violation.name, s->violation->name))
		return false;
	*s->violation = violation;
	return true;
}

static bool try_without(struct shrinker *s, size_t from, size_t count)
{
	struct history *h = s->history;
	struct history candidate = *h;
	size_t rest = h->count - from - count;

	candidate.event = malloc((h->count + 1) * sizeof(struct event));
	if (!candidate.event)
		return false;
	memcpy(candidate.event, h->event, from * sizeof(struct event));
	memcpy(candidate.event + from, h->event + from + count,
	       rest * sizeof(struct event));
	candidate.count = from + rest;
	if (!still_fails(s, &candidate)) {
		free(candidate.event);
		return false;
	}
	free(h->event);
	*h = candidate;
	return true;
}

static bool shrink_events(struct shrinker *s)
{
	bool any = false;

	if (s->violation->event + 1 < s->history->count)
		any |= try_without(s, s->violation->event + 1,
				   s->history->count - s->violation->event - 1);
	for (size_t size = s->history->count / 2; size; size /= 2)
		for (size_t at = 0; at + size <= s->history->count;)
			if (try_without(s, at, size))
				any = true;
			else
				at += size;
	return any;
}

/* ---- the policy ---- */

static bool try_spec(struct shrinker *s, const struct spec *spec)
{
	struct history candidate = *s->history;

	if (!memcmp(spec, &candidate.spec, sizeof(*spec)))
		return false;
	candidate.spec = *spec;
	if (!still_fails(s, &candidate))
		return false;
	s->history->spec = *spec;
	return true;
}

static bool shrink_quota(struct shrinker *s, int unit, int cell)
{
	struct spec spec = s->history->spec;
	struct spec_quota *q = &spec.unit[unit].quota[cell];
	bool any = false;

	if (!q->set)
		return false;
	*q = (struct spec_quota){ false, 0, UNLIMITED, UNLIMITED };
	if (try_spec(s, &spec))
		return true;
	spec = s->history->spec;
	q->borrow = UNLIMITED;
	any |= try_spec(s, &spec);
	spec = s->history->spec;
	q->lend = UNLIMITED;
	any |= try_spec(s, &spec);
	for (uint64_t less = s->history->spec.unit[unit].quota[cell].nominal;
	     less; less /= 2) {
		spec = s->history->spec;
		q->nominal -= less < q->nominal ? less : q->nominal;
		any |= try_spec(s, &spec);
	}
	spec = s->history->spec;
	spec.unit[unit].user_max[cell] = UNLIMITED;
	return try_spec(s, &spec) || any;
}

static const struct spec_unit plain_unit = {
	.present = 1,
	.parent = NONE,
	.weight = 1,
	.weight_scale = 1,
	.strategy = GOV_LEND_AND_BORROW,
	.queueing = GOV_BEST_EFFORT,
	.within = GOV_PREEMPT_NEVER,
	.reclaim = GOV_PREEMPT_ANY,
	.borrowing = GOV_PREEMPT_NEVER,
	.borrowing_max = NONE,
	.min_runtime = NONE,
	.min_loan = NONE,
	.max_evictions = NONE,
};

static bool has_children(const struct spec *spec, int unit)
{
	for (int i = 0; i < spec->units; i++)
		if (spec->unit[i].parent == unit)
			return true;
	return false;
}

/* The integers of a unit, one after the other, to their plain value. */
static bool shrink_unit(struct shrinker *s, int unit)
{
	struct spec spec = s->history->spec;
	bool any = false;

	spec.unit[unit].present = 0;
	if (!has_children(&spec, unit) && try_spec(s, &spec))
		return true;
	for (size_t at = offsetof(struct spec_unit, parent);
	     at < offsetof(struct spec_unit, quota); at += sizeof(int)) {
		spec = s->history->spec;
		memcpy((char *) &spec.unit[unit] + at,
		       (const char *) &plain_unit + at, sizeof(int));
		any |= try_spec(s, &spec);
	}
	for (int c = 0; c < CELLS; c++)
		any |= shrink_quota(s, unit, c);
	return any;
}

static bool shrink_spec(struct shrinker *s)
{
	bool any = false;
	struct spec spec;

	for (int i = s->history->spec.units - 1; i >= 0 && s->tries; i--)
		if (s->history->spec.unit[i].present)
			any |= shrink_unit(s, i);
	for (int c = 0; c < CELLS && s->tries; c++) {
		spec = s->history->spec;
		spec.capacity[c] = UNLIMITED;
		any |= try_spec(s, &spec);
	}
	for (int i = 0; i < s->history->spec.projects; i++)
		for (int c = 0; c < CELLS; c++) {
			spec = s->history->spec;
			spec.project[i].max[c] = UNLIMITED;
			any |= try_spec(s, &spec);
		}
	spec = s->history->spec;
	spec.min_runtime = spec.grace = 0;
	any |= try_spec(s, &spec);
	spec = s->history->spec;
	spec.share_unallocated = 0;
	any |= try_spec(s, &spec);
	return any;
}

/* Fewer cells in a request. */
static bool shrink_requests(struct shrinker *s)
{
	bool any = false;

	for (size_t i = 0; i < s->history->count && s->tries; i++) {
		struct event *event = &s->history->event[i];

		for (int k = 0; k < event->items; k++) {
			struct event saved = *event;

			event->item[k] = event->item[--event->items];
			if (still_fails(s, s->history))
				any = true;
			else
				*event = saved;
		}
	}
	return any;
}

void history_shrink(struct history *history, struct violation *violation,
		    size_t tries)
{
	struct shrinker s = { history, violation, tries };
	bool any = true;

	while (any && s.tries) {
		any = shrink_events(&s);
		any |= shrink_spec(&s);
		any |= shrink_requests(&s);
	}
}
