/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What scontrol and the governor tell, and the settings of Slurm. */
#include "sgov/system.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>

#include "sgov/ask.h"

#define OUTPUT_MAX (64UL * 1024 * 1024)

char *sgov_output_of(const char *command)
{
	FILE *pipe = popen(command, "re");
	size_t length = 0, space = 65536, n;
	char *text;

	if (!pipe)
		return NULL;
	text = sgov_alloc(space);
	while ((n = fread(text + length, 1, space - length - 1, pipe)) > 0) {
		length += n;
		if (length + 1 < space)
			continue;
		if (space >= OUTPUT_MAX)
			break;
		space *= 2;
		text = sgov_realloc(text, space);
	}
	text[length] = '\0';
	if (pclose(pipe) == 0)
		return text;
	free(text);
	return NULL;
}

static char *trim(char *text)
{
	size_t n = strlen(text);

	while (n && isspace((unsigned char) text[n - 1]))
		text[--n] = '\0';
	return text + strspn(text, " \t");
}

char *sgov_scontrol_value(const char *line, const char *key)
{
	size_t n = strlen(key);

	for (const char *p = line; (p = strstr(p, key)); p += n)
		if ((p == line || p[-1] == ' ') && p[n] == '=')
			return sgov_printf("%.*s",
					   (int) strcspn(p + n + 1, " \n"),
					   p + n + 1);
	return NULL;
}

struct json_object *sgov_parse_scontrol(char *text)
{
	struct json_object *object = json_object_new_object();
	char *line;

	while ((line = strsep(&text, "\n"))) {
		char *equals = strstr(line, " = ");

		if (!equals)
			continue;
		*equals = '\0';
		sgov_json_set(object, trim(line), trim(equals + 3));
	}
	return object;
}

bool sgov_has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	while (*list) {
		size_t m = strcspn(list, ", ");

		if (m == n && strncasecmp(list, word, n) == 0)
			return true;
		list += m;
		list += strspn(list, ", ");
	}
	return false;
}

bool sgov_prolog_at_allocation(const struct json_object *slurm)
{
	const char *flags = sgov_json_text(slurm, "PrologFlags");

	/* Contain and X11 imply Alloc. */
	return sgov_has_word(flags, "Alloc") ||
	       sgov_has_word(flags, "Contain") || sgov_has_word(flags, "X11");
}

static void examine_prolog(const struct json_object *slurm,
			   struct sgov_findings *findings)
{
	if (sgov_prolog_at_allocation(slurm))
		sgov_finding(findings, SGOV_FINE, "PrologFlags", "%s",
			     sgov_json_text(slurm, "PrologFlags"));
	else
		sgov_finding(
			findings, SGOV_WRONG, "PrologFlags",
			"Alloc is missing: jobs of srun and salloc reach their nodes without a grant and are refused there; set PrologFlags=Alloc in slurm.conf and restart slurmctld and all slurmd");
}

static void examine_submit(const struct json_object *slurm,
			   struct sgov_findings *findings)
{
	const char *plugins = sgov_json_text(slurm, "JobSubmitPlugins");

	if (sgov_has_word(plugins, "governance"))
		sgov_finding(findings, SGOV_FINE, "JobSubmitPlugins", "%s",
			     plugins);
	else
		sgov_finding(
			findings, SGOV_WRONG, "JobSubmitPlugins",
			"governance is missing: no job is governed; add it in slurm.conf (now: %s) and restart slurmctld",
			plugins);
}

static void examine_auth(const struct json_object *slurm,
			 struct sgov_findings *findings)
{
	const char *type = sgov_json_text(slurm, "AuthType");

	if (strcmp(type, "auth/munge") == 0)
		sgov_finding(findings, SGOV_FINE, "AuthType", "%s", type);
	else
		sgov_finding(
			findings, SGOV_DOUBTFUL, "AuthType",
			"%s: grants and sgov need munge, which Slurm does not use here; see that munged runs on every host with one key",
			type);
}

static void examine_preemption(const struct json_object *slurm,
			       struct sgov_findings *findings)
{
	const char *type = sgov_json_text(slurm, "PreemptType");
	const char *mode = sgov_json_text(slurm, "PreemptMode");

	if (!*type || strcasecmp(type, "(null)") == 0 ||
	    strcasecmp(type, "preempt/none") == 0 ||
	    strcasecmp(mode, "OFF") == 0)
		sgov_finding(findings, SGOV_FINE, "PreemptMode", "%s", mode);
	else
		sgov_finding(
			findings, SGOV_DOUBTFUL, "PreemptMode",
			"%s with %s: Slurm preempts by itself as well, without the notice and the protection that sgov terms promises; set PreemptMode=OFF unless that is meant",
			mode, type);
}

static void examine_requeue(const struct json_object *slurm,
			    struct sgov_findings *findings)
{
	const char *requeue = sgov_json_text(slurm, "JobRequeue");

	if (strcmp(requeue, "0") != 0)
		sgov_finding(findings, SGOV_FINE, "JobRequeue", "%s", requeue);
	else
		sgov_finding(
			findings, SGOV_DOUBTFUL, "JobRequeue",
			"0: a job that is taken back is lost unless it was submitted with --requeue; set JobRequeue=1 if jobs are to wait and run again");
}

void sgov_examine_slurm(const struct json_object *slurm,
			struct sgov_findings *findings)
{
	examine_submit(slurm, findings);
	examine_prolog(slurm, findings);
	examine_auth(slurm, findings);
	examine_preemption(slurm, findings);
	examine_requeue(slurm, findings);
}

/* Does it answer, and with this policy? */
static void examine_governor(const struct sgov *sgov,
			     const struct gov_policy *policy,
			     struct sgov_findings *findings)
{
	struct sgov quiet = *sgov;
	struct json_object *answer, *running;
	const char *digest;
	int status;

	quiet.format = SGOV_TABLE;
	answer = sgov_ask(&quiet, sgov_request("ping"), &status);
	running = sgov_json_object(sgov_json_object(answer, "meta"), "policy");
	digest = sgov_json_text(running, "digest");
	if (!answer)
		sgov_finding(
			findings, SGOV_WRONG, "slurmgovd",
			"does not answer, see above; systemctl status slurmgovd on the controller tells why");
	else if (policy && *digest && strcmp(digest, policy->digest) != 0)
		sgov_finding(
			findings, SGOV_DOUBTFUL, "slurmgovd",
			"has another policy in force (%s of %s) than this file (%s): sgov reload",
			digest, sgov_json_text(running, "source"),
			policy->digest);
	else
		sgov_finding(findings, SGOV_FINE, "slurmgovd",
			     "answers, with %s",
			     *digest ? digest : "an unnamed policy");
	json_object_put(answer);
}

void sgov_examine_system(const struct sgov *sgov,
			 const struct gov_policy *policy,
			 struct sgov_findings *findings)
{
	char *text = sgov_output_of("scontrol show config");
	struct json_object *slurm;
	char *nodes;

	if (!text) {
		sgov_finding(
			findings, SGOV_WRONG, "scontrol",
			"'scontrol show config' fails here: run this where Slurm's commands work and slurmctld answers");
	} else {
		slurm = sgov_parse_scontrol(text);
		sgov_examine_slurm(slurm, findings);
		sgov_examine_plugins(slurm, findings);
		json_object_put(slurm);
		nodes = sgov_output_of("scontrol --oneliner show nodes");
		if (nodes && policy)
			sgov_examine_nodes(nodes, policy, findings);
		free(nodes);
	}
	free(text);
	examine_governor(sgov, policy, findings);
}
