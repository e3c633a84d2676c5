/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as a trace: refused with a sentence, or sorted jobs that make
 * sense; and what was read can be simulated, under a policy drafted from it,
 * with sums that add up.
 */
#include <string.h>

#include "conf/conf.h"
#include "harness.h"
#include "simulate/simulate.h"

#define JOBS_MAX 48 /* of a run */
#define CAPACITY 16

static void check_jobs(const struct gov_trace *trace)
{
	FUZZ_ASSERT(trace->count);
	for (size_t i = 0; i < trace->count; i++) {
		const struct gov_trace_job *job = &trace->job[i];

		FUZZ_ASSERT(!i || job[-1].submit <= job->submit);
		FUZZ_ASSERT(job->duration > 0);
		FUZZ_ASSERT(job->gpus || job->cpus || job->memory);
		FUZZ_ASSERT(job->gpus <= GOV_AMOUNT_MAX &&
			    job->cpus <= GOV_AMOUNT_MAX &&
			    job->memory <= GOV_AMOUNT_MAX);
		FUZZ_ASSERT(job->team < trace->name_count &&
			    trace->name[job->team][0]);
		FUZZ_ASSERT(job->user == GOV_NONE ||
			    job->user < trace->name_count);
		FUZZ_ASSERT(job->class == GOV_NONE ||
			    job->class < trace->name_count);
		FUZZ_ASSERT(job->gpu_type == GOV_NONE ||
			    job->gpu_type < trace->name_count);
	}
}

static bool near(double a, double b)
{
	double wide = 1e-9 * (a > b ? a : b) + 1e-6;

	return a - b <= wide && b - a <= wide;
}

static void check_result(const struct gov_trace *trace,
			 const struct gov_simulate_result *r,
			 enum gov_variant variant)
{
	double asked = 0, done = 0;
	bool gpus = false;

	for (size_t i = 0; i < trace->count; i++)
		gpus = gpus || trace->job[i].gpus;
	for (size_t i = 0; i < trace->count; i++)
		asked += (double) trace->job[i].duration / 3600 *
			 (double) (gpus ? trace->job[i].gpus :
					  trace->job[i].cpus);
	FUZZ_ASSERT(r->jobs == trace->count);
	FUZZ_ASSERT(r->all.wait.jobs + r->all.refused == r->jobs);
	FUZZ_ASSERT(!r->unfinished);
	FUZZ_ASSERT(r->utilization >= 0 && r->utilization < 1.000001);
	FUZZ_ASSERT(variant == GOV_VARIANT_POLICY ||
		    (!r->all.evictions && r->all.hours_lost == 0));
	for (size_t i = 0; i < r->team_count; i++) {
		done += r->team[i].hours_used - r->team[i].hours_lost;
		FUZZ_ASSERT(r->team[i].delivered >= 0 &&
			    r->team[i].delivered < 1.000001);
	}
	FUZZ_ASSERT(near(done, r->all.hours_used - r->all.hours_lost));
	FUZZ_ASSERT(r->all.refused ? done < asked * 1.000001 + 1e-6 :
				     near(done, asked));
}

static struct gov_policy *parse(const char *text, size_t size)
{
	struct gov_conf_faults faults;
	struct gov_policy *policy = gov_conf_parse(text, size, "fuzz", NULL,
						   &faults);

	FUZZ_ASSERT(policy);
	gov_conf_faults_free(&faults);
	return policy;
}

static void run(const struct gov_trace *trace, const char *text, size_t size,
		enum gov_variant variant)
{
	struct gov_policy *policy = parse(text, size);
	struct gov_policy *reference = parse(text, size);
	struct gov_simulate_options options;
	struct gov_simulate_result result;
	struct gov_error error;

	gov_simulate_options_init(&options);
	FUZZ_ASSERT(!gov_simulate_variant(policy, variant, &error));
	if (!gov_simulate_run(trace, policy, reference, &options, &result,
			      &error))
		check_result(trace, &result, variant);
	else /* a class that the draft does not have */
		FUZZ_ASSERT(error.code == GOV_E_REFERENCE);
	gov_simulate_result_free(&result);
	gov_policy_unref(policy);
	gov_policy_unref(reference);
}

static void simulate(const struct gov_trace *trace)
{
	struct gov_error error;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	int rc;

	FUZZ_ASSERT(file);
	rc = gov_simulate_draft(trace, CAPACITY, 8, file, &error);
	FUZZ_ASSERT(!fclose(file));
	for (int v = GOV_VARIANT_POLICY; !rc && v <= GOV_VARIANT_NO_RECLAIM;
	     v++)
		run(trace, text, size, (enum gov_variant) v);
	FUZZ_ASSERT(!rc || error.code == GOV_E_VALUE);
	free(text);
}

void fuzz_trace(const uint8_t *data, size_t size)
{
	FILE *file = size ? fmemopen((void *) (uintptr_t) data, size, "r") :
			    NULL;
	struct gov_error error = { 0 };
	struct gov_trace trace;
	int rc;

	if (!file)
		return;
	gov_trace_init(&trace);
	rc = gov_trace_read(&trace, file, GOV_TRACE_GUESS, NULL, NULL, &error);
	fclose(file);
	FUZZ_ASSERT(rc == 0 || (rc == -1 && error.text[0]));
	if (!rc) {
		check_jobs(&trace);
		if (trace.count <= JOBS_MAX)
			simulate(&trace);
	}
	gov_trace_free(&trace);
}
