/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conversation of the job_submit plugin with the governor.
 *
 * AF_UNIX, SOCK_SEQPACKET, one packet a message, at most GOV_PACKET_MAX
 * bytes.  Every message: magic "GOV", version byte, kind byte, then fields
 * (tag byte, 32-bit length, bytes); integers little-endian, strings with
 * their NUL.  What is unset is left out.  Unknown tags are skipped, so that
 * both sides may grow; a known tag comes once.  Requests carry a sequence
 * number which the answer repeats.  The governor accepts peers whose
 * SO_PEERCRED uid is root or SlurmUser; the plugin accepts a socket owned by
 * root or SlurmUser.  No dependency beyond libc: this code runs inside
 * slurmctld.
 */
#ifndef GOVERNANCE_WIRE_SUBMIT_H
#define GOVERNANCE_WIRE_SUBMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/policy.h"
#include "request/submission.h"
#include "stamp/stamp.h"

#define GOV_PACKET_MAX 65536
#define GOV_WIRE_VERSION 1

enum gov_message_kind {
	GOV_MSG_SUBMIT = 1, /* a new job */
	GOV_MSG_MODIFY = 2, /* scontrol update of a job */
	GOV_MSG_ANSWER = 3,
};

/* What a modification touches; members of submission that are set change. */
struct gov_modification {
	char job_id[128];  /* "N", "A_3", "A_4-5", "H+1" */
	uint32_t uid;	   /* who asks */
	uint64_t priority; /* 0 hold, UINT32_MAX-ish release, or unset */
	bool sets_priority;
	bool sets_admin_comment;
};

struct gov_submit_request {
	enum gov_message_kind kind;
	uint64_t sequence;
	struct gov_submission submission;
	struct gov_modification modification; /* MODIFY */
};

enum gov_answer_action {
	GOV_ANSWER_PASS = 1,	/* not governed, or nothing to change */
	GOV_ANSWER_ADMIT = 2,	/* accept; start when Slurm can */
	GOV_ANSWER_WAIT = 3,	/* accept, held until quota is free */
	GOV_ANSWER_REFUSE = 4,	/* error to the user */
	GOV_ANSWER_SWALLOW = 5, /* MODIFY: succeed, but leave the priority
				   as it is: the governor took note */
};

/* Strings point into the received packet. */
struct gov_answer {
	uint64_t sequence;
	enum gov_answer_action action;
	enum gov_code code;	   /* REFUSE */
	const char *message;	   /* for the user, or NULL */
	const char *admin_comment; /* the stamp to set, or NULL */
	const char *account;	  /* to set when the user named none, or NULL */
	const char *grant;	  /* for spank_job_env, or NULL */
	const char *partition;	  /* pin, or NULL */
	const char *features;	  /* pin, or NULL */
	const char *tres_per_job; /* pin of an untyped GPU request, ... */
	bool sets_site_factor;
	int32_t site_factor; /* added to the job's priority by Slurm */
	bool sets_on_down;
	enum gov_on_down on_down; /* what the plugin does without us */
	uint32_t deadline_ms;	  /* 0: keep what the plugin has */
};

/* Everything unset: what decode starts from, and encode leaves out. */
void gov_submit_request_init(struct gov_submit_request *request);

/*
 * Encode into packet.  Returns its length, or -1 if it does not fit into
 * size or GOV_PACKET_MAX (a user sent megabytes: refuse the job, say so).
 */
long gov_submit_request_encode(const struct gov_submit_request *request,
			       void *packet, size_t size);
long gov_answer_encode(const struct gov_answer *answer, void *packet,
		       size_t size);
/*
 * Decode.  The strings of the result point into the packet, which must stay
 * as long as they are used.  Any byte sequence is safe.
 * 0, or -1 with GOV_E_PROTOCOL.
 */
int gov_submit_request_decode(const void *packet, size_t length,
			      struct gov_submit_request *request,
			      struct gov_error *error);
int gov_answer_decode(const void *packet, size_t length,
		      struct gov_answer *answer, struct gov_error *error);

#endif
