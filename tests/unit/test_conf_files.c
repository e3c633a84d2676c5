/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files: who may write them, Include, digest, the plugin's few settings. */
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test_conf.h"

static char folder[64];

static const char *path_of(const char *name)
{
	static char path[4][256];
	static unsigned turn;
	char *p = path[turn++ % 4];

	snprintf(p, 256, "%s/%s", folder, name);
	return p;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(chmod(path_of(name), 0644), 0);
}

static void make_folder(void)
{
	strcpy(folder, "/tmp/gov-conf-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static struct gov_policy *load(const char *name)
{
	struct gov_conf_faults faults;
	struct gov_policy *policy = gov_conf_load(path_of(name), NULL, &faults);

	conf_print(&faults);
	ck_assert_ptr_nonnull(policy);
	gov_conf_faults_free(&faults);
	return policy;
}

/* The one fault of a file that must be refused. */
static void refused(const char *name, const char *file, unsigned line,
		    unsigned column, enum gov_code code, const char *says)
{
	struct gov_conf_faults faults;

	ck_assert_ptr_null(gov_conf_load(path_of(name), NULL, &faults));
	conf_print(&faults);
	ck_assert_uint_eq(faults.errors, 1);
	ck_assert_str_eq(faults.item[0].file, path_of(file));
	ck_assert_uint_eq(faults.item[0].line, line);
	ck_assert_uint_eq(faults.item[0].column, column);
	ck_assert_int_eq(faults.item[0].code, code);
	ck_assert_ptr_nonnull(strstr(faults.item[0].text, says));
	gov_conf_faults_free(&faults);
}

START_TEST(a_file)
{
	struct gov_policy *p, *again;

	write_file("g", CONF_BASE);
	p = load("g");
	ck_assert_str_eq(p->source, path_of("g"));
	ck_assert_uint_eq(strlen(p->digest), 16);
	write_file("g", CONF_BASE "#\n");
	again = load("g");
	ck_assert_str_ne(p->digest, again->digest);
	gov_policy_unref(p);
	gov_policy_unref(again);
}
END_TEST

START_TEST(digest_is_fnv)
{
	uint64_t hash = 0xcbf29ce484222325;
	struct gov_policy *p;
	char hex[17];

	write_file("g", CONF_BASE);
	p = load("g");
	for (const char *c = CONF_BASE; *c; c++)
		hash = (hash ^ (unsigned char) *c) * 0x100000001b3;
	snprintf(hex, sizeof(hex), "%016llx", (unsigned long long) hash);
	ck_assert_str_eq(p->digest, hex);
	gov_policy_unref(p);
}
END_TEST

START_TEST(files_that_are_none)
{
	refused("absent", "absent", 1, 1, GOV_E_IO, "No such file");
	ck_assert_int_eq(mkdir(path_of("dir"), 0755), 0);
	refused("dir", "dir", 1, 1, GOV_E_IO, "a directory");
	ck_assert_int_eq(mkfifo(path_of("pipe"), 0644), 0);
	refused("pipe", "pipe", 1, 1, GOV_E_IO, "not a regular file");
	ck_assert_int_eq(symlink("loop", path_of("loop")), 0);
	refused("loop", "loop", 1, 1, GOV_E_IO, "levels of symbolic links");
}
END_TEST

START_TEST(files_that_others_can_write)
{
	write_file("g", CONF_BASE);
	ck_assert_int_eq(chmod(path_of("g"), 0646), 0);
	refused("g", "g", 1, 1, GOV_E_PERMISSION, "chmod o-w");
	/* A group of root's or of one's own file is trusted by its owner. */
	ck_assert_int_eq(chmod(path_of("g"), 0664), 0);
	gov_policy_unref(load("g"));
	if (geteuid() != 0)
		return;
	ck_assert_int_eq(chown(path_of("g"), 12345, 12345), 0);
	refused("g", "g", 1, 1, GOV_E_PERMISSION, "uid 12345");
	/* Its owner alone: said, but up to the administrator. */
	ck_assert_int_eq(chmod(path_of("g"), 0644), 0);
	gov_policy_unref(load("g"));
}
END_TEST

START_TEST(includes)
{
	struct gov_policy *p;

	ck_assert_int_eq(mkdir(path_of("d"), 0755), 0);
	write_file("g", "Include d/pools  # beside this file\n"
			"Include \"d/with blank\"\ninclude d/teams\n");
	write_file("d/pools", "PoolName=p Nodes=n TRES=cpu\n");
	write_file("d/with blank", "TeamName=DEFAULT Weight=5\n");
	write_file("d/teams", "TeamName=t Members=m\nInclude more\n");
	write_file("d/more", "Quota Team=t Pool=p TRES=cpu=1");
	p = load("g");
	ck_assert_uint_eq(conf_unit(p, "t")->weight.numerator, 5);
	ck_assert_uint_eq(conf_quota(p, "t", "p", "cpu")->nominal, 1);
	gov_policy_unref(p);

	write_file("d/more", "Quota Team=t Pool=p TRES=cpu=x");
	refused("g", "d/more", 1, 26, GOV_E_VALUE, "whole number");
	ck_assert_int_eq(chmod(path_of("d/more"), 0666), 0);
	refused("g", "d/teams", 2, 9, GOV_E_PERMISSION, "d/more");
	ck_assert_int_eq(unlink(path_of("d/more")), 0);
	refused("g", "d/teams", 2, 9, GOV_E_IO, "No such file");
}
END_TEST

START_TEST(includes_without_end)
{
	char name[8], text[64];

	write_file("g", CONF_BASE "Include h\n");
	write_file("h", "\nInclude g\n");
	refused("g", "h", 2, 9, GOV_E_REFERENCE, "includes itself");
	write_file("h", "  Include h\n");
	refused("g", "h", 1, 11, GOV_E_REFERENCE, "includes itself");
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "x%d", i);
		snprintf(text, sizeof(text), "Include x%d\n", i + 1);
		write_file(name, text);
	}
	write_file("x20", CONF_BASE);
	refused("x0", "x16", 1, 9, GOV_E_VALUE, "16 levels");
	gov_policy_unref(load("x4"));
	/* Twice is no cycle, though what it defines is then defined twice. */
	write_file("h", "TaskOrder=Rank\n");
	write_file("g", CONF_BASE "Include h\nInclude h\n");
	refused("g", "h", 1, 1, GOV_E_DUPLICATE, "was set before");
}
END_TEST

START_TEST(plugin_settings)
{
	struct gov_plugin_settings s;

	gov_conf_plugin_settings(path_of("absent"), &s);
	ck_assert_int_eq(s.on_down, GOV_DOWN_WAIT);
	ck_assert_str_eq(s.submit_socket, GOV_DEFAULT_SUBMIT_SOCKET);
	ck_assert_uint_eq(s.deadline_ms, 20);

	/* Faults elsewhere do not matter, unsound values keep the default. */
	write_file("g", "GovernorSocket=/run/x\nFoo=1\nOnGovernorDown=pass\n"
			"SubmitDeadline=1h\nTeamName=t Parent=\nInclude h\n");
	write_file("h", "Cluster=z GovernorSocket=/run/z\n");
	gov_conf_plugin_settings(path_of("g"), &s);
	ck_assert_int_eq(s.on_down, GOV_DOWN_PASS);
	ck_assert_str_eq(s.submit_socket, "/run/x");
	ck_assert_uint_eq(s.deadline_ms, 20);
	write_file("h",
		   "SubmitDeadline=45ms ClusterName=z\n"
		   "Cluster=z GovernorSocket=/run/z OnGovernorDown=reject\n");
	write_file("g", "Include h\nGovernorSocket=/run/x\n");
	gov_conf_plugin_settings(path_of("g"), &s);
	ck_assert_int_eq(s.on_down, GOV_DOWN_REJECT);
	ck_assert_str_eq(s.submit_socket, "/run/z");
	ck_assert_uint_eq(s.deadline_ms, 45);
	gov_conf_plugin_settings("/", &s);
	ck_assert_str_eq(s.submit_socket, GOV_DEFAULT_SUBMIT_SOCKET);
}
END_TEST

START_TEST(where_the_file_is)
{
	char buffer[64];

	unsetenv("GOVERNANCE_CONF");
	unsetenv("SLURM_CONF");
	ck_assert_str_eq(gov_conf_path(buffer, sizeof(buffer)),
			 GOV_DEFAULT_CONF);
	setenv("SLURM_CONF", "/etc/s/slurm.conf", 1);
	ck_assert_str_eq(gov_conf_path(buffer, sizeof(buffer)),
			 "/etc/s/governance.conf");
	setenv("GOVERNANCE_CONF", "/x/y", 1);
	ck_assert_str_eq(gov_conf_path(buffer, sizeof(buffer)), "/x/y");
	setenv("GOVERNANCE_CONF", "", 1);
	ck_assert_str_eq(gov_conf_path(buffer, sizeof(buffer)),
			 "/etc/s/governance.conf");
	/* What does not fit is not cut. */
	ck_assert_str_eq(gov_conf_path(buffer, 10), GOV_DEFAULT_CONF);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, make_folder, remove_folder);
	tcase_add_test(tcase, a_file);
	tcase_add_test(tcase, digest_is_fnv);
	tcase_add_test(tcase, files_that_are_none);
	tcase_add_test(tcase, files_that_others_can_write);
	tcase_add_test(tcase, includes);
	tcase_add_test(tcase, includes_without_end);
	tcase_add_test(tcase, plugin_settings);
	tcase_add_test(tcase, where_the_file_is);
}

int main(void)
{
	return unit_main("conf_files", cases);
}
