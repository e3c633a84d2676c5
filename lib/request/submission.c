/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request/submission.h"

void gov_submission_init(struct gov_submission *submission)
{
	*submission = (struct gov_submission){
		.ntasks_per_tres = GOV_SUB_UNSET,
		.min_nodes = GOV_SUB_UNSET,
		.max_nodes = GOV_SUB_UNSET,
		.num_tasks = GOV_SUB_UNSET,
		.cpus_per_task = GOV_SUB_UNSET,
		.ntasks_per_node = GOV_SUB_UNSET,
		.ntasks_per_socket = GOV_SUB_UNSET,
		.sockets_per_node = GOV_SUB_UNSET,
		.min_cpus = GOV_SUB_UNSET,
		.max_cpus = GOV_SUB_UNSET,
		.pn_min_cpus = GOV_SUB_UNSET,
		.memory = GOV_SUB_UNSET,
		.time_limit = GOV_SUB_UNSET,
		.het_offset = GOV_SUB_UNSET,
		.begin_time = GOV_SUB_UNSET,
		.warn_signal = GOV_SUB_UNSET,
	};
}
