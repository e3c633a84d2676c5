/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The job list, as changes.
 *
 * slurmctld knows no deltas: any change makes it send the whole table.  The
 * list keeps a hash of every record and hands over only records that differ
 * from the last load in something that matters here.  Blocking calls, for one
 * worker thread.
 */
#ifndef GOVERNANCE_SLURM_JOBS_H
#define GOVERNANCE_SLURM_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "slurm/record.h"

struct gov_job_list;

struct gov_job_list *gov_job_list_create(void);
void gov_job_list_destroy(struct gov_job_list *list);

struct gov_job_changes {
	bool complete; /* every job there is, not only changes */
	struct gov_job_record **changed; /* owned */
	size_t changed_count;
	uint64_t *gone; /* ids that are no longer listed */
	size_t gone_count;
	size_t total; /* records in the list */
};

/*
 * Load the list and compare.  The first load, and the first after
 * gov_job_list_forget(), is complete.  0; -1 with GOV_E_DOWN when slurmctld
 * cannot be reached and GOV_E_NOMEM (then nothing was taken note of: the next
 * load reports it all).  *changes is filled only on success and then freed by
 * the caller.
 */
int gov_job_list_load(struct gov_job_list *list,
		      struct gov_job_changes *changes, struct gov_error *error);
void gov_job_changes_free(struct gov_job_changes *changes);

/* Report everything anew at the next load. */
void gov_job_list_forget(struct gov_job_list *list);

#endif
