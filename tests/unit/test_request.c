/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TRES text, array text, and what a submission comes to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request/submission.h"
#include "tests/unit/request_data.h"
#include "tests/unit/unit.h"

/* ---- gov_tres_parse_amount ---- */

START_TEST(amounts)
{
	static const struct {
		const char *name, *text;
		gov_amount_t amount;
		int rc;
	} rows[] = {
		{ "gres/gpu", "16", 16, 0 },
		{ "gres/gpu", "0", 0, 0 },
		{ "gres/gpu", "1k", 1024, 0 },
		{ "gres/gpu", "2K", 2048, 0 },
		{ "gres/gpu", "2KiB", 2048, 0 },
		{ "gres/gpu", "2kb", 2000, 0 },
		{ "gres/gpu", "1mb", 1000000, 0 },
		{ "gres/gpu", "1.5k", 1536, 0 },
		{ "gres/gpu", "1.5", 0, -1 },
		{ "mem", "512", 512, 0 },
		{ "mem", "2T", 2097152, 0 },
		{ "mem", "2TB", 2097152, 0 },
		{ "mem", "2TiB", 2097152, 0 },
		{ "mem", "62.50G", 64000, 0 },
		{ "mem", "1K", 1, 0 },
		{ "MEM", "1025k", 2, 0 },
		{ "cpu", "-1", 0, -1 },
		{ "cpu", "+1", 0, -1 },
		{ "cpu", " 1", 0, -1 },
		{ "cpu", "1 ", 0, -1 },
		{ "cpu", "", 0, -1 },
		{ "cpu", "b", 0, -1 },
		{ "cpu", "kb", 0, -1 },
		{ "cpu", "1b", 0, -1 },
		{ "cpu", "12b", 0, -1 },
		{ "cpu", "12ib", 0, -1 },
		{ "cpu", "0x10", 0, -1 },
		{ "cpu", "1e3", 0, -1 },
		{ "cpu", "18446744073709551613", GOV_AMOUNT_MAX, 0 },
		{ "cpu", "18446744073709551614", 0, -1 },
		{ "cpu", "18014398509481985k", 0, -1 },
		{ "cpu", "18446744073709551613pb", 0, -1 },
		{ "cpu", "1111111111111111111111111111111111111111111111", 0,
		  -1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		gov_amount_t amount = 0;
		int rc = gov_tres_parse_amount(rows[i].name, rows[i].text,
					       &amount);

		ck_assert_msg(rc == rows[i].rc && amount == rows[i].amount,
			      "%s %s: %d, %llu", rows[i].name, rows[i].text, rc,
			      (unsigned long long) amount);
	}
}
END_TEST

/* ---- gov_tres_walk ---- */

struct collected {
	char text[512];
	int stop_at;
	int count;
};

static int collect(const struct gov_tres_entry *entry, void *arg)
{
	struct collected *c = arg;
	size_t used = strlen(c->text);

	snprintf(c->text + used, sizeof(c->text) - used, "%s%s%s%s=%llu%s",
		 used ? " " : "", entry->name, *entry->type ? ":" : "",
		 entry->type, (unsigned long long) entry->amount,
		 entry->amount_given ? "" : "?");
	return ++c->count == c->stop_at ? 7 : 0;
}

START_TEST(walks)
{
	static const struct {
		const char *text, *expected; /* NULL: malformed */
	} rows[] = {
		{ "gres:gpu:h100:4", "gres/gpu:h100=4" },
		{ "gres/gpu:h100:4", "gres/gpu:h100=4" },
		{ "gres/gpu:h100=4", "gres/gpu:h100=4" },
		{ "gres/gpu=2", "gres/gpu=2" },
		{ "gres/gpu:2", "gres/gpu=2" },
		{ "gpu:1", "gres/gpu=1" },
		{ "gpu=1", "gres/gpu=1" },
		{ "gpu", "gres/gpu=1?" },
		{ "GPU:A100:2", "gres/gpu:a100=2" },
		{ "gpu:a100", "gres/gpu:a100=1?" },
		{ "gpu:1g.10gb", "gres/gpu:1g.10gb=1?" },
		{ "gpu:1g.10gb:2", "gres/gpu:1g.10gb=2" },
		{ "gpu:nvidia_geforce_rtx_2080_ti=1",
		  "gres/gpu:nvidia_geforce_rtx_2080_ti=1" },
		{ "gpu:1k", "gres/gpu=1024" },
		{ "gpu:1kb", "gres/gpu=1000" },
		{ "gpu:0", "gres/gpu=0" },
		{ "cpu=8,mem=2T", "cpu=8 mem=2097152" },
		{ "cpu:2,gres/gpu:1", "cpu=2 gres/gpu=1" },
		{ "license/x:2", "license/x=2" },
		{ "license:x=2,license/y", "license/x=2 license/y=1?" },
		{ "node=1,billing=5,energy=0", "node=1 billing=5 energy=0" },
		{ "fs/disk=3", "fs/disk=3" },
		{ "gpu:2;shard:3", "gres/gpu=2 gres/shard=3" },
		{ "gpu:h100:2(IDX:0,3),cpu=1", "gres/gpu:h100=2 cpu=1" },
		{ "gpu:8(S:0-1)", "gres/gpu=8" },
		{ "", "" },
		{ ",,", "" },
		{ ",gpu:1,", "gres/gpu=1" },
		{ "none", "" },
		{ "NONE", "" },
		{ " gpu:1 , cpu=2 ", "gres/gpu=1 cpu=2" },
		{ "gres/gpu=2,gres/gpu:a100=2", "gres/gpu=2 gres/gpu:a100=2" },
		{ "gpu:", NULL },
		{ "gpu:tesla:", NULL },
		{ "gpu::1", NULL },
		{ "gpu:-1", "gres/gpu:-1=1?" }, /* a type to Slurm too */
		{ "gpu:h100:-1", NULL },
		{ "gpu=-1", NULL },
		{ "gpu=h100", NULL },
		{ "gpu:h100:4:5", NULL },
		{ "gpu:99999999999999999999", NULL },
		{ "gpu:18014398509481985k", NULL },
		{ ":", NULL },
		{ "=", NULL },
		{ "gres:", NULL },
		{ "gres/", NULL },
		{ "gpu:2(", NULL },
		{ "gpu:2(x)y", NULL },
		{ "g pu:2", NULL },
		{ "gpu:a\nb:2", NULL },
		{ "gpu:\xff:2", NULL },
		{ "cpu=", NULL },
		{ "cpu=1=2", NULL },
		{ "a/b/c=1", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct collected c = { .text = "" };
		struct gov_error error = { .code = GOV_OK };
		int rc = gov_tres_walk(rows[i].text, collect, &c, &error);

		if (!rows[i].expected) {
			ck_assert_msg(rc == -1, "%s: %s", rows[i].text, c.text);
			ck_assert_int_eq(error.code, GOV_R_REQUEST);
			continue;
		}
		ck_assert_msg(!rc && !strcmp(c.text, rows[i].expected),
			      "%s: %d %s", rows[i].text, rc, c.text);
	}
	ck_assert_int_eq(gov_tres_walk(NULL, collect, NULL, NULL), 0);
}
END_TEST

START_TEST(walk_stops_when_told)
{
	struct collected c = { .stop_at = 2 };

	ck_assert_int_eq(gov_tres_walk("a,b,c", collect, &c, NULL), 7);
	ck_assert_int_eq(c.count, 2);
}
END_TEST

START_TEST(walk_limits)
{
	static char text[65536];
	struct collected c = { .text = "" };
	struct gov_error error;

	memset(text, 'x', 65535);
	ck_assert_int_eq(gov_tres_walk(text, collect, &c, &error), -1);
	ck_assert_uint_lt(strlen(error.text), 200);
	text[250] = '\0';
	ck_assert_int_eq(gov_tres_walk(text, collect, &c, &error), 0);
	text[250] = 'x';
	text[256] = '\0';
	ck_assert_int_eq(gov_tres_walk(text, collect, &c, &error), -1);
	for (int i = 0; i < 1001; i++)
		memcpy(text + 2 * i, "a,", 2);
	text[2002] = '\0';
	ck_assert_int_eq(gov_tres_walk(text, collect, &c, &error), -1);
	text[2000] = '\0';
	ck_assert_int_eq(gov_tres_walk(text, collect, &c, &error), 0);
	memset(text, ',', 65535);
	ck_assert_int_eq(gov_tres_walk(text, collect, &c, &error), 0);
}
END_TEST

START_TEST(licenses)
{
	struct collected c = { .text = "" };

	ck_assert_int_eq(gov_license_walk("matlab:2,idl@server;x=3,progress",
					  collect, &c, NULL),
			 0);
	ck_assert_str_eq(c.text, "license/matlab=2 license/idl@server=1? "
				 "license/x=3 license/progress=1?");
	ck_assert_int_eq(gov_license_walk("a:b:c", collect, &c, NULL), -1);
}
END_TEST

/* ---- gov_array_count ---- */

START_TEST(arrays)
{
	static const struct {
		const char *text;
		int64_t count;
		uint32_t limit;
	} rows[] = {
		{ NULL, 1, 0 },
		{ "", 1, 0 },
		{ "0", 1, 0 },
		{ "0-99", 100, 0 },
		{ "0-99%5", 100, 5 },
		{ "0-15:4", 4, 0 },
		{ "1-7:2%2", 4, 2 },
		{ "0-100:10,3,3", 12, 0 },
		{ "3,1,2", 3, 0 },
		{ "1-5,4-8", 8, 0 },
		{ "0-4:2,1-5:2", 6, 0 },
		{ "[1-3]", 3, 0 },
		{ "[1-3]%2", 3, 2 },
		{ "1,,2,", 2, 0 },
		{ "1-5%2,7%9", 6, 2 },
		{ "4194303", 1, 0 },
		{ "0-4194303", 4194304, 0 },
		{ "0-4194303,0-4194303", -1, 0 },
		{ "4194304", -1, 0 },
		{ "99999999999999999999", -1, 0 },
		{ "-1", -1, 0 },
		{ "5-1", -1, 0 },
		{ "1-5:0", -1, 0 },
		{ "1-5:", -1, 0 },
		{ "1-", -1, 0 },
		{ "1-5%", -1, 0 },
		{ "1-5%-1", -1, 0 },
		{ "1-5%99999999999", -1, 0 },
		{ "a", -1, 0 },
		{ "1 2", -1, 0 },
		{ ",", -1, 0 },
		{ "%5", -1, 0 },
		{ "1-2-3", -1, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t limit = 77;
		int64_t count = gov_array_count(rows[i].text, &limit);

		ck_assert_msg(count == rows[i].count, "%s: %lld", rows[i].text,
			      (long long) count);
		ck_assert_msg(limit == rows[i].limit, "%s: %%%u", rows[i].text,
			      limit);
	}
	ck_assert_int_eq(gov_array_count("0-9%3", NULL), 10);
}
END_TEST

/* ---- gov_request_estimate ---- */

static struct gov_policy *policy;
static struct gov_node_shape shape;

static void setup(void)
{
	policy = data_policy("a100");
	data_shape(policy, "a100", 64, 1000000, &shape);
	shape.default_memory_per_cpu = 4000;
}

static void teardown(void)
{
	free(shape.tres);
	gov_policy_unref(policy);
}

static int estimate(const struct gov_submission *submission, char *text,
		    struct gov_error *error)
{
	struct gov_request request;
	int rc = gov_request_estimate(submission, policy, 0, &shape, &request,
				      error);

	data_request_text(policy, &request, text, 512);
	return rc;
}

static int estimate_fields(const char *fields, char *text,
			   struct gov_error *error)
{
	struct gov_submission submission;
	char copy[1024];

	snprintf(copy, sizeof(copy), "%s", fields);
	data_submission(copy, &submission);
	return estimate(&submission, text, error);
}

static void expect(const char *fields, const char *expected)
{
	struct gov_error error = { .code = GOV_OK };
	char text[512];
	int rc = estimate_fields(fields, text, &error);

	ck_assert_msg(!rc && !strcmp(text, expected), "%s: %s %s", fields, text,
		      rc ? error.text : "");
}

static void expect_error(const char *fields, enum gov_code code)
{
	struct gov_error error = { .code = GOV_OK };
	char text[512];

	ck_assert_msg(estimate_fields(fields, text, &error) == -1, "%s: %s",
		      fields, text);
	ck_assert_msg(error.code == code, "%s: %s", fields, error.text);
}

START_TEST(prefixes_of_all_releases)
{
	static const char *const forms[] = {
		"tres_per_node=gres:gpu:2",
		"tres_per_node=gres/gpu:2",
		"tres_per_node=gres/gpu=2",
		"tres_per_node=gpu:2",
		"tres_per_node=gpu=2",
		"tres_per_node=GRES/GPU:2",
		"tres_per_node=gres:gpu:a100:2",
		"tres_per_node=gres/gpu:A100=2",
		"tres_per_job=gres:gpu:2",
		"tres_per_job=gres/gpu:a100:2",
		"tres_per_task=gres:gpu:1 num_tasks=2 min_cpus=2",
		"tres_per_task=cpu:1,gres/gpu:1 num_tasks=2 min_cpus=2",
		"tres_per_task=cpu=1,gres/gpu=1 num_tasks=2 min_cpus=2",
		("tres_per_socket=gres:gpu:1 sockets_per_node=2 "
		 "num_tasks=2"),
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct gov_error error;
		char text[512];

		ck_assert_int_eq(estimate_fields(forms[i], text, &error), 0);
		ck_assert_msg(strstr(text, "gres/gpu=2 gres/gpu:a100=2"),
			      "%s: %s", forms[i], text);
	}
}
END_TEST

START_TEST(typed_and_untyped_are_not_added)
{
	expect("tres_per_node=gres:gpu:2,gres:gpu:a100:2",
	       "gres/gpu=2 gres/gpu:a100=2 cpu=1 mem=4000 node=1");
	expect("tres_per_node=gres:gpu:3,gres:gpu:a100:2",
	       "gres/gpu=3 gres/gpu:a100=3 cpu=1 mem=4000 node=1");
	expect("tres_per_node=gres:gpu:1,gres:gpu:a100:2",
	       "gres/gpu=2 gres/gpu:a100=2 cpu=1 mem=4000 node=1");
}
END_TEST

START_TEST(what_the_pool_has_not)
{
	expect_error("tres_per_node=gres:gpu:h100:1", GOV_R_NO_POOL);
	expect_error("tres_per_node=gres:gpu:a100:1,gres:gpu:h100:1",
		     GOV_R_NO_POOL);
	/* Known to the policy, but of another pool. */
	expect_error("licenses=matlab:2", GOV_R_NO_POOL);
	/* Not known to the policy: not governed. */
	expect("licenses=idl:2 tres_per_node=gres:nic:1",
	       "cpu=1 mem=4000 node=1");
	expect("tres_per_node=gres:gpu:h100:0", "cpu=1 mem=4000 node=1");
}
END_TEST

START_TEST(shares_of_gpus)
{
	/* The pool counts shards itself; mps only as GPUs. */
	expect("tres_per_node=gres:shard:4 min_nodes=2",
	       "cpu=2 mem=8000 node=2 gres/shard=8");
	expect("tres_per_node=gres:mps:50 min_nodes=2",
	       "gres/gpu=2 gres/gpu:a100=2 cpu=2 mem=8000 node=2");
	expect("exclusive=1 min_nodes=1",
	       "gres/gpu=8 gres/gpu:a100=8 cpu=64 mem=256000 node=1 "
	       "gres/shard=32");
}
END_TEST

START_TEST(hidden_requests_are_refused)
{
	/* slurmctld 22.05 would find eight GPUs in each of these. */
	expect_error("tres_per_node=xgres:gpu:8", GOV_R_REQUEST);
	expect_error("tres_per_node=license/xgresgpu:8", GOV_R_REQUEST);
	expect_error("tres_per_job=foo/gresgpu:8", GOV_R_REQUEST);
	expect_error("tres_per_task=gres:a:gresgpu:8", GOV_R_REQUEST);
	expect_error("tres_per_node=gres:gpu:2:", GOV_R_REQUEST);
}
END_TEST

START_TEST(unknown_shape)
{
	struct gov_submission s;
	struct gov_request request;
	char text[512];

	gov_submission_init(&s);
	s.exclusive = true;
	s.min_nodes = 2;
	s.tres_per_node = "gres:gpu:4";
	ck_assert_int_eq(gov_request_estimate(&s, policy, 0, NULL, &request,
					      NULL),
			 0);
	data_request_text(policy, &request, text, sizeof(text));
	ck_assert_str_eq(text, "gres/gpu=8 gres/gpu:a100=8 cpu=2 node=2");
}
END_TEST

START_TEST(threads_come_in_cores)
{
	shape.threads = 2;
	expect("num_tasks=3 min_cpus=3", "cpu=4 mem=16000 node=1");
	expect("min_nodes=2 max_nodes=2 min_cpus=2", "cpu=4 mem=16000 node=2");
	shape.threads = 0;
}
END_TEST

START_TEST(defaults_of_gpus)
{
	shape.default_cpus_per_gpu = 4;
	shape.default_memory_per_gpu = 10000;
	expect("tres_per_job=gres:gpu:3",
	       "gres/gpu=3 gres/gpu:a100=3 cpu=12 mem=30000 node=1");
	expect("num_tasks=2 min_cpus=2", "cpu=2 mem=8000 node=1");
	shape.default_cpus_per_gpu = shape.default_memory_per_gpu = 0;
}
END_TEST

START_TEST(default_memory)
{
	shape.default_memory_per_cpu = GOV_SUB_UNSET;
	shape.default_memory = 1000;
	expect("min_nodes=2", "cpu=2 mem=2000 node=2");
	shape.default_memory = 0;
	expect("min_nodes=2", "cpu=2 mem=2000000 node=2");
	shape.default_memory = GOV_SUB_UNSET;
	expect("min_nodes=2", "cpu=2 mem=2000000 node=2");
}
END_TEST

START_TEST(numbers_that_overflow)
{
	expect_error("min_nodes=4294967295 "
		     "tres_per_node=gres:gpu:18446744073709551613",
		     GOV_R_REQUEST);
	expect_error("num_tasks=18446744073709551614 "
		     "cpus_per_task=18446744073709551614",
		     GOV_R_REQUEST);
	expect_error("memory=18446744073709551614 min_nodes=2", GOV_R_REQUEST);
	expect_error("mem_per_tres=gres:gpu:18446744073709551613 "
		     "tres_per_job=gres:gpu:2",
		     GOV_R_REQUEST);
	expect_error("tres_per_job=gres:gpu:a100:18446744073709551613,"
		     "gres:gpu:18446744073709551613 "
		     "cpus_per_tres=gres:gpu:2",
		     GOV_R_REQUEST);
	expect_error("nodelist=g[0-4294967295][0-4294967295]"
		     "[0-4294967295]",
		     GOV_R_REQUEST);
}
END_TEST

START_TEST(nodelists)
{
	expect("nodelist=g[1-2],g4", "cpu=3 mem=12000 node=3");
	expect("nodelist=g[1-2,4] min_nodes=1", "cpu=3 mem=12000 node=3");
	expect("nodelist=r[1-2]n[3-4]", "cpu=4 mem=16000 node=4");
	expect("nodelist=g[1-", "cpu=1 mem=4000 node=1");
	expect("nodelist=[[,]]", "cpu=1 mem=4000 node=1");
	expect("nodelist=g[4-1]", "cpu=1 mem=4000 node=1");
}
END_TEST

START_TEST(hostile_text)
{
	static char text[65536];
	struct gov_submission s;
	struct gov_request request;
	struct gov_error error;

	for (int c = 1; c < 256; c++) {
		memset(text, c, sizeof(text) - 1);
		gov_submission_init(&s);
		s.tres_per_job = s.tres_per_node = s.tres_per_socket =
			s.tres_per_task = s.cpus_per_tres = s.mem_per_tres =
				s.licenses = s.nodelist = text;
		gov_request_estimate(&s, policy, 0, &shape, &request, &error);
		gov_array_count(text, NULL);
	}
	srand(1);
	for (int round = 0; round < 20000; round++) {
		static const char alphabet[] = "gres:gpu/=,;(|) 0123456789kKh%";
		int length = rand() % 60;

		for (int i = 0; i < length; i++)
			text[i] = alphabet[rand() % (sizeof(alphabet) - 1)];
		text[length] = '\0';
		gov_submission_init(&s);
		s.tres_per_node = s.tres_per_task = s.licenses = text;
		s.num_tasks = (uint64_t) rand() << (rand() % 34);
		s.min_nodes = (uint64_t) rand() << (rand() % 34);
		gov_request_estimate(&s, policy, 0, &shape, &request, &error);
		gov_array_count(text, NULL);
	}
}
END_TEST

/* ---- tables of what was seen on a live slurmctld ---- */

#define COLUMNS 4

/* Calls check for each row of a file of the data; counts the rows. */
static int each_row(const char *name, void (*check)(char **column))
{
	char path[512], line[2048];
	int rows = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", TEST_DATA, name);
	file = fopen(path, "r");
	ck_assert_msg(file != NULL, "no %s", path);
	while (fgets(line, sizeof(line), file)) {
		char *column[COLUMNS], *rest = line;

		line[strcspn(line, "\n")] = '\0';
		if (*line == '#' || !strncmp(line, "options\t", 8))
			continue;
		for (int i = 0; i < COLUMNS; i++) {
			column[i] = strsep(&rest, "\t");
			ck_assert_msg(column[i] != NULL, "%s: %s", path, line);
		}
		check(column);
		rows++;
	}
	fclose(file);
	return rows;
}

static long gpus_of(const char *fields, enum gov_code *code)
{
	struct gov_error error = { .code = GOV_OK };
	const char *at;
	char text[512];

	estimate_fields(fields, text, &error);
	*code = error.code;
	at = strstr(text, "gres/gpu=");
	return at ? atol(at + strlen("gres/gpu=")) : 0;
}

/* options, fields of each component, GPUs of each component */
static void check_request(char **column)
{
	char *fields = column[1], *gpus = column[2];
	enum gov_code code;

	if (!strcmp(fields, "-"))
		return;
	while (fields) {
		long found = gpus_of(strsep(&fields, "|"), &code);
		const char *expected = strsep(&gpus, "|");

		if (!strcmp(expected, "no pool")) {
			ck_assert_int_eq(code, GOV_R_NO_POOL);
			continue;
		}
		ck_assert_msg(code == GOV_OK, "%s: %s", column[0],
			      gov_code_name(code));
		ck_assert_msg(found == atol(expected), "%s: %ld GPUs, not %s",
			      column[0], found, expected);
	}
}

START_TEST(spellings_of_gpu_requests)
{
	ck_assert_int_eq(each_row("gpu_requests.tsv", check_request), 40);
}
END_TEST

static void check_allocation(char **column)
{
	expect(column[1], *column[3] ? column[3] : column[2]);
}

START_TEST(as_slurm_allocates)
{
	teardown();
	policy = data_policy("h100");
	data_shape(policy, "h100", 32, 256000, &shape);
	shape.default_memory_per_cpu = 4000;
	shape.tres[gov_policy_find_tres(policy, "gres/shard")] = 0;
	ck_assert_int_gt(each_row("allocations.tsv", check_allocation), 125);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, amounts);
	tcase_add_test(tcase, walks);
	tcase_add_test(tcase, walk_stops_when_told);
	tcase_add_test(tcase, walk_limits);
	tcase_add_test(tcase, licenses);
	tcase_add_test(tcase, arrays);
	tcase_add_test(tcase, prefixes_of_all_releases);
	tcase_add_test(tcase, typed_and_untyped_are_not_added);
	tcase_add_test(tcase, what_the_pool_has_not);
	tcase_add_test(tcase, shares_of_gpus);
	tcase_add_test(tcase, hidden_requests_are_refused);
	tcase_add_test(tcase, unknown_shape);
	tcase_add_test(tcase, threads_come_in_cores);
	tcase_add_test(tcase, defaults_of_gpus);
	tcase_add_test(tcase, default_memory);
	tcase_add_test(tcase, numbers_that_overflow);
	tcase_add_test(tcase, nodelists);
	tcase_add_test(tcase, hostile_text);
	tcase_add_test(tcase, spellings_of_gpu_requests);
	tcase_add_test(tcase, as_slurm_allocates);
}

int main(void)
{
	return unit_main("request", cases);
}
