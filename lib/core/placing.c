/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/placing.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

#define ALL_TRES ((1u << GOV_PLACE_TRES) - 1)

void gov_placing_free(struct gov_placing *p)
{
	free(p->ground);
	free(p->ground_of);
	free(p->leaf);
	free(p->spot);
	memset(p, 0, sizeof(*p));
}

/* ---- what fits on a node ---- */

uint32_t gov_placing_parts(const struct gov_placing *p,
			   const gov_amount_t *free, uint32_t jobs)
{
	const struct gov_shape *shape = p->shape;
	uint64_t parts = shape->per_node && shape->per_node < shape->parts ?
				 shape->per_node :
				 shape->parts;

	if (shape->whole && jobs)
		return 0;
	for (uint32_t t = 0; t < GOV_PLACE_TRES; t++) {
		gov_amount_t rest = gov_amount_sub(free[t], shape->node[t]);

		if (!(p->tres & 1u << t))
			continue;
		if (free[t] < shape->node[t])
			return 0;
		if (shape->part[t])
			parts = gov_amount_min(parts, rest / shape->part[t]);
	}
	return (uint32_t) parts;
}

static void count_ground(struct gov_placing *p, struct gov_ground *ground)
{
	struct gov_leaf *leaf = &p->leaf[ground->leaf];

	leaf->parts -= ground->parts;
	leaf->nodes -= ground->parts > 0;
	ground->parts = gov_placing_parts(p, ground->free, ground->jobs);
	leaf->parts += ground->parts;
	leaf->nodes += ground->parts > 0;
}

/* ---- begin ---- */

static int make_space(struct gov_placing *p, uint32_t nodes)
{
	if (nodes <= p->node_space)
		return 0;
	gov_placing_free(p);
	p->ground = gov_array_new(nodes, sizeof(*p->ground));
	p->ground_of = gov_array_new(nodes, sizeof(*p->ground_of));
	p->leaf = gov_array_new(nodes + 1, sizeof(*p->leaf));
	p->spot = gov_array_new(nodes, sizeof(*p->spot));
	if (!p->ground || !p->ground_of || !p->leaf || !p->spot) {
		gov_placing_free(p);
		return -1;
	}
	p->node_space = nodes;
	return 0;
}

static bool is_leaving(const struct gov_store *store, uint64_t id,
		       uint64_t asker)
{
	const struct gov_record *job = gov_store_find(store, id);

	return job && job->state == GOV_JOB_RECLAIMING &&
	       (!asker || gov_record_asker(job) == asker);
}

/* All is free there, but for the jobs that stay. */
static void look_at(struct gov_placing *p, const struct gov_store *store,
		    uint64_t asker, struct gov_ground *ground)
{
	const struct gov_place *place = gov_places_on(p->places, ground->node);

	memcpy(ground->free, gov_places_node(p->places, ground->node)->has,
	       sizeof(ground->free));
	for (; place; place = place->next) {
		if (is_leaving(store, place->job->id, asker))
			continue;
		ground->jobs++;
		for (uint32_t t = 0; t < GOV_PLACE_TRES; t++)
			ground->free[t] = gov_amount_sub(ground->free[t],
							 place->spot.amount[t]);
	}
}

/* Index of the leaf of this number, added if it is new. */
static uint32_t leaf_of(struct gov_placing *p, uint32_t number)
{
	uint32_t i = p->leaf_count;

	/* Nodes come as a rule switch by switch: the last one first. */
	while (i && p->leaf[i - 1].number != number)
		i--;
	if (i)
		return i - 1;
	p->leaf[p->leaf_count] = (struct gov_leaf){ .number = number };
	return p->leaf_count++;
}

int gov_placing_begin(struct gov_placing *p, const struct gov_places *places,
		      const struct gov_store *store,
		      const struct gov_shape *shape, uint64_t asker)
{
	uint32_t nodes = gov_places_node_count(places);

	if (make_space(p, nodes))
		return -1;
	p->places = places;
	p->shape = shape;
	p->tres = ALL_TRES;
	p->ground_count = p->leaf_count = p->spot_count = 0;
	for (uint32_t n = 0; n < nodes; n++) {
		const struct gov_place_node *node = gov_places_node(places, n);
		struct gov_ground *ground = &p->ground[p->ground_count];

		p->ground_of[n] = 0;
		if (!node->usable || !gov_node_set_has(shape->allowed, n) ||
		    (shape->leaves && node->leaf == GOV_NONE))
			continue;
		*ground = (struct gov_ground){
			.node = n,
			.leaf = leaf_of(p, shape->leaves ? node->leaf : 0),
		};
		p->ground_of[n] = ++p->ground_count;
		look_at(p, store, asker, ground);
		count_ground(p, ground);
	}
	return 0;
}

/* ---- does it fit? ---- */

static bool is_enough(const struct gov_shape *shape, uint64_t parts,
		      uint32_t nodes)
{
	return parts >= shape->parts && nodes >= shape->nodes_min;
}

/* The leaf that takes most, after the one at `after`; GOV_NONE: no more. */
static uint32_t next_leaf(const struct gov_placing *p, uint32_t after)
{
	uint32_t best = GOV_NONE;

	for (uint32_t i = 0; i < p->leaf_count; i++) {
		const struct gov_leaf *leaf = &p->leaf[i], *last;

		if (leaf->shut)
			continue;
		last = after == GOV_NONE ? NULL : &p->leaf[after];
		if (last && (leaf->parts > last->parts ||
			     (leaf->parts == last->parts && i <= after)))
			continue;
		if (best == GOV_NONE || leaf->parts > p->leaf[best].parts)
			best = i;
	}
	return best;
}

uint64_t gov_placing_all(const struct gov_placing *p)
{
	uint64_t parts = 0;

	for (uint32_t i = 0; i < p->leaf_count; i++)
		if (!p->leaf[i].shut)
			parts += p->leaf[i].parts;
	return parts;
}

bool gov_placing_fits(const struct gov_placing *p)
{
	uint32_t most = p->shape->leaves ? p->shape->leaves : 1;
	uint32_t at = GOV_NONE, nodes = 0;
	uint64_t parts = 0;

	for (uint32_t i = 0; i < most; i++) {
		at = next_leaf(p, at);
		if (at == GOV_NONE)
			break;
		parts += p->leaf[at].parts;
		nodes += p->leaf[at].nodes;
		if (is_enough(p->shape, parts, nodes))
			return true;
	}
	return false;
}

static bool fits_as_if(struct gov_placing *p, uint32_t tres)
{
	bool fits;

	p->tres = tres;
	for (uint32_t i = 0; i < p->ground_count; i++)
		count_ground(p, &p->ground[i]);
	fits = gov_placing_fits(p);
	p->tres = ALL_TRES;
	return fits;
}

uint32_t gov_placing_lacks(struct gov_placing *p)
{
	uint32_t lacks = 0, needs = 0;

	if (gov_placing_fits(p))
		return 0;
	for (uint32_t t = 0; t < GOV_PLACE_TRES; t++) {
		if (!gov_shape_asks(p->shape, t))
			continue;
		needs |= 1u << t;
		if (!fits_as_if(p, 1u << t))
			lacks |= 1u << t;
	}
	(void) fits_as_if(p, ALL_TRES);
	return lacks ? lacks : needs ? needs : ALL_TRES;
}

/* ---- jobs leave and are back ---- */

static void move(struct gov_placing *p, uint64_t id, bool away)
{
	const struct gov_placed *job = gov_places_find(p->places, id);

	for (uint32_t i = 0; job && i < job->count; i++) {
		const struct gov_spot *spot = &job->place[i].spot;
		struct gov_ground *ground;

		if (!p->ground_of[spot->node])
			continue;
		ground = &p->ground[p->ground_of[spot->node] - 1];
		ground->jobs += away ? -1u : 1;
		for (uint32_t t = 0; t < GOV_PLACE_TRES; t++)
			ground->free[t] =
				away ? gov_amount_add(ground->free[t],
						      spot->amount[t]) :
				       gov_amount_sub(ground->free[t],
						      spot->amount[t]);
		count_ground(p, ground);
	}
}

void gov_placing_take(struct gov_placing *p, uint64_t id)
{
	move(p, id, true);
}

void gov_placing_put_back(struct gov_placing *p, uint64_t id)
{
	move(p, id, false);
}

bool gov_placing_helped_by(const struct gov_placing *p, uint64_t id)
{
	const struct gov_placed *job = gov_places_find(p->places, id);
	uint32_t most = p->shape->per_node;

	for (uint32_t i = 0; job && i < job->count; i++) {
		uint32_t at = p->ground_of[job->place[i].spot.node];

		if (at && (!most || p->ground[at - 1].parts < most))
			return true;
	}
	return false;
}

/* ---- where it goes ---- */

/* Has it been freed, now or by those who are leaving? */
static bool is_freed(const struct gov_placing *p,
		     const struct gov_ground *ground)
{
	const gov_amount_t *now = gov_places_free(p->places, ground->node);

	for (uint32_t t = 0; t < GOV_PLACE_TRES; t++)
		if (gov_shape_asks(p->shape, t) && ground->free[t] > now[t])
			return true;
	return false;
}

/* What is free of the last thing that it needs: as a rule the GPUs. */
static gov_amount_t last_free(const struct gov_placing *p,
			      const struct gov_ground *ground)
{
	for (uint32_t t = GOV_PLACE_TRES; t-- > 0;)
		if (p->shape->part[t])
			return ground->free[t];
	return 0;
}

/* A leaf that does alone: rather one that was freed, then the tightest. */
static uint32_t leaf_alone(const struct gov_placing *p)
{
	uint32_t best = GOV_NONE;
	bool best_freed = false;

	for (uint32_t i = 0; i < p->leaf_count; i++) {
		const struct gov_leaf *leaf = &p->leaf[i];
		bool freed = false;

		if (leaf->shut ||
		    !is_enough(p->shape, leaf->parts, leaf->nodes))
			continue;
		for (uint32_t g = 0; g < p->ground_count && !freed; g++)
			freed = p->ground[g].leaf == i && p->ground[g].parts &&
				is_freed(p, &p->ground[g]);
		if (best == GOV_NONE || freed > best_freed ||
		    (freed == best_freed &&
		     leaf->parts < p->leaf[best].parts)) {
			best = i;
			best_freed = freed;
		}
	}
	return best;
}

/* Which leaves are used. */
static void open_leaves(struct gov_placing *p)
{
	uint32_t alone = leaf_alone(p), at = GOV_NONE, nodes = 0;
	uint64_t parts = 0;

	for (uint32_t i = 0; i < p->leaf_count; i++)
		p->leaf[i].open = i == alone;
	if (alone != GOV_NONE)
		return;
	while (!is_enough(p->shape, parts, nodes)) {
		at = next_leaf(p, at);
		if (at == GOV_NONE)
			return;
		parts += p->leaf[at].parts;
		nodes += p->leaf[at].nodes;
		p->leaf[at].open = true;
	}
}

/* While they are sorted, amounts of a spot say how good its node is. */
enum { NOT_FREED, FREE, PARTS };

static int by_use(const void *a, const void *b)
{
	const struct gov_spot *x = a, *y = b;

	for (int i = NOT_FREED; i <= FREE; i++)
		if (x->amount[i] != y->amount[i])
			return x->amount[i] < y->amount[i] ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static void collect(struct gov_placing *p)
{
	p->spot_count = 0;
	for (uint32_t i = 0; i < p->ground_count; i++) {
		const struct gov_ground *ground = &p->ground[i];
		struct gov_spot *spot = &p->spot[p->spot_count];

		if (!ground->parts || !p->leaf[ground->leaf].open)
			continue;
		p->spot_count++;
		spot->node = ground->node;
		spot->amount[NOT_FREED] = !is_freed(p, ground);
		spot->amount[FREE] = last_free(p, ground);
		spot->amount[PARTS] = ground->parts;
	}
	qsort(p->spot, p->spot_count, sizeof(*p->spot), by_use);
}

/* So many parts of the shape on the node of the spot. */
static void fill(struct gov_placing *p, struct gov_spot *spot, uint64_t parts)
{
	const struct gov_shape *shape = p->shape;
	const struct gov_place_node *node = gov_places_node(p->places,
							    spot->node);

	for (uint32_t t = 0; t < GOV_PLACE_TRES; t++)
		spot->amount[t] =
			shape->whole ?
				node->has[t] :
				gov_amount_add(shape->node[t],
					       gov_amount_scale(shape->part[t],
								parts, 1));
}

void gov_placing_settle(struct gov_placing *p)
{
	uint64_t left = p->shape->parts, used = 0;
	uint64_t nodes = p->shape->nodes_min ? p->shape->nodes_min : 1;

	open_leaves(p);
	collect(p);
	for (; used < p->spot_count && left; used++) {
		struct gov_spot *spot = &p->spot[used];
		uint64_t later = nodes > used + 1 ? nodes - used - 1 : 0;
		uint64_t parts = gov_amount_min(spot->amount[PARTS],
						left > later ? left - later :
							       1);

		fill(p, spot, parts);
		left -= gov_amount_min(parts, left);
	}
	p->spot_count = (uint32_t) used;
}
