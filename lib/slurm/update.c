/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/update.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "slurm/compat.h"

/* Slurm's words for an error number, and what they mean for us. */
static enum gov_outcome outcome(int rc, const char *address,
				struct gov_error *error)
{
	switch (rc) {
	case SLURM_SUCCESS: return GOV_OUTCOME_DONE;
	case ESLURM_INVALID_JOB_ID:
	case ESLURM_ALREADY_DONE:
	case ESLURM_JOB_FINISHED:
		gov_error_set(error, GOV_E_IO, "job %s is gone: %s", address,
			      slurm_strerror(rc));
		return GOV_OUTCOME_GONE;
	case ESLURM_JOB_PENDING:
	case ESLURM_JOB_NOT_PENDING:
	case ESLURM_JOB_NOT_RUNNING:
	case ESLURM_TRANSITION_STATE_NO_UPDATE:
		gov_error_set(error, GOV_E_IO, "job %s: %s", address,
			      slurm_strerror(rc));
		return GOV_OUTCOME_STATE;
	case SLURM_COMMUNICATIONS_CONNECTION_ERROR:
	case SLURM_COMMUNICATIONS_SEND_ERROR:
	case SLURM_COMMUNICATIONS_RECEIVE_ERROR:
	case SLURM_COMMUNICATIONS_SHUTDOWN_ERROR:
	case SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT:
	case SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT:
	case ESLURM_IN_STANDBY_MODE:
	case ECONNREFUSED:
	case ECONNRESET:
	case ETIMEDOUT:
		gov_error_set(error, GOV_E_DOWN,
			      "slurmctld does not answer: %s",
			      slurm_strerror(rc));
		return GOV_OUTCOME_DOWN;
	default:
		gov_error_set(error, GOV_E_IO, "job %s: %s", address,
			      slurm_strerror(rc));
		return gov_slurm_is_busy(rc) ? GOV_OUTCOME_BUSY :
					       GOV_OUTCOME_REFUSED;
	}
}

/* The error number of a call that returned rc. */
static int number(int rc)
{
	if (rc == SLURM_SUCCESS)
		return SLURM_SUCCESS;
	return errno ? errno : SLURM_ERROR;
}

/* The first failure among the elements that one update reached. */
static int first_failure(const job_array_resp_msg_t *answers)
{
	for (uint32_t i = 0; answers && i < answers->job_array_count; i++)
		if (answers->error_code[i] != SLURM_SUCCESS)
			return (int) answers->error_code[i];
	return SLURM_SUCCESS;
}

enum gov_outcome gov_slurm_update(const char *address, enum gov_hold hold,
				  bool begin_now, const char *admin_comment,
				  struct gov_error *error)
{
	job_array_resp_msg_t *answers = NULL;
	job_desc_msg_t update;
	int rc;

	slurm_init_job_desc_msg(&update);
	update.job_id_str = (char *) address;
	update.admin_comment = (char *) admin_comment;
	if (hold == GOV_HOLD_ADMIN || hold == GOV_HOLD_USER) {
		update.priority = 0;
		update.alloc_sid = hold == GOV_HOLD_USER ? ALLOC_SID_USER_HOLD :
							   0;
	} else if (hold == GOV_HOLD_RELEASE) {
		update.priority = INFINITE;
	}
	if (begin_now)
		update.begin_time = time(NULL);
	errno = 0;
	rc = number(slurm_update_job2(&update, &answers));
	if (rc == SLURM_SUCCESS)
		rc = first_failure(answers);
	slurm_free_job_array_resp(answers);
	return outcome(rc, address, error);
}

void gov_slurm_notify(uint32_t job, const char *message)
{
	gov_slurm_notify_job(job, message);
}

enum gov_outcome gov_slurm_signal(const char *address, int signal,
				  enum gov_signal_to to,
				  struct gov_error *error)
{
	static const uint16_t flags[] = {
		[GOV_SIGNAL_ALL] = KILL_FULL_JOB,
		[GOV_SIGNAL_BATCH] = KILL_JOB_BATCH,
		[GOV_SIGNAL_STEPS] = 0,
	};

	errno = 0;
	return outcome(number(slurm_kill_job2(address, (uint16_t) signal,
					      flags[to], NULL)),
		       address, error);
}

enum gov_outcome gov_slurm_signal_nodes(uint32_t job, int signal,
					struct gov_error *error)
{
	char address[16];

	snprintf(address, sizeof(address), "%u", job);
	/* It need not have steps. */
	gov_slurm_signal_steps(job, (uint16_t) signal);
	errno = 0;
	return outcome(number(gov_slurm_signal_batch(job, (uint16_t) signal)),
		       address, error);
}

enum gov_outcome gov_slurm_requeue_hold(const char *address,
					struct gov_error *error)
{
	job_array_resp_msg_t *answers = NULL;
	int rc;

	errno = 0;
	rc = number(
		slurm_requeue2((char *) address, JOB_REQUEUE_HOLD, &answers));
	if (rc == SLURM_SUCCESS)
		rc = first_failure(answers);
	slurm_free_job_array_resp(answers);
	return outcome(rc, address, error);
}

enum gov_outcome gov_slurm_cancel(const char *address, struct gov_error *error)
{
	errno = 0;
	return outcome(number(slurm_kill_job2(address, SIGKILL, 0, NULL)),
		       address, error);
}
