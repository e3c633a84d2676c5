/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orders of operators: what they do, and that they are remembered. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "slurmgovd/orders_file.h"
#include "tests/unit/fake_slurm.h"
#include "tests/unit/unit.h"

#define POLICY                                                         \
	"ReclaimGrace=10 MinRuntime=0 ExemptUsers=root\n"              \
	"PoolName=h100 Nodes=g1 TRES=gres/gpu\n"                       \
	"PriorityClass=normal Weight=50 Default=yes\n"                 \
	"UnitName=research\n"                                          \
	"TeamName=vision Account=vision\n"                             \
	"TeamName=nlp Account=nlp Parent=research\n"                   \
	"Quota Team=vision Pool=h100 TRES=gres/gpu=16 BorrowLimit=0\n" \
	"Quota Team=nlp Pool=h100 TRES=gres/gpu=8 BorrowLimit=200%\n"

#define ALICE 100
#define BOB 200
#define OPERATOR 7

static struct fake fake;
static char directory[] = "/tmp/gov-orders-XXXXXX";

static struct gov_now now(void)
{
	return (struct gov_now){ .wall = fake.wall, .mono = fake.mono };
}

/* 0 or the code of the refusal. */
static int give(enum gov_order_kind kind, const char *name, bool undo)
{
	struct gov_order order = {
		.kind = kind, .name = name, .undo = undo, .by = OPERATOR
	};
	struct gov_error error = { 0 };

	if (!gov_governor_order(fake.governor, &order, now(), &error))
		return 0;
	ck_assert(error.text[0]);
	return (int) error.code;
}

static int give_job(enum gov_order_kind kind, uint32_t id, bool undo)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", id);
	return give(kind, name, undo);
}

/* kill -9, with what the daemon keeps in its file. */
static void restart(void)
{
	struct gov_orders orders;
	struct gov_error error;

	ck_assert_int_eq(gov_orders_save(directory,
					 gov_governor_orders(fake.governor),
					 &error),
			 0);
	fake_restart_governor(&fake);
	ck_assert_int_eq(gov_orders_load(directory, &orders, &error), 0);
	gov_governor_set_orders(fake.governor, &orders);
	fake_settle(&fake);
}

static bool stamped(uint32_t id, const char *word)
{
	return strstr(fake_find(&fake, id)->comment, word) != NULL;
}

START_TEST(held_reclaims_survive_a_restart)
{
	uint32_t loan, asker;

	fake_start(&fake, POLICY, 24);
	loan = fake_submit(&fake, BOB, 24, NULL);
	fake_settle(&fake);
	ck_assert_int_eq(give(GOV_ORDER_HOLD_RECLAIMS, NULL, false), 0);
	ck_assert_int_eq(give(GOV_ORDER_HOLD_RECLAIMS, NULL, false),
			 GOV_E_STATE);
	asker = fake_submit(&fake, ALICE, 16, NULL);
	fake_pass(&fake, 3);
	restart();
	fake_pass(&fake, 20);
	ck_assert(fake_runs(&fake, loan) && fake_waits(&fake, asker));
	ck_assert_int_eq(fake_find(&fake, loan)->signals, 0);
	ck_assert_uint_eq(gov_governor_orders(fake.governor)->reclaims_held.by,
			  OPERATOR);
	ck_assert_int_eq(give(GOV_ORDER_HOLD_RECLAIMS, NULL, true), 0);
	fake_pass(&fake, 20);
	ck_assert(fake_runs(&fake, asker) && fake_waits(&fake, loan));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(drained_teams_and_units_borrow_no_more)
{
	uint32_t own, more;

	fake_start(&fake, POLICY, 24);
	own = fake_submit(&fake, BOB, 8, NULL);
	/* The unit above is meant; a restart and a reload change nothing. */
	ck_assert_int_eq(give(GOV_ORDER_DRAIN, "Research", false), 0);
	ck_assert_int_eq(give(GOV_ORDER_DRAIN, "nobody", false),
			 GOV_E_REFERENCE);
	more = fake_submit(&fake, BOB, 4, NULL);
	ck_assert_ptr_nonnull(strstr(fake.message, "sgov drain"));
	fake_pass(&fake, 2);
	restart();
	fake_reload(&fake, POLICY);
	fake_pass(&fake, 2);
	ck_assert(fake_runs(&fake, own) && fake_waits(&fake, more));
	ck_assert_int_eq(give(GOV_ORDER_DRAIN, "nlp", true), GOV_E_STATE);
	ck_assert_int_eq(give(GOV_ORDER_DRAIN, "research", true), 0);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, more));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(a_released_job_starts_and_counts)
{
	uint32_t own, more;

	fake_start(&fake, POLICY, 24);
	own = fake_submit(&fake, ALICE, 16, NULL);
	more = fake_submit(&fake, ALICE, 4, NULL);
	fake_settle(&fake);
	ck_assert(fake_waits(&fake, more));
	ck_assert_int_eq(give_job(GOV_ORDER_RELEASE, own, false), GOV_E_STATE);
	ck_assert_int_eq(give_job(GOV_ORDER_RELEASE, 99, false),
			 GOV_E_REFERENCE);
	ck_assert_int_eq(give_job(GOV_ORDER_RELEASE, more, false), 0);
	ck_assert_int_eq(give_job(GOV_ORDER_RELEASE, more, false), GOV_E_STATE);
	fake_settle(&fake);
	ck_assert(fake_runs(&fake, more));
	ck_assert(stamped(more, "released=1 operator=7 ordered=1000"));
	restart();
	ck_assert(fake_runs(&fake, more));
	ck_assert(stamped(more, "released=1"));
	ck_assert_uint_eq(fake_used(&fake, "vision"), 20);
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(a_released_job_waits_for_nodes_through_a_restart)
{
	uint32_t loan, more;

	fake_start(&fake, POLICY, 24);
	loan = fake_submit(&fake, BOB, 24, NULL);
	fake_settle(&fake);
	more = fake_submit(&fake, BOB, 4, NULL);
	fake_settle(&fake);
	ck_assert(fake_waits(&fake, more));
	ck_assert_int_eq(give_job(GOV_ORDER_RELEASE, more, false), 0);
	fake_settle(&fake);
	ck_assert(!fake_find(&fake, more)->held);
	/* Not even an owner makes it wait again. */
	restart();
	fake_submit(&fake, ALICE, 16, NULL);
	fake_pass(&fake, 3);
	ck_assert(!fake_find(&fake, more)->held);
	fake_end(&fake, loan);
	fake_pass(&fake, 3);
	ck_assert(fake_runs(&fake, more));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(an_exempted_job_is_called_back)
{
	uint32_t loan, asker;

	fake_start(&fake, POLICY, 24);
	loan = fake_submit(&fake, BOB, 24, NULL);
	fake_settle(&fake);
	asker = fake_submit(&fake, ALICE, 16, NULL);
	fake_pass(&fake, 3);
	ck_assert_int_eq(fake_find(&fake, loan)->signals, 1);
	ck_assert(stamped(loan, "state=reclaiming"));
	ck_assert_int_eq(give_job(GOV_ORDER_EXEMPT, loan, false), 0);
	fake_settle(&fake);
	ck_assert(stamped(loan, "state=admitted"));
	ck_assert(stamped(loan, "exempt=1 operator=7"));
	ck_assert(!stamped(loan, "deadline"));
	restart();
	fake_pass(&fake, 20);
	ck_assert(fake_runs(&fake, loan) && fake_waits(&fake, asker));
	ck_assert_uint_eq(fake_find(&fake, loan)->restarts, 0);
	fake_check(&fake);
	ck_assert_int_eq(give_job(GOV_ORDER_EXEMPT, loan, true), 0);
	fake_pass(&fake, 20);
	ck_assert(fake_runs(&fake, asker) && fake_waits(&fake, loan));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

START_TEST(everything_is_released_and_governed_again)
{
	uint32_t loan, asker, users, late;

	fake_start(&fake, POLICY, 24);
	loan = fake_submit(&fake, BOB, 24, NULL);
	fake_settle(&fake);
	asker = fake_submit(&fake, ALICE, 16, NULL);
	users = fake_submit(&fake, ALICE, 1, "hold");
	fake_pass(&fake, 3);
	ck_assert(stamped(loan, "state=reclaiming"));
	ck_assert_int_eq(give(GOV_ORDER_RELEASE_ALL, NULL, false), 0);
	fake_pass(&fake, 20);
	/* Nobody is stopped, nothing is held but by its user. */
	ck_assert(fake_runs(&fake, loan));
	ck_assert(stamped(loan, "state=admitted"));
	ck_assert(!fake_find(&fake, asker)->held);
	ck_assert(!stamped(asker, "[gov"));
	ck_assert(fake_find(&fake, users)->held);
	late = fake_submit(&fake, ALICE, 24, NULL);
	ck_assert_uint_ne(late, 0);
	ck_assert(!fake_find(&fake, late)->held);
	restart();
	fake_pass(&fake, 15);
	ck_assert(fake_runs(&fake, loan));
	ck_assert(!fake_find(&fake, late)->held);
	ck_assert_int_eq(give_job(GOV_ORDER_RELEASE, late, false), GOV_E_STATE);
	ck_assert_int_eq(give(GOV_ORDER_RELEASE_ALL, NULL, true), 0);
	fake_pass(&fake, 30);
	ck_assert(fake_runs(&fake, asker));
	ck_assert(fake_waits(&fake, late) && fake_waits(&fake, loan));
	fake_check(&fake);
	fake_stop(&fake);
}
END_TEST

/* ---- the file ---- */

static void write_orders(const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/orders", directory);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

START_TEST(a_damaged_file_is_told)
{
	static const char *const bad[] = {
		"",
		"\n",
		"slurm-governance orders 2\n",
		"slurm-governance orders 1\nhold-reclaims 0\n",
		"slurm-governance orders 1\nhold-reclaims 0 -5\n",
		"slurm-governance orders 1\nhold-reclaims 0 5 more\n",
		"slurm-governance orders 1\ndrain 0 5\n",
		"slurm-governance orders 1\ndrain 0 5 a b\n",
		"slurm-governance orders 1\nfrob 0 5\n",
		"slurm-governance orders 1\nhold-reclaims 0 5",
		"slurm-governance orders 1\ndrain 0 5 "
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
	};
	struct gov_orders orders;
	struct gov_error error;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		write_orders(bad[i]);
		ck_assert_msg(gov_orders_load(directory, &orders, &error) < 0,
			      "%s", bad[i]);
		ck_assert(!orders.reclaims_held.since && !orders.drained);
	}
	write_orders("slurm-governance orders 1\ndrain 5 6 nlp\n"
		     "release-all 4294967294 7\n");
	ck_assert_int_eq(gov_orders_load(directory, &orders, &error), 0);
	ck_assert_uint_eq(orders.let_go.by, 4294967294);
	ck_assert_int_eq(gov_orders_drained(&orders, "NLP")->since, 6);
	gov_orders_free(&orders);
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_told)
{
	struct gov_orders orders = { 0 };
	struct gov_error error;

	ck_assert_int_lt(gov_orders_save("/nonexistent", &orders, &error), 0);
	ck_assert_int_eq(gov_orders_load("/nonexistent", &orders, &error), 0);
	ck_assert(!orders.reclaims_held.since);
}
END_TEST

static void add(TCase *t)
{
	tcase_add_test(t, held_reclaims_survive_a_restart);
	tcase_add_test(t, drained_teams_and_units_borrow_no_more);
	tcase_add_test(t, a_released_job_starts_and_counts);
	tcase_add_test(t, a_released_job_waits_for_nodes_through_a_restart);
	tcase_add_test(t, an_exempted_job_is_called_back);
	tcase_add_test(t, everything_is_released_and_governed_again);
	tcase_add_test(t, a_damaged_file_is_told);
	tcase_add_test(t, a_folder_that_is_not_there_is_told);
}

int main(void)
{
	char path[64];
	int rc;

	if (!mkdtemp(directory))
		return 1;
	rc = unit_main("governor's orders", add);
	snprintf(path, sizeof(path), "%s/orders", directory);
	unlink(path);
	rmdir(directory);
	return rc;
}
