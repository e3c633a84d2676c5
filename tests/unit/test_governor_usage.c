/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Usage history in the governor: counted by the job list, kept in a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "slurmgovd/usage_file.h"
#include "tests/unit/fake_slurm.h"
#include "tests/unit/unit.h"

#define POLICY                                                 \
	"UsageHalfLife=1:00:00 MinRuntime=0\n"                 \
	"PoolName=h100 Nodes=g1 TRES=gres/gpu\n"               \
	"PriorityClass=normal Weight=50 Default=yes\n"         \
	"TeamName=vision Account=vision Queueing=BestEffort\n" \
	"Quota Team=vision Pool=h100 TRES=gres/gpu=8\n"

#define ALICE 100
#define ANN 101

static struct fake fake;
static char directory[] = "/tmp/gov-usage-XXXXXX";

static void save(void)
{
	struct gov_error error = { 0 };

	ck_assert_msg(!gov_usage_save(directory,
				      gov_governor_engine(fake.governor),
				      &error),
		      "%s", error.text);
}

static int load(void)
{
	struct gov_error error = { 0 };
	int rc = gov_governor_load_usage(fake.governor, directory, &error);

	ck_assert(!rc == !error.text[0]);
	return rc;
}

static void write_usage(const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/usage", directory);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static double usage_of(uint32_t uid)
{
	return gov_engine_usage_score(gov_governor_engine(fake.governor), 0,
				      uid);
}

/* For an hour nothing happens but that the job runs: the poll tells time. */
static void alice_runs_for_an_hour(void)
{
	uint32_t job = fake_must_submit(&fake, ALICE, 8, NULL);

	fake_settle(&fake);
	ck_assert(fake_runs(&fake, job));
	fake.wall += 3600;
	fake.mono += 3600000;
	fake_end(&fake, job);
	fake_settle(&fake);
}

/* Both ask while somebody else has all; who had little is admitted first. */
static void ann_goes_first(void)
{
	uint32_t other = fake_must_submit(&fake, 102, 8, NULL), alice, ann;

	fake_settle(&fake);
	ck_assert(fake_runs(&fake, other));
	alice = fake_must_submit(&fake, ALICE, 8, NULL);
	fake_pass(&fake, 2);
	ann = fake_must_submit(&fake, ANN, 8, NULL);
	fake_pass(&fake, 2);
	ck_assert(fake_waits(&fake, alice) && fake_waits(&fake, ann));
	fake_end(&fake, other);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, ann));
	ck_assert(fake_waits(&fake, alice));
	fake_check(&fake);
}

START_TEST(usage_is_counted)
{
	fake_start(&fake, POLICY, 8);
	alice_runs_for_an_hour();
	ck_assert_double_gt(usage_of(ALICE), 0.4);
	ck_assert_double_lt(usage_of(ALICE), 0.5);
	ann_goes_first();
	fake_stop(&fake);
}
END_TEST

START_TEST(usage_survives_a_restart)
{
	fake_start(&fake, POLICY, 8);
	alice_runs_for_an_hour();
	save();
	fake_restart_governor(&fake);
	ck_assert_double_eq(usage_of(ALICE), 0);
	ck_assert_int_eq(load(), 0);
	ck_assert_double_gt(usage_of(ALICE), 0.4);
	/* It stops again before it has seen a job. */
	save();
	fake_restart_governor(&fake);
	ck_assert_int_eq(load(), 0);
	fake_settle(&fake);
	ck_assert_double_gt(usage_of(ALICE), 0.4);
	ann_goes_first();
	fake_stop(&fake);
}
END_TEST

START_TEST(usage_survives_a_reload)
{
	fake_start(&fake, POLICY, 8);
	alice_runs_for_an_hour();
	fake_reload(&fake, POLICY "# the same\n");
	ck_assert_double_gt(usage_of(ALICE), 0.4);
	ann_goes_first();
	/* Without a half-life nothing is kept. */
	fake_reload(&fake, strchr(POLICY, '\n') + 1);
	ck_assert_double_eq(usage_of(ALICE), -1);
	fake_stop(&fake);
}
END_TEST

START_TEST(damaged_files_are_told)
{
	static const char *const bad[] = {
		"",
		"slurm-governance usage 2\n",
		"slurm-governance usage 1\n5 vision 100 gres/gpu\n",
		"slurm-governance usage 1\n5 vision 100 gres/gpu 1 1\n",
		"slurm-governance usage 1\n5 vision 1x gres/gpu 1\n",
		"slurm-governance usage 1\n5 vision 100 gres/gpu -1\n",
		"slurm-governance usage 1\n5 vision 100 gres/gpu nan\n",
		"slurm-governance usage 1\n5 vision 100 gres/gpu inf\n",
		"slurm-governance usage 1\n5 vision 100 gres/gpu 1",
	};

	fake_start(&fake, POLICY, 8);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		write_usage(bad[i]);
		ck_assert_msg(load() < 0, "%s", bad[i]);
		ck_assert_double_eq(usage_of(ALICE), 0);
	}
	/* What the policy does not have any more is left out. */
	write_usage("slurm-governance usage 1\n"
		    "5 gone 100 gres/gpu 1\n"
		    "5 vision 100 license/x 1\n"
		    "1000000 VISION - gres/gpu 1\n"
		    "1000000 vision 100 gres/gpu 8\n");
	ck_assert_int_eq(load(), 0);
	ck_assert_double_gt(usage_of(ALICE), 0.9);
	fake_stop(&fake);
}
END_TEST

START_TEST(a_file_that_is_not_there_is_no_fault)
{
	char path[64];
	struct gov_error error;

	snprintf(path, sizeof(path), "%s/usage", directory);
	unlink(path);
	fake_start(&fake, POLICY, 8);
	ck_assert_int_eq(load(), 0);
	ck_assert_int_lt(gov_usage_save("/nonexistent",
					gov_governor_engine(fake.governor),
					&error),
			 0);
	fake_stop(&fake);
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, usage_is_counted);
	tcase_add_test(t, usage_survives_a_restart);
	tcase_add_test(t, usage_survives_a_reload);
	tcase_add_test(t, damaged_files_are_told);
	tcase_add_test(t, a_file_that_is_not_there_is_no_fault);
}

int main(void)
{
	char path[64];
	int rc;

	if (!mkdtemp(directory))
		return 1;
	rc = unit_main("governor's usage history", add);
	snprintf(path, sizeof(path), "%s/usage", directory);
	unlink(path);
	rmdir(directory);
	return rc;
}
