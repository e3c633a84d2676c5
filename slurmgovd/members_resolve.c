/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names to ids.  May hang as long as the name service does. */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "slurmgovd/log.h"
#include "slurmgovd/members.h"

/* Where a list goes to in the table. */
struct place {
	struct gov_members *members;
	enum gov_member_of kind;
	uint32_t index;
	const char *what; /* for the log */
	char **buffer;	  /* grows, shared by all look-ups */
	size_t *size;
};

static int grow(const struct place *place)
{
	size_t size = *place->size ? *place->size * 2 : 16384;
	char *bigger;

	/* 64 MiB: a group of two million users; more is a broken service. */
	if (size > 64u << 20)
		return -1;
	bigger = realloc(*place->buffer, size);
	if (!bigger)
		return -1;
	*place->buffer = bigger;
	*place->size = size;
	return 0;
}

/* 0 found, 1 there is no such user, -1 no memory. */
static int user_id(const struct place *place, const char *name, uid_t *uid)
{
	struct passwd entry, *found = NULL;
	int rc;

	while ((rc = getpwnam_r(name, &entry, *place->buffer, *place->size,
				&found)) == ERANGE)
		if (grow(place))
			return -1;
	if (!found) {
		gov_log(GOV_LOG_MEMBERS, rc ? GOV_LOG_ERROR : GOV_LOG_VERBOSE,
			"%s: user %s: %s", place->what, name,
			rc ? strerror(rc) : "there is no such user");
		return 1;
	}
	*uid = entry.pw_uid;
	return 0;
}

static int add_user(const struct place *place, const char *name)
{
	uid_t uid;
	int rc = user_id(place, name, &uid);

	if (rc)
		return rc < 0 ? -1 : 0;
	return gov_members_add_user(place->members, place->kind, place->index,
				    uid);
}

/* The names of a group's members, copied: the buffer is used for them next. */
static char **copy_names(char *const *names)
{
	size_t count = 0;
	char **copy;

	while (names[count])
		count++;
	copy = calloc(count + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < count; i++) {
		copy[i] = strdup(names[i]);
		if (!copy[i])
			break;
	}
	return copy;
}

static void free_names(char **names)
{
	for (size_t i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

static int add_group(const struct place *place, const char *name)
{
	struct group entry, *found = NULL;
	char **names;
	int rc;

	while ((rc = getgrnam_r(name, &entry, *place->buffer, *place->size,
				&found)) == ERANGE)
		if (grow(place))
			return -1;
	if (!found) {
		gov_log(GOV_LOG_MEMBERS, rc ? GOV_LOG_ERROR : GOV_LOG_VERBOSE,
			"%s: group %s: %s", place->what, name,
			rc ? strerror(rc) : "there is no such group");
		return 0;
	}
	/* Those whose primary group it is are matched by gid. */
	if (gov_members_add_group(place->members, place->kind, place->index,
				  entry.gr_gid))
		return -1;
	names = copy_names(entry.gr_mem);
	if (!names)
		return -1;
	rc = 0;
	for (size_t i = 0; names[i] && !rc; i++)
		rc = add_user(place, names[i]);
	free_names(names);
	return rc;
}

static int add_list(const struct place *place,
		    const struct gov_member_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const struct gov_member *member = &list->item[i];
		int rc = member->kind == GOV_MEMBER_GROUP ?
				 add_group(place, member->name) :
				 add_user(place, member->name);

		if (rc)
			return -1;
	}
	return 0;
}

static int add_policy(struct place *place, const struct gov_policy *policy)
{
	int rc = 0;

	for (uint32_t i = 0; i < policy->unit_count && !rc; i++) {
		place->what = policy->unit[i].name;
		place->index = i;
		place->kind = GOV_MEMBER_OF_TEAM;
		rc = add_list(place, &policy->unit[i].members);
		place->kind = GOV_MEMBER_OF_OWNERS;
		if (!rc)
			rc = add_list(place, &policy->unit[i].owners);
	}
	for (uint32_t i = 0; i < policy->project_count && !rc; i++) {
		place->what = policy->project[i].name;
		place->index = i;
		place->kind = GOV_MEMBER_OF_PROJECT;
		rc = add_list(place, &policy->project[i].members);
	}
	place->index = 0;
	place->what = "ExemptUsers";
	place->kind = GOV_MEMBER_OF_EXEMPT;
	if (!rc)
		rc = add_list(place, &policy->exempt);
	place->what = "Operators";
	place->kind = GOV_MEMBER_OF_OPERATORS;
	if (!rc)
		rc = add_list(place, &policy->operators);
	return rc;
}

struct gov_members *gov_members_resolve(const struct gov_policy *policy)
{
	char *buffer = NULL;
	size_t size = 0;
	struct place place = { .members = gov_members_create(),
			       .buffer = &buffer,
			       .size = &size };
	int rc = place.members ? grow(&place) : -1;

	if (!rc)
		rc = add_policy(&place, policy);
	free(buffer);
	if (rc) {
		gov_members_free(place.members);
		return NULL;
	}
	gov_members_finish(place.members);
	return place.members;
}
