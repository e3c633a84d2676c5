/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "conf/conf.h"
#include "simulate/nodes.h"
#include "simulate/simulate.h"
#include "tests/unit/unit.h"

static int read_text(const char *text, struct gov_trace *trace,
		     struct gov_error *error)
{
	FILE *file = fmemopen((void *) text, strlen(text), "r");
	int rc;

	gov_trace_init(trace);
	rc = gov_trace_read(trace, file, GOV_TRACE_GUESS, NULL, NULL, error);
	fclose(file);
	return rc;
}

START_TEST(csv_is_read_and_sorted)
{
	struct gov_trace trace;
	struct gov_error error;

	ck_assert_int_eq(read_text("submit_s,team,gpus,duration_s\n"
				   "20,b,2,100\n"
				   "10,a,1,50\n"
				   "15,a,0,50\n",
				   &trace, &error),
			 0);
	ck_assert_uint_eq(trace.count, 2);
	ck_assert_uint_eq(trace.skipped, 1);
	ck_assert_int_eq(trace.job[0].submit, 10);
	ck_assert_str_eq(trace.name[trace.job[0].team], "a");
	ck_assert_uint_eq(trace.job[1].gpus, 2);
	gov_trace_free(&trace);
}
END_TEST

START_TEST(sacct_steps_are_not_jobs)
{
	struct gov_trace trace;
	struct gov_error error;

	ck_assert_int_eq(
		read_text(
			"JobID|Account|User|Submit|ElapsedRaw|AllocTRES|State\n"
			"7|vision|alice|2026-12-01T10:00:00|60|billing=2,cpu=2,gres/gpu:h100=4,gres/gpu=4,mem=2G,node=1|COMPLETED\n"
			"7.batch|vision||2026-12-01T10:00:00|60|cpu=2,mem=2G,node=1|COMPLETED\n",
			&trace, &error),
		0);
	ck_assert_uint_eq(trace.count, 1);
	ck_assert_uint_eq(trace.job[0].gpus, 4);
	ck_assert_uint_eq(trace.job[0].cpus, 2);
	ck_assert_uint_eq(trace.job[0].memory, 2048);
	gov_trace_free(&trace);
}
END_TEST

/* Wherever JobID stands; what was asked counts where nothing was given. */
START_TEST(sacct_columns_in_any_order)
{
	struct gov_trace trace;
	struct gov_error error;

	ck_assert_int_eq(
		read_text(
			"ReqTRES|AllocTRES|Account|Submit|ElapsedRaw|JobID|QOS\n"
			"cpu=9,gres/gpu=9|cpu=2,gres/gpu:a100=1,gres/gpu:h100=3|a|5|60|8_1|normal\n"
			"cpu=2|cpu=2||5|60|8_1.0|\n"
			"cpu=4,gres/gpu=2||a|6|60|9|\n",
			&trace, &error),
		0);
	ck_assert_uint_eq(trace.count, 2);
	ck_assert_uint_eq(trace.job[0].gpus, 4);
	ck_assert_uint_eq(trace.job[0].cpus, 2);
	ck_assert_uint_eq(trace.job[0].gpu_type, GOV_NONE);
	ck_assert(trace.class_is_hint);
	ck_assert_uint_eq(trace.job[1].gpus, 2);
	ck_assert_uint_eq(trace.job[1].cpus, 4);
	gov_trace_free(&trace);
}
END_TEST

START_TEST(numbers_of_spreadsheets_are_read)
{
	struct gov_trace trace;
	struct gov_error error;

	ck_assert_int_eq(read_text("\xef\xbb\xbfsubmit,team,gpus,duration\r\n"
				   "1.9,a,4.0,0.5\r\n",
				   &trace, &error),
			 0);
	ck_assert_int_eq(trace.job[0].submit, 1);
	ck_assert_uint_eq(trace.job[0].gpus, 4);
	ck_assert_int_eq(trace.job[0].duration, 1);
	gov_trace_free(&trace);
}
END_TEST

START_TEST(swf_is_read)
{
	struct gov_trace trace;
	struct gov_error error;

	ck_assert_int_eq(
		read_text("; UnixStartTime: 0\n"
			  "1 5 0 100 4 -1 -1 8 -1 -1 1 3 2 -1 1 -1 -1 -1\n"
			  "2 6 0 -1 4 -1 -1 8 -1 -1 1 3 2 -1 1 -1 -1 -1\n"
			  "3 6 0 5 0.5 -1 -1 -1 -1 -1 1 -1 2 -1 1 -1 -1 -1\n"
			  "4 6 0 0.5 4 -1 -1 8 -1 -1 1 -1 2 -1 1 -1 -1 -1\n"
			  "5 7 0 5 4 -1 -1 -1 -1 -1 1 -1 2 -1 1 -1 -1 -1\n",
			  &trace, &error),
		0);
	ck_assert_uint_eq(trace.count, 2);
	ck_assert_uint_eq(trace.skipped, 3);
	ck_assert_uint_eq(trace.job[1].cpus, 4);
	ck_assert_uint_eq(trace.job[1].user, GOV_NONE);
	ck_assert_uint_eq(trace.job[0].cpus, 8);
	ck_assert_str_eq(trace.name[trace.job[0].team], "group2");
	gov_trace_free(&trace);
}
END_TEST

static const struct {
	const char *text;
	const char *says;
} bad_traces[] = {
	{ "", "no job" },
	{ "submit,team,gpus\n1,a,1\n", "'duration'" },
	{ "submit,team,gpus,durations\n", "unknown column 'durations'" },
	{ "submit,team,gpus,duration\n1,a,x,2\n", "line 2: field 3" },
	{ "submit,team,gpus,duration\n1,a,-1,2\n", "line 2: field 3" },
	{ "submit,team,gpus,duration\n1,a,1\n", "has 3 fields" },
	{ "submit,team,gpus,duration\n1,a,1,2,3\n", "more fields" },
	{ "submit,team,gpus,duration\n1,,1,2\n", "line 2: field 2" },
	{ "submit,team,gpus,duration\nnan,a,1,2\n", "line 2: field 1" },
	{ "submit,team,gpus,duration\n1,a,1e300,2\n", "line 2: field 3" },
	{ "submit,team,gpus,duration\n1,a,0.5,2\n", "line 2: field 3" },
	{ "submit,team,gpus,duration\n1,a,0x8,2\n", "line 2: field 3" },
	{ "submit,team,gpus,duration\n1,a,1,-2\n", "line 2: field 4" },
	{ "submit,team,gpus,duration\n1e12,a,1,2\n", "line 2: field 1" },
	{ "submit,submit_s,team,duration\n", "columns 1 and 2" },
	{ "Account|Submit|ElapsedRaw\n", "'JobID'" },
	{ "7|vision|2026-12-01T10:00:00\n", "'Submit'" },
	{ "1 2 3\n", "SWF has 18 numbers" },
};

START_TEST(bad_traces_are_refused_with_a_place)
{
	struct gov_trace trace;
	struct gov_error error;

	ck_assert_int_eq(read_text(bad_traces[_i].text[0] ?
					   bad_traces[_i].text :
					   "\n",
				   &trace, &error),
			 -1);
	ck_assert_msg(strstr(error.text, bad_traces[_i].says) != NULL,
		      "'%s' does not say '%s'", error.text,
		      bad_traces[_i].says);
	gov_trace_free(&trace);
}
END_TEST

START_TEST(nodes_pack_and_give_back)
{
	struct gov_nodes *nodes = gov_nodes_create(4, 8);
	int64_t small = gov_nodes_place(nodes, 1, 0), big, again;

	ck_assert_int_gt(small, 0);
	/* 24 need three whole nodes: the three untouched ones. */
	big = gov_nodes_place(nodes, 24, 0);
	ck_assert_int_gt(big, 0);
	ck_assert_int_eq(gov_nodes_place(nodes, 8, 0), 0);
	again = gov_nodes_place(nodes, 7, 0);
	ck_assert_int_gt(again, 0);
	ck_assert_uint_eq(gov_nodes_used(nodes), 32);
	gov_nodes_release(nodes, big);
	ck_assert_uint_eq(gov_nodes_used(nodes), 8);
	/* 4 on 4 nodes: only three have room. */
	ck_assert_int_eq(gov_nodes_place(nodes, 4, 4), 0);
	ck_assert_uint_eq(gov_nodes_used(nodes), 8);
	gov_nodes_release(nodes, small);
	ck_assert_int_gt(gov_nodes_place(nodes, 4, 4), 0);
	gov_nodes_destroy(nodes);
}
END_TEST

/* More nodes than it has units, or too few nodes for them: as it can be. */
START_TEST(nodes_can_what_they_say)
{
	struct gov_nodes *nodes = gov_nodes_create(4, 8);

	ck_assert(!gov_nodes_can(nodes, 33, 0));
	ck_assert(!gov_nodes_can(nodes, 8, 5));
	ck_assert(gov_nodes_can(nodes, 2, 100));
	ck_assert(gov_nodes_can(nodes, 32, 2));
	ck_assert_int_gt(gov_nodes_place(nodes, 2, 100), 0);
	ck_assert_int_gt(gov_nodes_place(nodes, 16, 2), 0);
	ck_assert_uint_eq(gov_nodes_used(nodes), 18);
	gov_nodes_destroy(nodes);
}
END_TEST

/* ---- runs, worked out by hand ---- */

static const char two_teams[] =
	"IdleSharing=FairShare ReclaimGrace=60 MinRuntime=0\n"
	"PoolName=main Nodes=n1 TRES=cpu,gres/gpu\n"
	"PriorityClass=normal Weight=50 Default=yes\n"
	"TeamName=a Members=a BorrowLimit=unlimited\n"
	"TeamName=b Members=b BorrowLimit=unlimited\n"
	"Quota Team=a Pool=main TRES=gres/gpu=4\n"
	"Quota Team=b Pool=main TRES=gres/gpu=4\n";

static struct gov_policy *parse_policy(const char *text)
{
	struct gov_conf_faults faults;
	struct gov_policy *policy = gov_conf_parse(text, strlen(text), "test",
						   NULL, &faults);

	ck_assert_ptr_nonnull(policy);
	gov_conf_faults_free(&faults);
	return policy;
}

struct run {
	struct gov_policy *policy;
	struct gov_simulate_result result;
};

static void run_policy(struct run *run, const char *policy,
		       const char *trace_text, enum gov_variant variant,
		       int64_t checkpoint)
{
	struct gov_policy *reference = parse_policy(policy);
	struct gov_simulate_options options;
	struct gov_trace trace;
	struct gov_error error = { 0 };

	run->policy = parse_policy(policy);
	gov_simulate_options_init(&options);
	options.checkpoint = checkpoint;
	ck_assert_int_eq(read_text(trace_text, &trace, &error), 0);
	ck_assert_int_eq(gov_simulate_variant(run->policy, variant, &error), 0);
	ck_assert_msg(!gov_simulate_run(&trace, run->policy, reference,
					&options, &run->result, &error),
		      "%s", error.text);
	gov_policy_unref(reference);
	gov_trace_free(&trace);
}

static void run_trace(struct run *run, const char *trace_text,
		      enum gov_variant variant, int64_t checkpoint)
{
	run_policy(run, two_teams, trace_text, variant, checkpoint);
}

static void end_run(struct run *run)
{
	gov_simulate_result_free(&run->result);
	gov_policy_unref(run->policy);
}

/*
 * a has 8 of 8, borrowing 4, for 7,200 s.  b asks for its 4 at 3,600: grace
 * until 3,660, b runs 3,600 s, then a runs all of its 7,200 s again.
 */
static const char owner_returns[] = "submit,team,gpus,cpus,duration\n"
				    "0,a,8,16,7200\n"
				    "3600,b,4,8,3600\n";

START_TEST(an_owner_waits_for_the_grace)
{
	struct run run;
	const struct gov_simulate_result *r = &run.result;

	run_trace(&run, owner_returns, GOV_VARIANT_POLICY, 0);
	ck_assert_uint_eq(r->all.owed.jobs, 1);
	ck_assert_uint_eq(r->all.owed.late, 1);
	ck_assert(r->all.owed.mean == 60);
	ck_assert_uint_eq(r->all.evictions, 1);
	ck_assert_uint_eq(r->team[0].evictions, 1);
	ck_assert(r->all.hours_lost == 8 * 3660 / 3600.0);
	ck_assert(r->all.hours_used == 16 + 4 + 8 * 3660 / 3600.0);
	/* b's job is over at 7,260; a's waited from 3,660 to then */
	ck_assert(r->team[0].wait.max == 3600);
	ck_assert(r->makespan == 7260 + 7200);
	ck_assert(r->utilization == 1);
	/* 4 beyond a's quota for 3,660 s, and for the whole second run */
	ck_assert(r->team[0].hours_borrowed == 4 * (3660 + 7200) / 3600.0);
	/* a: quota of 4 wanted to the end, had but for 3,600 s */
	ck_assert(r->team[0].delivered == (14460 - 3600) / 14460.0);
	ck_assert(r->team[1].delivered == 3600 / 3660.0);
	ck_assert_uint_eq(r->unfinished, 0);
	end_run(&run);
}
END_TEST

START_TEST(checkpoints_save_work)
{
	struct run run;

	run_trace(&run, owner_returns, GOV_VARIANT_POLICY, 1000);
	/* 3,660 s run, 3,000 of them saved */
	ck_assert(run.result.all.hours_lost == 8 * 660 / 3600.0);
	ck_assert(run.result.makespan == 7260 + 7200 - 3000);
	end_run(&run);
}
END_TEST

START_TEST(variants_differ_as_they_should)
{
	struct run run;

	run_trace(&run, owner_returns, GOV_VARIANT_NO_RECLAIM, 0);
	ck_assert_uint_eq(run.result.all.evictions, 0);
	ck_assert(run.result.all.owed.mean == 3600);
	ck_assert(run.result.makespan == 7200 + 3600);
	end_run(&run);
	run_trace(&run, owner_returns, GOV_VARIANT_STATIC, 0);
	ck_assert_uint_eq(run.result.all.refused, 1);
	ck_assert_uint_eq(run.result.team[0].refused, 1);
	ck_assert(run.result.all.owed.mean == 0);
	ck_assert(run.result.utilization == 0);
	end_run(&run);
	run_trace(&run, owner_returns, GOV_VARIANT_NO_QUOTA, 0);
	ck_assert_uint_eq(run.result.all.refused, 0);
	ck_assert(run.result.all.wait.max == 3600);
	/* beyond the quotas as they are written */
	ck_assert(run.result.all.hours_borrowed == 8);
	end_run(&run);
}
END_TEST

/* Jobs without GPUs take no part of nodes that GPUs fill, nor GPU-hours. */
START_TEST(cpu_jobs_take_no_gpus)
{
	struct run run;

	run_trace(&run,
		  "submit,team,gpus,cpus,duration\n"
		  "0,a,8,8,3600\n0,b,0,500,3600\n3600,a,1,1,3600\n",
		  GOV_VARIANT_POLICY, 0);
	ck_assert(run.result.all.wait.max == 0);
	ck_assert(run.result.all.hours_used == 9);
	ck_assert(run.result.utilization == 1);
	end_run(&run);
}
END_TEST

/* What no empty machine could take is refused, and blocks nobody. */
START_TEST(impossible_jobs_block_nobody)
{
	struct run run;

	run_trace(&run,
		  "submit,team,gpus,nodes,duration\n"
		  "0,a,9,0,3600\n0,a,2,2,3600\n0,a,8,0,3600\n",
		  GOV_VARIANT_POLICY, 0);
	ck_assert_uint_eq(run.result.all.refused, 2);
	ck_assert(run.result.all.wait.max == 0);
	ck_assert(run.result.makespan == 3600);
	end_run(&run);
}
END_TEST

/* What ends free goes to who waits, not to who comes in the same second. */
START_TEST(who_waits_is_before_who_comes)
{
	struct run run;

	run_trace(&run,
		  "submit,team,gpus,duration\n"
		  "0,a,8,100\n1,a,8,100\n100,a,8,100\n",
		  GOV_VARIANT_NO_QUOTA, 0);
	ck_assert(run.result.all.wait.max == 100);
	ck_assert(run.result.all.wait.p50 == 99);
	end_run(&run);
}
END_TEST

/*
 * Two pools: a has quota in the second only; b's jobs go where they start at
 * once.  Without quotas both pools are there for everybody.
 */
static const char two_pools[] =
	"PoolName=one Nodes=n1 TRES=gres/gpu\n"
	"PoolName=two Nodes=n2 TRES=gres/gpu\n"
	"PriorityClass=normal Weight=50 Default=yes\n"
	"TeamName=a Members=a MaxUserTRES=gres/gpu=8\n"
	"TeamName=b Members=b Pools=two,one\n"
	"Quota Team=a Pool=two TRES=gres/gpu=4 BorrowLimit=0\n"
	"Quota Team=b Pool=one TRES=gres/gpu=8\n"
	"Quota Team=b Pool=two TRES=gres/gpu=4 BorrowLimit=0\n";

static const char one_user[] = "PoolName=main Nodes=n[1-2] TRES=gres/gpu\n"
			       "PriorityClass=normal Weight=50 Default=yes\n"
			       "TeamName=a Members=a MaxUserTRES=gres/gpu=4\n"
			       "TeamName=b Members=b\n"
			       "Quota Team=a Pool=main TRES=gres/gpu=8\n"
			       "Quota Team=b Pool=main TRES=gres/gpu=4\n";

START_TEST(pools_are_chosen_as_by_the_governor)
{
	static const char trace[] =
		"submit,team,gpus,duration\n"
		"0,a,4,3600\n0,b,4,3600\n1,b,4,3600\n2,a,4,3600\n";
	struct run run;

	run_policy(&run, two_pools, trace, GOV_VARIANT_POLICY, 0);
	ck_assert_uint_eq(run.result.all.refused, 0);
	ck_assert_uint_eq(run.result.team[1].wait.late, 0);
	ck_assert(run.result.team[0].wait.max == 3598);
	end_run(&run);
	run_policy(&run, two_pools, trace, GOV_VARIANT_NO_QUOTA, 0);
	ck_assert_uint_eq(run.result.all.wait.late, 0);
	end_run(&run);
}
END_TEST

/* Jobs of nobody in particular are not all of one user. */
START_TEST(limits_of_users_need_users)
{
	static const char nobody[] = "submit,team,gpus,duration\n"
				     "0,b,4,3600\n0,a,4,3600\n0,a,4,3600\n";
	static const char one[] = "submit,team,gpus,duration,user\n"
				  "0,b,4,3600,u\n0,a,4,3600,u\n0,a,4,3600,u\n";
	struct run run;

	run_policy(&run, one_user, nobody, GOV_VARIANT_POLICY, 0);
	ck_assert_uint_eq(run.result.all.wait.late, 0);
	end_run(&run);
	run_policy(&run, one_user, one, GOV_VARIANT_POLICY, 0);
	ck_assert_uint_eq(run.result.all.wait.late, 1);
	end_run(&run);
	run_policy(&run, one_user, one, GOV_VARIANT_NO_QUOTA, 0);
	ck_assert_uint_eq(run.result.all.wait.late, 0);
	end_run(&run);
}
END_TEST

START_TEST(drafts_have_nodes_that_can_be_named)
{
	struct gov_trace trace;
	struct gov_error error;
	FILE *file = fopen("/dev/null", "w");

	ck_assert_int_eq(read_text("submit,team,gpus,duration\n1,a,1,1\n",
				   &trace, &error),
			 0);
	ck_assert_int_eq(gov_simulate_draft(&trace, 65536, 1, file, &error), 0);
	ck_assert_int_eq(gov_simulate_draft(&trace, 65537, 1, file, &error),
			 -1);
	ck_assert_ptr_nonnull(strstr(error.text, "--node-size"));
	fclose(file);
	gov_trace_free(&trace);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, csv_is_read_and_sorted);
	tcase_add_test(tcase, sacct_steps_are_not_jobs);
	tcase_add_test(tcase, swf_is_read);
	tcase_add_loop_test(tcase, bad_traces_are_refused_with_a_place, 0,
			    sizeof(bad_traces) / sizeof(*bad_traces));
	tcase_add_test(tcase, nodes_pack_and_give_back);
	tcase_add_test(tcase, nodes_can_what_they_say);
	tcase_add_test(tcase, sacct_columns_in_any_order);
	tcase_add_test(tcase, numbers_of_spreadsheets_are_read);
	tcase_add_test(tcase, an_owner_waits_for_the_grace);
	tcase_add_test(tcase, checkpoints_save_work);
	tcase_add_test(tcase, variants_differ_as_they_should);
	tcase_add_test(tcase, cpu_jobs_take_no_gpus);
	tcase_add_test(tcase, impossible_jobs_block_nobody);
	tcase_add_test(tcase, who_waits_is_before_who_comes);
	tcase_add_test(tcase, limits_of_users_need_users);
	tcase_add_test(tcase, drafts_have_nodes_that_can_be_named);
	tcase_add_test(tcase, pools_are_chosen_as_by_the_governor);
}

int main(void)
{
	return unit_main("simulate", cases);
}
