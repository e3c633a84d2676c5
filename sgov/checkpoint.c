/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoint: from inside a job, that its work is saved. */
#include "sgov/ask.h"
#include "sgov/options.h"

#include <stdio.h>
#include <stdlib.h>

int sgov_checkpoint(struct sgov *sgov, int argc, char **argv)
{
	struct json_object *request, *answer;
	const char *job;
	int status;
	char **operand = sgov_parse_operands(sgov, NULL, argc, argv, 0, 1,
					     &status);

	if (!operand)
		return status;
	job = operand[0] ? operand[0] : getenv("SLURM_JOB_ID");
	if (!job)
		return sgov_usage(
			sgov, "JOBID is missing, and there is no SLURM_JOB_ID");
	request = sgov_request("checkpoint");
	sgov_json_set(request, "job", job);
	answer = sgov_ask_and_show(sgov, request, &status);
	json_object_put(answer);
	return status;
}
