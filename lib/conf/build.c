/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf/build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All parts, each reporting what it finds; no part may need a sound one. */
static void build_parts(struct conf_build *build)
{
	static void (*const parts[])(struct conf_build * build) = {
		conf_build_settings, conf_build_pools,	  conf_build_classes,
		conf_build_units,    conf_build_quotas,	  conf_build_limits,
		conf_build_projects, conf_build_warnings,
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!build->conf->no_memory)
			parts[i](build);
}

static void set_origin(struct conf *conf, struct gov_policy *policy)
{
	snprintf(policy->digest, sizeof(policy->digest), "%016" PRIx64,
		 conf->digest);
	policy->source = strdup(conf->sources ? conf->source[0].path : "");
	if (conf->cluster)
		policy->cluster_name = strdup(conf->cluster);
	if (!policy->source || (conf->cluster && !policy->cluster_name))
		conf->no_memory = true;
}

struct gov_policy *conf_build_policy(struct conf *conf)
{
	struct conf_build build = { .conf = conf,
				    .policy = gov_policy_create() };
	struct gov_error error;

	if (!build.policy) {
		conf->no_memory = true;
		return NULL;
	}
	set_origin(conf, build.policy);
	build_parts(&build);
	/* What finish refuses should have been found above, with its place. */
	if (!conf->errors && !conf->no_memory &&
	    gov_policy_finish(build.policy, &error))
		conf_error(conf, (struct conf_place){ 0, 1, 1 }, error.code,
			   "%s", error.text);
	if (!conf->errors && !conf->no_memory)
		return build.policy;
	gov_policy_unref(build.policy);
	return NULL;
}
