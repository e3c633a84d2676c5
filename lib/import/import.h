/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SageMaker HyperPod's task governance → governance.conf.
 *
 * Reads ComputeQuota and ClusterSchedulerConfig objects as the AWS API
 * creates, describes and lists them, and for the number of nodes what it says
 * of clusters and their nodes.  All text in them is hostile: a name that
 * HyperPod would not take is refused, other text only ever stands in comments
 * and in quoted values.
 */
#ifndef GOVERNANCE_IMPORT_IMPORT_H
#define GOVERNANCE_IMPORT_IMPORT_H

#include <stddef.h>
#include <stdio.h>

#include "core/error.h"

struct gov_import;

/*
 * cluster: take objects of this cluster only, its id or ARN (copied); NULL:
 * objects of two clusters are an error.  NULL: out of memory.
 */
struct gov_import *gov_import_create(const char *cluster);
void gov_import_destroy(struct gov_import *import);

/*
 * Take in the text of a file: one JSON value, or several one after the other.
 * name is for messages.  0, or -1: nothing may then be written.
 */
int gov_import_hyperpod(struct gov_import *import, const char *name,
			const char *text, size_t length,
			struct gov_error *error);

/*
 * Write the policy of all that was taken in; once, at the end.  0, or -1 (it
 * makes no policy, the file cannot be written, out of memory), with nothing
 * or only a part written.
 */
int gov_import_write(struct gov_import *import, FILE *file,
		     struct gov_error *error);

/*
 * Sentences on what has no counterpart or needs a hand; complete once the
 * policy is written, which has them as comments, too.  Printable.
 */
size_t gov_import_notes(const struct gov_import *import);
const char *gov_import_note(const struct gov_import *import, size_t index);

#endif
