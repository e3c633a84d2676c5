/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/orders_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADING "slurm-governance orders 1"
#define LINE_SIZE 256

/* ---- reading ---- */

static int parse_line(const char *line, struct gov_orders *orders)
{
	char word[16], name[GOV_ORDER_NAME] = "", rest;
	struct gov_mark mark;
	uint32_t uid;
	int fields = sscanf(line, "%15s %" SCNu32 " %" SCNd64 " %63s %c", word,
			    &uid, &mark.since, name, &rest);

	if (fields < 3 || fields > 4 || mark.since <= 0)
		return -1;
	mark.by = uid;
	if (fields == 3 && strcmp(word, "hold-reclaims") == 0)
		orders->reclaims_held = mark;
	else if (fields == 3 && strcmp(word, "release-all") == 0)
		orders->let_go = mark;
	else if (fields == 4 && strcmp(word, "drain") == 0)
		return gov_orders_drain(orders, name, &mark) < 0 ? -1 : 0;
	else
		return -1;
	return 0;
}

static int read_lines(FILE *file, struct gov_orders *orders)
{
	char line[LINE_SIZE];
	int rc = 0;

	if (!fgets(line, sizeof(line), file) || strcmp(line, HEADING "\n") != 0)
		return -1;
	while (!rc && fgets(line, sizeof(line), file))
		rc = strchr(line, '\n') ? parse_line(line, orders) : -1;
	return ferror(file) ? -1 : rc;
}

int gov_orders_load(const char *directory, struct gov_orders *orders,
		    struct gov_error *error)
{
	char path[4096];
	FILE *file;
	int rc;

	memset(orders, 0, sizeof(*orders));
	snprintf(path, sizeof(path), "%s/orders", directory);
	file = fopen(path, "re");
	if (!file && errno == ENOENT)
		return 0;
	if (!file)
		return gov_error_set(error, GOV_E_IO, "cannot read %s: %s",
				     path, strerror(errno));
	rc = read_lines(file, orders);
	fclose(file);
	if (!rc)
		return 0;
	gov_orders_free(orders);
	return gov_error_set(
		error, GOV_E_VALUE,
		"%s is damaged or of a newer release; order again what shall stand",
		path);
}

/* ---- writing ---- */

static void put(FILE *file, const char *word, const struct gov_mark *mark,
		const char *name)
{
	if (mark->since)
		fprintf(file, "%s %" PRIu32 " %" PRId64 "%s%s\n", word,
			(uint32_t) mark->by, mark->since, *name ? " " : "",
			name);
}

static int write_file(const char *path, const struct gov_orders *orders)
{
	FILE *file = fopen(path, "we");
	int rc;

	if (!file)
		return -1;
	fputs(HEADING "\n", file);
	put(file, "hold-reclaims", &orders->reclaims_held, "");
	put(file, "release-all", &orders->let_go, "");
	for (size_t i = 0; i < orders->drained_count; i++)
		put(file, "drain", &orders->drained[i].mark,
		    orders->drained[i].name);
	rc = fflush(file) || ferror(file) || fsync(fileno(file)) ? -1 : 0;
	if (fclose(file))
		rc = -1;
	return rc;
}

/* So that the new name, too, survives a loss of power. */
static void sync_directory(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

int gov_orders_save(const char *directory, const struct gov_orders *orders,
		    struct gov_error *error)
{
	char path[4096], new[4096 + 8];

	snprintf(path, sizeof(path), "%s/orders", directory);
	snprintf(new, sizeof(new), "%s.new", path);
	if (write_file(new, orders) || rename(new, path)) {
		gov_error_set(error, GOV_E_IO, "cannot write %s: %s", path,
			      strerror(errno));
		unlink(new);
		return -1;
	}
	sync_directory(directory);
	return 0;
}
