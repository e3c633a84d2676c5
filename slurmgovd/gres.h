/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GRES as Slurm shows them on nodes and jobs, added up by TRES. */
#ifndef GOVERNANCE_SLURMGOVD_GRES_H
#define GOVERNANCE_SLURMGOVD_GRES_H

#include "core/policy.h"

/*
 * Add "gpu:h100:8(S:0-1),shard:32" or "cpu=4,mem=8G,gres/gpu=2" to
 * amounts[tres_count]: a typed entry counts under its type ("gres/gpu:h100")
 * and under the plain name ("gres/gpu"), whichever the policy has, unless the
 * text says the plain one itself ("gres/gpu=2,gres/gpu:h100=2").  TRES that
 * the policy lacks are skipped.  0, or -1: the text cannot be understood
 * (what was understood is added).  NULL is an empty text.
 */
int gov_gres_add(const struct gov_policy *policy, const char *text,
		 gov_amount_t *amounts);

/* All that the text says of gres/gpu, of whatever type. */
gov_amount_t gov_gres_gpus(const char *text);

/* amounts[find_tres(name)] += amount, if the policy has that TRES. */
void gov_tres_add(const struct gov_policy *policy, const char *name,
		  gov_amount_t amount, gov_amount_t *amounts);

#endif
