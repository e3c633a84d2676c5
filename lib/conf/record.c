/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines to records: which kind, which keys, for which cluster. */
#include "conf/record.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "conf/values.h"

/* ---- kinds ---- */

/* The kind that a key begins; CONF_SETTING if it begins none. */
static enum conf_kind kind_of_key(const char *key)
{
	for (int kind = CONF_POOL; kind < CONF_KINDS; kind++)
		if (conf_kind_name_key(kind) >= 0 &&
		    !strcasecmp(conf_kind_word(kind), key))
			return kind;
	return CONF_SETTING;
}

/* "a pool, a quota": where a key that stands in the wrong place belongs. */
static void list_kinds(const char *key, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int kind = 0; kind < CONF_KINDS; kind++)
		if (conf_key_find(kind, key) >= 0 && used < size)
			used += (size_t) snprintf(text + used, size - used,
						  "%s%s", used ? ", " : "",
						  conf_kind_title(kind));
}

static const char *nearest_key(struct conf_nearest *nearest, struct conf *conf,
			       enum conf_kind kind, const char *key,
			       bool record_words)
{
	conf_nearest_begin(nearest, conf, key);
	for (int i = 0; i < CONF_KEYS; i++)
		if (conf_keys[i].kinds & (1u << kind))
			conf_nearest_try(nearest, conf_keys[i].name);
	for (int k = CONF_POOL; record_words && k < CONF_KINDS; k++)
		conf_nearest_try(nearest, conf_kind_word(k));
	return conf_nearest_hint(nearest);
}

static void unknown_key(struct conf *conf, enum conf_kind kind,
			struct conf_word *word)
{
	struct conf_nearest nearest;
	char elsewhere[256];

	word->bad = true;
	list_kinds(word->key, elsewhere, sizeof(elsewhere));
	if (elsewhere[0])
		conf_error(conf, conf_key_at(word), GOV_E_UNKNOWN_KEY,
			   "%.60s= is no key of %s; it belongs to %s",
			   word->key, conf_kind_title(kind), elsewhere);
	else
		conf_error(conf, conf_key_at(word), GOV_E_UNKNOWN_KEY,
			   "unknown key %.60s=%s", word->key,
			   nearest_key(&nearest, conf, kind, word->key,
				       kind == CONF_SETTING));
}

/* A bare word where Key=value belongs. */
static void bare_word(struct conf *conf, enum conf_kind kind,
		      struct conf_word *word)
{
	struct conf_nearest nearest;
	bool key = conf_key_is_known(word->value, strlen(word->value));

	word->bad = true;
	conf_error(conf, conf_value_at(word, 0), GOV_E_SYNTAX,
		   "%.60s: expected Key=value%s", word->value,
		   key ? "; = is missing" :
			 nearest_key(&nearest, conf, kind, word->value,
				     kind == CONF_SETTING));
}

/*
 * The kind that a misspelt first word was meant to begin, so that the rest of
 * the line is checked and its name is known; CONF_SETTING if none.
 */
static enum conf_kind guess_kind(struct conf *conf, const char *first)
{
	struct conf_nearest nearest;

	nearest_key(&nearest, conf, CONF_SETTING, first, true);
	if (!nearest.best)
		return CONF_SETTING;
	if (!strcmp(nearest.best, conf_kind_word(CONF_QUOTA)))
		return CONF_QUOTA;
	return kind_of_key(nearest.best);
}

/* A record word that does not stand first: its line is of that kind. */
static enum conf_kind kind_of_later_word(struct conf *conf,
					 const struct conf_line *line)
{
	for (uint32_t i = 1; i < line->count; i++) {
		const struct conf_word *word = &line->word[i];
		enum conf_kind kind = word->key ? kind_of_key(word->key) :
						  CONF_SETTING;

		if (kind == CONF_SETTING)
			continue;
		conf_error(conf, conf_key_at(word), GOV_E_SYNTAX,
			   "%s= must come first in its record",
			   conf_kind_word(kind));
		return kind;
	}
	return CONF_SETTING;
}

/* The kind of a line; reports and drops a first word that cannot be. */
static enum conf_kind find_kind(struct conf *conf, struct conf_line *line)
{
	struct conf_word *first = &line->word[0];
	enum conf_kind kind;
	bool quota = !strcasecmp(first->key ? first->key : first->value,
				 conf_kind_word(CONF_QUOTA));

	if (quota) {
		if (first->key)
			conf_error(
				conf, conf_key_at(first), GOV_E_SYNTAX,
				"Quota is written without =: Quota Team=... Pool=... TRES=...");
		first->bad = true;
		return CONF_QUOTA;
	}
	if (!first->key) {
		bare_word(conf, CONF_SETTING, first);
		return guess_kind(conf, first->value);
	}
	kind = kind_of_key(first->key);
	if (kind != CONF_SETTING)
		return kind;
	kind = kind_of_later_word(conf, line);
	if (kind != CONF_SETTING || conf_key_find(kind, first->key) >= 0)
		return kind;
	if (!first->bad)
		unknown_key(conf, CONF_SETTING, first);
	return conf_key_is_known(first->key, strlen(first->key)) ?
		       CONF_KINDS :
		       guess_kind(conf, first->key);
}

/* ---- words ---- */

/* Give a word its key.  false: it cannot be used. */
static bool identify(struct conf *conf, struct conf_record *record,
		     struct conf_word *word, bool first)
{
	int name_key = conf_kind_name_key(record->kind);

	if (!word->key) {
		if (!word->bad)
			bare_word(conf, record->kind, word);
		return false;
	}
	/* A misspelt first word still gives the record its name. */
	word->id = (int16_t) conf_key_find(record->kind, word->key);
	if (word->id < 0 && first && word->bad && name_key >= 0)
		word->id = (int16_t) name_key;
	else if (word->id < 0 && !word->bad)
		unknown_key(conf, record->kind, word);
	return word->id >= 0 && *word->value;
}

static bool is_repeated(struct conf *conf, const struct conf_record *record,
			const struct conf_word *word)
{
	const struct conf_word *before = conf_own_word(record, word->id);

	if (!before)
		return false;
	conf_error(conf, conf_key_at(word), GOV_E_DUPLICATE,
		   "%s= was given before in this record, at line %u column %u",
		   conf_keys[word->id].name, before->line, before->column);
	return true;
}

static void take_words(struct conf *conf, struct conf_record *record,
		       const struct conf_line *line)
{
	for (uint32_t i = 0; i < line->count; i++) {
		struct conf_word *word = &line->word[i];
		bool bad = word->bad;

		if (!identify(conf, record, word, i == 0) ||
		    is_repeated(conf, record, word))
			continue;
		word->bad = false;
		conf_check_value(conf, word);
		if (word->id == conf_kind_name_key(record->kind) && !word->bad)
			record->name = word;
		word->bad |= bad;
		record->word[record->count++] = *word;
		if (record->name == word)
			record->name = &record->word[record->count - 1];
	}
}

const struct conf_word *conf_own_word(const struct conf_record *record, int key)
{
	for (uint32_t i = 0; i < record->count; i++)
		if (record->word[i].id == key)
			return &record->word[i];
	return NULL;
}

/* ---- clusters ---- */

/* Does the record count for this cluster? */
static bool is_in_scope(const struct conf *conf,
			const struct conf_record *record)
{
	const struct conf_word *word = conf_own_word(record, KEY_CLUSTER);
	struct conf_item item;

	if (!word || word->bad)
		return true;
	conf_item_begin(&item, word->value);
	while (conf->cluster && conf_item_next(&item))
		if (!strcasecmp(item.text, conf->cluster))
			return true;
	return false;
}

/* Without a name from outside, the first ClusterName= of the file counts. */
static void find_cluster(struct conf *conf, const char *cluster)
{
	const struct conf_word *named = NULL;
	bool scoped = false;

	conf->cluster = cluster;
	for (size_t i = 0; i < conf->records; i++) {
		const struct conf_record *record = &conf->record[i];
		const struct conf_word *word = conf_own_word(record,
							     KEY_CLUSTER_NAME);

		scoped |= conf_own_word(record, KEY_CLUSTER) != NULL;
		if (!named && word && !word->bad)
			named = word;
	}
	if (!cluster && named)
		conf->cluster = named->value;
	if (cluster && named && strcasecmp(cluster, named->value))
		conf_warning(
			conf, conf_value_at(named, 0),
			"ClusterName=%.60s, but the file is read for the cluster %.60s, and that counts",
			named->value, cluster);
	if (scoped && !conf->cluster)
		conf_warning(
			conf, (struct conf_place){ 0, 1, 1 },
			"records with Cluster= are left out, since the name of the cluster is not known; set ClusterName=");
}

/* ---- making records ---- */

static bool make_record(struct conf *conf, struct conf_line *line)
{
	struct conf_record *record = &conf->record[conf->records];
	enum conf_kind kind = find_kind(conf, line);

	if (kind == CONF_KINDS)
		return true;
	*record = (struct conf_record){
		.kind = kind,
		.at = line->word[0].key ? conf_key_at(&line->word[0]) :
					  conf_value_at(&line->word[0], 0),
		.word = conf_alloc(conf, line->count * sizeof(*record->word)),
		.defaults = CONF_NO_RECORD,
		.index = GOV_NONE,
	};
	if (!record->word)
		return false;
	take_words(conf, record, line);
	if (record->count)
		conf->records++;
	else if (kind == CONF_QUOTA)
		conf_error(conf, record->at, GOV_E_SYNTAX,
			   "expected Quota Team=... Pool=... TRES=...");
	return true;
}

static bool is_default_record(const struct conf_record *record)
{
	const struct conf_word *name = record->name;

	if (record->kind == CONF_QUOTA)
		name = conf_own_word(record, KEY_TEAM);
	return name && !strcasecmp(name->value, "DEFAULT");
}

/* Chain each record to the DEFAULT record of its kind before it. */
static void link_defaults(struct conf *conf)
{
	uint32_t latest[CONF_KINDS];
	unsigned count = 0;

	for (int kind = 0; kind < CONF_KINDS; kind++)
		latest[kind] = CONF_NO_RECORD;
	for (size_t i = 0; i < conf->records; i++) {
		struct conf_record *record = &conf->record[i];

		record->active = is_in_scope(conf, record);
		record->defaults = latest[record->kind];
		record->is_default = is_default_record(record);
		if (!record->is_default || !record->active)
			continue;
		if (++count <= CONF_DEFAULT_MAX)
			latest[record->kind] = (uint32_t) i;
		if (count == CONF_DEFAULT_MAX + 1)
			conf_error(conf, record->at, GOV_E_VALUE,
				   "more than %d DEFAULT records",
				   CONF_DEFAULT_MAX);
	}
}

static void define_settings(struct conf *conf);
static void define_names(struct conf *conf);

void conf_make_records(struct conf *conf, const char *cluster)
{
	conf->names = conf_alloc(conf, sizeof(*conf->names));
	conf->record = conf_alloc(conf,
				  (conf->lines + 1) * sizeof(*conf->record));
	if (!conf->names || !conf->record)
		return;
	memset(conf->names, 0, sizeof(*conf->names));
	for (size_t i = 0; i < conf->lines; i++)
		if (!make_record(conf, &conf->line[i]))
			return;
	find_cluster(conf, cluster);
	link_defaults(conf);
	define_settings(conf);
	define_names(conf);
}

/* ---- names and settings ---- */

static void define_setting(struct conf *conf, const struct conf_word *word,
			   bool scoped)
{
	struct conf_names *names = conf->names;
	const struct conf_word *before = names->setting[word->id];

	if (before && names->setting_scoped[word->id] == scoped) {
		conf_error(conf, conf_key_at(word), GOV_E_DUPLICATE,
			   "%s= was set before, at line %u column %u of %s",
			   conf_keys[word->id].name, before->line,
			   before->column, conf->source[before->source].path);
		return;
	}
	/* What is said for this cluster counts before what is said for all. */
	if (before && !scoped)
		return;
	names->setting[word->id] = word;
	names->setting_scoped[word->id] = scoped;
}

static void define_settings(struct conf *conf)
{
	for (size_t i = 0; i < conf->records; i++) {
		const struct conf_record *record = &conf->record[i];
		bool scoped = conf_own_word(record, KEY_CLUSTER) != NULL;

		if (record->kind != CONF_SETTING || !record->active)
			continue;
		for (uint32_t w = 0; w < record->count; w++)
			if (record->word[w].id != KEY_CLUSTER &&
			    record->word[w].id != KEY_DESCRIPTION)
				define_setting(conf, &record->word[w], scoped);
	}
}

char *conf_project_key(struct conf *conf, const char *team, const char *project)
{
	size_t size = strlen(team) + strlen(project) + 2;
	char *key = conf_alloc(conf, size);

	if (key)
		snprintf(key, size, "%s/%s", team, project);
	return key;
}

/* Under which name a record is entered; NULL: it has none. */
static const char *entry_name(struct conf *conf,
			      const struct conf_record *record)
{
	const struct conf_word *team;

	if (!record->name || record->is_default)
		return NULL;
	if (record->kind != CONF_PROJECT)
		return record->name->value;
	team = conf_find_word(conf, record, KEY_TEAM);
	return team ? conf_project_key(conf, team->value, record->name->value) :
		      NULL;
}

static void define_names(struct conf *conf)
{
	for (size_t i = 0; i < conf->records && !conf->no_memory; i++) {
		const struct conf_record *record = &conf->record[i];
		/* Units and teams are one tree, with one set of names. */
		enum conf_kind kind = record->kind == CONF_TEAM ? CONF_UNIT :
								  record->kind;
		const char *name = entry_name(conf, record);
		const struct conf_record *before;
		uint32_t other;

		if (!name)
			continue;
		conf_name_put(conf, &conf->names->any[kind], name,
			      (uint32_t) i);
		other = !record->active ?
				CONF_NO_NAME :
				conf_name_put(conf, &conf->names->active[kind],
					      name, (uint32_t) i);
		if (other == CONF_NO_NAME)
			continue;
		before = &conf->record[other];
		conf_error(conf, conf_value_at(record->name, 0),
			   GOV_E_DUPLICATE,
			   "%s is the name of %s already, at line %u of %s",
			   record->name->value, conf_kind_title(before->kind),
			   before->at.line,
			   conf->source[before->at.source].path);
	}
}
