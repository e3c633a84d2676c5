/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/load.h"

#include <errno.h>

#include "slurm/compat.h"

int gov_slurm_load_get(struct gov_slurm_load *load, struct gov_error *error)
{
	stats_info_request_msg_t request = { .command_id = STAT_COMMAND_GET };
	stats_info_response_msg_t *answer = NULL;

	errno = 0;
	if (slurm_get_statistics(&answer, &request) || !answer)
		return gov_error_set(error, GOV_E_DOWN,
				     "slurmctld does not tell how busy it is: "
				     "%s",
				     slurm_strerror(errno));
	*load = (struct gov_slurm_load){
		.threads = answer->server_thread_count,
		.queue = answer->agent_queue_size,
	};
	slurm_free_stats_response_msg(answer);
	return 0;
}
