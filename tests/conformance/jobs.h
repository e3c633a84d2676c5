/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Books of one cluster of a case, with its running jobs in them. */
#ifndef CONFORMANCE_JOBS_H
#define CONFORMANCE_JOBS_H

#include "core/books.h"
#include "core/victims.h"
#include "world.h"

void books_open(struct gov_books *books, const struct world_cluster *cluster);
/* Put a running job of the corpus in; its team must be of this cluster. */
void books_add(struct gov_books *books, uint32_t team,
	       const struct gov_job *job);
/* All running jobs of the case that are in this cluster. */
void books_add_running(struct gov_books *books, const struct world *world,
		       const struct world_cluster *cluster);

/* The corpus's word for a rule. */
const char *rule_name(enum gov_rule rule);
/* The rules of fair share that the case configures. */
void set_share_rules(struct gov_search *search, struct json_object *json);

#endif
