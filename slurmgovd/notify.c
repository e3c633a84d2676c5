/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmgovd/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void gov_notify(const char *text)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	size_t length;
	int fd;

	if (!path || (path[0] != '/' && path[0] != '@'))
		return;
	length = strlen(path);
	if (length >= sizeof(address.sun_path))
		return;
	memcpy(address.sun_path, path, length);
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* systemd that does not listen is no reason to stop. */
	if (sendto(fd, text, strlen(text), MSG_NOSIGNAL,
		   (struct sockaddr *) &address,
		   offsetof(struct sockaddr_un, sun_path) + length) < 0)
		text = NULL;
	close(fd);
}
