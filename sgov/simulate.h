/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sgov simulate: its runs, and how they are shown. */
#ifndef GOVERNANCE_SGOV_SIMULATE_H
#define GOVERNANCE_SGOV_SIMULATE_H

#include "sgov/sgov.h"
#include "simulate/simulate.h"

struct scenario {
	char *name;
	struct gov_policy *policy; /* has the names in result */
	struct gov_simulate_result result;
};

struct simulation {
	struct sgov *sgov;
	struct gov_trace trace;
	struct gov_simulate_options options;
	struct scenario *scenario;
	size_t count;
};

/* On stdout, in the format asked for; groups: by team and class instead. */
void sgov_simulate_show(const struct simulation *simulation, bool groups);

#endif
