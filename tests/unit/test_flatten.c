/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Slurm's job list shows of a pending job, as what was asked for. */
#include <string.h>

#include "slurm/flatten.h"
#include "tests/unit/unit.h"

/* As slurmctld 22.05.8 lists a job of one task that asked for nothing. */
static slurm_job_info_t pending(void)
{
	slurm_job_info_t info = {
		.job_id = 7,
		.job_state = JOB_PENDING,
		.num_nodes = 1,
		.num_cpus = 1,
		.num_tasks = 1,
		.cpus_per_task = 1,
		.ntasks_per_tres = NO_VAL16,
		.pn_min_cpus = 1,
		.pn_min_memory = 4000 | MEM_PER_CPU,
		.shared = NO_VAL16,
		.array_task_id = NO_VAL,
		.het_job_id = 0,
		.tres_req_str = "cpu=1,mem=4000M,node=1,billing=1",
	};

	return info;
}

static struct gov_submission flat(slurm_job_info_t *info)
{
	struct gov_job_record record;

	gov_flatten_job(info, &record);
	return record.submission;
}

START_TEST(nothing_asked)
{
	slurm_job_info_t info = pending();
	struct gov_submission s = flat(&info);

	ck_assert_uint_eq(s.min_nodes, 1);
	ck_assert_uint_eq(s.max_nodes, GOV_SUB_UNSET);
	ck_assert_uint_eq(s.num_tasks, 1);
	ck_assert(s.tasks_guessed);
	ck_assert_uint_eq(s.ntasks_per_tres, GOV_SUB_UNSET);
	ck_assert_uint_eq(s.memory, 4000);
	ck_assert(s.memory_per_cpu && !s.exclusive);
}
END_TEST

/* -n3 -c2 --gpus-per-task=h100:2: num_nodes is 2, one is asked for. */
START_TEST(guessed_nodes_are_not_asked_for)
{
	slurm_job_info_t info = pending();

	info.num_nodes = 2;
	info.tres_req_str = "cpu=6,mem=2G,node=1,billing=6";
	ck_assert_uint_eq(flat(&info).min_nodes, 1);
	info.tres_req_str = "node=3";
	ck_assert_uint_eq(flat(&info).min_nodes, 3);
	/* Not understood, or not there: the guess is better than nothing. */
	info.tres_req_str = "cpu=6,license/node=9";
	ck_assert_uint_eq(flat(&info).min_nodes, 2);
	info.tres_req_str = "cpu=6,node=";
	ck_assert_uint_eq(flat(&info).min_nodes, 2);
	info.tres_req_str = "node=99999999999999999999";
	ck_assert_uint_eq(flat(&info).min_nodes, 2);
	info.tres_req_str = NULL;
	ck_assert_uint_eq(flat(&info).min_nodes, 2);
	/* Of a running job it is what it has. */
	info.job_state = JOB_RUNNING;
	info.tres_req_str = "cpu=6,mem=2G,node=1,billing=6";
	ck_assert_uint_eq(flat(&info).min_nodes, 2);
}
END_TEST

/* -N1-3: the one task in the list is not the user's. */
START_TEST(tasks_that_slurmctld_filled_in)
{
	slurm_job_info_t info = pending();
	struct gov_submission s;

	info.max_nodes = 3;
	s = flat(&info);
	ck_assert_uint_eq(s.max_nodes, 3);
	ck_assert_uint_eq(s.num_tasks, GOV_SUB_UNSET);
	info.num_tasks = 6;
	ck_assert_uint_eq(flat(&info).num_tasks, 6);
	info.bitflags = USE_MIN_NODES;
	s = flat(&info);
	ck_assert_uint_eq(s.max_nodes, GOV_SUB_UNSET);
	ck_assert_uint_eq(s.num_tasks, 6);
}
END_TEST

/* --mem=0 is all that the node has, not "nothing said". */
START_TEST(all_memory)
{
	slurm_job_info_t info = pending();

	info.pn_min_memory = 0;
	ck_assert_uint_eq(flat(&info).memory, 0);
	info.pn_min_memory = NO_VAL64;
	ck_assert_uint_eq(flat(&info).memory, GOV_SUB_UNSET);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, nothing_asked);
	tcase_add_test(tcase, guessed_nodes_are_not_asked_for);
	tcase_add_test(tcase, tasks_that_slurmctld_filled_in);
	tcase_add_test(tcase, all_memory);
}

int main(void)
{
	return unit_main("flatten", cases);
}
