/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terms, ping and reload. */
#include "slurmgovd/answer_private.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- terms ---- */

static void put_signal(struct gov_answering *a, struct json_object *object,
		       int number)
{
	const char *name = sigabbrev_np(number);
	char text[32];

	if (name)
		snprintf(text, sizeof(text), "SIG%s", name);
	else
		snprintf(text, sizeof(text), "%d", number);
	gov_put_text(a, object, "signal", text);
}

void gov_put_terms(struct gov_answering *a, struct json_object *object,
		   uint32_t team, uint32_t class)
{
	uint32_t evictions = a->policy->unit[team].max_evictions;
	struct gov_terms terms;

	gov_policy_terms(a->policy, team, class, &terms);
	put_signal(a, object, terms.signal);
	gov_put_number(a, object, "grace", terms.grace);
	gov_put_text(a, object, "on_reclaim",
		     terms.on_reclaim == GOV_RECLAIM_CANCEL ? "cancel" :
							      "requeue");
	gov_put_bool(a, object, "on_checkpoint", terms.on_checkpoint == 1);
	gov_put_number(a, object, "min_runtime", terms.min_runtime);
	gov_put_number(a, object, "min_loan", terms.min_loan);
	gov_put_amount(a, object, "max_evictions",
		       evictions == GOV_NONE ? GOV_UNLIMITED : evictions);
}

static void put_row(struct gov_answering *a, struct json_object *list,
		    uint32_t team, uint32_t index)
{
	const struct gov_class *class = &a->policy->class[index];
	struct json_object *object = gov_put_object(a, list, NULL);

	gov_put_unit_name(a, object, "team", team);
	gov_put_text(a, object, "class", class->name);
	gov_put_number(a, object, "weight", class->weight);
	gov_put_bool(a, object, "default", class->is_default);
	gov_put_bool(a, object, "may_borrow", class->may_borrow);
	gov_put_terms(a, object, team, index);
	gov_put_amount(a, object, "max_time",
		       class->max_time == GOV_SECONDS_UNSET ?
			       GOV_UNLIMITED :
			       (gov_amount_t) class->max_time);
}

static void put_team(struct gov_answering *a, struct json_object *list,
		     uint32_t team, uint32_t class)
{
	const bool *allowed = a->policy->unit[team].classes;

	for (uint32_t i = 0; i < a->policy->class_count; i++)
		if ((class == GOV_NONE || class == i) &&
		    (!allowed || allowed[i]))
			put_row(a, list, team, i);
}

/* Without a name: the teams of who asks, or all for who is in none. */
void gov_answer_terms(struct gov_answering *a)
{
	const struct gov_answer_context *c = a->context;
	uint32_t team, class;
	struct json_object *list;
	bool member = false;

	if (gov_asked_unit(a, "team", &team) < 0 ||
	    gov_asked_class(a, "class", &class) < 0)
		return;
	list = gov_put_array(a, a->root, "terms");
	for (uint32_t i = 0; i < a->policy->unit_count && team == GOV_NONE; i++)
		member |= a->policy->unit[i].is_team &&
			  gov_governor_is_member(c->governor, c->uid, c->gid,
						 i);
	for (uint32_t i = 0; i < a->policy->unit_count; i++) {
		if (!a->policy->unit[i].is_team ||
		    (team != GOV_NONE && team != i))
			continue;
		if (team == i || !member ||
		    gov_governor_is_member(c->governor, c->uid, c->gid, i))
			put_team(a, list, i, class);
	}
}

/* ---- ping ---- */

static const char *governor_state(const struct gov_governor_health *health)
{
	if (!health->jobs_known || !health->machine_known ||
	    !health->members_known)
		return "starting";
	return health->slurm_up ? "ready" : "slurmctld-down";
}

void gov_answer_ping(struct gov_answering *a)
{
	struct json_object *object = gov_put_object(a, a->root, "governor");
	struct gov_governor_health health;
	char host[256] = "";

	gov_governor_health(a->context->governor, &health);
	gethostname(host, sizeof(host) - 1);
	gov_put_text(a, object, "host", host);
	gov_put_text(a, object, "state", governor_state(&health));
	gov_put_bool(a, object, "ready", health.ready);
	gov_put_number(a, object, "jobs", (int64_t) health.jobs);
	gov_put_number(a, object, "provisional",
		       (int64_t) gov_governor_provisional(
			       a->context->governor));
	gov_put_number(a, object, "jobs_seen", health.jobs_seen);
	gov_put_number(a, object, "submissions", (int64_t) health.submissions);
	gov_put_number(a, object, "refused", (int64_t) health.refused);
	gov_put_number(a, object, "admitted", (int64_t) health.admitted);
	gov_put_number(a, object, "notices", (int64_t) health.notices);
	gov_put_number(a, object, "updates", (int64_t) health.updates);
	gov_put_number(a, object, "update_failures",
		       (int64_t) health.update_failures);
	gov_put_number(a, object, "updates_unanswered",
		       (int64_t) health.updates_unanswered);
	gov_put_number(a, object, "updates_waiting",
		       (int64_t) health.updates_waiting);
	gov_put_number(a, object, "update_ms", (int64_t) health.update_ms);
	gov_put_number(a, object, "update_ms_max",
		       (int64_t) health.update_ms_max);
	gov_put_bool(a, object, "operator",
		     gov_governor_is_operator(a->context->governor,
					      a->context->uid));
}

/* ---- reload ---- */

static void put_fault(struct gov_answering *a, struct json_object *list,
		      const struct gov_conf_fault *fault)
{
	struct json_object *object = gov_put_object(a, list, NULL);
	char *line = gov_conf_fault_string(fault);

	gov_put_text(a, object, "file", fault->file);
	gov_put_number(a, object, "line", fault->line);
	gov_put_number(a, object, "column", fault->column);
	gov_put_text(a, object, "severity",
		     fault->warning ? "warning" : "error");
	gov_put_text(a, object, "code", gov_code_name(fault->code));
	gov_put_text(a, object, "text", fault->text);
	gov_put_text(a, object, "line_text", line);
	free(line);
}

void gov_put_faults(struct gov_answering *a,
		    const struct gov_conf_faults *faults)
{
	struct json_object *list = gov_put_array(a, a->root, "faults");

	for (size_t i = 0; i < faults->count; i++)
		put_fault(a, list, &faults->item[i]);
}

void gov_answer_reload(struct gov_answering *a)
{
	const struct gov_answer_context *c = a->context;
	struct gov_conf_faults faults = { 0 };
	int rc;

	if (!gov_governor_is_operator(c->governor, c->uid)) {
		gov_answer_error(
			a, GOV_E_PERMISSION,
			"uid %ld may not reload: that is for root, SlurmUser and Operators= of governance.conf",
			(long) c->uid);
		return;
	}
	rc = c->reload(c->arg, &faults);
	a->policy = gov_governor_policy(c->governor);
	gov_put_faults(a, &faults);
	gov_put_text(a, a->root, "source", a->policy->source);
	gov_put_text(a, a->root, "digest", a->policy->digest);
	if (rc < 0)
		gov_answer_error(
			a, GOV_E_VALUE,
			"governance.conf has %zu error%s, and the old policy stays in force: correct it and reload",
			faults.errors, faults.errors == 1 ? "" : "s");
	gov_conf_faults_free(&faults);
}
