/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurmctld works out between the request and the allocation.  The order
 * follows gres_job_state_validate(), _validate_job_desc() and select/cons_tres;
 * tests/e2e compares it with what a live slurmctld gives.
 */
#include "request/layout.h"

#include <ctype.h>
#include <string.h>

gov_amount_t gov_layout_times(gov_amount_t a, gov_amount_t b)
{
	return gov_amount_scale(a, b, 1);
}

gov_amount_t gov_layout_parts(gov_amount_t a, gov_amount_t b)
{
	return a / b + !!(a % b);
}

#define times gov_layout_times
#define parts gov_layout_parts

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Unset and zero both mean that nothing was asked. */
static uint64_t given(uint64_t number)
{
	return number == GOV_SUB_UNSET ? 0 : number;
}

/* min() where 0 means "no limit". */
static uint64_t tighter(uint64_t limit, uint64_t other)
{
	if (!other)
		return limit;
	return limit ? min(limit, other) : other;
}

/* ---- --nodelist ---- */

static uint64_t read_number(const char **at)
{
	uint64_t number = 0;

	for (; isdigit((unsigned char) **at); (*at)++)
		number = min(number * 10 + (uint64_t) (**at - '0'), UINT32_MAX);
	return number;
}

/* "[1-4,7]" at *at: how many; *at moves behind it.  0: malformed. */
static uint64_t count_brackets(const char **at)
{
	uint64_t count = 0;

	(*at)++;
	while (**at && **at != ']') {
		uint64_t first = read_number(at), last = first;

		if (**at == '-') {
			(*at)++;
			last = read_number(at);
		}
		if (last < first || (**at != ',' && **at != ']'))
			return 0;
		count += last - first + 1;
		if (**at == ',')
			(*at)++;
	}
	if (**at)
		(*at)++;
	return count;
}

/* Number of hosts that a hostlist names; 0 if it is malformed. */
static uint64_t count_hosts(const char *text)
{
	uint64_t total = 0;

	while (text && *text) {
		uint64_t hosts = 1;

		while (*text && *text != ',') {
			if (*text == '[')
				hosts = times(hosts, count_brackets(&text));
			else
				text++;
		}
		if (!hosts)
			return 0;
		total = gov_amount_add(total, hosts);
		if (*text)
			text++;
	}
	return total;
}

/* ---- tasks ---- */

/* Numbers that depend on each other while the layout is made. */
struct making {
	const struct gov_submission *submission;
	const struct gov_layout_node *node;
	struct gov_layout *layout;
	uint64_t cpus_per_task;
	uint64_t tasks_per_node; /* 0: not said */
	uint64_t min_nodes;	 /* at least 1 */
	uint64_t max_nodes;	 /* 0: not said */
	bool nodes_said;
	uint64_t memory_per_cpu; /* 0: none */
	uint64_t memory_per_gpu; /* 0: none */
};

static void read_nodes(struct making *making)
{
	const struct gov_submission *s = making->submission;
	uint64_t listed = count_hosts(s->nodelist);
	uint64_t minimum = max(given(s->min_nodes), listed);

	making->nodes_said = minimum > 0;
	making->min_nodes = max(minimum, 1);
	making->max_nodes = given(s->max_nodes);
}

/* --ntasks-per-gpu: tasks from GPUs, or GPUs from tasks. */
static void relate_tasks_to_gpus(struct making *making)
{
	struct gov_layout *layout = making->layout;
	uint64_t per_gpu = given(making->submission->ntasks_per_tres);
	uint64_t gpus;

	if (!per_gpu)
		return;
	layout->nodes = making->min_nodes;
	layout->slots = layout->tasks;
	gpus = gov_layout_total(layout, &layout->gpus);
	if (gpus)
		layout->tasks = max(layout->tasks, times(gpus, per_gpu));
	else if (layout->tasks)
		layout->gpus.job = layout->tasks / per_gpu;
	else if (making->nodes_said)
		layout->gpus.job = making->min_nodes;
}

static void read_tasks(struct making *making, const struct gov_ask *ask)
{
	const struct gov_submission *s = making->submission;
	struct gov_layout *layout = making->layout;
	struct gov_ask_amounts *gpus = &layout->gpus;

	making->cpus_per_task = given(s->cpus_per_task);
	if (!making->cpus_per_task)
		making->cpus_per_task = ask->cpus_per_task;
	if (!making->cpus_per_task)
		making->cpus_per_task = times(layout->cpus_per_gpu, gpus->task);
	making->cpus_per_task = max(making->cpus_per_task, 1);
	making->tasks_per_node = given(s->ntasks_per_node);
	if (!making->tasks_per_node && gpus->task)
		making->tasks_per_node = gpus->node / gpus->task;
	layout->tasks = given(s->num_tasks);
	relate_tasks_to_gpus(making);
	if (layout->tasks)
		return;
	if (gpus->job && gpus->task)
		layout->tasks = gpus->job / gpus->task;
	else if (making->tasks_per_node && making->nodes_said)
		layout->tasks = times(making->tasks_per_node,
				      making->min_nodes);
	else if (gpus->task)
		layout->tasks = making->min_nodes;
}

/* ---- how much of the job fits on one node ---- */

static uint64_t gpus_of_node(const struct making *making)
{
	const struct gov_layout *layout = making->layout;
	const struct gov_layout_node *node = making->node;
	uint64_t gpus = tighter(node->gpus, layout->gpus.node);

	if (layout->cpus_per_gpu)
		gpus = tighter(gpus, node->cpus / layout->cpus_per_gpu);
	if (making->memory_per_gpu)
		gpus = tighter(gpus, node->memory / making->memory_per_gpu);
	return gpus;
}

/* --ntasks-per-gpu also limits the tasks that come for their own sake. */
static uint64_t tasks_of_gpus(const struct making *making)
{
	uint64_t gpus = tighter(gpus_of_node(making), making->layout->gpus.job);

	return times(gpus, given(making->submission->ntasks_per_tres));
}

static uint64_t cpus_of_node(const struct making *making)
{
	const struct gov_layout_node *node = making->node;
	uint64_t cpus = tighter(node->cpus, times(tasks_of_gpus(making),
						  making->cpus_per_task));

	if (making->memory_per_cpu && node->memory)
		cpus = tighter(cpus, node->memory / making->memory_per_cpu);
	return cpus;
}

static uint64_t tasks_of_node(const struct making *making)
{
	const struct gov_submission *s = making->submission;
	const struct gov_layout *layout = making->layout;
	uint64_t tasks = making->tasks_per_node;

	if (!s->overcommit)
		tasks = tighter(tasks,
				cpus_of_node(making) / making->cpus_per_task);
	if (layout->gpus.task)
		tasks = tighter(tasks,
				gpus_of_node(making) / layout->gpus.task);
	tasks = tighter(tasks, tasks_of_gpus(making));
	return tighter(tasks, times(given(s->ntasks_per_socket),
				    making->node->sockets));
}

/* ---- nodes and CPUs ---- */

static uint64_t cpus_needed(const struct making *making)
{
	const struct gov_submission *s = making->submission;
	uint64_t cpus = given(s->min_cpus);

	if (s->overcommit)
		return cpus;
	return max(cpus, times(making->layout->tasks, making->cpus_per_task));
}

/* Where it is said otherwise what comes on a node, --mincpus is ignored. */
static uint64_t least_cpus(const struct making *making)
{
	const struct gov_submission *s = making->submission;
	const struct gov_ask_amounts *gpus = &making->layout->gpus;

	if (given(s->ntasks_per_socket) ||
	    (given(s->ntasks_per_node) && making->cpus_per_task > 1) ||
	    (gpus->task && (gpus->node || gpus->job)))
		return 0;
	return given(s->pn_min_cpus);
}

static uint64_t cpus_per_node_needed(const struct making *making)
{
	const struct gov_submission *s = making->submission;
	uint64_t cpus = max(least_cpus(making), making->cpus_per_task);

	if (making->tasks_per_node && making->layout->tasks > 1 &&
	    !s->overcommit)
		cpus = max(cpus, times(making->tasks_per_node,
				       making->cpus_per_task));
	return cpus;
}

/* Fewest nodes that can host the job. */
static uint64_t fewest_nodes(const struct making *making)
{
	const struct gov_layout *layout = making->layout;
	uint64_t tasks = tasks_of_node(making);
	uint64_t gpus = gpus_of_node(making);
	uint64_t cpus = cpus_of_node(making);
	uint64_t nodes = making->min_nodes;

	if (tasks)
		nodes = max(nodes, parts(layout->tasks, tasks));
	if (gpus)
		nodes = max(nodes, parts(layout->gpus.job, gpus));
	if (cpus && !making->submission->overcommit)
		nodes = max(nodes, parts(cpus_needed(making), cpus));
	return making->max_nodes ?
		       min(nodes, max(making->max_nodes, making->min_nodes)) :
		       nodes;
}

/* Of a range Slurm gives as many nodes as the job can use. */
static uint64_t most_nodes(const struct making *making, uint64_t fewest,
			   uint64_t pool_nodes)
{
	const struct gov_layout *layout = making->layout;
	uint64_t nodes = making->max_nodes;

	if (layout->gpus.job || layout->gpus.task)
		return fewest;
	nodes = tighter(nodes, pool_nodes);
	nodes = tighter(nodes, layout->tasks);
	return max(nodes, fewest);
}

static uint64_t by_cores(uint64_t cpus, uint64_t threads)
{
	return threads > 1 ? times(parts(cpus, threads), threads) : cpus;
}

void gov_layout_make(const struct gov_submission *submission,
		     const struct gov_ask *ask,
		     const struct gov_layout_node *node, uint64_t pool_nodes,
		     struct gov_layout *layout)
{
	struct making making = {
		.submission = submission,
		.node = node,
		.layout = layout,
		.memory_per_gpu = ask->memory_per_gpu,
	};

	layout->cpus = layout->slots = 0;
	gov_ask_gpus(ask, &layout->gpus);
	layout->cpus_per_gpu = ask->cpus_per_gpu;
	if (submission->memory_per_cpu)
		making.memory_per_cpu = given(submission->memory);
	layout->sockets = given(submission->sockets_per_node);
	if (!layout->sockets)
		layout->sockets = max(node->sockets, 1);
	read_nodes(&making);
	read_tasks(&making, ask);
	layout->nodes = fewest_nodes(&making);
	if (making.max_nodes)
		layout->nodes = most_nodes(&making, layout->nodes, pool_nodes);
	layout->cpus = max(by_cores(cpus_needed(&making), node->threads),
			   times(layout->nodes,
				 by_cores(cpus_per_node_needed(&making),
					  node->threads)));
	layout->slots = max(layout->tasks,
			    submission->overcommit ?
				    1 :
				    layout->cpus / making.cpus_per_task);
}

gov_amount_t gov_layout_total(const struct gov_layout *layout,
			      const struct gov_ask_amounts *amounts)
{
	uint64_t sockets = times(layout->sockets, layout->nodes);
	gov_amount_t total;

	/* --gpus beside --gpus-per-socket is what the latter come to. */
	if (amounts->job && !amounts->socket)
		return amounts->job;
	/* On a socket without a CPU of the job it gets no GPU either. */
	if (layout->cpus)
		sockets = min(sockets, layout->cpus);
	total = max(times(amounts->node, layout->nodes),
		    times(amounts->socket, sockets));
	/* Slurm gives CPUs GPUs, whether or not a task comes to use them. */
	return max(total, times(amounts->task, max(layout->slots, 1)));
}
