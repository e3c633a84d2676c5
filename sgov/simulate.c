/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sgov simulate: what a policy would have made of a trace.  Offline. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/conf.h"
#include "sgov/options.h"
#include "sgov/sgov.h"
#include "sgov/table.h"
#include "simulate/simulate.h"

struct scenario {
	char *name;
	struct gov_simulate_result result;
};

struct simulation {
	struct sgov *sgov;
	struct gov_trace trace;
	struct gov_simulate_options options;
	struct scenario *scenario;
	size_t count;
};

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
			return sgov_usage(simulation->sgov,
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
		sgov_warning("%zu rows of %s are left out: they ran for no time or asked for nothing",
			     simulation->trace.skipped, path);
	return SGOV_OK;
}

/* Load afresh each time: a variant changes its policy in place. */
static struct gov_policy *load_policy(const char *path)
{
	struct gov_conf_faults faults;
	struct gov_policy *policy = gov_conf_load(path, NULL, &faults);

	for (size_t i = 0; i < faults.count && !policy; i++) {
		char *text = gov_conf_fault_string(&faults.item[i]);

		if (!faults.item[i].warning)
			sgov_error("%s", text ? text : "out of memory");
		free(text);
	}
	gov_conf_faults_free(&faults);
	return policy;
}

/* ---- runs ---- */

static int run_scenario(struct simulation *simulation, const char *path,
			enum gov_variant variant, const char *name)
{
	struct gov_policy *policy = load_policy(path);
	struct gov_policy *reference = load_policy(path);
	struct scenario *scenario;
	struct gov_error error;
	int rc = -1;

	simulation->scenario = sgov_realloc(simulation->scenario,
		(simulation->count + 1) * sizeof(*scenario));
	scenario = &simulation->scenario[simulation->count];
	scenario->name = sgov_copy(name);
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
			sgov_error("%s (%s): %s", path, name, error.text);
	}
	gov_policy_unref(policy);
	gov_policy_unref(reference);
	if (rc) {
		free(scenario->name);
		return SGOV_ERROR;
	}
	simulation->count++;
	return SGOV_OK;
}

static int run_all(struct simulation *simulation, char **policies,
		   bool compare)
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

/* ---- output ---- */

static void number(struct sgov_table *table, const char *format, double value)
{
	char text[64];

	snprintf(text, sizeof(text), format, value);
	sgov_table_text(table, text);
}

static void show_scenarios(const struct simulation *simulation)
{
	static const struct sgov_column columns[] = {
		{ .name = "SCENARIO" },
		{ .name = "USED%", .right = true },
		{ .name = "WAIT_MEAN", .right = true },
		{ .name = "WAIT_P50", .right = true },
		{ .name = "WAIT_P95", .right = true },
		{ .name = "OWED_JOBS", .right = true },
		{ .name = "OWED_MEAN", .right = true },
		{ .name = "OWED_P95", .right = true },
		{ .name = "OWED_MAX", .right = true },
		{ .name = "EVICTED", .right = true },
		{ .name = "HOURS_LOST", .right = true },
		{ .name = "LOST%", .right = true },
		{ .name = "JAIN", .right = true },
		{ .name = "REFUSED", .right = true },
		{ .name = "UNFINISHED", .right = true },
		{ 0 },
	};
	struct sgov_table *table = sgov_table_create(simulation->sgov, columns);

	for (size_t i = 0; i < simulation->count; i++) {
		const struct gov_simulate_result *r =
			&simulation->scenario[i].result;

		sgov_table_text(table, simulation->scenario[i].name);
		number(table, "%.1f", 100 * r->utilization);
		number(table, "%.0f", r->wait_mean);
		number(table, "%.0f", r->wait_p50);
		number(table, "%.0f", r->wait_p95);
		sgov_table_number(table, r->owed);
		number(table, "%.0f", r->owed_mean);
		number(table, "%.0f", r->owed_p95);
		number(table, "%.0f", r->owed_max);
		sgov_table_number(table, r->evictions);
		number(table, "%.0f", r->hours_lost);
		number(table, "%.2f", r->hours_used > 0 ?
		       100 * r->hours_lost / r->hours_used : 0);
		number(table, "%.3f", r->jain);
		sgov_table_number(table, r->refused);
		sgov_table_number(table, r->unfinished);
	}
	sgov_table_print(table);
	sgov_table_destroy(table);
}

static void group_rows(struct sgov_table *table, const char *scenario,
		       const char *kind, const struct gov_simulate_group *group,
		       size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!group[i].jobs)
			continue;
		sgov_table_text(table, scenario);
		sgov_table_text(table, kind);
		sgov_table_text(table, group[i].name);
		sgov_table_number(table, group[i].jobs);
		number(table, "%.0f", group[i].wait_mean);
		number(table, "%.0f", group[i].wait_p50);
		number(table, "%.0f", group[i].wait_p95);
		number(table, "%.0f", group[i].hours_used);
		number(table, "%.0f", group[i].hours_borrowed);
		number(table, "%.0f", group[i].hours_lost);
		sgov_table_number(table, group[i].evictions);
	}
}

static void show_groups(const struct simulation *simulation)
{
	static const struct sgov_column columns[] = {
		{ .name = "SCENARIO" },
		{ .name = "BY" },
		{ .name = "NAME" },
		{ .name = "JOBS", .right = true },
		{ .name = "WAIT_MEAN", .right = true },
		{ .name = "WAIT_P50", .right = true },
		{ .name = "WAIT_P95", .right = true },
		{ .name = "HOURS", .right = true },
		{ .name = "BORROWED", .right = true },
		{ .name = "LOST", .right = true },
		{ .name = "EVICTED", .right = true },
		{ 0 },
	};
	struct sgov_table *table = sgov_table_create(simulation->sgov, columns);

	for (size_t i = 0; i < simulation->count; i++) {
		const struct scenario *s = &simulation->scenario[i];

		group_rows(table, s->name, "team", s->result.team,
			   s->result.team_count);
		group_rows(table, s->name, "class", s->result.class,
			   s->result.class_count);
	}
	sgov_table_print(table);
	sgov_table_destroy(table);
}

static void add_double(struct json_object *object, const char *key,
		       double value)
{
	json_object_object_add(object, key, json_object_new_double(value));
}

static void add_count(struct json_object *object, const char *key,
		      size_t value)
{
	json_object_object_add(object, key,
			       json_object_new_int64((int64_t) value));
}

static struct json_object *groups_json(const struct gov_simulate_group *group,
				       size_t count)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < count; i++) {
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "name",
				       json_object_new_string(group[i].name));
		add_count(o, "jobs", group[i].jobs);
		add_double(o, "wait_mean_s", group[i].wait_mean);
		add_double(o, "wait_p50_s", group[i].wait_p50);
		add_double(o, "wait_p95_s", group[i].wait_p95);
		add_double(o, "hours_used", group[i].hours_used);
		add_double(o, "hours_borrowed", group[i].hours_borrowed);
		add_double(o, "hours_lost", group[i].hours_lost);
		add_count(o, "evictions", group[i].evictions);
		json_object_array_add(array, o);
	}
	return array;
}

static struct json_object *scenario_json(const struct scenario *scenario)
{
	const struct gov_simulate_result *r = &scenario->result;
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "scenario",
			       json_object_new_string(scenario->name));
	add_count(o, "jobs", r->jobs);
	add_count(o, "refused", r->refused);
	add_count(o, "unfinished", r->unfinished);
	add_double(o, "utilization", r->utilization);
	add_double(o, "wait_mean_s", r->wait_mean);
	add_double(o, "wait_p50_s", r->wait_p50);
	add_double(o, "wait_p95_s", r->wait_p95);
	add_count(o, "owed_jobs", r->owed);
	add_double(o, "owed_wait_mean_s", r->owed_mean);
	add_double(o, "owed_wait_p50_s", r->owed_p50);
	add_double(o, "owed_wait_p95_s", r->owed_p95);
	add_double(o, "owed_wait_max_s", r->owed_max);
	add_count(o, "evictions", r->evictions);
	add_double(o, "hours_used", r->hours_used);
	add_double(o, "hours_borrowed", r->hours_borrowed);
	add_double(o, "hours_lost", r->hours_lost);
	add_double(o, "jain", r->jain);
	add_double(o, "makespan_s", r->makespan);
	json_object_object_add(o, "teams",
			       groups_json(r->team, r->team_count));
	json_object_object_add(o, "classes",
			       groups_json(r->class, r->class_count));
	return o;
}

static void show_json(const struct simulation *simulation)
{
	struct json_object *top = json_object_new_object();
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < simulation->count; i++)
		json_object_array_add(array, scenario_json(
			&simulation->scenario[i]));
	json_object_object_add(top, "scenarios", array);
	puts(json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY));
	json_object_put(top);
}

static void show(const struct simulation *simulation, bool groups)
{
	if (simulation->sgov->format == SGOV_JSON) {
		show_json(simulation);
		return;
	}
	if (groups) {
		show_groups(simulation);
		return;
	}
	show_scenarios(simulation);
	if (simulation->sgov->format == SGOV_TABLE && simulation->sgov->header)
		puts("\nTimes in seconds.  OWED: jobs that fitted into what their team's quota had\n"
		     "left when they came; their wait is the time to get one's own back.");
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
		return sgov_usage(sgov, "--%s takes a number from %ld to %ld, not '%s'",
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

static int simulate(struct simulation *simulation, char **operand,
		    bool compare, bool groups, const char *series)
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
		show(simulation, groups);
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
		{ "compare", 'c', NULL, "beside it: hard quotas, no quotas, no reclaim", &compare },
		{ "groups", 'g', NULL, "a row for each team and class instead", &groups },
		{ "format", 0, "FORMAT", "csv, sacct or swf; guessed if not given", &format },
		{ "node-size", 0, "N", "GPUs (or CPUs) on a node, default 8", &node_size },
		{ "checkpoint", 0, "SECONDS", "jobs keep their work up to the last multiple", &checkpoint },
		{ "series", 0, "FILE", "write a CSV time series", &series },
		{ "sample", 0, "SECONDS", "time between its points, default 3600", &sample },
		{ "draft", 0, "AMOUNT", "no run: print a policy for the trace, this many GPUs", &capacity },
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
	status = read_trace(&simulation, operand[0], format);
	if (!status)
		status = capacity ? draft(&simulation, amount) :
			simulate(&simulation, operand, compare, groups, series);
	for (size_t i = 0; i < simulation.count; i++) {
		free(simulation.scenario[i].name);
		gov_simulate_result_free(&simulation.scenario[i].result);
	}
	free(simulation.scenario);
	gov_trace_free(&simulation.trace);
	return status;
}
