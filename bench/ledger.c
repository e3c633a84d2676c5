/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger [--jobs=1000000] [--directory=/var/tmp]: how fast the ledger is
 * written, read and reported on, and how large it grows.  Never a test.
 *
 * Sustained: runs that begin and end, told to the very thread of slurmgovd, as
 * fast as its queue takes them; every record counts when it is durable.
 * Month: a synthetic one, of so many jobs of 12 teams, which borrow from each
 * other in two pools; written by the same keeper and journal.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "ledger/journal.h"
#include "ledger/report_read.h"
#include "slurmgovd/clock.h"
#include "slurmgovd/ledger.h"
#include "slurmgovd/log.h"

#define BEGIN 1796083200 /* 2026-12-01T00:00:00Z */
#define DAY 86400
#define DAYS 31
#define TEAMS 12
#define USERS 60
#define PROJECTS 3 /* of each team */
#define POOLS 2
#define SEGMENT_BYTES (64u << 20) /* as slurmgovd's */
#define COMMIT_RECORDS 1000
#define SUSTAINED_SECONDS 5.0

static char directory[4096];
static struct gov_journal *journal;
static struct gov_keeper *keeper;
static gov_time_t now;
static uint64_t records, syncs;

/* Counted, for it stands before libc's own. */
int fdatasync(int fd)
{
	__atomic_add_fetch(&syncs, 1, __ATOMIC_RELAXED);
	return (int) syscall(SYS_fdatasync, fd);
}

/* ---- the policy ---- */

static void make_pools(struct gov_policy *policy)
{
	static const char *const names[POOLS] = { "h100", "a10" };
	static const char *const tres[] = { "gres/gpu", "cpu", "mem" };

	for (size_t i = 0; i < 3; i++)
		gov_policy_add_tres(policy, tres[i]);
	for (size_t p = 0; p < POOLS; p++) {
		uint32_t pool = gov_policy_add_pool(policy, names[p]);

		for (uint32_t i = 0; i < 3; i++)
			gov_policy_pool_add_tres(policy, pool, i);
		policy->pool[pool].price[0] = 2.5;
	}
	gov_policy_make_cells(policy);
}

static struct gov_policy *make_policy(void)
{
	struct gov_policy *policy = gov_policy_create();
	struct gov_error error;
	uint32_t unit[3];
	char name[32];

	make_pools(policy);
	gov_policy_add_class(policy, "training");
	gov_policy_add_class(policy, "debug");
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "department%d", i);
		unit[i] = gov_policy_add_unit(policy, name, false, GOV_NONE);
	}
	for (uint32_t i = 0; i < TEAMS; i++) {
		uint32_t team;

		snprintf(name, sizeof(name), "team%" PRIu32, i);
		team = gov_policy_add_unit(policy, name, true, unit[i % 3]);
		/* GPUs of both pools. */
		for (uint32_t c = 0; c < 6; c += 3)
			policy->unit[team].quota[c] = (struct gov_quota){
				.set = true,
				.nominal = 40,
				.borrow_limit = GOV_UNLIMITED,
				.lend_limit = GOV_UNLIMITED,
			};
		for (int p = 0; p < PROJECTS; p++) {
			snprintf(name, sizeof(name), "project%d", p);
			gov_policy_add_project(policy, name, team);
		}
	}
	if (gov_policy_finish(policy, &error))
		bench_fail("policy", &error);
	return policy;
}

/* Teams stand behind the three departments. */
static void fill_start(struct gov_fact *fact, uint64_t job)
{
	uint32_t team = bench_random(TEAMS), gpus = 1u << bench_random(4);
	uint32_t first = 3 * bench_random(POOLS);

	*fact = (struct gov_fact){
		.kind = GOV_FACT_START,
		.job = job,
		.team = 3 + team,
		.project = team * PROJECTS + bench_random(PROJECTS),
		.class = bench_random(2),
		.user = 10000 + team * USERS / TEAMS +
			bench_random(USERS / TEAMS),
		.use = { 3,
			 { { first, gpus },
			   { first + 1, gpus * 12 },
			   { first + 2, gpus * 122880 } } },
	};
}

/* ---- sustained ---- */

static void tell_run(struct gov_ledger *ledger, uint64_t job)
{
	struct gov_ledger_state state;
	struct gov_fact fact;

	do
		gov_ledger_state(ledger, &state);
	while (state.waiting > 60000 && !usleep(100));
	fill_start(&fact, job);
	fact.now = fact.submitted = fact.started = gov_now_read().wall;
	gov_ledger_tell(ledger, &fact);
	/* A hundred run at a time. */
	if (job <= 100)
		return;
	fact = (struct gov_fact){ .kind = GOV_FACT_END,
				  .now = fact.now,
				  .job = job - 100,
				  .ended = fact.now,
				  .asker_team = GOV_NONE,
				  .how = "completed" };
	gov_ledger_tell(ledger, &fact);
}

static void run_sustained(void)
{
	struct gov_fact policy = { .kind = GOV_FACT_POLICY };
	struct gov_ledger_state state;
	struct gov_ledger *ledger;
	double begin = bench_seconds(), took;
	uint64_t job = 0;

	gov_log_set_levels("error");
	ledger = gov_ledger_start(directory, "bench", NULL);
	if (!ledger)
		bench_fail("no thread", NULL);
	policy.now = gov_now_read().wall;
	policy.policy = make_policy();
	gov_ledger_tell(ledger, &policy);
	syncs = 0;
	while (bench_seconds() - begin < SUSTAINED_SECONDS)
		tell_run(ledger, ++job);
	do
		gov_ledger_state(ledger, &state);
	while (state.waiting && !usleep(1000));
	took = bench_seconds() - begin;
	gov_ledger_state(ledger, &state);
	printf("sustained        %10.0f records/s durable, %" PRIu64
	       " records by %" PRIu64 " syncs in %.1f s, %" PRIu64 " lost\n",
	       (double) state.durable / took, state.durable, syncs, took,
	       state.lost);
	if (state.alarm[0])
		printf("ALARM: %s\n", state.alarm);
	gov_ledger_stop(ledger);
}

/* ---- a month ---- */

/* Runs under way, the next to end first. */
struct end {
	gov_time_t at;
	uint64_t job;
};

static struct end *heap;
static size_t heap_count;

static void swap(size_t a, size_t b)
{
	struct end kept = heap[a];

	heap[a] = heap[b];
	heap[b] = kept;
}

static void push(gov_time_t at, uint64_t job)
{
	size_t i = heap_count++;

	heap[i] = (struct end){ at, job };
	for (; i && heap[i].at < heap[(i - 1) / 2].at; i = (i - 1) / 2)
		swap(i, (i - 1) / 2);
}

static struct end pop(void)
{
	struct end first = heap[0];
	size_t i = 0, child;

	heap[0] = heap[--heap_count];
	while ((child = 2 * i + 1) < heap_count) {
		if (child + 1 < heap_count &&
		    heap[child + 1].at < heap[child].at)
			child++;
		if (heap[i].at <= heap[child].at)
			break;
		swap(i, child);
		i = child;
	}
	return first;
}

static int emit(void *arg, struct gov_record *record)
{
	records++;
	return gov_journal_append(journal, record, now * 1000000);
}

static int carry(void *arg, struct gov_journal *opened)
{
	journal = opened;
	return gov_keeper_carry(keeper);
}

static void commit(void)
{
	struct gov_error error;

	if (gov_journal_commit(journal, &error) ||
	    gov_journal_turn(journal, now * 1000000, &error))
		bench_fail("commit", &error);
}

static void tell(struct gov_fact *fact)
{
	static uint64_t durable;
	struct gov_error error;

	fact->now = now;
	gov_journal_begin(journal, now * 1000000);
	if (gov_keeper_take(keeper, fact, &error))
		bench_fail("keeper", &error);
	if (records - durable >= COMMIT_RECORDS) {
		commit();
		durable = records;
	}
}

static void end_until(gov_time_t until)
{
	while (heap_count && heap[0].at <= until) {
		struct end end = pop();
		bool evicted = bench_random(100) == 0;
		struct gov_fact fact = {
			.kind = GOV_FACT_END,
			.job = end.job,
			.ended = end.at,
			.asker = evicted ? 1 : 0,
			.asker_team = evicted ? 3 + bench_random(TEAMS) :
						GOV_NONE,
			.how = evicted ? "reclaimed" : "completed",
		};

		now = end.at;
		tell(&fact);
	}
}

static void begin_job(uint64_t job)
{
	struct gov_fact fact;

	fill_start(&fact, job);
	fact.submitted = now - bench_random(3600);
	fact.started = now;
	tell(&(struct gov_fact){
		.kind = GOV_FACT_ADMIT, .job = job, .team = fact.team });
	tell(&fact);
	push(now + 60 + bench_random(600), job);
}

static void write_month(uint64_t jobs)
{
	const struct gov_journal_setup setup = { .directory = directory,
						 .cluster = "bench",
						 .host = "bench",
						 .segment_bytes = SEGMENT_BYTES,
						 .carry = carry };
	struct gov_fact policy = { .kind = GOV_FACT_POLICY };
	struct gov_journal_found found;
	double begin = bench_seconds();
	struct gov_error error;

	now = BEGIN;
	keeper = gov_keeper_create(emit, NULL);
	journal = gov_journal_open(&setup, NULL, &found, &error);
	heap = calloc(jobs + 1, sizeof(*heap));
	if (!keeper || !journal || !heap)
		bench_fail("open", &error);
	policy.policy = make_policy();
	tell(&policy);
	for (uint64_t job = 1; job <= jobs; job++) {
		gov_time_t at = BEGIN + (gov_time_t) ((double) job * DAYS *
						      DAY / (double) jobs);

		end_until(at);
		now = at;
		begin_job(job);
	}
	end_until(INT64_MAX);
	commit();
	gov_journal_close(journal);
	gov_keeper_destroy(keeper);
	free(heap);
	printf("month            %10" PRIu64 " jobs, %" PRIu64
	       " records, written in %.1f s by one thread\n",
	       jobs, records, bench_seconds() - begin);
}

/* ---- reading ---- */

static uint64_t bytes_on_disk(void)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	uint64_t sum = 0;
	struct stat status;

	while (dir && (entry = readdir(dir)))
		if (strstr(entry->d_name, ".log") &&
		    !fstatat(dirfd(dir), entry->d_name, &status, 0))
			sum += (uint64_t) status.st_size;
	if (dir)
		closedir(dir);
	return sum;
}

static int visit(void *arg, const struct gov_record *record,
		 const struct gov_chain *before, struct gov_error *error)
{
	return arg ? gov_account_apply(arg, record, error) : 0;
}

static void replay(const char *what, bool trust, bool balance, uint64_t jobs)
{
	struct gov_account account = { 0 };
	struct gov_walk walk = { .directory = directory,
				 .trust = trust,
				 .visit = visit,
				 .arg = balance ? &account : NULL };
	double begin = bench_seconds(), took;
	struct gov_error error;

	if (gov_walk(&walk, &error))
		bench_fail(what, &error);
	took = bench_seconds() - begin;
	gov_account_free(&account);
	printf("%-16s %10.0f records/s, %.2f s, %.0f MB/s of text\n", what,
	       (double) walk.records / took, took,
	       (double) walk.all_bytes / took / 1e6);
	if (!trust)
		printf("size             %10.0f bytes a job, %.0f on disk, in "
		       "%" PRIu64 " files\n",
		       (double) walk.all_bytes / (double) jobs,
		       (double) bytes_on_disk() / (double) jobs, walk.segments);
}

static void report(const char *what, unsigned by, gov_time_t step,
		   bool no_index)
{
	gov_time_t bound[DAYS + 1];
	struct gov_report_query query = { .by = by,
					  .bound = bound,
					  .user = -1 };
	struct gov_report_source source = { .directory = directory,
					    .now = BEGIN + DAYS * DAY,
					    .no_index = no_index };
	double begin = bench_seconds();
	struct gov_error error;
	struct gov_report *made;
	size_t rows;

	for (gov_time_t at = BEGIN; at < BEGIN + DAYS * DAY; at += step)
		bound[query.periods++] = at;
	bound[query.periods] = BEGIN + DAYS * DAY;
	made = gov_report_create(&query);
	if (!made || gov_report_read(made, &source, &error))
		bench_fail(what, &error);
	gov_report_rows(made, &rows);
	printf("report           %10.3f s, %s%s: %zu rows, %" PRIu64
	       " records read\n",
	       bench_seconds() - begin, what,
	       no_index || source.indexed ? "" : " (there is no index)", rows,
	       source.records);
	gov_report_destroy(made);
}

static void read_month(uint64_t jobs)
{
	const unsigned users = GOV_BY_TEAM | GOV_BY_PROJECT | GOV_BY_USER;
	const gov_time_t all = DAYS * DAY;

	replay("verify", false, true, jobs);
	replay("chain alone", false, false, jobs);
	replay("replay, no hash", true, true, jobs);
	replay("read, no hash", true, false, jobs);
	report("by team, all records", GOV_BY_TEAM, all, true);
	report("by team, index is made", GOV_BY_TEAM, all, false);
	report("by team, index", GOV_BY_TEAM, all, false);
	report("by team and day, index", GOV_BY_TEAM, DAY, false);
	report("by unit and pool, index", GOV_BY_UNIT | GOV_BY_POOL, all,
	       false);
	report("by user, index is made", users, all, false);
	report("by project and user, index", users, all, false);
	report("by project, user and day, index", users, DAY, false);
}

int main(int argc, char **argv)
{
	const char *where = "/var/tmp";
	uint64_t jobs = 1000000;
	char base[2048], command[4200];

	for (int i = 1; i < argc; i++)
		if (strncmp(argv[i], "--jobs=", 7) == 0)
			jobs = strtoull(argv[i] + 7, NULL, 10);
		else if (strncmp(argv[i], "--directory=", 12) == 0)
			where = argv[i] + 12;
		else
			bench_fail("usage: ledger [--jobs=N] [--directory=DIR]",
				   NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(base, sizeof(base), "%.2000s/bench-ledger.XXXXXX", where);
	if (!jobs || !mkdtemp(base))
		bench_fail(where, NULL);
	snprintf(directory, sizeof(directory), "%s", base);
	run_sustained();
	snprintf(directory, sizeof(directory), "%s/month", base);
	write_month(jobs);
	read_month(jobs);
	snprintf(command, sizeof(command), "rm -r '%s'", base);
	return system(command) ? 1 : 0;
}
