/* SPDX-License-Identifier: GPL-2.0-or-later */
/* why: all that decides about one job. */
#include "slurmgovd/answer_private.h"

#include <stdio.h>
#include <string.h>

#define SENTENCE_SIZE 2048
#define CANDIDATES_MAX 200

static const char *limit_name(enum gov_limit_kind kind)
{
	switch (kind) {
	case GOV_LIMIT_NOMINAL: return "nominal";
	case GOV_LIMIT_BORROW: return "borrow_limit";
	case GOV_LIMIT_LENDERS: return "lenders";
	case GOV_LIMIT_CAPACITY: return "capacity";
	case GOV_LIMIT_PROJECT: return "project";
	case GOV_LIMIT_USER: return "user";
	case GOV_LIMIT_CLASS: return "class";
	case GOV_LIMIT_NO_BORROW: return "no_borrow";
	case GOV_LIMIT_DRAINED: return "drained";
	case GOV_LIMIT_HELD: return "held";
	case GOV_LIMIT_ORDER: return "order";
	case GOV_LIMIT_PLACE: return "place";
	}
	return "unknown";
}

static const char *rule_name(enum gov_rule rule)
{
	switch (rule) {
	case GOV_RULE_NONE: return "none";
	case GOV_RULE_WITHIN_TEAM: return "within_team";
	case GOV_RULE_RECLAIM: return "reclaim";
	case GOV_RULE_FAIR_SHARE: return "fair_share";
	case GOV_RULE_WHILE_BORROWING: return "while_borrowing";
	}
	return "unknown";
}

static const char *protection_name(enum gov_protection protection)
{
	switch (protection) {
	case GOV_VICTIM_CHOSEN: return "chosen";
	case GOV_PROTECT_CLASS: return "class";
	case GOV_PROTECT_NOT_BORROWING: return "not_borrowing";
	case GOV_PROTECT_MIN_RUNTIME: return "min_runtime";
	case GOV_PROTECT_STARTING: return "starting";
	case GOV_PROTECT_MIN_LOAN: return "min_loan";
	case GOV_PROTECT_BUDGET: return "budget";
	case GOV_PROTECT_SHARE: return "share";
	case GOV_PROTECT_POLICY: return "policy";
	case GOV_PROTECT_NOT_ENOUGH: return "not_enough";
	case GOV_PROTECT_EXEMPT: return "exempt";
	case GOV_PROTECT_HELD: return "reclaims_held";
	}
	return "unknown";
}

static void put_limits(struct gov_answering *a,
		       const struct gov_explanation *explanation)
{
	struct json_object *list = gov_put_array(a, a->root, "limits");

	for (size_t i = 0; i < explanation->limit_count; i++) {
		const struct gov_limit *limit = &explanation->limit[i];
		struct json_object *object = gov_put_object(a, list, NULL);

		gov_put_text(a, object, "kind", limit_name(limit->kind));
		gov_put_unit_name(a, object, "unit", limit->unit);
		if (limit->kind == GOV_LIMIT_ORDER) {
			gov_put_job_label(a, object, "job", limit->job);
			continue;
		}
		gov_put_cell(a, object, limit->cell);
		gov_put_amount(a, object, "limit", limit->limit);
		gov_put_amount(a, object, "used", limit->used);
		gov_put_amount(a, object, "asked", limit->asked);
		gov_put_amount(a, object, "missing", limit->missing);
		gov_put_job_label(a, object, "job", limit->job);
	}
}

static void put_holders(struct gov_answering *a,
			const struct gov_explanation *explanation)
{
	struct json_object *list = gov_put_array(a, a->root, "holders");

	for (size_t i = 0; i < explanation->holder_count; i++) {
		const struct gov_holder *holder = &explanation->holder[i];
		struct json_object *object = gov_put_object(a, list, NULL);

		gov_put_unit_name(a, object, "team", holder->team);
		gov_put_cell(a, object, holder->cell);
		gov_put_amount(a, object, "amount", holder->amount);
	}
}

static void put_candidate(struct gov_answering *a, struct json_object *list,
			  const struct gov_candidate *candidate)
{
	const struct gov_tracked *job = gov_governor_job(a->context->governor,
							 candidate->job);
	struct json_object *object = gov_put_object(a, list, NULL);
	const struct gov_job *known = gov_engine_job(a->engine, candidate->job);

	gov_put_job_label(a, object, "job", candidate->job);
	gov_put_user(a, object, job);
	if (known) {
		gov_put_unit_name(a, object, "team", known->team);
		gov_put_text(a, object, "class",
			     known->class == GOV_NONE ?
				     NULL :
				     a->policy->class[known->class].name);
		gov_put_request(a, object, &known->request);
	}
	gov_put_text(a, object, "rule", rule_name(candidate->rule));
	gov_put_text(a, object, "protection",
		     protection_name(candidate->protection));
	gov_put_number(a, object, "until", candidate->until);
}

static void put_candidates(struct gov_answering *a,
			   const struct gov_explanation *explanation)
{
	struct json_object *list = gov_put_array(a, a->root, "candidates");
	size_t count = explanation->candidate_count;

	if (count > CANDIDATES_MAX)
		count = CANDIDATES_MAX;
	for (size_t i = 0; i < count; i++)
		put_candidate(a, list, &explanation->candidate[i]);
	gov_put_bool(a, a->root, "candidates_cut",
		     explanation->candidates_cut ||
			     count < explanation->candidate_count);
}

static void put_reclaimers(struct gov_answering *a,
			   const struct gov_explanation *explanation)
{
	struct json_object *list = gov_put_array(a, a->root, "reclaimers");

	for (size_t i = 0; i < explanation->reclaimer_count; i++)
		gov_put_unit_name(a, list, NULL, explanation->reclaimers[i]);
}

/* Why victims would be chosen by amounts alone. */
static void add_unknown(char *text, size_t size, const struct gov_tracked *job,
			const struct gov_explanation *explanation)
{
	size_t length = strlen(text);

	if (job->place_unknown && explanation->nodes_known &&
	    explanation->place == GOV_PLACE_UNKNOWN &&
	    explanation->holder_count)
		snprintf(text + length, size - length,
			 " (what it needs of nodes: %s)", job->place_unknown);
}

static void put_sentence(struct gov_answering *a, const struct gov_tracked *job,
			 const struct gov_explanation *explanation)
{
	char text[SENTENCE_SIZE];
	const char *reason = gov_plain_reason(a, job, text, sizeof(text));

	if (!reason || !*reason) {
		gov_explanation_sentence(a->engine, job->id, explanation, text,
					 sizeof(text));
		reason = text;
		add_unknown(text, sizeof(text), job, explanation);
	}
	gov_put_text(a, a->root, "sentence", reason);
}

/* In millionths of all quotas: who had less lately goes first. */
static void put_usage(struct gov_answering *a,
		      const struct gov_explanation *explanation)
{
	struct json_object *usage;

	if (explanation->usage < 0)
		return;
	usage = gov_put_object(a, a->root, "usage");
	gov_put_number(a, usage, "half_life", a->policy->usage_half_life);
	gov_put_number(a, usage, "user", (int64_t) (explanation->usage * 1e6));
	gov_put_number(a, usage, "team_borrowed",
		       (int64_t) (explanation->surplus * 1e6));
}

static const char *place_name(enum gov_place_known place)
{
	switch (place) {
	case GOV_PLACE_UNKNOWN: return "unknown";
	case GOV_PLACE_FREE: return "free";
	case GOV_PLACE_LEAVING: return "leaving";
	case GOV_PLACE_NONE: return "none";
	case GOV_PLACE_NEVER: return "never";
	}
	return "unknown";
}

/* Of one that does not run yet: is there a place for it on nodes? */
static void put_place(struct gov_answering *a, const struct gov_tracked *job,
		      const struct gov_job *known,
		      const struct gov_explanation *explanation)
{
	struct json_object *place;

	if (known->state >= GOV_JOB_RUNNING ||
	    (!explanation->nodes_known && !job->place_unknown))
		return;
	place = gov_put_object(a, a->root, "place");
	gov_put_text(a, place, "known", place_name(explanation->place));
	gov_put_text(a, place, "unknown_because", job->place_unknown);
}

static void explain(struct gov_answering *a, const struct gov_tracked *job,
		    struct json_object *object, const struct gov_job *known)
{
	struct gov_explanation explanation = { 0 };
	struct gov_error error = { 0 };

	if (gov_explain_job(a, job, &explanation, &error) < 0) {
		gov_answer_error(a, error.code, "%s", error.text);
		return;
	}
	gov_put_bool(a, object, "borrowing", explanation.borrowing);
	put_sentence(a, job, &explanation);
	put_place(a, job, known, &explanation);
	put_limits(a, &explanation);
	put_holders(a, &explanation);
	gov_put_loans(a, a->root, GOV_NONE, GOV_NONE, &known->request);
	put_candidates(a, &explanation);
	put_reclaimers(a, &explanation);
	gov_put_number(a, a->root, "next_change", explanation.next_change);
	gov_put_number(a, a->root, "ahead", explanation.ahead);
	put_usage(a, &explanation);
	if (known->team != GOV_NONE && known->class != GOV_NONE)
		gov_put_terms(a, gov_put_object(a, a->root, "terms"),
			      known->team, known->class);
	gov_explanation_free(&explanation);
}

/* A job that was submitted a moment ago may not be listed yet. */
static void say_unknown(struct gov_answering *a, const char *text)
{
	struct gov_governor_health health;

	gov_governor_health(a->context->governor, &health);
	gov_answer_error(
		a, GOV_E_REFERENCE,
		"there is no job '%.64s' in the job list, which is %lld s old: it has ended, is newer, or never was",
		text,
		health.jobs_seen ?
			(long long) (a->context->now.wall - health.jobs_seen) :
			0);
}

void gov_answer_why(struct gov_answering *a)
{
	const char *text = gov_asked_text(a, "job");
	const struct gov_tracked *job =
		text ? gov_governor_find(a->context->governor, text) : NULL;
	const struct gov_job *known;
	struct json_object *object;

	if (!job || !gov_may_see(a, job)) {
		say_unknown(a, text ? text : "");
		return;
	}
	known = gov_engine_job(a->engine, job->id);
	if (!known && job->record->state == GOV_SLURM_ENDED) {
		gov_answer_error(a, GOV_E_REFERENCE, "job %.64s has ended",
				 text);
		return;
	}
	if (!known && job->standing == GOV_STANDING_FREE) {
		gov_answer_error(
			a, GOV_E_REFERENCE,
			"job %.64s is not governed: its user is exempt, or its account belongs to no team; Slurm alone decides about it",
			text);
		return;
	}
	object = gov_put_job(a, a->root, "job", job);
	if (known) {
		explain(a, job, object, known);
	} else {
		gov_put_bool(a, object, "borrowing", false);
		gov_put_text(a, a->root, "sentence",
			     job->text ? job->text : "it belongs to no team");
	}
}
