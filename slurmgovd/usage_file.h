/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of usage history, StateSaveLocation/governance/usage: a line
 * "slurm-governance usage 1", then one line a mean (core/engine.h),
 *
 *	SECONDS TEAM UID TRES MEAN
 *
 * with - in place of UID for what the team borrowed.  Replaced as a whole.  It
 * is no fact that a decision could be wrong without: what is lost with the last
 * minute before a crash is that minute's usage.
 */
#ifndef GOVERNANCE_SLURMGOVD_USAGE_FILE_H
#define GOVERNANCE_SLURMGOVD_USAGE_FILE_H

#include "core/engine.h"

/*
 * Tell the engine what is in it.  Teams and TRES that the policy no longer has
 * are left out.  0 (also if there is no file, or no history is kept), -1: the
 * file is damaged (what was read before that is known) or cannot be read.
 */
int gov_usage_load(const char *directory, struct gov_engine *engine,
		   struct gov_error *error);

/* Write what the engine knows, if it keeps a history.  0 or -1; then the old
 * file stays. */
int gov_usage_save(const char *directory, const struct gov_engine *engine,
		   struct gov_error *error);

#endif
