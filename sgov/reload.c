/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/ask.h"
#include "sgov/options.h"

#include <stdio.h>

#include "wire/printable.h"

int sgov_reload(struct sgov *sgov, int argc, char **argv)
{
	struct json_object *answer;
	size_t faults;
	int status;

	if (!sgov_parse_operands(sgov, NULL, argc, argv, 0, 0, &status))
		return status;
	answer = sgov_ask(sgov, sgov_request("reload"), &status);
	if (!answer)
		return status;
	faults = sgov_json_count(answer, "faults");
	for (size_t i = 0; i < faults && sgov->format != SGOV_JSON; i++) {
		char *line = sgov_copy(
			sgov_json_text(sgov_json_item(answer, "faults", i),
				       "line_text"));

		gov_make_printable(line);
		fprintf(stderr, "%s\n", line);
		free(line);
	}
	if (sgov->format == SGOV_JSON)
		sgov_json_print(answer);
	else if (status == SGOV_OK)
		printf("%s is in force (%s)\n",
		       sgov_json_text(answer, "source"),
		       sgov_json_text(answer, "digest"));
	json_object_put(answer);
	return status;
}
