/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records: lines whose keys are known and whose values are of their type. */
#ifndef GOVERNANCE_CONF_RECORD_H
#define GOVERNANCE_CONF_RECORD_H

#include "conf/context.h"
#include "conf/keys.h"
#include "conf/names.h"

#pragma GCC visibility push(hidden)

#define CONF_NO_RECORD UINT32_MAX

struct conf_record {
	enum conf_kind kind;
	bool active;		/* counts for this cluster */
	bool is_default;	/* a DEFAULT record */
	struct conf_word *word; /* without those that could not be used */
	uint32_t count;
	const struct conf_word *name; /* sound, or NULL; settings: NULL */
	struct conf_place at;
	/* The DEFAULT record of its kind before it; and so on. */
	uint32_t defaults;
	uint32_t index; /* of what it became in the policy */
};

/* Names of what is defined: by this cluster's records, and by any. */
struct conf_names {
	struct conf_name_set active[CONF_KINDS]; /* → record */
	struct conf_name_set any[CONF_KINDS];
	/* The word that counts for each setting, or NULL. */
	const struct conf_word *setting[CONF_KEYS];
	bool setting_scoped[CONF_KEYS];
};

/* Lines → records, names, settings.  cluster: see gov_conf_load(). */
void conf_make_records(struct conf *conf, const char *cluster);

/* Say what refers to nothing. */
void conf_check_references(struct conf *conf);

/* The word of a key in the record itself, sound or not; or NULL. */
const struct conf_word *conf_own_word(const struct conf_record *record,
				      int key);

/*
 * Call visit for the words of a key that could count for a record, in order
 * of precedence, until it returns true:
 *
 *	the record; its profile, if it names one; the DEFAULT records before
 *	it, latest first; the profile that these name; the cluster's settings
 *
 * (settings only for keys of teams that may stand there, and for teams).
 * Unsound words are not visited.
 */
typedef bool conf_visit(const struct conf_word *word, void *arg);
bool conf_each_word(const struct conf *conf, const struct conf_record *record,
		    int key, conf_visit *visit, void *arg);

/* The first of them, or NULL. */
const struct conf_word *conf_find_word(const struct conf *conf,
				       const struct conf_record *record,
				       int key);

/* An active record by name, or NULL. */
struct conf_record *conf_find_record(const struct conf *conf,
				     enum conf_kind kind, const char *name);

/* Projects are named within their team: "team/project"; in the arena. */
char *conf_project_key(struct conf *conf, const char *team,
		       const char *project);

#pragma GCC visibility pop
#endif
