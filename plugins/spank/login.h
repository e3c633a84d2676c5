/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --gov-class, --gov-project and --gov-borrow on the login side. */
#ifndef GOVERNANCE_SPANK_LOGIN_H
#define GOVERNANCE_SPANK_LOGIN_H

#include <slurm/spank.h>

/*
 * Make the options known.  Also on nodes: there Slurm takes them out of the
 * job's environment only if somebody knows them.
 */
void login_register_options(spank_t sp);

/*
 * A job's environment has the options of its own submission, and Slurm would
 * take them as options of whatever is submitted from within the job.  Like
 * account and partition, class and project are not inherited.
 */
void login_forget_inherited(void);

/*
 * Is this what an option ("gov-class", "gov-project", "gov-borrow") may be
 * given?  NULL: yes, else what it takes.
 */
const char *login_check_value(const char *option, const char *value);

#endif
