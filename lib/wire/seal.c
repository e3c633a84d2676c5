/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wire/seal.h"

#include <munge.h>
#include <stdlib.h>

/* What a person can do about a failure of munge. */
static int munge_failed(struct gov_error *error, munge_err_t code,
			const char *socket)
{
	switch (code) {
	case EMUNGE_SOCKET:
	case EMUNGE_TIMEOUT:
		return gov_error_set(
			error, GOV_E_AUTH,
			"munged does not answer%s%s: start it (systemctl start munge) or set GOVERNANCE_MUNGE_SOCKET to its socket",
			socket ? " on " : "", socket ? socket : "");
	case EMUNGE_NO_MEMORY:
		return gov_error_set(error, GOV_E_NOMEM, "out of memory");
	case EMUNGE_CRED_EXPIRED:
	case EMUNGE_CRED_REWOUND:
		return gov_error_set(
			error, GOV_E_AUTH,
			"the message was signed at another time than now (%s): compare the clocks of both hosts",
			munge_strerror(code));
	case EMUNGE_CRED_REPLAYED:
		return gov_error_set(
			error, GOV_E_AUTH,
			"the message has been received before: somebody repeats old messages");
	case EMUNGE_CRED_UNAUTHORIZED:
		return gov_error_set(error, GOV_E_AUTH,
				     "the message was signed for another user");
	case EMUNGE_CRED_INVALID:
		return gov_error_set(
			error, GOV_E_AUTH,
			"the message was signed with another munge key: both hosts need the same key");
	default:
		return gov_error_set(error, GOV_E_AUTH,
				     "munge refused the message: %s",
				     munge_strerror(code));
	}
}

static munge_ctx_t make_context(const char *socket, struct gov_error *error)
{
	munge_ctx_t context = munge_ctx_create();
	munge_err_t code;

	if (!context) {
		gov_error_set(error, GOV_E_NOMEM, "out of memory");
		return NULL;
	}
	if (!socket)
		return context;
	code = munge_ctx_set(context, MUNGE_OPT_SOCKET, socket);
	if (code == EMUNGE_SUCCESS)
		return context;
	munge_failed(error, code, socket);
	munge_ctx_destroy(context);
	return NULL;
}

char *gov_seal(const char *munge_socket, uid_t reader, const void *data,
	       size_t length, struct gov_error *error)
{
	munge_ctx_t context = make_context(munge_socket, error);
	munge_err_t code = EMUNGE_SUCCESS;
	char *credential = NULL;

	if (!context)
		return NULL;
	if (reader != (uid_t) -1)
		code = munge_ctx_set(context, MUNGE_OPT_UID_RESTRICTION,
				     reader);
	if (code == EMUNGE_SUCCESS)
		code = munge_encode(&credential, context, data, (int) length);
	munge_ctx_destroy(context);
	if (code == EMUNGE_SUCCESS)
		return credential;
	munge_failed(error, code, munge_socket);
	free(credential);
	return NULL;
}

void *gov_unseal(const char *munge_socket, const char *credential,
		 size_t *length, uid_t *uid, gid_t *gid,
		 struct gov_error *error)
{
	munge_ctx_t context = make_context(munge_socket, error);
	munge_err_t code;
	void *data = NULL;
	int n = 0;

	if (!context)
		return NULL;
	code = munge_decode(credential, context, &data, &n, uid, gid);
	munge_ctx_destroy(context);
	if (code == EMUNGE_SUCCESS && data && n >= 0) {
		*length = (size_t) n;
		return data;
	}
	free(data);
	if (code == EMUNGE_SUCCESS)
		gov_error_set(error, GOV_E_PROTOCOL, "the message is empty");
	else
		munge_failed(error, code, munge_socket);
	return NULL;
}
