/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ledger follow: new records as they are written, until interrupted. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/follow.h"
#include "sgov/ledger.h"
#include "sgov/users.h"
#include "wire/printable.h"

/* Looked at that often where nobody tells of changes, as on NFS. */
#define LOOK_MS 1000

struct follower {
	struct gov_follow follow;
	bool json;
	int64_t job;	  /* 0: of all */
	uint64_t missing; /* told */
	uint64_t fenced;
	struct gov_text line;
};

/* ---- a record in a line for people ---- */

static void add(struct gov_text *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct gov_text *line, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = sgov_copy("");
	va_end(args);
	gov_text_string(line, text);
	free(text);
}

static void add_named(struct gov_text *line, const char *name, const char *text)
{
	if (text && *text)
		add(line, ", %s %s", name, text);
}

static void add_time(struct gov_text *line, const char *words, int64_t seconds)
{
	char text[GOV_RECORD_TIME];

	if (seconds <= 0 || seconds > INT64_MAX / 1000000)
		return;
	gov_record_time(seconds * 1000000, text);
	add(line, ", %s %.19sZ", words, text);
}

static void add_use(struct gov_text *line, const struct gov_record *record)
{
	const struct gov_record_list *use = &record->list[GOV_LIST_USE];

	for (size_t i = 0; i < use->count; i++)
		add(line, "%s%s=%" PRIu64 "%s%s", i ? " " : ", ",
		    use->row[i].text[1], use->row[i].number[0],
		    i + 1 < use->count ? "" : " in pool ",
		    i + 1 < use->count ? "" : use->row[i].text[0]);
}

static void add_loans(struct gov_text *line, const struct gov_record *record)
{
	const struct gov_record_list *loans = &record->list[GOV_LIST_LOANS];

	for (size_t i = 0; i < loans->count; i++) {
		const struct gov_record_row *row = &loans->row[i];
		const char *lender = *row->text[0] ? row->text[0] :
						     "(unallocated)";

		if (row->number[0])
			add(line, "; %s lends %s %" PRIu64 " %s", lender,
			    row->text[1], row->number[0], row->text[3]);
		else
			add(line, "; %s lends %s no %s any more", lender,
			    row->text[1], row->text[3]);
	}
}

/* Who ran it, and whose word it was. */
static void add_people(struct gov_text *line, const struct gov_record *record)
{
	bool of_run = record->kind == GOV_RECORD_START ||
		      record->kind == GOV_RECORD_CARRY ||
		      record->kind == GOV_RECORD_CHANGE ||
		      record->kind == GOV_RECORD_END;

	if (of_run)
		add(line, " of %s", sgov_user_name((uid_t) record->user));
	add_named(line, "team", record->team);
	add_named(line, "class", record->class_name);
	add_named(line, "project", record->project);
	if (record->kind == GOV_RECORD_ORDER ||
	    record->kind == GOV_RECORD_POLICY)
		add(line, ", by %s", sgov_user_name((uid_t) record->by));
}

static void add_reclaim(struct gov_text *line, const struct gov_record *record)
{
	if (record->rule && *record->rule)
		add(line, ", %s", record->rule);
	if (record->asker)
		add(line, ", for job %" PRId64, record->asker);
	if (record->asker_team && *record->asker_team)
		add(line, " of team %s", record->asker_team);
	if (record->lost)
		add(line, ", %" PRId64 " s of work lost", record->lost);
	add_time(line, "must leave by", record->deadline);
}

/* "2026-12-02T10:00:00Z  start     job 12 of bob, team nlp, ..." */
static void describe(struct gov_text *line, const struct gov_record *record)
{
	char time[GOV_RECORD_TIME];

	line->length = 0;
	gov_record_time(record->time, time);
	add(line, "%.19sZ  %-8s  ", time, gov_record_kind_name(record->kind));
	if (record->job)
		add(line, "job %" PRId64, record->job);
	else
		add(line, "record %" PRIu64, record->seq);
	add_people(line, record);
	add_use(line, record);
	if (record->how && *record->how)
		add(line, ", %s", record->how);
	add_reclaim(line, record);
	if (record->reconstructed)
		add(line, ", reconstructed");
	add_named(line, "of host", record->host);
	add_named(line, "from", record->source);
	if (record->text && *record->text)
		add(line, ": %s", record->text);
	add_loans(line, record);
	gov_text_char(line, '\0');
}

static void visit(void *arg, const struct gov_record *record, const char *line,
		  size_t length)
{
	struct follower *follower = arg;

	if (follower->job && record->job != follower->job)
		return;
	if (follower->json) {
		puts(line);
		return;
	}
	describe(&follower->line, record);
	if (follower->line.failed)
		return (void) sgov_error("no memory");
	gov_make_printable(follower->line.data);
	puts(follower->line.data);
}

/* ---- waiting ---- */

static int watch(const char *directory)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (fd >= 0 &&
	    inotify_add_watch(fd, directory,
			      IN_MODIFY | IN_CREATE | IN_MOVED_TO) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* false: nobody reads what is printed any more. */
static bool wait_for_more(int watched)
{
	struct pollfd fds[2] = {
		{ .fd = STDOUT_FILENO },
		{ .fd = watched, .events = POLLIN },
	};
	char events[4096];

	if (poll(fds, 2, LOOK_MS) <= 0)
		return true;
	while (watched >= 0 && read(watched, events, sizeof(events)) > 0)
		;
	return !(fds[0].revents & (POLLERR | POLLNVAL));
}

/* What a stream of records cannot show by itself. */
static void warn(struct follower *follower)
{
	const struct gov_follow *follow = &follower->follow;

	if (follow->missing > follower->missing)
		sgov_warning("%" PRIu64 " records are missing before %s",
			     follow->missing - follower->missing,
			     follow->segment.name);
	if (follow->fenced > follower->fenced)
		sgov_warning("the last %" PRIu64 " records before %s do not "
			     "count: their governor had been replaced",
			     follow->fenced - follower->fenced,
			     follow->segment.name);
	follower->missing = follow->missing;
	follower->fenced = follow->fenced;
}

static int stream(struct follower *follower)
{
	struct gov_follow *follow = &follower->follow;
	/* Watched before it is read, so that nothing is overlooked. */
	int watched = watch(follow->directory), rc;
	struct gov_error error;

	rc = gov_follow_begin(follow, &error);
	while (!rc) {
		rc = gov_follow_read(follow, &error);
		warn(follower);
		if (fflush(stdout) || (!rc && !wait_for_more(watched)))
			break;
	}
	if (watched >= 0)
		close(watched);
	if (!rc)
		return SGOV_OK;
	sgov_error("%s; see 'sgov ledger verify'", error.text);
	return error.code == GOV_E_VALUE ? SGOV_NO : SGOV_ERROR;
}

int sgov_ledger_follow(struct sgov *sgov, const char *operand,
		       const struct sgov_ledger_given *given)
{
	struct follower follower = { .json = sgov->format == SGOV_JSON };
	int status = SGOV_OK;
	struct stat info;
	char *directory = NULL;

	if (given->job)
		status = sgov_ledger_job(sgov, given->job, &follower.job);
	if (!status)
		directory = sgov_ledger_directory(sgov, operand, &status);
	if (!directory)
		return status;
	follower.follow.directory = directory;
	follower.follow.visit = visit;
	follower.follow.arg = &follower;
	if (stat(directory, &info))
		status = sgov_error("there is no ledger in %s", directory);
	else
		status = stream(&follower);
	gov_follow_end(&follower.follow);
	gov_text_free(&follower.line);
	free(directory);
	return status;
}
