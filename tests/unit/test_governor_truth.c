/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is so counts, whatever was judged: jobs that run unadmitted, nodes
 * that come and go. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "slurmgovd/gres.h"
#include "tests/unit/fake_slurm.h"
#include "tests/unit/unit.h"

#define TWO_TEAMS                                                             \
	"Enforcement=enforce ReclaimGrace=10 MinRuntime=0 ExemptUsers=root\n" \
	"PoolName=h100 Nodes=g[1-3] TRES=gres/gpu\n"                          \
	"PriorityClass=normal Weight=50 Default=yes\n"                        \
	"TeamName=vision Account=vision\nTeamName=nlp Account=nlp\n"          \
	"Quota Team=vision Pool=h100 TRES=gres/gpu=16 BorrowLimit=0\n"        \
	"Quota Team=nlp Pool=h100 TRES=gres/gpu=8 BorrowLimit=200%\n"

#define ALICE 100
#define BOB 200

static struct fake fake;

static const struct gov_tracked *tracked(uint32_t id)
{
	return gov_governor_job(fake.governor, id);
}

/* g1 to g3 with 8 GPUs each; g1 takes no new jobs, `used` hold some of it. */
static void show_nodes(const char *used, bool healthy)
{
	struct gov_node_record node[3] = { { 0 } };
	struct gov_machine machine = { node, 3, NULL, 0, false };
	static const char *const name[] = { "g1", "g2", "g3" };

	for (int i = 0; i < 3; i++)
		node[i] = (struct gov_node_record){
			.name = name[i],
			.healthy = i || healthy,
			.installed = true,
			.cpus = 64,
			.memory = 1024,
			.sockets = 2,
			.threads = 1,
			.gres = "gpu:h100:8",
		};
	if (!healthy)
		node[0].used_gres = used;
	gov_governor_set_machine(fake.governor, gov_machine_copy(&machine),
				 (struct gov_now){ fake.wall, fake.mono });
}

static struct gov_cell_view pool(void)
{
	struct gov_cell_view view;

	gov_engine_view(gov_governor_engine(fake.governor), GOV_NONE, 0, &view);
	return view;
}

START_TEST(what_runs_unadmitted_counts_and_is_known_as_such)
{
	uint32_t own, more;

	fake_start(&fake, TWO_TEAMS, 24);
	own = fake_must_submit(&fake, ALICE, 16, NULL);
	more = fake_must_submit(&fake, ALICE, 4, NULL);
	fake_settle(&fake);
	ck_assert(fake_waits(&fake, more));
	/* Behind the governor's back, and it starts at once. */
	fake_find(&fake, more)->held = false;
	fake_find(&fake, more)->state = GOV_SLURM_RUNNING;
	fake_find(&fake, more)->started = fake.wall;
	fake_settle(&fake);
	ck_assert(tracked(more)->stamp.unadmitted);
	ck_assert(!tracked(own)->stamp.unadmitted);
	ck_assert_ptr_nonnull(
		strstr(fake_find(&fake, more)->comment, "unadmitted=1"));
	fake_check(&fake);
	fake_restart_governor(&fake);
	fake_settle(&fake);
	ck_assert(tracked(more)->stamp.unadmitted);
	ck_assert(!tracked(own)->stamp.unadmitted);
	/* Requeued, it is judged as any other. */
	fake_find(&fake, more)->state = GOV_SLURM_PENDING;
	fake_find(&fake, more)->started = 0;
	fake_find(&fake, more)->restarts++;
	fake_settle(&fake);
	ck_assert(fake_waits(&fake, more));
	ck_assert(!tracked(more)->stamp.unadmitted);
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(submitted_while_nobody_governed)
{
	uint32_t id, admitted;

	fake_start(&fake, TWO_TEAMS, 24);
	admitted = fake_must_submit(&fake, ALICE, 2, NULL);
	id = fake_must_submit(&fake, ALICE, 4, NULL);
	fake_find(&fake, id)->comment[0] = '\0';
	fake_find(&fake, id)->state = GOV_SLURM_RUNNING;
	fake_find(&fake, id)->started = fake.wall;
	fake_restart_governor(&fake);
	fake_settle(&fake);
	ck_assert(tracked(id)->stamp.unadmitted);
	ck_assert(!tracked(admitted)->stamp.unadmitted);
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(a_node_that_drains_counts_as_far_as_it_is_used)
{
	uint32_t loan, own;

	fake_start(&fake, TWO_TEAMS, 24);
	show_nodes(NULL, true);
	ck_assert_uint_eq(pool().capacity, 24);
	loan = fake_must_submit(&fake, BOB, 8, NULL);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, loan));
	show_nodes("gpu:h100:8(IDX:0-7)", false);
	ck_assert_uint_eq(pool().capacity, 24);
	ck_assert_uint_eq(pool().installed, 24);
	/* The other nodes are free: nobody has to go for the owner. */
	own = fake_must_submit(&fake, ALICE, 16, NULL);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, own));
	ck_assert(fake_runs(&fake, loan));
	ck_assert_int_eq(fake_find(&fake, loan)->signals, 0);
	/* It ends, and nothing takes its place. */
	fake_end(&fake, loan);
	fake_settle(&fake);
	show_nodes("gpu:h100:0(IDX:N/A)", false);
	ck_assert_uint_eq(pool().capacity, 16);
	ck_assert_uint_eq(pool().free, 0);
	loan = fake_must_submit(&fake, BOB, 8, NULL);
	ck_assert_ptr_nonnull(strstr(fake.message, "16 gres/gpu"));
	ck_assert_ptr_nonnull(strstr(fake.message, "healthy nodes"));
	fake_settle(&fake);
	ck_assert(fake_waits(&fake, loan));
	show_nodes(NULL, true);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, loan));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

/* One of nlp's, at the next whole minute; true: as Slurm shows a true one. */
static uint32_t submit_cron(uint32_t gpus)
{
	char options[32];

	snprintf(options, sizeof(options), "cron begin=%d",
		 (int) (60 - fake.wall % 60));
	return fake_must_submit(&fake, BOB, gpus, options);
}

START_TEST(scrontab_is_never_held_and_counts_while_it_runs)
{
	uint32_t cron, own, owner;

	fake_start(&fake, TWO_TEAMS, 24);
	fake.scrontab = true;
	fake_set_gpus(&fake, 24);
	own = fake_must_submit(&fake, BOB, 8, NULL);
	cron = submit_cron(8);
	fake_settle(&fake);
	ck_assert(!fake_find(&fake, cron)->held);
	ck_assert_uint_eq(
		gov_engine_job(gov_governor_engine(fake.governor), cron)->state,
		GOV_JOB_INELIGIBLE);
	fake_pass(&fake, 60);
	ck_assert(fake_runs(&fake, cron));
	ck_assert(!tracked(cron)->stamp.unadmitted);
	fake_check(&fake);
	/* What it makes its team borrow is taken back, also by a governor
	 * that has just started. */
	fake_restart_governor(&fake);
	fake_settle(&fake);
	owner = fake_must_submit(&fake, ALICE, 16, NULL);
	fake_settle(&fake);
	ck_assert_int_eq(fake_find(&fake, cron)->last_signal, SIGTERM);
	fake_pass(&fake, 9);
	ck_assert(fake_runs(&fake, cron));
	fake_pass(&fake, 6);
	ck_assert(fake_runs(&fake, owner));
	ck_assert(fake_runs(&fake, own));
	ck_assert(!fake_find(&fake, cron)->held);
	ck_assert_int_eq(fake_find(&fake, cron)->state, GOV_SLURM_PENDING);
	ck_assert_uint_eq(tracked(cron)->stamp.evictions, 1);
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(what_looks_like_scrontab_is_governed)
{
	uint32_t forged;

	/* Where there is none. */
	fake_start(&fake, TWO_TEAMS, 24);
	forged = submit_cron(8);
	ck_assert(fake_find(&fake, forged)->held);
	fake_pass(&fake, 60);
	ck_assert(fake_runs(&fake, forged));
	fake_check(&fake);
	/* Where there is, and Slurm has taken the flag from it. */
	fake.scrontab = true;
	fake_set_gpus(&fake, 24);
	forged = submit_cron(16);
	fake_find(&fake, forged)->cron = false;
	fake_settle(&fake);
	ck_assert(fake_waits(&fake, forged));
	fake_pass(&fake, 60);
	ck_assert(fake_runs(&fake, forged));
	ck_assert(!tracked(forged)->stamp.unadmitted);
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

/* It is no way round membership, or limits. */
START_TEST(scrontab_is_for_members)
{
	fake_start(&fake, TWO_TEAMS, 24);
	fake.scrontab = true;
	fake_set_gpus(&fake, 24);
	ck_assert_uint_eq(fake_submit(&fake, BOB, 1,
				      "cron begin=20 account=vision"),
			  0);
	ck_assert_int_eq(fake.code, GOV_R_NOT_MEMBER);
	ck_assert_uint_eq(fake_submit(&fake, BOB, 25, "cron begin=20"), 0);
	ck_assert_int_eq(fake.code, GOV_R_TOO_LARGE);
	fake_stop(&fake);
}
END_TEST

START_TEST(more_than_is_installed_is_refused)
{
	fake_start(&fake, TWO_TEAMS, 8);
	ck_assert_uint_eq(fake_submit(&fake, ALICE, 16, NULL), 0);
	ck_assert_int_eq(fake.code, GOV_R_TOO_LARGE);
	show_nodes(NULL, false);
	ck_assert_uint_ne(fake_submit(&fake, ALICE, 16, NULL), 0);
	fake_stop(&fake);
}
END_TEST

/* Where both are accounted Slurm tells GPUs twice, plain and typed. */
START_TEST(gpus_told_twice_count_once)
{
	static const struct {
		const char *text;
		gov_amount_t plain, typed;
	} seen[] = {
		{ "cpu=1,gres/gpu=2,gres/gpu:h100=2", 2, 2 },
		{ "gres/gpu:h100=2,cpu=1,gres/gpu=2", 2, 2 },
		{ "cpu=1,gres/gpu:h100=3", 3, 3 },
		{ "gres/gpu=4", 4, 0 },
		{ "gpu:h100:2(IDX:0-1)", 2, 2 },
	};
	struct gov_policy *policy = gov_policy_create();

	gov_policy_add_tres(policy, "gres/gpu");
	gov_policy_add_tres(policy, "gres/gpu:h100");
	for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
		gov_amount_t amounts[2] = { 0 };

		ck_assert_int_eq(gov_gres_add(policy, seen[i].text, amounts),
				 0);
		ck_assert_uint_eq(amounts[0], seen[i].plain);
		ck_assert_uint_eq(amounts[1], seen[i].typed);
	}
	gov_policy_unref(policy);
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, gpus_told_twice_count_once);
	tcase_add_test(t, what_runs_unadmitted_counts_and_is_known_as_such);
	tcase_add_test(t, submitted_while_nobody_governed);
	tcase_add_test(t, a_node_that_drains_counts_as_far_as_it_is_used);
	tcase_add_test(t, scrontab_is_never_held_and_counts_while_it_runs);
	tcase_add_test(t, what_looks_like_scrontab_is_governed);
	tcase_add_test(t, scrontab_is_for_members);
	tcase_add_test(t, more_than_is_installed_is_refused);
}

int main(void)
{
	return unit_main("governor's truth", add);
}
