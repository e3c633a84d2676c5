/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/assign.h"

#include <string.h>

/* Parts that go together, in one group of TRES. */
struct scan {
	const struct gov_assign_ask *ask;
	const struct gov_assignment *so_far; /* parts assigned before */
	const struct gov_group *group;
	uint32_t together;
	uint32_t only;
	enum gov_misfit misfit; /* least lasting of the pools that never fit */
};

/* What one pool would be for them. */
struct pool_view {
	uint32_t count;
	struct {
		uint32_t tres;
		uint32_t cell;
		struct gov_option option;
	} tres[GOV_REQUEST_MAX];
	struct gov_option worst;
	enum gov_misfit misfit;
};

static bool in_group(const struct gov_group *group, uint32_t tres)
{
	for (uint32_t i = 0; i < group->tres_count; i++)
		if (group->tres[i] == tres)
			return true;
	return false;
}

static uint32_t tasks(const struct gov_assign_ask *ask, uint32_t part)
{
	return ask->count ? ask->count[part] : ask->part[part].count;
}

/* amount * count, unlimited beyond GOV_AMOUNT_MAX. */
static gov_amount_t times(gov_amount_t amount, uint32_t count)
{
	return gov_amount_scale(amount, count, 1);
}

/* What the parts of `together` ask of a TRES; false if none names it. */
static bool asked(const struct scan *scan, uint32_t tres, gov_amount_t *sum)
{
	bool named = false;

	*sum = 0;
	for (uint32_t p = 0; p < scan->ask->part_count; p++) {
		const struct gov_part *part = &scan->ask->part[p];

		if (part->together != scan->together)
			continue;
		for (uint32_t i = 0; i < part->tres_count; i++) {
			if (part->ask[i].tres != tres)
				continue;
			named = true;
			*sum = gov_amount_add(*sum, times(part->ask[i].per_task,
							  tasks(scan->ask, p)));
		}
	}
	return named;
}

static bool refused(const struct scan *scan, uint32_t pool)
{
	if (scan->only != GOV_NONE && scan->only != pool)
		return true;
	for (uint32_t p = 0; p < scan->ask->part_count; p++) {
		const struct gov_part *part = &scan->ask->part[p];

		if (part->together == scan->together && part->refused &&
		    part->refused[pool])
			return true;
	}
	return false;
}

static gov_amount_t taken_before(const struct gov_assignment *a, uint32_t cell)
{
	for (uint32_t i = 0; i < a->request.count; i++)
		if (a->request.item[i].cell == cell)
			return a->request.item[i].amount;
	return 0;
}

uint32_t gov_assign_level(const struct gov_tree *tree, uint32_t team,
			  uint32_t cell, gov_amount_t amount, bool *below_root)
{
	const struct gov_node *n = gov_tree_at(tree, team, cell);
	uint32_t level = gov_tree_level(tree, team, cell, amount, below_root);

	if (n->shared || n->borrow)
		return level;
	*below_root = false;
	return 0;
}

/* How a cell would serve `amount`, what parts before take included. */
static struct gov_option try_cell(const struct gov_assign_ask *ask,
				  uint32_t cell, gov_amount_t amount,
				  enum gov_misfit *misfit)
{
	const struct gov_node *n = gov_tree_at(ask->tree, ask->team, cell);
	struct gov_option option = { GOV_FIT_NEVER, 0 };
	bool below_root;

	if (amount > gov_tree_potential(ask->tree, ask->team, cell)) {
		*misfit = GOV_MISFIT_EXCEEDS;
		return option;
	}
	option.level = gov_assign_level(ask->tree, ask->team, cell, amount,
					&below_root);
	if (amount <= gov_tree_available(ask->tree, ask->team, cell)) {
		option.fit = GOV_FIT_NOW;
		return option;
	}
	if (amount <= n->nominal || below_root || ask->preempts_while_borrowing)
		return ask->simulate(cell, amount, ask->arg);
	*misfit = GOV_MISFIT_WAITING;
	return option;
}

static void try_pool(const struct scan *scan, uint32_t pool,
		     struct pool_view *view)
{
	const struct gov_policy *policy = scan->ask->tree->policy;

	view->count = 0;
	view->misfit = GOV_MISFIT_NONE;
	view->worst = (struct gov_option){ GOV_FIT_NOW, 0 };
	for (uint32_t i = 0; i < scan->group->tres_count; i++) {
		uint32_t tres = scan->group->tres[i];
		uint32_t cell = gov_policy_find_cell(policy, pool, tres);
		enum gov_misfit misfit = GOV_MISFIT_NO_POOL;
		struct gov_option option = { GOV_FIT_NEVER, 0 };
		gov_amount_t amount;

		if (!asked(scan, tres, &amount))
			continue;
		if (cell != GOV_NONE)
			option = try_cell(
				scan->ask, cell,
				gov_amount_add(amount,
					       taken_before(scan->so_far,
							    cell)),
				&misfit);
		if (option.fit == GOV_FIT_NEVER && misfit > view->misfit)
			view->misfit = misfit;
		view->worst = gov_option_worst(view->worst, option,
					       scan->ask->how.preference);
		if (view->count == GOV_REQUEST_MAX)
			return;
		view->tres[view->count].tres = tres;
		view->tres[view->count].cell = cell;
		view->tres[view->count++].option = option;
	}
}

static struct gov_option try_option(uint32_t index, void *arg)
{
	struct scan *scan = arg;
	uint32_t pool = scan->group->pool[index];
	struct pool_view view = {
		.worst = { GOV_FIT_NEVER, 0 },
		.misfit = GOV_MISFIT_NO_POOL,
	};

	if (!refused(scan, pool))
		try_pool(scan, pool, &view);
	if (view.worst.fit == GOV_FIT_NEVER &&
	    (scan->misfit == GOV_MISFIT_NONE || view.misfit < scan->misfit))
		scan->misfit = view.misfit;
	return view.worst;
}

/* Write down, part by part, that these TRES come from this pool. */
static void take_pool(struct scan *scan, struct gov_assignment *a,
		      uint32_t group, const struct gov_choice *choice)
{
	struct pool_view view;

	try_pool(scan, scan->group->pool[choice->index], &view);
	for (uint32_t p = 0; p < scan->ask->part_count; p++) {
		const struct gov_part *part = &scan->ask->part[p];
		struct gov_assigned_part *to = &a->part[p];

		if (part->together != scan->together)
			continue;
		to->next[group] = choice->next;
		for (uint32_t i = 0; i < part->tres_count; i++)
			for (uint32_t v = 0; v < view.count; v++) {
				uint32_t k = 0;

				if (view.tres[v].tres != part->ask[i].tres)
					continue;
				/* A later group with this TRES overrides. */
				while (k < to->tres_count &&
				       to->tres[k].tres != view.tres[v].tres)
					k++;
				to->tres_count += k == to->tres_count;
				to->tres[k].tres = view.tres[v].tres;
				to->tres[k].cell = view.tres[v].cell;
				to->tres[k].fit = view.tres[v].option.fit;
				to->tres[k].level = view.tres[v].option.level;
				to->tres[k].amount =
					times(part->ask[i].per_task,
					      tasks(scan->ask, p));
			}
	}
}

static bool assigned(const struct gov_assignment *a, uint32_t part,
		     uint32_t tres)
{
	for (uint32_t i = 0; i < a->part[part].tres_count; i++)
		if (a->part[part].tres[i].tres == tres)
			return true;
	return false;
}

/* Is there something in this group that no earlier group has served? */
static bool wanted(const struct scan *scan, const struct gov_assignment *a)
{
	for (uint32_t p = 0; p < scan->ask->part_count; p++) {
		const struct gov_part *part = &scan->ask->part[p];

		if (part->together != scan->together)
			continue;
		for (uint32_t i = 0; i < part->tres_count; i++)
			if (in_group(scan->group, part->ask[i].tres) &&
			    !assigned(a, p, part->ask[i].tres))
				return true;
	}
	return false;
}

/* Does some group offer every TRES that more than nothing is asked of? */
static bool offered(const struct gov_assign_ask *ask, uint32_t together)
{
	for (uint32_t p = 0; p < ask->part_count; p++) {
		const struct gov_part *part = &ask->part[p];

		for (uint32_t i = 0;
		     part->together == together && i < part->tres_count; i++) {
			bool found = !part->ask[i].per_task;

			for (uint32_t g = 0; g < ask->group_count; g++)
				found |= in_group(&ask->group[g],
						  part->ask[i].tres);
			if (!found)
				return false;
		}
	}
	return true;
}

/* The parts of `together`, in all groups.  Why not, or MISFIT_NONE. */
static enum gov_misfit assign_together(const struct gov_assign_ask *ask,
				       struct gov_assignment *a,
				       uint32_t first_part)
{
	uint32_t together = ask->part[first_part].together;

	if (!offered(ask, together))
		return GOV_MISFIT_NO_POOL;
	for (uint32_t g = 0; g < ask->group_count; g++) {
		struct scan scan = {
			.ask = ask,
			.so_far = a,
			.group = &ask->group[g],
			.together = together,
			.only = GOV_NONE,
		};
		struct gov_choice choice;
		uint32_t first = 0;

		if (!wanted(&scan, a))
			continue;
		if (ask->start) {
			first = ask->start[first_part][g].first;
			scan.only = ask->start[first_part][g].only;
		}
		choice = gov_choose(&ask->how, first, ask->group[g].pool_count,
				    try_option, &scan);
		if (choice.index == GOV_NONE)
			return scan.misfit ? scan.misfit : GOV_MISFIT_NO_POOL;
		take_pool(&scan, a, g, &choice);
	}
	return GOV_MISFIT_NONE;
}

/* ---- the sum ---- */

static int add_request(struct gov_request *request, uint32_t cell,
		       gov_amount_t amount)
{
	uint32_t i = 0;

	if (!amount)
		return 0;
	while (i < request->count && request->item[i].cell != cell)
		i++;
	if (i == GOV_REQUEST_MAX)
		return -1;
	if (i == request->count) {
		request->item[request->count].cell = cell;
		request->item[request->count++].amount = 0;
	}
	request->item[i].amount = gov_amount_add(request->item[i].amount,
						 amount);
	return 0;
}

static void add_contended(struct gov_assignment *a, uint32_t cell)
{
	for (uint32_t i = 0; i < a->contended_count; i++)
		if (a->contended[i] == cell)
			return;
	if (a->contended_count < GOV_REQUEST_MAX)
		a->contended[a->contended_count++] = cell;
}

/* Add what these parts take to the whole. */
static int sum_up(const struct gov_assign_ask *ask, struct gov_assignment *a,
		  uint32_t together)
{
	for (uint32_t p = 0; p < ask->part_count; p++) {
		const struct gov_assigned_part *part = &a->part[p];

		if (ask->part[p].together != together)
			continue;
		for (uint32_t i = 0; i < part->tres_count; i++) {
			if (add_request(&a->request, part->tres[i].cell,
					part->tres[i].amount))
				return -1;
			if (part->tres[i].level > a->level)
				a->level = part->tres[i].level;
			if (part->tres[i].fit == GOV_FIT_NOW)
				continue;
			add_contended(a, part->tres[i].cell);
			a->fit = GOV_FIT_NO_VICTIMS;
		}
	}
	return 0;
}

static void clear_parts(const struct gov_assign_ask *ask,
			struct gov_assignment *a, uint32_t together)
{
	for (uint32_t p = 0; p < ask->part_count; p++)
		if (ask->part[p].together == together)
			a->part[p].tres_count = 0;
}

static bool done_before(const struct gov_assign_ask *ask, uint32_t part)
{
	for (uint32_t p = 0; p < part; p++)
		if (ask->part[p].together == ask->part[part].together)
			return true;
	return false;
}

int gov_assign(const struct gov_assign_ask *ask,
	       struct gov_assignment *assignment)
{
	memset(assignment, 0, sizeof(*assignment));
	assignment->fit = GOV_FIT_NOW;
	for (uint32_t p = 0; p < ask->part_count; p++)
		assignment->part[p].count = tasks(ask, p);
	for (uint32_t p = 0; p < ask->part_count; p++) {
		uint32_t together = ask->part[p].together;

		assignment->part_count = p + 1;
		if (done_before(ask, p))
			continue;
		assignment->misfit = assign_together(ask, assignment, p);
		if (assignment->misfit) {
			clear_parts(ask, assignment, together);
			assignment->fit = GOV_FIT_NEVER;
			return 0;
		}
		if (sum_up(ask, assignment, together)) {
			assignment->fit = GOV_FIT_NEVER;
			return -1;
		}
	}
	return 0;
}

/* ---- smaller jobs ---- */

static void shrunk(const struct gov_part *part, uint32_t part_count,
		   uint64_t step, uint64_t steps, uint32_t *count)
{
	for (uint32_t p = 0; p < part_count; p++)
		count[p] = part[p].count -
			   (uint32_t) ((part[p].count - part[p].least) * step /
				       steps);
}

bool gov_assign_shrink(const struct gov_part *part, uint32_t part_count,
		       uint32_t *count,
		       bool (*fits)(const uint32_t *count, void *arg),
		       void *arg)
{
	uint64_t steps = 0, low = 0, high;

	for (uint32_t p = 0; p < part_count; p++)
		steps += part[p].count - part[p].least;
	if (!steps)
		return false;
	/* Fewest steps down, 0 .. steps, that fit; steps + 1: none. */
	for (high = steps + 1; low < high;) {
		uint64_t middle = low + (high - low) / 2;

		shrunk(part, part_count, middle, steps, count);
		if (fits(count, arg))
			high = middle;
		else
			low = middle + 1;
	}
	if (low > steps)
		return false;
	shrunk(part, part_count, low, steps, count);
	return true;
}
