/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the engine share; nobody else includes it. */
#ifndef GOVERNANCE_CORE_ENGINE_PRIVATE_H
#define GOVERNANCE_CORE_ENGINE_PRIVATE_H

#include "core/books.h"
#include "core/engine.h"
#include "core/victims.h"

/* Quota that a blocked owner keeps out of the reach of borrowers. */
struct gov_reserve {
	uint32_t team;
	uint32_t cell;
	gov_amount_t amount;
};

struct gov_engine {
	struct gov_policy *policy;	/* one reference */
	struct gov_books books;
	struct gov_search search;
	gov_amount_t *leaving;	/* [unit * cell_count + cell], RECLAIMING */
	gov_amount_t *waiting;	/* likewise, WAITING */
	uint64_t pass;		/* kinds refused in it stay refused in it */
	bool dirty;		/* a fact came in since the last decision */
	gov_time_t retry_at;	/* a protection ends; INT64_MAX */
	struct gov_reserve *reserve;
	size_t reserve_count;
	size_t reserve_space;
};

/* ---- attach.c: a job's part in all sums and orders ---- */

/* The record is in no sum and no order afterwards (state INELIGIBLE). */
void gov_engine_detach(struct gov_engine *engine, struct gov_record *job);
/* The detached record enters this state, with its kind and asker set. */
void gov_engine_attach(struct gov_engine *engine, struct gov_record *job,
		       enum gov_job_state state);
/* Jobs that wait behind this one: do they still have to? */
void gov_engine_settle_behind(struct gov_engine *engine, uint64_t id);

/* ---- reserve.c ---- */

/* Note what the team's blocked head is owed.  -1: out of memory. */
int gov_engine_reserve(struct gov_engine *engine, uint32_t team);
void gov_engine_drop_reserves(struct gov_engine *engine);
/* Does the kind fit now, others' reserves left alone? */
bool gov_engine_fits(struct gov_engine *engine, const struct gov_kind *kind);

/* ---- decide.c ---- */

/* The job record of this id as the outside sees it. */
void gov_engine_describe(const struct gov_record *job, struct gov_job *out);

/* 0, or -1 with which field is wrong. */
int gov_engine_check_job(const struct gov_engine *engine,
			 const struct gov_job *job, struct gov_error *error);
/* The kind of a (checked) job, one reference more; NULL: out of memory. */
struct gov_kind *gov_engine_kind(struct gov_engine *engine,
				 const struct gov_job *job);

static inline gov_amount_t gov_kind_amount(const struct gov_kind *kind,
					   uint32_t cell)
{
	for (uint32_t i = 0; i < kind->count; i++)
		if (kind->item[i].cell == cell)
			return kind->item[i].amount;
	return 0;
}

#endif
