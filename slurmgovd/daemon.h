/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon: the loop, the governor it owns, and the threads around it.
 */
#ifndef GOVERNANCE_SLURMGOVD_DAEMON_H
#define GOVERNANCE_SLURMGOVD_DAEMON_H

#include "core/error.h"
#include "core/policy.h"
#include "slurm/cluster.h"

struct gov_daemon_options {
	const char *conf_path;
	const char *munge_socket; /* or NULL: the default */
	const struct gov_cluster *cluster;
	const char *directory; /* where state is kept; the lease's */
	bool fixed_log;	       /* -L: LogFile= does not count */
};

/*
 * Govern until SIGTERM or SIGINT.  Takes a reference of the policy.  All
 * signals must be blocked.  0, or -1 with error if it could not begin.
 */
int gov_daemon_run(const struct gov_daemon_options *options,
		   struct gov_policy *policy, struct gov_error *error);

/* Set the log up as the policy says. */
void gov_daemon_set_log(const struct gov_policy *policy, bool fixed_log);
/* Log every fault of a configuration. */
struct gov_conf_faults;
void gov_daemon_log_faults(const struct gov_conf_faults *faults);

#endif
