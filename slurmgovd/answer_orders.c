/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hold-reclaims, release-all, drain, release, exempt; and what is ordered. */
#include "slurmgovd/answer_private.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *command;
	enum gov_order_kind kind;
	const char *about; /* member of the request that it needs */
} orders[] = {
	{ "hold-reclaims", GOV_ORDER_HOLD_RECLAIMS, NULL },
	{ "release-all", GOV_ORDER_RELEASE_ALL, NULL },
	{ "drain", GOV_ORDER_DRAIN, "team" },
	{ "release", GOV_ORDER_RELEASE, "job" },
	{ "exempt", GOV_ORDER_EXEMPT, "job" },
};

/* null where it is not so. */
static void put_mark(struct gov_answering *a, struct json_object *parent,
		     const char *key, const struct gov_mark *mark)
{
	struct json_object *object;

	if (!mark->since) {
		gov_put_text(a, parent, key, NULL);
		return;
	}
	object = gov_put_object(a, parent, key);
	gov_put_number(a, object, "uid", mark->by);
	gov_put_number(a, object, "since", mark->since);
}

void gov_put_orders(struct gov_answering *a, struct json_object *parent)
{
	const struct gov_orders *all = gov_governor_orders(
		a->context->governor);
	struct json_object *object = gov_put_object(a, parent, "orders");
	struct json_object *list;

	put_mark(a, object, "reclaims_held", &all->reclaims_held);
	put_mark(a, object, "released_all", &all->let_go);
	list = gov_put_array(a, object, "drained");
	for (size_t i = 0; i < all->drained_count; i++) {
		struct json_object *item = gov_put_object(a, list, NULL);

		gov_put_text(a, item, "name", all->drained[i].name);
		gov_put_number(a, item, "uid", all->drained[i].mark.by);
		gov_put_number(a, item, "since", all->drained[i].mark.since);
	}
}

void gov_put_job_orders(struct gov_answering *a, struct json_object *object,
			const struct gov_tracked *job)
{
	struct gov_mark mark = { .by = job->stamp.operator_uid,
				 .since = job->stamp.ordered };

	gov_put_bool(a, object, "unadmitted", job->stamp.unadmitted);
	gov_put_bool(a, object, "released", job->stamp.released);
	gov_put_bool(a, object, "exempt", job->stamp.exempt);
	put_mark(a, object, "ordered", &mark);
}

/* GOV_E_PERMISSION for everybody but operators. */
static bool is_allowed(struct gov_answering *a, const char *command)
{
	const struct gov_answer_context *c = a->context;

	if (gov_governor_is_operator(c->governor, c->uid))
		return true;
	gov_answer_error(
		a, GOV_E_PERMISSION,
		"uid %ld may not %.20s: that is for root, SlurmUser and Operators= of governance.conf",
		(long) c->uid, command);
	return false;
}

void gov_answer_order(struct gov_answering *a)
{
	const char *command = gov_asked_text(a, "command");
	struct gov_order order = { .by = a->context->uid,
				   .undo = gov_asked_true(a, "undo") };
	struct gov_error error = { 0 };
	size_t i = 0;

	while (strcmp(orders[i].command, command) != 0)
		i++;
	if (!is_allowed(a, command))
		return;
	order.kind = orders[i].kind;
	if (orders[i].about)
		order.name = gov_asked_text(a, orders[i].about);
	if (orders[i].about && !order.name) {
		gov_answer_error(a, GOV_E_PROTOCOL, "%s needs '%s'", command,
				 orders[i].about);
		return;
	}
	if (order.kind == GOV_ORDER_RELEASE && order.undo) {
		gov_answer_error(a, GOV_E_VALUE, "a release cannot be undone");
		return;
	}
	if (a->context->order(a->context->arg, &order, &error) < 0)
		gov_answer_error(a, error.code, "%s", error.text);
}

void gov_answer_checkpoint(struct gov_answering *a)
{
	const struct gov_answer_context *c = a->context;
	const char *job = gov_asked_text(a, "job");
	struct gov_error error = { 0 };

	if (!job)
		gov_answer_error(a, GOV_E_PROTOCOL, "checkpoint needs 'job'");
	else if (c->checkpoint(c->arg, job, c->uid, &error) < 0)
		gov_answer_error(a, error.code, "%s", error.text);
}
