/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "grant/spare.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* It travels in environments and packets: nothing but munge's characters. */
static bool is_credential(const char *text)
{
	size_t length = strnlen(text, GOV_GRANT_MAX);

	return length > 0 && length < GOV_GRANT_MAX &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789+/=:") == length;
}

static int failed(struct gov_error *error, const char *path, const char *what)
{
	return gov_error_set(error, GOV_E_IO, "the spare grant %s %s: %s", path,
			     what, strerror(errno));
}

static int make_path(char *path, const char *socket, const char *suffix,
		     struct gov_error *error)
{
	int n = snprintf(path, PATH_MAX, "%s" GOV_SPARE_SUFFIX "%s", socket,
			 suffix);

	if (n >= 0 && n < PATH_MAX)
		return 0;
	errno = ENAMETOOLONG;
	return failed(error, socket, "has no path");
}

/* ---- writing ---- */

static int write_new(const char *path, const char *text)
{
	size_t length = strlen(text);
	int fd = open(path,
		      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      0600);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, text, length);
	if (n >= 0 && n != (ssize_t) length) {
		errno = ENOSPC;
		n = -1;
	}
	if (close(fd) != 0)
		n = -1;
	return n < 0 ? -1 : 0;
}

int gov_spare_write(const char *socket, const char *credential,
		    struct gov_error *error)
{
	char path[PATH_MAX], temporary[PATH_MAX];
	int rc = 0;

	if (!is_credential(credential))
		return gov_error_set(error, GOV_E_VALUE,
				     "the spare grant is not a credential");
	if (make_path(path, socket, "", error) ||
	    make_path(temporary, socket, ".new", error))
		return -1;
	unlink(temporary);
	if (write_new(temporary, credential) != 0 ||
	    rename(temporary, path) != 0) {
		rc = failed(error, path, "cannot be written");
		unlink(temporary);
	}
	return rc;
}

/* ---- reading ---- */

static bool is_trusted(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	if (S_ISREG(st.st_mode) && !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
	    (st.st_uid == 0 || st.st_uid == geteuid()))
		return true;
	errno = EPERM;
	return false;
}

/* 0 with the whole file in text, or -1 (EBADMSG: there is a NUL in it). */
static int read_all(int fd, char *text, size_t size)
{
	size_t length = 0;

	while (length < size) {
		ssize_t n = read(fd, text + length, size - length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0) {
			text[length] = '\0';
			errno = EBADMSG;
			return strlen(text) == length ? 0 : -1;
		}
		length += (size_t) n;
	}
	errno = EFBIG;
	return -1;
}

int gov_spare_read(const char *socket, char credential[GOV_GRANT_MAX],
		   struct gov_error *error)
{
	char path[PATH_MAX];
	int fd, rc = -1;

	credential[0] = '\0';
	if (make_path(path, socket, "", error))
		return -1;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return failed(error, path, "cannot be opened");
	if (is_trusted(fd) && read_all(fd, credential, GOV_GRANT_MAX) == 0)
		rc = is_credential(credential) ? 0 : -1;
	if (rc != 0) {
		credential[0] = '\0';
		failed(error, path, "cannot be read");
	}
	close(fd);
	return rc;
}
