/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where jobs are on nodes, what they need of nodes, and for which of them
 * Slurm finds no place.
 */
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "slurmgovd/log.h"
#include "slurmgovd/places_private.h"

/*
 * Slurm is given this long to start a job that may start before it is asked
 * whether others are in its way; milliseconds.
 */
#define PATIENCE 5000

/* ---- what it needs ---- */

/* What its request does not say in numbers. */
static const char *odd_wish(const struct gov_job_record *record)
{
	if (record->het_id)
		return "it is part of a heterogeneous job";
	if (record->submission.reservation)
		return "it runs in a reservation";
	if (record->odd)
		return "it asks for contiguous nodes, spare cores or the like";
	return NULL;
}

static bool set_gpus(const struct gov_places_map *map,
		     const struct gov_request_shape *asked,
		     struct gov_shape *shape)
{
	uint32_t type = PLACE_GPU;

	if (asked->gpu_type[0])
		type = gov_place_type_of(map, asked->gpu_type);
	if (type == GOV_NONE)
		return false;
	shape->part[type] = asked->gpus;
	return true;
}

/* Nodes that must be among its own: known only where these are all. */
static bool list_is_all(const struct gov_tracked *job,
			const struct gov_request_shape *asked)
{
	const char *list = job->record->submission.nodelist;
	char **names = NULL;
	long count;

	if (!list)
		return true;
	count = gov_hostlist_expand(list, &names, NULL);
	gov_hostlist_free(names, count);
	return asked->per_node == 1 && count == (long) asked->parts;
}

/* Fills all of shape but a reference of its set.  false: *unknown says why, or
 * there is no memory. */
static bool make_shape(struct gov_governor *g, const struct gov_tracked *job,
		       struct gov_shape *shape, const char **unknown)
{
	const struct gov_job_record *record = job->record;
	struct gov_node_shape node;
	struct gov_request_shape asked;
	struct gov_submission s;

	*unknown = odd_wish(record);
	if (*unknown)
		return false;
	gov_complete_submission(g, &record->submission, job->pool, &s, &node);
	if (gov_request_shape(&s, g->policy, job->pool, &node, &asked)) {
		*unknown = asked.unknown;
		return false;
	}
	*shape = (struct gov_shape){
		.parts = (uint32_t) asked.parts,
		.per_node = (uint32_t) asked.per_node,
		.nodes_min = (uint32_t) asked.nodes_min,
		.leaves = record->switches,
		.whole = asked.whole,
		.part = { [PLACE_CPU] = asked.cpus,
			  [PLACE_MEM] = asked.memory },
		.node = { [PLACE_CPU] = asked.node_cpus,
			  [PLACE_MEM] = asked.node_memory },
	};
	*unknown = "a type of GPU that no node has, or a list of nodes";
	if (!set_gpus(g->map, &asked, shape) || !list_is_all(job, &asked))
		return false;
	*unknown = NULL;
	shape->allowed = gov_place_allowed(g, job, unknown);
	return shape->allowed;
}

/* Switches are asked for, and where nodes hang is not known. */
static bool leaves_unknown(const struct gov_governor *g)
{
	for (uint32_t i = 0; i < g->map->machine->node_count; i++)
		if (g->map->machine->node[i].leaf != GOV_NONE)
			return false;
	return true;
}

uint32_t gov_shape_of(struct gov_governor *g, struct gov_tracked *job)
{
	struct gov_shape shape;

	job->place_unknown = NULL;
	if (!g->map || !g->shape || job->pool == GOV_NONE ||
	    !make_shape(g, job, &shape, &job->place_unknown))
		return 0;
	if (shape.leaves && leaves_unknown(g)) {
		job->place_unknown = "it asks for switches, and none are known";
		return 0;
	}
	return gov_engine_shape(g->engine, &shape);
}

/* ---- where it is ---- */

static gov_amount_t each(gov_amount_t amount, long nodes)
{
	return (amount + (gov_amount_t) nodes - 1) / (gov_amount_t) nodes;
}

static int add_alloc(const struct gov_tres_entry *entry, void *arg)
{
	gov_amount_t *amount = arg;

	if (!strcmp(entry->name, "cpu"))
		amount[PLACE_CPU] = entry->amount;
	if (!strcmp(entry->name, "mem"))
		amount[PLACE_MEM] = entry->amount;
	return 0;
}

/* What it holds on each of its nodes; GPUs are told node by node. */
static void fill_spots(const struct gov_places_map *map,
		       const struct gov_job_record *record, char **names,
		       struct gov_spot *spot, long count)
{
	bool detailed = record->gres_detail_count == (uint64_t) count;
	gov_amount_t sum[GOV_PLACE_TRES] = { 0 };

	gov_tres_walk(record->tres_alloc, add_alloc, sum, NULL);
	if (!detailed)
		gov_place_add_gpus(map, record->tres_alloc, sum);
	for (long i = 0; i < count; i++) {
		spot[i].node = gov_place_node_of(map, names[i]);
		for (uint32_t t = 0; t < GOV_PLACE_TRES; t++)
			spot[i].amount[t] =
				sum[t] > GOV_AMOUNT_MAX - (uint64_t) count ?
					sum[t] :
					each(sum[t], count);
		if (detailed)
			gov_place_add_gpus(map, record->gres_detail[i],
					   spot[i].amount);
	}
}

/* Spots that are found, of one record after the other. */
struct found {
	struct gov_spot *spot;
	size_t count;
};

/* -1: no memory. */
static int find_spots(const struct gov_governor *g,
		      const struct gov_job_record *record, struct found *found)
{
	char **names = NULL;
	struct gov_spot *grown = NULL;
	long count;

	if (!record->nodes || !record->tres_alloc)
		return 0;
	count = gov_hostlist_expand(record->nodes, &names, NULL);
	if (count > 0)
		grown = reallocarray(found->spot, found->count + (size_t) count,
				     sizeof(*grown));
	if (grown) {
		found->spot = grown;
		fill_spots(g->map, record, names, grown + found->count, count);
		found->count += (size_t) count;
	}
	gov_hostlist_free(names, count);
	return count > 0 && !grown ? -1 : 0;
}

/* The head of a het job is where all of its components are. */
static void tell_spots(struct gov_governor *g, struct gov_tracked *job)
{
	struct gov_tracked **part = &job;
	size_t parts = gov_het_parts(g, job, &part);
	struct found found = { 0 };
	int rc = 0;

	for (size_t i = 0; i < (parts ? parts : 1); i++)
		rc |= find_spots(g, gov_het_own(part[i]), &found);
	rc |= gov_engine_place(g->engine, job->id, found.spot, found.count);
	if (rc)
		gov_log(GOV_LOG_ENGINE, GOV_LOG_ERROR,
			"no memory for the place of job %u", job->record->id);
	free(found.spot);
}

void gov_hold_places(struct gov_governor *g)
{
	if (g->map && gov_engine_hold_places(g->engine))
		gov_log(GOV_LOG_ENGINE, GOV_LOG_ERROR,
			"no memory for the places that are held");
}

/* ---- who waits for a place ---- */

void gov_leave_line(struct gov_governor *g, struct gov_tracked *job)
{
	struct gov_tracked **at = &g->line;

	if (!job->lined)
		return;
	while (*at != job)
		at = &(*at)->next_in_line;
	*at = job->next_in_line;
	job->lined = false;
	job->in_line = 0;
	gov_engine_unplaced(g->engine, job->id, false);
}

static bool waits_for_place(const struct gov_governor *g,
			    const struct gov_tracked *job)
{
	const struct gov_job_record *record = job->record;
	const struct gov_job *known;

	if (record->state != GOV_SLURM_PENDING || record->completing ||
	    record->held || record->reason != GOV_REASON_PLACE)
		return false;
	known = gov_engine_job(g->engine, job->id);
	return known && known->state == GOV_JOB_ADMITTED && known->shape;
}

static void note_line(struct gov_governor *g, struct gov_tracked *job,
		      struct gov_now now)
{
	if (!waits_for_place(g, job)) {
		gov_leave_line(g, job);
		return;
	}
	if (job->lined)
		return;
	job->lined = true;
	job->in_line = now.mono;
	job->next_in_line = g->line;
	g->line = job;
	if (now.mono + PATIENCE < g->next_place)
		g->next_place = now.mono + PATIENCE;
}

void gov_watch_line(struct gov_governor *g, struct gov_now now)
{
	struct gov_tracked *job, *next;

	if (now.mono < g->next_place)
		return;
	g->next_place = INT64_MAX;
	for (job = g->line; job; job = next) {
		next = job->next_in_line;
		if (!waits_for_place(g, job))
			gov_leave_line(g, job);
		else if (job->in_line + PATIENCE <= now.mono)
			gov_engine_unplaced(g->engine, job->id, true);
		else if (job->in_line + PATIENCE < g->next_place)
			g->next_place = job->in_line + PATIENCE;
	}
}

void gov_tell_place(struct gov_governor *g, struct gov_tracked *job,
		    struct gov_now now)
{
	const struct gov_job_record *record = job->record;

	if (!g->map)
		return;
	if (record->state == GOV_SLURM_PENDING && !record->completing)
		note_line(g, job, now);
	else
		tell_spots(g, job);
}
