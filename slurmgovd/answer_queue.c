/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queue: a page of jobs, by id.  A page is short, and reasons are worked out
 * only as long as they take next to no time: this runs on the thread that
 * also answers slurmctld, within milliseconds.
 */
#include "slurmgovd/answer_private.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAGE 200
#define PAGE_MAX 1000
#define REASONS_US 3000 /* for the reasons of one page */
#define REASON_SIZE 1024

struct page {
	const struct gov_answering *a;
	/* filters */
	uint64_t after;
	uint32_t team, pool;
	const char *state, *user;
	int64_t uid; /* of user, or -1 */
	bool me;
	/* A heap of the smallest ids, the largest of them first. */
	const struct gov_tracked **job;
	size_t count, space;
	bool more;
};

/* ---- choosing ---- */

/* By name or by number; Slurm does not always tell the name. */
static bool is_users(const struct page *page, const struct gov_tracked *job)
{
	return job->record->submission.uid == page->uid ||
	       (job->record->user_name &&
		strcmp(page->user, job->record->user_name) == 0);
}

static bool is_listed(const struct page *page, const struct gov_tracked *job)
{
	const struct gov_answering *a = page->a;

	if (job->id <= page->after)
		return false;
	if (job->standing == GOV_STANDING_FREE)
		return false;
	if (job->standing == GOV_STANDING_STRAY ?
		    job->record->state == GOV_SLURM_ENDED :
		    !gov_engine_job(a->engine, job->id))
		return false;
	if (page->team != GOV_NONE &&
	    (job->standing != GOV_STANDING_GOVERNED || job->team != page->team))
		return false;
	if (page->pool != GOV_NONE &&
	    (job->standing != GOV_STANDING_GOVERNED || job->pool != page->pool))
		return false;
	if (page->me && job->record->submission.uid != a->context->uid)
		return false;
	if (page->user && !is_users(page, job))
		return false;
	return gov_may_see(a, job) &&
	       (!page->state ||
		strcmp(gov_state_name(a, job), page->state) == 0);
}

static void sift_down(struct page *page)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < page->count) {
		const struct gov_tracked *swap = page->job[at];

		if (child + 1 < page->count &&
		    page->job[child + 1]->id > page->job[child]->id)
			child++;
		if (page->job[child]->id <= page->job[at]->id)
			return;
		page->job[at] = page->job[child];
		page->job[child] = swap;
		at = child;
	}
}

static void sift_up(struct page *page)
{
	size_t at = page->count - 1;

	while (at && page->job[(at - 1) / 2]->id < page->job[at]->id) {
		const struct gov_tracked *swap = page->job[at];

		page->job[at] = page->job[(at - 1) / 2];
		page->job[(at - 1) / 2] = swap;
		at = (at - 1) / 2;
	}
}

static void consider(const struct gov_tracked *job, void *arg)
{
	struct page *page = arg;

	if (!is_listed(page, job))
		return;
	if (page->count < page->space) {
		page->job[page->count++] = job;
		sift_up(page);
		return;
	}
	page->more = true;
	if (job->id > page->job[0]->id)
		return;
	page->job[0] = job;
	sift_down(page);
}

static int by_id(const void *first, const void *second)
{
	const struct gov_tracked *a = *(
		const struct gov_tracked *const *) first;
	const struct gov_tracked *b = *(
		const struct gov_tracked *const *) second;

	return a->id < b->id ? -1 : a->id > b->id;
}

/* ---- reasons ---- */

static int64_t clock_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t) t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Does the job's team borrow where the job holds something? */
static bool may_be_borrowing(const struct gov_answering *a,
			     const struct gov_job *job)
{
	if (job->state != GOV_JOB_RUNNING && job->state != GOV_JOB_ADMITTED &&
	    job->state != GOV_JOB_CLAIMING)
		return false;
	for (uint32_t i = 0; i < job->request.count && job->team != GOV_NONE;
	     i++) {
		struct gov_cell_view view;

		gov_engine_view_sums(a->engine, job->team,
				     job->request.item[i].cell, &view);
		if (view.borrowed)
			return true;
	}
	return false;
}

/* Put "reason" and "borrowing"; false: there was no time for it. */
static bool put_explained(struct gov_answering *a, struct json_object *object,
			  const struct gov_tracked *job, int64_t until)
{
	const struct gov_job *known = gov_engine_job(a->engine, job->id);
	struct gov_explanation explanation = { 0 };
	char text[REASON_SIZE];
	const char *reason = gov_plain_reason(a, job, text, sizeof(text));

	if (reason && (!known || !may_be_borrowing(a, known))) {
		gov_put_text(a, object, "reason", reason);
		gov_put_bool(a, object, "borrowing", false);
		return true;
	}
	if (clock_us() > until ||
	    gov_explain_job(a, job, &explanation, NULL) < 0) {
		gov_put_text(a, object, "reason", reason);
		gov_put_amount(a, object, "borrowing", GOV_UNSET);
		return false;
	}
	gov_put_bool(a, object, "borrowing", explanation.borrowing);
	if (!reason) {
		gov_explanation_sentence(a->engine, job->id, &explanation, text,
					 sizeof(text));
		reason = text;
	} else if (explanation.borrowing && !*reason) {
		reason = "on borrowed quota";
	}
	gov_put_text(a, object, "reason", reason);
	gov_explanation_free(&explanation);
	return true;
}

static void put_page(struct gov_answering *a, const struct page *page)
{
	struct json_object *list = gov_put_array(a, a->root, "jobs");
	int64_t until = clock_us() + (a->context->reasons_us ?
					      a->context->reasons_us :
					      REASONS_US);
	size_t unexplained = 0;

	for (size_t i = 0; i < page->count; i++) {
		struct json_object *object = gov_put_job(a, list, NULL,
							 page->job[i]);

		unexplained += !put_explained(a, object, page->job[i], until);
	}
	gov_put_number(a, a->root, "next",
		       page->more && page->count ?
			       (int64_t) page->job[page->count - 1]->id :
			       0);
	if (unexplained)
		gov_answer_warning(
			a,
			"the reasons of %zu jobs were left out to save time: ask for fewer jobs, or sgov why JOBID",
			unexplained);
}

void gov_answer_queue(struct gov_answering *a)
{
	int64_t after = gov_asked_number(a, "after");
	int64_t limit = gov_asked_number(a, "limit");
	struct page page = {
		.a = a,
		.after = after > 0 ? (uint64_t) after : 0,
		.state = gov_asked_text(a, "state"),
		.user = gov_asked_text(a, "user"),
		.uid = -1,
		.me = gov_asked_true(a, "me"),
		.space = limit < 1	  ? PAGE :
			 limit > PAGE_MAX ? PAGE_MAX :
					    (size_t) limit,
	};

	if (gov_asked_unit(a, "team", &page.team) < 0 ||
	    gov_asked_pool(a, "pool", &page.pool) < 0)
		return;
	if (json_object_object_get_ex(a->request, "uid", NULL))
		page.uid = gov_asked_number(a, "uid");
	page.job = calloc(page.space, sizeof(*page.job));
	if (!page.job) {
		a->failed = true;
		return;
	}
	gov_governor_each(a->context->governor, consider, &page);
	qsort(page.job, page.count, sizeof(*page.job), by_id);
	put_page(a, &page);
	free(page.job);
}
