/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stamp: what must survive with a job, kept in its AdminComment.
 *
 * Only SlurmUser and operators can set AdminComment, so it is trusted as far
 * as they are; the reader nevertheless survives any text.  One stamp per
 * comment, in the form
 *
 *	[gov1 state=waiting team=vision class=training nonce=… …]
 *
 * (words of key=value, one blank between them, in brackets).  Text of others
 * before and after it is kept.  A reader skips keys that it does not know; a
 * change that it must not skip raises the number behind "gov".  stamp.c has
 * the only reader and the only writer.
 */
#ifndef GOVERNANCE_STAMP_STAMP_H
#define GOVERNANCE_STAMP_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GOV_STAMP_NAME 64  /* longest name in a stamp, with NUL */
#define GOV_STAMP_TEXT 768 /* longest stamp, with NUL */

enum gov_stamp_state {
	GOV_STAMP_UNDECIDED, /* accepted while the governor was down */
	GOV_STAMP_WAITING,
	GOV_STAMP_CLAIMING,
	GOV_STAMP_ADMITTED,
	GOV_STAMP_RECLAIMING,
};

struct gov_stamp {
	enum gov_stamp_state state;
	char team[GOV_STAMP_NAME];
	char project[GOV_STAMP_NAME]; /* "" if none */
	char class_name[GOV_STAMP_NAME];
	char pool[GOV_STAMP_NAME];
	uint64_t nonce;	   /* correlates a submission with its job id */
	int64_t submitted; /* first submission, epoch seconds */
	bool user_hold;	   /* the *user* wants it held */
	bool no_borrow;
	uint32_t evictions;
	uint64_t asker;	  /* see struct gov_job */
	int64_t deadline; /* RECLAIMING: end of the grace */
	int64_t checkpoint;
	uint8_t rule;
	bool signalled;	       /* RECLAIMING: it was told; tell it only once */
	uint8_t signal;	       /* --signal of its user, 0: none */
	bool signal_batch;     /* ... for the batch shell alone (B:) */
	bool unadmitted;       /* it runs, and nobody admitted it */
	bool released;	       /* by an operator, in spite of quota */
	bool exempt;	       /* by an operator: nobody takes it back */
	uint32_t operator_uid; /* who ordered that last, if `ordered` */
	int64_t ordered;       /* when, or 0 */
};

/* The number as `signal` keeps it: what can be no signal is none. */
static inline uint8_t gov_stamp_signal(uint64_t number)
{
	return number <= 64 ? (uint8_t) number : 0;
}

/* It was told to leave, and stays after all. */
void gov_stamp_call_back(struct gov_stamp *stamp);

/* All zero, state undecided. */
void gov_stamp_init(struct gov_stamp *stamp);

/*
 * Write the stamp into text (NUL-terminated).  Returns its length, or -1 if
 * it does not fit (GOV_STAMP_TEXT always does) or cannot be written: a name
 * with characters outside [A-Za-z0-9_.@+-] or without its NUL, a negative
 * time, a state that there is not.
 */
int gov_stamp_format(const struct gov_stamp *stamp, char *text, size_t size);

/*
 * Read the first well-formed stamp of a comment (NULL allowed).
 * 1: found; 0: there is none; -1: there is one that is damaged (cut, a field
 * twice, a value that is none) or of a version that this code does not know.
 * Unless 1 is returned *stamp is as gov_stamp_init() leaves it.
 */
int gov_stamp_parse(const char *comment, struct gov_stamp *stamp);

/*
 * A new comment: comment with its stamp (if any) replaced by `stamp`, or with
 * the stamp and a blank put in front; NULL stamp: without any stamp.  Damaged,
 * newer and surplus stamps are taken out, each leaving at most two blanks;
 * text of others is kept byte for byte.  The result has exactly one stamp, or
 * none.  malloc()ed, the caller frees; NULL: out of memory or stamp invalid.
 */
char *gov_stamp_apply(const char *comment, const struct gov_stamp *stamp);

#endif
