/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of the SPANK plugin that need no Slurm. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugins/spank/args.h"
#include "plugins/spank/rundir.h"
#include "plugins/spank/verdict.h"
#include "tests/unit/unit.h"

/* ---- arguments ---- */

static char complaints[4096];

static void complain(const char *sentence)
{
	strncat(complaints, sentence,
		sizeof(complaints) - strlen(complaints) - 2);
	strcat(complaints, "\n");
}

static int parse(struct node_args *args, const char *words)
{
	static char copy[4096];
	char *av[64];
	int ac = 0;

	snprintf(copy, sizeof(copy), "%s", words);
	complaints[0] = '\0';
	for (char *p = strtok(copy, " "); p && ac < 64; p = strtok(NULL, " "))
		av[ac++] = p;
	return node_args_parse(args, ac, av, complain);
}

static void assert_defaults(const struct node_args *args)
{
	ck_assert_int_eq(args->grant, NODE_GRANT_ENFORCE);
	ck_assert(!args->allow_missing);
	ck_assert_str_eq(args->run_dir, "/run/slurm-governance");
	ck_assert_str_eq(args->encoder, "slurm");
	ck_assert_ptr_null(args->munge_socket);
	ck_assert_int_eq(args->max_age, 365 * 86400);
}

START_TEST(args_default)
{
	struct node_args args;

	ck_assert_int_eq(parse(&args, ""), 0);
	assert_defaults(&args);
	ck_assert_int_eq(node_args_parse(&args, 0, NULL, NULL), 0);
	assert_defaults(&args);
}
END_TEST

START_TEST(args_all)
{
	struct node_args args;

	ck_assert_int_eq(parse(&args,
			       "grant=warn missing_grant=allow "
			       "run_dir=/run/x encoder=64030 max_age=12h "
			       "munge_socket=/run/m"),
			 0);
	ck_assert_int_eq(args.grant, NODE_GRANT_WARN);
	ck_assert(args.allow_missing);
	ck_assert_str_eq(args.run_dir, "/run/x");
	ck_assert_str_eq(args.encoder, "64030");
	ck_assert_str_eq(args.munge_socket, "/run/m");
	ck_assert_int_eq(args.max_age, 43200);
	parse(&args, "grant=off missing_grant=refuse");
	ck_assert_int_eq(args.grant, NODE_GRANT_OFF);
	ck_assert(!args.allow_missing);
	parse(&args, "grant=enforce");
	ck_assert_int_eq(args.grant, NODE_GRANT_ENFORCE);
}
END_TEST

static const struct {
	const char *text;
	int64_t seconds;
} ages[] = {
	{ "1", 1 },
	{ "1s", 1 },
	{ "90m", 5400 },
	{ "2h", 7200 },
	{ "30d", 2592000 },
	{ "3660d", 316224000 },
	{ "316224000", 316224000 },
	/* refused: the default */
	{ "", 31536000 },
	{ "0", 31536000 },
	{ "d", 31536000 },
	{ "-1", 31536000 },
	{ "+1", 31536000 },
	{ "1w", 31536000 },
	{ "1.5h", 31536000 },
	{ "3661d", 31536000 },
	{ "1hh", 31536000 },
	{ "99999999999999999999999", 31536000 },
	{ "9223372036854775807d", 31536000 },
	{ "0x10", 31536000 },
};

START_TEST(args_max_age)
{
	struct node_args args;
	char word[64];

	snprintf(word, sizeof(word), "max_age=%s", ages[_i].text);
	ck_assert_int_eq(parse(&args, word),
			 ages[_i].seconds == 31536000 ? 1 : 0);
	ck_assert_int_eq(args.max_age, ages[_i].seconds);
}
END_TEST

/* What cannot be understood leaves the strict default, and is told. */
static const struct {
	const char *words, *told;
} wrong[] = {
	{ "grnat=off", "'grnat=off' is none of grant= missing_grant=" },
	{ "grant", "'grant' is none of" },
	{ "=", "'=' is none of" },
	{ "grant=", "takes enforce, warn or off" },
	{ "grant=OFF", "takes enforce, warn or off" },
	{ "grant=offf", "takes enforce, warn or off" },
	{ "missing_grant=yes", "takes refuse or allow" },
	{ "run_dir=", "takes an absolute path" },
	{ "run_dir=run", "takes an absolute path" },
	{ "run_dir=/", "takes an absolute path" },
	{ "encoder=", "takes a user" },
	{ "munge_socket=m", "takes an absolute path" },
	{ "max_age=never", "takes a time" },
	{ "grant=\033[2J", "'grant=?[2J'" },
};

START_TEST(args_wrong)
{
	struct node_args args;

	ck_assert_int_eq(parse(&args, wrong[_i].words), 1);
	ck_assert_msg(strstr(complaints, wrong[_i].told), "%s", complaints);
	assert_defaults(&args);
}
END_TEST

START_TEST(args_twice)
{
	struct node_args args;

	ck_assert_int_eq(parse(&args, "grant=warn grant=off"), 1);
	ck_assert_int_eq(args.grant, NODE_GRANT_WARN);
	/* a wrong one does not stop those behind it */
	ck_assert_int_eq(parse(&args, "x=y grant=huh missing_grant=allow"), 2);
	ck_assert(args.allow_missing);
	ck_assert_int_eq(args.grant, NODE_GRANT_ENFORCE);
}
END_TEST

START_TEST(args_huge)
{
	struct node_args args;
	char *big = malloc(1 << 20), *av[] = { big };

	memset(big, 'x', (1 << 20) - 1);
	big[(1 << 20) - 1] = '\0';
	complaints[0] = '\0';
	ck_assert_int_eq(node_args_parse(&args, 1, av, complain), 1);
	assert_defaults(&args);
	free(big);
}
END_TEST

START_TEST(args_user)
{
	struct gov_error e;
	uid_t uid = 7;

	ck_assert_int_eq(node_args_uid("root", &uid, &e), 0);
	ck_assert_uint_eq(uid, 0);
	ck_assert_int_eq(node_args_uid("64030", &uid, &e), 0);
	ck_assert_uint_eq(uid, 64030);
	uid = 7;
	ck_assert_int_eq(node_args_uid("no-such-user-here", &uid, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "no such user"));
	ck_assert_int_eq(node_args_uid("4294967295", &uid, &e), -1);
	ck_assert_int_eq(node_args_uid("-1", &uid, &e), -1);
	ck_assert_uint_eq(uid, 7);
}
END_TEST

/* ---- the text of a verdict ---- */

static struct verdict granted(void)
{
	struct verdict v = {
		.kind = VERDICT_GRANTED,
		.uid = 1000,
		.grant = { .kind = GOV_GRANT_JOB,
			   .uid = 1000,
			   .team = "vision",
			   .class_name = "training",
			   .issued = 5,
			   .reclaim_signal = 15,
			   .reclaim_grace = 120 },
	};

	return v;
}

static struct verdict refused(const char *sentence)
{
	struct verdict v = { .kind = VERDICT_REFUSED, .uid = 4294967294 };

	snprintf(v.sentence, sizeof(v.sentence), "%s", sentence);
	return v;
}

static void assert_same(const struct verdict *a, const struct verdict *b)
{
	ck_assert_int_eq(a->kind, b->kind);
	ck_assert_uint_eq(a->uid, b->uid);
	ck_assert_str_eq(a->sentence, b->sentence);
	ck_assert_str_eq(a->grant.team, b->grant.team);
	ck_assert_str_eq(a->grant.class_name, b->grant.class_name);
	ck_assert_int_eq(a->grant.reclaim_grace, b->grant.reclaim_grace);
}

#define GRANT_LINE                                          \
	"govgrant1 kind=job uid=1000 team=vision project= " \
	"class=training isolation= digest= issued=5 signal=15 grace=120\n"

static const char *const frozen[] = {
	"govverdict1 granted 1000\n" GRANT_LINE,
	"govverdict1 refused 4294967294\nno, because\n",
	"govverdict1 missing 0\n",
};

static struct verdict example(int i)
{
	struct verdict v = { .kind = VERDICT_MISSING };

	if (i == 0)
		v = granted();
	if (i == 1)
		v = refused("no, because");
	return v;
}

START_TEST(verdict_text)
{
	struct verdict in = example(_i), out;
	char text[VERDICT_TEXT];
	int length = verdict_format(&in, text, sizeof(text));

	ck_assert_str_eq(text, frozen[_i]);
	ck_assert_int_eq(length, (int) strlen(text));
	ck_assert_int_eq(verdict_parse(text, (size_t) length, &out), 0);
	assert_same(&in, &out);
	for (int n = 0; n < length; n++) {
		ck_assert_int_eq(verdict_parse(text, (size_t) n, &out), -1);
		ck_assert_int_eq(verdict_format(&in, text, (size_t) n), -1);
		memcpy(text, frozen[_i], (size_t) length + 1);
	}
}
END_TEST

static const char *const no_verdicts[] = {
	"",
	"\n",
	"granted 1000\n",
	"govverdict2 missing 0\n",
	"govverdict1 missing\n",
	"govverdict1 missing \n",
	"govverdict1 missing 01\n",
	"govverdict1 missing -1\n",
	"govverdict1 missing 4294967296\n",
	"govverdict1 missing 1 \n",
	"govverdict1 missing 99999999999999999999\n",
	"govverdict1 missing 0\n\n",
	"govverdict1 missing 0\nx\n",
	"govverdict1 perhaps 0\n",
	"govverdict1  missing 0\n",
	"govverdict1 refused 0\n",
	"govverdict1 refused 0\n\n",
	"govverdict1 refused 0\na\nb\n",
	"govverdict1 refused 0\na\033b\n",
	"govverdict1 granted 1000\n",
	"govverdict1 granted 1000\nyes\n",
	"govverdict1 granted 1000\n" GRANT_LINE GRANT_LINE,
};

START_TEST(verdict_no_text)
{
	struct verdict v;

	ck_assert_msg(verdict_parse(no_verdicts[_i], strlen(no_verdicts[_i]),
				    &v) == -1,
		      "%s", no_verdicts[_i]);
}
END_TEST

START_TEST(verdict_unwritable)
{
	char text[VERDICT_TEXT];
	struct verdict v = refused("");

	ck_assert_int_eq(verdict_format(&v, text, sizeof(text)), -1);
	v = refused("a\nb");
	ck_assert_int_eq(verdict_format(&v, text, sizeof(text)), -1);
	memset(v.sentence, 'x', sizeof(v.sentence));
	ck_assert_int_eq(verdict_format(&v, text, sizeof(text)), -1);
	v.sentence[sizeof(v.sentence) - 1] = '\0';
	ck_assert_int_gt(verdict_format(&v, text, sizeof(text)), 0);
	v = granted();
	v.grant.team[0] = '\0';
	ck_assert_int_eq(verdict_format(&v, text, sizeof(text)), -1);
	v.kind = (enum verdict_kind) 3;
	ck_assert_int_eq(verdict_format(&v, text, sizeof(text)), -1);
}
END_TEST

/* ---- the directory ---- */

static char top[] = "/tmp/gov-rundir-XXXXXX";
static char path[64];
static int dir = -1;

static void make_directory(void)
{
	struct gov_error e;

	strcpy(top, "/tmp/gov-rundir-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
	snprintf(path, sizeof(path), "%s/run", top);
	dir = rundir_open(path, true, &e);
	ck_assert_msg(dir >= 0, "%s", e.text);
}

static void remove_directory(void)
{
	char command[96];

	close(dir);
	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	ck_assert_int_eq(system(command), 0);
}

static void put_file(const char *name, const char *text, mode_t mode)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t) strlen(text));
	ck_assert_int_eq(fchmod(fd, mode), 0);
	close(fd);
}

START_TEST(rundir_is_private)
{
	struct stat st;
	struct verdict v = granted();

	ck_assert_int_eq(fstat(dir, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	umask(0);
	ck_assert_int_eq(rundir_store(dir, 12, &v, NULL), 0);
	ck_assert_int_eq(fstatat(dir, "12", &st, 0), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	/* nothing but the verdict is there */
	ck_assert_int_eq(unlinkat(dir, "12", 0), 0);
	ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

static int opens(const char *where)
{
	struct gov_error e;
	int fd = rundir_open(where, true, &e);

	if (fd >= 0)
		close(fd);
	else
		ck_assert_ptr_nonnull(strstr(e.text, where));
	return fd >= 0;
}

START_TEST(rundir_of_others)
{
	char other[96];

	ck_assert(opens(path)); /* a second time */
	chmod(path, 0720);
	ck_assert(!opens(path));
	chmod(path, 0702);
	ck_assert(!opens(path));
	chmod(path, 01777);
	ck_assert(!opens(path));
	chmod(path, 0755);
	ck_assert(opens(path));
	snprintf(other, sizeof(other), "%s/link", top);
	ck_assert_int_eq(symlink(path, other), 0);
	ck_assert(!opens(other));
	ck_assert(!opens("/dev/null"));
	ck_assert(!opens("/nonexistent/run"));
	ck_assert(!opens("/tmp"));
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(path, 65534, 65534), 0);
		ck_assert(!opens(path));
	}
}
END_TEST

START_TEST(rundir_not_there)
{
	char other[96];

	snprintf(other, sizeof(other), "%s/other", top);
	ck_assert_int_eq(rundir_open(other, false, NULL), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_ne(access(other, F_OK), 0);
}
END_TEST

START_TEST(rundir_keeps)
{
	struct verdict in = granted(), out;
	struct gov_error e;

	ck_assert_int_eq(rundir_load(dir, 1, &out, &e), 0);
	for (int i = 0; i < 3; i++) {
		in = example(i);
		ck_assert_int_eq(rundir_store(dir, UINT32_MAX, &in, &e), 0);
		ck_assert_int_eq(rundir_load(dir, UINT32_MAX, &out, &e), 1);
		assert_same(&in, &out);
	}
	ck_assert_int_eq(rundir_load(dir, 1, &out, &e), 0);
	rundir_remove(dir, 1);
	rundir_remove(dir, UINT32_MAX);
	ck_assert_int_eq(rundir_load(dir, UINT32_MAX, &out, &e), 0);
}
END_TEST

/* slurmd of 22.05 may skip the prolog of a requeued job. */
START_TEST(rundir_outlives_its_job)
{
	struct verdict in = granted(), out;
	struct stat st;

	rundir_end(dir, 7); /* there is none */
	ck_assert_int_eq(rundir_load(dir, 7, &out, NULL), 0);
	ck_assert_int_eq(rundir_store(dir, 7, &in, NULL), 0);
	rundir_end(dir, 7);
	ck_assert_int_ne(faccessat(dir, "7", F_OK, 0), 0);
	ck_assert_int_eq(rundir_load(dir, 7, &out, NULL), 1);
	assert_same(&in, &out);
	rundir_end(dir, 7); /* twice */
	ck_assert_int_eq(rundir_load(dir, 7, &out, NULL), 1);
	/* the next run's goes before it */
	in = refused("no");
	ck_assert_int_eq(rundir_store(dir, 7, &in, NULL), 0);
	ck_assert_int_eq(rundir_load(dir, 7, &out, NULL), 1);
	assert_same(&in, &out);
	/* a damaged one is not passed over for it */
	put_file("7", "", 0600);
	ck_assert_int_eq(rundir_load(dir, 7, &out, NULL), -1);
	rundir_remove(dir, 7);
	ck_assert_int_ne(fstatat(dir, "7.ended", &st, 0), 0);
	ck_assert_int_eq(rundir_load(dir, 7, &out, NULL), 0);
}
END_TEST

static void unreadable(uint32_t job)
{
	struct verdict v;
	struct gov_error e = { GOV_OK, "" };

	ck_assert_int_eq(rundir_load(dir, job, &v, &e), -1);
	ck_assert_int_eq(e.code, GOV_E_IO);
	ck_assert_ptr_nonnull(strstr(e.text, "cannot be read"));
	ck_assert_int_eq(v.grant.uid, 0);
	ck_assert_str_eq(v.grant.team, "");
}

START_TEST(rundir_damaged)
{
	char big[VERDICT_TEXT + 16];
	struct verdict v;

	put_file("1", frozen[0], 0600);
	ck_assert_int_eq(rundir_load(dir, 1, &v, NULL), 1);
	put_file("1", "", 0600);
	unreadable(1);
	put_file("1", "govverdict1 granted 1000\n", 0600);
	unreadable(1);
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	memcpy(big, "govverdict1 refused 1\n", 22);
	put_file("1", big, 0600);
	unreadable(1);
	put_file("1", frozen[0], 0660);
	unreadable(1);
	put_file("1", frozen[0], 0602);
	unreadable(1);
	if (geteuid() == 0) {
		put_file("1", frozen[0], 0600);
		ck_assert_int_eq(fchownat(dir, "1", 65534, 65534, 0), 0);
		unreadable(1);
	}
}
END_TEST

START_TEST(rundir_not_a_file)
{
	ck_assert_int_eq(mkdirat(dir, "2", 0700), 0);
	unreadable(2);
	ck_assert_int_eq(mkfifoat(dir, "3", 0600), 0);
	unreadable(3); /* and does not wait for a writer */
	put_file("4", frozen[0], 0600);
	ck_assert_int_eq(symlinkat("4", dir, "5"), 0);
	unreadable(5);
	ck_assert_int_eq(symlinkat("nowhere", dir, "6"), 0);
	unreadable(6);
}
END_TEST

/* After a failure there is no verdict, not an older one either. */
START_TEST(rundir_full)
{
	const struct rlimit small = { 10, RLIM_INFINITY };
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	struct verdict in = granted(), out;
	struct gov_error e;

	ck_assert_int_eq(rundir_store(dir, 9, &in, &e), 0);
	rundir_end(dir, 9);
	ck_assert_int_eq(rundir_store(dir, 9, &in, &e), 0);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	ck_assert_int_eq(rundir_store(dir, 9, &in, &e), -1);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	ck_assert_ptr_nonnull(strstr(e.text, "job 9 cannot be written"));
	ck_assert_int_eq(rundir_load(dir, 9, &out, &e), 0);
	in.grant.team[0] = '\0';
	ck_assert_int_eq(rundir_store(dir, 9, &in, &e), -1);
	ck_assert_int_eq(rmdir(path), 0); /* nothing is left behind */
}
END_TEST

static void age(const char *name, long seconds)
{
	const struct timespec t[2] = { { 1000000000 - seconds, 0 },
				       { 1000000000 - seconds, 0 } };

	ck_assert_int_eq(utimensat(dir, name, t, AT_SYMLINK_NOFOLLOW), 0);
}

START_TEST(rundir_sweeps)
{
	static const struct {
		const char *name;
		long seconds;
		int gone;
	} f[] = {
		{ "1", RUNDIR_STALE, 0 },
		{ "2", RUNDIR_STALE + 1, 1 },
		{ "3", -RUNDIR_STALE * 2, 0 }, /* from the future */
		{ ".4.77", RUNDIR_TEMPORARY, 0 },
		{ ".5.77", RUNDIR_TEMPORARY + 1, 1 },
		{ "6.ended", RUNDIR_ENDED, 0 },
		{ "7.ended", RUNDIR_ENDED + 1, 1 },
		{ "7.ende", RUNDIR_STALE * 2, 0 },
		{ ".ended", RUNDIR_STALE * 2, 0 },
		{ "README", RUNDIR_STALE * 2, 0 },
		{ ".hidden", RUNDIR_STALE * 2, 0 },
		{ "12a", RUNDIR_STALE * 2, 0 },
	};
	const size_t n = sizeof(f) / sizeof(*f);

	for (size_t i = 0; i < n; i++) {
		put_file(f[i].name, frozen[2], 0600);
		age(f[i].name, f[i].seconds);
	}
	ck_assert_int_eq(symlinkat("1", dir, "99"), 0);
	age("99", RUNDIR_STALE + 1);
	ck_assert_int_eq(rundir_sweep(dir, 1000000000), 4);
	ck_assert_int_ne(faccessat(dir, "99", F_OK, AT_SYMLINK_NOFOLLOW), 0);
	for (size_t i = 0; i < n; i++)
		ck_assert_int_eq(faccessat(dir, f[i].name, F_OK, 0) != 0,
				 f[i].gone);
	/* reading is a sign of life */
	age("1", RUNDIR_STALE + 1);
	ck_assert_int_eq(rundir_load(dir, 1, &(struct verdict){ 0 }, NULL), 1);
	ck_assert_int_eq(rundir_sweep(dir, time(NULL)), 3);
	ck_assert_int_eq(faccessat(dir, "1", F_OK, 0), 0);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, args_default);
	tcase_add_test(tcase, args_all);
	tcase_add_loop_test(tcase, args_max_age, 0,
			    sizeof(ages) / sizeof(*ages));
	tcase_add_loop_test(tcase, args_wrong, 0,
			    sizeof(wrong) / sizeof(*wrong));
	tcase_add_test(tcase, args_twice);
	tcase_add_test(tcase, args_huge);
	tcase_add_test(tcase, args_user);
	tcase_add_loop_test(tcase, verdict_text, 0, 3);
	tcase_add_loop_test(tcase, verdict_no_text, 0,
			    sizeof(no_verdicts) / sizeof(*no_verdicts));
	tcase_add_test(tcase, verdict_unwritable);
	tcase_add_checked_fixture(tcase, make_directory, remove_directory);
	tcase_add_test(tcase, rundir_is_private);
	tcase_add_test(tcase, rundir_of_others);
	tcase_add_test(tcase, rundir_not_there);
	tcase_add_test(tcase, rundir_keeps);
	tcase_add_test(tcase, rundir_outlives_its_job);
	tcase_add_test(tcase, rundir_damaged);
	tcase_add_test(tcase, rundir_not_a_file);
	tcase_add_test(tcase, rundir_full);
	tcase_add_test(tcase, rundir_sweeps);
}

int main(void)
{
	return unit_main("node", cases);
}
