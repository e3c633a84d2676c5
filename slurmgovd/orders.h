/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What operators order beside the policy.
 *
 * Orders about a job are kept in its stamp.  Orders that stand (reclaims are
 * held, a team is drained, everything is let go) are kept in a small file, of
 * which this is the content; see orders_file.h.
 */
#ifndef GOVERNANCE_SLURMGOVD_ORDERS_H
#define GOVERNANCE_SLURMGOVD_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/error.h"

#define GOV_ORDER_NAME 64    /* longest name of a unit, with NUL */
#define GOV_DRAINED_MAX 1024 /* units that can be drained at a time */

/* Who ordered it, and when; since 0: it is not so. */
struct gov_mark {
	uid_t by;
	int64_t since; /* seconds since the epoch */
};

struct gov_drained {
	char name[GOV_ORDER_NAME]; /* of a team or unit */
	struct gov_mark mark;
};

/* Start with all zero. */
struct gov_orders {
	struct gov_mark reclaims_held;
	struct gov_mark let_go;	     /* release-all: nothing is governed */
	struct gov_drained *drained; /* grown here; gov_orders_free() */
	size_t drained_count;
};

void gov_orders_free(struct gov_orders *orders);
/* The mark of a unit by its name (case does not matter), or NULL. */
const struct gov_mark *gov_orders_drained(const struct gov_orders *orders,
					  const char *name);
/*
 * Drain a unit, or (mark NULL) let it borrow again.  1: done; 0: it was so
 * already; -1: no memory, or too many are drained.
 */
int gov_orders_drain(struct gov_orders *orders, const char *name,
		     const struct gov_mark *mark);

enum gov_order_kind {
	GOV_ORDER_HOLD_RECLAIMS,
	GOV_ORDER_RELEASE_ALL,
	GOV_ORDER_DRAIN,   /* name: a team or unit */
	GOV_ORDER_RELEASE, /* name: a job; cannot be undone */
	GOV_ORDER_EXEMPT,  /* name: a job */
};

struct gov_order {
	enum gov_order_kind kind;
	bool undo;
	const char *name; /* what it is about, or NULL */
	uid_t by;
};

#endif
