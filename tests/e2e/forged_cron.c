/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Submits a job with the flag of scrontab's jobs and a request per node; prints
 * its id.
 */
#include <stdio.h>
#include <unistd.h>

#include <slurm/slurm.h>

int main(int argc, char **argv)
{
	static char *environment[] = { "PATH=/bin:/usr/bin" };
	submit_response_msg_t *response = NULL;
	job_desc_msg_t desc;

	if (argc != 2)
		return 2;
	slurm_init(NULL);
	slurm_init_job_desc_msg(&desc);
	desc.script = "#!/bin/sh\nsleep 3600\n";
	desc.user_id = getuid();
	desc.group_id = getgid();
	desc.work_dir = "/";
	desc.std_in = desc.std_out = desc.std_err = "/dev/null";
	desc.name = "forged";
	desc.min_nodes = 1;
	desc.environment = environment;
	desc.env_size = 1;
	desc.tres_per_node = argv[1];
	desc.bitflags |= CRON_JOB;
	if (slurm_submit_batch_job(&desc, &response)) {
		slurm_perror("submit");
		return 1;
	}
	printf("%u\n", response->job_id);
	return 0;
}
