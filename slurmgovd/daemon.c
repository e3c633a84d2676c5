/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/daemon.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <event2/event.h>
#include <json-c/json.h>

#include "conf/conf.h"
#include "slurmgovd/actuator.h"
#include "slurmgovd/answer.h"
#include "slurmgovd/client_server.h"
#include "slurmgovd/clock.h"
#include "slurmgovd/forecast.h"
#include "slurmgovd/governor_events.h"
#include "slurmgovd/grants.h"
#include "slurmgovd/ledger.h"
#include "slurmgovd/log.h"
#include "slurmgovd/members_thread.h"
#include "slurmgovd/notify.h"
#include "slurmgovd/orders_file.h"
#include "slurmgovd/submit_server.h"
#include "slurmgovd/usage_file.h"
#include "slurmgovd/watcher.h"

#define SIGNALS 3
#define NONCES 64
#define USAGE_INTERVAL 60 /* seconds from file to file */

struct daemon {
	const struct gov_daemon_options *options;
	struct event_base *base;
	struct event *mail_event;
	struct event *tick_event;
	struct event *settle_event; /* right after the answers under way */
	struct event *usage_event;  /* usage history is written */
	struct event *signal_event[SIGNALS];
	struct gov_mailbox *box;
	struct gov_governor *governor;
	struct gov_watcher *watcher;
	struct gov_actuator *actuator;
	struct gov_members_thread *members;
	struct gov_grants *grants;
	struct gov_ledger *ledger;
	struct gov_submit_server *submit;
	struct gov_client_server *clients;
	bool nudged; /* the watcher is to be told in settle() */
	uint64_t nonce[NONCES];
	size_t nonces;
};

/* ---- after every event ---- */

static void set_tick(struct daemon *d)
{
	struct gov_now now = gov_now_read();
	int64_t wait = INT64_MAX, mono;
	struct timeval timeout;
	gov_time_t wall;

	gov_governor_next(d->governor, now, &wall, &mono);
	if (wall != INT64_MAX)
		wait = wall * 1000 - gov_wall_ms();
	if (mono != INT64_MAX && mono - now.mono < wait)
		wait = mono - now.mono;
	/* The clock may be set: look at least once an hour. */
	if (wait > 3600000)
		wait = 3600000;
	if (wait < 1)
		wait = 1;
	timeout = (struct timeval){ .tv_sec = wait / 1000,
				    .tv_usec = wait % 1000 * 1000 };
	evtimer_add(d->tick_event, &timeout);
}

static void settle(struct daemon *d)
{
	struct gov_action *action;

	if (gov_ledger_wants_look(d->ledger))
		gov_governor_tell_all(d->governor, gov_now_read());
	while ((action = gov_governor_action(d->governor)))
		gov_actuator_do(d->actuator, action);
	gov_watcher_set_eager(d->watcher, gov_governor_is_leaving(d->governor));
	if (d->nudged)
		gov_watcher_nudge(d->watcher);
	d->nudged = false;
	set_tick(d);
}

static void settle_now(evutil_socket_t fd, short what, void *arg)
{
	settle(arg);
}

/* ---- what the governor needs from outside ---- */

static uint64_t next_nonce(void *arg)
{
	struct daemon *d = arg;

	if (!d->nonces) {
		/* Short reads cannot happen at this size. */
		if (getrandom(d->nonce, sizeof(d->nonce), 0) !=
		    sizeof(d->nonce))
			abort();
		d->nonces = NONCES;
	}
	return d->nonce[--d->nonces];
}

static const char *get_grant(void *arg, const struct gov_grant *wanted)
{
	struct daemon *d = arg;

	return gov_grants_get(d->grants, wanted);
}

static void fact(void *arg, const struct gov_fact *fact)
{
	struct daemon *d = arg;

	gov_ledger_tell(d->ledger, fact);
}

static void nudge(void *arg)
{
	struct daemon *d = arg;

	/* Every event ends in settle(); waking a thread can wait until then. */
	d->nudged = true;
}

/* ---- mail ---- */

static void deliver_list(struct gov_mail *mail, void *context)
{
	struct gov_watcher_mail *list = (struct gov_watcher_mail *) mail;
	struct daemon *d = context;

	if (d && list->machine) {
		gov_governor_set_machine(d->governor, list->machine,
					 gov_now_read());
		list->machine = NULL;
	}
	if (d && list->listed)
		gov_governor_jobs(d->governor, &list->changes, list->began,
				  gov_now_read());
	else if (d)
		gov_governor_slurm_down(d->governor);
	gov_watcher_mail_free(list);
}

static void deliver_action(struct gov_mail *mail, void *context)
{
	struct gov_action *action = (struct gov_action *) mail;
	struct daemon *d = context;

	if (d) {
		gov_governor_result(d->governor, action, gov_now_read());
		gov_governor_tick(d->governor, gov_now_read());
	}
	gov_action_free(action);
}

static void deliver_members(struct gov_mail *mail, void *context)
{
	struct gov_members_mail *members = (struct gov_members_mail *) mail;
	struct daemon *d = context;

	if (d) {
		gov_governor_set_members(d->governor, members->policy,
					 members->members, gov_now_read());
		members->members = NULL;
	}
	gov_members_mail_free(members);
}

static void grant_ready(void *context, const struct gov_grant *grant,
			const char *credential)
{
	struct daemon *d = context;

	gov_submit_server_grant(d->submit, grant, credential);
}

static void read_mail(evutil_socket_t fd, short what, void *arg)
{
	struct daemon *d = arg;

	gov_mailbox_drain(d->box, d);
	settle(d);
}

/* ---- requests ---- */

static void answer_plugin(void *arg, const struct gov_submit_request *request,
			  struct gov_answer *answer, struct gov_grant *grant,
			  bool *pending)
{
	struct daemon *d = arg;

	gov_governor_submit(d->governor, request, answer, grant, pending,
			    gov_now_read());
	/* Not before the answer is sent: slurmctld holds its locks. */
	event_active(d->settle_event, 0, 0);
}

static int reload(void *arg, struct gov_conf_faults *faults);
static int forecast(void *arg, struct gov_policy *policy,
		    struct gov_forecast *forecast, struct gov_error *error);
static int order(void *arg, const struct gov_order *order,
		 struct gov_error *error);
static int checkpoint(void *arg, const char *job, uid_t by,
		      struct gov_error *error);

static struct json_object *answer_client(void *context,
					 struct json_object *request, uid_t uid,
					 gid_t gid)
{
	struct daemon *d = context;
	struct gov_ledger_state ledger;
	struct gov_answer_context about = {
		.governor = d->governor,
		.now = gov_now_read(),
		.uid = uid,
		.gid = gid,
		.private_jobs = d->options->cluster->private_jobs,
		.reload = reload,
		.forecast = forecast,
		.cluster_name = d->options->cluster->name,
		.order = order,
		.checkpoint = checkpoint,
		.arg = d,
	};

	gov_ledger_state(d->ledger, &ledger);
	about.ledger = &ledger;
	return gov_answer(&about, request);
}

/* ---- reload ---- */

void gov_daemon_log_faults(const struct gov_conf_faults *faults)
{
	for (size_t i = 0; i < faults->count; i++) {
		char *text = gov_conf_fault_string(&faults->item[i]);

		gov_log(GOV_LOG_MAIN,
			faults->item[i].warning ? GOV_LOG_INFO : GOV_LOG_ERROR,
			"%s", text ? text : "no memory to tell a fault");
		free(text);
	}
}

void gov_daemon_set_log(const struct gov_policy *policy, bool fixed_log)
{
	if (gov_log_set_levels(policy->log_level))
		gov_log(GOV_LOG_MAIN, GOV_LOG_ERROR,
			"LogLevel=%s is not understood, it stays as it was",
			policy->log_level);
	if (!fixed_log && policy->log_file && gov_log_open(policy->log_file))
		gov_log(GOV_LOG_MAIN, GOV_LOG_ERROR,
			"cannot open LogFile=%s: %s", policy->log_file,
			strerror(errno));
}

static bool differs(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") != 0;
}

static void warn_restart(const struct gov_policy *old,
			 const struct gov_policy *new)
{
	if (differs(old->submit_socket, new->submit_socket) ||
	    differs(old->listen, new->listen))
		gov_log(GOV_LOG_MAIN, GOV_LOG_INFO,
			"GovernorSocket= and Listen= take effect at the next "
			"start of slurmgovd");
}

static int reload(void *arg, struct gov_conf_faults *faults)
{
	struct daemon *d = arg;
	struct gov_policy *policy;
	struct gov_error error;

	policy = gov_conf_load(d->options->conf_path, d->options->cluster->name,
			       faults);
	gov_daemon_log_faults(faults);
	if (!policy) {
		gov_log(GOV_LOG_MAIN, GOV_LOG_ERROR,
			"%s has %zu errors; the old policy stays in force",
			d->options->conf_path, faults->errors);
		return -1;
	}
	warn_restart(gov_governor_policy(d->governor), policy);
	if (gov_governor_set_policy(d->governor, policy, gov_now_read(),
				    &error)) {
		gov_log(GOV_LOG_MAIN, GOV_LOG_ERROR, "%s", error.text);
		gov_policy_unref(policy);
		return -1;
	}
	gov_daemon_set_log(policy, d->options->fixed_log);
	gov_members_set_policy(d->members, policy);
	gov_actuator_set_rate(d->actuator, policy->max_updates_per_second);
	gov_watcher_set_interval(d->watcher, policy->poll_interval_ms);
	gov_log(GOV_LOG_MAIN, GOV_LOG_INFO, "policy %s of %s is in force",
		policy->digest, d->options->conf_path);
	gov_policy_unref(policy);
	settle(d);
	return 0;
}

/* Its cost is that of a restart and a reload, and submissions wait for it. */
static int forecast(void *arg, struct gov_policy *policy,
		    struct gov_forecast *forecast, struct gov_error *error)
{
	struct daemon *d = arg;

	return gov_forecast(d->governor, policy, gov_now_read(), forecast,
			    error);
}

/* ---- orders ---- */

/*
 * Written here on the loop: it is short, rare, and who orders must know that
 * it will be remembered.
 */
static int order(void *arg, const struct gov_order *order,
		 struct gov_error *error)
{
	struct daemon *d = arg;
	struct gov_error why;

	if (gov_governor_order(d->governor, order, gov_now_read(), error))
		return -1;
	settle(d);
	if (order->kind == GOV_ORDER_RELEASE ||
	    order->kind == GOV_ORDER_EXEMPT ||
	    !gov_orders_save(d->options->directory,
			     gov_governor_orders(d->governor), &why))
		return 0;
	gov_log(GOV_LOG_MAIN, GOV_LOG_ERROR, "%s", why.text);
	return gov_error_set(
		error, GOV_E_IO,
		"it is in force, but would be forgotten at a restart: %.200s",
		why.text);
}

static int checkpoint(void *arg, const char *job, uid_t by,
		      struct gov_error *error)
{
	struct daemon *d = arg;

	if (gov_governor_checkpoint(d->governor, job, by, gov_now_read(),
				    error))
		return -1;
	settle(d);
	return 0;
}

/* Who does not know whether reclaims are held, holds them. */
static void load_orders(struct daemon *d)
{
	struct gov_orders orders;
	struct gov_error error;

	if (gov_orders_load(d->options->directory, &orders, &error)) {
		gov_log(GOV_LOG_MAIN, GOV_LOG_ERROR,
			"%s; until then reclaims are held", error.text);
		orders.reclaims_held = (struct gov_mark){
			.by = d->options->cluster->slurm_uid,
			.since = gov_now_read().wall,
		};
	}
	gov_governor_set_orders(d->governor, &orders);
}

/* ---- usage history ---- */

static void load_usage(struct daemon *d)
{
	struct gov_error error;

	if (gov_governor_load_usage(d->governor, d->options->directory, &error))
		gov_log(GOV_LOG_MAIN, GOV_LOG_ERROR, "%s", error.text);
}

static void save_usage(struct daemon *d)
{
	struct gov_error error;

	if (gov_usage_save(d->options->directory,
			   gov_governor_engine(d->governor), &error))
		gov_log(GOV_LOG_MAIN, GOV_LOG_ERROR, "%s", error.text);
}

static void usage_is_due(evutil_socket_t fd, short what, void *arg)
{
	save_usage(arg);
}

/* ---- events of the loop ---- */

static void tick(evutil_socket_t fd, short what, void *arg)
{
	struct daemon *d = arg;

	gov_governor_tick(d->governor, gov_now_read());
	settle(d);
}

static void on_signal(evutil_socket_t number, short what, void *arg)
{
	struct gov_conf_faults faults = { 0 };
	struct daemon *d = arg;

	if (number != SIGHUP) {
		gov_log(GOV_LOG_MAIN, GOV_LOG_INFO, "stopping: %s",
			strsignal(number));
		event_base_loopbreak(d->base);
		return;
	}
	if (gov_log_reopen())
		gov_log(GOV_LOG_MAIN, GOV_LOG_ERROR,
			"cannot reopen the log: %s", strerror(errno));
	gov_notify("RELOADING=1");
	reload(d, &faults);
	gov_conf_faults_free(&faults);
	gov_notify("READY=1");
}

static int start_events(struct daemon *d)
{
	static const int signals[SIGNALS] = { SIGTERM, SIGINT, SIGHUP };
	static const struct timeval minute = { .tv_sec = USAGE_INTERVAL };

	d->base = event_base_new();
	d->box = gov_mailbox_create();
	if (!d->base || !d->box)
		return -1;
	d->mail_event = event_new(d->base, gov_mailbox_fd(d->box),
				  EV_READ | EV_PERSIST, read_mail, d);
	d->tick_event = evtimer_new(d->base, tick, d);
	d->settle_event = event_new(d->base, -1, 0, settle_now, d);
	d->usage_event = event_new(d->base, -1, EV_PERSIST, usage_is_due, d);
	if (!d->mail_event || !d->tick_event || !d->settle_event ||
	    !d->usage_event || event_add(d->mail_event, NULL) ||
	    event_add(d->usage_event, &minute))
		return -1;
	for (size_t i = 0; i < SIGNALS; i++) {
		d->signal_event[i] = evsignal_new(d->base, signals[i],
						  on_signal, d);
		if (!d->signal_event[i] || event_add(d->signal_event[i], NULL))
			return -1;
	}
	return 0;
}

static int start_threads(struct daemon *d, struct gov_policy *policy,
			 struct gov_error *error)
{
	const struct gov_daemon_options *o = d->options;

	gov_error_set(error, GOV_E_IO, "cannot start a thread: out of memory?");
	d->grants = gov_grants_start(d->box, o->munge_socket,
				     policy->submit_socket, grant_ready);
	if (!d->grants)
		return -1;
	d->actuator = gov_actuator_start(d->box, policy->max_updates_per_second,
					 deliver_action);
	if (!d->actuator)
		return -1;
	d->members = gov_members_start(d->box, policy, deliver_members);
	if (!d->members)
		return -1;
	d->watcher = gov_watcher_start(d->box, policy->poll_interval_ms,
				       deliver_list);
	if (!d->watcher)
		return -1;
	d->submit = gov_submit_server_start(d->base, policy->submit_socket,
					    o->cluster->slurm_uid,
					    answer_plugin, d, error);
	if (!d->submit)
		return -1;
	d->clients = gov_client_server_start(d->box, policy->listen,
					     o->munge_socket, answer_client,
					     error);
	return d->clients ? 0 : -1;
}

static int start(struct daemon *d, struct gov_policy *policy,
		 struct gov_error *error)
{
	struct gov_governor_setup setup = {
		.slurm_uid = d->options->cluster->slurm_uid,
		.nonce = next_nonce,
		.grant = get_grant,
		.nudge = nudge,
		.fact = fact,
		.arg = d,
	};

	gov_error_set(error, GOV_E_NOMEM, "no memory for the event loop");
	if (start_events(d))
		return -1;
	d->ledger = gov_ledger_start(d->options->directory,
				     d->options->cluster->name,
				     d->options->munge_socket);
	if (!d->ledger)
		return -1;
	d->governor = gov_governor_create(&setup, policy, error);
	if (!d->governor)
		return -1;
	load_orders(d);
	load_usage(d);
	return start_threads(d, policy, error);
}

/* A thread that hangs in a foreign call is left to the end of the process. */
static bool stop_threads(struct daemon *d)
{
	bool all = true;

	gov_submit_server_stop(d->submit);
	all &= !gov_client_server_stop(d->clients);
	all &= !gov_watcher_stop(d->watcher);
	all &= !gov_actuator_stop(d->actuator);
	all &= !gov_members_stop(d->members);
	all &= !gov_grants_stop(d->grants);
	all &= !gov_ledger_stop(d->ledger);
	return all;
}

static void stop(struct daemon *d)
{
	if (!stop_threads(d))
		return;
	gov_governor_destroy(d->governor);
	gov_mailbox_destroy(d->box);
	for (size_t i = 0; i < SIGNALS; i++)
		if (d->signal_event[i])
			event_free(d->signal_event[i]);
	if (d->mail_event)
		event_free(d->mail_event);
	if (d->tick_event)
		event_free(d->tick_event);
	if (d->settle_event)
		event_free(d->settle_event);
	if (d->usage_event)
		event_free(d->usage_event);
	if (d->base)
		event_base_free(d->base);
	libevent_global_shutdown();
}

int gov_daemon_run(const struct gov_daemon_options *options,
		   struct gov_policy *policy, struct gov_error *error)
{
	struct daemon d = { .options = options };
	sigset_t signals;
	int rc = start(&d, policy, error);

	if (!rc) {
		sigemptyset(&signals);
		sigaddset(&signals, SIGTERM);
		sigaddset(&signals, SIGINT);
		sigaddset(&signals, SIGHUP);
		pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
		gov_notify("READY=1\nSTATUS=active");
		event_base_dispatch(d.base);
		gov_notify("STOPPING=1");
		save_usage(&d);
	}
	stop(&d);
	return rc;
}
