/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict on one submission. */
#include <string.h>

#include "core/engine_private.h"

/*
 * Was something given back since the last decision that others wait for?
 * Then they come first.
 */
static bool others_are_next(const struct gov_engine *engine,
			    const struct gov_kind *kind)
{
	const struct gov_hunger *h = &engine->hunger;

	if (!h->any_freed)
		return false;
	for (uint32_t i = 0; i < kind->count; i++) {
		uint32_t cell = kind->item[i].cell;

		if (h->freed[cell] && h->cell_waiting[cell])
			return true;
	}
	return false;
}

static void judge(struct gov_engine *engine, const struct gov_job *job,
		  struct gov_kind *kind, struct gov_verdict *verdict)
{
	struct gov_record as_if = {
		.kind = kind,
		.id = job->id,
		.submitted = job->submitted,
	};

	memset(verdict, 0, sizeof(*verdict));
	if (gov_books_never(&engine->books, kind, NULL)) {
		verdict->never = true;
		return;
	}
	if (others_are_next(engine, kind) || gov_queue_blocks(engine, &as_if) ||
	    gov_queue_prefers_own(engine, kind) ||
	    !gov_engine_fits(engine, kind, GOV_NOW))
		return;
	verdict->admitted = true;
	verdict->borrowing = gov_books_borrowed_items(&engine->books, kind);
	verdict->borrow_level = gov_books_level(&engine->books, kind);
}

static int check_new(const struct gov_engine *engine, const struct gov_job *job,
		     struct gov_error *error)
{
	if (gov_engine_check_job(engine, job, error))
		return -1;
	if (job->team == GOV_NONE)
		return gov_error_set(error, GOV_E_VALUE,
				     "a new job needs a team");
	return 0;
}

/* The kind of a new job, one reference more, and the verdict on it.  NULL: it
 * is no valid new job, or out of memory. */
static struct gov_kind *look_at(struct gov_engine *engine, struct gov_job *job,
				struct gov_verdict *verdict,
				struct gov_error *error)
{
	struct gov_kind *kind;

	job->state = GOV_JOB_WAITING;
	job->asker = 0;
	if (check_new(engine, job, error))
		return NULL;
	kind = gov_engine_kind(engine, job);
	if (kind)
		judge(engine, job, kind, verdict);
	else
		gov_error_set(error, GOV_E_NOMEM, "out of memory");
	return kind;
}

int gov_engine_test(struct gov_engine *engine, const struct gov_job *job,
		    gov_time_t now, struct gov_verdict *verdict,
		    struct gov_error *error)
{
	struct gov_job copy = *job;
	struct gov_kind *kind = look_at(engine, &copy, verdict, error);

	if (!kind)
		return -1;
	if (!verdict->admitted && !verdict->never)
		verdict->reclaims = gov_engine_find_victims(engine, kind,
							    copy.submitted, now,
							    false);
	gov_store_kind_unref(&engine->books.store, kind);
	return 0;
}

int gov_engine_submit(struct gov_engine *engine, const struct gov_job *job,
		      gov_time_t now, struct gov_verdict *verdict,
		      struct gov_error *error)
{
	struct gov_job copy = *job;
	struct gov_kind *kind = look_at(engine, &copy, verdict, error);

	(void) now;
	if (!kind)
		return -1;
	gov_store_kind_unref(&engine->books.store, kind);
	if (verdict->never)
		return 0;
	if (verdict->admitted)
		copy.state = GOV_JOB_ADMITTED;
	return gov_engine_put(engine, &copy, error);
}
