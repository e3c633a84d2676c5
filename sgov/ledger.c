/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ledger: look at the files of the ledger, without the governor. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/account.h"
#include "ledger/journal.h"
#include "sgov/ask.h"
#include "sgov/ledger.h"
#include "sgov/options.h"
#include "sgov/table.h"

/* What verifying counts. */
struct check {
	struct gov_account account;
	char *cluster;
	uint64_t seals;
	uint64_t unsigned_seals;
	uint64_t sealed; /* seq of the last record that a seal vouches for */
	uint64_t gaps;
	int64_t first; /* time of the first record */
	bool show;
	int64_t job; /* show: only of this job */
};

/* A seal must name the record before it. */
static int check_seal(struct check *check, const struct gov_record *record,
		      const struct gov_chain *before, struct gov_error *error)
{
	char hash[GOV_HASH_TEXT + 1] = "", part[GOV_HASH_TEXT + 64];

	gov_digest_text(before->hash, hash);
	snprintf(part, sizeof(part), "record %" PRIu64 ", hash %s", before->seq,
		 hash);
	if (!record->text || !strstr(record->text, part))
		return gov_error_set(error, GOV_E_VALUE,
				     "the seal is of another record");
	check->seals++;
	check->sealed = before->seq;
	check->unsigned_seals += !record->credential;
	return 0;
}

static int visit(void *arg, const struct gov_record *record,
		 const struct gov_chain *before, struct gov_error *error)
{
	struct check *check = arg;

	if (!check->first)
		check->first = record->time;
	check->gaps += record->kind == GOV_RECORD_OPEN;
	if (record->kind == GOV_RECORD_SEAL &&
	    check_seal(check, record, before, error))
		return -1;
	return gov_account_apply(&check->account, record, error);
}

/* ---- where it is ---- */

/* As said, or as the environment says, or as the governor does. */
char *sgov_ledger_directory(struct sgov *sgov, const char *operand, int *status)
{
	const char *set = operand ? operand : getenv("GOVERNANCE_LEDGER");
	struct json_object *answer;
	const char *found;
	char *directory = NULL;

	if (set)
		return sgov_copy(set);
	answer = sgov_ask(sgov, sgov_request("status"), status);
	if (!answer)
		return NULL;
	found = sgov_json_text(sgov_json_object(answer, "ledger"), "directory");
	if (*found)
		directory = sgov_copy(found);
	else
		*status = sgov_error("this governor keeps no ledger; name its "
				     "directory");
	json_object_put(answer);
	return directory;
}

int sgov_ledger_as_owner(const char *directory)
{
	struct stat owner;

	/* That it is not there is told by who reads it. */
	if (geteuid() != 0 || stat(directory, &owner) || !owner.st_uid)
		return SGOV_OK;
	if (setgroups(0, NULL) ||
	    setresgid(owner.st_gid, owner.st_gid, owner.st_gid) ||
	    setresuid(owner.st_uid, owner.st_uid, owner.st_uid))
		return sgov_error("cannot become the owner of %s: %m",
				  directory);
	return SGOV_OK;
}

/* ---- verify ---- */

static void put_time(int64_t time)
{
	char text[GOV_RECORD_TIME];

	gov_record_time(time, text);
	printf("%.19sZ", text);
}

static void tell(const struct gov_walk *walk, const struct check *check)
{
	printf("%" PRIu64 " records in %" PRIu64 " files, ", walk->records,
	       walk->segments);
	put_time(check->first);
	printf(" to ");
	put_time(walk->time);
	printf("\nseals           %" PRIu64, check->seals);
	if (check->unsigned_seals)
		printf(", %" PRIu64 " of them not signed",
		       check->unsigned_seals);
	/* Who takes seals out must write all anew, and that shows here. */
	if (check->seals)
		printf(", the last is of record %" PRIu64, check->sealed);
	printf("\nstarts          %" PRIu64 " of a governor\n", check->gaps);
	printf("runs under way  %zu\n", check->account.runs);
	if (walk->fenced)
		printf("fenced          %" PRIu64 " records of a governor that "
		       "had been replaced do not count\n",
		       walk->fenced);
	if (walk->rest)
		printf("incomplete      %" PRIu64 " bytes at the end, never "
		       "acknowledged\n",
		       walk->rest);
}

static int verify(struct sgov *sgov, const char *operand)
{
	struct check check = { 0 };
	struct gov_walk walk = { .visit = visit, .arg = &check };
	struct gov_error error;
	int status = SGOV_OK, rc;
	char *directory = sgov_ledger_directory(sgov, operand, &status);

	if (!directory)
		return status;
	walk.directory = directory;
	rc = gov_walk(&walk, &error);
	if (!rc && !walk.segments)
		status = sgov_error("there is no ledger in %s", directory);
	else if (walk.records)
		tell(&walk, &check);
	if (rc) {
		sgov_error("%s", error.text);
		printf("NOT as it was written\n");
		status = error.code == GOV_E_IO ? SGOV_ERROR : SGOV_NO;
	} else if (walk.segments) {
		printf("as it was written: every record follows its "
		       "predecessor, and lent equals borrowed\n");
	}
	gov_account_free(&check.account);
	free(directory);
	return status;
}

/* ---- show ---- */

static int print_file(const char *directory, const struct gov_segment *segment,
		      const char *job)
{
	char needle[64], *data, *line, *newline;
	struct gov_error error;
	size_t length;

	if (gov_segment_load(directory, segment, &data, &length, NULL, &error))
		return sgov_error("%s", error.text);
	snprintf(needle, sizeof(needle), ",\"job\":%.20s,", job ? job : "");
	for (line = data; (newline = strchr(line, '\n')); line = newline + 1) {
		*newline = '\0';
		if (!job || strstr(line, needle))
			puts(line);
	}
	free(data);
	return SGOV_OK;
}

static int show(struct sgov *sgov, const char *operand, const char *job)
{
	struct gov_segments list;
	struct gov_error error;
	int status = SGOV_OK;
	char *directory = sgov_ledger_directory(sgov, operand, &status);

	if (!directory)
		return status;
	if (gov_segments_list(directory, &list, &error))
		status = sgov_error("%s", error.text);
	else if (!list.count)
		status = sgov_error("there is no ledger in %s", directory);
	for (size_t i = 0; status == SGOV_OK && i < list.count; i++)
		status = print_file(directory, &list.item[i], job);
	gov_segments_free(&list);
	free(directory);
	return status;
}

/* ---- which of them ---- */

int sgov_ledger_job(struct sgov *sgov, const char *text, int64_t *job)
{
	char *end;

	errno = 0;
	*job = strtoll(text, &end, 10);
	if (!errno && *job > 0 && *text != '+' && !*end)
		return SGOV_OK;
	return sgov_usage(sgov, "--job=%s: give the number of a job", text);
}

/* Options that the others would silently ignore. */
static int check_given(struct sgov *sgov, const char *word,
		       const struct sgov_ledger_given *given)
{
	bool exports = given->start || given->end || given->zone ||
		       given->csv || given->pseudonyms || given->key;

	if (exports && strcmp(word, "export") != 0)
		return sgov_usage(sgov, "--start, --end, --timezone, --csv, "
					"--pseudonyms and --key are for ledger "
					"export");
	if (given->job && strcmp(word, "verify") == 0)
		return sgov_usage(sgov, "verify looks at all jobs: no --job");
	return SGOV_OK;
}

static int dispatch(struct sgov *sgov, char **operand,
		    const struct sgov_ledger_given *given)
{
	int status = check_given(sgov, operand[0], given);

	if (status)
		return status;
	if (strcmp(operand[0], "verify") == 0)
		return verify(sgov, operand[1]);
	if (strcmp(operand[0], "show") == 0)
		return show(sgov, operand[1], given->job);
	if (strcmp(operand[0], "export") == 0)
		return sgov_ledger_export(sgov, operand[1], given);
	if (strcmp(operand[0], "follow") == 0)
		return sgov_ledger_follow(sgov, operand[1], given);
	return sgov_usage(sgov, "ledger does not know '%s'", operand[0]);
}

int sgov_ledger(struct sgov *sgov, int argc, char **argv)
{
	struct sgov_ledger_given g = { 0 };
	const struct sgov_option options[] = {
		{ "job", 'j', "JOBID", "records of this job only", &g.job },
		{ "start", 'S', "TIME", "export: written from then on",
		  &g.start },
		{ "end", 'E', "TIME", "export: written before", &g.end },
		{ "timezone", 'z', "ZONE", "export: of these times", &g.zone },
		{ "csv", 0, NULL, "export: comma-separated values", &g.csv },
		{ "pseudonyms", 0, "LIST", "export: of each user, job, project",
		  &g.pseudonyms },
		{ "key", 0, "FILE", "export: of pseudonyms that stay the same",
		  &g.key },
		{ NULL, 0, NULL, NULL, NULL },
	};
	int status;
	char **operand = sgov_parse_operands(sgov, options, argc, argv, 1, 2,
					     &status);

	return operand ? dispatch(sgov, operand, &g) : status;
}
