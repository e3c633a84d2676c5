/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the cluster, of the daemon and of the plugin. */
#include "conf/build.h"

#include <stdlib.h>
#include <string.h>

/* Numbers were checked against the bounds of their key. */
static uint32_t number_or(const struct conf_word *word, uint32_t otherwise)
{
	int64_t number = otherwise;

	conf_get_number(word, &number);
	return (uint32_t) number;
}

static int choice_or(const struct conf_word *word, int otherwise)
{
	conf_get_choice(word, &otherwise);
	return otherwise;
}

static void build_cluster(struct conf_build *build)
{
	const struct conf_word *const *set = build->conf->names->setting;
	struct gov_policy *policy = build->policy;
	int64_t ratio = (int64_t) policy->max_evict_ratio_permille;

	policy->enforcement = choice_or(set[KEY_ENFORCEMENT],
					policy->enforcement);
	policy->idle_sharing = choice_or(set[KEY_IDLE_SHARING],
					 policy->idle_sharing);
	policy->task_order = choice_or(set[KEY_TASK_ORDER], policy->task_order);
	conf_get_number(set[KEY_USAGE_HALF_LIFE], &policy->usage_half_life);
	policy->ungoverned_allowed = choice_or(set[KEY_UNGOVERNED],
					       policy->ungoverned_allowed);
	policy->reservations_exempt = choice_or(set[KEY_RESERVATIONS],
						policy->reservations_exempt);
	policy->untyped_gpu = choice_or(set[KEY_UNTYPED_GPU],
					policy->untyped_gpu);
	policy->max_evict_ratio_all_rules =
		choice_or(set[KEY_MAX_EVICT_RATIO_RULES],
			  policy->max_evict_ratio_all_rules);
	conf_get_yes_no(set[KEY_SHARE_UNALLOCATED], &policy->share_unallocated);
	conf_get_number(set[KEY_MAX_EVICT_RATIO], &ratio);
	policy->max_evict_ratio_permille = (uint64_t) ratio;
	conf_get_members(build, set[KEY_EXEMPT_USERS], &policy->exempt);
	conf_get_members(build, set[KEY_OPERATORS], &policy->operators);
	conf_get_terms(build, NULL, &policy->terms);
}

static void default_text(struct conf_build *build, char **text,
			 const char *otherwise)
{
	if (!*text)
		*text = strdup(otherwise);
	if (!*text)
		build->conf->no_memory = true;
}

static void build_daemon(struct conf_build *build)
{
	const struct conf_word *const *set = build->conf->names->setting;
	struct gov_policy *policy = build->policy;

	policy->on_governor_down = choice_or(set[KEY_ON_GOVERNOR_DOWN],
					     policy->on_governor_down);
	policy->submit_deadline_ms = number_or(set[KEY_SUBMIT_DEADLINE],
					       policy->submit_deadline_ms);
	policy->poll_interval_ms = number_or(set[KEY_POLL_INTERVAL],
					     policy->poll_interval_ms);
	policy->member_refresh = number_or(set[KEY_MEMBER_REFRESH],
					   policy->member_refresh);
	policy->max_updates_per_second =
		number_or(set[KEY_MAX_UPDATES], policy->max_updates_per_second);
	conf_get_text(build, set[KEY_GOVERNOR_SOCKET], &policy->submit_socket);
	conf_get_text(build, set[KEY_LISTEN], &policy->listen);
	conf_get_text(build, set[KEY_LOG_FILE], &policy->log_file);
	conf_get_text(build, set[KEY_LOG_LEVEL], &policy->log_level);
	default_text(build, &policy->submit_socket, GOV_DEFAULT_SUBMIT_SOCKET);
	default_text(build, &policy->listen, GOV_DEFAULT_LISTEN);
	default_text(build, &policy->log_level, "info");
}

void conf_build_settings(struct conf_build *build)
{
	build_cluster(build);
	build_daemon(build);
}
