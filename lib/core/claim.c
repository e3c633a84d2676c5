/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decisions, carried out in the engine as they are written down. */
#include <stdlib.h>

#include "core/engine_private.h"

static void emit(struct gov_pass *pass, struct gov_decision decision)
{
	struct gov_decision_list *list = pass->list;

	if (list->count == list->space) {
		size_t space = list->space ? 2 * list->space : 64;
		struct gov_decision *grown;

		grown = reallocarray(list->item, space, sizeof(*grown));
		if (!grown) {
			pass->no_memory = true;
			return;
		}
		list->item = grown;
		list->space = space;
	}
	list->item[list->count++] = decision;
}

/* Into another state; whom it waits for or left for makes another kind. */
static void enter(struct gov_pass *pass, struct gov_record *job,
		  enum gov_job_state state, uint64_t asker)
{
	struct gov_engine *engine = pass->engine;
	struct gov_store *store = &engine->books.store;
	bool displaced = asker && state == GOV_JOB_WAITING;

	gov_engine_detach(engine, job);
	if (gov_store_set_asker(store, job, asker))
		pass->no_memory = true;
	if (job->kind->displaced != displaced) {
		struct gov_kind *kind;
		struct gov_job as_seen;

		gov_engine_describe(job, &as_seen);
		as_seen.state = (uint8_t) state;
		kind = gov_engine_kind(engine, &as_seen);
		if (kind) {
			gov_store_kind_unref(store, job->kind);
			job->kind = kind;
		} else {
			pass->no_memory = true;
		}
	}
	gov_engine_attach(engine, job, state);
	gov_engine_settle_behind(engine, job->id);
}

void gov_pass_admit(struct gov_pass *pass, struct gov_record *job)
{
	bool claimed = job->state == GOV_JOB_CLAIMING && !job->on_surplus;

	job->arrived = claimed ? pass->now : 0;
	enter(pass, job, GOV_JOB_ADMITTED, 0);
	emit(pass, (struct gov_decision){
			   .kind = GOV_ADMIT,
			   .job = job->id,
		   });
}

static void send_away(struct gov_pass *pass, struct gov_victim victim,
		      uint64_t asker)
{
	struct gov_record *job = victim.job;
	struct gov_terms terms;

	if (job->state != GOV_JOB_RUNNING) {
		job->arrived = 0;
		gov_places_let_go(pass->engine->places, job->id);
		enter(pass, job, GOV_JOB_WAITING, asker);
		emit(pass, (struct gov_decision){
				   .kind = GOV_WITHDRAW,
				   .job = job->id,
				   .asker = asker,
				   .rule = victim.rule,
			   });
		return;
	}
	gov_policy_terms(pass->engine->policy, job->kind->team,
			 job->kind->class, &terms);
	enter(pass, job, GOV_JOB_INELIGIBLE, asker);
	job->deadline = pass->now > INT64_MAX - terms.grace ?
				INT64_MAX :
				pass->now + terms.grace;
	job->rule = (uint8_t) victim.rule;
	job->stopped = false;
	gov_engine_attach(pass->engine, job, GOV_JOB_RECLAIMING);
	emit(pass, (struct gov_decision){
			   .kind = GOV_NOTICE,
			   .job = job->id,
			   .asker = asker,
			   .rule = victim.rule,
			   .deadline = job->deadline,
		   });
}

void gov_pass_claim_surplus(struct gov_pass *pass, struct gov_record *job)
{
	gov_engine_detach(pass->engine, job);
	job->on_surplus = true;
	enter(pass, job, GOV_JOB_CLAIMING, 0);
	emit(pass, (struct gov_decision){
			   .kind = GOV_CLAIM,
			   .job = job->id,
		   });
	/* It may come before others that wait for the same. */
	gov_pass_admit_ready(pass);
}

/* The victims of the search make way; the place they leave is the asker's. */
static void make_way(struct gov_pass *pass, uint64_t asker)
{
	const struct gov_search *search = &pass->engine->search;
	const struct gov_placing *placing = search->placing;

	for (size_t i = 0; i < search->count; i++)
		send_away(pass, search->victim[i], asker);
	if (placing && gov_places_put(pass->engine->places, asker,
				      placing->spot, placing->spot_count, true))
		pass->no_memory = true;
}

void gov_pass_make_place(struct gov_pass *pass, struct gov_record *job)
{
	make_way(pass, job->id);
}

void gov_pass_claim(struct gov_pass *pass, struct gov_record *asker)
{
	/* Charged in the same breath as its victims are told. */
	make_way(pass, asker->id);
	enter(pass, asker, GOV_JOB_CLAIMING, 0);
	gov_pass_admit_ready(pass);
}

static struct gov_record *first_of(const struct gov_avl_tree *tree)
{
	struct gov_avl *node = gov_avl_first(tree);

	return node ? GOV_CONTAINER(node, struct gov_record, by) : NULL;
}

void gov_pass_stop_due(struct gov_pass *pass)
{
	struct gov_store *store = &pass->engine->books.store;
	struct gov_record *job;

	while ((job = first_of(&store->deadlines)) &&
	       job->deadline <= pass->now) {
		gov_store_unlink(store, job);
		job->stopped = true;
		gov_store_link(store, job);
		emit(pass, (struct gov_decision){
				   .kind = GOV_STOP,
				   .job = job->id,
				   .asker = gov_record_asker(job),
				   .rule = job->rule,
				   .deadline = job->deadline,
			   });
	}
}

/*
 * Is what it claims there?  Who comes later gets nothing of it.  Where nobody
 * is leaving any more there is nothing to wait for.
 */
static bool has_arrived(struct gov_engine *engine, const struct gov_record *job)
{
	bool there = true;

	for (uint32_t i = 0; i < job->kind->count; i++) {
		uint32_t cell = job->kind->item[i].cell;
		const struct gov_top *top = &engine->books.tree->top[cell];
		gov_amount_t *arrived = &engine->arrived[cell];
		gov_amount_t amount = job->kind->item[i].amount;

		there &= amount <= *arrived || top->leaving == top->claimed;
		*arrived = gov_amount_sub(*arrived, amount);
	}
	return there;
}

/* Those who claim what leaves for others, the first first. */
static void admit_arrived(struct gov_pass *pass)
{
	struct gov_engine *engine = pass->engine;
	struct gov_avl *node = gov_avl_first(&engine->books.store.surplus);

	if (!node)
		return;
	for (uint32_t c = 0; c < engine->policy->cell_count; c++)
		engine->arrived[c] = gov_tree_arrived(engine->books.tree, c);
	while (node) {
		struct gov_record *job = GOV_CONTAINER(node, struct gov_record,
						       by);

		node = gov_avl_next(node);
		if (has_arrived(engine, job))
			gov_pass_admit(pass, job);
	}
}

void gov_pass_admit_ready(struct gov_pass *pass)
{
	struct gov_record *job;

	while ((job = first_of(&pass->engine->books.store.ready)))
		gov_pass_admit(pass, job);
	admit_arrived(pass);
}
