/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One function a kind of case: map the case, let lib/core decide, compare.
 * None of them decides anything itself.
 */
#ifndef CONFORMANCE_KINDS_H
#define CONFORMANCE_KINDS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

/* What was expected and what came, for the line of a failure. */
struct note {
	char text[4096];
	size_t used;
};

/* Append to the note; its first call makes the case a failure. */
void note_add(struct note *note, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* True if run (the note says whether it failed), false if skipped (and why). */
typedef bool (*kind_function)(struct json_object *json, struct note *note);

/* order.c */
bool kind_policy(struct json_object *json, struct note *note);
bool kind_victim_order(struct json_object *json, struct note *note);
bool kind_admission_order(struct json_object *json, struct note *note);
bool kind_queue_head(struct json_object *json, struct note *note);
bool kind_usage_score(struct json_object *json, struct note *note);
bool kind_prefer(struct json_object *json, struct note *note);
/* arithmetic.c */
bool kind_saturate(struct json_object *json, struct note *note);
bool kind_available(struct json_object *json, struct note *note);
bool kind_drs(struct json_object *json, struct note *note);
bool kind_usage(struct json_object *json, struct note *note);
bool kind_subtree(struct json_object *json, struct note *note);
bool kind_team_usage(struct json_object *json, struct note *note);
/* victims.c */
bool kind_preempt(struct json_object *json, struct note *note);
bool kind_victim_team_order(struct json_object *json, struct note *note);
/* assign.c */
bool kind_assign(struct json_object *json, struct note *note);
bool kind_partial_search(struct json_object *json, struct note *note);
/* schedule.c */
bool kind_reserve(struct json_object *json, struct note *note);
bool kind_requeue(struct json_object *json, struct note *note);
bool kind_schedule(struct json_object *json, struct note *note);
/* loops.c: a scenario of the shape of loops.json */
bool kind_loop(struct json_object *json, struct note *note);

#endif
