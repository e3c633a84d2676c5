/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/jobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "slurm/compat.h"
#include "slurm/flatten.h"

/* What the previous load showed: one entry a job, sorted by id. */
struct seen {
	uint64_t id;
	uint64_t hash;
};

struct gov_job_list {
	struct seen *seen;
	size_t count;
	time_t updated; /* slurmctld's stamp of the last load */
	bool known;	/* false: report everything */
};

struct gov_job_list *gov_job_list_create(void)
{
	/* Task lists of arrays must never be cut, see record.h. */
	setenv("SLURM_BITSTR_LEN", "0", 1);
	return calloc(1, sizeof(struct gov_job_list));
}

void gov_job_list_destroy(struct gov_job_list *list)
{
	if (!list)
		return;
	free(list->seen);
	free(list);
}

void gov_job_list_forget(struct gov_job_list *list)
{
	list->known = false;
	list->updated = 0;
}

void gov_job_changes_free(struct gov_job_changes *changes)
{
	for (size_t i = 0; i < changes->changed_count; i++)
		gov_job_record_free(changes->changed[i]);
	free(changes->changed);
	free(changes->gone);
	*changes = (struct gov_job_changes){ 0 };
}

static int by_id(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static const struct seen *find(const struct gov_job_list *list, uint64_t id)
{
	struct seen key = { .id = id };

	if (!list->known || !list->count)
		return NULL;
	return bsearch(&key, list->seen, list->count, sizeof(key), by_id);
}

static int add_changed(struct gov_job_changes *changes,
		       const struct gov_job_record *record)
{
	struct gov_job_record *copy = gov_job_record_copy(record);

	if (!copy)
		return -1;
	changes->changed[changes->changed_count++] = copy;
	return 0;
}

/* Ids of the old list that the new one lacks; both are sorted. */
static void add_gone(struct gov_job_changes *changes,
		     const struct gov_job_list *old, const struct seen *now,
		     size_t count)
{
	size_t j = 0;

	for (size_t i = 0; old->known && i < old->count; i++) {
		while (j < count && now[j].id < old->seen[i].id)
			j++;
		if (j == count || now[j].id != old->seen[i].id)
			changes->gone[changes->gone_count++] = old->seen[i].id;
	}
}

static int compare(struct gov_job_list *list, const job_info_msg_t *message,
		   struct gov_job_changes *changes)
{
	size_t count = message->record_count;
	struct seen *now = calloc(count + 1, sizeof(*now));

	changes->changed = calloc(count + 1, sizeof(*changes->changed));
	changes->gone = calloc(list->count + 1, sizeof(*changes->gone));
	changes->complete = !list->known;
	changes->total = count;
	if (!now || !changes->changed || !changes->gone)
		goto fail;
	for (size_t i = 0; i < count; i++) {
		struct gov_job_record record;
		const struct seen *before;

		gov_flatten_job(&message->job_array[i], &record);
		now[i].id = record.id;
		now[i].hash = gov_hash_job(&record);
		before = find(list, record.id);
		if (before && before->hash == now[i].hash)
			continue;
		if (add_changed(changes, &record))
			goto fail;
	}
	qsort(now, count, sizeof(*now), by_id);
	add_gone(changes, list, now, count);
	free(list->seen);
	list->seen = now;
	list->count = count;
	list->known = true;
	return 0;
fail:
	free(now);
	return -1;
}

/*
 * slurm_free_job_info_msg() of 22.05 forgets these: with every look at the job
 * list each job's stamp would be lost.  Where it does not, it finds NULL.
 */
static void free_message(job_info_msg_t *message)
{
	for (uint32_t i = 0; i < message->record_count; i++) {
		slurm_job_info_t *job = &message->job_array[i];

		gov_slurm_free(job->admin_comment);
		gov_slurm_free(job->cluster_features);
		gov_slurm_free(job->container);
		job->admin_comment = NULL;
		job->cluster_features = NULL;
		job->container = NULL;
	}
	slurm_free_job_info_msg(message);
}

int gov_job_list_load(struct gov_job_list *list,
		      struct gov_job_changes *changes, struct gov_error *error)
{
	job_info_msg_t *message = NULL;
	int rc;

	*changes = (struct gov_job_changes){ 0 };
	errno = 0;
	if (slurm_load_jobs(list->known ? list->updated : 0, &message,
			    SHOW_ALL | SHOW_DETAIL)) {
		if (errno == SLURM_NO_CHANGE_IN_DATA) {
			changes->total = list->count;
			return 0;
		}
		return gov_error_set(error, GOV_E_DOWN,
				     "cannot read the job list: %s",
				     slurm_strerror(errno));
	}
	rc = compare(list, message, changes);
	if (!rc)
		list->updated = message->last_update;
	free_message(message);
	if (rc) {
		gov_job_changes_free(changes);
		return gov_error_set(error, GOV_E_NOMEM,
				     "no memory for the job list");
	}
	return 0;
}
