/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/books.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

int gov_books_init(struct gov_books *books, const struct gov_policy *policy)
{
	memset(books, 0, sizeof(*books));
	books->policy = policy;
	books->tree = gov_tree_create(policy);
	books->drained = gov_array_new(policy->unit_count,
				       sizeof(*books->drained));
	if (books->tree && books->drained &&
	    !gov_store_init(&books->store, policy) &&
	    !gov_caps_init(&books->caps, policy) &&
	    !gov_usage_init(&books->usage, policy))
		return 0;
	gov_books_free(books);
	return -1;
}

void gov_books_free(struct gov_books *books)
{
	gov_tree_destroy(books->tree);
	gov_store_free(&books->store);
	gov_caps_free(&books->caps);
	gov_usage_free(&books->usage);
	free(books->drained);
	memset(books, 0, sizeof(*books));
}

struct gov_kind *gov_books_kind(struct gov_books *books,
				struct gov_kind_key *key)
{
	bool capped = gov_caps_by_user(books->policy, key->team);
	bool kept = key->team != GOV_NONE && gov_usage_is_kept(books->policy);
	struct gov_account *account = NULL;
	gov_amount_t *used = NULL;
	struct gov_kind *kind;

	if (capped &&
	    !(used = gov_caps_user(&books->caps, key->team, key->user)))
		return NULL;
	if (kept &&
	    !(account = gov_usage_account(&books->usage, key->team, key->user)))
		return NULL;
	if (!capped && !kept)
		key->user = GOV_NONE;
	kind = gov_store_kind(&books->store, key);
	if (!kind)
		return NULL;
	kind->user_used = used;
	gov_store_set_account(kind, account);
	return kind;
}

void gov_books_charge(struct gov_books *books, const struct gov_kind *kind)
{
	for (uint32_t i = 0; i < kind->count; i++)
		gov_tree_charge(books->tree, kind->team, kind->item[i].cell,
				kind->item[i].amount);
	gov_caps_charge(&books->caps, kind);
}

void gov_books_release(struct gov_books *books, const struct gov_kind *kind)
{
	for (uint32_t i = 0; i < kind->count; i++)
		gov_tree_release(books->tree, kind->team, kind->item[i].cell,
				 kind->item[i].amount);
	gov_caps_release(&books->caps, kind);
}

void gov_books_reserve(struct gov_books *books, const struct gov_kind *kind)
{
	for (uint32_t i = 0; i < kind->count; i++)
		gov_tree_reserve(books->tree, kind->team, kind->item[i].cell,
				 kind->item[i].amount);
}

void gov_books_unreserve(struct gov_books *books, const struct gov_kind *kind)
{
	for (uint32_t i = 0; i < kind->count; i++)
		gov_tree_unreserve(books->tree, kind->team, kind->item[i].cell,
				   kind->item[i].amount);
}

bool gov_books_overflow(const struct gov_books *books,
			const struct gov_kind *kind)
{
	for (uint32_t i = 0; i < kind->count; i++) {
		const struct gov_top *top =
			&books->tree->top[kind->item[i].cell];

		if (kind->item[i].amount >
		    GOV_AMOUNT_MAX - top->charged - top->leaving)
			return true;
	}
	return false;
}

bool gov_kind_may_borrow(const struct gov_policy *policy,
			 const struct gov_kind *kind)
{
	return !kind->no_borrow && (kind->class >= policy->class_count ||
				    policy->class[kind->class].may_borrow);
}

bool gov_books_may_borrow(const struct gov_books *books,
			  const struct gov_kind *kind)
{
	return gov_kind_may_borrow(books->policy, kind) &&
	       (kind->team >= books->policy->unit_count ||
		!books->drained[kind->team]);
}

/* What is left of the team's own quota. */
static gov_amount_t own_room(const struct gov_books *books, uint32_t team,
			     uint32_t cell)
{
	const struct gov_node *node = gov_tree_at(books->tree, team, cell);

	return node->counted ? gov_amount_sub(node->subtree, node->usage) :
			       GOV_UNLIMITED;
}

gov_amount_t gov_books_room(const struct gov_books *books,
			    const struct gov_kind *kind, uint32_t cell,
			    enum gov_when when)
{
	gov_amount_t room = when == GOV_NOW ?
				    gov_tree_free_now(books->tree, cell) :
				    gov_tree_free_later(books->tree, cell);

	room = gov_amount_min(room, gov_tree_available(books->tree, kind->team,
						       cell));
	room = gov_amount_min(room,
			      gov_caps_project_room(&books->caps, kind, cell));
	room = gov_amount_min(room,
			      gov_caps_user_room(&books->caps, kind, cell));
	if (!gov_books_may_borrow(books, kind))
		room = gov_amount_min(room, own_room(books, kind->team, cell));
	return room;
}

bool gov_books_fit(const struct gov_books *books, const struct gov_kind *kind,
		   enum gov_when when)
{
	for (uint32_t i = 0; i < kind->count; i++)
		if (kind->item[i].amount >
		    gov_books_room(books, kind, kind->item[i].cell, when))
			return false;
	return true;
}

uint32_t gov_books_short(const struct gov_books *books,
			 const struct gov_kind *kind, enum gov_when when)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < kind->count; i++)
		if (kind->item[i].amount >
		    gov_books_room(books, kind, kind->item[i].cell, when))
			bits |= 1u << i;
	return bits;
}

uint32_t gov_books_borrowed_items(const struct gov_books *books,
				  const struct gov_kind *kind)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < kind->count; i++)
		if (gov_tree_borrows_with(books->tree, kind->team,
					  kind->item[i].cell,
					  kind->item[i].amount))
			bits |= 1u << i;
	return bits;
}

/* The most that a job of the kind could ever be given in the cell. */
static gov_amount_t ceiling(const struct gov_books *books,
			    const struct gov_kind *kind, uint32_t cell)
{
	const struct gov_policy *policy = books->policy;
	const struct gov_node *node = gov_tree_at(books->tree, kind->team,
						  cell);
	gov_amount_t most = gov_tree_ceiling(books->tree, kind->team, cell);

	if (!gov_kind_may_borrow(policy, kind) && node->counted)
		most = gov_amount_min(most, node->subtree);
	most = gov_amount_min(most, gov_caps_project_max(policy, kind, cell));
	most = gov_amount_min(most, gov_caps_user_max(policy, kind, cell));
	if (kind->class < policy->class_count &&
	    policy->class[kind->class].max_per_job)
		most = gov_amount_min(
			most, policy->class[kind->class].max_per_job[cell]);
	return gov_amount_min(most, GOV_AMOUNT_MAX);
}

bool gov_books_never(const struct gov_books *books, const struct gov_kind *kind,
		     uint32_t *item)
{
	for (uint32_t i = 0; i < kind->count; i++) {
		if (kind->item[i].amount <=
		    ceiling(books, kind, kind->item[i].cell))
			continue;
		if (item)
			*item = i;
		return true;
	}
	return false;
}

uint32_t gov_books_level(const struct gov_books *books,
			 const struct gov_kind *kind)
{
	uint32_t highest = 0;

	for (uint32_t i = 0; i < kind->count; i++) {
		uint32_t level = gov_tree_level(books->tree, kind->team,
						kind->item[i].cell,
						kind->item[i].amount, NULL);

		if (level > highest)
			highest = level;
	}
	return highest;
}

uint32_t gov_books_host(const struct gov_books *books,
			const struct gov_kind *kind, uint32_t items)
{
	const struct gov_tree *tree = books->tree;
	gov_amount_t rest[GOV_REQUEST_MAX];

	for (uint32_t i = 0; i < kind->count; i++)
		rest[i] = kind->item[i].amount;
	for (uint32_t n = kind->team; n != GOV_NONE; n = tree->parent[n]) {
		bool hosts = true;

		for (uint32_t i = 0; i < kind->count; i++) {
			uint32_t cell = kind->item[i].cell;

			if (!(items & 1u << i))
				continue;
			hosts &= !gov_tree_borrows_with(tree, n, cell, rest[i]);
			rest[i] = gov_amount_sub(rest[i],
						 gov_tree_local_free(tree, n,
								     cell));
		}
		if (hosts)
			return n;
	}
	return GOV_NONE;
}
