/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a job's place, and whether that is why it waits. */
#include "core/explain_private.h"

/* Is all of the chosen place free at this moment? */
static bool is_there(const struct gov_placing *placing)
{
	for (uint32_t i = 0; i < placing->spot_count; i++) {
		const struct gov_spot *spot = &placing->spot[i];
		const gov_amount_t *free = gov_places_free(placing->places,
							   spot->node);

		for (uint32_t t = 0; t < GOV_PLACE_TRES; t++)
			if (gov_shape_asks(placing->shape, t) &&
			    spot->amount[t] > free[t])
				return false;
	}
	return true;
}

/* Would it fit if no job were on its nodes? */
static bool fits_when_empty(const struct gov_placing *placing)
{
	uint64_t parts = 0;

	for (uint32_t i = 0; i < placing->ground_count; i++)
		parts += gov_placing_parts(
			placing,
			gov_places_node(placing->places,
					placing->ground[i].node)
				->has,
			0);
	return parts >= placing->shape->parts;
}

static enum gov_place_known look(struct gov_placing *placing)
{
	if (!gov_placing_fits(placing))
		return fits_when_empty(placing) ? GOV_PLACE_NONE :
						  GOV_PLACE_NEVER;
	gov_placing_settle(placing);
	return is_there(placing) ? GOV_PLACE_FREE : GOV_PLACE_LEAVING;
}

/* Its own place is not in its way. */
static const struct gov_placed *set_aside(struct gov_engine *engine,
					  uint64_t id)
{
	const struct gov_placed *placed = gov_places_find(engine->places, id);

	return placed && placed->held ? placed : NULL;
}

void gov_explain_place(struct gov_engine *engine, const struct gov_record *job,
		       struct gov_explanation *out)
{
	bool no_memory = false;
	struct gov_placing *placing;

	out->nodes_known = gov_places_node_count(engine->places) > 0;
	placing = gov_engine_placing(engine, job->kind, &no_memory);
	if (!placing)
		return;
	out->parts = placing->shape->parts;
	out->per_node = placing->shape->per_node;
	out->leaves = placing->shape->leaves;
	/* What is held for it is held because it will be there. */
	out->place = set_aside(engine, job->id) ? GOV_PLACE_LEAVING :
						  look(placing);
}

bool gov_explain_misplaced(struct gov_engine *engine,
			   const struct gov_record *job, gov_time_t now)
{
	struct gov_search *search = &engine->search;

	if (engine->reclaims_held ||
	    gov_engine_find_victims(engine, job->kind, job->submitted, now,
				    false))
		return false;
	if (!search->placing || search->cut || search->no_memory)
		return false;
	search->placing = NULL;
	search->contended = 0;
	return gov_victims_find(search);
}

struct gov_limit gov_explain_lack(struct gov_engine *engine,
				  const struct gov_record *job)
{
	const struct gov_policy *policy = engine->policy;
	struct gov_limit limit = { .kind = GOV_LIMIT_PLACE,
				   .unit = job->kind->team,
				   .cell = job->kind->item[0].cell };
	bool no_memory = false;
	struct gov_placing *placing = gov_engine_placing(engine, job->kind,
							 &no_memory);
	uint32_t lacks = placing ? gov_placing_lacks(placing) : 0;

	for (uint32_t i = 0; i < job->kind->count; i++) {
		uint32_t cell = job->kind->item[i].cell;
		const char *tres = policy->tres[policy->cell[cell].tres].name;

		for (uint32_t t = 0; t < GOV_PLACE_TRES; t++) {
			const char *name = gov_places_tres(engine->places, t);

			if (!(lacks & 1u << t) || !name ||
			    strcasecmp(name, tres))
				continue;
			limit.cell = cell;
			limit.asked = placing->shape->part[t] ?
					      placing->shape->part[t] :
					      placing->shape->node[t];
			limit.limit = placing->shape->parts;
		}
	}
	return limit;
}
