/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/places.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/hash.h"
#include "core/places_private.h"

/* ---- sets of nodes ---- */

#define BITS 64

static uint32_t words(uint32_t count)
{
	return count / BITS + 1;
}

struct gov_node_set *gov_node_set_create(const bool *member, uint32_t count)
{
	struct gov_node_set *set =
		calloc(1, sizeof(*set) + words(count) * sizeof(set->word[0]));

	if (!set)
		return NULL;
	set->references = 1;
	set->count = count;
	for (uint32_t i = 0; i < count; i++)
		if (member[i])
			set->word[i / BITS] |= UINT64_C(1) << (i % BITS);
	return set;
}

struct gov_node_set *gov_node_set_ref(struct gov_node_set *set)
{
	if (set)
		set->references++;
	return set;
}

void gov_node_set_unref(struct gov_node_set *set)
{
	if (set && !--set->references)
		free(set);
}

bool gov_node_set_has(const struct gov_node_set *set, uint32_t node)
{
	if (!set)
		return true;
	return node < set->count &&
	       (set->word[node / BITS] >> (node % BITS) & 1);
}

bool gov_node_set_same(const struct gov_node_set *a,
		       const struct gov_node_set *b)
{
	if (a == b)
		return true;
	return a && b && a->count == b->count &&
	       !memcmp(a->word, b->word, words(a->count) * sizeof(a->word[0]));
}

uint64_t gov_node_set_hash(const struct gov_node_set *set)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; set && i < words(set->count); i++)
		hash = gov_hash_add(hash, set->word[i]);
	return hash;
}

/* ---- life ---- */

struct gov_places *gov_places_create(void)
{
	struct gov_places *places = calloc(1, sizeof(*places));

	if (!places)
		return NULL;
	places->references = 1;
	places->slot_count = 64;
	places->slot = calloc(places->slot_count, sizeof(*places->slot));
	if (places->slot)
		return places;
	free(places);
	return NULL;
}

struct gov_places *gov_places_ref(struct gov_places *places)
{
	places->references++;
	return places;
}

static void forget_jobs(struct gov_places *places)
{
	struct gov_placed *job;

	for (size_t i = 0; i < places->slot_count; i++)
		while ((job = places->slot[i])) {
			places->slot[i] = job->next;
			free(job);
		}
	places->job_count = 0;
}

static void forget_nodes(struct gov_places *places)
{
	forget_jobs(places);
	free(places->node);
	free(places->free);
	free(places->on);
	places->node = NULL;
	places->free = NULL;
	places->on = NULL;
	places->node_count = places->tres_count = 0;
}

void gov_places_unref(struct gov_places *places)
{
	if (!places || --places->references)
		return;
	forget_nodes(places);
	gov_places_free_shapes(places);
	free(places->slot);
	free(places);
}

static void copy_names(struct gov_places *places, const char *const *tres,
		       uint32_t count)
{
	places->tres_count = count;
	for (uint32_t t = 0; t < count; t++) {
		size_t length = strlen(tres[t]);

		if (length >= GOV_PLACE_NAME)
			length = GOV_PLACE_NAME - 1;
		memcpy(places->tres[t], tres[t], length);
		places->tres[t][length] = '\0';
	}
}

int gov_places_set_nodes(struct gov_places *places,
			 const struct gov_place_node *node, uint32_t count,
			 const char *const *tres, uint32_t tres_count)
{
	forget_nodes(places);
	if (count > GOV_PLACE_NODES_MAX || tres_count > GOV_PLACE_TRES)
		return -1;
	places->node = gov_array_new(count, sizeof(*places->node));
	places->free = gov_array_new(count, sizeof(*places->free));
	places->on = gov_array_new(count, sizeof(*places->on));
	if (!places->node || !places->free || !places->on) {
		forget_nodes(places);
		return -1;
	}
	places->node_count = count;
	copy_names(places, tres, tres_count);
	for (uint32_t i = 0; i < count; i++) {
		places->node[i] = node[i];
		memcpy(places->free[i].amount, node[i].has,
		       sizeof(node[i].has));
	}
	return 0;
}

void gov_places_set_usable(struct gov_places *places, uint32_t node,
			   bool usable)
{
	if (node < places->node_count)
		places->node[node].usable = usable;
}

uint32_t gov_places_node_count(const struct gov_places *places)
{
	return places->node_count;
}

const struct gov_place_node *gov_places_node(const struct gov_places *places,
					     uint32_t node)
{
	return &places->node[node];
}

const char *gov_places_tres(const struct gov_places *places, uint32_t tres)
{
	return tres < places->tres_count ? places->tres[tres] : NULL;
}

/* ---- where jobs are ---- */

static struct gov_placed **slot_of(const struct gov_places *places, uint64_t id)
{
	return &places->slot[gov_hash(id) & (places->slot_count - 1)];
}

static struct gov_placed **find(const struct gov_places *places, uint64_t id)
{
	struct gov_placed **at = slot_of(places, id);

	while (*at && (*at)->id != id)
		at = &(*at)->next;
	return at;
}

/* Longer chains will do where there is no memory for shorter ones. */
static void grow(struct gov_places *places)
{
	size_t old_count = places->slot_count;
	struct gov_placed **old = places->slot, **slot, *job;

	if (places->job_count < old_count)
		return;
	slot = calloc(2 * old_count, sizeof(*slot));
	if (!slot)
		return;
	places->slot = slot;
	places->slot_count = 2 * old_count;
	for (size_t i = 0; i < old_count; i++)
		while ((job = old[i])) {
			struct gov_placed **to = slot_of(places, job->id);

			old[i] = job->next;
			job->next = *to;
			*to = job;
		}
	free(old);
}

/*
 * What jobs hold may be more than the node is said to have; what is then free
 * is nothing, and the sum must still come out when they leave.
 */
static void count_free(struct gov_places *places, uint32_t node)
{
	gov_amount_t *free = places->free[node].amount;

	memcpy(free, places->node[node].has, sizeof(places->node[node].has));
	for (const struct gov_place *p = places->on[node]; p; p = p->next)
		for (uint32_t t = 0; t < GOV_PLACE_TRES; t++)
			free[t] = gov_amount_sub(free[t], p->spot.amount[t]);
}

static void take_off(struct gov_places *places, struct gov_placed *job)
{
	for (uint32_t i = 0; i < job->count; i++) {
		struct gov_place *place = &job->place[i];

		*place->link = place->next;
		if (place->next)
			place->next->link = place->link;
		count_free(places, place->spot.node);
	}
}

static void put_on(struct gov_places *places, struct gov_placed *job,
		   const struct gov_spot *spot, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct gov_place *place = &job->place[job->count];
		struct gov_place **first;

		if (spot[i].node >= places->node_count)
			continue;
		first = &places->on[spot[i].node];
		job->count++;
		place->job = job;
		place->spot = spot[i];
		place->next = *first;
		place->link = first;
		if (*first)
			(*first)->link = &place->next;
		*first = place;
		count_free(places, spot[i].node);
	}
}

void gov_places_forget(struct gov_places *places, uint64_t id)
{
	struct gov_placed **at = find(places, id), *job = *at;

	if (!job)
		return;
	*at = job->next;
	places->job_count--;
	take_off(places, job);
	free(job);
}

void gov_places_let_go(struct gov_places *places, uint64_t id)
{
	const struct gov_placed *job = *find(places, id);

	if (job && job->held)
		gov_places_forget(places, id);
}

void gov_places_left(struct gov_places *places, uint64_t id)
{
	const struct gov_placed *job = *find(places, id);

	if (job && !job->held)
		gov_places_forget(places, id);
}

int gov_places_put(struct gov_places *places, uint64_t id,
		   const struct gov_spot *spot, size_t count, bool held)
{
	struct gov_placed *job, **at;

	gov_places_forget(places, id);
	if (!places->node_count || !count)
		return 0;
	if (count > UINT32_MAX)
		return -1;
	job = calloc(1, sizeof(*job) + count * sizeof(job->place[0]));
	if (!job)
		return -1;
	job->id = id;
	job->held = held;
	put_on(places, job, spot, count);
	grow(places);
	at = slot_of(places, id);
	job->next = *at;
	*at = job;
	places->job_count++;
	return 0;
}

void gov_places_rename(struct gov_places *places, uint64_t from, uint64_t to)
{
	struct gov_placed **at = find(places, from), *job = *at;

	if (!job || from == to)
		return;
	*at = job->next;
	job->id = to;
	at = slot_of(places, to);
	job->next = *at;
	*at = job;
}

const struct gov_placed *gov_places_find(const struct gov_places *places,
					 uint64_t id)
{
	return *find(places, id);
}

const struct gov_place *gov_places_on(const struct gov_places *places,
				      uint32_t node)
{
	return places->on[node];
}

const gov_amount_t *gov_places_free(const struct gov_places *places,
				    uint32_t node)
{
	return places->free[node].amount;
}
