/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Grants sealed and opened with a munged of the test's own, which runs as an
 * unprivileged user in a directory of its own.  Needs root, because a grant
 * opens for root only and is to be encoded by somebody else here.
 */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <munge.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grant/grant.h"
#include "tests/unit/unit.h"

#define ENCODER 64999 /* stands for SlurmUser */
#define STRANGER 65001
#define USER 1000

static char directory[] = "/tmp/gov-munge-XXXXXX";
static char socket_path[64];
static pid_t munged;

/* ---- a munged of our own ---- */

static void become(uid_t uid, gid_t gid)
{
	if (setgroups(0, NULL) || setresgid(gid, gid, gid) ||
	    setresuid(uid, uid, uid))
		_exit(126);
}

static int write_key(const char *path, const struct passwd *owner)
{
	char key[128];
	int from = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
	int ok = from >= 0 && to >= 0 &&
		 read(from, key, sizeof(key)) == sizeof(key) &&
		 write(to, key, sizeof(key)) == sizeof(key) &&
		 fchown(to, owner->pw_uid, owner->pw_gid) == 0;

	close(from);
	close(to);
	return ok ? 0 : -1;
}

/* In the foreground munged logs to stderr, whatever --log-file says. */
static void exec_munged(const struct passwd *owner)
{
	char key[64], seed[64], pid[64], log[64], sock[80];
	int fd;

	snprintf(log, sizeof(log), "%s/log", directory);
	fd = open(log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
		_exit(125);
	snprintf(key, sizeof(key), "--key-file=%s/key", directory);
	snprintf(seed, sizeof(seed), "--seed-file=%s/seed", directory);
	snprintf(pid, sizeof(pid), "--pid-file=%s/pid", directory);
	snprintf(sock, sizeof(sock), "--socket=%s", socket_path);
	become(owner->pw_uid, owner->pw_gid);
	prctl(PR_SET_PDEATHSIG, SIGTERM); /* a change of uid clears it */
	execl("/usr/sbin/munged", "munged", "--foreground", "--max-ttl=1", key,
	      seed, pid, sock, (char *) NULL);
	_exit(127);
}

static int start_munged(void)
{
	const struct passwd *owner = getpwnam("munge");
	char key[64];

	if (!owner)
		owner = getpwnam("nobody");
	if (!owner || !mkdtemp(directory) ||
	    chown(directory, owner->pw_uid, owner->pw_gid) ||
	    chmod(directory, 0755))
		return -1;
	snprintf(key, sizeof(key), "%s/key", directory);
	snprintf(socket_path, sizeof(socket_path), "%s/socket", directory);
	if (write_key(key, owner))
		return -1;
	munged = fork();
	if (munged == 0)
		exec_munged(owner);
	for (int i = 0; i < 100 && access(socket_path, F_OK); i++)
		usleep(50000);
	return access(socket_path, F_OK);
}

static void stop_munged(void)
{
	static const char *const files[] = {
		"key", "seed", "pid", "log", "socket", "socket.lock",
	};
	char path[64];

	if (munged > 0) {
		kill(munged, SIGTERM);
		waitpid(munged, NULL, 0);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, files[i]);
		unlink(path);
	}
	rmdir(directory);
}

/* ---- credentials as other users make them ---- */

static struct gov_grant job_grant(void)
{
	struct gov_grant g = {
		.kind = GOV_GRANT_JOB,
		.uid = USER,
		.team = "vision",
		.class_name = "training",
		.issued = time(NULL),
		.reclaim_signal = 15,
		.reclaim_grace = 120,
	};

	return g;
}

typedef char *(*maker)(const void *what);

/* What make(what) returns when it is called by uid. */
static char *as_user(uid_t uid, maker make, const void *what)
{
	static char text[65536];
	size_t n = 0;
	ssize_t got;
	int fd[2], status;
	pid_t pid;

	ck_assert_int_eq(pipe(fd), 0);
	pid = fork();
	if (pid == 0) {
		char *made;

		become(uid, uid);
		made = make(what);
		if (made && write(fd[1], made, strlen(made)) < 0)
			_exit(1);
		_exit(made ? 0 : 1);
	}
	close(fd[1]);
	while ((got = read(fd[0], text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t) got;
	close(fd[0]);
	text[n] = '\0';
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	return text;
}

static char *seal(const void *grant)
{
	struct gov_error e;
	char *credential = gov_grant_seal(grant, socket_path, &e);

	if (!credential)
		fprintf(stderr, "seal: %s\n", e.text);
	return credential;
}

/* Any text, for root only or for everybody. */
struct raw {
	const char *text;
	int length;
	uid_t reader;
};

static char *encode_raw(const void *what)
{
	const struct raw *raw = what;
	munge_ctx_t context = munge_ctx_create();
	char *credential = NULL;

	munge_ctx_set(context, MUNGE_OPT_SOCKET, socket_path);
	munge_ctx_set(context, MUNGE_OPT_UID_RESTRICTION, raw->reader);
	munge_encode(&credential, context, raw->text, raw->length);
	munge_ctx_destroy(context);
	return credential;
}

static int open_at(const char *credential, int64_t now, struct gov_grant *grant,
		   struct gov_error *error)
{
	error->code = GOV_OK;
	memset(grant, 0xff, sizeof(*grant));
	return gov_grant_open(credential, socket_path, ENCODER, USER, now, 1000,
			      grant, error);
}

static void refused_at(const char *credential, int64_t now, enum gov_code code,
		       const char *word)
{
	struct gov_grant g, zero;
	struct gov_error e;

	memset(&zero, 0, sizeof(zero));
	ck_assert_int_eq(open_at(credential, now, &g, &e), -1);
	ck_assert_msg(e.code == code, "%s: %s", gov_code_name(e.code), e.text);
	ck_assert_msg(strstr(e.text, word), "%s", e.text);
	ck_assert_mem_eq(&g, &zero, sizeof(g));
}

static void refused(const char *credential, enum gov_code code,
		    const char *word)
{
	refused_at(credential, time(NULL), code, word);
}

/* ---- the tests ---- */

START_TEST(opens)
{
	struct gov_grant in = job_grant(), g;
	struct gov_error e;
	char *c = as_user(ENCODER, seal, &in);

	ck_assert_uint_lt(strlen(c), GOV_GRANT_MAX);
	ck_assert_msg(open_at(c, time(NULL), &g, &e) == 0, "%s", e.text);
	ck_assert_str_eq(g.team, "vision");
	ck_assert_str_eq(g.class_name, "training");
	ck_assert_int_eq(g.reclaim_grace, 120);
	/* again: munge says replayed, and it is another node for us */
	ck_assert_msg(open_at(c, time(NULL), &g, &e) == 0, "%s", e.text);
	/* munged's max-ttl is 1 s: expired for munge, young for us */
	sleep(3);
	ck_assert_msg(open_at(c, time(NULL), &g, &e) == 0, "%s", e.text);
	ck_assert_str_eq(g.team, "vision");
}
END_TEST

START_TEST(by_root)
{
	struct gov_grant in = job_grant(), g;
	struct gov_error e;
	char *c = seal(&in);

	ck_assert_msg(open_at(c, time(NULL), &g, &e) == 0, "%s", e.text);
	free(c);
}
END_TEST

START_TEST(largest_grant)
{
	struct gov_grant in = job_grant(), g;
	struct gov_error e;
	char *c;

	memset(in.team, 'x', GOV_GRANT_NAME - 1);
	memset(in.project, 'y', GOV_GRANT_NAME - 1);
	memset(in.class_name, 'z', GOV_GRANT_NAME - 1);
	memset(in.isolation, '-', GOV_GRANT_NAME - 1);
	strcpy(in.digest, "0123456789abcdef");
	in.reclaim_grace = INT64_MAX;
	c = as_user(ENCODER, seal, &in);
	ck_assert_uint_lt(strlen(c), GOV_GRANT_MAX);
	ck_assert_msg(open_at(c, time(NULL), &g, &e) == 0, "%s", e.text);
	ck_assert_str_eq(g.project, in.project);
}
END_TEST

START_TEST(wrong_encoder)
{
	struct gov_grant in = job_grant();

	refused(as_user(STRANGER, seal, &in), GOV_E_AUTH, "uid 65001");
	/* the job's own user makes a grant for itself */
	refused(as_user(USER, seal, &in), GOV_E_AUTH, "not the governor");
}
END_TEST

START_TEST(other_user)
{
	struct gov_grant in = job_grant();

	in.uid = USER + 1;
	refused(as_user(ENCODER, seal, &in), GOV_E_AUTH, "belongs to");
	in.uid = 0;
	refused(as_user(ENCODER, seal, &in), GOV_E_AUTH, "for uid 0");
}
END_TEST

START_TEST(other_kinds)
{
	struct gov_grant in = { .kind = GOV_GRANT_UNDECIDED,
				.uid = GOV_GRANT_ANY_UID,
				.issued = time(NULL) },
			 g;
	struct gov_error e;

	ck_assert_int_eq(open_at(as_user(ENCODER, seal, &in), time(NULL), &g,
				 &e),
			 0);
	ck_assert_int_eq(g.kind, GOV_GRANT_UNDECIDED);
	in.kind = GOV_GRANT_EXEMPT;
	in.uid = USER;
	ck_assert_int_eq(open_at(as_user(ENCODER, seal, &in), time(NULL), &g,
				 &e),
			 0);
	ck_assert_int_eq(g.kind, GOV_GRANT_EXEMPT);
	in.uid = USER + 1;
	refused(as_user(ENCODER, seal, &in), GOV_E_AUTH, "belongs to");
}
END_TEST

START_TEST(age)
{
	struct gov_grant in = job_grant(), g;
	struct gov_error e;
	char *c = as_user(ENCODER, seal, &in);

	ck_assert_int_eq(open_at(c, in.issued + 1000, &g, &e), 0);
	refused_at(c, in.issued + 1001, GOV_E_AUTH, "expired");
	refused_at(c, INT64_MAX, GOV_E_AUTH, "expired");
	ck_assert_int_eq(open_at(c, in.issued - GOV_GRANT_SKEW, &g, &e), 0);
	refused_at(c, in.issued - GOV_GRANT_SKEW - 1, GOV_E_AUTH, "future");
	refused_at(c, 0, GOV_E_AUTH, "future");
	refused_at(c, -1, GOV_E_INTERNAL, "clock");
	in.issued = 0; /* as of the epoch, now */
	refused(as_user(ENCODER, seal, &in), GOV_E_AUTH, "expired");
	in.issued = INT64_MAX;
	refused(as_user(ENCODER, seal, &in), GOV_E_AUTH, "future");
}
END_TEST

START_TEST(damaged)
{
	struct gov_grant in = job_grant();
	char *c = as_user(ENCODER, seal, &in);
	size_t length = strlen(c);
	char *copy = strdup(c);

	for (size_t n = 0; n < length; n += 7) {
		memcpy(copy, c, length + 1);
		copy[n] = '\0';
		refused(copy, GOV_E_AUTH, "not authentic");
	}
	for (size_t n = 0; n < length - 1; n += 5) {
		memcpy(copy, c, length + 1);
		copy[n] = copy[n] == 'A' ? 'B' : 'A';
		refused(copy, GOV_E_AUTH, "not authentic");
	}
	free(copy);
}
END_TEST

START_TEST(not_a_credential)
{
	const size_t size = 1 << 20;
	char *big = malloc(size + 1);
	char edge[GOV_GRANT_MAX];

	refused("", GOV_E_AUTH, "not authentic");
	refused("hello", GOV_E_AUTH, "not authentic");
	refused("MUNGE:", GOV_E_AUTH, "not authentic");
	refused("MUNGE:AAAA:", GOV_E_AUTH, "not authentic");
	refused("\n\033[2J", GOV_E_AUTH, "not authentic");
	memset(edge, 'A', sizeof(edge));
	edge[GOV_GRANT_MAX - 1] = '\0';
	refused(edge, GOV_E_AUTH, "not authentic");
	memset(big, 'A', size);
	memcpy(big, "MUNGE:", 6);
	big[size] = '\0';
	refused(big, GOV_E_PROTOCOL, "longer than");
	free(big);
}
END_TEST

/* Authentic and by the right encoder, but not a grant. */
START_TEST(other_payload)
{
	static const char good[] =
		"govgrant1 kind=undecided uid=any team= "
		"project= class= isolation= digest= issued=1 signal=0 grace=0";
	struct raw raw = { "hello", 5, 0 };

	refused(as_user(ENCODER, encode_raw, &raw), GOV_E_PROTOCOL, "version");
	raw.length = 0;
	refused(as_user(ENCODER, encode_raw, &raw), GOV_E_PROTOCOL, "version");
	raw.text = good;
	raw.length = sizeof(good); /* its NUL, too */
	refused(as_user(ENCODER, encode_raw, &raw), GOV_E_PROTOCOL, "grace");
	raw.length = (int) strlen(good);
	refused(as_user(ENCODER, encode_raw, &raw), GOV_E_AUTH, "expired");
	/* for everybody: somebody may have read and kept it */
	raw.reader = (uid_t) MUNGE_UID_ANY;
	refused(as_user(ENCODER, encode_raw, &raw), GOV_E_AUTH,
		"not made for nodes");
	raw.reader = STRANGER;
	refused(as_user(ENCODER, encode_raw, &raw), GOV_E_AUTH,
		"not authentic");
}
END_TEST

static char *open_here(const void *credential)
{
	struct gov_grant g;
	struct gov_error e = { GOV_OK, "opened" };

	open_at(credential, time(NULL), &g, &e);
	return strdup(e.text);
}

START_TEST(users_cannot_open)
{
	struct gov_grant in = job_grant();
	char *c = strdup(as_user(ENCODER, seal, &in));

	ck_assert_ptr_nonnull(
		strstr(as_user(USER, open_here, c), "not authentic"));
	ck_assert_ptr_nonnull(
		strstr(as_user(ENCODER, open_here, c), "not authentic"));
	free(c);
}
END_TEST

START_TEST(no_munged)
{
	struct gov_grant in = job_grant(), g;
	struct gov_error e;
	char *c = as_user(ENCODER, seal, &in);

	ck_assert_int_eq(gov_grant_open(c, "/nonexistent/socket", ENCODER, USER,
					time(NULL), 1000, &g, &e),
			 -1);
	ck_assert_int_eq(e.code, GOV_E_IO);
	ck_assert_ptr_null(gov_grant_seal(&in, "/nonexistent/socket", &e));
	ck_assert_int_eq(e.code, GOV_E_IO);
	in.team[0] = '\0';
	ck_assert_ptr_null(gov_grant_seal(&in, socket_path, &e));
	ck_assert_int_eq(e.code, GOV_E_VALUE);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, opens);
	tcase_add_test(tcase, by_root);
	tcase_add_test(tcase, largest_grant);
	tcase_add_test(tcase, wrong_encoder);
	tcase_add_test(tcase, other_user);
	tcase_add_test(tcase, other_kinds);
	tcase_add_test(tcase, age);
	tcase_add_test(tcase, damaged);
	tcase_add_test(tcase, not_a_credential);
	tcase_add_test(tcase, other_payload);
	tcase_add_test(tcase, users_cannot_open);
	tcase_add_test(tcase, no_munged);
}

int main(void)
{
	int rc;

	if (geteuid() != 0) {
		puts("skipped: only root can open grants and change its uid");
		return 77;
	}
	if (access("/usr/sbin/munged", X_OK)) {
		puts("skipped: no /usr/sbin/munged (Debian package munge)");
		return 77;
	}
	if (start_munged()) {
		fprintf(stderr, "no munged in %s: %s\n", directory,
			strerror(errno));
		stop_munged();
		return EXIT_FAILURE;
	}
	rc = unit_main("grant with munge", cases);
	stop_munged();
	return rc;
}
