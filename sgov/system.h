/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check --system: is Slurm set up as governance needs it?  Looks at what
 * scontrol tells of the running configuration, at the plugins' files, and at
 * the governor; needs neither libslurm nor privileges.
 */
#ifndef GOVERNANCE_SGOV_SYSTEM_H
#define GOVERNANCE_SGOV_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

#include "core/policy.h"
#include "sgov/json.h"
#include "sgov/sgov.h"

enum sgov_severity { SGOV_FINE, SGOV_DOUBTFUL, SGOV_WRONG };

struct sgov_finding {
	enum sgov_severity severity;
	const char *subject; /* "PrologFlags" */
	char *text;	     /* what is so, why it matters, what to do */
};

struct sgov_findings {
	struct sgov_finding *item;
	size_t count;
	size_t errors;
};

/* policy: to compare pools and quotas with the nodes; NULL: it has faults. */
void sgov_examine_system(const struct sgov *sgov,
			 const struct gov_policy *policy,
			 struct sgov_findings *findings);

/* Parts of it; slurm: what `scontrol show config' printed, as an object. */
void sgov_examine_slurm(const struct json_object *slurm,
			struct sgov_findings *findings);
void sgov_examine_plugins(const struct json_object *slurm,
			  struct sgov_findings *findings);
/* nodes: what `scontrol --oneliner show nodes' printed; it is changed. */
void sgov_examine_nodes(char *nodes, const struct gov_policy *policy,
			struct sgov_findings *findings);

/* What a command of ours, for the shell, prints: malloc()ed; NULL: it fails. */
char *sgov_output_of(const char *command);

/* The arguments of our plugin in the plugstack.conf that slurm names, with
 * blanks between; malloc()ed.  NULL: there is no line with it. */
char *sgov_spank_arguments(const struct json_object *slurm);

/* Lines "Key = value" of scontrol as an object of texts. */
struct json_object *sgov_parse_scontrol(char *text);

/* The value of " Key=" in a line, malloc()ed, up to the next blank; or NULL. */
char *sgov_scontrol_value(const char *line, const char *key);
/* Is word in the list "a,b,c", without case? */
bool sgov_has_word(const char *list, const char *word);
/* "gpu:h100:8(S:0-1),shard:32" without what is in brackets, in place. */
void sgov_cut_brackets(char *text);
/* By PrologFlags=: do nodes see a job before its first step? */
bool sgov_prolog_at_allocation(const struct json_object *slurm);

void sgov_finding(struct sgov_findings *findings, enum sgov_severity severity,
		  const char *subject, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void sgov_findings_show(const struct sgov *sgov,
			const struct sgov_findings *findings);
struct json_object *sgov_findings_json(const struct sgov_findings *findings);
void sgov_findings_free(struct sgov_findings *findings);

#endif
