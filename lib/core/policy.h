/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The policy: everything an administrator decided, as flat data.
 *
 * Built by lib/conf from governance.conf (or by a test, the simulator, the
 * conformance runner), completed and checked by gov_policy_finish(), then
 * never changed.  Indices are array positions; GOV_NONE means "none".  All
 * strings and arrays belong to the policy.  Sharing between threads is by
 * reference count; a finished policy may be read from any thread.
 */
#ifndef GOVERNANCE_CORE_POLICY_H
#define GOVERNANCE_CORE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/amount.h"
#include "core/error.h"

#define GOV_NONE UINT32_MAX
#define GOV_SECONDS_UNSET INT64_MIN
#define GOV_DEPTH_MAX 32 /* levels of units, teams included */

enum gov_enforcement { GOV_ENFORCE, GOV_OBSERVE };
enum gov_idle_sharing { GOV_FAIR_SHARE, GOV_FIRST_COME };
/* With a usage history: after the class, after nothing, before the class. */
enum gov_task_order { GOV_TASK_RANK, GOV_TASK_FIRST_COME, GOV_TASK_USAGE };
enum gov_queueing { GOV_BEST_EFFORT, GOV_STRICT };
enum gov_strategy {
	GOV_LEND_AND_BORROW, /* default */
	GOV_LEND,	     /* lends, never borrows */
	GOV_BORROW,	     /* borrows, never lends */
	GOV_DONT_LEND,	     /* neither */
};
/* Whom a waiting job may displace, compared with the victim's class weight. */
enum gov_preempt {
	GOV_PREEMPT_NEVER,
	GOV_PREEMPT_LOWER,	    /* strictly lower weight */
	GOV_PREEMPT_LOWER_OR_NEWER, /* lower, or equal and younger */
	GOV_PREEMPT_ANY,
};
enum gov_on_reclaim { GOV_RECLAIM_REQUEUE, GOV_RECLAIM_CANCEL };
enum gov_on_down { GOV_DOWN_WAIT, GOV_DOWN_PASS, GOV_DOWN_REJECT };
enum gov_untyped { GOV_UNTYPED_ANY, GOV_UNTYPED_REFUSE };

/*
 * How a running job is taken back.  Set cluster-wide, per class and per team;
 * gov_policy_terms() merges them.  Unset: signal 0, on_reclaim -1,
 * seconds GOV_SECONDS_UNSET.
 */
struct gov_terms {
	int signal;	     /* sent first; default SIGTERM */
	int64_t grace;	     /* seconds from signal to requeue; default 120 */
	int on_reclaim;	     /* enum gov_on_reclaim; default requeue */
	int on_checkpoint;   /* 1: a checkpoint ends the grace; default 0 */
	int64_t min_runtime; /* seconds; default 900 (semantics, inv. 8) */
	int64_t min_loan;    /* seconds a lender grants; default 0 */
};

/* A weight as an exact fraction; default 1/1. 0 means served last. */
struct gov_weight {
	uint32_t numerator;
	uint32_t denominator;
};

struct gov_tres {
	char *name; /* canonical: "gres/gpu:h100", "cpu", "mem" */
};

struct gov_pool {
	char *name;
	char **nodes; /* expanded names; sorted by finish */
	uint32_t node_count;
	char *partition;	    /* pin by partition, or NULL */
	char *constraint;	    /* pin by feature, or NULL */
	uint64_t oversell_permille; /* quotas / capacity allowed; 1000 = 1.0 */
	uint32_t *tres;		    /* indices into policy->tres */
	uint32_t tres_count;
	double *price; /* per tres, money per unit-hour; 0 = none */
	/* Times the price: for what is borrowed, and to who lends it. */
	uint64_t borrowed_permille; /* default 1000 */
	uint64_t lent_permille;	    /* default 1000 */
};

/* A cell: every quota number belongs to one (pool, TRES) pair. */
struct gov_cell {
	uint32_t pool;
	uint32_t tres;
};

/*
 * What one unit has in one cell.  Limits are amounts: percentages were turned
 * into amounts by lib/conf (floor of the unit's own nominal); where both a
 * percentage and an amount were given the lower one is here.
 */
struct gov_quota {
	bool set;		   /* a Quota record names this cell */
	gov_amount_t nominal;	   /* 0 unless set */
	gov_amount_t borrow_limit; /* as said; GOV_UNLIMITED: no limit */
	gov_amount_t lend_limit;   /* as said; GOV_UNLIMITED: no limit */
	/*
	 * Filled by gov_policy_finish(): the limits that apply once the unit's
	 * strategy and what is unset are taken into account.
	 */
	gov_amount_t borrow;
	gov_amount_t lend;
	/*
	 * Filled by gov_policy_finish(): does the unit count in this cell?
	 * Unset is not zero.  An inner unit that names no quota has none and
	 * limits nothing.  A team that names no TRES of a pool has no part in
	 * the pool (zero, and may not borrow).  A team that has a quota in the
	 * pool but does not name cpu, mem or node, which come with every job,
	 * is not limited in them: counted is false, its jobs' amounts are
	 * bounded by healthy capacity alone and are neither borrowed nor lent.
	 * Any other TRES that it does not name is zero and not borrowed.
	 */
	bool counted;
};

enum gov_member_kind { GOV_MEMBER_USER, GOV_MEMBER_GROUP };

struct gov_member {
	enum gov_member_kind kind;
	char *name; /* without the '@' of a group */
};

struct gov_member_list {
	struct gov_member *item;
	uint32_t count;
};

/* A node of the organization tree: an inner unit, or a team (a leaf). */
struct gov_unit {
	char *name;
	uint32_t parent; /* index, or GOV_NONE for a child of the root */
	bool is_team;
	char *account; /* team: Slurm account, default its name */
	struct gov_weight weight;
	enum gov_strategy strategy;
	enum gov_queueing queueing;
	enum gov_preempt preempt_within_team; /* default LOWER */
	/*
	 * Whom to take from in other teams at all (rules 2, 3 and while
	 * borrowing); default ANY.  NEVER: nobody outside the own team is
	 * ever displaced for this team.
	 */
	enum gov_preempt reclaim;
	/*
	 * May take borrowed capacity of others though itself borrowing;
	 * victims' weight at most max_weight (GOV_NONE: no such ceiling).
	 */
	enum gov_preempt preempt_while_borrowing; /* default NEVER */
	uint32_t preempt_while_borrowing_max;
	bool prefer_own; /* evict own lower class before borrowing */
	struct gov_terms terms;
	struct gov_member_list members;
	struct gov_member_list owners;
	bool *classes;	 /* per class: allowed; NULL = all */
	uint32_t *pools; /* pools in order of preference; NULL = all */
	uint32_t pool_count;
	gov_amount_t *user_max;	 /* per cell, per user; NULL = no limit */
	uint32_t max_evictions;	 /* per job; GOV_NONE = no budget */
	char *isolation;	 /* issue of its own; carried into the grant */
	struct gov_quota *quota; /* per cell, cell_count entries */
	/* Filled by gov_policy_finish(): */
	uint32_t depth;	 /* 0 for a child of the root */
	uint32_t height; /* 0 for a leaf */
};

struct gov_class {
	char *name;
	uint32_t weight; /* 0..100, higher goes first */
	bool is_default;
	bool may_borrow;  /* Borrow=; default true */
	int64_t max_time; /* seconds, or GOV_SECONDS_UNSET */
	enum gov_preempt preempt_within_team;
	bool preempt_set; /* else the team's setting counts */
	struct gov_terms terms;
	gov_amount_t *max_per_job; /* per cell, or NULL */
};

struct gov_project {
	char *name;
	uint32_t team;
	struct gov_member_list members; /* empty: every member of the team */
	gov_amount_t *max;		/* per cell hard cap, or NULL */
	char *budget; /* "gres/gpu=2000h/month", checked; or NULL */
};

/* A node and the pool that has it. */
struct gov_node_name {
	const char *name; /* belongs to the pool */
	uint32_t pool;
};

struct gov_policy {
	/* Where it came from. */
	char *source;	 /* path of the file, or NULL */
	char digest[17]; /* hex digest of the text, "" if none */
	/* Cluster-wide settings. */
	char *cluster_name; /* NULL: any */
	enum gov_enforcement enforcement;
	enum gov_idle_sharing idle_sharing;
	enum gov_task_order task_order;
	int64_t usage_half_life; /* seconds; 0: no history is kept */
	bool share_unallocated;
	bool ungoverned_allowed;  /* Ungoverned=allow */
	bool reservations_exempt; /* Reservations=exempt */
	enum gov_untyped untyped_gpu;
	uint64_t max_evict_ratio_permille; /* rule 3; default 1500 */
	bool max_evict_ratio_all_rules;
	struct gov_terms terms;
	struct gov_member_list exempt;	  /* ExemptUsers: not governed */
	struct gov_member_list operators; /* may reload, see everything */
	struct gov_weight root_weight;
	/* Daemon and plugin. */
	enum gov_on_down on_governor_down;
	char *submit_socket;	     /* UNIX socket of the job_submit plugin */
	char *listen;		     /* "host:port" or "port" for sgov */
	uint32_t submit_deadline_ms; /* default 20 */
	uint32_t poll_interval_ms;   /* default 500 */
	uint32_t member_refresh;     /* seconds; default 60 */
	uint32_t max_updates_per_second; /* default 50 */
	char *log_file;			 /* NULL: stderr */
	char *log_level;		 /* "info" or "info,engine=debug,..." */
	/* Tables. */
	struct gov_tres *tres;
	uint32_t tres_count;
	struct gov_pool *pool;
	uint32_t pool_count;
	struct gov_cell *cell;
	uint32_t cell_count;
	struct gov_unit *unit;
	uint32_t unit_count;
	struct gov_class *class;
	uint32_t class_count;
	struct gov_project *project;
	uint32_t project_count;
	/*
	 * Quota owned by the root itself, per cell; cell_count entries or
	 * NULL.  governance.conf has no word for it: there, what the pool has
	 * beyond all quotas is "unallocated".
	 */
	gov_amount_t *root_quota;
	bool capacity_clamp; /* clamp by healthy capacity; default true */
	/* Filled by gov_policy_finish(): parents before children. */
	uint32_t *unit_order;
	/* Filled by gov_policy_finish(): indices sorted for the look-ups. */
	uint32_t *unit_by_name;
	uint32_t *team_by_account;
	uint32_t team_count;
	struct gov_node_name *node_by_name;
	size_t node_count;
	bool finished;
	uint32_t references;
};

/* A new, empty policy with every default set; NULL: out of memory. */
struct gov_policy *gov_policy_create(void);

/* Take / give back a reference (atomic).  unref(NULL) is allowed. */
struct gov_policy *gov_policy_ref(struct gov_policy *policy);
void gov_policy_unref(struct gov_policy *policy);

/*
 * Append one element and return its index; GOV_NONE if out of memory.  The
 * name is copied.  The element has every default set; every quota is unset,
 * zero, without limits.  Pools must be added with their TRES before
 * gov_policy_make_cells(), units after it.  Appending may move the table:
 * pointers into it do not survive.  After a change to a finished policy
 * gov_policy_finish() must be called again.
 */
uint32_t gov_policy_add_tres(struct gov_policy *policy, const char *name);
uint32_t gov_policy_add_pool(struct gov_policy *policy, const char *name);
uint32_t gov_policy_add_class(struct gov_policy *policy, const char *name);
uint32_t gov_policy_add_unit(struct gov_policy *policy, const char *name,
			     bool is_team, uint32_t parent);
uint32_t gov_policy_add_project(struct gov_policy *policy, const char *name,
				uint32_t team);

/* Append TRES `tres` to a pool.  0, or -1 out of memory. */
int gov_policy_pool_add_tres(struct gov_policy *policy, uint32_t pool,
			     uint32_t tres);
/* Append a node name (copied) to a pool.  0, or -1 out of memory. */
int gov_policy_pool_add_node(struct gov_policy *policy, uint32_t pool,
			     const char *node);
/* Append a member (copied).  0, or -1 out of memory. */
int gov_member_list_add(struct gov_member_list *list, enum gov_member_kind kind,
			const char *name);

/* Build the cell table from the pools.  0, or -1 out of memory. */
int gov_policy_make_cells(struct gov_policy *policy);

/*
 * Check what must hold (parents exist, no cycles, sums fit in 64 bits, teams
 * are leaves, names unique, a node in one pool, no weight over zero) and fill
 * the derived fields; Lend makes quota.borrow 0, Borrow quota.lend 0, DontLend
 * both.  A team without account gets its name as account.  May be called
 * again after changes, as long as the caller holds the only reference.  On
 * failure the policy is unfinished; it may be changed and finished again.
 * Does not look at capacity: gov_policy_oversold() does.
 */
int gov_policy_finish(struct gov_policy *policy, struct gov_error *error);

/*
 * Compare the sum of all nominal quotas of a cell with capacity times the
 * pool's Oversell ratio.  Returns 0 within capacity, 1 above capacity but
 * allowed, -1 above what Oversell allows; *sum is set in every case.
 */
int gov_policy_oversold(const struct gov_policy *policy, uint32_t cell,
			gov_amount_t capacity, gov_amount_t *sum);

/*
 * Look-ups by name (case-insensitive); GOV_NONE if there is none.  Units,
 * accounts and nodes are found by binary search once the policy is finished.
 */
uint32_t gov_policy_find_tres(const struct gov_policy *policy,
			      const char *name);
uint32_t gov_policy_find_pool(const struct gov_policy *policy,
			      const char *name);
uint32_t gov_policy_find_unit(const struct gov_policy *policy,
			      const char *name);
uint32_t gov_policy_find_class(const struct gov_policy *policy,
			       const char *name);
uint32_t gov_policy_find_project(const struct gov_policy *policy, uint32_t team,
				 const char *name);
/* Team by Slurm account name (case-insensitive); GOV_NONE if none. */
uint32_t gov_policy_find_account(const struct gov_policy *policy,
				 const char *account);
/* Pool that has a node of this name (exact); GOV_NONE if none. */
uint32_t gov_policy_find_node(const struct gov_policy *policy,
			      const char *node);
/* Cell of (pool, tres); GOV_NONE if the pool has no such TRES. */
uint32_t gov_policy_find_cell(const struct gov_policy *policy, uint32_t pool,
			      uint32_t tres);
/* What a cell of `from` is in another policy, by the names of its pool and its
 * TRES; GOV_NONE if there is none. */
uint32_t gov_policy_same_cell(const struct gov_policy *policy,
			      const struct gov_policy *from, uint32_t cell);

/*
 * The terms that apply to a job of `team` in `class`: the team's word first,
 * then the class's, then the cluster's, then the built-in default.
 */
void gov_policy_terms(const struct gov_policy *policy, uint32_t team,
		      uint32_t class, struct gov_terms *terms);

#endif
