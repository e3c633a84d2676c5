/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds that core/order.h, core/history.h and core/choice.h decide. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/choice.h"
#include "core/history.h"
#include "core/order.h"
#include "kinds.h"
#include "text.h"
#include "world.h"

#define MANY 64 /* more than any case has of anything */

static bool gate(struct json_object *json, const char *name, bool otherwise)
{
	struct json_object *gates = text_get(text_get(json, "config"), "gates");

	return text_bool_or(gates, name, otherwise);
}

/* Compare names with a list of the case. */
static void expect_names(struct note *note, struct json_object *expected,
			 const char *const *name, size_t count)
{
	bool same = text_length(expected) == count;

	for (size_t i = 0; same && i < count; i++)
		same = !strcmp(name[i],
			       json_object_get_string(text_at(expected, i)));
	if (same)
		return;
	note_add(note, "expected %s, got",
		 json_object_to_json_string_ext(expected,
						JSON_C_TO_STRING_PLAIN));
	for (size_t i = 0; i < count; i++)
		note_add(note, " %s", name[i]);
}

/* ---- may one displace the other? ---- */

static enum gov_preempt preempt_named(const char *name)
{
	if (!strcmp(name, "lower"))
		return GOV_PREEMPT_LOWER;
	if (!strcmp(name, "lower_or_newer_equal"))
		return GOV_PREEMPT_LOWER_OR_NEWER;
	if (!strcmp(name, "any"))
		return GOV_PREEMPT_ANY;
	return GOV_PREEMPT_NEVER;
}

/* Class weights keep the order of the priorities. */
static uint32_t weight_of(struct json_object *job)
{
	return (uint32_t) (world_priority(job) - INT32_MIN);
}

bool kind_policy(struct json_object *json, struct note *note)
{
	struct json_object *asker = text_need(json, "preemptor");
	struct json_object *candidate = text_need(json, "candidate");
	bool allowed = gov_may_preempt(
		preempt_named(text_string(text_need(json, "config"), "policy")),
		weight_of(asker),
		text_integer_or(asker, "submitted_at", TEXT_OLDEST),
		weight_of(candidate),
		text_integer_or(candidate, "submitted_at", TEXT_OLDEST));
	bool expected = text_bool_or(text_need(json, "expect"),
				     "candidate_allowed", false);

	if (allowed != expected)
		note_add(note, "expected %d, got %d", expected, allowed);
	return true;
}

/* ---- victims ---- */

struct named_victim {
	struct gov_victim_rank rank;
	const char *name;
};

static int compare_victims(const void *a, const void *b)
{
	return gov_order_victims(&((const struct named_victim *) a)->rank,
				 &((const struct named_victim *) b)->rank);
}

bool kind_victim_order(struct json_object *json, struct note *note)
{
	struct json_object *list = text_need(json, "candidates");
	const char *team = text_string(json, "preemptor_team");
	struct named_victim victim[MANY];
	const char *name[MANY];
	size_t count = text_length(list);
	bool history = gate(json, "usage_history", false);

	for (size_t i = 0; i < count && i < MANY; i++) {
		struct json_object *item = text_at(list, i);
		struct json_object *used = text_get(item, "user_usage");

		victim[i].name = text_string(item, "name");
		victim[i].rank = (struct gov_victim_rank){
			.leaving = text_bool_or(item, "evicting", false),
			.own_team = !strcmp(text_string_or(item, "team", ""),
					    team),
			.history = history && used ?
					   json_object_get_double(used) :
					   0,
			.weight = weight_of(item),
			/* Not running yet: as if it had started now. */
			.saved = text_integer_or(item, "reserved_at", 0),
			.id = MANY - i,
		};
	}
	qsort(victim, count, sizeof(*victim), compare_victims);
	for (size_t i = 0; i < count; i++)
		name[i] = victim[i].name;
	expect_names(note, text_need(text_need(json, "expect"), "order"), name,
		     count);
	return true;
}

/* ---- waiting jobs ---- */

struct named_waiting {
	struct gov_waiting_rank rank;
	const char *name;
	enum gov_task_order order;
};

/*
 * From when a job's age counts, in milliseconds.  The corpus has options by
 * which an eviction makes a job young again.
 */
static gov_time_t age_from(struct json_object *json, struct json_object *job)
{
	const char *stamp = text_string_or(text_get(json, "config"),
					   "requeue_timestamp", "eviction");

	if (!strcmp(stamp, "eviction") &&
	    text_get(job, "evicted_by_start_timeout_at"))
		return 1000 *
		       text_integer_or(job, "evicted_by_start_timeout_at", 0);
	if (!gate(json, "priority_sorting", true) &&
	    text_get(job, "preempted_at") &&
	    !strcmp(text_string_or(job, "preempted_reason", ""),
		    "reclaim_while_borrowing"))
		return 1000 * text_integer_or(job, "preempted_at", 0) + 1;
	return 1000 * text_integer_or(job, "submitted_at", TEXT_OLDEST);
}

static struct named_waiting waiting_of(struct json_object *json,
				       struct json_object *job, size_t index)
{
	return (struct named_waiting) {
		.name = text_string(job, "name"),
		.order = gate(json, "priority_sorting", true) ?
			GOV_TASK_RANK : GOV_TASK_FIRST_COME,
		.rank = {
			.claimant = gate(json, "prioritize_preemptors",
					 false) &&
				text_bool_or(job, "is_preemptor", false),
			.level = (uint32_t) text_integer_or(
				job, "borrow_level", 0),
			.weight = weight_of(job),
			.since = age_from(json, job),
			.id = index,
		},
	};
}

static int compare_between_teams(const void *a, const void *b)
{
	const struct named_waiting *x = a, *y = b;

	return gov_order_between_teams(&x->rank, &y->rank, x->order);
}

bool kind_admission_order(struct json_object *json, struct note *note)
{
	struct json_object *list = text_need(json, "entries");
	struct named_waiting waiting[MANY];
	const char *name[MANY];
	size_t count = text_length(list);

	for (size_t i = 0; i < count && i < MANY; i++)
		waiting[i] = waiting_of(json, text_at(list, i), i);
	qsort(waiting, count, sizeof(*waiting), compare_between_teams);
	for (size_t i = 0; i < count; i++)
		name[i] = waiting[i].name;
	expect_names(note, text_need(text_need(json, "expect"), "order"), name,
		     count);
	return true;
}

/* ---- usage history ---- */

/* cpu is counted in thousandths in the corpus, but scored as cpus. */
static double scored(const char *resource, struct json_object *amount)
{
	double value = json_object_get_double(amount);

	return strcmp(resource, "cpu") ? value : value / 1000;
}

static double score_of(struct json_object *used, struct json_object *pending,
		       struct json_object *weights, double user_weight)
{
	double mean[MANY] = { 0 }, wait[MANY] = { 0 }, weight[MANY];
	const char *name[MANY];
	size_t count = 0;
	struct json_object *lists[2] = { used, pending };

	for (int l = 0; l < 2; l++) {
		if (!lists[l])
			continue;
		json_object_object_foreach(lists[l], resource, amount)
		{
			size_t i = 0;

			while (i < count && strcmp(name[i], resource))
				i++;
			if (i == MANY)
				text_fail("too many resources");
			if (i == count)
				name[count++] = resource;
			(l ? wait : mean)[i] = scored(resource, amount);
		}
	}
	for (size_t i = 0; i < count; i++) {
		struct json_object *w = text_get(weights, name[i]);

		weight[i] = w ? json_object_get_double(w) : 1;
	}
	return gov_history_score(mean, wait, weight, count, user_weight);
}

bool kind_usage_score(struct json_object *json, struct note *note)
{
	struct json_object *expected = text_need(text_need(json, "expect"),
						 "score");
	struct json_object *weight = text_get(json, "user_weight");
	double score = score_of(text_get(json, "consumed"),
				text_get(json, "pending_penalty"),
				text_get(json, "resource_weights"),
				weight ? json_object_get_double(weight) : 1);
	double want = json_object_is_type(expected, json_type_string) ?
			      INFINITY :
			      json_object_get_double(expected);

	if (score != want && !(fabs(score - want) < 1e-9))
		note_add(note, "expected %g, got %g", want, score);
	return true;
}

bool kind_queue_head(struct json_object *json, struct note *note)
{
	struct json_object *config = text_get(json, "config");
	struct json_object *list = text_need(json, "queued");
	const char *want = text_string(text_need(json, "expect"), "head");
	struct named_waiting best = { 0 };

	for (size_t i = 0; i < text_length(list); i++) {
		struct json_object *job = text_at(list, i);
		struct named_waiting w = waiting_of(json, job, i);
		struct json_object *user = text_get(text_get(json, "users"),
						    text_string_or(job, "user",
								   ""));

		if (text_bool_or(config, "usage_history", false) && user)
			w.rank.history =
				score_of(text_get(user, "consumed"),
					 text_get(user, "pending_penalty"),
					 text_get(config, "resource_weights"),
					 json_object_get_double(
						 text_need(user, "weight")));
		if (!i || gov_order_in_team(&w.rank, &best.rank,
					    w.order == GOV_TASK_RANK ?
						    GOV_TASK_USAGE :
						    w.order) < 0)
			best = w;
	}
	if (!best.name || strcmp(best.name, want))
		note_add(note, "expected %s, got %s", want,
			 best.name ? best.name : "nothing");
	return true;
}

/* ---- pools ---- */

static struct gov_option option_of(struct json_object *record)
{
	static const char *const name[] = {
		[GOV_FIT_NEVER] = "nofit",
		[GOV_FIT_NO_VICTIMS] = "no_candidates",
		[GOV_FIT_PREEMPT] = "preempt",
		[GOV_FIT_RECLAIM] = "reclaim",
		[GOV_FIT_NOW] = "fit",
	};
	const char *mode = text_string(record, "mode");

	for (int i = GOV_FIT_NEVER; i <= GOV_FIT_NOW; i++)
		if (!strcmp(mode, name[i]))
			return (struct gov_option){
				i,
				(uint32_t) text_integer_or(record,
							   "borrow_level", 0),
			};
	text_fail("mode %s", mode);
}

bool kind_prefer(struct json_object *json, struct note *note)
{
	const char *preference = text_string_or(text_get(json, "config"),
						"preference", "");
	bool better = gov_option_better(option_of(text_need(json, "a")),
					option_of(text_need(json, "b")),
					strcmp(preference,
					       "preemption_over_borrowing") ?
						GOV_PREFER_BORROWING :
						GOV_PREFER_PREEMPTION);
	bool want = text_bool_or(text_need(json, "expect"), "a_preferred",
				 false);

	if (better != want)
		note_add(note, "expected %d, got %d", want, better);
	return true;
}
