/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request/ask.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define GPU "gres/gpu"

/* What a text of the submission is about. */
enum per { PER_JOB, PER_NODE, PER_SOCKET, PER_TASK, CPUS_PER, MEMORY_PER };

struct visit {
	const struct gov_policy *policy;
	uint32_t pool;
	enum per per;
	struct gov_ask *ask;
	struct gov_error *error;
};

uint32_t gov_ask_cell(const struct gov_policy *policy, uint32_t pool,
		      const char *tres)
{
	uint32_t index = gov_policy_find_tres(policy, tres);

	if (index == GOV_NONE)
		return GOV_NONE;
	return gov_policy_find_cell(policy, pool, index);
}

bool gov_ask_is_gpu_type(const char *tres)
{
	return !strncasecmp(tres, GPU ":", strlen(GPU ":"));
}

uint32_t gov_ask_first_type(const struct gov_policy *policy, uint32_t pool)
{
	const struct gov_pool *p = &policy->pool[pool];

	for (uint32_t i = 0; i < p->tres_count; i++)
		if (gov_ask_is_gpu_type(policy->tres[p->tres[i]].name))
			return gov_policy_find_cell(policy, pool, p->tres[i]);
	return GOV_NONE;
}

/* Does the policy count GPUs, of whatever type, in any pool? */
static bool policy_counts_gpus(const struct gov_policy *policy)
{
	for (uint32_t i = 0; i < policy->tres_count; i++)
		if (!strcasecmp(policy->tres[i].name, GPU) ||
		    gov_ask_is_gpu_type(policy->tres[i].name))
			return true;
	return false;
}

static bool pool_counts_gpus(const struct gov_policy *policy, uint32_t pool)
{
	return gov_ask_cell(policy, pool, GPU) != GOV_NONE ||
	       gov_ask_first_type(policy, pool) != GOV_NONE;
}

static void missing(struct gov_ask *ask, const struct gov_tres_entry *entry)
{
	if (!*ask->missing)
		snprintf(ask->missing, sizeof(ask->missing), "%.100s%s%.60s",
			 entry->name, *entry->type ? ":" : "", entry->type);
}

/*
 * Named twice, Slurm takes the last of them, but shows the largest while the
 * job waits: count the largest.
 */
static void note(struct gov_ask_amounts *amounts, enum per per,
		 gov_amount_t amount)
{
	gov_amount_t *to = &amounts->job;

	if (per == PER_NODE)
		to = &amounts->node;
	else if (per == PER_SOCKET)
		to = &amounts->socket;
	else if (per == PER_TASK)
		to = &amounts->task;
	if (amount > *to)
		*to = amount;
}

static int too_many(struct gov_error *error)
{
	return gov_error_set(error, GOV_R_REQUEST,
			     "the job asks for too many different resources "
			     "at once; split it");
}

/* Entry of this type of GPU, made if need be.  NULL: no room. */
static struct gov_ask_gpu_type *type_entry(struct gov_ask *ask,
					   const char *type, uint32_t cell)
{
	struct gov_ask_gpu_type *entry;

	for (uint32_t i = 0; i < ask->type_count; i++)
		if (!strcmp(ask->type[i].type, type))
			return &ask->type[i];
	if (ask->type_count == GOV_ASK_TYPES)
		return NULL;
	entry = &ask->type[ask->type_count++];
	strcpy(entry->type, type);
	entry->cell = cell;
	return entry;
}

static int read_typed_gpu(const struct visit *visit,
			  const struct gov_tres_entry *entry)
{
	char name[sizeof(GPU) + GOV_ASK_TYPE_NAME];
	struct gov_ask_gpu_type *to;
	uint32_t cell;

	if (strlen(entry->type) >= GOV_ASK_TYPE_NAME) {
		missing(visit->ask, entry);
		return 0;
	}
	snprintf(name, sizeof(name), GPU ":%s", entry->type);
	cell = gov_ask_cell(visit->policy, visit->pool, name);
	if (cell == GOV_NONE &&
	    gov_ask_first_type(visit->policy, visit->pool) != GOV_NONE) {
		missing(visit->ask, entry);
		return 0;
	}
	to = type_entry(visit->ask, entry->type, cell);
	if (!to)
		return too_many(visit->error);
	note(&to->amounts, visit->per, entry->amount);
	return 0;
}

static int read_gpu(const struct visit *visit,
		    const struct gov_tres_entry *entry)
{
	if (visit->per == CPUS_PER) {
		visit->ask->cpus_per_gpu = entry->amount;
		return 0;
	}
	if (visit->per == MEMORY_PER) {
		visit->ask->memory_per_gpu = entry->amount;
		return 0;
	}
	if (!entry->amount)
		return 0;
	if (!pool_counts_gpus(visit->policy, visit->pool) &&
	    policy_counts_gpus(visit->policy)) {
		missing(visit->ask, entry);
		return 0;
	}
	if (*entry->type)
		return read_typed_gpu(visit, entry);
	note(&visit->ask->untyped, visit->per, entry->amount);
	return 0;
}

static bool is_gpu_share(const struct gov_tres_entry *entry)
{
	return !strcmp(entry->name, "gres/shard") ||
	       !strcmp(entry->name, "gres/mps");
}

/* A TRES that a pool may count: its own cell under this name, or none. */
static int read_other(const struct visit *visit,
		      const struct gov_tres_entry *entry)
{
	struct gov_ask *ask = visit->ask;
	uint32_t cell = gov_ask_cell(visit->policy, visit->pool, entry->name);
	uint32_t i;

	if (!entry->amount)
		return 0;
	if (cell == GOV_NONE) {
		if (gov_policy_find_tres(visit->policy, entry->name) !=
		    GOV_NONE)
			missing(ask, entry);
		else if (is_gpu_share(entry) &&
			 pool_counts_gpus(visit->policy, visit->pool))
			ask->gpu_share = true;
		else if (is_gpu_share(entry) &&
			 policy_counts_gpus(visit->policy))
			missing(ask, entry);
		return 0;
	}
	for (i = 0; i < ask->other_count; i++)
		if (ask->other[i].cell == cell)
			break;
	if (i == GOV_REQUEST_MAX)
		return too_many(visit->error);
	if (i == ask->other_count)
		ask->other[ask->other_count++].cell = cell;
	note(&ask->other[i].amounts, visit->per, entry->amount);
	return 0;
}

/*
 * slurmctld finds "gres" anywhere in a list, also inside another word, and
 * takes what follows for the request.
 */
static int hides_gres(const struct visit *visit,
		      const struct gov_tres_entry *entry)
{
	const char *own = strchr(entry->name, '/');

	if (!strstr(own ? own : entry->name, "gres") &&
	    !strstr(entry->type, "gres"))
		return 0;
	return gov_error_set(visit->error, GOV_R_REQUEST,
			     "the resource name '%.60s' cannot be used in a "
			     "request; write name[:type][:count], like "
			     "gpu:h100:4",
			     entry->name);
}

static int read_entry(const struct gov_tres_entry *entry, void *arg)
{
	const struct visit *visit = arg;

	if (hides_gres(visit, entry))
		return -1;
	if (!strcmp(entry->name, GPU))
		return read_gpu(visit, entry);
	if (visit->per == CPUS_PER || visit->per == MEMORY_PER)
		return 0;
	if (!strcmp(entry->name, "cpu")) {
		if (visit->per == PER_TASK)
			visit->ask->cpus_per_task = entry->amount;
		return 0;
	}
	if (!strcmp(entry->name, "mem") || !strcmp(entry->name, "node"))
		return 0; /* these come in fields of their own */
	return read_other(visit, entry);
}

static int read_license(const struct gov_tres_entry *entry, void *arg)
{
	return read_other(arg, entry);
}

int gov_ask_read(const struct gov_submission *submission,
		 const struct gov_policy *policy, uint32_t pool,
		 struct gov_ask *ask, struct gov_error *error)
{
	static const struct {
		enum per per;
		size_t offset;
	} texts[] = {
#define TEXT(per, member) { per, offsetof(struct gov_submission, member) }
		TEXT(PER_JOB, tres_per_job),
		TEXT(PER_NODE, tres_per_node),
		TEXT(PER_SOCKET, tres_per_socket),
		TEXT(PER_TASK, tres_per_task),
		TEXT(CPUS_PER, cpus_per_tres),
		TEXT(MEMORY_PER, mem_per_tres),
#undef TEXT
	};
	struct visit visit = {
		.policy = policy, .pool = pool, .ask = ask, .error = error
	};

	memset(ask, 0, sizeof(*ask));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *text = *(
			const char *const *) ((const char *) submission +
					      texts[i].offset);

		visit.per = texts[i].per;
		if (gov_tres_walk(text, read_entry, &visit, error))
			return -1;
	}
	visit.per = PER_JOB;
	return gov_license_walk(submission->licenses, read_license, &visit,
				error);
}

void gov_ask_gpus(const struct gov_ask *ask, struct gov_ask_amounts *gpus)
{
	struct gov_ask_amounts typed = { 0 };

	for (uint32_t i = 0; i < ask->type_count; i++) {
		const struct gov_ask_amounts *one = &ask->type[i].amounts;

		typed.job = gov_amount_add(typed.job, one->job);
		typed.node = gov_amount_add(typed.node, one->node);
		typed.socket = gov_amount_add(typed.socket, one->socket);
		typed.task = gov_amount_add(typed.task, one->task);
	}
	*gpus = ask->untyped;
	if (typed.job > gpus->job)
		gpus->job = typed.job;
	if (typed.node > gpus->node)
		gpus->node = typed.node;
	if (typed.socket > gpus->socket)
		gpus->socket = typed.socket;
	if (typed.task > gpus->task)
		gpus->task = typed.task;
}
