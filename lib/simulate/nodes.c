/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulate/nodes.h"

#include <stdlib.h>

#define NONE UINT32_MAX

/* Nodes with the same free amount hang together: index by free amount. */
struct node {
	uint32_t free;
	uint32_t next;
	uint32_t previous;
};

/* What one placement holds on one node; a list per placement. */
struct slice {
	uint32_t node;
	uint32_t amount;
	uint32_t next;
};

struct gov_nodes {
	uint32_t count;
	uint32_t size;
	uint64_t used;
	struct node *node;
	uint32_t *bucket; /* first node with this free amount */
	uint32_t *bucket_count;
	struct slice *slice;
	uint32_t slice_space;
	uint32_t slice_free; /* list of unused slices */
};

static void unlink_node(struct gov_nodes *nodes, uint32_t at)
{
	struct node *node = &nodes->node[at];

	if (node->previous == NONE)
		nodes->bucket[node->free] = node->next;
	else
		nodes->node[node->previous].next = node->next;
	if (node->next != NONE)
		nodes->node[node->next].previous = node->previous;
	nodes->bucket_count[node->free]--;
}

static void link_node(struct gov_nodes *nodes, uint32_t at, uint32_t free)
{
	struct node *node = &nodes->node[at];

	node->free = free;
	node->previous = NONE;
	node->next = nodes->bucket[free];
	if (node->next != NONE)
		nodes->node[node->next].previous = at;
	nodes->bucket[free] = at;
	nodes->bucket_count[free]++;
}

struct gov_nodes *gov_nodes_create(uint32_t count, uint32_t size)
{
	struct gov_nodes *nodes;

	if (!size || size > GOV_NODE_SIZE_MAX)
		return NULL;
	nodes = calloc(1, sizeof(*nodes));
	if (!nodes)
		return NULL;
	nodes->count = count;
	nodes->size = size;
	nodes->slice_free = NONE;
	nodes->node = calloc(count ? count : 1, sizeof(*nodes->node));
	nodes->bucket = malloc((size + 1) * sizeof(*nodes->bucket));
	nodes->bucket_count = calloc(size + 1, sizeof(*nodes->bucket_count));
	if (!nodes->node || !nodes->bucket || !nodes->bucket_count) {
		gov_nodes_destroy(nodes);
		return NULL;
	}
	for (uint32_t i = 0; i <= size; i++)
		nodes->bucket[i] = NONE;
	for (uint32_t i = count; i-- > 0;)
		link_node(nodes, i, size);
	return nodes;
}

void gov_nodes_destroy(struct gov_nodes *nodes)
{
	if (!nodes)
		return;
	free(nodes->node);
	free(nodes->bucket);
	free(nodes->bucket_count);
	free(nodes->slice);
	free(nodes);
}

static int reserve_slices(struct gov_nodes *nodes)
{
	uint32_t space = nodes->slice_space ? nodes->slice_space * 2 : 256;
	struct slice *grown;

	grown = reallocarray(nodes->slice, space, sizeof(*grown));
	if (!grown)
		return -1;
	for (uint32_t i = space; i-- > nodes->slice_space;) {
		grown[i].next = nodes->slice_free;
		nodes->slice_free = i;
	}
	nodes->slice = grown;
	nodes->slice_space = space;
	return 0;
}

/* Take amount on a node and put the slice in front of *list. */
static int take(struct gov_nodes *nodes, uint32_t at, uint32_t amount,
		uint32_t *list)
{
	uint32_t slice;

	if (nodes->slice_free == NONE && reserve_slices(nodes))
		return -1;
	slice = nodes->slice_free;
	nodes->slice_free = nodes->slice[slice].next;
	nodes->slice[slice] = (struct slice){ at, amount, *list };
	*list = slice;
	unlink_node(nodes, at);
	link_node(nodes, at, nodes->node[at].free - amount);
	nodes->used += amount;
	return 0;
}

/* Is the node among these slices? */
static bool has_node(const struct gov_nodes *nodes, uint32_t list, uint32_t at)
{
	for (; list != NONE; list = nodes->slice[list].next)
		if (nodes->slice[list].node == at)
			return true;
	return false;
}

/*
 * Best fit: the node with the least free that takes the amount, and that the
 * placement does not use already.
 */
static uint32_t best_fit(const struct gov_nodes *nodes, uint32_t amount,
			 uint32_t list)
{
	for (uint32_t free = amount; free <= nodes->size; free++)
		for (uint32_t at = nodes->bucket[free]; at != NONE;
		     at = nodes->node[at].next)
			if (!has_node(nodes, list, at))
				return at;
	return NONE;
}

static void give_back(struct gov_nodes *nodes, uint32_t list)
{
	while (list != NONE) {
		struct slice slice = nodes->slice[list];

		unlink_node(nodes, slice.node);
		link_node(nodes, slice.node,
			  nodes->node[slice.node].free + slice.amount);
		nodes->used -= slice.amount;
		nodes->slice[list].next = nodes->slice_free;
		nodes->slice_free = list;
		list = slice.next;
	}
}

/* Spread evenly over `wanted` distinct nodes. */
static int64_t place_equal(struct gov_nodes *nodes, uint64_t amount,
			   uint32_t wanted)
{
	uint32_t list = NONE, share, rest;

	share = (uint32_t) (amount / wanted);
	rest = (uint32_t) (amount % wanted);
	for (uint32_t i = 0; i < wanted; i++) {
		uint32_t part = share + (i < rest);
		uint32_t at = best_fit(nodes, part, list);

		if (at == NONE || take(nodes, at, part, &list)) {
			give_back(nodes, list);
			return at == NONE ? 0 : -1;
		}
	}
	return (int64_t) list + 1;
}

static int64_t place_packed(struct gov_nodes *nodes, uint64_t amount)
{
	uint64_t whole = amount / nodes->size;
	uint32_t part = (uint32_t) (amount % nodes->size);
	uint32_t list = NONE;

	if (nodes->bucket_count[nodes->size] < whole)
		return 0;
	for (uint64_t i = 0; i < whole; i++)
		if (take(nodes, nodes->bucket[nodes->size], nodes->size,
			 &list)) {
			give_back(nodes, list);
			return -1;
		}
	if (part) {
		uint32_t at = best_fit(nodes, part, NONE);

		if (at == NONE || take(nodes, at, part, &list)) {
			give_back(nodes, list);
			return at == NONE ? 0 : -1;
		}
	}
	return list == NONE ? 0 : (int64_t) list + 1;
}

/* On how many nodes it is spread evenly; 0: packed. */
static uint32_t spread(const struct gov_nodes *nodes, uint64_t amount,
		       uint32_t wanted)
{
	if (wanted > amount)
		wanted = (uint32_t) amount;
	if (wanted < 2 || amount > (uint64_t) wanted * nodes->size)
		return 0;
	return wanted;
}

bool gov_nodes_can(const struct gov_nodes *nodes, uint64_t amount,
		   uint32_t wanted)
{
	return amount && amount <= (uint64_t) nodes->count * nodes->size &&
	       spread(nodes, amount, wanted) <= nodes->count;
}

int64_t gov_nodes_place(struct gov_nodes *nodes, uint64_t amount,
			uint32_t wanted)
{
	if (!gov_nodes_can(nodes, amount, wanted))
		return 0;
	wanted = spread(nodes, amount, wanted);
	return wanted ? place_equal(nodes, amount, wanted) :
			place_packed(nodes, amount);
}

void gov_nodes_release(struct gov_nodes *nodes, int64_t placement)
{
	if (placement > 0)
		give_back(nodes, (uint32_t) (placement - 1));
}

uint64_t gov_nodes_used(const struct gov_nodes *nodes)
{
	return nodes->used;
}
