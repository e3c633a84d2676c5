/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan: what the policy that is sent along would change now. */
#include "slurmgovd/answer_private.h"

#include <string.h>

#include "slurmgovd/forecast.h"

static void put_view(struct gov_answering *a, struct json_object *parent,
		     const char *key, bool counted,
		     const struct gov_cell_view *view)
{
	struct json_object *object = gov_put_object(a, parent, key);

	gov_put_amount(a, object, "quota", counted ? view->nominal : GOV_UNSET);
	gov_put_amount(a, object, "used", view->usage);
	gov_put_amount(a, object, "borrowed", view->borrowed);
	gov_put_amount(a, object, "lent", view->lent);
	gov_put_amount(a, object, "leaving", view->leaving);
	gov_put_amount(a, object, "waiting", view->waiting);
}

static void put_cells(struct gov_answering *a,
		      const struct gov_forecast *forecast)
{
	struct json_object *list = gov_put_array(a, a->root, "teams");

	for (size_t i = 0; i < forecast->cell_count; i++) {
		const struct gov_forecast_cell *cell = &forecast->cell[i];
		struct json_object *object = gov_put_object(a, list, NULL);

		gov_put_text(a, object, "team", cell->team);
		gov_put_text(a, object, "pool", cell->pool);
		gov_put_text(a, object, "tres", cell->tres);
		put_view(a, object, "before", cell->was, &cell->before);
		put_view(a, object, "after", cell->is, &cell->after);
	}
}

static void put_jobs(struct gov_answering *a,
		     const struct gov_forecast *forecast)
{
	struct json_object *list = gov_put_array(a, a->root, "jobs");

	for (size_t i = 0; i < forecast->job_count; i++) {
		const struct gov_forecast_job *job = &forecast->job[i];
		struct json_object *object = gov_put_object(a, list, NULL);
		const struct gov_tracked *tracked =
			gov_governor_job(a->context->governor, job->id);

		gov_put_job_label(a, object, "job", job->id);
		gov_put_user(a, object, tracked);
		gov_put_text(a, object, "team", job->team);
		gov_put_text(a, object, "before", job->before);
		gov_put_text(a, object, "after", job->after);
		gov_put_job_label(a, object, "asker", job->asker);
		gov_put_number(a, object, "deadline", job->deadline);
		gov_put_text(a, object, "text", job->text);
	}
}

static void put_forecast(struct gov_answering *a,
			 const struct gov_forecast *forecast)
{
	struct json_object *object = gov_put_object(a, a->root, "plan");

	gov_put_text(a, object, "source", forecast->new->source);
	gov_put_text(a, object, "digest", forecast->new->digest);
	gov_put_text(a, object, "enforcement",
		     forecast->new->enforcement == GOV_OBSERVE ? "observe" :
								 "enforce");
	gov_put_number(a, object, "jobs", (int64_t) forecast->jobs);
	put_cells(a, forecast);
	put_jobs(a, forecast);
	if (forecast->new_members)
		gov_answer_warning(
			a,
			"members differ: who is in which team is looked up once the policy is in force, and is taken here as it was");
}

void gov_answer_plan(struct gov_answering *a)
{
	const struct gov_answer_context *c = a->context;
	const char *text = gov_asked_text(a, "text");
	const char *source = gov_asked_text(a, "source");
	struct gov_conf_faults faults = { 0 };
	struct gov_forecast forecast = { 0 };
	struct gov_policy *policy;
	struct gov_error error;

	if (!gov_governor_is_operator(c->governor, c->uid)) {
		gov_answer_error(
			a, GOV_E_PERMISSION,
			"uid %ld may not plan: that is for root, SlurmUser and Operators= of governance.conf",
			(long) c->uid);
		return;
	}
	if (!text || !source) {
		gov_answer_error(a, GOV_E_PROTOCOL,
				 "the request has no policy to plan");
		return;
	}
	policy = gov_conf_parse(text, strlen(text), source, c->cluster_name,
				&faults);
	gov_put_faults(a, &faults);
	if (!policy)
		gov_answer_error(
			a, GOV_E_VALUE,
			"%.80s has %zu error%s: correct it and plan again",
			source, faults.errors, faults.errors == 1 ? "" : "s");
	else if (c->forecast(c->arg, policy, &forecast, &error))
		gov_answer_error(a, error.code, "%s", error.text);
	else
		put_forecast(a, &forecast);
	gov_forecast_free(&forecast);
	gov_policy_unref(policy);
	gov_conf_faults_free(&faults);
}
