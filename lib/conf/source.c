/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files into memory.  Whoever can write governance.conf decides who gets the
 * machine, so a file that others can write is refused, not warned about.
 */
#include "conf/context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where a fault of a file as a whole stands: its Include, or its first line. */
static struct conf_place file_place(const struct conf *conf,
				    const struct conf_place *at)
{
	return at ? *at : (struct conf_place){ conf->sources - 1, 1, 1 };
}

static bool check_file(struct conf *conf, const char *path,
		       const struct stat *st, struct conf_place at)
{
	bool trusted = st->st_uid == 0 || st->st_uid == geteuid();

	if (!S_ISREG(st->st_mode)) {
		conf_error(conf, at, GOV_E_IO, "%s is %s, not a regular file",
			   path,
			   S_ISDIR(st->st_mode) ? "a directory" :
						  "a device, pipe or socket");
		return false;
	}
	if (st->st_mode & S_IWOTH) {
		conf_error(conf, at, GOV_E_PERMISSION,
			   "%s can be written by anybody; run chmod o-w on it",
			   path);
		return false;
	}
	if ((st->st_mode & S_IWGRP) && !trusted) {
		conf_error(
			conf, at, GOV_E_PERMISSION,
			"%s can be written by a group and belongs to uid %ld, neither root nor the running user; run chmod g-w or chown on it",
			path, (long) st->st_uid);
		return false;
	}
	if (!trusted)
		conf_warning(
			conf, at,
			"%s belongs to uid %ld, neither root nor the running user",
			path, (long) st->st_uid);
	return true;
}

static char *read_all(struct conf *conf, int fd, const char *path,
		      struct conf_place at, size_t *length)
{
	size_t size = 65536, used = 0;
	char *text = malloc(size), *grown;
	ssize_t n = 1;

	while (text && n) {
		if (used == size) {
			grown = realloc(text, size *= 2);
			if (!grown)
				break;
			text = grown;
		}
		n = read(fd, text + used, size - used);
		if (n < 0 && errno == EINTR)
			continue;
		used += n > 0 ? (size_t) n : 0;
		if (n >= 0 && used <= CONF_TEXT_MAX - conf->bytes)
			continue;
		conf_error(conf, at, GOV_E_IO,
			   n < 0 ? "%s: %s" : "%s: more than 256 MiB of text%s",
			   path, n < 0 ? strerror(errno) : "");
		free(text);
		return NULL;
	}
	if (n) {
		conf->no_memory = true;
		free(text);
		return NULL;
	}
	*length = used;
	return text;
}

/* The file as an open descriptor that passed all checks, or -1. */
static int open_checked(struct conf *conf, const char *path, struct stat *st,
			struct conf_place at)
{
	/* Not to wait for a writer if somebody put a pipe there. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0) {
		conf_error(conf, at, GOV_E_IO, "%s cannot be read: %s", path,
			   strerror(errno));
		return -1;
	}
	if (fstat(fd, st) < 0) {
		conf_error(conf, at, GOV_E_IO, "%s: %s", path, strerror(errno));
	} else if (check_file(conf, path, st, at)) {
		return fd;
	}
	close(fd);
	return -1;
}

/* Depth of the new source; says what is wrong with it and returns false. */
static bool check_nesting(struct conf *conf, const struct stat *st,
			  uint32_t parent, struct conf_place at)
{
	unsigned depth = 0;

	for (uint32_t s = parent; s != CONF_NO_SOURCE;
	     s = conf->source[s].parent, depth++) {
		if (conf->source[s].device != st->st_dev ||
		    conf->source[s].inode != st->st_ino)
			continue;
		conf_error(conf, at, GOV_E_REFERENCE,
			   "%s includes itself, directly or through others",
			   conf->source[s].path);
		return false;
	}
	if (depth <= CONF_INCLUDE_MAX)
		return true;
	conf_error(conf, at, GOV_E_VALUE,
		   "files include one another more than %d levels deep",
		   CONF_INCLUDE_MAX);
	return false;
}

static bool add_source(struct conf *conf, const char *path, uint32_t parent)
{
	struct conf_source *source;

	if (!conf_room(conf, &conf->source, conf->sources,
		       sizeof(*conf->source)))
		return false;
	source = &conf->source[conf->sources];
	*source = (struct conf_source){
		.path = conf_copy(conf, path, strlen(path)),
		.text = "",
		.parent = parent,
	};
	if (!source->path)
		return false;
	conf->sources++;
	return true;
}

static void digest(struct conf *conf, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		conf->digest = (conf->digest ^ (unsigned char) text[i]) *
			       0x100000001b3;
}

void conf_read_file(struct conf *conf, const char *path,
		    const struct conf_place *include, uint32_t parent)
{
	struct conf_source *source;
	struct conf_place at;
	struct stat st;
	size_t length;
	char *text;
	int fd;

	if (include && conf->sources >= CONF_SOURCE_MAX) {
		conf_error(conf, *include, GOV_E_VALUE,
			   "more than %d files are included", CONF_SOURCE_MAX);
		return;
	}
	if (!add_source(conf, path, parent))
		return;
	at = file_place(conf, include);
	fd = open_checked(conf, path, &st, at);
	if (fd < 0)
		return;
	text = check_nesting(conf, &st, parent, at) ?
		       read_all(conf, fd, path, at, &length) :
		       NULL;
	close(fd);
	if (!text)
		return;
	source = &conf->source[conf->sources - 1];
	source->text = source->owned = text;
	source->length = length;
	source->device = st.st_dev;
	source->inode = st.st_ino;
	conf->bytes += length;
	digest(conf, text, length);
	conf_lex(conf, conf->sources - 1);
}

void conf_read_memory(struct conf *conf, const char *text, size_t length,
		      const char *name)
{
	struct conf_place at = { 0, 1, 1 };

	conf->from_memory = true;
	if (!add_source(conf, name, CONF_NO_SOURCE))
		return;
	if (length > CONF_TEXT_MAX) {
		conf_error(conf, at, GOV_E_IO, "more than 256 MiB of text");
		return;
	}
	conf->source[0].text = text;
	conf->source[0].length = length;
	digest(conf, text, length);
	conf_lex(conf, 0);
}
