/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an answer tells of a job. */
#include "slurmgovd/answer_private.h"
#include "slurmgovd/state_name.h"
#include "slurmgovd/when.h"

#include <inttypes.h>
#include <stdio.h>

bool gov_may_see(const struct gov_answering *a, const struct gov_tracked *job)
{
	const struct gov_answer_context *context = a->context;

	return !context->private_jobs ||
	       job->record->submission.uid == context->uid ||
	       gov_governor_is_operator(context->governor, context->uid);
}

const char *gov_state_name(const struct gov_answering *a,
			   const struct gov_tracked *job)
{
	return gov_job_state_name(job, gov_engine_job(a->engine, job->id));
}

void gov_put_user(struct gov_answering *a, struct json_object *object,
		  const struct gov_tracked *job)
{
	bool seen = job && gov_may_see(a, job);

	gov_put_text(a, object, "user", seen ? job->record->user_name : NULL);
	gov_put_amount(a, object, "uid",
		       seen ? job->record->submission.uid : GOV_UNSET);
}

void gov_put_job_label(struct gov_answering *a, struct json_object *parent,
		       const char *key, uint64_t id)
{
	const struct gov_tracked *job = gov_governor_job(a->context->governor,
							 GOV_JOB_SHOWN(id));
	char text[256];

	if (!id) {
		gov_put_text(a, parent, key, NULL);
		return;
	}
	if (!job || gov_job_record_label(job->record, text, sizeof(text)) < 0)
		snprintf(text, sizeof(text), "%" PRIu64, GOV_JOB_SHOWN(id));
	gov_put_text(a, parent, key, text);
}

void gov_put_request(struct gov_answering *a, struct json_object *parent,
		     const struct gov_request *request)
{
	struct json_object *list = gov_put_array(a, parent, "request");

	for (uint32_t i = 0; i < request->count; i++) {
		struct json_object *item = gov_put_object(a, list, NULL);

		gov_put_cell(a, item, request->item[i].cell);
		gov_put_amount(a, item, "amount", request->item[i].amount);
	}
}

static void put_names(struct gov_answering *a, struct json_object *object,
		      const struct gov_tracked *job)
{
	const struct gov_policy *policy = a->policy;
	bool governed = job->standing == GOV_STANDING_GOVERNED;

	gov_put_unit_name(a, object, "team", governed ? job->team : GOV_NONE);
	gov_put_text(a, object, "project",
		     governed && job->project != GOV_NONE ?
			     policy->project[job->project].name :
			     NULL);
	gov_put_text(a, object, "class",
		     governed && job->class != GOV_NONE ?
			     policy->class[job->class].name :
			     NULL);
	gov_put_number(a, object, "weight",
		       governed && job->class != GOV_NONE ?
			       policy->class[job->class].weight :
			       0);
	gov_put_text(a, object, "pool",
		     governed && job->pool != GOV_NONE ?
			     policy->pool[job->pool].name :
			     NULL);
}

/* What the engine knows of it. */
static void put_state(struct gov_answering *a, struct json_object *object,
		      const struct gov_tracked *job)
{
	static const struct gov_job none;
	const struct gov_job *known = gov_engine_job(a->engine, job->id);

	gov_put_text(a, object, "state", gov_state_name(a, job));
	if (!known)
		known = &none;
	gov_put_number(a, object, "submitted",
		       known->submitted ? known->submitted :
					  job->record->submitted);
	gov_put_number(a, object, "started", known->started);
	gov_put_number(a, object, "deadline", known->deadline);
	gov_put_number(a, object, "checkpoint", known->checkpoint);
	gov_put_number(a, object, "evictions", known->evictions);
	gov_put_job_label(a, object, "asker", known->asker);
	gov_put_bool(a, object, "may_borrow", !known->no_borrow);
	gov_put_bool(a, object, "requeueable", known->requeueable);
	gov_put_job_orders(a, object, job);
	gov_put_request(a, object, &known->request);
}

struct json_object *gov_put_job(struct gov_answering *a,
				struct json_object *parent, const char *key,
				const struct gov_tracked *job)
{
	struct json_object *object = gov_put_object(a, parent, key);

	gov_put_number(a, object, "id", (int64_t) job->id);
	gov_put_job_label(a, object, "job", job->id);
	gov_put_user(a, object, job);
	gov_put_text(a, object, "name",
		     gov_may_see(a, job) ? job->record->submission.name : NULL);
	put_names(a, object, job);
	put_state(a, object, job);
	return object;
}

/* ---- reasons that need no explanation by the engine ---- */

static const char *reason_of_slurm(const struct gov_job_record *record)
{
	switch (record->reason) {
	case GOV_REASON_HELD_ADMIN: return "an administrator holds it";
	case GOV_REASON_HELD_USER: return "its user holds it";
	case GOV_REASON_DEPENDENCY: return "it depends on other jobs";
	case GOV_REASON_BEGIN_TIME: return "its begin time has not come";
	case GOV_REASON_RESERVATION: return "it waits for a reservation";
	case GOV_REASON_PLACE:
	case GOV_REASON_OTHER: break;
	}
	return "it may not start yet";
}

static const char *rule_reason(enum gov_rule rule)
{
	switch (rule) {
	case GOV_RULE_WITHIN_TEAM: return "a job of a higher class of its team";
	case GOV_RULE_RECLAIM: return "the owner of the quota that it borrows";
	case GOV_RULE_FAIR_SHARE: return "a team with a smaller share";
	case GOV_RULE_WHILE_BORROWING:
	case GOV_RULE_NONE: break;
	}
	return "another job";
}

static void say_reclaiming(const struct gov_job *known, char *text, size_t size)
{
	char when[GOV_WHEN_SIZE];

	snprintf(text, size, "must leave by %s for %s (job %" PRIu64 ")",
		 gov_when(known->deadline, when), rule_reason(known->rule),
		 GOV_JOB_SHOWN(known->asker));
}

const char *gov_plain_reason(const struct gov_answering *a,
			     const struct gov_tracked *job, char *text,
			     size_t size)
{
	const struct gov_job *known = gov_engine_job(a->engine, job->id);

	if (job->standing == GOV_STANDING_STRAY)
		return job->text ? job->text : "it belongs to no team";
	if (!known)
		return "it is not governed";
	switch (known->state) {
	case GOV_JOB_INELIGIBLE:
		return job->stamp.user_hold ? "its user holds it" :
					      reason_of_slurm(job->record);
	case GOV_JOB_RECLAIMING: say_reclaiming(known, text, size); return text;
	case GOV_JOB_ADMITTED:
		return job->stamp.released ?
			       "an operator released it; Slurm starts it when nodes are free" :
			       "has its quota; Slurm starts it when nodes are free";
	case GOV_JOB_RUNNING:
		return job->stamp.exempt ?
			       "an operator exempted it: nobody takes it back" :
		       job->stamp.unadmitted ?
			       "runs without having been admitted, and counts" :
			       "";
	}
	return NULL;
}

/*
 * Explaining tries evictions on the engine's own books and puts them back, so
 * it wants an engine that it may change; afterwards it is as it was.
 */
int gov_explain_job(const struct gov_answering *a,
		    const struct gov_tracked *job,
		    struct gov_explanation *explanation,
		    struct gov_error *error)
{
	return gov_engine_explain((struct gov_engine *) a->engine, job->id,
				  a->context->now.wall, explanation, error);
}
