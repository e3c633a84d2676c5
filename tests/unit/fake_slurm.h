/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Slurm in a few lines, for tests of the governor: it takes submissions
 * through the governor as the plugin does, carries the governor's actions
 * out, starts what is free and fits, and shows its jobs.  Time stands still
 * unless a test moves it.
 */
#ifndef GOVERNANCE_TESTS_FAKE_SLURM_H
#define GOVERNANCE_TESTS_FAKE_SLURM_H

#include <stdbool.h>
#include <stdint.h>

#include "slurmgovd/governor.h"
#include "slurmgovd/governor_events.h"

#define FAKE_JOBS 64
#define FAKE_SLURM_UID 64030

struct fake_job {
	uint32_t id;	 /* 0: free slot */
	uint32_t het_id; /* the leader's, 0: no het job */
	uint32_t het_offset;
	uint32_t uid;
	char account[64];
	uint32_t gpus;
	enum gov_slurm_state state;
	bool completing;
	bool held;
	enum gov_slurm_reason reason;
	char comment[1024];
	char dependency[64];
	int64_t submitted;
	int64_t begin;
	int64_t started;
	uint32_t restarts;
	bool failed; /* of an ended one */
	bool batch;
	bool requeue;
	bool cron;   /* of scrontab\'s: takes no update */
	int signals; /* how many it got */
	int last_signal;
	int64_t stopped_at; /* when it was requeued or cancelled, or 0 */
};

struct fake {
	struct gov_governor *governor;
	struct gov_policy *policy;
	struct fake_job job[FAKE_JOBS];
	uint32_t next_id;
	uint32_t gpus; /* in service */
	bool scrontab; /* is enabled; see fake_set_gpus() */
	int64_t wall;
	int64_t mono;
	uint64_t nonce;
	uint32_t het_offset; /* of the submission under way */
	bool down;	     /* slurmctld does not answer */
	bool deaf;	     /* updates succeed and have no effect */
	unsigned actions;    /* carried out */
	unsigned forbidden;  /* actions that must never happen */
	char message[2048];  /* of the last submission or change */
	enum gov_code code;
};

/* A governor under this policy text, with members by uid as in fake.c. */
void fake_start(struct fake *fake, const char *policy_text, uint32_t gpus);
void fake_stop(struct fake *fake);
/* kill -9 of the governor, and a new one that knows nothing. */
void fake_restart_governor(struct fake *fake);
/* Another policy, by reload. */
void fake_reload(struct fake *fake, const char *policy_text);
void fake_set_gpus(struct fake *fake, uint32_t gpus);

/*
 * Submit; returns the id, or 0 if it was refused.  `options` is a list of
 * words: "salloc" "norequeue" "hold" "immediate" "class=X" "project=X"
 * "borrow=no" "cron" "dep=X" "begin=SECONDS" "account=X" "signal=N", or NULL.
 */
uint32_t fake_submit(struct fake *fake, uint32_t uid, uint32_t gpus,
		     const char *options);
/* The same; a refusal ends the test. */
uint32_t fake_must_submit(struct fake *fake, uint32_t uid, uint32_t gpus,
			  const char *options);
/*
 * A het job of `count` components with so many GPUs each; ids gets theirs.
 * false: one was refused, and none was created.
 */
bool fake_submit_het(struct fake *fake, uint32_t uid, const uint32_t *gpus,
		     uint32_t count, const char *options, uint32_t *ids);
/* The same, but the job is never created (--test-only). */
bool fake_test_only(struct fake *fake, uint32_t uid, uint32_t gpus);

struct fake_job *fake_find(struct fake *fake, uint32_t id);
void fake_end(struct fake *fake, uint32_t id);
/* scontrol by uid: "release", "hold", "account=X". true: Slurm accepts it. */
bool fake_scontrol(struct fake *fake, uint32_t uid, uint32_t id,
		   const char *what);

/* One round: show the jobs, carry out what is ordered, schedule. */
void fake_round(struct fake *fake);
/* Rounds until nothing happens any more (fails the test after 100). */
void fake_settle(struct fake *fake);
/* Time passes, settling each second. */
void fake_pass(struct fake *fake, int seconds);

bool fake_runs(struct fake *fake, uint32_t id);
bool fake_waits(struct fake *fake, uint32_t id); /* JobHeldAdmin */
/* GPUs in use by running (and completing) jobs of an account. */
uint32_t fake_used(struct fake *fake, const char *account);
/* The engine's sums are what the job list says, or the test fails. */
void fake_check(struct fake *fake);

#endif
