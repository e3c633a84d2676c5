/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Slurm shows, as flat records without Slurm's types.
 *
 * Made by the adapter (lib/slurm/jobs.c, nodes.c) or by a test, never changed
 * afterwards.  Text is attacker-controlled as far as users can set it.  A
 * record owns all its strings: they live in one block behind it.
 */
#ifndef GOVERNANCE_SLURM_RECORD_H
#define GOVERNANCE_SLURM_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "request/submission.h"

enum gov_slurm_state {
	GOV_SLURM_PENDING,
	GOV_SLURM_RUNNING, /* also suspended, configuring, stopped */
	GOV_SLURM_ENDED,
};

/* Why a pending job does not run, as far as it matters here. */
enum gov_slurm_reason {
	GOV_REASON_OTHER,
	GOV_REASON_HELD_ADMIN,
	GOV_REASON_HELD_USER,
	GOV_REASON_DEPENDENCY,
	GOV_REASON_BEGIN_TIME,
	GOV_REASON_RESERVATION,
	GOV_REASON_PLACE, /* it waits for nodes, or behind one that does */
};

#define GOV_NO_TASK UINT32_MAX

struct gov_job_record {
	uint32_t id;
	uint32_t array_id;	 /* 0: no array */
	uint32_t array_task;	 /* of a task split off; GOV_NO_TASK: not one */
	const char *array_tasks; /* tasks still in this record: "0-3,7%2", or
				    NULL */
	uint32_t array_limit;	 /* the %N of an array, 0: none */
	uint32_t het_id;	 /* leader's id, 0: no het job */
	uint32_t het_offset;
	enum gov_slurm_state state;
	bool completing; /* resources not given back yet */
	bool suspended;
	bool held; /* priority is 0 */
	enum gov_slurm_reason reason;
	bool cron;	      /* true one of scrontab's: slurmctld refuses every
				 update of it, and takes the flag from others */
	bool dependency_open; /* some dependency is not yet fulfilled */
	uint32_t restarts;
	int64_t submitted;     /* seconds since the epoch; 0 unknown */
	int64_t begin;	       /* earliest start a pending job may have, or 0 */
	int64_t started;       /* of a job that runs or ran, or 0 */
	int64_t ended;	       /* of an ended job, or run, or 0 */
	bool success;	       /* of an ended job: completed with code 0 */
	const char *user_name; /* or NULL */
	const char *admin_comment; /* or NULL */
	const char *excluded; /* nodes it does not want (hostlist), or NULL */
	uint32_t switches;    /* leaf switches at most; 0: any */
	bool odd;	   /* wants of nodes what is said nowhere else here */
	const char *nodes; /* allocated nodes (hostlist), or NULL */
	const char *tres_alloc; /* "cpu=4,mem=8G,node=1,gres/gpu=2", or NULL */
	/*
	 * One text per allocated node, "gpu:h100:2(IDX:0-1)", in the order of
	 * the node list, or NULL entries.
	 */
	const char **gres_detail;
	uint32_t gres_detail_count;
	/* What is asked, in the words of a submission. */
	struct gov_submission submission;
};

/*
 * A copy of `source` that owns everything; NULL: out of memory.
 * Free with gov_job_record_free(), which accepts NULL.
 */
struct gov_job_record *gov_job_record_copy(const struct gov_job_record *source);
void gov_job_record_free(struct gov_job_record *record);

/*
 * The id by which Slurm's update calls address exactly this record and
 * nothing else: "12", "12_5", "12_[0-3,7]", "12+1".  -1: does not fit, or the
 * task list is not known in full.
 */
int gov_job_record_address(const struct gov_job_record *record, char *text,
			   size_t size);

/* The id as people write it: as above, without brackets' content cut. */
int gov_job_record_label(const struct gov_job_record *record, char *text,
			 size_t size);

struct gov_node_record {
	const char *name;
	bool healthy;	 /* Slurm could start a job there: up, not
				   drained, failing or in maintenance */
	bool reserved;	 /* only for jobs of a reservation, at the moment */
	bool installed;	 /* not only planned for the future */
	uint32_t leaf;	 /* number of its switch, or GOV_NONE: not known */
	uint64_t cpus;	 /* usable by jobs */
	uint64_t memory; /* MiB usable by jobs */
	uint64_t sockets;
	uint64_t threads;     /* per core */
	const char *gres;     /* "gpu:h100:8(S:0-1),shard:32", or NULL */
	const char *features; /* active features, or NULL */
	const char *reason;   /* why it is down or drained, or NULL */
	/* What jobs still hold there; of nodes that are not healthy only. */
	uint64_t used_cpus;
	uint64_t used_memory;  /* MiB */
	const char *used_gres; /* "gpu:h100:3(IDX:0-2)", or NULL */
};

struct gov_partition_record {
	const char *name;
	bool is_default;
	bool exclusive;		 /* whole nodes to one job */
	uint64_t default_memory; /* MiB per node, 0: all that a node has,
					   GOV_SUB_UNSET: memory is not counted
					   or given per CPU */
	uint64_t default_memory_per_cpu; /* MiB, or GOV_SUB_UNSET */
	uint64_t default_memory_per_gpu; /* MiB, 0: none */
	uint64_t default_cpus_per_gpu;	 /* 0: none */
	uint64_t default_time;		 /* minutes, or GOV_SUB_UNSET */
	uint64_t max_time; /* minutes, or GOV_SUB_UNSET: no limit */
	const char *nodes; /* hostlist, or NULL */
};

/* Nodes and partitions as they are now; replaced as a whole. */
struct gov_machine {
	struct gov_node_record *node;
	uint32_t node_count;
	struct gov_partition_record *partition;
	uint32_t partition_count;
	bool scrontab; /* ScronParameters=enable */
};

/* Copy that owns everything; NULL: out of memory. */
struct gov_machine *gov_machine_copy(const struct gov_machine *source);
void gov_machine_free(struct gov_machine *machine);

#endif
