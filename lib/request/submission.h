/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a user asked Slurm for, as flat data without Slurm types.
 *
 * The job_submit plugin fills it from a job_desc_msg_t, lib/slurm from a
 * job_info_t of the job list, the simulator from a trace.  It travels to the
 * governor (lib/wire) and is turned into amounts of cells by
 * gov_request_estimate().  Strings are attacker-controlled text.
 *
 * Numbers that Slurm leaves unset are GOV_SUB_UNSET (whatever NO_VAL of
 * whatever width they had).  String members are borrowed, NULL when unset.
 */
#ifndef GOVERNANCE_REQUEST_SUBMISSION_H
#define GOVERNANCE_REQUEST_SUBMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine.h"
#include "core/error.h"
#include "core/policy.h"

#define GOV_SUB_UNSET UINT64_MAX

struct gov_submission {
	/* who */
	uint32_t uid;		/* owner of the job */
	uint32_t gid;
	uint32_t submit_uid;	/* who sent the request (root for others) */
	const char *account;
	const char *qos;
	const char *partition;	/* may be a comma list */
	const char *reservation;
	const char *features;	/* --constraint */
	const char *nodelist;	/* --nodelist */
	const char *dependency;
	const char *licenses;
	/* options of ours, from spank_job_env */
	const char *class_name;		/* --gov-class */
	const char *project_name;	/* --gov-project */
	const char *borrow;		/* --gov-borrow: "yes" or "no" */
	/* how much */
	const char *tres_per_job;
	const char *tres_per_node;
	const char *tres_per_socket;
	const char *tres_per_task;
	const char *cpus_per_tres;
	const char *mem_per_tres;
	uint64_t ntasks_per_tres;
	uint64_t min_nodes;
	uint64_t max_nodes;
	uint64_t num_tasks;
	uint64_t cpus_per_task;
	uint64_t ntasks_per_node;
	uint64_t ntasks_per_socket;
	uint64_t sockets_per_node;
	uint64_t min_cpus;
	uint64_t max_cpus;
	uint64_t pn_min_cpus;
	uint64_t memory;	/* MiB, per node or per CPU */
	bool memory_per_cpu;
	bool exclusive;		/* whole nodes */
	uint64_t time_limit;	/* minutes */
	/* how */
	const char *array;	/* "0-99%5" text of --array */
	uint64_t het_offset;	/* component number, or unset */
	uint64_t begin_time;	/* epoch seconds, or unset/0 */
	bool batch;		/* a script; else srun or salloc */
	bool hold;		/* --hold */
	bool immediate;		/* --immediate */
	bool cron;		/* scrontab: can never be released if held */
	bool requeue;		/* may be requeued */
	const char *name;
};

/* Set every member to "unset". */
void gov_submission_init(struct gov_submission *submission);

/*
 * The shape of one node, for requests that are per node or exclusive and for
 * defaults: what a node of the pool has of each TRES of the policy.
 */
struct gov_node_shape {
	gov_amount_t *tres;	/* per policy TRES index; tres_count entries */
	uint64_t sockets;
	uint64_t default_memory;	/* MiB per node, 0: whole node;
					   GOV_SUB_UNSET: not known */
	uint64_t default_memory_per_cpu; /* MiB, GOV_SUB_UNSET: none */
};

/*
 * Amounts that the submission would hold in `pool` (per array task), as
 * slurmctld 22.05 to 26.05 counts them at allocation; see
 * tests/unit/gpu_requests.tsv for the spellings.  An untyped GPU request is
 * counted under the type of the pool.  shape may be NULL: then nodes have
 * unknown size and exclusive requests count what was asked.
 * 0; -1 with GOV_R_REQUEST (text that cannot be understood, overflow) or
 * GOV_R_NO_POOL (the pool lacks a TRES that is asked; *request is then what
 * could be counted).
 */
int gov_request_estimate(const struct gov_submission *submission,
			 const struct gov_policy *policy, uint32_t pool,
			 const struct gov_node_shape *shape,
			 struct gov_request *request,
			 struct gov_error *error);

/*
 * Number of tasks of an --array text, 1 for NULL; *limit (may be NULL) is the
 * %N of it, or 0.  -1: malformed or more than 4,194,304 tasks.
 */
int64_t gov_array_count(const char *array, uint32_t *limit);

/*
 * Parse "16", "2T", "1.5k" (K M G T P, powers of 1024; memory without suffix
 * is MiB) for the TRES called name into its own unit.  0, or -1 on anything
 * else, including negative numbers and overflow.
 */
int gov_tres_parse_amount(const char *name, const char *text,
			  gov_amount_t *amount);

/*
 * Walk a TRES list as Slurm or an administrator writes it:
 * "gres:gpu:h100:4", "gres/gpu=2", "cpu=8,mem=2T", "gpu:1", "license/x:2".
 * Calls visit with the canonical name ("gres/gpu:h100", "cpu"), the type
 * split off where there is one, and the amount; stops when visit returns
 * non-zero and returns that.  -1 with error on malformed text.
 * Names longer than 255 bytes and lists of more than 1,000 entries are
 * malformed.
 */
struct gov_tres_entry {
	char name[256];		/* "gres/gpu" or "cpu" ... */
	char type[256];		/* "h100", or "" */
	gov_amount_t amount;
	bool amount_given;
};
int gov_tres_walk(const char *text,
		  int (*visit)(const struct gov_tres_entry *entry, void *arg),
		  void *arg, struct gov_error *error);

#endif
