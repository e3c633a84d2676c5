/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the file is, and the little that the job_submit plugin needs of it. */
#include "conf/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *gov_conf_path(char *buffer, size_t size)
{
	const char *own = getenv("GOVERNANCE_CONF");
	const char *slurm = getenv("SLURM_CONF");
	const char *slash = slurm ? strrchr(slurm, '/') : NULL;
	int length;

	if (own && *own)
		length = snprintf(buffer, size, "%s", own);
	else if (slash)
		length = snprintf(buffer, size, "%.*s/governance.conf",
				  (int) (slash - slurm), slurm);
	else
		length = snprintf(buffer, size, "%s", GOV_DEFAULT_CONF);
	/* A path that was cut is another file. */
	if (length < 0 || (size_t) length >= size)
		return GOV_DEFAULT_CONF;
	return buffer;
}

void gov_conf_plugin_settings(const char *path,
			      struct gov_plugin_settings *settings)
{
	const struct conf_word *const *set;
	struct conf conf;
	int64_t deadline = 20;
	int on_down = GOV_DOWN_WAIT;

	*settings = (struct gov_plugin_settings){
		.on_down = GOV_DOWN_WAIT,
		.submit_socket = GOV_DEFAULT_SUBMIT_SOCKET,
		.deadline_ms = 20,
	};
	conf_begin(&conf);
	conf_read_file(&conf, path, NULL, CONF_NO_SOURCE);
	if (!conf.no_memory)
		conf_make_records(&conf, NULL);
	if (!conf.no_memory) {
		set = conf.names->setting;
		if (conf_get_choice(set[KEY_ON_GOVERNOR_DOWN], &on_down))
			settings->on_down = (enum gov_on_down) on_down;
		if (conf_get_number(set[KEY_SUBMIT_DEADLINE], &deadline))
			settings->deadline_ms = (uint32_t) deadline;
		if (set[KEY_GOVERNOR_SOCKET] && !set[KEY_GOVERNOR_SOCKET]->bad)
			snprintf(settings->submit_socket,
				 sizeof(settings->submit_socket), "%s",
				 set[KEY_GOVERNOR_SOCKET]->value);
	}
	conf_end(&conf);
}
