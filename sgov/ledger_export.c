/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ledger export: records of a period for others, under pseudonyms if asked. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/export.h"
#include "ledger/walk.h"
#include "sgov/ledger.h"
#include "sgov/options.h"
#include "sgov/report.h"

#define SECOND INT64_C(1000000)
#define KEY_MAX 4096
#define FLUSH_AT (1u << 20)

/* One export. */
struct exporter {
	struct sgov *sgov;
	struct gov_walk walk;
	struct gov_pseudonyms pseudonyms;
	uint8_t key[KEY_MAX];
	int64_t start; /* microseconds */
	int64_t end;
	int64_t job; /* 0: of all */
	bool csv;
	struct gov_text out;
};

/* ---- what is asked for ---- */

static int read_list(struct exporter *exporter, const char *list)
{
	char *copy = sgov_copy(list), *rest = copy, *word;
	int status = SGOV_OK;

	while (!status && (word = strsep(&rest, ",")))
		if (strcmp(word, "user") == 0)
			exporter->pseudonyms.users = true;
		else if (strcmp(word, "job") == 0)
			exporter->pseudonyms.jobs = true;
		else if (strcmp(word, "project") == 0)
			exporter->pseudonyms.projects = true;
		else
			status = sgov_usage(exporter->sgov,
					    "--pseudonyms=%s: '%s' is none of "
					    "user, job and project",
					    list, word);
	free(copy);
	return status;
}

/* Up to the end of the file; -1 with errno. */
static int read_bytes(int fd, uint8_t *data, size_t size, size_t *length)
{
	for (*length = 0; *length < size;) {
		ssize_t got = read(fd, data + *length, size - *length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return (int) got;
		*length += (size_t) got;
	}
	return 0;
}

/* A key that others can read gives everybody's name away. */
static int read_key(struct exporter *exporter, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = -1;
	size_t length = 0;
	struct stat info;

	if (fd >= 0 && !fstat(fd, &info))
		rc = read_bytes(fd, exporter->key, KEY_MAX, &length);
	if (fd >= 0)
		close(fd);
	if (rc)
		return sgov_error("cannot read the key %s: %m", path);
	if (info.st_mode & 077)
		return sgov_error("others can read the key %s, and so find out "
				  "who is who: chmod 600 it, or make another",
				  path);
	if (length < GOV_PSEUDONYM_KEY_MIN || length == KEY_MAX)
		return sgov_error("the key %s has not between %d and %d bytes; "
				  "make one: openssl rand -out FILE 32",
				  path, GOV_PSEUDONYM_KEY_MIN, KEY_MAX - 1);
	exporter->pseudonyms.key_length = length;
	return SGOV_OK;
}

static int make_key(struct exporter *exporter)
{
	if (getrandom(exporter->key, 32, 0) != 32)
		return sgov_error("no random numbers for a key: %m");
	exporter->pseudonyms.key_length = 32;
	return SGOV_OK;
}

static int read_period(struct exporter *exporter,
		       const struct sgov_ledger_given *given)
{
	gov_time_t start = 0, end = 0;
	int status;

	status = sgov_report_zone(exporter->sgov, given->zone);
	if (!status)
		status = sgov_report_start(exporter->sgov, given->start,
					   &start);
	if (!status)
		status = sgov_report_end(exporter->sgov, given->end, &end);
	if (status)
		return status;
	if (given->end && start >= end)
		return sgov_usage(exporter->sgov,
				  "the end must be after the start");
	exporter->start = start * SECOND;
	exporter->end = given->end ? end * SECOND : INT64_MAX;
	return SGOV_OK;
}

static int read_given(struct exporter *exporter,
		      const struct sgov_ledger_given *given)
{
	int status = read_period(exporter, given);

	exporter->csv = given->csv;
	exporter->pseudonyms.key = exporter->key;
	if (!status && given->job)
		status = sgov_ledger_job(exporter->sgov, given->job,
					 &exporter->job);
	if (!status && given->key && !given->pseudonyms)
		status = sgov_usage(exporter->sgov,
				    "--key is for --pseudonyms; say of what");
	if (status || !given->pseudonyms)
		return status;
	status = read_list(exporter, given->pseudonyms);
	if (status)
		return status;
	return given->key ? read_key(exporter, given->key) : make_key(exporter);
}

/* ---- doing it ---- */

static int put(struct exporter *exporter)
{
	size_t length = exporter->out.length;

	exporter->out.length = 0;
	return fwrite(exporter->out.data, 1, length, stdout) == length ? 0 : -1;
}

static int visit(void *arg, const struct gov_record *record,
		 const struct gov_chain *before, struct gov_error *error)
{
	struct exporter *exporter = arg;
	const uint8_t *hash = exporter->walk.chain.hash;
	int rc;

	if (record->time < exporter->start || record->time >= exporter->end ||
	    (exporter->job && record->job != exporter->job))
		return 0;
	rc = exporter->csv ?
		     gov_export_csv(record, hash, &exporter->pseudonyms,
				    &exporter->out) :
		     gov_export_json(record, hash, &exporter->pseudonyms,
				     &exporter->out);
	if (rc)
		return gov_error_set(error, GOV_E_NOMEM, "no memory");
	if (exporter->out.length >= FLUSH_AT && put(exporter))
		return gov_error_set(error, GOV_E_IO, "cannot be written out");
	return 0;
}

/* What comes before a fault is good, and is exported. */
static int export_from(struct exporter *exporter, const char *directory)
{
	struct gov_error error;
	int rc;

	exporter->walk = (struct gov_walk){ .directory = directory,
					    .visit = visit,
					    .arg = exporter };
	if (exporter->csv && gov_export_csv_header(&exporter->out))
		return sgov_error("no memory");
	rc = gov_walk(&exporter->walk, &error);
	if (!rc && !exporter->walk.segments)
		return sgov_error("there is no ledger in %s", directory);
	if (exporter->out.length && put(exporter))
		return SGOV_ERROR; /* main() tells why */
	if (!rc)
		return SGOV_OK;
	sgov_error("%s; the export ends there, see 'sgov ledger verify'",
		   error.text);
	return error.code == GOV_E_VALUE ? SGOV_NO : SGOV_ERROR;
}

int sgov_ledger_export(struct sgov *sgov, const char *operand,
		       const struct sgov_ledger_given *given)
{
	struct exporter exporter = { .sgov = sgov };
	int status = read_given(&exporter, given);
	char *directory = NULL;

	if (!status)
		directory = sgov_ledger_directory(sgov, operand, &status);
	if (directory)
		status = export_from(&exporter, directory);
	explicit_bzero(exporter.key, sizeof(exporter.key));
	gov_text_free(&exporter.out);
	free(directory);
	return status;
}
