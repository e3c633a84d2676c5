/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/fake_slurm.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "slurmgovd/log.h"

/* uid / 100 is the number of the user's team in the order of the policy. */
static struct gov_members *make_members(const struct gov_policy *policy)
{
	struct gov_members *members = gov_members_create();
	uint32_t number = 0;

	gov_members_add_user(members, GOV_MEMBER_OF_EXEMPT, 0, 0);
	for (uint32_t i = 0; i < policy->unit_count; i++) {
		if (!policy->unit[i].is_team)
			continue;
		number++;
		for (uint32_t u = 0; u < 10; u++)
			gov_members_add_user(members, GOV_MEMBER_OF_TEAM, i,
					     number * 100 + u);
	}
	gov_members_finish(members);
	return members;
}

static uint64_t nonce(void *arg)
{
	struct fake *fake = arg;

	return ++fake->nonce * UINT64_C(0x9e3779b97f4a7c15);
}

static const char *grant(void *arg, const struct gov_grant *wanted)
{
	return "sealed";
}

static void nudge(void *arg)
{
}

static struct gov_now now(const struct fake *fake)
{
	return (struct gov_now){ .wall = fake->wall, .mono = fake->mono };
}

static struct gov_policy *parse(const char *text)
{
	struct gov_conf_faults faults = { 0 };
	struct gov_policy *policy;

	policy = gov_conf_parse(text, strlen(text), "test", NULL, &faults);
	for (size_t i = 0; !policy && i < faults.count; i++)
		fprintf(stderr, "%u:%u %s\n", faults.item[i].line,
			faults.item[i].column, faults.item[i].text);
	gov_conf_faults_free(&faults);
	ck_assert_ptr_nonnull(policy);
	return policy;
}

static void show_machine(struct fake *fake)
{
	char gres[32];
	struct gov_node_record node = { .name = "g1",
					.healthy = true,
					.installed = true,
					.cpus = 1024,
					.memory = 1 << 20,
					.sockets = 2,
					.threads = 1,
					.gres = gres };
	struct gov_partition_record partition = {
		.name = "main",
		.is_default = true,
		.nodes = "g1",
		.default_memory = GOV_SUB_UNSET,
		.default_memory_per_cpu = GOV_SUB_UNSET,
		.default_time = GOV_SUB_UNSET,
		.max_time = GOV_SUB_UNSET,
	};
	struct gov_machine machine = { &node, 1, &partition, 1,
				       fake->scrontab };

	snprintf(gres, sizeof(gres), "gpu:h100:%u", fake->gpus);
	gov_governor_set_machine(fake->governor, gov_machine_copy(&machine),
				 now(fake));
}

static void start_governor(struct fake *fake)
{
	struct gov_governor_setup setup = { .slurm_uid = FAKE_SLURM_UID,
					    .nonce = nonce,
					    .grant = grant,
					    .nudge = nudge,
					    .arg = fake };

	fake->governor = gov_governor_create(&setup, fake->policy, NULL);
	ck_assert_ptr_nonnull(fake->governor);
	gov_governor_set_members(fake->governor, fake->policy,
				 make_members(fake->policy), now(fake));
	show_machine(fake);
}

void fake_start(struct fake *fake, const char *policy_text, uint32_t gpus)
{
	memset(fake, 0, sizeof(*fake));
	if (getenv("FAKE_LOG"))
		gov_log_set_levels("debug");
	else
		gov_log_set_levels("fatal");
	fake->gpus = gpus;
	fake->wall = 1000000;
	fake->mono = 1000;
	fake->next_id = 1;
	fake->policy = parse(policy_text);
	start_governor(fake);
	fake_settle(fake);
}

void fake_stop(struct fake *fake)
{
	ck_assert_uint_eq(fake->forbidden, 0);
	gov_governor_destroy(fake->governor);
	gov_policy_unref(fake->policy);
}

void fake_restart_governor(struct fake *fake)
{
	gov_governor_destroy(fake->governor);
	start_governor(fake);
}

void fake_reload(struct fake *fake, const char *policy_text)
{
	struct gov_policy *policy = parse(policy_text);

	ck_assert_int_eq(gov_governor_set_policy(fake->governor, policy,
						 now(fake), NULL),
			 0);
	gov_policy_unref(fake->policy);
	fake->policy = policy;
	gov_governor_set_members(fake->governor, policy, make_members(policy),
				 now(fake));
}

void fake_set_gpus(struct fake *fake, uint32_t gpus)
{
	fake->gpus = gpus;
	show_machine(fake);
}

/* ---- submissions ---- */

/* The value of "word=value" in options, into a static buffer; or NULL. */
static const char *option(const char *options, const char *word, char *buffer)
{
	size_t length = strlen(word);

	for (const char *at = options; at && *at;
	     at += strcspn(at, " "), at += *at == ' ') {
		size_t n = strcspn(at, " ");

		if (n < length || strncmp(at, word, length))
			continue;
		snprintf(buffer, 64, "%.*s", (int) (n - length), at + length);
		return buffer;
	}
	return NULL;
}

static bool has(const char *options, const char *word)
{
	char buffer[64];
	const char *rest = option(options, word, buffer);

	return rest && !rest[0];
}

static bool ask(struct fake *fake, struct gov_submit_request *request,
		struct gov_answer *answer)
{
	struct gov_grant wanted;
	bool pending;

	gov_governor_submit(fake->governor, request, answer, &wanted, &pending,
			    now(fake));
	snprintf(fake->message, sizeof(fake->message), "%s",
		 answer->message ? answer->message : "");
	fake->code = answer->action == GOV_ANSWER_REFUSE ? answer->code :
							   GOV_OK;
	return answer->action != GOV_ANSWER_REFUSE;
}

static struct fake_job *create(struct fake *fake,
			       const struct gov_submission *s,
			       const struct gov_answer *answer, uint32_t gpus)
{
	struct fake_job *job = fake->job;

	while (job->id)
		job++;
	ck_assert(job < fake->job + FAKE_JOBS);
	*job = (struct fake_job){ .id = fake->next_id++,
				  .uid = s->uid,
				  .gpus = gpus,
				  .submitted = fake->wall,
				  .batch = s->batch,
				  .requeue = s->requeue };
	snprintf(job->account, sizeof(job->account), "%s",
		 s->account	 ? s->account :
		 answer->account ? answer->account :
				   "");
	snprintf(job->comment, sizeof(job->comment), "%s",
		 answer->admin_comment ? answer->admin_comment : "");
	if (s->dependency)
		snprintf(job->dependency, sizeof(job->dependency), "%s",
			 s->dependency);
	if (s->begin_time != GOV_SUB_UNSET)
		job->begin = (int64_t) s->begin_time;
	/* Slurm takes the flag from what is none of scrontab's. */
	job->cron = s->cron && fake->scrontab;
	if (answer->action == GOV_ANSWER_WAIT || s->hold) {
		job->held = true;
		job->reason = GOV_REASON_HELD_USER;
	}
	return job;
}

static bool submit(struct fake *fake, uint32_t uid, uint32_t gpus,
		   const char *options, uint32_t *id)
{
	char text[32], account[64], class[64], project[64], borrow[64],
		dependency[64], begin[64], warn[64];
	struct gov_submit_request request = { .kind = GOV_MSG_SUBMIT };
	struct gov_submission *s = &request.submission;
	struct gov_answer answer;

	gov_submission_init(s);
	snprintf(text, sizeof(text), "gres:gpu:%u", gpus);
	s->uid = s->submit_uid = uid;
	s->gid = 65534;
	s->tres_per_job = text;
	s->account = option(options, "account=", account);
	s->class_name = option(options, "class=", class);
	s->project_name = option(options, "project=", project);
	s->borrow = option(options, "borrow=", borrow);
	s->dependency = option(options, "dep=", dependency);
	if (option(options, "begin=", begin))
		s->begin_time = (uint64_t) (fake->wall + atoi(begin));
	s->batch = !has(options, "salloc");
	s->requeue = !has(options, "norequeue");
	s->het_offset = fake->het_offset;
	s->hold = has(options, "hold");
	s->immediate = has(options, "immediate");
	s->cron = has(options, "cron");
	if (option(options, "signal=", warn))
		s->warn_signal = (uint64_t) atoi(warn);
	if (!ask(fake, &request, &answer))
		return false;
	ck_assert_str_eq(answer.grant ? answer.grant : "none", "sealed");
	if (id)
		*id = create(fake, s, &answer, gpus)->id;
	return true;
}

uint32_t fake_submit(struct fake *fake, uint32_t uid, uint32_t gpus,
		     const char *options)
{
	uint32_t id = 0;

	submit(fake, uid, gpus, options, &id);
	return id;
}

bool fake_submit_het(struct fake *fake, uint32_t uid, const uint32_t *gpus,
		     uint32_t count, const char *options, uint32_t *ids)
{
	bool refused = false;

	for (uint32_t i = 0; i < count && !refused; i++) {
		fake->het_offset = i;
		refused = !submit(fake, uid, gpus[i], options, &ids[i]);
		for (uint32_t k = 0; refused && k < i; k++)
			fake_find(fake, ids[k])->id = 0;
	}
	fake->het_offset = 0;
	for (uint32_t i = 0; i < count && !refused; i++) {
		fake_find(fake, ids[i])->het_id = ids[0];
		fake_find(fake, ids[i])->het_offset = i;
	}
	return !refused;
}

uint32_t fake_must_submit(struct fake *fake, uint32_t uid, uint32_t gpus,
			  const char *options)
{
	uint32_t id = fake_submit(fake, uid, gpus, options);

	ck_assert_msg(id, "refused: %s", fake->message);
	return id;
}

bool fake_test_only(struct fake *fake, uint32_t uid, uint32_t gpus)
{
	return submit(fake, uid, gpus, NULL, NULL);
}

struct fake_job *fake_find(struct fake *fake, uint32_t id)
{
	for (size_t i = 0; i < FAKE_JOBS; i++)
		if (id && fake->job[i].id == id)
			return &fake->job[i];
	return NULL;
}

void fake_end(struct fake *fake, uint32_t id)
{
	struct fake_job *job = fake_find(fake, id);

	ck_assert_ptr_nonnull(job);
	job->state = GOV_SLURM_ENDED;
}

bool fake_scontrol(struct fake *fake, uint32_t uid, uint32_t id,
		   const char *what)
{
	struct gov_submit_request request = { .kind = GOV_MSG_MODIFY };
	struct fake_job *job = fake_find(fake, id);
	struct gov_answer answer;
	char account[64];

	ck_assert_ptr_nonnull(job);
	gov_submission_init(&request.submission);
	snprintf(request.modification.job_id,
		 sizeof(request.modification.job_id), "%u", id);
	request.modification.uid = uid;
	request.submission.account = option(what, "account=", account);
	request.modification.sets_priority = has(what, "release") ||
					     has(what, "hold");
	request.modification.priority = has(what, "hold") ? 0 : UINT32_MAX;
	if (!ask(fake, &request, &answer))
		return false;
	if (request.submission.account)
		snprintf(job->account, sizeof(job->account), "%s", account);
	if (answer.action == GOV_ANSWER_SWALLOW)
		return true;
	if (has(what, "release")) {
		if (uid && job->reason == GOV_REASON_HELD_ADMIN)
			return false;
		job->held = false;
		job->reason = GOV_REASON_OTHER;
	} else if (has(what, "hold") && !job->held) {
		job->held = true;
		job->reason = uid ? GOV_REASON_HELD_USER :
				    GOV_REASON_HELD_ADMIN;
	}
	return true;
}

/* ---- what is done to jobs ---- */

static void do_update(struct fake *fake, struct fake_job *job,
		      const struct gov_action *action)
{
	if (action->comment)
		snprintf(job->comment, sizeof(job->comment), "%s",
			 action->comment);
	if (action->hold == GOV_HOLD_ADMIN || action->hold == GOV_HOLD_USER) {
		job->held = true;
		job->reason = action->hold == GOV_HOLD_ADMIN ?
				      GOV_REASON_HELD_ADMIN :
				      GOV_REASON_HELD_USER;
	} else if (action->hold == GOV_HOLD_RELEASE) {
		job->held = false;
		job->reason = GOV_REASON_OTHER;
	}
	if (action->begin_now)
		job->begin = fake->wall;
}

static enum gov_outcome do_to(struct fake *fake, struct fake_job *job,
			      const struct gov_action *action)
{
	if (job->cron && !action->cron && action->kind != GOV_ACT_END_CRON) {
		fake->forbidden++;
		return GOV_OUTCOME_REFUSED;
	}
	switch (action->kind) {
	case GOV_ACT_UPDATE: do_update(fake, job, action); break;
	case GOV_ACT_SIGNAL:
		if (job->state != GOV_SLURM_RUNNING)
			return GOV_OUTCOME_STATE;
		job->signals++;
		job->last_signal = action->signal;
		break;
	case GOV_ACT_REQUEUE:
		if (job->state != GOV_SLURM_RUNNING || !job->batch ||
		    !job->requeue)
			return GOV_OUTCOME_STATE;
		job->state = GOV_SLURM_PENDING;
		job->completing = true;
		job->restarts++;
		job->held = true;
		job->reason = GOV_REASON_HELD_USER;
		job->started = 0;
		job->stopped_at = fake->wall;
		break;
	case GOV_ACT_END_CRON:
		if (!job->cron || job->state != GOV_SLURM_RUNNING)
			return GOV_OUTCOME_STATE;
		job->state = GOV_SLURM_PENDING;
		job->completing = true;
		job->restarts++;
		job->started = 0;
		job->stopped_at = fake->wall;
		break;
	case GOV_ACT_CANCEL:
		job->state = GOV_SLURM_ENDED;
		job->stopped_at = fake->wall;
		break;
	}
	return GOV_OUTCOME_DONE;
}

/* What the leader of a het job is told reaches all its components. */
static enum gov_outcome carry_out(struct fake *fake,
				  const struct gov_action *action)
{
	struct fake_job *job = fake_find(fake, (uint32_t) action->job);
	enum gov_outcome outcome = GOV_OUTCOME_GONE;

	if (fake->down)
		return GOV_OUTCOME_DOWN;
	if (!job || job->state == GOV_SLURM_ENDED)
		return GOV_OUTCOME_GONE;
	fake->actions++;
	if (fake->deaf)
		return GOV_OUTCOME_DONE;
	if (!job->het_id || strchr(action->address, '+'))
		return do_to(fake, job, action);
	ck_assert_uint_eq(job->het_offset, 0);
	for (size_t i = 0; i < FAKE_JOBS; i++)
		if (fake->job[i].id && fake->job[i].het_id == job->id)
			outcome = do_to(fake, &fake->job[i], action);
	return outcome;
}

static bool carry_all_out(struct fake *fake)
{
	struct gov_action *action;
	bool any = false;

	while ((action = gov_governor_action(fake->governor))) {
		any = true;
		action->outcome = carry_out(fake, action);
		fake->mono++;
		gov_governor_result(fake->governor, action, now(fake));
		gov_governor_tick(fake->governor, now(fake));
		gov_action_free(action);
	}
	return any;
}

/* ---- what Slurm shows and does ---- */

static struct gov_job_record *show(const struct fake_job *job)
{
	char tres[32], alloc[64], detail[64];
	const char *details[1] = { detail };
	struct gov_job_record r = {
		.id = job->id,
		.array_task = GOV_NO_TASK,
		.het_id = job->het_id,
		.het_offset = job->het_offset,
		.state = job->state,
		.completing = job->completing,
		.held = job->held,
		.reason = job->reason,
		.cron = job->cron,
		.dependency_open = job->dependency[0] != '\0',
		.restarts = job->restarts,
		.submitted = job->submitted,
		.begin = job->begin,
		.started = job->started,
		.success = job->state == GOV_SLURM_ENDED && !job->failed,
		.admin_comment = job->comment[0] ? job->comment : NULL,
	};

	gov_submission_init(&r.submission);
	snprintf(tres, sizeof(tres), "gres:gpu:%u", job->gpus);
	snprintf(alloc, sizeof(alloc), "cpu=1,node=1");
	snprintf(detail, sizeof(detail), "gpu:h100:%u(IDX:0-7)", job->gpus);
	r.submission.uid = job->uid;
	r.submission.gid = 65534;
	r.submission.account = job->account[0] ? job->account : NULL;
	r.submission.tres_per_job = tres;
	r.submission.batch = job->batch;
	r.submission.requeue = job->requeue;
	r.submission.dependency = job->dependency[0] ? job->dependency : NULL;
	if (job->state == GOV_SLURM_RUNNING || job->completing) {
		r.nodes = "g1";
		r.tres_alloc = alloc;
		r.gres_detail = details;
		r.gres_detail_count = 1;
	}
	return gov_job_record_copy(&r);
}

static void show_all(struct fake *fake)
{
	struct gov_job_record *records[FAKE_JOBS];
	struct gov_job_changes changes = { .complete = true,
					   .changed = records };
	int64_t began = ++fake->mono;

	fake->mono++;
	if (fake->down) {
		gov_governor_slurm_down(fake->governor);
		return;
	}
	for (size_t i = 0; i < FAKE_JOBS; i++)
		if (fake->job[i].id)
			records[changes.changed_count++] = show(&fake->job[i]);
	gov_governor_jobs(fake->governor, &changes, began, now(fake));
}

static uint32_t in_use(const struct fake *fake)
{
	uint32_t used = 0;

	for (size_t i = 0; i < FAKE_JOBS; i++)
		if (fake->job[i].id &&
		    (fake->job[i].state == GOV_SLURM_RUNNING ||
		     fake->job[i].completing))
			used += fake->job[i].gpus;
	return used;
}

/* As slurmctld: those of jobs that are not held are looked at at once. */
static void look_at_dependency(struct fake *fake, struct fake_job *job)
{
	const char *colon = strchr(job->dependency, ':');
	const struct fake_job *other;

	if (!colon || job->held)
		return;
	other = fake_find(fake, (uint32_t) atoi(colon + 1));
	if (!other || other->state == GOV_SLURM_ENDED)
		job->dependency[0] = '\0';
}

static bool is_eligible(struct fake *fake, struct fake_job *job)
{
	look_at_dependency(fake, job);
	return job->id && job->state == GOV_SLURM_PENDING && !job->held &&
	       !job->completing && !job->dependency[0] &&
	       job->begin <= fake->wall;
}

/* All components or none. */
static bool start_together(struct fake *fake, struct fake_job *first)
{
	uint32_t gpus = 0;

	for (int start = 0; start < 2; start++) {
		for (size_t i = 0; i < FAKE_JOBS; i++) {
			struct fake_job *job = &fake->job[i];

			if (job != first && (!first->het_id || !job->id ||
					     job->het_id != first->het_id))
				continue;
			if (!start && !is_eligible(fake, job))
				return false;
			gpus += job->gpus;
			if (!start)
				continue;
			job->state = GOV_SLURM_RUNNING;
			job->started = fake->wall;
		}
		if (!start && in_use(fake) + gpus > fake->gpus)
			return false;
	}
	return true;
}

/* First come, first served, whoever fits. */
static bool schedule(struct fake *fake)
{
	bool any = false;

	for (size_t i = 0; i < FAKE_JOBS; i++) {
		struct fake_job *job = &fake->job[i];

		if (job->completing) {
			/* The epilog is done. */
			job->completing = false;
			job->submitted = fake->wall;
			job->begin = fake->wall + 121;
			any = true;
			continue;
		}
		if (job->id && is_eligible(fake, job))
			any |= start_together(fake, job);
	}
	return any;
}

static bool round_once(struct fake *fake)
{
	bool any;

	show_all(fake);
	any = carry_all_out(fake);
	return schedule(fake) || any;
}

void fake_round(struct fake *fake)
{
	round_once(fake);
}

void fake_settle(struct fake *fake)
{
	int rounds = 0;

	while (round_once(fake))
		ck_assert_msg(++rounds < 100, "it does not settle");
	show_all(fake);
}

void fake_pass(struct fake *fake, int seconds)
{
	while (seconds--) {
		fake->wall++;
		fake->mono += 1000;
		gov_governor_tick(fake->governor, now(fake));
		carry_all_out(fake);
		fake_settle(fake);
	}
}

bool fake_runs(struct fake *fake, uint32_t id)
{
	const struct fake_job *job = fake_find(fake, id);

	return job && job->state == GOV_SLURM_RUNNING;
}

bool fake_waits(struct fake *fake, uint32_t id)
{
	const struct fake_job *job = fake_find(fake, id);

	return job && job->state == GOV_SLURM_PENDING && job->held &&
	       job->reason == GOV_REASON_HELD_ADMIN;
}

uint32_t fake_used(struct fake *fake, const char *account)
{
	uint32_t used = 0;

	for (size_t i = 0; i < FAKE_JOBS; i++)
		if (fake->job[i].id && !strcmp(fake->job[i].account, account) &&
		    (fake->job[i].state == GOV_SLURM_RUNNING ||
		     fake->job[i].completing))
			used += fake->job[i].gpus;
	return used;
}

void fake_check(struct fake *fake)
{
	const struct gov_policy *policy = fake->policy;
	struct gov_error error = { 0 };

	ck_assert_msg(!gov_engine_audit(gov_governor_engine(fake->governor),
					&error),
		      "%s", error.text);
	for (uint32_t i = 0; i < policy->unit_count; i++) {
		struct gov_cell_view view;

		if (!policy->unit[i].is_team)
			continue;
		gov_engine_view(gov_governor_engine(fake->governor), i, 0,
				&view);
		/* Admitted jobs that have not started count too. */
		ck_assert_uint_ge(view.usage + view.leaving,
				  fake_used(fake, policy->unit[i].account));
	}
}
