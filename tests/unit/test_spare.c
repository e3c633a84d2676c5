/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grant/spare.h"
#include "tests/unit/unit.h"

#define GOOD "MUNGE:AwQFAABkaRhQ+/ypgD1B==:"

static char top[] = "/tmp/gov-spare-XXXXXX";
static char socket_path[64], path[80];
static char credential[GOV_GRANT_MAX];

static void set_up(void)
{
	ck_assert_ptr_nonnull(mkdtemp(top));
	snprintf(socket_path, sizeof(socket_path), "%s/submit.socket", top);
	snprintf(path, sizeof(path), "%s.grant", socket_path);
}

static void tear_down(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	ck_assert_int_eq(system(command), 0);
}

static void put(const char *text, size_t length, mode_t mode)
{
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, length), (ssize_t) length);
	ck_assert_int_eq(fchmod(fd, mode), 0);
	close(fd);
}

static void unreadable(void)
{
	struct gov_error e = { GOV_OK, "" };

	strcpy(credential, "old");
	ck_assert_int_eq(gov_spare_read(socket_path, credential, &e), -1);
	ck_assert_int_eq(e.code, GOV_E_IO);
	ck_assert_ptr_nonnull(strstr(e.text, path));
	ck_assert_str_eq(credential, "");
}

START_TEST(written_and_read)
{
	struct gov_error e;
	struct stat st;

	umask(0);
	ck_assert_int_eq(gov_spare_write(socket_path, "MUNGE:old:", &e), 0);
	ck_assert_int_eq(gov_spare_write(socket_path, GOOD, &e), 0);
	ck_assert_int_eq(gov_spare_read(socket_path, credential, &e), 0);
	ck_assert_str_eq(credential, GOOD);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	/* what a crash left behind is no obstacle */
	strcat(path, ".new");
	put("half", 4, 0600);
	ck_assert_int_eq(gov_spare_write(socket_path, "MUNGE:new:", &e), 0);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_int_eq(gov_spare_read(socket_path, credential, &e), 0);
	ck_assert_str_eq(credential, "MUNGE:new:");
}
END_TEST

START_TEST(not_a_credential)
{
	static const char *const bad[] = { "", "a b", "a\n", "a\033",
					   "caf\xc3" };
	char big[GOV_GRANT_MAX + 1];
	struct gov_error e;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ck_assert_int_eq(gov_spare_write(socket_path, bad[i], &e), -1);
		ck_assert_int_eq(e.code, GOV_E_VALUE);
		put(bad[i], strlen(bad[i]), 0600);
		unreadable();
	}
	put("MUNGE:a\0b:", 10, 0600);
	unreadable();
	memset(big, 'a', sizeof(big));
	put(big, GOV_GRANT_MAX, 0600);
	unreadable();
	put(big, GOV_GRANT_MAX - 1, 0600);
	ck_assert_int_eq(gov_spare_read(socket_path, credential, &e), 0);
	big[GOV_GRANT_MAX] = '\0';
	ck_assert_int_eq(gov_spare_write(socket_path, big, &e), -1);
}
END_TEST

START_TEST(file_of_others)
{
	put(GOOD, strlen(GOOD), 0640);
	ck_assert_int_eq(gov_spare_read(socket_path, credential, NULL), 0);
	put(GOOD, strlen(GOOD), 0660);
	unreadable();
	put(GOOD, strlen(GOOD), 0602);
	unreadable();
	if (geteuid() == 0) {
		put(GOOD, strlen(GOOD), 0600);
		ck_assert_int_eq(chown(path, 65534, 65534), 0);
		unreadable();
	}
	unlink(path);
	unreadable();
	ck_assert_int_eq(symlink("/etc/hostname", path), 0);
	unreadable();
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	unreadable();
	unlink(path);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	unreadable();
	ck_assert_int_eq(gov_spare_write(socket_path, GOOD, NULL), -1);
}
END_TEST

START_TEST(no_room)
{
	const struct rlimit small = { 5, RLIM_INFINITY };
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };
	struct gov_error e;

	ck_assert_int_eq(gov_spare_write(socket_path, GOOD, &e), 0);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	ck_assert_int_eq(gov_spare_write(socket_path, "MUNGE:other:", &e), -1);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	ck_assert_ptr_nonnull(strstr(e.text, "cannot be written"));
	/* the old one is still there */
	ck_assert_int_eq(gov_spare_read(socket_path, credential, &e), 0);
	ck_assert_str_eq(credential, GOOD);
	ck_assert_int_eq(gov_spare_write("/nonexistent/s", GOOD, &e), -1);
}
END_TEST

START_TEST(long_path)
{
	char *big = malloc(100000);
	struct gov_error e;

	memset(big, 'x', 99999);
	big[99999] = '\0';
	ck_assert_int_eq(gov_spare_write(big, GOOD, &e), -1);
	ck_assert_int_eq(gov_spare_read(big, credential, &e), -1);
	free(big);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, written_and_read);
	tcase_add_test(tcase, not_a_credential);
	tcase_add_test(tcase, file_of_others);
	tcase_add_test(tcase, no_room);
	tcase_add_test(tcase, long_path);
}

int main(void)
{
	return unit_main("spare", cases);
}
