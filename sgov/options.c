/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPTIONS 32
#define DEFAULT_TIMEOUT_MS 10000

/* Values of the options that every command has. */
struct common {
	const char *json, *parsable, *noheader, *host, *port, *timeout;
	const char *help, *version;
};

struct table {
	struct sgov_option option[MAX_OPTIONS];
	size_t count;
	struct option longs[MAX_OPTIONS + 1];
	char shorts[3 * MAX_OPTIONS + 2];
};

static void add_option(struct table *table, const struct sgov_option *option)
{
	struct option *l = &table->longs[table->count];
	char letter[2] = { option->letter, '\0' };

	if (table->count == MAX_OPTIONS)
		abort();
	l->name = option->name;
	l->has_arg = option->argument ? required_argument : no_argument;
	l->val = 256 + (int) table->count;
	if (option->letter) {
		strcat(table->shorts, letter);
		if (option->argument)
			strcat(table->shorts, ":");
	}
	table->option[table->count++] = *option;
}

static void add_common(struct table *table, struct common *common)
{
	const struct sgov_option options[] = {
		{ "json", 0, NULL, "print the answer as JSON", &common->json },
		{ "parsable2", 'P', NULL,
		  "print \"a|b|c\" with bare numbers, for programs",
		  &common->parsable },
		{ "noheader", 'n', NULL, "leave the line of headers out",
		  &common->noheader },
		{ "host", 0, "HOST", "ask the governor on this host",
		  &common->host },
		{ "port", 0, "PORT", "and at this TCP port", &common->port },
		{ "timeout", 0, "SECONDS",
		  "wait so long for an answer (default 10)", &common->timeout },
		{ "help", 'h', NULL, "show this and stop", &common->help },
		{ "version", 'V', NULL, "show the version and stop",
		  &common->version },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		add_option(table, &options[i]);
}

/* ---- help ---- */

static void show_options(const char *title, const struct sgov_option *option,
			 size_t count)
{
	if (!count)
		return;
	printf("\n%s:\n", title);
	for (size_t i = 0; i < count; i++) {
		char left[64], letter[8] = "    ";

		if (option[i].letter)
			snprintf(letter, sizeof(letter), "-%c, ",
				 option[i].letter);
		snprintf(left, sizeof(left), "%s--%s%s%s", letter,
			 option[i].name, option[i].argument ? "=" : "",
			 option[i].argument ? option[i].argument : "");
		printf("  %-23s %s\n", left, option[i].help);
	}
}

void sgov_show_commands(void)
{
	puts("Commands:");
	for (const struct sgov_command *c = sgov_commands; c->name; c++)
		printf("  %-13s %s\n", c->name, c->summary);
}

static void show_help(const struct sgov *sgov, const struct table *table,
		      size_t own)
{
	const struct sgov_command *command = sgov->command;

	if (!command) {
		puts("Usage: sgov [OPTIONS] COMMAND [OPTIONS] [OPERANDS]\n\n"
		     "Quotas that teams lend and borrow on a Slurm cluster.\n");
		sgov_show_commands();
	} else {
		printf("Usage: sgov %s [OPTIONS]%s%s\n\nsgov %s: %s.\n",
		       command->name, *command->operands ? " " : "",
		       command->operands, command->name, command->summary);
		show_options("Options", table->option, own);
	}
	show_options("Options of every command", table->option + own,
		     table->count - own);
	printf("\nExamples:\n%s", command ? command->examples :
					    "  sgov status\n"
					    "  sgov why 1234\n"
					    "  sgov help queue\n");
	puts("\nExit code: 0 done, 1 error, 2 wrong usage, 3 the answer is no. See sgov(1).");
}

int sgov_usage(const struct sgov *sgov, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = sgov_copy("wrong usage");
	va_end(args);
	sgov_error("%s; try 'sgov %s%s--help'", text,
		   sgov->command ? sgov->command->name : "",
		   sgov->command ? " " : "");
	free(text);
	return SGOV_USAGE;
}

/* ---- parsing ---- */

static const struct sgov_option *option_of(const struct table *table, int val)
{
	if (val >= 256)
		return &table->option[val - 256];
	for (size_t i = 0; i < table->count; i++)
		if (table->option[i].letter == val)
			return &table->option[i];
	return NULL;
}

static int wrong_option(const struct sgov *sgov, const struct table *table,
			int val, char **argv)
{
	const struct sgov_option *option;

	if (val == ':' && (option = option_of(table, optopt)))
		return sgov_usage(sgov, "option --%s needs a value: --%s=%s",
				  option->name, option->name, option->argument);
	if (optopt >= 256)
		return sgov_usage(sgov, "option --%s takes no value",
				  table->option[optopt - 256].name);
	if (optopt)
		return sgov_usage(sgov, "unknown option -%c", optopt);
	return sgov_usage(sgov, "unknown or ambiguous option %s",
			  argv[optind - 1]);
}

/* Seconds, with a fraction, into milliseconds; -1 if it makes no sense. */
static int parse_seconds(const char *text)
{
	char *end;
	double seconds;

	errno = 0;
	seconds = strtod(text, &end);
	if (errno || end == text || *end || !(seconds > 0) || seconds > 86400)
		return -1;
	return (int) (seconds * 1000);
}

static int apply_common(struct sgov *sgov, const struct common *common)
{
	if (common->json && common->parsable)
		return sgov_usage(sgov,
				  "--json and --parsable2 exclude each other");
	if (common->json)
		sgov->format = SGOV_JSON;
	if (common->parsable)
		sgov->format = SGOV_PARSABLE;
	if (common->noheader)
		sgov->header = false;
	if (common->host)
		sgov->host = common->host;
	if (common->port)
		sgov->port = common->port;
	if (!sgov->timeout_ms)
		sgov->timeout_ms = DEFAULT_TIMEOUT_MS;
	if (common->timeout) {
		sgov->timeout_ms = parse_seconds(common->timeout);
		if (sgov->timeout_ms < 0)
			return sgov_usage(
				sgov,
				"--timeout=%s: give seconds from 0.001 to 86400",
				common->timeout);
	}
	return SGOV_OK;
}

static int parse(struct sgov *sgov, const struct sgov_option *own,
		 const char *mode, int argc, char **argv, int *status)
{
	struct common common = { 0 };
	struct table table = { 0 };
	size_t owned;
	int val;

	strcpy(table.shorts, mode);
	for (; own && own->name; own++)
		add_option(&table, own);
	owned = table.count;
	add_common(&table, &common);
	optind = 0;
	opterr = 0;
	while ((val = getopt_long(argc, argv, table.shorts, table.longs,
				  NULL)) != -1) {
		const struct sgov_option *option = option_of(&table, val);

		if (val == '?' || val == ':' || !option) {
			*status = wrong_option(sgov, &table, val, argv);
			return -1;
		}
		*option->value = optarg ? optarg : "";
	}
	*status = SGOV_OK;
	if (common.help)
		show_help(sgov, &table, owned);
	else if (common.version)
		puts("sgov " GOV_VERSION);
	else
		*status = apply_common(sgov, &common);
	return common.help || common.version || *status ? -1 : optind;
}

int sgov_parse(struct sgov *sgov, const struct sgov_option *own, int argc,
	       char **argv, int *status)
{
	return parse(sgov, own, ":", argc, argv, status);
}

int sgov_parse_global(struct sgov *sgov, int argc, char **argv, int *status)
{
	return parse(sgov, NULL, "+:", argc, argv, status);
}

char **sgov_parse_operands(struct sgov *sgov, const struct sgov_option *own,
			   int argc, char **argv, int least, int most,
			   int *status)
{
	int first = sgov_parse(sgov, own, argc, argv, status);
	int count = argc - first;

	if (first < 0)
		return NULL;
	if (count > most)
		*status = sgov_usage(sgov, "'%s' is one operand too many",
				     argv[first + most]);
	else if (count < least)
		*status = sgov_usage(sgov, "%s is missing",
				     sgov->command->operands);
	else
		return argv + first;
	return NULL;
}
