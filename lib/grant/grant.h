/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grant: what the controller vouches for when a job starts on a node.
 *
 * A munge credential, decodable by root only, whose payload is a line of
 * "key=value" fields.  Made by slurmgovd (SlurmUser), handed to the node in
 * the prolog's environment, verified there as root.  Who encoded it is told
 * by munge; how old it may be is judged by us.
 *
 * Three kinds:
 *   job		this user's job, judged: team and class are known
 *   exempt	this user's job, not governed (ExemptUsers, Ungoverned=allow);
 *		it may run and is told nothing
 *   undecided	any user's; the plugin attaches it while the governor is down,
 *		having got it in advance.  It says "came in through governance"
 *		and nothing else: such a job is held until it is judged, and
 *		its environment cannot be changed any more then.
 */
#ifndef GOVERNANCE_GRANT_GRANT_H
#define GOVERNANCE_GRANT_GRANT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/error.h"

#define GOV_GRANT_NAME 64
#define GOV_GRANT_MAX 4096  /* longest credential accepted, with NUL */
#define GOV_GRANT_TEXT 1024 /* longest payload, with NUL */
/* In spank_job_env without, in the prolog's environment with "SPANK_". */
#define GOV_GRANT_ENV "GOV_GRANT"
#define GOV_GRANT_ANY_UID UINT32_MAX /* of kind undecided, and of no other */
#define GOV_GRANT_SKEW 300	     /* seconds that clocks may differ */

enum gov_grant_kind {
	GOV_GRANT_JOB,
	GOV_GRANT_EXEMPT,
	GOV_GRANT_UNDECIDED,
};

/*
 * Names are "" or of [A-Za-z0-9_.@+-].  Kind job has a team and a class;
 * exempt and undecided have no names, no signal and no grace.
 */
struct gov_grant {
	enum gov_grant_kind kind;
	uint32_t uid;
	char team[GOV_GRANT_NAME];
	char project[GOV_GRANT_NAME];
	char class_name[GOV_GRANT_NAME];
	char isolation[GOV_GRANT_NAME];
	char digest[17];       /* of the policy: hex, or "" */
	int64_t issued;	       /* epoch seconds */
	int reclaim_signal;    /* 0..64 */
	int64_t reclaim_grace; /* seconds */
};

/* "job", "exempt", "undecided"; NULL for anything else. */
const char *gov_grant_kind_name(enum gov_grant_kind kind);

/*
 * Payload text (NUL-terminated).  Its length, or -1: no room, or a grant that
 * is against the rules above.  GOV_GRANT_TEXT always has room.
 */
int gov_grant_format(const struct gov_grant *grant, char *text, size_t size);

/*
 * Strict: every field exactly once, in the order of writing, and nothing
 * else.  length is without NUL; text needs none.  0, or -1 with GOV_E_PROTOCOL.
 */
int gov_grant_parse(const char *text, size_t length, struct gov_grant *grant,
		    struct gov_error *error);

/*
 * Seal: encode with munge for uid 0.  socket may be NULL (default).  Blocks
 * on munged: never call it from an event loop.  malloc()ed string, or NULL
 * (GOV_E_VALUE: grant against the rules; GOV_E_IO: munge).
 */
char *gov_grant_seal(const struct gov_grant *grant, const char *socket,
		     struct gov_error *error);

/*
 * Open and verify on a node, as root: decoded by munge, encoded by
 * `encoder` or root, for root only, for this uid (or kind undecided), issued
 * no longer than max_age seconds before now and not more than GOV_GRANT_SKEW
 * after it.  0, or -1 with a sentence for the user of the job; *grant is then
 * all zero.  Munge's own expiry and replay are not errors here: a job waits
 * longer than a credential lives, and a grant opens on every node of a job.
 */
int gov_grant_open(const char *credential, const char *socket, uid_t encoder,
		   uid_t job_uid, int64_t now, int64_t max_age,
		   struct gov_grant *grant, struct gov_error *error);

#endif
