/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors as values: a stable code and one sentence for the reader.
 *
 * A function that can fail takes a struct gov_error * as its last argument
 * (NULL is accepted where the caller does not care), returns -1 or NULL, and
 * leaves in it what went wrong and what to do next.  Nothing in the library
 * prints.
 */
#ifndef GOVERNANCE_CORE_ERROR_H
#define GOVERNANCE_CORE_ERROR_H

/* Codes are part of the interface: numbers never change, "GOV-<number>". */
enum gov_code {
	GOV_OK = 0,
	/* 1xx: the machine or the other side */
	GOV_E_NOMEM = 101,	/* out of memory */
	GOV_E_IO = 102,		/* a file or socket failed */
	GOV_E_TIMEOUT = 103,	/* no answer before the deadline */
	GOV_E_PROTOCOL = 104,	/* a message was malformed */
	GOV_E_AUTH = 105,	/* the peer is not who it should be */
	GOV_E_DOWN = 106,	/* the governor does not answer */
	GOV_E_INTERNAL = 107,	/* a broken invariant of ours */
	GOV_E_PERMISSION = 108, /* known, but not allowed to do this */
	GOV_E_STATE = 109,	/* not possible as things are */
	/* 2xx: configuration */
	GOV_E_SYNTAX = 201, /* text that cannot be parsed */
	GOV_E_UNKNOWN_KEY = 202,
	GOV_E_VALUE = 203,     /* value of the wrong kind or out of range */
	GOV_E_REFERENCE = 204, /* names something that does not exist */
	GOV_E_DUPLICATE = 205,
	GOV_E_OVERFLOW = 206, /* sums exceed 64 bits */
	GOV_E_OVERSOLD = 207, /* quotas exceed the pool times Oversell */
	/* 3xx: a submission is refused */
	GOV_R_NO_TEAM = 301,	  /* user is in no team */
	GOV_R_WHICH_TEAM = 302,	  /* user is in several and named none */
	GOV_R_NOT_MEMBER = 303,	  /* account of a team the user is not in */
	GOV_R_NO_CLASS = 304,	  /* unknown priority class */
	GOV_R_CLASS_DENIED = 305, /* class not allowed for this team */
	GOV_R_NO_PROJECT = 306,	  /* unknown project, or not a member */
	GOV_R_REQUEST = 307,	  /* the request cannot be understood */
	GOV_R_TOO_LARGE = 308,	  /* can never fit at this policy */
	GOV_R_CLASS_LIMIT = 309,  /* beyond the class's MaxTime or MaxTRES */
	GOV_R_NO_POOL = 310,	  /* no pool offers what is asked */
	GOV_R_DOWN = 311,	  /* OnGovernorDown=reject and it is down */
	GOV_R_NOT_ALLOWED = 312,  /* a change that governance forbids */
	GOV_R_IMMEDIATE = 313,	  /* --immediate, and quota is not free */
};

#define GOV_ERROR_TEXT 512

struct gov_error {
	enum gov_code code;
	char text[GOV_ERROR_TEXT]; /* one sentence, NUL-terminated */
};

/*
 * Fill e (which may be NULL) with a code and a formatted sentence.
 * Text beyond GOV_ERROR_TEXT - 1 bytes is cut.  Control characters are
 * replaced by '?', so that text of others can be quoted safely.
 * Returns -1 always, so that callers can "return gov_error_set(...)".
 */
int gov_error_set(struct gov_error *e, enum gov_code code, const char *format,
		  ...) __attribute__((format(printf, 3, 4)));

/* "GOV-301" into a static table entry; never NULL. */
const char *gov_code_name(enum gov_code code);

#endif
