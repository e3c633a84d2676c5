/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/find.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "conf/conf.h"
#include "sgov/keyfile.h"
#include "sgov/options.h"
#include "sgov/users.h"
#include "wire/client.h"

/* What the two files say, as it stands there. */
struct settings {
	char *listen;		      /* governance.conf */
	char *controller[SGOV_HOSTS]; /* slurm.conf */
	size_t controllers;
	char *slurm_user;
	char *auth_info;
};

static void set(char **to, const char *value)
{
	free(*to);
	*to = sgov_copy(value);
}

static void from_governance(const char *key, const char *value, void *arg)
{
	struct settings *settings = arg;

	if (strcasecmp(key, "Listen") == 0)
		set(&settings->listen, value);
}

/* "host" or "host(address)": where to connect to. */
static void add_controller(struct settings *settings, const char *value)
{
	const char *bracket = strchr(value, '(');

	if (settings->controllers == SGOV_HOSTS)
		return;
	settings->controller[settings->controllers++] =
		bracket ? sgov_printf("%.*s", (int) strcspn(bracket + 1, ")"),
				      bracket + 1) :
			  sgov_copy(value);
}

static void from_slurm(const char *key, const char *value, void *arg)
{
	struct settings *settings = arg;

	if (strcasecmp(key, "SlurmctldHost") == 0 ||
	    strcasecmp(key, "ControlMachine") == 0 ||
	    strcasecmp(key, "BackupController") == 0)
		add_controller(settings, value);
	else if (strcasecmp(key, "SlurmUser") == 0)
		set(&settings->slurm_user, value);
	else if (strcasecmp(key, "AuthInfo") == 0)
		set(&settings->auth_info, value);
}

static void free_settings(struct settings *settings)
{
	for (size_t i = 0; i < settings->controllers; i++)
		free(settings->controller[i]);
	free(settings->listen);
	free(settings->slurm_user);
	free(settings->auth_info);
}

const char *sgov_slurm_conf(char *path, size_t size)
{
	static const char *const usual[] = { "/etc/slurm/slurm.conf",
					     "/etc/slurm-llnl/slurm.conf",
					     "/run/slurm/conf/slurm.conf" };
	const char *environment = getenv("SLURM_CONF");
	size_t i = 0;

	if (environment && *environment) {
		snprintf(path, size, "%s", environment);
		return path;
	}
	while (i < 2 && access(usual[i], R_OK) < 0)
		i++;
	if (access(usual[i], R_OK) < 0)
		i = 0;
	snprintf(path, size, "%s", usual[i]);
	return path;
}

/* ---- port and hosts ---- */

/* 1..65535, or 0. */
static uint16_t parse_port(const char *text)
{
	char *end;
	long port;

	errno = 0;
	port = strtol(text, &end, 10);
	if (errno || end == text || *end || port < 1 || port > 65535)
		return 0;
	return (uint16_t) port;
}

/* Listen= is "port", "host:port", "[address]:port" or "host". */
static void split_listen(char *listen, const char **host, const char **port)
{
	char *colon = strrchr(listen, ':');

	*host = *port = NULL;
	if (*listen == '[') {
		char *end = strchr(listen, ']');

		if (!end)
			return;
		*end = '\0';
		*host = listen + 1;
		*port = end[1] == ':' ? end + 2 : NULL;
	} else if (colon) {
		*colon = '\0';
		*host = listen;
		*port = colon + 1;
	} else if (parse_port(listen)) {
		*port = listen;
	} else {
		*host = listen;
	}
}

/* Listening on every address says nothing about where that is. */
static bool is_wildcard(const char *host)
{
	return !*host || strcmp(host, "*") == 0 ||
	       strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;
}

static void add_hosts(struct sgov_place *place, const char *list)
{
	char *copy = sgov_copy(list), *rest = copy, *host;

	while ((host = strsep(&rest, ", ")))
		if (*host && place->hosts < SGOV_HOSTS)
			place->host[place->hosts++] = sgov_copy(host);
	free(copy);
}

static void choose_hosts(const struct sgov *sgov, const char *listen,
			 const struct settings *settings,
			 struct sgov_place *place)
{
	const char *environment = getenv("SGOV_HOST");

	if (sgov->host)
		add_hosts(place, sgov->host);
	else if (environment && *environment)
		add_hosts(place, environment);
	else if (listen && !is_wildcard(listen))
		add_hosts(place, listen);
	else
		for (size_t i = 0; i < settings->controllers; i++)
			add_hosts(place, settings->controller[i]);
	if (!place->hosts)
		add_hosts(place, "localhost");
}

static int choose_port(const struct sgov *sgov, const char *listen,
		       struct sgov_place *place)
{
	const char *environment = getenv("SGOV_PORT");

	place->port = GOV_CLIENT_PORT;
	if (sgov->port) {
		place->port = parse_port(sgov->port);
		if (!place->port)
			return sgov_usage(
				sgov,
				"--port=%s: give a number from 1 to 65535",
				sgov->port);
	} else if (environment && *environment) {
		place->port = parse_port(environment);
		if (!place->port)
			return sgov_usage(
				sgov,
				"SGOV_PORT=%s: give a number from 1 to 65535",
				environment);
	} else if (listen && parse_port(listen)) {
		place->port = parse_port(listen);
	}
	return 0;
}

/* ---- munge ---- */

/* AuthInfo=socket=/run/munge/other,ttl=60 */
static void choose_socket(const struct settings *settings,
			  struct sgov_place *place)
{
	const char *environment = getenv("GOVERNANCE_MUNGE_SOCKET");
	const char *p = settings->auth_info;

	if (environment && *environment) {
		place->munge_socket = sgov_copy(environment);
		return;
	}
	if (p && strncasecmp(p, "socket=", 7) != 0)
		p = strcasestr(p, ",socket=") ? strcasestr(p, ",socket=") + 1 :
						NULL;
	if (p)
		place->munge_socket = sgov_printf("%.*s",
						  (int) strcspn(p + 7, ","),
						  p + 7);
}

/*
 * The governor runs as SlurmUser.  Without a slurm.conf that is the user
 * called slurm, if there is one here.
 */
static uid_t governor_user(const struct settings *settings, bool have_slurm)
{
	const char *environment = getenv("SGOV_GOVERNOR_USER");

	if (environment && *environment)
		return sgov_uid_of(environment);
	if (settings->slurm_user)
		return sgov_uid_of(settings->slurm_user);
	return have_slurm ? 0 : sgov_uid_of("slurm");
}

int sgov_find(const struct sgov *sgov, struct sgov_place *place)
{
	struct settings settings = { 0 };
	const char *host = NULL, *port = NULL;
	bool have_slurm;
	char path[4096];
	int rc;

	memset(place, 0, sizeof(*place));
	sgov_keyfile_read(gov_conf_path(path, sizeof(path)), from_governance,
			  &settings);
	have_slurm = sgov_keyfile_read(sgov_slurm_conf(path, sizeof(path)),
				       from_slurm, &settings) == 0;
	if (settings.listen)
		split_listen(settings.listen, &host, &port);
	choose_hosts(sgov, host, &settings, place);
	choose_socket(&settings, place);
	place->governor = governor_user(&settings, have_slurm);
	rc = choose_port(sgov, port, place);
	free_settings(&settings);
	if (rc)
		sgov_place_free(place);
	return rc;
}

void sgov_place_free(struct sgov_place *place)
{
	for (size_t i = 0; i < place->hosts; i++)
		free(place->host[i]);
	free(place->munge_socket);
	memset(place, 0, sizeof(*place));
}
