/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sgov: what the subcommands share.
 *
 * A subcommand is a file with one function, named in the table of main.c.  It
 * parses its options with sgov_parse() (options.h), asks the governor with
 * sgov_ask() (ask.h), and prints a table (table.h), or the answer itself for
 * --json.  Its return value is the exit code.
 */
#ifndef GOVERNANCE_SGOV_SGOV_H
#define GOVERNANCE_SGOV_SGOV_H

#include <stdbool.h>
#include <stddef.h>

/* Exit codes; part of the interface, see sgov(1). */
enum sgov_exit {
	SGOV_OK = 0,
	SGOV_ERROR = 1, /* nothing was found out or done */
	SGOV_USAGE = 2, /* the command line makes no sense */
	SGOV_NO = 3,	/* there is an answer, and it is no */
};

enum sgov_format { SGOV_TABLE, SGOV_PARSABLE, SGOV_JSON };

struct sgov_command;

/* One run of sgov. */
struct sgov {
	const struct sgov_command *command;
	/* As given on the command line; NULL: look elsewhere (find.h). */
	const char *host;
	const char *port;
	int timeout_ms;
	enum sgov_format format;
	bool header;
};

struct sgov_command {
	const char *name;
	const char *operands; /* for the usage line: "JOBID", or "" */
	const char *summary;  /* half a sentence, for the list of commands */
	const char *examples; /* lines for --help */
	/* argv[0] is the name of the command; returns enum sgov_exit. */
	int (*run)(struct sgov *sgov, int argc, char **argv);
};

/* The table of commands; ends with a NULL name. */
extern const struct sgov_command sgov_commands[];

/* NULL: there is none of this name. */
const struct sgov_command *sgov_find_command(const char *name);

int sgov_status(struct sgov *sgov, int argc, char **argv);
int sgov_loans(struct sgov *sgov, int argc, char **argv);
int sgov_report(struct sgov *sgov, int argc, char **argv);
int sgov_ledger(struct sgov *sgov, int argc, char **argv);
int sgov_queue(struct sgov *sgov, int argc, char **argv);
int sgov_why(struct sgov *sgov, int argc, char **argv);
int sgov_terms(struct sgov *sgov, int argc, char **argv);
int sgov_check(struct sgov *sgov, int argc, char **argv);
int sgov_simulate(struct sgov *sgov, int argc, char **argv);
int sgov_plan(struct sgov *sgov, int argc, char **argv);
int sgov_apply(struct sgov *sgov, int argc, char **argv);
int sgov_diff(struct sgov *sgov, int argc, char **argv);
int sgov_drift(struct sgov *sgov, int argc, char **argv);
int sgov_import(struct sgov *sgov, int argc, char **argv);
int sgov_reload(struct sgov *sgov, int argc, char **argv);
int sgov_hold_reclaims(struct sgov *sgov, int argc, char **argv);
int sgov_release_all(struct sgov *sgov, int argc, char **argv);
int sgov_release(struct sgov *sgov, int argc, char **argv);
int sgov_exempt(struct sgov *sgov, int argc, char **argv);
int sgov_checkpoint(struct sgov *sgov, int argc, char **argv);
int sgov_drain(struct sgov *sgov, int argc, char **argv);
int sgov_resume(struct sgov *sgov, int argc, char **argv);
int sgov_node(struct sgov *sgov, int argc, char **argv);
int sgov_ping(struct sgov *sgov, int argc, char **argv);
int sgov_help(struct sgov *sgov, int argc, char **argv);

/*
 * "sgov: error: …" and "sgov: warning: …" on stderr, one line, made safe for
 * a terminal.  sgov_error() returns SGOV_ERROR, so that it can be returned.
 */
int sgov_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void sgov_warning(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * Memory that is there: where there is none the program ends with an error.
 * Nothing of it is ever half done, since sgov only reads and prints.
 */
void *sgov_alloc(size_t size);
void *sgov_realloc(void *memory, size_t size);
char *sgov_printf(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
char *sgov_copy(const char *text);

#endif
