/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The client of bench/submit.
 *
 *	submit_client submit COUNT [TRES]
 *		as fast as one client can; prints seconds and how many got
 *		through
 *	submit_client times FILE
 *		p50 p90 p99 max in microseconds, and count, of
 *		GOVERNANCE_SUBMIT_TIMES=
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "bench/bench.h"
#include "slurm/cluster.h"

/* One small batch job.  0, or -1. */
static int submit_one(char *tres)
{
	static char *environment[] = { "PATH=/usr/bin:/bin", NULL };
	submit_response_msg_t *response = NULL;
	job_desc_msg_t desc;
	int rc;

	slurm_init_job_desc_msg(&desc);
	desc.name = "bench";
	desc.script = "#!/bin/sh\nexit 0\n";
	desc.work_dir = "/tmp";
	desc.std_out = desc.std_err = desc.std_in = "/dev/null";
	desc.environment = environment;
	desc.env_size = 1;
	desc.min_nodes = desc.max_nodes = 1;
	desc.min_cpus = 1;
	desc.user_id = getuid();
	desc.group_id = getgid();
	desc.tres_per_job = tres;
	rc = slurm_submit_batch_job(&desc, &response);
	if (response)
		slurm_free_submit_response_response_msg(response);
	return rc ? -1 : 0;
}

static int submit(int count, char *tres)
{
	double start;
	int ok = 0;

	gov_slurm_start();
	start = bench_seconds();
	for (int i = 0; i < count; i++)
		ok += !submit_one(tres);
	printf("%.6f %d\n", bench_seconds() - start, ok);
	if (ok < count)
		fprintf(stderr, "last error: %s\n", slurm_strerror(errno));
	gov_slurm_end();
	return ok == count ? 0 : 1;
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

static int times(const char *path)
{
	FILE *file = fopen(path, "r");
	uint64_t count;
	uint32_t *ns;

	if (!file || fread(&count, sizeof(count), 1, file) != 1 || !count) {
		fprintf(stderr, "no times in %s\n", path);
		return 1;
	}
	ns = calloc(count, sizeof(*ns));
	if (!ns)
		return 1;
	count = fread(ns, sizeof(*ns), count, file);
	fclose(file);
	qsort(ns, count, sizeof(*ns), ascending);
	printf("%.1f %.1f %.1f %.1f %" PRIu64 "\n", ns[count / 2] / 1e3,
	       ns[count * 90 / 100] / 1e3, ns[count * 99 / 100] / 1e3,
	       ns[count - 1] / 1e3, count);
	free(ns);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "submit"))
		return submit(atoi(argv[2]), argc > 3 ? argv[3] : NULL);
	if (argc == 3 && !strcmp(argv[1], "times"))
		return times(argv[2]);
	fprintf(stderr, "usage: %s submit COUNT [TRES] | times FILE\n",
		argv[0]);
	return 2;
}
