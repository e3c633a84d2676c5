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
	uint32_t uid; /* owner of the job */
	uint32_t gid;
	uint32_t submit_uid; /* who sent the request (root for others) */
	const char *account;
	const char *qos;
	const char *partition; /* may be a comma list */
	const char *reservation;
	const char *features; /* --constraint */
	const char *nodelist; /* --nodelist */
	const char *dependency;
	const char *licenses;
	/* options of ours, from spank_job_env */
	const char *class_name;	  /* --gov-class */
	const char *project_name; /* --gov-project */
	const char *borrow;	  /* --gov-borrow: "yes" or "no" */
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
	bool tasks_guessed; /* nobody asked for num_tasks: Slurm's own guess,
				    which does not limit the nodes */
	uint64_t cpus_per_task;
	uint64_t ntasks_per_node;
	uint64_t ntasks_per_socket;
	uint64_t sockets_per_node;
	uint64_t min_cpus;
	uint64_t max_cpus;
	uint64_t pn_min_cpus;
	uint64_t memory; /* MiB, per node or per CPU */
	bool memory_per_cpu;
	bool exclusive;	     /* whole nodes */
	bool overcommit;     /* --overcommit: CPUs are per node, not per task */
	uint64_t time_limit; /* minutes */
	/* how */
	const char *array;    /* "0-99%5" text of --array */
	uint64_t het_offset;  /* component number, or unset */
	uint64_t begin_time;  /* epoch seconds, or unset/0 */
	bool batch;	      /* a script; else srun or salloc */
	bool hold;	      /* --hold */
	bool immediate;	      /* --immediate */
	bool cron;	      /* scrontab: can never be released if held */
	bool requeue;	      /* may be requeued */
	uint64_t warn_signal; /* --signal, or unset */
	bool warn_batch;      /* with B: the batch shell alone gets it; else the
				 steps alone */
	const char *name;
};

/* Set every member to "unset". */
void gov_submission_init(struct gov_submission *submission);

/*
 * The shape of one node, for requests that are per node or exclusive and for
 * defaults: what a node of the pool has.  All zero: unknown.
 */
struct gov_node_shape {
	gov_amount_t *tres; /* per policy TRES index; tres_count entries;
				   NULL: none known */
	/* What decides on how many nodes a job spreads; 0: what tres says. */
	uint64_t cpus;
	uint64_t memory; /* MiB */
	uint64_t gpus;
	uint64_t sockets; /* 0: not known */
	uint64_t threads; /* per core; CPUs are given out by cores;
				   0: as 1 */
	/* What Slurm gives who did not ask. */
	uint64_t default_memory;	 /* MiB per node, 0: whole node;
					   GOV_SUB_UNSET: not known */
	uint64_t default_memory_per_cpu; /* MiB, GOV_SUB_UNSET: none */
	uint64_t default_memory_per_gpu; /* MiB, 0: none */
	uint64_t default_cpus_per_gpu;	 /* 0: none */
};

/*
 * Amounts that the submission would hold in `pool` (per array task), as
 * slurmctld counts them when it allocates on idle nodes; see
 * tests/unit/data/gpu_requests.tsv for the spellings.
 *
 *  - An untyped GPU request is counted under the type of the pool (the first
 *    typed GPU of a pool that has several); typed and untyped are never added.
 *  - Of a range of nodes (-N1-4) Slurm gives as many as it can: the upper end
 *    is counted, no more than the pool has and the job can use.
 *  - Exclusive: every TRES of the shape, but memory as asked, because that is
 *    how Slurm accounts for it.
 *  - gres/shard and gres/mps in a pool that has GPUs and no TRES of that name
 *    count as one GPU a node: Slurm takes the shares of a job from one.
 *  - A GPU of a type, or a license, that the policy has in another pool only
 *    is GOV_R_NO_POOL; TRES that the policy does not know are not counted.
 *
 * shape may be NULL: then nodes have unknown size and exclusive requests count
 * what was asked.  Allocates nothing.
 * 0; -1 with GOV_R_REQUEST (text that cannot be understood, overflow) or
 * GOV_R_NO_POOL (the pool lacks a TRES that is asked; *request is then what
 * could be counted).
 */
int gov_request_estimate(const struct gov_submission *submission,
			 const struct gov_policy *policy, uint32_t pool,
			 const struct gov_node_shape *shape,
			 struct gov_request *request, struct gov_error *error);

/*
 * What the submission (one task of an array) needs of nodes to be placed:
 * equal parts, each on one node, at most per_node of them on one (0: any
 * number), on nodes_min nodes at least; and of each node that is used, whatever
 * the number of parts there, node_cpus and node_memory besides.  Parts are
 * nodes where their number is said, else GPUs or tasks; where the number of
 * nodes has a limit, GPUs come in no more pieces than that.  node: what a node
 * of the pool is, as for an estimate.
 * 0; -1: not plain enough to tell, `unknown` names why.
 */
struct gov_request_shape {
	uint64_t parts;
	uint64_t per_node;
	uint64_t nodes_min;
	bool whole;	 /* has its nodes for itself alone */
	uint64_t cpus;	 /* of one part, and so on */
	uint64_t memory; /* MiB */
	uint64_t gpus;
	uint64_t node_cpus;
	uint64_t node_memory; /* MiB */
	char gpu_type[64];    /* "": any */
	const char *unknown;
};
int gov_request_shape(const struct gov_submission *submission,
		      const struct gov_policy *policy, uint32_t pool,
		      const struct gov_node_shape *node,
		      struct gov_request_shape *shape);

/*
 * Number of different tasks of an --array text, 1 for NULL and ""; *limit (may
 * be NULL) is the %N of it, or 0.  -1: malformed, more than 4,194,304 tasks
 * (those named twice counted twice), or out of memory.
 */
int64_t gov_array_count(const char *array, uint32_t *limit);

/* Is the task in an --array text?  false for malformed text. */
bool gov_array_has(const char *array, uint32_t task);

/*
 * The first tasks of an --array text, at most `tasks` of them, as a list that
 * Slurm reads ("0-3,7"), without a %N.  Returns how many are in text, fewer
 * where size is too small; 0 for malformed text.
 */
uint32_t gov_array_first(const char *array, uint32_t tasks, char *text,
			 size_t size);

/*
 * Parse "16", "2T", "1.5k" (K M G T P, powers of 1024; memory without suffix
 * is MiB) for the TRES called name into its own unit; as gov_amount_parse(),
 * and with Slurm's longer suffixes: KiB is K, KB is 1000 (of memory 1024).
 * 0, or -1 on anything else, including negative numbers and overflow.
 */
int gov_tres_parse_amount(const char *name, const char *text,
			  gov_amount_t *amount);

/*
 * Walk a TRES list as Slurm or an administrator writes it:
 * "gres:gpu:h100:4", "gres/gpu=2", "cpu=8,mem=2T", "gpu:1", "license/x:2",
 * "gpu:h100:2(IDX:0-1)".  Calls visit with the canonical name ("gres/gpu",
 * "cpu") and type in lower case, and the amount, 1 where none is given; stops
 * when visit returns non-zero and returns that.  Empty entries and "none" are
 * skipped.  0 for NULL.  -1 with GOV_R_REQUEST on malformed text.
 * Names longer than 255 bytes and lists of more than 1,000 entries are
 * malformed.
 */
struct gov_tres_entry {
	char name[256]; /* "gres/gpu" or "cpu" ... */
	char type[256]; /* "h100", or "" */
	gov_amount_t amount;
	bool amount_given;
};
int gov_tres_walk(const char *text,
		  int (*visit)(const struct gov_tres_entry *entry, void *arg),
		  void *arg, struct gov_error *error);

/* The same for the text of --licenses: "matlab:2,idl@server"; the names that
 * visit sees begin with "license/". */
int gov_license_walk(const char *text,
		     int (*visit)(const struct gov_tres_entry *entry,
				  void *arg),
		     void *arg, struct gov_error *error);

#endif
