/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is the dependency of a held job fulfilled?
 *
 * Slurm looks at the dependencies of held jobs only in its rare full passes
 * (a minute apart), but at those of others at once.  A job that waits for a
 * dependency is held, or it would start unjudged the moment the dependency is
 * fulfilled; so the governor looks itself.  Only what is certain counts: the
 * job is then released, and Slurm has the last word.
 */
#include <stdlib.h>
#include <string.h>

#include "slurmgovd/governor_private.h"

struct other {
	const struct gov_governor *g;
	const struct gov_tracked *job; /* the dependent one */
	uint32_t id;
	uint32_t task; /* GOV_NO_TASK: all of an array, or no array */
};

/* What is known of the job that is waited for. */
struct state {
	bool pending; /* (some of) it waits */
	bool ended;   /* all of it, epilog included */
	bool failed;  /* (some of) it */
};

static bool is_meant(const struct other *other, uint32_t id, uint32_t array_id,
		     uint32_t task)
{
	if (other->task != GOV_NO_TASK)
		return array_id == other->id && task == other->task;
	return id == other->id || array_id == other->id;
}

static void look_live(const struct other *other, struct state *state)
{
	const struct gov_governor *g = other->g;

	for (size_t i = 0; i < g->jobs.size; i++) {
		const struct gov_tracked *job = g->jobs.slot[i].value;
		const struct gov_job_record *r;
		uint32_t task;

		if (!g->jobs.slot[i].id)
			continue;
		r = job->record;
		task = r->array_task;
		/* A task that waits in the array's record is not split off. */
		if (gov_is_array(r) && r->array_id == other->id)
			task = other->task;
		if (!is_meant(other, r->id, r->array_id, task))
			continue;
		state->ended = false;
		state->pending |= r->state == GOV_SLURM_PENDING;
	}
}

static void look_ended(const struct other *other, struct state *state)
{
	const struct gov_idmap *map = &other->g->ended;

	for (size_t i = 0; i < map->size; i++) {
		const struct gov_ended *ended = map->slot[i].value;

		if (map->slot[i].id &&
		    is_meant(other, ended->id, ended->array_id,
			     ended->array_task))
			state->failed |= !ended->success;
	}
}

static bool fulfils(const struct other *other, const char *type, size_t length)
{
	struct state state = { .ended = true };

	look_live(other, &state);
	look_ended(other, &state);
	if (length == 5 && !strncmp(type, "after", 5))
		return !state.pending;
	if (length == 8 && !strncmp(type, "afterany", 8))
		return state.ended;
	if (length == 7 && !strncmp(type, "afterok", 7))
		return state.ended && !state.failed;
	if (length == 10 && !strncmp(type, "afternotok", 10))
		return state.ended && state.failed;
	return false;
}

/* No other job of the same user and name that runs or came before. */
static bool is_single(const struct gov_governor *g,
		      const struct gov_tracked *job)
{
	const struct gov_submission *own = &job->record->submission;

	for (size_t i = 0; own->name && i < g->jobs.size; i++) {
		const struct gov_tracked *other = g->jobs.slot[i].value;
		const struct gov_submission *s;

		if (!g->jobs.slot[i].id || other == job)
			continue;
		s = &other->record->submission;
		if (s->uid == own->uid && s->name &&
		    !strcmp(s->name, own->name) &&
		    (other->record->state == GOV_SLURM_RUNNING ||
		     other->record->completing || other->id < job->id))
			return false;
	}
	return own->name != NULL;
}

/* "afterok:12_3(unfulfilled)" */
static bool item_fulfilled(const struct gov_governor *g,
			   const struct gov_tracked *job, const char *item,
			   size_t length)
{
	struct other other = { .g = g, .job = job, .task = GOV_NO_TASK };
	const char *colon = memchr(item, ':', length);
	char *end;

	if (length >= 9 && !strncmp(item, "singleton", 9))
		return is_single(g, job);
	if (memmem(item, length, "(fulfilled)", 11))
		return true;
	if (!colon || !memmem(item, length, "(unfulfilled)", 13))
		return false;
	other.id = (uint32_t) strtoul(colon + 1, &end, 10);
	if (*end == '_' && end[1] == '*')
		end += 2;
	else if (*end == '_')
		other.task = (uint32_t) strtoul(end + 1, &end, 10);
	/* A delay ("after:12+5") is Slurm's to count. */
	if (*end != '(' || !other.id)
		return false;
	return fulfils(&other, item, (size_t) (colon - item));
}

bool gov_dependency_fulfilled(const struct gov_governor *g,
			      const struct gov_tracked *job)
{
	const char *text = job->record->submission.dependency;
	bool any = text && strchr(text, '?');

	if (!job->record->dependency_open)
		return true;
	if (!text || job->dependency_doubted)
		return false;
	while (*text) {
		size_t length = strcspn(text, ",?");
		bool fulfilled = item_fulfilled(g, job, text, length);

		if (fulfilled && any)
			return true;
		if (!fulfilled && !any)
			return false;
		text += length;
		text += *text != '\0';
	}
	return !any;
}

/* ---- jobs that have ended and are still in Slurm's list ---- */

bool gov_ended_note(struct gov_governor *g, struct gov_job_record *record)
{
	/* The ledger is told of it once it is known what is governed. */
	bool keep = !g->health.ready && record->started;

	struct gov_ended *ended = gov_idmap_get(&g->ended, record->id);

	if (!ended) {
		ended = calloc(1, sizeof(*ended));
		if (!ended || gov_idmap_put(&g->ended, record->id, ended)) {
			free(ended);
			return false; /* Slurm will tell, only later */
		}
	}
	gov_job_record_free(ended->record);
	*ended = (struct gov_ended){ .id = record->id,
				     .array_id = record->array_id,
				     .array_task = record->array_task,
				     .ended = record->ended,
				     .success = record->success,
				     .record = keep ? record : NULL };
	return keep;
}

static void free_ended(struct gov_ended *ended)
{
	if (ended)
		gov_job_record_free(ended->record);
	free(ended);
}

void gov_ended_forget(struct gov_governor *g, uint64_t id)
{
	free_ended(gov_idmap_remove(&g->ended, id));
}

void gov_ended_free(struct gov_governor *g)
{
	for (size_t i = 0; i < g->ended.size; i++)
		if (g->ended.slot[i].id)
			free_ended(g->ended.slot[i].value);
	gov_idmap_free(&g->ended);
}
