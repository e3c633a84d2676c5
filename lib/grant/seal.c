/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "grant/grant.h"

#include <inttypes.h>
#include <munge.h>
#include <stdlib.h>
#include <string.h>

/* NULL: out of memory, or munge refuses the socket's name. */
static munge_ctx_t create_context(const char *socket)
{
	munge_ctx_t context = munge_ctx_create();

	if (context && socket &&
	    munge_ctx_set(context, MUNGE_OPT_SOCKET, socket) !=
		    EMUNGE_SUCCESS) {
		munge_ctx_destroy(context);
		return NULL;
	}
	return context;
}

static int no_context(struct gov_error *error, const char *socket)
{
	return gov_error_set(error, GOV_E_NOMEM,
			     "munge cannot be prepared (socket %s): out of "
			     "memory",
			     socket ? socket : "default");
}

static const char *reason(munge_ctx_t context, munge_err_t result)
{
	const char *text = munge_ctx_strerror(context);

	return text ? text : munge_strerror(result);
}

char *gov_grant_seal(const struct gov_grant *grant, const char *socket,
		     struct gov_error *error)
{
	char text[GOV_GRANT_TEXT];
	int length = gov_grant_format(grant, text, sizeof(text));
	char *credential = NULL;
	munge_ctx_t context;
	munge_err_t result;

	if (length < 0) {
		gov_error_set(error, GOV_E_VALUE,
			      "a grant for uid %" PRIu32 " cannot be written: "
			      "a name or number in it is not allowed",
			      grant->uid);
		return NULL;
	}
	context = create_context(socket);
	if (!context) {
		no_context(error, socket);
		return NULL;
	}
	result = munge_ctx_set(context, MUNGE_OPT_UID_RESTRICTION, (uid_t) 0);
	if (result == EMUNGE_SUCCESS)
		result = munge_ctx_set(context, MUNGE_OPT_TTL,
				       MUNGE_TTL_MAXIMUM);
	if (result == EMUNGE_SUCCESS)
		result = munge_encode(&credential, context, text, length);
	if (result != EMUNGE_SUCCESS) {
		gov_error_set(error, GOV_E_IO,
			      "munge does not encode a grant: %s (is munged "
			      "running?)",
			      reason(context, result));
		free(credential);
		credential = NULL;
	}
	munge_ctx_destroy(context);
	return credential;
}

/* ---- opening ---- */

struct opened {
	char *payload; /* ours, or NULL */
	int length;
	uid_t encoder;
	uid_t reader; /* who alone may decode it, or MUNGE_UID_ANY */
};

/* Authentic although munge says so: its clock and memory are not ours. */
static int is_authentic(munge_err_t result)
{
	return result == EMUNGE_SUCCESS || result == EMUNGE_CRED_EXPIRED ||
	       result == EMUNGE_CRED_REWOUND || result == EMUNGE_CRED_REPLAYED;
}

static int decode(const char *credential, const char *socket,
		  struct opened *opened, struct gov_error *error)
{
	munge_ctx_t context = create_context(socket);
	void *payload = NULL;
	munge_err_t result;
	int rc = 0;

	if (!context)
		return no_context(error, socket);
	result = munge_decode(credential, context, &payload, &opened->length,
			      &opened->encoder, NULL);
	opened->payload = payload;
	if (result == EMUNGE_SOCKET)
		rc = gov_error_set(error, GOV_E_IO,
				   "munge on this node does not answer: %s; "
				   "tell your administrator",
				   reason(context, result));
	else if (!is_authentic(result))
		rc = gov_error_set(error, GOV_E_AUTH,
				   "the grant of this job is not authentic "
				   "(%s); submit the job again, and tell your "
				   "administrator if that does not help",
				   reason(context, result));
	else if (munge_ctx_get(context, MUNGE_OPT_UID_RESTRICTION,
			       &opened->reader) != EMUNGE_SUCCESS)
		opened->reader = (uid_t) MUNGE_UID_ANY;
	munge_ctx_destroy(context);
	return rc;
}

static int check_origin(const struct opened *opened, uid_t encoder,
			struct gov_error *error)
{
	if (opened->encoder != 0 && opened->encoder != encoder)
		return gov_error_set(error, GOV_E_AUTH,
				     "the grant of this job was made by uid "
				     "%ju, who is not the governor of this "
				     "cluster; tell your administrator",
				     (uintmax_t) opened->encoder);
	if (opened->reader != 0)
		return gov_error_set(error, GOV_E_AUTH,
				     "the grant of this job was not made for "
				     "nodes; tell your administrator");
	return 0;
}

static int check_use(const struct gov_grant *grant, uid_t job_uid, int64_t now,
		     int64_t max_age, struct gov_error *error)
{
	if (grant->kind != GOV_GRANT_UNDECIDED && grant->uid != job_uid)
		return gov_error_set(error, GOV_E_AUTH,
				     "the grant of this job is for uid "
				     "%" PRIu32 ", and the job belongs to uid "
				     "%ju; submit the job again",
				     grant->uid, (uintmax_t) job_uid);
	/* No sum that could overflow: issued >= 0, and now is a clock. */
	if (grant->issued > now && grant->issued - now > GOV_GRANT_SKEW)
		return gov_error_set(error, GOV_E_AUTH,
				     "the grant of this job is from the "
				     "future (%" PRId64 " s): the clocks of "
				     "this node and of the controller differ; "
				     "tell your administrator",
				     grant->issued - now);
	if (grant->issued < now && now - grant->issued > max_age)
		return gov_error_set(error, GOV_E_AUTH,
				     "the grant of this job has expired (it "
				     "is %" PRId64 " s old, and may be "
				     "%" PRId64 "); submit the job again",
				     now - grant->issued, max_age);
	return 0;
}

int gov_grant_open(const char *credential, const char *socket, uid_t encoder,
		   uid_t job_uid, int64_t now, int64_t max_age,
		   struct gov_grant *grant, struct gov_error *error)
{
	struct opened opened = { NULL, 0, 0, 0 };
	int rc;

	memset(grant, 0, sizeof(*grant));
	if (now < 0)
		return gov_error_set(error, GOV_E_INTERNAL,
				     "the clock of this node is before 1970; "
				     "tell your administrator");
	if (strnlen(credential, GOV_GRANT_MAX) == GOV_GRANT_MAX)
		return gov_error_set(error, GOV_E_PROTOCOL,
				     "the grant of this job is longer than "
				     "%d bytes, so it is none; submit the job "
				     "again",
				     GOV_GRANT_MAX - 1);
	rc = decode(credential, socket, &opened, error);
	if (rc == 0)
		rc = check_origin(&opened, encoder, error);
	if (rc == 0)
		rc = gov_grant_parse(opened.payload ? opened.payload : "",
				     (size_t) opened.length, grant, error);
	if (rc == 0)
		rc = check_use(grant, job_uid, now, max_age, error);
	if (rc != 0)
		memset(grant, 0, sizeof(*grant));
	free(opened.payload);
	return rc;
}
