/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Priority classes. */
#include "conf/build.h"

#include <stdlib.h>
#include <strings.h>

/* A number of seconds in MaxTime= is minutes to who knows slurm.conf. */
static void warn_of_seconds(struct conf *conf, const struct conf_word *word)
{
	int64_t number;

	if (word && conf_read_count(word->value, &number))
		conf_warning(
			conf, conf_value_at(word, 0),
			"MaxTime=%s is in seconds; for minutes write %s:00",
			word->value, word->value);
}

static void build_class(struct conf_build *build, struct conf_record *record)
{
	struct conf *conf = build->conf;
	const struct conf_word *word;
	struct gov_class *class;
	int64_t number = 0;
	int preempt;

	record->index = gov_policy_add_class(build->policy,
					     record->name->value);
	if (record->index == GOV_NONE) {
		conf->no_memory = true;
		return;
	}
	class = &build->policy->class[record->index];
	conf_get_number(conf_find_word(conf, record, KEY_CLASS_WEIGHT),
			&number);
	class->weight = (uint32_t) number;
	conf_get_yes_no(conf_find_word(conf, record, KEY_BORROW),
			&class->may_borrow);
	word = conf_find_word(conf, record, KEY_MAX_TIME);
	warn_of_seconds(conf, word);
	conf_get_number(word, &class->max_time);
	word = conf_find_word(conf, record, KEY_PREEMPT_WITHIN_TEAM);
	class->preempt_set = conf_get_choice(word, &preempt);
	if (class->preempt_set)
		class->preempt_within_team = (enum gov_preempt) preempt;
	conf_get_terms(build, record, &class->terms);
	conf_get_cell_amounts(build, conf_find_word(conf, record, KEY_MAX_TRES),
			      &class->max_per_job);
}

/*
 * Every job has a class.  Where no class has Default=yes, jobs that name none
 * have a class called "default" of weight 0, which any team may use.
 */
static void add_default_class(struct conf_build *build)
{
	struct gov_policy *policy = build->policy;
	uint32_t class = gov_policy_find_class(policy, "default");

	if (class == GOV_NONE)
		class = gov_policy_add_class(policy, "default");
	if (class == GOV_NONE)
		build->conf->no_memory = true;
	else
		policy->class[class].is_default = true;
}

static void find_default_class(struct conf_build *build)
{
	const struct conf_word *first = NULL, *word;
	struct conf *conf = build->conf;
	bool is_default;

	for (size_t i = 0; i < conf->records; i++) {
		const struct conf_record *record = &conf->record[i];

		if (record->kind != CONF_CLASS || record->index == GOV_NONE)
			continue;
		word = conf_own_word(record, KEY_DEFAULT);
		is_default = false;
		if (!conf_get_yes_no(word, &is_default) || !is_default)
			continue;
		if (first)
			conf_error(
				conf, conf_key_at(word), GOV_E_DUPLICATE,
				"a second default class: Default=yes stands at line %u of %s already",
				first->line, conf->source[first->source].path);
		else
			first = word;
		build->policy->class[record->index].is_default = true;
	}
	if (!first)
		add_default_class(build);
}

void conf_build_classes(struct conf_build *build)
{
	struct conf *conf = build->conf;

	for (size_t i = 0; i < conf->records && !conf->no_memory; i++) {
		struct conf_record *record = &conf->record[i];

		if (record->kind == CONF_CLASS && record->active &&
		    record->name && !record->is_default)
			build_class(build, record);
	}
	if (!conf->no_memory)
		find_default_class(build);
}
