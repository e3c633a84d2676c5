/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/ask.h"
#include "sgov/options.h"

#include <stdio.h>

int sgov_reload(struct sgov *sgov, int argc, char **argv)
{
	struct json_object *answer;
	int status;

	if (!sgov_parse_operands(sgov, NULL, argc, argv, 0, 0, &status))
		return status;
	answer = sgov_ask(sgov, sgov_request("reload"), &status);
	if (!answer)
		return status;
	if (sgov->format == SGOV_JSON)
		sgov_json_print(answer);
	else
		sgov_tell_faults(answer);
	if (sgov->format != SGOV_JSON && status == SGOV_OK)
		printf("%s is in force (%s)\n",
		       sgov_json_text(answer, "source"),
		       sgov_json_text(answer, "digest"));
	json_object_put(answer);
	return status;
}
