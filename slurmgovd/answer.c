/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which command is asked, and what every answer has. */
#include "slurmgovd/answer_private.h"
#include "slurmgovd/ledger.h"

#include <string.h>

#define SCHEMA 1

static const struct {
	const char *name;
	void (*answer)(struct gov_answering *a);
} commands[] = {
	{ "ping", gov_answer_ping },
	{ "status", gov_answer_status },
	{ "loans", gov_answer_loans },
	{ "queue", gov_answer_queue },
	{ "why", gov_answer_why },
	{ "terms", gov_answer_terms },
	{ "reload", gov_answer_reload },
	{ "plan", gov_answer_plan },
	{ "hold-reclaims", gov_answer_order },
	{ "release-all", gov_answer_order },
	{ "drain", gov_answer_order },
	{ "release", gov_answer_order },
	{ "exempt", gov_answer_order },
	{ "checkpoint", gov_answer_checkpoint },
};

static void put_policy(struct gov_answering *a, struct json_object *meta)
{
	const struct gov_policy *policy = a->policy;
	struct json_object *object = gov_put_object(a, meta, "policy");

	gov_put_text(a, object, "source", policy->source);
	gov_put_text(a, object, "digest", policy->digest);
	gov_put_text(a, object, "enforcement",
		     policy->enforcement == GOV_OBSERVE ? "observe" :
							  "enforce");
}

static void put_meta(struct gov_answering *a, const char *command)
{
	struct json_object *meta = gov_put_object(a, a->root, "meta");

	gov_put_number(a, meta, "schema", SCHEMA);
	gov_put_text(a, meta, "command", command);
	gov_put_text(a, meta, "version", GOV_VERSION);
	gov_put_text(a, meta, "cluster", a->policy->cluster_name);
	gov_put_number(a, meta, "time", a->context->now.wall);
	put_policy(a, meta);
	a->errors = gov_put_array(a, a->root, "errors");
	a->warnings = gov_put_array(a, a->root, "warnings");
}

/* Nobody may find out months later that nothing was written down. */
static void warn_of_ledger(struct gov_answering *a)
{
	const struct gov_ledger_state *ledger = a->context->ledger;

	if (ledger && ledger->alarm_since)
		gov_answer_warning(
			a,
			"the ledger is not written: %s; what happens is kept in memory for a while",
			ledger->alarm);
	if (ledger && ledger->hangs)
		gov_answer_warning(
			a,
			"the disk of the ledger has not answered for %lld s; what happens is kept in memory for a while",
			(long long) ledger->hangs);
	if (ledger && ledger->lost)
		gov_answer_warning(
			a,
			"the ledger missed %llu events since the governor began; what runs was written down anew",
			(unsigned long long) ledger->lost);
}

/* What the reader of any figure has to know. */
static void warn_of_state(struct gov_answering *a)
{
	struct gov_governor_health health;

	gov_governor_health(a->context->governor, &health);
	if (!health.jobs_known)
		gov_answer_warning(
			a,
			"the governor has not seen Slurm's job list yet: figures are not complete");
	else if (!health.slurm_up)
		gov_answer_warning(
			a,
			"slurmctld does not answer: figures are as of the last job list");
	else if (!health.machine_known)
		gov_answer_warning(
			a,
			"the governor has not seen Slurm's nodes yet: capacities are not known");
	warn_of_ledger(a);
	if (a->policy->enforcement == GOV_OBSERVE)
		gov_answer_warning(
			a,
			"Enforcement=observe: decisions are made and logged, and nothing is held or taken back");
}

static void dispatch(struct gov_answering *a, const char *command)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (command && strcmp(commands[i].name, command) == 0) {
			commands[i].answer(a);
			return;
		}
	gov_answer_error(
		a, GOV_E_PROTOCOL,
		"this governor (%s) knows no command '%.40s': install the same release of sgov",
		GOV_VERSION, command ? command : "");
}

/* The policy may be another one after a reload. */
static void look_at(struct gov_answering *a)
{
	a->policy = gov_governor_policy(a->context->governor);
	a->engine = gov_governor_engine(a->context->governor);
}

struct json_object *gov_answer(const struct gov_answer_context *context,
			       struct json_object *request)
{
	struct gov_answering a = { .context = context, .request = request };
	const char *command = gov_asked_text(&a, "command");
	bool reload = command && strcmp(command, "reload") == 0;

	look_at(&a);
	a.root = json_object_new_object();
	if (!a.root)
		return NULL;
	put_meta(&a, command);
	dispatch(&a, command);
	look_at(&a);
	gov_put_orders(&a, json_object_object_get(a.root, "meta"));
	if (!reload && json_object_array_length(a.errors) == 0)
		warn_of_state(&a);
	if (!a.failed)
		return a.root;
	json_object_put(a.root);
	return NULL;
}
