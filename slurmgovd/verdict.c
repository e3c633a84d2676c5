/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict on a submission, while sbatch waits for it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"

#define POOLS_MAX 64

/* A submission on its way to a verdict. */
struct hearing {
	struct gov_governor *g;
	const struct gov_submission *s;
	struct gov_answer *answer;
	struct gov_grant *grant; /* wanted */
	struct gov_now now;
	struct gov_identity who;
	uint32_t pool;
	bool several_pools;
	struct gov_job job;
	struct gov_stamp stamp;
	int64_t tasks; /* of an array, at once; else 1 */
	bool cron;     /* of scrontab's, as far as we can tell */
};

/* ---- messages ---- */

static void message(struct gov_governor *g, struct gov_answer *answer,
		    const char *before, const char *text)
{
	snprintf(g->message, sizeof(g->message), "%s%s", before, text);
	answer->message = g->message;
}

void gov_message_why(struct gov_governor *g, const char *before, uint64_t id,
		     struct gov_now now)
{
	int used = snprintf(g->message, sizeof(g->message), "%s", before);
	struct gov_explanation explanation;

	if (gov_engine_explain(g->engine, id, now.wall, &explanation, NULL))
		return;
	gov_explanation_sentence(g->engine, id, &explanation, g->message + used,
				 sizeof(g->message) - (size_t) used);
	gov_explanation_free(&explanation);
}

void gov_answer_refuse(struct gov_governor *g, struct gov_answer *answer,
		       const struct gov_error *error)
{
	/* The plugin puts our name before it and the code behind it. */
	snprintf(g->message, sizeof(g->message), "%s", error->text);
	answer->message = g->message;
	answer->action = GOV_ANSWER_REFUSE;
	answer->code = error->code;
}

/* ---- the shorter verdicts ---- */

static void pass(struct hearing *h)
{
	h->answer->action = GOV_ANSWER_PASS;
	h->grant->kind = GOV_GRANT_EXEMPT;
}

static void refuse(struct hearing *h, const struct gov_error *error)
{
	h->g->health.refused++;
	gov_log(GOV_LOG_SUBMIT, GOV_LOG_INFO,
		"%srefuse a job of uid %u: %s: %s",
		gov_is_observing(h->g) ? "observe: would " : "", h->s->uid,
		gov_code_name(error->code), error->text);
	if (gov_is_observing(h->g))
		pass(h);
	else
		gov_answer_refuse(h->g, h->answer, error);
}

static bool set_comment(struct hearing *h)
{
	struct gov_governor *g = h->g;

	if (gov_stamp_format(&h->stamp, g->comment, sizeof(g->comment)) < 0)
		return false;
	h->answer->admin_comment = g->comment;
	return true;
}

static void copy_name(char *to, const char *name)
{
	snprintf(to, GOV_STAMP_NAME, "%s", name ? name : "");
}

/* Not known enough to judge: it waits, and is judged from the job list. */
static void undecided(struct hearing *h)
{
	struct gov_error error;

	if (gov_is_observing(h->g)) {
		pass(h);
		return;
	}
	h->stamp.state = GOV_STAMP_UNDECIDED;
	copy_name(h->stamp.class_name, h->s->class_name);
	copy_name(h->stamp.project, h->s->project_name);
	if (!set_comment(h)) {
		gov_error_set(&error, GOV_R_NO_CLASS,
			      "there is no such priority class or project; "
			      "names have letters, digits and _.@+- only");
		refuse(h, &error);
		return;
	}
	h->answer->action = h->cron ? GOV_ANSWER_ADMIT : GOV_ANSWER_WAIT;
	h->grant->kind = GOV_GRANT_UNDECIDED;
	h->grant->uid = GOV_GRANT_ANY_UID;
	if (h->cron)
		return;
	message(h->g, h->answer, "",
		"the governor is starting; the job is held and decided within "
		"moments");
}

/* ---- the request ---- */

static int check_time(const struct hearing *h, struct gov_error *error)
{
	const struct gov_class *class = &h->g->policy->class[h->who.class];
	const struct gov_partition_record *partition;
	uint64_t minutes = h->s->time_limit;

	if (class->max_time == GOV_SECONDS_UNSET)
		return 0;
	partition = gov_partition_of(h->g, h->s);
	if (minutes == GOV_SUB_UNSET && partition)
		minutes = partition->default_time != GOV_SUB_UNSET ?
				  partition->default_time :
				  partition->max_time;
	if (minutes != GOV_SUB_UNSET &&
	    minutes <= (uint64_t) class->max_time / 60)
		return 0;
	return gov_error_set(error, GOV_R_CLASS_LIMIT,
			     "priority class %s allows at most %" PRId64
			     " minutes; use --time=%" PRId64 " or less, or "
			     "another --gov-class",
			     class->name, class->max_time / 60,
			     class->max_time / 60);
}

static int check_class_amounts(const struct hearing *h, uint32_t pool,
			       const struct gov_request *request,
			       struct gov_error *error)
{
	const struct gov_policy *policy = h->g->policy;
	const struct gov_class *class = &policy->class[h->who.class];

	for (uint32_t i = 0; class->max_per_job && i < request->count; i++) {
		uint32_t cell = request->item[i].cell;
		gov_amount_t max = class->max_per_job[cell];

		if (max == GOV_UNSET || request->item[i].amount <= max)
			continue;
		return gov_error_set(
			error, GOV_R_CLASS_LIMIT,
			"priority class %s allows a job at most %" PRIu64
			" of %s and %" PRIu64 " are asked; ask for less or "
			"use another --gov-class",
			class->name, max,
			policy->tres[policy->cell[cell].tres].name,
			request->item[i].amount);
	}
	return 0;
}

/* Tasks that would be in use at once. */
static int count_tasks(struct hearing *h, struct gov_error *error)
{
	uint32_t limit = 0;

	h->tasks = gov_array_count(h->s->array, &limit);
	if (h->tasks < 0)
		return gov_error_set(error, GOV_R_REQUEST,
				     "--array=%.64s cannot be understood",
				     h->s->array);
	if (limit && limit < h->tasks)
		h->tasks = limit;
	return 0;
}

/* How well a pool would serve the job; negative: not at all. */
static int rate_pool(const struct hearing *h, uint32_t pool,
		     struct gov_request *request, struct gov_error *error)
{
	struct gov_job job = h->job;
	struct gov_verdict verdict;

	if (gov_estimate(h->g, h->s, pool, &job.request, error) ||
	    check_class_amounts(h, pool, &job.request, error))
		return -1;
	*request = job.request;
	/* With one candidate there is nothing to compare. */
	if (!h->several_pools)
		return 0;
	if (gov_engine_test(h->g->engine, &job, h->now.wall, &verdict, error))
		return -1;
	return verdict.admitted ? 2 : !verdict.never;
}

/*
 * The first pool in the team's order that takes the job at once, else the
 * first that ever could; h->job.request is then set.
 */
static int choose_pool(struct hearing *h, struct gov_error *error)
{
	struct gov_governor *g = h->g;
	uint32_t pools[POOLS_MAX];
	size_t count = gov_candidate_pools(g, h->who.team, h->s, pools,
					   POOLS_MAX);
	int best = -1;

	gov_error_set(error, GOV_R_NO_POOL,
		      "no pool of team %s has what is asked in this partition "
		      "or with this constraint",
		      g->policy->unit[h->who.team].name);
	h->several_pools = count > 1;
	for (size_t i = 0; i < count && best < 2; i++) {
		struct gov_request request;
		int rate = rate_pool(h, pools[i], &request, error);

		if (rate <= best)
			continue;
		best = rate;
		h->pool = pools[i];
		h->job.request = request;
	}
	return best < 0 ? -1 : 0;
}

/* "never": say which limit it is that the request exceeds. */
static void explain_never(const struct hearing *h, struct gov_error *error)
{
	const struct gov_policy *policy = h->g->policy;
	const struct gov_unit *team = &policy->unit[h->who.team];
	bool borrows = policy->class[h->who.class].may_borrow &&
		       !h->job.no_borrow;

	for (uint32_t i = 0; i < h->job.request.count; i++) {
		uint32_t cell = h->job.request.item[i].cell;
		gov_amount_t asked = h->job.request.item[i].amount;
		const struct gov_quota *quota = &team->quota[cell];
		gov_amount_t limit = quota->nominal;

		if (borrows)
			limit = gov_amount_add(limit, quota->borrow);
		if (!quota->counted || asked <= limit)
			continue;
		gov_error_set(error, GOV_R_TOO_LARGE,
			      "the job asks for %" PRIu64 " of %s and "
			      "team %s can never have more than %" PRIu64
			      " (quota %" PRIu64 "%s); ask for less",
			      asked, policy->tres[policy->cell[cell].tres].name,
			      team->name, limit, quota->nominal,
			      borrows ? " and what it may borrow" :
					", without borrowing");
		return;
	}
	gov_error_set(error, GOV_R_TOO_LARGE,
		      "the job asks for more than team %s could ever have in "
		      "pool %s; ask for less",
		      team->name, policy->pool[h->pool].name);
}

/* ---- the verdict ---- */

static int set_borrow(struct hearing *h, struct gov_error *error)
{
	const char *borrow = h->s->borrow;

	h->stamp.no_borrow = borrow && !strcasecmp(borrow, "no");
	if (!borrow || h->stamp.no_borrow || !strcasecmp(borrow, "yes"))
		return 0;
	return gov_error_set(error, GOV_R_REQUEST,
			     "--gov-borrow is yes or no, not %.32s", borrow);
}

static void prepare(struct hearing *h)
{
	struct gov_governor *g = h->g;
	struct gov_terms terms;

	gov_policy_terms(g->policy, h->who.team, h->who.class, &terms);
	h->job = (struct gov_job){
		.team = h->who.team,
		.project = h->who.project,
		.class = h->who.class,
		.user = h->s->uid,
		.submitted = h->now.wall,
		.no_borrow = h->stamp.no_borrow,
		.provisional = true,
		.requeueable = h->s->batch && h->s->requeue &&
			       terms.on_reclaim == GOV_RECLAIM_REQUEUE,
	};
	h->grant->kind = GOV_GRANT_JOB;
	h->grant->reclaim_signal = h->stamp.signal ? h->stamp.signal :
						     terms.signal;
	h->grant->reclaim_grace = terms.grace;
}

/* The grant and the stamp carry the names. */
static void set_names(struct hearing *h)
{
	const struct gov_policy *policy = h->g->policy;
	const struct gov_unit *team = &policy->unit[h->who.team];
	const char *project = h->who.project == GOV_NONE ?
				      NULL :
				      policy->project[h->who.project].name;

	copy_name(h->stamp.team, team->name);
	copy_name(h->stamp.class_name, policy->class[h->who.class].name);
	copy_name(h->stamp.project, project);
	copy_name(h->stamp.pool, policy->pool[h->pool].name);
	copy_name(h->grant->team, team->name);
	copy_name(h->grant->class_name, policy->class[h->who.class].name);
	copy_name(h->grant->project, project);
	copy_name(h->grant->isolation, team->isolation);
}

/* Waits for something else before it wants quota; says for what. */
static const char *waits_for_other(const struct hearing *h)
{
	if (h->s->hold)
		return "you release it";
	if (h->s->dependency && h->s->dependency[0])
		return "its dependency is fulfilled";
	if (h->s->begin_time != GOV_SUB_UNSET &&
	    (int64_t) h->s->begin_time > h->now.wall)
		return "its start time has come";
	return NULL;
}

/*
 * An array goes unheld if all its tasks may run at once; else it is held, and
 * its tasks are released one by one as quota comes free.
 */
static int charge_array(struct hearing *h, struct gov_verdict *verdict,
			struct gov_error *error)
{
	struct gov_engine *engine = h->g->engine;
	struct gov_job whole = h->job;

	gov_request_scale(&whole.request, (uint64_t) h->tasks);
	if (gov_engine_test(engine, &whole, h->now.wall, verdict, error))
		return -1;
	if (verdict->admitted)
		return gov_engine_submit(engine, &whole, h->now.wall, verdict,
					 error);
	if (gov_engine_test(engine, &h->job, h->now.wall, verdict, error))
		return -1;
	verdict->admitted = false;
	if (verdict->never)
		return 0;
	h->job.state = GOV_JOB_WAITING;
	return gov_engine_put(engine, &h->job, error);
}

static int charge(struct hearing *h, const char *other,
		  struct gov_verdict *verdict, struct gov_error *error)
{
	struct gov_engine *engine = h->g->engine;
	int rc;

	if (gov_is_observing(h->g))
		return gov_engine_test(engine, &h->job, h->now.wall, verdict,
				       error);
	if (!other && h->tasks == 1)
		return gov_engine_submit(engine, &h->job, h->now.wall, verdict,
					 error);
	if (!other)
		return charge_array(h, verdict, error);
	rc = gov_engine_test(engine, &h->job, h->now.wall, verdict, error);
	if (rc || verdict->never)
		return rc;
	verdict->admitted = false;
	h->job.state = GOV_JOB_INELIGIBLE;
	return gov_engine_put(engine, &h->job, error);
}

static void say_borrowing(struct hearing *h)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "the job uses borrowed quota of team %s's neighbours; when "
		 "it is wanted back the job gets signal %d and %" PRId64
		 " s, and is then %s",
		 h->g->policy->unit[h->who.team].name, h->grant->reclaim_signal,
		 h->grant->reclaim_grace,
		 h->job.requeueable ? "requeued" :
		 h->s->batch	    ? "cancelled, as it cannot be requeued" :
				      "cancelled, as it is interactive");
	message(h->g, h->answer, "", text);
}

static void observe(struct hearing *h, const struct gov_verdict *verdict)
{
	gov_log(GOV_LOG_SUBMIT, GOV_LOG_INFO,
		"observe: would %s a job of uid %u in team %s",
		verdict->admitted ? "admit" : "hold", h->s->uid,
		h->g->policy->unit[h->who.team].name);
	h->answer->action = GOV_ANSWER_PASS;
}

static void pin(struct hearing *h)
{
	const struct gov_policy *policy = h->g->policy;
	const struct gov_pool *pool = &policy->pool[h->pool];

	if (!h->s->account)
		h->answer->account = policy->unit[h->who.team].account;
	if (!h->several_pools)
		return;
	if (!h->s->partition)
		h->answer->partition = pool->partition;
	if (!h->s->features)
		h->answer->features = pool->constraint;
}

static void accept(struct hearing *h, const struct gov_verdict *verdict,
		   const char *other)
{
	struct gov_governor *g = h->g;
	struct gov_answer *answer = h->answer;

	h->stamp.state = verdict->admitted ? GOV_STAMP_ADMITTED :
					     GOV_STAMP_WAITING;
	answer->action = verdict->admitted ? GOV_ANSWER_ADMIT : GOV_ANSWER_WAIT;
	pin(h);
	set_comment(h);
	g->health.admitted += verdict->admitted;
	if (verdict->admitted && verdict->borrowing) {
		say_borrowing(h);
	} else if (other) {
		message(g, answer, "the job asks for quota when ", other);
	} else if (!verdict->admitted && h->tasks > 1) {
		message(g, answer, "",
			"the tasks of the array start as quota comes free for "
			"them");
	} else if (!verdict->admitted) {
		gov_message_why(g,
				verdict->reclaims ?
					"job waits until what its team "
					"lent is given back: " :
					"job waits: ",
				h->job.id, h->now);
		answer->message = g->message;
	}
	gov_log(GOV_LOG_SUBMIT, GOV_LOG_DEBUG,
		"submission %016llx of uid %u: %s",
		(unsigned long long) h->stamp.nonce, h->s->uid,
		verdict->admitted ? "admitted" : "waits");
}

/* An id for the engine until Slurm gives it one. */
static void number(struct hearing *h)
{
	struct gov_governor *g = h->g;

	if (gov_is_observing(g)) {
		h->job.id = GOV_PROVISIONAL_BIT;
		return;
	}
	do {
		h->stamp.nonce = g->setup.nonce(g->setup.arg) &
				 ~GOV_PROVISIONAL_BIT;
	} while (!h->stamp.nonce ||
		 gov_idmap_get(&g->provisional, h->stamp.nonce));
	h->job.id = h->stamp.nonce | GOV_PROVISIONAL_BIT;
}

/*
 * A job of scrontab's that is held could never be released.  It starts at its
 * times, counts while it runs, and what it borrows can be taken back.  One
 * that only looks like it loses the flag after us and is judged from the job
 * list, where it waits for its start.
 */
static int conclude_cron(struct hearing *h, struct gov_error *error)
{
	struct gov_governor *g = h->g;
	struct gov_verdict verdict = { 0 };

	if (gov_engine_test(g->engine, &h->job, h->now.wall, &verdict, error))
		return -1;
	if (verdict.never) {
		explain_never(h, error);
		return -1;
	}
	h->stamp.state = GOV_STAMP_WAITING;
	h->answer->action = gov_is_observing(g) ? GOV_ANSWER_PASS :
						  GOV_ANSWER_ADMIT;
	if (gov_is_observing(g))
		return 0;
	pin(h);
	set_comment(h);
	g->setup.nudge(g->setup.arg);
	return 0;
}

/* Components that fit each by itself may be too much together. */
static int check_het(struct hearing *h, struct gov_error *error)
{
	struct gov_verdict verdict = { 0 };
	struct gov_job own = h->job;

	if (h->s->het_offset == GOV_SUB_UNSET ||
	    !gov_het_hear(h->g, h->s, &h->job.request, h->now))
		return 0;
	if (gov_engine_test(h->g->engine, &h->job, h->now.wall, &verdict,
			    error))
		return -1;
	if (verdict.never) {
		explain_never(h, error);
		return -1;
	}
	h->job = own;
	return 0;
}

/* From the engine's word to the answer. */
static int conclude(struct hearing *h, struct gov_error *error)
{
	struct gov_governor *g = h->g;
	const char *other = waits_for_other(h);
	struct gov_verdict verdict = { 0 };

	if (h->cron)
		return conclude_cron(h, error);
	if (charge(h, other, &verdict, error))
		return -1;
	if (verdict.never) {
		explain_never(h, error);
		return -1;
	}
	if (gov_is_observing(g)) {
		observe(h, &verdict);
		return 0;
	}
	if (h->s->immediate && !verdict.admitted) {
		gov_engine_remove(g->engine, h->job.id);
		return gov_error_set(error, GOV_R_IMMEDIATE,
				     "quota is not free at once; submit "
				     "without --immediate to wait for it");
	}
	if (gov_provisional_add(g, h->stamp.nonce, h->now)) {
		gov_engine_remove(g->engine, h->job.id);
		return gov_error_set(error, GOV_E_NOMEM,
				     "the governor is out of memory");
	}
	accept(h, &verdict, other);
	g->setup.nudge(g->setup.arg);
	return 0;
}

static int judge(struct hearing *h, struct gov_error *error)
{
	if (set_borrow(h, error) || check_time(h, error) ||
	    count_tasks(h, error))
		return -1;
	prepare(h);
	number(h);
	if (choose_pool(h, error))
		return -1;
	set_names(h);
	if (check_het(h, error))
		return -1;
	return conclude(h, error);
}

static void hear(struct hearing *h)
{
	struct gov_error error;
	int rc = gov_identify(h->g, h->s, &h->who, &error);

	if (rc < 0) {
		refuse(h, &error);
	} else if (!rc && h->who.standing == GOV_STANDING_FREE) {
		pass(h);
	} else if (rc > 0 || !h->g->health.ready) {
		if (set_borrow(h, &error))
			refuse(h, &error);
		else
			undecided(h);
	} else if (judge(h, &error)) {
		refuse(h, &error);
	}
}

static void attach_grant(struct hearing *h, bool *pending)
{
	struct gov_governor *g = h->g;

	if (h->answer->action == GOV_ANSWER_REFUSE)
		return;
	if (h->grant->kind != GOV_GRANT_JOB) {
		h->grant->reclaim_signal = 0;
		h->grant->reclaim_grace = 0;
	}
	snprintf(h->grant->digest, sizeof(h->grant->digest), "%s",
		 g->policy->digest);
	h->answer->grant = g->setup.grant(g->setup.arg, h->grant);
	*pending = !h->answer->grant;
}

void gov_governor_submit(struct gov_governor *g,
			 const struct gov_submit_request *request,
			 struct gov_answer *answer, struct gov_grant *grant,
			 bool *grant_pending, struct gov_now now)
{
	struct hearing h = { .g = g,
			     .s = &request->submission,
			     .answer = answer,
			     .grant = grant,
			     .now = now,
			     .pool = GOV_NONE };

	*answer = (struct gov_answer){
		.sequence = request->sequence,
		.action = GOV_ANSWER_PASS,
		.on_down = g->policy->on_governor_down,
		.sets_on_down = true,
		.deadline_ms = g->policy->submit_deadline_ms,
	};
	*grant = (struct gov_grant){ .uid = h.s->uid };
	*grant_pending = false;
	if (request->kind == GOV_MSG_MODIFY) {
		gov_modify(g, request, answer, now);
		return;
	}
	gov_engine_tell_time(g->engine, now.wall);
	g->health.submissions++;
	gov_stamp_init(&h.stamp);
	h.stamp.submitted = now.wall;
	h.stamp.user_hold = h.s->hold;
	h.stamp.signal = gov_stamp_signal(h.s->warn_signal);
	h.stamp.signal_batch = h.stamp.signal && h.s->warn_batch;
	/* Where scrontab is not enabled there is none of its jobs. */
	h.cron = h.s->cron && (!g->machine || g->machine->scrontab);
	hear(&h);
	attach_grant(&h, grant_pending);
}
