/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where sgov looks for the governor. */
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sgov/find.h"
#include "sgov/keyfile.h"
#include "tests/unit/unit.h"

static char folder[] = "/tmp/gov-find-XXXXXX";

static char *path_of(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void setup(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	setenv("SLURM_CONF", path_of("slurm.conf"), 1);
	setenv("GOVERNANCE_CONF", path_of("governance.conf"), 1);
	unsetenv("SGOV_HOST");
	unsetenv("SGOV_PORT");
	unsetenv("SGOV_GOVERNOR_USER");
	unsetenv("GOVERNANCE_MUNGE_SOCKET");
}

static void teardown(void)
{
	static const char *const names[] = { "slurm.conf", "governance.conf",
					     "more.conf" };

	for (size_t i = 0; i < 3; i++)
		unlink(path_of(names[i]));
	rmdir(folder);
}

/* "host,host:port socket" of where sgov would ask. */
static const char *found(const char *host, const char *port)
{
	struct sgov sgov = { .host = host, .port = port };
	struct sgov_place place;
	static char text[512];
	size_t n = 0;

	ck_assert_int_eq(sgov_find(&sgov, &place), 0);
	for (size_t i = 0; i < place.hosts; i++)
		n += (size_t) snprintf(text + n, sizeof(text) - n, "%s%s",
				       i ? "," : "", place.host[i]);
	snprintf(text + n, sizeof(text) - n, ":%u %s", place.port,
		 place.munge_socket ? place.munge_socket : "-");
	sgov_place_free(&place);
	return text;
}

START_TEST(without_any_file)
{
	ck_assert_str_eq(found(NULL, NULL), "localhost:6822 -");
	ck_assert_str_eq(found("a, b", "77"), "a,b:77 -");
	setenv("SGOV_HOST", "e", 1);
	setenv("SGOV_PORT", "99", 1);
	setenv("GOVERNANCE_MUNGE_SOCKET", "/m", 1);
	ck_assert_str_eq(found(NULL, NULL), "e:99 /m");
	ck_assert_str_eq(found("a", NULL), "a:99 /m");
}
END_TEST

START_TEST(slurm_conf_names_the_hosts)
{
	write_file("slurm.conf",
		   "# SlurmctldHost=wrong\n"
		   "ClusterName=x SlurmctldHost=ctl1(10.0.0.1) # (no)\n"
		   "slurmctldhost = \"ctl2\"\n"
		   "AuthInfo=ttl=60,socket=/run/m.sock,x=1\n"
		   "SlurmUser=\\\n  root\n"
		   "Include more.conf\n");
	write_file("more.conf", "SlurmctldHost=ctl3\nInclude more.conf\n");
	ck_assert_str_eq(
		found(NULL, NULL),
		"10.0.0.1,ctl2,ctl3,ctl3,ctl3,ctl3,ctl3,ctl3:6822 /run/m.sock");
}
END_TEST

START_TEST(governance_conf_names_the_port)
{
	write_file("slurm.conf", "SlurmctldHost=ctl\n");
	write_file("governance.conf", "Nonsense here\nListen=7001\n");
	ck_assert_str_eq(found(NULL, NULL), "ctl:7001 -");
	write_file("governance.conf", "Listen=0.0.0.0:7002\n");
	ck_assert_str_eq(found(NULL, NULL), "ctl:7002 -");
	write_file("governance.conf", "Listen=gov.example.org:7003\n");
	ck_assert_str_eq(found(NULL, NULL), "gov.example.org:7003 -");
	write_file("governance.conf", "Listen=[::1]:7004\n");
	ck_assert_str_eq(found(NULL, NULL), "::1:7004 -");
	write_file("governance.conf", "Listen=[::]:7005\n");
	ck_assert_str_eq(found(NULL, NULL), "ctl:7005 -");
	write_file("governance.conf", "Listen=[broken\n");
	ck_assert_str_eq(found(NULL, NULL), "ctl:6822 -");
	ck_assert_str_eq(found(NULL, "8"), "ctl:8 -");
}
END_TEST

static uid_t governor(void)
{
	struct sgov sgov = { 0 };
	struct sgov_place place;
	uid_t uid;

	ck_assert_int_eq(sgov_find(&sgov, &place), 0);
	uid = place.governor;
	sgov_place_free(&place);
	return uid;
}

START_TEST(slurm_user_is_believed)
{
	struct passwd *nobody = getpwnam("nobody"), *slurm;
	uid_t uid = nobody->pw_uid;

	slurm = getpwnam("slurm");
	ck_assert_uint_eq(governor(), slurm ? slurm->pw_uid : (uid_t) -1);
	write_file("slurm.conf", "ClusterName=x\n");
	ck_assert_uint_eq(governor(), 0); /* Slurm's own default */
	write_file("slurm.conf", "SlurmUser=nobody\n");
	ck_assert_uint_eq(governor(), uid);
	write_file("slurm.conf", "SlurmUser=4711\n");
	ck_assert_uint_eq(governor(), 4711);
	setenv("SGOV_GOVERNOR_USER", "4712", 1);
	ck_assert_uint_eq(governor(), 4712);
}
END_TEST

START_TEST(ports_that_are_none)
{
	static const char *const wrong[] = {
		"0", "-1", "65536", "x", "1x", "", "99999999999999999999"
	};
	struct sgov_place place;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct sgov sgov = { .port = wrong[i] };

		ck_assert_int_eq(sgov_find(&sgov, &place), SGOV_USAGE);
	}
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, without_any_file);
	tcase_add_test(tcase, slurm_conf_names_the_hosts);
	tcase_add_test(tcase, governance_conf_names_the_port);
	tcase_add_test(tcase, slurm_user_is_believed);
	tcase_add_test(tcase, ports_that_are_none);
}

int main(void)
{
	return unit_main("sgov_find", cases);
}
