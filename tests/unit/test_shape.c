/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a submission needs of nodes.  Where the number of nodes is open, what
 * slurmctld 22.05.8 allocated on nodes of which two GPUs each were free is what
 * these shapes allow.
 */
#include "request/submission.h"
#include "tests/unit/request_data.h"
#include "tests/unit/unit.h"

static struct gov_policy *policy;
static struct gov_node_shape node;

static void setup(void)
{
	policy = data_policy("h100");
	data_shape(policy, "h100", 32, 256000, &node);
	node.gpus = 8;
	node.cpus = 32;
	node.memory = 256000;
	node.default_memory_per_cpu = 4000;
}

static void teardown(void)
{
	free(node.tres);
	gov_policy_unref(policy);
}

static int shape_of(const char *fields, struct gov_request_shape *shape)
{
	struct gov_submission s;
	char text[512];

	snprintf(text, sizeof(text), "%s", fields);
	data_submission(text, &s);
	return gov_request_shape(&s, policy, 0, &node, shape);
}

/* As "parts x gpus gpu, cpus cpu, memory mem", and what else there is. */
static const char *said(const char *fields)
{
	static char text[512];
	struct gov_request_shape s;
	int length;

	if (shape_of(fields, &s))
		return s.unknown;
	length = snprintf(text, sizeof(text),
			  "%llu x gpu=%llu cpu=%llu mem=%llu",
			  (unsigned long long) s.parts,
			  (unsigned long long) s.gpus,
			  (unsigned long long) s.cpus,
			  (unsigned long long) s.memory);
#define ALSO(member)                                                      \
	if (s.member)                                                     \
	length += snprintf(text + length, sizeof(text) - (size_t) length, \
			   " " #member "=%llu", (unsigned long long) s.member)
	ALSO(per_node);
	ALSO(nodes_min);
	ALSO(node_cpus);
	ALSO(node_memory);
	ALSO(whole);
#undef ALSO
	return text;
}

/* As slurmctld lists them: it fills in one node, one task, memory per CPU. */
#define LISTED \
	"min_nodes=1 num_tasks=1 pn_min_cpus=1 memory=4000 memory_per_cpu=1 "
#define GUESSED LISTED "tasks_guessed=1 "
#define PER_NODE \
	"min_nodes=1 num_tasks=1 pn_min_cpus=1 tasks_guessed=1 memory=8192 "

static const struct {
	const char *asked, *shape;
} known[] = {
	/* sbatch --gpus=8: on one node or on eight */
	{ GUESSED "tres_per_job=gres:gpu:8",
	  "8 x gpu=1 cpu=0 mem=0 nodes_min=1 node_cpus=1 node_memory=4000" },
	{ GUESSED "tres_per_job=gres:gpu:h100:8",
	  "8 x gpu=1 cpu=0 mem=0 nodes_min=1 node_cpus=1 node_memory=4000" },
	/* --gpus=24, -c4: a task of four CPUs on each node */
	{ GUESSED "tres_per_job=gres:gpu:24 cpus_per_task=4",
	  "24 x gpu=1 cpu=0 mem=0 nodes_min=1 node_cpus=4 node_memory=16000" },
	/* --mem=8G: on each node */
	{ PER_NODE "tres_per_job=gres:gpu:8",
	  "8 x gpu=1 cpu=0 mem=0 nodes_min=1 node_cpus=1 node_memory=8192" },
	/* --cpus-per-gpu=2, --mem-per-gpu=1G */
	{ GUESSED "tres_per_job=gres:gpu:8 cpus_per_tres=gres:gpu:2",
	  "8 x gpu=1 cpu=2 mem=8000 nodes_min=1" },
	{ "min_nodes=1 num_tasks=1 tasks_guessed=1 tres_per_job=gres:gpu:8 "
	  "mem_per_tres=gres:gpu:1024",
	  "8 x gpu=1 cpu=0 mem=1024 nodes_min=1 node_cpus=1" },
	/* --ntasks-per-node=2 */
	{ GUESSED "tres_per_job=gres:gpu:4 ntasks_per_node=2",
	  "4 x gpu=1 cpu=0 mem=0 nodes_min=1 node_cpus=2 node_memory=8000" },
	/* -n1, -n2, -n3, -n8, -n4: a node has a task */
	{ LISTED "tres_per_job=gres:gpu:8",
	  "1 x gpu=8 cpu=1 mem=4000 per_node=1 nodes_min=1" },
	{ LISTED "tres_per_job=gres:gpu:8 num_tasks=2",
	  "2 x gpu=4 cpu=1 mem=4000 nodes_min=1" },
	{ LISTED "tres_per_job=gres:gpu:8 num_tasks=3",
	  "2 x gpu=4 cpu=2 mem=8000 nodes_min=1" },
	{ LISTED "tres_per_job=gres:gpu:8 num_tasks=8",
	  "8 x gpu=1 cpu=1 mem=4000 nodes_min=1" },
	{ LISTED "tres_per_job=gres:gpu:8 num_tasks=4 cpus_per_task=2",
	  "4 x gpu=2 cpu=2 mem=8000 nodes_min=1" },
	/* -N1, -N2, -N1-2, -N2-4 */
	{ GUESSED "tres_per_job=gres:gpu:8 max_nodes=1",
	  "1 x gpu=8 cpu=1 mem=4000 per_node=1 nodes_min=1" },
	{ GUESSED "tres_per_job=gres:gpu:8 min_nodes=2 max_nodes=2",
	  "2 x gpu=4 cpu=1 mem=4000 per_node=1 nodes_min=2" },
	{ GUESSED "tres_per_job=gres:gpu:8 max_nodes=2",
	  "2 x gpu=4 cpu=0 mem=0 nodes_min=1 node_cpus=1 node_memory=4000" },
	{ GUESSED "tres_per_job=gres:gpu:8 min_nodes=2 max_nodes=4",
	  "4 x gpu=2 cpu=0 mem=0 nodes_min=2 node_cpus=1 node_memory=4000" },
	/* 7 on up to two nodes: one has them all.  17 on three: none has. */
	{ GUESSED "tres_per_job=gres:gpu:7 max_nodes=2",
	  "1 x gpu=7 cpu=1 mem=4000 per_node=1 nodes_min=1" },
	{ GUESSED "tres_per_job=gres:gpu:17 max_nodes=3",
	  "3 x gpu=6 cpu=1 mem=4000 per_node=1 nodes_min=3" },
	{ GUESSED "tres_per_job=gres:gpu:1",
	  "1 x gpu=1 cpu=1 mem=4000 per_node=1 nodes_min=1" },
	/* --gres=gpu:8, -N2 --gres=gpu:8, --gpus=8 --gpus-per-node=2 */
	{ GUESSED "tres_per_node=gres:gpu:8",
	  "1 x gpu=8 cpu=1 mem=4000 per_node=1 nodes_min=1" },
	{ GUESSED "tres_per_node=gres:gpu:8 min_nodes=2 max_nodes=2",
	  "2 x gpu=8 cpu=1 mem=4000 per_node=1 nodes_min=2" },
	{ GUESSED "tres_per_job=gres:gpu:8 tres_per_node=gres:gpu:2",
	  "4 x gpu=2 cpu=1 mem=4000 per_node=1 nodes_min=4" },
	/* -n8 --gpus-per-task=1, -n4 --gpus-per-task=2, --mem=8G */
	{ LISTED "tres_per_task=gres:gpu:1 num_tasks=8",
	  "8 x gpu=1 cpu=1 mem=4000 nodes_min=1" },
	{ LISTED "tres_per_task=gres:gpu:2 num_tasks=4 ntasks_per_node=2",
	  "4 x gpu=2 cpu=1 mem=4000 per_node=2 nodes_min=1" },
	{ PER_NODE "tres_per_task=gres:gpu:1 num_tasks=8",
	  "8 x gpu=1 cpu=1 mem=0 nodes_min=1 node_memory=8192" },
	/* -n64, without GPUs; nothing at all; --exclusive */
	{ LISTED "num_tasks=64", "64 x gpu=0 cpu=1 mem=4000 nodes_min=1" },
	{ GUESSED, "1 x gpu=0 cpu=1 mem=4000 per_node=1 nodes_min=1" },
	{ GUESSED "tres_per_job=gres:gpu:8 exclusive=1",
	  "1 x gpu=8 cpu=1 mem=4000 per_node=1 nodes_min=1 whole=1" },
	/* what is not understood, and is said to be so */
	{ GUESSED "tres_per_socket=gres:gpu:2", "GPUs per socket" },
	{ GUESSED "tres_per_job=gres:shard:2", "other things than GPUs" },
	{ GUESSED "tres_per_job=gres:gpu:8 overcommit=1",
	  "overcommitted CPUs" },
	{ GUESSED "tres_per_job=gres:gpu:8 ntasks_per_tres=1",
	  "tasks per GPU" },
	{ GUESSED "tres_per_job=gres:gpu:8 ntasks_per_socket=1", "sockets" },
	{ GUESSED "tres_per_job=gres:gpu:v100:8",
	  "something that is not counted" },
};

START_TEST(shapes)
{
	ck_assert_str_eq(said(known[_i].asked), known[_i].shape);
}
END_TEST

/* CPUs are given out by cores, and all tasks' memory comes with them. */
START_TEST(cores_of_two_threads)
{
	node.threads = 2;
	ck_assert_str_eq(said(GUESSED "tres_per_job=gres:gpu:8"),
			 "8 x gpu=1 cpu=0 mem=0 nodes_min=1 node_cpus=2 "
			 "node_memory=8000");
	ck_assert_str_eq(said(LISTED "tres_per_job=gres:gpu:8 num_tasks=8"),
			 "8 x gpu=1 cpu=2 mem=8000 nodes_min=1");
}
END_TEST

/* DefCpuPerGPU= and DefMemPerGPU= of the partition. */
START_TEST(defaults_per_gpu)
{
	node.default_cpus_per_gpu = 4;
	node.default_memory_per_gpu = 10000;
	ck_assert_str_eq(said("min_nodes=1 num_tasks=1 tasks_guessed=1 "
			      "tres_per_job=gres:gpu:8"),
			 "8 x gpu=1 cpu=4 mem=10000 nodes_min=1");
}
END_TEST

static void add(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, shapes, 0,
			    (int) (sizeof(known) / sizeof(known[0])));
	tcase_add_test(tcase, cores_of_two_threads);
	tcase_add_test(tcase, defaults_per_gpu);
}

int main(void)
{
	return unit_main("shape", add);
}
