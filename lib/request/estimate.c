/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a submission to amounts of the cells of a pool. */
#include <strings.h>

#include "request/layout.h"

#define times gov_layout_times

/* What an estimate is made from and of. */
struct estimate {
	const struct gov_submission *submission;
	const struct gov_policy *policy;
	uint32_t pool;
	const struct gov_node_shape *shape;
	struct gov_layout_node node;
	struct gov_ask ask;
	struct gov_layout layout;
	gov_amount_t gpus;
	gov_amount_t cpus;
	struct gov_request *request;
	bool overflow;
	bool full;
};

/* ---- the node ---- */

/* What a node has of a cell; 0 if that is not known. */
static gov_amount_t shape_of_cell(const struct estimate *e, uint32_t cell)
{
	gov_amount_t amount = 0;

	if (cell != GOV_NONE && e->shape->tres)
		amount = e->shape->tres[e->policy->cell[cell].tres];
	return amount <= GOV_AMOUNT_MAX ? amount : 0;
}

static gov_amount_t shape_of(const struct estimate *e, const char *tres)
{
	return shape_of_cell(e, gov_ask_cell(e->policy, e->pool, tres));
}

static gov_amount_t shape_of_all_types(const struct estimate *e)
{
	const struct gov_pool *pool = &e->policy->pool[e->pool];
	gov_amount_t sum = 0;

	for (uint32_t i = 0; i < pool->tres_count; i++) {
		uint32_t tres = pool->tres[i];

		if (gov_ask_is_gpu_type(e->policy->tres[tres].name))
			sum = gov_amount_add(
				sum,
				shape_of_cell(e, gov_policy_find_cell(e->policy,
								      e->pool,
								      tres)));
	}
	return sum;
}

static void look_at_node(struct estimate *e)
{
	const struct gov_node_shape *shape = e->shape;
	struct gov_layout_node *node = &e->node;

	node->cpus = shape->cpus ? shape->cpus : shape_of(e, "cpu");
	node->memory = shape->memory ? shape->memory : shape_of(e, "mem");
	node->gpus = shape->gpus ? shape->gpus : shape_of(e, "gres/gpu");
	if (!node->gpus)
		node->gpus = shape_of_all_types(e);
	node->sockets = shape->sockets;
	node->threads = shape->threads;
}

/* ---- the request ---- */

static void add(struct estimate *e, uint32_t cell, gov_amount_t amount)
{
	struct gov_request *request = e->request;

	if (cell == GOV_NONE || !amount)
		return;
	if (amount > GOV_AMOUNT_MAX) {
		e->overflow = true;
		return;
	}
	if (request->count == GOV_REQUEST_MAX) {
		e->full = true;
		return;
	}
	request->item[request->count].cell = cell;
	request->item[request->count].amount = amount;
	request->count++;
}

static void add_named(struct estimate *e, const char *tres, gov_amount_t amount)
{
	add(e, gov_ask_cell(e->policy, e->pool, tres), amount);
}

static gov_amount_t whole_nodes(const struct estimate *e, gov_amount_t per_node,
				gov_amount_t asked)
{
	gov_amount_t whole;

	if (!e->submission->exclusive)
		return asked;
	whole = times(per_node, e->layout.nodes);
	return whole > asked ? whole : asked;
}

/* ---- GPUs ---- */

/* Amount of one type that was asked by its name. */
static gov_amount_t asked_of_type(const struct estimate *e, uint32_t cell)
{
	for (uint32_t i = 0; i < e->ask.type_count; i++)
		if (e->ask.type[i].cell == cell)
			return gov_layout_total(&e->layout,
						&e->ask.type[i].amounts);
	return 0;
}

static gov_amount_t asked_of_all_types(const struct estimate *e)
{
	gov_amount_t sum = 0;

	for (uint32_t i = 0; i < e->ask.type_count; i++)
		sum = gov_amount_add(sum,
				     gov_layout_total(&e->layout,
						      &e->ask.type[i].amounts));
	return sum;
}

/* Typed cells; `rest` of the GPUs were asked without a type. */
static void add_types(struct estimate *e, gov_amount_t rest)
{
	const struct gov_pool *pool = &e->policy->pool[e->pool];
	uint32_t first = gov_ask_first_type(e->policy, e->pool);

	for (uint32_t i = 0; i < pool->tres_count; i++) {
		uint32_t tres = pool->tres[i], cell;
		gov_amount_t amount;

		if (!gov_ask_is_gpu_type(e->policy->tres[tres].name))
			continue;
		cell = gov_policy_find_cell(e->policy, e->pool, tres);
		amount = asked_of_type(e, cell);
		if (cell == first)
			amount = gov_amount_add(amount, rest);
		add(e, cell, whole_nodes(e, shape_of_cell(e, cell), amount));
	}
}

static void count_gpus(struct estimate *e)
{
	gov_amount_t typed = asked_of_all_types(e);
	gov_amount_t asked = gov_layout_total(&e->layout, &e->layout.gpus);

	if (asked < typed)
		asked = typed;
	if (e->ask.gpu_share && asked < e->layout.nodes)
		asked = e->layout.nodes;
	e->gpus = whole_nodes(e, e->node.gpus, asked);
	add_named(e, "gres/gpu", e->gpus);
	add_types(e, gov_amount_sub(asked, typed));
}

/* ---- CPUs, memory, the rest ---- */

static void count_cpus(struct estimate *e)
{
	gov_amount_t asked = e->layout.cpus;
	gov_amount_t by_gpu = times(e->layout.cpus_per_gpu,
				    gov_layout_total(&e->layout,
						     &e->layout.gpus));

	e->cpus = whole_nodes(e, e->node.cpus, by_gpu > asked ? by_gpu : asked);
	add_named(e, "cpu", e->cpus);
}

/* Nothing was asked: what Slurm gives then. */
static gov_amount_t default_memory(const struct estimate *e)
{
	const struct gov_node_shape *shape = e->shape;

	if (e->gpus && shape->default_memory_per_gpu)
		return times(shape->default_memory_per_gpu, e->gpus);
	if (shape->default_memory_per_cpu &&
	    shape->default_memory_per_cpu != GOV_SUB_UNSET)
		return times(shape->default_memory_per_cpu, e->cpus);
	if (shape->default_memory && shape->default_memory != GOV_SUB_UNSET)
		return times(shape->default_memory, e->layout.nodes);
	return times(e->node.memory, e->layout.nodes);
}

static gov_amount_t memory(const struct estimate *e)
{
	const struct gov_submission *s = e->submission;

	/* The job list shows the default per CPU beside it. */
	if (e->ask.memory_per_gpu && e->gpus)
		return times(e->ask.memory_per_gpu, e->gpus);
	if (s->memory == GOV_SUB_UNSET)
		return default_memory(e);
	if (!s->memory) /* --mem=0, --mem-per-cpu=0 */
		return times(e->node.memory, e->layout.nodes);
	return times(s->memory, s->memory_per_cpu ? e->cpus : e->layout.nodes);
}

static void count_others(struct estimate *e)
{
	for (uint32_t i = 0; i < e->ask.other_count; i++) {
		uint32_t cell = e->ask.other[i].cell;
		gov_amount_t asked = gov_layout_total(&e->layout,
						      &e->ask.other[i].amounts);

		add(e, cell, whole_nodes(e, shape_of_cell(e, cell), asked));
	}
}

static bool is_asked(const struct estimate *e, uint32_t cell)
{
	for (uint32_t i = 0; i < e->ask.other_count; i++)
		if (e->ask.other[i].cell == cell)
			return true;
	return false;
}

/* Of an exclusive job: what a node has besides all that was counted. */
static void count_unasked(struct estimate *e)
{
	const struct gov_pool *pool = &e->policy->pool[e->pool];

	if (!e->submission->exclusive)
		return;
	for (uint32_t i = 0; i < pool->tres_count; i++) {
		const char *name = e->policy->tres[pool->tres[i]].name;
		uint32_t cell = gov_policy_find_cell(e->policy, e->pool,
						     pool->tres[i]);

		if (strncasecmp(name, "gres/", 5) || is_asked(e, cell) ||
		    !strcasecmp(name, "gres/gpu") || gov_ask_is_gpu_type(name))
			continue;
		add(e, cell, whole_nodes(e, shape_of_cell(e, cell), 0));
	}
}

static void count(struct estimate *e)
{
	count_gpus(e);
	count_cpus(e);
	add_named(e, "mem", memory(e));
	add_named(e, "node", e->layout.nodes);
	count_others(e);
	count_unasked(e);
}

static int finish(const struct estimate *e, struct gov_error *error)
{
	if (e->overflow)
		return gov_error_set(error, GOV_R_REQUEST,
				     "the numbers of the request multiply to "
				     "more than 64 bits; ask for less");
	if (e->full)
		return gov_error_set(error, GOV_R_REQUEST,
				     "the job asks for more than %d different "
				     "resources; split it",
				     GOV_REQUEST_MAX);
	if (*e->ask.missing)
		return gov_error_set(error, GOV_R_NO_POOL,
				     "pool %s has no %s; see 'sgov status' "
				     "for what each pool offers",
				     e->policy->pool[e->pool].name,
				     e->ask.missing);
	return 0;
}

int gov_request_estimate(const struct gov_submission *submission,
			 const struct gov_policy *policy, uint32_t pool,
			 const struct gov_node_shape *shape,
			 struct gov_request *request, struct gov_error *error)
{
	static const struct gov_node_shape unknown = {
		.default_memory = GOV_SUB_UNSET,
		.default_memory_per_cpu = GOV_SUB_UNSET,
	};
	struct estimate e = {
		.submission = submission,
		.policy = policy,
		.pool = pool,
		.shape = shape ? shape : &unknown,
		.request = request,
	};

	request->count = 0;
	look_at_node(&e);
	if (gov_ask_read(submission, policy, pool, &e.ask, error))
		return -1;
	if (!e.ask.cpus_per_gpu)
		e.ask.cpus_per_gpu = e.shape->default_cpus_per_gpu;
	gov_layout_make(submission, &e.ask, &e.node,
			policy->pool[pool].node_count, &e.layout);
	count(&e);
	return finish(&e, error);
}
