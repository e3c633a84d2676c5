/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of standing orders, StateSaveLocation/governance/orders: a line
 * "slurm-governance orders 1", then one line an order,
 *
 *	hold-reclaims UID SECONDS
 *	release-all UID SECONDS
 *	drain UID SECONDS NAME
 *
 * replaced as a whole, so that it is complete at every moment.
 */
#ifndef GOVERNANCE_SLURMGOVD_ORDERS_FILE_H
#define GOVERNANCE_SLURMGOVD_ORDERS_FILE_H

#include "slurmgovd/orders.h"

/*
 * Read it.  0: orders are filled (a file that is not there has none); -1:
 * they are all zero, and error says what is wrong.
 */
int gov_orders_load(const char *directory, struct gov_orders *orders,
		    struct gov_error *error);
/* Write it.  0 or -1; then the old file stays. */
int gov_orders_save(const char *directory, const struct gov_orders *orders,
		    struct gov_error *error);

#endif
