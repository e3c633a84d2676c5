/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/flatten.h"

#include <stdlib.h>
#include <string.h>

/*
 * Slurm has no one way to say "unset": NO_VAL of the field's width, and in
 * the job list often 0 where a submission has NO_VAL.
 */
static uint64_t number16(uint16_t value)
{
	return value >= NO_VAL16 || value == 0 ? GOV_SUB_UNSET : value;
}

static uint64_t number32(uint32_t value)
{
	return value >= NO_VAL || value == 0 ? GOV_SUB_UNSET : value;
}

static const char *text(const char *value)
{
	return value && value[0] ? value : NULL;
}

static enum gov_slurm_state state_of(uint32_t state)
{
	switch (state & JOB_STATE_BASE) {
	case JOB_PENDING:
		/* A federated sibling started it elsewhere. */
		return state & JOB_REVOKED ? GOV_SLURM_ENDED :
					     GOV_SLURM_PENDING;
	case JOB_RUNNING:
	case JOB_SUSPENDED: return GOV_SLURM_RUNNING;
	default: return GOV_SLURM_ENDED;
	}
}

static enum gov_slurm_reason reason_of(uint32_t reason)
{
	switch (reason) {
	case WAIT_HELD: return GOV_REASON_HELD_ADMIN;
	case WAIT_HELD_USER: return GOV_REASON_HELD_USER;
	case WAIT_DEPENDENCY:
	case WAIT_DEP_INVALID: return GOV_REASON_DEPENDENCY;
	case WAIT_TIME: return GOV_REASON_BEGIN_TIME;
	case WAIT_NO_REASON:
	case WAIT_PRIORITY:
	case WAIT_RESOURCES: return GOV_REASON_PLACE;
	case WAIT_RESERVATION: return GOV_REASON_RESERVATION;
	default: return GOV_REASON_OTHER;
	}
}

/*
 * "afterok:12(unfulfilled)"; what is fulfilled is no longer in the text.  The
 * flag JOB_DEPENDENT does not tell: held jobs may have it without reason.
 */
static bool dependency_open(const slurm_job_info_t *info)
{
	return info->dependency && (strstr(info->dependency, "(unfulfilled)") ||
				    strstr(info->dependency, "(failed)"));
}

/*
 * Of a pending job num_nodes is a guess at what it will get; what it asks for
 * is in the text of its TRES: "cpu=6,mem=2G,node=1,billing=6".
 */
static uint64_t least_nodes(const slurm_job_info_t *info)
{
	const char *tres = info->tres_req_str;
	const char *at = tres ? strstr(tres, "node=") : NULL;
	uint64_t nodes = 0;

	if (state_of(info->job_state) == GOV_SLURM_PENDING && at &&
	    (at == tres || at[-1] == ','))
		nodes = strtoull(at + strlen("node="), NULL, 10);
	if (!nodes || nodes >= NO_VAL)
		return number32(info->num_nodes);
	return nodes;
}

/* Zero is what --mem=0 asks for: all that the nodes have. */
static void flatten_memory(const slurm_job_info_t *info,
			   struct gov_submission *submission)
{
	if (info->pn_min_memory == NO_VAL64)
		return;
	submission->memory = info->pn_min_memory & ~MEM_PER_CPU;
	submission->memory_per_cpu = info->pn_min_memory & MEM_PER_CPU;
}

static void flatten_size(const slurm_job_info_t *info,
			 struct gov_submission *submission)
{
	submission->tres_per_job = text(info->tres_per_job);
	submission->tres_per_node = text(info->tres_per_node);
	submission->tres_per_socket = text(info->tres_per_socket);
	submission->tres_per_task = text(info->tres_per_task);
	submission->cpus_per_tres = text(info->cpus_per_tres);
	submission->mem_per_tres = text(info->mem_per_tres);
	submission->ntasks_per_tres = number16(info->ntasks_per_tres);
	submission->min_nodes = least_nodes(info);
	if (!(info->bitflags & USE_MIN_NODES))
		submission->max_nodes = number32(info->max_nodes);
	/*
	 * slurmctld fills in tasks where none were asked.  Where some were, a
	 * range of nodes never goes beyond them.
	 */
	if (submission->max_nodes == GOV_SUB_UNSET ||
	    info->num_tasks >= submission->max_nodes)
		submission->num_tasks = number32(info->num_tasks);
	submission->tasks_guessed = !(info->bitflags & JOB_NTASKS_SET);
	submission->cpus_per_task = number16(info->cpus_per_task);
	submission->ntasks_per_node = number16(info->ntasks_per_node);
	submission->ntasks_per_socket = number16(info->ntasks_per_socket);
	submission->sockets_per_node = number16(info->sockets_per_node);
	submission->min_cpus = number32(info->num_cpus);
	submission->max_cpus = number32(info->max_cpus);
	submission->pn_min_cpus = number16(info->pn_min_cpus);
	flatten_memory(info, submission);
	submission->exclusive = info->shared == JOB_SHARED_NONE;
	submission->time_limit = number32(info->time_limit);
}

static void flatten_submission(const slurm_job_info_t *info,
			       struct gov_submission *submission)
{
	gov_submission_init(submission);
	submission->uid = info->user_id;
	submission->gid = info->group_id;
	submission->submit_uid = info->user_id;
	submission->account = text(info->account);
	submission->qos = text(info->qos);
	submission->partition = text(info->partition);
	submission->reservation = text(info->resv_name);
	submission->features = text(info->features);
	submission->nodelist = text(info->req_nodes);
	submission->dependency = text(info->dependency);
	submission->licenses = text(info->licenses);
	submission->batch = info->batch_flag != 0;
	submission->requeue = info->requeue == 1;
	submission->cron = info->bitflags & CRON_JOB;
	submission->name = text(info->name);
	flatten_size(info, submission);
}

/* What only some jobs ask of nodes. */
static void flatten_wishes(const slurm_job_info_t *info,
			   struct gov_job_record *record)
{
	record->excluded = text(info->exc_nodes);
	record->switches = info->req_switch >= NO_VAL ? 0 : info->req_switch;
	record->odd = info->contiguous == 1 ||
		      (info->core_spec && info->core_spec != NO_VAL16) ||
		      text(info->cluster_features) || text(info->mcs_label) ||
		      text(info->burst_buffer);
}

static void flatten_set(const slurm_job_info_t *info,
			struct gov_job_record *record)
{
	record->id = info->job_id;
	record->array_id = info->array_job_id;
	record->array_task = GOV_NO_TASK;
	if (info->array_job_id && info->array_task_id != NO_VAL)
		record->array_task = info->array_task_id;
	record->array_tasks = text(info->array_task_str);
	record->array_limit = info->array_max_tasks;
	if (record->array_limit >= NO_VAL)
		record->array_limit = 0;
	if (info->het_job_id && info->het_job_id != NO_VAL) {
		record->het_id = info->het_job_id;
		record->het_offset = info->het_job_offset;
	}
}

void gov_flatten_job(slurm_job_info_t *info, struct gov_job_record *record)
{
	memset(record, 0, sizeof(*record));
	flatten_set(info, record);
	flatten_wishes(info, record);
	record->state = state_of(info->job_state);
	record->completing = info->job_state & JOB_COMPLETING;
	record->suspended = (info->job_state & JOB_STATE_BASE) == JOB_SUSPENDED;
	record->held = info->priority == 0;
	record->reason = reason_of(info->state_reason);
	record->cron = info->bitflags & CRON_JOB;
	record->dependency_open = dependency_open(info);
	record->restarts = info->restart_cnt;
	record->submitted = info->submit_time;
	if (record->state == GOV_SLURM_PENDING)
		record->begin = info->eligible_time;
	if (record->state == GOV_SLURM_RUNNING)
		record->started = info->start_time;
	if (record->state == GOV_SLURM_ENDED) {
		/* One that never ran has none. */
		if (info->nodes && *info->nodes)
			record->started = info->start_time;
		record->ended = info->end_time;
		record->success = (info->job_state & JOB_STATE_BASE) ==
				  JOB_COMPLETE;
	}
	/* Requeued, on its way out. */
	if (record->state == GOV_SLURM_PENDING && record->completing)
		record->ended = info->end_time;
	record->user_name = text(info->user_name);
	record->admin_comment = text(info->admin_comment);
	if (record->state != GOV_SLURM_PENDING || record->completing) {
		record->nodes = text(info->nodes);
		record->tres_alloc = text(info->tres_alloc_str);
		record->gres_detail = (const char **) info->gres_detail_str;
		record->gres_detail_count = info->gres_detail_cnt;
	}
	flatten_submission(info, &record->submission);
}

uint64_t gov_hash_number(uint64_t hash, uint64_t number)
{
	for (int i = 0; i < 8; i++) {
		hash ^= number & 0xff;
		hash *= 0x100000001b3ULL;
		number >>= 8;
	}
	return hash;
}

uint64_t gov_hash_text(uint64_t hash, const char *value)
{
	if (!value)
		return gov_hash_number(hash, 1);
	for (; *value; value++) {
		hash ^= (unsigned char) *value;
		hash *= 0x100000001b3ULL;
	}
	return gov_hash_number(hash, 2);
}

static uint64_t hash_size(uint64_t hash, const struct gov_submission *s)
{
	hash = gov_hash_text(hash, s->tres_per_job);
	hash = gov_hash_text(hash, s->tres_per_node);
	hash = gov_hash_text(hash, s->tres_per_socket);
	hash = gov_hash_text(hash, s->tres_per_task);
	hash = gov_hash_text(hash, s->cpus_per_tres);
	hash = gov_hash_text(hash, s->mem_per_tres);
	hash = gov_hash_number(hash, s->ntasks_per_tres);
	hash = gov_hash_number(hash, s->min_nodes);
	hash = gov_hash_number(hash, s->max_nodes);
	hash = gov_hash_number(hash, s->num_tasks);
	hash = gov_hash_number(hash, s->tasks_guessed);
	hash = gov_hash_number(hash, s->cpus_per_task);
	hash = gov_hash_number(hash, s->ntasks_per_node);
	hash = gov_hash_number(hash, s->ntasks_per_socket);
	hash = gov_hash_number(hash, s->sockets_per_node);
	hash = gov_hash_number(hash, s->min_cpus);
	hash = gov_hash_number(hash, s->max_cpus);
	hash = gov_hash_number(hash, s->pn_min_cpus);
	hash = gov_hash_number(hash, s->memory);
	hash = gov_hash_number(hash, s->memory_per_cpu);
	hash = gov_hash_number(hash, s->exclusive);
	return gov_hash_number(hash, s->time_limit);
}

uint64_t gov_hash_job(const struct gov_job_record *r)
{
	const struct gov_submission *s = &r->submission;
	uint64_t hash = GOV_HASH_START;

	hash = gov_hash_number(hash, r->array_id);
	hash = gov_hash_number(hash, r->array_task);
	hash = gov_hash_text(hash, r->array_tasks);
	hash = gov_hash_number(hash, r->array_limit);
	hash = gov_hash_number(hash, r->het_id);
	hash = gov_hash_number(hash, r->state);
	hash = gov_hash_number(hash, r->completing);
	hash = gov_hash_number(hash, r->suspended);
	hash = gov_hash_number(hash, r->held);
	hash = gov_hash_number(hash, r->reason);
	hash = gov_hash_number(hash, r->dependency_open);
	hash = gov_hash_number(hash, r->restarts);
	hash = gov_hash_number(hash, r->submitted);
	hash = gov_hash_number(hash, r->begin);
	hash = gov_hash_number(hash, r->started);
	hash = gov_hash_text(hash, r->admin_comment);
	hash = gov_hash_text(hash, r->nodes);
	hash = gov_hash_text(hash, r->excluded);
	hash = gov_hash_number(hash, r->switches);
	hash = gov_hash_text(hash, r->tres_alloc);
	for (uint32_t i = 0; i < r->gres_detail_count; i++)
		hash = gov_hash_text(hash, r->gres_detail[i]);
	hash = gov_hash_number(hash, s->uid);
	hash = gov_hash_text(hash, s->account);
	hash = gov_hash_text(hash, s->partition);
	hash = gov_hash_text(hash, s->features);
	hash = gov_hash_text(hash, s->nodelist);
	hash = gov_hash_text(hash, s->dependency);
	hash = gov_hash_text(hash, s->reservation);
	hash = gov_hash_number(hash, s->requeue);
	return hash_size(hash, s);
}
