/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grant: what the controller vouches for when a job starts on a node.
 *
 * A munge credential, decodable by root only, whose payload is a line of
 * "key=value" fields.  Made by slurmgovd (SlurmUser), handed to the node in
 * the prolog's environment, verified there as root.  Who encoded it is told
 * by munge; how old it may be is judged by us.
 */
#ifndef GOVERNANCE_GRANT_GRANT_H
#define GOVERNANCE_GRANT_GRANT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/error.h"

#define GOV_GRANT_NAME 64
#define GOV_GRANT_MAX 4096	/* longest credential accepted */
/* In spank_job_env without, in the prolog's environment with "SPANK_". */
#define GOV_GRANT_ENV "GOV_GRANT"

struct gov_grant {
	uint32_t uid;
	char team[GOV_GRANT_NAME];
	char project[GOV_GRANT_NAME];
	char class_name[GOV_GRANT_NAME];
	char isolation[GOV_GRANT_NAME];
	char digest[17];	/* of the policy */
	int64_t issued;		/* epoch seconds */
	int reclaim_signal;
	int64_t reclaim_grace;	/* seconds */
};

/* Payload text, at most size - 1 bytes.  Length, or -1 (bad name, no room). */
int gov_grant_format(const struct gov_grant *grant, char *text, size_t size);

/* Strict: every field exactly once, nothing else.  0 or -1 with error. */
int gov_grant_parse(const char *text, size_t length, struct gov_grant *grant,
		    struct gov_error *error);

/*
 * Seal: encode with munge for uid 0.  socket may be NULL (default).  Blocks
 * on munged: never call it from an event loop.  malloc()ed string, or NULL.
 */
char *gov_grant_seal(const struct gov_grant *grant, const char *socket,
		     struct gov_error *error);

/*
 * Open and verify on a node, as root: decoded by munge, encoded by
 * `encoder` or root, for this uid, issued no longer than max_age seconds
 * before now and not more than 300 s after it.  0, or -1 with a sentence for
 * the user of the job.  Munge's own expiry and replay are not errors here.
 */
int gov_grant_open(const char *credential, const char *socket, uid_t encoder,
		   uid_t job_uid, int64_t now, int64_t max_age,
		   struct gov_grant *grant, struct gov_error *error);

#endif
