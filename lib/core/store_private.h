/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the store tell each other. */
#ifndef GOVERNANCE_CORE_STORE_PRIVATE_H
#define GOVERNANCE_CORE_STORE_PRIVATE_H

#include "core/store.h"

void gov_store_free_kinds(struct gov_store *store);
void gov_store_free_askers(struct gov_store *store);

#endif
