/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run every harness over its kept corpus, each input in a process of its own
 * and within a time limit.  An empty corpus is a failure: it tests nothing.
 */
#include <dirent.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

#define SECONDS_PER_INPUT 20
#define INPUT_MAX (16 * 1024 * 1024)

static const struct {
	const char *name;
	void (*run)(const uint8_t *data, size_t size);
} harness[] = {
#define HARNESS(it) { #it, fuzz_##it },
#include "harness.list"
#undef HARNESS
};

static uint8_t *read_input(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data;

	if (!file)
		return NULL;
	data = malloc(INPUT_MAX);
	*size = data ? fread(data, 1, INPUT_MAX, file) : 0;
	if (data && ferror(file)) {
		free(data);
		data = NULL;
	}
	fclose(file);
	return data;
}

/* In the child: exact size, so that a memory checker sees the last byte. */
static void run_input(void (*run)(const uint8_t *data, size_t size),
		      const char *path)
{
	size_t size;
	uint8_t *data = read_input(path, &size);
	uint8_t *exact;

	if (!data) {
		fprintf(stderr, "%s: cannot be read\n", path);
		_exit(2);
	}
	exact = realloc(data, size ? size : 1);
	run(exact ? exact : data, size);
	free(exact ? exact : data);
	_exit(0);
}

static int replay(void (*run)(const uint8_t *data, size_t size),
		  const char *path)
{
	int status = 0;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0) {
		perror("fork");
		return 1;
	}
	if (child == 0) {
		alarm(SECONDS_PER_INPUT);
		run_input(run, path);
	}
	if (waitpid(child, &status, 0) < 0 || status == 0)
		return status != 0;
	if (WIFSIGNALED(status))
		printf("FAIL %s: signal %d\n", path, WTERMSIG(status));
	else
		printf("FAIL %s: exit status %d\n", path, WEXITSTATUS(status));
	return 1;
}

static int replay_corpus(const char *corpus, size_t which)
{
	int failures = 0, inputs = 0;
	char path[4096];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/%s", corpus, harness[which].name);
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s", corpus,
			 harness[which].name, entry->d_name);
		failures += replay(harness[which].run, path);
		inputs++;
	}
	if (folder)
		closedir(folder);
	printf("%s: %d inputs, %d failures\n", harness[which].name, inputs,
	       failures);
	return inputs ? failures : 1;
}

int main(int argc, char **argv)
{
	const char *corpus = argc > 1 ? argv[1] : FUZZ_CORPUS;
	int failures = 0;

	for (size_t i = 0; i < sizeof(harness) / sizeof(harness[0]); i++)
		if (argc < 3 || !strcmp(argv[2], harness[i].name))
			failures += replay_corpus(corpus, i);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
