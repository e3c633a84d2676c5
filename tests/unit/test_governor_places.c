/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the governor tells the engine of nodes: where jobs are, which nodes a
 * job may use, who waits for a place, and what is held after a restart.
 */
#include <stdio.h>
#include <string.h>

#include "conf/conf.h"
#include "slurmgovd/governor_events.h"
#include "slurmgovd/log.h"
#include "tests/unit/unit.h"

#define ALICE 100
#define BOB 200
enum { AT_CPU, AT_MEM, AT_GPU }; /* what is counted on nodes */

#define POLICY                                                                 \
	"Enforcement=enforce\nReclaimGrace=10 MinRuntime=0 ExemptUsers=root\n" \
	"PoolName=h100 Nodes=g[1-4] TRES=gres/gpu\n"                           \
	"PriorityClass=normal Weight=50 Default=yes\n"                         \
	"PriorityClass=high Weight=90\n"                                       \
	"TeamName=vision Account=vision\nTeamName=nlp Account=nlp\n"           \
	"Quota Team=vision Pool=h100 TRES=gres/gpu=32\n"                       \
	"Quota Team=nlp Pool=h100 TRES=gres/gpu=0 BorrowLimit=unlimited\n"

static struct gov_governor *governor;
static struct gov_policy *policy;
static struct gov_now now;
static struct gov_job_record *shown[64];
static size_t shown_count;

/* ---- a cluster of four nodes and a job list ---- */

static uint64_t nonce(void *arg)
{
	static uint64_t last;

	return ++last;
}

static const char *grant(void *arg, const struct gov_grant *wanted)
{
	return "sealed";
}

static void nudge(void *arg)
{
}

static struct gov_machine *make_machine(uint32_t nodes)
{
	static char name[8][8];
	struct gov_node_record node[8];
	struct gov_partition_record partition[2] = {
		{ .name = "main", .is_default = true, .nodes = "g[1-8]" },
		{ .name = "half", .nodes = "g[1-2]" },
	};
	struct gov_machine machine = { node, nodes, partition, 2, false };

	for (uint32_t i = 0; i < nodes; i++) {
		snprintf(name[i], sizeof(name[i]), "g%u", i + 1);
		node[i] = (struct gov_node_record){
			.name = name[i],
			.healthy = true,
			.installed = true,
			.leaf = GOV_NONE,
			.cpus = 32,
			.memory = 256000,
			.sockets = 2,
			.threads = 1,
			.gres = "gpu:h100:8",
			.features = i < 3 ? "ib,ssd" : "ssd",
		};
	}
	for (int i = 0; i < 2; i++) {
		partition[i].default_memory = GOV_SUB_UNSET;
		partition[i].default_memory_per_cpu = GOV_SUB_UNSET;
		partition[i].default_time = GOV_SUB_UNSET;
		partition[i].max_time = GOV_SUB_UNSET;
	}
	return gov_machine_copy(&machine);
}

static void start_governor(void)
{
	struct gov_governor_setup setup = { .slurm_uid = 64030,
					    .nonce = nonce,
					    .grant = grant,
					    .nudge = nudge };
	struct gov_members *members = gov_members_create();

	gov_members_add_user(members, GOV_MEMBER_OF_EXEMPT, 0, 0);
	gov_members_add_user(members, GOV_MEMBER_OF_TEAM,
			     gov_policy_find_unit(policy, "vision"), ALICE);
	gov_members_add_user(members, GOV_MEMBER_OF_TEAM,
			     gov_policy_find_unit(policy, "nlp"), BOB);
	gov_members_finish(members);
	governor = gov_governor_create(&setup, policy, NULL);
	ck_assert_ptr_nonnull(governor);
	gov_governor_set_members(governor, policy, members, now);
	gov_governor_set_machine(governor, make_machine(4), now);
}

static void setup(void)
{
	struct gov_conf_faults faults = { 0 };

	gov_log_set_levels("fatal");
	policy = gov_conf_parse(POLICY, strlen(POLICY), "test", NULL, &faults);
	ck_assert_ptr_nonnull(policy);
	gov_conf_faults_free(&faults);
	now = (struct gov_now){ .wall = 1000000, .mono = 1000 };
	start_governor();
}

static void forget_shown(void)
{
	for (size_t i = 0; i < shown_count; i++)
		gov_job_record_free(shown[i]);
	shown_count = 0;
}

static void teardown(void)
{
	forget_shown();
	gov_governor_destroy(governor);
	gov_policy_unref(policy);
}

/* All jobs that are shown, as a complete list; what is ordered is lost. */
static void list(void)
{
	struct gov_job_record *records[64];
	struct gov_job_changes changes = { .complete = true,
					   .changed = records,
					   .changed_count = shown_count };
	struct gov_action *action;

	for (size_t i = 0; i < shown_count; i++)
		records[i] = gov_job_record_copy(shown[i]);
	now.mono += 100;
	gov_governor_jobs(governor, &changes, now.mono - 50, now);
	while ((action = gov_governor_action(governor))) {
		action->outcome = GOV_OUTCOME_DONE;
		gov_governor_result(governor, action, now);
		gov_action_free(action);
	}
}

/* kill -9 of the governor, and a new one that knows nothing. */
static void restart(void)
{
	gov_governor_destroy(governor);
	start_governor();
	list();
}

static struct gov_job_record a_job(uint32_t id, uint32_t uid)
{
	struct gov_job_record r = {
		.id = id,
		.array_task = GOV_NO_TASK,
		.state = GOV_SLURM_PENDING,
		.submitted = now.wall,
	};

	gov_submission_init(&r.submission);
	r.submission.uid = uid;
	r.submission.gid = 65534;
	r.submission.account = uid == ALICE ? "vision" : "nlp";
	r.submission.batch = r.submission.requeue = true;
	r.submission.min_nodes = r.submission.num_tasks = 1;
	r.submission.tasks_guessed = true;
	return r;
}

static void show(const struct gov_job_record *record)
{
	shown[shown_count++] = gov_job_record_copy(record);
}

/* One of BOB's, on one node with so many GPUs. */
static void show_running(uint32_t id, const char *node, unsigned gpus,
			 const char *comment)
{
	struct gov_job_record r = a_job(id, BOB);
	char tres[64], alloc[64], detail[64];
	const char *details[] = { detail };

	snprintf(tres, sizeof(tres), "gres:gpu:%u", gpus);
	snprintf(alloc, sizeof(alloc), "cpu=1,mem=4000M,node=1,gres/gpu=%u",
		 gpus);
	snprintf(detail, sizeof(detail), "gpu:h100:%u(IDX:0-7)", gpus);
	r.submission.tres_per_node = tres;
	r.state = GOV_SLURM_RUNNING;
	r.started = now.wall;
	r.nodes = node;
	r.tres_alloc = alloc;
	r.gres_detail = details;
	r.gres_detail_count = 1;
	r.admin_comment = comment;
	show(&r);
}

static struct gov_job_record asks(uint32_t id, const char *per_node)
{
	struct gov_job_record r = a_job(id, ALICE);

	r.submission.tres_per_node = per_node;
	return r;
}

/* ---- what the engine knows ---- */

static const struct gov_placed *placed(uint64_t id)
{
	return gov_places_find(gov_engine_places(gov_governor_engine(governor)),
			       id);
}

static uint64_t free_on(uint32_t node, uint32_t what)
{
	return gov_places_free(gov_engine_places(gov_governor_engine(governor)),
			       node)[what];
}

static const struct gov_job *known(uint64_t id)
{
	return gov_engine_job(gov_governor_engine(governor), id);
}

static const struct gov_shape *shape_of(uint64_t id)
{
	return gov_places_shape_at(gov_engine_places(
					   gov_governor_engine(governor)),
				   known(id)->shape);
}

static bool is_told(uint32_t id)
{
	return gov_governor_job(governor, id)->stamp.state ==
	       GOV_STAMP_RECLAIMING;
}

/* ---- where jobs are ---- */

START_TEST(spots_are_what_jobs_hold_node_by_node)
{
	struct gov_job_record r = a_job(1, BOB);
	const char *details[] = { "gpu:h100:3(IDX:0-2)", "gpu:h100:5" };

	r.submission.tres_per_job = "gres:gpu:8";
	r.state = GOV_SLURM_RUNNING;
	r.started = now.wall;
	r.nodes = "g[1,3]";
	r.tres_alloc = "cpu=7,mem=10000M,node=2,gres/gpu=8";
	r.gres_detail = details;
	r.gres_detail_count = 2;
	show(&r);
	/* Without details, on a node that is not known and one that is. */
	r.id = 2;
	r.nodes = "x7,g2";
	r.gres_detail_count = 0;
	show(&r);
	list();
	ck_assert_uint_eq(free_on(0, AT_GPU), 5);
	ck_assert_uint_eq(free_on(2, AT_GPU), 3);
	ck_assert_uint_eq(free_on(0, AT_CPU), 32 - 4);
	ck_assert_uint_eq(free_on(0, AT_MEM), 256000 - 5000);
	ck_assert_uint_eq(free_on(1, AT_GPU), 4);
	ck_assert_uint_eq(placed(2)->count, 1);
	/* On its way out it is still there; then it is gone. */
	shown[0]->state = GOV_SLURM_ENDED;
	shown[0]->completing = true;
	list();
	ck_assert_uint_eq(free_on(0, AT_GPU), 5);
	shown[0]->completing = false;
	list();
	ck_assert_uint_eq(free_on(0, AT_GPU), 8);
}
END_TEST

START_TEST(other_nodes_keep_what_is_known)
{
	show_running(1, "g1", 3, NULL);
	list();
	gov_governor_set_machine(governor, make_machine(6), now);
	ck_assert_uint_eq(gov_places_node_count(gov_engine_places(
				  gov_governor_engine(governor))),
			  6);
	ck_assert_uint_eq(free_on(0, AT_GPU), 5);
	ck_assert_uint_eq(free_on(5, AT_GPU), 8);
}
END_TEST

/* ---- which nodes it may use ---- */

static const struct {
	const char *partition, *features, *nodelist, *excluded;
	const char *may; /* per node */
} choices[] = {
	{ NULL, NULL, NULL, NULL, "1111" },
	{ "half", NULL, NULL, NULL, "1100" },
	{ "half,main", NULL, NULL, NULL, "1111" },
	{ NULL, "ib", NULL, NULL, "1110" },
	{ NULL, "ssd&ib", NULL, NULL, "1110" },
	{ NULL, NULL, "g4", NULL, "0001" },
	{ NULL, NULL, NULL, "g[1,3],x9", "0101" },
	{ "half", "ib", NULL, "g1", "0100" },
};

START_TEST(allowed_nodes)
{
	struct gov_job_record r = asks(1, "gres:gpu:8");
	const struct gov_shape *shape;

	r.submission.partition = choices[_i].partition;
	r.submission.features = choices[_i].features;
	r.submission.nodelist = choices[_i].nodelist;
	r.excluded = choices[_i].excluded;
	show(&r);
	list();
	shape = shape_of(1);
	ck_assert_ptr_nonnull(shape);
	ck_assert_uint_eq(shape->parts, 1);
	ck_assert_uint_eq(shape->part[AT_GPU], 8);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_int_eq(gov_node_set_has(shape->allowed, i),
				 choices[_i].may[i] == '1');
	/* The set is kept, and found again. */
	r.id = 2;
	show(&r);
	list();
	ck_assert_uint_eq(known(1)->shape, known(2)->shape);
}
END_TEST

static void in_reservation(struct gov_job_record *r)
{
	r->submission.reservation = "repair";
}
static void odd(struct gov_job_record *r)
{
	r->odd = true;
}
static void alternatives(struct gov_job_record *r)
{
	r->submission.features = "ib|ssd";
}
static void part_of_a_list(struct gov_job_record *r)
{
	r->submission.nodelist = "g1";
	r->submission.min_nodes = 2;
}
static void other_type(struct gov_job_record *r)
{
	r->submission.tres_per_node = "gres:gpu:v100:1";
}
static void switches(struct gov_job_record *r)
{
	r->switches = 1;
}
static void per_socket(struct gov_job_record *r)
{
	r->submission.tres_per_node = NULL;
	r->submission.tres_per_socket = "gres:gpu:2";
}

static const struct {
	void (*wish)(struct gov_job_record *r);
	const char *why;
} unknown[] = {
	{ in_reservation, "it runs in a reservation" },
	{ odd, "it asks for contiguous nodes, spare cores or the like" },
	{ alternatives, "a constraint with alternatives or counts" },
	{ part_of_a_list,
	  "a type of GPU that no node has, or a list of nodes" },
	{ switches, "it asks for switches, and none are known" },
	{ per_socket, "GPUs per socket" },
};

/* It is judged by amounts, and it is known why. */
START_TEST(what_is_not_understood)
{
	struct gov_job_record r = asks(1, "gres:gpu:8");

	unknown[_i].wish(&r);
	show(&r);
	list();
	ck_assert_uint_eq(known(1)->shape, 0);
	ck_assert_str_eq(gov_governor_job(governor, 1)->place_unknown,
			 unknown[_i].why);
}
END_TEST

START_TEST(types_of_gpu)
{
	struct gov_job_record r = asks(1, "gres:gpu:h100:2");

	show(&r);
	r.id = 2;
	other_type(&r);
	show(&r);
	list();
	ck_assert_uint_eq(shape_of(1)->part[AT_GPU], 0);
	ck_assert_uint_eq(shape_of(1)->part[AT_GPU + 1], 2);
	ck_assert_uint_eq(known(2)->shape, 0);
}
END_TEST

/* ---- who waits for a place ---- */

static void pass(int64_t ms)
{
	now.mono += ms;
	now.wall += ms / 1000;
	gov_governor_tick(governor, now);
	list();
}

/* Seven borrowed GPUs on each node: four are free, in pieces. */
static struct gov_job_record *in_line(void)
{
	static const char *const node[] = { "g1", "g2", "g3", "g4" };
	struct gov_job_record r = asks(100, "gres:gpu:4");

	for (uint32_t i = 0; i < 4; i++)
		show_running(i + 1, node[i], 7, NULL);
	r.reason = GOV_REASON_PLACE;
	r.admin_comment = "[gov1 state=admitted team=vision class=normal "
			  "pool=h100 submitted=1000000]";
	show(&r);
	list();
	return shown[4];
}

static int told(void)
{
	return is_told(1) + is_told(2) + is_told(3) + is_told(4);
}

START_TEST(room_is_made_after_some_patience)
{
	in_line();
	pass(4000);
	ck_assert_int_eq(told(), 0);
	pass(2000);
	ck_assert_int_eq(told(), 1);
	ck_assert(placed(100)->held);
	ck_assert_uint_eq(placed(100)->count, 1);
	/* One is enough, however long it takes. */
	pass(20000);
	ck_assert_int_eq(told(), 1);
}
END_TEST

START_TEST(who_no_longer_waits_for_a_place_left_the_line)
{
	struct gov_job_record *job = in_line();

	pass(4000);
	if (_i)
		job->held = true;
	else
		job->reason = GOV_REASON_OTHER;
	list();
	pass(2000);
	pass(2000);
	ck_assert_int_eq(told(), 0);
	if (_i)
		return;
	/* Back in line: from the beginning. */
	job->reason = GOV_REASON_PLACE;
	list();
	pass(4000);
	ck_assert_int_eq(told(), 0);
	pass(2000);
	ck_assert_int_eq(told(), 1);
}
END_TEST

/* ---- after a restart ---- */

#define LEAVES(asker)                                             \
	"[gov1 state=reclaiming team=nlp class=normal pool=h100 " \
	"submitted=999000 asker=" asker                           \
	" deadline=1000010 rule=2 signalled=1]"
#define CLAIMS                                           \
	"[gov1 state=claiming team=vision class=normal " \
	"pool=h100 submitted=999900]"

/* Two askers of one node each, whose victims are on g2 and g3. */
static void in_the_grace(void)
{
	struct gov_job_record r = asks(100, "gres:gpu:8");

	show_running(1, "g1", 8, NULL);
	show_running(2, "g2", 8, LEAVES("101"));
	show_running(3, "g3", 8, LEAVES("100"));
	show_running(4, "g4", 8, NULL);
	r.admin_comment = CLAIMS;
	r.held = true;
	r.reason = GOV_REASON_HELD_ADMIN;
	show(&r);
	r.id = 101;
	show(&r);
}

static void holds(uint64_t id, uint32_t node)
{
	ck_assert_ptr_nonnull(placed(id));
	ck_assert(placed(id)->held);
	ck_assert_uint_eq(placed(id)->count, 1);
	ck_assert_uint_eq(placed(id)->place[0].spot.node, node);
	ck_assert_uint_eq(placed(id)->place[0].spot.amount[AT_GPU], 8);
}

/* A governor that was killed in the grace holds the same places again, */
START_TEST(places_are_held_again)
{
	in_the_grace();
	list();
	for (int i = 0; i < 2; i++) {
		holds(100, 2);
		holds(101, 1);
		restart();
	}
	/* ... also when nodes are added, */
	gov_governor_set_machine(governor, make_machine(6), now);
	holds(100, 2);
	holds(101, 1);
}
END_TEST

/* ... so that who asks next does not count on them. */
START_TEST(next_asker_does_not_count_on_them)
{
	struct gov_job_record r = asks(102, "gres:gpu:8");

	in_the_grace();
	list();
	restart();
	show(&r);
	list();
	ck_assert_int_eq(told(), 3);
	holds(100, 2);
	holds(101, 1);
}
END_TEST

/*
 * Its victims went while nobody governed.  It had been released when they were
 * certain to go: it is not held again, whoever else asks.
 */
START_TEST(released_asker_is_not_held_again)
{
	struct gov_job_record r = asks(102, "gres:gpu:8");

	in_the_grace();
	/* Job 3 has gone, 100 is released; 101 is of no interest. */
	gov_job_record_free(shown[2]);
	gov_job_record_free(shown[5]);
	shown[2] = shown[4];
	shown[2]->held = false;
	shown_count = 4;
	r.admin_comment = "[gov1 state=waiting team=vision class=high "
			  "pool=h100 submitted=999999]";
	r.held = true;
	r.reason = GOV_REASON_HELD_ADMIN;
	show(&r);
	list();
	ck_assert_int_eq(known(100)->state, GOV_JOB_ADMITTED);
	holds(100, 2);
	ck_assert_int_ne(known(102)->state, GOV_JOB_ADMITTED);
}
END_TEST

/* ---- reservations ---- */

static void reload(const char *text)
{
	struct gov_conf_faults faults = { 0 };
	struct gov_policy *next = gov_conf_parse(text, strlen(text), "test",
						 NULL, &faults);

	ck_assert_ptr_nonnull(next);
	ck_assert(!gov_governor_set_policy(governor, next, now, NULL));
	gov_policy_unref(policy);
	policy = next;
}

/* Reservations=exempt: what asks for one is left alone, and let go. */
START_TEST(jobs_of_reservations)
{
	struct gov_job_record r = asks(1, "gres:gpu:8");

	in_reservation(&r);
	r.held = true;
	r.reason = GOV_REASON_HELD_ADMIN;
	r.admin_comment = "[gov1 state=waiting team=vision class=normal "
			  "pool=h100 submitted=1000000]";
	show(&r);
	r = asks(2, "gres:gpu:8");
	show(&r);
	list();
	ck_assert_int_eq(known(1)->state, GOV_JOB_ADMITTED);
	reload("Reservations=exempt\n" POLICY);
	ck_assert_ptr_null(known(1));
	ck_assert_int_eq(gov_governor_job(governor, 1)->standing,
			 GOV_STANDING_FREE);
	ck_assert_int_eq(known(2)->state, GOV_JOB_ADMITTED);
	reload(POLICY);
	ck_assert_ptr_nonnull(known(1));
}
END_TEST

static void add(TCase *t)
{
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, spots_are_what_jobs_hold_node_by_node);
	tcase_add_test(t, other_nodes_keep_what_is_known);
	tcase_add_loop_test(t, allowed_nodes, 0,
			    (int) (sizeof(choices) / sizeof(choices[0])));
	tcase_add_loop_test(t, what_is_not_understood, 0,
			    (int) (sizeof(unknown) / sizeof(unknown[0])));
	tcase_add_test(t, types_of_gpu);
	tcase_add_test(t, room_is_made_after_some_patience);
	tcase_add_loop_test(t, who_no_longer_waits_for_a_place_left_the_line, 0,
			    2);
	tcase_add_test(t, places_are_held_again);
	tcase_add_test(t, next_asker_does_not_count_on_them);
	tcase_add_test(t, released_asker_is_not_held_again);
	tcase_add_test(t, jobs_of_reservations);
}

int main(void)
{
	return unit_main("governor_places", add);
}
