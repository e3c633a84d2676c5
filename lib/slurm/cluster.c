/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "slurm/compat.h"

void gov_slurm_start(void)
{
	slurm_init(NULL);
}

void gov_slurm_end(void)
{
	slurm_fini();
}

/* The value of "socket=" in AuthInfo ("socket=/run/x,ttl=30"), or NULL. */
static char *munge_socket(const char *auth_info)
{
	const char *at = auth_info ? strcasestr(auth_info, "socket=") : NULL;

	if (!at || (at != auth_info && at[-1] != ','))
		return NULL;
	at += strlen("socket=");
	return strndup(at, strcspn(at, ","));
}

int gov_cluster_load(struct gov_cluster *cluster, struct gov_error *error)
{
	slurm_conf_t *conf = NULL;

	*cluster = (struct gov_cluster){ 0 };
	errno = 0;
	if (slurm_load_ctl_conf(0, &conf))
		return gov_error_set(error, GOV_E_DOWN,
				     "slurmctld does not answer: %s",
				     slurm_strerror(errno));
	cluster->slurm_uid = conf->slurm_user_id;
	cluster->private_jobs = conf->private_data & PRIVATE_DATA_JOBS;
	cluster->munge_socket = munge_socket(conf->authinfo);
	cluster->name = strdup(conf->cluster_name ? conf->cluster_name : "");
	cluster->state_save_location = strdup(
		conf->state_save_location ? conf->state_save_location : "");
	gov_slurm_free_conf(conf);
	if (!cluster->name || !cluster->state_save_location) {
		gov_cluster_free(cluster);
		return gov_error_set(error, GOV_E_NOMEM,
				     "no memory for the cluster's settings");
	}
	return 0;
}

void gov_cluster_free(struct gov_cluster *cluster)
{
	free(cluster->name);
	free(cluster->state_save_location);
	free(cluster->munge_socket);
	*cluster = (struct gov_cluster){ 0 };
}
