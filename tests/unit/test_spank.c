/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole SPANK plugin, with this file in the place of Slurm: what it
 * registers, and what prolog, tasks and epilog do with verdicts.  With real
 * grants and a real Slurm: tests/e2e/3*.
 */
#include <slurm/spank.h>

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugins/spank/login.h"
#include "plugins/spank/rundir.h"
#include "tests/unit/unit.h"

/* ---- Slurm ---- */

static enum spank_context context;
static uint32_t job_id;
static uid_t job_uid;
static int task_id;
static bool items_fail;
static struct spank_option *registered[8];
static int registrations;
static char environment[16][2][128];
static char said[4096];	 /* all that was logged */
static char shown[4096]; /* all that a user sees */

spank_context_t spank_context(void)
{
	return context;
}

const char *spank_strerror(spank_err_t err)
{
	return "failed";
}

spank_err_t spank_option_register(spank_t spank, struct spank_option *opt)
{
	ck_assert_int_lt(registrations, 8);
	registered[registrations++] = opt;
	return ESPANK_SUCCESS;
}

spank_err_t spank_get_item(spank_t spank, spank_item_t item, ...)
{
	va_list args;

	if (items_fail)
		return ESPANK_ERROR;
	va_start(args, item);
	if (item == S_JOB_ID)
		*va_arg(args, uint32_t *) = job_id;
	else if (item == S_JOB_UID)
		*va_arg(args, uid_t *) = job_uid;
	else if (item == S_TASK_ID)
		*va_arg(args, int *) = task_id;
	else
		ck_abort_msg("item %d", item);
	va_end(args);
	return ESPANK_SUCCESS;
}

static int find(const char *name)
{
	for (int i = 0; i < 16; i++)
		if (strcmp(environment[i][0], name) == 0)
			return i;
	return -1;
}

spank_err_t spank_setenv(spank_t spank, const char *var, const char *val,
			 int overwrite)
{
	int i = find(var);

	ck_assert_int_eq(overwrite, 1);
	if (i < 0)
		i = find("");
	strcpy(environment[i][0], var);
	strcpy(environment[i][1], val);
	return ESPANK_SUCCESS;
}

spank_err_t spank_unsetenv(spank_t spank, const char *var)
{
	int i = find(var);

	if (i < 0)
		return ESPANK_ENV_NOEXIST;
	environment[i][0][0] = '\0';
	return ESPANK_SUCCESS;
}

#define LOGGER(name, into)                                           \
	void name(const char *format, ...)                           \
	{                                                            \
		size_t n = strlen(into);                             \
		va_list args;                                        \
                                                                     \
		va_start(args, format);                              \
		vsnprintf(into + n, sizeof(into) - n, format, args); \
		va_end(args);                                        \
	}
LOGGER(slurm_error, said)
LOGGER(slurm_info, said)
LOGGER(slurm_verbose, said)
LOGGER(slurm_debug, said)

/* Straight to the user: the task may be about to end. */
void slurm_spank_log(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(shown, sizeof(shown), format, args);
	va_end(args);
	fprintf(stderr, "%s\n", shown);
}

/* ---- a node ---- */

static char top[] = "/tmp/gov-spank-XXXXXX";
static char run_dir[64], run_dir_word[96], socket_word[96];
static char mode_word[32], missing_word[32];
static char *av[] = { run_dir_word, socket_word, mode_word, missing_word };
#define AC ((int) (sizeof(av) / sizeof(*av)))

/* Around all tests: one that ends its process cannot tidy up. */
static void make_top(void)
{
	ck_assert_ptr_nonnull(mkdtemp(top));
}

static void remove_top(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	ck_assert_int_eq(system(command), 0);
}

static void set_up(void)
{
	snprintf(run_dir, sizeof(run_dir), "%s/%d", top, (int) getpid());
	snprintf(run_dir_word, sizeof(run_dir_word), "run_dir=%s", run_dir);
	snprintf(socket_word, sizeof(socket_word), "munge_socket=%s/none", top);
	strcpy(mode_word, "grant=enforce");
	strcpy(missing_word, "missing_grant=refuse");
	job_id = 77;
	job_uid = 1000;
	unsetenv("SPANK_GOV_GRANT");
	/* what a user would like to be */
	spank_setenv(NULL, "GOV_TEAM", "forged", 1);
	spank_setenv(NULL, "GOV_PROJECT", "forged", 1);
	spank_setenv(NULL, "GOV_CLASS", "forged", 1);
	spank_setenv(NULL, "GOV_RECLAIM_SIGNAL", "forged", 1);
	spank_setenv(NULL, "GOV_RECLAIM_GRACE", "forged", 1);
	spank_setenv(NULL, "OTHER", "kept", 1);
}

static const char *seen(const char *name)
{
	int i = find(name);

	return i < 0 ? "(unset)" : environment[i][1];
}

static void assert_nothing_told(void)
{
	ck_assert_str_eq(seen("GOV_TEAM"), "(unset)");
	ck_assert_str_eq(seen("GOV_PROJECT"), "(unset)");
	ck_assert_str_eq(seen("GOV_CLASS"), "(unset)");
	ck_assert_str_eq(seen("GOV_RECLAIM_SIGNAL"), "(unset)");
	ck_assert_str_eq(seen("GOV_RECLAIM_GRACE"), "(unset)");
	ck_assert_str_eq(seen("OTHER"), "kept");
}

static void prolog(void)
{
	context = S_CTX_JOB_SCRIPT;
	ck_assert_int_eq(slurm_spank_job_prolog(NULL, AC, av), 0);
}

/* As slurmstepd does it, in one process.  Does not return if refused. */
static void start_task(void)
{
	context = S_CTX_REMOTE;
	registrations = 0;
	ck_assert_int_eq(slurm_spank_init(NULL, AC, av), 0);
	ck_assert_int_eq(slurm_spank_task_init_privileged(NULL, AC, av), 0);
	ck_assert_int_eq(slurm_spank_task_init(NULL, AC, av), 0);
}

static void leave_verdict(const struct verdict *v)
{
	int dir = rundir_open(run_dir, true, NULL);

	ck_assert_int_ge(dir, 0);
	ck_assert_int_eq(rundir_store(dir, job_id, v, NULL), 0);
	close(dir);
}

static struct verdict granted(enum gov_grant_kind kind)
{
	struct verdict v = { .kind = VERDICT_GRANTED,
			     .uid = job_uid,
			     .grant = { .kind = kind, .uid = job_uid } };

	if (kind == GOV_GRANT_UNDECIDED)
		v.grant.uid = GOV_GRANT_ANY_UID;
	if (kind == GOV_GRANT_JOB) {
		strcpy(v.grant.team, "vision");
		strcpy(v.grant.class_name, "training");
		v.grant.reclaim_signal = 10;
		v.grant.reclaim_grace = 90;
	}
	return v;
}

/* ---- tasks ---- */

START_TEST(granted_task_is_told)
{
	struct verdict v = granted(GOV_GRANT_JOB);

	leave_verdict(&v);
	start_task();
	ck_assert_str_eq(seen("GOV_TEAM"), "vision");
	ck_assert_str_eq(seen("GOV_PROJECT"), "(unset)");
	ck_assert_str_eq(seen("GOV_CLASS"), "training");
	ck_assert_str_eq(seen("GOV_RECLAIM_SIGNAL"), "USR1");
	ck_assert_str_eq(seen("GOV_RECLAIM_GRACE"), "90");
	ck_assert_str_eq(seen("OTHER"), "kept");
	ck_assert_str_eq(shown, "");
	strcpy(v.grant.project, "vlm");
	v.grant.reclaim_signal = 40; /* has no name */
	leave_verdict(&v);
	start_task();
	ck_assert_str_eq(seen("GOV_PROJECT"), "vlm");
	ck_assert_str_eq(seen("GOV_RECLAIM_SIGNAL"), "40");
	v.grant.reclaim_signal = 0;
	leave_verdict(&v);
	start_task();
	ck_assert_str_eq(seen("GOV_RECLAIM_SIGNAL"), "(unset)");
}
END_TEST

START_TEST(other_kinds_run_untold)
{
	struct verdict v = granted(_i ? GOV_GRANT_UNDECIDED : GOV_GRANT_EXEMPT);

	leave_verdict(&v);
	start_task();
	assert_nothing_told();
}
END_TEST

/* Tests that must end the task, with exit status 1: tcase_add_exit_test(). */

START_TEST(refused_task_ends)
{
	struct verdict v = { .kind = VERDICT_REFUSED,
			     .uid = job_uid,
			     .sentence = "because" };

	leave_verdict(&v);
	start_task();
}
END_TEST

START_TEST(missing_grant_ends)
{
	prolog();
	start_task();
}
END_TEST

START_TEST(no_verdict_ends)
{
	start_task();
}
END_TEST

START_TEST(damaged_verdict_ends)
{
	struct verdict v = granted(GOV_GRANT_JOB);
	char path[96];

	leave_verdict(&v);
	snprintf(path, sizeof(path), "%s/77", run_dir);
	ck_assert_int_eq(truncate(path, 30), 0);
	strcpy(missing_word, "missing_grant=allow"); /* is not the point */
	start_task();
}
END_TEST

START_TEST(verdict_of_other_user_ends)
{
	struct verdict v = granted(GOV_GRANT_JOB);

	leave_verdict(&v);
	job_uid = 1001;
	start_task();
}
END_TEST

START_TEST(run_dir_of_others_ends)
{
	struct verdict v = granted(GOV_GRANT_JOB);

	leave_verdict(&v);
	ck_assert_int_eq(chmod(run_dir, 0777), 0);
	strcpy(missing_word, "missing_grant=allow");
	start_task();
}
END_TEST

START_TEST(unknown_job_ends)
{
	items_fail = true;
	start_task();
}
END_TEST

START_TEST(unasked_task_ends)
{
	context = S_CTX_REMOTE;
	slurm_spank_task_init(NULL, AC, av);
}
END_TEST

START_TEST(wrong_arguments_are_strict)
{
	strcpy(mode_word, "grant=of");
	strcpy(missing_word, "missing_grant=alow");
	prolog();
	start_task();
}
END_TEST

START_TEST(garbage_grant_ends)
{
	setenv("SPANK_GOV_GRANT", "MUNGE:garbage:", 1);
	strcpy(missing_word, "missing_grant=allow"); /* but it is not */
	prolog();
	start_task();
}
END_TEST

START_TEST(warning_lets_run)
{
	struct verdict v = { .kind = VERDICT_REFUSED,
			     .uid = job_uid,
			     .sentence = "because" };

	leave_verdict(&v);
	strcpy(mode_word, "grant=warn");
	start_task();
	assert_nothing_told();
	ck_assert_str_eq(shown, "");
	ck_assert_ptr_nonnull(strstr(said, "would not run: because"));
	said[0] = '\0';
	task_id = 3; /* one task speaks for all */
	start_task();
	ck_assert_ptr_null(strstr(said, "would not run"));
}
END_TEST

START_TEST(missing_may_be_allowed)
{
	strcpy(missing_word, "missing_grant=allow");
	start_task(); /* began before governance was there */
	assert_nothing_told();
	prolog();
	ck_assert_ptr_nonnull(strstr(said, "job 77 of uid 1000 carries no"));
	start_task();
	assert_nothing_told();
	setenv("SPANK_GOV_GRANT", "", 1);
	prolog();
	start_task();
}
END_TEST

START_TEST(off_does_nothing)
{
	strcpy(mode_word, "grant=off");
	setenv("SPANK_GOV_GRANT", "MUNGE:garbage:", 1);
	prolog();
	ck_assert_int_ne(access(run_dir, F_OK), 0);
	start_task();
	ck_assert_str_eq(seen("GOV_TEAM"), "forged");
	context = S_CTX_JOB_SCRIPT;
	ck_assert_int_eq(slurm_spank_job_epilog(NULL, AC, av), 0);
	ck_assert_str_eq(said, "");
}
END_TEST

/* ---- prolog and epilog: whatever happens, they succeed ---- */

START_TEST(prolog_never_fails)
{
	int fd;

	setenv("SPANK_GOV_GRANT", "MUNGE:garbage:", 1);
	items_fail = true;
	prolog();
	ck_assert_ptr_nonnull(strstr(said, "does not tell"));
	items_fail = false;
	/* a file where the directory should be */
	fd = open(run_dir, O_CREAT | O_WRONLY, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	said[0] = '\0';
	prolog();
	ck_assert_ptr_nonnull(strstr(said, "cannot be opened"));
	ck_assert_int_eq(slurm_spank_job_epilog(NULL, AC, av), 0);
	unlink(run_dir);
	strcpy(run_dir_word, "run_dir=/nonexistent/run");
	said[0] = '\0';
	prolog();
	ck_assert_ptr_nonnull(strstr(said, "cannot be made"));
	ck_assert_int_eq(slurm_spank_job_epilog(NULL, AC, av), 0);
}
END_TEST

/* A requeued job comes back under its number; a new run, a new verdict. */
START_TEST(prolog_replaces_epilog_retires)
{
	struct verdict v = granted(GOV_GRANT_JOB);
	int dir;

	leave_verdict(&v);
	prolog();
	dir = rundir_open(run_dir, false, NULL);
	ck_assert_int_eq(rundir_load(dir, 77, &v, NULL), 1);
	ck_assert_int_eq(v.kind, VERDICT_MISSING);
	v = granted(GOV_GRANT_JOB);
	leave_verdict(&v);
	ck_assert_int_eq(slurm_spank_job_epilog(NULL, AC, av), 0);
	ck_assert_int_ne(faccessat(dir, "77", F_OK, 0), 0);
	ck_assert_int_eq(slurm_spank_job_epilog(NULL, AC, av), 0);
	close(dir);
	/* comes back, and slurmd skips the prolog */
	start_task();
	ck_assert_str_eq(seen("GOV_TEAM"), "vision");
}
END_TEST

START_TEST(big_environment)
{
	char *big = malloc(1 << 20);

	memset(big, 'x', (1 << 20) - 1);
	big[(1 << 20) - 1] = '\0';
	setenv("SPANK_GOV_GRANT", big, 1);
	setenv("SLURM_NODELIST", big, 1);
	prolog();
	ck_assert_ptr_nonnull(strstr(said, "longer than"));
	free(big);
}
END_TEST

START_TEST(slurmd_tells_slips)
{
	char *words[] = { "grnat=off" };

	context = S_CTX_SLURMD;
	ck_assert_int_eq(slurm_spank_init(NULL, 1, words), 0);
	ck_assert_ptr_nonnull(strstr(said, "'grnat=off' is none of"));
	ck_assert_int_eq(registrations, 0);
	/* but never on a user's screen */
	said[0] = '\0';
	context = S_CTX_ALLOCATOR;
	ck_assert_int_eq(slurm_spank_init(NULL, 1, words), 0);
	context = S_CTX_REMOTE;
	ck_assert_int_eq(slurm_spank_init(NULL, 1, words), 0);
	ck_assert_str_eq(said, "");
}
END_TEST

/* ---- options ---- */

START_TEST(options_are_known)
{
	static const enum spank_context where[] = {
		S_CTX_LOCAL,
		S_CTX_ALLOCATOR,
		S_CTX_REMOTE,
	};

	context = where[_i];
	ck_assert_int_eq(slurm_spank_init(NULL, AC, av), 0);
	ck_assert_int_eq(registrations, 3);
	ck_assert_str_eq(registered[0]->name, "gov-class");
	ck_assert_str_eq(registered[1]->name, "gov-project");
	ck_assert_str_eq(registered[2]->name, "gov-borrow");
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(registered[i]->has_arg, 1);
		ck_assert_uint_lt(strlen(registered[i]->name),
				  SPANK_OPTION_MAXLEN);
	}
}
END_TEST

#define NAME63 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static const struct {
	int option;
	const char *value;
	bool good;
} values[] = {
	{ 0, "training", true },  { 0, "A-z_0.9@x+y", true },
	{ 0, NAME63, true },	  { 1, "vlm", true },
	{ 2, "yes", true },	  { 2, "no", true },
	{ 0, "", false },	  { 0, NULL, false },
	{ 0, NAME63 "x", false }, { 0, "a b", false },
	{ 0, "a,b", false },	  { 0, "a=b", false },
	{ 0, "a/b", false },	  { 0, "a\nb", false },
	{ 0, "a\033[2J", false }, { 0, "caf\xc3\xa9", false },
	{ 1, "'", false },	  { 1, "$(x)", false },
	{ 2, "", false },	  { 2, "YES", false },
	{ 2, "maybe", false },	  { 2, "yes ", false },
	{ 2, NULL, false },
};

START_TEST(option_values)
{
	const struct spank_option *option;

	context = S_CTX_ALLOCATOR;
	slurm_spank_init(NULL, 0, NULL);
	option = registered[values[_i].option];
	ck_assert_int_eq(option->cb(option->val, values[_i].value, 0) == 0,
			 values[_i].good);
	ck_assert_int_eq(said[0] == '\0', values[_i].good);
	if (!values[_i].good) {
		ck_assert_ptr_nonnull(strstr(said, option->name));
		ck_assert_ptr_nonnull(strstr(said, " takes "));
	}
	/* on a node a bad one neither fails nor is told */
	said[0] = '\0';
	ck_assert_int_eq(option->cb(option->val, values[_i].value, 1), 0);
	ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(huge_option_value)
{
	char *big = malloc(1 << 20);

	memset(big, 'x', (1 << 20) - 1);
	big[(1 << 20) - 1] = '\0';
	ck_assert_ptr_nonnull(login_check_value("gov-class", big));
	ck_assert_ptr_nonnull(login_check_value("gov-borrow", big));
	free(big);
}
END_TEST

START_TEST(options_are_not_inherited)
{
	static const char name[] =
		"SLURM_SPANK__SLURM_SPANK_OPTION_governance_gov_class";

	setenv(name, "inference", 1);
	context = S_CTX_REMOTE;
	slurm_spank_init(NULL, 0, NULL);
	ck_assert_ptr_nonnull(getenv(name));
	context = _i ? S_CTX_LOCAL : S_CTX_ALLOCATOR;
	slurm_spank_init(NULL, 0, NULL);
	ck_assert_ptr_null(getenv(name));
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_unchecked_fixture(tcase, make_top, remove_top);
	tcase_add_checked_fixture(tcase, set_up, NULL);
	tcase_add_test(tcase, granted_task_is_told);
	tcase_add_loop_test(tcase, other_kinds_run_untold, 0, 2);
	tcase_add_exit_test(tcase, refused_task_ends, 1);
	tcase_add_exit_test(tcase, missing_grant_ends, 1);
	tcase_add_exit_test(tcase, no_verdict_ends, 1);
	tcase_add_exit_test(tcase, damaged_verdict_ends, 1);
	tcase_add_exit_test(tcase, verdict_of_other_user_ends, 1);
	tcase_add_exit_test(tcase, run_dir_of_others_ends, 1);
	tcase_add_exit_test(tcase, unknown_job_ends, 1);
	tcase_add_exit_test(tcase, unasked_task_ends, 1);
	tcase_add_exit_test(tcase, wrong_arguments_are_strict, 1);
	tcase_add_exit_test(tcase, garbage_grant_ends, 1);
	tcase_add_test(tcase, warning_lets_run);
	tcase_add_test(tcase, missing_may_be_allowed);
	tcase_add_test(tcase, off_does_nothing);
	tcase_add_test(tcase, prolog_never_fails);
	tcase_add_test(tcase, prolog_replaces_epilog_retires);
	tcase_add_test(tcase, big_environment);
	tcase_add_test(tcase, slurmd_tells_slips);
	tcase_add_loop_test(tcase, options_are_known, 0, 3);
	tcase_add_loop_test(tcase, option_values, 0,
			    sizeof(values) / sizeof(*values));
	tcase_add_test(tcase, huge_option_value);
	tcase_add_loop_test(tcase, options_are_not_inherited, 0, 2);
}

int main(void)
{
	return unit_main("spank", cases);
}
