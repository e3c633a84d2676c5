/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int gov_lease_open(struct gov_lease *lease, const char *state_save_location,
		   struct gov_error *error)
{
	char *path = NULL;

	*lease = (struct gov_lease){ .fd = -1 };
	if (asprintf(&lease->directory, "%s/governance", state_save_location) <
	    0) {
		lease->directory = NULL;
		return gov_error_set(error, GOV_E_NOMEM, "out of memory");
	}
	if (mkdir(lease->directory, 0700) && errno != EEXIST) {
		gov_error_set(error, GOV_E_IO, "cannot make %s: %s",
			      lease->directory, strerror(errno));
		gov_lease_close(lease);
		return -1;
	}
	if (asprintf(&path, "%s/lease", lease->directory) < 0)
		path = NULL;
	if (path)
		lease->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (lease->fd < 0) {
		gov_error_set(error, GOV_E_IO, "cannot open %s: %s",
			      path ? path : "the lease", strerror(errno));
		free(path);
		gov_lease_close(lease);
		return -1;
	}
	free(path);
	return 0;
}

static void read_holder(int fd, char *holder, size_t size)
{
	ssize_t length = pread(fd, holder, size - 1, 0);

	holder[length > 0 ? length : 0] = '\0';
	holder[strcspn(holder, "\n")] = '\0';
}

/* What it says is for people; the lock is what counts. */
static int sign(int fd)
{
	char text[512], host[256] = "";
	int length;

	gethostname(host, sizeof(host) - 1);
	length = snprintf(text, sizeof(text), "host=%s pid=%ld since=%lld\n",
			  host, (long) getpid(), (long long) time(NULL));
	return ftruncate(fd, 0) || pwrite(fd, text, length, 0) != length ? -1 :
									   0;
}

int gov_lease_try(struct gov_lease *lease, char *holder, size_t size,
		  struct gov_error *error)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int rc = fcntl(lease->fd, F_OFD_SETLK, &lock);

	/* A file system without these locks may have the older ones. */
	if (rc && errno == EINVAL)
		rc = fcntl(lease->fd, F_SETLK, &lock);
	if (!rc) {
		if (!sign(lease->fd))
			return 1;
		return gov_error_set(error, GOV_E_IO,
				     "cannot write %s/lease: %s",
				     lease->directory, strerror(errno));
	}
	if (errno == EAGAIN || errno == EACCES) {
		read_holder(lease->fd, holder, size);
		return 0;
	}
	return gov_error_set(error, GOV_E_IO, "cannot lock %s/lease: %s",
			     lease->directory, strerror(errno));
}

void gov_lease_close(struct gov_lease *lease)
{
	if (lease->fd >= 0)
		close(lease->fd);
	free(lease->directory);
	*lease = (struct gov_lease){ .fd = -1 };
}
