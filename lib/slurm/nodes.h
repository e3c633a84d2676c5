/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes and partitions, reported when something that matters changed.
 * Blocking calls, for one worker thread.
 */
#ifndef GOVERNANCE_SLURM_NODES_H
#define GOVERNANCE_SLURM_NODES_H

#include <stdint.h>

#include "core/error.h"
#include "slurm/record.h"

struct gov_machine_watch;

struct gov_machine_watch *gov_machine_watch_create(void);
void gov_machine_watch_destroy(struct gov_machine_watch *watch);

/*
 * Look at nodes and partitions.  1: *machine is a new picture, owned by the
 * caller; 0: nothing that matters changed; -1: as gov_job_list_load().
 */
int gov_machine_watch_load(struct gov_machine_watch *watch,
			   struct gov_machine **machine,
			   struct gov_error *error);
/* Report a picture at the next load in any case. */
void gov_machine_watch_forget(struct gov_machine_watch *watch);

#endif
