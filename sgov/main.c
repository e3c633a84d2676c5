/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "sgov/options.h"
#include "sgov/sgov.h"

/* What could not be written has not been answered; 2 is worse than that. */
static int finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	sgov_error("cannot write to standard output: is the disk full?");
	return status == SGOV_USAGE ? status : SGOV_ERROR;
}

int main(int argc, char **argv)
{
	struct sgov sgov = { .header = true };
	int status, first;

	setlocale(LC_ALL, "");
	first = sgov_parse_global(&sgov, argc, argv, &status);
	if (first < 0)
		return finish(status);
	if (first == argc)
		return sgov_usage(&sgov, "a command is missing");
	sgov.command = sgov_find_command(argv[first]);
	if (!sgov.command)
		return sgov_usage(&sgov, "there is no command '%s'",
				  argv[first]);
	return finish(sgov.command->run(&sgov, argc - first, argv + first));
}
