/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GOVERNANCE_SGOV_LOANS_H
#define GOVERNANCE_SGOV_LOANS_H

#include "sgov/json.h"
#include "sgov/sgov.h"

/* The table of an answer's "loans", on stdout, indented by blanks. */
void sgov_show_loans(const struct sgov *sgov, const struct json_object *answer,
		     int indent);

#endif
