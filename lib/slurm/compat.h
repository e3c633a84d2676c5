/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that differs between releases of Slurm, 22.05 to 26.05.  The only place
 * with SLURM_VERSION_NUMBER.  Include this instead of Slurm's headers where a
 * difference matters.
 *
 * The functions below are exported by libslurmfull of all these releases but
 * declared in no public header.  They exist inside Slurm's daemons only.
 */
#ifndef GOVERNANCE_SLURM_COMPAT_H
#define GOVERNANCE_SLURM_COMPAT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/spank.h> /* slurm_info() and its kin */

/*
 * Switches as an array of names and hostlists; from 23.11 on what
 * slurm_load_topo() gives has no public shape.
 */
#define GOV_TOPOLOGY_IS_PUBLIC \
	(SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0))

/* ---- Slurm's allocator: whatever Slurm will free must come from it ---- */

void slurm_xfree(void **pointer);
void *slurm_xcalloc(size_t count, size_t size, bool clear, bool may_fail,
		    const char *file, int line, const char *function);
void *slurm_xrecalloc(void **pointer, size_t count, size_t size, bool clear,
		      bool may_fail, const char *file, int line,
		      const char *function);

/* calloc(); NULL: out of memory, or nothing was asked. */
static inline void *gov_slurm_alloc(size_t count, size_t size)
{
	return slurm_xcalloc(count, size, true, true, __FILE__, __LINE__,
			     __func__);
}

/* reallocarray() with what is new zeroed.  NULL: out of memory, the block is
 * as it was. */
static inline void *gov_slurm_grow(void *block, size_t count, size_t size)
{
	return slurm_xrecalloc(&block, count, size, true, true, __FILE__,
			       __LINE__, __func__);
}

/* strdup(); NULL: out of memory.  slurm_xstrdup() would abort() then. */
static inline char *gov_slurm_strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = gov_slurm_alloc(1, size);

	return copy ? memcpy(copy, text, size) : NULL;
}

/* free() */
static inline void gov_slurm_free(void *block)
{
	slurm_xfree(&block);
}

/* ---- error numbers ---- */

/* A job whose record the database is just getting: try again.  It is in 22.05
 * and no longer in 24.11; a release between them that has it says "refused". */
static inline bool gov_slurm_is_busy(int rc)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
	if (rc == ESLURM_JOB_SETTING_DB_INX)
		return true;
#endif
	return rc == EAGAIN || rc == EINTR;
}

/* ---- slurmctld's configuration ---- */

/* What slurm_load_ctl_conf() gave; the older name is in 24.11, the newer in
 * 26.05. */
static inline void gov_slurm_free_conf(slurm_conf_t *conf)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
	slurm_free_conf(conf);
#else
	slurm_free_ctl_conf(conf);
#endif
}

/* Of select_type_param: memory is allocated, too. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
#define GOV_SELECTS_MEMORY SELECT_MEMORY
#else
#define GOV_SELECTS_MEMORY CR_MEMORY
#endif

/* ---- what jobs hold on a node ---- */

static inline void gov_node_used(const node_info_t *node, uint64_t *cpus,
				 uint64_t *memory)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
	*cpus = node->alloc_cpus;
	*memory = node->alloc_memory;
#else
	uint16_t used = 0;

	*memory = 0;
	slurm_get_select_nodeinfo(node->select_nodeinfo, SELECT_NODEDATA_SUBCNT,
				  NODE_STATE_ALLOCATED, &used);
	slurm_get_select_nodeinfo(node->select_nodeinfo,
				  SELECT_NODEDATA_MEM_ALLOC,
				  NODE_STATE_ALLOCATED, memory);
	*cpus = used;
#endif
}

/* ---- statistics; also in libslurm ---- */

void slurm_free_stats_response_msg(stats_info_response_msg_t *answer);

/* ---- signals that go to the nodes, not through slurmctld ---- */

static inline int gov_slurm_signal_steps(uint32_t job, uint16_t signal)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
	slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;

	id.job_id = job;
	return slurm_signal_job(id, signal);
#else
	return slurm_signal_job(job, signal);
#endif
}

static inline int gov_slurm_signal_batch(uint32_t job, uint16_t signal)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
	slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;

	id.job_id = job;
	id.step_id = SLURM_BATCH_SCRIPT;
	return slurm_signal_job_step(&id, signal);
#else
	return slurm_signal_job_step(job, SLURM_BATCH_SCRIPT, signal);
#endif
}

/* ---- a line on the job's terminal ---- */

static inline int gov_slurm_notify_job(uint32_t job, const char *message)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
	slurm_step_id_t id = SLURM_STEP_ID_INITIALIZER;

	id.job_id = job;
	return slurm_notify_job(id, (char *) message);
#else
	return slurm_notify_job(job, (char *) message);
#endif
}

/* ---- job_submit plugins ---- */

/* job_modify() got its message to the user in 23.02. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#define GOV_MODIFY_HAS_MESSAGE 1
#else
#define GOV_MODIFY_HAS_MESSAGE 0
#endif

/* The id in an update; NO_VAL where there is only job_id_str. */
static inline uint32_t gov_job_desc_id(const job_desc_msg_t *desc)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
	return desc->step_id.job_id;
#else
	return desc->job_id;
#endif
}

/* user_id of an update that names nobody: NO_VAL; from 23.02 on 99, which has
 * a public name only since 24.11. */
static inline bool gov_job_desc_names_user(const job_desc_msg_t *desc)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
	if (desc->user_id == 99)
		return false;
#endif
	return desc->user_id != NO_VAL;
}

#endif
