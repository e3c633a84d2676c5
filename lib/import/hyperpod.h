/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was read of HyperPod's objects, before it is written as a policy. */
#ifndef GOVERNANCE_IMPORT_HYPERPOD_H
#define GOVERNANCE_IMPORT_HYPERPOD_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "import/import.h"

#pragma GCC visibility push(hidden)

#define HP_NAME 64	   /* bytes of a name, its NUL included */
#define HP_PROFILES 8	   /* kinds of MIG slices of an instance type */
#define HP_NODES_MAX 65536 /* of all pools together */
#define HP_TEAMS_MAX 10000
#define HP_TYPES_MAX 256
#define HP_NOTES_MAX 1000
/* Greater numbers are errors; sums of a million of them fit in 64 bits. */
#define HP_NUMBER_MAX 10000000.0

/* What an instance type has. */
struct hp_shape {
	uint64_t gpus; /* or Trainium devices */
	uint64_t cpus;
	uint64_t memory;   /* MiB */
	const char *model; /* "h100"; NULL: no GPU */
};

struct hp_slices {
	char profile[HP_NAME]; /* "3g.40gb" */
	uint64_t count;
};

/* Amounts of one instance type; said_*: stated, or follow from Count. */
struct hp_amounts {
	bool said_nodes, said_gpus, said_cpus, said_memory;
	uint64_t nodes; /* only of a type that is not known */
	uint64_t gpus;
	uint64_t cpus;
	uint64_t memory; /* MiB */
	struct hp_slices slices[HP_PROFILES];
	unsigned profiles;
	unsigned entries; /* how many were added up */
};

/* An instance type. */
struct hp_type {
	char name[HP_NAME];
	bool known;
	struct hp_shape shape;
	uint64_t nodes; /* that the cluster has; 0: not told */
	/* What the teams name of it; filled before it is written. */
	bool used, said_nodes, said_gpus, said_cpus, said_memory;
	struct hp_slices slices[HP_PROFILES];
	unsigned profiles;
	/* What the quotas are together. */
	uint64_t sevenths; /* of GPUs */
	uint64_t cpus, memory, node_sum;
	uint64_t oversell; /* permille that they need; 1000: they fit */
};

/* What a team has of a type. */
struct hp_share {
	size_t type;
	struct hp_amounts quota;
	struct hp_amounts limit; /* AbsoluteBorrowLimits */
};

enum hp_strategy { HP_LEND_AND_BORROW, HP_LEND, HP_DONT_LEND };

/* A ComputeQuota. */
struct hp_team {
	char name[HP_NAME];
	char *title; /* the object's Name */
	char *id;
	char *description;
	int64_t version;
	unsigned weight;
	unsigned borrow_limit; /* percent */
	enum hp_strategy strategy;
	bool keeps_own; /* PreemptTeamTasks=Never */
	bool disabled;
	struct hp_share *share;
	size_t shares;
};

struct hp_class {
	char name[HP_NAME];
	unsigned weight;
};

/* The ClusterSchedulerConfig. */
struct hp_scheduler {
	bool seen;
	bool whole; /* it had its SchedulerConfig */
	char *id;
	int64_t version;
	bool first_come;	/* FairShare=Disabled */
	bool share_unallocated; /* IdleResourceSharing=Enabled */
	struct hp_class *class;
	size_t classes;
};

struct gov_import {
	char *wanted;  /* cluster to take objects of, or NULL */
	char *cluster; /* of the first object */
	char *files;   /* their names, for a comment */
	struct hp_scheduler scheduler;
	struct hp_team *team;
	size_t teams;
	struct hp_type *type;
	size_t types;
	char **note;
	size_t notes;
	bool no_memory;
};

/* What is being read, for messages. */
struct hp_reader {
	struct gov_import *import;
	struct gov_error *error;
	const char *file;
	char object[160]; /* "ComputeQuota team-a" */
};

/*
 * Grow the array that *array points to by one element, zeroed, and return
 * that; NULL, noted: out of memory.
 */
void *hp_append(struct gov_import *import, void *array, size_t *count,
		size_t size);

/* A sentence for people; repeated ones count once. */
void hp_note(struct gov_import *import, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* An error of the object that is read.  Returns -1. */
int hp_fail(struct hp_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- values of JSON; where they are missing, *value stays ---- */

/* The member, NULL if missing or null. */
struct json_object *hp_member(const struct json_object *object,
			      const char *key);
/* 0, or -1 if there is one and it is no object (list, text). */
int hp_object(struct hp_reader *reader, const struct json_object *object,
	      const char *key, struct json_object **value);
int hp_list(struct hp_reader *reader, const struct json_object *object,
	    const char *key, struct json_object **value);
/* Of 1024 characters at most; borrowed from the object. */
int hp_text(struct hp_reader *reader, const struct json_object *object,
	    const char *key, const char **value);
/* Letters, digits and inner hyphens (and dots, with dots). */
int hp_name(struct hp_reader *reader, const struct json_object *object,
	    const char *key, bool dots, char *value);
/* A whole number from 0 to most. */
int hp_whole(struct hp_reader *reader, const struct json_object *object,
	     const char *key, double most, uint64_t *value);
/* value * scale, rounded down; *said is set if it is there. */
int hp_amount(struct hp_reader *reader, const struct json_object *object,
	      const char *key, double scale, bool *said, uint64_t *value);
/* One of the words, which end with NULL. */
int hp_word(struct hp_reader *reader, const struct json_object *object,
	    const char *key, const char *const *words, unsigned *value);

/* ---- instance types ---- */

/* Sevenths of a GPU of a profile such as "3g.40gb": 3; 0: it is none. */
unsigned hp_slices_of(const char *profile);

/* false: not known to this release. */
bool hp_find_shape(const char *type, struct hp_shape *shape);
/* Index of the type, entered if it is new; SIZE_MAX, reported: it cannot. */
size_t hp_find_type(struct hp_reader *reader, const char *name);

/* ---- sums ---- */

/* Does the quota say all that follows from it, because FillRatio cannot? */
bool hp_is_explicit(const struct hp_amounts *amounts);
/* The rule of ratios: fill in processors and memory that are not said. */
void hp_fill_ratio(const struct hp_type *type, struct hp_amounts *amounts);
/* What the quotas are together, and the nodes for that.  0, or -1. */
int hp_add_up(struct gov_import *import, struct gov_error *error);

#pragma GCC visibility pop
#endif
