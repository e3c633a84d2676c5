/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GOVERNANCE_SGOV_REQUEST_H
#define GOVERNANCE_SGOV_REQUEST_H

#include <stdbool.h>

#include "sgov/json.h"

/*
 * "gres/gpu:h100=4,cpu=16,mem=64G" of a job's "request"; malloc()ed.  raw: bare
 * numbers.
 */
char *sgov_request_text(const struct json_object *job, bool raw);

#endif
