/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurmgovd: options, privileges, the lease; then the daemon. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/conf.h"
#include "slurm/cluster.h"
#include "slurmgovd/daemon.h"
#include "slurmgovd/lease.h"
#include "slurmgovd/log.h"
#include "slurmgovd/notify.h"

static struct {
	char conf_path[4096];
	const char *log_file;
	const char *pid_file;
	bool foreground;
	int verbose;
} options;

static const char usage[] =
	"Usage: slurmgovd [-D] [-f FILE] [-L FILE] [-P FILE] [-v] [-V]\n"
	"  -D        stay in the foreground\n"
	"  -f FILE   governance.conf\n"
	"  -L FILE   log there, whatever LogFile= says\n"
	"  -P FILE   write the process id there\n"
	"  -v        log more; -vv still more\n"
	"  -V        print the version\n";

static void parse_options(int argc, char **argv)
{
	const char *conf = NULL;
	int c;

	while ((c = getopt(argc, argv, "Df:c:L:P:vVh")) != -1) {
		switch (c) {
		case 'D': options.foreground = true; break;
		case 'c':
		case 'f': conf = optarg; break;
		case 'L': options.log_file = optarg; break;
		case 'P': options.pid_file = optarg; break;
		case 'v': options.verbose++; break;
		case 'V':
			puts("slurmgovd " PACKAGE_VERSION);
			exit(EXIT_SUCCESS);
		case 'h': fputs(usage, stdout); exit(EXIT_SUCCESS);
		default: fputs(usage, stderr); exit(EXIT_FAILURE);
		}
	}
	if (optind < argc) {
		fputs(usage, stderr);
		exit(EXIT_FAILURE);
	}
	if (conf)
		snprintf(options.conf_path, sizeof(options.conf_path), "%s",
			 conf);
	else
		gov_conf_path(options.conf_path, sizeof(options.conf_path));
}

static void die(const char *what, const char *why)
{
	gov_log(GOV_LOG_MAIN, GOV_LOG_FATAL, "%s: %s", what, why);
	exit(EXIT_FAILURE);
}

/* The policy, or the end: a governor without a policy must not begin. */
static struct gov_policy *load_policy(const char *cluster)
{
	struct gov_conf_faults faults = { 0 };
	struct gov_policy *policy;

	policy = gov_conf_load(options.conf_path, cluster, &faults);
	if (!policy) {
		gov_daemon_log_faults(&faults);
		die(options.conf_path, "it has errors");
	}
	/* Without the cluster's name it is only a first look. */
	if (cluster)
		gov_daemon_log_faults(&faults);
	gov_conf_faults_free(&faults);
	return policy;
}

/* ---- waiting at the start, where signals must still end us ---- */

static volatile sig_atomic_t ended;

static void end(int number)
{
	ended = number;
}

static void watch_signals(void)
{
	struct sigaction action = { .sa_handler = end };

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
}

static void rest(void)
{
	if (!ended)
		sleep(1);
	if (ended) {
		gov_log(GOV_LOG_MAIN, GOV_LOG_INFO, "stopping: %s",
			strsignal(ended));
		exit(EXIT_SUCCESS);
	}
}

static void wait_cluster(struct gov_cluster *cluster)
{
	struct gov_error error;
	bool told = false;

	while (gov_cluster_load(cluster, &error)) {
		if (!told)
			gov_log(GOV_LOG_SLURM, GOV_LOG_INFO,
				"waiting for slurmctld: %s", error.text);
		told = true;
		gov_notify("READY=1\nSTATUS=waiting for slurmctld");
		rest();
	}
}

static void wait_lease(struct gov_lease *lease,
		       const struct gov_cluster *cluster)
{
	struct gov_error error;
	bool told = false;
	char holder[512];
	int rc;

	if (gov_lease_open(lease, cluster->state_save_location, &error))
		die("lease", error.text);
	while ((rc = gov_lease_try(lease, holder, sizeof(holder), &error)) <
	       1) {
		if (!told)
			gov_log(GOV_LOG_MAIN, GOV_LOG_INFO, "standing by: %s",
				rc ? error.text : holder);
		told = true;
		gov_notify("READY=1\nSTATUS=standing by");
		rest();
	}
	gov_log(GOV_LOG_MAIN, GOV_LOG_VERBOSE, "the lease is ours");
}

/* ---- who we are ---- */

/* /run is empty after a boot, and only root can make a folder there. */
static void make_socket_directory(const struct gov_policy *policy,
				  const struct passwd *user)
{
	char *path = strdup(policy->submit_socket);
	char *slash = path ? strrchr(path, '/') : NULL;

	if (slash && slash != path) {
		*slash = '\0';
		if (!mkdir(path, 0755) &&
		    (chmod(path, 0755) ||
		     chown(path, user->pw_uid, user->pw_gid)))
			die(path, strerror(errno));
	}
	free(path);
}

static void become(uid_t uid, const struct gov_policy *policy)
{
	struct passwd *user;

	if (geteuid() == uid)
		return;
	if (geteuid())
		die("slurmgovd", "must be started as root or SlurmUser");
	errno = 0;
	user = getpwuid(uid);
	if (!user)
		die("SlurmUser", errno ? strerror(errno) : "no such user");
	make_socket_directory(policy, user);
	if (initgroups(user->pw_name, user->pw_gid) || setgid(user->pw_gid) ||
	    setuid(uid))
		die("cannot become SlurmUser", strerror(errno));
}

static void write_pid_file(void)
{
	FILE *file;

	if (!options.pid_file)
		return;
	file = fopen(options.pid_file, "w");
	if (!file || fprintf(file, "%ld\n", (long) getpid()) < 0)
		gov_log(GOV_LOG_MAIN, GOV_LOG_ERROR, "%s: %s", options.pid_file,
			strerror(errno));
	if (file && fclose(file))
		gov_log(GOV_LOG_MAIN, GOV_LOG_ERROR, "%s: %s", options.pid_file,
			strerror(errno));
}

static void go_to_background(void)
{
	if (options.foreground)
		return;
	if (daemon(1, 0))
		die("cannot go to the background", strerror(errno));
}

static void harden(void)
{
	struct rlimit none = { 0, 0 };

	umask(077);
	/* Policy and credentials do not belong in a core file. */
	setrlimit(RLIMIT_CORE, &none);
}

static void open_log(const struct gov_policy *policy)
{
	gov_log_raise(options.verbose);
	if (options.log_file && gov_log_open(options.log_file))
		die(options.log_file, strerror(errno));
	gov_daemon_set_log(policy, options.log_file != NULL);
}

static int govern(const struct gov_cluster *cluster,
		  const struct gov_lease *lease, struct gov_policy *policy)
{
	const char *munge = getenv("GOVERNANCE_MUNGE_SOCKET");
	struct gov_daemon_options daemon_options = {
		.conf_path = options.conf_path,
		.munge_socket = munge ? munge : cluster->munge_socket,
		.cluster = cluster,
		.directory = lease->directory,
		.fixed_log = options.log_file != NULL,
	};
	struct gov_error error;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (!gov_daemon_run(&daemon_options, policy, &error))
		return EXIT_SUCCESS;
	gov_log(GOV_LOG_MAIN, GOV_LOG_FATAL, "%s", error.text);
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct gov_lease lease = { .fd = -1 };
	struct gov_cluster cluster;
	struct gov_policy *policy;
	int rc;

	parse_options(argc, argv);
	harden();
	watch_signals();
	policy = load_policy(NULL);
	go_to_background();
	if (!options.foreground)
		gov_daemon_set_log(policy, options.log_file != NULL);
	gov_slurm_start();
	wait_cluster(&cluster);
	become(cluster.slurm_uid, policy);
	gov_policy_unref(policy);
	policy = load_policy(cluster.name);
	open_log(policy);
	write_pid_file();
	gov_log(GOV_LOG_MAIN, GOV_LOG_INFO,
		"slurmgovd " PACKAGE_VERSION " for cluster %s, policy %s",
		cluster.name, policy->digest);
	wait_lease(&lease, &cluster);
	rc = govern(&cluster, &lease, policy);
	gov_lease_close(&lease);
	gov_policy_unref(policy);
	gov_log(GOV_LOG_MAIN, GOV_LOG_INFO, "slurmgovd ends");
	if (options.pid_file)
		unlink(options.pid_file);
	/*
	 * Not exit(): a thread that hangs in a call must not meet the
	 * destructors of the libraries it is in.
	 */
	fflush(NULL);
	_exit(rc);
}
