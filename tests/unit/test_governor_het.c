/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Heterogeneous jobs: all components or none. */
#include <signal.h>
#include <string.h>

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
#define PARTS 3

static struct fake fake;
static uint32_t id[PARTS];

static const struct gov_job *known(uint32_t job)
{
	return gov_engine_job(gov_governor_engine(fake.governor), job);
}

static void submit(uint32_t uid, uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t gpus[PARTS] = { a, b, c };

	ck_assert(fake_submit_het(&fake, uid, gpus, PARTS, NULL, id));
}

static int count(bool (*test)(struct fake *fake, uint32_t id))
{
	int n = 0;

	for (int i = 0; i < PARTS; i++)
		n += test(&fake, id[i]);
	return n;
}

/* One charge, of the sum, under the name of the first. */
static void check_charge(uint32_t gpus)
{
	ck_assert_ptr_nonnull(known(id[0]));
	ck_assert_uint_eq(known(id[0])->request.item[0].amount, gpus);
	ck_assert_ptr_null(known(id[1]));
	ck_assert_ptr_null(known(id[2]));
	fake_check(&fake);
}

START_TEST(starts_at_once_where_all_fit)
{
	fake_start(&fake, TWO_TEAMS, 24);
	submit(ALICE, 8, 4, 4);
	ck_assert(!fake_find(&fake, id[2])->held);
	fake_settle(&fake);
	ck_assert_int_eq(count(fake_runs), PARTS);
	check_charge(16);
	fake_restart_governor(&fake);
	fake_settle(&fake);
	check_charge(16);
	fake_stop(&fake);
}
END_TEST

START_TEST(waits_whole_and_is_charged_nothing)
{
	uint32_t other, small;

	fake_start(&fake, TWO_TEAMS, 24);
	other = fake_must_submit(&fake, ALICE, 6, NULL);
	fake_settle(&fake);
	/* Two of three would fit. */
	submit(ALICE, 4, 4, 4);
	fake_settle(&fake);
	ck_assert_int_eq(count(fake_waits), PARTS);
	ck_assert_uint_eq(known(id[0])->state, GOV_JOB_WAITING);
	check_charge(12);
	fake_restart_governor(&fake);
	fake_settle(&fake);
	ck_assert_int_eq(count(fake_waits), PARTS);
	ck_assert_uint_eq(known(id[0])->state, GOV_JOB_WAITING);
	check_charge(12);
	/* What it does not hold, others may have. */
	small = fake_must_submit(&fake, BOB, 8, NULL);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, small));
	fake_end(&fake, other);
	fake_settle(&fake);
	ck_assert_int_eq(count(fake_runs), PARTS);
	check_charge(12);
	fake_stop(&fake);
}
END_TEST

START_TEST(is_taken_back_whole)
{
	uint32_t owner;

	fake_start(&fake, TWO_TEAMS, 24);
	submit(BOB, 8, 8, 8);
	fake_settle(&fake);
	ck_assert_int_eq(count(fake_runs), PARTS);
	owner = fake_must_submit(&fake, ALICE, 4, NULL);
	fake_settle(&fake);
	for (int i = 0; i < PARTS; i++)
		ck_assert_int_eq(fake_find(&fake, id[i])->last_signal, SIGTERM);
	fake_restart_governor(&fake);
	fake_pass(&fake, 14);
	ck_assert(fake_runs(&fake, owner));
	ck_assert_int_eq(count(fake_waits), PARTS);
	check_charge(24);
	ck_assert_uint_eq(
		gov_governor_job(fake.governor, id[0])->stamp.evictions, 1);
	fake_end(&fake, owner);
	fake_pass(&fake, 5);
	ck_assert_int_eq(count(fake_runs), PARTS);
	check_charge(24);
	fake_stop(&fake);
}
END_TEST

START_TEST(what_has_ended_is_given_back)
{
	uint32_t other;

	fake_start(&fake, TWO_TEAMS, 24);
	submit(ALICE, 4, 4, 8);
	fake_settle(&fake);
	fake_end(&fake, id[2]);
	fake_settle(&fake);
	check_charge(8);
	other = fake_must_submit(&fake, ALICE, 8, NULL);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, other));
	/* The others are accounted for without the first. */
	fake_end(&fake, id[0]);
	fake_settle(&fake);
	ck_assert_ptr_nonnull(known(id[1]));
	ck_assert_uint_eq(known(id[1])->request.item[0].amount, 4);
	ck_assert_uint_eq(known(id[1])->state, GOV_JOB_RUNNING);
	fake_check(&fake);
	fake_end(&fake, id[1]);
	fake_settle(&fake);
	ck_assert_ptr_null(known(id[1]));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(one_component_held_by_its_user_holds_all)
{
	fake_start(&fake, TWO_TEAMS, 24);
	submit(ALICE, 4, 4, 4);
	fake_round(&fake);
	fake_find(&fake, id[1])->state = GOV_SLURM_PENDING;
	for (int i = 0; i < PARTS; i++) {
		fake_find(&fake, id[i])->state = GOV_SLURM_PENDING;
		fake_find(&fake, id[i])->started = 0;
	}
	fake_find(&fake, id[1])->held = true;
	fake_find(&fake, id[1])->reason = GOV_REASON_HELD_USER;
	fake_settle(&fake);
	ck_assert_int_eq(count(fake_runs), 0);
	ck_assert_uint_eq(known(id[0])->state, GOV_JOB_INELIGIBLE);
	ck_assert(fake_find(&fake, id[1])->held);
	ck_assert(fake_scontrol(&fake, ALICE, id[0], "release"));
	fake_settle(&fake);
	ck_assert_int_eq(count(fake_runs), PARTS);
	check_charge(12);
	fake_stop(&fake);
}
END_TEST

START_TEST(a_refused_component_refuses_all)
{
	const uint32_t gpus[PARTS] = { 4, 4, 32 }, half[PARTS] = { 8, 8, 1 };

	fake_start(&fake, TWO_TEAMS, 24);
	ck_assert(!fake_submit_het(&fake, ALICE, gpus, PARTS, NULL, id));
	ck_assert_int_eq(fake.code, GOV_R_TOO_LARGE);
	fake_pass(&fake, 3);
	ck_assert_uint_eq(gov_governor_provisional(fake.governor), 0);
	/* Each could run alone, but never together. */
	ck_assert(!fake_submit_het(&fake, ALICE, half, PARTS, NULL, id));
	ck_assert_int_eq(fake.code, GOV_R_TOO_LARGE);
	fake_pass(&fake, 3);
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

static uint64_t usage(const char *team)
{
	uint32_t unit = gov_policy_find_unit(fake.policy, team);
	struct gov_cell_view view;

	gov_engine_view(gov_governor_engine(fake.governor), unit, 0, &view);
	return view.usage;
}

/* A slurmctld that was killed gives ids that it has forgotten to others. */
START_TEST(ids_that_come_again)
{
	uint32_t other, own;

	fake_start(&fake, TWO_TEAMS, 24);
	submit(ALICE, 4, 4, 4);
	own = fake_must_submit(&fake, ALICE, 2, NULL);
	fake_settle(&fake);
	ck_assert_uint_eq(usage("vision"), 14);
	for (int i = 0; i < PARTS; i++)
		fake_find(&fake, id[i])->id = 0;
	fake_find(&fake, own)->id = 0;
	fake.next_id = id[0];
	other = fake_must_submit(&fake, BOB, 2, NULL);
	ck_assert_uint_eq(other, id[0]);
	fake_must_submit(&fake, ALICE, 1, NULL);
	fake.next_id = own;
	own = fake_must_submit(&fake, ALICE, 3, NULL);
	fake_settle(&fake);
	ck_assert_uint_eq(usage("nlp"), 2);
	ck_assert_uint_eq(usage("vision"), 4);
	ck_assert_uint_eq(known(own)->request.item[0].amount, 3);
	/* And one that was alone becomes part of a het job. */
	fake_find(&fake, other)->id = 0;
	fake_find(&fake, id[1])->id = 0;
	fake_find(&fake, own)->id = 0;
	fake.next_id = other;
	submit(ALICE, 4, 4, 4);
	fake_settle(&fake);
	ck_assert_int_eq(count(fake_runs), PARTS);
	check_charge(12);
	ck_assert_uint_eq(usage("nlp"), 0);
	ck_assert_uint_eq(usage("vision"), 12);
	fake_stop(&fake);
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, starts_at_once_where_all_fit);
	tcase_add_test(t, waits_whole_and_is_charged_nothing);
	tcase_add_test(t, is_taken_back_whole);
	tcase_add_test(t, what_has_ended_is_given_back);
	tcase_add_test(t, one_component_held_by_its_user_holds_all);
	tcase_add_test(t, a_refused_component_refuses_all);
	tcase_add_test(t, ids_that_come_again);
}

int main(void)
{
	return unit_main("governor and het jobs", add);
}
