/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/fake_slurmctld.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0x42
#define LOG_SIZE 65536

static atomic_long blocks, countdown;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static char log_text[LOG_SIZE];

/* ---- allocator ---- */

long fake_slurmctld_blocks(void)
{
	return atomic_load(&blocks);
}

void fake_slurmctld_fail(long n)
{
	atomic_store(&countdown, n);
}

static bool fails(void)
{
	return atomic_load(&countdown) > 0 &&
	       atomic_fetch_sub(&countdown, 1) == 1;
}

static size_t *header(void *block)
{
	size_t *p = (size_t *) block - 2;

	if (*p != MAGIC) {
		fprintf(stderr, "not from Slurm's allocator: %p\n", block);
		abort(); /* as Slurm does */
	}
	return p;
}

void *slurm_xcalloc(size_t count, size_t size, bool clear, bool may_fail,
		    const char *file, int line, const char *function)
{
	size_t *p;

	(void) clear, (void) file, (void) line, (void) function;
	if (!count || !size)
		return NULL;
	p = may_fail && fails() ? NULL :
				  calloc(1, count * size + 2 * sizeof(*p));
	if (!p)
		return NULL;
	p[0] = MAGIC;
	p[1] = count * size;
	atomic_fetch_add(&blocks, 1);
	return p + 2;
}

void slurm_xfree(void **pointer)
{
	size_t *p;

	if (!*pointer)
		return;
	p = header(*pointer);
	p[0] = 0;
	free(p);
	*pointer = NULL;
	atomic_fetch_sub(&blocks, 1);
}

void *slurm_xrecalloc(void **pointer, size_t count, size_t size, bool clear,
		      bool may_fail, const char *file, int line,
		      const char *function)
{
	void *grown = slurm_xcalloc(count, size, clear, may_fail, file, line,
				    function);

	if (!grown)
		return NULL;
	if (*pointer) {
		size_t old = header(*pointer)[1], new = count *size;

		memcpy(grown, *pointer, old < new ? old : new);
		slurm_xfree(pointer);
	}
	*pointer = grown;
	return grown;
}

/* ---- log ---- */

static void note(const char *format, va_list args)
	__attribute__((format(printf, 1, 0)));

static void note(const char *format, va_list args)
{
	size_t used;

	pthread_mutex_lock(&log_lock);
	used = strlen(log_text);
	vsnprintf(log_text + used, sizeof(log_text) - used, format, args);
	used = strlen(log_text);
	if (used + 1 < sizeof(log_text))
		strcpy(log_text + used, "\n");
	pthread_mutex_unlock(&log_lock);
}

#define LOG(name)                          \
	void name(const char *format, ...) \
	{                                  \
		va_list args;              \
                                           \
		va_start(args, format);    \
		note(format, args);        \
		va_end(args);              \
	}
LOG(slurm_info)
LOG(slurm_error)
LOG(slurm_verbose)

int fake_slurmctld_logged(const char *text)
{
	int times = 0;

	pthread_mutex_lock(&log_lock);
	for (const char *p = log_text; (p = strstr(p, text)); p++)
		times++;
	pthread_mutex_unlock(&log_lock);
	return times;
}

void fake_slurmctld_forget_log(void)
{
	pthread_mutex_lock(&log_lock);
	*log_text = '\0';
	pthread_mutex_unlock(&log_lock);
}

/* ---- a job ---- */

char *fake_slurmctld_copy(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(slurm_xcalloc(1, size, true, false, "", 0, ""), text,
		      size);
}

job_desc_msg_t *fake_slurmctld_desc(void)
{
	job_desc_msg_t *desc = slurm_xcalloc(1, sizeof(*desc), true, false, "",
					     0, "");

	desc->user_id = 1000;
	desc->group_id = 1000;
	desc->het_job_offset = NO_VAL;
	desc->max_cpus = desc->min_cpus = NO_VAL;
	desc->max_nodes = desc->min_nodes = NO_VAL;
	desc->num_tasks = NO_VAL;
	desc->cpus_per_task = NO_VAL16;
	desc->ntasks_per_node = NO_VAL16;
	desc->ntasks_per_socket = NO_VAL16;
	desc->ntasks_per_tres = NO_VAL16;
	desc->sockets_per_node = NO_VAL16;
	desc->pn_min_cpus = NO_VAL16;
	desc->pn_min_memory = NO_VAL64;
	desc->overcommit = NO_VAL8;
	desc->shared = NO_VAL16;
	desc->priority = NO_VAL;
	desc->requeue = NO_VAL16;
	desc->site_factor = NO_VAL;
	desc->time_limit = NO_VAL;
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 11, 0)
	desc->job_id = NO_VAL;
#endif
	return desc;
}

void fake_slurmctld_add_spank(job_desc_msg_t *desc, const char *entry)
{
	void *grown = desc->spank_job_env;

	slurm_xrecalloc(&grown, desc->spank_job_env_size + 1,
			sizeof(*desc->spank_job_env), true, false, "", 0, "");
	desc->spank_job_env = grown;
	desc->spank_job_env[desc->spank_job_env_size++] = fake_slurmctld_copy(
		entry);
}

static void free_array(char **array, uint32_t size)
{
	void *block = array;

	for (uint32_t i = 0; i < size; i++) {
		void *entry = array[i];

		slurm_xfree(&entry);
	}
	slurm_xfree(&block);
}

void fake_slurmctld_free_desc(job_desc_msg_t *desc)
{
	void *strings[] = {
		desc->account,
		desc->admin_comment,
		desc->array_inx,
		desc->cpus_per_tres,
		desc->dependency,
		desc->features,
		desc->wckey,
		desc->job_id_str,
		desc->licenses,
		desc->mem_per_tres,
		desc->name,
		desc->partition,
		desc->qos,
		desc->req_nodes,
		desc->reservation,
		desc->script,
		desc->tres_per_job,
		desc->tres_per_node,
		desc->tres_per_socket,
		desc->tres_per_task,
		desc,
	};

	free_array(desc->spank_job_env, desc->spank_job_env_size);
	free_array(desc->environment, desc->env_size);
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		slurm_xfree(&strings[i]);
}

int fake_slurmctld_modify(job_desc_msg_t *desc, uint32_t uid, char **message)
{
#if GOV_MODIFY_HAS_MESSAGE
	return job_modify(desc, NULL, uid, message);
#else
	(void) message;
	return job_modify(desc, NULL, uid);
#endif
}
