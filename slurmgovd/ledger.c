/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/ledger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger/journal.h"
#include "slurmgovd/clock.h"
#include "slurmgovd/log.h"
#include "slurmgovd/thread.h"
#include "wire/seal.h"

#define QUEUE_MAX 65536
#define BUFFER_MAX (32u << 20) /* bytes that wait for a disk */
#define SEGMENT_BYTES (64u << 20)
#define RETRY 1000	  /* ms after a failure */
#define LOOK_AT_DAY 60000 /* ms */
#define HANGS 10	  /* seconds of a write that are worth a word */

struct item {
	struct item *next;
	struct gov_fact fact;
};

struct gov_ledger {
	struct gov_thread thread; /* its lock guards what follows */
	struct item *first;
	struct item **last;
	struct gov_ledger_state state;
	int64_t writing; /* mono ms since when it writes; 0: it does not */
	/* the thread's own */
	uint64_t told_lost; /* of state.lost, what the ledger itself says */
	char *cluster;
	char *munge_socket;
	char host[256];
	struct gov_journal *journal;
	struct gov_keeper *keeper;
};

/* ---- alarms ---- */

static void raise_alarm(struct gov_ledger *l, const char *text)
{
	bool fresh;

	pthread_mutex_lock(&l->thread.lock);
	fresh = strcmp(l->state.alarm, text) != 0;
	if (!l->state.alarm_since)
		l->state.alarm_since = gov_now_read().wall;
	snprintf(l->state.alarm, sizeof(l->state.alarm), "%.255s", text);
	pthread_mutex_unlock(&l->thread.lock);
	if (fresh)
		gov_log(GOV_LOG_MAIN, GOV_LOG_ERROR, "ledger: %s", text);
}

static void end_alarm(struct gov_ledger *l)
{
	bool was;

	pthread_mutex_lock(&l->thread.lock);
	was = l->state.alarm_since != 0;
	l->state.alarm_since = 0;
	l->state.alarm[0] = '\0';
	l->state.durable = gov_journal_durable(l->journal);
	pthread_mutex_unlock(&l->thread.lock);
	if (was)
		gov_log(GOV_LOG_MAIN, GOV_LOG_INFO,
			"ledger: everything is written down again");
}

/* ---- what the journal wants ---- */

static int carry(void *arg, struct gov_journal *journal)
{
	struct gov_ledger *l = arg;

	/* Called while opening, too, when there is no journal yet. */
	l->journal = journal;
	return gov_keeper_carry(l->keeper);
}

static char *sign(void *arg, const char *text)
{
	struct gov_ledger *l = arg;
	struct gov_error error;
	char *credential = gov_seal(l->munge_socket, (uid_t) -1, text,
				    strlen(text) + 1, &error);

	if (!credential)
		raise_alarm(l, error.text);
	gov_log(GOV_LOG_MAIN, GOV_LOG_INFO, "ledger sealed: %s", text);
	return credential;
}

static int replay(void *arg, const struct gov_record *record,
		  const struct gov_chain *before, struct gov_error *error)
{
	struct gov_ledger *l = arg;

	return gov_keeper_replay(l->keeper, record, error);
}

static int emit(void *arg, struct gov_record *record)
{
	struct gov_ledger *l = arg;

	return gov_journal_append(l->journal, record, gov_wall_ms() * 1000);
}

/* ---- opening ---- */

static void tell_found(const struct gov_journal_found *found)
{
	if (found->cut)
		gov_log(GOV_LOG_MAIN, GOV_LOG_INFO,
			"ledger: %" PRIu64 " bytes of an incomplete record "
			"were cut off",
			found->cut);
	if (found->missing)
		gov_log(GOV_LOG_MAIN, GOV_LOG_ERROR,
			"ledger: %" PRIu64 " records that were durable are "
			"gone; sgov ledger verify tells where",
			found->missing);
	if (found->damage[0])
		gov_log(GOV_LOG_MAIN, GOV_LOG_ERROR, "ledger: %s",
			found->damage);
}

static void note_open(struct gov_ledger *l,
		      const struct gov_journal_found *found)
{
	struct gov_record record = {
		.kind = GOV_RECORD_OPEN,
		.at = gov_now_read().wall,
		.started = found->time / 1000000, /* since when none watched */
		.count = (int64_t) found->missing,
		.bytes = (int64_t) found->cut,
		.host = l->host,
		.cluster = l->cluster,
		.text = found->damage,
	};

	gov_journal_begin(l->journal, gov_wall_ms() * 1000);
	emit(l, &record);
}

static int open_journal(struct gov_ledger *l)
{
	struct gov_journal_setup setup = {
		.directory = l->state.directory,
		.cluster = l->cluster,
		.host = l->host,
		.segment_bytes = SEGMENT_BYTES,
		.carry = carry,
		.sign = sign,
		.arg = l,
	};
	struct gov_journal_found found;
	struct gov_error error;

	gov_keeper_destroy(l->keeper);
	l->keeper = gov_keeper_create(emit, l);
	if (!l->keeper)
		return -1;
	l->journal = gov_journal_open(&setup, replay, &found, &error);
	if (!l->journal) {
		raise_alarm(l, error.text);
		return -1;
	}
	tell_found(&found);
	note_open(l, &found);
	return 0;
}

/* ---- the thread ---- */

/* All that waits, when something does or a minute has passed. */
static struct item *fetch(struct gov_ledger *l, int64_t until)
{
	struct item *list;

	pthread_mutex_lock(&l->thread.lock);
	while (!l->thread.stop && !l->first && gov_mono_ms() < until)
		gov_thread_wait(&l->thread, until);
	list = l->first;
	l->first = NULL;
	l->last = &l->first;
	l->state.waiting = 0;
	pthread_mutex_unlock(&l->thread.lock);
	return list;
}

/* What found no place is missed by whoever reads the ledger, too. */
static void note_lost(struct gov_ledger *l)
{
	struct gov_record record = { .kind = GOV_RECORD_LOST,
				     .at = gov_now_read().wall };
	uint64_t lost;

	pthread_mutex_lock(&l->thread.lock);
	lost = l->state.lost;
	pthread_mutex_unlock(&l->thread.lock);
	if (lost == l->told_lost)
		return;
	record.count = (int64_t) (lost - l->told_lost);
	gov_journal_begin(l->journal, gov_wall_ms() * 1000);
	if (!emit(l, &record))
		l->told_lost = lost;
}

static void take(struct gov_ledger *l, struct item *list)
{
	struct gov_error error;
	struct item *next;

	for (; list; list = next) {
		next = list->next;
		gov_journal_begin(l->journal, gov_wall_ms() * 1000);
		if (gov_keeper_take(l->keeper, &list->fact, &error))
			raise_alarm(l, error.text);
		gov_policy_unref(list->fact.policy);
		free(list);
	}
	note_lost(l);
}

static void set_writing(struct gov_ledger *l, int64_t since)
{
	pthread_mutex_lock(&l->thread.lock);
	l->writing = since;
	pthread_mutex_unlock(&l->thread.lock);
}

static bool write_down(struct gov_ledger *l)
{
	struct gov_error error;
	int rc;

	set_writing(l, gov_mono_ms());
	rc = gov_journal_commit(l->journal, &error) ||
	     gov_journal_turn(l->journal, gov_wall_ms() * 1000, &error);
	set_writing(l, 0);
	if (rc) {
		raise_alarm(l, error.text);
		return false;
	}
	end_alarm(l);
	return true;
}

static bool stopping(struct gov_ledger *l)
{
	bool stop;

	pthread_mutex_lock(&l->thread.lock);
	stop = l->thread.stop;
	pthread_mutex_unlock(&l->thread.lock);
	return stop;
}

/* Until the next attempt; facts wait in the queue. */
static void rest(struct gov_ledger *l)
{
	int64_t until = gov_mono_ms() + RETRY;

	pthread_mutex_lock(&l->thread.lock);
	while (!l->thread.stop && gov_mono_ms() < until)
		gov_thread_wait(&l->thread, until);
	pthread_mutex_unlock(&l->thread.lock);
}

static void *run(void *arg)
{
	struct gov_ledger *l = arg;
	struct gov_record end = { .kind = GOV_RECORD_CLOSE };
	size_t pending;

	while (open_journal(l) && !stopping(l))
		rest(l);
	while (l->journal && !stopping(l)) {
		if (!write_down(l))
			rest(l);
		pending = gov_journal_pending(l->journal);
		if (pending < BUFFER_MAX)
			take(l,
			     fetch(l,
				   pending ? 0 : gov_mono_ms() + LOOK_AT_DAY));
	}
	if (l->journal) {
		take(l, fetch(l, 0));
		end.at = gov_now_read().wall;
		emit(l, &end);
		write_down(l);
	}
	return NULL;
}

/* ---- the loop's side ---- */

struct gov_ledger *gov_ledger_start(const char *directory, const char *cluster,
				    const char *munge_socket)
{
	struct gov_ledger *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->last = &l->first;
	snprintf(l->state.directory, sizeof(l->state.directory), "%s/ledger",
		 directory);
	gethostname(l->host, sizeof(l->host) - 1);
	l->cluster = strdup(cluster ? cluster : "");
	l->munge_socket = munge_socket ? strdup(munge_socket) : NULL;
	if (l->cluster && !gov_thread_start(&l->thread, "ledger", run, l))
		return l;
	free(l->cluster);
	free(l->munge_socket);
	free(l);
	return NULL;
}

static void free_items(struct item *list)
{
	struct item *next;

	for (; list; list = next) {
		next = list->next;
		gov_policy_unref(list->fact.policy);
		free(list);
	}
}

int gov_ledger_stop(struct gov_ledger *l)
{
	if (!l)
		return 0;
	if (gov_thread_stop(&l->thread))
		return -1;
	free_items(l->first);
	gov_journal_close(l->journal);
	gov_keeper_destroy(l->keeper);
	free(l->cluster);
	free(l->munge_socket);
	free(l);
	return 0;
}

void gov_ledger_tell(struct gov_ledger *l, const struct gov_fact *fact)
{
	struct item *item = malloc(sizeof(*item));
	bool full, first = false;

	if (item)
		*item = (struct item){ .fact = *fact };
	pthread_mutex_lock(&l->thread.lock);
	full = !item || l->state.waiting >= QUEUE_MAX;
	if (full) {
		first = !l->state.look;
		l->state.lost++;
		l->state.look = true;
	} else {
		*l->last = item;
		l->last = &item->next;
		l->state.waiting++;
		pthread_cond_signal(&l->thread.wake);
	}
	pthread_mutex_unlock(&l->thread.lock);
	if (full) {
		gov_policy_unref(fact->policy);
		free(item);
	}
	if (first)
		raise_alarm(l, "more happens than the disk takes; what runs "
			       "will be written down anew");
}

void gov_ledger_state(struct gov_ledger *l, struct gov_ledger_state *state)
{
	pthread_mutex_lock(&l->thread.lock);
	*state = l->state;
	if (l->writing && gov_mono_ms() - l->writing >= HANGS * 1000)
		state->hangs = (gov_mono_ms() - l->writing) / 1000;
	pthread_mutex_unlock(&l->thread.lock);
}

bool gov_ledger_wants_look(struct gov_ledger *l)
{
	bool look;

	pthread_mutex_lock(&l->thread.lock);
	look = l->state.look && !l->state.waiting;
	if (look)
		l->state.look = false;
	pthread_mutex_unlock(&l->thread.lock);
	return look;
}
