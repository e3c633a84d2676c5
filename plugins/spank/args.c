/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/spank/args.h"

#include <pwd.h>
#include <string.h>

/* Digits only.  -1: none, or greater than max. */
static int64_t parse_number(const char *text, size_t length, int64_t max)
{
	int64_t n = 0;

	if (!length)
		return -1;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9' ||
		    __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, text[i] - '0', &n))
			return -1;
	}
	return n <= max ? n : -1;
}

static bool set_grant(struct node_args *args, const char *value)
{
	static const char *const modes[] = {
		[NODE_GRANT_ENFORCE] = "enforce",
		[NODE_GRANT_WARN] = "warn",
		[NODE_GRANT_OFF] = "off",
	};

	for (int i = 0; i <= NODE_GRANT_OFF; i++)
		if (strcmp(value, modes[i]) == 0) {
			args->grant = (enum node_grant_mode) i;
			return true;
		}
	return false;
}

static bool set_missing(struct node_args *args, const char *value)
{
	args->allow_missing = strcmp(value, "allow") == 0;
	return args->allow_missing || strcmp(value, "refuse") == 0;
}

static bool set_run_dir(struct node_args *args, const char *value)
{
	if (value[0] != '/' || value[1] == '\0')
		return false;
	args->run_dir = value;
	return true;
}

static bool set_encoder(struct node_args *args, const char *value)
{
	if (!*value)
		return false;
	args->encoder = value;
	return true;
}

static bool set_max_age(struct node_args *args, const char *value)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = {
		{ 's', 1 },
		{ 'm', 60 },
		{ 'h', 3600 },
		{ 'd', 86400 },
	};
	const int64_t longest = 3660 * INT64_C(86400);
	size_t length = strlen(value);
	int64_t factor = 1;
	int64_t n;

	for (size_t i = 0; length && i < sizeof(units) / sizeof(*units); i++)
		if (value[length - 1] == units[i].unit) {
			factor = units[i].seconds;
			length--;
			break;
		}
	n = parse_number(value, length, longest / factor);
	if (n <= 0)
		return false;
	args->max_age = n * factor;
	return true;
}

static bool set_munge_socket(struct node_args *args, const char *value)
{
	if (value[0] != '/')
		return false;
	args->munge_socket = value;
	return true;
}

/* ---- directories ---- */

/* Absolute and in one spelling: "/a/b", not "/a//b", "/a/", "/a/./b". */
static bool is_plain_path(const char *path)
{
	if (path[0] != '/')
		return false;
	for (const char *part = path; *part; part += strcspn(part, "/")) {
		size_t length = strcspn(++part, "/");

		if (!length || (length == 1 && part[0] == '.') ||
		    (length == 2 && part[0] == '.' && part[1] == '.'))
			return false;
	}
	return !strchr(path, ':');
}

static bool is_within(const char *inner, const char *outer)
{
	size_t length = strlen(outer);

	return strncmp(inner, outer, length) == 0 &&
	       (inner[length] == '/' || inner[length] == '\0');
}

static bool overlaps(const struct node_directories *dirs, const char *path)
{
	for (int i = 0; i < dirs->count; i++)
		if (is_within(path, dirs->path[i]) ||
		    is_within(dirs->path[i], path))
			return true;
	return false;
}

static bool set_directories(struct node_directories *dirs,
			    const struct node_directories *others,
			    const char *value)
{
	dirs->count = 0;
	if (strcmp(value, "none") == 0)
		return true;
	for (;; value++) {
		size_t length = strcspn(value, ",");
		char *path = dirs->path[dirs->count];

		if (dirs->count == NODE_DIRECTORIES || length >= NODE_DIRECTORY)
			return false;
		memcpy(path, value, length);
		path[length] = '\0';
		if (!is_plain_path(path) || overlaps(dirs, path) ||
		    overlaps(others, path))
			return false;
		dirs->count++;
		value += length;
		if (!*value)
			return true;
	}
}

static bool set_job_dirs(struct node_args *args, const char *value)
{
	return set_directories(&args->job_dirs, &args->team_dirs, value);
}

static bool set_team_dirs(struct node_args *args, const char *value)
{
	return set_directories(&args->team_dirs, &args->job_dirs, value);
}

static bool set_private_base(struct node_args *args, const char *value)
{
	args->private_base = value;
	return is_plain_path(value);
}

static bool set_processes(struct node_args *args, const char *value)
{
	args->hide_processes = strcmp(value, "hide") == 0;
	return args->hide_processes || strcmp(value, "show") == 0;
}

#define DIRECTORIES                                            \
	"none, or at most 8 absolute paths with commas, none " \
	"within another of job_dirs= and team_dirs="

static const struct argument {
	const char *key;
	bool (*set)(struct node_args *args, const char *value);
	const char *expected;
} arguments[] = {
	{ "grant", set_grant, "enforce, warn or off" },
	{ "missing_grant", set_missing, "refuse or allow" },
	{ "run_dir", set_run_dir, "an absolute path" },
	{ "encoder", set_encoder, "a user" },
	{ "max_age", set_max_age,
	  "a time as 3600, 90m, 12h or 30d, at most 3660d" },
	{ "munge_socket", set_munge_socket, "an absolute path" },
	{ "job_dirs", set_job_dirs, DIRECTORIES },
	{ "team_dirs", set_team_dirs, DIRECTORIES },
	{ "private_base", set_private_base, "an absolute path" },
	{ "processes", set_processes, "hide or show" },
};
#define ARGUMENTS (sizeof(arguments) / sizeof(*arguments))

static const struct argument *find_argument(const char *text, size_t length)
{
	for (size_t i = 0; i < ARGUMENTS; i++)
		if (strlen(arguments[i].key) == length &&
		    memcmp(arguments[i].key, text, length) == 0)
			return &arguments[i];
	return NULL;
}

/* 0, or -1 with what is wrong. */
static int parse_argument(struct node_args *args, const char *text,
			  unsigned *seen, struct gov_error *error)
{
	const char *equals = strchr(text, '=');
	const struct argument *a =
		equals ? find_argument(text, (size_t) (equals - text)) : NULL;
	const struct node_args before = *args;
	unsigned bit;

	if (!a)
		return gov_error_set(error, GOV_E_UNKNOWN_KEY,
				     "argument '%s' is none of grant= "
				     "missing_grant= run_dir= encoder= "
				     "max_age= munge_socket= job_dirs= "
				     "team_dirs= private_base= processes=",
				     text);
	bit = 1u << (a - arguments);
	if (*seen & bit)
		return gov_error_set(error, GOV_E_DUPLICATE,
				     "argument '%s': %s= was given before, "
				     "and that counts",
				     text, a->key);
	*seen |= bit;
	if (!a->set(args, equals + 1)) {
		*args = before;
		return gov_error_set(error, GOV_E_VALUE,
				     "argument '%s': %s= takes %s; the "
				     "default counts",
				     text, a->key, a->expected);
	}
	return 0;
}

int node_args_parse(struct node_args *args, int ac, char **av,
		    void (*complain)(const char *sentence))
{
	struct gov_error error;
	unsigned seen = 0;
	int complaints = 0;

	*args = (struct node_args){
		.grant = NODE_GRANT_ENFORCE,
		.run_dir = NODE_RUN_DIR,
		.encoder = NODE_ENCODER,
		.max_age = NODE_MAX_AGE,
		.job_dirs = { { "/tmp", "/var/tmp", "/dev/shm" }, 3 },
		.private_base = NODE_PRIVATE_BASE,
		.hide_processes = true,
	};
	for (int i = 0; i < ac; i++) {
		if (parse_argument(args, av[i], &seen, &error) == 0)
			continue;
		complaints++;
		if (complain)
			complain(error.text);
	}
	return complaints;
}

int node_args_uid(const char *user, uid_t *uid, struct gov_error *error)
{
	char buffer[4096];
	struct passwd record, *found = NULL;
	int64_t n = parse_number(user, strlen(user), UINT32_MAX - 1);
	int rc;

	if (n >= 0) {
		*uid = (uid_t) n;
		return 0;
	}
	rc = getpwnam_r(user, &record, buffer, sizeof(buffer), &found);
	if (found) {
		*uid = found->pw_uid;
		return 0;
	}
	return gov_error_set(error, GOV_E_VALUE,
			     "encoder=%s: %s; give the uid of SlurmUser", user,
			     rc ? strerror(rc) : "there is no such user here");
}
