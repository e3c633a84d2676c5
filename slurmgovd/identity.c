/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose job it is: team, project, class. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "slurmgovd/governor_private.h"

#define TEAMS_MAX 32

bool gov_is_exempt(const struct gov_governor *g, uid_t uid, gid_t gid)
{
	return g->members &&
	       gov_members_has(g->members, GOV_MEMBER_OF_EXEMPT, 0, uid, gid);
}

/* ---- lists of valid choices, for sentences ---- */

struct text {
	char *at;
	size_t size;
	size_t used;
};

static void append(struct text *text, const char *word)
{
	int length;

	if (text->used >= text->size)
		return;
	length = snprintf(text->at + text->used, text->size - text->used,
			  "%s%s", text->used ? ", " : "", word);
	text->used += length > 0 ? (size_t) length : 0;
}

static const char *list_accounts(const struct gov_policy *policy,
				 const uint32_t *teams, size_t count,
				 char *buffer, size_t size)
{
	struct text text = { buffer, size, 0 };

	buffer[0] = '\0';
	for (size_t i = 0; i < count; i++)
		append(&text, policy->unit[teams[i]].account);
	return buffer;
}

static const char *list_classes(const struct gov_policy *policy, uint32_t team,
				char *buffer, size_t size)
{
	const bool *allowed = policy->unit[team].classes;
	struct text text = { buffer, size, 0 };

	buffer[0] = '\0';
	for (uint32_t i = 0; i < policy->class_count; i++)
		if (!allowed || allowed[i])
			append(&text, policy->class[i].name);
	return text.used ? buffer : "none";
}

static const char *list_projects(const struct gov_policy *policy, uint32_t team,
				 char *buffer, size_t size)
{
	struct text text = { buffer, size, 0 };

	buffer[0] = '\0';
	for (uint32_t i = 0; i < policy->project_count; i++)
		if (policy->project[i].team == team)
			append(&text, policy->project[i].name);
	return text.used ? buffer : "none";
}

/* ---- team ---- */

static int refuse_stranger(const struct gov_governor *g,
			   const struct gov_submission *s,
			   const uint32_t *teams, size_t count,
			   struct gov_error *error)
{
	char names[256];

	if (!count)
		return gov_error_set(error, GOV_R_NO_TEAM,
				     "your user (uid %u) is in no team of this "
				     "cluster; ask the owner of a team to add "
				     "you",
				     s->uid);
	return gov_error_set(error, GOV_R_NO_TEAM,
			     "account %s is not governed here; use --account "
			     "with one of yours: %s",
			     s->account,
			     list_accounts(g->policy, teams, count, names,
					   sizeof(names)));
}

static int team_of_account(const struct gov_governor *g,
			   const struct gov_submission *s,
			   const uint32_t *teams, size_t count,
			   struct gov_identity *identity,
			   struct gov_error *error)
{
	uint32_t team = gov_policy_find_account(g->policy, s->account);
	char names[256];

	if (team == GOV_NONE) {
		if (g->policy->ungoverned_allowed) {
			identity->standing = GOV_STANDING_FREE;
			return 0;
		}
		if (!count && !g->members_current)
			return 1;
		return refuse_stranger(g, s, teams, count, error);
	}
	for (size_t i = 0; i < count; i++)
		if (teams[i] == team) {
			identity->team = team;
			return 0;
		}
	if (!g->members_current)
		return 1;
	if (!count)
		return gov_error_set(error, GOV_R_NOT_MEMBER,
				     "your user (uid %u) is not a member of "
				     "team %s, nor of any other; ask its owner "
				     "to add you",
				     s->uid, g->policy->unit[team].name);
	return gov_error_set(error, GOV_R_NOT_MEMBER,
			     "your user (uid %u) is not a member of team %s; "
			     "use --account with one of yours: %s",
			     s->uid, g->policy->unit[team].name,
			     list_accounts(g->policy, teams, count, names,
					   sizeof(names)));
}

/* The only one of the user's teams that has the project, or GOV_NONE. */
static uint32_t team_of_project(const struct gov_policy *policy,
				const char *project, const uint32_t *teams,
				size_t count)
{
	uint32_t found = GOV_NONE;

	for (size_t i = 0; project && i < count; i++) {
		if (gov_policy_find_project(policy, teams[i], project) ==
		    GOV_NONE)
			continue;
		if (found != GOV_NONE)
			return GOV_NONE;
		found = teams[i];
	}
	return found;
}

static int find_team(const struct gov_governor *g,
		     const struct gov_submission *s,
		     struct gov_identity *identity, struct gov_error *error)
{
	uint32_t teams[TEAMS_MAX];
	char names[256];
	size_t count = gov_members_teams(g->members, s->uid, s->gid, teams,
					 TEAMS_MAX);

	if (s->account)
		return team_of_account(g, s, teams, count, identity, error);
	if (!count) {
		if (!g->members_current)
			return 1;
		if (!g->policy->ungoverned_allowed)
			return refuse_stranger(g, s, teams, count, error);
		identity->standing = GOV_STANDING_FREE;
		return 0;
	}
	identity->team = count == 1 ?
				 teams[0] :
				 team_of_project(g->policy, s->project_name,
						 teams, count);
	if (identity->team != GOV_NONE)
		return 0;
	return gov_error_set(error, GOV_R_WHICH_TEAM,
			     "you are in several teams; say which with "
			     "--account: %s",
			     list_accounts(g->policy, teams, count, names,
					   sizeof(names)));
}

/* ---- class and project ---- */

/* The class of a job that names none; GOV_NONE: the team may use none. */
static uint32_t default_class(const struct gov_policy *policy, uint32_t team)
{
	const bool *allowed = policy->unit[team].classes;
	uint32_t lowest = GOV_NONE;

	for (uint32_t i = 0; i < policy->class_count; i++) {
		if (allowed && !allowed[i])
			continue;
		if (policy->class[i].is_default)
			return i;
		if (lowest == GOV_NONE ||
		    policy->class[i].weight < policy->class[lowest].weight)
			lowest = i;
	}
	return lowest;
}

static int find_class(const struct gov_governor *g, const char *name,
		      struct gov_identity *identity, struct gov_error *error)
{
	const struct gov_policy *policy = g->policy;
	const struct gov_unit *team = &policy->unit[identity->team];
	char names[256];

	if (!name) {
		identity->class = default_class(policy, identity->team);
		if (identity->class != GOV_NONE)
			return 0;
		return gov_error_set(error, GOV_R_CLASS_DENIED,
				     "team %s may use no priority class; ask "
				     "its owner",
				     team->name);
	}
	identity->class = gov_policy_find_class(policy, name);
	if (identity->class == GOV_NONE)
		return gov_error_set(error, GOV_R_NO_CLASS,
				     "there is no priority class %.64s; use "
				     "--gov-class with one of: %s",
				     name,
				     list_classes(policy, identity->team, names,
						  sizeof(names)));
	if (team->classes && !team->classes[identity->class])
		return gov_error_set(error, GOV_R_CLASS_DENIED,
				     "priority class %s is not for team %s; "
				     "use --gov-class with one of: %s",
				     policy->class[identity->class].name,
				     team->name,
				     list_classes(policy, identity->team, names,
						  sizeof(names)));
	return 0;
}

static int find_project(const struct gov_governor *g,
			const struct gov_submission *s,
			struct gov_identity *identity, struct gov_error *error)
{
	const struct gov_policy *policy = g->policy;
	const struct gov_unit *team = &policy->unit[identity->team];
	const struct gov_project *project;
	char names[256];

	identity->project = GOV_NONE;
	if (!s->project_name)
		return 0;
	identity->project = gov_policy_find_project(policy, identity->team,
						    s->project_name);
	if (identity->project == GOV_NONE)
		return gov_error_set(error, GOV_R_NO_PROJECT,
				     "team %s has no project %.64s; use "
				     "--gov-project with one of: %s",
				     team->name, s->project_name,
				     list_projects(policy, identity->team,
						   names, sizeof(names)));
	project = &policy->project[identity->project];
	if (!project->members.count ||
	    gov_members_has(g->members, GOV_MEMBER_OF_PROJECT,
			    identity->project, s->uid, s->gid))
		return 0;
	if (!g->members_current)
		return 1;
	return gov_error_set(error, GOV_R_NO_PROJECT,
			     "your user (uid %u) is not a member of project "
			     "%s of team %s; ask the team's owner to add you",
			     s->uid, project->name, team->name);
}

/* Whoever made the reservation has decided. */
static bool is_set_apart(const struct gov_governor *g,
			 const struct gov_submission *s)
{
	return gov_is_exempt(g, s->uid, s->gid) ||
	       (g->policy->reservations_exempt && s->reservation &&
		s->reservation[0]);
}

int gov_identify(const struct gov_governor *g, const struct gov_submission *s,
		 struct gov_identity *identity, struct gov_error *error)
{
	int rc;

	*identity = (struct gov_identity){ .standing = GOV_STANDING_GOVERNED,
					   .team = GOV_NONE,
					   .project = GOV_NONE,
					   .class = GOV_NONE };
	if (!g->members)
		return 1;
	if (is_set_apart(g, s)) {
		identity->standing = GOV_STANDING_FREE;
		return 0;
	}
	rc = find_team(g, s, identity, error);
	if (rc || identity->standing == GOV_STANDING_FREE)
		return rc;
	rc = find_class(g, s->class_name, identity, error);
	return rc ? rc : find_project(g, s, identity, error);
}

/*
 * A stamp was written by us (or by an operator): its team needs no proof,
 * unless the job's account has been changed since to another team's.
 */
static bool stamp_decides(const struct gov_governor *g,
			  const struct gov_tracked *job,
			  struct gov_identity *identity)
{
	const char *account = job->record->submission.account;
	uint32_t of_account = GOV_NONE;

	if (!job->stamp.team[0])
		return false;
	identity->team = gov_policy_find_unit(g->policy, job->stamp.team);
	if (identity->team == GOV_NONE ||
	    !g->policy->unit[identity->team].is_team)
		return false;
	if (account)
		of_account = gov_policy_find_account(g->policy, account);
	return of_account == GOV_NONE || of_account == identity->team;
}

int gov_identify_job(const struct gov_governor *g,
		     const struct gov_tracked *job,
		     struct gov_identity *identity, struct gov_error *error)
{
	struct gov_submission s = job->record->submission;
	const struct gov_stamp *stamp = &job->stamp;

	if (stamp->class_name[0])
		s.class_name = stamp->class_name;
	if (stamp->project[0])
		s.project_name = stamp->project;
	*identity = (struct gov_identity){ .standing = GOV_STANDING_GOVERNED };
	if (is_set_apart(g, &s)) {
		identity->standing = GOV_STANDING_FREE;
		return 0;
	}
	if (!stamp_decides(g, job, identity))
		return gov_identify(g, &s, identity, error);
	/* What the policy no longer has does not make a job homeless. */
	identity->class = s.class_name ? gov_policy_find_class(g->policy,
							       s.class_name) :
					 GOV_NONE;
	if (identity->class == GOV_NONE)
		identity->class = default_class(g->policy, identity->team);
	if (identity->class == GOV_NONE)
		return find_class(g, NULL, identity, error);
	identity->project = GOV_NONE;
	if (s.project_name)
		identity->project = gov_policy_find_project(g->policy,
							    identity->team,
							    s.project_name);
	return 0;
}
