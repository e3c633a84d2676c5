/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sgov check --system: what is made of scontrol's words and plugins' files. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/conf.h"
#include "sgov/elf.h"
#include "sgov/system.h"
#include "tests/unit/unit.h"

/* Found in this very program, as Slurm finds it in a plugin. */
extern const uint32_t plugin_version;
__attribute__((visibility("default"))) const uint32_t plugin_version = 0x160508;

static const char *result_of(const struct sgov_findings *findings,
			     const char *subject, const char *text)
{
	static const char *const names[] = { "ok", "warning", "error" };

	for (size_t i = 0; i < findings->count; i++)
		if (strcmp(findings->item[i].subject, subject) == 0 &&
		    strstr(findings->item[i].text, text))
			return names[findings->item[i].severity];
	return "none";
}

static struct json_object *config(const char *lines)
{
	char *text = strdup(lines);
	struct json_object *object = sgov_parse_scontrol(text);

	free(text);
	return object;
}

static void examine(const char *lines, struct sgov_findings *findings)
{
	struct json_object *slurm = config(lines);

	sgov_examine_slurm(slurm, findings);
	json_object_put(slurm);
}

START_TEST(good_settings_are_fine)
{
	struct sgov_findings findings = { 0 };

	examine("Configuration data as of 2026-12-02T07:00:00\n"
		"AuthType                = auth/munge\n"
		"JobSubmitPlugins        = lua,governance\n"
		"JobRequeue              = 1\n"
		"PreemptMode             = OFF\n"
		"PreemptType             = preempt/none\n"
		"PrologFlags             = Alloc,Contain\n",
		&findings);
	ck_assert_uint_eq(findings.errors, 0);
	for (size_t i = 0; i < findings.count; i++)
		ck_assert_int_eq(findings.item[i].severity, SGOV_FINE);
	ck_assert_uint_eq(findings.count, 5);
	sgov_findings_free(&findings);
}
END_TEST

START_TEST(bad_settings_are_told)
{
	struct sgov_findings findings = { 0 };

	examine("AuthType = auth/slurm\n"
		"JobSubmitPlugins = governance2\n"
		"JobRequeue = 0\n"
		"PreemptMode = CANCEL\n"
		"PreemptType = preempt/qos\n"
		"PrologFlags = (null)\n",
		&findings);
	ck_assert_str_eq(result_of(&findings, "PrologFlags", "Alloc"), "error");
	ck_assert_str_eq(result_of(&findings, "JobSubmitPlugins", ""), "error");
	ck_assert_str_eq(result_of(&findings, "AuthType", ""), "warning");
	ck_assert_str_eq(result_of(&findings, "PreemptMode", ""), "warning");
	ck_assert_str_eq(result_of(&findings, "JobRequeue", ""), "warning");
	ck_assert_uint_eq(findings.errors, 2);
	sgov_findings_free(&findings);
	examine("", &findings);
	ck_assert_uint_eq(findings.errors, 2);
	sgov_findings_free(&findings);
}
END_TEST

/* ---- plugins ---- */

static char folder[] = "/tmp/gov-system-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

/* This program stands in for a plugin. */
static void put_plugin(const char *name)
{
	char path[128], self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	ck_assert_int_gt(n, 0);
	self[n] = '\0';
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
	ck_assert_int_eq(symlink(self, path), 0);
}

static void remove_file(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
}

static void examine_plugins(const char *version, struct sgov_findings *findings)
{
	struct json_object *slurm;
	char text[1024], host[64] = "";

	gethostname(host, sizeof(host) - 1);
	snprintf(text, sizeof(text),
		 "PluginDir = /nonexistent:%s\nPlugStackConfig = %s/plugstack\n"
		 "SLURM_VERSION = %s\nSlurmctldHost[0] = %s(127.0.0.1)\n",
		 folder, folder, version, host);
	slurm = config(text);
	sgov_examine_plugins(slurm, findings);
	json_object_put(slurm);
}

static void expect_plugins(const char *version, const char *subject,
			   const char *text, const char *result)
{
	struct sgov_findings findings = { 0 };
	const char *is;

	examine_plugins(version, &findings);
	is = result_of(&findings, subject, text);
	ck_assert_msg(strcmp(is, result) == 0, "%s, %s: %s, not %s", subject,
		      text, is, result);
	sgov_findings_free(&findings);
}

static void setup(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	put_plugin("job_submit_governance.so");
	put_plugin("spank_governance.so");
	write_file("plugstack", "include d-*.conf\n");
	write_file("d-1.conf", "# optional spank_governance.so\n"
			       "optional  spank_governance.so max_age=1\n");
}

static void teardown(void)
{
	remove_file("job_submit_governance.so");
	remove_file("spank_governance.so");
	remove_file("plugstack");
	remove_file("d-1.conf");
	rmdir(folder);
}

START_TEST(plugins_of_the_running_release)
{
	expect_plugins("22.05.8", "plugins", "job_submit_gov", "ok");
	expect_plugins("22.05.8", "plugins", "spank_gov", "ok");
	expect_plugins("22.05.8", "plugstack.conf", "", "ok");
	/* SPANK does not care for the last number, job_submit does. */
	expect_plugins("22.05.9", "plugins", "job_submit_gov", "error");
	expect_plugins("22.05.9", "plugins", "spank_gov", "ok");
	expect_plugins("23.02.8", "plugins", "spank_gov", "error");
	expect_plugins("nonsense", "plugins", "job_submit_gov", "warning");
}
END_TEST

START_TEST(missing_plugins)
{
	remove_file("job_submit_governance.so");
	expect_plugins("22.05.8", "plugins", "job_submit_gov", "error");
	remove_file("spank_governance.so");
	expect_plugins("22.05.8", "plugins", "is not here", "error");
	write_file("job_submit_governance.so", "\177ELF, or not");
	expect_plugins("22.05.8", "plugins", "no Slurm plugin", "error");
	write_file("d-1.conf", "required spank_governance.so\n");
	expect_plugins("22.05.8", "plugstack.conf", "", "warning");
	write_file("d-1.conf", "");
	expect_plugins("22.05.8", "plugstack.conf", "no line", "error");
	remove_file("plugstack");
	expect_plugins("22.05.8", "plugstack.conf", "cannot be read", "error");
}
END_TEST

START_TEST(elf_survives_any_bytes)
{
	char path[128], self[1 << 16];
	FILE *file = fopen("/proc/self/exe", "r");
	uint32_t value, seed = 1;
	size_t n;

	ck_assert_int_eq(sgov_elf_constant("/proc/self/exe", "plugin_version",
					   &value),
			 0);
	ck_assert_uint_eq(value, plugin_version);
	ck_assert_int_eq(sgov_elf_constant("/proc/self/exe", "nothing", &value),
			 -1);
	ck_assert_int_eq(sgov_elf_constant("/", "a", &value), -1);
	n = fread(self, 1, sizeof(self), file);
	fclose(file);
	snprintf(path, sizeof(path), "%s/spank_governance.so", folder);
	for (int i = 0; i < 400; i++) {
		unlink(path);
		file = fopen(path, "w");
		for (int j = 0; j < 8; j++) {
			seed = seed * 1103515245 + 12345;
			self[seed % 64] = (char) (seed >> 16);
		}
		fwrite(self, 1, i ? n / (size_t) i : 0, file);
		fclose(file);
		sgov_elf_constant(path, "plugin_version", &value);
	}
}
END_TEST

/* ---- nodes ---- */

static const char policy_text[] =
	"PoolName=h100 Nodes=g[1-2] TRES=gres/gpu:h100,cpu,mem\n"
	"PriorityClass=normal Weight=50 Default=yes\n"
	"TeamName=a Members=root\nTeamName=b Members=root\n"
	"Quota Team=a Pool=h100 TRES=gres/gpu:h100=12\n"
	"Quota Team=b Pool=h100 TRES=gres/gpu:h100=4\n";

#define NODE(name, gpus)                                              \
	"NodeName=" name " Arch=x86_64 CoresPerSocket=16 CPUAlloc=0 " \
	"CPUTot=32 Gres=gpu:h100:" gpus "(S:0-1),shard:4 RealMemory=1000 \n"

static void expect_nodes(const char *text, const char *subject,
			 const char *part, const char *result)
{
	struct gov_conf_faults faults = { 0 };
	struct gov_policy *policy = gov_conf_parse(policy_text,
						   strlen(policy_text), "test",
						   NULL, &faults);
	struct sgov_findings findings = { 0 };
	char *nodes = strdup(text);
	const char *is;

	ck_assert_msg(policy != NULL, "%s",
		      faults.count ? faults.item[0].text : "");
	sgov_examine_nodes(nodes, policy, &findings);
	is = result_of(&findings, subject, part);
	ck_assert_msg(strcmp(is, result) == 0, "%s: %s, not %s", part, is,
		      result);
	free(nodes);
	sgov_findings_free(&findings);
	gov_conf_faults_free(&faults);
	gov_policy_unref(policy);
}

START_TEST(quotas_beside_nodes)
{
	expect_nodes(NODE("g1", "8") NODE("g2", "8"), "quotas",
		     "has 16 of gres/gpu:h100, quotas take 16", "ok");
	expect_nodes(NODE("g1", "8") NODE("g2", "8"), "nodes", "", "none");
	expect_nodes(NODE("g1", "8") NODE("g2", "4"), "quotas",
		     "has 12 of gres/gpu:h100, quotas promise 16", "error");
	expect_nodes(NODE("g1", "8"), "nodes", "node g2 of pool h100", "error");
	expect_nodes(NODE("g1", "8") NODE("g2", "8") NODE("x", "8"), "nodes",
		     "1 node belongs to no pool", "warning");
	expect_nodes("", "nodes", "node g1", "error");
	expect_nodes("NodeName=\nNodeName=g1 Gres=gpu:((((h100 CPUTot=-1\n",
		     "nodes", "node g2", "error");
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, good_settings_are_fine);
	tcase_add_test(tcase, bad_settings_are_told);
	tcase_add_test(tcase, plugins_of_the_running_release);
	tcase_add_test(tcase, missing_plugins);
	tcase_add_test(tcase, elf_survives_any_bytes);
	tcase_add_test(tcase, quotas_beside_nodes);
}

int main(void)
{
	return unit_main("sgov_system", cases);
}
