/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A history: a policy as plain numbers, and the events that follow.  It is
 * made from a seed, written to a case file, read from one, and cut down by
 * the shrinker.  Nothing here knows the engine.
 */
#ifndef PROPERTY_HISTORY_H
#define PROPERTY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define UNITS 96
#define POOLS 3
#define TRES 4
#define CELLS (POOLS * TRES)
#define CLASSES 5
#define PROJECTS 8
#define ITEMS 4 /* cells of a request */

#define UNLIMITED UINT64_MAX /* as GOV_UNLIMITED */
#define NONE (-1)

struct spec_quota {
	bool set;
	uint64_t nominal, borrow, lend;
};

struct spec_unit {
	int present; /* else gone from the policy */
	int team;
	int parent;		  /* index, or NONE */
	int weight, weight_scale; /* weight / weight_scale */
	int strategy;		  /* enum gov_strategy, and so on */
	int queueing;
	int within, reclaim, borrowing; /* enum gov_preempt */
	int borrowing_max;		/* class weight, or NONE */
	int prefer_own;
	int min_runtime, min_loan; /* seconds, or NONE: unset */
	int max_evictions;	   /* or NONE */
	struct spec_quota quota[CELLS];
	uint64_t user_max[CELLS]; /* UNLIMITED: no cap */
};

struct spec_class {
	int weight;
	int may_borrow;
	int within; /* enum gov_preempt, or NONE: the team's */
};

struct spec_project {
	int team;
	uint64_t max[CELLS]; /* UNLIMITED: no cap */
};

struct spec {
	int fair, rank, share_unallocated, clamp;
	int ratio_permille, ratio_all;
	int min_runtime, grace;
	int half_life; /* of usage; 0: no history */
	int pools, tres;
	int has_cell[CELLS]; /* cell = pool * TRES + tres */
	int units, classes, projects;
	struct spec_unit unit[UNITS];
	struct spec_class class[CLASSES];
	struct spec_project project[PROJECTS];
	uint64_t capacity[CELLS];
};

enum event_kind {
	EVENT_SUBMIT,	  /* id team class user project flags : request */
	EVENT_PUT,	  /* the same, as a waiting job found later */
	EVENT_START,	  /* id : request (empty: what was asked) */
	EVENT_END,	  /* id */
	EVENT_REQUEUE,	  /* id */
	EVENT_HOLD,	  /* id on: user's hold, or its release */
	EVENT_CHECKPOINT, /* id */
	EVENT_SEEN,	  /* id: a provisional job got its Slurm id */
	EVENT_CAPACITY,	  /* cell amount */
	EVENT_TIME,	  /* seconds */
	EVENT_RESTART,
	EVENT_QUOTA,   /* unit cell nominal borrow lend */
	EVENT_UNIT,    /* unit field value (enum unit_field) */
	EVENT_GLOBAL,  /* field value (enum global_field) */
	EVENT_BAD_PUT, /* how: a record that must be refused */
	EVENT_KINDS
};

enum unit_field {
	FIELD_PRESENT,
	FIELD_WEIGHT,
	FIELD_STRATEGY,
	FIELD_QUEUEING,
	FIELD_WITHIN,
	FIELD_RECLAIM,
	FIELD_BORROWING,
	FIELD_PREFER_OWN,
	FIELD_MIN_RUNTIME,
	FIELD_MIN_LOAN,
	FIELD_MAX_EVICTIONS,
	UNIT_FIELDS
};

enum global_field { GLOBAL_FAIR, GLOBAL_RANK, GLOBAL_SHARE, GLOBAL_FIELDS };

/* Flags of a submission. */
#define JOB_NO_BORROW 1
#define JOB_PROVISIONAL 2
#define JOB_NO_REQUEUE 4

struct item {
	int cell;
	uint64_t amount;
};

struct event {
	enum event_kind kind;
	int64_t v[6];
	int items;
	struct item item[ITEMS];
};

struct history {
	uint64_t seed;
	struct spec spec;
	struct event *event;
	size_t count;
};

/* A history of `events` events; the same for the same seed.  Exits if out of
 * memory. */
void history_make(struct history *history, uint64_t seed, size_t events);
void history_free(struct history *history);

/* Carry out a QUOTA, UNIT or GLOBAL event on a spec. */
void spec_change(struct spec *spec, const struct event *event);

/* Case files.  history_read() exits with a message if the file is no such. */
void history_write(const struct history *history, FILE *file);
void history_read(struct history *history, const char *path);
/* One event as in a case file, without the end of line. */
void event_print(const struct event *event, FILE *file);

#endif
