/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define LINE_SIZE_MAX 512

/* ---- reading ---- */

static bool is_heading(const char *line, const char *heading)
{
	size_t length = strlen(heading);

	return !strncmp(line, heading, length) && !strcmp(line + length, "\n");
}

static int read_lines(FILE *file, const struct gov_state_file *kind,
		      int (*parse)(const char *line, void *arg), void *arg)
{
	char line[LINE_SIZE_MAX];
	int rc = 0;

	if (!fgets(line, kind->line_size, file) ||
	    !is_heading(line, kind->heading))
		return -1;
	while (!rc && fgets(line, kind->line_size, file))
		rc = strchr(line, '\n') ? parse(line, arg) : -1;
	return ferror(file) ? -1 : rc;
}

int gov_state_file_load(const struct gov_state_file *kind,
			const char *directory,
			int (*parse)(const char *line, void *arg), void *arg,
			struct gov_error *error)
{
	char path[4096];
	FILE *file;
	int rc;

	snprintf(path, sizeof(path), "%s/%s", directory, kind->name);
	file = fopen(path, "re");
	if (!file && errno == ENOENT)
		return 0;
	if (!file)
		return gov_error_set(error, GOV_E_IO, "cannot read %s: %s",
				     path, strerror(errno));
	rc = read_lines(file, kind, parse, arg);
	fclose(file);
	if (!rc)
		return 0;
	return gov_error_set(error, GOV_E_VALUE,
			     "%s is damaged or of a newer release; %s", path,
			     kind->damaged);
}

/* ---- writing ---- */

static int write_file(const struct gov_state_file *kind, const char *path,
		      void (*put)(FILE *file, const void *arg), const void *arg)
{
	FILE *file = fopen(path, "we");
	int rc;

	if (!file)
		return -1;
	fprintf(file, "%s\n", kind->heading);
	put(file, arg);
	rc = fflush(file) || ferror(file) ||
			     (kind->durable && fsync(fileno(file))) ?
		     -1 :
		     0;
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

int gov_state_file_save(const struct gov_state_file *kind,
			const char *directory,
			void (*put)(FILE *file, const void *arg),
			const void *arg, struct gov_error *error)
{
	char path[4096], new[4096 + 8];

	snprintf(path, sizeof(path), "%s/%s", directory, kind->name);
	snprintf(new, sizeof(new), "%s.new", path);
	if (write_file(kind, new, put, arg) || rename(new, path)) {
		gov_error_set(error, GOV_E_IO, "cannot write %s: %s", path,
			      strerror(errno));
		unlink(new);
		return -1;
	}
	if (kind->durable)
		sync_directory(directory);
	return 0;
}
