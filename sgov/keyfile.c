/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/keyfile.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sgov/sgov.h"

#define INCLUDE_DEPTH 8

struct reader {
	void (*visit)(const char *key, const char *value, void *arg);
	void *arg;
	int depth;
};

static int read_file(struct reader *reader, const char *path);

/* Ends the line at a comment or its line end. */
static void cut_comment(char *line)
{
	bool escaped = false;

	for (; *line; line++) {
		if ((*line == '#' && !escaped) || *line == '\n') {
			*line = '\0';
			return;
		}
		escaped = *line == '\\' && !escaped;
	}
}

/* Take a `\' off the end of the line.  Was there one? */
static bool cut_continuation(char *line)
{
	size_t n = strlen(line);

	while (n && isspace((unsigned char) line[n - 1]))
		n--;
	if (!n || line[n - 1] != '\\')
		return false;
	line[n - 1] = '\0';
	return true;
}

static void include(struct reader *reader, const char *path, char *name)
{
	const char *slash = strrchr(path, '/');
	char *beside;

	name[strcspn(name, " \t\r")] = '\0';
	if (!*name || reader->depth == INCLUDE_DEPTH)
		return;
	beside = *name == '/' || !slash ?
			 sgov_copy(name) :
			 sgov_printf("%.*s/%s", (int) (slash - path), path,
				     name);
	reader->depth++;
	read_file(reader, beside);
	reader->depth--;
	free(beside);
}

/* The value that begins at *p, which is moved behind it. */
static char *take_value(char **p)
{
	char *value = *p;

	if (*value == '"') {
		char *end = strchr(++value, '"');

		*p = end ? end + 1 : value + strlen(value);
		if (end)
			*end = '\0';
		return value;
	}
	*p += strcspn(*p, " \t\r");
	if (**p)
		*(*p)++ = '\0';
	return value;
}

static void read_pairs(struct reader *reader, const char *path, char *line)
{
	char *p = line + strspn(line, " \t\r");

	if (strncasecmp(p, "include", 7) == 0 && (p[7] == ' ' || p[7] == '\t'))
		return include(reader, path, p + 7 + strspn(p + 7, " \t"));
	while (*p) {
		size_t n = strcspn(p, "= \t\r");
		char *key = p, *equals = p + n + strspn(p + n, " \t\r");

		if (*equals != '=') {
			p += n + strspn(p + n, " \t\r");
			if (!n)
				p++;
			continue;
		}
		key[n] = '\0';
		p = equals + 1 + strspn(equals + 1, " \t\r");
		reader->visit(key, take_value(&p), reader->arg);
		p += strspn(p, " \t\r");
	}
}

static int read_file(struct reader *reader, const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL, *whole = sgov_copy("");
	size_t size = 0;

	if (!file) {
		free(whole);
		return -1;
	}
	while (getline(&line, &size, file) >= 0) {
		bool more;
		char *longer;

		cut_comment(line);
		more = cut_continuation(line);
		longer = sgov_printf("%s%s", whole, line);
		free(whole);
		whole = longer;
		if (more)
			continue;
		read_pairs(reader, path, whole);
		*whole = '\0';
	}
	read_pairs(reader, path, whole);
	free(whole);
	free(line);
	fclose(file);
	return 0;
}

int sgov_keyfile_read(const char *path,
		      void (*visit)(const char *key, const char *value,
				    void *arg),
		      void *arg)
{
	struct reader reader = { .visit = visit, .arg = arg };

	return read_file(&reader, path);
}
