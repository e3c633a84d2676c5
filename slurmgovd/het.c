/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heterogeneous jobs: all components or none.
 *
 * Slurm lists each component as a job; it starts them together, and what it is
 * told of the first reaches all.  For the engine they are one job, that asks
 * for the sum: that of the head, the first component that a team answers for.
 * The head's record shows what the components show together; what it shows of
 * its own is kept beside it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"

struct gov_het {
	size_t count;
	size_t space;
	struct gov_tracked **part; /* by offset */
	struct gov_tracked *head;  /* or NULL */
	bool due;		   /* to be judged after this job list */
};

static struct gov_het *het_of(const struct gov_governor *g,
			      const struct gov_tracked *job)
{
	uint32_t id = job->record->het_id;

	return id ? gov_idmap_get(&g->hets, id) : NULL;
}

const struct gov_job_record *gov_het_own(const struct gov_tracked *job)
{
	return job->own ? job->own : job->record;
}

bool gov_het_follows(const struct gov_governor *g,
		     const struct gov_tracked *job)
{
	const struct gov_het *het = het_of(g, job);

	return het && het->head && het->head != job &&
	       job->standing == GOV_STANDING_GOVERNED;
}

struct gov_tracked *gov_het_head(const struct gov_governor *g,
				 struct gov_tracked *job)
{
	return gov_het_follows(g, job) ? het_of(g, job)->head : job;
}

size_t gov_het_parts(const struct gov_governor *g,
		     const struct gov_tracked *job, struct gov_tracked ***part)
{
	struct gov_het *het = het_of(g, job);

	if (!het)
		return 0;
	*part = het->part;
	return het->count;
}

/* ---- the list of components ---- */

static void free_het(struct gov_governor *g, uint32_t id, struct gov_het *het)
{
	gov_idmap_remove(&g->hets, id);
	free(het->part);
	free(het);
}

static struct gov_het *make_het(struct gov_governor *g, uint32_t id)
{
	struct gov_het *het = calloc(1, sizeof(*het));

	if (het && gov_idmap_put(&g->hets, id, het)) {
		free(het);
		return NULL;
	}
	return het;
}

int gov_het_add(struct gov_governor *g, struct gov_tracked *job)
{
	struct gov_het *het = het_of(g, job);
	struct gov_tracked **grown;
	size_t at;

	if (!het)
		het = make_het(g, job->record->het_id);
	if (!het)
		return -1;
	if (het->count == het->space) {
		grown = reallocarray(het->part, het->space + 8, sizeof(*grown));
		if (!grown)
			return -1;
		het->part = grown;
		het->space += 8;
	}
	for (at = het->count; at && het->part[at - 1]->record->het_offset >
					    job->record->het_offset;
	     at--)
		het->part[at] = het->part[at - 1];
	het->part[at] = job;
	het->count++;
	return 0;
}

/* What is known of the het job goes on with another of its components. */
static void pass_on(struct gov_governor *g, const struct gov_tracked *from,
		    struct gov_tracked *to)
{
	gov_engine_remove(g->engine, to->id);
	gov_engine_rename(g->engine, from->id, to->id);
	to->stamp = from->stamp;
	to->judged = from->judged;
	to->was_stamped = from->was_stamped;
	to->stop_due = from->stop_due;
	to->stamp_acked = from->stamp_acked;
	to->not_before = from->not_before;
	to->estimated = false;
}

void gov_het_remove(struct gov_governor *g, struct gov_tracked *job)
{
	struct gov_het *het = het_of(g, job);
	size_t at = 0;

	if (!het)
		return;
	while (at < het->count && het->part[at] != job)
		at++;
	if (at == het->count)
		return;
	het->count--;
	memmove(het->part + at, het->part + at + 1,
		(het->count - at) * sizeof(*het->part));
	if (!het->count) {
		free_het(g, job->record->het_id, het);
		return;
	}
	if (het->head == job) {
		het->head = NULL;
		pass_on(g, job, het->part[0]);
	}
	gov_het_due(g, job);
}

void gov_het_due(struct gov_governor *g, const struct gov_tracked *job)
{
	struct gov_het *het = het_of(g, job);

	if (het)
		het->due = g->hets_due = true;
}

void gov_het_judge_due(struct gov_governor *g, struct gov_now now)
{
	if (!g->hets_due)
		return;
	g->hets_due = false;
	for (size_t i = 0; i < g->hets.size; i++) {
		struct gov_het *het = g->hets.slot[i].value;

		if (!g->hets.slot[i].id || !het->due)
			continue;
		het->due = false;
		gov_judge(g, het->part[0], now);
	}
}

void gov_het_free(struct gov_governor *g)
{
	for (size_t i = 0; i < g->hets.size; i++) {
		struct gov_het *het = g->hets.slot[i].value;

		if (!g->hets.slot[i].id)
			continue;
		free(het->part);
		free(het);
	}
	gov_idmap_free(&g->hets);
}

/* ---- what they show together ---- */

/* Text and list of the allocated nodes, one component after the other. */
struct nodes {
	char *text;
	const char **detail;
	uint32_t detail_count;
};

static int join_nodes(const struct gov_het *het, struct nodes *nodes)
{
	size_t size = 1, count = 1, used = 0;

	for (size_t i = 0; i < het->count; i++) {
		const struct gov_job_record *r = gov_het_own(het->part[i]);

		size += r->nodes ? strlen(r->nodes) + 1 : 0;
		count += r->gres_detail_count;
	}
	nodes->text = calloc(1, size);
	nodes->detail = calloc(count, sizeof(*nodes->detail));
	if (!nodes->text || !nodes->detail)
		return -1;
	for (size_t i = 0; i < het->count; i++) {
		const struct gov_job_record *r = gov_het_own(het->part[i]);

		if (r->nodes)
			used += (size_t) snprintf(nodes->text + used,
						  size - used, "%s%s",
						  used ? "," : "", r->nodes);
		for (uint32_t k = 0; k < r->gres_detail_count; k++)
			nodes->detail[nodes->detail_count++] =
				r->gres_detail[k];
	}
	return 0;
}

/* Would we not hold it by ourselves? */
static bool is_let_go(const struct gov_job_record *record)
{
	struct gov_stamp stamp;

	return gov_stamp_parse(record->admin_comment, &stamp) == 1 &&
	       (stamp.state == GOV_STAMP_ADMITTED || stamp.user_hold);
}

/* Hold, times and the like; `all` begins as the head's own. */
static void merge_waiting(const struct gov_het *het, struct gov_job_record *all,
			  bool *uneven)
{
	bool foreign = false;
	size_t held = 0;

	for (size_t i = 0; i < het->count; i++) {
		const struct gov_job_record *r = gov_het_own(het->part[i]);

		held += r->held;
		foreign |= r->held && is_let_go(r);
		if (r->reason == GOV_REASON_HELD_USER)
			all->reason = r->reason;
		if (r->begin > all->begin)
			all->begin = r->begin;
		all->submission.requeue &= r->submission.requeue;
		if (r->dependency_open && !all->dependency_open) {
			all->dependency_open = true;
			all->submission.dependency = r->submission.dependency;
		}
	}
	/* One that somebody else holds, holds all. */
	all->held = foreign || held == het->count;
	*uneven = held && held < het->count;
}

/* Slurm starts and requeues them together, but they end one by one. */
static void merge_state(const struct gov_het *het, struct gov_job_record *all)
{
	bool runs = false, completing = false;

	for (size_t i = 0; i < het->count; i++) {
		const struct gov_job_record *r = gov_het_own(het->part[i]);

		runs |= r->state == GOV_SLURM_RUNNING && !r->completing;
		completing |= r->completing;
		if (r->started > all->started)
			all->started = r->started;
	}
	if (runs)
		all->state = GOV_SLURM_RUNNING;
	all->completing = completing && !runs;
}

static int merge(struct gov_het *het)
{
	struct gov_tracked *head = het->head;
	struct gov_job_record all = *gov_het_own(head), *copy;
	struct nodes nodes = { 0 };

	if (join_nodes(het, &nodes)) {
		free(nodes.text);
		free(nodes.detail);
		return -1;
	}
	merge_waiting(het, &all, &head->uneven);
	merge_state(het, &all);
	all.nodes = nodes.text[0] ? nodes.text : NULL;
	all.gres_detail = nodes.detail;
	all.gres_detail_count = nodes.detail_count;
	copy = gov_job_record_copy(&all);
	free(nodes.text);
	free(nodes.detail);
	if (!copy)
		return -1;
	if (head->own)
		gov_job_record_free(head->record);
	else
		head->own = head->record;
	head->record = copy;
	return 0;
}

/* ---- one charge for all ---- */

void gov_het_add_request(struct gov_request *to, const struct gov_request *from)
{
	for (uint32_t i = 0; i < from->count; i++) {
		uint32_t k = 0;

		while (k < to->count && to->item[k].cell != from->item[i].cell)
			k++;
		if (k == GOV_REQUEST_MAX)
			continue;
		if (k == to->count) {
			to->item[to->count++] = from->item[i];
			continue;
		}
		to->item[k].amount =
			gov_amount_min(gov_amount_add(to->item[k].amount,
						      from->item[i].amount),
				       GOV_AMOUNT_MAX);
	}
}

/*
 * Each component was judged alone when it was submitted.  If each was admitted
 * all are, and what they were charged becomes one charge; else all wait.
 */
static void unite(struct gov_governor *g, struct gov_het *het)
{
	struct gov_tracked *head = het->head;
	struct gov_job sum = { 0 };
	bool admitted = true, any = false;

	for (size_t i = 0; i < het->count; i++) {
		struct gov_tracked *part = het->part[i];
		const struct gov_job *known = gov_engine_job(g->engine,
							     part->id);

		if (known && part == head) {
			struct gov_request others = sum.request;

			sum = *known;
			gov_het_add_request(&sum.request, &others);
		} else if (known) {
			gov_het_add_request(&sum.request, &known->request);
			any = true;
		}
		if (head->judged || part->standing != GOV_STANDING_GOVERNED ||
		    gov_het_own(part)->state != GOV_SLURM_PENDING)
			continue;
		admitted &= known ? known->state >= GOV_JOB_ADMITTED :
				    part->stamp.state >= GOV_STAMP_ADMITTED;
		head->judge_again |= part->judge_again;
	}
	for (size_t i = 0; i < het->count; i++)
		if (het->part[i] != head)
			gov_engine_remove(g->engine, het->part[i]->id);
	if (!admitted)
		head->stamp.state = GOV_STAMP_WAITING;
	if (!sum.id || (!any && admitted))
		return;
	if (!admitted)
		sum.state = GOV_JOB_WAITING;
	gov_engine_put(g->engine, &sum, NULL);
}

/* It no longer stands for the others. */
static void show_own(struct gov_tracked *job)
{
	if (!job->own)
		return;
	gov_job_record_free(job->record);
	job->record = job->own;
	job->own = NULL;
}

struct gov_tracked *gov_het_settle(struct gov_governor *g,
				   struct gov_tracked *job)
{
	struct gov_het *het = het_of(g, job);
	struct gov_tracked *head = NULL;

	for (size_t i = 0; i < het->count; i++) {
		gov_mark_dirty(g, het->part[i]);
		if (gov_judge_identify(g, het->part[i]) && !head)
			head = het->part[i];
	}
	if (het->head && het->head != head) {
		if (head)
			pass_on(g, het->head, head);
		show_own(het->head);
	}
	het->head = head;
	if (!head)
		return NULL;
	if (merge(het)) {
		gov_log(GOV_LOG_ENGINE, GOV_LOG_ERROR,
			"no memory for het job %u", job->record->het_id);
		return NULL;
	}
	unite(g, het);
	return head;
}

/* ---- while they are submitted ---- */

#define CHAIN_LIFE 5000 /* ms between two components */

static struct gov_het_chain *find_chain(struct gov_governor *g, uint32_t uid,
					uint64_t offset, struct gov_now now)
{
	struct gov_het_chain *found = NULL;

	for (size_t i = 0; i < GOV_HET_CHAINS; i++) {
		struct gov_het_chain *chain = &g->chain[i];

		if (!chain->next || chain->uid != uid ||
		    chain->next != offset ||
		    now.mono > chain->since + CHAIN_LIFE)
			continue;
		if (found) {
			/* Two of one user's at once: which is it? */
			found->next = chain->next = 0;
			return NULL;
		}
		found = chain;
	}
	return found;
}

static struct gov_het_chain *oldest_chain(struct gov_governor *g)
{
	struct gov_het_chain *oldest = &g->chain[0];

	for (size_t i = 1; i < GOV_HET_CHAINS; i++)
		if (!g->chain[i].next ||
		    (oldest->next && g->chain[i].since < oldest->since))
			oldest = &g->chain[i];
	return oldest;
}

bool gov_het_hear(struct gov_governor *g, const struct gov_submission *s,
		  struct gov_request *request, struct gov_now now)
{
	struct gov_het_chain *chain;

	if (!s->het_offset) {
		chain = oldest_chain(g);
		chain->uid = s->uid;
		chain->sum = *request;
	} else {
		chain = find_chain(g, s->uid, s->het_offset, now);
		if (!chain)
			return false;
		gov_het_add_request(&chain->sum, request);
		*request = chain->sum;
	}
	chain->next = s->het_offset + 1;
	chain->since = now.mono;
	return s->het_offset > 0;
}
