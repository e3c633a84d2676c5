/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What slurmctld calls.  See README. */
#include <inttypes.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "plugins/job_submit/apply.h"
#include "plugins/job_submit/ask.h"
#include "plugins/job_submit/describe.h"
#include "plugins/job_submit/down.h"
#include "plugins/job_submit/settings.h"
#include "plugins/job_submit/spare.h"
#include "plugins/job_submit/spankenv.h"
#include "plugins/job_submit/times.h"
#include "slurm/compat.h"

const char plugin_name[] = "Task governance";
const char plugin_type[] = "job_submit/governance";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

int init(void);
int fini(void);
int job_submit(job_desc_msg_t *desc, uint32_t submit_uid, char **message);
#if GOV_MODIFY_HAS_MESSAGE
int job_modify(job_desc_msg_t *desc, void *job, uint32_t uid, char **message);
#else
int job_modify(job_desc_msg_t *desc, void *job, uint32_t uid);
#endif

#define QUIET_SECONDS 60 /* between two lines on the same trouble */

static atomic_bool governor_down;
static atomic_int_fast64_t last_complaint;

int init(void)
{
	settings_start();
	times_start();
	slurm_verbose("job_submit/governance: loaded");
	return SLURM_SUCCESS;
}

int fini(void)
{
	settings_stop();
	ask_stop();
	times_stop();
	atomic_store(&governor_down, false);
	return SLURM_SUCCESS;
}

/* Log a change for the worse at once, and then now and again. */
static void complain(const struct gov_error *error, enum gov_on_down on_down)
{
	static const char *const words[] = { "wait", "pass", "reject" };
	struct timespec now;
	int64_t last = atomic_load(&last_complaint);
	bool first = !atomic_exchange(&governor_down, true);

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!first && now.tv_sec < last + QUIET_SECONDS)
		return;
	atomic_store(&last_complaint, now.tv_sec);
	slurm_error("job_submit/governance: %s; OnGovernorDown=%s is in force",
		    error->text, words[on_down]);
}

static void note_answer(const struct gov_answer *answer)
{
	settings_learn(answer);
	if (atomic_load(&governor_down) &&
	    atomic_exchange(&governor_down, false))
		slurm_info("job_submit/governance: the governor answers "
			   "again");
}

/*
 * 0: *answer is the governor's.  1: he could not be asked, *on_down says what
 * to do.  -1: the job cannot even be described.
 */
static int ask(struct gov_submit_request *request, struct ask_room *room,
	       struct gov_answer *answer, enum gov_on_down *on_down,
	       struct gov_error *error)
{
	struct gov_plugin_settings settings;

	if (!ask_governor(request, room, answer, error)) {
		note_answer(answer);
		return 0;
	}
	if (error->code == GOV_R_REQUEST)
		return -1;
	settings_get(&settings);
	*on_down = settings.on_down;
	complain(error, *on_down);
	settings_refresh();
	return 1;
}

/* What is let through without a grant of its own takes the spare one. */
static void complete(struct gov_answer *answer, char grant[GOV_GRANT_MAX])
{
	if (spare_is_due())
		settings_refresh();
	if (answer->action != GOV_ANSWER_REFUSE && !answer->grant &&
	    spare_get(grant))
		answer->grant = grant;
}

static int submit(job_desc_msg_t *desc, uint32_t submit_uid, char **message)
{
	struct describe_room describe_room;
	struct gov_submit_request request;
	struct down_room down_room;
	struct ask_room ask_room;
	enum gov_on_down on_down;
	struct gov_answer answer;
	struct gov_error error = { .code = GOV_OK };
	char grant[GOV_GRANT_MAX];
	int rc;

	if (spankenv_check(desc, &error))
		return apply_error(&error, message);
	spankenv_remove_grants(desc);
	describe_submit(desc, submit_uid, &describe_room, &request);
	rc = ask(&request, &ask_room, &answer, &on_down, &error);
	if (rc < 0)
		return apply_error(&error, message);
	if (rc > 0)
		down_submit(&request.submission, on_down, time(NULL),
			    &down_room, &answer);
	complete(&answer, grant);
	return apply_submit(&answer, desc, message);
}

int job_submit(job_desc_msg_t *desc, uint32_t submit_uid, char **message)
{
	int64_t begin = times_begin();
	int rc = submit(desc, submit_uid, message);

	times_end(begin);
	return rc;
}

static int modify(job_desc_msg_t *desc, uint32_t uid, char **message)
{
	struct describe_changes changes;
	struct describe_room describe_room;
	struct gov_submit_request request;
	struct ask_room ask_room;
	enum gov_on_down on_down;
	struct gov_answer answer;
	struct gov_error error = { .code = GOV_OK };
	int rc;

	/* The governor's own updates, and those of who is above it. */
	if (uid == 0 || uid == geteuid())
		return SLURM_SUCCESS;
	describe_modify(desc, uid, &describe_room, &request, &changes);
	if (!changes.releases && !changes.resizes && !changes.moves &&
	    !changes.other)
		return SLURM_SUCCESS;
	rc = ask(&request, &ask_room, &answer, &on_down, &error);
	if (rc < 0)
		return apply_error(&error, message);
	if (rc > 0)
		down_modify(&changes, on_down, &answer);
	return apply_modify(&answer, desc, message);
}

#if GOV_MODIFY_HAS_MESSAGE
int job_modify(job_desc_msg_t *desc, void *job, uint32_t uid, char **message)
{
	(void) job;
	return modify(desc, uid, message);
}
#else
int job_modify(job_desc_msg_t *desc, void *job, uint32_t uid)
{
	(void) job;
	return modify(desc, uid, NULL);
}
#endif
