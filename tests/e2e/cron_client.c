/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Debian's packages have no scrontab for, and what scrontab would not do:
 *
 *   crontab TRES SCRIPT	a crontab of one job, SCRIPT each minute
 *   remove			no crontab any more
 *   flag TRES			submit a job with the flag of scrontab's jobs
 *   forge TRES			the same with an entry and a start, as true ones
 *
 * Prints the job's id.  TRES is a request per node.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <slurm/slurm.h>

/* cron_entry_t of Slurm 22.05 to 26.05, src/common/cron.h */
struct entry {
	uint32_t flags;
	void *minute;
	void *hour;
	void *day_of_month;
	void *month;
	void *day_of_week;
	char *cronspec;
	char *command;
	uint32_t line_start;
	uint32_t line_end;
};

#define EVERY (1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5)

extern void *slurm_bit_alloc(int64_t bits);

static struct entry entry;
static job_desc_msg_t desc;

static void describe(char *tres, char *script)
{
	static char *environment[] = { "PATH=/bin:/usr/bin", NULL };
	char *home = getenv("HOME");

	slurm_init_job_desc_msg(&desc);
	desc.script = script;
	desc.user_id = getuid();
	desc.group_id = getgid();
	desc.work_dir = home ? home : "/";
	if (asprintf(&environment[1], "HOME=%s", desc.work_dir) < 0)
		exit(2);
	desc.std_in = desc.std_out = desc.std_err = "/dev/null";
	desc.name = "cron";
	desc.min_nodes = 1;
	desc.environment = environment;
	desc.env_size = 2;
	desc.tres_per_node = tres;
	desc.bitflags |= CRON_JOB;
}

static void add_entry(void)
{
	entry.flags = EVERY;
	entry.minute = slurm_bit_alloc(61);
	entry.hour = slurm_bit_alloc(25);
	entry.day_of_month = slurm_bit_alloc(32);
	entry.month = slurm_bit_alloc(13);
	entry.day_of_week = slurm_bit_alloc(8);
	entry.cronspec = "* * * * *";
	entry.line_start = entry.line_end = 1;
	desc.crontab_entry = &entry;
}

static int submit(void)
{
	submit_response_msg_t *response = NULL;

	if (slurm_submit_batch_job(&desc, &response)) {
		slurm_perror("submit");
		return 1;
	}
	printf("%u\n", response->job_id);
	return 0;
}

static int update_crontab(void)
{
	crontab_update_response_msg_t *response;
	List jobs = slurm_list_create(NULL);

	slurm_list_append(jobs, &desc);
	response = slurm_update_crontab(getuid(), getgid(), "* * * * * job\n",
					jobs);
	if (!response || response->return_code || !response->jobids_count) {
		fprintf(stderr, "crontab: %s %s\n",
			response ? slurm_strerror((int) response->return_code) :
				   "no answer",
			response && response->err_msg ? response->err_msg : "");
		return 1;
	}
	printf("%u\n", response->jobids[0]);
	return 0;
}

int main(int argc, char **argv)
{
	char *script = "#!/bin/sh\nsleep 3600\n";
	const char *what = argc > 1 ? argv[1] : "";

	slurm_init(NULL);
	if (!strcmp(what, "remove"))
		return slurm_remove_crontab(getuid(), getgid()) != 0;
	if (argc < 3)
		return 2;
	if (argc > 3 &&
	    asprintf(&script, "#!/bin/sh\nexec bash %s\n", argv[3]) < 0)
		return 2;
	describe(argv[2], script);
	if (strcmp(what, "flag"))
		add_entry();
	if (!strcmp(what, "crontab"))
		return update_crontab();
	if (!strcmp(what, "forge"))
		desc.begin_time = (time(NULL) / 60 + 1) * 60;
	return submit();
}
