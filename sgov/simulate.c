/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sgov simulate: what a policy would have made of a trace.  Offline. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/conf.h"
#include "sgov/files.h"
#include "sgov/options.h"
#include "sgov/sgov.h"
#include "sgov/simulate.h"

static const struct {
	enum gov_variant variant;
	const char *name;
} variants[] = {
	{ GOV_VARIANT_STATIC, "static quotas" },
	{ GOV_VARIANT_NO_QUOTA, "first come, no quotas" },
	{ GOV_VARIANT_NO_RECLAIM, "lending, no reclaim" },
};

/* ---- progress, for a person who waits ---- */

static void show_reading(size_t bytes, void *arg)
{
	(void) arg;
	fprintf(stderr, "\rreading the trace: %zu MiB", bytes >> 20);
}

static void show_running(size_t done, size_t total, void *arg)
{
	const char *name = arg;

	fprintf(stderr, "\r%-24.24s %3.0f %% of %zu jobs", name,
		100.0 * (double) done / (double) total, total);
}

static void clear_progress(void)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%60s\r", "");
}

/* ---- input ---- */

static int read_trace(struct simulation *simulation, const char *path,
		      const char *format)
{
	static const char *const names[] = { "guess", "csv", "sacct", "swf" };
	struct gov_error error;
	unsigned kind = 0;
	FILE *file;
	int rc;

	if (format) {
		while (kind < 4 && strcmp(names[kind], format))
			kind++;
		if (kind == 4)
			return sgov_usage(
				simulation->sgov,
				"--format is csv, sacct or swf, not '%s'",
				format);
	}
	file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	if (!file)
		return sgov_error("cannot open %s: %s", path, strerror(errno));
	rc = gov_trace_read(&simulation->trace, file,
			    (enum gov_trace_format) kind,
			    isatty(STDERR_FILENO) ? show_reading : NULL, NULL,
			    &error);
	if (file != stdin)
		fclose(file);
	clear_progress();
	if (rc)
		return sgov_error("%s: %s", path, error.text);
	if (simulation->trace.skipped)
		sgov_warning(
			"%zu rows of %s are left out: they ran for no time or asked for nothing",
			simulation->trace.skipped, path);
	return SGOV_OK;
}

/* ---- runs ---- */

static int run_scenario(struct simulation *simulation, const char *path,
			enum gov_variant variant, const char *name)
{
	/* Each afresh: a variant changes its policy in place. */
	struct gov_policy *policy = sgov_load_policy(path, NULL);
	struct gov_policy *reference = policy ? sgov_load_policy(path, NULL) :
						NULL;
	struct scenario *scenario;
	struct gov_error error;
	int rc = -1;

	simulation->scenario = sgov_realloc(simulation->scenario,
					    (simulation->count + 1) *
						    sizeof(*scenario));
	scenario = &simulation->scenario[simulation->count];
	*scenario = (struct scenario){ .name = sgov_copy(name) };
	simulation->options.label = scenario->name;
	if (isatty(STDERR_FILENO)) {
		simulation->options.progress = show_running;
		simulation->options.progress_arg = scenario->name;
	}
	if (policy && reference) {
		rc = gov_simulate_variant(policy, variant, &error);
		if (!rc)
			rc = gov_simulate_run(&simulation->trace, policy,
					      reference, &simulation->options,
					      &scenario->result, &error);
		clear_progress();
		if (rc)
			sgov_error("%s%s%s: %s", path, name == path ? "" : ", ",
				   name == path ? "" : name, error.text);
	}
	gov_policy_unref(reference);
	scenario->policy = policy;
	simulation->count++; /* freed with the others, filled or not */
	return rc ? SGOV_ERROR : SGOV_OK;
}

static int run_all(struct simulation *simulation, char **policies, bool compare)
{
	char default_path[4096];
	const char *first = policies[0];

	if (!first)
		first = gov_conf_path(default_path, sizeof(default_path));
	for (size_t i = 0; compare && i < sizeof(variants) / sizeof(*variants);
	     i++)
		if (run_scenario(simulation, first, variants[i].variant,
				 variants[i].name))
			return SGOV_ERROR;
	if (!policies[0])
		return run_scenario(simulation, first, GOV_VARIANT_POLICY,
				    first);
	for (; *policies; policies++)
		if (run_scenario(simulation, *policies, GOV_VARIANT_POLICY,
				 *policies))
			return SGOV_ERROR;
	return SGOV_OK;
}

/* ---- the command ---- */

static int whole_number(const struct sgov *sgov, const char *option,
			const char *text, long least, long most, long *value)
{
	char *end;

	if (!text)
		return SGOV_OK;
	*value = strtol(text, &end, 10);
	if (end == text || *end || *value < least || *value > most)
		return sgov_usage(
			sgov, "--%s takes a number from %ld to %ld, not '%s'",
			option, least, most, text);
	return SGOV_OK;
}

static int draft(struct simulation *simulation, long capacity)
{
	struct gov_error error;

	if (gov_simulate_draft(&simulation->trace, (uint64_t) capacity,
			       simulation->options.node_size, stdout, &error))
		return sgov_error("%s", error.text);
	return SGOV_OK;
}

static int simulate(struct simulation *simulation, char **operand, bool compare,
		    bool groups, const char *series)
{
	int status;

	if (series) {
		simulation->options.series = fopen(series, "we");
		if (!simulation->options.series)
			return sgov_error("cannot write %s: %s", series,
					  strerror(errno));
		fputs("scenario,time,team,pool,tres,used,borrowed,lent,waiting,pool_used\n",
		      simulation->options.series);
	}
	status = run_all(simulation, operand + 1, compare);
	if (!status)
		sgov_simulate_show(simulation, groups);
	if (series && fclose(simulation->options.series) && !status)
		status = sgov_error("cannot write %s: %s", series,
				    strerror(errno));
	return status;
}

int sgov_simulate(struct sgov *sgov, int argc, char **argv)
{
	const char *compare = NULL, *groups = NULL, *format = NULL;
	const char *node_size = NULL, *checkpoint = NULL, *capacity = NULL;
	const char *series = NULL, *sample = NULL;
	const struct sgov_option own[] = {
		{ "compare", 0, NULL,
		  "beside it: hard quotas, no quotas, no reclaim", &compare },
		{ "groups", 'g', NULL, "a row for each team and class instead",
		  &groups },
		{ "format", 0, "FORMAT",
		  "csv, sacct or swf; guessed if not given", &format },
		{ "node-size", 0, "N", "GPUs (or CPUs) on a node, default 8",
		  &node_size },
		{ "checkpoint", 0, "SECONDS",
		  "jobs keep their work up to the last multiple", &checkpoint },
		{ "series", 0, "FILE", "write a CSV time series", &series },
		{ "sample", 0, "SECONDS",
		  "time between its points, default 3600", &sample },
		{ "draft", 0, "AMOUNT",
		  "no run: print a policy for the trace, this many GPUs",
		  &capacity },
		{ 0 },
	};
	struct simulation simulation = { .sgov = sgov };
	long size = 8, keep = 0, every = 3600, amount = 0;
	int status;
	char **operand = sgov_parse_operands(sgov, own, argc, argv, 1, 64,
					     &status);

	if (!operand)
		return status;
	if (whole_number(sgov, "node-size", node_size, 1, 4096, &size) ||
	    whole_number(sgov, "checkpoint", checkpoint, 0, 31536000, &keep) ||
	    whole_number(sgov, "sample", sample, 1, 31536000, &every) ||
	    whole_number(sgov, "draft", capacity, 1, 1000000000, &amount))
		return SGOV_USAGE;
	gov_simulate_options_init(&simulation.options);
	simulation.options.node_size = (uint32_t) size;
	simulation.options.checkpoint = keep;
	simulation.options.sample = every;
	gov_trace_init(&simulation.trace);
	if (capacity && operand[1])
		return sgov_usage(sgov,
				  "--draft makes a policy, it takes none");
	status = read_trace(&simulation, operand[0], format);
	if (!status)
		status = capacity ? draft(&simulation, amount) :
				    simulate(&simulation, operand, compare,
					     groups, series);
	for (size_t i = 0; i < simulation.count; i++) {
		free(simulation.scenario[i].name);
		gov_simulate_result_free(&simulation.scenario[i].result);
		gov_policy_unref(simulation.scenario[i].policy);
	}
	free(simulation.scenario);
	gov_trace_free(&simulation.trace);
	return status;
}
