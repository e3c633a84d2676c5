/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Governors that are away, slow, broken or somebody else; many callers at
 * once; and a thousand submissions of a hostile user.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "grant/spare.h"
#include "stamp/stamp.h"
#include "tests/unit/fake_governor.h"
#include "tests/unit/fake_slurmctld.h"
#include "tests/unit/unit.h"

#define USER 1000

static job_desc_msg_t *desc;
static char *message;

static void fresh_desc(void)
{
	gov_slurm_free(message);
	message = NULL;
	if (desc)
		fake_slurmctld_free_desc(desc);
	desc = fake_slurmctld_desc();
}

static void begin(const char *conf)
{
	fake_governor_conf(conf);
	ck_assert_int_eq(init(), 0);
	fresh_desc();
}

static void end(void)
{
	gov_slurm_free(message);
	fake_slurmctld_free_desc(desc);
	desc = NULL;
	message = NULL;
	fake_slurmctld_forget_log();
	ck_assert_int_eq(fini(), 0);
	fake_governor_stop();
	ck_assert_int_eq(fake_slurmctld_blocks(), 0);
}

static int submit(void)
{
	fresh_desc();
	return job_submit(desc, USER, &message);
}

static double milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

/* ---- OnGovernorDown ---- */

START_TEST(down_wait)
{
	struct gov_stamp stamp;

	begin("");
	desc->priority = NO_VAL;
	fake_slurmctld_add_spank(desc,
				 "_SLURM_SPANK_OPTION_governance_gov_class="
				 "debug");
	fake_slurmctld_add_spank(desc,
				 "_SLURM_SPANK_OPTION_governance_gov_borrow"
				 "=no");
	ck_assert_int_eq(job_submit(desc, USER, &message), SLURM_SUCCESS);
	ck_assert_uint_eq(desc->priority, 0);
	ck_assert_int_eq(gov_stamp_parse(desc->admin_comment, &stamp), 1);
	ck_assert_int_eq(stamp.state, GOV_STAMP_UNDECIDED);
	ck_assert(!stamp.user_hold && stamp.no_borrow);
	ck_assert_str_eq(stamp.class_name, "debug");
	ck_assert_str_eq(message, "governance: accepted, but the governor "
				  "does not answer; the job waits until it "
				  "is back");
	fresh_desc();
	desc->priority = 0; /* --hold */
	fake_slurmctld_add_spank(desc,
				 "_SLURM_SPANK_OPTION_governance_gov_class="
				 "no name] [gov1 state=admitted");
	ck_assert_int_eq(job_submit(desc, USER, &message), SLURM_SUCCESS);
	ck_assert_int_eq(gov_stamp_parse(desc->admin_comment, &stamp), 1);
	ck_assert_int_eq(stamp.state, GOV_STAMP_UNDECIDED);
	ck_assert(stamp.user_hold);
	ck_assert_str_eq(stamp.class_name, "");
	end();
}
END_TEST

START_TEST(down_wait_exceptions)
{
	begin("OnGovernorDown=wait");
	desc->bitflags = CRON_JOB; /* could never be released */
	desc->crontab_entry = desc;
	desc->begin_time = 4102444800;
	ck_assert_int_eq(job_submit(desc, USER, &message), SLURM_SUCCESS);
	ck_assert_uint_eq(desc->priority, NO_VAL);
	fresh_desc();
	desc->immediate = 1;
	ck_assert_int_eq(job_submit(desc, USER, &message),
			 ESLURM_CAN_NOT_START_IMMEDIATELY);
	ck_assert_ptr_nonnull(strstr(message, "[GOV-313]"));
	end();
}
END_TEST

START_TEST(down_pass)
{
	struct gov_stamp stamp;

	begin("OnGovernorDown=pass");
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	ck_assert_uint_eq(desc->priority, NO_VAL);
	ck_assert_int_eq(gov_stamp_parse(desc->admin_comment, &stamp), 1);
	ck_assert_int_eq(stamp.state, GOV_STAMP_UNDECIDED);
	ck_assert_ptr_nonnull(strstr(message, "governor does not answer"));
	end();
}
END_TEST

START_TEST(down_reject)
{
	begin("OnGovernorDown=reject");
	ck_assert_int_eq(submit(), ESLURM_ACCOUNTING_POLICY);
	ck_assert_ptr_null(desc->admin_comment);
	ck_assert_ptr_nonnull(strstr(message, "[GOV-311]"));
	end();
}
END_TEST

START_TEST(down_modify)
{
	static const struct {
		const char *conf;
		int rc;
	} rows[] = {
		{ "OnGovernorDown=wait", ESLURM_ACCOUNTING_POLICY },
		{ "OnGovernorDown=reject", ESLURM_ACCOUNTING_POLICY },
		{ "OnGovernorDown=pass", SLURM_SUCCESS },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(rows[i].conf);
		desc->priority = INFINITE;
		ck_assert_int_eq(fake_slurmctld_modify(desc, USER, &message),
				 rows[i].rc);
		fresh_desc();
		desc->tres_per_node = fake_slurmctld_copy("gpu:8");
		ck_assert_int_eq(fake_slurmctld_modify(desc, USER, &message),
				 rows[i].rc);
		fresh_desc();
		desc->account = fake_slurmctld_copy("nlp");
		ck_assert_int_eq(fake_slurmctld_modify(desc, USER, &message),
				 rows[i].rc);
		fresh_desc();
		desc->priority = 0; /* holding is always allowed */
		ck_assert_int_eq(fake_slurmctld_modify(desc, USER, &message),
				 SLURM_SUCCESS);
		fresh_desc();
		desc->priority = INFINITE; /* the administrator's */
		ck_assert_int_eq(fake_slurmctld_modify(desc, 0, &message),
				 SLURM_SUCCESS);
		end();
	}
}
END_TEST

START_TEST(spare_grant)
{
	struct gov_error error;
	char path[200];

	fake_governor_conf("");
	ck_assert_int_eq(gov_spare_write(fake_governor_path(),
					 "MUNGE:spare:", &error),
			 0);
	begin("");
	fake_slurmctld_add_spank(desc, "SPANK_GOV_GRANT=forged");
	ck_assert_int_eq(job_submit(desc, USER, &message), SLURM_SUCCESS);
	ck_assert_uint_eq(desc->spank_job_env_size, 1);
	ck_assert_str_eq(desc->spank_job_env[0],
			 "SPANK_GOV_GRANT=MUNGE:spare:");
	snprintf(path, sizeof(path), "%s" GOV_SPARE_SUFFIX,
		 fake_governor_path());
	unlink(path);
	end();
}
END_TEST

START_TEST(what_the_governor_said_counts)
{
	const struct gov_answer answer = {
		.action = GOV_ANSWER_PASS,
		.sets_on_down = true,
		.on_down = GOV_DOWN_REJECT,
		.deadline_ms = 500,
	};

	begin("OnGovernorDown=pass\nSubmitDeadline=1000");
	fake_governor_start(FAKE_ANSWERS, &answer);
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	fake_governor_stop();
	ck_assert_int_eq(submit(), ESLURM_ACCOUNTING_POLICY);
	/* Also after the file was read again. */
	sleep(2);
	submit();
	sleep(1);
	ck_assert_int_eq(submit(), ESLURM_ACCOUNTING_POLICY);
	fake_governor_start(FAKE_SLOW, &answer);
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	end();
}
END_TEST

START_TEST(trouble_is_logged_once)
{
	begin("");
	for (int i = 0; i < 100; i++)
		submit();
	ck_assert_int_eq(fake_slurmctld_logged("no governor at"), 1);
	ck_assert_int_eq(fake_slurmctld_logged("OnGovernorDown=wait"), 1);
	fake_governor_start(FAKE_ANSWERS, NULL);
	submit();
	submit();
	ck_assert_int_eq(fake_slurmctld_logged("answers again"), 1);
	end();
}
END_TEST

/* ---- the file ---- */

START_TEST(the_file_comes_later)
{
	struct gov_answer answer = { .action = GOV_ANSWER_ADMIT,
				     .message = "here" };
	double give_up = milliseconds() + 10000;

	fake_governor_conf("");
	unlink(getenv("GOVERNANCE_CONF"));
	ck_assert_int_eq(init(), 0);
	ck_assert_int_eq(fake_slurmctld_logged("cannot be read"), 1);
	fake_governor_start(FAKE_ANSWERS, &answer);
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	ck_assert_uint_eq(desc->priority, 0);
	fake_governor_conf("");
	do {
		usleep(50000);
		ck_assert_int_eq(submit(), SLURM_SUCCESS);
		ck_assert(milliseconds() < give_up);
	} while (!strstr(message, "here"));
	end();
}
END_TEST

START_TEST(a_file_with_errors)
{
	begin("This=is wrong\nOnGovernorDown=perhaps\nTeamName=\"");
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	ck_assert_uint_eq(desc->priority, 0);
	end();
}
END_TEST

/* ---- governors that do not do as they should ---- */

static void expect_down(enum fake_manner manner)
{
	struct gov_answer answer = { .action = GOV_ANSWER_ADMIT,
				     .message = "a message" };
	double start;

	begin("");
	fake_governor_start(manner, &answer);
	for (int i = 0; i < 20; i++) {
		start = milliseconds();
		ck_assert_int_eq(submit(), SLURM_SUCCESS);
		/* 20 ms, and what a busy machine adds. */
		ck_assert(milliseconds() - start < 150);
		ck_assert_uint_eq(desc->priority, 0);
		ck_assert_ptr_nonnull(strstr(message, "does not answer"));
	}
	end();
}

START_TEST(bad_governors)
{
	expect_down((enum fake_manner) _i);
}
END_TEST

START_TEST(late_answers_cost_less_in_the_end)
{
	double start;

	begin("");
	fake_governor_start(FAKE_SILENT, NULL);
	for (int i = 0; i < 5; i++)
		submit();
	start = milliseconds();
	for (int i = 0; i < 100; i++)
		submit();
	ck_assert(milliseconds() - start < 500);
	ck_assert_int_eq(fake_governor_requests(), 5);
	/* It recovers: so do we, within a second. */
	fake_governor_stop();
	fake_governor_start(FAKE_ANSWERS, NULL);
	usleep(1100000);
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	ck_assert_uint_eq(desc->priority, NO_VAL);
	end();
}
END_TEST

START_TEST(the_governor_restarts)
{
	begin("SubmitDeadline=1000");
	for (int i = 0; i < 5; i++) {
		fake_governor_start(FAKE_ANSWERS, NULL);
		for (int j = 0; j < 3; j++) {
			ck_assert_int_eq(submit(), SLURM_SUCCESS);
			ck_assert_uint_eq(desc->priority, NO_VAL);
		}
		ck_assert_int_eq(fake_governor_requests(), 3);
		fake_governor_stop();
	}
	end();
}
END_TEST

START_TEST(somebody_else_sits_there)
{
	if (geteuid() != 0)
		return;
	begin("");
	fake_governor_start_as(65534);
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	ck_assert_uint_eq(desc->priority, 0);
	ck_assert_int_eq(fake_slurmctld_logged("uid 65534 listens at"), 1);
	end();
}
END_TEST

/* ---- many at once ---- */

#define THREADS 8
#define CALLS 500

static atomic_int wrong;

static void *caller(void *arg)
{
	for (int i = 0; i < CALLS; i++) {
		job_desc_msg_t *own = fake_slurmctld_desc();
		char name[40], expected[60], *said = NULL;

		snprintf(name, sizeof(name), "job-%d-%d", *(int *) arg, i);
		snprintf(expected, sizeof(expected), "governance: %s", name);
		own->name = fake_slurmctld_copy(name);
		if (job_submit(own, USER, &said) || !said ||
		    strcmp(said, expected))
			atomic_fetch_add(&wrong, 1);
		gov_slurm_free(said);
		fake_slurmctld_free_desc(own);
	}
	return NULL;
}

static int open_files(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

START_TEST(concurrent_calls)
{
	pthread_t thread[THREADS];
	int number[THREADS], before;

	begin("SubmitDeadline=1000");
	before = open_files();
	fake_governor_start(FAKE_ECHOES, NULL);
	for (int i = 0; i < THREADS; i++) {
		number[i] = i;
		pthread_create(&thread[i], NULL, caller, &number[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	ck_assert_int_eq(atomic_load(&wrong), 0);
	ck_assert_int_eq(fake_governor_requests(), THREADS * CALLS);
	end();
	ck_assert_int_eq(open_files(), before);
}
END_TEST

START_TEST(no_files_are_left_open)
{
	int before;

	begin("");
	before = open_files();
	for (int manner = FAKE_ANSWERS; manner <= FAKE_DEAF; manner++) {
		fake_governor_start((enum fake_manner) manner, NULL);
		for (int i = 0; i < 10; i++)
			submit();
		fake_governor_stop();
	}
	ck_assert_int_eq(fini(), 0);
	ck_assert_int_eq(open_files(), before);
	ck_assert_int_eq(init(), 0);
	end();
}
END_TEST

/* ---- a hostile user ---- */

static char *hostile_text(void)
{
	static const char *const pieces[] = {
		"gres:gpu:",
		"99999999999999999999",
		",",
		"\n",
		"\033[2J",
		"%s%n",
		"[gov1 state=admitted]",
		"SPANK_GOV_GRANT=",
		"\xff\xfe",
		"=",
		":",
		"h100",
		"-1",
		"_SLURM_SPANK_OPTION_governance_gov_class=",
	};
	static char text[65536];
	size_t used = 0, size = (size_t) rand() % 8 ? 200 : 60000;
	int many = rand() % 40;

	*text = '\0';
	for (int i = 0; i < many && used < size; i++)
		used += (size_t) snprintf(text + used, sizeof(text) - used,
					  "%s", pieces[rand() % 14]);
	if (rand() % 4 == 0 && used < size) {
		memset(text + used, 'A' + rand() % 50, size - used);
		text[size] = '\0';
	}
	return rand() % 5 ? fake_slurmctld_copy(text) : NULL;
}

static uint32_t hostile_number(void)
{
	static const uint32_t numbers[] = { 0,	       1,	 NO_VAL,
					    INFINITE,  NO_VAL16, INFINITE16,
					    0x7fffffff };

	return numbers[rand() % 7];
}

/* Of a fresh desc. */
static void make_hostile(void)
{
	char **text[] = {
		&desc->account,	      &desc->admin_comment,
		&desc->array_inx,     &desc->cpus_per_tres,
		&desc->dependency,    &desc->features,
		&desc->job_id_str,    &desc->licenses,
		&desc->mem_per_tres,  &desc->name,
		&desc->partition,     &desc->qos,
		&desc->req_nodes,     &desc->reservation,
		&desc->script,	      &desc->tres_per_job,
		&desc->tres_per_node, &desc->tres_per_socket,
		&desc->tres_per_task,
	};

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		if (rand() % 3)
			*text[i] = hostile_text();
	for (int i = rand() % 5 ? rand() % 10 : 1000; i > 0; i--) {
		char *entry = hostile_text();

		if (entry)
			fake_slurmctld_add_spank(desc, entry);
		gov_slurm_free(entry);
	}
	desc->min_nodes = hostile_number();
	desc->max_nodes = hostile_number();
	desc->num_tasks = hostile_number();
	desc->cpus_per_task = (uint16_t) hostile_number();
	desc->ntasks_per_node = (uint16_t) hostile_number();
	desc->pn_min_memory = (uint64_t) hostile_number() << (rand() % 34);
	desc->priority = hostile_number();
	desc->het_job_offset = hostile_number();
	desc->shared = (uint16_t) hostile_number();
	desc->begin_time = (time_t) ((uint64_t) hostile_number()
				     << (rand() % 33));
	desc->bitflags = (uint64_t) rand() << 10;
}

START_TEST(a_thousand_hostile_submissions)
{
	struct gov_answer answer = {
		.action = GOV_ANSWER_WAIT,
		.message = "wait",
		.admin_comment = "[gov1 state=waiting]",
		.grant = "MUNGE:x:",
		.account = "a",
	};

	srand(1);
	begin("SubmitDeadline=1000");
	for (int i = 0; i < 1000; i++) {
		if (i % 100 == 0)
			fake_governor_start(FAKE_ANSWERS, &answer);
		if (i % 100 == 80)
			fake_governor_stop();
		fresh_desc();
		make_hostile();
		if (!job_submit(desc, USER, &message) &&
		    !(desc->bitflags & CRON_JOB))
			ck_assert_uint_eq(desc->priority, 0);
		ck_assert(!message || !strpbrk(message, "\n\033"));
		fresh_desc();
		make_hostile();
		fake_slurmctld_modify(desc, USER, &message);
	}
	end();
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, down_wait);
	tcase_add_test(tcase, down_wait_exceptions);
	tcase_add_test(tcase, down_pass);
	tcase_add_test(tcase, down_reject);
	tcase_add_test(tcase, down_modify);
	tcase_add_test(tcase, spare_grant);
	tcase_add_test(tcase, what_the_governor_said_counts);
	tcase_add_test(tcase, trouble_is_logged_once);
	tcase_add_test(tcase, the_file_comes_later);
	tcase_add_test(tcase, a_file_with_errors);
	tcase_add_loop_test(tcase, bad_governors, FAKE_SILENT, FAKE_DEAF + 1);
	tcase_add_test(tcase, late_answers_cost_less_in_the_end);
	tcase_add_test(tcase, the_governor_restarts);
	tcase_add_test(tcase, somebody_else_sits_there);
	tcase_add_test(tcase, concurrent_calls);
	tcase_add_test(tcase, no_files_are_left_open);
	tcase_add_test(tcase, a_thousand_hostile_submissions);
}

int main(void)
{
	return unit_main("job_submit without a governor", cases);
}
