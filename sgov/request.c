/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sgov/request.h"

#include <stdlib.h>

#include "sgov/format.h"
#include "sgov/sgov.h"

char *sgov_request_text(const struct json_object *job, bool raw)
{
	size_t count = sgov_json_count(job, "request");
	char *text = sgov_copy("");

	for (size_t i = 0; i < count; i++) {
		struct json_object *item = sgov_json_item(job, "request", i);
		const char *tres = sgov_json_text(item, "tres");
		char amount[SGOV_AMOUNT_TEXT], *longer;

		sgov_format_amount(amount, tres,
				   sgov_json_amount(item, "amount"), raw);
		longer = sgov_printf("%s%s%s=%s", text, *text ? "," : "", tres,
				     amount);
		free(text);
		text = longer;
	}
	return text;
}
