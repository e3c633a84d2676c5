/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/users.h"

#include <pwd.h>
#include <stdlib.h>

#include "sgov/sgov.h"

#define REMEMBERED 64

uid_t sgov_uid_of(const char *name)
{
	struct passwd *user = getpwnam(name);
	unsigned long uid;
	char *end;

	if (user)
		return user->pw_uid;
	if (*name < '0' || *name > '9')
		return (uid_t) -1;
	uid = strtoul(name, &end, 10);
	return *end || uid > (uid_t) -2 ? (uid_t) -1 : (uid_t) uid;
}

/* Name service may be slow, and a queue has many jobs of few users. */
const char *sgov_user_name(uid_t uid)
{
	static struct {
		uid_t uid;
		char *name;
	} known[REMEMBERED];
	struct passwd *user;
	size_t i = uid % REMEMBERED;

	if (known[i].name && known[i].uid == uid)
		return known[i].name;
	user = getpwuid(uid);
	free(known[i].name);
	known[i].uid = uid;
	known[i].name = user ? sgov_copy(user->pw_name) :
			       sgov_printf("%lu", (unsigned long) uid);
	return known[i].name;
}

static void name_user(struct json_object *object)
{
	struct json_object *uid = sgov_json_object(object, "uid");

	if (json_object_is_type(uid, json_type_int) &&
	    !sgov_json_object(object, "user"))
		sgov_json_set(object, "user",
			      sgov_user_name(
				      (uid_t) json_object_get_int64(uid)));
}

void sgov_name_users(struct json_object *answer)
{
	static const char *const lists[] = { "jobs", "candidates" };

	name_user(sgov_json_object(answer, "job"));
	for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); l++)
		for (size_t i = 0; i < sgov_json_count(answer, lists[l]); i++)
			name_user(sgov_json_item(answer, lists[l], i));
}
