/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apply: a policy into the place of governance.conf, against the version that
 * it was planned for.
 *
 * The file is replaced by a rename, so that at every moment it is the old one
 * or the new one, whole; the governor does the same with the policy in force.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/conf.h"
#include "sgov/ask.h"
#include "sgov/options.h"
#include "sgov/plan.h"

struct place {
	char *path;	 /* of governance.conf, links resolved */
	char *temporary; /* beside it */
	char *previous;
	char *kept;    /* what will be `previous` */
	int directory; /* or -1 */
	int lock;      /* held while the file is exchanged; or -1 */
};

static void place_free(struct place *place)
{
	if (place->directory >= 0)
		close(place->directory);
	if (place->lock >= 0)
		close(place->lock);
	free(place->kept);
	free(place->path);
	free(place->temporary);
	free(place->previous);
}

/* A file that only who may write there can open: anybody could lock the
 * directory itself. */
static int take_lock(struct place *place)
{
	char *name = sgov_printf("%s.lock", place->path);
	int rc = SGOV_OK;

	place->lock = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
			   0600);
	if (place->lock < 0)
		rc = sgov_error("%s cannot be written: %s", name,
				strerror(errno));
	else if (flock(place->lock, LOCK_EX | LOCK_NB))
		rc = sgov_error(
			"%s is locked: another 'sgov apply' is at work; try again when it is done",
			name);
	free(name);
	return rc;
}

/* The file that the governor reads, if it is a file of this host. */
static int find_place(const struct json_object *answer, struct place *place)
{
	const struct json_object *policy =
		sgov_json_object(sgov_json_object(answer, "meta"), "policy");
	const char *source = sgov_json_text(policy, "source");
	char *copy;

	place->path = realpath(source, NULL);
	if (!place->path)
		return sgov_error(
			"the governor reads %s, and here that is: %s; run 'sgov apply' on the governor's host",
			source, strerror(errno));
	place->temporary = sgov_printf("%s.new", place->path);
	place->previous = sgov_printf("%s.previous", place->path);
	place->kept = sgov_printf("%s.kept", place->path);
	copy = sgov_copy(place->path);
	place->directory = open(dirname(copy),
				O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(copy);
	if (place->directory < 0)
		return sgov_error("cannot open the directory of %s: %s",
				  place->path, strerror(errno));
	return take_lock(place);
}

/* Is the file still the policy for which the plan was made? */
static bool is_planned_for(const struct place *place,
			   const struct json_object *answer)
{
	const struct json_object *meta = sgov_json_object(answer, "meta");
	const char *digest = sgov_json_text(sgov_json_object(meta, "policy"),
					    "digest");
	const char *cluster = sgov_json_text(meta, "cluster");
	struct gov_conf_faults faults = { 0 };
	struct gov_policy *policy;
	bool same;

	policy = gov_conf_load(place->path, *cluster ? cluster : NULL, &faults);
	same = policy && strcmp(policy->digest, digest) == 0;
	gov_policy_unref(policy);
	gov_conf_faults_free(&faults);
	return same;
}

/* ---- the exchange ---- */

static int write_whole(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			text += n;
			length -= (size_t) n;
		}
	}
	return fsync(fd);
}

/* The new text beside the file, with the file's owner and mode. */
static int write_temporary(const struct place *place, const char *text,
			   size_t length)
{
	struct stat st;
	int fd, rc;

	if (stat(place->path, &st))
		return -1;
	if (unlink(place->temporary) && errno != ENOENT)
		return -1;
	fd = open(place->temporary,
		  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	rc = fchown(fd, st.st_uid, st.st_gid) ||
	     fchmod(fd, st.st_mode & 0777) || write_whole(fd, text, length);
	if (close(fd) || rc) {
		int saved = errno;

		unlink(place->temporary);
		errno = saved;
		return -1;
	}
	return 0;
}

/* The old file under its second name, which it has whole or not at all. */
static int keep_previous(const struct place *place)
{
	if (unlink(place->kept) && errno != ENOENT)
		return -1;
	if (link(place->path, place->kept) ||
	    rename(place->kept, place->previous))
		return -1;
	/* Two names of one file are not exchanged. */
	unlink(place->kept);
	return 0;
}

static int exchange(const struct place *place, const char *text, size_t length)
{
	if (write_temporary(place, text, length))
		return sgov_error(
			"%s cannot be written, the old policy stays: %s",
			place->temporary, strerror(errno));
	if (keep_previous(place) || rename(place->temporary, place->path)) {
		int saved = errno;

		unlink(place->temporary);
		return sgov_error(
			"%s cannot be replaced, the old policy stays: %s",
			place->path, strerror(saved));
	}
	if (fsync(place->directory))
		sgov_warning("%s may not survive a crash of this host: %s",
			     place->path, strerror(errno));
	return SGOV_OK;
}

/* The governor did not take it. */
static void go_back(const struct place *place)
{
	if (rename(place->previous, place->path))
		sgov_error("%s cannot be put back: %s; the old policy is %s",
			   place->path, strerror(errno), place->previous);
	else
		sgov_warning("%s is as it was before", place->path);
}

/* Put in force what is in the file now. */
static int put_in_force(const struct sgov *sgov, const struct place *place,
			const char *digest)
{
	struct json_object *answer;
	const char *taken;
	int status;

	answer = sgov_ask(sgov, sgov_request("reload"), &status);
	if (!answer) {
		sgov_warning(
			"%s is the new policy and comes in force when the governor reads it ('sgov reload'); the old one is %s",
			place->path, place->previous);
		return status;
	}
	taken = sgov_json_text(answer, "digest");
	if (status != SGOV_OK) {
		go_back(place);
		status = SGOV_ERROR;
	} else if (strcmp(taken, digest) != 0) {
		status = sgov_error(
			"the governor took another policy (%s) than was planned: somebody changed %s meanwhile; look at it",
			taken, place->path);
	} else if (sgov->format == SGOV_JSON) {
		sgov_json_print(answer);
	} else {
		printf("%s is in force (%s); the one before is %s\n",
		       place->path, digest, place->previous);
	}
	json_object_put(answer);
	return status;
}

/* ---- asking whoever types ---- */

static bool agrees(void)
{
	char line[16];

	fputs("Put it in force? [y/N] ", stderr);
	return fgets(line, sizeof(line), stdin) &&
	       (line[0] == 'y' || line[0] == 'Y');
}

static int apply(const struct sgov *sgov, const struct json_object *answer,
		 const char *text, size_t length)
{
	const char *digest = sgov_json_text(sgov_json_object(answer, "plan"),
					    "digest");
	struct place place = { .directory = -1, .lock = -1 };
	int status = find_place(answer, &place);

	if (status == SGOV_OK && !is_planned_for(&place, answer)) {
		sgov_error(
			"%s is not the policy that the plan was made against: somebody changed it; look at it, 'sgov reload' if it is right, and apply again",
			place.path);
		status = SGOV_NO;
	}
	if (status == SGOV_OK)
		status = exchange(&place, text, length);
	if (status == SGOV_OK)
		status = put_in_force(sgov, &place, digest);
	place_free(&place);
	return status;
}

int sgov_apply(struct sgov *sgov, int argc, char **argv)
{
	const char *yes = NULL;
	const struct sgov_option options[] = {
		{ "yes", 'y', NULL, "do not ask", &yes },
		{ NULL, 0, NULL, NULL, NULL },
	};
	struct json_object *answer;
	struct sgov quiet;
	size_t length;
	int status;
	char **file = sgov_parse_operands(sgov, options, argc, argv, 1, 1,
					  &status);
	char *text;

	if (!file)
		return status;
	quiet = *sgov;
	/* One answer on stdout: that of the reload. */
	if (quiet.format == SGOV_JSON)
		quiet.format = SGOV_TABLE;
	text = sgov_read_policy(file[0], &length);
	if (!text)
		return SGOV_ERROR;
	answer = sgov_ask_plan(&quiet, file[0], text, &status);
	if (answer && status == SGOV_OK && sgov->format != SGOV_JSON)
		sgov_show_plan(sgov, answer);
	fflush(stdout);
	if (answer && status == SGOV_OK && !yes && !agrees()) {
		fprintf(stderr, "sgov: nothing was changed\n");
		status = SGOV_NO;
	} else if (answer && status == SGOV_OK) {
		status = apply(sgov, answer, text, length);
	}
	json_object_put(answer);
	free(text);
	return status;
}
