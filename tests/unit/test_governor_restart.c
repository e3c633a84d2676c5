/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kill -9 of the governor at every point of the story, and other ways of
 * having to begin anew.
 */
#include <string.h>

#include "tests/unit/fake_slurm.h"
#include "tests/unit/unit.h"

#define HEAD                                              \
	"ReclaimGrace=10 MinRuntime=0 ExemptUsers=root\n" \
	"PoolName=h100 Nodes=g1 TRES=gres/gpu\n"          \
	"PriorityClass=high Weight=90\n"                  \
	"PriorityClass=normal Weight=50 Default=yes\n"    \
	"PriorityClass=low Weight=10\n"
#define TEAMS                                                          \
	"TeamName=vision Account=vision\nTeamName=nlp Account=nlp\n"   \
	"Quota Team=vision Pool=h100 TRES=gres/gpu=16 BorrowLimit=0\n" \
	"Quota Team=nlp Pool=h100 TRES=gres/gpu=8 BorrowLimit=200%\n"
#define POLICY "Enforcement=enforce\n" HEAD TEAMS
#define OBSERVE "Enforcement=observe\n" HEAD TEAMS

#define ALICE 100
#define BOB 200

static struct fake fake;

/*
 * The story: BOB borrows, ALICE takes back, the victim waits and comes back.
 * The governor is killed after the step'th action.
 */
struct story {
	unsigned kill_at;
	bool killed;
	uint32_t loan, asker;
};

static void step(struct story *story)
{
	fake_pass(&fake, 1);
	if (!story->killed && fake.actions >= story->kill_at) {
		fake_restart_governor(&fake);
		story->killed = true;
	}
}

static void play(struct story *story)
{
	struct fake_job *loan;

	fake_start(&fake, POLICY, 24);
	story->loan = fake_submit(&fake, BOB, 24, NULL);
	step(story);
	story->asker = fake_submit(&fake, ALICE, 16, NULL);
	for (int i = 0; i < 16; i++)
		step(story);
	loan = fake_find(&fake, story->loan);
	ck_assert(fake_runs(&fake, story->asker));
	ck_assert(fake_waits(&fake, story->loan));
	/* The grace was neither forgotten nor cut short nor given twice. */
	ck_assert_int_ge(loan->stopped_at, 1000012);
	ck_assert_int_le(loan->stopped_at, 1000014);
	ck_assert_int_ge(loan->signals, 1);
	ck_assert_ptr_nonnull(strstr(loan->comment, "evictions=1"));
	ck_assert_uint_eq(loan->restarts, 1);
	fake_check(&fake);
	fake_end(&fake, story->asker);
	for (int i = 0; i < 5; i++)
		step(story);
	ck_assert(fake_runs(&fake, story->loan));
	fake_check(&fake);
	fake_stop(&fake);
}

START_TEST(killed_at_every_point)
{
	struct story story = { .kill_at = _i };

	play(&story);
}
END_TEST

/* Crashes between the actions of one round, where the order of them counts. */
static void crash_after(unsigned actions)
{
	struct gov_action *action;

	for (unsigned i = 0; i < actions; i++) {
		action = gov_governor_action(fake.governor);
		if (!action)
			break;
		gov_action_free(action);
	}
	fake_restart_governor(&fake);
}

START_TEST(actions_that_got_lost_with_the_governor)
{
	uint32_t loan, asker;

	fake_start(&fake, POLICY, 24);
	loan = fake_submit(&fake, BOB, 24, NULL);
	fake_settle(&fake);
	asker = fake_submit(&fake, ALICE, 16, NULL);
	for (int i = 0; i < 4; i++) {
		fake_pass(&fake, 1);
		crash_after(_i);
	}
	fake_pass(&fake, 20);
	ck_assert(fake_runs(&fake, asker));
	ck_assert(fake_waits(&fake, loan));
	ck_assert_int_ge(fake_find(&fake, loan)->stopped_at, 1000010);
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(restart_signals_nobody_again)
{
	uint32_t loan;

	fake_start(&fake, POLICY, 24);
	loan = fake_submit(&fake, BOB, 24, NULL);
	fake_settle(&fake);
	fake_submit(&fake, ALICE, 16, NULL);
	fake_settle(&fake);
	ck_assert_int_eq(fake_find(&fake, loan)->signals, 1);
	fake_restart_governor(&fake);
	fake_pass(&fake, 5);
	ck_assert_int_eq(fake_find(&fake, loan)->signals, 1);
	fake_stop(&fake);
}
END_TEST

START_TEST(deadline_passed_while_it_was_away)
{
	uint32_t loan, asker;

	fake_start(&fake, POLICY, 24);
	loan = fake_submit(&fake, BOB, 24, NULL);
	fake_settle(&fake);
	asker = fake_submit(&fake, ALICE, 16, NULL);
	fake_settle(&fake);
	fake.wall += 100;
	fake.mono += 100000;
	fake_restart_governor(&fake);
	fake_pass(&fake, 4);
	ck_assert(fake_runs(&fake, asker));
	ck_assert(fake_waits(&fake, loan));
	fake_stop(&fake);
}
END_TEST

START_TEST(same_state_same_decisions)
{
	uint32_t id[6];
	char comment[6][1024];

	fake_start(&fake, POLICY, 24);
	for (int i = 0; i < 6; i++)
		id[i] = fake_submit(&fake, i % 2 ? ALICE : BOB, 6, NULL);
	fake_settle(&fake);
	for (int i = 0; i < 6; i++)
		strcpy(comment[i], fake_find(&fake, id[i])->comment);
	fake.actions = 0;
	fake_restart_governor(&fake);
	fake_settle(&fake);
	/* Nothing to do, nothing rewritten. */
	ck_assert_uint_eq(fake.actions, 0);
	for (int i = 0; i < 6; i++)
		ck_assert_str_eq(comment[i], fake_find(&fake, id[i])->comment);
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

/* Came in while the governor was down: held and stamped by the plugin. */
START_TEST(undecided_jobs_are_judged)
{
	struct fake_job *job;
	uint32_t id, second;

	fake_start(&fake, POLICY, 24);
	id = fake_submit(&fake, ALICE, 10, NULL);
	second = fake_submit(&fake, ALICE, 10, NULL);
	for (uint32_t i = id; i <= second; i++) {
		job = fake_find(&fake, i);
		strcpy(job->comment, "[gov1 state=undecided]");
		job->held = true;
		job->reason = GOV_REASON_HELD_USER;
	}
	fake_restart_governor(&fake);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, id));
	ck_assert(fake_waits(&fake, second));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

/* Came in while there was no plugin either. */
START_TEST(unstamped_jobs_are_held_or_counted)
{
	uint32_t running, waiting, stranger;

	fake_start(&fake, POLICY, 24);
	running = fake_submit(&fake, ALICE, 10, NULL);
	fake_settle(&fake);
	waiting = fake_submit(&fake, ALICE, 10, NULL);
	stranger = fake_submit(&fake, 0, 1, NULL);
	fake_find(&fake, stranger)->uid = 900;
	for (uint32_t i = running; i <= stranger; i++) {
		fake_find(&fake, i)->comment[0] = '\0';
		fake_find(&fake, i)->held = false;
	}
	fake.gpus = 10; /* so that Slurm does not start them at once */
	fake_restart_governor(&fake);
	fake_set_gpus(&fake, 24);
	fake.gpus = 10;
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, running));
	ck_assert(fake_waits(&fake, waiting));
	ck_assert(fake_waits(&fake, stranger));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(damaged_and_foreign_comments_survive)
{
	uint32_t first, id;

	fake_start(&fake, POLICY, 24);
	first = fake_submit(&fake, ALICE, 16, NULL);
	id = fake_submit(&fake, ALICE, 2, NULL);
	fake_settle(&fake);
	strcat(fake_find(&fake, id)->comment, " see ticket 42");
	fake_end(&fake, first);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, id));
	ck_assert_ptr_nonnull(
		strstr(fake_find(&fake, id)->comment, " see ticket 42"));
	fake_stop(&fake);
}
END_TEST

START_TEST(stamp_that_was_wiped_is_written_again)
{
	uint32_t id;

	fake_start(&fake, POLICY, 24);
	fake_submit(&fake, ALICE, 16, NULL);
	id = fake_submit(&fake, ALICE, 2, "class=low");
	fake_settle(&fake);
	fake_find(&fake, id)->comment[0] = '\0';
	fake_settle(&fake);
	ck_assert_ptr_nonnull(
		strstr(fake_find(&fake, id)->comment, "class=low"));
	fake_stop(&fake);
}
END_TEST

START_TEST(observe_changes_nothing)
{
	uint32_t loan, asker;

	fake_start(&fake, OBSERVE, 24);
	loan = fake_submit(&fake, BOB, 24, NULL);
	fake_settle(&fake);
	asker = fake_submit(&fake, ALICE, 16, NULL);
	ck_assert(!fake_find(&fake, asker)->held);
	ck_assert_uint_ne(fake_submit(&fake, 900, 1, NULL), 0);
	fake_pass(&fake, 30);
	ck_assert_uint_eq(fake.actions, 0);
	ck_assert(fake_runs(&fake, loan));
	ck_assert_str_eq(fake_find(&fake, loan)->comment, "");
	fake_end(&fake, loan);
	fake_pass(&fake, 3);
	ck_assert(fake_runs(&fake, asker));
	ck_assert_uint_eq(fake.actions, 0);
	fake_stop(&fake);
}
END_TEST

START_TEST(to_observe_and_back)
{
	uint32_t first, id;

	fake_start(&fake, POLICY, 20);
	first = fake_submit(&fake, ALICE, 16, NULL);
	id = fake_submit(&fake, ALICE, 8, NULL);
	fake_settle(&fake);
	ck_assert(fake_waits(&fake, id));
	fake_reload(&fake, OBSERVE);
	fake_settle(&fake);
	ck_assert(!fake_find(&fake, id)->held);
	fake_reload(&fake, POLICY);
	fake_settle(&fake);
	ck_assert(fake_waits(&fake, id));
	ck_assert(fake_runs(&fake, first));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(reload_moves_quota)
{
	uint32_t first, id;

	fake_start(&fake, POLICY, 24);
	first = fake_submit(&fake, ALICE, 16, NULL);
	id = fake_submit(&fake, ALICE, 8, NULL);
	fake_settle(&fake);
	ck_assert(fake_waits(&fake, id));
	fake_reload(&fake,
		    "Enforcement=enforce\n" HEAD "TeamName=new Account=new\n"
		    "TeamName=vision Account=vision\n"
		    "Quota Team=vision Pool=h100 TRES=gres/gpu=24\n");
	/* Users go with the order of teams: alice is of the second now. */
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, first));
	ck_assert(fake_runs(&fake, id));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_loop_test(tcase, killed_at_every_point, 0, 12);
	tcase_add_loop_test(tcase, actions_that_got_lost_with_the_governor, 0,
			    4);
	tcase_add_test(tcase, restart_signals_nobody_again);
	tcase_add_test(tcase, deadline_passed_while_it_was_away);
	tcase_add_test(tcase, same_state_same_decisions);
	tcase_add_test(tcase, undecided_jobs_are_judged);
	tcase_add_test(tcase, unstamped_jobs_are_held_or_counted);
	tcase_add_test(tcase, damaged_and_foreign_comments_survive);
	tcase_add_test(tcase, stamp_that_was_wiped_is_written_again);
	tcase_add_test(tcase, observe_changes_nothing);
	tcase_add_test(tcase, to_observe_and_back);
	tcase_add_test(tcase, reload_moves_quota);
}

int main(void)
{
	return unit_main("governor_restart", cases);
}
