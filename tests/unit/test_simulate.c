/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

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
				   "15,a,0,50\n", &trace, &error), 0);
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

	ck_assert_int_eq(read_text(
		"JobID|Account|User|Submit|ElapsedRaw|AllocTRES|State\n"
		"7|vision|alice|2026-12-01T10:00:00|60|billing=2,cpu=2,gres/gpu:h100=4,gres/gpu=4,mem=2G,node=1|COMPLETED\n"
		"7.batch|vision||2026-12-01T10:00:00|60|cpu=2,mem=2G,node=1|COMPLETED\n",
		&trace, &error), 0);
	ck_assert_uint_eq(trace.count, 1);
	ck_assert_uint_eq(trace.job[0].gpus, 4);
	ck_assert_uint_eq(trace.job[0].cpus, 2);
	ck_assert_uint_eq(trace.job[0].memory, 2048);
	gov_trace_free(&trace);
}
END_TEST

START_TEST(swf_is_read)
{
	struct gov_trace trace;
	struct gov_error error;

	ck_assert_int_eq(read_text(
		"; UnixStartTime: 0\n"
		"1 5 0 100 4 -1 -1 8 -1 -1 1 3 2 -1 1 -1 -1 -1\n"
		"2 6 0 -1 4 -1 -1 8 -1 -1 1 3 2 -1 1 -1 -1 -1\n",
		&trace, &error), 0);
	ck_assert_uint_eq(trace.count, 1);
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
	{ "1 2 3\n", "SWF has 18 numbers" },
};

START_TEST(bad_traces_are_refused_with_a_place)
{
	struct gov_trace trace;
	struct gov_error error;

	ck_assert_int_eq(read_text(bad_traces[_i].text[0] ?
				   bad_traces[_i].text : "\n",
				   &trace, &error), -1);
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

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, csv_is_read_and_sorted);
	tcase_add_test(tcase, sacct_steps_are_not_jobs);
	tcase_add_test(tcase, swf_is_read);
	tcase_add_loop_test(tcase, bad_traces_are_refused_with_a_place, 0,
			    sizeof(bad_traces) / sizeof(*bad_traces));
	tcase_add_test(tcase, nodes_pack_and_give_back);
}

int main(void)
{
	return unit_main("simulate", cases);
}
