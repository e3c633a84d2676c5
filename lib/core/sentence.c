/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sentence for a person: why a job waits, what it waits for. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/engine.h"

/* Text that grows up to a limit and then stays as it is. */
struct text {
	char *at;
	size_t size;
	size_t length;
};

static void add(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
	size_t room = text->size - text->length;
	va_list args;
	int wrote;

	va_start(args, format);
	wrote = vsnprintf(text->at + text->length, room, format, args);
	va_end(args);
	if (wrote < 0)
		return;
	text->length += (size_t) wrote < room ? (size_t) wrote : room - 1;
}

/* "8 gres/gpu:h100", "2048 MiB of mem". */
static void add_amount(struct text *text, const struct gov_policy *policy,
		       uint32_t cell, gov_amount_t amount)
{
	const char *tres = policy->tres[policy->cell[cell].tres].name;

	if (amount == GOV_UNLIMITED)
		add(text, "unlimited %s", tres);
	else if (!strcmp(tres, "mem"))
		add(text, "%" PRIu64 " MiB of mem", amount);
	else
		add(text, "%" PRIu64 " %s", amount, tres);
}

static const char *pool_name(const struct gov_policy *policy, uint32_t cell)
{
	return policy->pool[policy->cell[cell].pool].name;
}

/* "team nlp", "unit research", "the cluster". */
static void add_unit(struct text *text, const struct gov_policy *policy,
		     uint32_t unit)
{
	if (unit == GOV_NONE)
		add(text, "the cluster");
	else
		add(text, "%s %s", policy->unit[unit].is_team ? "team" : "unit",
		    policy->unit[unit].name);
}

/* "team nlp uses 8 of its 8 gres/gpu in pool h100 and the job asks 4" */
static void add_use(struct text *text, const struct gov_policy *policy,
		    const struct gov_limit *limit, const char *whose)
{
	add_unit(text, policy, limit->unit);
	add(text, " uses %" PRIu64 " of %s", limit->used, whose);
	add_amount(text, policy, limit->cell, limit->limit);
	add(text, " in pool %s and the job asks %" PRIu64,
	    pool_name(policy, limit->cell), limit->asked);
}

/* "2 times 8 gres/gpu, each on one node" */
static void add_place(struct text *text, const struct gov_policy *policy,
		      const struct gov_limit *limit)
{
	if (limit->limit > 1)
		add(text, "%" PRIu64 " times ", limit->limit);
	add_amount(text, policy, limit->cell, limit->asked);
	add(text,
	    limit->limit > 1 ? ", each on one node of pool %s" :
			       " on one node of pool %s",
	    pool_name(policy, limit->cell));
}

/* Where the job would have to borrow, and something says that it may not. */
static const char *whose_word(enum gov_limit_kind kind)
{
	switch (kind) {
	case GOV_LIMIT_CLASS: return "its priority class may not borrow";
	case GOV_LIMIT_NO_BORROW:
		return "it was submitted with --gov-borrow=no";
	case GOV_LIMIT_DRAINED:
		return "an operator lets its team borrow no more (sgov drain)";
	default: return NULL;
	}
}

static void add_limit(struct text *text, const struct gov_policy *policy,
		      const struct gov_limit *limit)
{
	switch (limit->kind) {
	case GOV_LIMIT_NOMINAL:
		add_use(text, policy, limit, "its ");
		add(text, ", which it would have to borrow but may not");
		break;
	case GOV_LIMIT_BORROW:
		add_unit(text, policy, limit->unit);
		add(text, " may borrow at most ");
		add_amount(text, policy, limit->cell, limit->limit);
		add(text,
		    " in pool %s (borrow limit), borrows %" PRIu64
		    " and would need %" PRIu64 " more than that",
		    pool_name(policy, limit->cell), limit->used,
		    limit->missing);
		break;
	case GOV_LIMIT_LENDERS:
		add(text, "nothing idle to borrow: ");
		add_amount(text, policy, limit->cell, limit->missing);
		add(text, " of pool %s missing in ",
		    pool_name(policy, limit->cell));
		add_unit(text, policy, limit->unit);
		break;
	case GOV_LIMIT_CAPACITY:
		add(text, "pool %s has only ", pool_name(policy, limit->cell));
		add_amount(text, policy, limit->cell, limit->limit);
		add(text,
		    " on healthy nodes, %" PRIu64
		    " are in use: nodes are down or drained, or more is promised than there is",
		    limit->used);
		break;
	case GOV_LIMIT_PROJECT:
		add_use(text, policy, limit, "its project's cap of ");
		break;
	case GOV_LIMIT_USER:
		add_use(text, policy, limit, "the cap per user of ");
		break;
	case GOV_LIMIT_CLASS:
	case GOV_LIMIT_NO_BORROW:
	case GOV_LIMIT_DRAINED:
		add(text, "%s, and ", whose_word(limit->kind));
		add_use(text, policy, limit, "its ");
		break;
	case GOV_LIMIT_HELD:
		add_amount(text, policy, limit->cell, limit->limit);
		add(text, " of pool %s are kept for job %" PRIu64,
		    pool_name(policy, limit->cell), GOV_JOB_SHOWN(limit->job));
		break;
	case GOV_LIMIT_PLACE:
		add(text, "no jobs that may be told to leave make room for ");
		add_place(text, policy, limit);
		add(text, ": nobody is evicted in vain");
		break;
	case GOV_LIMIT_ORDER:
		add(text, "job %" PRIu64 " goes first",
		    GOV_JOB_SHOWN(limit->job));
		break;
	}
}

/* At most this many are named; the rest is for sgov why. */
#define NAMED 3

static void add_limits(struct text *text, const struct gov_policy *policy,
		       const struct gov_explanation *explanation)
{
	size_t count = explanation->limit_count;

	for (size_t i = 0; i < count && i < NAMED; i++) {
		add(text, i ? "; " : "");
		add_limit(text, policy, &explanation->limit[i]);
	}
	if (count > NAMED)
		add(text, "; and %zu more", count - NAMED);
}

static void add_holders(struct text *text, const struct gov_policy *policy,
			const struct gov_explanation *explanation)
{
	size_t count = explanation->holder_count;

	for (size_t i = 0; i < count && i < NAMED; i++) {
		const struct gov_holder *holder = &explanation->holder[i];

		add(text, i ? ", " : ". Borrowed at present: ");
		add_amount(text, policy, holder->cell, holder->amount);
		add(text, " by %s",
		    holder->team == GOV_NONE ? "jobs of no team" :
					       policy->unit[holder->team].name);
	}
	if (count > NAMED)
		add(text, " and others");
}

static void add_time(struct text *text, const char *what, gov_time_t when)
{
	time_t seconds = (time_t) when;
	struct tm tm;
	char stamp[32];

	if (when <= 0 || !gmtime_r(&seconds, &tm) ||
	    !strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return;
	add(text, ". %s %s", what, stamp);
}

/* Does the team's own quota cover all that the job asks for? */
static bool is_owed(const struct gov_engine *engine, const struct gov_job *job)
{
	for (uint32_t i = 0; i < job->request.count; i++) {
		struct gov_cell_view view;

		gov_engine_view(engine, job->team, job->request.item[i].cell,
				&view);
		if (gov_amount_add(view.usage, job->request.item[i].amount) >
		    view.nominal)
			return false;
	}
	return true;
}

static bool is_lent_out(const struct gov_explanation *explanation)
{
	return explanation->limit_count == 1 && explanation->holder_count &&
	       explanation->limit[0].kind == GOV_LIMIT_LENDERS;
}

static void add_waiting(struct text *text, const struct gov_engine *engine,
			const struct gov_job *job,
			const struct gov_explanation *explanation)
{
	const struct gov_policy *policy = gov_engine_policy(engine);

	if (is_lent_out(explanation) && is_owed(engine, job)) {
		add(text, "its team's own quota is lent out, ");
		add_amount(text, policy, explanation->limit[0].cell,
			   explanation->limit[0].missing);
		add(text, " of pool %s must come back first",
		    pool_name(policy, explanation->limit[0].cell));
		add_holders(text, policy, explanation);
	} else if (explanation->limit_count) {
		add_limits(text, policy, explanation);
		add_holders(text, policy, explanation);
	} else if (explanation->ahead) {
		add(text, "%" PRIu32 " jobs of its team go first",
		    explanation->ahead);
	} else {
		add(text, "it is about to be decided");
	}
	if (explanation->nodes_known && !job->provisional &&
	    explanation->place == GOV_PLACE_UNKNOWN &&
	    explanation->holder_count)
		add(text,
		    ". What it needs of nodes is not known: who gives way is chosen by amounts alone");
	if (gov_engine_reclaims_held(engine) && explanation->holder_count)
		add(text,
		    ". An operator holds all reclaims: nobody is asked to give way");
	add_time(text, "Next known change:", explanation->next_change);
}

static void add_admitted(struct text *text, const struct gov_policy *policy,
			 const struct gov_explanation *explanation)
{
	add(text, "it is admitted; Slurm starts it when nodes are free");
	if (explanation->place == GOV_PLACE_LEAVING)
		add(text, ": jobs that were told to leave make room for it");
	if (explanation->place <= GOV_PLACE_LEAVING ||
	    !explanation->limit_count)
		return;
	add(text, explanation->place == GOV_PLACE_NEVER ?
			  ": the nodes in service have no room for " :
			  ": at present there is no room for ");
	add_place(text, policy, &explanation->limit[0]);
}

static void add_running(struct text *text, const struct gov_policy *policy,
			const struct gov_explanation *explanation)
{
	size_t count = explanation->reclaimer_count;

	if (!explanation->borrowing) {
		add(text, "runs on its team's own quota");
		return;
	}
	add(text, "runs on borrowed quota");
	for (size_t i = 0; i < count && i < NAMED; i++)
		add(text, "%s%s", i ? ", " : "; can be taken back by ",
		    explanation->reclaimers[i] == GOV_NONE ?
			    "the cluster" :
			    policy->unit[explanation->reclaimers[i]].name);
	if (count > NAMED)
		add(text, " and others");
}

size_t gov_explanation_sentence(const struct gov_engine *engine, uint64_t id,
				const struct gov_explanation *explanation,
				char *out, size_t size)
{
	const struct gov_policy *policy = gov_engine_policy(engine);
	const struct gov_job *job = gov_engine_job(engine, id);
	struct text text = { out, size, 0 };

	if (!size)
		return 0;
	out[0] = '\0';
	if (!job) {
		add(&text, "the job is not known");
		return text.length;
	}
	switch ((enum gov_job_state) job->state) {
	case GOV_JOB_INELIGIBLE:
		add(&text,
		    "it is not eligible yet: held by its user, or waiting for a dependency or its begin time");
		break;
	case GOV_JOB_WAITING:
		add_waiting(&text, engine, job, explanation);
		break;
	case GOV_JOB_CLAIMING:
		add(&text,
		    job->on_surplus ?
			    "its quota is free once jobs are gone that were told to leave; it starts then" :
			    "its quota is being taken back for it; it starts when the jobs that were told to leave are gone");
		add_time(&text, "At the latest", explanation->next_change);
		break;
	case GOV_JOB_ADMITTED: add_admitted(&text, policy, explanation); break;
	case GOV_JOB_RUNNING: add_running(&text, policy, explanation); break;
	case GOV_JOB_RECLAIMING:
		add(&text, "it was told to leave for job %" PRIu64,
		    GOV_JOB_SHOWN(job->asker));
		add_time(&text, "It is stopped at", job->deadline);
		break;
	}
	return text.length;
}
