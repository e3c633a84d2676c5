/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of answer*.c share. */
#ifndef GOVERNANCE_SLURMGOVD_ANSWER_PRIVATE_H
#define GOVERNANCE_SLURMGOVD_ANSWER_PRIVATE_H

#include <json-c/json.h>

#include "slurmgovd/answer.h"

/* An answer under construction. */
struct gov_answering {
	const struct gov_answer_context *context;
	const struct gov_policy *policy;
	const struct gov_engine *engine;
	struct json_object *request;
	struct json_object *root;
	struct json_object *errors;
	struct json_object *warnings;
	bool failed; /* out of memory: there will be no answer */
};

/* ---- answer_json.c: building; a NULL parent is allowed and ignored ---- */

/* A new member (of an object) or element (of an array, key NULL); borrowed. */
struct json_object *gov_put_object(struct gov_answering *a,
				   struct json_object *parent, const char *key);
struct json_object *gov_put_array(struct gov_answering *a,
				  struct json_object *parent, const char *key);
/* NULL becomes null.  Text is made printable, and cut at 4096 bytes. */
void gov_put_text(struct gov_answering *a, struct json_object *parent,
		  const char *key, const char *text);
void gov_put_number(struct gov_answering *a, struct json_object *parent,
		    const char *key, int64_t number);
void gov_put_bool(struct gov_answering *a, struct json_object *parent,
		  const char *key, bool value);
/* A number, "unlimited", or null for GOV_UNSET. */
void gov_put_amount(struct gov_answering *a, struct json_object *parent,
		    const char *key, gov_amount_t amount);
/* "pool" and "tres" of a cell. */
void gov_put_cell(struct gov_answering *a, struct json_object *parent,
		  uint32_t cell);

/* null for GOV_NONE. */
void gov_put_unit_name(struct gov_answering *a, struct json_object *parent,
		       const char *key, uint32_t unit);

void gov_answer_error(struct gov_answering *a, enum gov_code code,
		      const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void gov_answer_warning(struct gov_answering *a, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Text member of the request, NULL if it is missing or no text. */
const char *gov_asked_text(const struct gov_answering *a, const char *key);
int64_t gov_asked_number(const struct gov_answering *a, const char *key);
bool gov_asked_true(const struct gov_answering *a, const char *key);
/*
 * The unit, pool or class that the request names under key: 0 with *index
 * GOV_NONE if it names none, -1 with an error in the answer if there is none
 * of that name.
 */
int gov_asked_unit(struct gov_answering *a, const char *key, uint32_t *index);
int gov_asked_pool(struct gov_answering *a, const char *key, uint32_t *index);
int gov_asked_class(struct gov_answering *a, const char *key, uint32_t *index);

/* ---- answer_jobs.c ---- */

/* May the asker see this job, its owner and what it does? */
bool gov_may_see(const struct gov_answering *a, const struct gov_tracked *job);
/* "waiting", "running" …, "stray", or "free". */
const char *gov_state_name(const struct gov_answering *a,
			   const struct gov_tracked *job);
/*
 * "user" (null: Slurm did not tell the name) and "uid" of a job's owner, as
 * far as the asker may see it; job NULL: not known.
 */
void gov_put_user(struct gov_answering *a, struct json_object *object,
		  const struct gov_tracked *job);
/*
 * Everything about the job but why it waits, as a member of parent; returns
 * the object for more members.
 */
struct json_object *gov_put_job(struct gov_answering *a,
				struct json_object *parent, const char *key,
				const struct gov_tracked *job);
void gov_put_request(struct gov_answering *a, struct json_object *parent,
		     const struct gov_request *request);
/* Label of a job by its id: "12_3", or the number where it is not known. */
void gov_put_job_label(struct gov_answering *a, struct json_object *parent,
		       const char *key, uint64_t id);
/*
 * Why an unexplained state is what it is ("its user holds it"); for jobs that
 * wait for quota: NULL, the engine has to explain.
 */
const char *gov_plain_reason(const struct gov_answering *a,
			     const struct gov_tracked *job, char *text,
			     size_t size);
/* As gov_engine_explain(). */
int gov_explain_job(const struct gov_answering *a,
		    const struct gov_tracked *job,
		    struct gov_explanation *explanation,
		    struct gov_error *error);

/* ---- answer_status.c ---- */

/*
 * Loans, as "loans" of parent.  unit: as lender or borrower, or GOV_NONE;
 * pool: there, or GOV_NONE; request: only in its cells, or NULL.
 */
void gov_put_loans(struct gov_answering *a, struct json_object *parent,
		   uint32_t unit, uint32_t pool,
		   const struct gov_request *request);

/* ---- answer_orders.c ---- */

/* What operators ordered, as "orders". */
void gov_put_orders(struct gov_answering *a, struct json_object *parent);
/* What they ordered for this job: "released", "exempt", "ordered"; and
 * "unadmitted". */
void gov_put_job_orders(struct gov_answering *a, struct json_object *object,
			const struct gov_tracked *job);

/* ---- answer_policy.c ---- */

/* Members "signal", "grace", … of what applies to this team and class. */
void gov_put_terms(struct gov_answering *a, struct json_object *parent,
		   uint32_t team, uint32_t class);

/* What is wrong with a policy, as "faults". */
void gov_put_faults(struct gov_answering *a,
		    const struct gov_conf_faults *faults);

/* ---- one function a command ---- */

void gov_answer_status(struct gov_answering *a);
void gov_answer_loans(struct gov_answering *a);
void gov_answer_queue(struct gov_answering *a);
void gov_answer_why(struct gov_answering *a);
void gov_answer_terms(struct gov_answering *a);
void gov_answer_ping(struct gov_answering *a);
void gov_answer_reload(struct gov_answering *a);
void gov_answer_plan(struct gov_answering *a);
void gov_answer_order(struct gov_answering *a);
void gov_answer_checkpoint(struct gov_answering *a);

#endif
