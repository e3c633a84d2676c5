/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a submission to what it needs of nodes, where that is plain. */
#include <stdio.h>

#include "request/layout.h"

#define times gov_layout_times
#define share gov_layout_parts

/* What the shape is made from. */
struct shaping {
	const struct gov_submission *submission;
	const struct gov_node_shape *node;
	struct gov_ask ask;
	struct gov_layout layout;
	struct gov_ask_amounts gpus;
	struct gov_request_shape *out;
};

static uint64_t given(uint64_t number)
{
	return number == GOV_SUB_UNSET ? 0 : number;
}

static uint64_t at_least(uint64_t number, uint64_t least)
{
	return number > least ? number : least;
}

/* CPUs are given out by cores. */
static uint64_t whole_cores(const struct shaping *s, uint64_t cpus)
{
	uint64_t threads = at_least(s->node->threads, 1);

	return times(share(cpus, threads), threads);
}

/* Memory of a part of so many CPUs and GPUs; a node's, if it is a node. */
static uint64_t memory_of(const struct shaping *s, uint64_t cpus, uint64_t gpus,
			  bool is_node)
{
	const struct gov_submission *sub = s->submission;
	const struct gov_node_shape *node = s->node;
	uint64_t per_cpu = node->default_memory_per_cpu;

	if (s->ask.memory_per_gpu && gpus)
		return times(s->ask.memory_per_gpu, gpus);
	if (sub->memory != GOV_SUB_UNSET && sub->memory)
		return sub->memory_per_cpu ? times(sub->memory, cpus) :
		       is_node		   ? sub->memory :
					     0;
	if (sub->memory == GOV_SUB_UNSET && gpus &&
	    node->default_memory_per_gpu)
		return times(node->default_memory_per_gpu, gpus);
	if (sub->memory == GOV_SUB_UNSET && per_cpu && per_cpu != GOV_SUB_UNSET)
		return times(per_cpu, cpus);
	if (!is_node || (sub->memory == GOV_SUB_UNSET &&
			 node->default_memory == GOV_SUB_UNSET))
		return 0;
	/* --mem=0, or no default: all that a node has. */
	return sub->memory == GOV_SUB_UNSET && node->default_memory ?
		       node->default_memory :
		       node->memory;
}

static void set_part(struct shaping *s, uint64_t cpus, uint64_t gpus,
		     bool is_node)
{
	uint64_t by_gpu = times(s->layout.cpus_per_gpu, gpus);

	s->out->cpus = whole_cores(s, at_least(cpus, by_gpu));
	s->out->gpus = gpus;
	s->out->memory = memory_of(s, s->out->cpus, gpus, is_node);
}

/* So many nodes, all alike. */
static void shape_of_nodes(struct shaping *s, uint64_t nodes)
{
	uint64_t gpus = gov_layout_total(&s->layout, &s->gpus);

	s->out->parts = nodes;
	s->out->per_node = 1;
	s->out->nodes_min = nodes;
	set_part(s, share(s->layout.cpus, s->layout.nodes),
		 at_least(s->gpus.node, share(gpus, s->layout.nodes)), true);
}

/* What each node that is used takes besides its parts: what is asked per node,
 * and (cpus) for its tasks, beyond what one part brings along. */
static void set_node(struct shaping *s, uint64_t cpus)
{
	const struct gov_submission *sub = s->submission;
	bool by_gpu = s->ask.memory_per_gpu ||
		      (sub->memory == GOV_SUB_UNSET &&
		       s->node->default_memory_per_gpu);

	cpus = whole_cores(s, cpus);
	s->out->node_cpus = cpus > s->out->cpus ? cpus - s->out->cpus : 0;
	if (!by_gpu || !s->out->gpus)
		s->out->node_memory = memory_of(s, s->out->node_cpus, 0, true);
}

/* Tasks, or GPUs, on whatever nodes take them. */
static void shape_of_pieces(struct shaping *s, uint64_t pieces, uint64_t gpus,
			    uint64_t cpus)
{
	const struct gov_submission *sub = s->submission;

	s->out->parts = pieces;
	s->out->nodes_min = given(sub->min_nodes);
	if (s->out->nodes_min > pieces)
		s->out->nodes_min = pieces;
	set_part(s, cpus, gpus, false);
}

static uint64_t cpus_per_task(const struct shaping *s)
{
	uint64_t cpus = given(s->submission->cpus_per_task);

	return at_least(cpus ? cpus : s->ask.cpus_per_task, 1);
}

static void shape_of_tasks(struct shaping *s, uint64_t tasks)
{
	const struct gov_submission *sub = s->submission;

	shape_of_pieces(s, tasks, s->gpus.task, cpus_per_task(s));
	s->out->per_node = given(sub->ntasks_per_node);
	set_node(s, given(sub->pn_min_cpus));
}

/* On how many nodes at most; 0: on any number.  Each has a task. */
static uint64_t most_nodes(const struct shaping *s)
{
	const struct gov_submission *sub = s->submission;
	uint64_t most = given(sub->max_nodes);
	uint64_t tasks = sub->tasks_guessed ? 0 : given(sub->num_tasks);

	return tasks && (!most || tasks < most) ? tasks : most;
}

/*
 * GPUs on whatever nodes have them.  Where the number of nodes has a limit, in
 * no more equal pieces than that: any way to place these is one of Slurm's.
 */
static void shape_of_gpus(struct shaping *s)
{
	const struct gov_submission *sub = s->submission;
	uint64_t gpus = s->gpus.job, most = most_nodes(s), pieces = gpus;

	if (most && most < gpus)
		for (pieces = most; gpus % pieces;)
			pieces--;
	/* Of a prime number there are no pieces. */
	if (pieces == 1 || (s->node->gpus && gpus / pieces > s->node->gpus)) {
		shape_of_nodes(s, s->layout.nodes);
		return;
	}
	if (!sub->tasks_guessed && given(sub->num_tasks)) {
		shape_of_pieces(s, pieces, gpus / pieces,
				share(s->layout.cpus, pieces));
		set_node(s, given(sub->pn_min_cpus));
		return;
	}
	shape_of_pieces(s, pieces, gpus / pieces, 0);
	set_node(s, at_least(given(sub->pn_min_cpus),
			     times(at_least(given(sub->ntasks_per_node), 1),
				   cpus_per_task(s))));
}

static void make(struct shaping *s)
{
	const struct gov_submission *sub = s->submission;
	uint64_t fewest = at_least(given(sub->min_nodes), 1);
	bool fixed = given(sub->max_nodes) && given(sub->max_nodes) <= fewest;

	s->out->whole = sub->exclusive;
	if (s->gpus.node && given(sub->max_nodes) > fewest)
		shape_of_nodes(s, fewest);
	else if (fixed || s->gpus.node || sub->exclusive)
		shape_of_nodes(s, s->layout.nodes);
	else if (s->gpus.task || (!s->gpus.job && s->layout.tasks > 1))
		shape_of_tasks(s, at_least(s->layout.tasks, 1));
	else if (s->gpus.job)
		shape_of_gpus(s);
	else
		shape_of_nodes(s, fewest);
}

static const char *why_not(const struct shaping *s)
{
	if (s->gpus.socket)
		return "GPUs per socket";
	if (s->ask.other_count || s->ask.gpu_share)
		return "other things than GPUs";
	if (s->ask.type_count > 1)
		return "several types of GPU";
	if (s->submission->overcommit)
		return "overcommitted CPUs";
	if (given(s->submission->ntasks_per_tres))
		return "tasks per GPU";
	if (given(s->submission->ntasks_per_socket) ||
	    given(s->submission->sockets_per_node))
		return "sockets";
	return NULL;
}

static struct gov_layout_node layout_node(const struct gov_node_shape *node)
{
	return (struct gov_layout_node){
		.cpus = node->cpus,
		.memory = node->memory,
		.gpus = node->gpus,
		.sockets = node->sockets,
		.threads = node->threads,
	};
}

int gov_request_shape(const struct gov_submission *submission,
		      const struct gov_policy *policy, uint32_t pool,
		      const struct gov_node_shape *node,
		      struct gov_request_shape *shape)
{
	struct gov_layout_node layout = layout_node(node);
	struct shaping s = {
		.submission = submission,
		.node = node,
		.out = shape,
	};

	*shape = (struct gov_request_shape){ 0 };
	if (gov_ask_read(submission, policy, pool, &s.ask, NULL) ||
	    *s.ask.missing) {
		shape->unknown = "something that is not counted";
		return -1;
	}
	if (!s.ask.cpus_per_gpu)
		s.ask.cpus_per_gpu = node->default_cpus_per_gpu;
	gov_layout_make(submission, &s.ask, &layout,
			policy->pool[pool].node_count, &s.layout);
	gov_ask_gpus(&s.ask, &s.gpus);
	shape->unknown = why_not(&s);
	if (shape->unknown)
		return -1;
	make(&s);
	if (s.ask.type_count)
		snprintf(shape->gpu_type, sizeof(shape->gpu_type), "%s",
			 s.ask.type[0].type);
	if (shape->parts && shape->parts <= UINT32_MAX)
		return 0;
	shape->unknown = "too many nodes";
	return -1;
}
