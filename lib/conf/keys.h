/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every key of governance.conf: where it may stand, what kind of value it
 * has, within which bounds.  Faults, governance.conf.5 (compared by a test)
 * and the checks all come from this one table.
 */
#ifndef GOVERNANCE_CONF_KEYS_H
#define GOVERNANCE_CONF_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum conf_kind {
	CONF_SETTING, /* a line that begins with none of these: */
	CONF_POOL,
	CONF_CLASS,
	CONF_PROFILE,
	CONF_UNIT,
	CONF_TEAM,
	CONF_QUOTA,
	CONF_PROJECT,
	CONF_KINDS
};

enum conf_type {
	CONF_T_NAME,	/* letters, digits, _ . - */
	CONF_T_NAMES,	/* a comma list of names */
	CONF_T_CLASSES, /* names, or +name and -name */
	CONF_T_TEXT,	/* anything */
	CONF_T_PATH,	/* an absolute path, min..max bytes */
	CONF_T_YES_NO,
	CONF_T_CHOICE,	     /* one of words */
	CONF_T_COUNT,	     /* whole number, min..max */
	CONF_T_DECIMAL,	     /* in thousandths, min..max */
	CONF_T_WEIGHT,	     /* 0..100 with decimals, an exact fraction */
	CONF_T_SECONDS,	     /* min..max */
	CONF_T_MILLISECONDS, /* min..max */
	CONF_T_SIGNAL,
	CONF_T_MEMBERS, /* users and @groups */
	CONF_T_HOSTS,
	CONF_T_TRES_NAMES,
	CONF_T_TRES_AMOUNTS,
	CONF_T_LIMIT, /* percent (up to max), amount, TRES list */
	CONF_T_PRICES,
	CONF_T_BUDGET,
	CONF_T_LISTEN,
	CONF_T_LOG_LEVEL,
};

enum conf_key_id {
	/* names of records */
	KEY_POOL_NAME,
	KEY_PRIORITY_CLASS,
	KEY_PROFILE_NAME,
	KEY_UNIT_NAME,
	KEY_TEAM_NAME,
	KEY_PROJECT_NAME,
	/* everywhere */
	KEY_CLUSTER,
	KEY_DESCRIPTION,
	/* the cluster */
	KEY_CLUSTER_NAME,
	KEY_ENFORCEMENT,
	KEY_IDLE_SHARING,
	KEY_TASK_ORDER,
	KEY_USAGE_HALF_LIFE,
	KEY_SHARE_UNALLOCATED,
	KEY_UNGOVERNED,
	KEY_RESERVATIONS,
	KEY_EXEMPT_USERS,
	KEY_OPERATORS,
	KEY_UNTYPED_GPU,
	KEY_MAX_EVICT_RATIO,
	KEY_MAX_EVICT_RATIO_RULES,
	/* the daemon and the plugin */
	KEY_ON_GOVERNOR_DOWN,
	KEY_GOVERNOR_SOCKET,
	KEY_LISTEN,
	KEY_SUBMIT_DEADLINE,
	KEY_POLL_INTERVAL,
	KEY_MEMBER_REFRESH,
	KEY_MAX_UPDATES,
	KEY_LOG_FILE,
	KEY_LOG_LEVEL,
	/* reclaim terms */
	KEY_RECLAIM_SIGNAL,
	KEY_RECLAIM_GRACE,
	KEY_ON_RECLAIM,
	KEY_ON_CHECKPOINT,
	KEY_MIN_RUNTIME,
	KEY_MIN_LOAN,
	/* pools */
	KEY_NODES,
	KEY_PARTITION,
	KEY_CONSTRAINT,
	KEY_POOL_TRES,
	KEY_NODE_TRES,
	KEY_PRICE,
	KEY_OVERSELL,
	KEY_BORROWED_FACTOR,
	KEY_LENT_CREDIT,
	/* classes */
	KEY_CLASS_WEIGHT,
	KEY_DEFAULT,
	KEY_BORROW,
	KEY_MAX_TIME,
	KEY_MAX_TRES,
	/* units and teams */
	KEY_PARENT,
	KEY_PROFILE,
	KEY_ACCOUNT,
	KEY_MEMBERS,
	KEY_OWNERS,
	KEY_WEIGHT,
	KEY_STRATEGY,
	KEY_BORROW_LIMIT,
	KEY_LEND_LIMIT,
	KEY_CLASSES,
	KEY_POOLS,
	KEY_QUEUEING,
	KEY_PREEMPT_WITHIN_TEAM,
	KEY_RECLAIM,
	KEY_PREEMPT_WHILE_BORROWING,
	KEY_PREEMPT_WHILE_BORROWING_MAX,
	KEY_PREFER_OWN,
	KEY_MAX_EVICTIONS,
	KEY_MAX_USER_TRES,
	KEY_ISOLATION,
	/* quotas and projects */
	KEY_TEAM,
	KEY_UNIT,
	KEY_POOL,
	KEY_QUOTA_TRES,
	KEY_ACTIVATION_STATE,
	KEY_FILL_RATIO,
	KEY_BUDGET,
	CONF_KEYS
};

struct conf_choice {
	const char *word; /* NULL ends the list */
	int value;
};

struct conf_key {
	const char *name;
	unsigned kinds; /* bit 1 << enum conf_kind */
	enum conf_type type;
	int64_t min, max;
	const struct conf_choice *words;
	const char *help; /* what it decides, with the default */
};

extern const struct conf_key conf_keys[CONF_KEYS];

/* enum conf_key_id, or -1.  Case does not matter. */
int conf_key_find(enum conf_kind kind, const char *name);

/* Is it a key of any kind of record? */
bool conf_key_is_known(const char *name, size_t length);

/* "PoolName" …; "Quota" for quotas; NULL for settings. */
const char *conf_kind_word(enum conf_kind kind);
/* "a pool", "the cluster's settings" … */
const char *conf_kind_title(enum conf_kind kind);
/* The key that holds the record's own name, or -1 (settings, quotas). */
int conf_kind_name_key(enum conf_kind kind);

/* "a time: seconds, M:SS, H:MM:SS or D-HH:MM:SS"; written into text. */
const char *conf_key_expected(const struct conf_key *key, char *text,
			      size_t size);

#pragma GCC visibility pop
#endif
