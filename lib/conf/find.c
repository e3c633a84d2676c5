/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What counts for a record, and whether what it refers to exists. */
#include "conf/record.h"

#include <string.h>
#include <strings.h>

#include "conf/values.h"

struct conf_record *conf_find_record(const struct conf *conf,
				     enum conf_kind kind, const char *name)
{
	uint32_t i = conf_name_get(&conf->names->active[kind], name);

	return i == CONF_NO_NAME ? NULL : &conf->record[i];
}

/* ---- precedence ---- */

struct search {
	const struct conf *conf;
	int key;
	conf_visit *visit;
	void *arg;
};

static const struct conf_word *sound_word(const struct conf_record *record,
					  int key)
{
	const struct conf_word *word = conf_own_word(record, key);

	return word && !word->bad ? word : NULL;
}

static bool visit_own(const struct search *s, const struct conf_record *record)
{
	const struct conf_word *word = sound_word(record, s->key);

	return word && s->visit(word, s->arg);
}

/* The DEFAULT records before a record, latest first. */
static bool visit_defaults(const struct search *s,
			   const struct conf_record *record)
{
	uint32_t i = record->defaults;

	for (; i != CONF_NO_RECORD; i = s->conf->record[i].defaults)
		if (visit_own(s, &s->conf->record[i]))
			return true;
	return false;
}

/* A profile may be named by the record, or by a DEFAULT record. */
static bool visit_profile(const struct search *s, const struct conf_word *name)
{
	const struct conf_record *profile =
		name ? conf_find_record(s->conf, CONF_PROFILE, name->value) :
		       NULL;

	return profile && (visit_own(s, profile) || visit_defaults(s, profile));
}

static const struct conf_word *default_profile(const struct conf *conf,
					       const struct conf_record *record)
{
	const struct conf_word *word = NULL;
	uint32_t i = record->defaults;

	for (; i != CONF_NO_RECORD && !word; i = conf->record[i].defaults)
		word = sound_word(&conf->record[i], KEY_PROFILE);
	return word;
}

/*
 * May a setting of the cluster stand in for a key that a record lacks?  Not
 * for the terms of a reclaim: there a class comes between team and cluster,
 * and gov_policy_terms() merges them for each job.
 */
static const struct conf_word *setting_word(const struct conf *conf,
					    const struct conf_record *record,
					    int key)
{
	const struct conf_word *word = conf->names->setting[key];

	if (record->kind != CONF_TEAM && record->kind != CONF_POOL)
		return NULL;
	if (key >= KEY_RECLAIM_SIGNAL && key <= KEY_MIN_LOAN)
		return NULL;
	return word && !word->bad ? word : NULL;
}

bool conf_each_word(const struct conf *conf, const struct conf_record *record,
		    int key, conf_visit *visit, void *arg)
{
	struct search s = { conf, key, visit, arg };
	const struct conf_word *named = sound_word(record, KEY_PROFILE), *word;

	if (visit_own(&s, record) || visit_profile(&s, named) ||
	    visit_defaults(&s, record))
		return true;
	if (!named && visit_profile(&s, default_profile(conf, record)))
		return true;
	word = setting_word(conf, record, key);
	return word && visit(word, arg);
}

static bool keep_first(const struct conf_word *word, void *arg)
{
	*(const struct conf_word **) arg = word;
	return true;
}

const struct conf_word *conf_find_word(const struct conf *conf,
				       const struct conf_record *record,
				       int key)
{
	const struct conf_word *word = NULL;

	conf_each_word(conf, record, key, keep_first, &word);
	return word;
}

/* ---- references ---- */

/* Which kind the items of a key name; CONF_KINDS: none. */
static enum conf_kind referred_kind(int key)
{
	switch (key) {
	case KEY_PARENT:
	case KEY_TEAM:
	case KEY_UNIT: return CONF_UNIT;
	case KEY_PROFILE: return CONF_PROFILE;
	case KEY_CLASSES: return CONF_CLASS;
	case KEY_POOL:
	case KEY_POOLS: return CONF_POOL;
	default: return CONF_KINDS;
	}
}

/* May a reference by this key mean this record? */
static bool is_fitting(int key, const struct conf_record *target)
{
	if (key == KEY_TEAM)
		return target->kind == CONF_TEAM;
	if (key == KEY_UNIT || key == KEY_PARENT)
		return target->kind == CONF_UNIT;
	return true;
}

static void no_such_name(struct conf *conf, const struct conf_word *word,
			 size_t offset, const char *name)
{
	enum conf_kind kind = referred_kind(word->id);
	struct conf_nearest nearest;
	const char *what = word->id == KEY_TEAM ? "team" :
			   word->id == KEY_UNIT || word->id == KEY_PARENT ?
						  "unit" :
			   kind == CONF_PROFILE ? "profile" :
			   kind == CONF_CLASS	? "priority class" :
						  "pool";

	conf_nearest_begin(&nearest, conf, name);
	for (size_t i = 0; i < conf->records && !conf_nearest_tired(&nearest);
	     i++) {
		const struct conf_record *r = &conf->record[i];

		if (r->name && !r->is_default && r->active &&
		    is_fitting(word->id, r) &&
		    (r->kind == CONF_TEAM ? CONF_UNIT : r->kind) == kind)
			conf_nearest_try(&nearest, r->name->value);
	}
	conf_error(conf, conf_value_at(word, offset), GOV_E_REFERENCE,
		   "%s=%.80s: there is no such %s%s", conf_keys[word->id].name,
		   name, what, conf_nearest_hint(&nearest));
}

static void check_reference(struct conf *conf, const struct conf_record *record,
			    const struct conf_word *word, size_t offset,
			    const char *name)
{
	enum conf_kind kind = referred_kind(word->id);
	uint32_t any = conf_name_get(&conf->names->any[kind], name);
	const struct conf_record *target = record->active ?
						   conf_find_record(conf, kind,
								    name) :
					   any == CONF_NO_NAME ?
						   NULL :
						   &conf->record[any];
	const char *key = conf_keys[word->id].name;

	if (target && is_fitting(word->id, target))
		return;
	if (target && word->id == KEY_PARENT)
		conf_error(
			conf, conf_value_at(word, offset), GOV_E_REFERENCE,
			"Parent=%.80s: that is a team, and only a unit can have something below it",
			name);
	else if (target)
		conf_error(conf, conf_value_at(word, offset), GOV_E_REFERENCE,
			   "%s=%.80s: that is %s; write %s=%.80s", key, name,
			   conf_kind_title(target->kind),
			   word->id == KEY_TEAM ? "Unit" : "Team", name);
	else if (any != CONF_NO_NAME)
		conf_error(
			conf, conf_value_at(word, offset), GOV_E_REFERENCE,
			"%s=%.80s is defined for another cluster only, at line %u of %s",
			key, name, conf->record[any].at.line,
			conf->source[conf->record[any].at.source].path);
	else
		no_such_name(conf, word, offset, name);
}

static void check_word(struct conf *conf, const struct conf_record *record,
		       const struct conf_word *word)
{
	struct conf_item item;
	const char *name;

	if (referred_kind(word->id) == CONF_KINDS ||
	    (record->is_default && word->id == KEY_TEAM &&
	     record->kind == CONF_QUOTA))
		return;
	conf_item_begin(&item, word->value);
	while (conf_item_next(&item)) {
		name = item.text;
		if (word->id == KEY_CLASSES && (*name == '+' || *name == '-'))
			name++;
		/* What is no name was reported; the others may be wrong too. */
		if (conf_is_name(name))
			check_reference(conf, record, word, item.offset, name);
	}
}

void conf_check_references(struct conf *conf)
{
	for (size_t i = 0; i < conf->records && !conf->no_memory; i++)
		for (uint32_t w = 0; w < conf->record[i].count; w++)
			check_word(conf, &conf->record[i],
				   &conf->record[i].word[w]);
}
