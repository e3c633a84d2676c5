/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread of the daemon's ledger, on a disk that hangs: nobody waits for
 * it, and what is too much for the queue is told, by the ledger itself too.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ledger/walk.h"
#include "slurmgovd/clock.h"
#include "slurmgovd/ledger.h"
#include "tests/unit/unit.h"

#define QUEUE_MAX 65536 /* as in slurmgovd/ledger.c */
#define TOO_MANY 100

static char base[64];
static struct gov_ledger *ledger;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static bool hangs;
static int waits; /* threads that wait for the disk */
static int sync_error;

/* Stands before libc's own. */
int fdatasync(int fd)
{
	pthread_mutex_lock(&lock);
	waits++;
	pthread_cond_broadcast(&change);
	while (hangs)
		pthread_cond_wait(&change, &lock);
	waits--;
	pthread_mutex_unlock(&lock);
	if (!sync_error)
		return (int) syscall(SYS_fdatasync, fd);
	errno = sync_error;
	return -1;
}

static void set_hanging(bool on)
{
	pthread_mutex_lock(&lock);
	hangs = on;
	pthread_cond_broadcast(&change);
	pthread_mutex_unlock(&lock);
}

static void wait_for_sync(void)
{
	pthread_mutex_lock(&lock);
	while (!waits)
		pthread_cond_wait(&change, &lock);
	pthread_mutex_unlock(&lock);
}

static struct gov_ledger_state state_now(void)
{
	struct gov_ledger_state state;

	gov_ledger_state(ledger, &state);
	return state;
}

static void wait_empty(void)
{
	int64_t until = gov_mono_ms() + 60000;
	uint64_t durable = 0;
	struct gov_ledger_state state;

	do {
		durable = state_now().durable;
		usleep(100000);
		state = state_now();
		ck_assert_int_lt(gov_mono_ms(), until);
	} while (state.waiting || state.alarm_since || !state.durable ||
		 state.durable != durable);
}

static void tell(gov_time_t now, uint64_t job)
{
	struct gov_fact fact = {
		.kind = GOV_FACT_ADMIT, .now = now, .job = job, .team = GOV_NONE
	};

	gov_ledger_tell(ledger, &fact);
}

static void setup(void)
{
	strcpy(base, "/tmp/test-ledger-thread-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(base));
	sync_error = 0;
	hangs = false;
	ledger = gov_ledger_start(base, "test", NULL);
	ck_assert_ptr_nonnull(ledger);
	wait_empty();
}

static void teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", base);
	ck_assert_int_eq(system(command), 0);
}

/* ---- what is there ---- */

struct seen {
	uint64_t admits;
	int64_t lost;
};

static int visit(void *arg, const struct gov_record *record,
		 const struct gov_chain *before, struct gov_error *error)
{
	struct seen *seen = arg;

	seen->admits += record->kind == GOV_RECORD_ADMIT;
	if (record->kind == GOV_RECORD_LOST)
		seen->lost += record->count;
	return 0;
}

static struct seen read_ledger(void)
{
	char directory[80];
	struct seen seen = { 0 };
	struct gov_walk walk = { .directory = directory,
				 .visit = visit,
				 .arg = &seen };
	struct gov_error error;

	snprintf(directory, sizeof(directory), "%s/ledger", base);
	ck_assert_msg(!gov_walk(&walk, &error), "%s", error.text);
	return seen;
}

START_TEST(nobody_waits_for_the_disk)
{
	int64_t begin, longest = 0;

	set_hanging(true);
	tell(1, 1);
	wait_for_sync();
	for (uint64_t job = 2; job <= 10000; job++) {
		begin = gov_mono_ms();
		tell(1, job);
		if (gov_mono_ms() - begin > longest)
			longest = gov_mono_ms() - begin;
	}
	/* It still hangs; a machine may have other things to do. */
	ck_assert_int_eq(waits, 1);
	ck_assert_int_lt(longest, 500);
	ck_assert_uint_eq(state_now().lost, 0);
	set_hanging(false);
	wait_empty();
	ck_assert_int_eq(gov_ledger_stop(ledger), 0);
	ck_assert_uint_eq(read_ledger().admits, 10000);
}
END_TEST

START_TEST(what_is_too_much_is_told)
{
	struct gov_ledger_state state;
	struct seen seen;

	set_hanging(true);
	tell(1, 1);
	wait_for_sync();
	for (uint64_t job = 0; job < QUEUE_MAX; job++)
		tell(1, 2 + job);
	ck_assert_str_eq(state_now().alarm, "");
	ck_assert_uint_eq(state_now().lost, 0);
	for (uint64_t job = 0; job < TOO_MANY; job++)
		tell(1, 2 + QUEUE_MAX + job);
	state = state_now();
	ck_assert_uint_eq(state.lost, TOO_MANY);
	ck_assert_msg(strstr(state.alarm, "more happens") != NULL, "%s",
		      state.alarm);
	ck_assert(!gov_ledger_wants_look(ledger));
	set_hanging(false);
	wait_empty();
	/* All that runs is to be told anew, once. */
	ck_assert(gov_ledger_wants_look(ledger));
	ck_assert(!gov_ledger_wants_look(ledger));
	ck_assert_int_eq(gov_ledger_stop(ledger), 0);
	seen = read_ledger();
	ck_assert_uint_eq(seen.admits, 1 + QUEUE_MAX);
	ck_assert_int_eq(seen.lost, TOO_MANY);
}
END_TEST

START_TEST(what_fails_is_an_alarm_and_is_made_good)
{
	sync_error = EIO;
	tell(1, 1);
	for (int i = 0; i < 100 && !state_now().alarm_since; i++)
		usleep(50000);
	ck_assert_msg(strstr(state_now().alarm, strerror(EIO)) != NULL, "%s",
		      state_now().alarm);
	sync_error = 0;
	wait_empty();
	ck_assert_int_eq(gov_ledger_stop(ledger), 0);
	ck_assert_uint_eq(read_ledger().admits, 1);
}
END_TEST

static void cases(TCase *tcase)
{
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, nobody_waits_for_the_disk);
	tcase_add_test(tcase, what_is_too_much_is_told);
	tcase_add_test(tcase, what_fails_is_an_alarm_and_is_made_good);
}

int main(void)
{
	return unit_main("ledger_thread", cases);
}
