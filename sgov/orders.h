/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What operators ordered beside the policy. */
#ifndef GOVERNANCE_SGOV_ORDERS_H
#define GOVERNANCE_SGOV_ORDERS_H

#include "sgov/json.h"

/*
 * Warn (on stderr) of every order that stands, with who gave it and when:
 * whoever reads figures must know.
 */
void sgov_tell_orders(const struct json_object *answer);
/* "released by root on 2026-…, in spite of quota" of a job; malloc()ed, or
 * NULL if nothing was ordered for it. */
char *sgov_job_order(const struct json_object *job);

#endif
