/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long each call took, for bench/submit: with GOVERNANCE_SUBMIT_TIMES=FILE
 * in slurmctld's environment at init, the nanoseconds of every call are put
 * into that file (64-bit count of calls, then 32 bits each, the first 2^20 - 2
 * of them).  Without it nothing is measured.
 */
#ifndef GOVERNANCE_JOB_SUBMIT_TIMES_H
#define GOVERNANCE_JOB_SUBMIT_TIMES_H

#include <stdint.h>

void times_start(void);
void times_stop(void);

/* 0 when nothing is measured. */
int64_t times_begin(void);
void times_end(int64_t begin);

#endif
