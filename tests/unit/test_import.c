/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HyperPod's objects as a policy; what is hostile in them. */
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "import/import.h"
#include "tests/unit/unit.h"

static struct gov_import *import;
static struct gov_error error;
static char *written;

static void start(const char *cluster)
{
	import = gov_import_create(cluster);
	ck_assert_ptr_nonnull(import);
}

static int take(const char *text)
{
	return gov_import_hyperpod(import, "test.json", text, strlen(text),
				   &error);
}

static int write_policy(void)
{
	size_t size;
	FILE *file = open_memstream(&written, &size);
	int rc;

	ck_assert_ptr_nonnull(file);
	rc = gov_import_write(import, file, &error);
	ck_assert_int_eq(fclose(file), 0);
	return rc;
}

/* What was taken in, written and read again. */
static struct gov_policy *policy(void)
{
	struct gov_conf_faults faults = { 0 };
	struct gov_policy *read;

	ck_assert_msg(!write_policy(), "%s", error.text);
	read = gov_conf_parse(written, strlen(written), "written", NULL,
			      &faults);
	ck_assert_msg(read != NULL, "%s: %s", written,
		      faults.count ? faults.item[0].text : "?");
	gov_conf_faults_free(&faults);
	return read;
}

static void finish(struct gov_policy *read)
{
	gov_policy_unref(read);
	gov_import_destroy(import);
	free(written);
	written = NULL;
}

static void take_file(const char *name)
{
	char path[4096], text[65536];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", IMPORT_DATA, name);
	file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s", path);
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	start(NULL);
	ck_assert_msg(!take(text), "%s", error.text);
}

static bool noted(const char *words)
{
	for (size_t i = 0; i < gov_import_notes(import); i++)
		if (strstr(gov_import_note(import, i), words))
			return true;
	return false;
}

static const struct gov_unit *team(const struct gov_policy *p, const char *name)
{
	uint32_t u = gov_policy_find_unit(p, name);

	ck_assert_msg(u != GOV_NONE, "%s", name);
	return &p->unit[u];
}

static const struct gov_quota *quota(const struct gov_policy *p,
				     const char *name, const char *pool,
				     const char *tres)
{
	uint32_t c = gov_policy_find_cell(p, gov_policy_find_pool(p, pool),
					  gov_policy_find_tres(p, tres));

	ck_assert_msg(c != GOV_NONE, "%s %s", pool, tres);
	return &team(p, name)->quota[c];
}

static void expect_quota(const struct gov_policy *p, const char *name,
			 const char *pool, const char *tres,
			 gov_amount_t amount)
{
	gov_amount_t is = quota(p, name, pool, tres)->nominal;

	ck_assert_msg(is == amount, "%s %s %s: %llu, not %llu", name, pool,
		      tres, (unsigned long long) is,
		      (unsigned long long) amount);
}

static void expect_weight(const struct gov_policy *p, const char *class,
			  uint32_t weight)
{
	uint32_t c = gov_policy_find_class(p, class);

	ck_assert_msg(c != GOV_NONE, "%s", class);
	ck_assert_uint_eq(p->class[c].weight, weight);
}

/* S1 to S3 begin here; S14: none of the classes is the default. */
START_TEST(two_teams_and_classes)
{
	struct gov_policy *p;

	take_file("two-teams.json");
	p = policy();
	ck_assert_int_eq(p->idle_sharing, GOV_FAIR_SHARE);
	ck_assert_int_eq(p->task_order, GOV_TASK_RANK);
	ck_assert(!p->share_unallocated);
	ck_assert_uint_eq(p->pool[0].node_count, 4);
	expect_weight(p, "inference", 90);
	expect_weight(p, "experimentation", 80);
	expect_weight(p, "training", 70);
	expect_weight(p, "fine-tuning", 50);
	for (uint32_t c = 0; c < p->class_count; c++)
		ck_assert(!p->class[c].is_default || !p->class[c].weight);
	expect_quota(p, "team-a", "ml.g5.8xlarge", "gres/gpu", 2);
	expect_quota(p, "team-a", "ml.g5.8xlarge", "cpu", 64);
	expect_quota(p, "team-a", "ml.g5.8xlarge", "mem", 256 * 1024);
	ck_assert_uint_eq(
		quota(p, "team-b", "ml.g5.8xlarge", "gres/gpu")->borrow, 1);
	ck_assert_int_eq(team(p, "team-a")->preempt_within_team,
			 GOV_PREEMPT_LOWER);
	ck_assert_uint_eq(team(p, "team-a")->weight.numerator, 0);
	ck_assert(noted("FairShareWeight 0"));
	finish(p);
}
END_TEST

/* S18, and AWS's own example, which states what would follow otherwise. */
START_TEST(ratios)
{
	static const char p5[] = "ml.p5.48xlarge", g5[] = "ml.g5.24xlarge";
	struct gov_policy *p;

	take_file("ratios.json");
	p = policy();
	expect_quota(p, "gpus", p5, "gres/gpu", 4);
	expect_quota(p, "gpus", p5, "cpu", 96);
	expect_quota(p, "gpus", p5, "mem", 1024 * 1024);
	expect_quota(p, "cpus", p5, "gres/gpu", 0);
	expect_quota(p, "cpus", p5, "cpu", 48);
	expect_quota(p, "cpus", p5, "mem", 512 * 1024);
	expect_quota(p, "memory", p5, "gres/gpu", 0);
	expect_quota(p, "memory", p5, "cpu", 48);
	expect_quota(p, "memory", p5, "mem", 512 * 1024);
	expect_quota(p, "many", g5, "cpu", 384);
	expect_quota(p, "many", g5, "mem", 1536 * 1024);
	expect_quota(p, "stated", g5, "gres/gpu", 16);
	expect_quota(p, "stated", g5, "cpu", 200);
	expect_quota(p, "stated", g5, "mem", 2 * 1024);
	ck_assert_uint_eq(p->pool[gov_policy_find_pool(p, g5)].node_count, 8);
	finish(p);
}
END_TEST

/* S19; memory is not cut to whole GiB, since Slurm counts MiB. */
START_TEST(slices)
{
	static const char p5[] = "ml.p5.48xlarge";
	struct gov_policy *p;

	take_file("slices.json");
	p = policy();
	expect_quota(p, "small", "ml.p4d.24xlarge", "gres/gpu:1g.5gb", 4);
	expect_quota(p, "small", "ml.p4d.24xlarge", "gres/gpu:a100", 0);
	expect_quota(p, "small", "ml.p4d.24xlarge", "cpu", 6);
	expect_quota(p, "small", "ml.p4d.24xlarge", "mem",
		     1152 * 1024 * 4 / 56);
	expect_quota(p, "large", p5, "gres/gpu:3g.40gb", 2);
	expect_quota(p, "large", p5, "cpu", 20);
	expect_quota(p, "large", p5, "mem", 2048 * 1024 * 6 / 56);
	expect_quota(p, "both", p5, "gres/gpu:h100", 8);
	expect_quota(p, "both", p5, "gres/gpu:1g.10gb", 7);
	expect_quota(p, "both", p5, "cpu", 192 + 24);
	expect_quota(p, "both", p5, "mem", 2304 * 1024);
	finish(p);
}
END_TEST

/* S17: 21 of 20 nodes is told, and is a policy. */
START_TEST(more_than_there_is)
{
	struct gov_policy *p;
	gov_amount_t sum;

	take_file("oversold.json");
	p = policy();
	ck_assert_uint_eq(p->pool[0].node_count, 20);
	ck_assert_uint_eq(p->pool[0].oversell_permille, 1050);
	ck_assert_int_eq(gov_policy_oversold(p, 0, 20, &sum), 1);
	ck_assert_uint_eq(sum, 21);
	ck_assert(noted("need 21 instances, and there are 20"));
	finish(p);
}
END_TEST

/* S20: 500 % of 8, and 4 at most. */
START_TEST(absolute_limits)
{
	static const char p5[] = "ml.p5.48xlarge";
	struct gov_policy *p;

	take_file("absolute.json");
	p = policy();
	ck_assert_uint_eq(quota(p, "team-a", p5, "gres/gpu")->borrow, 4);
	ck_assert_uint_eq(quota(p, "team-a", p5, "cpu")->borrow, 960);
	ck_assert_uint_eq(quota(p, "guests", p5, "gres/gpu")->nominal, 0);
	ck_assert_uint_eq(quota(p, "guests", p5, "gres/gpu")->borrow, 2);
	ck_assert_uint_eq(team(p, "team-a")->weight.numerator, 10);
	finish(p);
}
END_TEST

START_TEST(strategies_and_switches)
{
	struct gov_policy *p;
	const struct gov_quota *q;

	take_file("strategies.json");
	p = policy();
	ck_assert_int_eq(p->idle_sharing, GOV_FIRST_COME);
	ck_assert(p->share_unallocated);
	q = quota(p, "alpha", "ml.m5.2xlarge", "cpu");
	ck_assert_uint_eq(q->nominal, 8);
	ck_assert_uint_eq(q->borrow, 0);
	ck_assert_uint_eq(q->lend, GOV_UNLIMITED);
	q = quota(p, "beta", "ml.m5.2xlarge", "cpu");
	ck_assert_uint_eq(q->borrow, 0);
	ck_assert_uint_eq(q->lend, 0);
	ck_assert_int_eq(team(p, "beta")->preempt_within_team,
			 GOV_PREEMPT_NEVER);
	q = quota(p, "_default", "ml.m5.2xlarge", "cpu");
	ck_assert(!q->set);
	expect_weight(p, "_default", 100);
	expect_quota(p, "chips", "ml.trn1.32xlarge", "gres/neuron", 16);
	expect_quota(p, "chips", "ml.trn1.32xlarge", "cpu", 128);
	expect_quota(p, "chips", "ml.zz9.48xlarge", "node", 3);
	ck_assert(noted("ml.zz9.48xlarge has is not known"));
	finish(p);
}
END_TEST

#define QUOTA(name, team, resources)                              \
	"{\"Name\":\"" name "\",\"ComputeQuotaId\":\"" name "\"," \
	"\"ComputeQuotaTarget\":{\"TeamName\":\"" team "\"},"     \
	"\"ComputeQuotaConfig\":{\"ComputeQuotaResources\":[" resources "]}}"
#define ONE "{\"InstanceType\":\"ml.g5.xlarge\",\"Count\":1}"

static void refused(const char *text, const char *words)
{
	start(NULL);
	ck_assert_msg(take(text), "taken: %s", text);
	ck_assert_msg(strstr(error.text, words) != NULL, "%s", error.text);
	gov_import_destroy(import);
}

START_TEST(hostile_objects)
{
	refused(QUOTA("q", "a\\nTeamName=b", ONE), "TeamName must be a name");
	refused(QUOTA("q", "a\\\" Weight=9", ONE), "TeamName must be a name");
	refused(QUOTA("q", "a\\u0000b", ONE), "TeamName must be a name");
	refused(QUOTA("q", "", ONE), "TeamName must be a name");
	refused(QUOTA("q", "a",
		      "{\"InstanceType\":\"ml.x\\nOperators=eve\",\"Count\":1}"),
		"InstanceType must be a name");
	refused(QUOTA("q", "a",
		      "{\"InstanceType\":\"ml.g5.xlarge\","
		      "\"Accelerators\":1e308}"),
		"Accelerators must be a number");
	refused(QUOTA("q", "a",
		      "{\"InstanceType\":\"ml.g5.xlarge\","
		      "\"VCpu\":NaN}"),
		"VCpu must be a number");
	refused(QUOTA("q", "a",
		      "{\"InstanceType\":\"ml.g5.xlarge\","
		      "\"Count\":99999999999999999999999}"),
		"Count must be a number");
	refused(QUOTA("q", "a",
		      "{\"InstanceType\":\"ml.g5.xlarge\","
		      "\"Accelerators\":1.5}"),
		"whole number");
	refused(QUOTA("q", "a",
		      "{\"InstanceType\":\"ml.g5.xlarge\","
		      "\"Count\":-1}"),
		"Count must be a number");
	refused(QUOTA("q", "a",
		      "{\"InstanceType\":\"ml.p5.48xlarge\","
		      "\"AcceleratorPartition\":{\"Type\":\"mig-9g.1gb\"}}"),
		"such as mig-3g.40gb");
	refused(QUOTA("q", "a",
		      "{\"InstanceType\":\"ml.p5.48xlarge\","
		      "\"AcceleratorPartition\":{\"Type\":"
		      "\"mig-3g.-40gb\"}}"),
		"such as mig-3g.40gb");
	refused(QUOTA("q", "a",
		      "{\"InstanceType\":\"ml.m5.xlarge\",\"Accelerators\":1}"),
		"has no accelerators");
	refused(QUOTA("q", "a", "1"), "array of objects");
	refused(QUOTA("q", "a", ONE) QUOTA("r", "a", ONE), "another quota");
	refused("{", "no JSON");
	refused("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "no JSON");
	refused("[7]", "object of the AWS API");
	refused("{\"Tags\":[]}", "neither a ComputeQuota");
}
END_TEST

/* Text that may be anything stays in its line and in its quotes. */
START_TEST(text_injects_nothing)
{
	struct gov_policy *p;

	start(NULL);
	ck_assert_int_eq(
		take("{\"Name\":\"n\\nTeamName=eve\",\"Status\":\"CreateFailed\","
		     "\"x\\nOperators=eve\":1,"
		     "\"Description\":\"d\\\"\\nOperators=eve \\\\\","
		     "\"ComputeQuotaTarget\":{\"TeamName\":\"a\"},"
		     "\"ComputeQuotaConfig\":{\"ComputeQuotaResources\":[" ONE
		     "]}}"),
		0);
	p = policy();
	ck_assert_uint_eq(p->unit_count, 1);
	ck_assert_uint_eq(p->operators.count, 0);
	ck_assert(noted("x?Operators=eve has no counterpart"));
	finish(p);
}
END_TEST

START_TEST(nothing_to_write)
{
	start(NULL);
	ck_assert_int_eq(take(" \n"), 0);
	ck_assert_int_eq(write_policy(), -1);
	ck_assert_ptr_nonnull(strstr(error.text, "no ComputeQuota"));
	finish(NULL);
	start(NULL);
	ck_assert_int_eq(take(QUOTA("q", "a", "{\"InstanceType\":\"ml.x.y\"}")),
			 0);
	ck_assert_int_eq(write_policy(), -1);
	ck_assert_ptr_nonnull(strstr(error.text, "there is no pool"));
	finish(NULL);
	start(NULL);
	ck_assert_int_eq(take(QUOTA("q", "a",
				    "{\"InstanceType\":\"ml.g5.xlarge\","
				    "\"Accelerators\":10000000}")),
			 0);
	ck_assert_int_eq(write_policy(), -1);
	ck_assert_ptr_nonnull(strstr(error.text, "65536 instances"));
	finish(NULL);
}
END_TEST

#define OF(cluster, team)                                                    \
	"{\"ClusterArn\":\"arn:aws:sagemaker:x:1:cluster/" cluster "\","     \
	"\"Name\":\"" team "\",\"ComputeQuotaTarget\":{\"TeamName\":\"" team \
	"\"},\"ComputeQuotaConfig\":{\"ComputeQuotaResources\":[" ONE "]}}"

START_TEST(one_cluster)
{
	struct gov_policy *p;

	refused(OF("aaa", "a") OF("bbb", "b"), "choose one with --cluster");
	start("bbb");
	ck_assert_int_eq(take(OF("aaa", "a") OF("bbb", "b")), 0);
	p = policy();
	ck_assert_uint_eq(p->unit_count, 1);
	ck_assert_str_eq(p->unit[0].name, "b");
	finish(p);
}
END_TEST

/* A list and what describes its members: the higher version counts. */
START_TEST(the_same_object_again)
{
	struct gov_policy *p;

	start(NULL);
	ck_assert_int_eq(
		take("{\"ComputeQuotaSummaries\":[" QUOTA(
			"q", "a",
			ONE) "],\"NextToken\":\"more\"}" QUOTA("q", "b",
							       ONE) "{\"Status\":\"Deleted\","
								    "\"ComputeQuotaTarget\":{}}"),
		0);
	p = policy();
	ck_assert_uint_eq(p->unit_count, 1);
	ck_assert_str_eq(p->unit[0].name, "b");
	ck_assert(noted("one page of a longer list"));
	ck_assert(noted("its status is Deleted"));
	finish(p);
}
END_TEST

#define VERSIONED(number, more, type)                         \
	"{\"Name\":\"q\",\"ComputeQuotaId\":\"q\"," more      \
	"\"ComputeQuotaVersion\":" number ","                 \
	"\"ComputeQuotaTarget\":{\"TeamName\":\"a\"},"        \
	"\"ComputeQuotaConfig\":{\"ComputeQuotaResources\":[" \
	"{\"InstanceType\":\"" type "\",\"Count\":1}]}}"

START_TEST(of_an_older_version_nothing_stays)
{
	struct gov_policy *p;

	start(NULL);
	ck_assert_int_eq(take(VERSIONED("1", "\"Description\":\"old\",",
					"ml.p4d.24xlarge")
				      VERSIONED("2", "", "ml.p5.48xlarge")),
			 0);
	p = policy();
	ck_assert_uint_eq(p->pool_count, 1);
	ck_assert_str_eq(p->pool[0].name, "ml.p5.48xlarge");
	ck_assert_ptr_null(strstr(written, "old"));
	finish(p);
}
END_TEST

/* A list of the same version says less than what was described. */
START_TEST(a_list_takes_no_description_away)
{
	struct gov_policy *p;

	start(NULL);
	ck_assert_int_eq(take(VERSIONED("2", "\"Description\":\"ours\",",
					"ml.p5.48xlarge")
				      VERSIONED("2", "", "ml.p5.48xlarge")),
			 0);
	p = policy();
	ck_assert_ptr_nonnull(strstr(written, "ours"));
	finish(p);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, of_an_older_version_nothing_stays);
	tcase_add_test(tcase, a_list_takes_no_description_away);
	tcase_add_test(tcase, two_teams_and_classes);
	tcase_add_test(tcase, ratios);
	tcase_add_test(tcase, slices);
	tcase_add_test(tcase, more_than_there_is);
	tcase_add_test(tcase, absolute_limits);
	tcase_add_test(tcase, strategies_and_switches);
	tcase_add_test(tcase, hostile_objects);
	tcase_add_test(tcase, text_injects_nothing);
	tcase_add_test(tcase, nothing_to_write);
	tcase_add_test(tcase, one_cluster);
	tcase_add_test(tcase, the_same_object_again);
}

int main(void)
{
	return unit_main("import", cases);
}
