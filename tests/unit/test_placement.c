/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reclaim with nodes in mind: who gives way is chosen so that the asker can be
 * placed, or nobody gives way.  Each story is told under both ways of sharing
 * what is idle.
 */
#include "tests/unit/placed_cluster.h"

static bool leaves(uint64_t id)
{
	return state(id) == GOV_JOB_RECLAIMING;
}

/* How many of the jobs with ids from `id` on leave that node. */
static int leaving(uint64_t id, int count, int node, int nodes)
{
	int found = 0;

	for (int i = 0; i < count; i++)
		if (i % nodes == node)
			found += leaves(id + (uint64_t) i);
	return found;
}

START_TEST(one_node_is_freed)
{
	struct gov_shape shape = parts(1, SIZE);
	int nodes = 0;

	owner_and_borrower(_i, 4, 0);
	fill_evenly(4, 32);
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 8);
	ck_assert_int_eq(state(100), GOV_JOB_CLAIMING);
	for (int n = 0; n < 4; n++)
		nodes += leaving(1, 32, n, 4) == 8;
	ck_assert_int_eq(nodes, 1);
	let_leave();
	ck_assert_int_eq(state(100), GOV_JOB_ADMITTED);
	finish();
}
END_TEST

START_TEST(two_nodes_are_freed)
{
	struct gov_shape shape = parts(2, SIZE);
	int nodes = 0;

	owner_and_borrower(_i, 4, 0);
	fill_evenly(4, 32);
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 16);
	for (int n = 0; n < 4; n++)
		nodes += leaving(1, 32, n, 4) == 8;
	ck_assert_int_eq(nodes, 2);
	finish();
}
END_TEST

/* Each asker has a node of its own. */
START_TEST(two_askers_do_not_count_on_one_node)
{
	struct gov_shape shape = parts(1, SIZE);
	int nodes = 0;

	owner_and_borrower(_i, 4, 0);
	fill_evenly(4, 32);
	ask(100, "owner", &shape);
	ask(101, "owner", &shape);
	decide();
	ask(102, "owner", &shape);
	decide();
	ck_assert_int_eq(in_state(1, 32, GOV_JOB_RECLAIMING), 24);
	for (int n = 0; n < 4; n++)
		nodes += leaving(1, 32, n, 4) == 8;
	ck_assert_int_eq(nodes, 3);
	ck_assert_int_eq(in_state(100, 3, GOV_JOB_CLAIMING), 3);
	finish();
}
END_TEST

/*
 * Nodes 0 and 2 are the cheapest, one job each; below one switch it is the
 * second that costs least.
 */
static void uneven_leaves(int first_come)
{
	owner_and_borrower(first_come, 4, 2);
	on_node(1, "borrower", 0, 8);
	for (uint64_t i = 0; i < 8; i++)
		on_node(10 + i, "borrower", 1, 1);
	on_node(2, "borrower", 2, 8);
	for (uint64_t i = 0; i < 4; i++)
		on_node(20 + i, "borrower", 3, 2);
}

START_TEST(fewest_jobs_are_broken)
{
	struct gov_shape shape = parts(2, SIZE);

	uneven_leaves(_i);
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 2);
	ck_assert(leaves(1) && leaves(2));
	finish();
}
END_TEST

START_TEST(below_one_switch)
{
	struct gov_shape shape = parts(2, SIZE);

	shape.leaves = 1;
	uneven_leaves(_i);
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 5);
	ck_assert(leaves(2));
	ck_assert_int_eq(in_state(20, 4, GOV_JOB_RECLAIMING), 4);
	finish();
}
END_TEST

/*
 * The cheapest node is below one switch, but both nodes together cost less
 * below the other.
 */
START_TEST(a_switch_is_chosen_as_a_whole)
{
	struct gov_shape shape = parts(2, SIZE);

	shape.leaves = 1;
	owner_and_borrower(_i, 4, 2);
	for (uint64_t i = 0; i < 8; i++)
		on_node(10 + i, "borrower", (uint32_t) i / 4, 2);
	on_node(1, "borrower", 2, 8);
	for (uint64_t i = 0; i < 5; i++)
		on_node(20 + i, "borrower", 3, i < 3 ? 2 : 1);
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 6);
	ck_assert(leaves(1));
	ck_assert_int_eq(in_state(20, 5, GOV_JOB_RECLAIMING), 5);
	finish();
}
END_TEST

START_TEST(idle_gpus_are_used_first)
{
	struct gov_shape shape = parts(1, SIZE);

	owner_and_borrower(_i, 4, 0);
	fill_evenly(4, 32);
	/* Three of node 2 end, the youngest jobs are elsewhere. */
	for (uint64_t id = 3; id <= 11; id += 4)
		ck_assert(gov_engine_remove(engine, id));
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 5);
	ck_assert_int_eq(leaving(1, 32, 2, 4), 5);
	finish();
}
END_TEST

/* Between nodes that cost as many jobs: where least is lost, wherever it is. */
static void saved_on(int first_come, uint64_t saved)
{
	struct gov_shape shape = parts(1, SIZE);

	owner_and_borrower(first_come, 4, 0);
	for (uint32_t n = 0; n < 4; n++) {
		now += 1000;
		on_node(1 + n, "borrower", n, 8);
	}
	/* The other three may have begun after this one. */
	for (uint64_t id = 1; id <= 4; id++) {
		struct gov_job j = *gov_engine_job(engine, id);

		j.checkpoint = id == saved ? now : 0;
		put(j);
	}
	now += 10;
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 1);
	ck_assert(leaves(saved));
	finish();
}

/* V 3291: two nodes are wanted; one is empty, on the other is a victim. */
START_TEST(an_empty_node_and_one_that_is_freed)
{
	struct gov_shape shape = parts(2, SIZE);

	owner_and_borrower(_i, 2, 0);
	for (uint64_t id = 1; id <= 8; id++)
		on_node(id, "borrower", 0, 1);
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 8);
	ck_assert_int_eq(state(100), GOV_JOB_CLAIMING);
	ck_assert_uint_eq(
		gov_places_find(gov_engine_places(engine), 100)->count, 2);
	finish();
}
END_TEST

START_TEST(least_unsaved_work_is_lost)
{
	for (uint64_t saved = 1; saved <= 4; saved++)
		saved_on(_i, saved);
}
END_TEST

/*
 * Job 100 has been on a node of its own for so long when eight small ones begin
 * on the other, and somebody asks for a node.
 */
static void old_beside_eight_new(int first_come, gov_time_t age)
{
	struct gov_shape shape = parts(1, SIZE);

	owner_and_borrower(first_come, 2, 0);
	on_node(100, "borrower", 1, 8);
	now += age;
	for (uint64_t id = 1; id <= 8; id++)
		on_node(id, "borrower", 0, 1);
	ask(200, "owner", &shape);
	decide();
}

/* Many that have just begun are not broken for one that has lost a bit more. */
START_TEST(broken_jobs_count)
{
	old_beside_eight_new(_i, 200);
	ck_assert_int_eq(evictions(), 1);
	ck_assert(leaves(100));
	finish();
}
END_TEST

/* A few that have just begun, though, rather than one that ran for a day. */
START_TEST(broken_jobs_are_not_everything)
{
	old_beside_eight_new(_i, 86400);
	ck_assert_int_eq(evictions(), 8);
	ck_assert(!leaves(100));
	finish();
}
END_TEST

/* Of a node only what is in the way leaves. */
START_TEST(no_more_than_needed_leaves_a_node)
{
	struct gov_shape shape = parts(1, 3);

	owner_and_borrower(_i, 1, 0);
	on_node(1, "borrower", 0, 4);
	on_node(2, "borrower", 0, 2);
	on_node(3, "borrower", 0, 1);
	on_node(4, "borrower", 0, 1);
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 1);
	ck_assert(leaves(1));
	finish();
}
END_TEST

/* On every node there is somebody who may stay. */
START_TEST(no_place_nobody_is_evicted)
{
	struct gov_shape shape = parts(1, SIZE), spread = parts(8, 1);
	char text[1024];
	struct gov_explanation e;

	begin(1);
	policy->idle_sharing = _i ? GOV_FIRST_COME : GOV_FAIR_SHARE;
	team("owner", 28, GOV_UNLIMITED);
	team("other", 4, GOV_UNLIMITED);
	team("borrower", 0, GOV_UNLIMITED);
	start_engine(32);
	machine(4, 0);
	for (uint32_t n = 0; n < 4; n++)
		on_node(200 + n, "other", n, 1);
	for (int i = 0; i < 28; i++)
		on_node((uint64_t) i + 1, "borrower", (uint32_t) i % 4, 1);
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 0);
	ck_assert_int_eq(state(100), GOV_JOB_WAITING);
	ck_assert(explained(100, GOV_LIMIT_PLACE));
	ck_assert_int_eq(gov_engine_explain(engine, 100, now, &e, NULL), 0);
	gov_explanation_sentence(engine, 100, &e, text, sizeof(text));
	ck_assert_msg(
		strstr(text,
		       "no jobs that may be told to leave make room for 8 gres/gpu on one node") &&
			strstr(text, "nobody is evicted in vain"),
		"%s", text);
	gov_explanation_free(&e);
	/* As many GPUs, but wherever they are. */
	spread.per_node = 0;
	ask(101, "owner", &spread);
	decide();
	ck_assert_int_eq(evictions(), 8);
	ck_assert_int_eq(state(101), GOV_JOB_CLAIMING);
	ck_assert_int_eq(in_state(200, 4, GOV_JOB_RUNNING), 4);
	finish();
}
END_TEST

/* Exempted by an operator, or on a node that takes no new jobs. */
START_TEST(nodes_that_cannot_be_freed_are_left_alone)
{
	struct gov_shape shape = parts(1, SIZE);
	struct gov_job j;

	owner_and_borrower(_i, 3, 0);
	fill_evenly(3, 24);
	j = *gov_engine_job(engine, 1);
	j.exempt = true;
	put(j);
	gov_engine_set_node_usable(engine, 1, false);
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 8);
	ck_assert_int_eq(leaving(1, 24, 2, 3), 8);
	finish();
}
END_TEST

/* Idle, but out of service: not counted on. */
START_TEST(idle_nodes_out_of_service_are_no_place)
{
	struct gov_shape shape = parts(1, SIZE);

	owner_and_borrower(_i, 3, 0);
	fill_evenly(2, 16);
	gov_engine_set_node_usable(engine, 2, false);
	gov_engine_set_capacity(engine, GPU, 16);
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 8);
	ck_assert(leaving(1, 16, 0, 2) == 8 || leaving(1, 16, 1, 2) == 8);
	finish();
}
END_TEST

/* Of two borrowers one may be asked for three only. */
START_TEST(guarantees_hold_on_nodes_too)
{
	struct gov_shape shape = parts(1, SIZE);

	begin(1);
	policy->idle_sharing = _i ? GOV_FIRST_COME : GOV_FAIR_SHARE;
	team("owner", 11, GOV_UNLIMITED);
	team("nearly", 5, GOV_UNLIMITED);
	team("borrower", 0, GOV_UNLIMITED);
	start_engine(16);
	machine(2, 0);
	for (uint64_t i = 0; i < 8; i++)
		on_node(1 + i, "borrower", 0, 1);
	/* The younger ones. */
	for (uint64_t i = 0; i < 8; i++)
		on_node(11 + i, "nearly", 1, 1);
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 8);
	ck_assert_int_eq(in_state(1, 8, GOV_JOB_RECLAIMING), 8);
	finish();
}
END_TEST

/*
 * The rules let half of what is proposed go, and there is no other proposal:
 * the books are as before (finish() audits them).
 */
START_TEST(refused_proposal_leaves_no_trace)
{
	struct gov_shape shape = parts(1, SIZE);

	begin(1);
	policy->idle_sharing = _i ? GOV_FIRST_COME : GOV_FAIR_SHARE;
	team("lender", 16, GOV_UNLIMITED);
	team("borrower", 0, GOV_UNLIMITED);
	team("second", 0, GOV_UNLIMITED);
	start_engine(16);
	machine(2, 0);
	for (uint64_t i = 0; i < 4; i++) {
		on_node(50 + i, "lender", 0, 1);
		on_node(20 + i, "borrower", 0, 1);
	}
	for (uint64_t i = 0; i < 8; i++)
		on_node(1 + i, "borrower", 1, 1);
	ask(100, "second", &shape);
	decide();
	ck_assert_int_eq(evictions(), 0);
	ck_assert_int_eq(state(100), GOV_JOB_WAITING);
	ck_assert_uint_eq(view("borrower", GPU).usage, 12);
	finish();
}
END_TEST

static void within_quota_but_in_pieces(int first_come)
{
	struct gov_shape shape = parts(1, SIZE);

	owner_and_borrower(first_come, 4, 0);
	fill_evenly(4, 24);
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(state(100), GOV_JOB_ADMITTED);
	ck_assert_int_eq(evictions(), 0);
}

START_TEST(fragments_are_joined_for_an_admitted_owner)
{
	within_quota_but_in_pieces(_i);
	ck_assert_int_eq(gov_engine_unplaced(engine, 100, true), 0);
	decide();
	ck_assert_int_eq(evictions(), 6);
	ck_assert_int_eq(state(100), GOV_JOB_ADMITTED);
	ck_assert_int_eq(in_state(1, 24, GOV_JOB_RECLAIMING), 6);
	/* Once is enough, though Slurm has not placed it yet. */
	now += 5;
	put(*gov_engine_job(engine, 9));
	decide();
	ck_assert_int_eq(evictions(), 0);
	let_leave();
	decide();
	ck_assert_int_eq(evictions(), 0);
	/* Who made room waits until it has its place. */
	ck_assert_int_eq(in_state(1, 24, GOV_JOB_WAITING), 6);
	run(100);
	place(100, 0, 8);
	decide();
	ck_assert_int_eq(in_state(1, 24, GOV_JOB_ADMITTED), 6);
	finish();
}
END_TEST

START_TEST(nobody_gives_way_for_a_borrower_in_pieces)
{
	struct gov_shape shape = parts(1, SIZE);

	begin(1);
	policy->idle_sharing = _i ? GOV_FIRST_COME : GOV_FAIR_SHARE;
	team("lender", 32, GOV_UNLIMITED);
	team("borrower", 0, GOV_UNLIMITED);
	team("second", 0, GOV_UNLIMITED);
	start_engine(32);
	machine(4, 0);
	fill_evenly(4, 24);
	ask(100, "second", &shape);
	decide();
	ck_assert_int_eq(state(100), GOV_JOB_ADMITTED);
	ck_assert_int_eq(gov_engine_unplaced(engine, 100, true), 0);
	decide();
	ck_assert_int_eq(evictions(), 0);
	finish();
}
END_TEST

/* Not even its own team's: it could go on at any time itself. */
START_TEST(own_jobs_do_not_give_way_for_a_borrower_in_pieces)
{
	struct gov_shape shape = parts(1, SIZE);
	struct gov_job j;

	begin(1);
	policy->idle_sharing = _i ? GOV_FIRST_COME : GOV_FAIR_SHARE;
	team("lender", 32, GOV_UNLIMITED);
	team("borrower", 0, GOV_UNLIMITED);
	start_engine(32);
	machine(4, 0);
	fill_evenly(4, 24);
	j = job(100, "borrower", 100, SIZE);
	j.shape = gov_engine_shape(engine, &shape);
	put(j);
	decide();
	ck_assert_int_eq(state(100), GOV_JOB_ADMITTED);
	ck_assert_int_eq(gov_engine_unplaced(engine, 100, true), 0);
	decide();
	ck_assert_int_eq(evictions(), 0);
	finish();
}
END_TEST

START_TEST(admitted_one_with_a_place_evicts_nobody)
{
	within_quota_but_in_pieces(_i);
	for (uint64_t id = 1; id <= 21; id += 4)
		ck_assert(gov_engine_remove(engine, id));
	ck_assert_int_eq(gov_engine_unplaced(engine, 100, true), 0);
	decide();
	ck_assert_int_eq(evictions(), 0);
	finish();
}
END_TEST

/* Many at once are looked at in turn, and nobody is forgotten. */
START_TEST(unplaced_jobs_are_looked_at_in_turn)
{
	struct gov_shape shape = parts(1, SIZE);
	size_t known = 0;

	owner_and_borrower(_i, 60, 0);
	for (uint64_t id = 100; id < 150; id++)
		ask(id, "owner", &shape);
	decide();
	for (uint64_t id = 100; id < 150; id++)
		ck_assert_int_eq(gov_engine_unplaced(engine, id, true), 0);
	decide();
	for (uint64_t id = 100; id < 150; id++)
		known += !!gov_places_find(gov_engine_places(engine), id);
	ck_assert_uint_eq(known, 32);
	ck_assert_int_eq(gov_engine_next(engine, now), now + 1);
	now++;
	decide();
	for (uint64_t id = 100; id < 150; id++)
		ck_assert_ptr_nonnull(
			gov_places_find(gov_engine_places(engine), id));
	ck_assert_int_gt(gov_engine_next(engine, now), now + 1);
	finish();
}
END_TEST

START_TEST(held_reclaims_hold_for_places)
{
	within_quota_but_in_pieces(_i);
	gov_engine_hold_reclaims(engine, true);
	ck_assert_int_eq(gov_engine_unplaced(engine, 100, true), 0);
	decide();
	ck_assert_int_eq(evictions(), 0);
	gov_engine_hold_reclaims(engine, false);
	decide();
	ck_assert_int_eq(evictions(), 6);
	finish();
}
END_TEST

/* Nothing is known of its place: by amounts, as ever, and it is said. */
START_TEST(unknown_shape_is_decided_by_amounts)
{
	struct gov_explanation e;
	char text[1024];

	owner_and_borrower(_i, 4, 0);
	fill_evenly(4, 32);
	waiting(100, "owner", 50, 8, 1);
	ck_assert_int_eq(gov_engine_explain(engine, 100, now, &e, NULL), 0);
	ck_assert_int_eq(e.place, GOV_PLACE_UNKNOWN);
	gov_explanation_sentence(engine, 100, &e, text, sizeof(text));
	ck_assert_msg(strstr(text, "chosen by amounts alone"), "%s", text);
	gov_explanation_free(&e);
	decide();
	ck_assert_int_eq(evictions(), 8);
	/* The youngest, wherever they are. */
	ck_assert_int_eq(in_state(25, 8, GOV_JOB_RECLAIMING), 8);
	finish();
}
END_TEST

/* Jobs that governance does not know are in the way all the same. */
START_TEST(strangers_take_room)
{
	struct gov_shape shape = parts(1, SIZE);

	owner_and_borrower(_i, 2, 0);
	on_node(1, "borrower", 0, 7);
	for (uint64_t i = 0; i < 8; i++)
		on_node(10 + i, "borrower", 1, 1);
	place(UINT64_C(1) << 40, 0, 1);
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 8);
	ck_assert_int_eq(in_state(10, 8, GOV_JOB_RECLAIMING), 8);
	finish();
}
END_TEST

/* Only nodes of its own set count; whole nodes are shared with nobody. */
START_TEST(allowed_and_whole_nodes)
{
	bool member[4] = { false, true, false, true };
	struct gov_shape shape = parts(1, 4);

	shape.whole = true;
	shape.allowed = gov_node_set_create(member, 4);
	ck_assert_ptr_nonnull(shape.allowed);
	owner_and_borrower(_i, 4, 0);
	on_node(1, "borrower", 0, 8);
	on_node(2, "borrower", 1, 4);
	on_node(3, "borrower", 1, 4);
	on_node(4, "borrower", 2, 8);
	for (uint64_t i = 0; i < 8; i++)
		on_node(10 + i, "borrower", 3, 1);
	ask(100, "owner", &shape);
	gov_node_set_unref(shape.allowed);
	decide();
	ck_assert_int_eq(evictions(), 2);
	ck_assert(leaves(2) && leaves(3));
	finish();
}
END_TEST

/* A node gives something beside its parts: 60 of its 64 CPUs, or too many. */
START_TEST(each_node_takes_something_besides)
{
	struct gov_shape shape = parts(8, 1);
	const struct gov_placed *placed;

	shape.per_node = 0;
	shape.part[CPU] = 0;
	shape.node[CPU] = 65;
	owner_and_borrower(_i, 2, 0);
	fill_evenly(2, 16);
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 0);
	shape.node[CPU] = 60;
	ask(101, "owner", &shape);
	ck_assert_uint_ne(gov_engine_job(engine, 100)->shape,
			  gov_engine_job(engine, 101)->shape);
	decide();
	ck_assert_int_eq(evictions(), 8);
	ck_assert_int_eq(state(101), GOV_JOB_CLAIMING);
	placed = gov_places_find(gov_engine_places(engine), 101);
	for (uint32_t i = 0; i < placed->count; i++)
		ck_assert_uint_eq(placed->place[i].spot.amount[CPU], 60);
	finish();
}
END_TEST

/* A job on several nodes is broken once. */
START_TEST(a_wide_job_counts_once)
{
	struct gov_spot spot[2] = { { 0, { 8, 8 } }, { 1, { 8, 8 } } };
	struct gov_shape shape = parts(2, SIZE);

	owner_and_borrower(_i, 4, 0);
	running(1, "borrower", 50, 16, 1);
	ck_assert_int_eq(gov_engine_place(engine, 1, spot, 2), 0);
	for (uint32_t n = 2; n < 4; n++)
		on_node(n, "borrower", n, 8);
	ask(100, "owner", &shape);
	decide();
	ck_assert_int_eq(evictions(), 1);
	ck_assert(leaves(1));
	finish();
}
END_TEST

/*
 * Who is not where the asker could go is not asked to leave where nothing but
 * a place is wanted: its going would spend what its team can be asked for.
 * (Largest first, as places are proposed, is not allowed here: the team would
 * be inside its quota before the second one.)
 */
START_TEST(who_is_elsewhere_is_left_alone)
{
	bool member[3] = { true };
	struct gov_shape shape = parts(1, SIZE);

	shape.allowed = gov_node_set_create(member, 3);
	ck_assert_ptr_nonnull(shape.allowed);
	begin(1);
	policy->idle_sharing = _i ? GOV_FIRST_COME : GOV_FAIR_SHARE;
	team("owner", 16, GOV_UNLIMITED);
	team("borrower", 8, GOV_UNLIMITED);
	start_engine(3 * SIZE);
	machine(3, 0);
	on_node(1, "borrower", 0, 6);
	on_node(2, "borrower", 0, 2);
	on_node(3, "borrower", 1, 3);
	ask(100, "owner", &shape);
	gov_node_set_unref(shape.allowed);
	decide();
	ck_assert_int_eq(state(100), GOV_JOB_ADMITTED);
	ck_assert_int_eq(evictions(), 0);
	ck_assert_int_eq(gov_engine_unplaced(engine, 100, true), 0);
	decide();
	ck_assert_int_eq(evictions(), 2);
	ck_assert(leaves(1) && leaves(2));
	finish();
}
END_TEST

static void add(TCase *t)
{
	tcase_add_loop_test(t, one_node_is_freed, 0, 2);
	tcase_add_loop_test(t, two_nodes_are_freed, 0, 2);
	tcase_add_loop_test(t, two_askers_do_not_count_on_one_node, 0, 2);
	tcase_add_loop_test(t, fewest_jobs_are_broken, 0, 2);
	tcase_add_loop_test(t, below_one_switch, 0, 2);
	tcase_add_loop_test(t, a_switch_is_chosen_as_a_whole, 0, 2);
	tcase_add_loop_test(t, idle_gpus_are_used_first, 0, 2);
	tcase_add_loop_test(t, an_empty_node_and_one_that_is_freed, 0, 2);
	tcase_add_loop_test(t, least_unsaved_work_is_lost, 0, 2);
	tcase_add_loop_test(t, broken_jobs_count, 0, 2);
	tcase_add_loop_test(t, broken_jobs_are_not_everything, 0, 2);
	tcase_add_loop_test(t, no_more_than_needed_leaves_a_node, 0, 2);
	tcase_add_loop_test(t, no_place_nobody_is_evicted, 0, 2);
	tcase_add_loop_test(t, nodes_that_cannot_be_freed_are_left_alone, 0, 2);
	tcase_add_loop_test(t, idle_nodes_out_of_service_are_no_place, 0, 2);
	tcase_add_loop_test(t, guarantees_hold_on_nodes_too, 0, 2);
	tcase_add_loop_test(t, refused_proposal_leaves_no_trace, 0, 2);
	tcase_add_loop_test(t, fragments_are_joined_for_an_admitted_owner, 0,
			    2);
	tcase_add_loop_test(t,
			    own_jobs_do_not_give_way_for_a_borrower_in_pieces,
			    0, 2);
	tcase_add_loop_test(t, nobody_gives_way_for_a_borrower_in_pieces, 0, 2);
	tcase_add_loop_test(t, admitted_one_with_a_place_evicts_nobody, 0, 2);
	tcase_add_loop_test(t, unplaced_jobs_are_looked_at_in_turn, 0, 2);
	tcase_add_loop_test(t, held_reclaims_hold_for_places, 0, 2);
	tcase_add_loop_test(t, unknown_shape_is_decided_by_amounts, 0, 2);
	tcase_add_loop_test(t, strangers_take_room, 0, 2);
	tcase_add_loop_test(t, allowed_and_whole_nodes, 0, 2);
	tcase_add_loop_test(t, each_node_takes_something_besides, 0, 2);
	tcase_add_loop_test(t, a_wide_job_counts_once, 0, 2);
	tcase_add_loop_test(t, who_is_elsewhere_is_left_alone, 0, 2);
}

int main(void)
{
	return unit_main("placement", add);
}
