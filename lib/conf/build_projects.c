/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Projects of teams. */
#include "conf/build.h"

static void build_project(struct conf_build *build, struct conf_record *record)
{
	struct conf *conf = build->conf;
	const struct conf_word *word = conf_find_word(conf, record, KEY_TEAM);
	const struct conf_record *team = word ? conf_find_record(conf,
								 CONF_UNIT,
								 word->value) :
						NULL;
	struct gov_project *project;

	if (!word && !conf_own_word(record, KEY_TEAM))
		conf_error(conf, record->at, GOV_E_SYNTAX,
			   "the project %s needs Team=, whose it is",
			   record->name->value);
	if (!team || team->kind != CONF_TEAM || team->index == GOV_NONE)
		return;
	record->index = gov_policy_add_project(build->policy,
					       record->name->value,
					       team->index);
	if (record->index == GOV_NONE) {
		conf->no_memory = true;
		return;
	}
	project = &build->policy->project[record->index];
	conf_get_members(build, conf_find_word(conf, record, KEY_MEMBERS),
			 &project->members);
	conf_get_cell_amounts(build, conf_find_word(conf, record, KEY_MAX_TRES),
			      &project->max);
	conf_get_text(build, conf_find_word(conf, record, KEY_BUDGET),
		      &project->budget);
}

void conf_build_projects(struct conf_build *build)
{
	struct conf *conf = build->conf;

	for (size_t i = 0; i < conf->records && !conf->no_memory; i++) {
		struct conf_record *record = &conf->record[i];

		if (record->kind == CONF_PROJECT && record->active &&
		    record->name && !record->is_default)
			build_project(build, record);
	}
}
