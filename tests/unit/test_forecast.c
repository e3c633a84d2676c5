/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sgov plan tells is what happens when the policy is put in force. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "slurmgovd/forecast.h"
#include "slurmgovd/state_name.h"
#include "tests/unit/fake_slurm.h"
#include "tests/unit/unit.h"

#define HEAD                                              \
	"ReclaimGrace=10 MinRuntime=0 ExemptUsers=root\n" \
	"PoolName=h100 Nodes=g1 TRES=gres/gpu\n"          \
	"PriorityClass=high Weight=90\n"                  \
	"PriorityClass=normal Weight=50 Default=yes\n"    \
	"PriorityClass=low Weight=10\n"
#define TEAMS "TeamName=vision Account=vision\nTeamName=nlp Account=nlp\n"
#define BASE                                             \
	"Enforcement=enforce\n" HEAD TEAMS               \
	"Quota Team=vision Pool=h100 TRES=gres/gpu=16\n" \
	"Quota Team=nlp Pool=h100 TRES=gres/gpu=8 "      \
	"BorrowLimit=200%\n"

#define ALICE 100
#define BOB 200

static struct fake fake;
static struct gov_forecast forecast;

static struct gov_policy *parse(const char *text)
{
	struct gov_conf_faults faults = { 0 };
	struct gov_policy *policy = gov_conf_parse(text, strlen(text), "new",
						   NULL, &faults);

	ck_assert_msg(policy != NULL, "%s\n%s", faults.item[0].text, text);
	gov_conf_faults_free(&faults);
	return policy;
}

static void foresee(const char *text)
{
	struct gov_policy *policy = parse(text);
	struct gov_error error;

	gov_forecast_free(&forecast);
	ck_assert_msg(!gov_forecast(fake.governor, policy,
				    (struct gov_now){ fake.wall, fake.mono },
				    &forecast, &error),
		      "%s", error.text);
	gov_policy_unref(policy);
}

static const struct gov_forecast_job *fate(uint32_t id)
{
	for (size_t i = 0; i < forecast.job_count; i++)
		if (forecast.job[i].id == id)
			return &forecast.job[i];
	return NULL;
}

static const struct gov_forecast_cell *cell(const char *team)
{
	for (size_t i = 0; i < forecast.cell_count; i++)
		if (strcmp(forecast.cell[i].team, team) == 0)
			return &forecast.cell[i];
	return NULL;
}

static const char *state(uint32_t id)
{
	const struct gov_tracked *job = gov_governor_job(fake.governor, id);

	return gov_job_state_name(
		job, gov_engine_job(gov_governor_engine(fake.governor), id));
}

static void setup(void)
{
	memset(&forecast, 0, sizeof(forecast));
	fake_start(&fake, BASE, 24);
}

static void teardown(void)
{
	gov_forecast_free(&forecast);
	fake_stop(&fake);
}

START_TEST(the_same_policy_changes_nothing)
{
	fake_must_submit(&fake, BOB, 16, NULL);
	fake_must_submit(&fake, ALICE, 12, NULL);
	fake_settle(&fake);
	foresee(BASE);
	ck_assert_uint_eq(forecast.job_count, 0);
	ck_assert_uint_eq(forecast.cell_count, 0);
	ck_assert_uint_eq(forecast.jobs, 2);
	ck_assert(!forecast.new_members);
}
END_TEST

START_TEST(a_smaller_quota_lets_others_take_back)
{
	uint32_t loan = fake_must_submit(&fake, BOB, 16, NULL);
	uint32_t asker;

	fake_must_submit(&fake, ALICE, 8, NULL);
	fake_settle(&fake);
	asker = fake_must_submit(&fake, BOB, 8, "class=low");
	fake_settle(&fake);
	ck_assert(fake_waits(&fake, asker));
	/* Now nlp owns nothing, and vision all and has a job waiting. */
	asker = fake_must_submit(&fake, ALICE, 12, NULL);
	fake_reload(&fake, "Enforcement=enforce Reclaim=never\n" HEAD TEAMS
			   "Quota Team=vision Pool=h100 TRES=gres/gpu=8\n"
			   "Quota Team=nlp Pool=h100 TRES=gres/gpu=16\n");
	fake_settle(&fake);
	foresee("Enforcement=enforce\n" HEAD TEAMS
		"Quota Team=vision Pool=h100 TRES=gres/gpu=24\n"
		"Quota Team=nlp Pool=h100 TRES=gres/gpu=0\n");
	ck_assert_ptr_nonnull(fate(loan));
	ck_assert_str_eq(fate(loan)->before, "running");
	ck_assert_str_eq(fate(loan)->after, "reclaiming");
	ck_assert_uint_eq(fate(loan)->asker, asker);
	ck_assert_int_ge(fate(loan)->deadline, fake.wall + 10);
	ck_assert_str_eq(fate(asker)->after, "claiming");
	ck_assert_str_eq(fate(asker)->team, "vision");
	ck_assert_uint_eq(cell("nlp")->before.nominal, 16);
	ck_assert_uint_eq(cell("nlp")->after.nominal, 0);
	ck_assert_uint_eq(cell("nlp")->after.leaving, 16);
	/* And nothing of it has happened. */
	ck_assert_str_eq(state(loan), "running");
	ck_assert_int_eq(fake_find(&fake, loan)->signals, 0);
	fake_settle(&fake);
	ck_assert_str_eq(state(loan), "running");
	fake_check(&fake);
}
END_TEST

START_TEST(jobs_of_a_team_that_goes_are_nobodys)
{
	static const char without[] =
		"Enforcement=enforce Ungoverned=allow\n" HEAD
		"TeamName=vision Account=vision\n"
		"Quota Team=vision Pool=h100 TRES=gres/gpu=16\n";
	uint32_t id;

	fake_must_submit(&fake, ALICE, 24, NULL);
	id = fake_must_submit(&fake, BOB, 20, NULL);
	fake_settle(&fake);
	foresee(without);
	ck_assert_ptr_nonnull(fate(id));
	ck_assert_str_eq(fate(id)->before, "waiting");
	ck_assert_str_eq(fate(id)->after, "free");
	ck_assert_str_eq(fate(id)->team, "nlp");
	ck_assert(!cell("nlp")->is);
	fake_reload(&fake, without);
	ck_assert_str_eq(state(id), "free");
}
END_TEST

/* Its team had another number in the policy before. */
START_TEST(a_team_that_goes_leaves_no_number_behind)
{
	static const char without[] =
		"Enforcement=enforce Ungoverned=deny\n" HEAD
		"TeamName=vision Account=vision\n"
		"Quota Team=vision Pool=h100 TRES=gres/gpu=16\n";
	struct gov_policy *policy = parse(without);
	uint32_t waits, runs;

	runs = fake_must_submit(&fake, BOB, 20, NULL);
	waits = fake_must_submit(&fake, BOB, 20, NULL);
	fake_settle(&fake);
	gov_governor_set_policy(fake.governor, policy,
				(struct gov_now){ fake.wall, fake.mono }, NULL);
	gov_policy_unref(policy);
	/* Members of the new policy are not known yet. */
	ck_assert_uint_eq(gov_governor_job(fake.governor, waits)->team,
			  GOV_NONE);
	ck_assert_uint_eq(gov_governor_job(fake.governor, runs)->team,
			  GOV_NONE);
	fake_reload(&fake, without);
	ck_assert_str_eq(state(waits), "stray");
	fake_settle(&fake);
}
END_TEST

START_TEST(new_members_are_not_known_yet)
{
	foresee("Enforcement=enforce\n" HEAD
		"TeamName=vision Account=vision Members=root\n"
		"TeamName=nlp Account=nlp\n"
		"Quota Team=vision Pool=h100 TRES=gres/gpu=16\n"
		"Quota Team=nlp Pool=h100 TRES=gres/gpu=8\n");
	ck_assert(forecast.new_members);
}
END_TEST

/* ---- 20 random lives of a cluster, 20 random policies each ---- */

static unsigned below(unsigned limit)
{
	return (unsigned) random() % limit;
}

static void random_policy(char *text, size_t size)
{
	static const char *const limits[] = { "0", "50%", "100%", "unlimited" };
	static const char *const reclaim[] = { "Never", "LowerPriority",
					       "LowerOrNewer", "Any" };
	int length = snprintf(
		text, size,
		"Enforcement=%s Reclaim=%s IdleSharing=%s Queueing=%s\n" HEAD
			TEAMS,
		below(8) ? "enforce" : "observe", reclaim[below(4)],
		below(2) ? "FairShare" : "FirstCome",
		below(2) ? "BestEffort" : "Strict");
	static const char *const team[] = { "vision", "nlp" };

	for (int i = 0; i < 2; i++)
		length += snprintf(text + length, size - length,
				   "Quota Team=%s Pool=h100 TRES=gres/gpu=%u "
				   "BorrowLimit=%s LendLimit=%s\n",
				   team[i], below(13), limits[below(4)],
				   limits[below(4)]);
}

static void random_event(uint32_t *newest)
{
	static const char *const classes[] = {
		"class=high", "class=low", NULL, "borrow=no", "hold", "salloc",
	};
	unsigned what = below(10);

	if (what < 6)
		*newest = fake_submit(&fake, below(2) ? ALICE : BOB,
				      1 + below(8), classes[below(6)]);
	else if (what < 8 && *newest && fake_find(&fake, *newest))
		fake_end(&fake, *newest);
	else if (what < 9)
		fake_pass(&fake, 1 + (int) below(12));
	else
		fake_set_gpus(&fake, 16 + 8 * below(2));
	fake_round(&fake);
}

/* As foreseen, and nobody else. */
static void compare(const char *text)
{
	for (int i = 0; i < FAKE_JOBS; i++) {
		uint32_t id = fake.job[i].id;
		const struct gov_forecast_job *seen = id ? fate(id) : NULL;

		if (!id || !gov_governor_job(fake.governor, id) || !seen)
			continue;
		ck_assert_msg(
			strcmp(state(id), seen->after) == 0,
			"job %u was to become %s from %s and is %s under\n%s",
			id, seen->after, seen->before, state(id), text);
	}
}

static void remember(char (*was)[16])
{
	for (int i = 0; i < FAKE_JOBS; i++) {
		uint32_t id = fake.job[i].id;

		was[i][0] = '\0';
		if (id && gov_governor_job(fake.governor, id))
			snprintf(was[i], 16, "%s", state(id));
	}
}

static void compare_others(char (*was)[16], const char *text)
{
	for (int i = 0; i < FAKE_JOBS; i++) {
		uint32_t id = fake.job[i].id;

		if (!was[i][0] || fate(id))
			continue;
		ck_assert_msg(strcmp(state(id), was[i]) == 0,
			      "job %u was to stay %s and is %s under\n%s", id,
			      was[i], state(id), text);
	}
}

START_TEST(what_is_foreseen_happens)
{
	char text[2048], was[FAKE_JOBS][16];
	uint32_t newest = 0;

	srandom((unsigned) _i + 1);
	for (int i = 0; i < 20; i++) {
		for (int k = 0; k < 3; k++)
			random_event(&newest);
		fake_settle(&fake);
		random_policy(text, sizeof(text));
		foresee(text);
		remember(was);
		fake_reload(&fake, text);
		compare(text);
		compare_others(was, text);
		fake_settle(&fake);
	}
}
END_TEST

static void add(TCase *t)
{
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, the_same_policy_changes_nothing);
	tcase_add_test(t, a_smaller_quota_lets_others_take_back);
	tcase_add_test(t, jobs_of_a_team_that_goes_are_nobodys);
	tcase_add_test(t, a_team_that_goes_leaves_no_number_behind);
	tcase_add_test(t, new_members_are_not_known_yet);
	tcase_add_loop_test(t, what_is_foreseen_happens, 0, 20);
}

int main(void)
{
	return unit_main("forecast", add);
}
