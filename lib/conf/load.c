/* SPDX-License-Identifier: GPL-2.0-or-later */
/* governance.conf to a policy, all stages. */
#include "conf/build.h"

/* After the text was read: nothing half-sound leaves here. */
static struct gov_policy *finish(struct conf *conf, const char *cluster_name,
				 struct gov_conf_faults *faults)
{
	struct gov_policy *policy = NULL;

	if (!conf->no_memory)
		conf_make_records(conf, cluster_name);
	if (!conf->no_memory)
		conf_check_references(conf);
	if (!conf->no_memory)
		policy = conf_build_policy(conf);
	conf_faults_deliver(conf, faults);
	if (faults->errors && policy) {
		gov_policy_unref(policy);
		policy = NULL;
	}
	conf_end(conf);
	return policy;
}

struct gov_policy *gov_conf_load(const char *path, const char *cluster_name,
				 struct gov_conf_faults *faults)
{
	struct conf conf;

	conf_begin(&conf);
	conf_read_file(&conf, path, NULL, CONF_NO_SOURCE);
	/* Of a file that could not be read nothing else need be said. */
	if (!conf.lines && conf.errors) {
		conf_faults_deliver(&conf, faults);
		conf_end(&conf);
		return NULL;
	}
	return finish(&conf, cluster_name, faults);
}

struct gov_policy *gov_conf_parse(const char *text, size_t length,
				  const char *name, const char *cluster_name,
				  struct gov_conf_faults *faults)
{
	struct conf conf;

	conf_begin(&conf);
	conf_read_memory(&conf, text, length, name);
	return finish(&conf, cluster_name, faults);
}
