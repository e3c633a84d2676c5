/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Life of a governor, its policy, members, nodes, and time. */
#include "slurmgovd/governor.h"

#include <stdlib.h>
#include <string.h>

#include "slurmgovd/governor_private.h"
#include "slurmgovd/log.h"
#include "slurmgovd/usage_file.h"

struct gov_governor *gov_governor_create(const struct gov_governor_setup *setup,
					 struct gov_policy *policy,
					 struct gov_error *error)
{
	struct gov_governor *g = calloc(1, sizeof(*g));

	if (!g) {
		gov_error_set(error, GOV_E_NOMEM, "no memory for the governor");
		return NULL;
	}
	g->setup = *setup;
	g->last_action = &g->first_action;
	g->next_begin = INT64_MAX;
	g->next_retry = INT64_MAX;
	g->next_place = INT64_MAX;
	g->engine = gov_engine_create(policy, error);
	if (!g->engine) {
		free(g);
		return NULL;
	}
	g->policy = gov_policy_ref(policy);
	return g;
}

static void free_jobs(struct gov_governor *g)
{
	for (size_t i = 0; i < g->jobs.size; i++) {
		struct gov_tracked *job = g->jobs.slot[i].value;

		if (!g->jobs.slot[i].id)
			continue;
		gov_job_record_free(job->record);
		gov_job_record_free(job->own);
		free(job->text);
		free(job);
	}
	gov_idmap_free(&g->jobs);
}

void gov_governor_destroy(struct gov_governor *g)
{
	struct gov_action *action;

	if (!g)
		return;
	while ((action = gov_governor_action(g)))
		gov_action_free(action);
	gov_het_free(g);
	free_jobs(g);
	gov_provisional_free(g);
	gov_ended_free(g);
	gov_decision_list_free(&g->decisions);
	gov_orders_free(&g->orders);
	gov_engine_destroy(g->engine);
	gov_members_free(g->members);
	gov_machine_free(g->machine);
	gov_places_map_free(g->map);
	free(g->shape);
	gov_policy_unref(g->policy);
	free(g);
}

/* When the last of job list, nodes and members is there, judging begins. */
static void check_ready(struct gov_governor *g, struct gov_now now)
{
	struct gov_governor_health *health = &g->health;

	if (health->ready || !health->jobs_known || !health->machine_known ||
	    !health->members_known)
		return;
	health->ready = true;
	gov_judge_all(g, now);
	gov_governor_tell_all(g, now);
	gov_log(GOV_LOG_MAIN, GOV_LOG_INFO,
		"governing cluster %s: %zu jobs known, enforcement %s",
		g->policy->cluster_name ? g->policy->cluster_name : "(any)",
		g->jobs.count, gov_is_observing(g) ? "observe" : "enforce");
}

/* ---- policy and members ---- */

int gov_governor_set_policy(struct gov_governor *g, struct gov_policy *policy,
			    struct gov_now now, struct gov_error *error)
{
	struct gov_members *members = NULL;
	bool observed = gov_is_observing(g);

	if (g->members) {
		members = gov_members_rebase(g->members, g->policy, policy);
		if (!members)
			return gov_error_set(error, GOV_E_NOMEM,
					     "no memory for the members");
	}
	if (gov_engine_set_policy(g->engine, policy, error)) {
		gov_members_free(members);
		return -1;
	}
	gov_policy_ref(policy);
	gov_policy_unref(g->policy);
	g->policy = policy;
	gov_members_free(g->members);
	g->members = members;
	g->members_current = false;
	gov_orders_apply(g);
	if (gov_capacity_update(g))
		gov_log(GOV_LOG_ENGINE, GOV_LOG_ERROR,
			"no memory to count the nodes of the new policy");
	if (observed && !gov_is_observing(g))
		gov_forget_observed(g);
	g->policy_changed = true;
	/* What is being submitted meanwhile was summed up in other cells. */
	memset(g->chain, 0, sizeof(g->chain));
	if (g->health.ready)
		gov_tell_policy(g, now);
	if (g->health.ready)
		gov_judge_all(g, now);
	g->policy_changed = false;
	gov_governor_tick(g, now);
	return 0;
}

void gov_governor_set_members(struct gov_governor *g,
			      const struct gov_policy *policy,
			      struct gov_members *members, struct gov_now now)
{
	if (policy != g->policy) {
		gov_members_free(members);
		return;
	}
	gov_members_free(g->members);
	g->members = members;
	g->members_current = true;
	g->health.members_known = true;
	/* Who was unknown may be known now. */
	for (size_t i = 0; g->health.ready && i < g->jobs.size; i++) {
		struct gov_tracked *job = g->jobs.slot[i].value;

		if (g->jobs.slot[i].id &&
		    (!job->judged || job->standing != GOV_STANDING_GOVERNED))
			gov_judge(g, job, now);
	}
	gov_governor_tick(g, now);
}

bool gov_governor_is_operator(const struct gov_governor *g, uid_t uid)
{
	return uid == 0 || uid == g->setup.slurm_uid ||
	       (g->members &&
		gov_members_has(g->members, GOV_MEMBER_OF_OPERATORS, 0, uid,
				(gid_t) -1));
}

bool gov_governor_is_member(const struct gov_governor *g, uid_t uid, gid_t gid,
			    uint32_t team)
{
	return g->members &&
	       gov_members_has(g->members, GOV_MEMBER_OF_TEAM, team, uid, gid);
}

/* ---- nodes ---- */

static void warn_oversold(const struct gov_governor *g)
{
	const struct gov_policy *policy = g->policy;

	for (uint32_t i = 0; i < policy->cell_count; i++) {
		struct gov_cell_view view;
		gov_amount_t sum;
		int rc;

		gov_engine_view(g->engine, GOV_NONE, i, &view);
		rc = gov_policy_oversold(policy, i, view.capacity, &sum);
		if (!rc)
			continue;
		gov_log(GOV_LOG_MAIN, GOV_LOG_INFO,
			"pool %s has %llu of %s in service and promises %llu%s",
			policy->pool[policy->cell[i].pool].name,
			(unsigned long long) view.capacity,
			policy->tres[policy->cell[i].tres].name,
			(unsigned long long) sum,
			rc < 0 ? ", more than its Oversell= allows" : "");
	}
}

void gov_governor_set_machine(struct gov_governor *g,
			      struct gov_machine *machine, struct gov_now now)
{
	gov_machine_free(g->machine);
	g->machine = machine;
	g->health.machine_known = true;
	if (gov_capacity_update(g)) {
		gov_log(GOV_LOG_ENGINE, GOV_LOG_ERROR,
			"no memory to count the nodes");
		return;
	}
	gov_places_update(g, now);
	warn_oversold(g);
	gov_governor_tick(g, now);
}

int gov_governor_load_usage(struct gov_governor *g, const char *directory,
			    struct gov_error *error)
{
	return gov_usage_load(directory, g->engine, error);
}

/* ---- time ---- */

void gov_governor_tick(struct gov_governor *g, struct gov_now now)
{
	check_ready(g, now);
	if (!g->health.ready)
		return;
	gov_judge_begun(g, now);
	gov_watch_line(g, now);
	gov_decide(g, now);
	gov_reconcile(g, now);
}

void gov_governor_next(const struct gov_governor *g, struct gov_now now,
		       gov_time_t *wall, int64_t *mono)
{
	*wall = *mono = INT64_MAX;
	if (!g->health.ready)
		return;
	*wall = gov_engine_next(g->engine, now.wall);
	if (g->next_begin < *wall)
		*wall = g->next_begin;
	*mono = g->unfinished ? now.mono : g->next_retry;
	if (g->next_place < *mono)
		*mono = g->next_place;
}

/* ---- views ---- */

const struct gov_policy *gov_governor_policy(const struct gov_governor *g)
{
	return g->policy;
}

const struct gov_engine *gov_governor_engine(const struct gov_governor *g)
{
	return g->engine;
}

bool gov_governor_is_leaving(const struct gov_governor *g)
{
	for (uint32_t cell = 0; cell < g->policy->cell_count; cell++) {
		struct gov_cell_view view;

		gov_engine_view_sums(g->engine, GOV_NONE, cell, &view);
		if (view.leaving)
			return true;
	}
	return false;
}

size_t gov_governor_provisional(const struct gov_governor *g)
{
	return g->provisional.count;
}

void gov_governor_health(const struct gov_governor *g,
			 struct gov_governor_health *health)
{
	*health = g->health;
	health->jobs = g->jobs.count;
}
