/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/actuator.h"

#include <signal.h>
#include <stdlib.h>

#include "slurm/load.h"
#include "slurmgovd/clock.h"
#include "slurmgovd/log.h"
#include "slurmgovd/pace.h"
#include "slurmgovd/thread.h"

#define LOOK_EVERY 2000 /* ms */

struct gov_actuator {
	struct gov_thread thread;
	struct gov_mailbox *box;
	void (*deliver)(struct gov_mail *mail, void *context);
	/* under the lock */
	struct gov_action *first;
	struct gov_action **last;
	uint32_t per_second;
	int64_t looked; /* of the thread alone: when slurmctld was last
			   asked how busy it is */
};

static void perform(struct gov_action *action)
{
	struct gov_error *error = &action->error;

	switch (action->kind) {
	case GOV_ACT_UPDATE:
		action->outcome = gov_slurm_update(action->address,
						   action->hold,
						   action->begin_now,
						   action->comment, error);
		break;
	case GOV_ACT_SIGNAL:
		if (action->message)
			gov_slurm_notify((uint32_t) action->job,
					 action->message);
		action->outcome =
			action->cron ?
				gov_slurm_signal_nodes((uint32_t) action->job,
						       action->signal, error) :
				gov_slurm_signal(action->address,
						 action->signal, action->to,
						 error);
		break;
	case GOV_ACT_REQUEUE:
		action->outcome = gov_slurm_requeue_hold(action->address,
							 error);
		break;
	case GOV_ACT_END_CRON:
		action->outcome = gov_slurm_signal_nodes((uint32_t) action->job,
							 SIGKILL, error);
		break;
	case GOV_ACT_CANCEL:
		action->outcome = gov_slurm_cancel(action->address, error);
		break;
	}
}

static void tell(const struct gov_action *action)
{
	static const char *const holds[] = { "", " hold", " hold by user",
					     " release" };
	static const char *const kinds[] = { "update", "signal",
					     "requeue and hold", "cancel",
					     "end this run" };

	gov_log(GOV_LOG_SLURM, GOV_LOG_DEBUG, "job %s: %s%s%s%s%s%s: %s",
		action->address, kinds[action->kind],
		action->kind == GOV_ACT_UPDATE ? holds[action->hold] : "",
		action->begin_now ? " begin=now" : "",
		action->comment ? " comment=\"" : "",
		action->comment ? action->comment : "",
		action->comment ? "\"" : "",
		action->outcome == GOV_OUTCOME_DONE ? "done" :
						      action->error.text);
}

/* The next action when it may be done; NULL: stop. */
static struct gov_action *next(struct gov_actuator *a, struct gov_pace *pace)
{
	struct gov_action *action = NULL;

	pthread_mutex_lock(&a->thread.lock);
	while (!a->thread.stop) {
		int64_t at = INT64_MAX;

		if (a->first)
			at = gov_pace_take(pace, a->per_second, gov_mono_ms());
		if (!at) {
			action = a->first;
			a->first = action->next;
			if (!a->first)
				a->last = &a->first;
			break;
		}
		gov_thread_wait(&a->thread, at);
	}
	pthread_mutex_unlock(&a->thread.lock);
	return action;
}

/* Before the next call, unless that was a moment ago: is slurmctld busy? */
static void look(struct gov_actuator *a, struct gov_pace *pace)
{
	struct gov_slurm_load load;
	struct gov_error error;
	bool was_busy = pace->busy;
	int64_t now = gov_mono_ms();

	if (now < a->looked + LOOK_EVERY)
		return;
	a->looked = now;
	/* Whether it answers the call itself will show. */
	if (gov_slurm_load_get(&load, &error))
		return;
	if (gov_pace_load(pace, load.threads, load.queue, gov_mono_ms())) {
		if (!was_busy)
			gov_log(GOV_LOG_SLURM, GOV_LOG_INFO,
				"slurmctld is busy (%u requests, %u messages "
				"wait): fewer updates for a while",
				load.threads, load.queue);
	} else if (was_busy) {
		gov_log(GOV_LOG_SLURM, GOV_LOG_INFO,
			"slurmctld is no longer busy");
	}
	pthread_mutex_lock(&a->thread.lock);
	while (!a->thread.stop && gov_mono_ms() < pace->resume)
		gov_thread_wait(&a->thread, pace->resume);
	pthread_mutex_unlock(&a->thread.lock);
}

static void *run(void *arg)
{
	struct gov_actuator *a = arg;
	struct gov_action *action;
	struct gov_pace pace;

	gov_pace_init(&pace, gov_mono_ms());
	while ((action = next(a, &pace))) {
		int64_t began;

		look(a, &pace);
		began = gov_mono_ms();
		perform(action);
		action->took = gov_mono_ms() - began;
		gov_pace_rest(&pace, action->took,
			      action->outcome != GOV_OUTCOME_DOWN &&
				      action->outcome != GOV_OUTCOME_BUSY,
			      gov_mono_ms());
		tell(action);
		action->mail.deliver = a->deliver;
		gov_mailbox_post(a->box, &action->mail);
	}
	return NULL;
}

struct gov_actuator *gov_actuator_start(struct gov_mailbox *box,
					uint32_t per_second,
					void (*deliver)(struct gov_mail *mail,
							void *context))
{
	struct gov_actuator *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->box = box;
	a->deliver = deliver;
	a->per_second = per_second;
	a->last = &a->first;
	if (gov_thread_start(&a->thread, "actuator", run, a)) {
		free(a);
		return NULL;
	}
	return a;
}

int gov_actuator_stop(struct gov_actuator *a)
{
	if (!a)
		return 0;
	if (gov_thread_stop(&a->thread))
		return -1;
	while (a->first) {
		struct gov_action *action = a->first;

		a->first = action->next;
		gov_action_free(action);
	}
	free(a);
	return 0;
}

void gov_actuator_do(struct gov_actuator *a, struct gov_action *action)
{
	action->next = NULL;
	pthread_mutex_lock(&a->thread.lock);
	*a->last = action;
	a->last = &action->next;
	pthread_cond_signal(&a->thread.wake);
	pthread_mutex_unlock(&a->thread.lock);
}

void gov_actuator_set_rate(struct gov_actuator *a, uint32_t per_second)
{
	pthread_mutex_lock(&a->thread.lock);
	a->per_second = per_second;
	pthread_mutex_unlock(&a->thread.lock);
}
