/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_desc_msg_t to the words of the governor. */
#ifndef GOVERNANCE_JOB_SUBMIT_DESCRIBE_H
#define GOVERNANCE_JOB_SUBMIT_DESCRIBE_H

#include "slurm/compat.h"
#include "wire/submit.h"

/* What an update touches that is the governor's business. */
struct describe_changes {
	bool releases; /* would take a hold off */
	bool resizes;  /* TRES, nodes, CPUs, memory, time */
	bool moves;    /* account, QOS, partition, reservation, ... */
	bool other;    /* a hold, an admin comment */
};

/* Text that is too long to be sent in full. */
struct describe_room {
	char dependency[256];
	char name[256];
};

/* A new job.  Strings of the request are the job's own, or in room. */
void describe_submit(const job_desc_msg_t *desc, uint32_t submit_uid,
		     struct describe_room *room,
		     struct gov_submit_request *request);

/* An update: only what it sets is set in the request. */
void describe_modify(const job_desc_msg_t *desc, uint32_t uid,
		     struct describe_room *room,
		     struct gov_submit_request *request,
		     struct describe_changes *changes);

#endif
