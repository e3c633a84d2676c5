/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugins' files: are they where Slurm looks, and made for this release?
 * slurmctld refuses a job_submit plugin of another major.minor.micro, SPANK
 * one of another major.minor.
 */
#include "sgov/system.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sgov/elf.h"

#define JOB_SUBMIT "job_submit_governance.so"
#define SPANK "spank_governance.so"
#define INCLUDE_DEPTH 4

static void version_text(char *text, size_t size, uint32_t version)
{
	snprintf(text, size, "%u.%02u.%u", version >> 16 & 255,
		 version >> 8 & 255, version & 255);
}

/* "22.05.8-4" is 22.05.8.  0 if it cannot be read. */
static uint32_t version_number(const char *text)
{
	unsigned major, minor, micro = 0;

	if (sscanf(text, "%u.%u.%u", &major, &minor, &micro) < 2)
		return 0;
	return (major & 255) << 16 | (minor & 255) << 8 | (micro & 255);
}

static void compare_version(const char *path, const char *slurm, uint32_t mask,
			    struct sgov_findings *findings)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	uint32_t built, running = version_number(slurm);
	char text[16];

	if (sgov_elf_constant(path, "plugin_version", &built) < 0) {
		sgov_finding(findings, SGOV_WRONG, "plugins",
			     "%s is no Slurm plugin: install it again", path);
		return;
	}
	version_text(text, sizeof(text), built);
	if (!running)
		sgov_finding(
			findings, SGOV_DOUBTFUL, "plugins",
			"%s is built for Slurm %s; what runs here is not known (%s)",
			name, text, slurm);
	else if ((built & mask) == (running & mask))
		sgov_finding(findings, SGOV_FINE, "plugins",
			     "%s is built for Slurm %s", path, text);
	else
		sgov_finding(
			findings, SGOV_WRONG, "plugins",
			"%s is built for Slurm %s, and %s runs: Slurm will not load it; build and install it for %s",
			path, text, slurm, slurm);
}

/* The file in the first folder of "a:b" that has it, or NULL. */
static char *find_plugin(const char *folders, const char *name)
{
	while (*folders) {
		size_t n = strcspn(folders, ":");
		char *path = sgov_printf("%.*s/%s", (int) n, folders, name);

		if (access(path, R_OK) == 0)
			return path;
		free(path);
		folders += n + (folders[n] == ':');
	}
	return NULL;
}

/* Is one of SlurmctldHost[0], [1] … this machine? */
static bool is_controller(const struct json_object *slurm)
{
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, ".")] = '\0';
	for (int i = 0; i < 16; i++) {
		char key[32];
		const char *value;
		size_t n;

		snprintf(key, sizeof(key), "SlurmctldHost[%d]", i);
		value = sgov_json_text(slurm, key);
		n = strcspn(value, ".(");
		if (n && n == strlen(host) && strncmp(value, host, n) == 0)
			return true;
	}
	return false;
}

static void examine_job_submit(const struct json_object *slurm,
			       struct sgov_findings *findings)
{
	const char *folders = sgov_json_text(slurm, "PluginDir");
	char *path = find_plugin(folders, JOB_SUBMIT);

	if (path)
		compare_version(path, sgov_json_text(slurm, "SLURM_VERSION"),
				0xffffff, findings);
	else if (is_controller(slurm))
		sgov_finding(
			findings, SGOV_WRONG, "plugins",
			JOB_SUBMIT
			" is not in %s: install it there, or slurmctld will not start again",
			folders);
	free(path);
}

/* ---- plugstack.conf ---- */

struct plugstack {
	char *path;	 /* of our plugin, as written */
	char *arguments; /* behind it */
	bool required;
	bool readable;
};

static void read_plugstack(const char *path, int depth,
			   struct plugstack *found);

static void include_plugstack(const char *from, const char *pattern, int depth,
			      struct plugstack *found)
{
	const char *slash = strrchr(from, '/');
	char *beside = *pattern == '/' || !slash ?
			       sgov_copy(pattern) :
			       sgov_printf("%.*s/%s", (int) (slash - from),
					   from, pattern);
	glob_t files;

	if (depth < INCLUDE_DEPTH && glob(beside, 0, NULL, &files) == 0) {
		for (size_t i = 0; i < files.gl_pathc; i++)
			read_plugstack(files.gl_pathv[i], depth + 1, found);
		globfree(&files);
	}
	free(beside);
}

static void read_plugstack_line(const char *from, char *line, int depth,
				struct plugstack *found)
{
	char *rest, *word, *path;

	line[strcspn(line, "#\n")] = '\0';
	word = strtok_r(line, " \t\r", &rest);
	path = word ? strtok_r(NULL, " \t\r", &rest) : NULL;
	if (!path)
		return;
	if (strcmp(word, "include") == 0) {
		include_plugstack(from, path, depth, found);
	} else if (strstr(path, SPANK) && !found->path) {
		found->path = sgov_copy(path);
		found->arguments = sgov_copy(rest ? rest : "");
		found->required = strcmp(word, "required") == 0;
	}
}

static void read_plugstack(const char *path, int depth, struct plugstack *found)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return;
	found->readable = true;
	while (getline(&line, &size, file) >= 0)
		read_plugstack_line(path, line, depth, found);
	free(line);
	fclose(file);
}

char *sgov_spank_arguments(const struct json_object *slurm)
{
	struct plugstack found = { 0 };

	read_plugstack(sgov_json_text(slurm, "PlugStackConfig"), 0, &found);
	free(found.path);
	return found.arguments;
}

static void examine_spank(const struct json_object *slurm,
			  struct sgov_findings *findings)
{
	const char *conf = sgov_json_text(slurm, "PlugStackConfig");
	const char *folders = sgov_json_text(slurm, "PluginDir");
	struct plugstack found = { 0 };
	char *path;

	read_plugstack(conf, 0, &found);
	if (!found.path) {
		sgov_finding(
			findings, SGOV_WRONG, "plugstack.conf",
			found.readable ?
				"%s has no line with " SPANK
				": options like --gov-class are unknown here, and a node with such a file refuses nothing; add 'optional " SPANK
				"'" :
				"%s cannot be read: is Slurm set up on this host?",
			*conf ? conf : "plugstack.conf");
		return;
	}
	if (found.required)
		sgov_finding(
			findings, SGOV_DOUBTFUL, "plugstack.conf",
			SPANK
			" is 'required' in %s: if the file is ever missing every sbatch, srun and slurmd fails; write 'optional'",
			conf);
	else
		sgov_finding(findings, SGOV_FINE, "plugstack.conf", "%s has %s",
			     conf, found.path);
	path = *found.path == '/' ? sgov_copy(found.path) :
				    find_plugin(folders, found.path);
	if (path && access(path, R_OK) == 0)
		compare_version(path, sgov_json_text(slurm, "SLURM_VERSION"),
				0xffff00, findings);
	else
		sgov_finding(
			findings, SGOV_WRONG, "plugins",
			"%s, which %s names, is not here: install it, or take the line out",
			found.path, conf);
	free(path);
	free(found.path);
	free(found.arguments);
}

void sgov_examine_plugins(const struct json_object *slurm,
			  struct sgov_findings *findings)
{
	examine_job_submit(slurm, findings);
	examine_spank(slurm, findings);
}
