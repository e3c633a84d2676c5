/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults that others' users reported, by kind: limits that bind where they
 * should not or not where they should, counts, and what a search costs.
 * In front of a test: where it was reported (K KAI, C HTCondor, S Slurm, X
 * others, otherwise Kueue).
 */
#include "core/engine_private.h"
#include "tests/unit/small_cluster.h"

#define EVENTS_MAX 64

/* A hard cap of so many GPUs for project 0 of the team, which has to be there
 * already. */
static void cap(const char *name, const char *of, gov_amount_t gpus)
{
	uint32_t p = gov_policy_add_project(policy, name,
					    gov_policy_find_unit(policy, of));

	policy->project[p].max = calloc(cells, sizeof(gov_amount_t));
	ck_assert_ptr_nonnull(policy->project[p].max);
	policy->project[p].max[GPU] = gpus;
	for (uint32_t c = GPU + 1; c < cells; c++)
		policy->project[p].max[c] = GOV_UNLIMITED;
}

static void in_project(uint64_t id, const char *name, uint32_t class,
		       gov_amount_t amount, enum gov_job_state now_in)
{
	struct gov_job j = job(id, name, class, amount);

	j.project = 0;
	j.state = (uint8_t) now_in;
	j.started = now_in == GOV_JOB_RUNNING ? j.submitted : 0;
	put(j);
}

/* ---- limits ---- */

/* S 20890: what a limit leaves is judged with the victims gone. */
START_TEST(limit_is_judged_as_planned)
{
	begin(1);
	team("a", 8, 0);
	cap("small", "a", 4);
	start_engine(8);
	in_project(1, "a", 50, 4, GOV_JOB_RUNNING);
	running(2, "a", 50, 4, 1); /* not of the project: of no use */
	in_project(20, "a", 100, 4, GOV_JOB_WAITING);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	ck_assert_int_eq(state(1), GOV_JOB_RECLAIMING);
	ck_assert_int_eq(state(2), GOV_JOB_RUNNING);
	finish();
}
END_TEST

/* C 3170: limits bind a job that comes back as they bind a new one. */
START_TEST(limits_bind_a_job_that_comes_back)
{
	begin(1);
	team("a", 4, GOV_UNLIMITED);
	team("b", 4, 0);
	cap("small", "a", 6);
	start_engine(8);
	in_project(1, "a", 50, 6, GOV_JOB_RUNNING);
	waiting(20, "b", 50, 4, 1);
	decide();
	ck_assert_int_eq(state(1), GOV_JOB_RECLAIMING);
	let_leave();
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	in_project(2, "a", 50, 1, GOV_JOB_WAITING);
	decide();
	ck_assert_int_eq(state(2), GOV_JOB_ADMITTED);
	/* There is room for it again, but not within the cap. */
	gov_engine_remove(engine, 20);
	decide();
	ck_assert_int_eq(state(1), GOV_JOB_WAITING);
	ck_assert(explained(1, GOV_LIMIT_PROJECT));
	gov_engine_remove(engine, 2);
	decide();
	ck_assert_int_eq(state(1), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

/* C 1117: with a limit in force, one pass still admits all that fit. */
START_TEST(limits_do_not_cost_a_pass_a_job)
{
	begin(1);
	team("a", 32, 0);
	cap("small", "a", 15);
	start_engine(32);
	for (uint64_t i = 0; i < 16; i++)
		in_project(10 + i, "a", 50, 1, GOV_JOB_WAITING);
	decide();
	ck_assert_int_eq(in_state(10, 16, GOV_JOB_ADMITTED), 15);
	ck_assert_int_eq(state(25), GOV_JOB_WAITING);
	finish();
}
END_TEST

/* X aws-eda-slurm-cluster 95: licences are lent and taken back as anything. */
START_TEST(licences_are_taken_back)
{
	begin(0);
	gov_policy_add_tres(policy, "license/matlab");
	gov_policy_pool_add_tres(policy, 0, 0);
	ck_assert_int_eq(gov_policy_make_cells(policy), 0);
	cells = 1;
	team("owner", 3, 0);
	team("borrower", 1, GOV_UNLIMITED);
	start_engine(4);
	running(1, "borrower", 50, 1, 4);
	waiting(20, "owner", 0, 2, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	ck_assert_int_eq(in_state(1, 4, GOV_JOB_RECLAIMING), 2);
	finish();
}
END_TEST

/* 9466: what a department owns is its teams' before any share of theirs. */
START_TEST(quota_of_a_department_comes_before_shares)
{
	uint32_t owns;
	struct gov_job j;

	begin(2);
	owns = department("owns", 4);
	policy->unit[owns].quota[CPU] = policy->unit[owns].quota[GPU];
	policy->unit[owns].quota[CPU].nominal = 0;
	team("a", 0, GOV_UNLIMITED)->parent = owns;
	team("b", 4, GOV_UNLIMITED);
	team("lender", 0, 0);
	limit_tres("b", CPU, 0, GOV_UNLIMITED);
	limit_tres("lender", CPU, 100, 0);
	start_engine(8);
	gov_engine_set_capacity(engine, CPU, 100);
	/* a's share is great: for processors that it borrows. */
	j = job(1, "a", 50, 2);
	j.request.item[0].cell = CPU;
	j.request.item[0].amount = 90;
	j.state = GOV_JOB_RUNNING;
	j.started = now;
	put(j);
	running(2, "b", 100, 1, 8);
	waiting(20, "a", 0, 4, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	ck_assert_int_eq(in_state(2, 8, GOV_JOB_RECLAIMING), 4);
	finish();
}
END_TEST

/* ---- counts ---- */

/* Events of one kind about a job, in the last decisions. */
static int told(enum gov_decision_kind kind, uint64_t id)
{
	int count = 0;

	for (size_t i = 0; i < list.count; i++)
		count += list.item[i].kind == kind && list.item[i].job == id;
	return count;
}

/* K 1620: one asker, N victims: each is told once, and ended once. */
START_TEST(each_victim_is_counted_once)
{
	int notices[8] = { 0 }, stops[8] = { 0 };

	begin(1);
	team("a", 8, 0);
	team("b", 0, GOV_UNLIMITED);
	start_engine(8);
	running(1, "b", 50, 1, 8);
	waiting(20, "a", 50, 8, 1);
	for (int step = 0; step < 6; step++) {
		decide();
		for (int i = 0; i < 8; i++) {
			notices[i] += told(GOV_NOTICE, (uint64_t) i + 1);
			stops[i] += told(GOV_STOP, (uint64_t) i + 1);
		}
		now += 30;
	}
	for (int i = 0; i < 8; i++) {
		ck_assert_int_eq(notices[i], 1);
		ck_assert_int_eq(stops[i], 1);
	}
	finish();
}
END_TEST

/* 12787: whoever is evicted and starts again is charged for what it held. */
START_TEST(history_counts_a_job_once)
{
	double once, again;

	for (int evictions = 0; evictions < 4; evictions += 3) {
		begin(1);
		team("a", 8, 0);
		policy->usage_half_life = 3600;
		start_engine(8);
		decide();
		waiting(1, "a", 50, 4, 1);
		decide();
		run(1);
		for (int i = 0; i < evictions; i++) {
			struct gov_job j = *gov_engine_job(engine, 1);

			j.state = GOV_JOB_WAITING;
			j.started = 0;
			j.evictions++;
			put(j);
			decide();
			run(1);
		}
		now += 3600;
		gov_engine_tell_time(engine, now);
		gov_engine_remove(engine, 1);
		again = gov_engine_usage_score(engine, unit("a"), 0);
		if (!evictions)
			once = again;
		now += 1;
		decide();
		finish();
	}
	ck_assert_double_gt(once, 0);
	/* The clock of the two runs differs by nothing but their ids. */
	ck_assert_double_eq_tol(once, again, 1e-9);
}
END_TEST

/* K 1863: the root has no name, no parent and no quota of its own. */
START_TEST(root_is_a_unit_like_others)
{
	struct gov_loan *loan = NULL;

	begin(1);
	department("empty", 0);
	team("a", 4, GOV_UNLIMITED);
	team("b", 4, GOV_UNLIMITED);
	start_engine(8);
	running(1, "a", 50, 6, 1);
	waiting(20, "b", 50, 4, 1);
	ck_assert_uint_eq(view(NULL, GPU).subtree, 8);
	ck_assert_uint_eq(view(NULL, GPU).usage, 6);
	ck_assert_uint_eq(view("empty", GPU).usage, 0);
	ck_assert_int_eq(gov_engine_loans(engine, &loan), 1);
	ck_assert_uint_eq(loan[0].amount, 2);
	free(loan);
	(void) explained(20, GOV_LIMIT_LENDERS);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	finish();
}
END_TEST

/* ---- what a search costs ---- */

/*
 * K 1719: a search ends when its budget does, and says so; what it found up to
 * then is put back.
 */
START_TEST(search_that_is_cut_says_so)
{
	struct gov_search search = { 0 };

	begin(1);
	policy->idle_sharing = _i ? GOV_FIRST_COME : GOV_FAIR_SHARE;
	team("a", EVENTS_MAX, 0);
	team("b", 0, GOV_UNLIMITED);
	start_engine(EVENTS_MAX);
	running(1, "b", 50, 1, EVENTS_MAX);
	waiting(1000, "a", 50, EVENTS_MAX / 2, 1);
	search.books = &engine->books;
	search.now = now;
	search.kind = gov_store_first_kind(&engine->books.store, unit("a"));
	search.budget = EVENTS_MAX / 4;
	ck_assert(!gov_victims_find(&search));
	ck_assert(search.cut);
	ck_assert_uint_eq(search.count, 0);
	ck_assert_uint_eq(view("b", GPU).usage, EVENTS_MAX);
	search.budget = 0;
	search.contended = 0;
	ck_assert(gov_victims_find(&search));
	ck_assert(!search.cut);
	ck_assert_uint_eq(search.count, EVENTS_MAX / 2);
	gov_search_free(&search);
	finish();
}
END_TEST

/*
 * K 1719, 9715: who was refused is not looked at again for what does not
 * concern it, and is for what does.
 */
START_TEST(refused_jobs_are_looked_at_for_a_reason)
{
	begin(1);
	policy->idle_sharing = _i ? GOV_FIRST_COME : GOV_FAIR_SHARE;
	team("lender", 8, 0);
	team("a", 4, 0);
	team("b", 0, GOV_UNLIMITED);
	start_engine(12);
	running(1, "lender", 50, 8, 1);
	running(2, "a", 0, 1, 1);
	running(3, "a", 50, 3, 1);
	/* Two of its four may give way, one of them of a lower class. */
	waiting(20, "a", 50, 2, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	/* Others wait, start to borrow, and give back. */
	waiting(30, "b", 50, 2, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	gov_engine_remove(engine, 3);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

static void exempt(uint64_t id)
{
	struct gov_job j = *gov_engine_job(engine, id);

	j.exempt = true;
	put(j);
}

/* A team of a department that owns 4, and two others, of which one owns 4. */
static void begin_department_beside_owner(void)
{
	uint32_t owns;

	begin(1);
	policy->idle_sharing = GOV_FIRST_COME;
	owns = department("owns", 4);
	team("a", 0, GOV_UNLIMITED)->parent = owns;
	team("b", 0, GOV_UNLIMITED);
	team("c", 4, GOV_UNLIMITED);
	start_engine(8);
}

/*
 * Who was refused for want of victims is looked at when another team begins to
 * borrow: what that one had before may go with it.
 */
START_TEST(new_borrower_ends_a_wait)
{
	begin_department_beside_owner();
	running(1, "b", 50, 3, 1);
	exempt(1);
	running(2, "c", 0, 4, 1);
	waiting(20, "a", 50, 2, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	running(3, "c", 50, 1, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	ck_assert_int_eq(state(2), GOV_JOB_RECLAIMING);
	finish();
}
END_TEST

/* ... and when what it lacked beside its victims comes free elsewhere. */
START_TEST(room_elsewhere_ends_a_wait)
{
	begin_department_beside_owner();
	running(1, "b", 50, 2, 2);
	exempt(1);
	running(3, "c", 50, 2, 2);
	waiting(20, "a", 50, 4, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	ck_assert_int_eq(evictions(), 0);
	gov_engine_remove(engine, 3);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	ck_assert_int_eq(state(2), GOV_JOB_RECLAIMING);
	finish();
}
END_TEST

/* Who has not enough own lower classes waits for the rest. */
START_TEST(room_beside_own_victims_ends_a_wait)
{
	begin(1);
	policy->idle_sharing = _i ? GOV_FIRST_COME : GOV_FAIR_SHARE;
	team("a", 2, 2)->reclaim = GOV_PREEMPT_NEVER;
	team("b", 0, GOV_UNLIMITED);
	team("lender", 6, 0);
	start_engine(8);
	running(1, "a", 50, 2, 1);
	running(2, "b", 50, 2, 3);
	waiting(20, "a", 100, 4, 1);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_WAITING);
	ck_assert_int_eq(evictions(), 0);
	gov_engine_remove(engine, 2);
	decide();
	ck_assert_int_eq(state(20), GOV_JOB_CLAIMING);
	ck_assert_int_eq(state(1), GOV_JOB_RECLAIMING);
	finish();
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, limit_is_judged_as_planned);
	tcase_add_test(t, limits_bind_a_job_that_comes_back);
	tcase_add_test(t, limits_do_not_cost_a_pass_a_job);
	tcase_add_test(t, licences_are_taken_back);
	tcase_add_test(t, quota_of_a_department_comes_before_shares);
	tcase_add_test(t, each_victim_is_counted_once);
	tcase_add_test(t, history_counts_a_job_once);
	tcase_add_test(t, root_is_a_unit_like_others);
	tcase_add_loop_test(t, search_that_is_cut_says_so, 0, 2);
	tcase_add_loop_test(t, refused_jobs_are_looked_at_for_a_reason, 0, 2);
	tcase_add_test(t, new_borrower_ends_a_wait);
	tcase_add_test(t, room_elsewhere_ends_a_wait);
	tcase_add_loop_test(t, room_beside_own_victims_ends_a_wait, 0, 2);
}

int main(void)
{
	return unit_main("reports_limits", add);
}
