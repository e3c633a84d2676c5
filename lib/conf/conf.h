/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governance.conf: text in slurm.conf syntax → struct gov_policy.
 *
 * Comments (#), continuation (\ at the end of a line), Include, quoted
 * values, case-insensitive keys, hostlist ranges, DEFAULT records.  All faults
 * of a file are reported at once, each with file, line, column, what was
 * expected, and the nearest valid word.
 */
#ifndef GOVERNANCE_CONF_CONF_H
#define GOVERNANCE_CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/policy.h"

#ifndef GOV_DEFAULT_CONF
#define GOV_DEFAULT_CONF "/etc/slurm/governance.conf"
#endif
/* Where nothing is said; a loaded policy has them in its members. */
#define GOV_DEFAULT_SUBMIT_SOCKET "/run/slurmgovd/submit.sock"
#define GOV_DEFAULT_LISTEN "6822"

struct gov_conf_fault {
	char *file;
	unsigned line;	    /* from 1 */
	unsigned column;    /* from 1, in bytes */
	bool warning;	    /* else an error */
	enum gov_code code; /* GOV_OK for a warning */
	char *text;	    /* a sentence, with the nearest valid word */
};

struct gov_conf_faults {
	struct gov_conf_fault *item;
	size_t count;
	size_t errors; /* how many are errors, not warnings; out of
				   memory may leave errors without items */
};
void gov_conf_faults_free(struct gov_conf_faults *faults);

/* "file:line:column: error: text" of one fault; malloc()ed. */
char *gov_conf_fault_string(const struct gov_conf_fault *fault);

/*
 * Read the file (and what it includes).  Records scoped to another cluster
 * than cluster_name are checked but left out; NULL: ClusterName= of the file
 * decides.  Returns a finished policy (the caller unrefs it), or NULL if
 * there is any error; faults is filled in both cases and freed by the caller.
 */
struct gov_policy *gov_conf_load(const char *path, const char *cluster_name,
				 struct gov_conf_faults *faults);

/* The same from memory; name is used in faults; Include is refused. */
struct gov_policy *gov_conf_parse(const char *text, size_t length,
				  const char *name, const char *cluster_name,
				  struct gov_conf_faults *faults);

/* $GOVERNANCE_CONF, else beside $SLURM_CONF, else GOV_DEFAULT_CONF. */
const char *gov_conf_path(char *buffer, size_t size);

/*
 * Only the settings that the job_submit plugin needs before it has heard
 * from the governor.  Never fails: what cannot be read keeps its default.
 */
struct gov_plugin_settings {
	enum gov_on_down on_down;
	char submit_socket[108];
	uint32_t deadline_ms;
};
void gov_conf_plugin_settings(const char *path,
			      struct gov_plugin_settings *settings);

/*
 * Expand a hostlist ("g[1-4,7],a1") into names; *names is malloc()ed, each
 * element too.  Count, or -1 (malformed, or more than 65,536 names).
 */
long gov_hostlist_expand(const char *text, char ***names,
			 struct gov_error *error);
/* Free what gov_hostlist_expand() gave; after its -1 there is nothing. */
void gov_hostlist_free(char **names, long count);

#endif
