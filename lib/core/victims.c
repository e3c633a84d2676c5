/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/victims.h"

#include <stdlib.h>
#include <strings.h>

#include "core/order.h"
#include "core/victims_private.h"

#define DEFAULT_BUDGET 1000000

void gov_search_free(struct gov_search *search)
{
	free(search->victim);
	free(search->among);
	search->victim = NULL;
	search->among = NULL;
	search->count = search->space = 0;
	search->among_count = search->among_space = 0;
}

/* ---- what is missing ---- */

void gov_search_shortage(const struct gov_search *search, bool may_borrow,
			 struct gov_shortage *s)
{
	const struct gov_books *books = search->books;
	const struct gov_kind *kind = search->kind;
	bool kind_may = gov_books_may_borrow(books, kind);

	*s = (struct gov_shortage){ 0 };
	for (uint32_t i = 0; i < kind->count; i++) {
		uint32_t bit = 1u << i, cell = kind->item[i].cell;
		gov_amount_t amount = kind->item[i].amount;
		bool own = !kind_may ||
			   (!may_borrow && (search->contended & bit));

		if (amount >
			    gov_tree_available(books->tree, kind->team, cell) ||
		    amount > gov_tree_free_later(books->tree, cell))
			s->quota |= bit;
		if (own && gov_tree_borrows_with(books->tree, kind->team, cell,
						 amount))
			s->own |= bit;
		if (amount > gov_caps_project_room(&books->caps, kind, cell))
			s->project |= bit;
		if (amount > gov_caps_user_room(&books->caps, kind, cell))
			s->user |= bit;
	}
	if (search->placing && !gov_placing_fits(search->placing))
		s->nodes = search->unplaced;
}

bool gov_shortage_none(const struct gov_shortage *s)
{
	return !(s->quota | s->nodes | s->own | s->project | s->user);
}

uint32_t gov_search_wanted(const struct gov_search *search,
			   const struct gov_shortage *s,
			   const struct gov_record *job)
{
	uint32_t items = s->quota;

	if (s->nodes && gov_placing_helped_by(search->placing, job->id))
		items |= s->nodes;
	return items & search->contended;
}

uint32_t gov_search_used(const struct gov_search *search, uint32_t items,
			 const struct gov_kind *kind)
{
	uint32_t used = 0;

	for (uint32_t i = 0; items >> i; i++)
		if ((items & 1u << i) &&
		    gov_kind_uses(kind, search->kind->item[i].cell))
			used |= 1u << i;
	return used;
}

bool gov_search_own_helps(const struct gov_search *search,
			  const struct gov_shortage *s,
			  const struct gov_record *job)
{
	const struct gov_kind *kind = job->kind;
	uint32_t items = gov_search_wanted(search, s, job) |
			 (s->own & search->contended);

	if (kind->project == search->kind->project)
		items |= s->project & search->contended;
	if (kind->user_used == search->kind->user_used)
		items |= s->user & search->contended;
	return gov_search_used(search, items, kind);
}

uint32_t gov_search_over(const struct gov_search *search,
			 const struct gov_shortage *s, uint32_t team,
			 uint32_t common)
{
	const struct gov_tree *tree = search->books->tree;
	uint32_t items = (s->quota | s->nodes) & search->contended;

	for (uint32_t n = team; items && n != common; n = tree->parent[n])
		for (uint32_t i = 0; items >> i; i++)
			if ((items & 1u << i) &&
			    !gov_tree_borrowed(tree, n,
					       search->kind->item[i].cell))
				items &= ~(1u << i);
	return items;
}

/* ---- who may displace whom ---- */

static bool allowed(const struct gov_search *search, enum gov_preempt whom,
		    const struct gov_record *job)
{
	const struct gov_store *store = &search->books->store;

	return gov_may_preempt(whom, gov_kind_weight(store, search->kind),
			       search->since, gov_kind_weight(store, job->kind),
			       job->submitted);
}

enum gov_preempt gov_within_team(const struct gov_policy *policy,
				 const struct gov_kind *kind)
{
	enum gov_preempt whom = policy->unit[kind->team].preempt_within_team;

	if (kind->class < policy->class_count &&
	    policy->class[kind->class].preempt_set)
		whom = policy->class[kind->class].preempt_within_team;
	/*
	 * Who was displaced himself displaces lower classes only: otherwise
	 * jobs of one class could displace each other in a circle.
	 */
	if (kind->displaced && whom != GOV_PREEMPT_NEVER)
		whom = GOV_PREEMPT_LOWER;
	return whom;
}

bool gov_search_may_displace_own(const struct gov_search *search,
				 const struct gov_record *job)
{
	return allowed(search,
		       gov_within_team(search->books->policy, search->kind),
		       job);
}

bool gov_search_may_displace_other(const struct gov_search *search,
				   const struct gov_record *job)
{
	return allowed(search,
		       search->books->policy->unit[search->kind->team].reclaim,
		       job);
}

bool gov_search_protected(struct gov_search *search,
			  const struct gov_record *job, enum gov_rule rule)
{
	gov_time_t until = gov_protected_until(search->books->policy,
					       search->kind, job, rule);

	if (until <= search->now)
		return false;
	if (until < search->retry_at)
		search->retry_at = until;
	return true;
}

bool gov_search_spent(struct gov_search *search)
{
	if (++search->looked <= search->budget)
		return false;
	search->cut = true;
	return true;
}

/* ---- taking and putting back ---- */

static void take_out(struct gov_search *search, struct gov_record *job)
{
	job->taken = true;
	gov_books_release(search->books, job->kind);
	if (search->placing)
		gov_placing_take(search->placing, job->id);
}

int gov_search_take(struct gov_search *search, struct gov_record *job,
		    enum gov_rule rule)
{
	if (search->count == search->space) {
		size_t space = search->space ? 2 * search->space : 16;
		struct gov_victim *grown = reallocarray(search->victim, space,
							sizeof(*grown));

		if (!grown) {
			search->no_memory = true;
			return -1;
		}
		search->victim = grown;
		search->space = space;
	}
	search->victim[search->count++] = (struct gov_victim){ job, rule };
	take_out(search, job);
	return 0;
}

/* Still a victim, but back in the books. */
static void put_back(struct gov_search *search, size_t at)
{
	struct gov_record *job = search->victim[at].job;

	job->taken = false;
	gov_books_charge(search->books, job->kind);
	if (search->placing)
		gov_placing_put_back(search->placing, job->id);
}

void gov_search_restore(struct gov_search *search)
{
	for (size_t i = search->count; i-- > 0;)
		put_back(search, i);
}

/* Is what the victims of other teams hold the asker's to take back, by right
 * of its team or of a unit above it, with what is left of the victims gone? */
static bool takes_by_right(struct gov_search *search)
{
	const struct gov_tree *tree = search->books->tree;
	uint32_t advantage = search->advantage;
	bool right = true;

	search->advantage = gov_books_host(search->books, search->kind,
					   search->contended);
	for (size_t i = 0; i < search->count && right; i++) {
		const struct gov_victim *victim = &search->victim[i];

		if (victim->job && victim->rule == GOV_RULE_RECLAIM)
			right = gov_search_hosted_apart(
				search,
				gov_tree_common(tree, search->kind->team,
						victim->job->kind->team));
	}
	search->advantage = advantage;
	return right;
}

static bool is_enough(struct gov_search *search, bool may_borrow)
{
	struct gov_shortage s;

	gov_search_shortage(search, may_borrow, &s);
	if (gov_shortage_none(&s) || may_borrow || search->own_only)
		return gov_shortage_none(&s);
	/* Above its team's quota, but inside that of a unit above. */
	gov_search_shortage(search, true, &s);
	return gov_shortage_none(&s) && takes_by_right(search);
}

void gov_search_fill_back(struct gov_search *search, bool may_borrow)
{
	size_t kept = search->count;

	for (size_t i = search->count; i-- > 0;) {
		struct gov_victim *victim = &search->victim[i];
		struct gov_record *job = victim->job;

		put_back(search, i);
		victim->job = NULL;
		if (is_enough(search, may_borrow)) {
			kept--;
			continue;
		}
		victim->job = job;
		take_out(search, job);
	}
	for (size_t i = 0, to = 0; to < kept; i++)
		if (search->victim[i].job)
			search->victim[to++] = search->victim[i];
	search->count = kept;
}

void gov_search_settle(struct gov_search *search)
{
	if (search->placing)
		gov_placing_settle(search->placing);
}

bool gov_search_hosted_apart(const struct gov_search *search, uint32_t common)
{
	return search->advantage != GOV_NONE && search->advantage != common &&
	       gov_tree_above(search->books->tree, common, search->advantage);
}

bool gov_search_affordable(struct gov_search *search)
{
	const struct gov_policy *policy = search->books->policy;
	bool limited = policy->max_evict_ratio_all_rules;

	search->ratio_permille = gov_evict_ratio(search->kind,
						 search->contended,
						 search->victim, search->count);
	for (size_t i = 0; i < search->count; i++)
		limited |= search->victim[i].rule == GOV_RULE_FAIR_SHARE;
	if (!limited ||
	    search->ratio_permille <= policy->max_evict_ratio_permille)
		return true;
	search->rejected = true;
	return false;
}

/* ---- the search ---- */

static bool find(struct gov_search *search)
{
	/* Of an attempt before this one, and back in the books. */
	search->count = 0;
	return search->own_only || search->books->policy->idle_sharing ==
					   GOV_FIRST_COME ?
		       gov_victims_classical(search) :
		       gov_victims_fair(search);
}

/* Proposals before what is cheapest by amounts is tried. */
#define PLANS 4

/*
 * The asker lacks a place.  Jobs on the nodes that are cheapest to free go
 * first, if the rules let them; else whoever may, until there is a place.
 */
static bool find_placed(struct gov_search *search)
{
	bool found = false;

	if (!gov_victims_could_place(search))
		return false;
	for (int i = 0;
	     i < PLANS && !found && !search->cut && gov_victims_plan(search);
	     i++) {
		search->planned = true;
		found = find(search);
		search->planned = false;
		if (!found && !gov_search_pass_over(search))
			break;
	}
	return found || (!search->cut && !search->no_memory && find(search));
}

/* Items of its request that stand for these things of nodes. */
static uint32_t items_of(const struct gov_search *search, uint32_t lacks)
{
	const struct gov_policy *policy = search->books->policy;
	const struct gov_kind *kind = search->kind;
	uint32_t items = 0;

	for (uint32_t i = 0; i < kind->count; i++) {
		uint32_t tres = policy->cell[kind->item[i].cell].tres;

		for (uint32_t t = 0; t < GOV_PLACE_TRES; t++) {
			const char *name =
				gov_places_tres(search->placing->places, t);

			if ((lacks & 1u << t) && name &&
			    !strcasecmp(name, policy->tres[tres].name))
				items |= 1u << i;
		}
	}
	/* Of what it lacks nothing is counted: any of what is. */
	return items ? items : (1u << kind->count) - 1;
}

static void find_contended(struct gov_search *search)
{
	uint32_t lacks = search->placing ? gov_placing_lacks(search->placing) :
					   0;

	search->unplaced = lacks ? items_of(search, lacks) : 0;
	if (!search->contended)
		search->contended =
			search->own_only ?
				gov_books_borrowed_items(search->books,
							 search->kind) :
				gov_books_short(search->books, search->kind,
						GOV_LATER);
	search->contended |= search->unplaced;
}

bool gov_victims_find(struct gov_search *search)
{
	bool found = false;

	search->count = 0;
	search->cut = search->rejected = search->no_memory = false;
	search->retry_at = INT64_MAX;
	search->looked = 0;
	search->round++;
	if (!search->budget)
		search->budget = DEFAULT_BUDGET;
	find_contended(search);
	search->advantage = gov_books_host(search->books, search->kind,
					   search->contended);
	if (search->contended && search->kind->team != GOV_NONE)
		found = search->unplaced ? find_placed(search) : find(search);
	if (!found)
		search->count = 0;
	return found;
}
