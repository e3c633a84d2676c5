/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slow.h"

#include <string.h>

#include "core/policy.h"

static wide max_wide(wide a, wide b)
{
	return a > b ? a : b;
}

static wide min_wide(wide a, wide b)
{
	return a < b ? a : b;
}

static wide widen(uint64_t amount)
{
	return amount == UNLIMITED ? WIDE_UNLIMITED : (wide) amount;
}

int slow_parent(const struct slow *slow, int unit)
{
	int parent = unit == ROOT ? NONE : slow->spec->unit[unit].parent;

	return unit == ROOT ? NONE : parent == NONE ? ROOT : parent;
}

/* ---- the policy ---- */

static bool names_pool(const struct spec_unit *unit, int pool)
{
	for (int t = 0; t < TRES; t++)
		if (unit->quota[pool * TRES + t].set)
			return true;
	return false;
}

/* TRES 1 is cpu and 2 is mem: they come with every job. */
static bool comes_along(int cell)
{
	return cell % TRES == 1 || cell % TRES == 2;
}

static void unset_cell(struct slow *slow, int u, int cell)
{
	const struct spec_unit *unit = &slow->spec->unit[u];

	if (!unit->team)
		return;
	if (names_pool(unit, cell / TRES) && comes_along(cell))
		slow->counted[u][cell] = false;
	else
		slow->borrow[u][cell] = 0;
}

static void unit_cell(struct slow *slow, int u, int cell, wide *lend)
{
	const struct spec_unit *unit = &slow->spec->unit[u];
	const struct spec_quota *quota = &unit->quota[cell];

	slow->counted[u][cell] = true;
	slow->borrow[u][cell] = *lend = WIDE_UNLIMITED;
	if (!quota->set) {
		unset_cell(slow, u, cell);
		return;
	}
	slow->nominal[u][cell] = (wide) quota->nominal;
	slow->borrow[u][cell] = widen(quota->borrow);
	*lend = widen(quota->lend);
	if (unit->strategy == GOV_LEND || unit->strategy == GOV_DONT_LEND)
		slow->borrow[u][cell] = 0;
	if (unit->strategy == GOV_BORROW || unit->strategy == GOV_DONT_LEND)
		*lend = 0;
}

/*
 * subtree(n) = nominal(n) + sum over children of (subtree - local).  A parent
 * has a smaller index than its children.
 */
static void subtrees(struct slow *slow, int cell)
{
	slow->counted[ROOT][cell] = true;
	for (int u = slow->spec->units - 1; u >= 0; u--) {
		wide lend = WIDE_UNLIMITED;

		if (!slow->spec->unit[u].present)
			continue;
		unit_cell(slow, u, cell, &lend);
		slow->subtree[u][cell] += slow->nominal[u][cell];
		if (lend != WIDE_UNLIMITED)
			slow->local[u][cell] = max_wide(0,
							slow->subtree[u][cell] -
								lend);
		slow->subtree[slow_parent(slow, u)][cell] +=
			slow->subtree[u][cell] - slow->local[u][cell];
	}
}

/* Capacity beyond all quotas, if it may be had; capacity bounds the rest. */
static wide total_of(const struct slow *slow, int cell)
{
	const struct spec *spec = slow->spec;
	wide capacity = widen(spec->capacity[cell]);
	wide total = slow->subtree[ROOT][cell], nominal = 0;

	for (int u = 0; u < spec->units; u++)
		if (spec->unit[u].present)
			nominal += slow->nominal[u][cell];
	if (spec->share_unallocated)
		total += max_wide(0, capacity - nominal);
	return spec->clamp ? min_wide(total, capacity) : total;
}

void slow_policy(struct slow *slow, const struct spec *spec)
{
	memset(slow, 0, sizeof(*slow));
	slow->spec = spec;
	for (int c = 0; c < CELLS; c++) {
		if (!spec->has_cell[c])
			continue;
		subtrees(slow, c);
		slow->total[c] = total_of(slow, c);
	}
}

/* ---- usage ---- */

void slow_clear(struct slow *slow)
{
	memset(slow->usage, 0, sizeof(slow->usage));
	memset(slow->held, 0, sizeof(slow->held));
	memset(slow->orphaned, 0, sizeof(slow->orphaned));
}

void slow_add(struct slow *slow, const struct slow_holder *job, int sign)
{
	for (int i = 0; i < job->items; i++) {
		int cell = job->item[i].cell;
		wide amount = sign * (wide) job->item[i].amount;

		slow->held[cell] += amount;
		if (job->team == NONE)
			slow->orphaned[cell] += amount;
		else if (slow->counted[job->team][cell])
			slow->usage[job->team][cell] += amount;
	}
}

/* usage(unit) = sum over children of max(0, usage - local) */
void slow_sum(struct slow *slow)
{
	const struct spec *spec = slow->spec;

	for (int c = 0; c < CELLS; c++) {
		slow->usage[ROOT][c] = slow->orphaned[c];
		for (int u = 0; u < spec->units; u++)
			if (!spec->unit[u].team)
				slow->usage[u][c] = 0;
		for (int u = spec->units - 1; u >= 0; u--)
			if (spec->unit[u].present)
				slow->usage[slow_parent(slow, u)][c] +=
					max_wide(0, slow->usage[u][c] -
							    slow->local[u][c]);
	}
}

/* ---- what follows ---- */

wide slow_available(const struct slow *slow, int unit, int cell)
{
	wide local, used, from_parent;

	if (unit == ROOT)
		return slow->total[cell] - slow->usage[ROOT][cell];
	if (!slow->counted[unit][cell])
		return slow->spec->clamp ? widen(slow->spec->capacity[cell]) -
						   slow->held[cell] :
					   WIDE_UNLIMITED;
	local = max_wide(0, slow->local[unit][cell] - slow->usage[unit][cell]);
	used = max_wide(0, slow->usage[unit][cell] - slow->local[unit][cell]);
	from_parent = slow_available(slow, slow_parent(slow, unit), cell);
	if (slow->borrow[unit][cell] != WIDE_UNLIMITED)
		from_parent = min_wide(from_parent,
				       slow->subtree[unit][cell] -
					       slow->local[unit][cell] - used +
					       slow->borrow[unit][cell]);
	return local + max_wide(0, from_parent);
}

wide slow_over(const struct slow *slow, int unit, int cell)
{
	if (!slow->counted[unit][cell])
		return 0;
	return max_wide(0, slow->usage[unit][cell] - slow->subtree[unit][cell]);
}

/* What a unit could ever have. */
static wide potential(const struct slow *slow, int unit, int cell)
{
	wide sum;

	if (unit == ROOT)
		return slow->total[cell];
	sum = slow->local[unit][cell] +
	      potential(slow, slow_parent(slow, unit), cell);
	if (slow->borrow[unit][cell] == WIDE_UNLIMITED)
		return sum;
	return min_wide(sum,
			slow->subtree[unit][cell] + slow->borrow[unit][cell]);
}

struct slow_share slow_share(const struct slow *slow, int unit)
{
	const struct spec *spec = slow->spec;
	struct slow_share share = {
		.lendable = 1,
		.weight = spec->unit[unit].weight,
		.weight_scale = spec->unit[unit].weight_scale,
	};

	for (int t = 0; t < TRES; t++) {
		wide over = 0, lendable = 0;

		for (int p = 0; p < POOLS; p++) {
			int cell = p * TRES + t;

			if (!spec->has_cell[cell])
				continue;
			over += slow_over(slow, unit, cell);
			lendable += potential(slow, slow_parent(slow, unit),
					      cell);
		}
		share.borrowing |= over > 0;
		if (over && lendable &&
		    over * share.lendable > share.over * lendable) {
			share.over = over;
			share.lendable = lendable;
		}
	}
	return share;
}

int slow_compare(const struct slow_share *a, const struct slow_share *b)
{
	bool a_infinite = !a->weight && a->over;
	bool b_infinite = !b->weight && b->over;
	wide left = a->over, right = b->over;

	if (a_infinite != b_infinite)
		return a_infinite - b_infinite;
	left *= b->lendable;
	right *= a->lendable;
	if (!a_infinite) {
		left *= (wide) a->weight_scale * (b->over ? b->weight : 1);
		right *= (wide) b->weight_scale * (a->over ? a->weight : 1);
	}
	return (left > right) - (left < right);
}
