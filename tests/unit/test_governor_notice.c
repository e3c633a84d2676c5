/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notice: which signal, and what a checkpoint changes. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/fake_slurm.h"
#include "tests/unit/unit.h"

#define POLICY(more)                                                   \
	"ReclaimSignal=USR2 ReclaimGrace=60 MinRuntime=0 " more "\n"   \
	"ExemptUsers=root\n"                                           \
	"PoolName=h100 Nodes=g1 TRES=gres/gpu\n"                       \
	"PriorityClass=normal Weight=50 Default=yes\n"                 \
	"TeamName=vision Account=vision\nTeamName=nlp Account=nlp\n"   \
	"Quota Team=vision Pool=h100 TRES=gres/gpu=16 BorrowLimit=0\n" \
	"Quota Team=nlp Pool=h100 TRES=gres/gpu=8 BorrowLimit=200%\n"

#define ALICE 100
#define BOB 200
#define EVE 900

static struct fake fake;

static int checkpoint(uint32_t id, uid_t by)
{
	struct gov_now now = { .wall = fake.wall, .mono = fake.mono };
	struct gov_error error = { 0 };
	char name[16];

	snprintf(name, sizeof(name), "%u", id);
	return gov_governor_checkpoint(fake.governor, name, by, now, &error) ?
		       (int) error.code :
		       0;
}

static bool stamped(uint32_t id, const char *word)
{
	return strstr(fake_find(&fake, id)->comment, word) != NULL;
}

START_TEST(the_users_own_signal)
{
	uint32_t loan, other;

	fake_start(&fake, POLICY(""), 24);
	loan = fake_submit(&fake, BOB, 12, "signal=12");
	other = fake_submit(&fake, BOB, 12, "signal=9999");
	ck_assert_ptr_nonnull(strstr(fake.message, "signal 12"));
	fake_settle(&fake);
	ck_assert(stamped(loan, "signal=12"));
	ck_assert(!stamped(other, "signal="));
	fake_restart_governor(&fake);
	fake_settle(&fake);
	fake_submit(&fake, ALICE, 16, NULL);
	fake_settle(&fake);
	ck_assert_int_eq(fake_find(&fake, loan)->last_signal, 12);
	ck_assert_int_eq(fake_find(&fake, other)->last_signal, SIGUSR2);
	fake_stop(&fake);
}
END_TEST

/* Slurm starts the asker in the moment in which its victims are gone: it is
 * released while they are on their way out, and not before. */
START_TEST(the_asker_is_released_while_its_victims_go)
{
	uint32_t loan, asker;
	int rounds = 0;

	fake_start(&fake, POLICY(""), 24);
	loan = fake_submit(&fake, BOB, 24, NULL);
	fake_settle(&fake);
	asker = fake_submit(&fake, ALICE, 16, NULL);
	fake_pass(&fake, 30);
	ck_assert(fake_runs(&fake, loan) && fake_waits(&fake, asker));
	fake.wall += 35;
	fake.mono += 35000;
	/* As soon as slurmctld has taken the order to requeue the loan. */
	while (!fake_find(&fake, loan)->stopped_at) {
		ck_assert(fake_find(&fake, asker)->held);
		ck_assert_int_lt(++rounds, 10);
		fake_round(&fake);
	}
	fake_find(&fake, loan)->completing = true;
	fake_round(&fake);
	ck_assert(!fake_find(&fake, asker)->held);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, asker) && fake_waits(&fake, loan));
	ck_assert(!stamped(asker, "unadmitted"));
	ck_assert(stamped(asker, "state=admitted"));
	fake_stop(&fake);
}
END_TEST

START_TEST(a_checkpoint_ends_the_grace)
{
	uint32_t loan, asker;

	fake_start(&fake, POLICY("ReclaimOnCheckpoint=yes"), 24);
	loan = fake_submit(&fake, BOB, 24, NULL);
	ck_assert_int_eq(checkpoint(99, BOB), GOV_E_REFERENCE);
	fake_settle(&fake);
	ck_assert_int_eq(checkpoint(loan, EVE), GOV_E_PERMISSION);
	asker = fake_submit(&fake, ALICE, 16, NULL);
	fake_pass(&fake, 5);
	ck_assert_int_eq(checkpoint(asker, ALICE), GOV_E_STATE);
	ck_assert_int_eq(fake_find(&fake, loan)->signals, 1);
	ck_assert(fake_runs(&fake, loan));
	ck_assert_int_eq(checkpoint(loan, BOB), 0);
	fake_pass(&fake, 4);
	ck_assert(fake_runs(&fake, asker) && fake_waits(&fake, loan));
	ck_assert(stamped(loan, "checkpoint=1000005"));
	ck_assert(stamped(loan, "evictions=1"));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(a_checkpoint_ends_no_grace_unless_the_policy_says_so)
{
	uint32_t loan;

	fake_start(&fake, POLICY(""), 24);
	loan = fake_submit(&fake, BOB, 24, NULL);
	fake_settle(&fake);
	fake_submit(&fake, ALICE, 16, NULL);
	fake_pass(&fake, 5);
	ck_assert_int_eq(checkpoint(loan, BOB), 0);
	fake_pass(&fake, 50);
	ck_assert(fake_runs(&fake, loan));
	fake_restart_governor(&fake);
	fake_pass(&fake, 15);
	ck_assert(fake_waits(&fake, loan));
	fake_stop(&fake);
}
END_TEST

START_TEST(who_has_saved_gives_way_first_and_costs_few_updates)
{
	uint32_t saved, other;
	unsigned before;

	fake_start(&fake, POLICY(""), 24);
	saved = fake_submit(&fake, BOB, 8, NULL);
	fake_pass(&fake, 20);
	fake_submit(&fake, BOB, 8, NULL);
	other = fake_submit(&fake, BOB, 8, NULL);
	fake_pass(&fake, 100);
	before = fake.actions;
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(checkpoint(saved, BOB), 0);
	fake_settle(&fake);
	ck_assert_uint_eq(fake.actions, before + 1);
	ck_assert(stamped(saved, "checkpoint="));
	fake_restart_governor(&fake);
	fake_settle(&fake);
	fake_submit(&fake, ALICE, 8, NULL);
	fake_settle(&fake);
	ck_assert_int_eq(fake_find(&fake, saved)->signals, 1);
	ck_assert_int_eq(fake_find(&fake, other)->signals, 0);
	fake_stop(&fake);
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, the_users_own_signal);
	tcase_add_test(t, the_asker_is_released_while_its_victims_go);
	tcase_add_test(t, a_checkpoint_ends_the_grace);
	tcase_add_test(t, a_checkpoint_ends_no_grace_unless_the_policy_says_so);
	tcase_add_test(t, who_has_saved_gives_way_first_and_costs_few_updates);
}

int main(void)
{
	return unit_main("governor's notice", add);
}
