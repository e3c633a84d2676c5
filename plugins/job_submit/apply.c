/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/job_submit/apply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/job_submit/spankenv.h"
#include "stamp/stamp.h"

#define MESSAGE_MAX 1024

/* ---- the message ---- */

/* One line of printable text, however it came about. */
static void make_line(char *line)
{
	for (char *p = line; *p; p++)
		if ((unsigned char) *p < 0x20 || *p == 0x7f)
			*p = ' ';
}

/* "governance: text [GOV-301]", below what earlier plugins said. */
static void tell(char **message, enum gov_code code, const char *text)
{
	char line[MESSAGE_MAX], suffix[16] = "";
	size_t before, room;
	char *joined;

	if (!message || !text || !*text)
		return;
	if (code)
		snprintf(suffix, sizeof(suffix), " [%s]", gov_code_name(code));
	room = sizeof(line) - strlen("governance: ") - strlen(suffix) - 1;
	snprintf(line, sizeof(line), "governance: %.*s%s", (int) room, text,
		 suffix);
	make_line(line);
	before = *message ? strlen(*message) + 1 : 0;
	joined = gov_slurm_alloc(1, before + strlen(line) + 1);
	if (!joined)
		return;
	if (before) {
		memcpy(joined, *message, before - 1);
		joined[before - 1] = '\n';
	}
	strcpy(joined + before, line);
	gov_slurm_free(*message);
	*message = joined;
}

/* The return code says in Slurm's words what the sentence says in ours. */
static int slurm_code(enum gov_code code)
{
	switch (code) {
	case GOV_R_NO_TEAM:
	case GOV_R_WHICH_TEAM:
	case GOV_R_NOT_MEMBER: return ESLURM_INVALID_ACCOUNT;
	case GOV_R_REQUEST: return ESLURM_INVALID_TRES;
	case GOV_R_NO_POOL: return ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
	case GOV_R_NOT_ALLOWED: return ESLURM_ACCESS_DENIED;
	case GOV_R_IMMEDIATE: return ESLURM_CAN_NOT_START_IMMEDIATELY;
	default: return ESLURM_ACCOUNTING_POLICY;
	}
}

static int refuse(enum gov_code code, const char *text, char **message)
{
	if (!code)
		code = GOV_E_INTERNAL;
	if (!text || !*text)
		text = "refused; ask your administrators, who find the reason "
		       "in the governor's log";
	tell(message, code, text);
	return slurm_code(code);
}

int apply_error(const struct gov_error *error, char **message)
{
	return refuse(error->code, error->text, message);
}

/* ---- the job ---- */

/* Replace *member by a copy.  0, or -1 out of memory. */
static int set_text(char **member, const char *text)
{
	char *copy = gov_slurm_strdup(text);

	if (!copy)
		return -1;
	gov_slurm_free(*member);
	*member = copy;
	return 0;
}

/* The stamp; what an administrator wrote beside it stays. */
static int set_stamp(job_desc_msg_t *desc, const char *text)
{
	struct gov_stamp stamp;
	char *both;
	int rc;

	if (!desc->admin_comment || !*desc->admin_comment ||
	    gov_stamp_parse(text, &stamp) != 1)
		return set_text(&desc->admin_comment, text);
	both = gov_stamp_apply(desc->admin_comment, &stamp);
	if (!both)
		return -1;
	rc = set_text(&desc->admin_comment, both);
	free(both);
	return rc;
}

/* A stamp that came with the submission was not made by us. */
static int remove_stamp(job_desc_msg_t *desc)
{
	struct gov_stamp stamp;
	char *rest;
	int rc;

	if (!desc->admin_comment ||
	    gov_stamp_parse(desc->admin_comment, &stamp) == 0)
		return 0;
	rest = gov_stamp_apply(desc->admin_comment, NULL);
	if (!rest)
		return -1;
	rc = set_text(&desc->admin_comment, rest);
	free(rest);
	return rc;
}

static int set_texts(const struct gov_answer *answer, job_desc_msg_t *desc)
{
	if (remove_stamp(desc))
		return -1;
	if (answer->admin_comment && set_stamp(desc, answer->admin_comment))
		return -1;
	if (answer->account && (!desc->account || !*desc->account) &&
	    set_text(&desc->account, answer->account))
		return -1;
	if (answer->partition && set_text(&desc->partition, answer->partition))
		return -1;
	if (answer->features && set_text(&desc->features, answer->features))
		return -1;
	if (answer->tres_per_job &&
	    set_text(&desc->tres_per_job, answer->tres_per_job))
		return -1;
	return 0;
}

static int out_of_memory(char **message)
{
	return refuse(GOV_E_NOMEM, "slurmctld is out of memory; try again",
		      message);
}

static int change_job(const struct gov_answer *answer, job_desc_msg_t *desc,
		      char **message)
{
	/* Held first: what comes after may fail, and then nothing runs. */
	if (answer->action == GOV_ANSWER_WAIT)
		desc->priority = 0;
	if (set_texts(answer, desc))
		return out_of_memory(message);
	if (answer->sets_site_factor)
		desc->site_factor = NICE_OFFSET +
				    (uint32_t) answer->site_factor;
	if (answer->grant && spankenv_add_grant(desc, answer->grant))
		return out_of_memory(message);
	tell(message, GOV_OK, answer->message);
	return SLURM_SUCCESS;
}

int apply_submit(const struct gov_answer *answer, job_desc_msg_t *desc,
		 char **message)
{
	switch (answer->action) {
	case GOV_ANSWER_PASS:
	case GOV_ANSWER_ADMIT:
	case GOV_ANSWER_WAIT: return change_job(answer, desc, message);
	case GOV_ANSWER_REFUSE:
	case GOV_ANSWER_SWALLOW: /* no answer to a submission */ break;
	}
	return refuse(answer->code, answer->message, message);
}

int apply_modify(const struct gov_answer *answer, job_desc_msg_t *desc,
		 char **message)
{
	switch (answer->action) {
	case GOV_ANSWER_PASS:
	case GOV_ANSWER_ADMIT: break;
	case GOV_ANSWER_SWALLOW:
	case GOV_ANSWER_WAIT: desc->priority = NO_VAL; break;
	case GOV_ANSWER_REFUSE:
		return refuse(answer->code, answer->message, message);
	}
	tell(message, GOV_OK, answer->message);
	return SLURM_SUCCESS;
}
