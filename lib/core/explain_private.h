/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that explain share; nobody else includes it. */
#ifndef GOVERNANCE_CORE_EXPLAIN_PRIVATE_H
#define GOVERNANCE_CORE_EXPLAIN_PRIVATE_H

#include <strings.h>

#include "core/engine_private.h"

/* What is known of the place of a waiting or admitted job, into `out`. */
void gov_explain_place(struct gov_engine *engine, const struct gov_record *job,
		       struct gov_explanation *out);

/* Would others give way for the waiting job if amounts were all? */
bool gov_explain_misplaced(struct gov_engine *engine,
			   const struct gov_record *job, gov_time_t now);

/* The limit that its place is: of what, and how much on one node. */
struct gov_limit gov_explain_lack(struct gov_engine *engine,
				  const struct gov_record *job);

#endif
