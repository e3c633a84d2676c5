/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/job_submit/describe.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "plugins/job_submit/spankenv.h"

/* Slurm's "not given", of each width; "as much as there is" is not either. */
static uint64_t number16(uint16_t number)
{
	return number >= NO_VAL16 ? GOV_SUB_UNSET : number;
}

static uint64_t number32(uint32_t number)
{
	return number >= NO_VAL ? GOV_SUB_UNSET : number;
}

/* In an update an empty text takes something away: that is a change too. */
static const char *text(const char *text, bool update)
{
	return text && (*text || update) ? text : NULL;
}

/* What is only looked at, not looked up, need not be sent in full. */
static const char *shorten(const char *text, char *room, size_t size)
{
	if (!text || !*text)
		return NULL;
	snprintf(room, size, "%s", text);
	return room;
}

static void describe_owner(const job_desc_msg_t *desc, uint32_t submit_uid,
			   bool update, struct gov_submission *s)
{
	s->uid = gov_job_desc_names_user(desc) ? desc->user_id : NO_VAL;
	s->gid = desc->group_id;
	s->submit_uid = submit_uid;
	s->account = text(desc->account, update);
	s->qos = text(desc->qos, update);
	s->partition = text(desc->partition, update);
	s->reservation = text(desc->reservation, update);
	s->features = text(desc->features, update);
	s->nodelist = text(desc->req_nodes, update);
	s->licenses = text(desc->licenses, update);
}

static void describe_tres(const job_desc_msg_t *desc, bool update,
			  struct gov_submission *s)
{
	s->tres_per_job = text(desc->tres_per_job, update);
	s->tres_per_node = text(desc->tres_per_node, update);
	s->tres_per_socket = text(desc->tres_per_socket, update);
	s->tres_per_task = text(desc->tres_per_task, update);
	s->cpus_per_tres = text(desc->cpus_per_tres, update);
	s->mem_per_tres = text(desc->mem_per_tres, update);
	s->ntasks_per_tres = number16(desc->ntasks_per_tres);
}

static void describe_memory(const job_desc_msg_t *desc,
			    struct gov_submission *s)
{
	if (desc->pn_min_memory == NO_VAL64)
		return;
	s->memory = desc->pn_min_memory & ~MEM_PER_CPU;
	s->memory_per_cpu = desc->pn_min_memory & MEM_PER_CPU;
}

static void describe_size(const job_desc_msg_t *desc, struct gov_submission *s)
{
	s->min_nodes = number32(desc->min_nodes);
	s->max_nodes = number32(desc->max_nodes);
	s->num_tasks = number32(desc->num_tasks);
	s->cpus_per_task = number16(desc->cpus_per_task);
	s->ntasks_per_node = number16(desc->ntasks_per_node);
	s->ntasks_per_socket = number16(desc->ntasks_per_socket);
	s->sockets_per_node = number16(desc->sockets_per_node);
	s->min_cpus = number32(desc->min_cpus);
	s->max_cpus = number32(desc->max_cpus);
	s->pn_min_cpus = number16(desc->pn_min_cpus);
	describe_memory(desc, s);
	s->exclusive = desc->shared == JOB_SHARED_NONE;
	s->overcommit = desc->overcommit && desc->overcommit != NO_VAL8;
	s->time_limit = number32(desc->time_limit);
	/* slurmctld: one node a task, as far as there are nodes. */
	if ((desc->bitflags & SPREAD_JOB) && s->num_tasks != GOV_SUB_UNSET &&
	    (s->max_nodes == GOV_SUB_UNSET || !s->max_nodes))
		s->max_nodes = s->num_tasks;
	/* As few nodes as it can do with: the upper end is not wanted. */
	if (desc->bitflags & USE_MIN_NODES)
		s->max_nodes = GOV_SUB_UNSET;
}

/*
 * The components of a heterogeneous batch job but the first come without the
 * script; then only an interactive one has a port to be answered at.
 */
static bool is_batch(const job_desc_msg_t *desc)
{
	if (desc->script || desc->script_buf)
		return true;
	return desc->het_job_offset != NO_VAL && desc->het_job_offset &&
	       !desc->alloc_resp_port;
}

/*
 * Jobs of scrontab are never held, so what is taken for one must look like one.
 * Any client can send the flag and an entry.  slurmctld sets the next start,
 * which is a whole minute to come; it takes the flag from others, but only
 * after us, so the governor sees what it was in the job list.
 */
static bool is_cron(const job_desc_msg_t *desc)
{
	return (desc->bitflags & CRON_JOB) && desc->crontab_entry &&
	       desc->begin_time > time(NULL) && desc->begin_time % 60 == 0;
}

void describe_submit(const job_desc_msg_t *desc, uint32_t submit_uid,
		     struct describe_room *room,
		     struct gov_submit_request *request)
{
	struct gov_submission *s = &request->submission;

	gov_submit_request_init(request);
	describe_owner(desc, submit_uid, false, s);
	describe_tres(desc, false, s);
	describe_size(desc, s);
	s->class_name = spankenv_option(desc, "gov_class");
	s->project_name = spankenv_option(desc, "gov_project");
	s->borrow = spankenv_option(desc, "gov_borrow");
	s->dependency = shorten(desc->dependency, room->dependency,
				sizeof(room->dependency));
	s->name = shorten(desc->name, room->name, sizeof(room->name));
	s->array = text(desc->array_inx, false);
	s->het_offset = number32(desc->het_job_offset);
	s->begin_time = desc->begin_time > 0 ? (uint64_t) desc->begin_time :
					       GOV_SUB_UNSET;
	s->batch = is_batch(desc);
	s->hold = desc->priority == 0;
	s->immediate = desc->immediate == 1;
	s->warn_signal = desc->warn_signal ? number16(desc->warn_signal) :
					     GOV_SUB_UNSET;
	s->warn_batch = desc->warn_flags & KILL_JOB_BATCH;
	s->cron = is_cron(desc);
	s->requeue = desc->requeue != 0; /* not given: JobRequeue=, 1 */
}

static void describe_id(const job_desc_msg_t *desc,
			struct gov_modification *modification)
{
	uint32_t id = gov_job_desc_id(desc);

	/* A text that is cut would be another job: send none. */
	if (desc->job_id_str &&
	    strlen(desc->job_id_str) < sizeof(modification->job_id))
		strcpy(modification->job_id, desc->job_id_str);
	else if (!desc->job_id_str && id != NO_VAL)
		snprintf(modification->job_id, sizeof(modification->job_id),
			 "%u", id);
}

static bool is_set(uint64_t number)
{
	return number != GOV_SUB_UNSET;
}

static void list_changes(const struct gov_submit_request *request,
			 struct describe_changes *changes)
{
	const struct gov_submission *s = &request->submission;
	const struct gov_modification *m = &request->modification;

	changes->releases = m->sets_priority && m->priority;
	changes->other = m->sets_admin_comment ||
			 (m->sets_priority && !m->priority);
	changes->moves = s->account || s->qos || s->partition ||
			 s->reservation || s->features || s->nodelist ||
			 s->licenses || s->dependency || is_set(s->begin_time);
	changes->resizes = s->tres_per_job || s->tres_per_node ||
			   s->tres_per_socket || s->tres_per_task ||
			   s->cpus_per_tres || s->mem_per_tres ||
			   is_set(s->ntasks_per_tres) || is_set(s->min_nodes) ||
			   is_set(s->max_nodes) || is_set(s->num_tasks) ||
			   is_set(s->cpus_per_task) ||
			   is_set(s->ntasks_per_node) ||
			   is_set(s->ntasks_per_socket) ||
			   is_set(s->sockets_per_node) || is_set(s->min_cpus) ||
			   is_set(s->max_cpus) || is_set(s->pn_min_cpus) ||
			   is_set(s->memory) || s->exclusive || s->overcommit ||
			   is_set(s->time_limit);
}

void describe_modify(const job_desc_msg_t *desc, uint32_t uid,
		     struct describe_room *room,
		     struct gov_submit_request *request,
		     struct describe_changes *changes)
{
	struct gov_submission *s = &request->submission;
	struct gov_modification *m = &request->modification;

	gov_submit_request_init(request);
	request->kind = GOV_MSG_MODIFY;
	describe_owner(desc, uid, true, s);
	describe_tres(desc, true, s);
	describe_size(desc, s);
	s->dependency = shorten(desc->dependency, room->dependency,
				sizeof(room->dependency));
	if (desc->begin_time > 0)
		s->begin_time = (uint64_t) desc->begin_time;
	/* array_inx is ArrayTaskThrottle= here, not an array. */
	describe_id(desc, m);
	m->uid = uid;
	m->sets_priority = desc->priority != NO_VAL;
	if (m->sets_priority)
		m->priority = desc->priority;
	m->sets_admin_comment = desc->admin_comment != NULL;
	list_changes(request, changes);
}
