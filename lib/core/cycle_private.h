/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef GOVERNANCE_CORE_CYCLE_PRIVATE_H
#define GOVERNANCE_CORE_CYCLE_PRIVATE_H

#include "core/cycle.h"

/*
 * The nominated head that is looked at next: by level, class and age, or by
 * the tournament of shares through the tree.  NULL: all are done.
 */
struct gov_head *gov_cycle_next(struct gov_cycle *cycle);

#endif
