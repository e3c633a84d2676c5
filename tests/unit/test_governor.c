/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The governor's stories, told with a Slurm in a few lines. */
#include <signal.h>
#include <string.h>

#include "tests/unit/fake_slurm.h"
#include "tests/unit/unit.h"

#define HEAD                                                                  \
	"Enforcement=enforce ReclaimGrace=10 MinRuntime=0 ExemptUsers=root\n" \
	"PoolName=h100 Nodes=g1 TRES=gres/gpu\n"                              \
	"PriorityClass=high Weight=90\n"                                      \
	"PriorityClass=normal Weight=50 Default=yes\n"                        \
	"PriorityClass=low Weight=10\n"

/* Users 100..109 are vision's, 200..209 nlp's. */
#define TWO_TEAMS                                                           \
	HEAD "TeamName=vision Account=vision\nTeamName=nlp Account=nlp\n"   \
	     "Quota Team=vision Pool=h100 TRES=gres/gpu=16 BorrowLimit=0\n" \
	     "Quota Team=nlp Pool=h100 TRES=gres/gpu=8 BorrowLimit=200%\n"

#define ALICE 100
#define BOB 200
#define EVE 900

static struct fake fake;

START_TEST(admitted_at_once_is_never_held)
{
	uint32_t id;

	fake_start(&fake, TWO_TEAMS, 24);
	id = fake_must_submit(&fake, ALICE, 8, NULL);
	ck_assert(!fake_find(&fake, id)->held);
	ck_assert_str_eq(fake.message, "");
	ck_assert_str_eq(fake_find(&fake, id)->account, "vision");
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, id));
	/* Not one update was needed. */
	ck_assert_uint_eq(fake.actions, 0);
	ck_assert_uint_eq(gov_governor_provisional(fake.governor), 0);
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(waits_under_an_admin_hold_and_starts_by_itself)
{
	uint32_t first, second;

	fake_start(&fake, TWO_TEAMS, 24);
	first = fake_must_submit(&fake, ALICE, 16, NULL);
	second = fake_must_submit(&fake, ALICE, 1, NULL);
	ck_assert(fake_find(&fake, second)->held);
	ck_assert_ptr_nonnull(strstr(fake.message, "job waits: "));
	fake_settle(&fake);
	ck_assert(fake_waits(&fake, second));
	ck_assert_ptr_nonnull(
		strstr(fake_find(&fake, second)->comment, "state=waiting"));
	fake_end(&fake, first);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, second));
	ck_assert_ptr_nonnull(
		strstr(fake_find(&fake, second)->comment, "state=admitted"));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(refusals_say_what_to_do)
{
	fake_start(&fake, TWO_TEAMS, 24);
	ck_assert_uint_eq(fake_submit(&fake, EVE, 1, NULL), 0);
	ck_assert_int_eq(fake.code, GOV_R_NO_TEAM);
	ck_assert_uint_eq(fake_submit(&fake, ALICE, 1, "account=nlp"), 0);
	ck_assert_int_eq(fake.code, GOV_R_NOT_MEMBER);
	ck_assert_ptr_nonnull(strstr(fake.message, "vision"));
	ck_assert_uint_eq(fake_submit(&fake, ALICE, 1, "account=x"), 0);
	ck_assert_int_eq(fake.code, GOV_R_NO_TEAM);
	ck_assert_ptr_nonnull(strstr(fake.message, "vision"));
	ck_assert_uint_eq(fake_submit(&fake, ALICE, 1, "class=x"), 0);
	ck_assert_int_eq(fake.code, GOV_R_NO_CLASS);
	ck_assert_ptr_nonnull(strstr(fake.message, "high, normal, low"));
	ck_assert_uint_eq(fake_submit(&fake, ALICE, 1, "project=x"), 0);
	ck_assert_int_eq(fake.code, GOV_R_NO_PROJECT);
	ck_assert_uint_eq(fake_submit(&fake, ALICE, 1, "borrow=maybe"), 0);
	ck_assert_int_eq(fake.code, GOV_R_REQUEST);
	ck_assert_uint_eq(fake_submit(&fake, ALICE, 100, NULL), 0);
	ck_assert_int_eq(fake.code, GOV_R_TOO_LARGE);
	fake_must_submit(&fake, ALICE, 16, NULL);
	ck_assert_uint_eq(fake_submit(&fake, ALICE, 8, "immediate"), 0);
	ck_assert_int_eq(fake.code, GOV_R_IMMEDIATE);
	fake_settle(&fake);
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(account_is_matched_without_case)
{
	fake_start(&fake, TWO_TEAMS, 24);
	fake_must_submit(&fake, ALICE, 1, "account=VISION");
	fake_stop(&fake);
}
END_TEST

START_TEST(exempt_users_pass)
{
	uint32_t id;

	fake_start(&fake, TWO_TEAMS, 24);
	id = fake_must_submit(&fake, 0, 1, NULL);
	ck_assert_str_eq(fake_find(&fake, id)->comment, "");
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, id));
	ck_assert_uint_eq(fake.actions, 0);
	fake_stop(&fake);
}
END_TEST

START_TEST(ungoverned_pass_where_allowed)
{
	uint32_t id;

	fake_start(&fake, "Ungoverned=allow\n" TWO_TEAMS, 24);
	id = fake_must_submit(&fake, EVE, 1, NULL);
	fake_must_submit(&fake, ALICE, 1, "account=other");
	/* A governed account is not free text even then. */
	ck_assert_uint_eq(fake_submit(&fake, EVE, 1, "account=nlp"), 0);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, id));
	ck_assert_uint_eq(fake.actions, 0);
	fake_stop(&fake);
}
END_TEST

START_TEST(a_charge_without_a_job_expires)
{
	fake_start(&fake, TWO_TEAMS, 24);
	ck_assert(fake_test_only(&fake, ALICE, 16));
	ck_assert_uint_eq(gov_governor_provisional(fake.governor), 1);
	/* The next submission waits for what may be there ... */
	fake_must_submit(&fake, ALICE, 16, NULL);
	fake_settle(&fake);
	ck_assert(fake_waits(&fake, 1));
	/* ... but not for long. */
	fake_pass(&fake, 4);
	ck_assert_uint_eq(gov_governor_provisional(fake.governor), 0);
	ck_assert(fake_runs(&fake, 1));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(provisional_jobs_evict_nobody)
{
	uint32_t loan;

	fake_start(&fake, TWO_TEAMS, 24);
	loan = fake_must_submit(&fake, BOB, 24, NULL);
	fake_settle(&fake);
	ck_assert(fake_test_only(&fake, ALICE, 16));
	fake_pass(&fake, 5);
	ck_assert_int_eq(fake_find(&fake, loan)->signals, 0);
	fake_stop(&fake);
}
END_TEST

/* ---- reclaim ---- */

START_TEST(an_owner_takes_back_what_it_lent)
{
	uint32_t own, loan, asker;
	struct fake_job *job;

	fake_start(&fake, TWO_TEAMS, 24);
	own = fake_must_submit(&fake, BOB, 8, NULL);
	fake_settle(&fake);
	loan = fake_must_submit(&fake, BOB, 16, NULL);
	ck_assert_ptr_nonnull(strstr(fake.message, "borrowed"));
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, loan));
	asker = fake_must_submit(&fake, ALICE, 16, NULL);
	fake_settle(&fake);
	job = fake_find(&fake, loan);
	ck_assert_int_eq(job->signals, 1);
	ck_assert_int_eq(job->last_signal, SIGTERM);
	ck_assert(fake_runs(&fake, loan));
	ck_assert(fake_waits(&fake, asker));
	ck_assert_ptr_nonnull(strstr(job->comment, "state=reclaiming"));
	ck_assert_ptr_nonnull(
		strstr(fake_find(&fake, asker)->comment, "state=claiming"));
	fake_pass(&fake, 10);
	ck_assert(fake_runs(&fake, loan));
	ck_assert_int_eq(job->signals, 1);
	fake_pass(&fake, 2);
	ck_assert(!fake_runs(&fake, loan));
	ck_assert_int_eq(job->stopped_at, 1000011);
	ck_assert(fake_waits(&fake, loan));
	ck_assert_ptr_nonnull(strstr(job->comment, "evictions=1"));
	ck_assert(fake_runs(&fake, asker));
	ck_assert(fake_runs(&fake, own));
	fake_check(&fake);
	/* It comes back by itself, at once in spite of Slurm's own delay. */
	fake_end(&fake, asker);
	fake_pass(&fake, 3);
	ck_assert(fake_runs(&fake, loan));
	ck_assert_ptr_nonnull(strstr(job->comment, "evictions=1"));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(a_job_that_ends_in_its_grace_has_ended)
{
	uint32_t loan, asker;

	fake_start(&fake, TWO_TEAMS, 24);
	loan = fake_must_submit(&fake, BOB, 24, NULL);
	fake_settle(&fake);
	asker = fake_must_submit(&fake, ALICE, 16, NULL);
	fake_pass(&fake, 2);
	fake_end(&fake, loan);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, asker));
	ck_assert_int_eq(fake_find(&fake, loan)->state, GOV_SLURM_ENDED);
	ck_assert_int_eq(fake_find(&fake, loan)->stopped_at, 0);
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

static void reclaimed_for_good(const char *options)
{
	uint32_t loan;

	fake_start(&fake, TWO_TEAMS, 24);
	loan = fake_must_submit(&fake, BOB, 24, options);
	ck_assert_ptr_nonnull(strstr(fake.message, "cancelled"));
	fake_settle(&fake);
	fake_must_submit(&fake, ALICE, 16, NULL);
	fake_settle(&fake);
	fake_pass(&fake, 12);
	ck_assert_int_eq(fake_find(&fake, loan)->state, GOV_SLURM_ENDED);
	ck_assert_int_eq(fake_find(&fake, loan)->stopped_at, 1000011);
	fake_check(&fake);
	fake_stop(&fake);
}

START_TEST(what_cannot_be_requeued_is_cancelled)
{
	reclaimed_for_good("salloc");
	reclaimed_for_good("norequeue");
}
END_TEST

START_TEST(asker_that_leaves_frees_nobody_twice)
{
	uint32_t loan, asker, later;

	fake_start(&fake, TWO_TEAMS, 24);
	loan = fake_must_submit(&fake, BOB, 24, NULL);
	fake_settle(&fake);
	asker = fake_must_submit(&fake, ALICE, 16, NULL);
	fake_settle(&fake);
	fake_end(&fake, asker);
	fake_pass(&fake, 12);
	/* Told is told; but then it may come straight back. */
	fake_pass(&fake, 3);
	ck_assert(fake_runs(&fake, loan));
	later = fake_must_submit(&fake, ALICE, 16, NULL);
	fake_pass(&fake, 15);
	ck_assert(fake_runs(&fake, later));
	ck_assert(fake_waits(&fake, loan));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

/* Semantics E2, with GPUs for nodes. */
START_TEST(e2_whole_job_leaves_and_own_team_gives_way)
{
	uint32_t big, second, third;

	fake_start(&fake,
		   HEAD "TeamName=a\nTeamName=b\n"
			"Quota Team=a Pool=h100 TRES=gres/gpu=2 "
			"BorrowLimit=50%\n"
			"Quota Team=b Pool=h100 TRES=gres/gpu=2 "
			"BorrowLimit=50%\n",
		   4);
	big = fake_must_submit(&fake, 100, 3, NULL);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, big));
	second = fake_must_submit(&fake, 200, 2, NULL);
	fake_pass(&fake, 15);
	ck_assert(fake_waits(&fake, big));
	ck_assert(fake_runs(&fake, second));
	third = fake_must_submit(&fake, 200, 2, "class=high");
	fake_pass(&fake, 15);
	ck_assert(fake_runs(&fake, third));
	ck_assert(fake_waits(&fake, second));
	ck_assert(fake_waits(&fake, big));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

/* Semantics E11: the victim does not overtake its displacer. */
START_TEST(e11_victim_does_not_overtake)
{
	uint32_t loan, own, asker;

	fake_start(&fake,
		   HEAD "TeamName=a\nTeamName=b\n"
			"Quota Team=a Pool=h100 TRES=gres/gpu=3 "
			"BorrowLimit=100%\n"
			"Quota Team=b Pool=h100 TRES=gres/gpu=5 "
			"BorrowLimit=100%\n",
		   8);
	loan = fake_must_submit(&fake, 100, 4, NULL);
	own = fake_must_submit(&fake, 200, 1, NULL);
	fake_settle(&fake);
	asker = fake_must_submit(&fake, 200, 4, NULL);
	for (int i = 0; i < 30; i++) {
		fake_pass(&fake, 1);
		if (i > 12)
			ck_assert(!fake_runs(&fake, loan));
	}
	ck_assert(fake_runs(&fake, asker));
	ck_assert(fake_runs(&fake, own));
	ck_assert_uint_eq(fake_find(&fake, loan)->restarts, 1);
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

/* ---- what owners try ---- */

START_TEST(owner_cannot_release_a_waiting_job)
{
	uint32_t id;

	fake_start(&fake, TWO_TEAMS, 24);
	fake_must_submit(&fake, ALICE, 16, NULL);
	id = fake_must_submit(&fake, ALICE, 2, NULL);
	fake_settle(&fake);
	ck_assert(!fake_scontrol(&fake, ALICE, id, "release"));
	ck_assert_int_eq(fake.code, GOV_R_NOT_ALLOWED);
	ck_assert_ptr_nonnull(strstr(fake.message, "by itself"));
	/* What slips through is put right at the next look. */
	fake_find(&fake, id)->held = false;
	fake_find(&fake, id)->reason = GOV_REASON_OTHER;
	fake.gpus = 16; /* it cannot start in this very moment */
	fake_settle(&fake);
	ck_assert(fake_waits(&fake, id));
	fake_stop(&fake);
}
END_TEST

START_TEST(owner_cannot_release_before_the_hold_is_the_admins)
{
	uint32_t id;

	fake_start(&fake, TWO_TEAMS, 24);
	fake_must_submit(&fake, ALICE, 16, NULL);
	id = fake_must_submit(&fake, ALICE, 2, NULL);
	ck_assert(!fake_scontrol(&fake, ALICE, id, "release"));
	ck_assert_int_eq(fake.code, GOV_R_NOT_ALLOWED);
	fake_stop(&fake);
}
END_TEST

START_TEST(root_may_release)
{
	uint32_t id;

	fake_start(&fake, TWO_TEAMS, 24);
	fake_must_submit(&fake, ALICE, 16, NULL);
	id = fake_must_submit(&fake, ALICE, 2, NULL);
	fake_settle(&fake);
	ck_assert(fake_scontrol(&fake, 0, id, "release"));
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, id));
	fake_restart_governor(&fake);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, id));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(user_hold_stays_when_quota_comes_free)
{
	uint32_t first, id;

	fake_start(&fake, TWO_TEAMS, 24);
	first = fake_must_submit(&fake, ALICE, 16, NULL);
	id = fake_must_submit(&fake, ALICE, 2, NULL);
	fake_settle(&fake);
	/* Slurm itself would forget this: it is held already. */
	ck_assert(fake_scontrol(&fake, ALICE, id, "hold"));
	fake_settle(&fake);
	ck_assert_ptr_nonnull(strstr(fake_find(&fake, id)->comment, "hold=1"));
	fake_restart_governor(&fake);
	fake_end(&fake, first);
	fake_pass(&fake, 3);
	ck_assert(fake_find(&fake, id)->held);
	ck_assert(!fake_runs(&fake, id));
	ck_assert(fake_scontrol(&fake, ALICE, id, "release"));
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, id));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(submitted_on_hold_is_not_charged)
{
	uint32_t id, other;

	fake_start(&fake, TWO_TEAMS, 24);
	id = fake_must_submit(&fake, ALICE, 16, "hold");
	fake_settle(&fake);
	ck_assert_int_eq(fake_find(&fake, id)->reason, GOV_REASON_HELD_USER);
	other = fake_must_submit(&fake, ALICE, 16, NULL);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, other));
	/* Released while quota is taken: it waits, under an admin's hold. */
	ck_assert(fake_scontrol(&fake, ALICE, id, "release"));
	ck_assert_ptr_nonnull(strstr(fake.message, "waits"));
	fake_settle(&fake);
	ck_assert(fake_waits(&fake, id));
	fake_end(&fake, other);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, id));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(hold_of_an_admitted_job_gives_its_quota_back)
{
	uint32_t id, other;

	fake_start(&fake, TWO_TEAMS, 16);
	id = fake_must_submit(&fake, ALICE, 16, NULL);
	/* Before it starts. */
	ck_assert(fake_scontrol(&fake, ALICE, id, "hold"));
	fake_settle(&fake);
	ck_assert(!fake_runs(&fake, id));
	other = fake_must_submit(&fake, ALICE, 16, NULL);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, other));
	ck_assert(fake_find(&fake, id)->held);
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(account_change_needs_membership)
{
	uint32_t id;

	fake_start(&fake, TWO_TEAMS, 24);
	fake_must_submit(&fake, ALICE, 16, NULL);
	id = fake_must_submit(&fake, ALICE, 2, NULL);
	fake_settle(&fake);
	ck_assert(!fake_scontrol(&fake, ALICE, id, "account=nlp"));
	ck_assert_int_eq(fake.code, GOV_R_NOT_MEMBER);
	ck_assert(fake_scontrol(&fake, ALICE, id, "account=vision"));
	/* And should it slip through, the job does not run there. */
	strcpy(fake_find(&fake, id)->account, "nlp");
	fake_settle(&fake);
	ck_assert(!fake_runs(&fake, id));
	ck_assert(fake_find(&fake, id)->held);
	fake_stop(&fake);
}
END_TEST

START_TEST(growing_is_judged_again)
{
	uint32_t id;

	fake_start(&fake, TWO_TEAMS, 8);
	fake_set_gpus(&fake, 24);
	fake_must_submit(&fake, ALICE, 8, NULL);
	id = fake_must_submit(&fake, ALICE, 4, NULL);
	fake.gpus = 8; /* admitted, and Slurm cannot start it */
	fake_settle(&fake);
	ck_assert(!fake_find(&fake, id)->held);
	fake_find(&fake, id)->gpus = 12;
	fake_settle(&fake);
	ck_assert(fake_waits(&fake, id));
	fake_find(&fake, id)->gpus = 6;
	fake_settle(&fake);
	ck_assert(!fake_find(&fake, id)->held);
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(dependency_holds_no_quota)
{
	uint32_t before, id, other, never;

	fake_start(&fake, TWO_TEAMS, 24);
	before = fake_must_submit(&fake, BOB, 1, NULL);
	fake_settle(&fake);
	id = fake_must_submit(&fake, ALICE, 16, "dep=afterok:1(unfulfilled)");
	never = fake_must_submit(&fake, ALICE, 1,
				 "dep=afternotok:1(unfulfilled)");
	ck_assert_ptr_nonnull(strstr(fake.message, "dependency"));
	fake_settle(&fake);
	ck_assert(fake_find(&fake, id)->held);
	other = fake_must_submit(&fake, ALICE, 16, NULL);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, other));
	fake_end(&fake, other);
	fake_settle(&fake);
	ck_assert(!fake_runs(&fake, id));
	/* slurmctld does not look at held jobs: the governor does. */
	fake_end(&fake, before);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, id));
	ck_assert(fake_find(&fake, never)->held);
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

static bool fulfilled_after(const char *dependency, bool failed)
{
	uint32_t before, id;
	bool runs;

	fake_start(&fake, TWO_TEAMS, 24);
	before = fake_must_submit(&fake, BOB, 1, NULL);
	fake_settle(&fake);
	id = fake_must_submit(&fake, ALICE, 1, dependency);
	fake_settle(&fake);
	fake_find(&fake, before)->failed = failed;
	fake_end(&fake, before);
	fake_settle(&fake);
	runs = fake_runs(&fake, id);
	fake_stop(&fake);
	return runs;
}

START_TEST(dependencies_as_slurm_means_them)
{
	ck_assert(fulfilled_after("dep=afterok:1(unfulfilled)", false));
	ck_assert(!fulfilled_after("dep=afterok:1(unfulfilled)", true));
	ck_assert(fulfilled_after("dep=afternotok:1(unfulfilled)", true));
	ck_assert(!fulfilled_after("dep=afternotok:1(unfulfilled)", false));
	ck_assert(fulfilled_after("dep=afterany:1(unfulfilled)", true));
	ck_assert(fulfilled_after("dep=after:1(unfulfilled)", true));
	ck_assert(fulfilled_after("dep=afterok:1(unfulfilled),"
				  "afterany:1(unfulfilled)",
				  false));
	ck_assert(!fulfilled_after("dep=afterok:1(unfulfilled),"
				   "afterany:2(unfulfilled)",
				   false));
	ck_assert(fulfilled_after("dep=afterok:1(unfulfilled)?"
				  "afterany:2(unfulfilled)",
				  false));
	/* What is not understood is left to Slurm. */
	ck_assert(!fulfilled_after("dep=after:1+5(unfulfilled)", false));
	ck_assert(!fulfilled_after("dep=burstbuffer:1(unfulfilled)", false));
	ck_assert(!fulfilled_after("dep=afterok:1(failed)", false));
}
END_TEST

START_TEST(begin_time_holds_no_quota)
{
	uint32_t id, other;

	fake_start(&fake, TWO_TEAMS, 24);
	id = fake_must_submit(&fake, ALICE, 16, "begin=20");
	fake_settle(&fake);
	other = fake_must_submit(&fake, ALICE, 16, NULL);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, other));
	fake_end(&fake, other);
	fake_pass(&fake, 18);
	ck_assert(!fake_runs(&fake, id));
	fake_pass(&fake, 4);
	ck_assert(fake_runs(&fake, id));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(first_tasks_of_an_array)
{
	char text[64], tiny[4];

	ck_assert_uint_eq(gov_array_first("0-5%2", 3, text, 64), 3);
	ck_assert_str_eq(text, "0-2");
	ck_assert_uint_eq(gov_array_first("1,3-5,9", 3, text, 64), 3);
	ck_assert_str_eq(text, "1,3-4");
	ck_assert_uint_eq(gov_array_first("0-20:5", 9, text, 64), 5);
	ck_assert_str_eq(text, "0,5,10,15,20");
	ck_assert_uint_eq(gov_array_first("7", 9, text, 64), 1);
	ck_assert_str_eq(text, "7");
	ck_assert_uint_eq(gov_array_first("0-4194303", 4194303, text, 64),
			  4194303);
	ck_assert_str_eq(text, "0-4194302");
	/* What there is no room for is left out, not cut. */
	ck_assert_uint_eq(gov_array_first("1,3,5,7", 4, tiny, sizeof(tiny)), 2);
	ck_assert_str_eq(tiny, "1,3");
	ck_assert_uint_eq(gov_array_first("x", 4, text, 64), 0);
	ck_assert_uint_eq(gov_array_first(NULL, 4, text, 64), 0);
}
END_TEST

/* ---- slurmctld in trouble ---- */

START_TEST(updates_without_effect_are_ordered_again)
{
	uint32_t first, id;

	fake_start(&fake, TWO_TEAMS, 24);
	first = fake_must_submit(&fake, ALICE, 16, NULL);
	id = fake_must_submit(&fake, ALICE, 2, NULL);
	fake_settle(&fake);
	fake.deaf = true;
	fake_end(&fake, first);
	fake_round(&fake);
	ck_assert(fake_waits(&fake, id));
	fake.deaf = false;
	fake_pass(&fake, 5);
	ck_assert(fake_runs(&fake, id));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(slurmctld_away_loses_nothing)
{
	uint32_t loan, asker;

	fake_start(&fake, TWO_TEAMS, 24);
	loan = fake_must_submit(&fake, BOB, 24, NULL);
	fake_settle(&fake);
	asker = fake_must_submit(&fake, ALICE, 16, NULL);
	fake_settle(&fake);
	fake.down = true;
	fake_pass(&fake, 30);
	ck_assert(fake_runs(&fake, loan));
	fake.down = false;
	fake_pass(&fake, 70);
	ck_assert(fake_runs(&fake, asker));
	ck_assert(fake_waits(&fake, loan));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_test(tcase, admitted_at_once_is_never_held);
	tcase_add_test(tcase, waits_under_an_admin_hold_and_starts_by_itself);
	tcase_add_test(tcase, refusals_say_what_to_do);
	tcase_add_test(tcase, account_is_matched_without_case);
	tcase_add_test(tcase, exempt_users_pass);
	tcase_add_test(tcase, ungoverned_pass_where_allowed);
	tcase_add_test(tcase, a_charge_without_a_job_expires);
	tcase_add_test(tcase, provisional_jobs_evict_nobody);
	tcase_add_test(tcase, an_owner_takes_back_what_it_lent);
	tcase_add_test(tcase, a_job_that_ends_in_its_grace_has_ended);
	tcase_add_test(tcase, what_cannot_be_requeued_is_cancelled);
	tcase_add_test(tcase, asker_that_leaves_frees_nobody_twice);
	tcase_add_test(tcase, e2_whole_job_leaves_and_own_team_gives_way);
	tcase_add_test(tcase, e11_victim_does_not_overtake);
	tcase_add_test(tcase, owner_cannot_release_a_waiting_job);
	tcase_add_test(tcase,
		       owner_cannot_release_before_the_hold_is_the_admins);
	tcase_add_test(tcase, root_may_release);
	tcase_add_test(tcase, user_hold_stays_when_quota_comes_free);
	tcase_add_test(tcase, submitted_on_hold_is_not_charged);
	tcase_add_test(tcase, hold_of_an_admitted_job_gives_its_quota_back);
	tcase_add_test(tcase, account_change_needs_membership);
	tcase_add_test(tcase, growing_is_judged_again);
	tcase_add_test(tcase, dependency_holds_no_quota);
	tcase_add_test(tcase, dependencies_as_slurm_means_them);
	tcase_add_test(tcase, begin_time_holds_no_quota);
	tcase_add_test(tcase, first_tasks_of_an_array);
	tcase_add_test(tcase, updates_without_effect_are_ordered_again);
	tcase_add_test(tcase, slurmctld_away_loses_nothing);
}

int main(void)
{
	return unit_main("governor", cases);
}
