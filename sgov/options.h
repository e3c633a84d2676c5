/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of subcommands as tables: parsed, and explained by --help. */
#ifndef GOVERNANCE_SGOV_OPTIONS_H
#define GOVERNANCE_SGOV_OPTIONS_H

#include "sgov/sgov.h"

struct sgov_option {
	const char *name;     /* long name, without "--" */
	char letter;	      /* short name, or 0 */
	const char *argument; /* what it takes ("TEAM"), NULL: nothing */
	const char *help;
	const char **value; /* set to the argument, or to "" for a flag */
};

/*
 * Parse the options of a command: its own (ends with a NULL name; may be NULL
 * for none) and those that every command has.  Operands may stand between
 * options.  Returns the index of the first operand in argv, which has been
 * permuted; or -1 when the command is to end now with *status (help was
 * shown, or the usage is wrong and that has been said).
 */
int sgov_parse(struct sgov *sgov, const struct sgov_option *own, int argc,
	       char **argv, int *status);

/*
 * As sgov_parse(), for a command that takes at most `most` operands: *operand
 * is NULL-terminated by argv itself.
 */
char **sgov_parse_operands(struct sgov *sgov, const struct sgov_option *own,
			   int argc, char **argv, int least, int most,
			   int *status);

/* Options before the command; the same return value. */
int sgov_parse_global(struct sgov *sgov, int argc, char **argv, int *status);

/* The list of commands, on stdout. */
void sgov_show_commands(void);

/* "sgov: error: …" and where help is.  Returns SGOV_USAGE. */
int sgov_usage(const struct sgov *sgov, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
