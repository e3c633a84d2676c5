/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the plugin tells the governor, and what it does with the answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/fake_governor.h"
#include "tests/unit/fake_slurmctld.h"
#include "tests/unit/unit.h"

#define STAMP                                                       \
	"[gov1 state=waiting team=vision class=training pool=h100 " \
	"nonce=1f submitted=1]"
#define USER 1000

static job_desc_msg_t *desc;
static char *message;

static void start(const struct gov_answer *answer)
{
	fake_governor_start(FAKE_ANSWERS, answer);
}

static void setup(void)
{
	/* So that a loaded machine does not decide the outcome. */
	fake_governor_conf("SubmitDeadline=1000");
	ck_assert_int_eq(init(), 0);
	desc = fake_slurmctld_desc();
	message = NULL;
}

static void forget_message(void)
{
	gov_slurm_free(message);
	message = NULL;
}

static void teardown(void)
{
	forget_message();
	fake_slurmctld_free_desc(desc);
	ck_assert_int_eq(fini(), 0);
	fake_governor_stop();
	ck_assert_int_eq(fake_slurmctld_blocks(), 0);
}

static int submit(void)
{
	forget_message();
	return job_submit(desc, USER, &message);
}

static int modify(uint32_t uid)
{
	forget_message();
	return fake_slurmctld_modify(desc, uid, &message);
}

static const struct gov_submission *asked(void)
{
	return &fake_governor_last()->submission;
}

/* ---- answers ---- */

#define FAR_FUTURE 4102444800 /* 2100 */

START_TEST(admitted)
{
	const struct gov_answer answer = {
		.action = GOV_ANSWER_ADMIT,
		.admin_comment = STAMP,
		.account = "vision",
		.grant = "MUNGE:abc:",
		.partition = "main",
		.features = "h100",
		.tres_per_job = "gres:gpu:h100:2",
		.sets_site_factor = true,
		.site_factor = -70,
	};

	start(&answer);
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	ck_assert_str_eq(desc->account, "vision");
	ck_assert_str_eq(desc->admin_comment, STAMP);
	ck_assert_str_eq(desc->partition, "main");
	ck_assert_str_eq(desc->features, "h100");
	ck_assert_str_eq(desc->tres_per_job, "gres:gpu:h100:2");
	ck_assert_uint_eq(desc->site_factor, NICE_OFFSET - 70);
	ck_assert_uint_eq(desc->priority, NO_VAL);
	ck_assert_uint_eq(desc->requeue, NO_VAL16);
	ck_assert_uint_eq(desc->spank_job_env_size, 1);
	ck_assert_str_eq(desc->spank_job_env[0], "SPANK_GOV_GRANT=MUNGE:abc:");
	/* slurmctld looks for its end, not only at its size. */
	ck_assert_ptr_null(desc->spank_job_env[1]);
	ck_assert_ptr_null(message);
}
END_TEST

START_TEST(account_of_the_user_stays)
{
	const struct gov_answer answer = {
		.action = GOV_ANSWER_ADMIT,
		.account = "vision",
	};

	start(&answer);
	desc->account = fake_slurmctld_copy("nlp");
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	ck_assert_str_eq(desc->account, "nlp");
	*desc->account = '\0'; /* -A "" */
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	ck_assert_str_eq(desc->account, "vision");
}
END_TEST

START_TEST(waiting)
{
	const struct gov_answer answer = {
		.action = GOV_ANSWER_WAIT,
		.admin_comment = STAMP,
		.message = "waits for 4 GPUs of team nlp\nforged line\033[1m",
	};

	start(&answer);
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	ck_assert_uint_eq(desc->priority, 0);
	ck_assert_str_eq(desc->admin_comment, STAMP);
	ck_assert_str_eq(message, "governance: waits for 4 GPUs of team nlp "
				  "forged line [1m");
}
END_TEST

START_TEST(passed)
{
	start(NULL);
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	ck_assert_uint_eq(desc->priority, NO_VAL);
	ck_assert_ptr_null(desc->admin_comment);
	ck_assert_ptr_null(desc->account);
	ck_assert_uint_eq(desc->spank_job_env_size, 0);
	ck_assert_uint_eq(desc->site_factor, NO_VAL);
	ck_assert_ptr_null(message);
}
END_TEST

START_TEST(refused)
{
	static const struct {
		enum gov_code code;
		int rc;
		const char *suffix;
	} rows[] = {
		{ GOV_R_NO_TEAM, ESLURM_INVALID_ACCOUNT, "[GOV-301]" },
		{ GOV_R_TOO_LARGE, ESLURM_ACCOUNTING_POLICY, "[GOV-308]" },
		{ GOV_R_REQUEST, ESLURM_INVALID_TRES, "[GOV-307]" },
		{ GOV_R_NOT_ALLOWED, ESLURM_ACCESS_DENIED, "[GOV-312]" },
		{ GOV_R_IMMEDIATE, ESLURM_CAN_NOT_START_IMMEDIATELY,
		  "[GOV-313]" },
		{ (enum gov_code) 12345, ESLURM_ACCOUNTING_POLICY,
		  "[GOV-999]" },
		{ GOV_OK, ESLURM_ACCOUNTING_POLICY, "[GOV-107]" },
	};
	struct gov_answer answer = { .action = GOV_ANSWER_REFUSE,
				     .admin_comment = STAMP,
				     .account = "vision" };
	char expected[100];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		answer.code = rows[i].code;
		answer.message = "do this instead";
		start(&answer);
		ck_assert_int_eq(submit(), rows[i].rc);
		snprintf(expected, sizeof(expected),
			 "governance: do this instead %s", rows[i].suffix);
		ck_assert_str_eq(message, expected);
		ck_assert_ptr_null(desc->account);
		ck_assert_ptr_null(desc->admin_comment);
		fake_governor_stop();
	}
	answer.message = NULL;
	start(&answer);
	ck_assert_int_ne(submit(), SLURM_SUCCESS);
	ck_assert_ptr_nonnull(strstr(message, "ask your administrators"));
}
END_TEST

START_TEST(swallow_is_no_answer_to_a_submission)
{
	const struct gov_answer answer = { .action = GOV_ANSWER_SWALLOW };

	start(&answer);
	ck_assert_int_ne(submit(), SLURM_SUCCESS);
}
END_TEST

START_TEST(earlier_message_stays)
{
	const struct gov_answer answer = { .action = GOV_ANSWER_ADMIT,
					   .message = "fine" };

	start(&answer);
	message = fake_slurmctld_copy("another plugin: hello");
	ck_assert_int_eq(job_submit(desc, USER, &message), SLURM_SUCCESS);
	ck_assert_str_eq(message, "another plugin: hello\ngovernance: fine");
}
END_TEST

START_TEST(long_message_is_cut)
{
	static char text[30000];
	struct gov_answer answer = { .action = GOV_ANSWER_REFUSE,
				     .code = GOV_R_NO_TEAM,
				     .message = text };

	memset(text, 'x', sizeof(text) - 1);
	start(&answer);
	submit();
	ck_assert_uint_eq(strlen(message), 1023);
	ck_assert_str_eq(message + strlen(message) - 10, " [GOV-301]");
}
END_TEST

START_TEST(out_of_memory_refuses)
{
	const struct gov_answer answer = {
		.action = GOV_ANSWER_WAIT,
		.admin_comment = STAMP,
		.account = "vision",
		.grant = "MUNGE:abc:",
		.message = "wait",
	};

	start(&answer);
	/* comment, account, entry and array of the grant; then the message */
	for (int n = 1; n <= 4; n++) {
		fake_slurmctld_fail(n);
		ck_assert_int_ne(submit(), SLURM_SUCCESS);
		ck_assert_ptr_nonnull(strstr(message, "[GOV-101]"));
		ck_assert_uint_eq(desc->priority, 0);
		fake_slurmctld_free_desc(desc);
		desc = fake_slurmctld_desc();
	}
	fake_slurmctld_fail(5);
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	ck_assert_ptr_null(message);
	fake_slurmctld_fail(0);
}
END_TEST

/* ---- questions ---- */

START_TEST(nothing_given)
{
	const struct gov_submission *s;

	start(NULL);
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	s = asked();
	ck_assert_int_eq(fake_governor_last()->kind, GOV_MSG_SUBMIT);
	ck_assert_uint_eq(s->uid, 1000);
	ck_assert_uint_eq(s->submit_uid, USER);
	ck_assert_ptr_null(s->account);
	ck_assert_ptr_null(s->partition);
	ck_assert_ptr_null(s->class_name);
	ck_assert_ptr_null(s->tres_per_job);
	ck_assert_uint_eq(s->min_nodes, GOV_SUB_UNSET);
	ck_assert_uint_eq(s->num_tasks, GOV_SUB_UNSET);
	ck_assert_uint_eq(s->memory, GOV_SUB_UNSET);
	ck_assert_uint_eq(s->time_limit, GOV_SUB_UNSET);
	ck_assert_uint_eq(s->het_offset, GOV_SUB_UNSET);
	ck_assert(!s->batch && !s->hold && !s->immediate && !s->cron);
	ck_assert(!s->exclusive && !s->overcommit && !s->memory_per_cpu);
	ck_assert(s->requeue);
}
END_TEST

START_TEST(everything_given)
{
	const struct gov_submission *s;

	start(NULL);
	desc->account = fake_slurmctld_copy("Vision");
	desc->qos = fake_slurmctld_copy("q");
	desc->reservation = fake_slurmctld_copy("r");
	desc->req_nodes = fake_slurmctld_copy("g[1-2]");
	desc->licenses = fake_slurmctld_copy("x:2");
	desc->dependency = fake_slurmctld_copy("afterok:1");
	desc->array_inx = fake_slurmctld_copy("0-9%2");
	desc->tres_per_node = fake_slurmctld_copy("gres:gpu:2");
	desc->cpus_per_tres = fake_slurmctld_copy("gres:gpu:4");
	desc->script = fake_slurmctld_copy("#!/bin/sh\n");
	desc->pn_min_memory = 1000 | MEM_PER_CPU;
	desc->min_nodes = desc->max_nodes = 2;
	desc->num_tasks = 4;
	desc->ntasks_per_tres = 2;
	desc->shared = JOB_SHARED_NONE;
	desc->overcommit = 1;
	desc->priority = 0;
	desc->immediate = 1;
	desc->requeue = 0;
	desc->begin_time = FAR_FUTURE;
	desc->bitflags = CRON_JOB;
	desc->crontab_entry = desc; /* as slurmctld adds one */
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	s = asked();
	ck_assert_str_eq(s->account, "Vision");
	ck_assert_str_eq(s->qos, "q");
	ck_assert_str_eq(s->reservation, "r");
	ck_assert_str_eq(s->nodelist, "g[1-2]");
	ck_assert_str_eq(s->licenses, "x:2");
	ck_assert_str_eq(s->dependency, "afterok:1");
	ck_assert_str_eq(s->array, "0-9%2");
	ck_assert_str_eq(s->tres_per_node, "gres:gpu:2");
	ck_assert_str_eq(s->cpus_per_tres, "gres:gpu:4");
	ck_assert_uint_eq(s->memory, 1000);
	ck_assert_uint_eq(s->min_nodes, 2);
	ck_assert_uint_eq(s->max_nodes, 2);
	ck_assert_uint_eq(s->num_tasks, 4);
	ck_assert_uint_eq(s->ntasks_per_tres, 2);
	ck_assert_uint_eq(s->begin_time, FAR_FUTURE);
	ck_assert(s->memory_per_cpu && s->exclusive && s->overcommit);
	ck_assert(s->batch && s->hold && s->immediate && s->cron);
	ck_assert(!s->requeue);
	desc->crontab_entry = NULL;
}
END_TEST

/* What makes a job of scrontab's is not the flag, which any client can send. */
START_TEST(forged_cron_jobs)
{
	start(NULL);
	desc->bitflags = CRON_JOB;
	desc->begin_time = FAR_FUTURE;
	submit();
	ck_assert(!asked()->cron);
	desc->crontab_entry = desc;
	desc->begin_time = 1;
	submit();
	ck_assert(!asked()->cron);
	desc->begin_time = FAR_FUTURE;
	submit();
	ck_assert(asked()->cron);
	desc->crontab_entry = NULL;
}
END_TEST

START_TEST(exclusive_of_a_user_is_no_whole_node)
{
	start(NULL);
	desc->shared = JOB_SHARED_USER;
	submit();
	ck_assert(!asked()->exclusive);
}
END_TEST

START_TEST(spread_jobs_take_a_node_a_task)
{
	start(NULL);
	desc->bitflags = SPREAD_JOB;
	desc->num_tasks = 3;
	submit();
	ck_assert_uint_eq(asked()->max_nodes, 3);
}
END_TEST

START_TEST(few_nodes_are_wanted)
{
	start(NULL);
	desc->bitflags = USE_MIN_NODES;
	desc->min_nodes = 1;
	desc->max_nodes = 4;
	submit();
	ck_assert_uint_eq(asked()->min_nodes, 1);
	ck_assert_uint_eq(asked()->max_nodes, GOV_SUB_UNSET);
}
END_TEST

START_TEST(components_of_het_jobs)
{
	start(NULL);
	desc->het_job_offset = 1;
	submit();
	ck_assert_uint_eq(asked()->het_offset, 1);
	ck_assert(asked()->batch);
	desc->alloc_resp_port = 4711; /* salloc, srun */
	submit();
	ck_assert(!asked()->batch);
}
END_TEST

START_TEST(options_in_every_form)
{
	start(NULL);
	fake_slurmctld_add_spank(desc,
				 "_SLURM_SPANK_OPTION_governance_gov_class="
				 "debug");
	fake_slurmctld_add_spank(desc, "SPANK__SLURM_SPANK_OPTION_governance_"
				       "gov_class=training");
	fake_slurmctld_add_spank(desc, "SPANK__SLURM_SPANK_OPTION_governance_"
				       "gov_project=vlm");
	fake_slurmctld_add_spank(desc,
				 "_SLURM_SPANK_OPTION_governance_gov_borrow"
				 "=no");
	fake_slurmctld_add_spank(desc, "_SLURM_SPANK_OPTION_other_gov_class=x");
	fake_slurmctld_add_spank(desc,
				 "_SLURM_SPANK_OPTION_governance_gov_class");
	fake_slurmctld_add_spank(desc, "_SLURM_SPANK_OPTION_governance_"
				       "gov_class2=y");
	fake_slurmctld_add_spank(desc, "");
	submit();
	ck_assert_str_eq(asked()->class_name, "training");
	ck_assert_str_eq(asked()->project_name, "vlm");
	ck_assert_str_eq(asked()->borrow, "no");
	ck_assert_uint_eq(desc->spank_job_env_size, 8);
}
END_TEST

/* ---- forgeries ---- */

START_TEST(forged_grants_are_removed)
{
	const struct gov_answer answer = { .action = GOV_ANSWER_ADMIT,
					   .grant = "MUNGE:true:" };

	start(&answer);
	fake_slurmctld_add_spank(desc, "GOV_GRANT=forged");
	fake_slurmctld_add_spank(desc, "KEEP=1");
	fake_slurmctld_add_spank(desc, "SPANK_GOV_GRANT=forged");
	fake_slurmctld_add_spank(desc, "SPANK_SPANK_GOV_GRANT=forged");
	fake_slurmctld_add_spank(desc, "GOV_GRANT");
	fake_slurmctld_add_spank(desc, "GOV_GRANTS=no grant");
	submit();
	ck_assert_uint_eq(desc->spank_job_env_size, 3);
	ck_assert_str_eq(desc->spank_job_env[0], "KEEP=1");
	ck_assert_str_eq(desc->spank_job_env[1], "GOV_GRANTS=no grant");
	ck_assert_str_eq(desc->spank_job_env[2], "SPANK_GOV_GRANT=MUNGE:true:");
	ck_assert_ptr_null(desc->spank_job_env[3]);
}
END_TEST

START_TEST(forged_grants_of_the_ungoverned_too)
{
	start(NULL);
	fake_slurmctld_add_spank(desc, "SPANK_GOV_GRANT=forged");
	submit();
	ck_assert_uint_eq(desc->spank_job_env_size, 0);
}
END_TEST

START_TEST(forged_stamps_are_replaced)
{
	struct gov_answer answer = { .action = GOV_ANSWER_WAIT,
				     .admin_comment = STAMP };
	const char *forged = "note [gov1 state=admitted team=x class=y "
			     "nonce=7 submitted=1] more";

	start(&answer);
	desc->admin_comment = fake_slurmctld_copy(forged);
	submit();
	ck_assert_ptr_null(strstr(desc->admin_comment, "team=x"));
	ck_assert_ptr_nonnull(strstr(desc->admin_comment, "team=vision"));
	ck_assert_ptr_nonnull(strstr(desc->admin_comment, "note"));
	ck_assert_ptr_nonnull(strstr(desc->admin_comment, "more"));
	fake_governor_stop();
	/* Not governed: no stamp at all. */
	start(NULL);
	gov_slurm_free(desc->admin_comment);
	desc->admin_comment = fake_slurmctld_copy(forged);
	submit();
	ck_assert_ptr_null(strstr(desc->admin_comment, "gov1"));
	ck_assert_ptr_nonnull(strstr(desc->admin_comment, "more"));
}
END_TEST

/* ---- too much ---- */

START_TEST(long_texts)
{
	static char text[65536];

	start(NULL);
	memset(text, 'x', sizeof(text) - 1);
	desc->name = fake_slurmctld_copy(text);
	desc->dependency = fake_slurmctld_copy(text);
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	ck_assert_uint_eq(strlen(asked()->name), 255);
	desc->account = fake_slurmctld_copy(text);
	ck_assert_int_eq(submit(), ESLURM_INVALID_TRES);
	ck_assert_ptr_nonnull(strstr(message, "[GOV-307]"));
	ck_assert_int_eq(fake_governor_requests(), 1);
}
END_TEST

START_TEST(ten_thousand_environment_entries)
{
	start(NULL);
	desc->env_size = 10000;
	desc->environment = gov_slurm_alloc(desc->env_size,
					    sizeof(*desc->environment));
	for (uint32_t i = 0; i < desc->env_size; i++)
		desc->environment[i] = fake_slurmctld_copy("SPANK_GOV_GRANT=x");
	for (int i = 0; i < 10000; i++)
		fake_slurmctld_add_spank(desc, "GOV_GRANT=forged");
	fake_slurmctld_add_spank(desc,
				 "_SLURM_SPANK_OPTION_governance_gov_class="
				 "debug");
	ck_assert_int_eq(submit(), SLURM_SUCCESS);
	ck_assert_str_eq(asked()->class_name, "debug");
	ck_assert_uint_eq(desc->spank_job_env_size, 1);
}
END_TEST

START_TEST(entries_that_nodes_cannot_take)
{
	static char text[40000];

	start(NULL);
	memset(text, 'x', sizeof(text) - 1);
	fake_slurmctld_add_spank(desc, text);
	ck_assert_int_eq(submit(), ESLURM_INVALID_TRES);
	ck_assert_ptr_nonnull(strstr(message, "SPANK"));
	ck_assert_int_eq(fake_governor_requests(), 0);
}
END_TEST

/* ---- updates ---- */

START_TEST(own_updates_are_not_asked_about)
{
	const struct gov_answer answer = { .action = GOV_ANSWER_REFUSE };

	start(&answer);
	desc->priority = INFINITE;
	ck_assert_int_eq(modify(0), SLURM_SUCCESS);
	ck_assert_int_eq(fake_governor_requests(), 0);
}
END_TEST

START_TEST(irrelevant_updates_are_not_asked_about)
{
	const struct gov_answer answer = { .action = GOV_ANSWER_REFUSE };

	start(&answer);
	desc->name = fake_slurmctld_copy("new name");
	desc->wckey = fake_slurmctld_copy("w");
	desc->array_inx = fake_slurmctld_copy("1"); /* ArrayTaskThrottle=1 */
	ck_assert_int_eq(modify(USER), SLURM_SUCCESS);
	ck_assert_int_eq(fake_governor_requests(), 0);
}
END_TEST

START_TEST(a_release)
{
	struct gov_answer answer = { .action = GOV_ANSWER_SWALLOW,
				     .message = "noted" };
	const struct gov_modification *m;

	start(&answer);
	desc->job_id_str = fake_slurmctld_copy("12_[3-4]");
	desc->array_inx = fake_slurmctld_copy("1");
	desc->priority = INFINITE;
	ck_assert_int_eq(modify(USER), SLURM_SUCCESS);
	m = &fake_governor_last()->modification;
	ck_assert_int_eq(fake_governor_last()->kind, GOV_MSG_MODIFY);
	ck_assert_str_eq(m->job_id, "12_[3-4]");
	ck_assert_uint_eq(m->uid, USER);
	ck_assert(m->sets_priority);
	ck_assert_uint_eq(m->priority, INFINITE);
	ck_assert_ptr_null(asked()->array);
	ck_assert_uint_eq(desc->priority, NO_VAL);
	ck_assert_ptr_null(desc->admin_comment);
#if GOV_MODIFY_HAS_MESSAGE
	ck_assert_str_eq(message, "governance: noted");
#endif
	fake_governor_stop();
	answer.action = GOV_ANSWER_REFUSE;
	answer.code = GOV_R_NOT_ALLOWED;
	start(&answer);
	desc->priority = INFINITE;
	ck_assert_int_eq(modify(USER), ESLURM_ACCESS_DENIED);
	ck_assert_uint_eq(desc->priority, INFINITE);
}
END_TEST

START_TEST(a_change_of_size)
{
	const struct gov_answer answer = {
		.action = GOV_ANSWER_ADMIT,
		.admin_comment = STAMP,
		.account = "x",
		.grant = "y",
	};

	start(&answer);
	desc->job_id_str = fake_slurmctld_copy("12");
	desc->tres_per_node = fake_slurmctld_copy("");
	ck_assert_int_eq(modify(USER), SLURM_SUCCESS);
	ck_assert_str_eq(asked()->tres_per_node, "");
	ck_assert(!fake_governor_last()->modification.sets_priority);
	/* The same desc is used for the next task: nothing is left in it. */
	ck_assert_ptr_null(desc->admin_comment);
	ck_assert_ptr_null(desc->account);
	ck_assert_uint_eq(desc->spank_job_env_size, 0);
}
END_TEST

START_TEST(ids_of_updates)
{
	static char text[200];

	start(NULL);
	desc->priority = 0;
	memset(text, '1', sizeof(text) - 1);
	desc->job_id_str = fake_slurmctld_copy(text);
	modify(USER);
	ck_assert_str_eq(fake_governor_last()->modification.job_id, "");
	gov_slurm_free(desc->job_id_str);
	desc->job_id_str = NULL;
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 11, 0)
	desc->job_id = 77;
	modify(USER);
	ck_assert_str_eq(fake_governor_last()->modification.job_id, "77");
#endif
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, admitted);
	tcase_add_test(tcase, account_of_the_user_stays);
	tcase_add_test(tcase, waiting);
	tcase_add_test(tcase, passed);
	tcase_add_test(tcase, refused);
	tcase_add_test(tcase, swallow_is_no_answer_to_a_submission);
	tcase_add_test(tcase, earlier_message_stays);
	tcase_add_test(tcase, long_message_is_cut);
	tcase_add_test(tcase, out_of_memory_refuses);
	tcase_add_test(tcase, nothing_given);
	tcase_add_test(tcase, everything_given);
	tcase_add_test(tcase, forged_cron_jobs);
	tcase_add_test(tcase, exclusive_of_a_user_is_no_whole_node);
	tcase_add_test(tcase, spread_jobs_take_a_node_a_task);
	tcase_add_test(tcase, few_nodes_are_wanted);
	tcase_add_test(tcase, components_of_het_jobs);
	tcase_add_test(tcase, options_in_every_form);
	tcase_add_test(tcase, forged_grants_are_removed);
	tcase_add_test(tcase, forged_grants_of_the_ungoverned_too);
	tcase_add_test(tcase, forged_stamps_are_replaced);
	tcase_add_test(tcase, long_texts);
	tcase_add_test(tcase, ten_thousand_environment_entries);
	tcase_add_test(tcase, entries_that_nodes_cannot_take);
	tcase_add_test(tcase, own_updates_are_not_asked_about);
	tcase_add_test(tcase, irrelevant_updates_are_not_asked_about);
	tcase_add_test(tcase, a_release);
	tcase_add_test(tcase, a_change_of_size);
	tcase_add_test(tcase, ids_of_updates);
}

int main(void)
{
	return unit_main("job_submit", cases);
}
