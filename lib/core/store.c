/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of jobs, and the order that is kept among them. */
#include "core/store.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/hash.h"
#include "core/order.h"
#include "core/store_private.h"

/* Records come in chunks, so that a growing table never moves them. */
#define CHUNK 512

struct gov_chunk {
	struct gov_chunk *next;
	struct gov_record record[CHUNK];
};

int gov_store_init(struct gov_store *store, const struct gov_policy *policy)
{
	memset(store, 0, sizeof(*store));
	store->policy = policy;
	store->slot_count = store->kind_slot_count = 64;
	store->asker_slot_count = 64;
	store->slot = calloc(store->slot_count, sizeof(*store->slot));
	store->kind_slot = calloc(store->kind_slot_count,
				  sizeof(*store->kind_slot));
	store->asker_slot = calloc(store->asker_slot_count,
				   sizeof(*store->asker_slot));
	store->team = gov_array_new(policy->unit_count, sizeof(*store->team));
	if (store->slot && store->kind_slot && store->asker_slot && store->team)
		return 0;
	gov_store_free(store);
	return -1;
}

void gov_store_free(struct gov_store *store)
{
	struct gov_chunk *chunk;

	gov_store_free_kinds(store);
	gov_store_free_askers(store);
	while ((chunk = store->chunks)) {
		store->chunks = chunk->next;
		free(chunk);
	}
	free(store->slot);
	free(store->team);
	memset(store, 0, sizeof(*store));
}

/* ---- the table ---- */

static size_t home(const struct gov_store *store, uint64_t id)
{
	return gov_hash(id) & (store->slot_count - 1);
}

/* Slot that holds this id, or the empty one where it would go. */
static size_t locate(const struct gov_store *store, uint64_t id)
{
	size_t i = home(store, id);

	while (store->slot[i] && store->slot[i]->id != id)
		i = (i + 1) & (store->slot_count - 1);
	return i;
}

struct gov_record *gov_store_find(const struct gov_store *store, uint64_t id)
{
	return store->slot[locate(store, id)];
}

/* At most half full, so that probing stays short. */
static int grow(struct gov_store *store)
{
	struct gov_record **old = store->slot;
	size_t old_count = store->slot_count;

	if (2 * (store->count + 1) <= old_count)
		return 0;
	store->slot = calloc(2 * old_count, sizeof(*store->slot));
	if (!store->slot) {
		store->slot = old;
		return -1;
	}
	store->slot_count = 2 * old_count;
	for (size_t i = 0; i < old_count; i++)
		if (old[i])
			store->slot[locate(store, old[i]->id)] = old[i];
	free(old);
	return 0;
}

static struct gov_record *take_unused(struct gov_store *store)
{
	struct gov_record *job = store->unused;
	struct gov_chunk *chunk;

	if (!job) {
		chunk = malloc(sizeof(*chunk));
		if (!chunk)
			return NULL;
		chunk->next = store->chunks;
		store->chunks = chunk;
		for (size_t i = 0; i < CHUNK; i++)
			chunk->record[i].next = i + 1 < CHUNK ?
							&chunk->record[i + 1] :
							NULL;
		job = &chunk->record[0];
	}
	store->unused = job->next;
	memset(job, 0, sizeof(*job));
	return job;
}

struct gov_record *gov_store_add(struct gov_store *store, uint64_t id)
{
	struct gov_record *job;

	if (grow(store) || !(job = take_unused(store)))
		return NULL;
	job->id = id;
	store->slot[locate(store, id)] = job;
	store->count++;
	return job;
}

/* Empty a slot and close the gap in the run of slots behind it. */
static void clear_slot(struct gov_store *store, size_t gap)
{
	size_t mask = store->slot_count - 1, i = gap;

	store->slot[gap] = NULL;
	for (;;) {
		size_t wants;

		i = (i + 1) & mask;
		if (!store->slot[i])
			return;
		wants = home(store, store->slot[i]->id);
		/* Is the gap on the way from where it wants to be? */
		if (((i - wants) & mask) < ((i - gap) & mask))
			continue;
		store->slot[gap] = store->slot[i];
		store->slot[i] = NULL;
		gap = i;
	}
}

void gov_store_drop(struct gov_store *store, struct gov_record *job)
{
	gov_store_set_asker(store, job, 0);
	if (job->kind)
		gov_store_kind_unref(store, job->kind);
	clear_slot(store, locate(store, job->id));
	store->count--;
	job->next = store->unused;
	store->unused = job;
}

void gov_store_rename(struct gov_store *store, struct gov_record *job,
		      uint64_t id)
{
	clear_slot(store, locate(store, job->id));
	job->id = id;
	store->slot[locate(store, id)] = job;
}

/* ---- order ---- */

uint32_t gov_kind_weight(const struct gov_store *store,
			 const struct gov_kind *kind)
{
	return kind->class < store->policy->class_count ?
		       store->policy->class[kind->class].weight :
		       0;
}

gov_time_t gov_record_saved(const struct gov_record *job)
{
	if (job->state != GOV_JOB_RUNNING || !job->started)
		return INT64_MAX;
	return job->checkpoint > job->started ? job->checkpoint : job->started;
}

static double history_of(const struct gov_record *job)
{
	return job->kind->account ? job->kind->account->score : 0;
}

int gov_store_order_waiting(const struct gov_store *store,
			    const struct gov_record *a,
			    const struct gov_record *b)
{
	struct gov_waiting_rank x = {
		.history = history_of(a),
		.weight = gov_kind_weight(store, a->kind),
		.since = a->submitted,
		.id = a->id,
	};
	struct gov_waiting_rank y = {
		.history = history_of(b),
		.weight = gov_kind_weight(store, b->kind),
		.since = b->submitted,
		.id = b->id,
	};

	return gov_order_in_team(&x, &y, store->policy->task_order);
}

int gov_store_order_victims(const struct gov_store *store,
			    const struct gov_record *a,
			    const struct gov_record *b)
{
	struct gov_victim_rank x = {
		.weight = gov_kind_weight(store, a->kind),
		.saved = gov_record_saved(a),
		.id = a->id,
	};
	struct gov_victim_rank y = {
		.weight = gov_kind_weight(store, b->kind),
		.saved = gov_record_saved(b),
		.id = b->id,
	};

	return gov_order_victims(&x, &y);
}

static const struct gov_record *record_of(const struct gov_avl *node)
{
	return GOV_CONTAINER(node, struct gov_record, by);
}

static int by_age(const struct gov_avl *a, const struct gov_avl *b,
		  const void *store)
{
	return gov_store_order_waiting(store, record_of(a), record_of(b));
}

/* Scores of users may change while they are in. */
static int by_claim(const struct gov_avl *a, const struct gov_avl *b,
		    const void *store)
{
	const struct gov_record *x = record_of(a), *y = record_of(b);
	const struct gov_store *s = store;
	struct gov_waiting_rank first = {
		.weight = gov_kind_weight(s, x->kind),
		.since = x->submitted,
		.id = x->id,
	};
	struct gov_waiting_rank second = {
		.weight = gov_kind_weight(s, y->kind),
		.since = y->submitted,
		.id = y->id,
	};

	return gov_order_between_teams(&first, &second, s->policy->task_order);
}

static int by_victim(const struct gov_avl *a, const struct gov_avl *b,
		     const void *store)
{
	return gov_store_order_victims(store, record_of(a), record_of(b));
}

static int by_deadline(const struct gov_avl *a, const struct gov_avl *b,
		       const void *store)
{
	const struct gov_record *x = record_of(a), *y = record_of(b);

	(void) store;
	if (x->deadline != y->deadline)
		return x->deadline < y->deadline ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static int by_id(const struct gov_avl *a, const struct gov_avl *b,
		 const void *store)
{
	const struct gov_record *x = record_of(a), *y = record_of(b);

	(void) store;
	return (x->id > y->id) - (x->id < y->id);
}

static int by_head(const struct gov_avl *a, const struct gov_avl *b,
		   const void *store)
{
	return gov_store_order_waiting(
		store,
		gov_kind_head(GOV_CONTAINER(a, struct gov_kind, by_head)),
		gov_kind_head(GOV_CONTAINER(b, struct gov_kind, by_head)));
}

struct gov_record *gov_kind_head(const struct gov_kind *kind)
{
	struct gov_avl *first = gov_avl_first(&kind->waiting);

	return first ? GOV_CONTAINER(first, struct gov_record, by) : NULL;
}

/*
 * The kind stands in its team's queue where its head would.  It has to step
 * out while the head changes, and only then.
 */
static void enqueue(struct gov_store *store, struct gov_record *job)
{
	struct gov_kind *kind = job->kind;
	struct gov_team_jobs *team = &store->team[kind->team];
	const struct gov_record *head = gov_kind_head(kind);
	bool leads = !head || gov_store_order_waiting(store, job, head) < 0;

	if (head && leads)
		gov_avl_remove(&team->queue, &kind->by_head);
	gov_avl_insert(&kind->waiting, &job->by, by_age, store);
	if (leads)
		gov_avl_insert(&team->queue, &kind->by_head, by_head, store);
	kind->waiting_count++;
	team->waiting_count++;
}

static void dequeue(struct gov_store *store, struct gov_record *job)
{
	struct gov_kind *kind = job->kind;
	struct gov_team_jobs *team = &store->team[kind->team];
	bool leads = gov_kind_head(kind) == job;

	if (leads)
		gov_avl_remove(&team->queue, &kind->by_head);
	gov_avl_remove(&kind->waiting, &job->by);
	if (leads && kind->waiting.root)
		gov_avl_insert(&team->queue, &kind->by_head, by_head, store);
	kind->waiting_count--;
	team->waiting_count--;
}

bool gov_store_rescore(struct gov_store *store, struct gov_account *account,
		       double score)
{
	struct gov_kind *kind;
	bool waits = false;

	if (account->score == score)
		return false;
	for (kind = account->kinds; kind; kind = kind->akin)
		if (kind->waiting.root) {
			gov_avl_remove(&store->team[kind->team].queue,
				       &kind->by_head);
			waits = true;
		}
	account->score = score;
	for (kind = account->kinds; kind; kind = kind->akin)
		if (kind->waiting.root)
			gov_avl_insert(&store->team[kind->team].queue,
				       &kind->by_head, by_head, store);
	return waits;
}

/* The tree for its state other than a queue; NULL if there is none. */
static struct gov_avl_tree *tree_of(struct gov_store *store,
				    const struct gov_record *job,
				    gov_avl_order *order)
{
	switch (job->state) {
	case GOV_JOB_ADMITTED:
	case GOV_JOB_RUNNING:
		*order = by_victim;
		return job->kind->team == GOV_NONE ?
			       NULL :
			       &store->team[job->kind->team].charged;
	case GOV_JOB_RECLAIMING:
		*order = by_deadline;
		return job->stopped ? NULL : &store->deadlines;
	case GOV_JOB_CLAIMING:
		*order = job->on_surplus ? by_claim : by_id;
		return job->on_surplus ? &store->surplus : &store->ready;
	}
	return NULL;
}

static bool someone_leaves_for(const struct gov_store *store,
			       const struct gov_record *job)
{
	const struct gov_asker *asker = gov_store_asker(store, job->id);

	return asker && asker->reclaiming;
}

void gov_store_link(struct gov_store *store, struct gov_record *job)
{
	struct gov_avl_tree *tree;
	gov_avl_order order;

	if (job->state == GOV_JOB_WAITING) {
		if (job->behind || job->kind->team == GOV_NONE)
			return;
		enqueue(store, job);
		job->linked = true;
		return;
	}
	tree = tree_of(store, job, &order);
	if (!tree || (job->state == GOV_JOB_CLAIMING && !job->on_surplus &&
		      someone_leaves_for(store, job)))
		return;
	gov_avl_insert(tree, &job->by, order, store);
	job->linked = true;
}

void gov_store_unlink(struct gov_store *store, struct gov_record *job)
{
	gov_avl_order order;

	if (!job->linked)
		return;
	job->linked = false;
	if (job->state == GOV_JOB_WAITING)
		dequeue(store, job);
	else
		gov_avl_remove(tree_of(store, job, &order), &job->by);
}

struct gov_kind *gov_store_first_kind(const struct gov_store *store,
				      uint32_t team)
{
	struct gov_avl *node = gov_avl_first(&store->team[team].queue);

	return node ? GOV_CONTAINER(node, struct gov_kind, by_head) : NULL;
}

struct gov_kind *gov_kind_next(const struct gov_kind *kind)
{
	struct gov_avl *node = gov_avl_next(&kind->by_head);

	return node ? GOV_CONTAINER(node, struct gov_kind, by_head) : NULL;
}

struct gov_record *gov_store_first_charged(const struct gov_store *store,
					   uint32_t team)
{
	struct gov_avl *node = gov_avl_first(&store->team[team].charged);

	return node ? GOV_CONTAINER(node, struct gov_record, by) : NULL;
}

struct gov_record *gov_record_next(const struct gov_record *job)
{
	struct gov_avl *node = gov_avl_next(&job->by);

	return node ? GOV_CONTAINER(node, struct gov_record, by) : NULL;
}
