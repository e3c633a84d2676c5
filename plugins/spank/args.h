/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments of the plugin in plugstack.conf, for the node side:
 *
 *	grant=enforce|warn|off		refuse tasks without a good grant
 *					(default); only log it; look at nothing
 *	missing_grant=refuse|allow	a job without any grant (default refuse)
 *	run_dir=PATH			where verdicts are kept, see rundir.h
 *	encoder=USER|UID		who makes grants (default: user slurm)
 *	max_age=N[s|m|h|d]		how old a grant may be (default 365d)
 *	munge_socket=PATH		default: munge's own
 *
 * and for jobs of teams with Isolation=namespace, see isolation.h:
 *
 *	job_dirs=PATH,...|none		directories that each job has for itself
 *					(default /tmp,/var/tmp,/dev/shm)
 *	team_dirs=PATH,...|none		that each team has for itself (none)
 *	private_base=PATH		where these are kept
 *	processes=hide|show		those of other users (default hide)
 */
#ifndef GOVERNANCE_SPANK_ARGS_H
#define GOVERNANCE_SPANK_ARGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/error.h"

#define NODE_RUN_DIR "/run/slurm-governance"
#define NODE_PRIVATE_BASE "/var/lib/slurm-governance/private"
#define NODE_ENCODER "slurm"
#define NODE_MAX_AGE (365 * INT64_C(86400))
#define NODE_DIRECTORIES 8
#define NODE_DIRECTORY 256 /* longest path, with NUL */

enum node_grant_mode { NODE_GRANT_ENFORCE, NODE_GRANT_WARN, NODE_GRANT_OFF };

/* Absolute, without "." and "..", none within another. */
struct node_directories {
	char path[NODE_DIRECTORIES][NODE_DIRECTORY];
	int count;
};

/* Strings are borrowed from av. */
struct node_args {
	enum node_grant_mode grant;
	bool allow_missing;
	const char *run_dir;
	const char *encoder;
	const char *munge_socket; /* NULL: munge's own */
	int64_t max_age;	  /* seconds */
	struct node_directories job_dirs;
	struct node_directories team_dirs;
	const char *private_base;
	bool hide_processes;
};

/*
 * Never fails: what cannot be understood, or is given twice, is complained of
 * (a sentence each; complain may be NULL) and leaves the default, which is
 * the strict one.  Returns the number of complaints.
 */
int node_args_parse(struct node_args *args, int ac, char **av,
		    void (*complain)(const char *sentence));

/* The uid of a user's name or of a number.  0, or -1 with error. */
int node_args_uid(const char *user, uid_t *uid, struct gov_error *error);

#endif
